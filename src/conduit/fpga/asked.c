/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Detects repeated gets; see asked.h. Hashes may collide, which at worst paces an
 * unrelated get by a few microseconds.
 */
#include "conduit/fpga/asked.h"

#include <string.h>

#include "base/assertion.h"

static uint64_t mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * UINT64_C(0x9E3779B97F4A7C15);
    return hash ^ hash >> 29;
}

uint8_t fsh_fpga_ask(struct fsh_fpga_asked *asked, uint32_t node,
                     uint64_t offset, size_t n, bool *again)
{
    uint64_t where = mix(mix(1, offset), (uint64_t)node << 8 | n) | 1;
    unsigned i;

    *again = false;
    if (n > FSH_FPGA_ASKED_BYTES)
        return FSH_FPGA_NOT_ASKED;
    for (i = 0; i < FSH_FPGA_ASKED_GETS; i++) {
        if (asked->get[i].where == where) {
            *again = asked->get[i].same != 0;
            return (uint8_t)i;
        }
    }
    i = asked->next++ % FSH_FPGA_ASKED_GETS;
    asked->get[i].where = where;
    asked->get[i].answer = 0;
    asked->get[i].same = 0;
    return (uint8_t)i;
}

void fsh_fpga_answered(struct fsh_fpga_asked *asked, uint8_t number,
                       const void *data, size_t n)
{
    uint64_t answer = 1;

    if (number == FSH_FPGA_NOT_ASKED)
        return;
    FSH_ASSERT(number < FSH_FPGA_ASKED_GETS && n <= FSH_FPGA_ASKED_BYTES);
    FSH_ASSERT(asked->get[number].where != 0);
    for (size_t i = 0; i < n; i += 8) {
        uint64_t word = 0;
        memcpy(&word, (const char *)data + i, n - i < 8 ? n - i : 8);
        answer = mix(answer, word);
    }
    answer |= 1; /* 0: none yet */
    asked->get[number].same =
        asked->get[number].answer == answer ? asked->get[number].same + 1 : 0;
    asked->get[number].answer = answer;
}
