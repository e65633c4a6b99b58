/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Packed runs: every bit where the header specifies, in all formats; and 16/8/7 with
 * all instruction sets of this processor, with the same bytes in any rounding mode
 * of the caller, which is preserved.
 */
#include <fenv.h>

#include "compute/number/run.h"
#include "check.h"
#include "number_model.h"

enum { ROUNDS = 3000, MAX = 1200, GUARD = 0xa5 };

static const struct fsh_bfp_format core = {16, 8, 7};

/* width bits from bit `at` on, lowest first. */
static unsigned bits_at(const uint8_t *bytes, size_t at, unsigned width)
{
    unsigned value = 0;

    for (unsigned i = 0; i < width; i++, at++)
        value |= ((unsigned)bytes[at / 8] >> at % 8 & 1) << i;
    return value;
}

static void check_packed(const struct fsh_bfp_format *f, const float *x,
                         size_t n, const uint8_t *packed)
{
    size_t blocks = (n + f->block - 1) / f->block;
    size_t base = (blocks * f->exponent + 7) / 8 * 8;

    for (size_t k = 0; k < blocks; k++) {
        float in[FSH_BFP_MAX_BLOCK] = {0};
        size_t left = n - k * f->block;
        struct model_block b;

        memcpy(in, x + k * f->block,
               (left < f->block ? left : f->block) * sizeof(float));
        model_encode(f, in, &b);
        CHECK((int)bits_at(packed, k * f->exponent, f->exponent) == b.code);
        for (unsigned i = 0; i < f->block; i++) {
            size_t at = (k * f->block + i) * (f->mantissa + 1);

            CHECK(bits_at(packed, base + at, f->mantissa + 1) ==
                  model_field(f, b.value[i]));
        }
    }
    for (size_t bit = blocks * f->exponent; bit < base; bit++)
        CHECK(bits_at(packed, bit, 1) == 0, "padding after the codes");
}

static void check_decoded(const struct fsh_bfp_format *f, const float *x,
                          size_t n, const float *decoded)
{
    for (size_t k = 0; k < n; k += f->block) {
        float in[FSH_BFP_MAX_BLOCK] = {0};
        size_t count = n - k < f->block ? n - k : f->block;
        struct model_block b;

        memcpy(in, x + k, count * sizeof(float));
        model_encode(f, in, &b);
        for (unsigned i = 0; i < count; i++)
            CHECK(model_bits(decoded[k + i]) ==
                  model_bits(model_decode(f, &b, i)));
    }
}

static void check_one(const struct fsh_bfp_format *f, const float *x, size_t n,
                      enum fsh_isa isa)
{
    static uint8_t packed[8 * MAX];
    static float out[MAX + 1];
    size_t blocks = (n + f->block - 1) / f->block;
    size_t size = fsh_bfp_run_size(f, n);

    CHECK(size == (blocks * f->exponent + 7) / 8 +
                      blocks * f->block * (f->mantissa + 1) / 8);
    memset(packed, GUARD, sizeof(packed));
    fesetround(FE_UPWARD);
    feclearexcept(FE_ALL_EXCEPT);
    fsh_bfp_run_encode(f, x, n, packed, isa);
    out[n] = 4711;
    fsh_bfp_run_decode(f, packed, n, out, isa);
    CHECK(fegetround() == FE_UPWARD, "the caller's mode");
    CHECK(isa <= FSH_ISA_PORTABLE || fetestexcept(FE_ALL_EXCEPT) == 0,
          "the caller's flags");
    fesetround(FE_TONEAREST);
    CHECK(packed[size] == GUARD, "past the end of the packed run");
    CHECK(out[n] == 4711, "past the end of the numbers");
    check_packed(f, x, n, packed);
    check_decoded(f, x, n, out);
}

static void check_formats(void)
{
    float x[MAX];

    for (unsigned n = 0; n < ROUNDS; n++) {
        struct fsh_bfp_format f = {8u << model_below(6), 2 + model_below(7),
                                   2 + model_below(14)};
        enum model_kind kind = model_below(MODEL_KINDS);
        size_t count = model_below(MAX / 2);

        for (size_t i = 0; i < count; i++)
            x[i] = model_number(kind);
        check_one(&f, x, count, FSH_ISA_BEST);
    }
}

/* Numbers of one kind in each block, so that rare ones stand between others. */
static void check_core(enum fsh_isa isa)
{
    float x[MAX];

    for (unsigned n = 0; n < ROUNDS; n++) {
        size_t count = model_below(MAX);
        enum model_kind kind = 0;

        for (size_t i = 0; i < count; i++) {
            if (i % 16 == 0)
                kind = model_below(MODEL_KINDS);
            x[i] = model_number(kind);
        }
        check_one(&core, x, count, isa);
    }
}

/* Decode what no encoder writes: any codes, any bytes. */
static void check_any_bytes(enum fsh_isa isa)
{
    uint8_t packed[17 * 64];
    float want[1024], got[1024];

    for (unsigned n = 0; n < ROUNDS; n++) {
        for (size_t i = 0; i < sizeof(packed); i++)
            packed[i] =
                (uint8_t)(i < 64 && n % 2 ? model_below(10) : model_random());
        fsh_bfp_run_decode(&core, packed, 1024, want, FSH_ISA_PORTABLE);
        fsh_bfp_run_decode(&core, packed, 1024, got, isa);
        for (size_t i = 0; i < 1024; i++)
            CHECK(model_bits(want[i]) == model_bits(got[i]), "code %u, %u",
                  packed[i / 16], packed[64 + i]);
    }
}

/* Names, and the best that is set: it, or the next lesser one here. */
static void check_choice(void)
{
    for (enum fsh_isa isa = FSH_ISA_BEST; isa <= FSH_ISA_AVX512; isa++)
        CHECK(fsh_isa_named(fsh_isa_name(isa)) == isa);
    CHECK(fsh_isa_named("none") == FSH_ISA_BEST);
    CHECK(fsh_isa_choose(FSH_ISA_BEST) == fsh_isa_choose(FSH_ISA_AVX512));
    for (enum fsh_isa isa = FSH_ISA_AVX512; isa > FSH_ISA_BEST; isa--) {
        fsh_isa_set_best(isa);
        CHECK(fsh_isa_choose(FSH_ISA_BEST) == fsh_isa_choose(isa));
    }
    CHECK(fsh_isa_choose(FSH_ISA_BEST) == FSH_ISA_PORTABLE);
    fsh_isa_set_best(FSH_ISA_BEST);
    CHECK(fsh_isa_choose(FSH_ISA_BEST) == fsh_isa_choose(FSH_ISA_AVX512));
}

int main(int argc, char **argv)
{
    model_seed(argc, argv);
    CHECK(fsh_isa_choose(FSH_ISA_PORTABLE) == FSH_ISA_PORTABLE);
    CHECK(fsh_isa_available(fsh_isa_choose(FSH_ISA_BEST)));
    CHECK(fsh_bfp_run_size(&core, 256) == 16 + 256);
    check_choice();
    check_formats();
    for (enum fsh_isa isa = FSH_ISA_PORTABLE; isa <= FSH_ISA_AVX512; isa++) {
        if (!fsh_isa_available(isa)) {
            printf("%s: not on this processor\n", fsh_isa_name(isa));
            continue;
        }
        check_core(isa);
        check_any_bytes(isa);
    }
    puts("PASS");
    return 0;
}
