/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Handles of commands: in one list with those of puts and gets, with every form of
 * synchronisation, in any order. Results of failed commands, which
 * leave the core usable; many threads.
 */
#include <pthread.h>

#include "cores.h"

#include "base/fsh_spec.h"

enum { SEGMENT = 1 << 20, MANY = 200, SIZE = 3000, THREADS = 4, GO = 5 };

static fshmem_offset_t x, y, from, to;

static fshmem_command_t nop(unsigned event, unsigned count, unsigned signal,
                            fshmem_nodes_t nodes)
{
    const fshmem_flow_t flow = {.await_event = event,
                                .await_count = count,
                                .signal_event = signal,
                                .signal_nodes = nodes};
    fshmem_command_t command;

    FINE(fshmem_command_nop(0, &flow, &command));
    return command;
}

/* A product of 16 x 16 with ones: 16 everywhere. */
static fshmem_command_t small_product(fshmem_offset_t c)
{
    fshmem_gemm_t g = {.m = 16, .n = 16, .k = 16, .c = c, .ldc = 16};
    fshmem_command_t command;

    g.a = g.b = (fshmem_operand_t){FSHMEM_FP32_ROWS, x, 16};
    FINE(fshmem_command_gemm(&g, &command));
    return command;
}

static void check_product(void)
{
    for (unsigned i = 0; i < 256; i++) {
        CHECK(cores_at(y)[i] == 16.0f, "%g", (double)cores_at(y)[i]);
        cores_at(y)[i] = 0;
    }
}

/* A put, a get and a command, all in one list; then some of it. */
static void mixed(gasnet_node_t peer)
{
    const fshmem_command_t wait = nop(GO, 1, 0, 0);
    fshmem_status_t result = FSHMEM_ERR_CALL;
    unsigned char data[SIZE], back[SIZE];
    gasnet_handle_t list[4];

    conf_fill(data, SIZE, conf.me);
    FINE(fshmem_submit_nb(conf.me, &wait, 1, 0, &list[0], &result));
    list[1] = gasnet_put_nb_bulk(peer, conf_addr(peer) + to, data, SIZE);
    list[2] = GASNET_INVALID_HANDLE;
    list[3] = gasnet_get_nb_bulk(back, peer, conf_addr(peer) + from, SIZE);
    while (list[1] != GASNET_INVALID_HANDLE ||
           list[3] != GASNET_INVALID_HANDLE) {
        gasnet_handle_t rest[2] = {list[1], list[3]};

        gasnet_wait_syncnb_some(rest, 2);
        list[1] = rest[0];
        list[3] = rest[1];
    }
    CHECK_EQ(gasnet_try_syncnb_all(list, 4), GASNET_ERR_NOT_READY);
    CHECK_EQ(gasnet_try_syncnb_some(list, 4), GASNET_ERR_NOT_READY);
    CHECK_EQ(gasnet_try_syncnb(list[0]), GASNET_ERR_NOT_READY);
    FINE(fshmem_signal_nb(conf.me, GO, 1, &list[1]));
    gasnet_wait_syncnb_all(list, 4);
    CHECK(list[0] == GASNET_INVALID_HANDLE, "handle after the wait");
    FINE(result);
    CHECK_FILL(back, SIZE, 50 + peer);
    conf_barrier();
}

