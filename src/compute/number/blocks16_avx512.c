/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * 16/8/7 blocks in AVX-512; see blocks16.h. A magnitude is the input times a
 * power of two, converted to an integer: the product is exact or far below one
 * half, the conversion rounds to nearest even, and denormal inputs are zero by
 * the modes of fsh_isa_begin. Blocks whose power of two is no normal number,
 * and those with Inf or NaN, take the plain C code.
 */
#ifdef __x86_64__
#include <immintrin.h>

#include "compute/number/blocks16.h"

#define TARGET __attribute__((target("avx512f,avx512bw,avx512vl")))

/* Least exponent for which 2^(133 - E) is a finite number. */
#define LOW 6

/* 2^(133 - E): what a value is multiplied by to be in units of its block. */
TARGET static inline __m512 to_units(__m512i e)
{
    return _mm512_castsi512_ps(
        _mm512_slli_epi32(_mm512_sub_epi32(_mm512_set1_epi32(260), e), 23));
}

TARGET static inline __m512i round_units(__m512 x, __m512 factor)
{
    return _mm512_cvtps_epi32(_mm512_mul_ps(x, factor));
}

TARGET static inline __m512i saturate(__m512i v)
{
    v = _mm512_min_epi32(v, _mm512_set1_epi32(127));
    return _mm512_max_epi32(v, _mm512_set1_epi32(-127));
}

/* sign << 7 | magnitude in each lane, -127 <= v <= 127. */
TARGET static inline __m512i sign_magnitude(__m512i v)
{
    return _mm512_or_si512(_mm512_abs_epi32(v),
                           _mm512_and_si512(v, _mm512_set1_epi32(128)));
}

TARGET static inline void encode_one(const float *x, uint8_t *code,
                                     uint8_t *values)
{
    const __m512i absolute = _mm512_set1_epi32(0x7fffffff);
    __m512 in = _mm512_loadu_ps(x);
    __m512i bits = _mm512_and_si512(_mm512_castps_si512(in), absolute);
    int e = _mm512_reduce_max_epi32(bits) >> 23;
    __m512i v;

    if (e == 0) {
        *code = 0;
        _mm_storeu_si128((__m128i *)values, _mm_setzero_si128());
        return;
    }
    if (e < LOW || e == 255) {
        fsh_bfp_blocks16_encode(x, 1, code, values);
        return;
    }
    v = round_units(in, to_units(_mm512_set1_epi32(e)));
    if (_mm512_cmpgt_epi32_mask(_mm512_abs_epi32(v), _mm512_set1_epi32(127))) {
        e += e < 254;
        v = saturate(round_units(in, to_units(_mm512_set1_epi32(e))));
    }
    *code = (uint8_t)e;
    _mm_storeu_si128((__m128i *)values,
                     _mm512_cvtepi32_epi8(sign_magnitude(v)));
}

TARGET static void encode(const float *x, size_t blocks, uint8_t *codes,
                          uint8_t *values)
{
    for (size_t n = 0; n < blocks; n++)
        encode_one(x + 16 * n, codes + n, values + 16 * n);
}

/* The largest absolute value of each lane, over all rows, as bits. */
TARGET static inline __m512i largest(const float *x, size_t ld)
{
    const __m512i absolute = _mm512_set1_epi32(0x7fffffff);
    __m512i most = _mm512_setzero_si512();

    for (unsigned k = 0; k < 16; k++)
        most = _mm512_max_epi32(
            most, _mm512_and_si512(_mm512_loadu_si512(x + k * ld), absolute));
    return most;
}

/* All rows in units of e. Returns the columns with a value past 127. */
TARGET static inline __mmask16 round_rows(const float *x, size_t ld, __m512i e,
                                          __m512i v[16])
{
    /* Columns of zeros have code 0 and any factor. */
    __m512 factor = to_units(_mm512_max_epi32(e, _mm512_set1_epi32(LOW)));
    __m512i most = _mm512_setzero_si512();

#pragma GCC unroll 16
    for (unsigned k = 0; k < 16; k++) {
        v[k] = round_units(_mm512_loadu_ps(x + k * ld), factor);
        most = _mm512_max_epi32(most, _mm512_abs_epi32(v[k]));
    }
    return _mm512_cmpgt_epi32_mask(most, _mm512_set1_epi32(127));
}

/* The bytes of four rows, a lane for each column. */
TARGET static inline __m512i join(const __m512i v[4])
{
    __m512i low = _mm512_or_si512(sign_magnitude(v[0]),
                                  _mm512_slli_epi32(sign_magnitude(v[1]), 8));
    __m512i high = _mm512_or_si512(sign_magnitude(v[2]),
                                   _mm512_slli_epi32(sign_magnitude(v[3]), 8));

    return _mm512_or_si512(low, _mm512_slli_epi32(high, 16));
}

TARGET static void encode_columns(const float *x, size_t ld, uint8_t *codes,
                                  uint8_t *values)
{
    __m512i e = _mm512_srli_epi32(largest(x, ld), 23), v[16];
    __mmask16 rare = _mm512_cmplt_epi32_mask(e, _mm512_set1_epi32(LOW)) &
                     _mm512_test_epi32_mask(e, e);
    __mmask16 up;

    rare |= _mm512_cmpeq_epi32_mask(e, _mm512_set1_epi32(255));
    if (rare) {
        fsh_bfp_blocks16_encode_columns(x, ld, codes, values);
        return;
    }
    up = round_rows(x, ld, e, v);
    if (up) {
        up &= _mm512_cmplt_epi32_mask(e, _mm512_set1_epi32(254));
        e = _mm512_mask_add_epi32(e, up, e, _mm512_set1_epi32(1));
        round_rows(x, ld, e, v);
        for (unsigned k = 0; k < 16; k++)
            v[k] = saturate(v[k]);
    }
    _mm_storeu_si128((__m128i *)codes, _mm512_cvtepi32_epi8(e));
#pragma GCC unroll 4
    for (unsigned q = 0; q < 4; q++)
        _mm512_storeu_si512(values + 64 * q, join(v + 4 * q));
}

/* A block of that many units. */
TARGET static inline __m512 decode_units(const uint8_t *values, __m512 unit)
{
    __m512i v = _mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)values));
    __mmask16 minus = _mm512_test_epi32_mask(v, _mm512_set1_epi32(128));

    v = _mm512_and_si512(v, _mm512_set1_epi32(127));
    v = _mm512_mask_sub_epi32(v, minus, _mm512_setzero_si512(), v);
    return _mm512_mul_ps(_mm512_cvtepi32_ps(v), unit);
}

/* Codes whose unit is no normal number, and Inf and NaN, are rare. */
TARGET static void decode(const uint8_t *codes, const uint8_t *values,
                          size_t blocks, float *x)
{
    for (size_t n = 0; n < blocks; n++, values += 16, x += 16) {
        int e = codes[n];
        __m512i unit;

        if (e == 0) {
            _mm512_storeu_ps(x, _mm512_setzero_ps());
        } else if (e < 7 || e == 255) {
            fsh_bfp_blocks16_decode(codes + n, values, 1, x);
        } else {
            unit = _mm512_set1_epi32((e - 6) << 23);
            _mm512_storeu_ps(x,
                             decode_units(values, _mm512_castsi512_ps(unit)));
        }
    }
}

const struct fsh_bfp_blocks16 fsh_bfp_blocks16_avx512 = {encode, encode_columns,
                                                         decode};
#endif
