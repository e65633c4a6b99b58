/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A get counts as a repetition only if its last two results were the same: a get
 * that finds something new, and the first get after it, are never paced.
 */
#include "conduit/fpga/asked.h"

#include "check.h"

static struct fsh_fpga_asked asked;

/* Send a get of 8 bytes that finds this; did it ask again? */
static bool get(uint32_t node, uint64_t offset, uint64_t finds)
{
    bool again;
    uint8_t number = fsh_fpga_ask(&asked, node, offset, 8, &again);

    CHECK(number < FSH_FPGA_ASKED_GETS, "number %u", number);
    fsh_fpga_answered(&asked, number, &finds, 8);
    return again;
}

int main(void)
{
    bool again;

    for (uint64_t round = 1; round < 9; round++) {
        /* Spins on one word, then looks at others that are there. */
        CHECK(!get(1, 64, round - 1), "first look, round %d", (int)round);
        CHECK(round == 1 || get(1, 64, round - 1), "spin %d", (int)round);
        CHECK(round == 1 || get(1, 64, round - 1), "spin %d", (int)round);
        if (round == 1)
            CHECK(!get(1, 64, 0), "second look of all");
        CHECK(get(1, 64, round), "the last of the spin");
        for (uint32_t node = 2; node < 9; node++)
            CHECK(!get(node, 64, round), "node %d", (int)node);
    }
    /* Another place, another length, another node are other gets. */
    CHECK(!get(1, 72, 5) && !get(0, 64, 5) && !get(1, 128, 5), "others");
    CHECK(fsh_fpga_ask(&asked, 1, 64, FSH_FPGA_ASKED_BYTES + 1, &again) ==
                  FSH_FPGA_NOT_ASKED &&
              !again,
          "long");
    fsh_fpga_answered(&asked, FSH_FPGA_NOT_ASKED, NULL, 0);
    /* Forgotten after as many others. */
    for (uint32_t i = 0; i < FSH_FPGA_ASKED_GETS; i++)
        CHECK(!get(3, 4096 + 8 * i, 1), "new %d", (int)i);
    CHECK(!get(1, 64, 8) && !get(1, 64, 8) && get(1, 64, 8), "known again");
    return 0;
}
