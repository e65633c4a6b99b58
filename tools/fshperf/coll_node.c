/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fshperf coll-node: the ranks of one job of fshperf coll. Each figure is a median
 * over rounds; in a round all ranks refill their buffers, synchronise and start at
 * the same time, and the time counts until the last of them has its result.
 */
#include "coll.h"
#include "gate.h"
#include "perf.h"
#include "smp.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/simulated.h"
#include "boot/boot.h"
#include "conduit/fpga/fpga.h"
#include "gasnet/coll_how.h"

enum { WARM_UP = 3, OFTEN = 10 };    /* wall clock; in simulated time once */
#define FEW_BYTES ((size_t)64 << 10) /* up to this, more rounds (wall clock) */
#define GATE_BYTES ((size_t)4096)    /* in the segment, before the buffers */
/* Time from the last rank's arrival to a common start in simulated time, per doubling
 * of the ranks: more than their synchronisation takes. */
#define SLACK_NS UINT64_C(20000)

static struct {
    bool simulated;
    unsigned rank, ranks;
    unsigned char *memory[COLL_MEMORIES];
    size_t half; /* of each: sources, then destinations */
    /* Wall clock. */
    struct smp_rank *smp;
    unsigned passes; /* through the gate */
} here;

/* What to measure. */
static struct {
    struct coll_list ops, algorithms, bytes, jobs;
    unsigned rounds, ranks;
    enum coll_type type;
} plan;

struct point {
    const struct coll_op *op;
    unsigned algorithm; /* FSHMEM_COLL_* */
    unsigned jobs;
    size_t bytes;
};

/* ---- time ---- */

static void must(fshmem_status_t status, const char *what)
{
    if (status != FSHMEM_OK) {
        fsh_fatal("coll: %s: %s", what, fshmem_status_string(status));
    }
}

static uint64_t now(void)
{
    return here.simulated ? fsh_simulated()->look() : gate_now();
}

/* The maximum over all ranks of each value. */
static void latest(uint64_t *value, unsigned count)
{
    must(fshmem_coll_allreduce(GASNET_TEAM_ALL, value, value, count,
                               FSHMEM_UINT64, FSHMEM_MAX, 0),
         "latest");
}

/* ---- links ---- */

static uint64_t link_bytes(void)
{
    uint64_t beats = 0;

    for (unsigned p = 0; p < FSH_MAX_PORTS; ++p) {
        beats +=
            fsh_fpga_reg_read(FSH_REG_PERF + (FSH_PERF_TX_BEAT0 + p) * 32 + 16);
    }
    return beats * FSH_BEAT_BYTES;
}

/* Of packets for this node, net of headers. */
static uint64_t payload_bytes(void)
{
    return fsh_fpga_reg_read(FSH_REG_PERF + FSH_PERF_REQ_HDR * 32 + 24) +
           fsh_fpga_reg_read(FSH_REG_PERF + FSH_PERF_REP_HDR * 32 + 24);
}

/* ---- the engine's packet buffer ---- */

#define BUFFER_PACKETS (FSH_COLL_SLOTS + FSH_COLL_SEQUENCES + FSH_COLL_EAGER)

/* Cycles times the packets that are there, since some time in the past. */
static uint64_t packet_cycles(void)
{
    uint64_t sum = fsh_fpga_coll_perf_read(FSH_COLLPERF_SUM);

    return sum + fsh_fpga_coll_perf_read(FSH_COLLPERF_LEVEL) *
                     fsh_fpga_reg_read(FSH_REG_CYCLE);
}

/* What simulated nodes count in a round: until its end since its start. */
struct counts {
    uint64_t link_bytes, payload_bytes, packet_cycles, peak;
};

static struct counts counts;

static void begin_counts(void)
{
    fsh_fpga_perf_clear();
    fsh_fpga_coll_perf_clear();
    counts.packet_cycles = packet_cycles();
}

