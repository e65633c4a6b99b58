/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One block of block floating point, in integers; see block.h.
 */
#include "compute/number/block.h"

#include <assert.h>

#include "compute/number/fp.h"

/* Significand with the hidden bit; denormals are zero. */
static uint32_t hidden_one(uint32_t bits)
{
    return fsh_fp_exponent(bits) == 0 ? 0 : (bits & 0x7fffff) | 0x800000;
}

/* s / 2^shift, ties to even. */
static uint32_t round_shift(uint32_t s, unsigned shift)
{
    uint32_t half, rest;

    if (shift > 25) /* s < 2^24: less than half */
        return 0;
    half = UINT32_C(1) << (shift - 1);
    rest = s & (2 * half - 1);
    s >>= shift;
    return s + (rest > half || (rest == half && s % 2 == 1));
}

/* Magnitude of a finite number in units of a block with exponent e, which is
 * biased as in FP32. May be 2^mantissa, or (exponent above e) far too large. */
static uint32_t magnitude(const struct fsh_bfp_format *format, uint32_t bits,
                          int e)
{
    int distance = e - (int)fsh_fp_exponent(bits);

    if (distance < 0)
        return UINT32_MAX;
    return round_shift(hidden_one(bits),
                       24 - format->mantissa + (unsigned)distance);
}

/* A block with Inf or NaN in it. */
static unsigned encode_special(const struct fsh_bfp_format *format,
                               const float *x, uint16_t *values)
{
    unsigned m = format->mantissa;

    for (unsigned i = 0; i < format->block; i++) {
        uint32_t bits = fsh_fp_bits(x[i]);

        if (fsh_fp_is_nan(bits))
            values[i] = (uint16_t)((1u << m) - 1);
        else if (fsh_fp_exponent(bits) == 255)
            values[i] = (uint16_t)(bits >> 31 << m | 1u << (m - 1));
        else
            values[i] = 0;
    }
    return fsh_bfp_special(format);
}

/* Exponent of a block of finite numbers, biased as in FP32: the largest, one
 * more if a value rounds up to the next power of two, within the format. */
static int choose_exponent(const struct fsh_bfp_format *format, const float *x,
                           int largest)
{
    int low = 1 - fsh_bfp_bias(format) + 127;
    int high = (int)fsh_bfp_special(format) - 1 - fsh_bfp_bias(format) + 127;
    int e = largest;

    for (unsigned i = 0; i < format->block; i++)
        if (magnitude(format, fsh_fp_bits(x[i]), largest) >> format->mantissa)
            e = largest + 1;
    if (e < low)
        return low;
    return e < high ? e : high;
}

unsigned fsh_bfp_encode_block(const struct fsh_bfp_format *format,
                              const float *x, uint16_t *values)
{
    uint32_t most = (1u << format->mantissa) - 1, any = 0;
    int largest = 0, e;

    assert(fsh_bfp_check(format) == FSH_BFP_OK);
    for (unsigned i = 0; i < format->block; i++) {
        int mine = (int)fsh_fp_exponent(fsh_fp_bits(x[i]));

        largest = mine > largest ? mine : largest;
    }
    if (largest == 255)
        return encode_special(format, x, values);
    e = choose_exponent(format, x, largest);
    for (unsigned i = 0; i < format->block; i++) {
        uint32_t bits = fsh_fp_bits(x[i]);
        uint32_t size = magnitude(format, bits, e);

        size = size < most ? size : most;
        values[i] =
            (uint16_t)(size ? bits >> 31 << format->mantissa | size : 0);
        any |= size;
    }
    return any ? (unsigned)(e - 127 + fsh_bfp_bias(format)) : 0;
}

/* Magnitude with its sign. */
static int32_t signed_value(const struct fsh_bfp_format *format, uint16_t value)
{
    int32_t size = value & ((1 << format->mantissa) - 1);

    return value >> format->mantissa & 1 ? -size : size;
}

float fsh_bfp_decode_value(const struct fsh_bfp_format *format, unsigned code,
                           uint16_t value)
{
    int32_t number = signed_value(format, value);

    if (code == 0)
        return 0;
    if (code == fsh_bfp_special(format)) {
        if (number == 1 << (format->mantissa - 1))
            return fsh_fp_value(FSH_FP_INF);
        if (number == -(1 << (format->mantissa - 1)))
            return fsh_fp_value(FSH_FP_INF | FSH_FP_SIGN);
        return fsh_fp_value(FSH_FP_NAN);
    }
    return fsh_fp_scale(number, fsh_bfp_unit_exponent(format, code));
}

float fsh_bfp_dot(const struct fsh_bfp_format *format, unsigned code_a,
                  const uint16_t *a, unsigned code_b, const uint16_t *b)
{
    unsigned special = fsh_bfp_special(format);
    int64_t sum = 0; /* below 2^8 * 2^30 */

    if (code_a == special || code_b == special)
        return fsh_fp_value(FSH_FP_NAN);
    if (code_a == 0 || code_b == 0)
        return 0;
    for (unsigned i = 0; i < format->block; i++)
        sum += (int64_t)signed_value(format, a[i]) * signed_value(format, b[i]);
    return fsh_fp_scale(sum, fsh_bfp_unit_exponent(format, code_a) +
                                 fsh_bfp_unit_exponent(format, code_b));
}

float fsh_bfp_dot16(unsigned code_a, const uint8_t *a, unsigned code_b,
                    const uint8_t *b)
{
    const struct fsh_bfp_format format = FSH_BFP_16_8_7;
    uint16_t wide_a[16], wide_b[16];

    for (unsigned i = 0; i < 16; i++) {
        wide_a[i] = a[i];
        wide_b[i] = b[i];
    }
    return fsh_bfp_dot(&format, code_a, wide_a, code_b, wide_b);
}
