/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reductions in AVX-512 F, bitwise equal to reference.c. Sums and products specify
 * rounding and suppress all exceptions in the instruction, so that of the caller's
 * modes only the flushing of subnormals matters, and no flag changes; all comparisons
 * are of integers.
 */
#ifdef __x86_64__
#include <immintrin.h>
#include <stdbool.h>
#include <string.h>

#include "coll/fold/modes.h"
#include "coll/fold/table.h"

/* Without optimisation, gcc's _round_ forms are macros that convert -1 to a mask. */
#pragma GCC diagnostic ignored "-Wsign-conversion"

#define TARGET __attribute__((target("avx512f,avx512bw,avx512vl")))
#define INLINE TARGET FSH_FOLD_INLINE

#define NEAREST (_MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)

/* Which of these lanes are NaN, determined with integer operations: compilers do not
 * reliably suppress the exceptions of a comparison. */
INLINE static __mmask16 nan_float(__mmask16 lanes, __m512i v)
{
    return _mm512_mask_cmpgt_epi32_mask(
        lanes, _mm512_and_si512(v, _mm512_set1_epi32(INT32_MAX)),
        _mm512_set1_epi32(0x7f800000));
}

INLINE static __mmask8 nan_double(__mmask8 lanes, __m512i v)
{
    return _mm512_mask_cmpgt_epi64_mask(
        lanes, _mm512_and_si512(v, _mm512_set1_epi64(INT64_MAX)),
        _mm512_set1_epi64(0x7ff0000000000000));
}

/* Puts the canonical NaN into these lanes. */
INLINE static __m512i put_nan_float(__m512i v, __mmask16 lanes)
{
    return _mm512_mask_mov_epi32(v, lanes, _mm512_set1_epi32(0x7fc00000));
}

INLINE static __m512i put_nan_double(__m512i v, __mmask8 lanes)
{
    return _mm512_mask_mov_epi64(v, lanes,
                                 _mm512_set1_epi64(0x7ff8000000000000));
}

INLINE static __m512i sum(enum fsh_fold_type type, __m512i a, __m512i b)
{
    __m512i v;

    switch (type) {
    case FSH_FOLD_FLOAT:
        v = _mm512_castps_si512(_mm512_add_round_ps(
            _mm512_castsi512_ps(a), _mm512_castsi512_ps(b), NEAREST));
        return put_nan_float(v, nan_float(0xffff, v));
    case FSH_FOLD_DOUBLE:
        v = _mm512_castpd_si512(_mm512_add_round_pd(
            _mm512_castsi512_pd(a), _mm512_castsi512_pd(b), NEAREST));
        return put_nan_double(v, nan_double(0xff, v));
    default:
        return fsh_fold_wide(type) ? _mm512_add_epi64(a, b)
                                   : _mm512_add_epi32(a, b);
    }
}

/* The low halves of the products of 64-bit integers; AVX-512 DQ has an instruction for
 * it. The product of a low and a high half affects the high half only. */
INLINE static __m512i multiply_wide(__m512i a, __m512i b)
{
    const __mmask16 high = 0xaaaa;
    __m512i low = _mm512_mul_epu32(a, b);
    __m512i across =
        _mm512_mullo_epi32(a, _mm512_shuffle_epi32(b, _MM_PERM_CDAB));

    across = _mm512_add_epi32(across, _mm512_slli_epi64(across, 32));
    return _mm512_mask_add_epi32(low, high, low, across);
}

INLINE static __m512i product(enum fsh_fold_type type, __m512i a, __m512i b)
{
    __m512i v;

    switch (type) {
    case FSH_FOLD_FLOAT:
        v = _mm512_castps_si512(_mm512_mul_round_ps(
            _mm512_castsi512_ps(a), _mm512_castsi512_ps(b), NEAREST));
        return put_nan_float(v, nan_float(0xffff, v));
    case FSH_FOLD_DOUBLE:
        v = _mm512_castpd_si512(_mm512_mul_round_pd(
            _mm512_castsi512_pd(a), _mm512_castsi512_pd(b), NEAREST));
        return put_nan_double(v, nan_double(0xff, v));
    default:
        return fsh_fold_wide(type) ? multiply_wide(a, b)
                                   : _mm512_mullo_epi32(a, b);
    }
}

/* Floating-point numbers compare like integers, except that two negative ones compare
 * in reverse. NaN is handled afterwards. */
INLINE static __m512i better_float(bool most, __m512i a, __m512i b)
{
    const __m512i sign = _mm512_set1_epi32(INT32_MIN);
    __mmask16 negative = _mm512_test_epi32_mask(_mm512_and_si512(a, sign), b);
    __mmask16 take =
        most ? _mm512_cmpgt_epi32_mask(b, a) : _mm512_cmpgt_epi32_mask(a, b);

    take = _mm512_kxor(take, negative);
    return put_nan_float(_mm512_mask_mov_epi32(a, take, b),
                         nan_float(0xffff, a) | nan_float(0xffff, b));
}

