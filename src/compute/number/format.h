/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Block floating point: blocks of values that share one exponent, each value a
 * sign and a magnitude. A format is three numbers; 16/8/7 (BFP16 of the smart
 * NIC paper) is the compute core's and the only one logic knows.
 *
 * In a block with exponent code E a value stands for
 *     +-magnitude * 2^(E - bias - (mantissa - 1)),  bias = 2^(exponent-1) - 1;
 * code 0 is a block of zeros, the code of all ones holds Inf and NaN. The unit
 * of a block is the value of magnitude 1.
 *
 * Pure functions, any thread.
 */
#ifndef FSH_NUMBER_FORMAT_H
#define FSH_NUMBER_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fsh_bfp_format {
    unsigned block;    /* values a block: a power of two, 8 to 256 */
    unsigned exponent; /* bits of the shared exponent, 2 to 8 */
    unsigned mantissa; /* bits of a magnitude, 2 to 15 */
};

/* The compute core's: 16 values, 8 bits, sign and 7 bits. */
#define FSH_BFP_16_8_7 ((struct fsh_bfp_format){16, 8, 7})
#define FSH_BFP_MAX_BLOCK 256

enum fsh_bfp_status {
    FSH_BFP_OK,
    FSH_BFP_BAD_BLOCK,    /* block size */
    FSH_BFP_BAD_EXPONENT, /* exponent bits */
    FSH_BFP_BAD_MANTISSA, /* mantissa bits */
};

/* Whether the format is one of those above. Every other function here takes
 * only formats for which this is FSH_BFP_OK (asserted). */
enum fsh_bfp_status fsh_bfp_check(const struct fsh_bfp_format *format);

/* One sentence, for messages. Static. */
const char *fsh_bfp_status_text(enum fsh_bfp_status status);

/* True for the compute core's format. */
static inline bool fsh_bfp_is_core(const struct fsh_bfp_format *format)
{
    return format->block == 16 && format->exponent == 8 &&
           format->mantissa == 7;
}

/* What an exponent code is more than its power of two. */
static inline int fsh_bfp_bias(const struct fsh_bfp_format *format)
{
    return (1 << (format->exponent - 1)) - 1;
}

/* The exponent code of Inf and NaN: all ones. */
static inline unsigned fsh_bfp_special(const struct fsh_bfp_format *format)
{
    return (1u << format->exponent) - 1;
}

/* Power of two of a block's unit. */
static inline int fsh_bfp_unit_exponent(const struct fsh_bfp_format *format,
                                        unsigned code)
{
    return (int)code - fsh_bfp_bias(format) - (int)(format->mantissa - 1);
}

#endif
