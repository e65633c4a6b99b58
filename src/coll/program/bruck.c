/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * All-gather in the minimum number of rounds for any number of ranks: in round k a
 * rank sends everything it has to the rank 2^k below and gets as much from the one
 * 2^k above; in the last round only what is missing (J. Bruck et al., "Efficient
 * algorithms for all-to-all communications", SPAA 1994). Blocks go directly to their
 * final place, so there is no rotation; a range that wraps is two packets. For short
 * messages when the number of ranks is not a power of two.
 */
#include "coll/program/algorithms.h"
#include "coll/program/build.h"

/* A wrapping range of blocks from `first` on: the part before the wrap, and the one
 * after. */
struct round_end {
    range_t part[2];
};

static struct round_end blocks_from(uint32_t first, uint32_t count,
                                    uint32_t size)
{
    uint32_t before = size - first < count ? size - first : count;

    return (struct round_end){{fsh_blocks(FSH_PROGRAM_DST, first, before),
                               fsh_blocks(FSH_PROGRAM_DST, 0, count - before)}};
}

static void build(struct fsh_program *p, const struct fsh_program_shape *s,
                  uint32_t rank)
{
    uint32_t n = s->size, seq = 0;

    fsh_step_local(p, fsh_blocks(FSH_PROGRAM_SRC, rank, 1))->store =
        fsh_blocks(FSH_PROGRAM_DST, rank, 1);
    for (uint32_t d = 1; d < n; d <<= 1, seq += 2) {
        uint32_t count = n - d < d ? n - d : d, from = (rank + d) % n;
        struct round_end out = blocks_from(rank, count, n);
        struct round_end in = blocks_from(from, count, n);

        for (uint32_t i = 0; i < 2; i++)
            if (out.part[i].count != 0)
                fsh_step_send(p, NULL, out.part[i], (rank + n - d) % n,
                              seq + i);
        for (uint32_t i = 0; i < 2; i++)
            if (in.part[i].count != 0)
                fsh_step_receive(p, from, seq + i, in.part[i]);
    }
}

const struct fsh_program_algorithm fsh_algorithm_bruck = {
    .name = "bruck",
    .id = 12,
    .calls = 1u << FSH_PROGRAM_ALLGATHER,
    .order = FSH_PROGRAM_ANY,
    .about = "fewest rounds for any number of ranks: short messages",
    .blocks = fsh_blocks_size,
    .build = build};
