/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The choice of the algorithm for a collective: an algorithm for a team, a size or a
 * kind of its own is added here. Called once all images of this node have called.
 */
#include "gasnet/coll.h"

const struct fsh_coll_algorithm *fsh_coll_choose(
    const struct fsh_team *team, const struct fsh_coll_call *call)
{
    static const struct fsh_coll_algorithm *const algorithms[FSH_COLL_KINDS] = {
        [FSH_COLL_BROADCAST] = &fsh_coll_move,
        [FSH_COLL_SCATTER] = &fsh_coll_move,
        [FSH_COLL_GATHER] = &fsh_coll_move,
        [FSH_COLL_GATHER_ALL] = &fsh_coll_move,
        [FSH_COLL_EXCHANGE] = &fsh_coll_move,
        [FSH_COLL_REDUCE] = &fsh_coll_reduce,
        [FSH_COLL_SCAN] = &fsh_coll_scan};

    (void)team;
    FSH_ASSERT(call->kind < FSH_COLL_KINDS && algorithms[call->kind] != NULL);
    return algorithms[call->kind];
}
