/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An independent implementation of block floating point and FP32 sums, for the tests
 * of src/compute/number and src/compute/kernel: in long double and double with
 * explicit rounding, sharing nothing with the code under test. Also their test
 * numbers, from a printed seed that may be given as the first argument.
 */
#ifndef UNIT_BFP_MODEL_H
#define UNIT_BFP_MODEL_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compute/number/format.h"
#include "random.h"

static uint64_t model_state;

static inline void model_seed(int argc, char **argv)
{
    uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 0) : 20250117;

    printf("seed %llu\n", (unsigned long long)seed);
    model_state = seed * 2 + 1;
}

static inline uint32_t model_random(void)
{
    return (uint32_t)(random_next(&model_state) >> 24);
}

static inline uint32_t model_below(uint32_t n)
{
    return model_random() % n;
}

static inline uint32_t model_bits(float x)
{
    uint32_t u;

    memcpy(&u, &x, 4);
    return u;
}

static inline float model_float(uint32_t u)
{
    float x;

    memcpy(&x, &u, 4);
    return x;
}

/* How random numbers look: a mixture is drawn from for each array. */
enum model_kind {
    MODEL_PLAIN,   /* -1 to 1 */
    MODEL_TIES,    /* few bits, so that ties and bumps abound */
    MODEL_WIDE,    /* exponents 60 apart */
    MODEL_TINY,    /* near 2^-126, with denormals */
    MODEL_HUGE,    /* near 2^128 */
    MODEL_SPECIAL, /* plain with zeros, and rarely Inf and NaN */
    MODEL_ANY,     /* any bits */
    MODEL_KINDS,
};

static inline float model_number(enum model_kind kind)
{
    uint32_t r = model_random();
    uint32_t sign = r & 0x80000000, fraction = r & 0x7fffff;

    switch (kind) {
    case MODEL_TIES:
        fraction = (model_below(4) ? fraction | 0x7c0000 : fraction) & 0x7f0000;
        fraction |= model_below(8) == 0;
        return model_float(sign | (120 + model_below(9)) << 23 | fraction);
    case MODEL_WIDE:
        return model_float(sign | (97 + model_below(60)) << 23 | fraction);
    case MODEL_TINY:
        return model_float(sign | model_below(12) << 23 | fraction);
    case MODEL_HUGE:
        return model_float(sign | (245 + model_below(10)) << 23 | fraction);
    case MODEL_SPECIAL:
        switch (model_below(400)) {
        case 0:
            return model_float(sign | 0x7f800000);
        case 1:
            return model_float(sign | 0x7f800000 | (fraction | 1));
        }
        if (model_below(3) == 0)
            return model_float(sign);
        break;
    case MODEL_ANY:
        return model_float(r ^ model_random() << 9);
    default:
        break;
    }
    return (float)((double)model_random() / 2147483648.0 - 1.0);
}

/* Denormals and -0 are +0, and there is one NaN. */
static inline float model_flush(float x)
{
    if (isnan(x))
        return model_float(0x7fc00000);
    return fabsf(x) < 0x1p-126f ? 0 : x;
}

/* A double's sum of two FP32 numbers, rounded again, is the sum rounded once:
 * 53 >= 2 * 24 + 2. */
static inline float model_add(float a, float b)
{
    return model_flush(
        (float)((double)model_flush(a) + (double)model_flush(b)));
}

/* A double holds the product exactly, and small ones are rounded as if exponents had
 * no end. */
static inline float model_mul(float a, float b)
{
    double exact = (double)model_flush(a) * (double)model_flush(b);
    float up = (float)(exact * 0x1p64);

    if (!(fabs(exact) < 0x1p-60))
        return model_flush((float)exact);
    return fabsf(up) < 0x1p-62f ? 0 : up * 0x1p-64f;
}

static inline float model_relu(float x)
{
    return x < 0 ? 0 : x;
}

