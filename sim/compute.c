/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The compute core of a node: the second Verilated model, wired to the node's
 * compute port and to the device memory. Both models are given each other's
 * outputs of the present cycle, then both pass the same edge; each only if it
 * is not idle or an input of it is up.
 */
#include <stdlib.h>
#include <string.h>

#include "model.h"

bool fsh_sim_compute_init(struct fsh_fabric *fab, struct fsh_sim_node *node)
{
    const struct fsh_fabric_config *c = &fab->config;
    struct fsh_sim_compute *core = calloc(1, sizeof *core);

    node->core = core;
    if (!core)
        return false;
    for (uint32_t l = 0; l < FSH_COMPUTE_LANES; l++)
        core->lane[l] = (struct fsh_lane){
            .out = &core->io.out.lane[l],
            .in = &core->io.in.lane[l],
            .mem = node->master[0].mem,
            .base = node->master[0].base,
            .size = node->master[0].size,
            .read_cycles = c->dram_cycles,
            .resp_cycles = c->dram_write_cycles,
            .pool = &node->dram_pool,
            .node = node->index,
            .index = l,
        };
    node->dram_pool.carry = FSH_LANE_BYTES - 1;
    core->rtl = fsh_compute_create(&core->io, node->index, c->seed, fab->waves);
    return core->rtl != NULL;
}

void fsh_sim_compute_free(struct fsh_sim_node *node)
{
    if (node->core)
        fsh_compute_destroy(node->core->rtl);
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

bool fsh_sim_compute_inputs(struct fsh_fabric *fab, struct fsh_sim_node *node)
{
    struct fsh_sim_compute *core = node->core;
    const struct fsh_port_out *port = &node->io.out.port;
    const struct fsh_compute_out *out = &core->io.out;
    struct fsh_compute_in *in = &core->io.in;
    bool active = !out->idle || out->port.ccmd_valid || port->run_valid ||
                  port->sig_valid || port->ack_valid || port->cperf_clear ||
                  port->cperf_read;
    uint32_t stall;

    if (!active && core->rests)
        return false;
    stall = fab->stalling ? fsh_stall_lanes(fab, node->index) : 0;
    in->cycle = fab->cycle;
    in->port = *port;
    node->io.in.port = out->port;
    node->io.in.port.present = 1;
    for (uint32_t k = 0; k < FSH_COMPUTE_LANES; k++) {
        uint32_t l = (k + (uint32_t)(fab->cycle >> 1)) % FSH_COMPUTE_LANES;

        active |= fsh_lane_step(fab, &core->lane[l], stall);
    }
    core->evaluate = active || !fab->config.jump;
    core->rests = !core->evaluate && fsh_sim_compute_due(core) == FSH_NEVER;
    return active;
}