static void end_counts(void)
{
    uint64_t sum[3];

    if (!here.simulated) {
        return;
    }
    fshmem_spend(SLACK_NS); /* what is sent is sent, and taken */
    counts.peak = fsh_fpga_coll_perf_read(FSH_COLLPERF_PEAK);
    counts.packet_cycles =
        (packet_cycles() - counts.packet_cycles) & UINT64_C(0xffffffffffff);
    sum[0] = link_bytes();
    sum[1] = counts.packet_cycles;
    sum[2] = payload_bytes();
    must(fshmem_coll_allreduce(GASNET_TEAM_ALL, sum, sum, 3, FSHMEM_UINT64,
                               FSHMEM_SUM, 0),
         "end_counts");
    counts.link_bytes = sum[0] / here.ranks;
    counts.packet_cycles = sum[1] / here.ranks;
    counts.payload_bytes = sum[2] / here.ranks;
}

/* Synchronises all ranks; they start at the time returned. */
static uint64_t start(void)
{
    uint64_t at;

    if (!here.simulated) {
        smp_ops_seq.barrier();
        return gate_pass((struct gate *)(void *)here.smp->all->in, here.ranks,
                         here.smp->crowded, &here.passes);
    }
    at = now();
    latest(&at, 1);
    for (unsigned n = 1; n <= here.ranks; n *= 2) {
        at += SLACK_NS;
    }
    begin_counts();
    if (now() > at) {
        fsh_fatal("coll: a rank missed the start");
    }
    fshmem_spend(at - now());
    return at;
}

/* ---- a figure ---- */

static size_t stride(size_t bytes)
{
    return (bytes + 63) / 64 * 64;
}

static void place(struct coll_buffers *b, const struct point *p,
                  enum coll_memory memory)
{
    size_t step = stride(coll_bytes(p->op, p->bytes, here.ranks));

    for (unsigned j = 0; j < p->jobs; ++j) {
        b[j].rank = here.rank;
        b[j].ranks = here.ranks;
        b[j].bytes = p->bytes;
        b[j].type = plan.type;
        b[j].src = here.memory[memory] + j * step;
        b[j].dst = b[j].src + here.half;
        for (unsigned i = 0; i < here.ranks; ++i) {
            b[j].lists[i] = p->bytes;
        }
    }
}

static void run(const struct point *p, const struct coll_buffers *b)
{
    gasnet_handle_t handle[COLL_JOBS];

    if (p->jobs == 1) {
        must(p->op->call(b, p->algorithm, NULL), p->op->name);
        return;
    }
    for (unsigned j = 0; j < p->jobs; ++j) {
        must(p->op->call(&b[j], p->algorithm, &handle[j]), p->op->name);
    }
    gasnet_wait_syncnb_all(handle, p->jobs);
}

static uint64_t once(const struct point *p, const struct coll_buffers *b,
                     unsigned round)
{
    uint64_t at;

    for (unsigned j = 0; j < p->jobs; ++j) {
        coll_fill(p->op, &b[j], round + j);
    }
    at = start();
    run(p, b);
    return now() - at;
}

static void check(const struct point *p, const struct coll_buffers *b,
                  unsigned round)
{
    for (unsigned j = 0; j < p->jobs; ++j) {
        coll_check(p->op, &b[j], round + j);
    }
}

/* The same on all ranks. */
static unsigned rounds_of(const struct point *p)
{
    size_t bytes = coll_bytes(p->op, p->bytes, here.ranks) * p->jobs;
    unsigned rounds = plan.rounds;

    if (!here.simulated && !here.smp->crowded && bytes <= FEW_BYTES) {
        rounds *= OFTEN;
    }
    return rounds < COLL_ROUNDS ? rounds : COLL_ROUNDS;
}

/* Occupancies in millionths. */
struct figure {
    double ns;
    uint64_t occupancy, mean, link_bytes, payload_bytes;
};

