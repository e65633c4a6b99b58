/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Squares packed in AVX-512, encoding them, as pack_avx2.c does: 16 operand rows at a
 * time, with a lane for each; see tile.h. The sum of a block's values, which A has beside
 * its scale, is a dot product with ones.
 */
#ifdef __x86_64__
#include <immintrin.h>

#include "compute/kernel/tile.h"

#define TARGET \
    __attribute__((target("avx512f,avx512bw,avx512vl,avx512vnni,avx2,fma")))
#define INLINE TARGET __attribute__((always_inline)) static inline

#define COLUMNS 32
#define SCALE 16 /* byte of a block of A; the sum follows */

/* As in pack_avx2.c. */
#define LOW 6
#define NORMAL 0x00800000
#define HALF 0x00010000
#define SATURATES 0x7f7f0000

INLINE __m512i absolute(__m512 x)
{
    return _mm512_and_si512(_mm512_castps_si512(x),
                            _mm512_set1_epi32(0x7fffffff));
}

/* Exponents of 16 blocks by their largest values. False: one is rare. */
INLINE bool exponents(__m512i most, __m512i *e)
{
    __mmask16 some = _mm512_cmpge_epi32_mask(most, _mm512_set1_epi32(NORMAL));
    __mmask16 low =
        _mm512_mask_cmplt_epi32_mask(some, most, _mm512_set1_epi32(LOW << 23));
    __mmask16 high =
        _mm512_cmpge_epi32_mask(most, _mm512_set1_epi32(SATURATES));
    __m512i up = _mm512_add_epi32(most, _mm512_set1_epi32(HALF));

    *e = _mm512_maskz_srli_epi32(some, up, 23);
    return (low | high) == 0;
}

INLINE __m512 to_units(__m512i e)
{
    e = _mm512_sub_epi32(_mm512_set1_epi32(260), e);
    return _mm512_castsi512_ps(_mm512_slli_epi32(e, 23));
}

INLINE __m512i round_units(__m512 x, __m512 factor)
{
    return _mm512_cvtps_epi32(_mm512_mul_ps(x, factor));
}

/* The low bytes of four vectors: byte i of group g of a 128-bit lane is of lane i of
 * vector g. */
INLINE __m512i low_bytes(const __m512i v[4])
{
    return _mm512_packs_epi16(_mm512_packs_epi32(v[0], v[1]),
                              _mm512_packs_epi32(v[2], v[3]));
}

/* 16 rows that are columns of 16 lines: word q has values 4q to 4q + 3 of each. */
INLINE bool take_columns(const float *x, size_t ld, __m512i words[4],
                         __m512i *e)
{
    /* A byte of each of four vectors side by side. */
    const __m512i by_lane = _mm512_broadcast_i32x4(
        _mm_setr_epi8(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15));
    __m512i most = _mm512_setzero_si512();
    __m512 line[16], factor;

#pragma GCC unroll 16
    for (unsigned k = 0; k < 16; k++) {
        line[k] = _mm512_loadu_ps(x + k * ld);
        most = _mm512_max_epi32(most, absolute(line[k]));
    }
    if (!exponents(most, e))
        return false;
    factor = to_units(*e);
#pragma GCC unroll 4
    for (unsigned q = 0; q < 4; q++) {
        __m512i v[4];

#pragma GCC unroll 4
        for (unsigned i = 0; i < 4; i++)
            v[i] = round_units(line[4 * q + i], factor);
        words[q] = _mm512_shuffle_epi8(low_bytes(v), by_lane);
    }
    return true;
}

INLINE __m512i larger(__m512i a, __m512i b)
{
    return _mm512_max_epi32(a, b);
}

/* The largest lane of each of four vectors, of four lanes each: group g of the 128-bit
 * lane l has it of vector g, among lanes 4 l to 4 l + 3. */
INLINE __m512i larger_of_four(const __m512i m[4])
{
    __m512i a = larger(_mm512_unpacklo_epi32(m[0], m[1]),
                       _mm512_unpackhi_epi32(m[0], m[1]));
    __m512i b = larger(_mm512_unpacklo_epi32(m[2], m[3]),
                       _mm512_unpackhi_epi32(m[2], m[3]));

    return larger(_mm512_unpacklo_epi64(a, b), _mm512_unpackhi_epi64(a, b));
}

/* 128-bit lane q of vector g becomes lane g of vector q. */
INLINE void turn_lanes(__m512i v[4])
{
    __m512i a = _mm512_shuffle_i32x4(v[0], v[1], 0x44);
    __m512i b = _mm512_shuffle_i32x4(v[0], v[1], 0xee);
    __m512i c = _mm512_shuffle_i32x4(v[2], v[3], 0x44);
    __m512i d = _mm512_shuffle_i32x4(v[2], v[3], 0xee);

    v[0] = _mm512_shuffle_i32x4(a, c, 0x88);
    v[1] = _mm512_shuffle_i32x4(a, c, 0xdd);
    v[2] = _mm512_shuffle_i32x4(b, d, 0x88);
    v[3] = _mm512_shuffle_i32x4(b, d, 0xdd);
}

