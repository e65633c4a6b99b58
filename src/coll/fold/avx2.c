/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reductions in AVX2, bitwise equal to reference.c. Only sums and products of
 * floating-point numbers depend on modes or set flags; all comparisons are of
 * integers, or test for NaN between fsh_fold_begin and fsh_fold_end.
 */
#ifdef __x86_64__
#include <immintrin.h>
#include <stdbool.h>
#include <string.h>

#include "coll/fold/modes.h"
#include "coll/fold/table.h"

#define TARGET __attribute__((target("avx2")))
#define INLINE TARGET FSH_FOLD_INLINE

/* Selects v where the lane's sign in `lanes` is clear, w where it is set. */
INLINE static __m256i choose_narrow(__m256i v, __m256i w, __m256i lanes)
{
    return _mm256_castps_si256(_mm256_blendv_ps(_mm256_castsi256_ps(v),
                                                _mm256_castsi256_ps(w),
                                                _mm256_castsi256_ps(lanes)));
}

INLINE static __m256i choose_wide(__m256i v, __m256i w, __m256i lanes)
{
    return _mm256_castpd_si256(_mm256_blendv_pd(_mm256_castsi256_pd(v),
                                                _mm256_castsi256_pd(w),
                                                _mm256_castsi256_pd(lanes)));
}

/* Lanes that are NaN, determined with integer operations. */
INLINE static __m256i nan_float(__m256i v)
{
    return _mm256_cmpgt_epi32(_mm256_and_si256(v, _mm256_set1_epi32(INT32_MAX)),
                              _mm256_set1_epi32(0x7f800000));
}

INLINE static __m256i nan_double(__m256i v)
{
    return _mm256_cmpgt_epi64(
        _mm256_and_si256(v, _mm256_set1_epi64x(INT64_MAX)),
        _mm256_set1_epi64x(0x7ff0000000000000));
}

/* Puts the canonical NaN into these lanes. */
INLINE static __m256i put_nan_float(__m256i v, __m256i lanes)
{
    return choose_narrow(v, _mm256_set1_epi32(0x7fc00000), lanes);
}

INLINE static __m256i put_nan_double(__m256i v, __m256i lanes)
{
    return choose_wide(v, _mm256_set1_epi64x(0x7ff8000000000000), lanes);
}

INLINE static __m256i canonical_float(__m256 v)
{
    return put_nan_float(
        _mm256_castps_si256(v),
        _mm256_castps_si256(_mm256_cmp_ps(v, v, _CMP_UNORD_Q)));
}

INLINE static __m256i canonical_double(__m256d v)
{
    return put_nan_double(
        _mm256_castpd_si256(v),
        _mm256_castpd_si256(_mm256_cmp_pd(v, v, _CMP_UNORD_Q)));
}

INLINE static __m256i sum(enum fsh_fold_type type, __m256i a, __m256i b)
{
    switch (type) {
    case FSH_FOLD_FLOAT:
        return canonical_float(
            _mm256_add_ps(_mm256_castsi256_ps(a), _mm256_castsi256_ps(b)));
    case FSH_FOLD_DOUBLE:
        return canonical_double(
            _mm256_add_pd(_mm256_castsi256_pd(a), _mm256_castsi256_pd(b)));
    default:
        return fsh_fold_wide(type) ? _mm256_add_epi64(a, b)
                                   : _mm256_add_epi32(a, b);
    }
}

/* The low halves of the products of 64-bit integers. */
INLINE static __m256i multiply_wide(__m256i a, __m256i b)
{
    __m256i across =
        _mm256_add_epi64(_mm256_mul_epu32(_mm256_srli_epi64(a, 32), b),
                         _mm256_mul_epu32(a, _mm256_srli_epi64(b, 32)));

    return _mm256_add_epi64(_mm256_mul_epu32(a, b),
                            _mm256_slli_epi64(across, 32));
}

INLINE static __m256i product(enum fsh_fold_type type, __m256i a, __m256i b)
{
    switch (type) {
    case FSH_FOLD_FLOAT:
        return canonical_float(
            _mm256_mul_ps(_mm256_castsi256_ps(a), _mm256_castsi256_ps(b)));
    case FSH_FOLD_DOUBLE:
        return canonical_double(
            _mm256_mul_pd(_mm256_castsi256_pd(a), _mm256_castsi256_pd(b)));
    default:
        return fsh_fold_wide(type) ? multiply_wide(a, b)
                                   : _mm256_mullo_epi32(a, b);
    }
}

/* Floating-point numbers compare like integers, except that two negative ones compare
 * in reverse. NaN is handled afterwards. */
