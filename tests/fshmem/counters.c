/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counters of the compute cores: the steps of products whose number is known,
 * and cycles consistent with what each node and its neighbour did; bytes sent by ART
 * and SEND, exactly; NOPs that do not count; a clear. A software core
 * counts commands and bytes.
 */
#include "cores.h"

enum { SEGMENT = 4 << 20, GO = 3, DONE = 4 };

static bool software;
static fshmem_offset_t a, b, c, inbox;

static fshmem_core_counters_t counters(void)
{
    fshmem_core_counters_t now;

    memset(&now, 0xff, sizeof now);
    FINE(fshmem_core_counters(&now));
    return now;
}

static void clear(void)
{
    fshmem_core_counters_t now;

    FINE(fshmem_core_counters_clear());
    now = counters();
    CHECK(now.first_start == 0 && now.last_end == 0 && now.last_signal == 0,
          "first start %" PRIu64 ", last end %" PRIu64 ", last signal %" PRIu64,
          now.first_start, now.last_end, now.last_signal);
    CHECK_EQ(now.commands, 0);
    CHECK_EQ(now.compute, 0);
    CHECK_EQ(now.load, 0);
    CHECK_EQ(now.full, 0);
    CHECK_EQ(now.transfer, 0);
    CHECK_EQ(now.sent_bytes, 0);
}

/* Steps of a product of FP32: each 16 columns meet each 8 rows, a step for
 * each 16 values of k. */
static uint64_t steps(uint64_t m, uint64_t n, uint64_t k)
{
    return (m + 7) / 8 * ((n + 15) / 16) * ((k + 15) / 16);
}

/* What must hold between the counters of a core with nothing to do. */
static void check_whole(const fshmem_core_counters_t *x, uint64_t commands,
                        uint64_t compute, uint64_t sent)
{
    uint64_t busy = x->compute + x->load + x->full + x->transfer;

    CHECK_EQ(x->commands, commands);
    CHECK_EQ(x->sent_bytes, sent);
    if (software) {
        CHECK_EQ(busy, 0);
        CHECK(x->first_start == 0 && x->last_end == 0 && x->last_signal == 0,
              "cycles of a software core");
        return;
    }
    CHECK_EQ(x->compute, compute);
    CHECK(x->first_start > 0 && x->first_start < x->last_end,
          "from cycle %" PRIu64 " to %" PRIu64, x->first_start, x->last_end);
    /* Each cycle is of one kind, and from the first command's beginning to the
     * last one's end; what the end itself takes is counted as well. */
    CHECK(busy <= x->last_end - x->first_start + 64,
          "%" PRIu64 " cycles in %" PRIu64, busy, x->last_end - x->first_start);
}

static fshmem_command_t product(uint64_t m, uint64_t n, uint64_t k,
                                const fshmem_flow_t *flow)
{
    fshmem_gemm_t g = {.m = m, .n = n, .k = k, .c = c};
    fshmem_command_t command;

    g.ldc = cores_ld(n);
    g.a.offset = a;
    g.a.ld = cores_ld(k);
    g.b.offset = b;
    g.b.ld = cores_ld(n);
    g.flow = *flow;
    FINE(fshmem_command_gemm(&g, &command));
    return command;
}

static void run(const fshmem_command_t *commands, size_t count)
{
    FINE(fshmem_submit(conf.me, commands, count));
}

/* One product, alone: between its beginning and its end every cycle is of some
 * kind. Then two: the sum of both. */
static void products(void)
{
    const fshmem_flow_t none = {0};
    const uint64_t first = steps(100, 70, 150), second = steps(8, 16, 500);
    fshmem_command_t two[] = {product(100, 70, 150, &none),
                              product(8, 16, 500, &none)};
    fshmem_core_counters_t one, both;
    uint64_t busy;

    clear();
    run(two, 1);
    one = counters();
    check_whole(&one, 1, first, 0);
    CHECK_EQ(one.last_signal, 0);
    busy = one.compute + one.load + one.full + one.transfer;
    CHECK(software || busy >= one.last_end - one.first_start,
          "%" PRIu64 " cycles of %" PRIu64, busy,
          one.last_end - one.first_start);
    CHECK(software || (one.load > 0 && one.transfer > 0),
          "load %" PRIu64 ", transfer %" PRIu64, one.load, one.transfer);
    run(two, 2);
    both = counters();
    check_whole(&both, 3, 2 * first + second, 0);
    CHECK_EQ(both.first_start, one.first_start);
    CHECK(software || both.last_end > one.last_end,
          "last end %" PRIu64 ", before %" PRIu64, both.last_end, one.last_end);
    /* What has ended does not go on counting. */
    one = counters();
    CHECK(memcmp(&one, &both, sizeof one) == 0, "a core at rest counts");
    clear();
}

