/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Convolutions of ragged shapes: strides, padding on any side and of any sign,
 * parts of images, rows and planes with gaps, images so wide that the library
 * splits them. Bit-identical to the model on an explicitly padded image,
 * and within the bound of FP64; nothing else is written.
 */
#include "cores.h"

enum { SEGMENT = 8 << 20, ROUNDS = 30 };

struct problem {
    fshmem_conv_t c;
    uint64_t blocks, out_blocks, k; /* k: values of a dot product */
    uint64_t in_row, in_plane, out_row, out_plane; /* pixels */
    uint64_t in_bytes, out_bytes;
    uint64_t padded_h, padded_w;
    float *padded, *out; /* by hand */
};

static void sizes(struct problem *p)
{
    fshmem_conv_t *c = &p->c;

    p->blocks = (c->in_channels + 15) / 16;
    p->out_blocks = (c->out_channels + 15) / 16;
    p->k = p->blocks * c->kernel_height * c->kernel_width * 16;
    p->in_row = c->in_row ? c->in_row : c->in_width;
    p->in_plane = c->in_plane ? c->in_plane : c->in_height * p->in_row;
    p->out_row = c->out_row ? c->out_row : c->out_width;
    p->out_plane = c->out_plane ? c->out_plane : c->out_height * p->out_row;
    p->in_bytes = p->blocks * p->in_plane * 64;
    p->out_bytes = p->out_blocks * p->out_plane * 64;
    p->padded_h = (c->out_height - 1) * c->stride + c->kernel_height;
    p->padded_w = (c->out_width - 1) * c->stride + c->kernel_width;
}

/* Pixel (y, x) of a channel block of the input, or NULL outside. */
static const float *pixel(const struct problem *p, uint64_t block, int64_t y,
                          int64_t x)
{
    const fshmem_conv_t *c = &p->c;

    if (y < 0 || x < 0 || y >= (int64_t)c->in_height ||
        x >= (int64_t)c->in_width) {
        return NULL;
    }
    return cores_at(c->input) +
           (block * p->in_plane + (uint64_t)y * p->in_row + (uint64_t)x) * 16;
}

static void pad(struct problem *p)
{
    p->padded =
        (float *)cores_alloc(p->blocks * p->padded_h * p->padded_w * 64);
    for (uint64_t b = 0; b < p->blocks; b++) {
        for (uint64_t y = 0; y < p->padded_h; y++) {
            for (uint64_t x = 0; x < p->padded_w; x++) {
                const float *from = pixel(p, b, (int64_t)y - p->c.pad_top,
                                          (int64_t)x - p->c.pad_left);
                float *to =
                    p->padded + ((b * p->padded_h + y) * p->padded_w + x) * 16;

                if (from != NULL) {
                    memcpy(to, from, 64);
                }
            }
        }
    }
}

/* Numbers; channels past the last one are zero. */
static void fill(const struct problem *p, struct conf_rng *rng)
{
    const fshmem_conv_t *c = &p->c;
    uint64_t taps = (uint64_t)c->kernel_height * c->kernel_width;

    cores_fill(cores_at(c->input), 1, p->in_bytes / 4, 0, rng);
    cores_fill(cores_at(c->kernels), c->out_channels, p->k, p->k, rng);
    cores_fill(cores_at(c->output), 1, p->out_bytes / 4, 0, rng);
    cores_fill(cores_at(c->bias), 1, c->out_channels, 0, rng);
    for (uint64_t i = 0; i < p->in_bytes / 4; i++) {
        if (i / 16 / p->in_plane * 16 + i % 16 >= c->in_channels) {
            cores_at(c->input)[i] = 0;
        }
    }
    for (uint64_t i = 0; i < c->out_channels * p->k; i++) {
        if (i % p->k / 16 / taps * 16 + i % 16 >= c->in_channels) {
            cores_at(c->kernels)[i] = 0;
        }
    }
}

static float *output(const struct problem *p, float *base, uint64_t block,
                     uint64_t y)
{
    return base + (block * p->out_plane + y * p->out_row) * 16;
}

/* The model's output, in the layout of the segment: what is between rows is as
 * it is there. */
static float *expect(struct problem *p)
{
    const fshmem_conv_t *c = &p->c;
    float *all = (float *)cores_alloc(p->out_bytes);
    uint64_t row = c->out_width * 64;
    struct fsh_conv op = {
        .in_channels = p->blocks * 16,
        .in_h = p->padded_h,
        .in_w = p->padded_w,
        .out_channels = c->out_channels,
        .kernel_h = c->kernel_height,
        .kernel_w = c->kernel_width,
        .stride = c->stride,
        .in = p->padded,
        .kernels = {FSH_OPERAND_ROWS, cores_at(c->kernels), p->k},
        .finish = {.accumulate = (c->flags & FSHMEM_ACCUMULATE) != 0,
                   .bias = c->flags & FSHMEM_BIAS ? cores_at(c->bias) : NULL,
                   .relu = (c->flags & FSHMEM_RELU) != 0},
    };

    p->out = (float *)cores_alloc(p->out_blocks * c->out_height * row);
    op.out = p->out;
    memcpy(all, cores_at(c->output), p->out_bytes);
    for (uint64_t i = 0; i < p->out_blocks * c->out_height; i++) {
        memcpy(p->out + i * row / 4,
               output(p, all, i / c->out_height, i % c->out_height), row);
    }
    CHECK_EQ(fsh_conv(&op, FSH_ISA_PORTABLE), FSH_KERNEL_OK);
    for (uint64_t i = 0; i < p->out_blocks * c->out_height; i++) {
        memcpy(output(p, all, i / c->out_height, i % c->out_height),
               p->out + i * row / 4, row);
    }
    return all;
}

