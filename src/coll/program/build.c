/* SPDX-License-Identifier: BSD-3-Clause */
/* See build.h. */
#include "coll/program/build.h"

step_t *fsh_step_local(struct fsh_program *p, range_t local)
{
    step_t *s = fsh_program_add(p);

    s->local = local;
    return s;
}

step_t *fsh_step_receive(struct fsh_program *p, uint32_t source, uint32_t seq,
                         range_t store)
{
    step_t *s = fsh_program_add(p);

    s->sources = 1;
    s->source[0] = (uint16_t)source;
    s->seq = (uint16_t)seq;
    s->store = store;
    return s;
}

step_t *fsh_step_fold(struct fsh_program *p, range_t local, uint32_t source,
                      uint32_t seq, range_t store)
{
    step_t *s = fsh_step_receive(p, source, seq, store);

    s->local = local;
    s->reduce = true;
    return s;
}

void fsh_step_send(struct fsh_program *p, step_t *made, range_t blocks,
                   uint32_t dest, uint32_t seq)
{
    step_t *s = made;

    if (s == NULL || s->dest != FSH_PROGRAM_NOBODY)
        s = fsh_step_local(p, blocks);
    s->dest = (uint16_t)dest;
    s->dest_seq = (uint16_t)seq;
}

/* ---- TREE ---- */

static uint32_t levels_of(uint32_t size)
{
    uint32_t levels = 0;

    while (size >> (levels + 1) != 0)
        levels++;
    return levels;
}

struct fsh_tree fsh_tree_of(const struct fsh_program_shape *shape)
{
    uint32_t levels = levels_of(shape->size);

    return (struct fsh_tree){.size = shape->size,
                             .extra = shape->size - (1u << levels),
                             .levels = levels,
                             .root = shape->root,
                             .sides =
                                 fsh_program_turns(shape) ? shape->sides : 0};
}

/* The bits in which ranks differ that meet at this level: it, and those below it of its
 * ring. */
static uint32_t meeting(uint32_t sides, uint32_t level)
{
    uint32_t bits = 1u << level;

    while (level-- > 0 && (sides >> (level + 1) & 1) == 0)
        bits |= 1u << level;
    return bits;
}

static bool has_turns(uint32_t size, uint32_t sides)
{
    return sides != 0 && size <= FSH_PROGRAM_TURNS && (size & (size - 1)) == 0;
}

bool fsh_program_turns(const struct fsh_program_shape *s)
{
    return has_turns(s->size, s->sides) &&
           (s->call == FSH_PROGRAM_REDUCE || s->call == FSH_PROGRAM_ALLREDUCE);
}

bool fsh_program_meet(uint32_t size, uint32_t sides, uint32_t a, uint32_t b)
{
    for (uint32_t level = 0; has_turns(size, sides) && 1u << level < size;
         level++)
        if ((a ^ b) == meeting(sides, level))
            return true;
    return false;
}

static bool is_power(uint32_t n)
{
    return n != 0 && (n & (n - 1)) == 0;
}

bool fsh_program_near(uint32_t size, uint32_t sides, uint32_t a, uint32_t b)
{
    return is_power((b + size - a) % size) || is_power((a + size - b) % size) ||
           fsh_program_meet(size, sides, a, b);
}

uint32_t fsh_tree_virtual(const struct fsh_tree *t, uint32_t rank)
{
    uint32_t v = 0;

    if (t->sides == 0)
        return rank < 2 * t->extra ? rank / 2 : rank - t->extra;
    for (uint32_t level = t->levels; level-- > 0;)
        if ((rank >> level & 1) != 0) {
            v |= 1u << level;
            rank ^= meeting(t->sides, level);
        }
    return v;
}

uint32_t fsh_tree_stands(const struct fsh_tree *t, uint32_t v)
{
    if (t->sides != 0) {
        uint32_t rank = 0;

        for (uint32_t level = 0; level < t->levels; level++)
            if ((v >> level & 1) != 0)
                rank ^= meeting(t->sides, level);
        return rank;
    }
    if (v >= t->extra)
        return v + t->extra;
    return t->root == 2 * v + 1 ? 2 * v + 1 : 2 * v;
}

uint32_t fsh_tree_pair(const struct fsh_tree *t, uint32_t rank)
{
    return rank < 2 * t->extra ? rank ^ 1 : FSH_PROGRAM_NOBODY;
}

/* The first rank of a virtual one. */
static uint32_t first_of(const struct fsh_tree *t, uint32_t v)
{
    return v < t->extra ? 2 * v : v + t->extra;
}

range_t fsh_tree_blocks(const struct fsh_tree *t, enum fsh_program_place place,
                        uint32_t v, uint32_t count)
{
    uint32_t first = first_of(t, v);

    return fsh_blocks(place, first, first_of(t, v + count) - first);
}

/* ---- binomial trees ---- */

uint32_t fsh_binomial_below(uint32_t w, uint32_t size)
{
    uint32_t lowest = w & -w;

    return w == 0 || lowest > size - w ? size - w : lowest;
}

uint32_t fsh_binomial_most(uint32_t w, uint32_t size)
{
    uint32_t below = fsh_binomial_below(w, size), most = 0;

    for (uint32_t d = 1; d < below; d <<= 1)
        most = d;
    return most;
}

uint32_t fsh_blocks_one(const struct fsh_program_shape *shape)
{
    (void)shape;
    return 1;
}

uint32_t fsh_blocks_size(const struct fsh_program_shape *shape)
{
    return shape->size;
}

uint32_t fsh_blocks_virtual(const struct fsh_program_shape *shape)
{
    return 1u << levels_of(shape->size);
}
