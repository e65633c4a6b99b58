/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a choice of instructions brings to the kernels: operands packed square by
 * square, one tile of outputs, and what follows the last chunk; and the layout in
 * which these find their operands. Used by blocked.c and pack.c.
 *
 * Values are integers in two's complement, of one byte or, where instructions multiply
 * pairs of 16 bits (AVX2), of two. A word is what 4 bytes hold: four values or two.
 *
 * Operand A: blocks of `block` bytes: 16 values, the scale of the exponent (4 bytes)
 * and what else the instructions want. Where the blocks of a row lie is told by the
 * address of the row and an offset for each chunk, so that a convolution reads its
 * image in place.
 *
 * Operand B: panels of `columns` columns. A chunk of a panel is
 *   words of values: word q of column j at (q * columns + j) * 4, each byte
 *                    exclusive-or a constant that the instructions want
 *   4 * columns bytes: the scales of the exponents
 *
 * Two ways to scale a dot product. Fast: a scale is the number 2^(E - 133), and
 * fma(dot, product of the scales, acc) is the contract's two steps in one, since
 * the term is exact and a normal number. Only if the exponents of A and B are
 * within the limits of fsh_is_fast, which is looked up once per call. Careful:
 * scales that hold any exponent; what they are is up to the instructions.
 */
#ifndef FSH_KERNEL_TILE_H
#define FSH_KERNEL_TILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compute/kernel/kernels.h"

#define FSH_MAX_TILE_ROWS 8
#define FSH_BLOCK_MOST 64 /* bytes of a block of A */
#define FSH_LANES 16      /* a block's values; rows of a square */

/* Accumulators: rows * columns numbers, a row after the other. */
struct fsh_tile {
    const uint8_t *rows[FSH_MAX_TILE_ROWS]; /* first block of each row of A */
    const size_t *offsets;                  /* of each chunk, in bytes */
    size_t chunks;
    const uint8_t *panel; /* first of the chunks of B */
    float *acc;
};

/* The exponent codes of an operand, but 0 and 255. Starts as {255, 0}. */
struct fsh_codes {
    unsigned low, high;
};

/* An operand being packed. */
struct fsh_packer {
    const struct fsh_tile_ops *ops;
    bool careful;
    uint32_t scales[256]; /* by exponent code */
    /* The exponent codes so far, but 0 and 255, in any lane: the least less 1, the
     * largest. */
    _Alignas(64) uint32_t low[FSH_LANES], high[FSH_LANES];
};

/* 16 operand rows of one chunk, FP32: adjacent values, or (columns) of which line
 * k has value k of each. */
struct fsh_square {
    const float *x;
    size_t ld; /* from a row, or line, to the next */
    bool columns;
};

struct fsh_tile_ops {
    unsigned rows, columns; /* of a tile */
    unsigned block;         /* bytes of a block of A */
    unsigned scale;         /* byte of its scale */
    unsigned chunk;         /* bytes of a chunk of a panel */
    void (*scales)(bool careful, uint32_t scales[256]); /* by exponent code */
    /* A square as blocks of A, `step` bytes apart. False: a block has an exponent, Inf
     * or NaN that this code does not take, and all must be packed again. */
    bool (*pack_a)(struct fsh_packer *packer, struct fsh_square square,
                   uint8_t *out, size_t step);
    /* The same as columns from `column` on of a chunk of a panel. */
    bool (*pack_b)(struct fsh_packer *packer, struct fsh_square square,
                   uint8_t *chunk, size_t column);
    /* The values of one block, given as bytes; all of it but its scale. */
    void (*put_a)(const int8_t values[16], uint8_t *out);
    void (*put_b)(const int8_t values[16], uint8_t *chunk, size_t column);
    /* Add `chunks` terms to each accumulator. */
    void (*fast)(const struct fsh_tile *tile);
    void (*careful)(const struct fsh_tile *tile);
    /* The rest of up to 16 adjacent outputs, the first in that column. */
    void (*finish)(const struct fsh_finish *finish, const float *acc,
                   size_t column, size_t count, float *out);
};

#ifdef __x86_64__
/* pack_a and pack_b of both tables, in files of their own. */
bool fsh_pack_a_avx2(struct fsh_packer *packer, struct fsh_square square,
                     uint8_t *out, size_t step);
/* The same for B. */
bool fsh_pack_b_avx2(struct fsh_packer *packer, struct fsh_square square,
                     uint8_t *chunk, size_t column);
/* In AVX-512: A ... */
bool fsh_pack_a_avx512(struct fsh_packer *packer, struct fsh_square square,
                       uint8_t *out, size_t step);
/* ... and B. */
bool fsh_pack_b_avx512(struct fsh_packer *packer, struct fsh_square square,
                       uint8_t *chunk, size_t column);

extern const struct fsh_tile_ops fsh_tile_avx2;
extern const struct fsh_tile_ops fsh_tile_avx512;
#endif

/* 2^(E - 133) is a normal number for every E; so is the product of two; so is
 * every term: it is between 1 and 2^18 (16 * 127 * 127 < 2^18) times that. */
static inline bool fsh_is_fast(struct fsh_codes a, struct fsh_codes b)
{
    return a.low >= 7 && b.low >= 7 && a.low + b.low >= 266 - 126 &&
           a.high + b.high <= 266 + 127 - 17;
}

/* Scales of the fast way, the same for all instructions. */
void fsh_fast_scales(uint32_t scales[256]);

#endif
