/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The direct executor of collectives with all members as threads of one process, so
 * that a thread sanitizer sees all sides: every call, with sizes around the limits
 * of every path, any alignment, buffers in the segment or private as each member
 * chooses, in place or not, operations back to back without a barrier, members that
 * pause at random or sleep until they are poked. Results have the bits of the
 * recipe's order; nothing else is written, and sources do not change.
 * usage: coll_direct [seed]
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cpu.h"
#include "base/futex.h"
#include "base/membarrier.h"
#include "coll/direct/direct.h"
#include "check.h"
#include "coll_direct_model.h"
#include "random.h"

#define GUARD 64u
#define ROOM ((size_t)1280 << 10) /* bytes for one buffer */
#define SEGMENT (2 * ROOM)        /* SRC, DST */
#define TIME_LIMIT_NS (60 * UINT64_C(1000000000))
#define NAP_NS (20 * UINT64_C(1000000000))

static const char *const call_name[FSH_PROGRAM_CALLS] = {
    "barrier",  "broadcast", "scatter",   "gather",         "allgather",
    "alltoall", "reduce",    "allreduce", "reduce_scatter", "scan"};

/* ---- members ---- */

struct world {
    uint32_t size;
    bool sleepy;
    bool
        aliased; /* peers see segments at another address, and the last not at all */
    unsigned first;
    uint64_t seed;
    unsigned count; /* operations */
    unsigned char *boards;
    unsigned char *segments; /* as their owners see them */
    unsigned char *seen;     /* as the others do */
    _Atomic uint32_t watching[MOST];
    _Atomic uint32_t woken[MOST];
    _Atomic uint32_t pokes;
};

struct rank {
    struct world *world;
    struct fsh_coll_group *group;
    uint32_t rank;
    unsigned char *private; /* as a segment */
    uint64_t random;
    pthread_t thread;
};

/* ---- plans ---- */

/* Bytes of SRC: around what a cache line, a slot, a half, a round hold. */
static const size_t sizes[] = {
    0,    1,    8,    40,    56,    64,    304,   312,   313,   320,   2032,
    2048, 2064, 8192, 16368, 16384, 32768, 61440, 65600, 98310, 131100};
#define SIZES (sizeof sizes / sizeof sizes[0])

static void plan_lists(const struct world *w, struct plan *p, uint64_t *random)
{
    p->lists = true;
    for (uint32_t r = 0; r < w->size; r++)
        p->bytes[r] = random_next(random) % 3 == 0
                          ? 0
                          : random_next(random) % (p->count + 1);
}

/* Operation i: first every call with every size, then any. */
static void make_plan(const struct world *w, unsigned i, struct plan *p)
{
    uint64_t random = hash(w->seed + i) | 1;
    size_t bytes = sizes[i / FSH_PROGRAM_CALLS % SIZES];
    uint64_t dice = random_next(&random);

    memset(p, 0, sizeof *p);
    p->index = i;
    p->call = i % FSH_PROGRAM_CALLS;
    if (i >= FSH_PROGRAM_CALLS * SIZES) {
        p->call = random_next(&random) % FSH_PROGRAM_CALLS;
        bytes = random_next(&random) % (dice & 1 ? 400 : 40000);
    }
    p->root = (uint32_t)(random_next(&random) % w->size);
    p->kind = random_next(&random) % KINDS;
    p->elem = is_reduction(p->call) ? kinds[p->kind].elem : 1;
    p->ring = (dice & 2) != 0;
    p->exclusive = (dice & 4) != 0;
    p->count = bytes / p->elem;
    if (src_has_all(p->call) || (dice & 8) != 0)
        p->count = (p->count + w->size - 1) / w->size;
    p->parts = p->ring && is_vector(p->call) && p->call != FSH_PROGRAM_SCAN
                   ? w->size
                   : 1;
    if (p->call == FSH_PROGRAM_ALLGATHER && (dice & 16) != 0)
        plan_lists(w, p, &random);
    else if (p->call == FSH_PROGRAM_ALLGATHER ||
             p->call == FSH_PROGRAM_REDUCE_SCATTER ||
             (p->ring && (p->call == FSH_PROGRAM_REDUCE ||
                          p->call == FSH_PROGRAM_ALLREDUCE)))
        p->halved = (dice & 32) != 0;
}