/* One value in FP64. */
static double exact(const struct problem *p, uint64_t o, uint64_t y, uint64_t x)
{
    const fshmem_conv_t *c = &p->c;
    const float *w = cores_at(c->kernels) + o * p->k;
    double sum = 0;

    for (uint64_t b = 0; b < p->blocks; b++) {
        for (uint64_t r = 0; r < c->kernel_height; r++) {
            for (uint64_t s = 0; s < c->kernel_width; s++, w += 16) {
                const float *in =
                    pixel(p, b, (int64_t)(y * c->stride + r) - c->pad_top,
                          (int64_t)(x * c->stride + s) - c->pad_left);

                for (unsigned i = 0; in != NULL && i < 16; i++) {
                    sum += (double)in[i] * (double)w[i];
                }
            }
        }
    }
    return sum;
}

static void check_fp64(const struct problem *p, struct conf_rng *rng)
{
    for (unsigned i = 0; i < 200; i++) {
        uint64_t o = conf_below(rng, p->c.out_channels);
        uint64_t y = conf_below(rng, p->c.out_height);
        uint64_t x = conf_below(rng, p->c.out_width);
        double got =
            output(p, cores_at(p->c.output), o / 16, y)[x * 16 + o % 16];

        CHECK(fabs(got - exact(p, o, y, x)) <= cores_bound(p->k), "%g, want %g",
              got, exact(p, o, y, x));
    }
}

static void round_of(fshmem_conv_t conv, struct conf_rng *rng)
{
    struct problem p = {.c = conv};
    fshmem_command_t command;

    cores_reset();
    sizes(&p);
    p.c.input = cores_take(p.in_bytes);
    p.c.kernels = cores_take(p.c.out_channels * p.k * 4);
    p.c.output = cores_take(p.out_bytes);
    p.c.bias = cores_take(p.c.out_channels * 4);
    fill(&p, rng);
    pad(&p);
    float *want = expect(&p);

    /* As 0 stands for what follows from the padding, if it does. */
    fshmem_conv_t c = p.c;
    if (2 * c.pad_top + (int64_t)c.in_height == (int64_t)p.padded_h &&
        2 * c.pad_left + (int64_t)c.in_width == (int64_t)p.padded_w) {
        c.out_height = c.out_width = 0;
    }
    FINE(fshmem_command_conv(&c, &command));
    cores_run(&command);
    CHECK_BITS(cores_at(p.c.output), p.out_bytes / 4, want, p.out_bytes / 4, 1,
               p.out_bytes / 4);
    if (p.c.flags == 0) {
        check_fp64(&p, rng);
    }
    free(want);
    free(p.padded);
    free(p.out);
}

/* An image padded alike on all sides. */
static fshmem_conv_t whole(struct conf_rng *rng)
{
    fshmem_conv_t c = {
        .in_channels = 1 + (uint32_t)conf_below(rng, 40),
        .out_channels = 1 + (uint32_t)conf_below(rng, 70),
        .kernel_height = 1 + (uint32_t)conf_below(rng, 5),
        .kernel_width = 1 + (uint32_t)conf_below(rng, 5),
        .stride = 1 + (uint32_t)conf_below(rng, 3),
        .flags = (uint32_t)conf_below(rng, 8),
    };

    c.pad_top = (int32_t)conf_below(rng, c.kernel_height);
    c.pad_left = (int32_t)conf_below(rng, c.kernel_width);
    c.out_height = 1 + (uint32_t)conf_below(rng, 7);
    c.out_width = 1 + (uint32_t)conf_below(rng, 20);
    c.in_height = (c.out_height - 1) * c.stride + c.kernel_height;
    c.in_width = (c.out_width - 1) * c.stride + c.kernel_width;
    /* The padding, unless nothing would be left. */
    if (c.in_height > 2 * (uint32_t)c.pad_top) {
        c.in_height -= 2 * (uint32_t)c.pad_top;
    }
    if (c.in_width > 2 * (uint32_t)c.pad_left) {
        c.in_width -= 2 * (uint32_t)c.pad_left;
    }
    return c;
}

/* Any part of it, with gaps. */
static fshmem_conv_t part(struct conf_rng *rng)
{
    fshmem_conv_t c = whole(rng);

    c.pad_top -= (int32_t)conf_below(rng, c.in_height + 2);
    c.pad_left -= (int32_t)conf_below(rng, c.in_width + 2);
    c.in_row = c.in_width + conf_below(rng, 3);
    c.in_plane = c.in_height * c.in_row + conf_below(rng, 9);
    c.out_row = c.out_width + conf_below(rng, 3);
    c.out_plane = c.out_height * c.out_row + conf_below(rng, 9);
    return c;
}

static fshmem_conv_t wide(uint32_t width, uint32_t stride, uint32_t kernel)
{
    fshmem_conv_t c = {.in_channels = 20,
                       .in_height = kernel + stride,
                       .in_width = width,
                       .out_channels = 18,
                       .kernel_height = kernel,
                       .kernel_width = kernel,
                       .stride = stride,
                       .pad_top = 1,
                       .pad_left = 1,
                       .flags = FSHMEM_RELU};

    c.out_height = (c.in_height + 2 - kernel) / stride + 1;
    c.out_width = (c.in_width + 2 - kernel) / stride + 1;
    return c;
}

int main(int argc, char **argv)
{
    cores_start("conv", &argc, &argv, SEGMENT);
    struct conf_rng rng = conf_rng(conf.me);

    round_of(wide(1500, 1, 3), &rng);
    round_of(wide(901, 2, 5), &rng);
    for (int i = conf_iters(ROUNDS, 2); i > 0; i--) {
        round_of(whole(&rng), &rng);
        round_of(part(&rng), &rng);
    }
    conf_pass();
}
