/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A rank of a measuring job: joins, finds the memory of the others, binds
 * itself to a processor, and times two loops alternately. Between the loops the
 * ranks synchronise at a gate in shared memory, so that only what is timed uses
 * the library.
 */
#include "perf.h"
#include "smp.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "base/cpu.h"
#include "base/log.h"
#include "boot/boot.h"

#define MAX_ROUNDS 64u
#define FEWEST_ROUNDS 5u /* where others leave no time for more */
#define MAX_COUNT (1u << 24)

/* ---- joining ---- */

static struct smp_rank me;
static unsigned processors;

unsigned smp_processors(void)
{
    return processors;
}

static struct smp_area *area_of(const struct smp_ops *ops,
                                void *segments[SMP_MAX_RANKS], unsigned rank)
{
    struct smp_place place;

    ops->fetch(&place, rank, ((struct smp_area *)segments[rank])->in,
               sizeof place);
    void *here = smp_place_here(&place);
    if (!here) {
        fsh_fatal("the segment of rank %u is not in the memory of "
                  "this process",
                  rank);
    }
    return here;
}

static void find_areas(const struct smp_ops *ops, void *segments[SMP_MAX_RANKS])
{
    struct smp_area *mine = segments[me.rank];
    unsigned peer = me.rank == 0 && me.ranks > 1 ? 1 : 0;
    struct smp_place place;

    memset(mine, 0, sizeof *mine);
    if (!smp_place_of(mine, &place)) {
        fsh_fatal("cannot tell from /proc/self/maps where the "
                  "segment is");
    }
    memcpy(mine->in, &place, sizeof place);
    ops->barrier();
    me.all = area_of(ops, segments, 0);
    me.mine = mine;
    me.peer = area_of(ops, segments, peer);
    me.there = segments[peer];
    ops->barrier();
}

/* Private memory, faulted in before it is timed. */
static unsigned char *private_memory(size_t bytes)
{
    unsigned char *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (p == MAP_FAILED) {
        fsh_fatal("no memory for %zu bytes: %s", bytes, strerror(errno));
    }
    memset(p, 0x5a, bytes);
    return p;
}

/* The processors this process could use before it was pinned. */
static cpu_set_t may;

/* Pins to the rank-th of them, or to the launcher's share for this rank. */
static void pin(unsigned rank)
{
    cpu_set_t one;
    unsigned n = 0, skip;

    if (sched_getaffinity(0, sizeof may, &may) != 0) {
        return;
    }
    skip = rank % (unsigned)CPU_COUNT(&may);
    for (size_t cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
        if (CPU_ISSET(cpu, &may) && n++ == skip) {
            CPU_ZERO(&one);
            CPU_SET(cpu, &one);
            sched_setaffinity(0, sizeof one, &one);
        }
    }
}

void smp_unpin(void)
{
    if (CPU_COUNT(&may) > 0) {
        sched_setaffinity(0, sizeof may, &may);
    }
}

bool smp_pinned(const struct smp_rank *r)
{
    cpu_set_t set;

    return !r->crowded && sched_getaffinity(0, sizeof set, &set) == 0 &&
           CPU_COUNT(&set) == 1;
}

struct smp_rank *smp_join(const struct smp_ops *ops, int *argc, char ***argv,
                          size_t bytes, unsigned party)
{
    void *segments[SMP_MAX_RANKS];
    size_t segment = sizeof(struct smp_area) + bytes;

    segment = (segment + 4095) / 4096 * 4096;
    ops->join(argc, argv, segment, &me, segments);
    if (strcmp(fsh_boot_conduit(), "smp") != 0 || me.ranks < 2) {
        fsh_fatal_code(2, "this measures conduit smp on two ranks or "
                          "more: fshrun -n 2 --conduit smp");
    }
    me.party = party && party < me.ranks ? party : me.ranks;
    processors = fsh_boot_cpus(); /* of all ranks */
    me.crowded = me.party > processors;
    find_areas(ops, segments);
    me.local = private_memory(bytes);
    if (!me.crowded && me.rank < me.party) {
        pin(me.rank);
    }
    return &me;
}

/* ---- timing ---- */

