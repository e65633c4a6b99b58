/* SPDX-License-Identifier: BSD-3-Clause */
/* See wire.h. Works on a few blocks at a time, which stay in the L1 cache. */
#include "coll/wire/wire.h"

#include <string.h>

#include "compute/number/blocks16.h"

#define AT_ONCE 32u /* blocks */
#define VALUES (AT_ONCE * FSH_WIRE_VALUES)

/* Unpacked blocks, in the form of the vector code. */
struct blocks {
    float x[VALUES];
    uint8_t codes[AT_ONCE];
    uint8_t values[VALUES];
};

static size_t blocks_of(size_t n)
{
    return (n + FSH_WIRE_VALUES - 1) / FSH_WIRE_VALUES;
}

/* Packs n floats of b->x, padding the last block with zeros. */
static void pack(struct blocks *b, unsigned char *packet, size_t n,
                 const struct fsh_bfp_blocks16 *ops)
{
    size_t blocks = blocks_of(n);

    memset(b->x + n, 0, (blocks * FSH_WIRE_VALUES - n) * sizeof(float));
    ops->encode(b->x, blocks, b->codes, b->values);
    for (size_t i = 0; i < blocks; i++) {
        packet[i * FSH_WIRE_BLOCK] = b->codes[i];
        memcpy(packet + i * FSH_WIRE_BLOCK + 1, b->values + i * FSH_WIRE_VALUES,
               FSH_WIRE_VALUES);
    }
}

static void unpack(struct blocks *b, const unsigned char *packet, size_t n,
                   const struct fsh_bfp_blocks16 *ops)
{
    size_t blocks = blocks_of(n);

    for (size_t i = 0; i < blocks; i++) {
        b->codes[i] = packet[i * FSH_WIRE_BLOCK];
        memcpy(b->values + i * FSH_WIRE_VALUES, packet + i * FSH_WIRE_BLOCK + 1,
               FSH_WIRE_VALUES);
    }
    ops->decode(b->codes, b->values, blocks, b->x);
}

static size_t part(size_t n)
{
    return n < VALUES ? n : VALUES;
}

void fsh_wire_encode(unsigned char *packet, const unsigned char *x, size_t n,
                     enum fsh_isa isa)
{
    const struct fsh_bfp_blocks16 *ops = fsh_bfp_blocks16(fsh_isa_choose(isa));
    unsigned modes = fsh_isa_begin();
    struct blocks b;

    for (size_t now; n != 0; n -= now) {
        now = part(n);
        memcpy(b.x, x, now * sizeof(float));
        pack(&b, packet, now, ops);
        x += now * sizeof(float);
        packet += fsh_wire_bytes(now);
    }
    fsh_isa_end(modes);
}

void fsh_wire_decode(unsigned char *x, const unsigned char *packet, size_t n,
                     enum fsh_isa isa)
{
    const struct fsh_bfp_blocks16 *ops = fsh_bfp_blocks16(fsh_isa_choose(isa));
    unsigned modes = fsh_isa_begin();
    struct blocks b;

    for (size_t now; n != 0; n -= now) {
        now = part(n);
        unpack(&b, packet, now, ops);
        memcpy(x, b.x, now * sizeof(float));
        x += now * sizeof(float);
        packet += fsh_wire_bytes(now);
    }
    fsh_isa_end(modes);
}

void fsh_wire_fold(unsigned char *packet, unsigned char *kept,
                   const unsigned char *x, size_t n, fsh_fold_fn fold,
                   enum fsh_isa isa)
{
    const struct fsh_bfp_blocks16 *ops = fsh_bfp_blocks16(fsh_isa_choose(isa));
    unsigned modes = fsh_isa_begin();
    struct blocks b;

    for (size_t now; n != 0; n -= now) {
        now = part(n);
        unpack(&b, packet, now, ops);
        fold(b.x, x, b.x, now); /* sets its own modes */
        pack(&b, packet, now, ops);
        if (kept != NULL) {
            unpack(&b, packet, now, ops);
            memcpy(kept, b.x, now * sizeof(float));
            kept += now * sizeof(float);
        }
        x += now * sizeof(float);
        packet += fsh_wire_bytes(now);
    }
    fsh_isa_end(modes);
}
