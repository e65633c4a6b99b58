/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A tree whose ranks send to those that are near (fsh_program_near): short broadcasts by engines
 * of cards, which send a packet again in a fraction of the time that it travels. Each rank gets
 * it as early as it can, if ranks are found one after the other; who leads to the last ones is
 * sent to first. With 32 ranks few ways have more than two rounds, where a binomial tree has
 * five.
 */
#include "coll/program/build.h"

/* In units of what it takes to send a packet again: to pass it on, and each link. */
#define PASSES 6u
#define LINK 4u
#define LINKS 2u /* between two ranks, if the network is unknown */
#define RANKS 64u
#define NOBODY UINT32_MAX

struct tree {
    const struct fsh_program_shape *s;
    uint32_t reached[RANKS]; /* in the order in which they get it, root first */
    uint32_t parent[RANKS];  /* by rank, from here on */
    uint32_t ready[RANKS];   /* when it can send next */
    uint32_t below[RANKS];   /* from when it has it until those below it have */
};

/* The shorter way from place to place in a ring. */
static uint32_t ring_links(uint32_t side, uint32_t a, uint32_t b)
{
    uint32_t d = (b + side - a) % side;

    return d < side - d ? d : side - d;
}

static uint32_t links(const struct fsh_program_shape *s, uint32_t a, uint32_t b)
{
    uint32_t sum = 0, low = 1, high;

    if (s->sides == 0 || (s->size & (s->size - 1)) != 0)
        return LINKS;
    for (; low < s->size; low = high) {
        for (high = 2 * low; high < s->size && (s->sides & high) == 0;)
            high *= 2;
        sum += ring_links(high / low, a % high / low, b % high / low);
    }
    return sum;
}

static uint32_t way(const struct fsh_program_shape *s, uint32_t a, uint32_t b)
{
    return PASSES + LINK * links(s, a, b);
}

/* Who can have it first, of those that `from` can send to: it has it at *when, if that is
 * earlier. */
static bool is_first(const struct tree *t, uint32_t from, uint32_t *when,
                     uint32_t *to)
{
    bool any = false;

    for (uint32_t r = 0; r < t->s->size; r++) {
        uint32_t at;

        if (t->parent[r] != NOBODY ||
            !fsh_program_near(t->s->size, t->s->sides, from, r))
            continue;
        at = t->ready[from] + way(t->s, from, r);
        if (at < *when) {
            *when = at;
            *to = r;
            any = true;
        }
    }
    return any;
}

/* Adds the rank that can have it first to the n that have it. */
static void reach(struct tree *t, uint32_t n)
{
    uint32_t when = NOBODY, to = 0, from = 0;

    for (uint32_t i = 0; i < n; i++)
        if (is_first(t, t->reached[i], &when, &to))
            from = t->reached[i];
    t->reached[n] = to;
    t->parent[to] = from;
    t->ready[to] = when;
    t->ready[from]++;
}

/* Those that `from` sends to, the one first whose last ones have it latest; returns how many
 * they are. */
static uint32_t sends_to(const struct tree *t, uint32_t from,
                         uint32_t to[RANKS], uint32_t took[RANKS])
{
    uint32_t n = 0, k;

    for (uint32_t r = 0; r < t->s->size; r++) {
        uint32_t all;

        if (r == t->s->root || t->parent[r] != from)
            continue;
        all = way(t->s, from, r) + t->below[r];
        for (k = n++; k > 0 && took[k - 1] < all; k--) {
            to[k] = to[k - 1];
            took[k] = took[k - 1];
        }
        to[k] = r;
        took[k] = all;
    }
    return n;
}

static void build(struct fsh_program *p, const struct fsh_program_shape *s,
                  uint32_t rank)
{
    struct tree t = {.s = s, .reached = {s->root}};
    range_t dst = fsh_blocks(FSH_PROGRAM_DST, 0, 1);
    uint32_t to[RANKS], took[RANKS], n;
    step_t *made;

    FSH_ASSERT(s->size <= RANKS);
    for (uint32_t r = 0; r < s->size; r++)
        t.parent[r] = r == s->root ? r : NOBODY;
    for (uint32_t i = 1; i < s->size; i++)
        reach(&t, i);
    for (uint32_t i = s->size; i-- > 0;) {
        uint32_t r = t.reached[i];

        n = sends_to(&t, r, to, took);
        for (uint32_t k = 0; k < n; k++)
            if (k + took[k] > t.below[r])
                t.below[r] = k + took[k];
    }
    if (rank == s->root) {
        made = fsh_step_local(p, fsh_blocks(FSH_PROGRAM_SRC, 0, 1));
        made->store = dst;
    } else {
        made = fsh_step_receive(p, t.parent[rank], 0, dst);
    }
    n = sends_to(&t, rank, to, took);
    for (uint32_t k = 0; k < n; k++) {
        fsh_step_send(p, made, dst, to[k], 0);
        made = NULL;
    }
}

const struct fsh_program_algorithm fsh_program_spread = {
    .name = "spread",
    .calls = 1u << FSH_PROGRAM_BROADCAST,
    .order = FSH_PROGRAM_ANY,
    .about = "tree of near ranks: short messages of cards",
    .blocks = fsh_blocks_one,
    .build = build};