static struct figure measure(const struct point *p, enum coll_memory memory,
                             unsigned rounds, bool by_card)
{
    static struct coll_buffers buffers[COLL_JOBS];
    uint64_t taken[COLL_ROUNDS + 1];
    double ns[COLL_ROUNDS];

    place(buffers, p, memory);
    for (unsigned i = 0; i < (here.simulated ? 1 : WARM_UP); ++i) {
        once(p, buffers, 0);
    }
    check(p, buffers, 0);
    (void)fsh_coll_occupancy();
    for (unsigned i = 0; i < rounds; ++i) {
        taken[i] = once(p, buffers, i + 1);
    }
    taken[rounds] = fsh_coll_occupancy();
    end_counts();
    if (by_card) {
        taken[rounds] = counts.peak * 1000000 / BUFFER_PACKETS;
    }
    check(p, buffers, rounds);
    latest(taken, rounds + 1);
    for (unsigned i = 0; i < rounds; ++i) {
        ns[i] = (double)taken[i];
    }
    return (struct figure){
        .ns = perf_median(ns, rounds),
        .occupancy = taken[rounds],
        .mean = by_card ? counts.packet_cycles * 1000000 * FSH_NS_PER_CYCLE /
                              (BUFFER_PACKETS * taken[rounds - 1])
                        : 0,
        .link_bytes = counts.link_bytes,
        .payload_bytes = counts.payload_bytes,
    };
}

static struct fsh_coll_how how_of(const struct point *p)
{
    static const size_t lists[1];
    const struct fsh_program_shape shape = {.call = p->op->program,
                                            .size = here.ranks};
    struct fsh_coll_work work = {.call = shape.call, .elem = 1};

    if (coll_adds(p->op)) {
        work.elem = coll_elem(plan.type);
        work.type = plan.type == COLL_DOUBLE ? FSH_FOLD_DOUBLE : FSH_FOLD_FLOAT;
        work.wire = plan.type == COLL_BFP16 ? FSH_WIRE_BFP16 : FSH_WIRE_FP32;
        work.op = FSH_FOLD_SUM;
        work.fold = fsh_fold_function(work.type, work.op, FSH_ISA_BEST);
    }
    work.count = p->bytes / work.elem;
    if (p->op->lists) {
        work.dst_bytes = work.dst_at = lists;
        if (shape.call == FSH_PROGRAM_ALLTOALL)
            work.src_bytes = work.src_at = lists;
    }
    if (work.wire != FSH_WIRE_FP32) {
        return fsh_coll_how(&shape, fsh_program_find(FSHMEM_COLL_RING), &work);
    }
    return fsh_coll_how(&shape,
                        p->algorithm != FSHMEM_COLL_AUTO
                            ? fsh_program_find(p->algorithm)
                            : NULL,
                        &work);
}

static void tell(const struct point *p)
{
    struct fsh_coll_how how = how_of(p);
    unsigned rounds = rounds_of(p);

    for (enum coll_memory m = COLL_SEGMENT; m < COLL_MEMORIES; ++m) {
        if (m != COLL_SEGMENT && p->bytes == 0) {
            return; /* a barrier has no buffers */
        }
        struct figure f =
            measure(p, m, rounds, strcmp(how.engine, "card") == 0);
        if (here.rank == 0) {
            printf(COLL_LINE " %s %s %s %s %u %zu %u %.3f %" PRIu64 " %" PRIu64
                             " %" PRIu64 " %" PRIu64 " %s %s\n",
                   p->op->name, how.algorithm, how.engine, coll_memory_name(m),
                   p->jobs, p->bytes, rounds, f.ns, f.occupancy, f.mean,
                   f.link_bytes, f.payload_bytes,
                   coll_adds(p->op) ? coll_types[plan.type] : "-",
                   here.simulated ? fsh_boot_page()->topology.name : "-");
            fflush(stdout);
        }
    }
}

/* ---- all figures ---- */

/* Whether the case is supported and fits in memory. */
static bool possible(const struct point *p)
{
    if (plan.type == COLL_BFP16 && coll_adds(p->op) &&
        (p->op->program != FSH_PROGRAM_ALLREDUCE ||
         (p->algorithm != FSHMEM_COLL_AUTO &&
          p->algorithm != FSHMEM_COLL_RING))) {
        return false;
    }
    return coll_bytes(p->op, p->bytes, plan.ranks) * p->jobs <= COLL_MOST &&
           (p->algorithm == FSHMEM_COLL_AUTO ||
            fsh_program_does(fsh_program_find(p->algorithm), p->op->program));
}

