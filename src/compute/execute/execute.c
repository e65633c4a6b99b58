/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One command on the memory of its node; see execute.h. CONV is in conv.c, all else
 * here.
 */
#include "compute/execute/execute.h"

#include "compute/number/fp.h"
#include "compute/number/operand.h"
#include "compute/kernel/kernels.h"

bool fsh_execute_inside(uint64_t at, uint64_t rows, uint64_t stride,
                        uint64_t lines, size_t bytes)
{
    uint64_t last = (rows - 1) * stride + lines;

    return rows != 0 && (at + last) * FSH_COMPUTE_LINE <= bytes;
}

/* The dimensions of a command have at most 24 bits, distances 20 or 32,
 * addresses 32: no sum or product here leaves 64 bits. */

static bool encoded_inside(uint64_t at, uint64_t rows, uint64_t k, size_t bytes)
{
    return at * FSH_COMPUTE_LINE + fsh_bfp_operand_size(rows, k) <= bytes;
}

static bool x_inside(const uint64_t *c, size_t bytes)
{
    if (fsh_ccmd_x_bfp(c))
        return encoded_inside(fsh_ccmd_x_addr(c), fsh_ccmd_m(c), fsh_ccmd_k(c),
                              bytes);
    if (fsh_ccmd_x_cols(c))
        return fsh_execute_inside(fsh_ccmd_x_addr(c), fsh_ccmd_k(c),
                                  fsh_ccmd_ldx(c),
                                  fsh_execute_lines(fsh_ccmd_m(c)), bytes);
    return fsh_execute_inside(fsh_ccmd_x_addr(c), fsh_ccmd_m(c),
                              fsh_ccmd_ldx(c), fsh_execute_lines(fsh_ccmd_k(c)),
                              bytes);
}

static bool w_inside(const uint64_t *c, size_t bytes)
{
    uint64_t at = fsh_ccmd_w_addr(c), ld = fsh_ccmd_ldw(c);
    uint64_t n = fsh_ccmd_n(c), k = fsh_ccmd_k(c);

    if (fsh_ccmd_w_bfp(c))
        return encoded_inside(at, n, k, bytes);
    return fsh_ccmd_w_rows(c)
               ? fsh_execute_inside(at, n, ld, fsh_execute_lines(k), bytes)
               : fsh_execute_inside(at, k, ld, fsh_execute_lines(n), bytes);
}

static bool gemm_inside(const uint64_t *c, size_t bytes)
{
    uint64_t lines = fsh_execute_lines(fsh_ccmd_n(c));

    return x_inside(c, bytes) && w_inside(c, bytes) &&
           fsh_execute_inside(fsh_ccmd_c_addr(c), fsh_ccmd_m(c),
                              fsh_ccmd_ldc(c), lines, bytes) &&
           (!fsh_ccmd_bias(c) ||
            fsh_execute_inside(fsh_ccmd_b_addr(c), 1, 0, lines, bytes)) &&
           (!fsh_ccmd_emit(c) ||
            encoded_inside(fsh_ccmd_e_addr(c), fsh_ccmd_n(c), fsh_ccmd_k(c),
                           bytes));
}

static struct fsh_operand x_operand(const uint64_t *c,
                                    const unsigned char *segment)
{
    uint64_t m = fsh_ccmd_m(c), k = fsh_ccmd_k(c), ld = fsh_ccmd_ldx(c);

    return (struct fsh_operand){
        .form = fsh_ccmd_x_bfp(c)    ? FSH_OPERAND_BFP
                : fsh_ccmd_x_cols(c) ? FSH_OPERAND_COLUMNS
                                     : FSH_OPERAND_ROWS,
        .data = segment + fsh_ccmd_x_addr(c) * FSH_COMPUTE_LINE,
        .ld = fsh_ccmd_x_cols(c) ? fsh_execute_distance(ld, k, m)
                                 : fsh_execute_distance(ld, m, k),
    };
}

static size_t w_distance(const uint64_t *c)
{
    uint64_t n = fsh_ccmd_n(c), k = fsh_ccmd_k(c);

    return fsh_ccmd_w_rows(c) ? fsh_execute_distance(fsh_ccmd_ldw(c), n, k)
                              : fsh_execute_distance(fsh_ccmd_ldw(c), k, n);
}

static void emit(const uint64_t *c, unsigned char *segment)
{
    fsh_bfp_operand_encode(
        (const void *)(segment + fsh_ccmd_w_addr(c) * FSH_COMPUTE_LINE),
        w_distance(c), !fsh_ccmd_w_rows(c), fsh_ccmd_n(c), fsh_ccmd_k(c),
        segment + fsh_ccmd_e_addr(c) * FSH_COMPUTE_LINE, FSH_ISA_BEST);
}

static struct fsh_operand w_operand(const uint64_t *c,
                                    const unsigned char *segment)
{
    return (struct fsh_operand){
        .form = fsh_ccmd_w_bfp(c)    ? FSH_OPERAND_BFP
                : fsh_ccmd_w_rows(c) ? FSH_OPERAND_ROWS
                                     : FSH_OPERAND_COLUMNS,
        .data = segment + fsh_ccmd_w_addr(c) * FSH_COMPUTE_LINE,
        .ld = w_distance(c),
    };
}

