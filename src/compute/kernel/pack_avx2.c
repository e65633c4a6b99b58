/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Squares packed in AVX2, encoding them: half a square, eight operand rows, at a time;
 * see tile.h. The arithmetic is that of number/blocks16_avx2.c, but that the exponent of
 * a block is known at once: its largest value alone decides whether one rounds up to
 * 128, which half a unit more than that value tells.
 */
#ifdef __x86_64__
#include <immintrin.h>

#include "compute/kernel/tile.h"

#define TARGET __attribute__((target("avx2,fma")))
#define INLINE TARGET __attribute__((always_inline)) static inline

#define COLUMNS 16
#define SCALE 32 /* byte of a block of A */

/* Least exponent for which 2^(133 - E) is a finite number. */
#define LOW 6
#define NORMAL 0x00800000    /* the least normal number */
#define HALF 0x00010000      /* of a unit, of the largest value of a block */
#define SATURATES 0x7f7f0000 /* the least that rounds past the last exponent */

INLINE __m256i absolute(__m256 x)
{
    return _mm256_and_si256(_mm256_castps_si256(x),
                            _mm256_set1_epi32(0x7fffffff));
}

/* Exponents of eight blocks by their largest values. False: one is rare. */
INLINE bool exponents(__m256i most, __m256i *e)
{
    __m256i zero = _mm256_cmpgt_epi32(_mm256_set1_epi32(NORMAL), most);
    __m256i low = _mm256_cmpgt_epi32(_mm256_set1_epi32(LOW << 23), most);
    __m256i high = _mm256_cmpgt_epi32(most, _mm256_set1_epi32(SATURATES - 1));
    __m256i up = _mm256_add_epi32(most, _mm256_set1_epi32(HALF));

    *e = _mm256_andnot_si256(zero, _mm256_srli_epi32(up, 23));
    return _mm256_testz_si256(
        _mm256_or_si256(high, _mm256_andnot_si256(zero, low)),
        _mm256_set1_epi32(-1));
}

/* 2^(133 - E): what a value is multiplied by to be in units of its block. Zeros get some
 * other number that is finite. */
INLINE __m256 to_units(__m256i e)
{
    e = _mm256_sub_epi32(_mm256_set1_epi32(260), e);
    return _mm256_castsi256_ps(_mm256_slli_epi32(e, 23));
}

INLINE __m256i round_units(const float *x, __m256 factor)
{
    return _mm256_cvtps_epi32(_mm256_mul_ps(_mm256_loadu_ps(x), factor));
}

/* Eight rows that are columns of 16 lines: words[q] has values 2q and 2q + 1 of each. */
INLINE bool take_columns(const float *x, size_t ld, __m256i words[8],
                         __m256i *e)
{
    __m256i most = _mm256_setzero_si256();
    __m256 factor;

#pragma GCC unroll 16
    for (unsigned k = 0; k < 16; k++)
        most = _mm256_max_epi32(most, absolute(_mm256_loadu_ps(x + k * ld)));
    if (!exponents(most, e))
        return false;
    factor = to_units(*e);
#pragma GCC unroll 8
    for (unsigned q = 0; q < 8; q++) {
        __m256i low = round_units(x + 2 * q * ld, factor);
        __m256i high = round_units(x + (2 * q + 1) * ld, factor);

        words[q] = _mm256_blend_epi16(low, _mm256_slli_epi32(high, 16), 0xaa);
    }
    return true;
}

INLINE __m256i larger(__m256i a, __m256i b)
{
    return _mm256_max_epi32(a, b);
}

/* The largest lane of each of eight vectors. */
INLINE __m256i largest_lanes(const __m256i m[8])
{
    __m256i two[4], four[2];

#pragma GCC unroll 4
    for (unsigned i = 0; i < 4; i++)
        two[i] = larger(_mm256_unpacklo_epi32(m[2 * i], m[2 * i + 1]),
                        _mm256_unpackhi_epi32(m[2 * i], m[2 * i + 1]));
#pragma GCC unroll 2
    for (unsigned i = 0; i < 2; i++)
        four[i] = larger(_mm256_unpacklo_epi64(two[2 * i], two[2 * i + 1]),
                         _mm256_unpackhi_epi64(two[2 * i], two[2 * i + 1]));
    return larger(_mm256_permute2x128_si256(four[0], four[1], 0x20),
                  _mm256_permute2x128_si256(four[0], four[1], 0x31));
}

