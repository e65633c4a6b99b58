/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The RTL of two nodes end to end, without ranks: registers, a PUT and a GET
 * between segments, loop-back, active messages into receive slots, refusals,
 * and the cycles they take. Arguments: case names; none runs all. Environment,
 * to look into a failing case: SIM_WAVES=FILE.fst, SIM_STALL=SEED,
 * SIM_NO_JUMP=1.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bed.h"
#include "check.h"
#include "node_wrap.h"

#define MAX_CYCLES 200000u

static struct fsh_bed bed;

static bool open_bed(uint32_t nodes, uint32_t packet, bool hold)
{
    struct fsh_fabric_config config;
    struct fsh_bed_options options = {
        .packet = packet, .ports = 3, .hold = hold, .seg_size = 64u << 20};
    char err[512];

    fsh_fabric_defaults(&config);
    config.nodes = nodes;
    config.dram_bytes = 64u << 20;
    config.waves = getenv("SIM_WAVES");
    config.jump = getenv("SIM_NO_JUMP") == NULL;
    if (getenv("SIM_STALL")) {
        config.stall = true;
        config.stall_seed = strtoull(getenv("SIM_STALL"), NULL, 0);
    }
    if (fsh_bed_open(&bed, &config, &options, err, sizeof err))
        return true;
    fprintf(stderr, "sim_node: %s\n", err);
    return false;
}

static unsigned char pattern(uint64_t i, unsigned salt)
{
    uint64_t x = (i + 1) * UINT64_C(0x9E3779B97F4A7C15) + salt;

    return (unsigned char)(x >> 56);
}

static void fill(unsigned char *mem, uint32_t bytes, unsigned salt)
{
    for (uint32_t i = 0; i < bytes; i++)
        mem[i] = pattern(i, salt);
}

/* mem[0..bytes) is the pattern, and 64 bytes on both sides are zero. */
static bool holds(const unsigned char *mem, uint32_t bytes, unsigned salt)
{
    for (uint32_t i = 0; i < bytes; i++)
        EXPECT(mem[i] == pattern(i, salt),
               "byte %u of %u is 0x%02x, not 0x%02x", i, bytes, mem[i],
               pattern(i, salt));
    for (int i = 1; i <= 64; i++)
        EXPECT(mem[-i] == 0, "byte %d before is 0x%02x", i, mem[-i]);
    for (uint32_t i = 0; i < 64; i++)
        EXPECT(mem[bytes + i] == 0, "byte %u after is 0x%02x", i,
               mem[bytes + i]);
    return true;
}

static bool completed(uint32_t node, uint32_t tag, uint32_t opcode)
{
    uint64_t entry[2];

    EXPECT(fsh_bed_await(&bed, node, FSH_BED_RING_CPL, MAX_CYCLES, entry),
           "no completion for tag %u at node %u", tag, node);
    EXPECT(fsh_ring_kind(entry) == FSH_CPL_TAGGED, "kind %llu",
           (unsigned long long)fsh_ring_kind(entry));
    EXPECT(fsh_ring_status(entry) == FSH_STATUS_OK, "status %llu",
           (unsigned long long)fsh_ring_status(entry));
    EXPECT(fsh_ring_tag(entry) == tag, "tag %llu, not %u",
           (unsigned long long)fsh_ring_tag(entry), tag);
    (void)opcode;
    return true;
}

static bool case_registers(void)
{
    uint64_t id, node;

    for (uint32_t i = 0; i < 2; i++) {
        EXPECT(fsh_fabric_read(bed.fab, i, FSH_REG_ID, MAX_CYCLES, &id),
               "no answer");
        EXPECT((uint32_t)id == FSH_DEVICE_MAGIC, "ID %llx",
               (unsigned long long)id);
        EXPECT((id >> 32 & 0xffff) == FSH_SPEC_MAJOR, "ID %llx",
               (unsigned long long)id);
        EXPECT(fsh_fabric_read(bed.fab, i, FSH_REG_NODE, MAX_CYCLES, &node),
               "no answer");
        EXPECT(node == (i | 2u << 8), "NODE %llx", (unsigned long long)node);
    }
    return true;
}

