/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Packets of encoded collectives: blocks of 17 bytes with the bits of
 * number_model.h, of every length and in parts, with all instruction sets of this
 * processor and in any mode of the caller; decoding and encoding again changes
 * nothing; sums are encoded, and kept in decoded form.
 */
#include <fenv.h>
#include <string.h>

#include "coll/wire/wire.h"
#include "check.h"
#include "number_model.h"

enum { MOST = 1200, PACKET = (MOST / 16 + 1) * 17, GUARD = 0xa5 };

static const struct fsh_bfp_format core = {16, 8, 7};
static enum fsh_isa isa;

static void fill(float *x, size_t n)
{
    enum model_kind kind = 0;

    for (size_t i = 0; i < n; i++) {
        if (i % 16 == 0)
            kind = model_below(MODEL_KINDS);
        x[i] = model_number(kind);
    }
}

/* By the model. */
static void pack(const float *x, size_t n, unsigned char *packet)
{
    for (size_t at = 0; at < n; at += 16, packet += 17) {
        float block[16] = {0};
        struct model_block b;

        memcpy(block, x + at, (n - at < 16 ? n - at : 16) * sizeof(float));
        model_encode(&core, block, &b);
        packet[0] = (unsigned char)b.code;
        for (unsigned i = 0; i < 16; i++)
            packet[1 + i] = (unsigned char)model_field(&core, b.value[i]);
    }
}

static void check_bits(const float *a, const float *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        CHECK(model_bits(a[i]) == model_bits(b[i]), "%zu of %zu: %a, not %a", i,
              n, a[i], b[i]);
}

static void check_length(size_t n)
{
    static unsigned char want[PACKET], got[PACKET + 1], part[PACKET];
    static float x[MOST], out[MOST + 1], again[MOST];
    size_t bytes = (n + 15) / 16 * 17, cut = n / 2 / 16 * 16;

    fill(x, n);
    pack(x, n, want);
    CHECK(fsh_wire_bytes(n) == bytes);
    got[bytes] = GUARD;
    out[n] = 4711;
    fesetround(FE_UPWARD);
    fsh_wire_encode(got, (unsigned char *)x, n, isa);
    fsh_wire_decode((unsigned char *)out, got, n, isa);
    CHECK(fegetround() == FE_UPWARD, "the caller's mode");
    fesetround(FE_TONEAREST);
    CHECK(memcmp(want, got, bytes) == 0 && got[bytes] == GUARD);
    CHECK(out[n] == 4711, "past the end of the numbers");
    /* In two parts. */
    fsh_wire_encode(part, (unsigned char *)x, cut, isa);
    fsh_wire_encode(part + fsh_wire_bytes(cut), (unsigned char *)(x + cut),
                    n - cut, isa);
    CHECK(memcmp(part, got, bytes) == 0, "in parts");
    /* Once more. */
    fsh_wire_encode(part, (unsigned char *)out, n, isa);
    fsh_wire_decode((unsigned char *)again, part, n, isa);
    check_bits(again, out, n);
}

static void check_fold(size_t n)
{
    static unsigned char packet[PACKET], want[PACKET];
    static float x[MOST], y[MOST], sum[MOST], kept[MOST];
    fsh_fold_fn fold = fsh_fold_function(FSH_FOLD_FLOAT, FSH_FOLD_SUM, isa);
    unsigned char *keep[] = {NULL, (unsigned char *)kept, (unsigned char *)x};

    for (unsigned i = 0; i < 3; i++) {
        fill(x, n);
        fill(y, n);
        fsh_wire_encode(packet, (unsigned char *)y, n, isa);
        fsh_wire_decode((unsigned char *)sum, packet, n, isa);
        fold(sum, x, sum, n);
        pack(sum, n, want);
        fsh_wire_decode((unsigned char *)sum, want, n, isa);
        fsh_wire_fold(packet, keep[i], (unsigned char *)x, n, fold, isa);
        CHECK(memcmp(packet, want, fsh_wire_bytes(n)) == 0, "%zu values", n);
        if (keep[i] != NULL)
            check_bits(i == 1 ? kept : x, sum, n);
    }
}

int main(int argc, char **argv)
{
    model_seed(argc, argv);
    for (isa = FSH_ISA_PORTABLE; isa <= FSH_ISA_AVX512; isa++) {
        if (!fsh_isa_available(isa))
            continue;
        for (size_t n = 0; n < 70; n++)
            check_length(n);
        for (unsigned i = 0; i < 1000; i++) {
            check_length(model_below(MOST));
            check_fold(model_below(MOST));
        }
    }
    return 0;
}
