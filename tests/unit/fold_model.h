/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reductions a second time, for the test of src/coll/fold: floating-point numbers of
 * both formats as integers times powers of two, exact, then rounded once; shares
 * nothing with the code under test, and uses no mode-dependent instruction. Values
 * are the bits of elements, 32-bit ones in the low half.
 */
#ifndef UNIT_FOLD_MODEL_H
#define UNIT_FOLD_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "coll/fold/fold.h"

__extension__ typedef __int128 model_int;
__extension__ typedef unsigned __int128 model_unsigned;

struct model_type {
    unsigned bits;
    bool negative;     /* there are negative numbers */
    unsigned fraction; /* bits of the significand below its leading one, or 0 */
};

static const struct model_type model_types[] = {
    [FSH_FOLD_INT32] = {32, true, 0},   [FSH_FOLD_INT64] = {64, true, 0},
    [FSH_FOLD_UINT32] = {32, false, 0}, [FSH_FOLD_UINT64] = {64, false, 0},
    [FSH_FOLD_FLOAT] = {32, true, 23},  [FSH_FOLD_DOUBLE] = {64, true, 52},
};

static inline uint64_t model_sign(const struct model_type *t)
{
    return UINT64_C(1) << (t->bits - 1);
}

static inline uint64_t model_mask(const struct model_type *t)
{
    return model_sign(t) | (model_sign(t) - 1);
}

static inline uint64_t model_inf(const struct model_type *t)
{
    return model_sign(t) - (UINT64_C(1) << t->fraction);
}

static inline uint64_t model_nan(const struct model_type *t)
{
    return model_inf(t) | UINT64_C(1) << (t->fraction - 1);
}

static inline uint64_t model_size(const struct model_type *t, uint64_t v)
{
    return v & ~model_sign(t);
}

static inline bool model_is_nan(const struct model_type *t, uint64_t v)
{
    return t->fraction && model_size(t, v) > model_inf(t);
}

static inline bool model_is_inf(const struct model_type *t, uint64_t v)
{
    return model_size(t, v) == model_inf(t);
}

static inline int model_bias(const struct model_type *t)
{
    return (1 << (t->bits - t->fraction - 2)) - 1;
}

/* v is digits * 2^power; sign aside. */
struct model_number {
    bool minus;
    uint64_t digits;
    int power;
};

static inline struct model_number model_open(const struct model_type *t,
                                             uint64_t v)
{
    uint64_t one = UINT64_C(1) << t->fraction;
    int field = (int)(model_size(t, v) >> t->fraction);
    int exponent = field ? field : 1;

    return (struct model_number){
        .minus = (v & model_sign(t)) != 0,
        .digits = (v & (one - 1)) | (field ? one : 0),
        .power = exponent - model_bias(t) - (int)t->fraction,
    };
}

/* digits * 2^power, digits not 0, to the nearest number, of two the even one. */
static inline uint64_t model_round(const struct model_type *t, bool minus,
                                   model_unsigned digits, int power)
{
    int lowest = 1 - model_bias(t) - (int)t->fraction;
    int top = 0, unit;
    uint64_t v;

    while (digits >> top > 1)
        top++;
    unit = top + power - (int)t->fraction;
    if (unit < lowest)
        unit = lowest;
    if (unit <= power) {
        v = (uint64_t)(digits << (power - unit));
    } else if (unit - power > 127) {
        v = 0;
    } else {
        model_unsigned whole = (model_unsigned)1 << (unit - power);
        model_unsigned rest = digits & (whole - 1);

        v = (uint64_t)(digits >> (unit - power));
        v += rest > whole / 2 || (rest == whole / 2 && v % 2);
    }
    /* A leading one adds one to the exponent. */
    v += (uint64_t)(unit - lowest) << t->fraction;
    if (v > model_inf(t))
        v = model_inf(t);
    return v | (minus ? model_sign(t) : 0);
}

static inline uint64_t model_add_finite(const struct model_type *t,
                                        struct model_number a,
                                        struct model_number b)
{
    model_int x, y, sum;

