/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Element-wise kernels and sums of columns; see kernels.h. The vector code, AVX2 with any
 * instructions, is bound by memory; its modes flush as the compute core does.
 */
#include "compute/kernel/internal.h"
#include "compute/number/fp.h"

static float one(const struct fsh_element *op, float x, float w)
{
    float product = fsh_fp_mul(op->scale, x);

    if (op->kind == FSH_ELEMENT_AXPY)
        return fsh_fp_add(product, w);
    return fsh_fp_above_zero(w) ? product : 0;
}

/* Columns from `from` on, each by itself. */
static void map_row(const struct fsh_element *op, size_t row, size_t from)
{
    const float *x = op->x + row * op->ldx, *w = op->w + row * op->ldw;
    float *c = op->c + row * op->ldc;

    for (size_t j = from; j < op->n; j++)
        c[j] = one(op, x[j], w[j]);
}

static void sum_columns(const struct fsh_element *op, size_t from)
{
    for (size_t j = from; j < op->n; j++) {
        float sum = 0;

        for (size_t i = 0; i < op->m; i++)
            sum =
                fsh_fp_add(sum, fsh_fp_mul(op->scale, op->x[i * op->ldx + j]));
        op->c[j] = sum;
    }
}

#ifdef __x86_64__
#include <immintrin.h>

#define TARGET __attribute__((target("avx2,fma")))
#define INLINE TARGET __attribute__((always_inline)) static inline

/* A result as memory holds it: one NaN, and +0 for -0 (which +0 added makes). */
INLINE __m256 plain(__m256 x)
{
    __m256 nan = _mm256_castsi256_ps(_mm256_set1_epi32((int)FSH_FP_NAN));

    return _mm256_blendv_ps(_mm256_add_ps(x, _mm256_setzero_ps()), nan,
                            _mm256_cmp_ps(x, x, _CMP_UNORD_Q));
}

TARGET static size_t axpy_row(const struct fsh_element *op, const float *x,
                              const float *w, float *c)
{
    __m256 scale = _mm256_set1_ps(op->scale);
    size_t j;

    for (j = 0; j + 8 <= op->n; j += 8) {
        __m256 r = _mm256_mul_ps(scale, _mm256_loadu_ps(x + j));

        r = _mm256_add_ps(r, _mm256_loadu_ps(w + j));
        _mm256_storeu_ps(c + j, plain(r));
    }
    return j;
}

TARGET static size_t gate_row(const struct fsh_element *op, const float *x,
                              const float *w, float *c)
{
    __m256 scale = _mm256_set1_ps(op->scale), zero = _mm256_setzero_ps();
    size_t j;

    for (j = 0; j + 8 <= op->n; j += 8) {
        __m256 r = _mm256_mul_ps(scale, _mm256_loadu_ps(x + j));
        __m256 open = _mm256_cmp_ps(_mm256_loadu_ps(w + j), zero, _CMP_GT_OQ);

        _mm256_storeu_ps(c + j, plain(_mm256_and_ps(open, r)));
    }
    return j;
}

/* The sums of `count` times eight columns from j on. Those of one wait for each other,
 * row by row, so several are under way. */
INLINE void sum_eights(const struct fsh_element *op, size_t j, size_t count)
{
    const float *x = op->x + j;
    __m256 scale = _mm256_set1_ps(op->scale), sum[4];

#pragma GCC unroll 4
    for (size_t q = 0; q < count; q++)
        sum[q] = _mm256_setzero_ps();
    for (size_t i = 0; i < op->m; i++, x += op->ldx)
#pragma GCC unroll 4
        for (size_t q = 0; q < count; q++) {
            __m256 r = _mm256_mul_ps(scale, _mm256_loadu_ps(x + 8 * q));

            sum[q] = _mm256_add_ps(sum[q], r);
        }
#pragma GCC unroll 4
    for (size_t q = 0; q < count; q++)
        _mm256_storeu_ps(op->c + j + 8 * q, plain(sum[q]));
}

TARGET static size_t sum_some_columns(const struct fsh_element *op)
{
    size_t j = 0;

    for (; j + 32 <= op->n; j += 32)
        sum_eights(op, j, 4);
    for (; j + 8 <= op->n; j += 8)
        sum_eights(op, j, 1);
    return j;
}

static void element_avx2(const struct fsh_element *op)
{
    unsigned modes = fsh_isa_begin();

    if (op->kind == FSH_ELEMENT_SUM)
        sum_columns(op, sum_some_columns(op));
    for (size_t i = 0; op->kind != FSH_ELEMENT_SUM && i < op->m; i++) {
        const float *x = op->x + i * op->ldx, *w = op->w + i * op->ldw;
        float *c = op->c + i * op->ldc;

        map_row(op, i,
                op->kind == FSH_ELEMENT_AXPY ? axpy_row(op, x, w, c)
                                             : gate_row(op, x, w, c));
    }
    fsh_isa_end(modes);
}
#endif

enum fsh_kernel_status fsh_element(const struct fsh_element *op,
                                   enum fsh_isa isa)
{
    bool sum = op->kind == FSH_ELEMENT_SUM;

    if (op->m == 0 || op->n == 0)
        return FSH_KERNEL_BAD_SHAPE;
    if (!op->x || !op->c || (!sum && !op->w) ||
        (op->m > 1 &&
         (op->ldx < op->n || (!sum && (op->ldw < op->n || op->ldc < op->n)))))
        return FSH_KERNEL_BAD_OPERAND;
#ifdef __x86_64__
    if (fsh_isa_choose(isa) != FSH_ISA_PORTABLE) {
        element_avx2(op);
        return FSH_KERNEL_OK;
    }
#endif
    if (sum)
        sum_columns(op, 0);
    else
        for (size_t i = 0; i < op->m; i++)
            map_row(op, i, 0);
    return FSH_KERNEL_OK;
}
