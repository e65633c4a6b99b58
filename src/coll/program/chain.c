/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A chain starting at the root, each rank forwarding what it gets packet by packet:
 * every link carries the bytes once, and all are busy at the same time. For long
 * messages among few ranks.
 */
#include "coll/program/algorithms.h"
#include "coll/program/build.h"

static void build(struct fsh_program *p, const struct fsh_program_shape *s,
                  uint32_t rank)
{
    uint32_t w = fsh_from_root(s, rank);
    range_t dst = fsh_blocks(FSH_PROGRAM_DST, 0, 1);
    step_t *made;

    if (w == 0) {
        made = fsh_step_local(p, fsh_blocks(FSH_PROGRAM_SRC, 0, 1));
        made->store = dst;
    } else {
        made = fsh_step_receive(p, fsh_to_rank(s, w - 1), 0, dst);
    }
    if (w + 1 < s->size)
        fsh_step_send(p, made, dst, fsh_to_rank(s, w + 1), 0);
}

const struct fsh_program_algorithm fsh_algorithm_chain = {
    .name = "chain",
    .id = 3,
    .calls = 1u << FSH_PROGRAM_BROADCAST,
    .order = FSH_PROGRAM_ANY,
    .about = "pipelined chain: long messages, few ranks",
    .blocks = fsh_blocks_one,
    .build = build};
