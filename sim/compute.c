/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The compute core of a node: its port to device memory, and clock gating. It is
 * wired to the node inside the Verilated card; it is clocked unless the core is idle
 * and memory has nothing for it.
 */
#include <stdlib.h>
#include <string.h>

#include "model.h"

bool fsh_sim_compute_init(struct fsh_fabric *fab, struct fsh_sim_node *node)
{
    struct fsh_sim_compute *core = calloc(1, sizeof *core);

    node->core = core;
    if (!core)
        return false;
    for (uint32_t l = 0; l < FSH_COMPUTE_LANES; l++)
        fsh_lane_init(fab, node, &core->lane[l], l, &node->io.out.lane[l],
                      &node->io.in.lane[l]);
    node->dram_pool.carry = FSH_LANE_BYTES - 1;
    node->io.in.core_present = 1;
    return true;
}

void fsh_sim_compute_free(struct fsh_sim_node *node)
{
    free(node->core);
    node->core = NULL;
}

uint64_t fsh_sim_compute_due(const struct fsh_sim_compute *core)
{
    uint64_t due = FSH_NEVER;

    for (uint32_t l = 0; l < FSH_COMPUTE_LANES; l++) {
        uint64_t at = fsh_lane_due(&core->lane[l]);

        due = at < due ? at : due;
    }
    return due;
}

bool fsh_sim_compute_work(struct fsh_fabric *fab, struct fsh_sim_node *node)
{
    struct fsh_sim_compute *core = node->core;
    bool active = node->io.out.core_busy;
    uint32_t stall;

    stall = fab->stalling ? fsh_stall_lanes(fab, node) : 0;
    for (uint32_t k = 0; k < FSH_COMPUTE_LANES; k++) {
        uint32_t l = (k + (uint32_t)(node->cycle >> 1)) % FSH_COMPUTE_LANES;

        active |= fsh_lane_step(fab, node, &core->lane[l], stall);
    }
    core->evaluate = active || !fab->config.jump;
    core->rests = !core->evaluate && fsh_sim_compute_due(core) == FSH_NEVER;
    return active;
}
