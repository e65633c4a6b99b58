/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The collective engine of a node: its ports to device memory, one of each unit, and
 * clock gating. Like the compute core (compute.c), whose kind of port it has.
 */
#include "model.h"

void fsh_sim_coll_init(struct fsh_fabric *fab, struct fsh_sim_node *node)
{
    for (uint32_t l = 0; l < FSH_COLL_LANES; l++)
        fsh_lane_init(fab, node, &node->coll.lane[l], l, &node->io.out.coll[l],
                      &node->io.in.coll[l]);
    if (node->dram_pool.rate < FSH_LANE_BYTES)
        node->dram_pool.carry = FSH_LANE_BYTES - 1;
    node->io.in.coll_present = 1;
}

uint64_t fsh_sim_coll_due(const struct fsh_sim_coll *coll)
{
    uint64_t due = FSH_NEVER;

    for (uint32_t l = 0; l < FSH_COLL_LANES; l++) {
        uint64_t at = fsh_lane_due(&coll->lane[l]);

        due = at < due ? at : due;
    }
    return due;
}

bool fsh_sim_coll_work(struct fsh_fabric *fab, struct fsh_sim_node *node)
{
    struct fsh_sim_coll *coll = &node->coll;
    bool active = node->io.out.coll_busy;
    uint32_t stall;

    stall = fab->stalling ? fsh_stall_coll(fab, node) : 0;
    /* Who is first takes turns. */
    for (uint32_t k = 0; k < FSH_COLL_LANES; k++) {
        uint32_t l = (k + (uint32_t)node->cycle) % FSH_COLL_LANES;

        active |= fsh_lane_step(fab, node, &coll->lane[l], stall);
    }
    coll->evaluate = active || !fab->config.jump;
    coll->rests = !coll->evaluate && fsh_sim_coll_due(coll) == FSH_NEVER;
    return active;
}
