/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tiles of 4 rows x 16 columns in AVX2 and FMA; see tile.h. Values have 16 bits:
 * vpmaddwd multiplies and adds pairs exactly, one instruction where bytes would take
 * three (vpmaddubsw saturates, and wants one factor without sign). Sums of a chunk
 * stay in registers, accumulators in memory.
 */
#ifdef __x86_64__
#include <immintrin.h>

#include "compute/kernel/tile.h"

#define TARGET __attribute__((target("avx2,fma")))
#define INLINE TARGET __attribute__((always_inline)) static inline

#define ROWS 4
#define COLUMNS 16
#define WORDS 8 /* of a block, two values each */
#define SCALE (4 * WORDS)
#define BLOCK (SCALE + 4)
#define CHUNK (COLUMNS * BLOCK)

/* Careful scales are integers: E - 133, far below any exponent for a zero block,
 * far above for Inf and NaN, so that a sum of two tells. */
#define SCALE_ZERO (-1000)
#define SCALE_NAN 10000
#define SUM_NAN 5000

static void scales(bool careful, uint32_t out[256])
{
    fsh_fast_scales(out);
    if (!careful)
        return;
    out[0] = (uint32_t)SCALE_ZERO;
    for (int e = 1; e < 255; e++)
        out[e] = (uint32_t)(e - 133);
    out[255] = SCALE_NAN;
}

INLINE __m256i broadcast(const uint8_t *at)
{
    return _mm256_set1_epi32(*(const int32_t *)(const void *)at);
}

/* 2^e for a normal number. */
INLINE __m256 power(__m256i e)
{
    e = _mm256_add_epi32(e, _mm256_set1_epi32(127));
    return _mm256_castsi256_ps(_mm256_slli_epi32(e, 23));
}

/* d * 2^e for any e, in two steps of half of it. Past the limits given the
 * result is Inf or zero (or d is 0), as with the limits themselves. */
INLINE __m256 scale(__m256 d, __m256i e)
{
    __m256i is_nan = _mm256_cmpgt_epi32(e, _mm256_set1_epi32(SUM_NAN));
    __m256i half;

    e = _mm256_max_epi32(e, _mm256_set1_epi32(-160));
    e = _mm256_min_epi32(e, _mm256_set1_epi32(140));
    half = _mm256_srai_epi32(e, 1);
    d = _mm256_mul_ps(d, power(half));
    d = _mm256_mul_ps(d, power(_mm256_sub_epi32(e, half)));
    return _mm256_or_ps(d, _mm256_castsi256_ps(is_nan));
}

INLINE __m256 add_term(__m256 acc, __m256i sum, __m256i x, __m256i y,
                       bool careful)
{
    __m256 d = _mm256_cvtepi32_ps(sum);

    if (careful)
        return _mm256_add_ps(acc, scale(d, _mm256_add_epi32(x, y)));
    return _mm256_fmadd_ps(
        d, _mm256_mul_ps(_mm256_castsi256_ps(x), _mm256_castsi256_ps(y)), acc);
}

INLINE __m256i load(const uint8_t *at)
{
    return _mm256_loadu_si256((const __m256i *)(const void *)at);
}

/* Keeps the compiler from moving loads up: it would run out of registers. */
INLINE void in_order(__m256i *a, __m256i *b)
{
    __asm__ volatile("" : "+x"(*a), "+x"(*b));
}

/* The dot products of a chunk, in integers. */
INLINE void multiply(const uint8_t *const row[ROWS], size_t at,
                     const uint8_t *chunk, __m256i sum[ROWS][2])
{
#pragma GCC unroll 8
    for (unsigned q = 0; q < WORDS; q++) {
        __m256i b0 = load(chunk + 4 * COLUMNS * q);
        __m256i b1 = load(chunk + 4 * COLUMNS * q + 32);

#pragma GCC unroll 4
        for (unsigned r = 0; r < ROWS; r++) {
            __m256i a = broadcast(row[r] + at + 4 * q);
            __m256i low = _mm256_madd_epi16(a, b0);
            __m256i high = _mm256_madd_epi16(a, b1);

            sum[r][0] = q == 0 ? low : _mm256_add_epi32(sum[r][0], low);
            sum[r][1] = q == 0 ? high : _mm256_add_epi32(sum[r][1], high);
            in_order(&sum[r][0], &sum[r][1]);
        }
    }
}

