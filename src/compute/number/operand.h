/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A BFP operand: a matrix of `rows` rows of K values in 16/8/7 blocks along K,
 * in the order in which the compute core reads it. Rows and K are padded to 64
 * with zero blocks (all bytes 0). A unit is 64 rows x 64 values of K, 4352
 * bytes, 3.76 times smaller than FP32:
 *
 *   byte c * 64 + r                exponent code of row r, chunk c (16 of K)
 *   byte 256 + 16 * (c * 64 + r)   its 16 values, sign << 7 | magnitude
 *
 * Units lie in panels of 64 rows, in each panel by increasing K. What follows
 * from that: an operand of a multiple of 64 rows is cut into operands at its
 * panels, fsh_bfp_operand_size(64, k) bytes apart.
 *
 * Any alignment, any thread, no allocation.
 */
#ifndef FSH_NUMBER_OPERAND_H
#define FSH_NUMBER_OPERAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compute/number/isa.h"

#define FSH_BFP_UNIT_ROWS 64
#define FSH_BFP_UNIT_K 64
#define FSH_BFP_UNIT_CODES 256 /* bytes of exponent codes, which come first */
#define FSH_BFP_UNIT_BYTES 4352

/* Bytes of an operand of that many rows of k values. */
size_t fsh_bfp_operand_size(size_t rows, size_t k);

/* Where the block of that row and chunk is: the offset of its unit, in bytes from
 * the start of the operand. The code is at unit + block, the values at
 * unit + FSH_BFP_UNIT_CODES + 16 * block. */
static inline size_t fsh_bfp_operand_unit(size_t k, size_t row, size_t chunk)
{
    size_t units = (k + FSH_BFP_UNIT_K - 1) / FSH_BFP_UNIT_K;

    return (row / FSH_BFP_UNIT_ROWS * units + chunk / 4) * FSH_BFP_UNIT_BYTES;
}

/* And its number in the unit, 0 to 255. */
static inline size_t fsh_bfp_operand_block(size_t row, size_t chunk)
{
    return chunk % 4 * FSH_BFP_UNIT_ROWS + row % FSH_BFP_UNIT_ROWS;
}

/* Encode rows x k numbers; all bytes of the operand are written. columns
 * false: x holds the rows, ld >= k numbers apart. columns true: x is the
 * transposed, k rows of ld >= rows numbers, and a row of the operand is a
 * column of it (the B of a matrix product as it lies in memory). */
void fsh_bfp_operand_encode(const float *x, size_t ld, bool columns,
                            size_t rows, size_t k, uint8_t *operand,
                            enum fsh_isa isa);

/* The rows x k numbers of an operand, as rows that are ld >= k apart. */
void fsh_bfp_operand_decode(const uint8_t *operand, size_t rows, size_t k,
                            float *x, size_t ld, enum fsh_isa isa);

#endif