struct smp_effort smp_effort(bool quick)
{
    return quick ? (struct smp_effort){.batch_ns = 50000,
                                       .rounds = 20,
                                       .limit_ns = 300000000}
                 : (struct smp_effort){.batch_ns = 200000,
                                       .rounds = 25,
                                       .limit_ns = 2000000000};
}

static void meet(const struct smp_rank *r)
{
    smp_raw_meet(r, &r->all->control);
}

/* How often this thread was switched out. */
static unsigned switches(void)
{
    struct rusage usage;

    getrusage(RUSAGE_THREAD, &usage);
    return (unsigned)usage.ru_nivcsw;
}

/* Rank 0's command for the next step; unchanged until all have synchronised
 * again. */
enum { FIRST, SECOND, STOP };

static unsigned run(struct smp_rank *r, smp_loop_fn loop[2], uint64_t *ns)
{
    meet(r);
    unsigned which = r->all->which;
    if (which != STOP) {
        unsigned before = switches();
        *ns = loop[which](r, r->all->count);
        atomic_store_explicit(&r->all->switches[r->rank].value,
                              switches() - before, memory_order_relaxed);
    }
    meet(r);
    return which;
}

static void follow(struct smp_rank *r, smp_loop_fn loop[2])
{
    uint64_t ns;

    while (run(r, loop, &ns) != STOP) {}
}

static uint64_t batch(struct smp_rank *r, smp_loop_fn loop[2], unsigned which,
                      unsigned count)
{
    uint64_t ns = 0;

    r->all->which = which;
    r->all->count = count;
    run(r, loop, &ns);
    return ns;
}

/* The number of calls that take about batch_ns; also warms up. Increases in
 * steps, since the first calls may take much longer. */
static unsigned calibrate(struct smp_rank *r, smp_loop_fn loop[2],
                          unsigned which, uint64_t batch_ns)
{
    unsigned n = 1;

    batch(r, loop, which, n);
    for (unsigned step = 0; step < 16; ++step) {
        uint64_t ns = batch(r, loop, which, n);

        if (ns > batch_ns / 4 * 3 || n >= MAX_COUNT) {
            break;
        }
        double more = 1.1 * (double)batch_ns / (double)(ns + 1);
        n = (unsigned)((double)n * (more > 8 ? 8 : more)) + 1;
    }
    return n;
}

static bool undisturbed(const struct smp_rank *r, bool alone)
{
    unsigned sum = 0;

    for (unsigned i = 0; i < (alone ? 1 : r->party); ++i) {
        sum += atomic_load_explicit(&r->all->switches[i].value,
                                    memory_order_relaxed);
    }
    return sum == 0;
}

/* One round; true if it was undisturbed. */
static bool once(struct smp_rank *r, smp_loop_fn loop[2],
                 const unsigned count[2], bool alone, double ns[2])
{
    bool clean = true;

    for (unsigned which = FIRST; which < STOP && loop[which]; ++which) {
        ns[which] = (double)batch(r, loop, which, count[which]) / count[which];
        clean = (r->crowded || undisturbed(r, alone)) && clean;
    }
    return clean;
}

static bool late(uint64_t end)
{
    return fsh_time_ns() > end;
}

struct smp_result smp_measure(struct smp_rank *r, smp_loop_fn loop,
                              smp_loop_fn limit, bool alone,
                              const struct smp_effort *effort)
{
    smp_loop_fn loops[2] = {loop, limit};
    double sample[2][MAX_ROUNDS], ns[2] = {0, 0};
    unsigned count[2], clean = 0, all = 0;
    uint64_t end = fsh_time_ns() + effort->limit_ns;

    if (r->rank != 0) {
        follow(r, loops);
        return (struct smp_result){0};
    }
    for (unsigned which = FIRST; which < STOP && loops[which]; ++which) {
        count[which] = calibrate(r, loops, which, effort->batch_ns);
    }
    while (clean < (late(end) ? FEWEST_ROUNDS : effort->rounds)) {
        bool good = once(r, loops, count, alone, ns);

        sample[FIRST][clean] = ns[FIRST];
        sample[SECOND][clean] = ns[SECOND];
        clean += good || late(end);
        ++all;
    }
    batch(r, loops, STOP, 0);
    return (struct smp_result){
        .value = perf_median(sample[FIRST], clean),
        .limit = perf_median(sample[SECOND], clean),
        .samples = clean,
        .disturbed = all - clean,
    };
}
