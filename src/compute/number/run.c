/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Packed runs of block floating point; see run.h. The core's format goes by
 * whole blocks through the vector code; others one block at a time with a
 * reader or writer of bits.
 */
#include "compute/number/run.h"

#include <assert.h>
#include <string.h>

#include "compute/number/block.h"
#include "compute/number/blocks16.h"

static size_t block_count(const struct fsh_bfp_format *format, size_t n)
{
    return n / format->block + (n % format->block != 0);
}

static size_t codes_size(const struct fsh_bfp_format *format, size_t n)
{
    return (block_count(format, n) * format->exponent + 7) / 8;
}

size_t fsh_bfp_run_size(const struct fsh_bfp_format *format, size_t n)
{
    /* Blocks are multiples of 8 values, so of whole bytes. */
    return codes_size(format, n) + block_count(format, n) *
                                       (format->block / 8) *
                                       (format->mantissa + 1);
}

/* A stream of bits in bytes, lowest first. */
struct bits {
    uint8_t *out;
    const uint8_t *in;
    uint32_t held; /* bits not yet written, or read and not yet taken */
    unsigned count;
};

static void put(struct bits *b, unsigned width, unsigned value)
{
    b->held |= value << b->count;
    for (b->count += width; b->count >= 8; b->count -= 8) {
        *b->out++ = (uint8_t)b->held;
        b->held >>= 8;
    }
}

static void put_rest(struct bits *b)
{
    if (b->count)
        *b->out++ = (uint8_t)b->held;
}

static unsigned take(struct bits *b, unsigned width)
{
    unsigned value;

    for (; b->count < width; b->count += 8)
        b->held |= (uint32_t)*b->in++ << b->count;
    value = b->held & ((1u << width) - 1);
    b->held >>= width;
    b->count -= width;
    return value;
}

static void encode_core(const float *x, size_t n, uint8_t *codes,
                        uint8_t *values, enum fsh_isa isa)
{
    const struct fsh_bfp_blocks16 *ops = fsh_bfp_blocks16(fsh_isa_choose(isa));
    unsigned modes = fsh_isa_begin();
    float last[16] = {0};

    ops->encode(x, n / 16, codes, values);
    if (n % 16) {
        memcpy(last, x + n / 16 * 16, n % 16 * sizeof(float));
        ops->encode(last, 1, codes + n / 16, values + n / 16 * 16);
    }
    fsh_isa_end(modes);
}

static void decode_core(const uint8_t *codes, const uint8_t *values, size_t n,
                        float *x, enum fsh_isa isa)
{
    const struct fsh_bfp_blocks16 *ops = fsh_bfp_blocks16(fsh_isa_choose(isa));
    unsigned modes = fsh_isa_begin();
    float last[16];

    ops->decode(codes, values, n / 16, x);
    if (n % 16) {
        ops->decode(codes + n / 16, values + n / 16 * 16, 1, last);
        memcpy(x + n / 16 * 16, last, n % 16 * sizeof(float));
    }
    fsh_isa_end(modes);
}

void fsh_bfp_run_encode(const struct fsh_bfp_format *format, const float *x,
                        size_t n, uint8_t *packed, enum fsh_isa isa)
{
    struct bits codes = {.out = packed};
    struct bits values = {.out = packed + codes_size(format, n)};

    assert(fsh_bfp_check(format) == FSH_BFP_OK);
    if (fsh_bfp_is_core(format)) {
        encode_core(x, n, codes.out, values.out, isa);
        return;
    }
    for (size_t done = 0; done < n; done += format->block) {
        float block[FSH_BFP_MAX_BLOCK] = {0};
        uint16_t wide[FSH_BFP_MAX_BLOCK];
        size_t count = n - done < format->block ? n - done : format->block;

        memcpy(block, x + done, count * sizeof(float));
        put(&codes, format->exponent,
            fsh_bfp_encode_block(format, block, wide));
        for (unsigned i = 0; i < format->block; i++)
            put(&values, format->mantissa + 1, wide[i]);
    }
    put_rest(&codes);
}

void fsh_bfp_run_decode(const struct fsh_bfp_format *format,
                        const uint8_t *packed, size_t n, float *x,
                        enum fsh_isa isa)
{
    struct bits codes = {.in = packed};
    struct bits values = {.in = packed + codes_size(format, n)};
    unsigned code = 0;

    assert(fsh_bfp_check(format) == FSH_BFP_OK);
    if (fsh_bfp_is_core(format)) {
        decode_core(codes.in, values.in, n, x, isa);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        if (i % format->block == 0)
            code = take(&codes, format->exponent);
        x[i] = fsh_bfp_decode_value(
            format, code, (uint16_t)take(&values, format->mantissa + 1));
    }
}
