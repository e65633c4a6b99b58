/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory errors: an operation that reads or writes a bad byte at either end, in
 * device memory or host memory, over one link, two, both at once or the loop, ends
 * with status MEMORY, once; operations around it succeed, with their data. Argument:
 * seed of the stalls; none: no stalls, then a few.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bed.h"
#include "check.h"

#define NODES 4u
#define LIMIT 400000u
#define SEGMENT (1u << 20)
#define DMA_BYTES (17u << 20)
#define FROM 0x10000u
#define TO 0x80000u
#define BOUNCE FSH_BED_BOUNCE
#define GOOD 0x40000u /* what the others move */
#define OTHERS 8u
#define TAG 40u

static struct fsh_bed bed;
static bool stalled;

static unsigned char *memory(uint32_t node, bool host)
{
    return host ? fsh_fabric_dma(bed.fab, node)
                : fsh_fabric_dram(bed.fab, node);
}

static void open_bed(uint64_t seed)
{
    struct fsh_bed_options options = {.packet = 512, .ports = 3};
    struct fsh_fabric_config config;
    char err[256];

    fsh_fabric_defaults(&config);
    config.nodes = NODES;
    config.dram_bytes = SEGMENT;
    config.dma_bytes = DMA_BYTES;
    config.stall = stalled = seed != 0;
    config.stall_seed = seed;
    config.waves = getenv("SIM_WAVES");
    CHECK(fsh_bed_open(&bed, &config, &options, err, sizeof err), "%s", err);
    for (uint32_t n = 0; n < NODES; n++)
        for (uint32_t i = 0; i < 0x30000; i++) {
            memory(n, false)[FROM + i] = (unsigned char)(i * 11 + n + (i >> 8));
            memory(n, true)[BOUNCE + i] = (unsigned char)(i * 5 + n + (i >> 8));
        }
}

static void spoil(uint32_t node, bool host, uint64_t at, uint64_t bytes)
{
    if (host) {
        fsh_fabric_spoil_memory(bed.fab, node, FSH_LANES, at, bytes);
        return;
    }
    for (uint32_t p = 0; p < FSH_LANES; p++)
        fsh_fabric_spoil_memory(bed.fab, node, p, at, bytes);
}

static void settle(void)
{
    CHECK(fsh_fabric_run(bed.fab, LIMIT), "the nodes do not come to rest: %s",
          fsh_fabric_error(bed.fab) ? fsh_fabric_error(bed.fab) : "no error");
}

static void submit(const struct fsh_bed_command *cmd)
{
    while (!fsh_bed_submit(&bed, 0, cmd))
        CHECK(fsh_fabric_step(bed.fab), "no room in the window");
}

/* PUTs and GETs between node 0 and `peer` that touch nothing bad. */
static void submit_others(uint32_t peer, uint32_t first, uint32_t length)
{
    struct fsh_bed_command cmd;

    for (uint32_t i = first; i < first + OTHERS / 2; i++) {
        uint64_t to = GOOD + i * 0x2000;

        if (i % 2)
            fsh_bed_get(&cmd, peer, i, to, FROM + 0x20000, length);
        else
            fsh_bed_put(&cmd, peer, i, FROM + 0x20000, to, length);
        submit(&cmd);
    }
}

static void check_others(const char *name, uint32_t peer, uint32_t length)
{
    for (uint32_t i = 0; i < OTHERS; i++) {
        unsigned char *to = memory(i % 2 ? 0 : peer, false) + GOOD + i * 0x2000;

        CHECK(memcmp(to, memory(i % 2 ? peer : 0, false) + FROM + 0x20000,
                     length) == 0,
              "%s: transfer %u beside it has wrong data", name, i);
        memset(to, 0, length);
    }
}

/* Each tag once; TAG with status MEMORY, and no other: but if responses of writes
 * that are held back wait together, an error is said of all of them. */
static void check_completions(const char *name, uint32_t tags, bool alone)
{
    uint64_t entry[2], seen = 0;

    while (fsh_bed_take(&bed, 0, FSH_BED_RING_CPL, entry)) {
        uint32_t tag = (uint32_t)fsh_ring_tag(entry);
        uint32_t want = tag == TAG ? FSH_STATUS_MEMORY : FSH_STATUS_OK;

        if (fsh_ring_kind(entry) == FSH_CPL_SLOT)
            continue;
        CHECK(fsh_ring_kind(entry) == FSH_CPL_TAGGED && !(seen >> tag & 1),
              "%s: entry %016llx", name, (unsigned long long)entry[0]);
        CHECK(fsh_ring_status(entry) == want ||
                  (!alone && fsh_ring_status(entry) == FSH_STATUS_MEMORY),
              "%s: tag %u: status %u", name, tag,
              (unsigned)fsh_ring_status(entry));
        seen |= UINT64_C(1) << tag;
    }
    CHECK((unsigned)__builtin_popcountll(seen) == tags, "%s: %d of %u tags",
          name, __builtin_popcountll(seen), tags);
}

