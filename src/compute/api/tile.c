/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The shape of tiles. A tile is what the array accumulates at a time: at most
 * 128 groups of 8 rows (pixels) x 16 columns (channels). While one is computed
 * the next one's operands are loaded, 256 bytes a cycle, which is what the
 * choices below balance. Pure.
 */
#include "compute/api/plan.h"

#define GEMM_X 16u /* groups of rows: 128 rows x 128 columns */
#define GEMM_W 8u
#define MAX_W 8u         /* groups of channels of a convolution's tile */
#define LOOP 16u         /* cycles until an accumulator may be added to again */
#define LINES_A_CYCLE 4u /* that can be loaded */

static uint32_t smaller(uint64_t a, uint32_t b)
{
    return a < b ? (uint32_t)a : b;
}

static uint32_t to_multiple(uint32_t n, uint32_t of)
{
    return (n + of - 1) / of * of;
}

struct fsh_tile_choice fsh_tile_gemm(uint64_t m, uint64_t n,
                                     struct fsh_tile_choice of)
{
    struct fsh_tile_choice tile = {
        smaller(fsh_div_up(m, 8), GEMM_X),
        smaller(fsh_div_up(n, FSH_LINE_VALUES), GEMM_W)};

    tile.x = to_multiple(tile.x, of.x);
    tile.w = to_multiple(tile.w, of.w);
    return tile;
}

uint32_t fsh_tile_row_words(const struct fsh_tile_conv *c)
{
    uint64_t columns = (uint64_t)(c->out_w - 1) * c->stride + c->kernel_w;

    return fsh_div_up(fsh_div_up(columns, c->stride), 8);
}

uint32_t fsh_tile_x_words(const struct fsh_tile_conv *c, uint32_t rows)
{
    uint64_t in_rows = (uint64_t)(rows - 1) * c->stride + c->kernel_h;
    uint64_t words = in_rows * c->stride * fsh_tile_row_words(c);

    return words > UINT32_MAX ? UINT32_MAX : (uint32_t)words;
}

static bool fits(const struct fsh_tile_conv *c, struct fsh_tile_choice tile,
                 uint32_t words)
{
    uint64_t area = (uint64_t)tile.x * tile.w * fsh_div_up(c->out_w, 8);

    return tile.x <= UINT8_MAX && area <= FSH_ACCUMULATORS &&
           fsh_tile_x_words(c, tile.x) <= words;
}

/* Cycles an image takes in such tiles, for one channel block: each tile the
 * longer of computing and loading. */
static uint64_t cost(const struct fsh_tile_conv *c, struct fsh_tile_choice tile)
{
    uint64_t taps = (uint64_t)c->kernel_h * c->kernel_w;
    uint64_t area = (uint64_t)tile.x * tile.w * fsh_div_up(c->out_w, 8);
    uint64_t tiles = (uint64_t)fsh_div_up(c->out_h, tile.x) *
                     fsh_div_up(c->channels, tile.w * FSH_LINE_VALUES);
    uint64_t rows = (uint64_t)(tile.x - 1) * c->stride + c->kernel_h;
    uint64_t columns = (uint64_t)(c->out_w - 1) * c->stride + c->kernel_w;
    uint64_t lines = rows * columns + taps * (uint64_t)tile.w * FSH_LINE_VALUES;
    uint64_t compute = (area < LOOP ? LOOP : area) * taps;
    uint64_t load = lines / LINES_A_CYCLE;

    /* The smaller load decides between equals. */
    return tiles * ((compute > load ? compute : load) * 64 + lines / 64);
}

/* The best tile whose input takes at most so many words. */
static bool choose(const struct fsh_tile_conv *c, struct fsh_tile_choice given,
                   uint32_t words, struct fsh_tile_choice *best)
{
    uint32_t most_w = smaller(fsh_div_up(c->channels, FSH_LINE_VALUES), MAX_W);
    uint64_t least = UINT64_MAX;

    for (uint32_t w = 1; w <= most_w || w == given.w; w++) {
        if (given.w != 0)
            w = given.w;
        for (uint32_t x = 1; x <= c->out_h || x == given.x; x++) {
            struct fsh_tile_choice tile = {given.x != 0 ? given.x : x, w};

            if (!fits(c, tile, words))
                break;
            if (cost(c, tile) < least) {
                least = cost(c, tile);
                *best = tile;
            }
            if (given.x != 0)
                break;
        }
        if (given.w != 0)
            break;
    }
    return least != UINT64_MAX;
}

bool fsh_tile_conv(const struct fsh_tile_conv *c, struct fsh_tile_choice *tile)
{
    /* Half of the buffer, so that the next tile can be loaded meanwhile. */
    return choose(c, *tile, FSH_X_WORDS / 2, tile) ||
           choose(c, *tile, FSH_X_WORDS, tile);
}

/* The widest piece that half of the buffer holds, or else all of it; then
 * pieces of equal width, in groups of 8 columns. */
uint32_t fsh_tile_columns(const struct fsh_tile_conv *c)
{
    const struct fsh_tile_choice least = {1, 1};
    struct fsh_tile_conv piece = *c;

    for (uint32_t words = FSH_X_WORDS / 2; words <= FSH_X_WORDS; words *= 2) {
        uint32_t widest = to_multiple(c->out_w, 8);

        if (widest > 8 * FSH_ACCUMULATORS)
            widest = 8 * FSH_ACCUMULATORS;
        for (; widest != 0; widest -= 8) {
            piece.out_w = widest < c->out_w ? widest : c->out_w;
            if (fits(&piece, least, words))
                return to_multiple(
                    fsh_div_up(c->out_w, fsh_div_up(c->out_w, widest)), 8);
        }
    }
    return 0;
}
