/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Operands packed for the vector kernels; see pack.h and tile.h. What is here
 * needs the vector instructions every x86-64 has, and no more.
 */
#ifdef __x86_64__
#include "compute/kernel/pack.h"

#include <emmintrin.h>
#include <string.h>

#include "compute/number/operand.h"
#include "compute/kernel/internal.h"

/* Blocks that are encoded at a time: the codes and values stay in cache. */
#define BATCH 64

void fsh_fast_words(uint32_t words[256])
{
    memset(words, 0, 256 * sizeof(words[0]));
    for (uint32_t e = 7; e < 255; e++)
        words[e] = (e - 6) << 23;
    words[255] = 0x7fc00000;
}

/* Sign and magnitude to two's complement, in each byte. */
static inline __m128i twos_complement(__m128i v)
{
    __m128i minus = _mm_cmplt_epi8(v, _mm_setzero_si128());

    v = _mm_and_si128(v, _mm_set1_epi8(127));
    return _mm_sub_epi8(_mm_xor_si128(v, minus), minus);
}

static inline void note_code(struct fsh_codes *codes, unsigned code)
{
    if (code == 0 || code == 255)
        return;
    codes->low = code < codes->low ? code : codes->low;
    codes->high = code > codes->high ? code : codes->high;
}

static inline void put_block(struct fsh_packer *packer, uint8_t code,
                             const uint8_t *values, uint8_t *out)
{
    __m128i v =
        twos_complement(_mm_loadu_si128((const __m128i *)(const void *)values));
    /* Sums of bytes + 128, of each half. */
    __m128i sums = _mm_sad_epu8(_mm_xor_si128(v, _mm_set1_epi8(-128)),
                                _mm_setzero_si128());
    int32_t sum = _mm_cvtsi128_si32(sums) + _mm_extract_epi16(sums, 4);

    note_code(&packer->codes, code);
    _mm_storeu_si128((__m128i *)(void *)out, v);
    memcpy(out + FSH_BLOCK_WORD, &packer->words[code], 4);
    sum = -128 * (sum - 16 * 128);
    memcpy(out + FSH_BLOCK_SUM, &sum, 4);
}

void fsh_pack_zeros(const struct fsh_packer *packer, size_t count, uint8_t *out)
{
    for (; count; count--, out += FSH_BLOCK_BYTES) {
        memset(out, 0, FSH_BLOCK_BYTES);
        memcpy(out + FSH_BLOCK_WORD, &packer->words[0], 4);
    }
}

void fsh_pack_blocks(struct fsh_packer *packer, const float *x, size_t count,
                     uint8_t *out)
{
    uint8_t codes[BATCH], values[16 * BATCH];

    while (count) {
        size_t now = count < BATCH ? count : BATCH;

        packer->encoder->encode(x, now, codes, values);
        for (size_t i = 0; i < now; i++, out += FSH_BLOCK_BYTES)
            put_block(packer, codes[i], values + 16 * i, out);
        x += 16 * now;
        count -= now;
    }
}

