/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Full queues: a submission with FSHMEM_TRY fails with BUSY and has no effect;
 * others are served when there is room, in order. Meanwhile puts, gets and messages
 * pass, to the same node and from it, and the other queue runs.
 */
#include "cores.h"

enum {
    SEGMENT = 1 << 20,
    LIMIT = 200,
    MORE = 150,
    GO = 1,
    RAN = 2,
    SIZE = 5000
};

static int pings, pongs;

static void on_ping(gasnet_token_t token)
{
    conf_add(&pings, 1);
    OK(gasnet_AMReplyShort0(token, 201));
}

static void on_pong(gasnet_token_t token)
{
    (void)token;
    conf_add(&pongs, 1);
}

static fshmem_command_t nop(int mover, unsigned count, fshmem_nodes_t nodes)
{
    const fshmem_flow_t flow = {.await_event = GO,
                                .await_count = count,
                                .signal_event = RAN,
                                .signal_nodes = nodes};
    fshmem_command_t command;

    FINE(fshmem_command_nop(mover, &flow, &command));
    return command;
}

/* Wait for the signals of n commands that ran, in the queue of this node that
 * the one before does not fill: behind a command that waits, its commands could
 * never run, and it would wait for the next ... around the ring. */
static void await_ran(int mover, unsigned n)
{
    const fshmem_flow_t flow = {.await_event = RAN, .await_count = n};
    fshmem_command_t command;

    FINE(fshmem_command_nop(!mover, &flow, &command));
    FINE(fshmem_submit(conf.me, &command, 1));
}

/* Everything else works while a queue of peer is full. */
static void others_go_on(gasnet_node_t peer, int mover)
{
    unsigned char data[SIZE], back[SIZE];
    const fshmem_command_t other = nop(!mover, 0, 0);

    conf_fill(data, SIZE, conf.me + 7);
    for (unsigned i = 0; i < 20; i++) {
        unsigned char *there = conf_addr(peer) + SIZE * conf.me;

        gasnet_put(peer, there, data, SIZE);
        memset(back, 0, SIZE);
        gasnet_get(back, peer, there, SIZE);
        CHECK_FILL(back, SIZE, conf.me + 7);
        OK(gasnet_AMRequestShort0(peer, 200));
        GASNET_BLOCKUNTIL(conf_load(&pongs) == (int)i + 1);
    }
    pongs = 0;
    /* One rank a node, so that the other queue has room. */
    FINE(fshmem_submit(peer, &other, 1));
}

static void fill_queue(gasnet_node_t peer, int mover)
{
    static gasnet_handle_t handle[LIMIT + MORE + 1];
    static fshmem_status_t result[LIMIT + MORE + 1];
    const fshmem_command_t first = nop(mover, 1, FSHMEM_NODE(conf.me));
    const fshmem_command_t later = nop(mover, 0, FSHMEM_NODE(conf.me));
    unsigned n = 1, busy = 0;

    FINE(fshmem_submit_nb(peer, &first, 1, 0, &handle[0], &result[0]));
    /* It may take the core a while to take the first list. */
    while (busy < 50 && n < LIMIT) {
        fshmem_status_t status = fshmem_submit_nb(peer, &later, 1, FSHMEM_TRY,
                                                  &handle[n], &result[n]);

        busy += status == FSHMEM_ERR_BUSY;
        n += status == FSHMEM_OK;
        CHECK(status == FSHMEM_OK || status == FSHMEM_ERR_BUSY, "%s",
              fshmem_status_string(status));
    }
    CHECK(n > 4 && n < LIMIT, "busy after %u lists", n);
    for (unsigned i = 0; i < MORE; i++, n++) {
        FINE(fshmem_submit_nb(peer, &later, 1, 0, &handle[n], &result[n]));
    }
    others_go_on(peer, mover);
    for (unsigned i = 0; i < n; i++) {
        CHECK_EQ(gasnet_try_syncnb(handle[i]), GASNET_ERR_NOT_READY);
    }
    FINE(fshmem_signal(peer, GO, 1));
    await_ran(mover, n);
    gasnet_wait_syncnb_all(handle, n);
    for (unsigned i = 0; i < n; i++) {
        FINE(result[i]);
    }
    FINE(fshmem_submit_nb(peer, &later, 1, FSHMEM_TRY, &handle[0], NULL));
    gasnet_wait_syncnb(handle[0]);
    await_ran(mover, 1);
}

/* Too much to be tried at once. */
static void too_many(gasnet_node_t peer)
{
    fshmem_command_t list[33];
    gasnet_handle_t handle;

    for (unsigned i = 0; i < 33; i++) {
        list[i] = nop(0, 0, 0);
    }
    REFUSED(fshmem_submit_nb(peer, list, 33, FSHMEM_TRY, &handle, NULL),
            FSHMEM_ERR_ARGUMENT);
    FINE(fshmem_submit_nb(peer, list, 32, FSHMEM_TRY, &handle, NULL));
    gasnet_wait_syncnb(handle);
    list[7] = nop(1, 0, 0);
    REFUSED(fshmem_submit_nb(peer, list, 32, FSHMEM_TRY, &handle, NULL),
            FSHMEM_ERR_ARGUMENT);
}

int main(int argc, char **argv)
{
    gasnet_handlerentry_t table[] = {{200, (void (*)())on_ping},
                                     {201, (void (*)())on_pong}};
    fshmem_compute_info_t info;

    conf_start("busy", &argc, &argv, table, 2, SEGMENT);
    FINE(fshmem_compute_info(conf.me, &info));
    if (!info.present) {
        conf_skip("no compute core");
    }
    for (int round = 0; round < 4; round++) {
        fill_queue((conf.me + 1) % conf.n, round % 2);
        conf_barrier();
    }
    too_many((conf.me + 1) % conf.n);
    conf_pass();
}