INLINE static __m256i better_float(bool most, __m256i a, __m256i b)
{
    __m256i take = most ? _mm256_cmpgt_epi32(b, a) : _mm256_cmpgt_epi32(a, b);
    __m256i v =
        choose_narrow(a, b, _mm256_xor_si256(take, _mm256_and_si256(a, b)));

    return put_nan_float(v, _mm256_or_si256(nan_float(a), nan_float(b)));
}

INLINE static __m256i better_double(bool most, __m256i a, __m256i b)
{
    __m256i take = most ? _mm256_cmpgt_epi64(b, a) : _mm256_cmpgt_epi64(a, b);
    __m256i v =
        choose_wide(a, b, _mm256_xor_si256(take, _mm256_and_si256(a, b)));

    return put_nan_double(v, _mm256_or_si256(nan_double(a), nan_double(b)));
}

/* 64-bit integers; `flip` makes them signed. */
INLINE static __m256i better_wide(int64_t flip, bool most, __m256i a, __m256i b)
{
    __m256i x = _mm256_xor_si256(a, _mm256_set1_epi64x(flip));
    __m256i y = _mm256_xor_si256(b, _mm256_set1_epi64x(flip));

    return choose_wide(
        a, b, most ? _mm256_cmpgt_epi64(y, x) : _mm256_cmpgt_epi64(x, y));
}

INLINE static __m256i better(enum fsh_fold_type type, bool most, __m256i a,
                             __m256i b)
{
    switch (type) {
    case FSH_FOLD_INT32:
        return most ? _mm256_max_epi32(a, b) : _mm256_min_epi32(a, b);
    case FSH_FOLD_UINT32:
        return most ? _mm256_max_epu32(a, b) : _mm256_min_epu32(a, b);
    case FSH_FOLD_INT64:
        return better_wide(0, most, a, b);
    case FSH_FOLD_UINT64:
        return better_wide(INT64_MIN, most, a, b);
    case FSH_FOLD_FLOAT:
        return better_float(most, a, b);
    default:
        return better_double(most, a, b);
    }
}

/* Maps a pair of 32-bit value and index to a signed 64-bit key that is less if
 * the pair is better: value in the high half, index in the low; NaN has the
 * least value. */
INLINE static __m256i rank_narrow(enum fsh_fold_type type, bool most, __m256i v)
{
    const __m256i values = _mm256_set1_epi64x(-1 - (int64_t)UINT32_MAX);
    const __m256i below = _mm256_set1_epi64x(0x7fffffff00000000);
    __m256i key = _mm256_shuffle_epi32(v, _MM_SHUFFLE(2, 3, 0, 1));
    __m256i nan = _mm256_and_si256(nan_float(key), values);

    if (type == FSH_FOLD_FLOAT)
        key = _mm256_xor_si256(
            key, _mm256_and_si256(_mm256_srai_epi32(key, 31), below));
    if (type == FSH_FOLD_UINT32)
        key = _mm256_xor_si256(key, _mm256_set1_epi64x(INT64_MIN));
    if (most)
        key = _mm256_xor_si256(key, values);
    if (type == FSH_FOLD_FLOAT)
        key = choose_narrow(key, _mm256_set1_epi32(INT32_MIN), nan);
    return _mm256_xor_si256(key, _mm256_set1_epi64x(0x80000000));
}

INLINE static __m256i better_narrow_pairs(enum fsh_fold_type type, bool most,
                                          __m256i a, __m256i b)
{
    const __m256i values = _mm256_set1_epi64x(UINT32_MAX);
    __m256i v = choose_wide(a, b,
                            _mm256_cmpgt_epi64(rank_narrow(type, most, a),
                                               rank_narrow(type, most, b)));

    if (type == FSH_FOLD_FLOAT)
        v = put_nan_float(v, _mm256_and_si256(nan_float(v), values));
    return v;
}

/* The same for 64 bits, with value and index in adjacent lanes. */
INLINE static __m256i rank_wide(enum fsh_fold_type type, bool most, __m256i v)
{
    const __m256i values = _mm256_set_epi64x(0, -1, 0, -1);
    const __m256i least = _mm256_set1_epi64x(INT64_MIN);
    __m256i negative = _mm256_cmpgt_epi64(_mm256_setzero_si256(), v);
    __m256i nan = _mm256_and_si256(nan_double(v), values);
    __m256i key = v;

    if (type == FSH_FOLD_DOUBLE)
        key = _mm256_xor_si256(
            key, _mm256_and_si256(_mm256_srli_epi64(negative, 1), values));
    if (type == FSH_FOLD_UINT64)
        key = _mm256_xor_si256(key, _mm256_and_si256(least, values));
    if (most)
        key = _mm256_xor_si256(key, values);
    if (type == FSH_FOLD_DOUBLE)
        key = choose_wide(key, least, nan);
    return key;
}

