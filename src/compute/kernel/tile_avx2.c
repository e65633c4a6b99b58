/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tiles of 4 rows x 16 columns in AVX2 and FMA; see tile.h. vpmaddubsw adds two
 * products in 16 bits and saturates. Given |a| and b with the sign of a, the
 * sum is at most 2 * 127 * 127 = 32258 < 32768: it never does, and the dot
 * product is exact.
 */
#ifdef __x86_64__
#include <immintrin.h>

#include "compute/kernel/tile.h"

#define TARGET __attribute__((target("avx2,fma")))
#define INLINE TARGET __attribute__((always_inline)) static inline

#define ROWS 4
#define COLUMNS 16
#define CHUNK (COLUMNS * 20)

/* Careful words are integers: E - 133, far below any exponent for a zero block,
 * far above for Inf and NaN, so that a sum of two tells. */
#define WORD_ZERO (-1000)
#define WORD_NAN 10000
#define SUM_NAN 5000

static void words(bool careful, uint32_t out[256])
{
    fsh_fast_words(out);
    if (!careful)
        return;
    out[0] = (uint32_t)WORD_ZERO;
    for (int e = 1; e < 255; e++)
        out[e] = (uint32_t)(e - 133);
    out[255] = WORD_NAN;
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

/* Sums of four products a * b in each lane. */
INLINE __m256i products(__m256i a, __m256i size, __m256i b)
{
    __m256i pairs = _mm256_maddubs_epi16(size, _mm256_sign_epi8(b, a));

    return _mm256_madd_epi16(pairs, _mm256_set1_epi16(1));
}

/* One chunk of one row: adds to its two vectors of accumulators. */
INLINE void step(const uint8_t *block, const uint8_t *chunk, __m256 acc[2],
                 bool careful)
{
    __m256i sum[2] = {_mm256_setzero_si256(), _mm256_setzero_si256()};
    __m256i word = broadcast(block + FSH_BLOCK_WORD);

#pragma GCC unroll 4
    for (unsigned q = 0; q < 4; q++) {
        __m256i a = broadcast(block + 4 * q), size = _mm256_abs_epi8(a);
        const uint8_t *b = chunk + 4 * COLUMNS * q;

        sum[0] = _mm256_add_epi32(sum[0], products(a, size, load(b)));
        sum[1] = _mm256_add_epi32(sum[1], products(a, size, load(b + 32)));
    }
    chunk += 16 * COLUMNS;
    acc[0] = add_term(acc[0], sum[0], word, load(chunk), careful);
    acc[1] = add_term(acc[1], sum[1], word, load(chunk + 32), careful);
}

INLINE void tile(const struct fsh_tile *t, bool careful)
{
    __m256 acc[ROWS][2];
    const uint8_t *panel = t->panel;

#pragma GCC unroll 4
    for (unsigned r = 0; r < ROWS; r++) {
        acc[r][0] = _mm256_loadu_ps(t->acc + r * COLUMNS);
        acc[r][1] = _mm256_loadu_ps(t->acc + r * COLUMNS + 8);
    }
    for (size_t c = 0; c < t->chunks; c++, panel += CHUNK) {
#pragma GCC unroll 4
        for (unsigned r = 0; r < ROWS; r++)
            step(t->rows[r] + t->offsets[c], panel, acc[r], careful);
    }
#pragma GCC unroll 4
    for (unsigned r = 0; r < ROWS; r++) {
        _mm256_storeu_ps(t->acc + r * COLUMNS, acc[r][0]);
        _mm256_storeu_ps(t->acc + r * COLUMNS + 8, acc[r][1]);
    }
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

/* Sums may be -0 where the contract has +0 until the last +0 is added. */
TARGET static void finish(const struct fsh_finish *f, const float *acc,
                          size_t column, size_t count, float *out)
{
    const __m256 zero = _mm256_setzero_ps(),
                 nan = _mm256_castsi256_ps(_mm256_set1_epi32(0x7fc00000));

    for (size_t i = 0; i < count; i += 8) {
        __m256i some = first(count - i);
        __m256 r = _mm256_maskload_ps(acc + i, some);

        if (f->accumulate)
            r = _mm256_add_ps(_mm256_maskload_ps(out + i, some), r);
        if (f->bias)
            r = _mm256_add_ps(r,
                              _mm256_maskload_ps(f->bias + column + i, some));
        r = _mm256_add_ps(r, zero);
        if (f->relu)
            r = _mm256_andnot_ps(_mm256_cmp_ps(r, zero, _CMP_LT_OQ), r);
        r = _mm256_blendv_ps(r, nan, _mm256_cmp_ps(r, r, _CMP_UNORD_Q));
        _mm256_maskstore_ps(out + i, some, r);
    }
}

const struct fsh_tile_ops fsh_tile_avx2 = {ROWS, COLUMNS, 0,     words,
                                           fast, careful, finish};
#endif
