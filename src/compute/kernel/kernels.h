/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the compute core computes, on plain memory: conduit smp runs it in place
 * of the core, and the RTL is compared with it. Operands become block floating
 * point (16/8/7, compute/number/block.h) as they are read; one output is
 *     acc = +0; for every chunk of 16 along K, in order: acc = acc + dot(chunk)
 *     r = acc; accumulate: r = C + r; bias: r = r + bias; ReLU: r < 0 -> +0
 * each sum rounded to FP32 by the rules of compute/number/fp.h. All instructions
 * give the same bits, whatever modes the caller's processor is in.
 *
 * Plain memory in and out; the output must not overlap an input. Blocking, on
 * the calling thread; any number of threads at once; allocates (the vector code
 * packs its operands), so not for signal handlers. Sizes count numbers unless
 * they say bytes.
 */
#ifndef FSH_KERNEL_KERNELS_H
#define FSH_KERNEL_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compute/number/isa.h"

enum fsh_kernel_status {
    FSH_KERNEL_OK,
    FSH_KERNEL_BAD_SHAPE,   /* a size of 0, or a kernel larger than its image */
    FSH_KERNEL_BAD_OPERAND, /* a form this place does not take, or ld too small */
    FSH_KERNEL_NO_MEMORY,
};

/* How a matrix lies in memory. "Row" is a row of the product's operand: K
 * values that are multiplied together. */
enum fsh_operand_form {
    FSH_OPERAND_ROWS,    /* FP32, K of a row adjacent, rows ld apart */
    FSH_OPERAND_COLUMNS, /* FP32, K lines ld apart, a row is a column of them */
    FSH_OPERAND_BFP,     /* encoded: number/operand.h; ld does not matter */
};

struct fsh_operand {
    enum fsh_operand_form form;
    const void *data;
    size_t ld;
};

/* What happens to an output after its last chunk, in this order. */
struct fsh_finish {
    bool accumulate;   /* add to what the output holds */
    const float *bias; /* one for each column (matmul), channel (conv); or 0 */
    bool relu;
};

/* C[m][n] = sum over k of A[m][k] * B[k][n]. A is FSH_OPERAND_ROWS (m rows of
 * k), _COLUMNS (k rows of m: transposed) or _BFP; B is _COLUMNS (the k x n matrix
 * as usual), _ROWS (n rows of k: transposed) or _BFP (n rows). */
struct fsh_matmul {
    size_t m, n, k;
    struct fsh_operand a, b;
    float *c;
    size_t ldc;
    struct fsh_finish finish;
};

/* FSH_KERNEL_OK, or what is wrong; then C is as before. */
enum fsh_kernel_status fsh_matmul(const struct fsh_matmul *op,
                                  enum fsh_isa isa);

/* Element by element, by the rules of number/fp.h, a product rounded before it is
 * added: c[i][j] = scale * x[i][j] + w[i][j]; = scale * x[i][j] where w[i][j] > 0,
 * +0 elsewhere; or c[j] = ((+0 + scale * x[0][j]) + scale * x[1][j]) + ... Rows are
 * ld apart. c may be x or w itself, with the same distance of rows. */
enum fsh_element_kind { FSH_ELEMENT_AXPY, FSH_ELEMENT_GATE, FSH_ELEMENT_SUM };
struct fsh_element {
    enum fsh_element_kind kind;
    size_t m, n;
    float scale;
    const float *x, *w; /* w: not for a SUM */
    float *c;
    size_t ldx, ldw, ldc;
};

/* FSH_KERNEL_OK, or what is wrong; then c is as before. Allocates nothing. */
enum fsh_kernel_status fsh_element(const struct fsh_element *op,
                                   enum fsh_isa isa);

/* 2-D convolution. Channels lie in blocks of 16 (oneDNN's nChw16c), padded with
 * zeros:
 *   in[cb][y][x][16]; kernels[o][cb][r][s][16]; out[ob][y][x][16], o = 16 ob + i
 * so the kernels are an operand of out_channels rows of
 * ceil(in_channels / 16) * kernel_h * kernel_w * 16 values: FSH_OPERAND_ROWS
 * or _BFP. Chunks are summed in the order cb, r, s. A tap outside the image is
 * a zero block. out_h = (in_h + 2 pad - kernel_h) / stride + 1, out_w alike.
 * Output channels past out_channels in the last block are +0. */
struct fsh_conv {
    size_t in_channels, in_h, in_w;
    size_t out_channels, kernel_h, kernel_w;
    size_t stride, pad;
    const float *in;
    struct fsh_operand kernels;
    float *out;
    struct fsh_finish finish; /* bias: out_channels numbers */
};

/* Height and width of the output: for in_h, kernel_h or in_w, kernel_w. 0 if
 * the kernel is larger than the padded image. */
size_t fsh_conv_out(size_t in, size_t kernel, size_t stride, size_t pad);

/* FSH_KERNEL_OK, or what is wrong; then out is as before. */
enum fsh_kernel_status fsh_conv(const struct fsh_conv *op, enum fsh_isa isa);

#endif
