/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the builders of commands share: the flow, and operands checked and
 * remembered; see plan.h.
 */
#include <string.h>

#include "compute/api/plan.h"

#define SEND_COUNT 1024u /* values of a PUT by default: a packet is 256 */
#define MAX_LINE UINT64_C(0xffffffff)
#define MAX_DISTANCE ((1u << 20) - 1)

static fshmem_status_t check_flow(const fshmem_flow_t *flow)
{
    if (flow->await_event >= FSH_NUM_EVENTS || flow->await_count > 65535 ||
        flow->signal_event >= FSH_NUM_EVENTS)
        return FSHMEM_ERR_ARGUMENT;
    if (flow->send_count > FSH_MAX_DIMENSION)
        return FSHMEM_ERR_SHAPE;
    if (flow->send_nodes == 0)
        return FSHMEM_OK;
    if (flow->send_offset % FSH_LINE != 0)
        return FSHMEM_ERR_ALIGNMENT;
    return flow->send_offset / FSH_LINE > MAX_LINE ? FSHMEM_ERR_RANGE
                                                   : FSHMEM_OK;
}

fshmem_status_t fsh_plan_begin(struct fsh_plan *plan, unsigned op, bool mover,
                               const fshmem_flow_t *flow)
{
    fshmem_status_t status = check_flow(flow);

    if (status != FSHMEM_OK)
        return status;
    memset(plan, 0, sizeof *plan);
    plan->mark = FSH_PLAN_MARK;
    plan->mover = mover;
    plan->pieces = 1;
    plan->await_event = (uint8_t)flow->await_event;
    plan->await_count = (uint16_t)flow->await_count;
    plan->signal_event = (uint8_t)flow->signal_event;
    plan->signal_nodes = flow->signal_nodes;
    plan->send_nodes = flow->send_nodes;
    fsh_ccmd_set_op(plan->ccmd, op);
    fsh_ccmd_set_check(plan->ccmd, FSH_CMD_CHECK);
    if (flow->send_nodes != 0) {
        plan->send_line = (uint32_t)(flow->send_offset / FSH_LINE);
        fsh_ccmd_set_art(plan->ccmd, 1);
        fsh_ccmd_set_art_count(
            plan->ccmd, flow->send_count != 0 ? flow->send_count : SEND_COUNT);
    }
    return FSHMEM_OK;
}

void fsh_plan_end(const struct fsh_plan *plan, fshmem_command_t *command)
{
    memset(command, 0, sizeof *command);
    memcpy(command, plan, sizeof *plan);
}

const struct fsh_plan *fsh_plan_of(const fshmem_command_t *command)
{
    const struct fsh_plan *plan = (const void *)command;

    return plan->mark == FSH_PLAN_MARK ? plan : NULL;
}

fshmem_status_t fsh_plan_use(struct fsh_plan *plan, fshmem_offset_t offset,
                             uint64_t bytes, uint32_t *line)
{
    if (offset % FSH_LINE != 0)
        return FSHMEM_ERR_ALIGNMENT;
    if (offset / FSH_LINE > MAX_LINE ||
        bytes > (MAX_LINE + 1) * FSH_LINE - offset)
        return FSHMEM_ERR_RANGE;
    if (offset + bytes > plan->local_end)
        plan->local_end = offset + bytes;
    *line = (uint32_t)(offset / FSH_LINE);
    return FSHMEM_OK;
}

fshmem_status_t fsh_plan_matrix(struct fsh_plan *plan,
                                const fshmem_operand_t *operand, uint64_t rows,
                                uint64_t columns, uint32_t *line, uint32_t *ld)
{
    if (operand->ld % FSH_LINE_VALUES != 0)
        return FSHMEM_ERR_ALIGNMENT;
    /* One row has no next one. */
    *ld = (uint32_t)(operand->ld / FSH_LINE_VALUES);
    if (rows == 1 && operand->ld < columns)
        *ld = fsh_div_up(columns, FSH_LINE_VALUES);
    else if (operand->ld < columns ||
             operand->ld / FSH_LINE_VALUES > MAX_DISTANCE)
        return FSHMEM_ERR_SHAPE;
    return fsh_plan_use(plan, operand->offset,
                        ((rows - 1) * operand->ld + columns) * 4, line);
}

fshmem_status_t fsh_plan_sent(struct fsh_plan *plan, uint64_t bytes)
{
    if (plan->send_nodes == 0)
        return FSHMEM_OK;
    plan->remote_end = (uint64_t)plan->send_line * FSH_LINE + bytes;
    return plan->remote_end > (MAX_LINE + 1) * FSH_LINE ? FSHMEM_ERR_RANGE
                                                        : FSHMEM_OK;
}