INLINE static __m512i better_double(bool most, __m512i a, __m512i b)
{
    const __m512i sign = _mm512_set1_epi64(INT64_MIN);
    __mmask8 negative = _mm512_test_epi64_mask(_mm512_and_si512(a, sign), b);
    __mmask8 take =
        most ? _mm512_cmpgt_epi64_mask(b, a) : _mm512_cmpgt_epi64_mask(a, b);

    take = (__mmask8)_mm512_kxor(take, negative);
    return put_nan_double(_mm512_mask_mov_epi64(a, take, b),
                          nan_double(0xff, a) | nan_double(0xff, b));
}

INLINE static __m512i better(enum fsh_fold_type type, bool most, __m512i a,
                             __m512i b)
{
    switch (type) {
    case FSH_FOLD_INT32:
        return most ? _mm512_max_epi32(a, b) : _mm512_min_epi32(a, b);
    case FSH_FOLD_UINT32:
        return most ? _mm512_max_epu32(a, b) : _mm512_min_epu32(a, b);
    case FSH_FOLD_INT64:
        return most ? _mm512_max_epi64(a, b) : _mm512_min_epi64(a, b);
    case FSH_FOLD_UINT64:
        return most ? _mm512_max_epu64(a, b) : _mm512_min_epu64(a, b);
    case FSH_FOLD_FLOAT:
        return better_float(most, a, b);
    default:
        return better_double(most, a, b);
    }
}

/* Maps a pair of 32-bit value and index to a signed 64-bit key that is less if
 * the pair is better: value in the high half, index in the low; NaN has the
 * least value. */
INLINE static __m512i rank_narrow(enum fsh_fold_type type, bool most, __m512i v)
{
    const __mmask16 values = 0xaaaa;
    __m512i key = _mm512_rol_epi64(v, 32);
    __mmask16 nan = nan_float(values, key);

    if (type == FSH_FOLD_FLOAT)
        key = _mm512_mask_xor_epi32(
            key, values, key, _mm512_srli_epi32(_mm512_srai_epi32(key, 31), 1));
    if (type == FSH_FOLD_UINT32)
        key = _mm512_xor_si512(key, _mm512_set1_epi64(INT64_MIN));
    if (most)
        key = _mm512_mask_xor_epi32(key, values, key, _mm512_set1_epi32(-1));
    if (type == FSH_FOLD_FLOAT)
        key = _mm512_mask_mov_epi32(key, nan, _mm512_set1_epi32(INT32_MIN));
    return _mm512_xor_si512(key, _mm512_set1_epi64(0x80000000));
}

INLINE static __m512i better_narrow_pairs(enum fsh_fold_type type, bool most,
                                          __m512i a, __m512i b)
{
    const __mmask16 values = 0x5555;
    __mmask8 take = _mm512_cmpgt_epi64_mask(rank_narrow(type, most, a),
                                            rank_narrow(type, most, b));
    __m512i v = _mm512_mask_mov_epi64(a, take, b);

    if (type == FSH_FOLD_FLOAT)
        v = put_nan_float(v, nan_float(values, v));
    return v;
}

/* Maps a 64-bit value to a signed key that is less if the value is better; NaN has the
 * least. */
INLINE static __m512i rank_wide(enum fsh_fold_type type, bool most, __m512i v)
{
    const __m512i least = _mm512_set1_epi64(INT64_MIN);
    __m512i key = v;

    if (type == FSH_FOLD_DOUBLE)
        key = _mm512_xor_si512(
            key, _mm512_srli_epi64(_mm512_srai_epi64(key, 63), 1));
    if (type == FSH_FOLD_UINT64)
        key = _mm512_xor_si512(key, least);
    if (most)
        key = _mm512_xor_si512(key, _mm512_set1_epi64(-1));
    if (type == FSH_FOLD_DOUBLE)
        key = _mm512_mask_mov_epi64(key, nan_double(0xff, v), least);
    return key;
}

/* Value and index are in adjacent lanes: broadcasts each to both. */
INLINE static __m512i better_wide_pairs(enum fsh_fold_type type, bool most,
                                        __m512i a, __m512i b)
{
    const __mmask8 values = 0x55;
    __m512i rank_a = rank_wide(type, most, _mm512_unpacklo_epi64(a, a));
    __m512i rank_b = rank_wide(type, most, _mm512_unpacklo_epi64(b, b));
    __m512i index_a = _mm512_unpackhi_epi64(a, a);
    __m512i index_b = _mm512_unpackhi_epi64(b, b);
    __mmask8 same = _mm512_cmpeq_epi64_mask(rank_a, rank_b);
    __mmask8 take = _mm512_cmpgt_epi64_mask(rank_a, rank_b) |
                    _mm512_mask_cmpgt_epi64_mask(same, index_a, index_b);
    __m512i v = _mm512_mask_mov_epi64(a, take, b);

    if (type == FSH_FOLD_DOUBLE)
        v = put_nan_double(v, nan_double(values, v));
    return v;
}

