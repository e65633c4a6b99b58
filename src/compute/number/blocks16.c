/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Many 16/8/7 blocks in plain C, and the choice of the table; see blocks16.h.
 */
#include "compute/number/blocks16.h"

#include "compute/number/block.h"

static const struct fsh_bfp_format core = {16, 8, 7};

void fsh_bfp_blocks16_encode(const float *x, size_t blocks, uint8_t *codes,
                             uint8_t *values)
{
    for (size_t n = 0; n < blocks; n++) {
        uint16_t wide[16];

        codes[n] = (uint8_t)fsh_bfp_encode_block(&core, x + 16 * n, wide);
        for (unsigned i = 0; i < 16; i++)
            values[16 * n + i] = (uint8_t)wide[i];
    }
}

void fsh_bfp_blocks16_encode_columns(const float *x, size_t ld, uint8_t *codes,
                                     uint8_t *values)
{
    for (unsigned j = 0; j < 16; j++) {
        float column[16];
        uint8_t bytes[16];

        for (unsigned k = 0; k < 16; k++)
            column[k] = x[k * ld + j];
        fsh_bfp_blocks16_encode(column, 1, &codes[j], bytes);
        for (unsigned k = 0; k < 16; k++)
            values[k / 4 * 64 + j * 4 + k % 4] = bytes[k];
    }
}

void fsh_bfp_blocks16_decode(const uint8_t *codes, const uint8_t *values,
                             size_t blocks, float *x)
{
    for (size_t i = 0; i < 16 * blocks; i++)
        x[i] = fsh_bfp_decode_value(&core, codes[i / 16], values[i]);
}

static const struct fsh_bfp_blocks16 portable = {
    fsh_bfp_blocks16_encode,
    fsh_bfp_blocks16_encode_columns,
    fsh_bfp_blocks16_decode,
};

const struct fsh_bfp_blocks16 *fsh_bfp_blocks16(enum fsh_isa isa)
{
#ifdef __x86_64__
    if (isa == FSH_ISA_AVX2)
        return &fsh_bfp_blocks16_avx2;
    if (isa == FSH_ISA_AVX512)
        return &fsh_bfp_blocks16_avx512;
#endif
    (void)isa;
    return &portable;
}
