/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Dumps of a fabric in a known state: memories and links are blocked, and the dump's
 * statements on nodes, operations and who waits for whom are compared; it
 * terminates, and afterwards nobody waits. Argument: seed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bed.h"
#include "check.h"
#include "dump.h"
#include "model.h"
#include "state.h"

#define LIMIT 200000u
#define MEMORY (1u << 20)
#define BULK (1u << 17) /* more than all buffers on the way hold */
#define HELD 60000u     /* cycles */

static struct fsh_bed bed;
static uint64_t seed = 1;
static char said[1 << 16];

static void line(void *arg, const char *text)
{
    size_t at = strlen(said);

    (void)arg;
    snprintf(said + at, sizeof said - at, "%s\n", text);
}

static void dump(void) /* of all nodes, into `said` */
{
    struct fsh_dump_request request = {.line = line};

    said[0] = '\0';
    fsh_dump(bed.fab, &request);
    if (getenv("SIM_DUMP"))
        puts(said);
}

static bool says(const char *what)
{
    return strstr(said, what) != NULL;
}

#define SAYS(what) CHECK(says(what), "no \"%s\" in\n%s", what, said)
#define SAYS_NOT(what) CHECK(!says(what), "\"%s\" in\n%s", what, said)

static void open_line(uint32_t nodes)
{
    struct fsh_bed_options options = {.packet = 1024, .ports = 3};
    struct fsh_fabric_config config;
    char err[512];

    fsh_fabric_defaults(&config);
    config.nodes = nodes;
    config.topology = fsh_bed_topology("line", nodes);
    config.dram_bytes = MEMORY;
    config.seed = seed;
    CHECK(fsh_bed_open(&bed, &config, &options, err, sizeof err), "%s", err);
}

static void put(uint32_t from, uint32_t to, uint32_t tag)
{
    struct fsh_bed_command cmd;

    fsh_bed_put(&cmd, to, tag, 0, 0, BULK);
    CHECK(fsh_bed_submit(&bed, from, &cmd), "window full");
}

static void run(uint32_t cycles)
{
    uint64_t end = fsh_fabric_cycle(bed.fab) + cycles;

    while (fsh_fabric_cycle(bed.fab) < end && fsh_fabric_tick(bed.fab))
        continue;
    CHECK(!fsh_fabric_error(bed.fab), "%s", fsh_fabric_error(bed.fab));
}

/* What is said of a queue behind these words fits packets of the longest sort, of which
 * part of the first may be gone. */
static void check_queue(const char *what)
{
    const char *at = strstr(said, what);
    unsigned packets, beats, each = 1 + 1024 / FSH_BEAT_BYTES;

    CHECK(at, "no \"%s\" in\n%s", what, said);
    at = strchr(at, '(');
    CHECK(at && sscanf(at, "(%u packets, %u beats)", &packets, &beats) == 2,
          "\"%s\" in\n%s", what, said);
    CHECK(packets > 1 && beats > (packets - 1) * each &&
              beats <= packets * each,
          "%s: %u packets, %u beats", what, packets, beats);
}

/* What waits to be sent: whole packets of the longest sort. */
static void check_sendq(void)
{
    static const char what[] = "send queue, channel 0: ";
    const char *at = strstr(said, what);
    unsigned packets, beats, each = 1 + 1024 / FSH_BEAT_BYTES;

    CHECK(at && sscanf(at + strlen(what), "%u packets, %u beats", &packets,
                       &beats) == 2,
          "no \"%s\" in\n%s", what, said);
    CHECK(packets > 1 && beats == packets * each, "%s: %u packets, %u beats",
          what, packets, beats);
}

/* All goes on, and then a dump says so. */
static void finish(uint32_t node, uint32_t opcode, uint32_t tag)
{
    uint64_t entry[2];

    CHECK(fsh_bed_await(&bed, node, FSH_BED_RING_CPL, LIMIT, entry),
          "no completion");
    CHECK(fsh_ring_opcode(entry) == opcode && fsh_ring_tag(entry) == tag &&
              fsh_ring_status(entry) == FSH_STATUS_OK,
          "entry %016llx", (unsigned long long)entry[0]);
    CHECK(fsh_fabric_run(bed.fab, LIMIT), "not quiet");
    dump();
    SAYS("oldest operation: none is outstanding");
    SAYS("idle");
    SAYS("nobody waits for anybody");
    CHECK(fsh_bed_close(&bed), "close");
}

