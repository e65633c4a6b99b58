/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The golden model of the compute core: operands encoded first, then one output
 * after the other, one chunk after the other; see kernels.h. Every bit of the
 * vector code and of the RTL is compared with this.
 */
#include <stdlib.h>

#include "compute/number/block.h"
#include "compute/number/blocks16.h"
#include "compute/number/fp.h"
#include "compute/number/operand.h"
#include "compute/kernel/internal.h"

void fsh_finish_one(const struct fsh_finish *finish, float acc, size_t column,
                    float *out)
{
    float r = acc;

    if (finish->accumulate)
        r = fsh_fp_add(*out, r);
    if (finish->bias)
        r = fsh_fp_add(r, finish->bias[column]);
    if (finish->relu)
        r = fsh_fp_relu(r);
    *out = r;
}

/* An encoded operand: the caller's, or a copy that must be freed. */
struct encoded {
    const uint8_t *data;
    uint8_t *owned;
    size_t k;
};

static bool encode(const struct fsh_operand *operand, size_t rows, size_t k,
                   struct encoded *result)
{
    result->k = k;
    result->owned = NULL;
    result->data = operand->data;
    if (operand->form == FSH_OPERAND_BFP)
        return true;
    result->owned = malloc(fsh_bfp_operand_size(rows, k));
    if (!result->owned)
        return false;
    fsh_bfp_operand_encode(operand->data, operand->ld,
                           operand->form == FSH_OPERAND_COLUMNS, rows, k,
                           result->owned, FSH_ISA_PORTABLE);
    result->data = result->owned;
    return true;
}

/* One block: its code, and where its 16 values are. */
struct block {
    unsigned code;
    const uint8_t *values;
};

static struct block block_of(const struct encoded *e, size_t row, size_t chunk)
{
    const uint8_t *unit = e->data + fsh_bfp_operand_unit(e->k, row, chunk);
    size_t n = fsh_bfp_operand_block(row, chunk);
    struct block block = {unit[n], unit + FSH_BFP_UNIT_CODES + 16 * n};

    return block;
}

static float add_dot(float acc, struct block x, struct block w)
{
    return fsh_fp_add(acc, fsh_bfp_dot16(x.code, x.values, w.code, w.values));
}

enum fsh_kernel_status fsh_matmul_reference(const struct fsh_matmul *op)
{
    struct encoded a, b = {0};

    if (!encode(&op->a, op->m, op->k, &a) ||
        !encode(&op->b, op->n, op->k, &b)) {
        free(a.owned);
        return FSH_KERNEL_NO_MEMORY;
    }
    for (size_t m = 0; m < op->m; m++)
        for (size_t n = 0; n < op->n; n++) {
            float acc = 0;

            for (size_t chunk = 0; chunk < fsh_chunks(op->k); chunk++)
                acc = add_dot(acc, block_of(&a, m, chunk),
                              block_of(&b, n, chunk));
            fsh_finish_one(&op->finish, acc, n, &op->c[m * op->ldc + n]);
        }
    free(a.owned);
    free(b.owned);
    return FSH_KERNEL_OK;
}

/* The encoded image: blocks in the order of the numbers. */
struct image {
    const struct fsh_conv *op;
    uint8_t *codes, *values;
};

/* The block of channels cb at a place that may lie outside. */
static struct block pixel(const struct image *image, size_t cb, size_t y,
                          size_t x)
{
    static const uint8_t zeros[16];
    const struct fsh_conv *op = image->op;
    struct block block = {0, zeros};

    if (y >= op->pad && y - op->pad < op->in_h && x >= op->pad &&
        x - op->pad < op->in_w) {
        size_t n = (cb * op->in_h + y - op->pad) * op->in_w + x - op->pad;

        block.code = image->codes[n];
        block.values = image->values + 16 * n;
    }
    return block;
}

/* Output channel o at (y, x): all taps, in order. */
static float convolve(const struct image *image, const struct encoded *kernels,
                      size_t o, size_t y, size_t x)
{
    const struct fsh_conv *op = image->op;
    size_t chunk = 0;
    float acc = 0;

    for (size_t cb = 0; cb < fsh_chunks(op->in_channels); cb++)
        for (size_t r = 0; r < op->kernel_h; r++)
            for (size_t s = 0; s < op->kernel_w; s++)
                acc = add_dot(
                    acc,
                    pixel(image, cb, y * op->stride + r, x * op->stride + s),
                    block_of(kernels, o, chunk++));
    return acc;
}

static void conv_all(const struct image *image, const struct encoded *kernels)
{
    const struct fsh_conv *op = image->op;
    size_t h = fsh_conv_out(op->in_h, op->kernel_h, op->stride, op->pad);
    size_t w = fsh_conv_out(op->in_w, op->kernel_w, op->stride, op->pad);

    for (size_t o = 0; o < fsh_chunks(op->out_channels) * 16; o++)
        for (size_t y = 0; y < h; y++)
            for (size_t x = 0; x < w; x++) {
                size_t at = ((o / 16 * h + y) * w + x) * 16 + o % 16;

                if (o >= op->out_channels)
                    op->out[at] = 0;
                else
                    fsh_finish_one(&op->finish,
                                   convolve(image, kernels, o, y, x), o,
                                   &op->out[at]);
            }
}

enum fsh_kernel_status fsh_conv_reference(const struct fsh_conv *op)
{
    size_t blocks = fsh_chunks(op->in_channels) * op->in_h * op->in_w;
    struct image image = {op, malloc(blocks), malloc(16 * blocks)};
    struct encoded kernels = {0};
    enum fsh_kernel_status status = FSH_KERNEL_NO_MEMORY;

    if (image.codes && image.values &&
        encode(&op->kernels, op->out_channels, fsh_conv_k(op), &kernels)) {
        fsh_bfp_blocks16_encode(op->in, blocks, image.codes, image.values);
        conv_all(&image, &kernels);
        status = FSH_KERNEL_OK;
    }
    free(kernels.owned);
    free(image.codes);
    free(image.values);
    return status;
}