static void each_size(struct point *p, void (*with)(const struct point *p))
{
    for (unsigned i = 0; i < plan.bytes.count; ++i) {
        p->bytes = p->op->src == COLL_NONE ? 0 : plan.bytes.value[i];
        if (possible(p)) {
            with(p);
        }
        if (p->bytes == 0) {
            return;
        }
    }
}

static void each_point(void (*with)(const struct point *p))
{
    struct point p;

    for (unsigned o = 0; o < plan.ops.count; ++o) {
        p.op = &coll_ops[plan.ops.value[o]];
        for (unsigned j = 0; j < plan.jobs.count; ++j) {
            p.jobs = (unsigned)plan.jobs.value[j];
            for (unsigned a = 0; a < plan.algorithms.count; ++a) {
                p.algorithm = (unsigned)plan.algorithms.value[a];
                each_size(&p, with);
            }
        }
    }
}

static size_t most; /* bytes of all sources, or of all destinations */

static void count_room(const struct point *p)
{
    size_t bytes = p->jobs * stride(coll_bytes(p->op, p->bytes, plan.ranks));

    most = bytes > most ? bytes : most;
}

static void join_smp(int *argc, char ***argv)
{
    here.smp = smp_join(&smp_ops_seq, argc, argv, GATE_BYTES + 2 * most, 0);
    here.rank = here.smp->rank;
    here.ranks = here.smp->ranks;
    memset(here.smp->mine->in, 0, GATE_BYTES);
    here.memory[COLL_SEGMENT] = here.smp->mine->in + GATE_BYTES;
    here.memory[COLL_PRIVATE] = here.smp->local;
    smp_ops_seq.barrier();
}

static void join_fpga(int *argc, char ***argv)
{
    gasnet_seginfo_t segment[FSH_JOB_MAX_RANKS];

    if (gasnet_init(argc, argv) != GASNET_OK ||
        gasnet_attach(NULL, 0, 2 * most, 0) != GASNET_OK) {
        fsh_fatal("gasnet_init or gasnet_attach failed");
    }
    if (fsh_simulated() == NULL) {
        fsh_fatal("coll-node runs in simulated time; see fshperf coll");
    }
    here.rank = gasnet_mynode();
    here.ranks = gasnet_nodes();
    gasnet_getSegmentInfo(segment, (int)here.ranks);
    here.memory[COLL_SEGMENT] = segment[here.rank].addr;
    here.memory[COLL_PRIVATE] = calloc(1, 2 * most);
    if (here.memory[COLL_PRIVATE] == NULL) {
        fsh_fatal("coll: no memory for %zu bytes", 2 * most);
    }
    if (here.rank == 0) {
        perf_tell_assumed();
    }
}

/* coll-node wall|simulated RANKS ROUNDS OPS ALGORITHMS BYTES JOBS TYPE */
static int run_node(int argc, char **argv)
{
    if (argc != 9) {
        fsh_fatal_code(2, "coll-node: started only by fshperf coll");
    }
    here.simulated = strcmp(argv[1], "simulated") == 0;
    plan.ranks = (unsigned)strtoul(argv[2], NULL, 10);
    plan.rounds = (unsigned)strtoul(argv[3], NULL, 10);
    coll_read_ops(&plan.ops, argv[4]);
    coll_read_algorithms(&plan.algorithms, argv[5]);
    coll_read_numbers(&plan.bytes, "--bytes", argv[6], 8, COLL_MOST);
    coll_read_numbers(&plan.jobs, "--jobs", argv[7], 1, COLL_JOBS);
    plan.type = coll_type_named(argv[8]);
    each_point(count_room);
    most = (most + GASNET_PAGESIZE - 1) / GASNET_PAGESIZE * GASNET_PAGESIZE;
    most = most > 0 ? most : GASNET_PAGESIZE;
    (here.simulated ? join_fpga : join_smp)(&argc, &argv);
    here.half = most;
    each_point(tell);
    gasnet_barrier_notify(0, GASNET_BARRIERFLAG_ANONYMOUS);
    gasnet_barrier_wait(0, GASNET_BARRIERFLAG_ANONYMOUS);
    gasnet_exit(0);
    return 0;
}

const struct perf_command perf_coll_node = {
    .name = "coll-node",
    .raw = run_node,
    .alone = true,
};