static void say_cycles(const char *what, uint32_t bytes)
{
    struct fsh_bed_perf accept, written, request, sent, reply;

    fsh_bed_perf(&bed, 0, FSH_PERF_ACCEPT, &accept);
    fsh_bed_perf(&bed, 0, FSH_PERF_HDR_SENT, &sent);
    fsh_bed_perf(&bed, 1, FSH_PERF_REQ_HDR, &request);
    fsh_bed_perf(&bed, 0, FSH_PERF_REP_HDR, &reply);
    fsh_bed_perf(&bed, what[0] == 'G' ? 0 : 1, FSH_PERF_WRITTEN, &written);
    printf("%s of %u bytes: accepted 0, header sent %lld, request header %lld, "
           "reply header %lld, written %lld\n",
           what, bytes, (long long)(sent.first - accept.first),
           (long long)(request.first - accept.first),
           (long long)(reply.first - accept.first),
           (long long)(written.last - accept.first));
}

static bool put_or_get(bool get, uint32_t length, uint64_t from, uint64_t to,
                       uint32_t dst)
{
    struct fsh_bed_command cmd;
    unsigned char *source = fsh_fabric_dram(bed.fab, get ? dst : 0) + from;
    unsigned char *target = fsh_fabric_dram(bed.fab, get ? 0 : dst) + to;

    fill(source, length, 7);
    memset(target - 64, 0, length + 128);
    for (uint32_t i = 0; i < bed.nodes; i++)
        fsh_fabric_host_write(bed.fab, i, FSH_REG_PERF_CLEAR, 1);
    fsh_fabric_run(bed.fab, MAX_CYCLES);
    if (get)
        fsh_bed_get(&cmd, dst, 5, to, from, length);
    else
        fsh_bed_put(&cmd, dst, 5, from, to, length);
    EXPECT(fsh_bed_submit(&bed, 0, &cmd), "window full");
    if (!completed(0, 5, get ? FSH_OP_GET : FSH_OP_PUT) ||
        !holds(target, length, 7)) {
        fprintf(stderr, "%s of %u bytes, 0x%llx to 0x%llx, node 0 and %u\n",
                get ? "GET" : "PUT", length, (unsigned long long)from,
                (unsigned long long)to, dst);
        return false;
    }
    EXPECT(fsh_fabric_run(bed.fab, MAX_CYCLES), "node does not become idle");
    return true;
}

static const uint32_t lengths[] = {1,   4,    15,   16,   17,   64,    127,
                                   128, 1000, 1024, 1025, 4096, 10000, 65536};

static bool sweep(bool get, uint32_t dst)
{
    for (unsigned i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        uint32_t n = lengths[i];

        if (!put_or_get(get, n, 0x10000, 0x200000, dst))
            return false;
        if (dst == 1 && (n == 4 || n == 65536))
            say_cycles(get ? "GET" : "PUT", n);
        if (!put_or_get(get, n, 0x10003 + i, 0x200fe5 + 3 * i, dst))
            return false;
    }
    return true;
}

static bool case_put(void)
{
    return sweep(false, 1);
}

static bool case_get(void)
{
    return sweep(true, 1);
}

static bool case_loop(void)
{
    return sweep(false, 0) && sweep(true, 0);
}

static bool case_inline(void)
{
    struct fsh_bed_command cmd;
    unsigned char data[448];
    unsigned char *target = fsh_fabric_dram(bed.fab, 1) + 0x300001;

    fill(data, sizeof data, 9);
    for (uint32_t n = 1; n <= sizeof data; n += n < 20 ? 1 : 61) {
        memset(target - 64, 0, sizeof data + 128);
        fsh_bed_command(&cmd, FSH_OP_PUT, FSH_CAT_LONG, 1, 11);
        fsh_cmd_set_ack(cmd.word, 1);
        fsh_cmd_set_raddr(cmd.word, 0x300001);
        fsh_bed_attach(&cmd, NULL, 0, data, n);
        EXPECT(fsh_bed_submit(&bed, 0, &cmd), "window full");
        if (!completed(0, 11, FSH_OP_PUT) || !holds(target, n, 9))
            return false;
    }
    return true;
}

