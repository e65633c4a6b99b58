/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * For test_sum.py: what a rank does between messages is known to the cycle. Run as:
 * rounds ping|barrier|fill|load|read|command COUNT
 */
#include <fshmem.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { H_PING = 128, H_PONG, H_DONE, FILL_BYTES = 1000, LOAD_BYTES = 64 };

static volatile int pongs, done;

static void ping(gasnet_token_t token)
{
    gasnet_AMReplyShort0(token, H_PONG);
}

static void pong(gasnet_token_t token)
{
    (void)token;
    pongs++;
}

static void finish(gasnet_token_t token)
{
    (void)token;
    done = 1;
}

/* The last rank answers, and does nothing else. */
static void play(int rounds)
{
    const gasnet_node_t last = gasnet_nodes() - 1;

    if (gasnet_mynode() == last)
        GASNET_BLOCKUNTIL(done);
    if (gasnet_mynode() != 0)
        return;
    for (int i = 0; i < rounds; i++) {
        gasnet_AMRequestShort0(last, H_PING);
        GASNET_BLOCKUNTIL(pongs == i + 1);
    }
    gasnet_AMRequestShort0(last, H_DONE);
}

static void meet(int rounds)
{
    for (int i = 0; i < rounds; i++) {
        gasnet_barrier_notify(0, GASNET_BARRIERFLAG_ANONYMOUS);
        gasnet_barrier_wait(0, GASNET_BARRIERFLAG_ANONYMOUS);
    }
}

/* Node 0 to its own compute core: the library stores the command beside its segment. */
static void command(void)
{
    const fshmem_flow_t none = {0};
    fshmem_command_t nop;

    if (fshmem_command_nop(0, &none, &nop) != FSHMEM_OK ||
        fshmem_submit(0, &nop, 1) != FSHMEM_OK)
        gasnet_exit(1);
}

/* What node 0 does with its own memory, or the last one's. */
static void touch(int rounds, char what)
{
    const gasnet_node_t last = gasnet_nodes() - 1;
    gasnet_seginfo_t seg[2];

    if (gasnet_getSegmentInfo(seg, 2) != GASNET_OK)
        gasnet_exit(1);
    if (gasnet_mynode() == last)
        GASNET_BLOCKUNTIL(done);
    if (gasnet_mynode() != 0)
        return;
    for (int i = 0; i < rounds; i++) {
        if (what == 'f')
            gasnet_memset(last, seg[last].addr, i, FILL_BYTES);
        else if (what == 'c')
            command();
        else if (what == 'r')
            gasnet_put(last, seg[last].addr, seg[0].addr, LOAD_BYTES);
        else
            gasnet_wait_syncnb(
                gasnet_put_nb(last, seg[last].addr, seg[0].addr, LOAD_BYTES));
    }
    gasnet_AMRequestShort0(last, H_DONE);
}

int main(int argc, char **argv)
{
    gasnet_handlerentry_t table[] = {
        {H_PING, ping}, {H_PONG, pong}, {H_DONE, finish}};

    if (gasnet_init(&argc, &argv) != GASNET_OK ||
        gasnet_attach(table, 3, GASNET_PAGESIZE, 0) != GASNET_OK)
        return 1;
    if (argc == 3 && strcmp(argv[1], "ping") == 0)
        play(atoi(argv[2]));
    else if (argc == 3 && strcmp(argv[1], "barrier") != 0)
        touch(atoi(argv[2]), argv[1][0]);
    else if (argc == 3)
        meet(atoi(argv[2]));
    gasnet_exit(0);
    return 0;
}
