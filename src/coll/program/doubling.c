/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Recursive doubling: partners at distance 1, 2, 4 ... exchange everything they have;
 * log2(ranks) rounds for all ranks at once. All-reduce in the order TREE; all-gather;
 * scan, where a rank receives from lower ranks only (W. D. Hillis, G. L. Steele,
 * "Data parallel algorithms", CACM 29, 1986). For short messages.
 */
#include "coll/program/algorithms.h"
#include "coll/program/build.h"

typedef struct fsh_program_shape shape_t;

enum { SEQ_PAIR = 0, SEQ_LEVEL = 1 };

static void copy(struct fsh_program *p, range_t from, range_t to)
{
    fsh_step_local(p, from)->store = to;
}

/* ---- all-reduce ---- */

static void allreduce_stands(struct fsh_program *p, const struct fsh_tree *t,
                             uint32_t rank)
{
    uint32_t v = fsh_tree_virtual(t, rank), pair = fsh_tree_pair(t, rank);
    range_t have = fsh_blocks(FSH_PROGRAM_SRC, 0, 1);
    step_t *made = NULL;

    if (pair != FSH_PROGRAM_NOBODY) {
        range_t sum = fsh_blocks(FSH_PROGRAM_TMP, 0, 1);

        made = fsh_step_fold(p, have, pair, SEQ_PAIR, sum);
        have = sum;
    }
    for (uint32_t j = 0; j < t->levels; j++) {
        uint32_t other = fsh_tree_stands(t, v ^ 1u << j);
        range_t sum = fsh_blocks(
            j + 1 == t->levels ? FSH_PROGRAM_DST : FSH_PROGRAM_TMP, 0, 1);

        fsh_step_send(p, made, have, other, SEQ_LEVEL + j);
        made = fsh_step_fold(p, have, other, SEQ_LEVEL + j, sum);
        have = sum;
    }
    if (pair != FSH_PROGRAM_NOBODY)
        fsh_step_send(p, made, have, pair, SEQ_LEVEL);
}

static void allreduce(struct fsh_program *p, const shape_t *s, uint32_t rank)
{
    struct fsh_tree t = fsh_tree_of(s);
    range_t src = fsh_blocks(FSH_PROGRAM_SRC, 0, 1);
    range_t dst = fsh_blocks(FSH_PROGRAM_DST, 0, 1);

    if (fsh_tree_stands(&t, fsh_tree_virtual(&t, rank)) == rank) {
        allreduce_stands(p, &t, rank);
        return;
    }
    fsh_step_send(p, NULL, src, rank ^ 1, SEQ_PAIR);
    fsh_step_receive(p, rank ^ 1, SEQ_LEVEL, dst);
}

/* ---- all-gather: adjacent virtual ranks have adjacent blocks ---- */

static void allgather_stands(struct fsh_program *p, const struct fsh_tree *t,
                             uint32_t rank)
{
    uint32_t v = fsh_tree_virtual(t, rank), pair = fsh_tree_pair(t, rank);

    if (pair != FSH_PROGRAM_NOBODY)
        fsh_step_receive(p, pair, SEQ_PAIR,
                         fsh_blocks(FSH_PROGRAM_DST, pair, 1));
    for (uint32_t j = 0; j < t->levels; j++) {
        uint32_t d = 1u << j, mine = v & ~(d - 1), theirs = mine ^ d;
        uint32_t other = fsh_tree_stands(t, v ^ d);

        fsh_step_send(p, NULL, fsh_tree_blocks(t, FSH_PROGRAM_DST, mine, d),
                      other, SEQ_LEVEL + j);
        fsh_step_receive(p, other, SEQ_LEVEL + j,
                         fsh_tree_blocks(t, FSH_PROGRAM_DST, theirs, d));
    }
    if (pair != FSH_PROGRAM_NOBODY)
        fsh_step_send(p, NULL, fsh_blocks(FSH_PROGRAM_DST, 0, t->size), pair,
                      SEQ_LEVEL);
}

static void allgather(struct fsh_program *p, const shape_t *s, uint32_t rank)
{
    struct fsh_tree t = fsh_tree_of(s);
    range_t own = fsh_blocks(FSH_PROGRAM_SRC, rank, 1);

    if (fsh_tree_stands(&t, fsh_tree_virtual(&t, rank)) == rank) {
        copy(p, own, fsh_blocks(FSH_PROGRAM_DST, rank, 1));
        allgather_stands(p, &t, rank);
        return;
    }
    fsh_step_send(p, NULL, own, rank ^ 1, SEQ_PAIR);
    fsh_step_receive(p, rank ^ 1, SEQ_LEVEL,
                     fsh_blocks(FSH_PROGRAM_DST, 0, s->size));
}

/* ---- scan ---- */

/* The sum of the ranks up to this one goes to higher ranks and, for an exclusive scan,
 * finally to the next rank. */
static void scan(struct fsh_program *p, const shape_t *s, uint32_t rank)
{
    enum fsh_program_place last =
        s->exclusive ? FSH_PROGRAM_TMP : FSH_PROGRAM_DST;
    range_t have = fsh_blocks(FSH_PROGRAM_SRC, 0, 1);
    step_t *made = NULL;
    uint32_t d = 1, level = 0;

    for (; d < s->size; d <<= 1, level++) {
        if (rank + d < s->size) {
            fsh_step_send(p, made, have, rank + d, level);
            made = NULL;
        }
        if (rank >= d) {
            range_t sum =
                fsh_blocks(rank >= 2 * d ? FSH_PROGRAM_TMP : last, 0, 1);

            made = fsh_step_fold(p, have, rank - d, level, sum);
            have = sum;
        }
    }
    if (!s->exclusive && have.place == FSH_PROGRAM_SRC)
        copy(p, have, fsh_blocks(FSH_PROGRAM_DST, 0, 1));
    if (s->exclusive && rank + 1 < s->size)
        fsh_step_send(p, made, have, rank + 1, level);
    if (s->exclusive && rank != 0)
        fsh_step_receive(p, rank - 1, level, fsh_blocks(FSH_PROGRAM_DST, 0, 1));
}

static void build(struct fsh_program *p, const shape_t *s, uint32_t rank)
{
    if (s->call == FSH_PROGRAM_SCAN)
        scan(p, s, rank);
    else if (s->size == 1)
        copy(p, fsh_blocks(FSH_PROGRAM_SRC, 0, 1),
             fsh_blocks(FSH_PROGRAM_DST, 0, 1));
    else if (s->call == FSH_PROGRAM_ALLREDUCE)
        allreduce(p, s, rank);
    else
        allgather(p, s, rank);
}

static uint32_t blocks(const shape_t *s)
{
    return s->call == FSH_PROGRAM_ALLGATHER ? s->size : 1;
}

const struct fsh_program_algorithm fsh_algorithm_doubling = {
    .name = "doubling",
    .id = 6,
    .calls = 1u << FSH_PROGRAM_ALLREDUCE | 1u << FSH_PROGRAM_ALLGATHER |
             1u << FSH_PROGRAM_SCAN,
    .order = FSH_PROGRAM_TREE,
    .about = "recursive doubling: short messages",
    .blocks = blocks,
    .build = build};
