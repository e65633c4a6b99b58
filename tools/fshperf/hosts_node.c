/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fshperf host-node: the ranks of one job of fshperf host-driven, in simulated time.
 * Rank 0 times each operation, several in a row from the first call to the return of
 * the last; the hardware counters' figure for the same transfer without hosts comes
 * from perf_measure.
 */
#include "hosts.h"
#include "perf.h"

#include <fshmem.h>
#include <string.h>

#include "base/log.h"
#include "base/simulated.h"
#include "boot/boot.h"

enum { WARM_UP = 2, ROUNDS = 8, STREAM = 256, HIGH = 4 << 10, LARGE = 1 << 20 };
#define TARGET PERF_MAX_BYTES /* offset where transfers land, as in probe.c */

static gasnet_seginfo_t segment[FSH_JOB_MAX_RANKS];
static gasnet_handler_t echo_index, echoed_index;
static volatile unsigned echoes;
static char private_bytes[LARGE];

static void echo(gasnet_token_t token, void *bytes, size_t count)
{
    gasnet_AMReplyMedium0(token, echoed_index, bytes, count);
}

static void echoed(gasnet_token_t token, void *bytes, size_t count)
{
    (void)token;
    (void)bytes;
    (void)count;
    ++echoes;
}

static void add(void *results, size_t result_count, const void *left,
                size_t left_count, const void *right, size_t element, int flags,
                int arg)
{
    int64_t *sum = results;
    const int64_t *a = left, *b = right;

    (void)left_count;
    (void)element;
    (void)flags;
    (void)arg;
    for (size_t i = 0; i < result_count; ++i) {
        sum[i] = a[i] + b[i];
    }
}

/* ---- operations, n times; those of a pair on rank 0 only ---- */

static char *mine(size_t offset)
{
    return (char *)segment[gasnet_mynode()].addr + offset;
}

static char *theirs(size_t offset)
{
    return (char *)segment[1].addr + offset;
}

static void put_segment(size_t bytes, unsigned n)
{
    for (unsigned i = 0; i < n; ++i) {
        gasnet_put_bulk(1, theirs(TARGET), mine(0), bytes);
    }
}

static void put_private(size_t bytes, unsigned n)
{
    for (unsigned i = 0; i < n; ++i) {
        gasnet_put(1, theirs(TARGET), private_bytes, bytes);
    }
}

static void get_segment(size_t bytes, unsigned n)
{
    for (unsigned i = 0; i < n; ++i) {
        gasnet_get_bulk(mine(TARGET), 1, theirs(0), bytes);
    }
}

static void get_private(size_t bytes, unsigned n)
{
    for (unsigned i = 0; i < n; ++i) {
        gasnet_get(private_bytes, 1, theirs(0), bytes);
    }
}

static void put_stream(size_t bytes, unsigned n)
{
    for (unsigned i = 0; i < n; ++i) {
        gasnet_put_nbi_bulk(1, theirs(TARGET), mine(0), bytes);
    }
    gasnet_wait_syncnbi_puts();
}

static void short_echo(size_t bytes, unsigned n)
{
    (void)bytes;
    for (unsigned i = 0; i < n; ++i) {
        perf_ping(1);
    }
}

static void medium_echo(size_t bytes, unsigned n)
{
    for (unsigned i = 0; i < n; ++i) {
        unsigned before = echoes;

        gasnet_AMRequestMedium0(1, echo_index, private_bytes, bytes);
        GASNET_BLOCKUNTIL(echoes != before);
    }
}

static void barrier(size_t bytes, unsigned n)
{
    (void)bytes;
    for (unsigned i = 0; i < n; ++i) {
        gasnet_barrier_notify(0, GASNET_BARRIERFLAG_ANONYMOUS);
        gasnet_barrier_wait(0, GASNET_BARRIERFLAG_ANONYMOUS);
    }
}

#define IN_STEP \
    (GASNET_COLL_LOCAL | GASNET_COLL_IN_MYSYNC | GASNET_COLL_OUT_MYSYNC)

static void broadcast(size_t bytes, unsigned n)
{
    for (unsigned i = 0; i < n; ++i) {
        gasnet_coll_broadcast(GASNET_TEAM_ALL, mine(TARGET), 0, mine(0), bytes,
                              IN_STEP);
    }
}

static void reduce(size_t bytes, unsigned n)
{
    for (unsigned i = 0; i < n; ++i) {
        gasnet_coll_reduce(GASNET_TEAM_ALL, 0, mine(TARGET), mine(0), 0, 0,
                           sizeof(int64_t), bytes / sizeof(int64_t), 0, 0,
                           IN_STEP);
    }
}

/* ---- what the nodes take alone, in cycles ---- */

/* With the ports and packets of the job, which the following operations use
 * too. */
static struct perf_sample measure_nodes(enum perf_op op, size_t bytes,
                                        unsigned count)
{
    const struct perf_config config = {.op = op,
                                       .ports = fsh_fpga_ports() == 3 ? 2 : 1,
                                       .packet = fsh_fpga_packet(),
                                       .bytes = bytes,
                                       .count = count};

    return perf_measure(&config);
}

static double from_doorbell(enum perf_op op, size_t bytes, unsigned count)
{
    struct perf_sample sample = measure_nodes(op, bytes, count);

    /* Several: behind the start gate, from the acceptance of the first. */
    return count > 1 ? (double)sample.written / count
                     : (double)(sample.accepted + sample.written);
}

static double node_put(size_t bytes)
{
    return from_doorbell(PERF_PUT, bytes, 1);
}