/* One transfer with one bad byte, of so many that it moves. */
static void transfer(const char *name, bool get, uint32_t peer, bool bounce,
                     bool bad_source, uint32_t length, uint32_t bad)
{
    uint32_t source = get ? peer : 0, target = get ? 0 : peer;
    uint64_t local = bounce ? BOUNCE + 3 : get ? TO + 5 : FROM + 7;
    uint64_t remote = get ? FROM + 7 : TO + 5;
    uint64_t at = bad_source ? (get ? remote : local) : (get ? local : remote);
    bool host = bounce && bad_source != get;
    struct fsh_bed_command cmd;

    spoil(bad_source ? source : target, host, at + bad, 1);
    if (get)
        fsh_bed_get(&cmd, peer, TAG, local, remote, length);
    else
        fsh_bed_put(&cmd, peer, TAG, local, remote, length);
    if (bounce)
        fsh_cmd_set_lspace(cmd.word, FSH_SPACE_HOST);
    submit_others(peer, 0, 700);
    submit(&cmd);
    submit_others(peer, OTHERS / 2, 700);
    settle();
    check_completions(name, OTHERS + 1, bad_source || !stalled);
    check_others(name, peer, 700);
    spoil(bad_source ? source : target, host, 0, 0);
}

static void case_transfers(void)
{
    static const struct {
        uint32_t length, bad;
    } sizes[] = {{1, 0},      {40, 0},      {40, 39},     {512, 100},
                 {1000, 990}, {9000, 5000}, {9000, 8999}, {9000, 0}};
    char name[96];

    for (unsigned i = 0; i < 8 * NODES * sizeof sizes / sizeof *sizes; i++) {
        bool get = i & 1, bounce = i & 2, bad_source = i & 4;
        uint32_t peer = i / 8 % NODES;
        unsigned s = i / 8 / NODES;

        snprintf(name, sizeof name, "%s of %u, node %u, %s%s, byte %u",
                 get ? "GET" : "PUT", sizes[s].length, peer,
                 bounce ? "bounced, " : "", bad_source ? "source" : "target",
                 sizes[s].bad);
        transfer(name, get, peer, bounce, bad_source, sizes[s].length,
                 sizes[s].bad);
    }
}

/* A message arrives once, with the status, and so does the one after it without. */
static void case_messages(void)
{
    static const struct {
        uint32_t category, length;
        bool target;
    } kinds[] = {
        {FSH_CAT_MEDIUM, 60, false},  {FSH_CAT_MEDIUM, 4000, false},
        {FSH_CAT_MEDIUM, 4000, true}, {FSH_CAT_LONG, 60, false},
        {FSH_CAT_LONG, 5000, false},  {FSH_CAT_LONG, 5000, true},
        {FSH_CAT_SHORT, 0, true},
    };
    uint32_t args[16] = {7};
    struct fsh_bed_command cmd;
    uint64_t entry[2];

    for (unsigned i = 0; i < NODES * sizeof kinds / sizeof *kinds; i++) {
        uint32_t peer = i % NODES, slot = 2, k = i / NODES;
        bool host = kinds[k].target && kinds[k].category != FSH_CAT_LONG;
        uint64_t at = !kinds[k].target ? FROM + 50
                      : kinds[k].category == FSH_CAT_LONG
                          ? TO + 50
                          : FSH_BED_SLOT_HDR + slot * FSH_SLOT_HEADER_BYTES;

        for (int again = 0; again < 2; again++) {
            if (again)
                spoil(kinds[k].target ? peer : 0, host, 0, 0);
            else
                spoil(kinds[k].target ? peer : 0, host, at, 1);
            fsh_bed_command(&cmd, FSH_OP_CLIENT, kinds[k].category, peer, slot);
            fsh_cmd_set_laddr(cmd.word, FROM);
            fsh_cmd_set_length(cmd.word, kinds[k].length);
            if (kinds[k].category == FSH_CAT_LONG)
                fsh_cmd_set_raddr(cmd.word, TO);
            fsh_bed_attach(&cmd, args, 9, NULL, 0);
            submit(&cmd);
            settle();
            CHECK(fsh_bed_take(&bed, peer, FSH_BED_RING_REQ, entry) &&
                      fsh_ring_tag(entry) == slot &&
                      fsh_ring_status(entry) ==
                          (again ? FSH_STATUS_OK : FSH_STATUS_MEMORY),
                  "message %u to node %u: entry %016llx", k, peer,
                  (unsigned long long)entry[0]);
            CHECK(!fsh_bed_take(&bed, peer, FSH_BED_RING_REQ, entry), "twice");
        }
    }
}

static void play(uint64_t seed)
{
    printf("stalls %llu\n", (unsigned long long)seed);
    fflush(stdout);
    open_bed(seed);
    case_transfers();
    case_messages();
    CHECK(fsh_bed_close(&bed), "close");
}

int main(int argc, char **argv)
{
    if (argc > 1) {
        play(strtoull(argv[1], NULL, 0));
    } else {
        for (uint64_t seed = 0; seed < 4; seed++)
            play(seed);
    }
    printf("sim_errors: ok\n");
    return 0;
}
