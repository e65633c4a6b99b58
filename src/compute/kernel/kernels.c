/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The kernels' arguments checked, and the choice of the code; see kernels.h.
 */
#include "compute/kernel/kernels.h"

#include "compute/kernel/internal.h"

static bool valid_operand(const struct fsh_operand *operand, size_t rows,
                          size_t k)
{
    switch (operand->form) {
    case FSH_OPERAND_ROWS:
        return operand->data && operand->ld >= k;
    case FSH_OPERAND_COLUMNS:
        return operand->data && operand->ld >= rows;
    case FSH_OPERAND_BFP:
        return operand->data != NULL;
    }
    return false;
}

enum fsh_kernel_status fsh_matmul(const struct fsh_matmul *op, enum fsh_isa isa)
{
    if (op->m == 0 || op->n == 0 || op->k == 0)
        return FSH_KERNEL_BAD_SHAPE;
    if (!valid_operand(&op->a, op->m, op->k) ||
        !valid_operand(&op->b, op->n, op->k) || !op->c || op->ldc < op->n)
        return FSH_KERNEL_BAD_OPERAND;
    isa = fsh_isa_choose(isa);
#ifdef __x86_64__
    if (isa != FSH_ISA_PORTABLE)
        return fsh_matmul_blocked(op, isa);
#endif
    return fsh_matmul_reference(op);
}

size_t fsh_conv_out(size_t in, size_t kernel, size_t stride, size_t pad)
{
    if (in + 2 * pad < kernel || stride == 0)
        return 0;
    return (in + 2 * pad - kernel) / stride + 1;
}

static bool valid_shape(const struct fsh_conv *op)
{
    return op->in_channels && op->in_h && op->in_w && op->out_channels &&
           op->kernel_h && op->kernel_w &&
           fsh_conv_out(op->in_h, op->kernel_h, op->stride, op->pad) &&
           fsh_conv_out(op->in_w, op->kernel_w, op->stride, op->pad);
}

enum fsh_kernel_status fsh_conv(const struct fsh_conv *op, enum fsh_isa isa)
{
    if (!valid_shape(op))
        return FSH_KERNEL_BAD_SHAPE;
    if (op->kernels.form == FSH_OPERAND_COLUMNS ||
        !valid_operand(&op->kernels, op->out_channels, fsh_conv_k(op)) ||
        !op->in || !op->out)
        return FSH_KERNEL_BAD_OPERAND;
    isa = fsh_isa_choose(isa);
#ifdef __x86_64__
    if (isa != FSH_ISA_PORTABLE)
        return fsh_conv_blocked(op, isa);
#endif
    return fsh_conv_reference(op);
}
