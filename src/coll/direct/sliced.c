/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Long reductions whose result is the same for all members that get it: each member
 * computes a slice of the vector from all inputs and writes it to all. One number
 * announces that inputs are available, the next that slices are. With the first
 * number members publish where their buffers are; if peers can reach all of them, two
 * numbers suffice. Otherwise it proceeds in rounds: a member that cannot be reached
 * puts a piece of SRC on its board, and reads slices from the boards of the members
 * that computed them. Two members in that situation continue as PULLED: a round is
 * then one number, and computing a slice twice saves copying it twice.
 */
#include "coll/direct/group.h"

enum stage { BEGIN, HEAR, MAKE, TAKE, ROUND, WAIT, END };

/* A byte range of the current round. */
struct slice {
    size_t from, to;
};

/* Whole cache lines of a vector that starts with one. */
static struct slice slice_of(const struct fsh_coll_direct_op *op,
                             uint32_t member)
{
    size_t bytes = op->to - op->from, parts = op->group->size;
    size_t units = (bytes + 63) / 64;
    struct slice s = {units * member / parts * 64,
                      units * (member + 1) / parts * 64};

    s.from = op->from + (s.from < bytes ? s.from : bytes);
    s.to = op->from + (s.to < bytes ? s.to : bytes);
    return s;
}

/* No other member reads our own slice, unless two members continue as
 * PULLED. */
static void copy_in(const struct fsh_coll_direct_op *op)
{
    struct fsh_coll_group *g = op->group;
    unsigned char *half = fsh_direct_copies(op, g->rank);
    const unsigned char *src = op->work.src;
    struct slice mine = slice_of(op, g->rank);

    if (g->size == 2) {
        fsh_direct_copy_in(op);
        return;
    }
    fsh_direct_copy_half(g, half, src + op->from, mine.from - op->from);
    fsh_direct_copy_half(g, half + (mine.to - op->from), src + mine.to,
                         op->to - mine.to);
}

static bool begin_round(struct fsh_coll_direct_op *op, uint32_t *missing)
{
    const struct fsh_coll_group *g = op->group;

    if (g->reached[g->rank].src == 0) {
        if (!fsh_direct_wait_half(op, missing))
            return false;
        copy_in(op);
    }
    fsh_direct_publish(op);
    return true;
}

static bool begin(struct fsh_coll_direct_op *op, uint32_t *missing)
{
    if (!fsh_direct_wait_half(op, missing))
        return false;
    fsh_direct_set_round(op);
    fsh_direct_say(op);
    return begin_round(op, missing);
}

/* Whether both members compute everything. Not if one would write what the
 * other reads. */
static bool is_pulled(const struct fsh_coll_direct_op *op)
{
    const struct fsh_reached *r = op->group->reached;

    return !op->whole && op->group->size == 2 &&
           op->work.call == FSH_PROGRAM_ALLREDUCE &&
           !(r[0].in_place && r[0].src != 0) &&
           !(r[1].in_place && r[1].src != 0);
}

static bool hear(struct fsh_coll_direct_op *op, uint32_t *missing)
{
    const struct fsh_coll_group *g = op->group;
    struct fsh_members takers = fsh_direct_takers(op);

    if (!fsh_direct_wait_all(op, op->number, missing))
        return false;
    fsh_direct_hear(op, fsh_members_all(op));
    op->whole = true;
    for (uint32_t m = 0; m < g->size; m++)
        op->whole &= g->reached[m].src != 0;
    for (uint32_t m = takers.first; m < takers.end; m++)
        op->whole &= g->reached[m].dst != 0;
    if (op->whole)
        op->to = op->block;
    if (is_pulled(op))
        op->way = FSH_DIRECT_PULLED;
    return true;
}

/* Whether a taker reads our slice from our board. */
static bool is_fetched(const struct fsh_coll_direct_op *op)
{
    const struct fsh_coll_group *g = op->group;
    struct fsh_members takers = fsh_direct_takers(op);

    for (uint32_t m = takers.first; !op->whole && m < takers.end; m++)
        if (m != g->rank && g->reached[m].dst == 0)
            return true;
    return false;
}

