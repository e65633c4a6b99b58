/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * For the test of the direct executor: what an operation is, what must come of it (an
 * oracle that folds element by element), and its recipe, written by hand. Of src/coll
 * only the types are used.
 */
#ifndef UNIT_COLL_DIRECT_MODEL_H
#define UNIT_COLL_DIRECT_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "coll/direct/direct.h"

#define MOST 9u /* ranks */

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

static void reduced(const struct plan *p, uint32_t size, uint32_t rank,
                    size_t element, void *to)
{
    size_t from = element * p->elem;

    if (p->call == FSH_PROGRAM_SCAN)
        tree_of(p, p->exclusive ? rank : rank + 1, from, to);
    else if (p->call == FSH_PROGRAM_REDUCE_SCATTER && p->halved)
        ring_of(p, size, rank, is_behind(p, from, p->count * p->elem),
                from + rank * p->count * p->elem, to);
    else if (p->call == FSH_PROGRAM_REDUCE_SCATTER)
        tree_of(p, size, from + rank * p->count * p->elem, to);
    else if (p->ring)
        ring_of_vector(p, size, element, to);
    else
        tree_of(p, size, from, to);
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

#endif
