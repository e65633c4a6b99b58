/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * FP32 sums and scaling by the compute core's rules: hand-made cases, random ones
 * against double arithmetic, and the same bits in every rounding mode.
 */
#include <fenv.h>

#include "compute/number/fp.h"
#include "check.h"
#include "number_model.h"

enum { ROUNDS = 2000000 };

#define NAN32 0x7fc00000u
#define INF32 0x7f800000u

static void check_sum(uint32_t a, uint32_t b, uint32_t want)
{
    uint32_t ab = model_bits(fsh_fp_add(model_float(a), model_float(b)));
    uint32_t ba = model_bits(fsh_fp_add(model_float(b), model_float(a)));

    CHECK(ab == want, "%08x + %08x = %08x, not %08x", a, b, ab, want);
    CHECK(ba == want, "%08x + %08x = %08x, not %08x", b, a, ba, want);
}

static void check_sums(void)
{
    static const uint32_t cases[][3] = {
        {0x3f800000, 0x40000000, 0x40400000}, /* 1 + 2 */
        {0x3f800000, 0xbf800000, 0},          /* cancels to +0 */
        {0x80000000, 0x80000000, 0},          /* -0 + -0 = +0 */
        {0x80000001, 0x80000001, 0},          /* denormals are zero */
        {0x007fffff, 0x3f800000, 0x3f800000},
        {0x00800001, 0x80800000, 0},          /* result below 2^-126 */
        {0x80800001, 0x00800000, 0},          /* and never -0 */
        {0x01000000, 0x80800000, 0x00800000}, /* 2^-126 itself stays */
        {0x3f800000, 0x33800000, 0x3f800000}, /* half a bit: to even, down */
        {0x3f800001, 0x33800000, 0x3f800002}, /* and up */
        {0x3f800000, 0x33800001, 0x3f800001}, /* more than half */
        {0x3f800000, 0xb3000000, 0x3f800000}, /* quarter below a power of two */
        {0x3f800000, 0xb3000001, 0x3f7fffff},
        {0x3f800000, 0x00800000, 0x3f800000}, /* far below the last bit */
        {0x3f800000, 0x80800000, 0x3f800000},
        {0x3fffffff, 0x33800000, 0x40000000}, /* rounds up to a power of two */
        {0x7f7fffff, 0x7f7fffff, INF32},
        {0xff7fffff, 0xff7fffff, INF32 | 1u << 31},
        {0x7f7fffff, 0x73000000, INF32}, /* rounds up to 2^128 */
        {0x7f7fffff, 0x72ffffff, 0x7f7fffff},
        {INF32, 0xff7fffff, INF32},
        {INF32, INF32, INF32},
        {INF32, INF32 | 1u << 31, NAN32},
        {0xffc12345, 0x3f800000, NAN32},
        {0x7f800001, INF32, NAN32},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        check_sum(cases[i][0], cases[i][1], cases[i][2]);
}

static void check_product(uint32_t a, uint32_t b, uint32_t want)
{
    uint32_t ab = model_bits(fsh_fp_mul(model_float(a), model_float(b)));
    uint32_t ba = model_bits(fsh_fp_mul(model_float(b), model_float(a)));

    CHECK(ab == want, "%08x * %08x = %08x, not %08x", a, b, ab, want);
    CHECK(ba == want, "%08x * %08x = %08x, not %08x", b, a, ba, want);
}

static void check_products(void)
{
    static const uint32_t cases[][3] = {
        {0x40400000, 0xc0000000, 0xc0c00000}, /* 3 * -2 */
        {0xbf800000, 0, 0},                   /* never -0 */
        {0x80000001, 0x7f000000, 0},          /* denormals are zero */
        {0x3f800001, 0x3f800001, 0x3f800002}, /* 2^-46 more is less than half */
        {0x3f800001, 0x3fc00000, 0x3fc00002}, /* half a bit: to even, up */
        {0x3f800003, 0x3fc00000, 0x3fc00004}, /* and down */
        {0x3f7fffff, 0x00800000, 0},          /* a bit below 2^-126 */
        {0x20000001, 0x1ffffffe, 0x00800000}, /* rounds up to it */
        {0x20000000, 0x1f800000, 0x00000000}, /* 2^-127 */
        {0x20000000, 0x20000000, 0x00800000}, /* 2^-126 itself */
        {0x3fffffff, 0x3fffffff, 0x407ffffe},
        {0x7f7fffff, 0x3f800001, INF32},
        {0x7f000000, 0xc0000000, INF32 | 1u << 31},
        {INF32, 0xbf800000, INF32 | 1u << 31},
        {INF32, 0, NAN32},
        {INF32, 0x00000001, NAN32},
        {0xffc12345, 0x3f800000, NAN32},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        check_product(cases[i][0], cases[i][1], cases[i][2]);
    for (unsigned n = 0; n < ROUNDS; n++) {
        float a = model_number(model_below(MODEL_KINDS));
        float b = model_number(model_below(MODEL_KINDS));

        check_product(model_bits(a), model_bits(b),
                      model_bits(model_mul(a, b)));
    }
}

/* Two numbers of which one in two lies where the other's last bits are. */
static void random_pair(float *a, float *b)
{
    uint32_t u = model_random() ^ model_random() << 8, v = model_random();

    if (v % 2)
        *b = model_float((v & 0x807fffff) |
                         (((u >> 23) + v / 2 % 56 - 28) & 255) << 23);
    else
        *b = model_number(v / 2 % MODEL_KINDS);
    *a = model_float(u);
}

/* In each rounding mode; the model needs the usual one. */
static void check_random_sums(void)
{
    static const int modes[] = {FE_TONEAREST, FE_UPWARD, FE_TOWARDZERO};

    for (unsigned n = 0; n < ROUNDS; n++) {
        float a, b;
        volatile float got;
        uint32_t want;

        random_pair(&a, &b);
        want = model_bits(model_add(a, b));
        fesetround(modes[n % 3]);
        got = fsh_fp_add(a, b);
        fesetround(FE_TONEAREST);
        CHECK(model_bits(got) == want, "%08x + %08x = %08x, not %08x",
              model_bits(a), model_bits(b), model_bits(got), want);
    }
}

static void check_scale(void)
{
    CHECK(model_bits(fsh_fp_scale(-1, 127)) == 0xff000000);
    CHECK(model_bits(fsh_fp_scale(-1, 128)) == (INF32 | 1u << 31));
    CHECK(model_bits(fsh_fp_scale(3, -127)) == 0x00c00000);
    CHECK(model_bits(fsh_fp_scale(-1, -127)) == 0);
    CHECK(model_bits(fsh_fp_scale(0, 200)) == 0);
    CHECK(model_bits(fsh_fp_scale(0x1000001, 0)) == 0x4b800000, "tie, down");
    CHECK(model_bits(fsh_fp_scale(0x1000003, 0)) == 0x4b800002, "tie, up");
    CHECK(model_bits(fsh_fp_scale(INT64_MIN, 0)) == 0xdf000000);
    for (unsigned n = 0; n < ROUNDS; n++) {
        int32_t d = (int32_t)model_below(1 << 25) - (1 << 24);
        int e = (int)model_below(560) - 280;
        uint32_t want = model_bits(model_scale(d, e));
        uint32_t got = model_bits(fsh_fp_scale(d, e));

        CHECK(got == want, "%d * 2^%d = %08x, not %08x", d, e, got, want);
    }
}

static void check_relu(void)
{
    CHECK(model_bits(fsh_fp_relu(-1)) == 0);
    CHECK(model_bits(fsh_fp_relu(model_float(1u << 31))) == 0);
    CHECK(model_bits(fsh_fp_relu(-INFINITY)) == 0);
    CHECK(model_bits(fsh_fp_relu(1.5f)) == 0x3fc00000);
    CHECK(model_bits(fsh_fp_relu(model_float(0x00000001))) == 0);
    CHECK(model_bits(fsh_fp_relu(model_float(0xffc00001))) == NAN32);
}

int main(int argc, char **argv)
{
    model_seed(argc, argv);
    check_sums();
    check_products();
    check_random_sums();
    check_scale();
    check_relu();
    puts("PASS");
    return 0;
}
