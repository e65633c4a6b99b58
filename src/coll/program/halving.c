/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Vector halving with distance doubling: partners at distance 1, 2, 4 ... exchange
 * halves of their remaining range and combine, so that each rank ends with one part
 * of the result, in the order TREE. Then the parts are gathered to the root (reduce:
 * binomial), or to all ranks in reverse (all-reduce: R. Rabenseifner, "Optimization
 * of collective reduction operations", ICCS 2004), or each goes to its owner
 * (reduce-scatter). For long messages; few rounds.
 */
#include "coll/program/algorithms.h"
#include "coll/program/build.h"

typedef struct fsh_program_shape shape_t;

/* A rank's role. w: its virtual rank, relative to the root's. */
struct part {
    struct fsh_program *p;
    const shape_t *s;
    struct fsh_tree t;
    uint32_t top;
    uint32_t w;
    uint32_t halvings; /* levels; above them all that is left is exchanged */
};

/* SeqIDs: 0 for pairs, then one per level forward, one per level back, and one at the
 * end. */
enum { SEQ_PAIR = 0, SEQ_LEVEL = 1 };

static uint32_t seq_back(const struct part *x, uint32_t level)
{
    return SEQ_LEVEL + x->t.levels + level;
}

static uint32_t seq_last(const struct part *x)
{
    return SEQ_LEVEL + 2 * x->t.levels;
}

static struct part part_of(struct fsh_program *p, const shape_t *s,
                           uint32_t rank)
{
    struct part x = {.p = p, .s = s, .t = fsh_tree_of(s)};

    x.top = fsh_tree_virtual(&x.t, s->root);
    x.w = fsh_tree_virtual(&x.t, rank) ^ x.top;
    x.halvings = x.t.levels;
    return x;
}

static uint32_t rank_of(const struct part *x, uint32_t w)
{
    return fsh_tree_stands(&x->t, w ^ x->top);
}

/* Parts of the vector: blocks, or those of virtual ranks. */
static range_t parts(const struct part *x, enum fsh_program_place place,
                     uint32_t first, uint32_t count)
{
    if (x->s->call == FSH_PROGRAM_REDUCE_SCATTER)
        return fsh_tree_blocks(&x->t, place, first, count);
    return fsh_blocks(place, first, count);
}

static range_t all_parts(const struct part *x, enum fsh_program_place place)
{
    return parts(x, place, 0, 1u << x->halvings);
}

/* The range w holds before this level: at each level the half selected by its bit. */
static range_t share(const struct part *x, uint32_t w, uint32_t level,
                     enum fsh_program_place place)
{
    uint32_t first = 0, count = 1u << x->halvings;

    for (uint32_t j = 0; j < level && j < x->halvings; j++) {
        count /= 2;
        first += (w >> j & 1) * count;
    }
    return parts(x, place, first, count);
}

/* The levels; the result of the last one, whose step is returned, is stored at `last`. */
static step_t *halve(const struct part *x, uint32_t rank,
                     enum fsh_program_place last)
{
    enum fsh_program_place from = FSH_PROGRAM_SRC;
    step_t *made = NULL;
    uint32_t pair = fsh_tree_pair(&x->t, rank);

    if (pair != FSH_PROGRAM_NOBODY) {
        fsh_step_fold(x->p, all_parts(x, from), pair, SEQ_PAIR,
                      all_parts(x, FSH_PROGRAM_TMP));
        from = FSH_PROGRAM_TMP;
    }
    for (uint32_t j = 0; j < x->t.levels; j++) {
        uint32_t other = x->w ^ 1u << j;

        fsh_step_send(x->p, made, share(x, other, j + 1, from),
                      rank_of(x, other), SEQ_LEVEL + j);
        made = fsh_step_fold(
            x->p, share(x, x->w, j + 1, from), rank_of(x, other), SEQ_LEVEL + j,
            share(x, x->w, j + 1,
                  j + 1 == x->t.levels ? last : FSH_PROGRAM_TMP));
        if (j + 1 < x->halvings)
            made = NULL; /* half of that is sent */
        from = FSH_PROGRAM_TMP;
    }
    return made;
}

static void reduce(const struct part *x, uint32_t rank)
{
    enum fsh_program_place place =
        x->w == 0 ? FSH_PROGRAM_DST : FSH_PROGRAM_TMP;

    halve(x, rank, place);
    for (uint32_t j = x->t.levels; j-- > 0;) {
        uint32_t other = x->w ^ 1u << j;

        if (x->w >> j & 1) {
            fsh_step_send(x->p, NULL, share(x, x->w, j + 1, place),
                          rank_of(x, other), seq_back(x, j));
            return;
        }
        fsh_step_receive(x->p, rank_of(x, other), seq_back(x, j),
                         share(x, other, j + 1, place));
    }
}

static void allreduce(const struct part *x, uint32_t rank)
{
    uint32_t pair = fsh_tree_pair(&x->t, rank);
    step_t *made = halve(x, rank, FSH_PROGRAM_DST);

    if (x->halvings == x->t.levels)
        made = NULL;
    for (uint32_t j = x->halvings; j-- > 0;) {
        uint32_t other = x->w ^ 1u << j;

        fsh_step_send(x->p, made, share(x, x->w, j + 1, FSH_PROGRAM_DST),
                      rank_of(x, other), seq_back(x, j));
        fsh_step_receive(x->p, rank_of(x, other), seq_back(x, j),
                         share(x, other, j + 1, FSH_PROGRAM_DST));
        made = NULL;
    }
    if (pair != FSH_PROGRAM_NOBODY)
        fsh_step_send(x->p, NULL, all_parts(x, FSH_PROGRAM_DST), pair,
                      seq_last(x));
}

/* The w that holds this part at the end: the part's bits reversed. */
static uint32_t holder(const struct part *x, uint32_t piece)
{
    uint32_t w = 0;

    for (uint32_t j = 0; j < x->t.levels; j++)
        w |= (piece >> j & 1) << (x->t.levels - 1 - j);
    return w;
}

static void receive_own(const struct part *x, uint32_t rank)
{
    uint32_t from = rank_of(x, holder(x, fsh_tree_virtual(&x->t, rank)));

    if (from != rank)
        fsh_step_receive(x->p, from, seq_last(x),
                         fsh_blocks(FSH_PROGRAM_DST, rank, 1));
}

static void reduce_scatter(const struct part *x, uint32_t rank)
{
    range_t have = share(x, x->w, x->t.levels, FSH_PROGRAM_TMP);

    halve(x, rank, FSH_PROGRAM_TMP);
    for (uint32_t b = have.first; b < (uint32_t)have.first + have.count; b++) {
        range_t block = fsh_blocks(FSH_PROGRAM_TMP, b, 1);

        if (b == rank)
            fsh_step_local(x->p, block)->store =
                fsh_blocks(FSH_PROGRAM_DST, b, 1);
        else
            fsh_step_send(x->p, NULL, block, b, seq_last(x));
    }
    receive_own(x, rank);
}

/* The second rank of a pair: contributes all it has, and receives its
 * result. */
static void beside(const struct part *x, uint32_t rank)
{
    uint32_t pair = fsh_tree_pair(&x->t, rank);

    fsh_step_send(x->p, NULL, all_parts(x, FSH_PROGRAM_SRC), pair, SEQ_PAIR);
    if (x->s->call == FSH_PROGRAM_ALLREDUCE)
        fsh_step_receive(x->p, pair, seq_last(x),
                         all_parts(x, FSH_PROGRAM_DST));
    else if (x->s->call == FSH_PROGRAM_REDUCE_SCATTER)
        receive_own(x, rank);
}

static void build(struct fsh_program *p, const shape_t *s, uint32_t rank)
{
    struct part x = part_of(p, s, rank);

    if (s->size == 1)
        fsh_step_local(p, fsh_blocks(FSH_PROGRAM_SRC, 0, 1))->store =
            fsh_blocks(FSH_PROGRAM_DST, 0, 1);
    else if (rank_of(&x, x.w) != rank)
        beside(&x, rank);
    else if (s->call == FSH_PROGRAM_REDUCE)
        reduce(&x, rank);
    else if (s->call == FSH_PROGRAM_ALLREDUCE)
        allreduce(&x, rank);
    else
        reduce_scatter(&x, rank);
}

static uint32_t blocks(const shape_t *s)
{
    return s->call == FSH_PROGRAM_REDUCE_SCATTER ? s->size
                                                 : fsh_blocks_virtual(s);
}

const struct fsh_program_algorithm fsh_algorithm_halving = {
    .name = "halving",
    .id = 5,
    .calls = 1u << FSH_PROGRAM_REDUCE | 1u << FSH_PROGRAM_REDUCE_SCATTER,
    .order = FSH_PROGRAM_TREE,
    .about = "vector halving, distance doubling, then gathered: long messages",
    .blocks = blocks,
    .build = build};

const struct fsh_program_algorithm fsh_algorithm_rabenseifner = {
    .name = "rabenseifner",
    .id = 7,
    .calls = 1u << FSH_PROGRAM_ALLREDUCE,
    .order = FSH_PROGRAM_TREE,
    .about = "vector halving, distance doubling, and reverse: long messages",
    .blocks = blocks,
    .build = build};

/* Two levels of halving, then doubling of a quarter of the vector, and back: fewer rounds than
 * Rabenseifner's, and a quarter of the bytes of doubling where distances are long. */
#define QUARTERING 2u

static void build_quarters(struct fsh_program *p, const shape_t *s,
                           uint32_t rank)
{
    struct part x = part_of(p, s, rank);

    if (x.t.levels < QUARTERING) {
        build(p, s, rank);
        return;
    }
    x.halvings = QUARTERING;
    if (rank_of(&x, x.w) == rank)
        allreduce(&x, rank);
    else
        beside(&x, rank);
}

static uint32_t quarters(const shape_t *s)
{
    uint32_t all = fsh_blocks_virtual(s);

    return all < 1u << QUARTERING ? all : 1u << QUARTERING;
}

const struct fsh_program_algorithm fsh_program_quarters = {
    .name = "quarters",
    .calls = 1u << FSH_PROGRAM_ALLREDUCE,
    .order = FSH_PROGRAM_TREE,
    .about = "two levels of halving, doubling, and reverse: cards",
    .blocks = quarters,
    .build = build_quarters};
