/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Commands that wait for each other: within a node, between its queues, and
 * around the ring of nodes, where each node forwards what the previous one sent,
 * with no host in the loop; counts above one; hosts that signal and wait.
 */
#include "cores.h"

enum { SEGMENT = 2 << 20, PIECE = 4000, LAPS = 5 };
enum { HERE, GO, STEP, BACK };

static fshmem_offset_t boxes; /* one piece a node */
static uint64_t piece;        /* bytes of it, up to the next line */

static fshmem_offset_t box(gasnet_node_t node)
{
    return boxes + node * piece;
}

static gasnet_node_t after(gasnet_node_t node)
{
    return (node + 1) % conf.n;
}

/* All-gather around the ring: step 0 sends the own piece, step s passes on what
 * step s - 1 of the node before has brought. */
static void ring(unsigned lap)
{
    fshmem_command_t command[64];
    fshmem_status_t result = FSHMEM_ERR_CALL;
    gasnet_handle_t handle;

    for (gasnet_node_t n = 0; n < conf.n; n++) {
        conf_fill(conf_addr(conf.me) + box(n), PIECE,
                  n == conf.me ? 100 * lap + n : 99);
    }
    conf_barrier();
    for (gasnet_node_t step = 0; step + 1 < conf.n; step++) {
        gasnet_node_t whose = (conf.me + conf.n - step) % conf.n;
        fshmem_send_t s = {.from = box(whose), .bytes = PIECE};

        s.flow.await_event = STEP;
        s.flow.await_count = step > 0;
        s.flow.send_nodes = FSHMEM_NODE(after(conf.me));
        s.flow.send_offset = box(whose);
        s.flow.send_count = 1 + lap * 97;
        s.flow.signal_nodes = FSHMEM_NODE(after(conf.me));
        s.flow.signal_event = step + 2 < conf.n ? STEP : BACK;
        FINE(fshmem_command_send(&s, &command[step]));
    }
    FINE(fshmem_submit_nb(conf.me, command, conf.n - 1, 0, &handle, &result));
    if (conf.n > 1) {
        FINE(fshmem_await(BACK, 1));
    }
    gasnet_wait_syncnb(handle);
    FINE(result);
    for (gasnet_node_t n = 0; n < conf.n; n++) {
        CHECK_FILL(conf_addr(conf.me) + box(n), PIECE, 100 * lap + n);
    }
    conf_barrier();
}

/* The mover holds nothing up while it waits, and the other way round: submitted
 * in an order in which neither queue could run alone. */
static void between_queues(void)
{
    fshmem_flow_t first = {.signal_event = STEP,
                           .signal_nodes = FSHMEM_NODE(conf.me)};
    fshmem_flow_t second = first;
    fshmem_command_t command[4];

    first.await_event = GO;
    first.await_count = 3;
    second.await_event = STEP;
    second.await_count = 1;
    /* mover: waits for the array's; array: waits for the host's three. */
    FINE(fshmem_command_nop(1, &second, &command[0]));
    FINE(fshmem_command_nop(0, &first, &command[1]));
    second.signal_event = BACK;
    FINE(fshmem_command_nop(0, &second, &command[2]));
    FINE(fshmem_command_nop(1, &second, &command[3]));
    gasnet_handle_t handle;
    fshmem_status_t result = FSHMEM_ERR_CALL;
    FINE(fshmem_submit_nb(conf.me, command, 3, 0, &handle, &result));
    CHECK_EQ(gasnet_try_syncnb(handle), GASNET_ERR_NOT_READY);
    FINE(fshmem_signal(conf.me, GO, 1));
    CHECK_EQ(gasnet_try_syncnb(handle), GASNET_ERR_NOT_READY);
    FINE(fshmem_signal(conf.me, GO, 2));
    gasnet_wait_syncnb(handle);
    FINE(result);
    FINE(fshmem_await(BACK, 1));
}

/* Hosts pass a token through the event counters of the nodes. */
static void token(unsigned laps)
{
    conf_barrier();
    for (unsigned i = 0; i < laps; i++) {
        if (conf.me == 0) {
            FINE(fshmem_signal(after(0), HERE, 255));
            FINE(fshmem_await(HERE, 255));
        } else {
            FINE(fshmem_await(HERE, 255));
            FINE(fshmem_signal(after(conf.me), HERE, 255));
        }
    }
    conf_barrier();
}

/* A put, then a signal: the command that waits for it sends on what was put. */
static void put_then_signal(unsigned lap)
{
    gasnet_node_t next = after(conf.me), source = conf.me + conf.n - 2 % conf.n;
    fshmem_send_t s = {.from = box(0), .bytes = PIECE};
    unsigned char data[PIECE];
    fshmem_command_t command;
    gasnet_handle_t handle;

    conf_fill(data, sizeof data, conf.me + lap * 64);
    s.flow.await_event = GO;
    s.flow.await_count = 1;
    s.flow.send_nodes = s.flow.signal_nodes = FSHMEM_NODE(next);
    s.flow.send_offset = box(1);
    s.flow.signal_event = BACK;
    FINE(fshmem_command_send(&s, &command));
    FINE(fshmem_submit_nb(conf.me, &command, 1, 0, &handle, NULL));
    conf_barrier();
    gasnet_put(next, conf_addr(next) + box(0), data, sizeof data);
    FINE(fshmem_signal(next, GO, 1));
    FINE(fshmem_await(BACK, 1));
    gasnet_wait_syncnb(handle);
    if (conf.n > 1) { /* from the one before the one before */
        CHECK_FILL(conf_addr(conf.me) + box(1), PIECE,
                   source % conf.n + lap * 64);
    }
    conf_barrier();
}

int main(int argc, char **argv)
{
    cores_start("chain", &argc, &argv, SEGMENT);
    piece = (PIECE + 63) / 64 * 64;
    boxes = cores_take((conf.n + 2) * piece);

    for (unsigned lap = 1; lap <= LAPS; lap++) {
        ring(lap);
        between_queues();
        put_then_signal(lap);
    }
    token((unsigned)conf_iters(100, 3));
    conf_pass();
}