static double node_get(size_t bytes)
{
    return from_doorbell(PERF_GET, bytes, 1);
}

static double node_stream(size_t bytes)
{
    return from_doorbell(PERF_PUT, bytes, PERF_QUEUE);
}

/* Doorbell to header, round trip. */
static double node_short(size_t bytes)
{
    struct perf_sample sample = measure_nodes(PERF_PUT, 0, 1);

    (void)bytes;
    return 2 * (double)(sample.accepted + sample.header);
}

/* ---- measuring ---- */

static const struct operation {
    const char *what;
    size_t bytes;
    void (*run)(size_t bytes, unsigned n);
    double (*nodes)(size_t bytes); /* NULL: no such figure */
    unsigned rounds;
    bool pair; /* ranks 0 and 1 */
} operations[] = {
    {"put", 8, put_private, node_put, ROUNDS, true},
    {"put", 8, put_segment, node_put, ROUNDS, true},
    {"put", HIGH, put_private, node_put, ROUNDS, true},
    {"put", HIGH, put_segment, node_put, ROUNDS, true},
    {"put", LARGE, put_segment, node_put, ROUNDS, true},
    {"get", 8, get_private, node_get, ROUNDS, true},
    {"get", HIGH, get_private, node_get, ROUNDS, true},
    {"get", HIGH, get_segment, node_get, ROUNDS, true},
    {"get", LARGE, get_segment, node_get, ROUNDS, true},
    {"put of a stream", HIGH, put_stream, node_stream, STREAM, true},
    {"Short, round trip", 0, short_echo, node_short, ROUNDS, true},
    {"Medium, round trip", 512, medium_echo, NULL, ROUNDS, true},
    {"barrier", 0, barrier, NULL, ROUNDS, false},
    {"broadcast", 8, broadcast, NULL, ROUNDS, false},
    {"broadcast", 64 << 10, broadcast, NULL, ROUNDS, false},
    {"reduce (sum)", 8, reduce, NULL, ROUNDS, false},
    {"reduce (sum)", 64 << 10, reduce, NULL, ROUNDS, false},
};

/* Cycles of one operation, excluding the reading of the clock that ends it. */
static double measure(const struct operation *op)
{
    uint64_t look, start, end;

    barrier(0, 1);
    if (op->pair && gasnet_mynode() != 0) {
        barrier(0, 1); /* completes the answers */
        return 0;
    }
    op->run(op->bytes, WARM_UP);
    look = fshmem_time();
    start = fshmem_time();
    op->run(op->bytes, op->rounds);
    end = fshmem_time();
    if (op->pair) {
        barrier(0, 1);
    }
    return (double)(end - start - (start - look)) / FSH_NS_PER_CYCLE /
           op->rounds;
}

static const char *source_of(const struct operation *op)
{
    return op->run == put_private   ? ", from host memory"
           : op->run == get_private ? ", to host memory"
                                    : "";
}

static void tell(const struct operation *op, double taken, double nodes)
{
    char what[sizeof(((struct hosts_row *)NULL)->what)];

    snprintf(what, sizeof(what), "%s%s", op->what, source_of(op));
    for (char *c = what; *c; ++c) {
        *c = *c == ' ' ? '_' : *c;
    }
    printf(HOSTS_LINE " %s %zu %.3f %.3f\n", what, op->bytes, taken, nodes);
    fflush(stdout);
}

static void join(int *argc, char ***argv)
{
    gasnet_handlerentry_t entries[4];
    gasnet_coll_fn_entry_t functions[] = {{add, 0}};

    perf_am_entries(entries);
    echo_index = 210;
    echoed_index = 211;
    entries[2] = (gasnet_handlerentry_t){echo_index, (void (*)())echo};
    entries[3] = (gasnet_handlerentry_t){echoed_index, (void (*)())echoed};
    if (gasnet_init(argc, argv) != GASNET_OK ||
        gasnet_attach(entries, 4, 4 * PERF_MAX_BYTES, 0) != GASNET_OK) {
        fsh_fatal("gasnet_init or gasnet_attach failed");
    }
    if (fsh_simulated() == NULL) {
        fsh_fatal("host-node runs in simulated time; see fshperf host-driven");
    }
    gasnet_getSegmentInfo(segment, (int)gasnet_nodes());
    gasnet_coll_init(NULL, 0, functions, 1, 0);
}

/* The probe leaves the nodes with one port. */
static void begin_probe(void)
{
    unsigned ports = fsh_fpga_ports();

    perf_probe_init();
    if (!fsh_fpga_set_ports(ports)) {
        fsh_fatal("the nodes cannot use port mask %u", ports);
    }
    fsh_boot_barrier("host-node ports");
}

static int run_node(int argc, char **argv)
{
    bool two;

    join(&argc, &argv);
    two = gasnet_nodes() == 2;
    if (two) {
        begin_probe();
    }
    if (gasnet_mynode() == 0) {
        perf_tell_assumed();
    }
    for (size_t i = 0; i < sizeof(operations) / sizeof(operations[0]); ++i) {
        const struct operation *op = &operations[i];
        double taken, nodes;

        if (op->pair && !two) {
            continue;
        }
        taken = measure(op);
        nodes = two && op->nodes ? op->nodes(op->bytes) : 0;
        if (gasnet_mynode() == 0) {
            tell(op, taken, nodes);
        }
    }
    barrier(0, 1);
    gasnet_exit(0);
    return 0;
}

const struct perf_command perf_host_node = {
    .name = "host-node",
    .raw = run_node,
    .alone = true,
};
