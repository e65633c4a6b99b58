/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Commands of a compute core at the node's compute port, case by case: PUTs, signals
 * and completions, valid and invalid, concurrent with the request window of the
 * host. Messages of hosts: sim_compute_port.c; under load: sim_compute_storm.c.
 * Arguments: case names. Environment: see sim_port.h.
 */
#include "sim_port.h"

#include <string.h>

#define FROM 0x10003u
#define TO 0x80005u

static void fill(uint32_t node, uint32_t length)
{
    unsigned char *from = fsh_fabric_dram(port_bed.fab, node) + FROM;

    for (uint32_t i = 0; i < length; i++)
        from[i] = (unsigned char)((i + 1) * 2654435761u >> 24 | 1);
}

/* The core's PUT of node 0 ends with this status, and only then is written. */
static void put(uint32_t dst, uint32_t tag, uint64_t laddr, uint64_t raddr,
                uint32_t length, uint32_t status)
{
    unsigned before = port_seen[0].acks;

    for (uint32_t n = 0; n < port_bed.nodes; n++)
        memset(fsh_fabric_dram(port_bed.fab, n) + TO, 0, 0x4000);
    CHECK(core_put(0, dst, tag, laddr, raddr, length), "queue");
    core_wake(&port_bed, 0);
    while (port_seen[0].acks == before)
        CHECK(fsh_fabric_step(port_bed.fab), "PUT of %u to %u: no ack", length,
              dst);
    CHECK(port_seen[0].tag == tag && port_seen[0].status == status,
          "tag %u, status %u; %u and %u expected", port_seen[0].tag,
          port_seen[0].status, tag, status);
    if (status == FSH_STATUS_OK)
        CHECK(memcmp(fsh_fabric_dram(port_bed.fab, dst) + raddr,
                     fsh_fabric_dram(port_bed.fab, 0) + laddr, length) == 0,
              "PUT of %u to %u: not written", length, dst);
    port_settle();
    CHECK(port_seen[0].acks == before + 1, "acks");
    for (uint32_t n = 0; n < port_bed.nodes; n++)
        CHECK((status == FSH_STATUS_OK && n == dst) ||
                  fsh_fabric_dram(port_bed.fab, n)[TO] == 0,
              "written at node %u", n);
}

static void case_put(void)
{
    static const uint32_t lengths[] = {0, 1, 16, 256, 257, 1000, 10000};

    port_open(4, true, 8);
    fill(0, 10000);
    for (uint32_t dst = 0; dst < 4; dst++)
        for (unsigned i = 0; i < sizeof lengths / sizeof *lengths; i++)
            put(dst, dst * 4 + i % 4, FROM, TO, lengths[i], FSH_STATUS_OK);
    /* Half way round, so over both ports. */
    CHECK(port_counted(0, FSH_PERF_TX_BEAT0) > 1000 &&
              port_counted(0, FSH_PERF_TX_BEAT1) > 1000,
          "one port alone");
    CHECK(port_counted(0, FSH_PERF_ACCEPT) == 0, "counted as of the host");
    put(1, 15, PORT_SEGMENT - 64, TO, 64, FSH_STATUS_OK);
    port_close();
}

static void case_bad_put(void)
{
    port_open(4, true, 8);
    fill(0, 1000);
    for (uint32_t dst = 0; dst < 2; dst++) {
        put(dst, 3, PORT_SEGMENT - 63, TO, 64, FSH_STATUS_LOCAL_RANGE);
        put(dst, 4, (UINT64_C(1) << 40) - 1, TO, 2, FSH_STATUS_LOCAL_RANGE);
        put(dst, 5, FROM, PORT_SEGMENT - 63, 64, FSH_STATUS_REMOTE_RANGE);
        put(dst, 6, FROM, (UINT64_C(1) << 40) - 8, 64, FSH_STATUS_REMOTE_RANGE);
    }
    put(4, 7, FROM, TO, 64, FSH_STATUS_BAD_NODE);
    put(64, 8, FROM, TO, 64, FSH_STATUS_BAD_NODE);
    put(255, 8, FROM, TO, 64, FSH_STATUS_BAD_NODE);
    fsh_fabric_host_write(port_bed.fab, 0, FSH_REG_ROUTE + 8 * 2, PORT_SEGMENT);
    port_settle();
    put(2, 9, FROM, TO, 64, FSH_STATUS_BAD_NODE);
    /* Seven refused at once, by the way of those to itself as well. */
    CHECK(port_counted(0, FSH_PERF_REFUSED) == 2 * 3 + 4 + 1, "%llu refused",
          (unsigned long long)port_counted(0, FSH_PERF_REFUSED));
    port_close();
}

