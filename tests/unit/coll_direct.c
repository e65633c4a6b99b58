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
#include "random.h"

#define MOST 9u
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

/* ---- what an operation is ---- */

enum kind { SUMS, FLOATS, MIXES, PAIRS, KINDS };

/* What all members agree on. */
struct plan {
    unsigned index;
    enum fsh_program_call call;
    enum kind kind; /* reductions */
    uint32_t root;
    size_t elem;
    size_t count; /* elements of the vector or of a block */
    bool ring;    /* RING, else TREE */
    bool halved;  /* in both directions */
    bool exclusive;
    bool lists;     /* allgatherv */
    uint32_t parts; /* blocks of a vector */
    size_t bytes[MOST];
};

static bool is_reduction(enum fsh_program_call call)
{
    return call >= FSH_PROGRAM_REDUCE;
}

static bool is_vector(enum fsh_program_call call)
{
    return call == FSH_PROGRAM_BROADCAST || call == FSH_PROGRAM_REDUCE ||
           call == FSH_PROGRAM_ALLREDUCE || call == FSH_PROGRAM_SCAN;
}

static bool src_has_all(enum fsh_program_call call)
{
    return call == FSH_PROGRAM_SCATTER || call == FSH_PROGRAM_ALLTOALL ||
           call == FSH_PROGRAM_REDUCE_SCATTER;
}

static bool dst_has_all(enum fsh_program_call call)
{
    return call == FSH_PROGRAM_GATHER || call == FSH_PROGRAM_ALLGATHER ||
           call == FSH_PROGRAM_ALLTOALL;
}

static bool has_src(const struct plan *p, uint32_t rank)
{
    if (p->call == FSH_PROGRAM_BROADCAST || p->call == FSH_PROGRAM_SCATTER)
        return rank == p->root;
    return p->call != FSH_PROGRAM_BARRIER;
}

static bool has_dst(const struct plan *p, uint32_t rank)
{
    if (p->call == FSH_PROGRAM_GATHER || p->call == FSH_PROGRAM_REDUCE)
        return rank == p->root;
    return p->call != FSH_PROGRAM_BARRIER;
}

/* ---- arithmetic ---- */

static void fold_sums(void *out, const void *a, const void *b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        double x, y;

        memcpy(&x, (const char *)a + 8 * i, 8);
        memcpy(&y, (const char *)b + 8 * i, 8);
        x += y;
        memcpy((char *)out + 8 * i, &x, 8);
    }
}

static void fold_floats(void *out, const void *a, const void *b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        float x, y;

        memcpy(&x, (const char *)a + 4 * i, 4);
        memcpy(&y, (const char *)b + 4 * i, 4);
        x += y;
        memcpy((char *)out + 4 * i, &x, 4);
    }
}

/* Neither commutative nor associative. */
static void fold_mixes(void *out, const void *a, const void *b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t x, y;

        memcpy(&x, (const char *)a + 8 * i, 8);
        memcpy(&y, (const char *)b + 8 * i, 8);
        x = x * 31 + (y ^ y >> 7);
        memcpy((char *)out + 8 * i, &x, 8);
    }
}

static void fold_pairs(void *out, const void *a, const void *b, size_t n)
{
    fold_mixes(out, a, b, 2 * n);
}

static const struct {
    size_t elem;
    fsh_fold_fn fold;
} kinds[KINDS] = {[SUMS] = {8, fold_sums},
                  [FLOATS] = {4, fold_floats},
                  [MIXES] = {8, fold_mixes},
                  [PAIRS] = {16, fold_pairs}};

