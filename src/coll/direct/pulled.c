/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Long operations in which each member computes its own result. With the first number
 * members publish where their buffers are. If all inputs can be reached, everything
 * is done in one step, and the next number says so. Otherwise it proceeds in rounds
 * of one number each, for which members with unreachable inputs copy a piece of each
 * block to their board while peers read the previous piece.
 */
#include "coll/direct/group.h"

enum stage { BEGIN, HEAR, MAKE, ROUND, WAIT, LEAVE, LEFT, END };

static bool is_in(struct fsh_members who, uint32_t member)
{
    return member >= who.first && member < who.end;
}

static bool copies(const struct fsh_coll_direct_op *op)
{
    uint32_t rank = op->group->rank;

    return is_in(fsh_direct_givers(op), rank) &&
           op->group->reached[rank].src == 0;
}

/* Publishes op->number, with the bytes that start at op->from if they must be
 * copied. */
static bool begin_round(struct fsh_coll_direct_op *op, uint32_t *missing)
{
    if (copies(op)) {
        if (!fsh_direct_wait_half(op, missing))
            return false;
        fsh_direct_copy_in(op);
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

/* Bytes that the root of a broadcast writes to each reachable peer while the peer
 * reads the rest, so that all copy the same amount, provided the root has no copy of
 * its own. */
static size_t pushed(const struct fsh_coll_direct_op *op)
{
    const struct fsh_coll_work *w = &op->work;

    if (w->call != FSH_PROGRAM_BROADCAST || !op->whole ||
        !op->group->reached[w->root].in_place)
        return 0;
    return op->block / op->group->size / 64 * 64;
}

/* Learns which buffers can be reached. */
static bool hear(struct fsh_coll_direct_op *op, uint32_t *missing)
{
    const struct fsh_coll_group *g = op->group;
    struct fsh_members givers = fsh_direct_givers(op);

    if (!fsh_direct_wait(op, givers, op->number, missing))
        return false;
    fsh_direct_hear(op, givers);
    op->whole = true;
    op->lent = false;
    for (uint32_t m = givers.first; m < givers.end; m++) {
        op->whole &= g->reached[m].src != 0;
        op->lent |= g->reached[m].src != 0;
    }
    if (op->whole)
        op->to = op->block;
    return true;
}

/* The part that the root writes to the others. */
static bool push(struct fsh_coll_direct_op *op, uint32_t *missing)
{
    const struct fsh_coll_group *g = op->group;
    size_t bytes = pushed(op);

    if (bytes == 0 || op->work.root != g->rank)
        return true;
    if (!fsh_direct_wait_all(op, op->number, missing))
        return false;
    fsh_direct_hear(op, fsh_members_all(op));
    for (uint32_t m = 0; m < g->size; m++)
        if (m != g->rank && g->reached[m].dst != 0)
            fsh_direct_copy((void *)g->reached[m].dst, op->work.src, bytes);
    return true;
}

/* Computes this member's part of the current round. */
static bool make(struct fsh_coll_direct_op *op, uint32_t *missing)
{
    const struct fsh_coll_group *g = op->group;
    size_t from = op->from;

    if (!push(op, missing))
        return false;
    if (op->work.root != g->rank && g->reached[g->rank].dst != 0)
        from += pushed(op);
    if (fsh_direct_takes(op))
        fsh_direct_make(op, op->work.dst, from, op->to);
    op->number++;
    return true;
}

/* Whether no member reads this SRC or writes this DST any more. */
static bool is_left(struct fsh_coll_direct_op *op, uint32_t *missing)
{
    const struct fsh_coll_group *g = op->group;
    uint32_t root = op->work.root;

    if (pushed(op) != 0 && root != g->rank)
        return fsh_direct_wait(op, fsh_members_one(root), op->number, missing);
    return copies(op) ||
           fsh_direct_wait(op, fsh_direct_readers(op), op->number, missing);
}

/* After a round: the next one, or the end. */
static enum stage next_stage(struct fsh_coll_direct_op *op)
{
    if (op->to < op->block) {
        op->from = op->to;
        fsh_direct_set_round(op);
        return ROUND;
    }
    return op->lent ? LEAVE : END;
}

static bool go(struct fsh_coll_direct_op *op, uint32_t *missing)
{
    switch ((enum stage)op->stage) {
    case BEGIN:
        return begin(op, missing);
    case HEAR:
        return hear(op, missing);
    case MAKE:
        return make(op, missing);
    case ROUND:
        return begin_round(op, missing);
    case WAIT:
        return fsh_direct_wait(op, fsh_direct_sources(op), op->number, missing);
    case LEAVE:
        fsh_direct_publish(op);
        return true;
    case LEFT:
        return is_left(op, missing);
    case END:
        break;
    }
    return true;
}

bool fsh_direct_pulled(struct fsh_coll_direct_op *op, uint32_t *missing)
{
    while (op->stage != END) {
        if (!go(op, missing))
            return false;
        if (op->stage == MAKE)
            op->stage = (uint8_t)next_stage(op);
        else if (op->stage == WAIT)
            op->stage = MAKE;
        else
            op->stage++;
    }
    return true;
}
