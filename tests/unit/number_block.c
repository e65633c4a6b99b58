/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Blocks: one hand-made case for every rule of encoding and decoding; random blocks
 * in all formats against the model, with the error bound; dot products.
 */
#include "compute/number/block.h"
#include "check.h"
#include "number_model.h"

enum { ROUNDS = 300000 };

static const struct fsh_bfp_format core = {16, 8, 7};

/* Encode the two numbers and 14 zeros; the code and the first two values. */
static void check_core(float x, float y, unsigned code, unsigned first,
                       unsigned second)
{
    float in[16] = {x, y};
    uint16_t v[16];
    unsigned got = fsh_bfp_encode_block(&core, in, v);

    CHECK(got == code && v[0] == first && v[1] == second,
          "%a %a: code %u not %u, values %u %u not %u %u", (double)x, (double)y,
          got, code, v[0], v[1], first, second);
    for (unsigned i = 2; i < 16; i++)
        CHECK(v[i] == 0);
}

static void check_rules(void)
{
    check_core(0, 0, 0, 0, 0);
    check_core(-0.0f, 0, 0, 0, 0);              /* no sign */
    check_core(0x1p-127f, -0x1p-149f, 0, 0, 0); /* denormals */
    check_core(1, -1, 127, 64, 64 | 128);
    check_core(0x1p-126f, 0x1p-127f, 1, 64, 0);  /* a denormal beside */
    check_core(1, 0x1.8p-6f, 127, 64, 2);        /* ties: 1.5 up to 2 */
    check_core(1, 0x1.4p-5f, 127, 64, 2);        /* 2.5 down to 2 */
    check_core(1, -0x1.cp-5f, 127, 64, 4 | 128); /* 3.5 up to 4 */
    check_core(1, -0x1p-7f, 127, 64, 0);         /* 0.5 down to 0: no sign */
    check_core(1, 0x1.000002p-7f, 127, 64, 1);   /* just above a tie */
    check_core(1, 0x1.fffffep-8f, 127, 64, 0);   /* just below */
    check_core(1, 0x1p-100f, 127, 64, 0);
    check_core(0x1.fcp0f, 1, 127, 127, 64);     /* the largest magnitude */
    check_core(0x1.fdfffep0f, 1, 127, 127, 64); /* rounds down to it */
    check_core(0x1.fep0f, 1, 128, 64, 32);      /* a tie: exponent up */
    check_core(0x1.fffffep0f, 0x1.4p-5f, 128, 64, 1); /* all anew: 1.25 */
    check_core(1, 0x1.fep-1f, 127, 64, 64); /* no bump below the largest */
    check_core(0x1.fffffep127f, -0x1.fffffep127f, 254, 127, 255); /* stays */
    check_core(0x1.fffffep127f, 0x1p127f, 254, 127, 64);
    check_core(0x1.fcp127f, 0, 254, 127, 0);
    check_core(INFINITY, 1, 255, 64, 0);
    check_core(-INFINITY, -1, 255, 64 | 128, 0);
    check_core(model_float(0xffc12345), -INFINITY, 255, 127, 64 | 128);
}

static void check_decode(unsigned code, unsigned value, uint32_t want)
{
    uint32_t got =
        model_bits(fsh_bfp_decode_value(&core, code, (uint16_t)value));

    CHECK(got == want, "code %u value %u: %08x, not %08x", code, value, got,
          want);
}

static void check_decode_rules(void)
{
    check_decode(127, 64, 0x3f800000);
    check_decode(127, 64 | 128, 0xbf800000);
    check_decode(127, 1, 0x3c800000);
    check_decode(127, 128, 0); /* sign without magnitude */
    check_decode(0, 127, 0);
    check_decode(0, 255, 0);
    check_decode(1, 64, 0x00800000); /* 2^-126 */
    check_decode(1, 63, 0);          /* below */
    check_decode(1, 63 | 128, 0);
    check_decode(254, 127, 0x7f7e0000);
    check_decode(255, 64, 0x7f800000);
    check_decode(255, 64 | 128, 0xff800000);
    check_decode(255, 127, 0x7fc00000);
    check_decode(255, 0, 0x7fc00000); /* finite beside an Inf: lost */
    check_decode(255, 1 | 128, 0x7fc00000);
}

