/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Matrices in the compute core's layout: every block at the specified byte, zero
 * padding, rows and columns alike, with all instruction sets.
 */
#include "compute/number/operand.h"
#include "check.h"
#include "number_model.h"

enum { ROUNDS = 60, MAX_ROWS = 150, MAX_K = 300, GUARD = 0xa5 };

static const struct fsh_bfp_format core = {16, 8, 7};

/* The contract's words once more: units of 4352 bytes, K fastest. */
static const uint8_t *unit_of(const uint8_t *operand, size_t k, size_t row,
                              size_t at)
{
    size_t units = (k + 63) / 64;

    return operand + ((row / 64) * units + at / 64) * 4352;
}

static void check_block(const uint8_t *operand, const float *x, size_t ld,
                        size_t rows, size_t k, size_t row, size_t at)
{
    const uint8_t *unit = unit_of(operand, k, row, at);
    size_t block = at % 64 / 16 * 64 + row % 64;
    float in[16] = {0};
    struct model_block b;

    for (size_t i = 0; row < rows && i < 16 && at + i < k; i++)
        in[i] = x[row * ld + at + i];
    model_encode(&core, in, &b);
    CHECK(unit[block] == b.code, "code of row %zu, k %zu", row, at);
    for (unsigned i = 0; i < 16; i++)
        CHECK(unit[256 + 16 * block + i] == model_field(&core, b.value[i]),
              "row %zu, k %zu + %u", row, at, i);
}

static void check_decoded(const float *x, size_t ld, size_t rows, size_t k,
                          const uint8_t *operand, enum fsh_isa isa)
{
    static float out[MAX_ROWS * (MAX_K + 8)];

    for (size_t i = 0; i < sizeof(out) / sizeof(out[0]); i++)
        out[i] = 4711;
    fsh_bfp_operand_decode(operand, rows, k, out, k + 3, isa);
    for (size_t r = 0; r < rows; r++) {
        for (size_t i = 0; i < k; i++) {
            float in[16] = {0};
            struct model_block b;

            for (size_t j = i / 16 * 16; j < k && j < i / 16 * 16 + 16; j++)
                in[j % 16] = x[r * ld + j];
            model_encode(&core, in, &b);
            CHECK(model_bits(out[r * (k + 3) + i]) ==
                  model_bits(model_decode(&core, &b, i % 16)));
        }
        CHECK(out[r * (k + 3) + k] == 4711, "past the end of a row");
    }
}

static void check_one(size_t rows, size_t k, enum fsh_isa isa)
{
    static float x[MAX_ROWS * (MAX_K + 8)], t[MAX_K * (MAX_ROWS + 8)];
    static uint8_t operand[(MAX_ROWS / 64 + 1) * (MAX_K / 64 + 1) * 4352 + 1];
    static uint8_t other[sizeof(operand)];
    size_t size = (rows + 63) / 64 * ((k + 63) / 64) * 4352;
    size_t ld = k + model_below(8), ldt = rows + model_below(8);

    CHECK(fsh_bfp_operand_size(rows, k) == size);
    for (size_t r = 0; r < rows; r++)
        for (size_t i = 0; i < k; i++) {
            enum model_kind kind = model_below(30) ? MODEL_PLAIN : MODEL_ANY;

            t[i * ldt + r] = x[r * ld + i] = model_number(kind);
        }
    memset(operand, GUARD, sizeof(operand));
    memset(other, GUARD, sizeof(other));
    fsh_bfp_operand_encode(x, ld, false, rows, k, operand, isa);
    fsh_bfp_operand_encode(t, ldt, true, rows, k, other, isa);
    CHECK(memcmp(operand, other, sizeof(operand)) == 0, "%zu x %zu", rows, k);
    CHECK(operand[size] == GUARD, "past the end");
    for (size_t r = 0; r < (rows + 63) / 64 * 64; r++)
        for (size_t i = 0; i < (k + 63) / 64 * 64; i += 16)
            check_block(operand, x, ld, rows, k, r, i);
    check_decoded(x, ld, rows, k, operand, isa);
}

int main(int argc, char **argv)
{
    model_seed(argc, argv);
    for (enum fsh_isa isa = FSH_ISA_PORTABLE; isa <= FSH_ISA_AVX512; isa++) {
        if (!fsh_isa_available(isa)) {
            printf("%s: not on this processor\n", fsh_isa_name(isa));
            continue;
        }
        check_one(1, 1, isa);
        check_one(64, 64, isa);
        check_one(65, 65, isa);
        check_one(128, 256, isa);
        for (unsigned n = 0; n < ROUNDS; n++)
            check_one(1 + model_below(MAX_ROWS), 1 + model_below(MAX_K), isa);
    }
    puts("PASS");
    return 0;
}
