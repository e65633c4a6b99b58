/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The checks of a command queue, as hw/rtl/compute/fsh_cqueue.sv makes them.
 */
#include "compute/execute/execute.h"

static bool reserved_clear(const uint64_t *c)
{
    static const uint64_t used[FSH_CCMD_WORDS] = {
        FSH_CCMD_USED_W0,  FSH_CCMD_USED_W1,  FSH_CCMD_USED_W2,
        FSH_CCMD_USED_W3,  FSH_CCMD_USED_W4,  FSH_CCMD_USED_W5,
        FSH_CCMD_USED_W6,  FSH_CCMD_USED_W7,  FSH_CCMD_USED_W8,
        FSH_CCMD_USED_W9,  FSH_CCMD_USED_W10, FSH_CCMD_USED_W11,
        FSH_CCMD_USED_W12, FSH_CCMD_USED_W13, FSH_CCMD_USED_W14,
        FSH_CCMD_USED_W15};

    for (unsigned i = 0; i < FSH_CCMD_WORDS; i++)
        if ((c[i] & ~used[i]) != 0)
            return false;
    return true;
}

static bool is_known(uint64_t op, bool mover)
{
    if (op == FSH_COP_NOP)
        return true;
    if (mover)
        return op == FSH_COP_SEND;
    return op == FSH_COP_GEMM || op == FSH_COP_CONV || op == FSH_COP_ENCODE ||
           fsh_execute_is_element(op);
}

static bool conv_sizes_ok(const uint64_t *c)
{
    return fsh_ccmd_k(c) % FSH_COMPUTE_LINE_VALUES == 0 &&
           fsh_ccmd_kernel_h(c) != 0 && fsh_ccmd_kernel_w(c) != 0 &&
           fsh_ccmd_stride(c) >= 1 && fsh_ccmd_stride(c) <= 8 &&
           fsh_ccmd_row_words(c) != 0 && fsh_ccmd_in_h(c) != 0 &&
           fsh_ccmd_in_w(c) != 0 && fsh_ccmd_out_h(c) != 0 &&
           fsh_ccmd_out_w(c) != 0;
}

static bool is_dimension(uint64_t n)
{
    return n != 0 && n <= FSH_COMPUTE_MAX_DIMENSION;
}

static bool sizes_ok(const uint64_t *c, uint64_t op)
{
    switch (op) {
    case FSH_COP_NOP:
        return true;
    case FSH_COP_SEND:
        return fsh_ccmd_k(c) != 0;
    case FSH_COP_GEMM:
        if (!is_dimension(fsh_ccmd_m(c)))
            return false;
        break;
    case FSH_COP_CONV:
        if (!conv_sizes_ok(c))
            return false;
        break;
    default:
        if (fsh_execute_is_element(op))
            return is_dimension(fsh_ccmd_m(c)) && is_dimension(fsh_ccmd_n(c));
        break;
    }
    return is_dimension(fsh_ccmd_n(c)) && is_dimension(fsh_ccmd_k(c)) &&
           fsh_ccmd_tile_w(c) != 0;
}

/* Forms of the operands, and tiles of whole units of those encoded. What is
 * encoded already is not encoded once more. */
static bool forms_ok(const uint64_t *c, uint64_t op)
{
    bool emit = op == FSH_COP_ENCODE || fsh_ccmd_emit(c);

    switch (op) {
    case FSH_COP_CONV:
        return fsh_ccmd_w_rows(c) && !fsh_ccmd_x_bfp(c) && !fsh_ccmd_w_bfp(c) &&
               !fsh_ccmd_x_cols(c) && !emit;
    case FSH_COP_GEMM:
        if (fsh_ccmd_x_bfp(c) && fsh_ccmd_tile_x(c) % 8 != 0)
            return false;
        if (fsh_ccmd_x_cols(c) &&
            (fsh_ccmd_x_bfp(c) || fsh_ccmd_tile_x(c) % 2 != 0))
            return false;
        break;
    case FSH_COP_ENCODE:
        break;
    default:
        return true;
    }
    if (fsh_ccmd_w_bfp(c) && emit)
        return false;
    return !(fsh_ccmd_w_bfp(c) || emit) || fsh_ccmd_tile_w(c) % 4 == 0;
}

static bool transfer_ok(const uint64_t *c, uint64_t op)
{
    bool sends = op == FSH_COP_SEND || (fsh_ccmd_art(c) && op != FSH_COP_NOP);

    return !sends || fsh_ccmd_art_count(c) != 0;
}

