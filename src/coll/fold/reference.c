/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reductions in plain C, one element at a time: the specification. Elements are the
 * bits of their values, those of 32-bit types in the low half.
 */
#include <float.h>
#include <stdbool.h>
#include <string.h>

#include "coll/fold/modes.h"
#include "coll/fold/table.h"

_Static_assert(FLT_EVAL_METHOD == 0,
               "float and double are rounded to themselves");

#define SIGN (UINT64_C(1) << 63)
#define NAN_FLOAT UINT64_C(0x7fc00000)
#define NAN_DOUBLE UINT64_C(0x7ff8000000000000)

static FSH_FOLD_INLINE uint64_t get(enum fsh_fold_type type,
                                    const unsigned char *at)
{
    uint64_t wide;
    uint32_t narrow;

    if (fsh_fold_wide(type)) {
        memcpy(&wide, at, sizeof(wide));
        return wide;
    }
    memcpy(&narrow, at, sizeof(narrow));
    return narrow;
}

static FSH_FOLD_INLINE void put(enum fsh_fold_type type, unsigned char *at,
                                uint64_t bits)
{
    uint32_t narrow = (uint32_t)bits;

    if (fsh_fold_wide(type))
        memcpy(at, &bits, sizeof(bits));
    else
        memcpy(at, &narrow, sizeof(narrow));
}

/* Moves the sign of a value to that of 64 bits, with everything else following
 * it. */
static FSH_FOLD_INLINE uint64_t left(enum fsh_fold_type type, uint64_t bits)
{
    return fsh_fold_wide(type) ? bits : bits << 32;
}

static FSH_FOLD_INLINE bool is_nan(enum fsh_fold_type type, uint64_t bits)
{
    uint64_t inf = type == FSH_FOLD_FLOAT ? UINT64_C(0x7f80000000000000)
                                          : UINT64_C(0x7ff0000000000000);

    return fsh_fold_real(type) && (left(type, bits) & ~SIGN) > inf;
}

/* Replaces any NaN by the canonical one. */
static FSH_FOLD_INLINE uint64_t canonical(enum fsh_fold_type type,
                                          uint64_t bits)
{
    if (!is_nan(type, bits))
        return bits;
    return type == FSH_FOLD_FLOAT ? NAN_FLOAT : NAN_DOUBLE;
}

static FSH_FOLD_INLINE uint64_t float_arithmetic(enum fsh_fold_op op,
                                                 uint64_t a, uint64_t b)
{
    uint32_t bits[2] = {(uint32_t)a, (uint32_t)b};
    float x[2];

    memcpy(x, bits, sizeof(x));
    x[0] = op == FSH_FOLD_SUM ? x[0] + x[1] : x[0] * x[1];
    memcpy(bits, x, sizeof(bits));
    return bits[0];
}

static FSH_FOLD_INLINE uint64_t double_arithmetic(enum fsh_fold_op op,
                                                  uint64_t a, uint64_t b)
{
    double x, y;

    memcpy(&x, &a, sizeof(x));
    memcpy(&y, &b, sizeof(y));
    x = op == FSH_FOLD_SUM ? x + y : x * y;
    memcpy(&a, &x, sizeof(a));
    return a;
}

static FSH_FOLD_INLINE uint64_t arithmetic(enum fsh_fold_type type,
                                           enum fsh_fold_op op, uint64_t a,
                                           uint64_t b)
{
    if (type == FSH_FOLD_FLOAT)
        return canonical(type, float_arithmetic(op, a, b));
    if (type == FSH_FOLD_DOUBLE)
        return canonical(type, double_arithmetic(op, a, b));
    return op == FSH_FOLD_SUM ? a + b : a * b;
}

/* A key that is less if the value is better for MIN or MAX; NaN, the best, has key
 * 0. */
static FSH_FOLD_INLINE uint64_t rank(enum fsh_fold_type type,
                                     enum fsh_fold_op op, uint64_t bits)
{
    uint64_t key = left(type, bits);

    if (is_nan(type, bits))
        return 0;
    if (fsh_fold_real(type))
        key = key & SIGN ? ~key : key | SIGN;
    else if (type == FSH_FOLD_INT32 || type == FSH_FOLD_INT64)
        key ^= SIGN;
    return op == FSH_FOLD_MAX || op == FSH_FOLD_MAXLOC ? ~key : key;
}

static FSH_FOLD_INLINE uint64_t combine(enum fsh_fold_type type,
                                        enum fsh_fold_op op, uint64_t a,
                                        uint64_t b)
{
    switch (op) {
    case FSH_FOLD_AND:
        return a & b;
    case FSH_FOLD_OR:
        return a | b;
    case FSH_FOLD_XOR:
        return a ^ b;
    case FSH_FOLD_SUM:
    case FSH_FOLD_PROD:
        return arithmetic(type, op, a, b);
    default:
        return canonical(type, rank(type, op, b) < rank(type, op, a) ? b : a);
    }
}

/* Whether b is chosen from two pairs: its value is better, or equal with a lower
 * (signed) index. */
static FSH_FOLD_INLINE bool takes(enum fsh_fold_type type, enum fsh_fold_op op,
                                  const unsigned char *a,
                                  const unsigned char *b)
{
    size_t half = fsh_fold_bytes(type, op) / 2;
    uint64_t rank_a = rank(type, op, get(type, a));
    uint64_t rank_b = rank(type, op, get(type, b));
    uint64_t index_a = left(type, get(type, a + half)) ^ SIGN;
    uint64_t index_b = left(type, get(type, b + half)) ^ SIGN;

    return rank_b < rank_a || (rank_b == rank_a && index_b < index_a);
}

static FSH_FOLD_INLINE void one(enum fsh_fold_type type, enum fsh_fold_op op,
                                unsigned char *out, const unsigned char *a,
                                const unsigned char *b)
{
    size_t half = fsh_fold_bytes(type, op) / 2;
    const unsigned char *from;

    if (!fsh_fold_pairs(op)) {
        put(type, out, combine(type, op, get(type, a), get(type, b)));
        return;
    }
    from = takes(type, op, a, b) ? b : a;
    put(type, out, canonical(type, get(type, from)));
    put(type, out + half, get(type, from + half));
}

static FSH_FOLD_INLINE void run(enum fsh_fold_type type, enum fsh_fold_op op,
                                void *out, const void *a, const void *b,
                                size_t n)
{
    size_t bytes = n * fsh_fold_bytes(type, op);
    struct fsh_fold_modes modes;

    if (fsh_fold_rounds(type, op))
        modes = fsh_fold_begin();
    for (size_t i = 0; i < bytes; i += fsh_fold_bytes(type, op))
        one(type, op, (unsigned char *)out + i, (const unsigned char *)a + i,
            (const unsigned char *)b + i);
    if (fsh_fold_rounds(type, op))
        fsh_fold_end(modes);
}

FSH_FOLD_EACH(FSH_FOLD_DEFINE)

const fsh_fold_fn fsh_fold_reference[FSH_FOLD_TYPES][FSH_FOLD_OPS] = {
    FSH_FOLD_EACH(FSH_FOLD_ENTRY)};