/* Where bytes are computed: in the first available DST, or aside. */
static uintptr_t first_place(const struct fsh_coll_direct_op *op, size_t from)
{
    const struct fsh_coll_group *g = op->group;
    struct fsh_members takers = fsh_direct_takers(op);

    if (fsh_direct_takes(op))
        return (uintptr_t)op->work.dst;
    if (g->reached[takers.first].dst != 0)
        return g->reached[takers.first].dst;
    return (uintptr_t)g->aside - from;
}

/* Computes bytes and copies them to all takers; half: where byte 0 would be on our
 * board. */
static void make_chunk(const struct fsh_coll_direct_op *op, uintptr_t half,
                       size_t from, size_t to)
{
    struct fsh_members takers = fsh_direct_takers(op);
    uintptr_t first = first_place(op, from);

    fsh_direct_make(op, (unsigned char *)first, from, to);
    if (half != 0)
        fsh_direct_copy_half(op->group, (void *)(half + from),
                             (void *)(first + from), to - from);
    for (uint32_t m = takers.first; m < takers.end; m++) {
        uintptr_t dst = op->group->reached[m].dst;

        if (m != op->group->rank && dst != 0 && dst != first)
            fsh_direct_copy((void *)(dst + from), (void *)(first + from),
                            to - from);
    }
}

/* Computes our slice, for the next number. */
static void make(struct fsh_coll_direct_op *op)
{
    const struct fsh_coll_group *g = op->group;
    struct slice mine = slice_of(op, g->rank);
    uintptr_t half = 0;

    if (is_fetched(op))
        half = (uintptr_t)fsh_board_half(g->member[g->rank].board,
                                         op->number + 1) -
               op->from;
    for (size_t at = mine.from; at < mine.to; at += FSH_DIRECT_CHUNK)
        make_chunk(op, half, at,
                   mine.to - at < FSH_DIRECT_CHUNK ? mine.to
                                                   : at + FSH_DIRECT_CHUNK);
    op->number++;
    fsh_direct_publish(op);
}

/* Reads the slices that the others could not write to us. */
static bool take(struct fsh_coll_direct_op *op, uint32_t *missing)
{
    const struct fsh_coll_group *g = op->group;

    if (!fsh_direct_wait_all(op, op->number, missing))
        return false;
    if (!fsh_direct_takes(op) || g->reached[g->rank].dst != 0)
        return true;
    for (uint32_t m = 0; m < g->size; m++) {
        struct slice s = slice_of(op, m);

        if (m != g->rank)
            fsh_direct_copy(op->work.dst + s.from,
                            fsh_direct_copies(op, m) + (s.from - op->from),
                            s.to - s.from);
    }
    return true;
}

static enum stage next_stage(struct fsh_coll_direct_op *op)
{
    if (op->to == op->block)
        return END;
    op->from = op->to;
    fsh_direct_set_round(op);
    op->number++;
    return ROUND;
}

static bool go(struct fsh_coll_direct_op *op, uint32_t *missing)
{
    switch ((enum stage)op->stage) {
    case BEGIN:
        return begin(op, missing);
    case HEAR:
        return hear(op, missing);
    case MAKE:
        make(op);
        return true;
    case TAKE:
        return take(op, missing);
    case ROUND:
        return begin_round(op, missing);
    case WAIT:
        return fsh_direct_wait_all(op, op->number, missing);
    case END:
        break;
    }
    return true;
}

bool fsh_direct_sliced(struct fsh_coll_direct_op *op, uint32_t *missing)
{
    while (op->stage != END) {
        if (!go(op, missing))
            return false;
        if (op->way == FSH_DIRECT_PULLED) /* which must hear now, too */
            return fsh_direct_pulled(op, missing);
        if (op->stage == TAKE)
            op->stage = (uint8_t)next_stage(op);
        else if (op->stage == WAIT)
            op->stage = MAKE;
        else
            op->stage++;
    }
    return true;
}