static size_t src_bytes(const struct rank *r, const struct plan *p)
{
    if (!has_src(p, r->rank))
        return 0;
    if (p->lists)
        return p->bytes[r->rank];
    return p->count * p->elem * (src_has_all(p->call) ? r->world->size : 1);
}

static size_t block_bytes(const struct plan *p, uint32_t block)
{
    return p->lists ? p->bytes[block] : p->count * p->elem;
}

/* ---- a member's part ---- */

/* Its buffers. */
struct part {
    struct plan plan;
    struct book book;
    struct fsh_coll_work work;
    size_t at[MOST]; /* where blocks of DST begin */
    size_t src_bytes, dst_bytes;
    bool in_place;
};

static unsigned char *buffer(struct rank *r, unsigned which)
{
    uint64_t dice = random_next(&r->random);
    unsigned char *base = r->world->segments + r->rank * SEGMENT;

    if (dice & 0x100)
        base = r->private;
    return base + which * ROOM + GUARD +
           (dice & 0xc0 ? dice & 0x30 : dice & 0x3f);
}

/* The SRC that is the own block of DST, or the other way round, or the same. */
static void set_in_place(const struct rank *r, struct part *t)
{
    const struct plan *p = &t->plan;
    size_t bytes = p->count * p->elem;

    if (p->call == FSH_PROGRAM_GATHER || p->call == FSH_PROGRAM_ALLGATHER)
        t->work.src = t->work.dst + t->at[r->rank];
    else if (p->call == FSH_PROGRAM_SCATTER ||
             p->call == FSH_PROGRAM_REDUCE_SCATTER)
        t->work.dst = (unsigned char *)(uintptr_t)t->work.src + r->rank * bytes;
    else
        t->work.dst = (unsigned char *)(uintptr_t)t->work.src;
}

static void place_blocks(const struct rank *r, struct part *t)
{
    const struct plan *p = &t->plan;
    size_t end = 0;

    for (uint32_t b = 0; b < r->world->size; b++) {
        t->at[b] = dst_has_all(p->call) ? end : 0;
        end += block_bytes(p, b);
        if (p->lists) /* a hole */
            end += b;
    }
    t->dst_bytes = dst_has_all(p->call) ? end : p->count * p->elem;
    if (!has_dst(p, r->rank) ||
        (p->exclusive && r->rank == 0 && p->call == FSH_PROGRAM_SCAN))
        t->dst_bytes = 0;
}

static void set_part(struct rank *r, struct part *t)
{
    struct plan *p = &t->plan;
    struct fsh_coll_work *k = &t->work;
    unsigned char *src = buffer(r, 0), *dst = buffer(r, 1);

    t->src_bytes = src_bytes(r, p);
    place_blocks(r, t);
    write_recipe(&t->book, p, p->call == FSH_PROGRAM_REDUCE ? p->root : r->rank,
                 r->world->size);
    *k = (struct fsh_coll_work){
        .call = p->call,
        .root = p->root,
        .recipe = p->call == FSH_PROGRAM_BARRIER ? NULL : &t->book.recipe,
        .elem = p->elem,
        .count = p->count,
        .fold = is_reduction(p->call) ? kinds[p->kind].fold : NULL,
        .src = has_src(p, r->rank) ? src : NULL,
        .dst = has_dst(p, r->rank) ? dst : NULL,
        .dst_bytes = p->lists ? p->bytes : NULL,
        .dst_at = p->lists ? t->at : NULL,
    };
    t->in_place =
        k->src != NULL && k->dst != NULL && (random_next(&r->random) & 2) != 0;
    if (t->in_place)
        set_in_place(r, t);
}

/* Write SRC, and what shows if more than DST is written. */
static void fill(const struct part *t, uint32_t rank)
{
    const struct plan *p = &t->plan;

    if (t->work.dst != NULL)
        memset(t->work.dst - GUARD, 0xa5, t->dst_bytes + 2 * GUARD);
    for (size_t i = 0; i < t->src_bytes; i += p->elem)
        input(p, rank, i, p->elem, (unsigned char *)(uintptr_t)t->work.src + i);
}

static void wait_for_poke(struct rank *r, struct fsh_coll_direct_op *op,
                          uint32_t *missing)
{
    struct world *w = r->world;
    uint32_t woken = atomic_load(&w->woken[r->rank]);

    /* Partner: wake_sleepers of src/coll/direct/group.c. */
    atomic_store(&w->watching[r->rank], 1);
    fsh_heavy_fence();
    if (!fsh_coll_direct_step(op, missing))
        fsh_futex_wait((const void *)&w->woken[r->rank], woken, NAP_NS);
    else
        *missing = MOST;
    atomic_store(&w->watching[r->rank], 0);
}

