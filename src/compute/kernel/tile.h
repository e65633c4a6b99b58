/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a choice of instructions brings to the kernels: one tile of outputs, and
 * what follows the last chunk; and the layout in which both find their
 * operands. Used by blocked.c and pack.c.
 *
 * Operand A: blocks of 24 bytes: 16 values in two's complement, the word of the
 * exponent, and -128 times the sum of the values. Where the blocks of a row lie
 * is told by the address of the row and an offset for each chunk, so that a
 * convolution reads its image in place.
 *
 * Operand B: panels of `columns` columns. A chunk of a panel is
 *   16 * columns bytes: quad q (values 4q .. 4q+3) of column j at
 *                       (q * columns + j) * 4, each byte exclusive-or `bias`
 *    4 * columns bytes: the words of the exponents
 *
 * Two ways to scale a dot product. Fast: a word is the number 2^(E - 133), and
 * fma(dot, product of the words, acc) is the contract's two steps in one, since
 * the term is exact and a normal number. Only if the exponents of A and B are
 * within the limits of fsh_is_fast, which is looked up once per call. Careful:
 * words that hold any exponent; what they are is up to the instructions.
 */
#ifndef FSH_KERNEL_TILE_H
#define FSH_KERNEL_TILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compute/kernel/kernels.h"

#define FSH_BLOCK_BYTES 24
#define FSH_BLOCK_WORD 16 /* byte of the exponent's word */
#define FSH_BLOCK_SUM 20  /* byte of -128 * the sum of the values */
#define FSH_MAX_TILE_ROWS 8

/* Accumulators: rows * columns numbers, a row after the other. */
struct fsh_tile {
    const uint8_t *rows[FSH_MAX_TILE_ROWS]; /* first block of each row of A */
    const size_t *offsets;                  /* of each chunk, in bytes */
    size_t chunks;
    const uint8_t *panel; /* first of the chunks of B */
    float *acc;
};

struct fsh_tile_ops {
    unsigned rows, columns;                           /* of a tile */
    uint8_t bias;                                     /* of the bytes of B */
    void (*words)(bool careful, uint32_t words[256]); /* by exponent code */
    /* Add `chunks` terms to each accumulator. */
    void (*fast)(const struct fsh_tile *tile);
    void (*careful)(const struct fsh_tile *tile);
    /* The rest of up to 16 adjacent outputs, the first in that column. */
    void (*finish)(const struct fsh_finish *finish, const float *acc,
                   size_t column, size_t count, float *out);
};

#ifdef __x86_64__
extern const struct fsh_tile_ops fsh_tile_avx2;
extern const struct fsh_tile_ops fsh_tile_avx512;
#endif

/* The exponent codes of an operand, but 0 and 255. Starts as {255, 0}. */
struct fsh_codes {
    unsigned low, high;
};

/* 2^(E - 133) is a normal number for every E; so is the product of two; so is
 * every term: it is between 1 and 2^18 (16 * 127 * 127 < 2^18) times that. */
static inline bool fsh_is_fast(struct fsh_codes a, struct fsh_codes b)
{
    return a.low >= 7 && b.low >= 7 && a.low + b.low >= 266 - 126 &&
           a.high + b.high <= 266 + 127 - 17;
}

/* Words of the fast way, the same for all instructions. */
void fsh_fast_words(uint32_t words[256]);

#endif