/* Exponents of 4 bits: bias 7, codes 1 to 14 are 2^-6 to 2^7. */
static void check_short_exponents(void)
{
    const struct fsh_bfp_format f = {8, 4, 3};
    float x[8] = {0x1p7f, 0x1p9f, -0x1p20f};
    uint16_t v[8];

    CHECK(fsh_bfp_encode_block(&f, x, v) == 14, "stays at the largest code");
    CHECK(v[0] == 4 && v[1] == 7 && v[2] == (7 | 8), "saturates");
    CHECK(fsh_bfp_decode_value(&f, 14, 7) == 0x1.cp7f);
    x[0] = 0x1p-9f;
    x[1] = -0x1.000002p-9f;
    x[2] = 0x1p-8f;
    CHECK(fsh_bfp_encode_block(&f, x, v) == 1, "stays at the least code");
    CHECK(v[0] == 0 && v[1] == (1 | 8) && v[2] == 1, "in its units, ties even");
    x[1] = x[2] = 0;
    CHECK(fsh_bfp_encode_block(&f, x, v) == 0 && v[0] == 0, "all too small");
    x[3] = -INFINITY;
    CHECK(fsh_bfp_encode_block(&f, x, v) == 15 && v[3] == (4 | 8));
}

static struct fsh_bfp_format random_format(void)
{
    if (model_below(2))
        return core;
    return (struct fsh_bfp_format){8u << model_below(6), 2 + model_below(7),
                                   2 + model_below(14)};
}

/* Past half a unit only what saturated; past a unit only with exponents of
 * less than 8 bits, whose largest number is exceeded. */
static void check_error(const struct fsh_bfp_format *f, float x, float decoded,
                        const struct model_block *b)
{
    long double unit = b->code ? model_unit(f, b->code) : model_unit(f, 1);
    long double error = fabsl((long double)model_flush(x) - decoded);

    if (b->saturated && f->exponent < 8)
        return;
    CHECK(error <= (b->saturated ? unit : unit / 2), "%a became %a", (double)x,
          (double)decoded);
}

static void check_random(void)
{
    float x[FSH_BFP_MAX_BLOCK];
    uint16_t v[FSH_BFP_MAX_BLOCK];

    for (unsigned n = 0; n < ROUNDS; n++) {
        struct fsh_bfp_format f = random_format();
        enum model_kind kind = model_below(MODEL_KINDS);
        struct model_block b;
        unsigned code;

        for (unsigned i = 0; i < f.block; i++)
            x[i] = model_number(model_below(20) ? kind : MODEL_SPECIAL);
        model_encode(&f, x, &b);
        code = fsh_bfp_encode_block(&f, x, v);
        CHECK((int)code == b.code, "code %u, not %d", code, b.code);
        for (unsigned i = 0; i < f.block; i++) {
            float decoded = fsh_bfp_decode_value(&f, code, v[i]);

            CHECK(v[i] == model_field(&f, b.value[i]),
                  "%a in code %u of %u/%u/%u: %u, not %u", (double)x[i], code,
                  f.block, f.exponent, f.mantissa, v[i],
                  model_field(&f, b.value[i]));
            CHECK(model_bits(decoded) == model_bits(model_decode(&f, &b, i)));
            if (b.code != (1 << f.exponent) - 1)
                check_error(&f, x[i], decoded, &b);
        }
    }
}