static void poke(void *arg, uint32_t member)
{
    struct world *w = ((struct rank *)arg)->world;

    atomic_fetch_add(&w->pokes, 1);
    atomic_store(&w->watching[member], 0);
    atomic_fetch_add(&w->woken[member], 1);
    fsh_futex_wake((const void *)&w->woken[member], 1);
}

static void execute(struct rank *r, const struct part *t)
{
    struct fsh_coll_direct_op op;
    uint64_t start = fsh_time_ns();
    uint32_t missing = MOST;

    fsh_coll_direct_begin(&op, r->group, &t->work);
    for (unsigned n = 1; !fsh_coll_direct_step(&op, &missing); n++) {
        CHECK(missing < r->world->size && missing != r->rank,
              "rank %u waits for %u", r->rank, missing);
        if (r->world->sleepy && n % 16 == 0) {
            uint64_t before = fsh_time_ns();

            wait_for_poke(r, &op, &missing);
            CHECK(fsh_time_ns() - before < NAP_NS, "lost wake-up of %u",
                  r->rank);
            if (missing == MOST)
                return;
        }
        if (n % 8 == 0)
            sched_yield();
        CHECK(n % 1024 != 0 || fsh_time_ns() - start < TIME_LIMIT_NS,
              "%u members: rank %u waits for %u in operation %u, %s of %zu "
              "elements, way %u, stage %u",
              r->world->size, r->rank, missing, t->plan.index,
              call_name[t->plan.call], t->plan.count, op.way, op.stage);
    }
}

/* ---- what has come ---- */

/* An element, or a byte, of block b of DST. */
static void expected(const struct rank *r, const struct plan *p, uint32_t b,
                     size_t i, void *to)
{
    size_t bytes = p->count;

    switch (p->call) {
    case FSH_PROGRAM_BROADCAST:
        input(p, p->root, i, 1, to);
        break;
    case FSH_PROGRAM_SCATTER:
        input(p, p->root, r->rank * bytes + i, 1, to);
        break;
    case FSH_PROGRAM_GATHER:
    case FSH_PROGRAM_ALLGATHER:
        input(p, b, i, 1, to);
        break;
    case FSH_PROGRAM_ALLTOALL:
        input(p, b, r->rank * bytes + i, 1, to);
        break;
    default:
        reduced(p, r->world->size, r->rank, i, to);
    }
}

static void check_dst(const struct rank *r, const struct part *t)
{
    const struct plan *p = &t->plan;
    uint32_t blocks = dst_has_all(p->call) ? r->world->size : 1;
    unsigned char want[16];

    for (uint32_t b = 0; b < blocks; b++)
        for (size_t i = 0; i * p->elem < block_bytes(p, b); i++) {
            expected(r, p, b, i, want);
            CHECK(memcmp(t->work.dst + t->at[b] + i * p->elem, want, p->elem) ==
                      0,
                  "%u members, operation %u, %s of %zu elements of %zu bytes: "
                  "rank %u, block %u, element %zu (root %u, src at %p, dst at "
                  "%p)",
                  r->world->size, p->index, call_name[p->call], p->count,
                  p->elem, r->rank, b, i, p->root, (const void *)t->work.src,
                  (void *)t->work.dst);
        }
}

static void check_guards(const struct rank *r, const struct part *t)
{
    const unsigned char *dst = t->work.dst;

    for (size_t i = 0; i < GUARD; i++)
        CHECK(dst[-1 - (ptrdiff_t)i] == 0xa5 && dst[t->dst_bytes + i] == 0xa5,
              "rank %u, operation %u, %s: written beside dst", r->rank,
              t->plan.index, call_name[t->plan.call]);
}

static void check_src(const struct rank *r, const struct part *t)
{
    const struct plan *p = &t->plan;
    unsigned char want[16];

    for (size_t i = 0; i < t->src_bytes; i += p->elem) {
        input(p, r->rank, i, p->elem, want);
        CHECK(memcmp(t->work.src + i, want, p->elem) == 0,
              "rank %u, operation %u: src has changed at %zu", r->rank,
              p->index, i);
    }
}

