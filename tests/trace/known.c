/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Programs of two ranks whose critical path is known.
 *   known ping N     N round trips of a Short
 *   known spend NS   rank 0 computes for NS ns, then both meet in a barrier
 *   known get BYTES  rank 0 gets BYTES of rank 1 into its own segment
 *   known queue N    rank 0 gives its compute core a list of three commands of which the
 *                    first waits for event 3, lists of two and N, and then that event
 *   known full N     N times, rank 0 signals event 5 of rank 1, with its window full
 */
#include <stdlib.h>
#include <string.h>

#include <fshmem.h>
#include <gasnet.h>

enum { PING = 200, PONG };

static volatile int pings, pongs;

static void ping(gasnet_token_t token)
{
    pings++;
    gasnet_AMReplyShort0(token, PONG);
}

static void pong(gasnet_token_t token)
{
    (void)token;
    pongs++;
}

static void meet(void)
{
    gasnet_barrier_notify(0, GASNET_BARRIERFLAG_ANONYMOUS);
    gasnet_barrier_wait(0, GASNET_BARRIERFLAG_ANONYMOUS);
}

static void queue(unsigned more)
{
    const fshmem_flow_t flow = {.await_event = 3, .await_count = 1}, none = {0};
    fshmem_command_t list[1 + 32];
    gasnet_handle_t handle[3];
    const unsigned count[3] = {3, 2, more < 32 ? more : 32};

    for (unsigned i = 0; i < 1 + 32; i++)
        if (fshmem_command_nop(0, i == 0 ? &flow : &none, &list[i]) !=
            FSHMEM_OK)
            abort();
    for (unsigned i = 0; i < 3; i++)
        if (fshmem_submit_nb(0, list + (i != 0), count[i], 0, &handle[i],
                             NULL) != FSHMEM_OK)
            abort();
    for (int i = 0; i < 100; i++) { /* 100 us: they are taken one by one */
        gasnet_AMPoll();
        fshmem_spend(1000);
    }
    if (fshmem_signal(0, 3, 1) != FSHMEM_OK)
        abort();
    gasnet_wait_syncnb_all(handle, 3);
}

static void fill(char *to, int times)
{
    static char bytes[64];
    gasnet_handle_t handle;

    for (int i = 0; i < times; i++) {
        for (int put = 0; put < 40; put++)
            gasnet_put_nbi(1, to, bytes, sizeof bytes);
        if (fshmem_signal_nb(1, 5, 1, &handle) != FSHMEM_OK)
            abort();
        gasnet_wait_syncnb(handle);
        gasnet_wait_syncnbi_puts();
    }
}

int main(int argc, char **argv)
{
    gasnet_handlerentry_t table[] = {{PING, (void (*)())ping},
                                     {PONG, (void (*)())pong}};
    gasnet_seginfo_t seg[2];
    int n;

    if (gasnet_init(&argc, &argv) != GASNET_OK ||
        gasnet_attach(table, 2, 64 * GASNET_PAGESIZE, 0) != GASNET_OK ||
        argc < 3 || gasnet_nodes() != 2)
        return 2;
    gasnet_getSegmentInfo(seg, 2);
    n = atoi(argv[2]);
    if (strcmp(argv[1], "ping") == 0 && gasnet_mynode() == 0) {
        for (int i = 1; i <= n; i++) {
            gasnet_AMRequestShort0(1, PING);
            GASNET_BLOCKUNTIL(pongs == i);
        }
    } else if (strcmp(argv[1], "ping") == 0) {
        GASNET_BLOCKUNTIL(pings == n);
    } else if (strcmp(argv[1], "spend") == 0 && gasnet_mynode() == 0) {
        fshmem_spend((uint64_t)n);
    } else if (strcmp(argv[1], "get") == 0 && gasnet_mynode() == 0) {
        gasnet_get_bulk(seg[0].addr, 1, seg[1].addr, (size_t)n);
    } else if (strcmp(argv[1], "queue") == 0 && gasnet_mynode() == 0) {
        queue((unsigned)n);
    } else if (strcmp(argv[1], "full") == 0 && gasnet_mynode() == 0) {
        fill(seg[1].addr, n);
    }
    meet();
    return 0;
}