/* Every signal that a dump names is there in this build. */
static void all_is_seen(void)
{
    struct fsh_state_node state;

    open_line(2);
    for (uint32_t i = 0; i < 2; i++) {
        fsh_node_state(bed.fab->node[i].rtl, &state, NULL, NULL);
        CHECK(!state.missing, "node %u: no %s", i, state.missing);
        CHECK(state.enabled, "node %u is not enabled", i);
    }
    dump();
    SAYS("nodes 0-1: idle");
    CHECK(fsh_bed_close(&bed), "close");
}

/* While the tracker still clears its RAM, which holds anything after reset. */
static void before_anything_is_set_up(void)
{
    struct fsh_fabric_config config;
    char err[512];

    fsh_fabric_defaults(&config);
    config.nodes = 2;
    config.dram_bytes = MEMORY;
    config.seed = seed;
    bed.fab = fsh_fabric_create(&config, err, sizeof err);
    CHECK(bed.fab, "%s", err);
    for (unsigned i = 0; i < 4; i++) {
        dump();
        SAYS("oldest operation: none is outstanding");
        SAYS("nodes 0-1: idle");
        run(10);
    }
    CHECK(fsh_bed_close(&bed), "close");
}

/* The memory of node 2 takes nothing: a PUT of node 0 fills the buffers back to where
 * it begins, through node 1. */
static void memory_of_the_target(void)
{
    open_line(4);
    fsh_fabric_hold_memory(bed.fab, 2, 0, HELD);
    fsh_fabric_hold_memory(bed.fab, 2, 1, HELD);
    put(0, 2, 5);
    run(HELD / 2);
    dump();
    SAYS("oldest operation: node 0's PUT of 131072 B to node 2 (tag 5)");
    SAYS("waits for credits of channel 0 from node 1 (");
    SAYS(", whose transit queue from port ");
    SAYS("waits for credits of channel 0 from node 2 (");
    SAYS(", whose receive buffer of port ");
    check_queue("transit queue from port ");
    check_queue(", whose receive buffer of port ");
    check_sendq();
    SAYS("waits for its receiver of lane ");
    SAYS("which waits for the device memory of node 2 (lane ");
    SAYS("which answers nothing for ");
    SAYS("node 3: idle");
    SAYS_NOT("circle");
    finish(0, FSH_OP_PUT_ACK, 5);
}

/* The same without a node between, and with the link held: what is sent is on it. */
static void a_link_that_is_slow(void)
{
    uint32_t port = 0;

    open_line(2);
    while (!fsh_topology_plugged(&bed.topology, 1, port))
        port++;
    CHECK(fsh_fabric_hold_link(bed.fab, 1, port, HELD), "no memory");
    put(0, 1, 3);
    run(HELD / 2);
    dump();
    SAYS("node 0's PUT of 131072 B to node 1 (tag 3)");
    SAYS("waits for credits of channel 1 from node 1 (");
    SAYS("beats on the link to port ");
    SAYS("which are under way");
    SAYS_NOT("which moves");
    finish(0, FSH_OP_PUT_ACK, 3);
}

/* A GET whose target cannot read: it waits there, in a context of the answer. */
static void memory_of_a_get(void)
{
    struct fsh_bed_command cmd;

    open_line(3);
    fsh_fabric_hold_memory(bed.fab, 1, 0, HELD);
    fsh_fabric_hold_memory(bed.fab, 1, 1, HELD);
    fsh_bed_get(&cmd, 1, 9, 0, 0, BULK);
    CHECK(fsh_bed_submit(&bed, 0, &cmd), "window full");
    run(HELD / 2);
    dump();
    SAYS("node 0's GET of 131072 B from node 1 (tag 9)");
    SAYS("reply context 0: GET_REPLY to node 0");
    SAYS("waits for the device memory of node 1");
    SAYS("node 2: idle");
    finish(0, FSH_OP_GET_REPLY, 9);
}

