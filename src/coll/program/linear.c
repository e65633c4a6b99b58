/* SPDX-License-Identifier: BSD-3-Clause */
/* Every rank communicates directly with the root: for long messages, which then
 * travel once. */
#include "coll/program/algorithms.h"
#include "coll/program/build.h"

static void gather(struct fsh_program *p, const struct fsh_program_shape *s,
                   uint32_t rank)
{
    range_t own = fsh_blocks(FSH_PROGRAM_SRC, rank, 1);

    if (rank != s->root) {
        fsh_step_send(p, NULL, own, s->root, 0);
        return;
    }
    fsh_step_local(p, own)->store = fsh_blocks(FSH_PROGRAM_DST, rank, 1);
    for (uint32_t w = 1; w < s->size; w++) {
        uint32_t from = fsh_to_rank(s, w);

        fsh_step_receive(p, from, 0, fsh_blocks(FSH_PROGRAM_DST, from, 1));
    }
}

static void scatter(struct fsh_program *p, const struct fsh_program_shape *s,
                    uint32_t rank)
{
    range_t own = fsh_blocks(FSH_PROGRAM_DST, rank, 1);

    if (rank != s->root) {
        fsh_step_receive(p, s->root, 0, own);
        return;
    }
    for (uint32_t w = 1; w < s->size; w++) {
        uint32_t to = fsh_to_rank(s, w);

        fsh_step_send(p, NULL, fsh_blocks(FSH_PROGRAM_SRC, to, 1), to, 0);
    }
    fsh_step_local(p, fsh_blocks(FSH_PROGRAM_SRC, rank, 1))->store = own;
}

static void build(struct fsh_program *p, const struct fsh_program_shape *s,
                  uint32_t rank)
{
    if (s->call == FSH_PROGRAM_GATHER)
        gather(p, s, rank);
    else
        scatter(p, s, rank);
}

const struct fsh_program_algorithm fsh_algorithm_linear = {
    .name = "linear",
    .id = 9,
    .calls = 1u << FSH_PROGRAM_GATHER | 1u << FSH_PROGRAM_SCATTER,
    .order = FSH_PROGRAM_ANY,
    .about = "directly from or to the root: long messages",
    .alone = true,
    .blocks = fsh_blocks_size,
    .build = build};
