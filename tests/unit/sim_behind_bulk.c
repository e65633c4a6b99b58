/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A Short behind long commands of its own window, all submitted before the start
 * gate opens: the exact number of cycles by which it is later at its target than a
 * Short alone. Two packets' time are allowed, whatever the commands are: puts, Longs
 * with and without arguments, on either channel; and all their payload arrives.
 */
#include <stdio.h>
#include <string.h>

#include "bed.h"
#include "check.h"

enum {
    BULKS = 8,
    BYTES = 64 << 10,
    LONG = FSH_OP_CLIENT,
    SHORT = FSH_OP_CLIENT + 1,
    PACKET_CYCLES = 65,
    ALLOWED = 2 * PACKET_CYCLES,
    LIMIT = 200000
};

static const struct kind {
    const char *name;
    bool put, reply;
    uint32_t nargs;
} kinds[] = {
    {"puts", true, false, 0},
    {"Longs", false, false, 0},
    {"Longs with arguments", false, false, FSH_MAX_ARGS},
    {"Long replies", false, true, 0},
    {"Long replies with arguments", false, true, FSH_MAX_ARGS},
};

static struct fsh_bed bed;
static bool open_now;

static void on_gate(void *arg)
{
    (void)arg;
    open_now = true;
}

static void open_bed(void)
{
    struct fsh_bed_options options = {.packet = 1024, .ports = 3, .hold = true};
    struct fsh_fabric_config config;
    char err[256];

    fsh_fabric_defaults(&config);
    config.dram_bytes = 2 * BULKS * BYTES;
    config.events.gate_open = on_gate;
    CHECK(fsh_bed_open(&bed, &config, &options, err, sizeof err), "%s", err);
    for (uint32_t i = 0; i < BULKS * BYTES; i++)
        fsh_fabric_dram(bed.fab, 0)[i] = (unsigned char)(i * 7 + i / BYTES);
}

static uint64_t here(uint32_t i)
{
    return (uint64_t)i * BYTES;
}

static uint64_t there(uint32_t i)
{
    return (uint64_t)(BULKS + i) * BYTES;
}

static void submit_bulk(const struct kind *k, uint32_t i)
{
    uint32_t args[FSH_MAX_ARGS];
    struct fsh_bed_command cmd;

    for (uint32_t a = 0; a < FSH_MAX_ARGS; a++)
        args[a] = i << 8 | a;
    if (k->put) {
        fsh_bed_put(&cmd, 1, i, here(i), there(i), BYTES);
    } else {
        fsh_bed_command(&cmd, LONG, FSH_CAT_LONG, 1, i);
        fsh_cmd_set_reply(cmd.word, k->reply);
        fsh_cmd_set_laddr(cmd.word, here(i));
        fsh_cmd_set_raddr(cmd.word, there(i));
        fsh_cmd_set_length(cmd.word, BYTES);
        fsh_bed_attach(&cmd, args, k->nargs, NULL, 0);
    }
    CHECK(fsh_bed_submit(&bed, 0, &cmd), "window full");
}

/* From the gate to the Short's ring entry; *longs: messages before it. */
static uint64_t cycles_of_short(const struct kind *k, uint32_t *longs)
{
    enum fsh_bed_ring ring = k->reply ? FSH_BED_RING_REP : FSH_BED_RING_REQ;
    struct fsh_bed_command cmd;
    uint64_t start, entry[2];
    bool goes_on = true;

    fsh_bed_command(&cmd, SHORT, FSH_CAT_SHORT, 1, BULKS);
    fsh_cmd_set_reply(cmd.word, k->reply);
    CHECK(fsh_bed_submit(&bed, 0, &cmd), "window full");
    open_now = false;
    fsh_fabric_gate(bed.fab);
    while (!open_now)
        fsh_fabric_tick(bed.fab);
    start = fsh_fabric_cycle(bed.fab);
    for (;;) {
        CHECK(fsh_fabric_cycle(bed.fab) - start < LIMIT, "no Short");
        while (fsh_bed_take(&bed, 1, ring, entry)) {
            CHECK(fsh_ring_status(entry) == FSH_STATUS_OK, "a bad status");
            if (fsh_ring_opcode(entry) == SHORT)
                return fsh_fabric_cycle(bed.fab) - start;
            ++*longs;
        }
        CHECK(goes_on, "no Short: %s",
              fsh_fabric_error(bed.fab) ? fsh_fabric_error(bed.fab)
                                        : "all is at rest");
        goes_on = fsh_fabric_tick(bed.fab);
    }
}

/* All is there, and a message for each Long. */
static void check_bulk(const struct kind *k, uint32_t longs)
{
    uint64_t entry[2];

    CHECK(fsh_fabric_run(bed.fab, LIMIT), "not quiet");
    while (fsh_bed_take(&bed, 1, k->reply ? FSH_BED_RING_REP : FSH_BED_RING_REQ,
                        entry))
        longs += fsh_ring_opcode(entry) == LONG;
    CHECK(longs == (k->put ? 0 : BULKS), "%u messages", longs);
    CHECK(memcmp(fsh_fabric_dram(bed.fab, 0),
                 fsh_fabric_dram(bed.fab, 1) + there(0), BULKS * BYTES) == 0,
          "%s: bytes differ", k->name);
    for (uint32_t i = 0; k->nargs && i < BULKS; i++) {
        const unsigned char *slot =
            fsh_fabric_dma(bed.fab, 1) + FSH_BED_SLOT_HDR +
            ((uint32_t)k->reply << 10 | i) * FSH_SLOT_HEADER_BYTES;
        uint32_t arg;

        memcpy(&arg, slot + 16 + 4, sizeof arg);
        CHECK(arg == (i << 8 | 1), "argument 1 of message %u is %x", i, arg);
    }
}

int main(void)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const struct kind *k = &kinds[i];
        uint64_t alone, behind;
        uint32_t longs = 0;

        open_bed();
        alone = cycles_of_short(k, &longs);
        CHECK(fsh_bed_close(&bed), "close");
        open_bed();
        for (uint32_t n = 0; n < BULKS; n++)
            submit_bulk(k, n);
        behind = cycles_of_short(k, &longs);
        printf("a Short alone %u cycles, behind %u %s %u\n", (unsigned)alone,
               BULKS, k->name, (unsigned)behind);
        fflush(stdout);
        CHECK(behind <= alone + ALLOWED, "%u cycles more than %u",
              (unsigned)(behind - alone), ALLOWED);
        check_bulk(k, longs);
        CHECK(fsh_bed_close(&bed), "close");
    }
    puts("sim_behind_bulk: ok");
    return 0;
}