/* A Medium with arguments, from the segment, into a slot of node 1. */
static bool medium(uint32_t nargs, uint32_t length, uint32_t slot)
{
    struct fsh_bed_command cmd;
    uint32_t args[16], got;
    uint64_t entry[2], hdr[2];
    const unsigned char *dma = fsh_fabric_dma(bed.fab, 1);
    const unsigned char *pay = dma + FSH_BED_SLOT_PAY + slot * FSH_MAX_MEDIUM;
    const unsigned char *head =
        dma + FSH_BED_SLOT_HDR + slot * FSH_SLOT_HEADER_BYTES;

    for (uint32_t i = 0; i < 16; i++)
        args[i] = 0x01010101u * (i + 1) + slot;
    fill(fsh_fabric_dram(bed.fab, 0) + 0x40005, length, slot);
    fsh_bed_command(&cmd, FSH_OP_CLIENT + 3,
                    length ? FSH_CAT_MEDIUM : FSH_CAT_SHORT, 1, slot);
    fsh_cmd_set_laddr(cmd.word, 0x40005);
    fsh_cmd_set_length(cmd.word, length);
    fsh_bed_attach(&cmd, args, nargs, NULL, 0);
    EXPECT(fsh_bed_submit(&bed, 0, &cmd), "window full");
    EXPECT(fsh_bed_await(&bed, 1, FSH_BED_RING_REQ, MAX_CYCLES, entry),
           "no message with %u arguments and %u bytes", nargs, length);
    EXPECT(fsh_ring_kind(entry) == FSH_CPL_MESSAGE &&
               fsh_ring_opcode(entry) == FSH_OP_CLIENT + 3 &&
               fsh_ring_node(entry) == 0 && fsh_ring_tag(entry) == slot &&
               fsh_ring_status(entry) == FSH_STATUS_OK,
           "entry %016llx", (unsigned long long)entry[0]);
    memcpy(hdr, head, sizeof hdr);
    EXPECT(fsh_hdr_nargs(hdr) == nargs && fsh_hdr_total(hdr) == length,
           "header %016llx %016llx", (unsigned long long)hdr[0],
           (unsigned long long)hdr[1]);
    for (uint32_t i = 0; i < nargs; i++) {
        memcpy(&got, head + 16 + 4 * i, 4);
        EXPECT(got == args[i], "argument %u is %x, not %x", i, got, args[i]);
    }
    for (uint32_t i = 0; i < length; i++)
        EXPECT(pay[i] == pattern(i, slot), "payload byte %u of %u", i, length);
    return true;
}

static bool case_medium(void)
{
    static const uint32_t sizes[] = {0, 1, 16, 100, 1024, 1500, 4096};

    for (uint32_t nargs = 0; nargs <= 16; nargs++)
        for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++)
            if (!medium(nargs, sizes[i], (nargs + i) % 16))
                return false;
    return true;
}

static bool case_refused(void)
{
    struct fsh_bed_command cmd;
    uint64_t entry[2];

    fsh_bed_put(&cmd, 1, 3, 0, 0, 64);
    cmd.word[3] ^= UINT64_C(1) << 60; /* the check byte */
    EXPECT(fsh_bed_submit(&bed, 0, &cmd), "window full");
    EXPECT(fsh_bed_await(&bed, 0, FSH_BED_RING_CPL, MAX_CYCLES, entry),
           "no entry");
    EXPECT(fsh_ring_kind(entry) == FSH_CPL_REFUSED &&
               fsh_ring_status(entry) == FSH_STATUS_BAD_COMMAND,
           "entry %016llx", (unsigned long long)entry[0]);
    fsh_bed_put(&cmd, 1, 4, 0, bed.seg_size - 63, 64);
    EXPECT(fsh_bed_submit(&bed, 0, &cmd), "window full");
    EXPECT(fsh_bed_await(&bed, 0, FSH_BED_RING_CPL, MAX_CYCLES, entry),
           "no entry");
    EXPECT(fsh_ring_status(entry) == FSH_STATUS_REMOTE_RANGE &&
               fsh_ring_tag(entry) == 4,
           "entry %016llx", (unsigned long long)entry[0]);
    return put_or_get(false, 64, 0, 0x200000, 1);
}

