/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One block: encode, decode, dot product. This is the reference: integer
 * arithmetic, one obvious step after the other; runs (run.h), operands
 * (operand.h) and the kernels give the same bits faster. A value is
 *     sign << mantissa | magnitude
 * in the low mantissa + 1 bits of a uint16_t.
 *
 * Encode:
 *   - denormal inputs are zero; E = the largest exponent of the block;
 *   - magnitude = the value in units of E, rounded to nearest, ties to even;
 *   - if that gives 2^mantissa anywhere, E is one more and all are rounded
 *     again, from the inputs;
 *   - E past the largest finite code stays there, and what is too large is the
 *     largest magnitude (saturates);
 *   - exponents of less than 8 bits: E below code 1 becomes code 1, and what is
 *     less than half its unit zero;
 *   - a block of magnitudes 0 has code 0; a magnitude of 0 has sign 0;
 *   - any Inf or NaN: the code of all ones; Inf is 2^(mantissa-1) with its
 *     sign, NaN 2^mantissa - 1 without sign, anything else 0.
 * Decode: the opposite, exactly; a value below 2^-126 is +0. In a block with
 * the code of all ones whatever is not Inf is NaN: finite neighbours of an Inf
 * are lost, and say so.
 *
 * Error: |x - decode(encode(x))| <= half a unit of the block (for x without
 * denormals, which are zero); one unit if a value saturated while E was the
 * input's own (rounding up at the largest code); no bound for larger inputs,
 * which only exponents of less than 8 bits have. Flushing on decode adds
 * nothing: what an input of 2^-126 or more rounds to is 0 or at least 2^-126.
 *
 * Pure functions, any thread; x may have any alignment a float may.
 */
#ifndef FSH_NUMBER_BLOCK_H
#define FSH_NUMBER_BLOCK_H

#include "compute/number/format.h"

/* Encode format->block values of x. Returns the exponent code. */
unsigned fsh_bfp_encode_block(const struct fsh_bfp_format *format,
                              const float *x, uint16_t *values);

/* Decode one value of a block with that code. */
float fsh_bfp_decode_value(const struct fsh_bfp_format *format, unsigned code,
                           uint16_t value);

/* Sum of the products of two blocks, as one FP32 number. The sum is exact in
 * integers, then scaled by the two units: exact for the compute core's format
 * (18 bits), rounded once for larger ones. Either code all ones: NaN; else
 * either code 0: +0; too large Inf, below 2^-126 +0. */
float fsh_bfp_dot(const struct fsh_bfp_format *format, unsigned code_a,
                  const uint16_t *a, unsigned code_b, const uint16_t *b);

/* The same for 16/8/7 with values of a byte each, as in an operand. */
float fsh_bfp_dot16(unsigned code_a, const uint8_t *a, unsigned code_b,
                    const uint8_t *b);

#endif
