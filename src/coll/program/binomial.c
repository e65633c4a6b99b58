/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Binomial trees: log2(ranks) rounds, each sending all bytes; for short messages.
 * Reduce uses the natural rank order (TREE), rotated so that the root is at its top;
 * the others number ranks from the root.
 */
#include "coll/program/algorithms.h"
#include "coll/program/build.h"

typedef struct fsh_program_shape shape_t;

enum { UP = 0, DOWN = 1 }; /* SeqIDs of a barrier */

/* Sends `blocks` to all ranks below w, the largest subtree first. */
static void send_down(struct fsh_program *p, const shape_t *s, uint32_t w,
                      step_t *made, range_t blocks, uint32_t seq)
{
    for (uint32_t d = fsh_binomial_most(w, s->size); d != 0; d >>= 1) {
        fsh_step_send(p, made, blocks, fsh_to_rank(s, w + d), seq);
        made = NULL;
    }
}

static void broadcast(struct fsh_program *p, const shape_t *s, uint32_t rank)
{
    uint32_t w = fsh_from_root(s, rank);
    range_t dst = fsh_blocks(FSH_PROGRAM_DST, 0, 1);
    step_t *made;

    if (w == 0) {
        made = fsh_step_local(p, fsh_blocks(FSH_PROGRAM_SRC, 0, 1));
        made->store = dst;
    } else {
        made =
            fsh_step_receive(p, fsh_to_rank(s, fsh_binomial_parent(w)), 0, dst);
    }
    send_down(p, s, w, made, dst, 0);
}

/* Combines what arrives at this rank: from its pair first, then distances 1, 2, 4
 * ... */
static step_t *collect(struct fsh_program *p, const struct fsh_tree *t,
                       uint32_t rank, range_t local)
{
    uint32_t top = fsh_tree_virtual(t, t->root);
    uint32_t w = fsh_tree_virtual(t, rank) ^ top;
    uint32_t pair = fsh_tree_pair(t, rank);
    step_t *made = fsh_step_local(p, local);

    made->seq = UP;
    if (pair != FSH_PROGRAM_NOBODY)
        made->source[made->sources++] = (uint16_t)pair;
    for (uint32_t d = 1; d < 1u << t->levels && (w & d) == 0; d <<= 1)
        made->source[made->sources++] =
            (uint16_t)fsh_tree_stands(t, (w | d) ^ top);
    made->reduce = made->sources != 0;
    return made;
}

static uint32_t above(const struct fsh_tree *t, uint32_t rank)
{
    uint32_t v = fsh_tree_virtual(t, rank), top = fsh_tree_virtual(t, t->root);

    if (fsh_tree_stands(t, v) != rank)
        return fsh_tree_stands(t, v);
    return fsh_tree_stands(t, fsh_binomial_parent(v ^ top) ^ top);
}

static void reduce(struct fsh_program *p, const shape_t *s, uint32_t rank)
{
    struct fsh_tree t = fsh_tree_of(s);
    range_t src = fsh_blocks(FSH_PROGRAM_SRC, 0, 1);

    if (fsh_tree_stands(&t, fsh_tree_virtual(&t, rank)) != rank)
        fsh_step_send(p, NULL, src, above(&t, rank), UP);
    else if (rank == s->root)
        collect(p, &t, rank, src)->store = fsh_blocks(FSH_PROGRAM_DST, 0, 1);
    else
        fsh_step_send(p, collect(p, &t, rank, src), src, above(&t, rank), UP);
}

static void barrier(struct fsh_program *p, const shape_t *s, uint32_t rank)
{
    range_t here = fsh_blocks(FSH_PROGRAM_TMP, 0, 1);
    step_t *made = fsh_step_local(p, here);

    made->store = here;
    made->seq = UP;
    for (uint32_t d = 1; d <= fsh_binomial_most(rank, s->size); d <<= 1)
        made->source[made->sources++] = (uint16_t)(rank + d);
    made->reduce = made->sources != 0;
    if (rank != 0) {
        fsh_step_send(p, made, here, fsh_binomial_parent(rank), UP);
        made = fsh_step_receive(p, fsh_binomial_parent(rank), DOWN, here);
    }
    send_down(p, s, rank, made, here, DOWN);
}

/* ---- gather and scatter: the blocks of a subtree, in two ranges if they wrap ---- */

/* The ranges of `count` ranks from relative rank w on; returns how many
 * ranges. */