/* A row of k FP32 numbers, the last block padded with zeros. */
static void pack_row(struct fsh_packer *packer, const float *x, size_t k,
                     uint8_t *out)
{
    float last[16] = {0};

    fsh_pack_blocks(packer, x, k / 16, out);
    if (k % 16) {
        memcpy(last, x + k / 16 * 16, k % 16 * sizeof(float));
        fsh_pack_blocks(packer, last, 1, out + k / 16 * FSH_BLOCK_BYTES);
    }
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

/* Up to 16 lines of memory, of `width` values each, of what is columns. */
struct square {
    const float *x;
    size_t ld;
    float padded[256];
};

/* 16 columns from `row` on, 16 values each from chunk `chunk`; zeros past the edge. */
static void take_square(const struct fsh_operand *operand, size_t rows,
                        size_t k, size_t row, size_t chunk,
                        struct square *square)
{
    size_t height = k - 16 * chunk, width = rows - row;

    square->ld = operand->ld;
    square->x = (const float *)operand->data + 16 * chunk * operand->ld + row;
    if (width >= 16 && height >= 16)
        return;
    memset(square->padded, 0, sizeof square->padded);
    for (size_t i = 0; i < (height < 16 ? height : 16); i++)
        memcpy(square->padded + 16 * i, square->x + i * square->ld,
               (width < 16 ? width : 16) * sizeof(float));
    square->x = square->padded;
    square->ld = 16;
}

/* Columns of memory as rows of blocks. */
static void pack_columns(struct fsh_packer *packer,
                         const struct fsh_operand *operand, size_t rows,
                         size_t k, uint8_t *out)
{
    size_t line = fsh_chunks(k) * FSH_BLOCK_BYTES;

    for (size_t row = 0; row < rows; row += 16)
        for (size_t c = 0; c < fsh_chunks(k); c++) {
            struct square square;
            uint8_t codes[16], quads[256], values[16];

            take_square(operand, rows, k, row, c, &square);
            packer->encoder->encode_columns(square.x, square.ld, codes, quads);
            for (size_t i = 0; i < 16 && row + i < rows; i++) {
                for (size_t q = 0; q < 4; q++)
                    memcpy(values + 4 * q, quads + 64 * q + 4 * i, 4);
                put_block(packer, codes[i], values,
                          out + (row + i) * line + c * FSH_BLOCK_BYTES);
            }
        }
}

void fsh_pack_rows(struct fsh_packer *packer, const struct fsh_operand *operand,
                   size_t rows, size_t k, uint8_t *out)
{
    size_t chunks = fsh_chunks(k);

    if (operand->form == FSH_OPERAND_COLUMNS) {
        pack_columns(packer, operand, rows, k, out);
        return;
    }
    for (size_t r = 0; r < rows; r++, out += chunks * FSH_BLOCK_BYTES) {
        if (operand->form == FSH_OPERAND_ROWS) {
            const float *x = operand->data;

            pack_row(packer, x + r * operand->ld, k, out);
            continue;
        }
        for (size_t c = 0; c < chunks; c++) {
            const uint8_t *values;
            uint8_t code = operand_block(operand, k, r, c, &values);

            put_block(packer, code, values, out + c * FSH_BLOCK_BYTES);
        }
    }
}

/* The panels being packed. */
struct panels {
    struct fsh_packer *packer;
    const struct fsh_operand *operand;
    size_t rows, k, chunk_bytes;
    uint8_t *out;
};

size_t fsh_pack_panels_size(const struct fsh_tile_ops *ops, size_t rows,
                            size_t k)
{
    size_t count = (rows + ops->columns - 1) / ops->columns;

    return count * fsh_chunks(k) * ops->columns * 20;
}

/* Where the chunk of the panel is that has that row. */
static uint8_t *chunk_at(const struct panels *p, size_t row, size_t chunk)
{
    size_t panel = row / p->packer->ops->columns;

    return p->out + (panel * fsh_chunks(p->k) + chunk) * p->chunk_bytes;
}

static void put_word(const struct panels *p, uint8_t *at, size_t column,
                     unsigned code)
{
    size_t columns = p->packer->ops->columns;

    note_code(&p->packer->codes, code);
    memcpy(at + 16 * columns + 4 * column, &p->packer->words[code], 4);
}

/* One block as column row % columns of its chunk. */
static void put_column(const struct panels *p, size_t row, size_t chunk,
                       uint8_t code, const uint8_t *values)
{
    const struct fsh_tile_ops *ops = p->packer->ops;
    uint8_t *at = chunk_at(p, row, chunk);
    size_t column = row % ops->columns;
    uint8_t bytes[16];
    __m128i v =
        twos_complement(_mm_loadu_si128((const __m128i *)(const void *)values));

    _mm_storeu_si128((__m128i *)(void *)bytes,
                     _mm_xor_si128(v, _mm_set1_epi8((char)ops->bias)));
    for (size_t q = 0; q < 4; q++)
        memcpy(at + (q * ops->columns + column) * 4, bytes + 4 * q, 4);
    put_word(p, at, column, code);
}

/* A row that is adjacent in memory, FP32. */
static void put_row(const struct panels *p, size_t row)
{
    const float *x = (const float *)p->operand->data + row * p->operand->ld;
    uint8_t codes[BATCH], values[16 * BATCH];

    for (size_t k = 0; k < p->k; k += 16 * BATCH) {
        size_t left = p->k - k, now = left / 16;
        float last[16] = {0};

        now = now < BATCH ? now : BATCH;
        p->packer->encoder->encode(x + k, now, codes, values);
        if (now < BATCH && left % 16) {
            memcpy(last, x + k + 16 * now, left % 16 * sizeof(float));
            p->packer->encoder->encode(last, 1, codes + now, values + 16 * now);
            now++;
        }
        for (size_t i = 0; i < now; i++)
            put_column(p, row, k / 16 + i, codes[i], values + 16 * i);
    }
}

static void put_encoded_row(const struct panels *p, size_t row)
{
    for (size_t c = 0; c < fsh_chunks(p->k); c++) {
        const uint8_t *values;
        uint8_t code = operand_block(p->operand, p->k, row, c, &values);

        put_column(p, row, c, code, values);
    }
}

/* 16 rows, or what is left of them, that are columns in memory: one chunk. */
static void put_square(const struct panels *p, size_t row, size_t chunk)
{
    const struct fsh_tile_ops *ops = p->packer->ops;
    uint8_t *at = chunk_at(p, row, chunk), codes[16], values[256];
    size_t column = row % ops->columns;
    struct square square;

    take_square(p->operand, p->rows, p->k, row, chunk, &square);
    p->packer->encoder->encode_columns(square.x, square.ld, codes, values);
    for (size_t i = 0; i < 16; i++) {
        const uint8_t *from = values + 16 * i; /* quarter i % 4 of quad i / 4 */
        uint8_t *to = at + (i / 4 * ops->columns + column) * 4 + i % 4 * 16;
        __m128i v = twos_complement(
            _mm_loadu_si128((const __m128i *)(const void *)from));

        _mm_storeu_si128((__m128i *)(void *)to,
                         _mm_xor_si128(v, _mm_set1_epi8((char)ops->bias)));
        put_word(p, at, column + i, codes[i]);
    }
}

void fsh_pack_panels(struct fsh_packer *packer,
                     const struct fsh_operand *operand, size_t rows, size_t k,
                     uint8_t *out)
{
    struct panels p = {packer, operand, rows, k, packer->ops->columns * 20,
                       out};
    size_t columns = packer->ops->columns;
    size_t padded = (rows + columns - 1) / columns * columns;
    static const uint8_t zeros[16];

    for (size_t row = 0; row < padded; row++) {
        if (operand->form == FSH_OPERAND_COLUMNS && row < rows) {
            if (row % 16 == 0)
                for (size_t c = 0; c < fsh_chunks(k); c++)
                    put_square(&p, row, c);
        } else if (row >= rows) {
            for (size_t c = 0; c < fsh_chunks(k); c++)
                put_column(&p, row, c, 0, zeros);
        } else if (operand->form == FSH_OPERAND_ROWS) {
            put_row(&p, row);
        } else {
            put_encoded_row(&p, row);
        }
    }
}
#endif