    if (a.power < b.power)
        return model_add_finite(t, b, a);
    x = a.digits;
    y = b.digits;
    if (a.power - b.power <= 72) {
        x <<= a.power - b.power;
        a.power = b.power;
    } else { /* less than any half: it matters only that it is not 0 */
        x <<= 72;
        a.power -= 72;
        y = y != 0;
    }
    sum = (a.minus ? -x : x) + (b.minus ? -y : y);
    if (sum == 0)
        return a.minus && b.minus ? model_sign(t) : 0;
    return model_round(t, sum < 0, (model_unsigned)(sum < 0 ? -sum : sum),
                       a.power);
}

static inline uint64_t model_add(const struct model_type *t, uint64_t a,
                                 uint64_t b)
{
    if (!t->fraction)
        return (uint64_t)((model_unsigned)a + b) & model_mask(t);
    if (model_is_nan(t, a) || model_is_nan(t, b))
        return model_nan(t);
    if (model_is_inf(t, a) && model_is_inf(t, b) && a != b)
        return model_nan(t);
    if (model_is_inf(t, a) || model_is_inf(t, b))
        return model_is_inf(t, a) ? a : b;
    return model_add_finite(t, model_open(t, a), model_open(t, b));
}

static inline uint64_t model_multiply(const struct model_type *t, uint64_t a,
                                      uint64_t b)
{
    uint64_t sign = (a ^ b) & model_sign(t);
    struct model_number x, y;

    if (!t->fraction)
        return (uint64_t)((model_unsigned)a * b) & model_mask(t);
    x = model_open(t, a);
    y = model_open(t, b);
    if (model_is_nan(t, a) || model_is_nan(t, b))
        return model_nan(t);
    if (model_is_inf(t, a) || model_is_inf(t, b))
        return x.digits && y.digits ? model_inf(t) | sign : model_nan(t);
    if (x.digits == 0 || y.digits == 0)
        return sign;
    return model_round(t, sign != 0, (model_unsigned)x.digits * y.digits,
                       x.power + y.power);
}

/* The integer that the bits are. */
static inline model_int model_integer(const struct model_type *t, uint64_t v)
{
    if (t->negative && v & model_sign(t))
        return (model_int)v - ((model_int)1 << t->bits);
    return v;
}

/* a before b; none is NaN. */
static inline bool model_less(const struct model_type *t, uint64_t a,
                              uint64_t b)
{
    bool minus_a = (a & model_sign(t)) != 0, minus_b = (b & model_sign(t)) != 0;

    if (!t->fraction)
        return model_integer(t, a) < model_integer(t, b);
    if (minus_a != minus_b)
        return minus_a;
    return minus_a ? model_size(t, a) > model_size(t, b)
                   : model_size(t, a) < model_size(t, b);
}

/* Whether value b is to be taken instead of a, of the least or the greatest; *same: it
 * is no matter. */
static inline bool model_takes(const struct model_type *t, bool greatest,
                               uint64_t a, uint64_t b, bool *same)
{
    bool nan_a = model_is_nan(t, a), nan_b = model_is_nan(t, b);

    *same = nan_a ? nan_b : a == b;
    if (nan_a || nan_b)
        return nan_b && !nan_a;
    return greatest ? model_less(t, a, b) : model_less(t, b, a);
}

/* An element: index is that of MINLOC and MAXLOC. */
struct model_element {
    uint64_t value, index;
};

static inline struct model_element model_fold(enum fsh_fold_type type,
                                              enum fsh_fold_op op,
                                              struct model_element a,
                                              struct model_element b)
{
    const struct model_type *t = &model_types[type];
    const struct model_type *index =
        &model_types[t->bits == 32 ? FSH_FOLD_INT32 : FSH_FOLD_INT64];
    struct model_element r = a;
    bool same, takes;

    switch (op) {
    case FSH_FOLD_SUM:
        r.value = model_add(t, a.value, b.value);
        return r;
    case FSH_FOLD_PROD:
        r.value = model_multiply(t, a.value, b.value);
        return r;
    case FSH_FOLD_AND:
        r.value = a.value & b.value;
        return r;
    case FSH_FOLD_OR:
        r.value = a.value | b.value;
        return r;
    case FSH_FOLD_XOR:
        r.value = a.value ^ b.value;
        return r;
    default:
        takes = model_takes(t, op == FSH_FOLD_MAX || op == FSH_FOLD_MAXLOC,
                            a.value, b.value, &same);
        takes |= same && model_less(index, b.index, a.index);
        r = takes ? b : a;
        if (model_is_nan(t, r.value))
            r.value = model_nan(t);
        return r;
    }
}

#endif
