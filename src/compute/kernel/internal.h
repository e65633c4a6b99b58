/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Between the files of the kernels. reference.c is the golden model, as plain
 * as can be; the rest is the way of the vector code. Both get arguments that
 * kernels.c has checked.
 */
#ifndef FSH_KERNEL_INTERNAL_H
#define FSH_KERNEL_INTERNAL_H

#include "compute/kernel/kernels.h"

/* Blocks of 16 that n values fill. */
static inline size_t fsh_chunks(size_t n)
{
    return n / 16 + (n % 16 != 0);
}

/* Values in a row of the kernels of a convolution. */
static inline size_t fsh_conv_k(const struct fsh_conv *op)
{
    return fsh_chunks(op->in_channels) * op->kernel_h * op->kernel_w * 16;
}

/* The steps after the last chunk, for one output at *out. */
void fsh_finish_one(const struct fsh_finish *finish, float acc, size_t column,
                    float *out);

/* The golden model. */
enum fsh_kernel_status fsh_matmul_reference(const struct fsh_matmul *op);
enum fsh_kernel_status fsh_conv_reference(const struct fsh_conv *op);

/* The vector way, with instructions that are available and not portable. */
enum fsh_kernel_status fsh_matmul_blocked(const struct fsh_matmul *op,
                                          enum fsh_isa isa);
enum fsh_kernel_status fsh_conv_blocked(const struct fsh_conv *op,
                                        enum fsh_isa isa);

#endif