/* A window behind the start gate. */
static void a_gate_that_is_shut(void)
{
    struct fsh_bed_options options = {.packet = 1024, .ports = 3, .hold = true};
    struct fsh_fabric_config config;
    char err[512];

    fsh_fabric_defaults(&config);
    config.dram_bytes = MEMORY;
    config.seed = seed;
    CHECK(fsh_bed_open(&bed, &config, &options, err, sizeof err), "%s", err);
    put(1, 0, 2);
    run(2000);
    dump();
    SAYS("node 1's PUT of 131072 B to node 0 (tag 2)");
    SAYS("request window: 0 of 64 entries, 1 commands beside it, the first PUT "
         "of 131072 B to node 0; the start gate is shut");
    SAYS("request window, whose start gate is shut");
    SAYS("node 0: idle");
    fsh_fabric_gate(bed.fab);
    finish(1, FSH_OP_PUT_ACK, 2);
}

/* A compute core whose first command waits for a signal that does not come. */
static void an_event_that_nobody_signals(void)
{
    struct fsh_bed_options options = {.packet = 1024, .ports = 3};
    struct fsh_fabric_config config;
    struct fsh_bed_command cmd;
    uint64_t run_two = 0, entry[2], *w;
    uint32_t args[2];
    char err[512];

    fsh_fabric_defaults(&config);
    config.dram_bytes = MEMORY;
    config.seed = seed;
    config.compute = true;
    CHECK(fsh_bed_open(&bed, &config, &options, err, sizeof err), "%s", err);
    w = (uint64_t *)(void *)fsh_fabric_dram(bed.fab, 1);
    memset(w, 0, 128);
    fsh_ccmd_set_op(w, FSH_COP_NOP);
    fsh_ccmd_set_check(w, FSH_CMD_CHECK);
    fsh_ccmd_set_await(w, 1);
    fsh_ccmd_set_await_event(w, 7);
    fsh_ccmd_set_await_count(w, 1);
    fsh_crun_set_op(&run_two, FSH_CMSG_RUN);
    fsh_crun_set_count(&run_two, 1);
    args[0] = (uint32_t)run_two;
    args[1] = (uint32_t)(run_two >> 32);
    fsh_bed_command(&cmd, FSH_OP_COMPUTE, FSH_CAT_SHORT, 1, 4);
    fsh_bed_attach(&cmd, args, 2, NULL, 0);
    CHECK(fsh_bed_submit(&bed, 0, &cmd), "window full");
    CHECK(fsh_bed_await(&bed, 0, FSH_BED_RING_CPL, LIMIT, entry), "no answer");
    run(2000);
    dump();
    SAYS("compute core: array queue waits for event 7");
    SAYS("the array queue of node 1's compute core waits for event 7");
    SAYS("node 0: idle");
    CHECK(fsh_bed_close(&bed), "close");
}

/* To the card, or from it. */
static void move(uint32_t node, bool from, uint32_t tag, uint64_t host,
                 uint64_t card, uint32_t length)
{
    const uint64_t word = length | tag << 24 | (uint64_t)from << 32;

    CHECK(fsh_fabric_host_write(bed.fab, node, FSH_REG_DMA_HOST, host) &&
              fsh_fabric_host_write(bed.fab, node, FSH_REG_DMA_CARD, card) &&
              fsh_fabric_host_write(bed.fab, node, FSH_REG_DMA_MOVE, word),
          "no room for register writes");
}

/* Moves of a DMA engine of which one of the two memories takes and answers nothing: in one
 * direction they wait for what they read, in the other for what they write. */
