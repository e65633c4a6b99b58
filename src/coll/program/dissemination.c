/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Barrier by dissemination: in round j a rank tells the one 2^j above that it, and
 * all ranks it has heard of, have arrived (D. Hensgen, R. Finkel, U. Manber, 1988).
 * Rounds are sequential, since all use the same block.
 */
#include "coll/program/algorithms.h"
#include "coll/program/build.h"

/* Rounds that accumulate in `here` what is known, starting with a rank's own
 * contribution. */
static void rounds(struct fsh_program *p, const struct fsh_program_shape *s,
                   uint32_t rank, range_t brings, range_t here)
{
    step_t *made = fsh_step_local(p, brings);

    made->store = here;
    for (uint32_t d = 1, round = 0; d < s->size; d <<= 1, round++) {
        fsh_step_send(p, made, here, (rank + d) % s->size, round);
        made =
            fsh_step_fold(p, here, (rank + s->size - d) % s->size, round, here);
    }
}

static void build(struct fsh_program *p, const struct fsh_program_shape *s,
                  uint32_t rank)
{
    range_t here = fsh_blocks(FSH_PROGRAM_TMP, 0, 1);

    rounds(p, s, rank, here, here);
}

const struct fsh_program_algorithm fsh_algorithm_dissemination = {
    .name = "dissemination",
    .id = 11,
    .calls = 1u << FSH_PROGRAM_BARRIER,
    .order = FSH_PROGRAM_ANY,
    .about = "dissemination: log2(ranks) rounds, no root",
    .blocks = fsh_blocks_one,
    .build = build};

/* A rank's own contribution comes back if the number of ranks is not a power of
 * two. */
static void build_known(struct fsh_program *p,
                        const struct fsh_program_shape *s, uint32_t rank)
{
    rounds(p, s, rank, fsh_blocks(FSH_PROGRAM_SRC, 0, 1),
           fsh_blocks(FSH_PROGRAM_DST, 0, 1));
}

const struct fsh_program_algorithm fsh_program_idempotent = {
    .name = "dissemination",
    .calls = 1u << FSH_PROGRAM_ALLREDUCE,
    .order = FSH_PROGRAM_ANY,
    .about = "all-reduce with an idempotent operation",
    .blocks = fsh_blocks_one,
    .build = build_known};
