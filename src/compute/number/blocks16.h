/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Many 16/8/7 blocks at a time: one table of operations for each choice of
 * instructions, all with the bits of block.h. The vector tables need the modes
 * of fsh_isa_begin; whoever gets a table calls fsh_isa_begin first and
 * fsh_isa_end last. Used by run.c, operand.c and the packing of the kernels.
 */
#ifndef FSH_NUMBER_BLOCKS16_H
#define FSH_NUMBER_BLOCKS16_H

#include <stddef.h>
#include <stdint.h>

#include "compute/number/isa.h"

struct fsh_bfp_blocks16 {
    /* Encode blocks * 16 numbers in a row: a code and 16 bytes each. */
    void (*encode)(const float *x, size_t blocks, uint8_t *codes,
                   uint8_t *values);
    /* Encode the 16 columns of 16 rows that are ld numbers apart. Byte
     * q * 64 + j * 4 + i of values is row 4 q + i of column j. */
    void (*encode_columns)(const float *x, size_t ld, uint8_t *codes,
                           uint8_t *values);
    /* The opposite of encode. */
    void (*decode)(const uint8_t *codes, const uint8_t *values, size_t blocks,
                   float *x);
};

/* The table for instructions chosen by fsh_isa_choose. */
const struct fsh_bfp_blocks16 *fsh_bfp_blocks16(enum fsh_isa isa);

/* The plain C ones, which the vector code falls back to for rare blocks. */
void fsh_bfp_blocks16_encode(const float *x, size_t blocks, uint8_t *codes,
                             uint8_t *values);
void fsh_bfp_blocks16_encode_columns(const float *x, size_t ld, uint8_t *codes,
                                     uint8_t *values);
void fsh_bfp_blocks16_decode(const uint8_t *codes, const uint8_t *values,
                             size_t blocks, float *x);

#ifdef __x86_64__
extern const struct fsh_bfp_blocks16 fsh_bfp_blocks16_avx2;
extern const struct fsh_bfp_blocks16 fsh_bfp_blocks16_avx512;
#endif

#endif
