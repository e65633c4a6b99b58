/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The vector way of both kernels: one product of packed operands, tile by tile.
 * A convolution is the product of its pixels (rows) and its kernels (columns)
 * over the taps (chunks); its image is packed once with its border of zero
 * blocks, and rows and offsets point into it. A panel of B and a stretch of its
 * chunks stay in the first-level cache while A passes by.
 */
#ifdef __x86_64__
#include <stdlib.h>
#include <string.h>

#include "compute/kernel/internal.h"
#include "compute/kernel/pack.h"

/* Chunks of B's panel that stay in cache: 32 of 576 or 640 bytes. */
#define STRETCH 32
/* Rows of A that stay in the second-level cache. */
#define SLICE 128

/* Where an output goes: out + row * row_step + column / 16 * group_step +
 * column % 16. */
struct product {
    const struct fsh_tile_ops *ops;
    bool careful;
    size_t rows, columns, chunks;
    const uint8_t *a, *b;
    size_t *row_at, *chunk_at; /* bytes from a, and from there */
    const struct fsh_finish *finish;
    float *out;
    size_t row_step, group_step;
    float *acc; /* of one panel, all rows */
};

/* Packed operands and tables, in one piece of memory: several would be given back to
 * the system and taken anew, page by page, with each product. */
struct workspace {
    struct fsh_packer packer;
    void *owned;
    uint8_t *a, *b;
    size_t *row_at, *chunk_at;
    float *acc;
};

