/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One node of a fabric in one cycle: what its models see and drive, whether it must
 * be evaluated, and when it is next due. Called by step.c on the thread that steps
 * the node: nothing here touches another node except through fsh_links_step.
 */
#include "model.h"

/* Evaluations without a valid before the first look whether a node stands still;
 * each further look waits twice as long. */
enum { FIRST_LOOK = 6 };

/* Cycles go by in which no node is evaluated, although jumping is off: registers that
 * keep the cycle of something then differ by more than one, so who stood still is to be
 * found out anew. */
void fsh_forget_still(struct fsh_fabric *fab)
{
    for (uint32_t i = fab->first; !fab->config.jump && i < fab->past; i++) {
        fab->node[i].still = false;
        fab->node[i].quiet = 0;
        fab->node[i].look = FIRST_LOOK;
    }
}

static uint64_t node_due(const struct fsh_sim_node *node)
{
    uint64_t due = fsh_host_due(&node->host);

    for (uint32_t p = 0; p < node->ports; p++) {
        uint64_t at = fsh_link_due(&node->rx[p]);

        due = at < due ? at : due;
    }
    for (uint32_t p = 0; p < FSH_NODE_MASTERS; p++) {
        uint64_t at = fsh_master_due(&node->master[p]);

        due = at < due ? at : due;
    }
    if (node->core) {
        uint64_t at = fsh_sim_compute_due(node->core);

        due = at < due ? at : due;
    }
    uint64_t at = fsh_sim_coll_due(&node->coll);

    due = at < due ? at : due;
    at = fsh_sim_dma_due(&node->dma);
    return at < due ? at : due;
}

static bool memory_inputs(struct fsh_fabric *fab, struct fsh_sim_node *node,
                          uint32_t stall)
{
    bool active = false;

    for (uint32_t k = 0; k < FSH_LANES; k++) {
        uint32_t p = (k + (uint32_t)node->cycle) % FSH_LANES;

        active |= fsh_master_step(fab, node, &node->master[p], stall);
    }
    return active;
}

/* Is the node to be evaluated, given whether a valid is up on its pins? Nodes
 * mostly wait: for memory, for the rest of a packet, for an acknowledgement. */
static bool moves(const struct fsh_fabric *fab, struct fsh_sim_node *node,
                  bool valid)
{
    const struct fsh_node_out *out = &node->io.out;

    if (valid || fab->stalling || out->run_room != node->run_room) {
        node->still = false;
        node->quiet = 0;
        node->look = FIRST_LOOK;
        node->run_room = out->run_room;
        return valid || !out->idle;
    }
    return !node->still && !out->idle;
}

/* After an evaluation: mark the state at one, compare at the next. */
static void look_still(struct fsh_sim_node *node)
{
    /* The core has something for it from now on, which is in the state, too. */
    if (node->io.out.core_valid || node->io.out.run_room != node->run_room ||
        node->io.out.coll_valid || node->io.out.dma_valid)
        return;
    if (node->still) { /* evaluated all the same: jumping is off */
        if (!fsh_node_unchanged(node->rtl))
            fsh_sim_node_fail(node,
                              "node %u moves in cycle %llu, but stood still",
                              node->index, (unsigned long long)node->cycle);
        fsh_node_mark(node->rtl);
        return;
    }
    if (node->quiet == node->look) {
        fsh_node_mark(node->rtl);
    } else if (node->quiet > node->look) {
        node->still = fsh_node_unchanged(node->rtl);
        node->look = 2 * node->quiet;
        if (node->still)
            fsh_node_mark(node->rtl);
    }
    node->quiet++;
}

void fsh_sim_node_inputs(struct fsh_fabric *fab, struct fsh_part *part,
                         struct fsh_sim_node *node, uint64_t cycle, bool gate)
{
    struct fsh_node_in *in = &node->io.in;
    const struct fsh_node_out *out = &node->io.out;
    bool active = gate, core = false, coll = false, dma;
    uint32_t stall;

    node->cycle = in->cycle = cycle;
    stall = fab->stalling ? fsh_stall_bits(fab, node) : 0;
    in->gate = gate;
    active |= fsh_links_step(fab, part, node);
    active |= fsh_host_step(fab, node, stall);
    active |= fsh_master_step(fab, node, &node->master[FSH_NODE_HOST], stall);
    /* Turns at the memory they share. */
    if (cycle & 1) {
        core = fsh_sim_compute_inputs(fab, node);
        coll = fsh_sim_coll_inputs(fab, node);
    }
    active |= memory_inputs(fab, node, stall);
    dma = fsh_sim_dma_inputs(fab, node);
    if (!(cycle & 1)) {
        coll = fsh_sim_coll_inputs(fab, node);
        core = fsh_sim_compute_inputs(fab, node);
    }
    if (fab->traced)
        fab->traced->node(fab, node);
    active |= out->core_valid | out->coll_valid | out->dma_valid;
    active = moves(fab, node, active);
    node->wake = active || core || coll || dma ? cycle + 1 : node_due(node);
    node->evaluate = active || !fab->config.jump;
    in->clk = node->evaluate;
    in->core_clk = node->core && node->core->evaluate;
    in->coll_clk = node->coll.evaluate;
    in->dma_clk = node->dma.evaluate;
}

void fsh_sim_node_evaluated(struct fsh_part *part, struct fsh_sim_node *node)
{
    if (node->core && node->core->evaluate) {
        node->core->evaluate = false;
        part->computed++;
        node->evaluations++;
    }
    if (node->coll.evaluate) {
        node->coll.evaluate = false;
        part->computed++;
        node->evaluations++;
    }
    if (node->dma.evaluate) {
        node->dma.evaluate = false;
        part->computed++;
        node->evaluations++;
    }
    if (!node->evaluate)
        return;
    node->evaluate = false;
    look_still(node);
    part->evaluated++;
    node->evaluations++;
}
