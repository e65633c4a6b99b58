/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Operands into the layout of tile.h, encoding what is FP32. Between
 * fsh_isa_begin and fsh_isa_end.
 */
#ifndef FSH_KERNEL_PACK_H
#define FSH_KERNEL_PACK_H

#include "compute/kernel/tile.h"

/* Start of an operand; careful: with which scales. */
void fsh_pack_begin(struct fsh_packer *packer, const struct fsh_tile_ops *ops,
                    bool careful);

/* The exponent codes of what has been packed since. */
struct fsh_codes fsh_pack_codes(const struct fsh_packer *packer);

/* rows rows of k values, in any form, as rows of fsh_chunks(k) blocks of A. Writes
 * as many rows as make a multiple of 16. */
void fsh_pack_rows(struct fsh_packer *packer, const struct fsh_operand *operand,
                   size_t rows, size_t k, uint8_t *out);

/* count blocks of adjacent numbers as blocks of A. */
void fsh_pack_blocks(struct fsh_packer *packer, const float *x, size_t count,
                     uint8_t *out);

/* count zero blocks of A. */
void fsh_pack_zeros(const struct fsh_packer *packer, size_t count,
                    uint8_t *out);

/* rows rows of k values (the columns of the product) as panels of B. */
void fsh_pack_panels(struct fsh_packer *packer,
                     const struct fsh_operand *operand, size_t rows, size_t k,
                     uint8_t *out);

/* Bytes of these panels. */
size_t fsh_pack_panels_size(const struct fsh_tile_ops *ops, size_t rows,
                            size_t k);

#endif
