/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Simulated time of a rank on conduit fpga: what the library does costs what
 * spec/fshmem.toml says (COST_), spent where it is done; what the program does between
 * calls costs nothing.
 */
#include "base/log.h"
#include "boot/boot.h"
#include "conduit/fpga/state.h"

void fsh_fpga_spend_slowly(uint64_t cycles)
{
    fsh_fpga.clock->spend(fsh_fpga.dev, cycles);
}

static void begin(void)
{
    if (!fsh_boot_page()->simulated_clock)
        return;
    if (fsh_fpga.ops->clock == NULL)
        fsh_fatal(
            "FSHMEM_CLOCK=simulated: device %s runs in real time; use free",
            fsh_fpga.ops->name);
    fsh_fpga.clock = fsh_fpga.ops->clock;
    fsh_fpga.clock->begin(fsh_fpga.dev);
}

static void end(void)
{
    if (fsh_fpga.clock == NULL)
        return;
    fsh_fpga.clock->end(fsh_fpga.dev);
    fsh_fpga.clock = NULL;
}

const struct fsh_clock_ops fsh_fpga_clock_ops = {
    .begin = begin,
    .end = end,
};
