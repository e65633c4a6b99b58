/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A tree whose ranks send to all that are a power of two before or behind them: short broadcasts
 * by engines of cards, which send a packet again in a fraction of the time that it travels.
 * With 32 ranks three rounds lead to all of them, where a binomial tree has five.
 */
#include "base/assertion.h"
#include "coll/program/build.h"

/* A packet is sent again a unit of time later; who gets it sends it on after so many. */
#define TRAVELS 6u
#define RANKS 64u
#define NOBODY UINT32_MAX

/* By rank, relative to the root: from whom it gets the packet, and when it can send it next. */
struct tree {
    uint32_t size, left;
    uint32_t parent[RANKS], ready[RANKS];
};

/* The farthest rank from w that has no parent yet, or NOBODY. */
static uint32_t next_of(const struct tree *t, uint32_t w)
{
    uint32_t d = 1;

    while (d < t->size / 2)
        d *= 2;
    for (; d != 0; d /= 2) {
        uint32_t up = (w + d) % t->size, down = (w + t->size - d) % t->size;

        if (t->parent[up] == NOBODY)
            return up;
        if (t->parent[down] == NOBODY)
            return down;
    }
    return NOBODY;
}

/* Who can send first, to somebody. */
static uint32_t first_of(const struct tree *t)
{
    uint32_t first = NOBODY;

    for (uint32_t w = 0; w < t->size; w++)
        if (t->parent[w] != NOBODY && next_of(t, w) != NOBODY &&
            (first == NOBODY || t->ready[w] < t->ready[first]))
            first = w;
    return first;
}

/* Ranks send in the order of time; those that rank `me` sends to are its program. */
static void build(struct fsh_program *p, const struct fsh_program_shape *s,
                  uint32_t rank)
{
    struct tree t = {.size = s->size, .left = s->size - 1};
    uint32_t me = fsh_from_root(s, rank);
    range_t dst = fsh_blocks(FSH_PROGRAM_DST, 0, 1);
    step_t *made = NULL;

    FSH_ASSERT(s->size <= RANKS);
    for (uint32_t w = 1; w < t.size; w++)
        t.parent[w] = NOBODY;
    if (me == 0) {
        made = fsh_step_local(p, fsh_blocks(FSH_PROGRAM_SRC, 0, 1));
        made->store = dst;
    }
    for (; t.left != 0; t.left--) {
        uint32_t from = first_of(&t), to = next_of(&t, from);

        t.parent[to] = from;
        t.ready[to] = t.ready[from] + TRAVELS;
        t.ready[from]++;
        if (to == me)
            made = fsh_step_receive(p, fsh_to_rank(s, from), 0, dst);
        if (from == me) {
            fsh_step_send(p, made, dst, fsh_to_rank(s, to), 0);
            made = NULL;
        }
    }
}

const struct fsh_program_algorithm fsh_program_spread = {
    .name = "spread",
    .calls = 1u << FSH_PROGRAM_BROADCAST,
    .order = FSH_PROGRAM_ANY,
    .about = "tree of all powers of two both ways: short messages of cards",
    .blocks = fsh_blocks_one,
    .build = build};
