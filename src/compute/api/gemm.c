/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Commands with matrices: GEMM, matrix times vector, ENCODE; see fshmem.h.
 * Operand X of the core is A (rows of K), operand W is B (columns of K).
 */
#include "compute/number/operand.h"
#include "compute/api/plan.h"

#define FINISH (FSHMEM_ACCUMULATE | FSHMEM_BIAS | FSHMEM_RELU)

uint64_t fshmem_encoded_size(uint64_t rows, uint64_t k)
{
    if (rows == 0 || k == 0 || rows > FSH_MAX_DIMENSION ||
        k > FSH_MAX_DIMENSION)
        return 0;
    return fsh_bfp_operand_size(rows, k);
}

static bool is_format(fshmem_format_t format)
{
    return format == FSHMEM_FP32_ROWS || format == FSHMEM_FP32_COLUMNS ||
           format == FSHMEM_BFP;
}

/* Operand W: n rows of k, which lie as rows or as columns. */
static fshmem_status_t use_w(struct fsh_plan *plan,
                             const fshmem_operand_t *operand, bool rows,
                             uint64_t n, uint64_t k)
{
    uint32_t line, ld = 0;
    fshmem_status_t status;

    if (operand->format == FSHMEM_BFP)
        status = fsh_plan_use(plan, operand->offset, fshmem_encoded_size(n, k),
                              &line);
    else
        status = fsh_plan_matrix(plan, operand, rows ? n : k, rows ? k : n,
                                 &line, &ld);
    if (status != FSHMEM_OK)
        return status;
    fsh_ccmd_set_w_bfp(plan->ccmd, operand->format == FSHMEM_BFP);
    fsh_ccmd_set_w_rows(plan->ccmd, rows && operand->format != FSHMEM_BFP);
    fsh_ccmd_set_w_addr(plan->ccmd, line);
    fsh_ccmd_set_ldw(plan->ccmd, ld);
    fsh_ccmd_set_n(plan->ccmd, n);
    fsh_ccmd_set_k(plan->ccmd, k);
    return FSHMEM_OK;
}

/* Operand X: m rows of k, or transposed. */
static fshmem_status_t use_x(struct fsh_plan *plan,
                             const fshmem_operand_t *operand, uint64_t m,
                             uint64_t k)
{
    bool columns = operand->format == FSHMEM_FP32_COLUMNS;
    uint32_t line, ld = 0;
    fshmem_status_t status;

    if (operand->format == FSHMEM_BFP)
        status = fsh_plan_use(plan, operand->offset, fshmem_encoded_size(m, k),
                              &line);
    else
        status = fsh_plan_matrix(plan, operand, columns ? k : m,
                                 columns ? m : k, &line, &ld);
    if (status != FSHMEM_OK)
        return status;
    fsh_ccmd_set_x_cols(plan->ccmd, columns);
    fsh_ccmd_set_x_bfp(plan->ccmd, operand->format == FSHMEM_BFP);
    fsh_ccmd_set_x_addr(plan->ccmd, line);
    fsh_ccmd_set_ldx(plan->ccmd, ld);
    fsh_ccmd_set_m(plan->ccmd, m);
    return FSHMEM_OK;
}

static fshmem_status_t use_c(struct fsh_plan *plan, const fshmem_gemm_t *g)
{
    const fshmem_operand_t c = {FSHMEM_FP32_ROWS, g->c, g->ldc};
    uint32_t line, ld;
    fshmem_status_t status = fsh_plan_matrix(plan, &c, g->m, g->n, &line, &ld);

    if (status != FSHMEM_OK)
        return status;
    fsh_ccmd_set_c_addr(plan->ccmd, line);
    fsh_ccmd_set_ldc(plan->ccmd, ld);
    if (g->flags & FSHMEM_EMIT)
        return FSHMEM_OK;
    return fsh_plan_sent(plan, ((g->m - 1) * g->ldc + g->n) * 4);
}

static fshmem_status_t use_emit(struct fsh_plan *plan, fshmem_offset_t offset,
                                uint64_t n, uint64_t k)
{
    uint64_t bytes = fshmem_encoded_size(n, k);
    uint32_t line;
    fshmem_status_t status = fsh_plan_use(plan, offset, bytes, &line);

    if (status != FSHMEM_OK)
        return status;
    fsh_ccmd_set_emit(plan->ccmd, 1);
    fsh_ccmd_set_e_addr(plan->ccmd, line);
    return fsh_plan_sent(plan, bytes);
}

static fshmem_status_t use_finish(struct fsh_plan *plan, uint32_t flags,
                                  fshmem_offset_t bias, uint64_t n)
{
    uint32_t line;
    fshmem_status_t status;

    fsh_ccmd_set_accumulate(plan->ccmd, (flags & FSHMEM_ACCUMULATE) != 0);
    fsh_ccmd_set_relu(plan->ccmd, (flags & FSHMEM_RELU) != 0);
    if (!(flags & FSHMEM_BIAS))
        return FSHMEM_OK;
    status = fsh_plan_use(plan, bias, n * 4, &line);
    if (status != FSHMEM_OK)
        return status;
    fsh_ccmd_set_bias(plan->ccmd, 1);
    fsh_ccmd_set_b_addr(plan->ccmd, line);
    return FSHMEM_OK;
}

/* Groups of a tile come in so many: units of encoded operands have 64 rows, a line of
 * what is transposed 16. */
static uint32_t x_groups(fshmem_format_t format)
{
    return format == FSHMEM_BFP ? 8 : format == FSHMEM_FP32_COLUMNS ? 2 : 1;
}

static uint32_t w_groups(bool encoded)
{
    return encoded ? 4 : 1;
}