/* Any codes and bytes, also those that no encoder writes. */
static void random_block(struct model_block *b, uint8_t *bytes)
{
    static const uint8_t codes[] = {0,   1,   2,   5,   10, 70,
                                    127, 200, 253, 254, 255};

    b->code = model_below(4) ? (int)model_below(256)
                             : codes[model_below(sizeof(codes))];
    for (unsigned i = 0; i < 16; i++) {
        bytes[i] = (uint8_t)(model_below(4) ? model_random() : 255);
        b->value[i] = bytes[i] & 128 ? -(bytes[i] & 127) : bytes[i];
    }
}

static void check_dot(void)
{
    uint8_t a[16], b[16];
    struct model_block x, y;

    memset(a, 127, 16);
    CHECK(fsh_bfp_dot16(133, a, 133, a) == 16 * 127 * 127, "largest");
    CHECK(isnan(fsh_bfp_dot16(255, a, 0, a)), "NaN wins over zero");
    CHECK(model_bits(fsh_bfp_dot16(0, a, 254, a)) == 0);
    CHECK(model_bits(fsh_bfp_dot16(254, a, 254, a)) == 0x7f800000);
    memset(b, 255, 16);
    CHECK(model_bits(fsh_bfp_dot16(254, a, 254, b)) == 0xff800000);
    CHECK(model_bits(fsh_bfp_dot16(1, a, 1, b)) == 0, "+0, not -0");
    for (unsigned n = 0; n < ROUNDS; n++) {
        uint32_t got, want;

        random_block(&x, a);
        random_block(&y, b);
        want = model_bits(model_dot(&x, &y));
        got =
            model_bits(fsh_bfp_dot16((unsigned)x.code, a, (unsigned)y.code, b));
        CHECK(got == want, "codes %d %d: %08x, not %08x", x.code, y.code, got,
              want);
    }
}

/* The widest format: a sum of 38 bits, rounded once. */
static void check_wide_dot(void)
{
    const struct fsh_bfp_format f = {256, 8, 15};
    uint16_t a[256], b[256];

    for (unsigned n = 0; n < 1000; n++) {
        double exact = 0; /* of integers below 2^38 */
        float got;

        for (unsigned i = 0; i < 256; i++) {
            a[i] = (uint16_t)model_random();
            b[i] = (uint16_t)model_random();
            exact += (a[i] & 0x8000 ? -1.0 : 1.0) * (a[i] & 0x7fff) *
                     ((b[i] & 0x8000 ? -1.0 : 1.0) * (b[i] & 0x7fff));
        }
        got = fsh_bfp_dot(&f, 127 + 14, a, 127 + 14, b);
        CHECK(got == (float)exact, "%a, not %a", (double)got, exact);
    }
}

static void check_formats(void)
{
    static const struct {
        struct fsh_bfp_format format;
        enum fsh_bfp_status status;
    } cases[] = {
        {{16, 8, 7}, FSH_BFP_OK},
        {{8, 2, 2}, FSH_BFP_OK},
        {{256, 8, 15}, FSH_BFP_OK},
        {{4, 8, 7}, FSH_BFP_BAD_BLOCK},
        {{24, 8, 7}, FSH_BFP_BAD_BLOCK},
        {{512, 8, 7}, FSH_BFP_BAD_BLOCK},
        {{0, 8, 7}, FSH_BFP_BAD_BLOCK},
        {{16, 1, 7}, FSH_BFP_BAD_EXPONENT},
        {{16, 9, 7}, FSH_BFP_BAD_EXPONENT},
        {{16, 8, 1}, FSH_BFP_BAD_MANTISSA},
        {{16, 8, 16}, FSH_BFP_BAD_MANTISSA},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        enum fsh_bfp_status got = fsh_bfp_check(&cases[i].format);

        CHECK(got == cases[i].status, "case %zu", i);
        CHECK(strlen(fsh_bfp_status_text(got)) > 10);
    }
}

int main(int argc, char **argv)
{
    model_seed(argc, argv);
    check_formats();
    check_rules();
    check_decode_rules();
    check_short_exponents();
    check_random();
    check_dot();
    check_wide_dot();
    puts("PASS");
    return 0;
}
