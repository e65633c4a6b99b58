/* SPDX-License-Identifier: BSD-3-Clause */
#include <assert.h>
#include <string.h>

#include "coll/direct/group.h"

/* Without data: no waiting, as nothing is overwritten. A member that has data detects
 * the differing claim; among members without, the later one does. */
static bool nothing(struct fsh_coll_direct_op *op, uint32_t *missing)
{
    if (op->group->size == 1)
        return true;
    fsh_direct_publish(op);
    return fsh_direct_agree(op, missing);
}

static bool barrier(struct fsh_coll_direct_op *op, uint32_t *missing)
{
    if (op->stage == 0)
        fsh_direct_publish(op);
    op->stage = 1;
    return fsh_direct_wait_all(op, op->number, missing);
}

/* A group of one. */
static bool alone(struct fsh_coll_direct_op *op, uint32_t *missing)
{
    (void)missing;
    fsh_direct_make(op, op->work.dst, 0, op->block);
    return true;
}

static bool (*const ways[FSH_DIRECT_WAYS])(struct fsh_coll_direct_op *op,
                                           uint32_t *missing) = {
    [FSH_DIRECT_NOTHING] = nothing,
    [FSH_DIRECT_ALONE] = alone,
    [FSH_DIRECT_BARRIER] = barrier,
    [FSH_DIRECT_COPIED] = fsh_direct_copied,
    [FSH_DIRECT_PULLED] = fsh_direct_pulled,
    [FSH_DIRECT_SLICED] = fsh_direct_sliced,
};

void fsh_coll_direct_begin(struct fsh_coll_direct_op *op,
                           struct fsh_coll_group *group,
                           const struct fsh_coll_work *work)
{
    /* Field by field: assigning the whole struct uses a string instruction that takes
     * longer than the rest. */
    op->group = group;
    op->work = *work;
    op->number = group->number + 1;
    op->from = 0;
    op->next = 0;
    op->disagrees = false;
    op->stage = 0;
    op->whole = false;
    op->lent = false;
    fsh_direct_measure(op);
}

bool fsh_coll_direct_step(struct fsh_coll_direct_op *op, uint32_t *missing)
{
    if (!ways[op->way](op, missing))
        return false;
    /* Two members that contribute, or expect nothing, check nobody; so one does
     * here. */
    op->number = op->group->number;
    return op->work.client == NULL || fsh_direct_agree(op, missing);
}
