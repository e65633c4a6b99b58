/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Operands packed for the vector kernels; see pack.h and tile.h. What is here goes
 * by squares of 16 rows and a chunk, which the code of the instructions packs, and
 * packs those that it does not take block by block, as it does encoded ones. Needs the
 * vector instructions every x86-64 has, and no more.
 */
#ifdef __x86_64__
#include "compute/kernel/pack.h"

#include <emmintrin.h>
#include <string.h>

#include "compute/kernel/internal.h"
#include "compute/number/blocks16.h"
#include "compute/number/operand.h"

void fsh_fast_scales(uint32_t scales[256])
{
    memset(scales, 0, 256 * sizeof(scales[0]));
    for (uint32_t e = 7; e < 255; e++)
        scales[e] = (e - 6) << 23;
    scales[255] = 0x7fc00000;
}

void fsh_pack_begin(struct fsh_packer *packer, const struct fsh_tile_ops *ops,
                    bool careful)
{
    packer->ops = ops;
    packer->careful = careful;
    ops->scales(careful, packer->scales);
    memset(packer->low, 0xff, sizeof packer->low);
    memset(packer->high, 0, sizeof packer->high);
}

struct fsh_codes fsh_pack_codes(const struct fsh_packer *packer)
{
    struct fsh_codes codes = {255, 0};

    for (unsigned i = 0; i < FSH_LANES; i++) {
        if (packer->low[i] < codes.low)
            codes.low = packer->low[i] + 1;
        if (packer->high[i] > codes.high)
            codes.high = packer->high[i];
    }
    return codes;
}

/* ---- one block ----------------------------------------------------------- */

static void note_code(struct fsh_packer *packer, unsigned code)
{
    if (code == 0 || code == 255)
        return;
    if (code - 1 < packer->low[0])
        packer->low[0] = code - 1;
    if (code > packer->high[0])
        packer->high[0] = code;
}

/* Sign and magnitude to two's complement. */
static void twos_complement(const uint8_t *values, int8_t out[16])
{
    __m128i v = _mm_loadu_si128((const __m128i *)(const void *)values);
    __m128i minus = _mm_cmplt_epi8(v, _mm_setzero_si128());

    v = _mm_and_si128(v, _mm_set1_epi8(127));
    v = _mm_sub_epi8(_mm_xor_si128(v, minus), minus);
    _mm_storeu_si128((__m128i *)(void *)out, v);
}

static void put_a(struct fsh_packer *packer, uint8_t code,
                  const uint8_t *values, uint8_t *out)
{
    int8_t v[16];

    twos_complement(values, v);
    packer->ops->put_a(v, out);
    memcpy(out + packer->ops->scale, &packer->scales[code], 4);
    note_code(packer, code);
}

static void put_b(struct fsh_packer *packer, uint8_t code,
                  const uint8_t *values, uint8_t *chunk, size_t column)
{
    const struct fsh_tile_ops *ops = packer->ops;
    size_t scales = ops->chunk - 4 * ops->columns;
    int8_t v[16];

    twos_complement(values, v);
    ops->put_b(v, chunk, column);
    memcpy(chunk + scales + 4 * column, &packer->scales[code], 4);
    note_code(packer, code);
}

/* A block of a BFP operand: its code, and where its values are. */
static uint8_t operand_block(const struct fsh_operand *operand, size_t k,
                             size_t row, size_t chunk, const uint8_t **values)
{
    const uint8_t *unit =
        (const uint8_t *)operand->data + fsh_bfp_operand_unit(k, row, chunk);
    size_t n = fsh_bfp_operand_block(row, chunk);

    *values = unit + FSH_BFP_UNIT_CODES + 16 * n;
    return unit[n];
}

/* ---- squares ------------------------------------------------------------- */

/* Row i of a square, encoded. */
static uint8_t encode_row(struct fsh_square square, size_t i, uint8_t *values)
{
    float row[16];
    uint8_t code;

    for (size_t k = 0; k < 16; k++)
        row[k] = square.columns ? square.x[k * square.ld + i]
                                : square.x[i * square.ld + k];
    fsh_bfp_blocks16_encode(row, 1, &code, values);
    return code;
}

static void square_to_a(struct fsh_packer *packer, struct fsh_square square,
                        uint8_t *out, size_t step)
{
    uint8_t values[16];

    if (packer->ops->pack_a(packer, square, out, step))
        return;
    for (size_t i = 0; i < 16; i++) {
        uint8_t code = encode_row(square, i, values);

        put_a(packer, code, values, out + i * step);
    }
}

static void square_to_b(struct fsh_packer *packer, struct fsh_square square,
                        uint8_t *chunk, size_t column)
{
    uint8_t values[16];

    if (packer->ops->pack_b(packer, square, chunk, column))
        return;
    for (size_t i = 0; i < 16; i++) {
        uint8_t code = encode_row(square, i, values);

        put_b(packer, code, values, chunk, column + i);
    }
}

/* `height` lines of `width` values each, up to 16, and zeros behind both. */
static struct fsh_square pad(struct fsh_square square, size_t height,
                             size_t width, float padded[256])
{
    if (height >= 16 && width >= 16)
        return square;
    memset(padded, 0, 256 * sizeof(float));
    for (size_t i = 0; i < height && i < 16; i++)
        memcpy(padded + 16 * i, square.x + i * square.ld,
               (width < 16 ? width : 16) * sizeof(float));
    return (struct fsh_square){padded, 16, square.columns};
}