INLINE static __m512i combine(enum fsh_fold_type type, enum fsh_fold_op op,
                              __m512i a, __m512i b)
{
    bool most = op == FSH_FOLD_MAX || op == FSH_FOLD_MAXLOC;

    switch (op) {
    case FSH_FOLD_SUM:
        return sum(type, a, b);
    case FSH_FOLD_PROD:
        return product(type, a, b);
    case FSH_FOLD_AND:
        return _mm512_and_si512(a, b);
    case FSH_FOLD_OR:
        return _mm512_or_si512(a, b);
    case FSH_FOLD_XOR:
        return _mm512_xor_si512(a, b);
    case FSH_FOLD_MIN:
    case FSH_FOLD_MAX:
        return better(type, most, a, b);
    default:
        return fsh_fold_wide(type) ? better_wide_pairs(type, most, a, b)
                                   : better_narrow_pairs(type, most, a, b);
    }
}

/* Loads 64, 32, 16, 8 or 4 bytes; the rest is zero. Not masked, because store
 * forwarding requires a store that covers the whole load. */
INLINE static __m512i load(const unsigned char *at, size_t bytes)
{
    int word;

    switch (bytes) {
    case 64:
        return _mm512_loadu_si512(at);
    case 32:
        return _mm512_zextsi256_si512(_mm256_loadu_si256((const __m256i *)at));
    case 16:
        return _mm512_zextsi128_si512(_mm_loadu_si128((const __m128i *)at));
    case 8:
        return _mm512_zextsi128_si512(_mm_loadl_epi64((const __m128i *)at));
    default:
        memcpy(&word, at, sizeof(word));
        return _mm512_zextsi128_si512(_mm_cvtsi32_si128(word));
    }
}

INLINE static void store(unsigned char *at, size_t bytes, __m512i v)
{
    int word;

    switch (bytes) {
    case 64:
        _mm512_storeu_si512(at, v);
        break;
    case 32:
        _mm256_storeu_si256((__m256i *)at, _mm512_castsi512_si256(v));
        break;
    case 16:
        _mm_storeu_si128((__m128i *)at, _mm512_castsi512_si128(v));
        break;
    case 8:
        _mm_storel_epi64((__m128i *)at, _mm512_castsi512_si128(v));
        break;
    default:
        word = _mm_cvtsi128_si32(_mm512_castsi512_si128(v));
        memcpy(at, &word, sizeof(word));
    }
}

struct place {
    unsigned char *out;
    const unsigned char *a, *b;
};

INLINE static void step(enum fsh_fold_type type, enum fsh_fold_op op,
                        struct place *p, size_t bytes)
{
    store(p->out, bytes,
          combine(type, op, load(p->a, bytes), load(p->b, bytes)));
    p->out += bytes;
    p->a += bytes;
    p->b += bytes;
}

/* Any number of bytes. */
INLINE static void stretch(enum fsh_fold_type type, enum fsh_fold_op op,
                           struct place *p, size_t bytes)
{
    for (; bytes >= 64; bytes -= 64)
        step(type, op, p, 64);
    if (bytes & 32)
        step(type, op, p, 32);
    if (bytes & 16)
        step(type, op, p, 16);
    if (fsh_fold_bytes(type, op) <= 8 && bytes & 8)
        step(type, op, p, 8);
    if (fsh_fold_bytes(type, op) <= 4 && bytes & 4)
        step(type, op, p, 4);
}

/* Whether sums keep subnormals. Adding two of them tells, faster than reading the
 * modes. */
INLINE static bool keeps_subnormals(void)
{
    __m128d least = _mm_castsi128_pd(_mm_cvtsi32_si128(1));

    __asm__ volatile("" : "+v"(least)); /* not in the compiler's modes */
    least = _mm_add_round_sd(least, least, NEAREST);
    return _mm_cvtsi128_si64(_mm_castpd_si128(least)) != 0;
}

/* Makes sums keep subnormals. Returns the argument for end. */
INLINE static unsigned begin(void)
{
    unsigned saved = 0; /* nothing to restore */

    if (!keeps_subnormals()) {
        saved = _mm_getcsr();
        _mm_setcsr(saved & ~FSH_FOLD_CSR_FLUSH);
    }
    fsh_fold_fence();
    return saved;
}

INLINE static void end(unsigned saved)
{
    fsh_fold_fence();
    if (saved)
        _mm_setcsr(saved);
}

INLINE static void run(enum fsh_fold_type type, enum fsh_fold_op op, void *out,
                       const void *a, const void *b, size_t n)
{
    struct place p = {out, a, b};
    size_t bytes = n * fsh_fold_bytes(type, op);
    unsigned saved = 0;

    if (fsh_fold_rounds(type, op))
        saved = begin();
    stretch(type, op, &p, bytes);
    if (fsh_fold_rounds(type, op))
        end(saved);
}

#define DEFINE(type, op) TARGET FSH_FOLD_DEFINE(type, op)
FSH_FOLD_EACH(DEFINE)

const fsh_fold_fn fsh_fold_avx512[FSH_FOLD_TYPES][FSH_FOLD_OPS] = {
    FSH_FOLD_EACH(FSH_FOLD_ENTRY)};
#endif