/* As many commands as one likes, in one call and in many, on both queues. */
static void many(gasnet_node_t peer)
{
    static fshmem_command_t command[2 * MANY];
    static fshmem_status_t result[MANY];
    static gasnet_handle_t handle[MANY];
    unsigned n = (unsigned)conf_iters(MANY, 40);
    const fshmem_flow_t none = {0};
    fshmem_flow_t last = {0};

    for (unsigned i = 0; i < 2 * n; i++) {
        FINE(fshmem_command_nop((int)i % 2, &none, &command[i]));
    }
    FINE(fshmem_submit(peer, command, 2 * n));
    for (unsigned i = 0; i < n; i++) {
        result[i] = FSHMEM_ERR_CALL;
        FINE(fshmem_submit_nb(peer, &command[i], 2, 0, &handle[i], &result[i]));
    }
    last.signal_event = GO;
    last.signal_nodes = FSHMEM_NODE(conf.me);
    FINE(fshmem_command_nop(0, &last, &command[0]));
    FINE(fshmem_submit(peer, &command[0], 1));
    FINE(fshmem_await(GO, 1));
    gasnet_wait_syncnb_all(handle, n);
    for (unsigned i = 0; i < n; i++) {
        FINE(result[i]);
    }
    FINE(fshmem_submit_nb(peer, command, 0, 0, &handle[0], &result[0]));
    CHECK(handle[0] == GASNET_INVALID_HANDLE, "no commands");
    conf_barrier();
}

/* In the middle of a list, a command that the core refuses: made by hand, since
 * the library makes none. Its neighbours run, and so does what comes later. */
static void failing(gasnet_node_t peer)
{
    fshmem_command_t list[3] = {nop(0, 0, GO, FSHMEM_NODE(conf.me)),
                                nop(0, 0, GO, FSHMEM_NODE(conf.me)),
                                nop(0, 0, GO, FSHMEM_NODE(conf.me))};
    uint64_t word;

    memcpy(&word, &list[1], sizeof word);
    word |= FSH_COP_GEMM; /* without sizes */
    memcpy(&list[1], &word, sizeof word);
    for (unsigned i = 0; i < 3; i++) {
        REFUSED(fshmem_submit(peer, list, 3), FSHMEM_ERR_COMMAND);
        FINE(fshmem_await(GO, 3)); /* it signals all the same */
        FINE(fshmem_submit(peer, list, 1));
        FINE(fshmem_await(GO, 1));
    }
    const fshmem_command_t product = small_product(y);
    FINE(fshmem_submit(conf.me, &product, 1));
    check_product();
    conf_barrier();
}

static void *client(void *arg)
{
    gasnet_node_t peer = *(gasnet_node_t *)arg;

    for (int i = conf_iters(100, 10); i > 0; i--) {
        const fshmem_command_t command = nop(0, 0, 0, 0);
        gasnet_handle_t handle[2];
        fshmem_status_t result = FSHMEM_ERR_CALL;

        FINE(fshmem_submit_nb(peer, &command, 1, 0, &handle[0], &result));
        FINE(fshmem_signal_nb(peer, GO, 1, &handle[1]));
        gasnet_wait_syncnb_all(handle, 2);
        FINE(result);
        FINE(fshmem_submit(conf.me, &command, 1));
    }
    return NULL;
}

static void threads(gasnet_node_t peer)
{
    pthread_t thread[THREADS];

    for (unsigned i = 0; i < THREADS; i++) {
        OK(pthread_create(&thread[i], NULL, client, &peer));
    }
    for (unsigned i = 0; i < THREADS; i++) {
        OK(pthread_join(thread[i], NULL));
    }
    conf_barrier();
    FINE(fshmem_await(GO, THREADS * (unsigned)conf_iters(100, 10)));
    conf_barrier();
}

int main(int argc, char **argv)
{
    cores_start("async", &argc, &argv, SEGMENT);
    gasnet_node_t peer = (conf.me + 1) % conf.n;

    x = cores_take(1024);
    y = cores_take(1024);
    from = cores_take(SIZE);
    to = cores_take(SIZE);
    for (unsigned i = 0; i < 256; i++) {
        cores_at(x)[i] = 1;
    }
    conf_fill(conf_addr(conf.me) + from, SIZE, 50 + conf.me);
    conf_barrier();
    for (int i = 0; i < 5; i++) {
        mixed(peer);
    }
    many(peer);
    failing(peer);
    threads(peer);
    conf_pass();
}