/* The rows from `row` on of a chunk of an operand of FP32, zeros past the edge. */
static struct fsh_square take_square(const struct fsh_operand *operand,
                                     size_t rows, size_t k, size_t row,
                                     size_t chunk, float padded[256])
{
    size_t at = 16 * chunk, ld = operand->ld;
    const float *x = operand->data;

    if (operand->form == FSH_OPERAND_COLUMNS)
        return pad((struct fsh_square){x + at * ld + row, ld, true}, k - at,
                   rows - row, padded);
    return pad((struct fsh_square){x + row * ld + at, ld, false}, rows - row,
               k - at, padded);
}

/* Squares follow each other along the lines of memory, which the processor fetches
 * ahead: along rows, or in the chunk's lines where rows are columns. */
struct place {
    size_t row, chunk;
};

static struct place place(const struct fsh_operand *operand, size_t n,
                          size_t groups, size_t chunks)
{
    if (operand->form == FSH_OPERAND_COLUMNS)
        return (struct place){n % groups * 16, n / groups};
    return (struct place){n / chunks * 16, n % chunks};
}

/* ---- operand A ----------------------------------------------------------- */

void fsh_pack_zeros(const struct fsh_packer *packer, size_t count, uint8_t *out)
{
    size_t block = packer->ops->block;

    for (; count; count--, out += block) {
        memset(out, 0, block);
        memcpy(out + packer->ops->scale, &packer->scales[0], 4);
    }
}

void fsh_pack_blocks(struct fsh_packer *packer, const float *x, size_t count,
                     uint8_t *out)
{
    size_t block = packer->ops->block;
    float padded[256];
    uint8_t last[16 * FSH_BLOCK_MOST];

    for (; count >= 16; count -= 16, x += 256, out += 16 * block)
        square_to_a(packer, (struct fsh_square){x, 16, false}, out, block);
    if (count == 0)
        return;
    square_to_a(packer,
                pad((struct fsh_square){x, 16, false}, count, 16, padded), last,
                block);
    memcpy(out, last, count * block);
}

static void pack_encoded_rows(struct fsh_packer *packer,
                              const struct fsh_operand *operand, size_t rows,
                              size_t k, uint8_t *out)
{
    for (size_t r = 0; r < rows; r++)
        for (size_t c = 0; c < fsh_chunks(k); c++, out += packer->ops->block) {
            const uint8_t *values;
            uint8_t code = operand_block(operand, k, r, c, &values);

            put_a(packer, code, values, out);
        }
}

void fsh_pack_rows(struct fsh_packer *packer, const struct fsh_operand *operand,
                   size_t rows, size_t k, uint8_t *out)
{
    size_t chunks = fsh_chunks(k), groups = fsh_chunks(rows);
    size_t block = packer->ops->block, line = chunks * block;
    float padded[256];

    if (operand->form == FSH_OPERAND_BFP) {
        pack_encoded_rows(packer, operand, rows, k, out);
        return;
    }
    for (size_t n = 0; n < groups * chunks; n++) {
        struct place p = place(operand, n, groups, chunks);

        square_to_a(packer,
                    take_square(operand, rows, k, p.row, p.chunk, padded),
                    out + p.row * line + p.chunk * block, line);
    }
}

/* ---- operand B ----------------------------------------------------------- */

size_t fsh_pack_panels_size(const struct fsh_tile_ops *ops, size_t rows,
                            size_t k)
{
    size_t count = (rows + ops->columns - 1) / ops->columns;

    return count * fsh_chunks(k) * ops->chunk;
}

/* 16 columns of a chunk of a panel, from `row` of the operand on: as many as there
 * are, and zeros. */
static void pack_encoded(struct fsh_packer *packer,
                         const struct fsh_operand *operand, size_t rows,
                         size_t k, size_t row, size_t c, uint8_t *chunk)
{
    static const uint8_t zeros[16];

    for (size_t i = row; i < row + 16; i++) {
        const uint8_t *values = zeros;
        uint8_t code = i < rows ? operand_block(operand, k, i, c, &values) : 0;

        put_b(packer, code, values, chunk, i % packer->ops->columns);
    }
}

void fsh_pack_panels(struct fsh_packer *packer,
                     const struct fsh_operand *operand, size_t rows, size_t k,
                     uint8_t *out)
{
    const struct fsh_tile_ops *ops = packer->ops;
    size_t chunks = fsh_chunks(k);
    size_t padded = (rows + ops->columns - 1) / ops->columns * ops->columns;
    const struct fsh_operand none = {FSH_OPERAND_BFP, NULL, 0};
    float space[256];

    for (size_t n = 0; n < padded / 16 * chunks; n++) {
        struct place p = place(operand, n, padded / 16, chunks);
        uint8_t *chunk =
            out + (p.row / ops->columns * chunks + p.chunk) * ops->chunk;

        if (p.row >= rows)
            pack_encoded(packer, &none, rows, k, p.row, p.chunk, chunk);
        else if (operand->form == FSH_OPERAND_BFP)
            pack_encoded(packer, operand, rows, k, p.row, p.chunk, chunk);
        else
            square_to_b(packer,
                        take_square(operand, rows, k, p.row, p.chunk, space),
                        chunk, p.row % ops->columns);
    }
}
#endif