/* NOPs are no commands; a signal has its cycle. */
static void nops(void)
{
    const fshmem_flow_t tell = {.signal_event = DONE,
                                .signal_nodes = FSHMEM_NODE(conf.me)};
    fshmem_command_t nop;
    fshmem_core_counters_t x;

    FINE(fshmem_command_nop(0, &tell, &nop));
    run(&nop, 1);
    FINE(fshmem_await(DONE, 1));
    x = counters();
    CHECK_EQ(x.commands, 0);
    CHECK_EQ(x.compute + x.load + x.full + x.transfer, 0);
    CHECK_EQ(x.first_start, 0);
    CHECK_EQ(x.last_end, 0);
    CHECK_EQ(x.last_signal != 0, !software);
    clear();
}

/* Every node waits for a signal, computes, sends what it computed to all others
 * and tells them; then the same bytes once more by SEND. */
static void transfers(void)
{
    enum { M = 24, N = 48, K = 33 };
    const uint64_t bytes = M * N * 4;
    fshmem_nodes_t others = 0;
    fshmem_flow_t flow = {.await_event = GO, .await_count = 1};
    fshmem_command_t commands[2];
    fshmem_core_counters_t x;

    for (gasnet_node_t node = 0; node < conf.n; node++) {
        others |= FSHMEM_NODE(node);
    }
    others &= ~FSHMEM_NODE(conf.me);
    flow.send_nodes = flow.signal_nodes = others;
    flow.send_offset = inbox + conf.me * bytes;
    flow.signal_event = DONE;
    commands[0] = product(M, N, K, &flow);
    if (others != 0) {
        fshmem_send_t send = {.from = c, .bytes = bytes, .flow = flow};

        /* Behind the product: its last signal is of the neighbours' DONE. */
        send.flow.await_event = DONE;
        send.flow.await_count = conf.n - 1;
        FINE(fshmem_command_send(&send, &commands[1]));
    }
    conf_barrier();
    clear();
    conf_barrier();
    gasnet_handle_t handle;
    fshmem_status_t result;
    FINE(fshmem_submit_nb(conf.me, commands, others != 0 ? 2 : 1, 0, &handle,
                          &result));
    FINE(fshmem_signal(conf.me, GO, 1));
    gasnet_wait_syncnb(handle);
    FINE(result);
    if (others != 0) {
        FINE(fshmem_await(DONE, conf.n - 1));
    }
    conf_barrier();
    x = counters();
    check_whole(&x, others != 0 ? 2 : 1, steps(M, N, K),
                others != 0 ? 2 * bytes * (conf.n - 1) : 0);
    CHECK(software || others == 0 || x.transfer > bytes / 64,
          "%" PRIu64 " cycles of transfer", x.transfer);
    /* Alone: GO. Else the neighbours' last DONE, after this began. */
    CHECK(software || (others == 0 ? x.last_signal < x.first_start
                                   : x.last_signal > x.first_start),
          "first start %" PRIu64 ", last signal %" PRIu64, x.first_start,
          x.last_signal);
    conf_barrier();
    clear();
}

int main(int argc, char **argv)
{
    struct conf_rng rng;
    fshmem_compute_info_t info;

    cores_start("counters", &argc, &argv, SEGMENT);
    FINE(fshmem_compute_info(conf.me, &info));
    software = info.software;
    a = cores_take(512 * 1024);
    b = cores_take(512 * 1024);
    c = cores_take(512 * 1024);
    inbox = cores_take(1024 * 1024);
    rng = conf_rng(7 + conf.me);
    cores_fill(cores_at(a), 1, 131072, 131072, &rng);
    cores_fill(cores_at(b), 1, 131072, 131072, &rng);
    for (int i = 0; i < 3; i++) {
        products();
        nops();
        transfers();
    }
    conf_pass();
}
