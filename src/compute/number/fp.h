/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * FP32 arithmetic as the compute core does it, in integers: the same bits
 * whatever the compiler's flags and the caller's rounding and denormal modes.
 * Round to nearest even; and everywhere
 *   - denormal inputs count as zero, results below 2^-126 become +0,
 *   - a zero result is +0, a NaN result is 0x7fc00000.
 * Used by the formats here and by the portable kernels (compute/kernels.h),
 * which the vector code and the RTL are compared with. Pure functions, any
 * thread, callable anywhere.
 */
#ifndef FSH_NUMBER_FP_H
#define FSH_NUMBER_FP_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define FSH_FP_NAN 0x7fc00000u
#define FSH_FP_INF 0x7f800000u
#define FSH_FP_SIGN 0x80000000u

/* The 32 bits of x. */
static inline uint32_t fsh_fp_bits(float x)
{
    uint32_t u;

    memcpy(&u, &x, sizeof(u));
    return u;
}

/* The number with these bits. */
static inline float fsh_fp_value(uint32_t bits)
{
    float x;

    memcpy(&x, &bits, sizeof(x));
    return x;
}

/* Biased exponent: 0 for zeros and denormals, 255 for Inf and NaN. */
static inline unsigned fsh_fp_exponent(uint32_t bits)
{
    return bits >> 23 & 255;
}

/* Quiet or signalling, of either sign. */
static inline bool fsh_fp_is_nan(uint32_t bits)
{
    return (bits & ~FSH_FP_SIGN) > FSH_FP_INF;
}

/* a + b. Inf + -Inf is NaN; too large is Inf. */
float fsh_fp_add(float a, float b);

/* a * b. 0 * Inf is NaN; too large is Inf; what rounds up to 2^-126 is not below
 * it. */
float fsh_fp_mul(float a, float b);

/* value * 2^exponent: a term of a dot product, or what a block's value
 * decodes to. Exact for |value| <= 2^24 unless it is too large (Inf) or below
 * 2^-126 (+0); else rounded. Any exponent within +-100000. */
float fsh_fp_scale(int64_t value, int exponent);

/* x < 0 ? +0 : x, and zeros and NaN as above. */
float fsh_fp_relu(float x);

/* x > 0 among what counts: no denormal, no NaN. */
static inline bool fsh_fp_above_zero(float x)
{
    uint32_t bits = fsh_fp_bits(x);

    return bits >= 0x800000u && bits <= FSH_FP_INF;
}

#endif
