/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A binomial tree that goes both ways from its root: short broadcasts where ranks are nodes
 * of a network, and those next to each other near. As many rounds as `binomial`, at
 * distances that are powers of two, too, but the longest way is shorter: with 32 ranks 8, 4,
 * 2, 1 and 1 instead of 16, 8, 4, 2 and 1.
 */
#include "coll/program/build.h"

/* A rank is that of a stretch of ranks, relative to the root: `half` of them behind it, and
 * as many up to it. Those behind it have a rank of their own in their middle, `half` / 2
 * away; those before it are a binomial tree downwards, in which a rank is `down` away. */
struct place {
    uint32_t middle, half, down;
    uint32_t below;  /* size of the tree downwards */
    uint32_t parent; /* of the middle */
};

static uint32_t step_up(uint32_t half)
{
    return half > 1 ? half / 2 : half;
}

static struct place find(uint32_t size, uint32_t w)
{
    struct place at = {.half = fsh_binomial_most(0, size)};

    at.below = size - at.half;
    if (w > at.half) {
        at.down = size - w;
        return at;
    }
    while (at.middle < w) {
        at.parent = at.middle;
        at.middle += step_up(at.half);
        at.half /= 2;
        at.below = at.half;
    }
    at.down = at.middle - w;
    return at;
}

static void build(struct fsh_program *p, const struct fsh_program_shape *s,
                  uint32_t rank)
{
    uint32_t w = fsh_from_root(s, rank);
    struct place at = find(s->size, w);
    range_t dst = fsh_blocks(FSH_PROGRAM_DST, 0, 1);
    uint32_t parent = at.parent;
    step_t *made;

    if (at.down != 0)
        parent = at.middle + s->size - fsh_binomial_parent(at.down);
    if (w == 0) {
        made = fsh_step_local(p, fsh_blocks(FSH_PROGRAM_SRC, 0, 1));
        made->store = dst;
    } else {
        made = fsh_step_receive(p, fsh_to_rank(s, parent), 0, dst);
    }
    if (at.down == 0 && at.half != 0) {
        fsh_step_send(p, made, dst, fsh_to_rank(s, w + step_up(at.half)), 0);
        made = NULL;
    }
    for (uint32_t d = fsh_binomial_most(at.down, at.below); d != 0; d >>= 1) {
        fsh_step_send(p, made, dst, fsh_to_rank(s, w + s->size - d), 0);
        made = NULL;
    }
}

const struct fsh_program_algorithm fsh_program_spread = {
    .name = "spread",
    .calls = 1u << FSH_PROGRAM_BROADCAST,
    .order = FSH_PROGRAM_ANY,
    .about = "binomial tree both ways from the root: short messages of cards",
    .blocks = fsh_blocks_one,
    .build = build};
