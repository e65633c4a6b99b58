/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The collective engine of a node: its port to device memory, and clock gating. Like
 * the compute core (compute.c), whose kind of port it has.
 */
#include "model.h"

void fsh_sim_coll_init(struct fsh_fabric *fab, struct fsh_sim_node *node)
{
    fsh_lane_init(fab, node, &node->coll.lane, FSH_COMPUTE_LANES,
                  &node->io.out.coll, &node->io.in.coll);
    if (node->dram_pool.rate < FSH_LANE_BYTES)
        node->dram_pool.carry = FSH_LANE_BYTES - 1;
    node->io.in.coll_present = 1;
}

bool fsh_sim_coll_inputs(struct fsh_fabric *fab, struct fsh_sim_node *node)
{
    struct fsh_sim_coll *coll = &node->coll;
    bool active = node->io.out.coll_busy;
    uint32_t stall;

    if (!active && coll->rests)
        return false;
    stall = fab->stalling ? fsh_stall_lanes(fab, node) : 0;
    active |= fsh_lane_step(fab, node, &coll->lane, stall);
    coll->evaluate = active || !fab->config.jump;
    coll->rests = !coll->evaluate && fsh_lane_due(&coll->lane) == FSH_NEVER;
    return active;
}