static unsigned ranges_of(const shape_t *s, enum fsh_program_place place,
                          uint32_t w, uint32_t count, range_t range[2])
{
    uint32_t first = fsh_to_rank(s, w);

    if (first + count <= s->size) {
        range[0] = fsh_blocks(place, first, count);
        return 1;
    }
    range[0] = fsh_blocks(place, first, s->size - first);
    range[1] = fsh_blocks(place, 0, first + count - s->size);
    return 2;
}

static void send_ranges(struct fsh_program *p, const shape_t *s,
                        enum fsh_program_place place, uint32_t w,
                        uint32_t count, uint32_t dest)
{
    range_t range[2];
    unsigned n = ranges_of(s, place, w, count, range);

    for (unsigned i = 0; i < n; i++)
        fsh_step_send(p, NULL, range[i], dest, i);
}

static void receive_ranges(struct fsh_program *p, const shape_t *s,
                           enum fsh_program_place place, uint32_t w,
                           uint32_t count, uint32_t source)
{
    range_t range[2];
    unsigned n = ranges_of(s, place, w, count, range);

    for (unsigned i = 0; i < n; i++)
        fsh_step_receive(p, source, i, range[i]);
}

static void gather(struct fsh_program *p, const shape_t *s, uint32_t rank)
{
    uint32_t w = fsh_from_root(s, rank), below = fsh_binomial_below(w, s->size);
    uint32_t parent = fsh_to_rank(s, fsh_binomial_parent(w));
    enum fsh_program_place place = w == 0 ? FSH_PROGRAM_DST : FSH_PROGRAM_TMP;

    if (below == 1 && w != 0) {
        send_ranges(p, s, FSH_PROGRAM_SRC, w, 1, parent);
        return;
    }
    fsh_step_local(p, fsh_blocks(FSH_PROGRAM_SRC, rank, 1))->store =
        fsh_blocks(place, rank, 1);
    for (uint32_t d = 1; d <= fsh_binomial_most(w, s->size); d <<= 1)
        receive_ranges(p, s, place, w + d, fsh_binomial_below(w + d, s->size),
                       fsh_to_rank(s, w + d));
    if (w != 0)
        send_ranges(p, s, place, w, below, parent);
}

static void scatter(struct fsh_program *p, const shape_t *s, uint32_t rank)
{
    uint32_t w = fsh_from_root(s, rank), below = fsh_binomial_below(w, s->size);
    uint32_t parent = fsh_to_rank(s, fsh_binomial_parent(w));
    range_t own = fsh_blocks(FSH_PROGRAM_DST, rank, 1);
    enum fsh_program_place place = w == 0 ? FSH_PROGRAM_SRC : FSH_PROGRAM_TMP;

    if (below == 1 && w != 0) {
        receive_ranges(p, s, FSH_PROGRAM_DST, w, 1, parent);
        return;
    }
    if (w != 0)
        receive_ranges(p, s, place, w, below, parent);
    for (uint32_t d = fsh_binomial_most(w, s->size); d != 0; d >>= 1)
        send_ranges(p, s, place, w + d, fsh_binomial_below(w + d, s->size),
                    fsh_to_rank(s, w + d));
    fsh_step_local(p, fsh_blocks(place, rank, 1))->store = own;
}

static void build(struct fsh_program *p, const shape_t *s, uint32_t rank)
{
    switch (s->call) {
    case FSH_PROGRAM_BARRIER:
        barrier(p, s, rank);
        break;
    case FSH_PROGRAM_BROADCAST:
        broadcast(p, s, rank);
        break;
    case FSH_PROGRAM_GATHER:
        gather(p, s, rank);
        break;
    case FSH_PROGRAM_SCATTER:
        scatter(p, s, rank);
        break;
    default:
        reduce(p, s, rank);
    }
}

static uint32_t blocks(const shape_t *s)
{
    return s->call == FSH_PROGRAM_GATHER || s->call == FSH_PROGRAM_SCATTER
               ? s->size
               : 1;
}

const struct fsh_program_algorithm fsh_algorithm_binomial = {
    .name = "binomial",
    .id = 1,
    .calls = 1u << FSH_PROGRAM_BARRIER | 1u << FSH_PROGRAM_BROADCAST |
             1u << FSH_PROGRAM_GATHER | 1u << FSH_PROGRAM_SCATTER |
             1u << FSH_PROGRAM_REDUCE,
    .order = FSH_PROGRAM_TREE,
    .about = "binomial tree: short messages",
    .blocks = blocks,
    .build = build};
