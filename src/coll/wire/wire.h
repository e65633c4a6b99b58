/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Packets of collectives with encoded values: FP32 in memory, 16/8/7 blocks
 * (compute/number/block.h) between ranks. A block is 17 bytes, the code of its
 * exponent and one byte for each of 16 values, so any prefix of a packet that ends
 * with a block can be used before the rest arrives, and 60 blocks fill a link packet
 * of 1024 bytes. The last block of a packet is padded with zeros.
 *
 * Decoding and re-encoding gives the same number (also for Inf and NaN), so a rank
 * that forwards a packet, or encodes what it stored of one, sends the same values.
 *
 * Pure functions, any thread; floats may have any alignment.
 */
#ifndef FSH_COLL_WIRE_H
#define FSH_COLL_WIRE_H

#include "coll/fold/fold.h"

/* As FSHMEM_WIRE_* of fshmem_coll.h, unshifted. */
enum fsh_wire {
    FSH_WIRE_FP32, /* as in memory */
    FSH_WIRE_BFP16
};

#define FSH_WIRE_VALUES 16u /* per block */
#define FSH_WIRE_BLOCK 17u  /* bytes per block */

/* Size of a packet of n values. */
static inline size_t fsh_wire_bytes(size_t n)
{
    return (n / FSH_WIRE_VALUES + (n % FSH_WIRE_VALUES != 0)) * FSH_WIRE_BLOCK;
}

/* Encodes n floats at x. */
void fsh_wire_encode(unsigned char *packet, const unsigned char *x, size_t n,
                     enum fsh_isa isa);
/* Decodes the n floats of a packet to x. */
void fsh_wire_decode(unsigned char *x, const unsigned char *packet, size_t n,
                     enum fsh_isa isa);
/* packet = encoded (x + decoded packet) of n floats, with `fold` as the sum. kept,
 * which may be NULL or x: the values that its receivers will decode. */
void fsh_wire_fold(unsigned char *packet, unsigned char *kept,
                   const unsigned char *x, size_t n, fsh_fold_fn fold,
                   enum fsh_isa isa);

#endif
