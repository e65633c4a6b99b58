/* SPDX-License-Identifier: BSD-3-Clause */
/* Short operations: inputs are copied to the board, into a slot or a half, and members
 * that need them fold or copy them from there. */
#include "base/cpu.h"
#include "coll/direct/group.h"

enum stage { COPY_IN, MAKE };

static bool copy_in(struct fsh_coll_direct_op *op, uint32_t *missing)
{
    uint64_t depth = op->slot ? FSH_SLOTS : 2;

    if (fsh_members_any(fsh_direct_readers(op))) {
        /* A member that has reached the number after it no longer reads what
         * was there. */
        if (op->number > depth &&
            !fsh_direct_wait_all(op, op->number - depth + 1, missing))
            return false;
        fsh_direct_copy_in(op);
    }
    fsh_direct_publish(op);
    op->stage = MAKE;
    return true;
}

/* Touches a member's slot payload in addition to its number, so that all lines are
 * transferred together once written, rather than the number's first. */
static void expect(const struct fsh_coll_direct_op *op, uint32_t member)
{
    const unsigned char *payload = fsh_direct_copies(op, member);

    for (size_t at = FSH_SLOT_FIRST; op->slot && at < op->block; at += 64)
        __builtin_prefetch(payload + at);
}

/* The next operation is often as short as this one: fetches the slot of its number
 * exclusively, which peers read four numbers ago. */
static void fetch_slot(const struct fsh_coll_direct_op *op)
{
    const struct fsh_coll_group *g = op->group;
    const unsigned char *slot = (const unsigned char *)fsh_board_slot(
        g->member[g->rank].board, g->rank, op->number + 1);
    size_t bytes = offsetof(struct fsh_slot, payload) + op->block;

    for (size_t at = 0; at < bytes; at += FSH_CACHE_LINE)
        fsh_prefetch_write(slot + at);
}

/* Also fetches what it checks before writing that: a member that gives and does not
 * receive has not seen the others' numbers. */
static void fetch_numbers(const struct fsh_coll_direct_op *op)
{
    const struct fsh_coll_group *g = op->group;
    uint64_t number = op->number + 2 - FSH_SLOTS;

    if (g->all >= number || !fsh_members_any(fsh_direct_readers(op)))
        return;
    for (uint32_t m = 0; m < g->size; m++)
        if (m != g->rank)
            __builtin_prefetch(fsh_board_slot(g->member[m].board, m, number));
}

/* A member that has seen all the others need not check again before it
 * writes. */
static bool wait_for(struct fsh_coll_direct_op *op, struct fsh_members who,
                     uint32_t *missing)
{
    return who.end - who.first == op->group->size
               ? fsh_direct_wait_all(op, op->number, missing)
               : fsh_direct_wait(op, who, op->number, missing);
}

bool fsh_direct_copied(struct fsh_coll_direct_op *op, uint32_t *missing)
{
    struct fsh_members sources = fsh_direct_sources(op);

    if (op->stage == COPY_IN && !copy_in(op, missing))
        return false;
    if (!wait_for(op, sources, missing)) {
        expect(op, *missing);
        return false;
    }
    if (fsh_direct_takes(op))
        fsh_direct_make(op, op->work.dst, 0, op->block);
    if (op->slot) {
        fetch_slot(op);
        fetch_numbers(op);
    }
    return true;
}
