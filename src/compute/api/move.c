/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Commands without arithmetic: SEND and NOP; see fshmem.h.
 */
#include "compute/api/plan.h"

/* Values of a SEND command: a multiple of a line below 2^24. */
#define PIECE (1u << 23)

static fshmem_status_t plan_send(struct fsh_plan *plan, const fshmem_send_t *s)
{
    uint64_t values = s->bytes / 4;
    fshmem_status_t status;

    if (s->flow.send_nodes == 0)
        return FSHMEM_ERR_ARGUMENT;
    if (s->bytes == 0)
        return FSHMEM_ERR_SHAPE;
    if (s->bytes % 4 != 0)
        return FSHMEM_ERR_ALIGNMENT;
    status = fsh_plan_begin(plan, FSH_COP_SEND, true, &s->flow);
    if (status == FSHMEM_OK)
        status = fsh_plan_use(plan, s->from, s->bytes, &plan->base);
    if (status == FSHMEM_OK)
        status = fsh_plan_sent(plan, s->bytes);
    if (status != FSHMEM_OK)
        return status;
    plan->pieces = fsh_div_up(values, PIECE);
    plan->piece = PIECE;
    plan->tail = (uint32_t)(values - (uint64_t)(plan->pieces - 1) * PIECE);
    return FSHMEM_OK;
}

fshmem_status_t fshmem_command_send(const fshmem_send_t *send,
                                    fshmem_command_t *command)
{
    struct fsh_plan plan;
    fshmem_status_t status;

    if (send == NULL || command == NULL)
        return FSHMEM_ERR_ARGUMENT;
    status = plan_send(&plan, send);
    if (status == FSHMEM_OK)
        fsh_plan_end(&plan, command);
    return status;
}

fshmem_status_t fshmem_command_nop(int mover, const fshmem_flow_t *flow,
                                   fshmem_command_t *command)
{
    struct fsh_plan plan;
    fshmem_status_t status;

    if (flow == NULL || command == NULL || flow->send_nodes != 0 ||
        (mover != 0 && mover != 1))
        return FSHMEM_ERR_ARGUMENT;
    status = fsh_plan_begin(&plan, FSH_COP_NOP, mover, flow);
    if (status == FSHMEM_OK)
        fsh_plan_end(&plan, command);
    return status;
}