/* Accumulators of a tile: 1 to FSH_COMPUTE_ACCUMULATORS. */
static bool tile_ok(const uint64_t *c, uint64_t op)
{
    uint64_t area = fsh_ccmd_tile_x(c) * fsh_ccmd_tile_w(c);

    if (op != FSH_COP_GEMM && op != FSH_COP_CONV)
        return true;
    if (op == FSH_COP_CONV)
        area *= (fsh_ccmd_out_w(c) + 7) / 8;
    return area >= 1 && area <= FSH_COMPUTE_ACCUMULATORS;
}

/* The words that a convolution claims of the operand buffer: row_words hold a
 * row of the input, of one phase of the stride; x_words hold a tile's rows. A
 * core given less would write over operands in use, given more it would wait for
 * room that never comes. */
static bool words_ok(const uint64_t *c, uint64_t op)
{
    uint64_t stride = fsh_ccmd_stride(c);
    uint64_t columns = (fsh_ccmd_out_w(c) - 1) * stride + fsh_ccmd_kernel_w(c);
    uint64_t rows = (fsh_ccmd_tile_x(c) - 1) * stride + fsh_ccmd_kernel_h(c);

    return op != FSH_COP_CONV ||
           (fsh_ccmd_row_words(c) * FSH_COMPUTE_COLUMNS * stride >= columns &&
            fsh_ccmd_x_words(c) >= rows * stride * fsh_ccmd_row_words(c) &&
            fsh_ccmd_x_words(c) <= FSH_COMPUTE_OPERAND_WORDS);
}

/* Rows, `stride` lines apart, of `lines` lines: they do not overlap. */
static bool apart(uint64_t rows, uint64_t stride, uint64_t lines)
{
    return rows == 1 || stride >= lines;
}

static bool rows_apart(const uint64_t *c, uint64_t op)
{
    uint64_t m = fsh_ccmd_m(c), n = fsh_ccmd_n(c), k = fsh_ccmd_k(c);
    uint64_t taps = fsh_ccmd_kernel_h(c) * fsh_ccmd_kernel_w(c);
    bool w =
        fsh_ccmd_w_bfp(c) ||
        (fsh_ccmd_w_rows(c) ? apart(n, fsh_ccmd_ldw(c), fsh_execute_lines(k))
                            : apart(k, fsh_ccmd_ldw(c), fsh_execute_lines(n)));

    switch (op) {
    case FSH_COP_GEMM:
        return w && apart(m, fsh_ccmd_ldc(c), fsh_execute_lines(n)) &&
               (fsh_ccmd_x_bfp(c) ||
                (fsh_ccmd_x_cols(c)
                     ? apart(k, fsh_ccmd_ldx(c), fsh_execute_lines(m))
                     : apart(m, fsh_ccmd_ldx(c), fsh_execute_lines(k))));
    case FSH_COP_AXPY:
    case FSH_COP_GATE:
        return apart(m, fsh_ccmd_ldx(c), fsh_execute_lines(n)) &&
               apart(m, fsh_ccmd_ldw(c), fsh_execute_lines(n)) &&
               apart(m, fsh_ccmd_ldc(c), fsh_execute_lines(n));
    case FSH_COP_SUM:
        return apart(m, fsh_ccmd_ldx(c), fsh_execute_lines(n));
    case FSH_COP_ENCODE:
        return w;
    case FSH_COP_CONV:
        return apart(n, fsh_ccmd_ldw(c), fsh_execute_lines(k) * taps) &&
               apart(fsh_ccmd_out_h(c), fsh_ccmd_ldc(c), fsh_ccmd_out_w(c));
    default:
        return true;
    }
}

bool fsh_execute_waits(const uint64_t *c)
{
    return fsh_ccmd_await(c) && fsh_ccmd_await_count(c) != 0 &&
           fsh_ccmd_check(c) == FSH_CMD_CHECK;
}

unsigned fsh_execute_check(const uint64_t *c, bool mover)
{
    uint64_t op = fsh_ccmd_op(c);

    if (fsh_ccmd_check(c) != FSH_CMD_CHECK || !reserved_clear(c) ||
        !is_known(op, mover) || !sizes_ok(c, op) || !forms_ok(c, op) ||
        !transfer_ok(c, op) || !tile_ok(c, op) || !words_ok(c, op) ||
        !rows_apart(c, op) ||
        (fsh_ccmd_await(c) && fsh_ccmd_await_count(c) == 0))
        return FSH_STATUS_BAD_COMMAND;
    return FSH_STATUS_OK;
}
