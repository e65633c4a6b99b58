/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fshperf smp-node: the ranks of one job of fshperf smp. Measures one set of
 * cases in one thread mode; rank 0 prints one line per figure.
 */
#include "perf.h"
#include "smp.h"

#include <string.h>

#include "base/log.h"

#define LEAST_BANDWIDTH ((size_t)64 << 10) /* bytes */

#define CROWD_BATCH_NS 20000u

struct node {
    const struct smp_ops *ops;
    struct smp_rank *rank;
    struct smp_effort effort;
    size_t most;      /* bytes of a transfer */
    const char *only; /* test to measure; "": all */
};

static void measure(const struct node *node, const char *test,
                    const char *access, smp_loop_fn loop, const char *limit,
                    smp_loop_fn limit_loop, bool alone)
{
    struct smp_rank *r = node->rank;

    if (node->only[0] && strcmp(node->only, test) != 0) {
        return;
    }
    struct smp_row row = {
        .ranks = r->ranks,
        .pinned = smp_pinned(r),
        .bytes = r->bytes,
        .result = smp_measure(r, loop, limit_loop, alone, &node->effort),
    };

    snprintf(row.test, sizeof row.test, "%s", test);
    snprintf(row.mode, sizeof row.mode, "%s", node->ops->mode);
    snprintf(row.access, sizeof row.access, "%s", access);
    snprintf(row.limit, sizeof row.limit, "%s", limit);
    if (r->rank == 0) {
        smp_write_row(stdout, &row);
        fflush(stdout);
    }
}

static void short_messages(const struct node *node)
{
    node->rank->bytes = 0;
    measure(node, "am_short_rtt", "-", node->ops->am_short, "ring_rtt",
            smp_raw_ring, false);
}

static void empty_poll(const struct node *node)
{
    node->rank->bytes = 0;
    measure(node, "poll", "-", node->ops->poll, "flag_read", smp_raw_read,
            true);
}

/* The smallest use one cache line, as in a ring; others are copies. */
static void loaded_messages(const struct node *node, const char *test,
                            smp_loop_fn loop)
{
    static const size_t sizes[] = {8, 4 << 10, 64 << 10};
    struct smp_rank *r = node->rank;

    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i) {
        bool ring = i == 0;

        r->bytes = sizes[i];
        for (r->access = SMP_NEVER; r->access <= SMP_LINES; ++r->access) {
            measure(node, test, smp_access_name(r->access), loop,
                    ring ? "ring_rtt" : "copy_rtt",
                    ring ? smp_raw_ring : smp_raw_copies, false);
        }
    }
}

static void transfers(const struct node *node, const char *test, size_t least,
                      smp_loop_fn loop, smp_loop_fn copy)
{
    static const size_t sizes[] = {8,        64,       512,          4 << 10,
                                   16 << 10, 64 << 10, 256 << 10,    1 << 20,
                                   4 << 20,  16 << 20, SMP_MAX_BYTES};

    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i) {
        node->rank->bytes = sizes[i];
        if (sizes[i] >= least && sizes[i] <= node->most) {
            measure(node, test, "-", loop, "memcpy", copy, true);
        }
    }
}

static void barriers(const struct node *node)
{
    bool two = node->rank->ranks == 2 && !node->rank->crowded;

    node->rank->bytes = 0;
    measure(node, "barrier", "-", node->ops->barriers,
            two ? "line_rtt" : "yield_barrier",
            two ? smp_raw_line : smp_raw_barrier, false);
}

/* ---- the sets ---- */

