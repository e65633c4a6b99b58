/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Broadcast of long messages: scattered over a binomial tree, then gathered around a
 * ring (R. van de Geijn). Block w belongs to the rank w from the root on. The root
 * already has all blocks, so it receives none.
 */
#include "coll/program/algorithms.h"
#include "coll/program/build.h"

enum { SEQ_SCATTER = 0, SEQ_RING = 1 };

static void scatter(struct fsh_program *p, const struct fsh_program_shape *s,
                    uint32_t w)
{
    range_t have =
        fsh_blocks(FSH_PROGRAM_DST, w, fsh_binomial_below(w, s->size));

    if (w == 0)
        fsh_step_local(p, fsh_blocks(FSH_PROGRAM_SRC, 0, s->size))->store =
            have;
    else
        fsh_step_receive(p, fsh_to_rank(s, fsh_binomial_parent(w)), SEQ_SCATTER,
                         have);
    for (uint32_t d = fsh_binomial_most(w, s->size); d != 0; d >>= 1)
        fsh_step_send(p, NULL,
                      fsh_blocks(FSH_PROGRAM_DST, w + d,
                                 fsh_binomial_below(w + d, s->size)),
                      fsh_to_rank(s, w + d), SEQ_SCATTER);
}

/* In round i block w - i goes to the next rank unless it has the block already: the
 * root has all, and a rank has those of its subtree. */
static bool has(const struct fsh_program_shape *s, uint32_t w, uint32_t block)
{
    return block >= w && block - w < fsh_binomial_below(w, s->size);
}

static void ring(struct fsh_program *p, const struct fsh_program_shape *s,
                 uint32_t w)
{
    for (uint32_t i = 0; i + 1 < s->size; i++) {
        uint32_t out = (w + s->size - i) % s->size;
        uint32_t in = (out + s->size - 1) % s->size;
        uint32_t next = (w + 1) % s->size;

        if (!has(s, next, out))
            fsh_step_send(p, NULL, fsh_blocks(FSH_PROGRAM_DST, out, 1),
                          fsh_to_rank(s, next), SEQ_RING + i);
        if (!has(s, w, in))
            fsh_step_receive(p, fsh_to_rank(s, w + s->size - 1), SEQ_RING + i,
                             fsh_blocks(FSH_PROGRAM_DST, in, 1));
    }
}

static void build(struct fsh_program *p, const struct fsh_program_shape *s,
                  uint32_t rank)
{
    uint32_t w = fsh_from_root(s, rank);

    scatter(p, s, w);
    ring(p, s, w);
}

const struct fsh_program_algorithm fsh_algorithm_scatter_allgather = {
    .name = "scatter_allgather",
    .id = 4,
    .calls = 1u << FSH_PROGRAM_BROADCAST,
    .order = FSH_PROGRAM_ANY,
    .about = "scatter, then all-gather around a ring: long messages",
    .blocks = fsh_blocks_size,
    .build = build};
