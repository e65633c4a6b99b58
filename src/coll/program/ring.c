/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ring: every rank sends only to the next one, a block per round, so that all links
 * carry the same load and no byte crosses a link more often than necessary.
 * All-reduce is reduce-scatter, then all-gather. Block b is summed from rank b + 1
 * around to rank b (the order RING). For long messages; many rounds.
 */
#include "coll/program/algorithms.h"
#include "coll/program/build.h"

typedef struct fsh_program_shape shape_t;

static uint32_t back(const shape_t *s, uint32_t rank, uint32_t n)
{
    return (rank + s->size - n % s->size) % s->size;
}

/* Rounds 0 to size - 2. Returns the step that ends with this rank's block, or
 * NULL. */
static step_t *reduce(struct fsh_program *p, const shape_t *s, uint32_t rank)
{
    uint32_t next = (rank + 1) % s->size, before = back(s, rank, 1);
    step_t *made = NULL;

    fsh_step_send(p, NULL, fsh_blocks(FSH_PROGRAM_SRC, before, 1), next, 0);
    for (uint32_t round = 0; round + 1 < s->size; round++) {
        uint32_t b = back(s, rank, 2 + round);
        range_t sum = {0};

        if (b == rank)
            sum = fsh_blocks(FSH_PROGRAM_DST, b, 1);
        made = fsh_step_fold(p, fsh_blocks(FSH_PROGRAM_SRC, b, 1), before,
                             round, sum);
        if (b != rank)
            fsh_step_send(p, made, sum, next, round + 1);
    }
    return made;
}

/* Every rank's block to all, from SeqID `seq` on; `own` is the step with this
 * rank's. */
static void gather(struct fsh_program *p, const shape_t *s, uint32_t rank,
                   step_t *own, uint32_t seq)
{
    uint32_t next = (rank + 1) % s->size, before = back(s, rank, 1);
    step_t *made = own;

    for (uint32_t i = 0; i + 1 < s->size; i++) {
        range_t dst = fsh_blocks(FSH_PROGRAM_DST, back(s, rank, i), 1);

        fsh_step_send(p, made, dst, next, seq + i);
        made = fsh_step_receive(
            p, before, seq + i,
            fsh_blocks(FSH_PROGRAM_DST, back(s, rank, i + 1), 1));
    }
}

static void build(struct fsh_program *p, const shape_t *s, uint32_t rank)
{
    step_t *own;

    if (s->call == FSH_PROGRAM_ALLGATHER || s->size == 1) {
        own = fsh_step_local(p, fsh_blocks(FSH_PROGRAM_SRC, rank, 1));
        own->store = fsh_blocks(FSH_PROGRAM_DST, rank, 1);
        gather(p, s, rank, own, 0);
        return;
    }
    own = reduce(p, s, rank);
    if (s->call == FSH_PROGRAM_ALLREDUCE)
        gather(p, s, rank, own, s->size - 1);
}

const struct fsh_program_algorithm fsh_algorithm_ring = {
    .name = "ring",
    .id = 8,
    .calls = 1u << FSH_PROGRAM_ALLREDUCE | 1u << FSH_PROGRAM_ALLGATHER |
             1u << FSH_PROGRAM_REDUCE_SCATTER,
    .order = FSH_PROGRAM_RING,
    .about = "ring: long messages",
    .alone = true,
    .blocks = fsh_blocks_size,
    .build = build};