static void pair(const struct node *node)
{
    const struct smp_ops *ops = node->ops;

    short_messages(node);
    loaded_messages(node, "am_medium_rtt", ops->am_medium);
    loaded_messages(node, "am_long_rtt", ops->am_long);
    node->rank->bytes = 0;
    measure(node, "am_flood", "-", ops->am_flood, "ring_flood", smp_raw_flood,
            false);
    empty_poll(node);
    transfers(node, "put", 1, ops->put, smp_raw_put);
    transfers(node, "get", 1, ops->get, smp_raw_get);
    transfers(node, "put_bw", LEAST_BANDWIDTH, ops->put_bw, smp_raw_put);
    transfers(node, "get_bw", LEAST_BANDWIDTH, ops->get_bw, smp_raw_get);
    node->rank->bytes = 8;
    measure(node, "put_nb_rate", "-", ops->put_nb, "memcpy", smp_raw_put, true);
    barriers(node);
}

/* Two ranks measure while the others are blocked in a barrier. Those wake up
 * now and then to check the job, so batches are short enough to fit in
 * between. */
static void crowd(const struct node *node)
{
    struct node two = *node;

    two.effort.batch_ns = CROWD_BATCH_NS;
    if (node->rank->rank < node->rank->party) {
        empty_poll(&two);
        short_messages(&two);
    }
    node->ops->barrier();
}

/* ---- shared processors ---- */

/* Long enough for the waits to adapt, and for several turns of a neighbour. */
#define TOGETHER_BATCH_NS 2000000u
#define NEIGHBOUR_BATCH_NS 20000000u
#define SHARED_ROUNDS 20u
#define SHARED_LIMIT_NS 3000000000u

static void shared(const struct node *node, const char *rtt,
                   const char *barrier, uint64_t batch_ns)
{
    struct node slow = *node;

    slow.effort = (struct smp_effort){.batch_ns = batch_ns,
                                      .rounds = SHARED_ROUNDS,
                                      .limit_ns = SHARED_LIMIT_NS};
    node->rank->bytes = 0;
    measure(&slow, rtt, "-", node->ops->am_short, "told",
            smp_told(node->ops->am_short), false);
    measure(&slow, barrier, "-", node->ops->barriers, "told",
            smp_told(node->ops->barriers), false);
}

static void together(const struct node *node)
{
    smp_pin_together(node->rank);
    shared(node, "rtt_together", "barrier_together", TOGETHER_BATCH_NS);
}

static void neighbour(const struct node *node)
{
    pid_t pid = smp_start_neighbour(node->rank);

    shared(node, "rtt_neighbour", "barrier_neighbour", NEIGHBOUR_BATCH_NS);
    smp_stop_neighbour(pid);
}

static const struct set {
    const char *name;
    void (*run)(const struct node *node);
    unsigned party; /* 0: all */
} sets[] = {{"pair", pair, 2},
            {"barrier", barriers, 0},
            {"crowd", crowd, 2},
            {"together", together, 0},
            {"neighbour", neighbour, 0}};

static const struct set *find(const char *name)
{
    for (size_t i = 0; i < sizeof sets / sizeof sets[0]; ++i) {
        if (strcmp(sets[i].name, name) == 0) {
            return &sets[i];
        }
    }
    fsh_fatal_code(2, "smp-node: started only by fshperf smp");
}

/* smp-node MODE SET quick|full TEST */
static int run_node(int argc, char **argv)
{
    if (argc != 5) {
        fsh_fatal_code(2, "smp-node: started only by fshperf smp");
    }
    bool quick = strcmp(argv[3], "quick") == 0;
    const struct set *set = find(argv[2]);
    struct node node = {
        .ops = strcmp(argv[1], "par") == 0 ? &smp_ops_par : &smp_ops_seq,
        .effort = smp_effort(quick),
        .most = quick ? SMP_QUICK_BYTES : SMP_MAX_BYTES,
        .only = argv[4],
    };
    size_t bytes = set->run == pair ? node.most : SMP_MESSAGE_BYTES;

    node.rank = smp_join(node.ops, &argc, &argv, bytes, set->party);
    set->run(&node);
    node.ops->barrier();
    node.ops->leave(0);
    return 0;
}

const struct perf_command perf_smp_node = {
    .name = "smp-node",
    .raw = run_node,
    .alone = true,
};
