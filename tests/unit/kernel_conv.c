/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Convolutions: random shapes, strides, borders and channels, with all instruction
 * sets of this processor, bit for bit against loops over the model in the documented
 * order, and against FP64.
 */
#include "compute/number/operand.h"
#include "check.h"
#include "compute/kernel/kernels.h"
#include "number_model.h"

enum { ROUNDS = 150 };

static const struct fsh_bfp_format core = {16, 8, 7};

struct problem {
    struct fsh_conv op;
    size_t cb, ob, h, w, taps; /* blocks of channels; output; r * s */
    float *in, *kernels, *before, *bias;
    uint8_t *coded;
};

static float *numbers(size_t count, enum model_kind kind)
{
    float *x = malloc(count * sizeof(float));

    CHECK(x, "no memory");
    for (size_t i = 0; i < count; i++)
        x[i] = model_number(kind);
    return x;
}

/* Zeros in the channels past the last, as the contract asks. */
static void pad_channels(float *in, size_t blocks, size_t count, size_t used)
{
    for (size_t i = 0; used % 16 && i < count; i++)
        for (size_t c = used % 16; c < 16; c++)
            in[((blocks - 1) * count + i) * 16 + c] = 0;
}

static void random_shape(struct fsh_conv *op)
{
    op->in_channels = 1 + model_below(40);
    op->out_channels = 1 + model_below(40);
    op->in_h = 1 + model_below(9);
    op->in_w = 1 + model_below(9);
    op->stride = 1 + model_below(3);
    op->pad = model_below(3);
    op->kernel_h = 1 + model_below((uint32_t)(op->in_h + 2 * op->pad));
    op->kernel_w = 1 + model_below((uint32_t)(op->in_w + 2 * op->pad));
}

static struct problem make(enum model_kind kind)
{
    struct problem p = {0};
    unsigned how = model_below(8);
    size_t k;

    random_shape(&p.op);
    p.cb = (p.op.in_channels + 15) / 16;
    p.ob = (p.op.out_channels + 15) / 16;
    p.taps = p.op.kernel_h * p.op.kernel_w;
    p.h = (p.op.in_h + 2 * p.op.pad - p.op.kernel_h) / p.op.stride + 1;
    p.w = (p.op.in_w + 2 * p.op.pad - p.op.kernel_w) / p.op.stride + 1;
    k = p.cb * p.taps * 16;
    p.in = numbers(p.cb * p.op.in_h * p.op.in_w * 16, kind);
    pad_channels(p.in, p.cb, p.op.in_h * p.op.in_w, p.op.in_channels);
    p.kernels = numbers(p.op.out_channels * k, kind);
    p.before = numbers(p.ob * p.h * p.w * 16, MODEL_SPECIAL);
    p.bias = numbers(p.op.out_channels, MODEL_PLAIN);
    p.coded = malloc(fsh_bfp_operand_size(p.op.out_channels, k));
    CHECK(p.coded, "no memory");
    fsh_bfp_operand_encode(p.kernels, k, false, p.op.out_channels, k, p.coded,
                           FSH_ISA_PORTABLE);
    p.op.in = p.in;
    p.op.kernels = model_below(2)
                       ? (struct fsh_operand){FSH_OPERAND_BFP, p.coded, 0}
                       : (struct fsh_operand){FSH_OPERAND_ROWS, p.kernels, k};
    p.op.finish =
        (struct fsh_finish){how & 1, how & 2 ? p.bias : NULL, how & 4};
    return p;
}

static void drop(struct problem *p)
{
    free(p->in);
    free(p->kernels);
    free(p->before);
    free(p->bias);
    free(p->coded);
}

/* Offset of the input's block under a tap, or -1 outside the image. */
static long input_at(const struct problem *p, size_t cb, size_t y, size_t x)
{
    long row = (long)y - (long)p->op.pad, column = (long)x - (long)p->op.pad;

    if (row < 0 || column < 0 || row >= (long)p->op.in_h ||
        column >= (long)p->op.in_w)
        return -1;
    return (((long)cb * (long)p->op.in_h + row) * (long)p->op.in_w + column) *
           16;
}

/* Calls back for each tap of an output, in the contract's order. */
static float expected(const struct problem *p, size_t o, size_t y, size_t x,
                      double *exact)
{
    const float *kernel = p->kernels + o * p->cb * p->taps * 16;
    float acc = 0;

    *exact = 0;
    for (size_t t = 0; t < p->cb * p->taps; t++, kernel += 16) {
        size_t r = t % p->taps / p->op.kernel_w, s = t % p->op.kernel_w;
        long at = input_at(p, t / p->taps, y * p->op.stride + r,
                           x * p->op.stride + s);
        static const float zeros[16];
        const float *in = at < 0 ? zeros : p->in + at;
        struct model_block a, b;

        model_encode(&core, in, &a);
        model_encode(&core, kernel, &b);
        acc = model_add(acc, model_dot(&a, &b));
        for (unsigned i = 0; i < 16; i++)
            *exact += (double)in[i] * (double)kernel[i];
    }
    return acc;
}

