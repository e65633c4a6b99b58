/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a command sends: the results, the encoded operand, or the range of a
 * SEND. Nothing is read here.
 */
#include "compute/number/operand.h"
#include "compute/execute/execute.h"

static bool sends_operand(const uint64_t *c)
{
    return fsh_ccmd_op(c) == FSH_COP_ENCODE ||
           (fsh_ccmd_op(c) == FSH_COP_GEMM && fsh_ccmd_emit(c));
}

uint64_t fsh_execute_sent_base(const uint64_t *c)
{
    if (fsh_ccmd_op(c) == FSH_COP_SEND)
        return fsh_ccmd_x_addr(c) * FSH_COMPUTE_LINE;
    return (sends_operand(c) ? fsh_ccmd_e_addr(c) : fsh_ccmd_c_addr(c)) *
           FSH_COMPUTE_LINE;
}

/* Rows of `bytes` bytes; those without a gap go as one. */
static void rows(uint64_t at, uint64_t count, uint64_t stride, uint64_t bytes,
                 fsh_execute_range_fn fn, void *arg)
{
    if (stride == bytes) {
        fn(arg, at, count * bytes);
        return;
    }
    for (uint64_t i = 0; i < count; i++)
        fn(arg, at + i * stride, bytes);
}

static void conv_rows(const uint64_t *c, fsh_execute_range_fn fn, void *arg)
{
    for (uint64_t ob = 0; ob < fsh_execute_lines(fsh_ccmd_n(c)); ob++)
        rows((fsh_ccmd_c_addr(c) + ob * fsh_ccmd_out_plane(c)) *
                 FSH_COMPUTE_LINE,
             fsh_ccmd_out_h(c), fsh_ccmd_ldc(c) * FSH_COMPUTE_LINE,
             fsh_ccmd_out_w(c) * FSH_COMPUTE_LINE, fn, arg);
}

void fsh_execute_sent(const uint64_t *c, fsh_execute_range_fn fn, void *arg)
{
    uint64_t base = fsh_execute_sent_base(c);

    if (fsh_ccmd_op(c) == FSH_COP_SEND)
        fn(arg, base, fsh_ccmd_k(c) * 4);
    else if (fsh_ccmd_op(c) == FSH_COP_NOP || !fsh_ccmd_art(c))
        return;
    else if (sends_operand(c))
        fn(arg, base, fsh_bfp_operand_size(fsh_ccmd_n(c), fsh_ccmd_k(c)));
    else if (fsh_ccmd_op(c) == FSH_COP_CONV)
        conv_rows(c, fn, arg);
    else if (fsh_ccmd_op(c) == FSH_COP_SUM)
        fn(arg, base, fsh_ccmd_n(c) * 4);
    else
        rows(base, fsh_ccmd_m(c), fsh_ccmd_ldc(c) * FSH_COMPUTE_LINE,
             fsh_ccmd_n(c) * 4, fn, arg);
}