/* 16 rows of adjacent values; words as of take_columns. */
INLINE bool take_rows(const float *x, size_t ld, __m512i words[4], __m512i *e)
{
    _Alignas(64) float factor[16];
    __m512i most[4];

#pragma GCC unroll 4
    for (unsigned g = 0; g < 4; g++) {
        __m512i m[4];

#pragma GCC unroll 4
        for (unsigned i = 0; i < 4; i++)
            m[i] = absolute(_mm512_loadu_ps(x + (4 * g + i) * ld));
        most[g] = larger_of_four(m);
    }
    turn_lanes(most);
    if (!exponents(larger(larger(most[0], most[1]), larger(most[2], most[3])),
                   e))
        return false;
    _mm512_store_ps(factor, to_units(*e));
#pragma GCC unroll 4
    for (unsigned g = 0; g < 4; g++) {
        __m512i v[4];

#pragma GCC unroll 4
        for (unsigned i = 0; i < 4; i++)
            v[i] = round_units(_mm512_loadu_ps(x + (4 * g + i) * ld),
                               _mm512_set1_ps(factor[4 * g + i]));
        words[g] = low_bytes(v);
    }
    turn_lanes(words);
    return true;
}

INLINE bool take(struct fsh_square s, __m512i words[4], __m512i *e)
{
    return s.columns ? take_columns(s.x, s.ld, words, e)
                     : take_rows(s.x, s.ld, words, e);
}

/* Scales of 16 blocks, whose codes are noted. */
INLINE __m512i scales_of(struct fsh_packer *packer, __m512i e)
{
    __m512i less = _mm512_sub_epi32(e, _mm512_set1_epi32(1));
    __m512i low = _mm512_load_si512(packer->low);
    __m512i high = _mm512_load_si512(packer->high);

    _mm512_store_si512(packer->low, _mm512_min_epu32(low, less));
    _mm512_store_si512(packer->high, _mm512_max_epu32(high, e));
    if (packer->careful)
        return _mm512_i32gather_epi32(e, packer->scales, 4);
    e = _mm512_sub_epi32(e, _mm512_set1_epi32(LOW));
    return _mm512_slli_epi32(_mm512_max_epi32(e, _mm512_setzero_si512()), 23);
}

/* -128 times the sum of each row. */
INLINE __m512i sums(const __m512i words[4])
{
    const __m512i ones = _mm512_set1_epi8(1);
    __m512i sum = _mm512_setzero_si512();

#pragma GCC unroll 4
    for (unsigned q = 0; q < 4; q++)
        sum = _mm512_dpbusd_epi32(sum, ones, words[q]);
    return _mm512_sub_epi32(_mm512_setzero_si512(), _mm512_slli_epi32(sum, 7));
}

/* Row 4 l + i is 128-bit lane l of rows[i]. */
INLINE void turn_words(const __m512i words[4], __m512i rows[4])
{
    __m512i a = _mm512_unpacklo_epi32(words[0], words[1]);
    __m512i b = _mm512_unpackhi_epi32(words[0], words[1]);
    __m512i c = _mm512_unpacklo_epi32(words[2], words[3]);
    __m512i d = _mm512_unpackhi_epi32(words[2], words[3]);

    rows[0] = _mm512_unpacklo_epi64(a, c);
    rows[1] = _mm512_unpackhi_epi64(a, c);
    rows[2] = _mm512_unpacklo_epi64(b, d);
    rows[3] = _mm512_unpackhi_epi64(b, d);
}

TARGET bool fsh_pack_a_avx512(struct fsh_packer *packer,
                              struct fsh_square square, uint8_t *out,
                              size_t step)
{
    _Alignas(64) int32_t scale[16], sum[16];
    _Alignas(64) __m128i row[16]; /* row 4 l + i at 4 i + l */
    __m512i words[4], rows[4], e;

    if (!take(square, words, &e))
        return false;
    _mm512_store_si512(scale, scales_of(packer, e));
    _mm512_store_si512(sum, sums(words));
    turn_words(words, rows);
#pragma GCC unroll 4
    for (unsigned i = 0; i < 4; i++)
        _mm512_store_si512(row + 4 * i, rows[i]);
#pragma GCC unroll 16
    for (unsigned i = 0; i < 16; i++, out += step) {
        _mm_storeu_si128((__m128i *)(void *)out, row[i % 4 * 4 + i / 4]);
        ((int32_t *)(void *)(out + SCALE))[0] = scale[i];
        ((int32_t *)(void *)(out + SCALE))[1] = sum[i];
    }
    return true;
}

TARGET bool fsh_pack_b_avx512(struct fsh_packer *packer,
                              struct fsh_square square, uint8_t *chunk,
                              size_t column)
{
    uint8_t *out = chunk + 4 * column;
    __m512i words[4], e;

    if (!take(square, words, &e))
        return false;
#pragma GCC unroll 4
    for (unsigned q = 0; q < 4; q++)
        _mm512_storeu_si512(out + 4 * COLUMNS * q,
                            _mm512_xor_si512(words[q], _mm512_set1_epi8(-128)));
    _mm512_storeu_si512(out + 16 * COLUMNS, scales_of(packer, e));
    return true;
}
#endif
