/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Element-wise kernels and sums of columns; see kernels.h. The vector code needs what
 * every x86-64 has: memory bounds it, and its modes flush as the compute core does.
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
#include <emmintrin.h>

/* A result as memory holds it: one NaN, and +0 for -0 (which +0 added makes). */
static inline __m128 plain(__m128 x)
{
    __m128 nan = _mm_castsi128_ps(_mm_set1_epi32((int)FSH_FP_NAN));
    __m128 odd = _mm_cmpunord_ps(x, x);

    x = _mm_add_ps(x, _mm_setzero_ps());
    return _mm_or_ps(_mm_andnot_ps(odd, x), _mm_and_ps(odd, nan));
}

static size_t map_row_sse(const struct fsh_element *op, size_t row)
{
    const float *x = op->x + row * op->ldx, *w = op->w + row * op->ldw;
    float *c = op->c + row * op->ldc;
    __m128 scale = _mm_set1_ps(op->scale);
    size_t j;

    for (j = 0; j + 4 <= op->n; j += 4) {
        __m128 y = _mm_loadu_ps(w + j);
        __m128 r = _mm_mul_ps(scale, _mm_loadu_ps(x + j));

        if (op->kind == FSH_ELEMENT_AXPY)
            r = _mm_add_ps(r, y);
        else
            r = _mm_and_ps(_mm_cmpgt_ps(y, _mm_setzero_ps()), r);
        _mm_storeu_ps(c + j, plain(r));
    }
    return j;
}

/* Sixteen columns at a time: sums of one wait for each other, row by row. */
static size_t sum_columns_sse(const struct fsh_element *op)
{
    __m128 scale = _mm_set1_ps(op->scale);
    size_t j;

    for (j = 0; j + 16 <= op->n; j += 16) {
        const float *x = op->x + j;
        __m128 sum[4] = {_mm_setzero_ps(), _mm_setzero_ps(), _mm_setzero_ps(),
                         _mm_setzero_ps()};

        for (size_t i = 0; i < op->m; i++, x += op->ldx)
            for (size_t q = 0; q < 4; q++)
                sum[q] = _mm_add_ps(sum[q],
                                    _mm_mul_ps(scale, _mm_loadu_ps(x + 4 * q)));
        for (size_t q = 0; q < 4; q++)
            _mm_storeu_ps(op->c + j + 4 * q, plain(sum[q]));
    }
    return j;
}

static void element_sse(const struct fsh_element *op)
{
    unsigned modes = fsh_isa_begin();

    if (op->kind == FSH_ELEMENT_SUM)
        sum_columns(op, sum_columns_sse(op));
    else
        for (size_t i = 0; i < op->m; i++)
            map_row(op, i, map_row_sse(op, i));
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
        element_sse(op);
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
