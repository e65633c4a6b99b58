/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A run of values packed in blocks: what a compressor puts on the wire. Layout
 * for n values, b = the blocks they fill (the last one padded with zeros):
 *   - the b exponent codes, `exponent` bits each, padded with zero bits to a
 *     byte;
 *   - the b * block values, mantissa + 1 bits each (sign the highest).
 * Bits fill bytes from the lowest up. For 16/8/7 that is b bytes of codes, then
 * one byte a value: 3.76 times smaller than FP32; 256 values are 16 + 256
 * bytes. Encode and decode follow block.h. Any alignment, any thread, no
 * allocation.
 */
#ifndef FSH_NUMBER_RUN_H
#define FSH_NUMBER_RUN_H

#include "compute/number/format.h"
#include "compute/number/isa.h"

/* Bytes of n packed values; 0 for n = 0. */
size_t fsh_bfp_run_size(const struct fsh_bfp_format *format, size_t n);

/* Pack n values into fsh_bfp_run_size bytes, every one of which is written.
 * isa: which instructions, FSH_ISA_BEST but in tests. */
void fsh_bfp_run_encode(const struct fsh_bfp_format *format, const float *x,
                        size_t n, uint8_t *packed, enum fsh_isa isa);

/* The n values of a packed run. */
void fsh_bfp_run_decode(const struct fsh_bfp_format *format,
                        const uint8_t *packed, size_t n, float *x,
                        enum fsh_isa isa);

#endif