static fshmem_status_t use_tile(struct fsh_plan *plan, const fshmem_gemm_t *g)
{
    const struct fsh_tile_choice of = {
        x_groups(g->a.format),
        w_groups(g->b.format == FSHMEM_BFP || (g->flags & FSHMEM_EMIT))};
    struct fsh_tile_choice tile = fsh_tile_gemm(g->m, g->n, of);

    if (g->tile_rows % (of.x * 8) != 0 ||
        g->tile_columns % (of.w * FSH_LINE_VALUES) != 0)
        return FSHMEM_ERR_SHAPE;
    if (g->tile_rows != 0)
        tile.x = g->tile_rows / 8;
    if (g->tile_columns != 0)
        tile.w = g->tile_columns / FSH_LINE_VALUES;
    if ((uint64_t)tile.x * tile.w > FSH_ACCUMULATORS)
        return FSHMEM_ERR_SHAPE;
    fsh_ccmd_set_tile_x(plan->ccmd, tile.x);
    fsh_ccmd_set_tile_w(plan->ccmd, tile.w);
    return FSHMEM_OK;
}

static fshmem_status_t plan_gemm(struct fsh_plan *plan, const fshmem_gemm_t *g)
{
    fshmem_status_t status;

    if (g->a.format == FSHMEM_BFP_COLUMNS || g->b.format == FSHMEM_BFP_COLUMNS)
        return FSHMEM_ERR_ENCODED;
    if (!is_format(g->a.format) || !is_format(g->b.format) ||
        (g->flags & ~(FINISH | FSHMEM_EMIT)) ||
        ((g->flags & FSHMEM_EMIT) && g->b.format == FSHMEM_BFP))
        return FSHMEM_ERR_ARGUMENT;
    if (!fsh_plan_is_size(g->m) || !fsh_plan_is_size(g->n) ||
        !fsh_plan_is_size(g->k))
        return FSHMEM_ERR_SHAPE;
    status = fsh_plan_begin(plan, FSH_COP_GEMM, false, &g->flow);
    if (status == FSHMEM_OK)
        status = use_x(plan, &g->a, g->m, g->k);
    if (status == FSHMEM_OK)
        status =
            use_w(plan, &g->b, g->b.format == FSHMEM_FP32_COLUMNS, g->n, g->k);
    if (status == FSHMEM_OK)
        status = use_c(plan, g);
    if (status == FSHMEM_OK && (g->flags & FSHMEM_EMIT))
        status = use_emit(plan, g->emit, g->n, g->k);
    if (status == FSHMEM_OK)
        status = use_finish(plan, g->flags, g->bias, g->n);
    return status == FSHMEM_OK ? use_tile(plan, g) : status;
}

fshmem_status_t fshmem_command_gemm(const fshmem_gemm_t *gemm,
                                    fshmem_command_t *command)
{
    struct fsh_plan plan;
    fshmem_status_t status;

    if (gemm == NULL || command == NULL)
        return FSHMEM_ERR_ARGUMENT;
    status = plan_gemm(&plan, gemm);
    if (status == FSHMEM_OK)
        fsh_plan_end(&plan, command);
    return status;
}

/* y as a matrix of one row: x times the transposed of A, whose columns are the
 * rows of A. */
fshmem_status_t fshmem_command_gemv(const fshmem_gemv_t *gemv,
                                    fshmem_command_t *command)
{
    fshmem_gemm_t gemm = {0};

    if (gemv == NULL || command == NULL || (gemv->flags & FSHMEM_EMIT))
        return FSHMEM_ERR_ARGUMENT;
    gemm.m = 1;
    gemm.n = gemv->m;
    gemm.k = gemv->k;
    gemm.a.offset = gemv->x;
    gemm.b = gemv->a;
    if (gemv->a.format == FSHMEM_FP32_ROWS)
        gemm.b.format = FSHMEM_FP32_COLUMNS;
    else if (gemv->a.format == FSHMEM_FP32_COLUMNS)
        gemm.b.format = FSHMEM_FP32_ROWS;
    gemm.c = gemv->y;
    gemm.flags = gemv->flags;
    gemm.bias = gemv->bias;
    gemm.flow = gemv->flow;
    return fshmem_command_gemm(&gemm, command);
}

static fshmem_status_t plan_encode(struct fsh_plan *plan,
                                   const fshmem_encode_t *e)
{
    fshmem_status_t status;

    if (e->from.format != FSHMEM_FP32_ROWS &&
        e->from.format != FSHMEM_FP32_COLUMNS)
        return FSHMEM_ERR_ARGUMENT;
    if (!fsh_plan_is_size(e->rows) || !fsh_plan_is_size(e->k))
        return FSHMEM_ERR_SHAPE;
    status = fsh_plan_begin(plan, FSH_COP_ENCODE, false, &e->flow);
    if (status == FSHMEM_OK)
        status = use_w(plan, &e->from, e->from.format == FSHMEM_FP32_ROWS,
                       e->rows, e->k);
    if (status == FSHMEM_OK)
        status = use_emit(plan, e->to, e->rows, e->k);
    if (status != FSHMEM_OK)
        return status;
    struct fsh_tile_choice tile =
        fsh_tile_gemm(1, e->rows, (struct fsh_tile_choice){1, w_groups(true)});
    fsh_ccmd_set_tile_w(plan->ccmd, tile.w);
    return FSHMEM_OK;
}

fshmem_status_t fshmem_command_encode(const fshmem_encode_t *encode,
                                      fshmem_command_t *command)
{
    struct fsh_plan plan;
    fshmem_status_t status;

    if (encode == NULL || command == NULL)
        return FSHMEM_ERR_ARGUMENT;
    status = plan_encode(&plan, encode);
    if (status == FSHMEM_OK)
        fsh_plan_end(&plan, command);
    return status;
}
