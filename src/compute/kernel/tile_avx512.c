/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tiles of 8 rows x 32 columns in AVX-512 with VNNI; see tile.h. vpdpbusd
 * multiplies bytes without sign by bytes with sign and adds four products to 32
 * bits without saturation. So B has 128 added to each byte, and a sum starts
 * from -128 times the sum of A's values, which is what that adds. For 256
 * products: four vpdpbusd, a conversion, a product of exponents, one fma.
 */
#ifdef __x86_64__
#include <immintrin.h>
#include <string.h>

#include "compute/kernel/tile.h"

#define TARGET \
    __attribute__((target("avx512f,avx512bw,avx512vl,avx512vnni,avx2,fma")))
#define INLINE TARGET __attribute__((always_inline)) static inline

#define ROWS 8
#define COLUMNS 32
#define SCALE 16 /* byte of a block of A */
#define SUM 20   /* byte of -128 times the sum of its values */
#define BLOCK 24
#define CHUNK (COLUMNS * 20)

/* Careful scales are E - 133 as FP32, -Inf for a zero block (2^-Inf = 0) and NaN
 * for Inf and NaN. */
static void scales(bool careful, uint32_t out[256])
{
    fsh_fast_scales(out);
    if (!careful)
        return;
    for (int e = 1; e < 255; e++) {
        union {
            float value;
            uint32_t bits;
        } word = {.value = (float)(e - 133)};

        out[e] = word.bits;
    }
    out[0] = 0xff800000;
}

INLINE __m512i broadcast(const uint8_t *at)
{
    return _mm512_set1_epi32(*(const int32_t *)(const void *)at);
}

INLINE __m512 broadcast_scale(const uint8_t *block)
{
    return _mm512_castsi512_ps(broadcast(block + SCALE));
}

/* acc + sum * 2^(x + y): a term that may be any number. vscalefps gives Inf and
 * (flushing) zero where the contract does. */
INLINE __m512 add_term(__m512 acc, __m512i sum, __m512 x, __m512 y,
                       bool careful)
{
    __m512 d = _mm512_cvtepi32_ps(sum);

    if (careful)
        return _mm512_add_ps(acc, _mm512_scalef_ps(d, _mm512_add_ps(x, y)));
    return _mm512_fmadd_ps(d, _mm512_mul_ps(x, y), acc);
}

/* One chunk of one row: adds to its two vectors of accumulators. */
INLINE void step(const uint8_t *block, const __m512i b[8],
                 const __m512 scale[2], __m512 acc[2], bool careful)
{
    __m512i start = broadcast(block + SUM), sum[2] = {start, start};
    __m512 word = broadcast_scale(block);

#pragma GCC unroll 4
    for (unsigned q = 0; q < 4; q++) {
        __m512i a = broadcast(block + 4 * q);

        sum[0] = _mm512_dpbusd_epi32(sum[0], b[2 * q], a);
        sum[1] = _mm512_dpbusd_epi32(sum[1], b[2 * q + 1], a);
    }
    acc[0] = add_term(acc[0], sum[0], word, scale[0], careful);
    acc[1] = add_term(acc[1], sum[1], word, scale[1], careful);
}

INLINE void tile(const struct fsh_tile *t, bool careful)
{
    __m512 acc[ROWS][2];
    const uint8_t *panel = t->panel;

#pragma GCC unroll 8
    for (unsigned r = 0; r < ROWS; r++) {
        acc[r][0] = _mm512_loadu_ps(t->acc + r * COLUMNS);
        acc[r][1] = _mm512_loadu_ps(t->acc + r * COLUMNS + 16);
    }
    for (size_t c = 0; c < t->chunks; c++, panel += CHUNK) {
        __m512i b[8];
        __m512 scale[2];

#pragma GCC unroll 8
        for (unsigned i = 0; i < 8; i++)
            b[i] = _mm512_loadu_si512(panel + 64 * i);
        scale[0] = _mm512_loadu_ps(panel + 512);
        scale[1] = _mm512_loadu_ps(panel + 576);
#pragma GCC unroll 8
        for (unsigned r = 0; r < ROWS; r++)
            step(t->rows[r] + t->offsets[c], b, scale, acc[r], careful);
    }
#pragma GCC unroll 8
    for (unsigned r = 0; r < ROWS; r++) {
        _mm512_storeu_ps(t->acc + r * COLUMNS, acc[r][0]);
        _mm512_storeu_ps(t->acc + r * COLUMNS + 16, acc[r][1]);
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

/* Sums may be -0 where the contract has +0 until the last +0 is added. */
TARGET static void finish(const struct fsh_finish *f, const float *acc,
                          size_t column, size_t count, float *out)
{
    __mmask16 some = (__mmask16)((1u << count) - 1);
    __m512 zero = _mm512_setzero_ps(), r = _mm512_maskz_loadu_ps(some, acc);

    if (f->accumulate)
        r = _mm512_add_ps(_mm512_maskz_loadu_ps(some, out), r);
    if (f->bias)
        r = _mm512_add_ps(r, _mm512_maskz_loadu_ps(some, f->bias + column));
    r = _mm512_add_ps(r, zero);
    if (f->relu)
        r = _mm512_mask_mov_ps(r, _mm512_cmp_ps_mask(r, zero, _CMP_LT_OQ),
                               zero);
    r = _mm512_mask_mov_ps(r, _mm512_cmp_ps_mask(r, r, _CMP_UNORD_Q),
                           _mm512_castsi512_ps(_mm512_set1_epi32(0x7fc00000)));
    _mm512_mask_storeu_ps(out, some, r);
}

static void put_a(const int8_t values[16], uint8_t *out)
{
    int32_t sum = 0;

    for (unsigned i = 0; i < 16; i++)
        sum += values[i];
    sum *= -128;
    memcpy(out, values, 16);
    memcpy(out + SUM, &sum, 4);
}

static void put_b(const int8_t values[16], uint8_t *chunk, size_t column)
{
    for (unsigned i = 0; i < 16; i++)
        chunk[(i / 4 * COLUMNS + column) * 4 + i % 4] =
            (uint8_t)(values[i] ^ -128);
}

const struct fsh_tile_ops fsh_tile_avx512 = {
    .rows = ROWS,
    .columns = COLUMNS,
    .block = BLOCK,
    .scale = SCALE,
    .chunk = CHUNK,
    .scales = scales,
    .pack_a = fsh_pack_a_avx512,
    .pack_b = fsh_pack_b_avx512,
    .put_a = put_a,
    .put_b = put_b,
    .fast = fast,
    .careful = careful,
    .finish = finish,
};
#endif