static const struct fsh_tile_ops *tile_ops(enum fsh_isa isa)
{
    return isa == FSH_ISA_AVX2 ? &fsh_tile_avx2 : &fsh_tile_avx512;
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static size_t round_up(size_t n, size_t to)
{
    return (n + to - 1) / to * to;
}

/* Accumulators stay between stretches: of a slice, or of a tile if there is one. */
static size_t kept_rows(const struct product *p)
{
    return p->chunks > STRETCH ? SLICE : p->ops->rows;
}

/* Room for a_blocks blocks, the panels and the tables. */
static bool acquire(struct workspace *w, size_t a_blocks,
                    const struct product *p)
{
    const struct fsh_tile_ops *ops = p->ops;
    size_t b = fsh_pack_panels_size(ops, p->columns, 16 * p->chunks);
    size_t acc = kept_rows(p) * ops->columns * sizeof(float);
    size_t a = round_up(a_blocks * ops->block, 64);
    size_t tables = (p->rows + p->chunks) * sizeof(size_t);

    b = round_up(b, 64);
    acc = round_up(acc, 64);
    w->owned = aligned_alloc(64, round_up(b + acc + a + tables, 64));
    if (!w->owned)
        return false;
    w->b = w->owned;
    w->acc = (float *)(void *)(w->b + b);
    w->a = w->b + b + acc;
    w->row_at = (size_t *)(void *)(w->a + a);
    w->chunk_at = w->row_at + p->rows;
    return true;
}

/* Outputs of a tile to where they belong. */
static void finish_tile(const struct product *p, size_t row, size_t column,
                        const float *acc)
{
    size_t rows = p->rows - row, columns = p->columns - column;

    rows = rows < p->ops->rows ? rows : p->ops->rows;
    columns = columns < p->ops->columns ? columns : p->ops->columns;
    for (size_t r = 0; r < rows; r++)
        for (size_t c = 0; c < columns; c += 16)
            p->ops->finish(p->finish, acc + r * p->ops->columns + c, column + c,
                           columns - c < 16 ? columns - c : 16,
                           p->out + (row + r) * p->row_step +
                               (column + c) / 16 * p->group_step);
}

/* A slice of the rows of a panel over a stretch of chunks. */
static void run_stretch(const struct product *p, size_t slice, size_t column,
                        size_t chunk, size_t chunks)
{
    size_t end = smaller(p->rows, slice + SLICE);
    size_t width = p->ops->columns, height = p->ops->rows;
    struct fsh_tile tile = {
        .offsets = p->chunk_at + chunk,
        .chunks = chunks,
        .panel = p->b + (column / width * p->chunks + chunk) * p->ops->chunk,
        .acc = p->acc,
    };

    for (size_t row = slice; row < end; row += height) {
        /* A ragged tile repeats its last row. */
        for (size_t r = 0; r < height; r++)
            tile.rows[r] =
                p->a + p->row_at[row + r < p->rows ? row + r : p->rows - 1];
        if (chunk == 0)
            memset(tile.acc, 0, height * width * sizeof(float));
        if (p->careful)
            p->ops->careful(&tile);
        else
            p->ops->fast(&tile);
        if (chunk + chunks == p->chunks)
            finish_tile(p, row, column, tile.acc);
        if (p->chunks > STRETCH)
            tile.acc += height * width;
    }
}

static void run(const struct product *p)
{
    for (size_t slice = 0; slice < p->rows; slice += SLICE)
        for (size_t column = 0; column < p->columns; column += p->ops->columns)
            for (size_t chunk = 0; chunk < p->chunks; chunk += STRETCH)
                run_stretch(p, slice, column, chunk,
                            smaller(p->chunks - chunk, STRETCH));
}

/* Pack with the scales of the fast way, and again if an exponent forbids it.
 * pack_a packs operand A. */
static bool pack_both(struct workspace *w, const struct fsh_tile_ops *ops,
                      const void *op,
                      void (*pack_a)(const void *op, struct workspace *w),
                      const struct fsh_operand *b, size_t columns, size_t k)
{
    bool careful = false;
    struct fsh_codes a_codes;

    for (;; careful = true) {
        fsh_pack_begin(&w->packer, ops, careful);
        pack_a(op, w);
        a_codes = fsh_pack_codes(&w->packer);
        fsh_pack_begin(&w->packer, ops, careful);
        fsh_pack_panels(&w->packer, b, columns, k, w->b);
        if (careful || fsh_is_fast(a_codes, fsh_pack_codes(&w->packer)))
            return careful;
    }
}

static void complete(struct product *p, const struct workspace *w)
{
    p->a = w->a;
    p->b = w->b;
    p->row_at = w->row_at;
    p->chunk_at = w->chunk_at;
    p->acc = w->acc;
}

static void pack_matrix(const void *op, struct workspace *w)
{
    const struct fsh_matmul *matmul = op;

    fsh_pack_rows(&w->packer, &matmul->a, matmul->m, matmul->k, w->a);
}

enum fsh_kernel_status fsh_matmul_blocked(const struct fsh_matmul *op,
                                          enum fsh_isa isa)
{
    struct workspace w;
    struct product p = {
        .ops = tile_ops(isa),
        .rows = op->m,
        .columns = op->n,
        .chunks = fsh_chunks(op->k),
        .finish = &op->finish,
        .out = op->c,
        .row_step = op->ldc,
        .group_step = 16,
    };
    unsigned modes;

    if (!acquire(&w, round_up(p.rows, 16) * p.chunks, &p))
        return FSH_KERNEL_NO_MEMORY;
    modes = fsh_isa_begin();
    for (size_t c = 0; c < p.chunks; c++)
        w.chunk_at[c] = c * p.ops->block;
    for (size_t r = 0; r < p.rows; r++)
        w.row_at[r] = r * p.chunks * p.ops->block;
    p.careful = pack_both(&w, p.ops, op, pack_matrix, &op->b, op->n, op->k);
    complete(&p, &w);
    run(&p);
    fsh_isa_end(modes);
    free(w.owned);
    return FSH_KERNEL_OK;
}

/* The image with its border, as blocks of A. */
static void pack_image(const void *argument, struct workspace *w)
{
    const struct fsh_conv *op = argument;
    size_t wide = op->in_w + 2 * op->pad, border = op->pad * wide;
    size_t block = w->packer.ops->block;
    size_t line = wide * block, side = op->pad * block;
    const float *in = op->in;
    uint8_t *out = w->a;

    for (size_t cb = 0; cb < fsh_chunks(op->in_channels); cb++) {
        fsh_pack_zeros(&w->packer, border, out);
        out += border * block;
        for (size_t y = 0; y < op->in_h; y++, out += line) {
            fsh_pack_zeros(&w->packer, op->pad, out);
            fsh_pack_blocks(&w->packer, in, op->in_w, out + side);
            fsh_pack_zeros(&w->packer, op->pad, out + line - side);
            in += 16 * op->in_w;
        }
        fsh_pack_zeros(&w->packer, border, out);
        out += border * block;
    }
}

/* Where the tap (0, 0) of each pixel and the block of each tap are. */
static void locate(const struct fsh_conv *op, size_t out_h, size_t out_w,
                   const struct fsh_tile_ops *ops, struct workspace *w)
{
    size_t wide = op->in_w + 2 * op->pad, high = op->in_h + 2 * op->pad;
    size_t block = ops->block, *at = w->row_at;

    for (size_t y = 0; y < out_h; y++)
        for (size_t x = 0; x < out_w; x++)
            *at++ = (y * wide + x) * op->stride * block;
    at = w->chunk_at;
    for (size_t cb = 0; cb < fsh_chunks(op->in_channels); cb++)
        for (size_t r = 0; r < op->kernel_h; r++)
            for (size_t s = 0; s < op->kernel_w; s++)
                *at++ = ((cb * high + r) * wide + s) * block;
}

/* Channels past the last one, in the last block of 16, are zero. */
static void clear_rest(const struct fsh_conv *op, size_t pixels)
{
    size_t used = op->out_channels % 16;
    float *block = op->out + op->out_channels / 16 * pixels * 16;

    for (size_t i = 0; used && i < pixels; i++)
        memset(block + 16 * i + used, 0, (16 - used) * sizeof(float));
}

enum fsh_kernel_status fsh_conv_blocked(const struct fsh_conv *op,
                                        enum fsh_isa isa)
{
    size_t h = fsh_conv_out(op->in_h, op->kernel_h, op->stride, op->pad);
    size_t width = fsh_conv_out(op->in_w, op->kernel_w, op->stride, op->pad);
    size_t blocks = fsh_chunks(op->in_channels) * (op->in_h + 2 * op->pad) *
                    (op->in_w + 2 * op->pad);
    struct workspace w;
    struct product p = {
        .ops = tile_ops(isa),
        .rows = h * width,
        .columns = op->out_channels,
        .chunks = fsh_conv_k(op) / 16,
        .finish = &op->finish,
        .out = op->out,
        .row_step = 16,
        .group_step = h * width * 16,
    };
    unsigned modes;

    if (!acquire(&w, blocks, &p))
        return FSH_KERNEL_NO_MEMORY;
    modes = fsh_isa_begin();
    locate(op, h, width, p.ops, &w);
    p.careful = pack_both(&w, p.ops, op, pack_image, &op->kernels,
                          op->out_channels, fsh_conv_k(op));
    complete(&p, &w);
    run(&p);
    fsh_isa_end(modes);
    clear_rest(op, p.rows);
    free(w.owned);
    return FSH_KERNEL_OK;
}
#endif
