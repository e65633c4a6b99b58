/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Shorts beside single puts out of a slow memory, one of each at a time: a header that
 * leaves before its payload would hold the port for as long as the memory takes. By
 * how many cycles a Short, which may come at any time before the put has left, is
 * later at its target than alone: once the first put has passed, two packets' time at
 * most. When the memory is fast, headers do leave early (sim_cycles).
 */
#include <stdio.h>

#include "bed.h"
#include "check.h"

enum {
    DRAM = 400, /* cycles */
    BYTES = 1024,
    SHORT = FSH_OP_CLIENT,
    PACKET_CYCLES = 65,
    ALLOWED = 2 * PACKET_CYCLES,
    STEP = 7, /* between a put and a Short, from one pair to the next */
    LIMIT = 10000
};

static struct fsh_bed bed;

static void open_bed(void)
{
    struct fsh_bed_options options = {.packet = 1024, .ports = 1};
    struct fsh_fabric_config config;
    char err[256];

    fsh_fabric_defaults(&config);
    config.dram_bytes = 1u << 20;
    config.dram_cycles = DRAM;
    config.jump = false; /* else what is awaited is seen late */
    CHECK(fsh_bed_open(&bed, &config, &options, err, sizeof err), "%s", err);
}

static void submit_put(void)
{
    struct fsh_bed_command cmd;

    fsh_bed_put(&cmd, 1, 0, 0, 1u << 19, BYTES);
    CHECK(fsh_bed_submit(&bed, 0, &cmd), "window full");
}

static void pass(uint64_t cycles)
{
    uint64_t until = fsh_fabric_cycle(bed.fab) + cycles;

    while (fsh_fabric_cycle(bed.fab) < until)
        fsh_fabric_tick(bed.fab);
}

/* Until it is at its target, from its submission. */
static uint64_t cycles_of_short(void)
{
    struct fsh_bed_command cmd;
    uint64_t entry[2], start = fsh_fabric_cycle(bed.fab);

    fsh_bed_command(&cmd, SHORT, FSH_CAT_SHORT, 1, 1);
    CHECK(fsh_bed_submit(&bed, 0, &cmd), "window full");
    CHECK(fsh_bed_await(&bed, 1, FSH_BED_RING_REQ, LIMIT, entry), "no Short");
    CHECK(fsh_ring_opcode(entry) == SHORT, "another message");
    return fsh_fabric_cycle(bed.fab) - start;
}

static void finish_put(void)
{
    uint64_t entry[2];

    CHECK(fsh_bed_await(&bed, 0, FSH_BED_RING_CPL, LIMIT, entry), "no put");
    CHECK(fsh_ring_status(entry) == FSH_STATUS_OK, "a bad status");
    CHECK(fsh_fabric_run(bed.fab, LIMIT), "not quiet");
}

int main(void)
{
    uint64_t alone, most = 0;

    open_bed();
    alone = cycles_of_short();
    CHECK(fsh_fabric_run(bed.fab, LIMIT), "not quiet");
    submit_put();
    finish_put();
    for (unsigned behind = 0; behind < DRAM + ALLOWED; behind += STEP) {
        uint64_t cycles;

        submit_put();
        pass(behind);
        cycles = cycles_of_short();
        finish_put();
        if (cycles > most)
            most = cycles;
    }
    printf("a Short alone %u cycles, beside puts %u\n", (unsigned)alone,
           (unsigned)most);
    CHECK(most <= alone + ALLOWED, "%u cycles more than %u",
          (unsigned)(most - alone), ALLOWED);
    CHECK(fsh_bed_close(&bed), "close");
    puts("sim_slow_memory: ok");
    return 0;
}