/* number * 2^exponent, |number| < 2^24. */
static inline float model_scale(double number, int exponent)
{
    double exact = ldexp(number, exponent);

    if (fabs(exact) >= 0x1p128)
        return exact < 0 ? -INFINITY : INFINITY;
    return fabs(exact) < 0x1p-126 ? 0 : (float)exact;
}

/* An encoded block: signed magnitudes. */
struct model_block {
    int code;
    long value[FSH_BFP_MAX_BLOCK];
    bool saturated; /* the error bound is a unit, or none */
};

static inline long double model_unit(const struct fsh_bfp_format *f, int code)
{
    int bias = (1 << (f->exponent - 1)) - 1;

    return ldexpl(1, code - bias - ((int)f->mantissa - 1));
}

static inline bool model_round(const struct fsh_bfp_format *f, const float *x,
                               int code, struct model_block *b)
{
    long limit = (1L << f->mantissa) - 1;
    bool over = false;

    b->code = code;
    for (unsigned i = 0; i < f->block; i++) {
        long double units =
            (long double)model_flush(x[i]) / model_unit(f, code);

        if (fabsl(units) >= 0x1p40L)
            units = units < 0 ? -0x1p40L : 0x1p40L;
        b->value[i] = (long)rintl(units); /* the mode is nearest, even */
        over |= labs(b->value[i]) > limit;
        if (b->value[i] > limit)
            b->value[i] = limit;
        if (b->value[i] < -limit)
            b->value[i] = -limit;
    }
    return over;
}

/* Encode by trying exponents until nothing is past the largest magnitude:
 * starts from the largest input's. */
static inline void model_encode(const struct fsh_bfp_format *f, const float *x,
                                struct model_block *b)
{
    int special = (1 << f->exponent) - 1, bias = special / 2, code;
    bool any = false, rare = false;
    float most = 0;

    memset(b, 0, sizeof(*b));
    for (unsigned i = 0; i < f->block; i++) {
        rare |= !isfinite(x[i]);
        most = fmaxf(most, fabsf(model_flush(x[i])));
    }
    if (rare) {
        b->code = special;
        for (unsigned i = 0; i < f->block; i++)
            b->value[i] = isnan(x[i])         ? (1L << f->mantissa) - 1
                          : x[i] == INFINITY  ? 1L << (f->mantissa - 1)
                          : x[i] == -INFINITY ? -(1L << (f->mantissa - 1))
                                              : 0;
        return;
    }
    if (most == 0)
        return;
    code = ilogbf(most) + bias;
    code = code < 1 ? 1 : code > special - 1 ? special - 1 : code;
    b->saturated = model_round(f, x, code, b);
    if (b->saturated && code < special - 1)
        b->saturated = model_round(f, x, code + 1, b);
    for (unsigned i = 0; i < f->block; i++)
        any |= b->value[i] != 0;
    if (!any)
        b->code = 0;
}

static inline float model_decode(const struct fsh_bfp_format *f,
                                 const struct model_block *b, unsigned i)
{
    if (b->code == 0)
        return 0;
    if (b->code == (1 << f->exponent) - 1) {
        if (labs(b->value[i]) == 1L << (f->mantissa - 1))
            return b->value[i] < 0 ? -INFINITY : INFINITY;
        return model_float(0x7fc00000);
    }
    return model_flush(
        (float)((long double)b->value[i] * model_unit(f, b->code)));
}

/* How the code under test writes a value. */
static inline uint16_t model_field(const struct fsh_bfp_format *f, long value)
{
    return (uint16_t)(value < 0 ? (1L << f->mantissa) - value : value);
}

/* Term of a dot product in 16/8/7. */
static inline float model_dot(const struct model_block *a,
                              const struct model_block *b)
{
    long sum = 0;

    if (a->code == 255 || b->code == 255)
        return model_float(0x7fc00000);
    if (a->code == 0 || b->code == 0)
        return 0;
    for (unsigned i = 0; i < 16; i++)
        sum += a->value[i] * b->value[i];
    return model_scale((double)sum, a->code + b->code - 266);
}

#endif
