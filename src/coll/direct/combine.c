/* SPDX-License-Identifier: BSD-3-Clause */
/* Executes a recipe on bytes, reading the members' inputs wherever they are. */
#include <assert.h>

#include "coll/direct/group.h"

/* An expression, over the same byte range of consecutive blocks. */
struct value {
    const struct fsh_coll_direct_op *op;
    const uint32_t *word;
    uint32_t words;
    uint32_t shift; /* added to the block of every leaf */
};

/* The address where byte 0 of a leaf's block would be. */
static uintptr_t input(const struct value *v, uint32_t word)
{
    const struct fsh_coll_direct_op *op = v->op;
    const struct fsh_coll_group *g = op->group;
    uint32_t rank = fsh_recipe_rank(word);
    uint32_t block = (fsh_recipe_block(word) + v->shift) >>
                     (op->work.recipe->halved ? 1 : 0);

    if (rank == g->rank)
        return (uintptr_t)op->work.src + block * op->stride;
    if (op->way != FSH_DIRECT_COPIED && g->reached[rank].src != 0)
        return g->reached[rank].src + block * op->stride;
    return (uintptr_t)fsh_direct_copies(op, rank) + block * op->span - op->from;
}

/* Evaluates one chunk in postfix order: intermediate results go to scratch, the last
 * one to dst. */
static void fold_chunk(const struct value *v, unsigned char *dst, size_t from,
                       size_t bytes)
{
    const struct fsh_coll_work *w = &v->op->work;
    const void *stack[FSH_DIRECT_DEPTH];
    unsigned char *out;
    uint32_t depth = 0;

    for (uint32_t i = 0; i < v->words; i++) {
        if (v->word[i] != FSH_RECIPE_FOLD) {
            stack[depth++] = (const void *)(input(v, v->word[i]) + from);
            continue;
        }
        depth--;
        out = i + 1 == v->words
                  ? dst + from
                  : v->op->group->scratch + (depth - 1) * FSH_DIRECT_CHUNK;
        w->fold(out, stack[depth - 1], stack[depth], bytes / w->elem);
        stack[depth - 1] = out;
    }
    assert(depth == 1);
}

/* dst: where byte 0 would be. */
static void make_value(const struct value *v, unsigned char *dst, size_t from,
                       size_t to)
{
    if (from < to && v->words == 1) {
        fsh_direct_copy(dst + from, (const void *)(input(v, v->word[0]) + from),
                        to - from);
        return;
    }
    for (; from < to; from += FSH_DIRECT_CHUNK)
        fold_chunk(v, dst, from,
                   to - from < FSH_DIRECT_CHUNK ? to - from : FSH_DIRECT_CHUNK);
}

/* For vectors: blocks are even parts, and a leaf refers to the piece's own blocks. */
static void make_part(const struct fsh_coll_direct_op *op,
                      const struct fsh_recipe_piece *p, unsigned char *dst,
                      size_t from, size_t to)
{
    const struct fsh_coll_work *w = &op->work;
    const struct fsh_recipe *r = w->recipe;
    const struct fsh_program_operand operand = {w->call, r->blocks, r->halved,
                                                w->elem, w->count};
    size_t begin = fsh_program_before(&operand, p->first);
    size_t end = fsh_program_before(&operand, (uint32_t)p->first + p->count);
    struct value v = {op, r->word + p->at, p->words, 0};

    assert(fsh_recipe_block(v.word[0]) == p->first);
    make_value(&v, dst, from > begin ? from : begin, to < end ? to : end);
}

static size_t block_begins(const struct fsh_coll_direct_op *op, uint32_t b)
{
    switch (op->work.call) {
    case FSH_PROGRAM_GATHER:
    case FSH_PROGRAM_ALLGATHER:
    case FSH_PROGRAM_ALLTOALL:
        return op->work.dst_at != NULL ? op->work.dst_at[b] : b * op->block;
    default: /* the only block in DST */
        return 0;
    }
}

static void make_block(const struct fsh_coll_direct_op *op,
                       const struct value *v, unsigned char *dst, uint32_t b,
                       size_t from, size_t to)
{
    const struct fsh_coll_work *w = &op->work;
    size_t begin = 0, end;

    if (w->recipe->halved) {
        size_t half = fsh_program_half(op->block);

        begin = b % 2 == 0 ? 0 : half;
        end = b % 2 == 0 ? half : op->block;
        b /= 2;
    } else {
        end = w->dst_bytes != NULL ? w->dst_bytes[b] : op->block;
    }
    if (from < begin)
        from = begin;
    if (from < end)
        make_value(v, dst + block_begins(op, b), from, to < end ? to : end);
}

static void make_blocks(const struct fsh_coll_direct_op *op,
                        const struct fsh_recipe_piece *p, unsigned char *dst,
                        size_t from, size_t to)
{
    for (uint32_t i = 0; i < p->count; i++) {
        struct value v = {op, op->work.recipe->word + p->at, p->words, i};

        make_block(op, &v, dst, p->first + i, from, to);
    }
}

void fsh_direct_make(const struct fsh_coll_direct_op *op, unsigned char *dst,
                     size_t from, size_t to)
{
    const struct fsh_recipe *r = op->work.recipe;

    assert(r->depth <= FSH_DIRECT_DEPTH);
    for (uint32_t i = 0; i < r->pieces; i++) {
        if (op->vector)
            make_part(op, &r->piece[i], dst, from, to);
        else
            make_blocks(op, &r->piece[i], dst, from, to);
    }
}