/* Eight rows of adjacent values: rows[i] has the 16 of row i. */
INLINE bool take_rows(const float *x, size_t ld, __m256i rows[8], __m256i *e)
{
    _Alignas(32) float factor[8];

#pragma GCC unroll 8
    for (unsigned i = 0; i < 8; i++)
        rows[i] = larger(absolute(_mm256_loadu_ps(x + i * ld)),
                         absolute(_mm256_loadu_ps(x + i * ld + 8)));
    if (!exponents(largest_lanes(rows), e))
        return false;
    _mm256_store_ps(factor, to_units(*e));
#pragma GCC unroll 8
    for (unsigned i = 0; i < 8; i++) {
        __m256 f = _mm256_broadcast_ss(factor + i);
        __m256i v = _mm256_packs_epi32(round_units(x + i * ld, f),
                                       round_units(x + i * ld + 8, f));

        rows[i] = _mm256_permute4x64_epi64(v, 0xd8);
    }
    return true;
}

/* Word q of vector i becomes word i of vector q. */
INLINE void turn(__m256i v[8])
{
    __m256i a[8], b[8];

#pragma GCC unroll 4
    for (unsigned i = 0; i < 8; i += 2) {
        a[i] = _mm256_unpacklo_epi32(v[i], v[i + 1]);
        a[i + 1] = _mm256_unpackhi_epi32(v[i], v[i + 1]);
    }
#pragma GCC unroll 2
    for (unsigned i = 0; i < 8; i += 4) {
        b[i] = _mm256_unpacklo_epi64(a[i], a[i + 2]);
        b[i + 1] = _mm256_unpackhi_epi64(a[i], a[i + 2]);
        b[i + 2] = _mm256_unpacklo_epi64(a[i + 1], a[i + 3]);
        b[i + 3] = _mm256_unpackhi_epi64(a[i + 1], a[i + 3]);
    }
#pragma GCC unroll 4
    for (unsigned i = 0; i < 4; i++) {
        v[i] = _mm256_permute2x128_si256(b[i], b[i + 4], 0x20);
        v[i + 4] = _mm256_permute2x128_si256(b[i], b[i + 4], 0x31);
    }
}

INLINE __m256i load(const void *at)
{
    return _mm256_loadu_si256(at);
}

/* Scales of eight blocks, whose codes are noted. */
INLINE __m256i scales_of(struct fsh_packer *packer, __m256i e)
{
    __m256i less = _mm256_sub_epi32(e, _mm256_set1_epi32(1));

    _mm256_store_si256((__m256i *)packer->low,
                       _mm256_min_epu32(load(packer->low), less));
    _mm256_store_si256((__m256i *)packer->high,
                       _mm256_max_epu32(load(packer->high), e));
    if (packer->careful)
        return _mm256_i32gather_epi32((const int *)packer->scales, e, 4);
    e = _mm256_sub_epi32(e, _mm256_set1_epi32(LOW));
    return _mm256_slli_epi32(_mm256_max_epi32(e, _mm256_setzero_si256()), 23);
}

/* The half of a square from operand row `row` on, its words by row (or, turned, of a
 * place by row). */
INLINE bool take_half(struct fsh_square s, size_t row, bool turned,
                      __m256i v[8], __m256i *e)
{
    bool taken = s.columns ? take_columns(s.x + row, s.ld, v, e)
                           : take_rows(s.x + row * s.ld, s.ld, v, e);

    if (taken && s.columns != turned)
        turn(v);
    return taken;
}

TARGET bool fsh_pack_a_avx2(struct fsh_packer *packer, struct fsh_square square,
                            uint8_t *out, size_t step)
{
    for (size_t row = 0; row < 16; row += 8) {
        _Alignas(32) int32_t scales[8];
        __m256i v[8], e;

        if (!take_half(square, row, false, v, &e))
            return false;
        _mm256_store_si256((__m256i *)scales, scales_of(packer, e));
#pragma GCC unroll 8
        for (unsigned i = 0; i < 8; i++, out += step) {
            _mm256_storeu_si256((__m256i *)(void *)out, v[i]);
            *(int32_t *)(void *)(out + SCALE) = scales[i];
        }
    }
    return true;
}

TARGET bool fsh_pack_b_avx2(struct fsh_packer *packer, struct fsh_square square,
                            uint8_t *chunk, size_t column)
{
    for (size_t row = 0; row < 16; row += 8) {
        uint8_t *out = chunk + 4 * (column + row);
        __m256i v[8], e;

        if (!take_half(square, row, true, v, &e))
            return false;
#pragma GCC unroll 8
        for (unsigned q = 0; q < 8; q++)
            _mm256_storeu_si256((__m256i *)(void *)(out + 4 * COLUMNS * q),
                                v[q]);
        _mm256_storeu_si256((__m256i *)(void *)(out + 32 * COLUMNS),
                            scales_of(packer, e));
    }
    return true;
}
#endif
