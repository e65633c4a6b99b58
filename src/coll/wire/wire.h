/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Packets of collectives whose values are encoded: FP32 in memory, blocks of 16/8/7
 * (compute/number/block.h) between ranks. A block is 17 bytes, its exponent's code and a
 * byte for each of 16 values, so that any part of a packet that ends with a block can be
 * used before the rest is there, and 60 blocks fill a link's packet of 1024 bytes. The
 * last block of a packet is padded with zeros.
 *
 * What is decoded and encoded again is the same number (also Inf and NaN), so that
 * whoever forwards a packet, or encodes what it kept of one, sends the same values.
 *
 * Pure functions, any thread; floats at any alignment.
 */
#ifndef FSH_COLL_WIRE_H
#define FSH_COLL_WIRE_H

#include "coll/fold/fold.h"

/* As FSHMEM_WIRE_ of fshmem_coll.h, without their shift. */
enum fsh_wire {
    FSH_WIRE_FP32, /* as in memory */
    FSH_WIRE_BFP16
};

#define FSH_WIRE_VALUES 16u /* of a block */
#define FSH_WIRE_BLOCK 17u  /* its bytes */

/* Bytes of a packet of n values. */
static inline size_t fsh_wire_bytes(size_t n)
{
    return (n / FSH_WIRE_VALUES + (n % FSH_WIRE_VALUES != 0)) * FSH_WIRE_BLOCK;
}

/* Encode n floats at x. */
void fsh_wire_encode(unsigned char *packet, const unsigned char *x, size_t n,
                     enum fsh_isa isa);
/* The n floats of a packet, to x. */
void fsh_wire_decode(unsigned char *x, const unsigned char *packet, size_t n,
                     enum fsh_isa isa);
/* packet = encoded (x + decoded packet) of n floats, `fold` being the sum; kept, which
 * may be NULL or x: what those who decode it get. */
void fsh_wire_fold(unsigned char *packet, unsigned char *kept,
                   const unsigned char *x, size_t n, fsh_fold_fn fold,
                   enum fsh_isa isa);

#endif
