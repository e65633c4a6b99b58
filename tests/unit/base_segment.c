/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The last address of the largest segment, and of the library's area behind it, fits
 * into every address field: setters truncate silently.
 */
#include "base/segment.h"

#include <stdint.h>
#include <string.h>

#include "base/fsh_spec.h"
#include "check.h"
#include "conduit/conduit.h"

#define LINE 64u

typedef void (*set_fn)(uint64_t *w, uint64_t v);
typedef uint64_t (*get_fn)(const uint64_t *w);

static const struct field {
    const char *name;
    set_fn set;
    get_fn get;
    uint64_t unit; /* bytes */
} field[] = {
    {"RUN", fsh_crun_set_addr, fsh_crun_addr, LINE},
    {"operand X", fsh_ccmd_set_x_addr, fsh_ccmd_x_addr, LINE},
    {"operand W", fsh_ccmd_set_w_addr, fsh_ccmd_w_addr, LINE},
    {"results", fsh_ccmd_set_c_addr, fsh_ccmd_c_addr, LINE},
    {"bias", fsh_ccmd_set_b_addr, fsh_ccmd_b_addr, LINE},
    {"encoded operand", fsh_ccmd_set_e_addr, fsh_ccmd_e_addr, LINE},
    {"automatic result transfer", fsh_ccmd_set_art_addr, fsh_ccmd_art_addr,
     LINE},
    {"packet header", fsh_hdr_set_addr, fsh_hdr_addr, 1},
    {"GET argument", fsh_getarg_set_addr, fsh_getarg_addr, 1},
    {"command, target", fsh_cmd_set_raddr, fsh_cmd_raddr, 1},
    {"command, here", fsh_cmd_set_laddr, fsh_cmd_laddr, 1},
};

static uint64_t through(const struct field *f, uint64_t addr)
{
    uint64_t words[16] = {0};

    f->set(words, addr / f->unit);
    return f->get(words) * f->unit;
}

int main(void)
{
    uint64_t last = FSH_SEGMENT_MOST + fsh_area_bytes(64) - LINE;

    for (size_t i = 0; i < sizeof field / sizeof field[0]; i++)
        CHECK(through(&field[i], last) == last, "%s cuts 0x%llx", field[i].name,
              (unsigned long long)last);
    /* What this is about: one more address, and a command goes astray. */
    CHECK(through(&field[0], UINT64_C(256) << 30) == 0);
    puts("segment: pass");
    return 0;
}
