/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Element-wise commands and sums of columns; see fshmem.h.
 */
#include <string.h>

#include "compute/api/plan.h"

/* Rows without gaps are one long row, which the compute core goes through without
 * breaks; as far as a row may be long. */
static fshmem_element_t joined(const fshmem_element_t *e)
{
    fshmem_element_t one = *e;

    if (e->ldx == e->n && e->ldw == e->n && e->ldc == e->n &&
        fsh_plan_is_size(e->m) && fsh_plan_is_size(e->n) &&
        fsh_plan_is_size(e->m * e->n)) {
        one.n = e->m * e->n;
        one.m = 1;
    }
    return one;
}

/* One matrix of the command, m rows of n. */
static fshmem_status_t use(struct fsh_plan *plan, fshmem_offset_t offset,
                           uint64_t ld, uint64_t m, uint64_t n,
                           void (*set_addr)(uint64_t *, uint64_t),
                           void (*set_ld)(uint64_t *, uint64_t))
{
    const fshmem_operand_t operand = {FSHMEM_FP32_ROWS, offset, ld};
    uint32_t line, distance;
    fshmem_status_t status =
        fsh_plan_matrix(plan, &operand, m, n, &line, &distance);

    if (status != FSHMEM_OK)
        return status;
    set_addr(plan->ccmd, line);
    set_ld(plan->ccmd, distance);
    return FSHMEM_OK;
}

static fshmem_status_t plan_element(struct fsh_plan *plan, unsigned op,
                                    const fshmem_element_t *e)
{
    bool sum = op == FSH_COP_SUM;
    uint64_t rows = sum ? 1 : e->m; /* of the result */
    fshmem_status_t status;
    uint32_t scale;

    if (!fsh_plan_is_size(e->m) || !fsh_plan_is_size(e->n))
        return FSHMEM_ERR_SHAPE;
    status = fsh_plan_begin(plan, op, false, &e->flow);
    if (status == FSHMEM_OK)
        status = use(plan, e->x, e->ldx, e->m, e->n, fsh_ccmd_set_x_addr,
                     fsh_ccmd_set_ldx);
    if (status == FSHMEM_OK && !sum)
        status = use(plan, e->w, e->ldw, e->m, e->n, fsh_ccmd_set_w_addr,
                     fsh_ccmd_set_ldw);
    if (status == FSHMEM_OK)
        status = use(plan, e->c, sum ? 0 : e->ldc, rows, e->n,
                     fsh_ccmd_set_c_addr, fsh_ccmd_set_ldc);
    if (status != FSHMEM_OK)
        return status;
    memcpy(&scale, &e->scale, sizeof scale);
    fsh_ccmd_set_scale(plan->ccmd, scale);
    fsh_ccmd_set_m(plan->ccmd, e->m);
    fsh_ccmd_set_n(plan->ccmd, e->n);
    return fsh_plan_sent(
        plan,
        ((rows - 1) * fsh_ccmd_ldc(plan->ccmd) * FSH_LINE_VALUES + e->n) * 4);
}

static fshmem_status_t command_element(unsigned op, const fshmem_element_t *e,
                                       fshmem_command_t *command)
{
    struct fsh_plan plan;
    fshmem_element_t whole;
    fshmem_status_t status;

    if (e == NULL || command == NULL)
        return FSHMEM_ERR_ARGUMENT;
    whole = op == FSH_COP_SUM ? *e : joined(e);
    status = plan_element(&plan, op, &whole);
    if (status == FSHMEM_OK)
        fsh_plan_end(&plan, command);
    return status;
}

fshmem_status_t fshmem_command_axpy(const fshmem_element_t *element,
                                    fshmem_command_t *command)
{
    return command_element(FSH_COP_AXPY, element, command);
}

fshmem_status_t fshmem_command_gate(const fshmem_element_t *element,
                                    fshmem_command_t *command)
{
    return command_element(FSH_COP_GATE, element, command);
}

fshmem_status_t fshmem_command_sum(const fshmem_element_t *element,
                                   fshmem_command_t *command)
{
    return command_element(FSH_COP_SUM, element, command);
}