INLINE static __m256i better_wide_pairs(enum fsh_fold_type type, bool most,
                                        __m256i a, __m256i b)
{
    const __m256i values = _mm256_set_epi64x(0, -1, 0, -1);
    __m256i rank_a = rank_wide(type, most, a);
    __m256i rank_b = rank_wide(type, most, b);
    __m256i less = _mm256_cmpgt_epi64(rank_a, rank_b);
    __m256i same = _mm256_cmpeq_epi64(rank_a, rank_b);
    /* The comparison of the index, moved to the value's lane. */
    __m256i lower = _mm256_shuffle_epi32(less, _MM_SHUFFLE(1, 0, 3, 2));
    __m256i take = _mm256_or_si256(less, _mm256_and_si256(same, lower));
    __m256i v =
        choose_wide(a, b, _mm256_shuffle_epi32(take, _MM_SHUFFLE(1, 0, 1, 0)));

    if (type == FSH_FOLD_DOUBLE)
        v = put_nan_double(v, _mm256_and_si256(nan_double(v), values));
    return v;
}

INLINE static __m256i combine(enum fsh_fold_type type, enum fsh_fold_op op,
                              __m256i a, __m256i b)
{
    bool most = op == FSH_FOLD_MAX || op == FSH_FOLD_MAXLOC;

    switch (op) {
    case FSH_FOLD_SUM:
        return sum(type, a, b);
    case FSH_FOLD_PROD:
        return product(type, a, b);
    case FSH_FOLD_AND:
        return _mm256_and_si256(a, b);
    case FSH_FOLD_OR:
        return _mm256_or_si256(a, b);
    case FSH_FOLD_XOR:
        return _mm256_xor_si256(a, b);
    case FSH_FOLD_MIN:
    case FSH_FOLD_MAX:
        return better(type, most, a, b);
    default:
        return fsh_fold_wide(type) ? better_wide_pairs(type, most, a, b)
                                   : better_narrow_pairs(type, most, a, b);
    }
}

/* Loads 32, 16, 8 or 4 bytes; the rest is zero. */
INLINE static __m256i load(const unsigned char *at, size_t bytes)
{
    int word;

    switch (bytes) {
    case 32:
        return _mm256_loadu_si256((const __m256i *)at);
    case 16:
        return _mm256_zextsi128_si256(_mm_loadu_si128((const __m128i *)at));
    case 8:
        return _mm256_zextsi128_si256(_mm_loadl_epi64((const __m128i *)at));
    default:
        memcpy(&word, at, sizeof(word));
        return _mm256_zextsi128_si256(_mm_cvtsi32_si128(word));
    }
}

INLINE static void store(unsigned char *at, size_t bytes, __m256i v)
{
    int word;

    switch (bytes) {
    case 32:
        _mm256_storeu_si256((__m256i *)at, v);
        break;
    case 16:
        _mm_storeu_si128((__m128i *)at, _mm256_castsi256_si128(v));
        break;
    case 8:
        _mm_storel_epi64((__m128i *)at, _mm256_castsi256_si128(v));
        break;
    default:
        word = _mm_cvtsi128_si32(_mm256_castsi256_si128(v));
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
    for (; bytes >= 32; bytes -= 32)
        step(type, op, p, 32);
    if (bytes & 16)
        step(type, op, p, 16);
    if (fsh_fold_bytes(type, op) <= 8 && bytes & 8)
        step(type, op, p, 8);
    if (fsh_fold_bytes(type, op) <= 4 && bytes & 4)
        step(type, op, p, 4);
}

INLINE static void run(enum fsh_fold_type type, enum fsh_fold_op op, void *out,
                       const void *a, const void *b, size_t n)
{
    struct place p = {out, a, b};
    size_t bytes = n * fsh_fold_bytes(type, op);
    struct fsh_fold_modes modes;

    if (fsh_fold_rounds(type, op))
        modes = fsh_fold_begin();
    stretch(type, op, &p, bytes);
    if (fsh_fold_rounds(type, op))
        fsh_fold_end(modes);
}

#define DEFINE(type, op) TARGET FSH_FOLD_DEFINE(type, op)
FSH_FOLD_EACH(DEFINE)

const fsh_fold_fn fsh_fold_avx2[FSH_FOLD_TYPES][FSH_FOLD_OPS] = {
    FSH_FOLD_EACH(FSH_FOLD_ENTRY)};
#endif
