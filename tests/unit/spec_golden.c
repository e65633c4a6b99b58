/* SPDX-License-Identifier: BSD-3-Clause */
/* The example packets, commands and entries of golden.h, decoded and rebuilt
 * by the generated accessors; hw/tb/spec decodes the same ones in hardware. */
#include <stdio.h>
#include <string.h>

#include "base/fsh_spec.h"
#include "golden.h"

int main(void)
{
    unsigned checks = 0, bad = 0;

#define DECODE(layout, words, field, value)                                    \
    {                                                                          \
        uint64_t one[sizeof words / sizeof *words] = {0};                      \
        checks++;                                                              \
        fsh_##layout##_set_##field(one, value);                                \
        if (fsh_##layout##_##field(words) != (value) ||                        \
            fsh_##layout##_##field(one) != (value) ||                          \
            FSH_##layout##_words != sizeof words / sizeof *words) {            \
            bad++;                                                             \
            fprintf(stderr, "spec_golden: " #layout "." #field " is wrong\n"); \
        }                                                                      \
        for (unsigned i = 0; i < sizeof words / sizeof *words; i++)            \
            if ((one[i] & words[i]) != one[i]) {                               \
                bad++;                                                         \
                fprintf(stderr, "spec_golden: " #layout "." #field             \
                                " is set outside its place\n");                \
            }                                                                  \
    }
#define FSH_hdr_words FSH_HDR_WORDS
#define FSH_getarg_words FSH_GETARG_WORDS
#define FSH_crun_words FSH_CRUN_WORDS
#define FSH_csignal_words FSH_CSIGNAL_WORDS
#define FSH_ccomplete_words FSH_CCOMPLETE_WORDS
#define FSH_cmd_words FSH_CMD_WORDS
#define FSH_ccmd_words FSH_CCMD_WORDS
#define FSH_collrun_words FSH_COLLRUN_WORDS
#define FSH_collkey_words FSH_COLLKEY_WORDS
#define FSH_colladdr_words FSH_COLLADDR_WORDS
#define FSH_colldesc_words FSH_COLLDESC_WORDS
#define FSH_ecmd_words FSH_ECMD_WORDS
#define FSH_ring_words FSH_RING_WORDS
#define FSH_status_words FSH_STATUS_WORDS
#define FSH_bound_words FSH_BOUND_WORDS
    GOLDEN(DECODE)
    printf("spec_golden: %u fields, %u wrong\n", checks, bad);
    return bad != 0 || checks == 0;
}
