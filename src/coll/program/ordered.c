/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reductions and scans that keep operands in rank order: reduce up a binomial tree in
 * natural rank order, one child at a time, then from rank 0 to the root; scan from
 * rank to rank.
 */
#include "coll/program/build.h"

typedef struct fsh_program_shape shape_t;

enum { SEQ_SUM, SEQ_RESULT };

static void reduce(struct fsh_program *p, const shape_t *s, uint32_t rank)
{
    range_t have = fsh_blocks(FSH_PROGRAM_SRC, 0, 1);
    range_t dst = fsh_blocks(FSH_PROGRAM_DST, 0, 1);
    uint32_t below = fsh_binomial_below(rank, s->size);
    step_t *made = NULL;

    for (uint32_t d = 1; d < below; d <<= 1) {
        range_t sum = fsh_blocks(FSH_PROGRAM_TMP, 0, 1);

        made = fsh_step_fold(p, have, rank + d, SEQ_SUM, sum);
        have = sum;
    }
    if (rank != 0)
        fsh_step_send(p, made, have, fsh_binomial_parent(rank), SEQ_SUM);
    else if (s->root != 0)
        fsh_step_send(p, made, have, s->root, SEQ_RESULT);
    else
        fsh_step_local(p, have)->store = dst;
    if (rank != 0 && rank == s->root)
        fsh_step_receive(p, 0, SEQ_RESULT, dst);
}

/* Appends this rank's operand to that of the previous rank. */
static step_t *append(struct fsh_program *p, uint32_t rank,
                      enum fsh_program_place place)
{
    step_t *made = fsh_step_fold(p, fsh_blocks(FSH_PROGRAM_SRC, 0, 1), rank - 1,
                                 SEQ_SUM, fsh_blocks(place, 0, 1));

    made->right = true;
    return made;
}

static void inclusive(struct fsh_program *p, const shape_t *s, uint32_t rank)
{
    range_t dst = fsh_blocks(FSH_PROGRAM_DST, 0, 1);
    step_t *made;

    if (rank == 0) {
        made = fsh_step_local(p, fsh_blocks(FSH_PROGRAM_SRC, 0, 1));
        made->store = dst;
    } else {
        made = append(p, rank, FSH_PROGRAM_DST);
    }
    if (rank + 1 < s->size)
        fsh_step_send(p, made, dst, rank + 1, SEQ_SUM);
}

/* The next rank gets the sum twice: to forward with its own operand, and to keep. */
static void exclusive(struct fsh_program *p, const shape_t *s, uint32_t rank)
{
    range_t have = fsh_blocks(FSH_PROGRAM_SRC, 0, 1);
    step_t *made = NULL;

    if (rank + 1 < s->size && rank != 0) {
        made = append(p, rank, FSH_PROGRAM_TMP);
        have = fsh_blocks(FSH_PROGRAM_TMP, 0, 1);
    }
    if (rank + 2 < s->size)
        fsh_step_send(p, made, have, rank + 1, SEQ_SUM);
    if (rank + 1 < s->size)
        fsh_step_send(p, made, have, rank + 1, SEQ_RESULT);
    if (rank != 0)
        fsh_step_receive(p, rank - 1, SEQ_RESULT,
                         fsh_blocks(FSH_PROGRAM_DST, 0, 1));
}

static void build(struct fsh_program *p, const shape_t *s, uint32_t rank)
{
    if (s->call == FSH_PROGRAM_REDUCE)
        reduce(p, s, rank);
    else if (s->exclusive)
        exclusive(p, s, rank);
    else
        inclusive(p, s, rank);
}

const struct fsh_program_algorithm fsh_program_ordered = {
    .name = "ordered",
    .calls = 1u << FSH_PROGRAM_REDUCE | 1u << FSH_PROGRAM_SCAN,
    .order = FSH_PROGRAM_ANY,
    .about = "left to right: client functions",
    .blocks = fsh_blocks_one,
    .build = build};