INLINE void tile(const struct fsh_tile *t, bool careful)
{
    const uint8_t *const row[ROWS] = {t->rows[0], t->rows[1], t->rows[2],
                                      t->rows[3]};
    const uint8_t *panel = t->panel;

    for (size_t c = 0; c < t->chunks; c++, panel += CHUNK) {
        const uint8_t *scales = panel + 4 * WORDS * COLUMNS;
        size_t at = t->offsets[c];
        __m256i sum[ROWS][2];
        float *acc = t->acc;

        multiply(row, at, panel, sum);
#pragma GCC unroll 4
        for (unsigned r = 0; r < ROWS; r++, acc += COLUMNS) {
            __m256i mine = broadcast(row[r] + at + SCALE);

            _mm256_storeu_ps(acc, add_term(_mm256_loadu_ps(acc), sum[r][0],
                                           mine, load(scales), careful));
            _mm256_storeu_ps(acc + 8,
                             add_term(_mm256_loadu_ps(acc + 8), sum[r][1], mine,
                                      load(scales + 32), careful));
        }
    }
}

static void put_a(const int8_t values[16], uint8_t *out)
{
    for (unsigned i = 0; i < 16; i++)
        ((int16_t *)(void *)out)[i] = values[i];
}

static void put_b(const int8_t values[16], uint8_t *chunk, size_t column)
{
    for (unsigned i = 0; i < 16; i++)
        ((int16_t *)(void *)chunk)[(i / 2 * COLUMNS + column) * 2 + i % 2] =
            values[i];
}

TARGET static void fast(const struct fsh_tile *t)
{
    tile(t, false);
}

TARGET static void careful(const struct fsh_tile *t)
{
    tile(t, true);
}

/* Which of eight lanes are among the first count. */
INLINE __m256i first(size_t count)
{
    const __m256i lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);

    return _mm256_cmpgt_epi32(_mm256_set1_epi32((int)count), lanes);
}

/* Instructions with a mask are slow, so eight outputs go without. */
INLINE __m256 load_some(const float *at, __m256i some, bool all)
{
    return all ? _mm256_loadu_ps(at) : _mm256_maskload_ps(at, some);
}

/* Up to eight outputs. Sums may be -0 where the contract has +0 until the last +0 is
 * added. */
INLINE void finish_some(const struct fsh_finish *f, const float *acc,
                        size_t column, size_t count, float *out, bool all)
{
    const __m256 zero = _mm256_setzero_ps(),
                 nan = _mm256_castsi256_ps(_mm256_set1_epi32(0x7fc00000));
    __m256i some = first(count);
    __m256 r = _mm256_loadu_ps(acc);

    if (f->accumulate)
        r = _mm256_add_ps(load_some(out, some, all), r);
    if (f->bias)
        r = _mm256_add_ps(r, load_some(f->bias + column, some, all));
    r = _mm256_add_ps(r, zero);
    if (f->relu)
        r = _mm256_andnot_ps(_mm256_cmp_ps(r, zero, _CMP_LT_OQ), r);
    r = _mm256_blendv_ps(r, nan, _mm256_cmp_ps(r, r, _CMP_UNORD_Q));
    if (all)
        _mm256_storeu_ps(out, r);
    else
        _mm256_maskstore_ps(out, some, r);
}

TARGET static void finish(const struct fsh_finish *f, const float *acc,
                          size_t column, size_t count, float *out)
{
    for (size_t i = 0; i < count; i += 8)
        if (count - i >= 8)
            finish_some(f, acc + i, column + i, 8, out + i, true);
        else
            finish_some(f, acc + i, column + i, count - i, out + i, false);
}

const struct fsh_tile_ops fsh_tile_avx2 = {
    .rows = ROWS,
    .columns = COLUMNS,
    .block = BLOCK,
    .scale = SCALE,
    .chunk = CHUNK,
    .scales = scales,
    .pack_a = fsh_pack_a_avx2,
    .pack_b = fsh_pack_b_avx2,
    .put_a = put_a,
    .put_b = put_b,
    .fast = fast,
    .careful = careful,
    .finish = finish,
};
#endif