/* Queue behind the gate; nothing moves before it opens, all moves after. */
static bool case_gate(void)
{
    struct fsh_bed_command cmd;
    uint64_t entry[2];

    fsh_fabric_host_write(bed.fab, 0, FSH_REG_CONTROL, 3);
    fill(fsh_fabric_dram(bed.fab, 0) + 0x1000, 256, 1);
    memset(fsh_fabric_dram(bed.fab, 1) + 0x1000 - 64, 0, 256 + 128);
    fsh_bed_put(&cmd, 1, 1, 0x1000, 0x1000, 256);
    EXPECT(fsh_bed_submit(&bed, 0, &cmd), "window full");
    EXPECT(fsh_fabric_run(bed.fab, MAX_CYCLES), "held nodes are not idle");
    EXPECT(!fsh_bed_take(&bed, 0, FSH_BED_RING_CPL, entry), "gate leaks");
    fsh_fabric_gate(bed.fab);
    return completed(0, 1, FSH_OP_PUT) &&
           holds(fsh_fabric_dram(bed.fab, 1) + 0x1000, 256, 1);
}

/* What is compared to find a node standing still has none of its memories in it, by
 * whatever names they go. */
static bool case_compared(void)
{
    struct fsh_node_io io = {.in = {.rst = 1}};
    struct fsh_node *node = fsh_node_create(&io, 0, 1, NULL);
    size_t bytes = fsh_node_compared(node);

    fsh_node_destroy(node);
    EXPECT(bytes < 32 << 10, "%zu bytes", bytes);
    return true;
}

/* A node whose core has not been used takes no memory for most of it. */
static bool case_memory(void)
{
    struct fsh_fabric_config config;
    size_t bytes[2];

    for (uint64_t seed = 0; seed < 2; seed++) {
        struct fsh_fabric_stats stats;
        struct fsh_fabric *fab;
        char err[512];

        fsh_fabric_defaults(&config);
        config.nodes = 8;
        config.seed = seed;
        config.compute = true;
        fab = fsh_fabric_create(&config, err, sizeof err);
        EXPECT(fab != NULL, "%s", err);
        fsh_fabric_stats(fab, &stats);
        bytes[seed] = stats.node_bytes;
        fsh_fabric_destroy(fab);
    }
    printf("memory of a node: %zu KB, %zu KB with random values\n",
           bytes[0] / 1024, bytes[1] / 1024);
    EXPECT(bytes[0] > 0 && bytes[0] + (300 << 10) < bytes[1], "%zu of %zu",
           bytes[0], bytes[1]);
    return true;
}

static const struct {
    const char *name;
    bool (*run)(void);
} cases[] = {
    {"registers", case_registers}, {"put", case_put},
    {"inline", case_inline},       {"get", case_get},
    {"loop", case_loop},           {"medium", case_medium},
    {"refused", case_refused},     {"gate", case_gate},
    {"compared", case_compared},   {"memory", case_memory},
};

static bool wanted(int argc, char **argv, const char *name)
{
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], name) == 0)
            return true;
    return argc == 1;
}

int main(int argc, char **argv)
{
    int failures = 0;

    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        bool ok;

        if (!wanted(argc, argv, cases[i].name))
            continue;
        if (!open_bed(2, 1024, false))
            return 1;
        ok = cases[i].run();
        printf("%s %s\n", cases[i].name, ok ? "ok" : "FAILED");
        fflush(stdout);
        if (!ok)
            for (uint32_t n = 0; n < bed.nodes; n++)
                fsh_bed_dump(&bed, n);
        failures += !ok;
        fsh_bed_close(&bed);
    }
    return failures != 0;
}