static void moves_that_wait(uint32_t memory, const char *name, bool reads)
{
    bool from = (memory == FSH_MEMORY_DMA_CARD) == reads;
    char what[200];
    uint64_t entry[2];

    open_line(2);
    fsh_fabric_hold_memory(bed.fab, 1, memory, HELD);
    for (uint32_t i = 0; i < 6; i++)
        move(1, from, 10 + i, FSH_BED_BOUNCE + i * 0x1000, i * 0x2000, 4096);
    run(HELD / 2);
    dump();
    snprintf(what, sizeof what, "node 1's move of 4096 B %s the card (tag 10)",
             from ? "from" : "to");
    SAYS(what);
    SAYS("oldest operation: node 1's move of 4096 B");
    SAYS(", window 0x100000, segment 0x0, ");
    SAYS(", window 0x101000, segment 0x2000, ");
    SAYS(reads ? " cycles: 64 lines to get, 64 to write, 0 writes not "
                 "answered, waits for the "
               : " to write, ");
    SAYS(memory == FSH_MEMORY_DMA_CARD ? "waits for the device memory\n"
                                       : "waits for the host's memory\n");
    SAYS(" cycles: behind the one with tag 10\n");
    SAYS("  ... and 2 moves ");
    snprintf(what, sizeof what,
             " waits for %s (DMA engine), which answers nothing for ", name);
    SAYS(what);
    SAYS("node 0: idle");
    for (uint32_t i = 0; i < 5; i++)
        CHECK(fsh_bed_await(&bed, 1, FSH_BED_RING_CPL, LIMIT, entry) &&
                  fsh_ring_tag(entry) == 10 + i,
              "no end of move %u", i);
    finish(1, from ? FSH_OP_GET : FSH_OP_PUT, 15);
}

/* Both directions at once, and a PUT that is younger than they are. */
static void moves_both_ways(void)
{
    uint64_t entry[2];

    open_line(2);
    fsh_fabric_hold_memory(bed.fab, 0, FSH_MEMORY_DMA_HOST, HELD);
    fsh_fabric_hold_memory(bed.fab, 1, 0, HELD);
    fsh_fabric_hold_memory(bed.fab, 1, 1, HELD);
    move(0, false, 3, FSH_BED_BOUNCE, 0x40, 1000);
    move(0, true, 4, FSH_BED_BOUNCE + 0x1000, 0x800, 2000);
    run(1000);
    put(0, 1, 5);
    run(HELD / 2);
    dump();
    SAYS("oldest operation: node 0's move of 1000 B to the card (tag 3), ");
    SAYS("  DMA engine: move of 1000 B to the card (tag 3), window 0x100000, "
         "segment 0x40, ");
    SAYS("  DMA engine: move of 2000 B from the card (tag 4), window "
         "0x101000, segment 0x800, ");
    SAYS("node 0's move of 1000 B to the card (tag 3) waits for the memory of "
         "node 0's host (DMA engine), which answers nothing for ");
    SAYS("node 0's move of 2000 B from the card (tag 4) waits for the memory "
         "of node 0's host (DMA engine): see above");
    SAYS("  PUT of 131072 B to node 1 (tag 5)");
    CHECK(fsh_bed_await(&bed, 0, FSH_BED_RING_CPL, LIMIT, entry), "no end");
    CHECK(fsh_bed_await(&bed, 0, FSH_BED_RING_CPL, LIMIT, entry), "no end");
    finish(0, FSH_OP_PUT_ACK, 5);
}

int main(int argc, char **argv)
{
    if (argc > 1)
        seed = strtoull(argv[1], NULL, 0);
    printf("seed %llu\n", (unsigned long long)seed);
    all_is_seen();
    before_anything_is_set_up();
    memory_of_the_target();
    a_link_that_is_slow();
    memory_of_a_get();
    a_gate_that_is_shut();
    an_event_that_nobody_signals();
    moves_that_wait(FSH_MEMORY_DMA_HOST, "the memory of node 1's host", true);
    moves_that_wait(FSH_MEMORY_DMA_HOST, "the memory of node 1's host", false);
    moves_that_wait(FSH_MEMORY_DMA_CARD, "the device memory of node 1", true);
    moves_that_wait(FSH_MEMORY_DMA_CARD, "the device memory of node 1", false);
    moves_both_ways();
    puts("sim_dump: ok");
    return 0;
}
