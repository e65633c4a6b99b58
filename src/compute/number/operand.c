/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Matrices in the compute core's BFP layout; see operand.h. Everything goes by
 * the 16 blocks of a 16 x 16 square or by the blocks of a row in one unit;
 * ragged ones through a copy padded with zeros.
 */
#include "compute/number/operand.h"

#include <assert.h>
#include <string.h>

#include "compute/number/blocks16.h"

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

size_t fsh_bfp_operand_size(size_t rows, size_t k)
{
    size_t panels = (rows + FSH_BFP_UNIT_ROWS - 1) / FSH_BFP_UNIT_ROWS;
    size_t units = (k + FSH_BFP_UNIT_K - 1) / FSH_BFP_UNIT_K;

    return panels * units * FSH_BFP_UNIT_BYTES;
}

static void store_block(uint8_t *unit, size_t block, uint8_t code,
                        const uint8_t *values)
{
    unit[block] = code;
    memcpy(unit + FSH_BFP_UNIT_CODES + 16 * block, values, 16);
}

/* One row of one unit: count numbers, 1 to 64. */
static void encode_row(const struct fsh_bfp_blocks16 *ops, const float *x,
                       size_t count, uint8_t *unit, size_t row)
{
    float padded[64] = {0};
    uint8_t codes[4], values[64];
    size_t blocks = (count + 15) / 16;

    if (count % 16) {
        memcpy(padded, x, count * sizeof(float));
        x = padded;
    }
    ops->encode(x, blocks, codes, values);
    for (size_t c = 0; c < blocks; c++)
        store_block(unit, fsh_bfp_operand_block(row, c), codes[c],
                    values + 16 * c);
}

/* Up to 16 lines of up to 16 columns. */
struct square {
    const float *x;
    size_t ld, width, height;
};

/* The columns of a square as chunk `chunk` of rows from `row` of a unit. */
static void encode_square(const struct fsh_bfp_blocks16 *ops, struct square in,
                          uint8_t *unit, size_t row, size_t chunk)
{
    float padded[256] = {0};
    uint8_t codes[16], quads[256], values[16];

    if (in.width < 16 || in.height < 16) {
        for (size_t i = 0; i < in.height; i++)
            memcpy(padded + 16 * i, in.x + i * in.ld, in.width * sizeof(float));
        in.x = padded;
        in.ld = 16;
    }
    ops->encode_columns(in.x, in.ld, codes, quads);
    for (size_t j = 0; j < in.width; j++) {
        for (size_t q = 0; q < 4; q++)
            memcpy(values + 4 * q, quads + 64 * q + 4 * j, 4);
        store_block(unit, fsh_bfp_operand_block(row + j, chunk), codes[j],
                    values);
    }
}

/* The operand of the transposed: rows are columns of x. */
static void encode_columns(const struct fsh_bfp_blocks16 *ops, const float *x,
                           size_t ld, size_t rows, size_t k, uint8_t *operand)
{
    for (size_t r = 0; r < rows; r += 16)
        for (size_t i = 0; i < k; i += 16) {
            struct square in = {x + i * ld + r, ld, smaller(16, rows - r),
                                smaller(16, k - i)};
            size_t unit = fsh_bfp_operand_unit(k, r, i / 16);

            encode_square(ops, in, operand + unit, r, i / 16);
        }
}

void fsh_bfp_operand_encode(const float *x, size_t ld, bool columns,
                            size_t rows, size_t k, uint8_t *operand,
                            enum fsh_isa isa)
{
    const struct fsh_bfp_blocks16 *ops = fsh_bfp_blocks16(fsh_isa_choose(isa));
    unsigned modes = fsh_isa_begin();

    assert(ld >= (columns ? rows : k));
    memset(operand, 0, fsh_bfp_operand_size(rows, k));
    if (columns) {
        encode_columns(ops, x, ld, rows, k, operand);
    } else {
        for (size_t r = 0; r < rows; r++)
            for (size_t i = 0; i < k; i += FSH_BFP_UNIT_K)
                encode_row(ops, x + r * ld + i, smaller(64, k - i),
                           operand + fsh_bfp_operand_unit(k, r, i / 16), r);
    }
    fsh_isa_end(modes);
}

void fsh_bfp_operand_decode(const uint8_t *operand, size_t rows, size_t k,
                            float *x, size_t ld, enum fsh_isa isa)
{
    const struct fsh_bfp_blocks16 *ops = fsh_bfp_blocks16(fsh_isa_choose(isa));
    unsigned modes = fsh_isa_begin();
    float block[16];

    assert(ld >= k);
    for (size_t r = 0; r < rows; r++)
        for (size_t i = 0; i < k; i += 16) {
            const uint8_t *unit = operand + fsh_bfp_operand_unit(k, r, i / 16);
            size_t n = fsh_bfp_operand_block(r, i / 16);

            ops->decode(unit + n, unit + FSH_BFP_UNIT_CODES + 16 * n, 1, block);
            memcpy(x + r * ld + i, block, smaller(16, k - i) * sizeof(float));
        }
    fsh_isa_end(modes);
}