static void case_messages(void)
{
    struct fsh_port_in junk = {.kind = 3, .dst = 1, .length = 64};

    port_open(3, true, 8);
    for (uint32_t dst = 0; dst < 3; dst++) {
        CHECK(core_signal(1, dst, 63 - dst, 1 + dst) &&
                  core_complete(1, dst, 2047 - dst, 15 - dst),
              "queue");
        core_wake(&port_bed, 1);
        port_expect(dst, FSH_CPL_TAGGED, FSH_OP_COMPUTE, 1, 2047 - dst,
                    15 - dst);
        port_settle();
        CHECK(port_seen[dst].signals == 1 &&
                  port_seen[dst].counter == 63 - dst &&
                  port_seen[dst].increment == 1 + dst,
              "signal of %u to %u", port_seen[dst].increment,
              port_seen[dst].counter);
    }
    /* Without a target, and of no kind: dropped, and nothing stays behind. */
    CHECK(core_signal(1, 3, 1, 1) && core_complete(1, 200, 1, 1) &&
              core_raw(1, &junk) && core_signal(1, 1, 7, 7),
          "queue");
    core_wake(&port_bed, 1);
    port_settle();
    CHECK(port_seen[1].signals == 2 && port_seen[1].counter == 7 &&
              port_seen[1].acks == 0,
          "signal after those dropped");
    CHECK(port_counted(1, FSH_PERF_REFUSED) == 3, "refused");
    CHECK(port_counted(0, FSH_PERF_REQ_HDR) == 2, "headers");
    port_close();
}

/* All cores to all, as fast as they can: none is lost, none is counted twice. */
static void case_signal_storm(void)
{
    const uint32_t each = 4 * 64 * 8;
    uint32_t sent[4] = {0};

    port_open(4, true, 8);
    for (uint32_t n = 0; n < 4; n++) {
        core[n].awake = true;
        core_wake(&port_bed, n);
    }
    while (sent[0] + sent[1] + sent[2] + sent[3] < 4 * each) {
        for (uint32_t n = 0; n < 4; n++)
            if (sent[n] < each)
                sent[n] += core_signal(n, sent[n] % 4, sent[n] / 4 % 64, 1 + n);
        fsh_fabric_step(port_bed.fab);
    }
    for (uint32_t n = 0; n < 4; n++)
        core[n].awake = false;
    port_settle();
    for (uint32_t n = 0; n < 4; n++)
        for (uint32_t k = 0; k < 64; k++)
            CHECK(port_seen[n].sum[k] == 8 * (1 + 2 + 3 + 4),
                  "node %u: counter %u is %u", n, k, port_seen[n].sum[k]);
    port_close();
}

/* A compute core cannot make another run, nor invent operations. */
static void case_forged(void)
{
    struct fsh_port_in cmd = {.kind = FSH_EKIND_MESSAGE, .dst = 1};

    port_open(2, true, 8);
    for (uint32_t op = 0; op < 16; op++) {
        cmd.laddr = op | 0x30;
        if (op != FSH_CMSG_SIGNAL && op != FSH_CMSG_COMPLETE)
            CHECK(core_raw(0, &cmd), "queue");
    }
    core_wake(&port_bed, 0);
    port_settle();
    CHECK(port_seen[1].runs + port_seen[1].signals + port_seen[0].acks == 0,
          "not dropped");
    CHECK(port_counted(1, FSH_PERF_REFUSED) == 14, "refused");
    port_try_run(0, 1, 0, FSH_STATUS_OK);
    port_close();
}

/* The start gate holds the window, not the core. */
static void case_gate(void)
{
    struct fsh_bed_command cmd;

    port_open(2, true, 8);
    fill(0, 64);
    fsh_fabric_host_write(port_bed.fab, 0, FSH_REG_CONTROL, 3);
    port_message(&cmd, 1, 1, port_signal_args(1, 1), 2);
    CHECK(fsh_bed_submit(&port_bed, 0, &cmd), "window full");
    port_settle();
    put(1, 1, FROM, TO, 64, FSH_STATUS_OK);
    CHECK(port_seen[1].signals == 0, "gate leaks");
    fsh_fabric_gate(port_bed.fab);
    port_expect(0, FSH_CPL_TAGGED, FSH_OP_PUT_ACK, 1, 1, FSH_STATUS_OK);
    port_close();
}

