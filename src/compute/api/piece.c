/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From a plan to the commands of the core, when it is submitted; see plan.h.
 */
#include <assert.h>
#include <string.h>

#include "compute/api/plan.h"

static void conv_piece(const struct fsh_plan *plan, uint32_t index,
                       uint64_t *ccmd)
{
    uint32_t first = index * plan->piece, rest = plan->total - first;
    struct fsh_tile_conv shape = {
        .out_h = (uint32_t)fsh_ccmd_out_h(ccmd),
        .out_w = rest < plan->piece ? rest : plan->piece,
        .channels = (uint32_t)fsh_ccmd_n(ccmd),
        .kernel_h = (uint32_t)fsh_ccmd_kernel_h(ccmd),
        .kernel_w = (uint32_t)fsh_ccmd_kernel_w(ccmd),
        .stride = (uint32_t)fsh_ccmd_stride(ccmd),
    };
    struct fsh_tile_choice tile = {plan->tile_x, plan->tile_w};
    bool fits = fsh_tile_conv(&shape, &tile);

    assert(fits); /* the builder has tried the widest piece */
    (void)fits;
    fsh_ccmd_set_out_w(ccmd, shape.out_w);
    fsh_ccmd_set_pad_w(
        ccmd, (uint16_t)(plan->pad_w - (int32_t)(first * shape.stride)));
    fsh_ccmd_set_c_addr(ccmd, plan->base + first);
    if (plan->send_nodes != 0)
        fsh_ccmd_set_art_addr(ccmd, plan->send_line + first);
    fsh_ccmd_set_tile_x(ccmd, tile.x);
    fsh_ccmd_set_tile_w(ccmd, tile.w);
    fsh_ccmd_set_row_words(ccmd, fsh_tile_row_words(&shape));
    fsh_ccmd_set_x_words(ccmd, fsh_tile_x_words(&shape, tile.x));
}

static void send_piece(const struct fsh_plan *plan, uint32_t index,
                       uint64_t *ccmd)
{
    uint32_t line = index * (plan->piece / FSH_LINE_VALUES);

    fsh_ccmd_set_k(ccmd, index + 1 < plan->pieces ? plan->piece : plan->tail);
    fsh_ccmd_set_x_addr(ccmd, plan->base + line);
    fsh_ccmd_set_art_addr(ccmd, plan->send_line + line);
}

/* The first piece waits, the last one signals: the core ends the commands of a
 * queue in order. */
static void set_flow(const struct fsh_plan *plan, uint32_t index,
                     uint64_t *ccmd)
{
    fsh_ccmd_set_art_mask(ccmd, plan->send_nodes);
    if (index == 0 && plan->await_count != 0) {
        fsh_ccmd_set_await(ccmd, 1);
        fsh_ccmd_set_await_event(ccmd, plan->await_event);
        fsh_ccmd_set_await_count(ccmd, plan->await_count);
    }
    if (index + 1 == plan->pieces && plan->signal_nodes != 0) {
        fsh_ccmd_set_signal(ccmd, 1);
        fsh_ccmd_set_signal_event(ccmd, plan->signal_event);
        fsh_ccmd_set_signal_mask(ccmd, plan->signal_nodes);
    }
}

void fsh_plan_piece(const struct fsh_plan *plan, uint32_t index, uint64_t *ccmd)
{
    memcpy(ccmd, plan->ccmd, sizeof plan->ccmd);
    switch (fsh_ccmd_op(ccmd)) {
    case FSH_COP_CONV:
        conv_piece(plan, index, ccmd);
        break;
    case FSH_COP_SEND:
        send_piece(plan, index, ccmd);
        break;
    default:
        if (plan->send_nodes != 0)
            fsh_ccmd_set_art_addr(ccmd, plan->send_line);
    }
    set_flow(plan, index, ccmd);
}