static float finished(const struct problem *p, size_t o, float acc,
                      float before)
{
    const struct fsh_finish *f = &p->op.finish;
    float r = acc;

    if (f->accumulate)
        r = model_add(before, r);
    if (f->bias)
        r = model_add(r, f->bias[o]);
    return f->relu ? model_relu(r) : r;
}

/* What out must hold. Of plain numbers the sums must be near FP64's, too: a
 * product of two numbers below 1 loses at most 2 * 2^-7. */
static float *all_expected(const struct problem *p, bool plain)
{
    float *want = numbers(p->ob * p->h * p->w * 16, MODEL_PLAIN);
    double limit = (double)(p->cb * p->taps * 16) * 0x1.1p-6, exact;

    for (size_t o = 0; o < p->ob * 16; o++)
        for (size_t y = 0; y < p->h; y++)
            for (size_t x = 0; x < p->w; x++) {
                size_t at = ((o / 16 * p->h + y) * p->w + x) * 16 + o % 16;
                float acc;

                want[at] = 0;
                if (o >= p->op.out_channels)
                    continue;
                acc = expected(p, o, y, x, &exact);
                CHECK(!plain || fabs(acc - exact) <= limit);
                want[at] = finished(p, o, acc, p->before[at]);
            }
    return want;
}

static void check_isa(const struct problem *p, const float *want,
                      enum fsh_isa isa)
{
    size_t count = p->ob * p->h * p->w * 16;
    struct fsh_conv op = p->op;

    op.out = malloc(count * sizeof(float));
    CHECK(op.out, "no memory");
    memcpy(op.out, p->before, count * sizeof(float));
    CHECK(fsh_conv(&op, isa) == FSH_KERNEL_OK);
    for (size_t i = 0; i < count; i++)
        CHECK(model_bits(op.out[i]) == model_bits(want[i]),
              "%s, output %zu: %a, not %a", fsh_isa_name(isa), i,
              (double)op.out[i], (double)want[i]);
    free(op.out);
}

static void check_random(void)
{
    for (unsigned n = 0; n < ROUNDS; n++) {
        enum model_kind kind = n % MODEL_KINDS;
        struct problem p = make(kind);
        float *want = all_expected(&p, kind == MODEL_PLAIN);

        for (enum fsh_isa isa = FSH_ISA_PORTABLE; isa <= FSH_ISA_AVX512; isa++)
            if (fsh_isa_available(isa))
                check_isa(&p, want, isa);
        free(want);
        drop(&p);
    }
}

/* One pixel, a kernel of 3 x 3 with an Inf in its corner: a tap outside the
 * image is a zero block, and zero times Inf is NaN. */
static void check_border(enum fsh_isa isa)
{
    float in[16] = {1}, kernel[9 * 16] = {0}, out[16] = {0};
    struct fsh_conv op = {
        .in_channels = 1,
        .in_h = 1,
        .in_w = 1,
        .out_channels = 1,
        .kernel_h = 3,
        .kernel_w = 3,
        .stride = 1,
        .pad = 1,
        .in = in,
        .kernels = {FSH_OPERAND_ROWS, kernel, 9 * 16},
        .out = out,
    };

    kernel[4 * 16] = 2;
    CHECK(fsh_conv(&op, isa) == FSH_KERNEL_OK && out[0] == 2);
    kernel[0] = INFINITY;
    CHECK(fsh_conv(&op, isa) == FSH_KERNEL_OK && isnan(out[0]));
    CHECK(model_bits(out[1]) == 0);
    op.kernel_h = 4;
    CHECK(fsh_conv(&op, isa) == FSH_KERNEL_BAD_SHAPE);
    op.kernel_h = 3;
    op.kernels.ld = 9 * 16 - 1;
    CHECK(fsh_conv(&op, isa) == FSH_KERNEL_BAD_OPERAND);
    op.kernels.ld = 9 * 16;
    op.stride = 0;
    CHECK(fsh_conv(&op, isa) == FSH_KERNEL_BAD_SHAPE);
}

int main(int argc, char **argv)
{
    model_seed(argc, argv);
    CHECK(fsh_conv_out(224, 7, 2, 3) == 112);
    CHECK(fsh_conv_out(5, 3, 2, 0) == 2);
    CHECK(fsh_conv_out(2, 3, 1, 0) == 0);
    for (enum fsh_isa isa = FSH_ISA_PORTABLE; isa <= FSH_ISA_AVX512; isa++)
        if (fsh_isa_available(isa))
            check_border(isa);
    check_random();
    puts("PASS");
    return 0;
}