static uint64_t hash(uint64_t x)
{
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

/* Bytes from .. from + n of SRC of a rank, n of an element: numbers of so different
 * sizes that a sum shows its order. */
static void input(const struct plan *p, uint32_t rank, size_t from, size_t n,
                  void *to)
{
    for (size_t i = 0; i < n; i += 8) {
        uint64_t h = hash((from + i) * 64 + rank + ((uint64_t)p->index << 40));
        double d = (double)(int64_t)h / (double)(1 + (h & 0xffff));
        float f = (float)(int32_t)h / (float)(1 + (h & 0xff));
        size_t left = n - i < 8 ? n - i : 8;

        if (is_reduction(p->call) && p->kind == SUMS)
            memcpy(&h, &d, 8);
        else if (is_reduction(p->call) && p->kind == FLOATS)
            memcpy(&h, &f, 4);
        memcpy((char *)to + i, &h, left);
    }
}

/* ---- the oracle ---- */

/* An element of ranks 0 to n - 1 at `from` of SRC, in TREE order: pairs first, as
 * many as it takes to have a power of two, then distances 1, 2, 4 ... */
static void tree_of(const struct plan *p, uint32_t n, size_t from, void *to)
{
    unsigned char value[MOST][16];
    fsh_fold_fn fold = kinds[p->kind].fold;
    uint32_t power = 1, left = 0;

    while (power * 2 <= n)
        power *= 2;
    for (uint32_t r = 0; r < n; r++)
        input(p, r, from, p->elem, value[r]);
    for (uint32_t r = 0; r < n; r++, left++) {
        memmove(value[left], value[r], 16);
        if (r < 2 * (n - power)) {
            r++;
            fold(value[left], value[left], value[r], 1);
        }
    }
    for (uint32_t d = 1; d < power; d *= 2)
        for (uint32_t r = 0; r + d < power; r += 2 * d)
            fold(value[r], value[r], value[r + d], 1);
    memcpy(to, value[0], p->elem);
}

/* In RING order of a block: from the rank of that number on, or back. */
static void ring_of(const struct plan *p, uint32_t n, uint32_t block, bool back,
                    size_t from, void *to)
{
    unsigned char sum[16], next[16];

    input(p, block, from, p->elem, sum);
    for (uint32_t i = 1; i < n; i++) {
        input(p, (block + (back ? n - i : i)) % n, from, p->elem, next);
        kinds[p->kind].fold(sum, sum, next, 1);
    }
    memcpy(to, sum, p->elem);
}

static uint32_t block_of(const struct plan *p, size_t element)
{
    uint32_t b = 0;

    while (p->count * (b + 1) / p->parts <= element)
        b++;
    return b;
}

/* Is byte `at` of a block that long in its second half? The first one is in lines. */
static bool is_behind(const struct plan *p, size_t at, size_t bytes)
{
    return p->halved && at / 64 >= (bytes + 127) / 128;
}

static void ring_of_vector(const struct plan *p, uint32_t n, size_t element,
                           void *to)
{
    uint32_t b = block_of(p, element);
    size_t first = p->count * b / p->parts;
    size_t end = p->count * (b + 1) / p->parts;

    ring_of(p, n, b,
            is_behind(p, (element - first) * p->elem, (end - first) * p->elem),
            element * p->elem, to);
}

static void reduced(const struct world *w, const struct plan *p, uint32_t rank,
                    size_t element, void *to)
{
    size_t from = element * p->elem;

    if (p->call == FSH_PROGRAM_SCAN)
        tree_of(p, p->exclusive ? rank : rank + 1, from, to);
    else if (p->call == FSH_PROGRAM_REDUCE_SCATTER && p->halved)
        ring_of(p, w->size, rank, is_behind(p, from, p->count * p->elem),
                from + rank * p->count * p->elem, to);
    else if (p->call == FSH_PROGRAM_REDUCE_SCATTER)
        tree_of(p, w->size, from + rank * p->count * p->elem, to);
    else if (p->ring)
        ring_of_vector(p, w->size, element, to);
    else
        tree_of(p, w->size, from, to);
}

/* ---- recipes by hand ---- */

struct book {
    struct fsh_recipe recipe;
    struct fsh_recipe_piece piece[MOST * 2];
    uint32_t word[MOST * MOST * 4];
    uint32_t words;
};

static void begin_piece(struct book *b, uint32_t first, uint32_t count)
{
    b->piece[b->recipe.pieces++] = (struct fsh_recipe_piece){
        .first = (uint16_t)first, .count = (uint16_t)count, .at = b->words};
}

static void add_word(struct book *b, uint32_t word)
{
    b->word[b->words++] = word;
    b->piece[b->recipe.pieces - 1].words++;
}

static void add_leaf(struct book *b, uint32_t first, uint32_t rank,
                     uint32_t block)
{
    begin_piece(b, first, 1);
    add_word(b, fsh_recipe_leaf(rank, block));
}

/* Balanced, over `n` values from `first` on, of which those below `pairs` are two
 * ranks. */
static void add_tree(struct book *b, uint32_t first, uint32_t n, uint32_t pairs,
                     uint32_t block)
{
    if (n == 1) {
        uint32_t rank = first < pairs ? 2 * first : first + pairs;

        add_word(b, fsh_recipe_leaf(rank, block));
        if (first < pairs) {
            add_word(b, fsh_recipe_leaf(rank + 1, block));
            add_word(b, FSH_RECIPE_FOLD);
        }
        return;
    }
    add_tree(b, first, n / 2, pairs, block);
    add_tree(b, first + n / 2, n / 2, pairs, block);
    add_word(b, FSH_RECIPE_FOLD);
}

static void write_tree(struct book *b, uint32_t first, uint32_t n,
                       uint32_t block)
{
    uint32_t power = 1;

    while (power * 2 <= n)
        power *= 2;
    begin_piece(b, first, 1);
    add_tree(b, 0, power, n - power, block);
}

/* A rank's block, or its halves. */
static void add_ring(struct book *b, uint32_t rank, uint32_t size, bool halved)
{
    for (uint32_t back = 0; back <= halved; back++) {
        uint32_t block = halved ? 2 * rank + back : rank;

        begin_piece(b, block, 1);
        for (uint32_t i = 0; i < size; i++) {
            add_word(b, fsh_recipe_leaf((rank + (back ? size - i : i)) % size,
                                        block));
            if (i > 0)
                add_word(b, FSH_RECIPE_FOLD);
        }
    }
}

static void write_ring(struct book *b, uint32_t size, bool halved)
{
    for (uint32_t rank = 0; rank < size; rank++)
        add_ring(b, rank, size, halved);
}

static void write_moves(struct book *b, const struct plan *p, uint32_t rank,
                        uint32_t size)
{
    switch (p->call) {
    case FSH_PROGRAM_BROADCAST: /* two pieces, if there are two blocks */
        begin_piece(b, 0, 1);
        add_word(b, fsh_recipe_leaf(p->root, 0));
        if (p->parts == 1)
            return;
        begin_piece(b, 1, p->parts - 1);
        add_word(b, fsh_recipe_leaf(p->root, 1));
        return;
    case FSH_PROGRAM_SCATTER:
        add_leaf(b, rank, p->root, rank);
        return;
    case FSH_PROGRAM_ALLGATHER:
        for (uint32_t i = 0; i < size && p->halved; i++) {
            begin_piece(b, 2 * i, 2);
            add_word(b, fsh_recipe_leaf(i, 2 * i));
        }
        if (p->halved)
            return;
        /* fall through */
    default:
        for (uint32_t i = 0; i < size; i++)
            add_leaf(b, i, i, p->call == FSH_PROGRAM_ALLTOALL ? rank : i);
    }
}

static void write_recipe(struct book *b, const struct plan *p, uint32_t rank,
                         uint32_t size)
{
    memset(b, 0, sizeof *b);
    b->recipe.blocks = is_vector(p->call) ? p->parts : size;
    b->recipe.halved = p->halved;
    if (p->halved)
        b->recipe.blocks *= 2;
    b->recipe.depth = 6;
    b->recipe.piece = b->piece;
    b->recipe.word = b->word;
    if (p->call == FSH_PROGRAM_SCAN) {
        if (!p->exclusive || rank > 0)
            write_tree(b, 0, p->exclusive ? rank : rank + 1, 0);
    } else if (p->call == FSH_PROGRAM_REDUCE_SCATTER && p->halved) {
        add_ring(b, rank, size, true);
    } else if (p->call == FSH_PROGRAM_REDUCE_SCATTER) {
        write_tree(b, rank, size, rank);
    } else if (is_reduction(p->call)) {
        if (p->ring)
            write_ring(b, size, p->halved);
        else
            write_tree(b, 0, size, 0);
    } else if (has_dst(p, rank)) {
        write_moves(b, p, rank, size);
    }
}

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
        reduced(r->world, p, r->rank, i, to);
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
