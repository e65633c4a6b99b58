/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * 16/8/7 blocks in AVX2, as blocks16_avx512.c does it, eight lanes at a time.
 */
#ifdef __x86_64__
#include <immintrin.h>

#include "compute/number/blocks16.h"

#define TARGET __attribute__((target("avx2,fma")))

/* Least exponent for which 2^(133 - E) is a finite number. */
#define LOW 6

/* 2^(133 - E): what a value is multiplied by to be in units of its block. */
TARGET static inline __m256 to_units(__m256i e)
{
    return _mm256_castsi256_ps(
        _mm256_slli_epi32(_mm256_sub_epi32(_mm256_set1_epi32(260), e), 23));
}

TARGET static inline __m256i round_units(__m256 x, __m256 factor)
{
    return _mm256_cvtps_epi32(_mm256_mul_ps(x, factor));
}

TARGET static inline __m256i saturate(__m256i v)
{
    v = _mm256_min_epi32(v, _mm256_set1_epi32(127));
    return _mm256_max_epi32(v, _mm256_set1_epi32(-127));
}

/* sign << 7 | magnitude in each lane, -127 <= v <= 127. */
TARGET static inline __m256i sign_magnitude(__m256i v)
{
    return _mm256_or_si256(_mm256_abs_epi32(v),
                           _mm256_and_si256(v, _mm256_set1_epi32(128)));
}

TARGET static inline __m256i absolute_bits(const float *x)
{
    return _mm256_and_si256(_mm256_loadu_si256((const __m256i *)x),
                            _mm256_set1_epi32(0x7fffffff));
}

TARGET static inline int largest_lane(__m256i v)
{
    __m128i m = _mm_max_epi32(_mm256_castsi256_si128(v),
                              _mm256_extracti128_si256(v, 1));

    m = _mm_max_epi32(m, _mm_shuffle_epi32(m, 0x4e));
    m = _mm_max_epi32(m, _mm_shuffle_epi32(m, 0xb1));
    return _mm_cvtsi128_si32(m);
}

/* The low bytes of eight lanes. */
TARGET static inline __m128i low_bytes(__m256i v)
{
    __m128i words = _mm_packus_epi32(_mm256_castsi256_si128(v),
                                     _mm256_extracti128_si256(v, 1));

    return _mm_packus_epi16(words, words);
}

/* 16 values in units of e. Returns the largest magnitude. */
TARGET static inline int round_block(const float *x, int e, __m256i v[2])
{
    __m256 factor = to_units(_mm256_set1_epi32(e));

    v[0] = round_units(_mm256_loadu_ps(x), factor);
    v[1] = round_units(_mm256_loadu_ps(x + 8), factor);
    return largest_lane(
        _mm256_max_epi32(_mm256_abs_epi32(v[0]), _mm256_abs_epi32(v[1])));
}

TARGET static inline void encode_one(const float *x, uint8_t *code,
                                     uint8_t *values)
{
    int e = largest_lane(
                _mm256_max_epi32(absolute_bits(x), absolute_bits(x + 8))) >>
            23;
    __m256i v[2];

    if (e != 0 && (e < LOW || e == 255)) {
        fsh_bfp_blocks16_encode(x, 1, code, values);
        return;
    }
    /* A block of zeros has code 0 and any factor. */
    if (round_block(x, e < LOW ? LOW : e, v) > 127) {
        e += e < 254;
        round_block(x, e, v);
    }
    *code = (uint8_t)e;
    for (unsigned i = 0; i < 2; i++)
        _mm_storel_epi64((__m128i *)(values + 8 * i),
                         low_bytes(sign_magnitude(saturate(v[i]))));
}

TARGET static void encode(const float *x, size_t blocks, uint8_t *codes,
                          uint8_t *values)
{
    for (size_t n = 0; n < blocks; n++)
        encode_one(x + 16 * n, codes + n, values + 16 * n);
}

/* All rows in units of e. Returns which columns have a value past 127. */
TARGET static inline __m256i round_rows(const float *x, size_t ld, __m256i e,
                                        __m256i v[16])
{
    /* Columns of zeros have code 0 and any factor. */
    __m256 factor = to_units(_mm256_max_epi32(e, _mm256_set1_epi32(LOW)));
    __m256i most = _mm256_setzero_si256();

    for (unsigned k = 0; k < 16; k++) {
        v[k] = round_units(_mm256_loadu_ps(x + k * ld), factor);
        most = _mm256_max_epi32(most, _mm256_abs_epi32(v[k]));
    }
    return _mm256_cmpgt_epi32(most, _mm256_set1_epi32(127));
}