static void check(const struct rank *r, const struct part *t)
{
    if (t->work.dst != NULL && t->dst_bytes != 0)
        check_dst(r, t);
    if (t->in_place)
        return;
    if (t->work.dst != NULL)
        check_guards(r, t);
    check_src(r, t);
}

static void *run(void *arg)
{
    struct rank *r = arg;
    struct part t;

    for (unsigned i = r->world->first; i < r->world->count; i++) {
        make_plan(r->world, i, &t.plan);
        set_part(r, &t);
        fill(&t, r->rank);
        if (random_next(&r->random) % 8 == 0)
            usleep((useconds_t)(random_next(&r->random) % 100));
        execute(r, &t);
        check(r, &t);
    }
    return NULL;
}

/* ---- worlds ---- */

static void begin_rank(struct world *w, struct rank *r, uint32_t rank)
{
    struct fsh_coll_member members[MOST];

    for (uint32_t m = 0; m < w->size; m++)
        members[m] = (struct fsh_coll_member){
            .board = w->boards + m * FSH_BOARD_BYTES,
            .here = w->aliased && m == w->size - 1
                        ? NULL
                        : (m == rank ? w->segments : w->seen) + m * SEGMENT,
            .there = (uintptr_t)(w->segments + m * SEGMENT),
            .size = SEGMENT,
            .watching = w->sleepy ? (const uint32_t *)&w->watching[m] : NULL,
        };
    r->world = w;
    r->rank = rank;
    r->random = hash(w->seed * 16 + rank) | 1;
    r->private = malloc(SEGMENT);
    r->group = fsh_coll_group_make(rank, w->size, members, poke, r);
    CHECK(r->private != NULL && r->group != NULL);
}

static unsigned char *map_segments(const struct world *w, int fd)
{
    void *at = mmap(NULL, w->size * SEGMENT, PROT_READ | PROT_WRITE, MAP_SHARED,
                    fd, 0);

    CHECK(at != MAP_FAILED);
    return at;
}

static void run_world(struct world w)
{
    static struct rank ranks[MOST];
    int fd = memfd_create("coll_direct", 0);

    CHECK(fd >= 0 && ftruncate(fd, (off_t)(w.size * SEGMENT)) == 0);
    w.boards = aligned_alloc(4096, w.size * FSH_BOARD_BYTES);
    CHECK(w.boards != NULL);
    memset(w.boards, 0, w.size * FSH_BOARD_BYTES);
    w.segments = map_segments(&w, fd);
    w.seen = w.aliased ? map_segments(&w, fd) : w.segments;
    for (uint32_t r = 0; r < w.size; r++)
        begin_rank(&w, &ranks[r], r);
    for (uint32_t r = 0; r < w.size; r++)
        CHECK(pthread_create(&ranks[r].thread, NULL, run, &ranks[r]) == 0);
    for (uint32_t r = 0; r < w.size; r++) {
        pthread_join(ranks[r].thread, NULL);
        fsh_coll_group_free(ranks[r].group);
        free(ranks[r].private);
    }
    CHECK(!w.sleepy || atomic_load(&w.pokes) != 0);
    if (w.aliased)
        munmap(w.seen, w.size * SEGMENT);
    munmap(w.segments, w.size * SEGMENT);
    free(w.boards);
    close(fd);
    printf("%u members: passed\n", w.size);
}

#define SYSTEMATIC ((unsigned)(FSH_PROGRAM_CALLS * SIZES))

int main(int argc, char **argv)
{
    uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;

    fsh_heavy_fence_init();
    printf("seed %llu\n", (unsigned long long)seed);
    fflush(stdout);
    for (uint32_t size = 1; size <= MOST; size++)
        run_world(
            (struct world){.size = size,
                           .seed = seed + size,
                           .first = size == 4 || size > 5 ? SYSTEMATIC : 0,
                           .count = SYSTEMATIC + 100});
    for (uint32_t size = 2; size <= 8; size += 3) {
        struct world w = {.size = size,
                          .seed = seed + 20 + size,
                          .first = size > 2 ? SYSTEMATIC : 0,
                          .count = SYSTEMATIC + 100};

        w.sleepy = true;
        run_world(w);
        w.sleepy = false;
        w.aliased = true;
        run_world(w);
    }
    printf("coll_direct: passed\n");
    return 0;
}
