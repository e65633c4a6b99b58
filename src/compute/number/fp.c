/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * FP32 arithmetic of the compute core in integers; see fp.h.
 */
#include "compute/number/fp.h"

/* Position of the leading one of a significand here: room for the carry of a
 * sum above it, and 38 bits below the last bit kept. */
#define TOP 61

/* sign * sig * 2^exponent, rounded, and then flushed if it is below 2^-126 (sums of
 * FP32 numbers and small integers are exact there; of products some round up to it). */
static float round_sig(uint32_t sign, uint64_t sig, int exponent)
{
    int top, biased;

    if (sig == 0)
        return 0;
    top = 63 - __builtin_clzll(sig);
    biased = top + exponent + 127;
    if (top > 23) {
        unsigned shift = (unsigned)top - 23;
        uint64_t half = UINT64_C(1) << (shift - 1);
        uint64_t rest = sig & (2 * half - 1);

        sig >>= shift;
        if (rest > half || (rest == half && sig % 2 == 1))
            sig++;
        if (sig >> 24) { /* all ones, rounded up */
            sig >>= 1;
            biased++;
        }
    } else {
        sig <<= 23 - top;
    }
    if (biased < 1)
        return 0;
    if (biased > 254)
        return fsh_fp_value(sign | FSH_FP_INF);
    return fsh_fp_value(sign | (uint32_t)biased << 23 |
                        ((uint32_t)sig & 0x7fffff));
}

/* Significand of a normal number, its leading one at TOP. */
static uint64_t aligned(uint32_t bits)
{
    return (uint64_t)((bits & 0x7fffff) | 0x800000) << (TOP - 23);
}

/* Sum of two normal numbers, |a| >= |b|. */
static float add_normal(uint32_t a, uint32_t b)
{
    unsigned distance = fsh_fp_exponent(a) - fsh_fp_exponent(b);
    uint64_t large = aligned(a), small = aligned(b), sum;

    /* Further down it is less than 2^-15 of a's last bit: a stands. */
    small = distance > TOP - 23 ? 0 : small >> distance;
    sum = (a ^ b) & FSH_FP_SIGN ? large - small : large + small;
    return round_sig(a & FSH_FP_SIGN, sum, (int)fsh_fp_exponent(a) - 127 - TOP);
}

/* At least one of the two is Inf or NaN. */
static float add_special(uint32_t a, uint32_t b)
{
    bool inf_a = (a & ~FSH_FP_SIGN) == FSH_FP_INF;
    bool inf_b = (b & ~FSH_FP_SIGN) == FSH_FP_INF;

    if (fsh_fp_is_nan(a) || fsh_fp_is_nan(b) || (inf_a && inf_b && a != b))
        return fsh_fp_value(FSH_FP_NAN);
    return fsh_fp_value(inf_a ? a : b);
}

float fsh_fp_add(float a, float b)
{
    uint32_t x = fsh_fp_bits(a), y = fsh_fp_bits(b);

    if (fsh_fp_exponent(x) == 255 || fsh_fp_exponent(y) == 255)
        return add_special(x, y);
    if (fsh_fp_exponent(x) == 0)
        return fsh_fp_exponent(y) == 0 ? 0 : b;
    if (fsh_fp_exponent(y) == 0)
        return a;
    if ((x & ~FSH_FP_SIGN) >= (y & ~FSH_FP_SIGN))
        return add_normal(x, y);
    return add_normal(y, x);
}

float fsh_fp_mul(float a, float b)
{
    uint32_t x = fsh_fp_bits(a), y = fsh_fp_bits(b);
    uint32_t sign = (x ^ y) & FSH_FP_SIGN;
    bool zero = fsh_fp_exponent(x) == 0 || fsh_fp_exponent(y) == 0;
    bool inf = fsh_fp_exponent(x) == 255 || fsh_fp_exponent(y) == 255;
    uint64_t product;

    if (fsh_fp_is_nan(x) || fsh_fp_is_nan(y) || (zero && inf))
        return fsh_fp_value(FSH_FP_NAN);
    if (zero)
        return 0;
    if (inf)
        return fsh_fp_value(sign | FSH_FP_INF);
    product =
        (uint64_t)((x & 0x7fffff) | 0x800000) * ((y & 0x7fffff) | 0x800000);
    return round_sig(sign, product,
                     (int)fsh_fp_exponent(x) + (int)fsh_fp_exponent(y) - 300);
}

float fsh_fp_scale(int64_t value, int exponent)
{
    uint64_t size = value < 0 ? -(uint64_t)value : (uint64_t)value;

    return round_sig(value < 0 ? FSH_FP_SIGN : 0, size, exponent);
}

float fsh_fp_relu(float x)
{
    uint32_t bits = fsh_fp_bits(x);

    if (fsh_fp_is_nan(bits))
        return fsh_fp_value(FSH_FP_NAN);
    return bits & FSH_FP_SIGN || fsh_fp_exponent(bits) == 0 ? 0 : x;
}