/* The bytes of four rows, a lane for each column. */
TARGET static inline __m256i join(const __m256i v[4])
{
    __m256i low = _mm256_or_si256(sign_magnitude(v[0]),
                                  _mm256_slli_epi32(sign_magnitude(v[1]), 8));
    __m256i high = _mm256_or_si256(sign_magnitude(v[2]),
                                   _mm256_slli_epi32(sign_magnitude(v[3]), 8));

    return _mm256_or_si256(low, _mm256_slli_epi32(high, 16));
}

/* Whether a lane is 255, or below LOW and not 0. */
TARGET static inline bool is_rare(__m256i e)
{
    __m256i zero = _mm256_cmpeq_epi32(e, _mm256_setzero_si256());
    __m256i low = _mm256_cmpgt_epi32(_mm256_set1_epi32(LOW), e);
    __m256i high = _mm256_cmpeq_epi32(e, _mm256_set1_epi32(255));

    return _mm256_movemask_epi8(
               _mm256_or_si256(_mm256_andnot_si256(zero, low), high)) != 0;
}

/* Eight columns; false, and nothing written, if one of them is rare. */
TARGET static inline bool encode_eight(const float *x, size_t ld,
                                       uint8_t *codes, uint8_t *values)
{
    __m256i e = _mm256_setzero_si256(), v[16], up;

    for (unsigned k = 0; k < 16; k++)
        e = _mm256_max_epi32(e, absolute_bits(x + k * ld));
    e = _mm256_srli_epi32(e, 23);
    if (is_rare(e))
        return false;
    up = round_rows(x, ld, e, v);
    if (_mm256_movemask_epi8(up)) {
        up =
            _mm256_and_si256(up, _mm256_cmpgt_epi32(_mm256_set1_epi32(254), e));
        e = _mm256_sub_epi32(e, up); /* true is -1 */
        round_rows(x, ld, e, v);
        for (unsigned k = 0; k < 16; k++)
            v[k] = saturate(v[k]);
    }
    _mm_storel_epi64((__m128i *)codes, low_bytes(e));
    for (unsigned q = 0; q < 4; q++)
        _mm256_storeu_si256((__m256i *)(values + 64 * q), join(v + 4 * q));
    return true;
}

TARGET static void encode_columns(const float *x, size_t ld, uint8_t *codes,
                                  uint8_t *values)
{
    if (!encode_eight(x, ld, codes, values) ||
        !encode_eight(x + 8, ld, codes + 8, values + 32))
        fsh_bfp_blocks16_encode_columns(x, ld, codes, values);
}

/* Eight values of that many units. */
TARGET static inline __m256 decode_eight(const uint8_t *values, __m256 unit)
{
    __m256i v = _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)values));
    __m256i size = _mm256_and_si256(v, _mm256_set1_epi32(127));
    __m256i bit = _mm256_and_si256(v, _mm256_set1_epi32(128));
    /* 1 or -1: an integer 0 has no sign. */
    __m256i sign =
        _mm256_sub_epi32(_mm256_set1_epi32(1), _mm256_srli_epi32(bit, 6));

    size = _mm256_sign_epi32(size, sign);
    return _mm256_mul_ps(_mm256_cvtepi32_ps(size), unit);
}

/* Codes whose unit is no normal number, and Inf and NaN, are rare. */
TARGET static void decode(const uint8_t *codes, const uint8_t *values,
                          size_t blocks, float *x)
{
    for (size_t n = 0; n < blocks; n++, values += 16, x += 16) {
        int e = codes[n];
        __m256 unit;

        if (e == 0) {
            _mm256_storeu_ps(x, _mm256_setzero_ps());
            _mm256_storeu_ps(x + 8, _mm256_setzero_ps());
        } else if (e < 7 || e == 255) {
            fsh_bfp_blocks16_decode(codes + n, values, 1, x);
        } else {
            unit = _mm256_castsi256_ps(_mm256_set1_epi32((e - 6) << 23));
            _mm256_storeu_ps(x, decode_eight(values, unit));
            _mm256_storeu_ps(x + 8, decode_eight(values + 8, unit));
        }
    }
}

const struct fsh_bfp_blocks16 fsh_bfp_blocks16_avx2 = {encode, encode_columns,
                                                       decode};
#endif
