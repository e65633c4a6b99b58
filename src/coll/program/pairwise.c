/* SPDX-License-Identifier: BSD-3-Clause */
/* All-to-all: in round i send to the rank i above and receive from the rank i below, so
 * that no rank is the target of all at once. */
#include "coll/program/algorithms.h"
#include "coll/program/build.h"

static void build(struct fsh_program *p, const struct fsh_program_shape *s,
                  uint32_t rank)
{
    fsh_step_local(p, fsh_blocks(FSH_PROGRAM_SRC, rank, 1))->store =
        fsh_blocks(FSH_PROGRAM_DST, rank, 1);
    for (uint32_t i = 1; i < s->size; i++) {
        uint32_t to = (rank + i) % s->size;
        uint32_t from = (rank + s->size - i) % s->size;

        fsh_step_send(p, NULL, fsh_blocks(FSH_PROGRAM_SRC, to, 1), to, 0);
        fsh_step_receive(p, from, 0, fsh_blocks(FSH_PROGRAM_DST, from, 1));
    }
}

const struct fsh_program_algorithm fsh_algorithm_pairwise = {
    .name = "pairwise",
    .id = 10,
    .calls = 1u << FSH_PROGRAM_ALLTOALL,
    .order = FSH_PROGRAM_ANY,
    .about = "one partner per round",
    .alone = true,
    .blocks = fsh_blocks_size,
    .build = build};