/* Both have all they can: neither gets less than a third. */
static void case_fair(void)
{
    unsigned host = 0, out = 0, next = 0;
    struct fsh_bed_command cmd;
    uint64_t end, entry[2];

    port_open(2, true, 8);
    core[0].awake = true;
    core_wake(&port_bed, 0);
    end = fsh_fabric_cycle(port_bed.fab) + 20000;
    while (fsh_fabric_cycle(port_bed.fab) < end) {
        fsh_bed_put(&cmd, 1, next % FSH_HOST_TAGS, 0, 0x1000, 64);
        if (out < 40 && fsh_bed_submit(&port_bed, 0, &cmd))
            next++, out++;
        core_put(0, 1, next % FSH_COMPUTE_TAGS, 0, 0x2000, 64);
        fsh_fabric_step(port_bed.fab);
        while (fsh_bed_take(&port_bed, 0, FSH_BED_RING_CPL, entry))
            host++, out--;
    }
    CHECK(host > 500 && port_seen[0].acks > 500,
          "%u of the host, %u of the core", host, port_seen[0].acks);
    core[0].awake = false;
    core[0].tail = core[0].head + core[0].out.ccmd_valid;
    port_settle();
    while (fsh_bed_take(&port_bed, 0, FSH_BED_RING_CPL, entry))
        continue;
    port_close();
}

/* A core's command whose port is taken does not bar the host's to the other;
 * nor a host's the core's. */
static void case_bypass(void)
{
    struct fsh_bed_command cmd;
    uint64_t entry[2];

    port_open(4, true, 8);
    for (int host = 0; host < 2; host++) {
        /* 1 MB over port 0, one more command for it, one for port 1. */
        for (uint32_t tag = 1; tag < 3; tag++) {
            fsh_bed_put(&cmd, 1, tag, 0, 0, tag == 1 ? PORT_SEGMENT : 64);
            CHECK(host
                      ? fsh_bed_submit(&port_bed, 0, &cmd)
                      : core_put(0, 1, tag, 0, 0, tag == 1 ? PORT_SEGMENT : 64),
                  "room");
        }
        core_wake(&port_bed, 0);
        for (int i = 0; i < 2000; i++)
            fsh_fabric_step(port_bed.fab);
        fsh_bed_put(&cmd, 3, 3, 0, 0, 64);
        CHECK(host ? core_put(0, 3, 3, 0, 0, 64)
                   : fsh_bed_submit(&port_bed, 0, &cmd),
              "room");
        core_wake(&port_bed, 0);
        port_seen[0].acks = 0;
        while (host ? port_seen[0].acks == 0
                    : !fsh_bed_take(&port_bed, 0, FSH_BED_RING_CPL, entry))
            CHECK(fsh_fabric_step(port_bed.fab), "not completed");
        CHECK(host ? port_seen[0].tag == 3 : fsh_ring_tag(entry) == 3,
              "passed");
        CHECK(host || port_seen[0].acks == 0, "the long one was over");
        port_settle();
        while (fsh_bed_take(&port_bed, 0, FSH_BED_RING_CPL, entry))
            continue;
    }
    port_close();
}

/* Completions that a host has not asked for fill its ring and no more: those
 * without room are counted, and the next one comes when there is room again. */
static void case_full(void)
{
    enum { ROOM = 3, SENT = 8 };
    uint64_t faults = 0;

    port_open(2, true, 8);
    fsh_fabric_host_write(port_bed.fab, 1, FSH_REG_CPL_TAKEN,
                          FSH_RING_ENTRIES + ROOM);
    port_settle();
    for (uint32_t i = 0; i <= SENT; i++) {
        if (i == SENT)
            fsh_fabric_host_write(port_bed.fab, 1, FSH_REG_CPL_TAKEN, 0);
        port_settle();
        CHECK(core_complete(0, 1, i, FSH_STATUS_OK), "queue");
        core_wake(&port_bed, 0);
        port_settle();
    }
    CHECK(
        fsh_fabric_read(port_bed.fab, 1, FSH_REG_FAULTS, PORT_LIMIT, &faults) &&
            faults == (uint64_t)(SENT - ROOM) << 24,
        "faults %llx", (unsigned long long)faults);
    for (uint32_t i = 0; i <= ROOM; i++)
        port_expect(1, FSH_CPL_TAGGED, FSH_OP_COMPUTE, 0, i < ROOM ? i : SENT,
                    FSH_STATUS_OK);
    port_close();
}

static const struct port_case cases[] = {
    {"put", case_put},           {"bad_put", case_bad_put},
    {"messages", case_messages}, {"signal_storm", case_signal_storm},
    {"forged", case_forged},     {"gate", case_gate},
    {"fair", case_fair},         {"bypass", case_bypass},
    {"full", case_full},
};

int main(int argc, char **argv)
{
    return port_main(argc, argv, "sim_compute_commands", cases,
                     sizeof cases / sizeof *cases);
}