unsigned fsh_execute_status(enum fsh_kernel_status status)
{
    switch (status) {
    case FSH_KERNEL_OK:
        return FSH_STATUS_OK;
    case FSH_KERNEL_NO_MEMORY:
        return FSH_STATUS_MEMORY;
    default:
        return FSH_STATUS_BAD_COMMAND;
    }
}

static unsigned gemm(const uint64_t *c, unsigned char *segment, size_t bytes)
{
    unsigned char *bias = segment + fsh_ccmd_b_addr(c) * FSH_COMPUTE_LINE;
    struct fsh_matmul op = {
        .m = fsh_ccmd_m(c),
        .n = fsh_ccmd_n(c),
        .k = fsh_ccmd_k(c),
        .a = x_operand(c, segment),
        .b = w_operand(c, segment),
        .c = (void *)(segment + fsh_ccmd_c_addr(c) * FSH_COMPUTE_LINE),
        .ldc =
            fsh_execute_distance(fsh_ccmd_ldc(c), fsh_ccmd_m(c), fsh_ccmd_n(c)),
        .finish = {.accumulate = fsh_ccmd_accumulate(c),
                   .bias = fsh_ccmd_bias(c) ? (const void *)bias : NULL,
                   .relu = fsh_ccmd_relu(c)},
    };

    if (!gemm_inside(c, bytes))
        return FSH_STATUS_LOCAL_RANGE;
    if (fsh_ccmd_emit(c))
        emit(c, segment);
    return fsh_execute_status(fsh_matmul(&op, FSH_ISA_BEST));
}

static unsigned encode(const uint64_t *c, unsigned char *segment, size_t bytes)
{
    if (!w_inside(c, bytes) ||
        !encoded_inside(fsh_ccmd_e_addr(c), fsh_ccmd_n(c), fsh_ccmd_k(c),
                        bytes))
        return FSH_STATUS_LOCAL_RANGE;
    emit(c, segment);
    return FSH_STATUS_OK;
}

static unsigned element(const uint64_t *c, unsigned char *segment, size_t bytes)
{
    uint64_t m = fsh_ccmd_m(c), n = fsh_ccmd_n(c), lines = fsh_execute_lines(n);
    bool sum = fsh_ccmd_op(c) == FSH_COP_SUM;
    uint32_t scale = (uint32_t)fsh_ccmd_scale(c);
    struct fsh_element op = {
        .kind = sum                              ? FSH_ELEMENT_SUM
                : fsh_ccmd_op(c) == FSH_COP_AXPY ? FSH_ELEMENT_AXPY
                                                 : FSH_ELEMENT_GATE,
        .m = m,
        .n = n,
        .scale = fsh_fp_value(scale),
        .x = (const void *)(segment + fsh_ccmd_x_addr(c) * FSH_COMPUTE_LINE),
        .w = (const void *)(segment + fsh_ccmd_w_addr(c) * FSH_COMPUTE_LINE),
        .c = (void *)(segment + fsh_ccmd_c_addr(c) * FSH_COMPUTE_LINE),
        .ldx = fsh_ccmd_ldx(c) * FSH_COMPUTE_LINE_VALUES,
        .ldw = fsh_ccmd_ldw(c) * FSH_COMPUTE_LINE_VALUES,
        .ldc = fsh_ccmd_ldc(c) * FSH_COMPUTE_LINE_VALUES,
    };

    if (!fsh_execute_inside(fsh_ccmd_x_addr(c), m, fsh_ccmd_ldx(c), lines,
                            bytes) ||
        (!sum && !fsh_execute_inside(fsh_ccmd_w_addr(c), m, fsh_ccmd_ldw(c),
                                     lines, bytes)) ||
        !fsh_execute_inside(fsh_ccmd_c_addr(c), sum ? 1 : m, fsh_ccmd_ldc(c),
                            lines, bytes))
        return FSH_STATUS_LOCAL_RANGE;
    return fsh_execute_status(fsh_element(&op, FSH_ISA_BEST));
}

static unsigned send(const uint64_t *c, size_t bytes)
{
    if (fsh_ccmd_x_addr(c) * FSH_COMPUTE_LINE + fsh_ccmd_k(c) * 4 > bytes)
        return FSH_STATUS_LOCAL_RANGE;
    return FSH_STATUS_OK;
}

unsigned fsh_execute(const uint64_t *c, unsigned char *segment, size_t bytes)
{
    switch (fsh_ccmd_op(c)) {
    case FSH_COP_GEMM:
        return gemm(c, segment, bytes);
    case FSH_COP_CONV:
        return fsh_execute_conv(c, segment, bytes);
    case FSH_COP_ENCODE:
        return encode(c, segment, bytes);
    case FSH_COP_AXPY:
    case FSH_COP_GATE:
    case FSH_COP_SUM:
        return element(c, segment, bytes);
    case FSH_COP_SEND:
        return send(c, bytes);
    default:
        return FSH_STATUS_OK;
    }
}
