/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The compute port of the node, case by case: COMPUTE messages of hosts, taken or
 * refused, here and from afar; commands of the compute core, which is played in C
 * (sim_core.h). Under load: sim_compute_storm.c. Arguments: case names.
 * Environment: SIM_WAVES=FILE.fst, SIM_STALL=SEED.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "sim_core.h"

#define LIMIT 100000u
#define SEGMENT (1u << 20)
#define FROM 0x10003u
#define TO 0x80005u

static struct fsh_bed bed;
static uint32_t (*storm)[FSH_NUM_EVENTS]; /* by node: sums, if wanted */

/* What the cores have been told. */
static struct {
    unsigned runs, signals, acks;
    struct fsh_port_out run;
    uint32_t counter, increment, tag, status;
} seen[FSH_MAX_NODES];

void core_on_run(uint32_t node, const struct fsh_port_out *port)
{
    seen[node].runs++;
    seen[node].run = *port;
}

void core_on_signal(uint32_t node, uint32_t counter, uint32_t increment)
{
    seen[node].signals++;
    seen[node].counter = counter;
    seen[node].increment = increment;
    if (storm)
        storm[node][counter] += increment;
}

void core_on_ack(uint32_t node, uint32_t tag, uint32_t status)
{
    seen[node].acks++;
    seen[node].tag = tag;
    seen[node].status = status;
}

static void open_bed(uint32_t nodes, bool compute, uint32_t capacity)
{
    struct fsh_fabric_config config;
    struct fsh_bed_options options = {
        .packet = 256, .ports = 3, .seg_size = SEGMENT};
    char err[512];

    fsh_fabric_defaults(&config);
    config.nodes = nodes;
    config.compute = compute;
    config.dram_bytes = 2 * SEGMENT;
    config.waves = getenv("SIM_WAVES");
    if (getenv("SIM_STALL")) {
        config.stall = true;
        config.stall_seed = strtoull(getenv("SIM_STALL"), NULL, 0);
    }
    memset(seen, 0, sizeof seen);
    CHECK(fsh_bed_open(&bed, &config, &options, err, sizeof err), "%s", err);
    for (uint32_t n = 0; n < nodes && compute; n++) {
        core[n].capacity[0] = core[n].capacity[1] = capacity;
        core_wake(&bed, n);
    }
    CHECK(fsh_fabric_run(bed.fab, LIMIT), "not idle after reset");
}

static void close_bed(void)
{
    CHECK(fsh_fabric_run(bed.fab, LIMIT), "the nodes do not become idle: %s",
          fsh_fabric_error(bed.fab) ? fsh_fabric_error(bed.fab) : "no error");
    for (uint32_t n = 0; n < bed.nodes; n++) {
        uint64_t entry[2];

        CHECK(!core[n].overrun, "node %u: RUN without room", n);
        for (int ring = 0; ring < 3; ring++)
            CHECK(!fsh_bed_take(&bed, n, (enum fsh_bed_ring)ring, entry),
                  "node %u: an entry too many: %016llx", n,
                  (unsigned long long)entry[0]);
    }
    CHECK(fsh_bed_close(&bed), "close");
}

static void settle(void)
{
    CHECK(fsh_fabric_run(bed.fab, LIMIT), "the nodes do not become idle");
}

/* The next entry of a completion ring. */
static void expect(uint32_t node, uint32_t kind, uint32_t opcode, uint32_t peer,
                   uint32_t tag, uint32_t status)
{
    uint64_t entry[2];

    CHECK(fsh_bed_await(&bed, node, FSH_BED_RING_CPL, LIMIT, entry),
          "node %u: no entry", node);
    CHECK(fsh_ring_kind(entry) == kind && fsh_ring_opcode(entry) == opcode &&
              fsh_ring_node(entry) == peer && fsh_ring_tag(entry) == tag &&
              fsh_ring_status(entry) == status,
          "entry %016llx: kind %u opcode %u peer %u tag %u status %u expected",
          (unsigned long long)entry[0], kind, opcode, peer, tag, status);
}

static uint64_t counted(uint32_t node, uint32_t event)
{
    struct fsh_bed_perf perf;

    CHECK(fsh_bed_perf(&bed, node, event, &perf), "counter");
    return perf.count;
}

/* --- messages of hosts ----------------------------------------------------- */

static void make_message(struct fsh_bed_command *cmd, uint32_t dst,
                         uint32_t tag, uint64_t two, uint32_t nargs)
{
    uint32_t args[16] = {(uint32_t)two, (uint32_t)(two >> 32), ~0u, ~0u};

    fsh_bed_command(cmd, FSH_OP_COMPUTE, FSH_CAT_SHORT, dst, tag);
    fsh_bed_attach(cmd, args, nargs, NULL, 0);
}

static void send(uint32_t from, uint32_t dst, uint64_t two, uint32_t nargs,
                 uint32_t status)
{
    struct fsh_bed_command cmd;

    make_message(&cmd, dst, 47, two, nargs);
    CHECK(fsh_bed_submit(&bed, from, &cmd), "window full");
    expect(from, FSH_CPL_TAGGED, FSH_OP_PUT_ACK, dst, 47, status);
}

static uint64_t run_args(uint32_t count, uint32_t mover, uint32_t addr)
{
    uint64_t args = 0;

    fsh_crun_set_op(&args, FSH_CMSG_RUN);
    fsh_crun_set_count(&args, count);
    fsh_crun_set_mover(&args, mover);
    fsh_crun_set_addr(&args, addr);
    return args;
}

static uint64_t signal_args(uint32_t counter, uint32_t increment)
{
    uint64_t args = 0;

    fsh_csignal_set_op(&args, FSH_CMSG_SIGNAL);
    fsh_csignal_set_counter(&args, counter);
    fsh_csignal_set_increment(&args, increment);
    return args;
}

static void try_run(uint32_t from, uint32_t dst, uint32_t mover,
                    uint32_t status)
{
    unsigned before = seen[dst].runs;
    const struct fsh_port_out *run = &seen[dst].run;

    send(from, dst, run_args(200 + from, mover, 0x87654320 + dst), 2, status);
    settle();
    CHECK(seen[dst].runs - before == (status == FSH_STATUS_OK), "%u RUNs",
          seen[dst].runs - before);
    CHECK(status != FSH_STATUS_OK ||
              (run->run_count == 200 + from && run->run_mover == mover &&
               run->run_addr == 0x87654320 + dst && run->run_src == from),
          "count %u queue %u address %x of %u", run->run_count, run->run_mover,
          run->run_addr, run->run_src);
}

static void case_run(void)
{
    open_bed(3, true, 8);
    for (uint32_t from = 0; from < 3; from++)
        for (uint32_t to = 0; to < 3; to++)
            for (uint32_t mover = 0; mover < 2; mover++)
                try_run(from, to, mover, FSH_STATUS_OK);
    CHECK(counted(0, FSH_PERF_REFUSED) == 0, "refused");
    close_bed();
}

static void case_busy(void)
{
    open_bed(2, true, 3); /* less than four: no room ever */
    try_run(0, 1, 0, FSH_STATUS_BUSY);
    try_run(1, 1, 1, FSH_STATUS_BUSY);
    core[1].capacity[1] = 4;
    core_wake(&bed, 1);
    settle();
    try_run(0, 1, 0, FSH_STATUS_BUSY);
    try_run(0, 1, 1, FSH_STATUS_OK);
    CHECK(counted(1, FSH_PERF_REFUSED) == 3, "refused");
    close_bed();
}

static void case_signal(void)
{
    unsigned sent = 0;

    open_bed(2, true, 8);
    for (uint32_t from = 0; from < 2; from++)
        for (uint32_t nargs = 2; nargs <= 4; nargs++) {
            uint32_t counter = 60 + nargs - from, increment = 255 - from;

            send(from, 1, signal_args(counter, increment), nargs,
                 FSH_STATUS_OK);
            settle();
            CHECK(seen[1].signals == ++sent &&
                      seen[1].counter == counter % 64 &&
                      seen[1].increment == increment,
                  "%u of %u signals: %u to %u", seen[1].signals, sent,
                  seen[1].increment, seen[1].counter);
        }
    close_bed();
}

/* No such operation, or none for a host. */
static void case_unsupported(void)
{
    open_bed(2, true, 8);
    for (uint32_t op = FSH_CMSG_COMPLETE; op < 16; op++)
        send(0, op % 2, op | 0x30, 1 + op % 4, FSH_STATUS_UNSUPPORTED);
    send(0, 1, run_args(0, 0, 1), 2, FSH_STATUS_UNSUPPORTED);
    settle();
    CHECK(seen[0].runs + seen[1].runs + seen[0].signals + seen[1].signals == 0,
          "something reached a core");
    CHECK(counted(0, FSH_PERF_REFUSED) + counted(1, FSH_PERF_REFUSED) == 15,
          "refused");
    close_bed();
}

static void case_absent(void)
{
    for (int present = 0; present < 2; present++) {
        uint64_t caps;

        open_bed(2, present, 8);
        CHECK(fsh_fabric_read(bed.fab, 0, FSH_REG_CAPS, LIMIT, &caps), "read");
        CHECK((caps >> 48 & 1) == (uint64_t)present && caps >> 49 == 0 &&
                  (caps >> 16 & 0xffff) == FSH_NUM_TAGS,
              "CAPS %llx", (unsigned long long)caps);
        for (uint32_t to = 0; to < 2 && !present; to++) {
            send(0, to, run_args(1, 0, 1), 2, FSH_STATUS_UNSUPPORTED);
            send(0, to, signal_args(1, 1), 2, FSH_STATUS_UNSUPPORTED);
        }
        close_bed();
    }
}

static void refused(const struct fsh_bed_command *cmd, uint32_t status)
{
    CHECK(fsh_bed_submit(&bed, 0, cmd), "window full");
    expect(0, FSH_CPL_REFUSED, (uint32_t)fsh_cmd_opcode(cmd->word),
           (uint32_t)fsh_cmd_dst(cmd->word), (uint32_t)fsh_cmd_tag(cmd->word),
           status);
}

/* Refused where they are submitted. */
static void case_submit(void)
{
    struct fsh_bed_command cmd;

    open_bed(2, true, 8);
    make_message(&cmd, 1, 5, run_args(1, 0, 1), 0);
    refused(&cmd, FSH_STATUS_BAD_LENGTH);
    make_message(&cmd, 1, 5, run_args(1, 0, 1), 5);
    refused(&cmd, FSH_STATUS_BAD_LENGTH);
    make_message(&cmd, 1, 5, run_args(1, 0, 1), 2);
    fsh_cmd_set_length(cmd.word, 1);
    refused(&cmd, FSH_STATUS_BAD_LENGTH);
    make_message(&cmd, 1, 5, run_args(1, 0, 1), 2);
    fsh_cmd_set_category(cmd.word, FSH_CAT_MEDIUM);
    refused(&cmd, FSH_STATUS_BAD_COMMAND);
    make_message(&cmd, 1, 5, run_args(1, 0, 1), 2);
    fsh_cmd_set_reply(cmd.word, 1);
    refused(&cmd, FSH_STATUS_BAD_COMMAND);
    make_message(&cmd, 2, 5, run_args(1, 0, 1), 2);
    refused(&cmd, FSH_STATUS_BAD_NODE);
    for (uint32_t tag = FSH_HOST_TAGS; tag <= FSH_NUM_TAGS; tag += 16) {
        make_message(&cmd, 1, tag, run_args(1, 0, 1), 2);
        refused(&cmd, FSH_STATUS_BAD_COMMAND);
        fsh_bed_put(&cmd, 1, tag, 0, 0, 64);
        refused(&cmd, FSH_STATUS_BAD_COMMAND);
        fsh_bed_get(&cmd, 1, tag, 0, 0, 64);
        refused(&cmd, FSH_STATUS_BAD_COMMAND);
    }
    settle();
    CHECK(seen[1].runs == 0, "a RUN");
    send(0, 1, run_args(1, 0, 1), 2, FSH_STATUS_OK);
    close_bed();
}

/* --- commands of the core -------------------------------------------------- */

static void fill(uint32_t node, uint32_t length)
{
    unsigned char *from = fsh_fabric_dram(bed.fab, node) + FROM;

    for (uint32_t i = 0; i < length; i++)
        from[i] = (unsigned char)((i + 1) * 2654435761u >> 24 | 1);
}

/* The core's PUT of node 0 ends with this status, and only then is written. */
static void put(uint32_t dst, uint32_t tag, uint64_t laddr, uint64_t raddr,
                uint32_t length, uint32_t status)
{
    unsigned before = seen[0].acks;

    for (uint32_t n = 0; n < bed.nodes; n++)
        memset(fsh_fabric_dram(bed.fab, n) + TO, 0, 0x4000);
    CHECK(core_put(0, dst, tag, laddr, raddr, length), "queue");
    core_wake(&bed, 0);
    while (seen[0].acks == before)
        CHECK(fsh_fabric_step(bed.fab), "PUT of %u to %u: no ack", length, dst);
    CHECK(seen[0].tag == tag && seen[0].status == status,
          "tag %u, status %u; %u and %u expected", seen[0].tag, seen[0].status,
          tag, status);
    if (status == FSH_STATUS_OK)
        CHECK(memcmp(fsh_fabric_dram(bed.fab, dst) + raddr,
                     fsh_fabric_dram(bed.fab, 0) + laddr, length) == 0,
              "PUT of %u to %u: not written", length, dst);
    settle();
    CHECK(seen[0].acks == before + 1, "acks");
    for (uint32_t n = 0; n < bed.nodes; n++)
        CHECK((status == FSH_STATUS_OK && n == dst) ||
                  fsh_fabric_dram(bed.fab, n)[TO] == 0,
              "written at node %u", n);
}

static void case_put(void)
{
    static const uint32_t lengths[] = {0, 1, 16, 256, 257, 1000, 10000};

    open_bed(4, true, 8);
    fill(0, 10000);
    for (uint32_t dst = 0; dst < 4; dst++)
        for (unsigned i = 0; i < sizeof lengths / sizeof *lengths; i++)
            put(dst, dst * 4 + i % 4, FROM, TO, lengths[i], FSH_STATUS_OK);
    /* Half way round, so over both ports. */
    CHECK(counted(0, FSH_PERF_TX_BEAT0) > 1000 &&
              counted(0, FSH_PERF_TX_BEAT1) > 1000,
          "one port alone");
    CHECK(counted(0, FSH_PERF_ACCEPT) == 0, "counted as of the host");
    put(1, 15, SEGMENT - 64, TO, 64, FSH_STATUS_OK);
    close_bed();
}

static void case_bad_put(void)
{
    open_bed(4, true, 8);
    fill(0, 1000);
    for (uint32_t dst = 0; dst < 2; dst++) {
        put(dst, 3, SEGMENT - 63, TO, 64, FSH_STATUS_LOCAL_RANGE);
        put(dst, 4, (UINT64_C(1) << 40) - 1, TO, 2, FSH_STATUS_LOCAL_RANGE);
        put(dst, 5, FROM, SEGMENT - 63, 64, FSH_STATUS_REMOTE_RANGE);
        put(dst, 6, FROM, (UINT64_C(1) << 40) - 8, 64, FSH_STATUS_REMOTE_RANGE);
    }
    put(4, 7, FROM, TO, 64, FSH_STATUS_BAD_NODE);
    put(64, 8, FROM, TO, 64, FSH_STATUS_BAD_NODE);
    put(255, 8, FROM, TO, 64, FSH_STATUS_BAD_NODE);
    fsh_fabric_host_write(bed.fab, 0, FSH_REG_ROUTE + 8 * 2, SEGMENT);
    settle();
    put(2, 9, FROM, TO, 64, FSH_STATUS_BAD_NODE);
    /* Seven refused at once, by the way of those to itself as well. */
    CHECK(counted(0, FSH_PERF_REFUSED) == 2 * 3 + 4 + 1, "%llu refused",
          (unsigned long long)counted(0, FSH_PERF_REFUSED));
    close_bed();
}

static void case_messages(void)
{
    struct fsh_port_in junk = {.kind = 3, .dst = 1, .length = 64};

    open_bed(3, true, 8);
    for (uint32_t dst = 0; dst < 3; dst++) {
        CHECK(core_signal(1, dst, 63 - dst, 1 + dst) &&
                  core_complete(1, dst, 2047 - dst, 15 - dst),
              "queue");
        core_wake(&bed, 1);
        expect(dst, FSH_CPL_TAGGED, FSH_OP_COMPUTE, 1, 2047 - dst, 15 - dst);
        settle();
        CHECK(seen[dst].signals == 1 && seen[dst].counter == 63 - dst &&
                  seen[dst].increment == 1 + dst,
              "signal of %u to %u", seen[dst].increment, seen[dst].counter);
    }
    /* Without a target, and of no kind: dropped, and nothing stays behind. */
    CHECK(core_signal(1, 3, 1, 1) && core_complete(1, 200, 1, 1) &&
              core_raw(1, &junk) && core_signal(1, 1, 7, 7),
          "queue");
    core_wake(&bed, 1);
    settle();
    CHECK(seen[1].signals == 2 && seen[1].counter == 7 && seen[1].acks == 0,
          "signal after those dropped");
    CHECK(counted(1, FSH_PERF_REFUSED) == 3, "refused");
    CHECK(counted(0, FSH_PERF_REQ_HDR) == 2, "headers");
    close_bed();
}

/* All cores to all, as fast as they can: none is lost, none is counted twice. */
static void case_signal_storm(void)
{
    static uint32_t got[4][FSH_NUM_EVENTS];
    const uint32_t each = 4 * 64 * 8;
    uint32_t sent[4] = {0};

    open_bed(4, true, 8);
    memset(got, 0, sizeof got);
    storm = got;
    for (uint32_t n = 0; n < 4; n++) {
        core[n].awake = true;
        core_wake(&bed, n);
    }
    while (sent[0] + sent[1] + sent[2] + sent[3] < 4 * each) {
        for (uint32_t n = 0; n < 4; n++)
            if (sent[n] < each)
                sent[n] += core_signal(n, sent[n] % 4, sent[n] / 4 % 64, 1 + n);
        fsh_fabric_step(bed.fab);
    }
    for (uint32_t n = 0; n < 4; n++)
        core[n].awake = false;
    settle();
    storm = NULL;
    for (uint32_t n = 0; n < 4; n++)
        for (uint32_t k = 0; k < 64; k++)
            CHECK(got[n][k] == 8 * (1 + 2 + 3 + 4), "node %u: counter %u is %u",
                  n, k, got[n][k]);
    close_bed();
}

/* A compute core cannot make another run, nor invent operations. */
static void case_forged(void)
{
    struct fsh_port_in cmd = {.kind = FSH_CPORT_SIGNAL, .dst = 1};

    open_bed(2, true, 8);
    for (uint32_t op = 0; op < 16; op++) {
        cmd.laddr = op | 0x30;
        if (op != FSH_CMSG_SIGNAL && op != FSH_CMSG_COMPLETE)
            CHECK(core_raw(0, &cmd), "queue");
    }
    core_wake(&bed, 0);
    settle();
    CHECK(seen[1].runs + seen[1].signals + seen[0].acks == 0, "not dropped");
    CHECK(counted(1, FSH_PERF_REFUSED) == 14, "refused");
    try_run(0, 1, 0, FSH_STATUS_OK);
    close_bed();
}

/* --- beside the request window --------------------------------------------- */

/* The start gate holds the window, not the core. */
static void case_gate(void)
{
    struct fsh_bed_command cmd;

    open_bed(2, true, 8);
    fill(0, 64);
    fsh_fabric_host_write(bed.fab, 0, FSH_REG_CONTROL, 3);
    make_message(&cmd, 1, 1, signal_args(1, 1), 2);
    CHECK(fsh_bed_submit(&bed, 0, &cmd), "window full");
    settle();
    put(1, 1, FROM, TO, 64, FSH_STATUS_OK);
    CHECK(seen[1].signals == 0, "gate leaks");
    fsh_fabric_gate(bed.fab);
    expect(0, FSH_CPL_TAGGED, FSH_OP_PUT_ACK, 1, 1, FSH_STATUS_OK);
    close_bed();
}

/* Both have all they can: neither gets less than a third. */
static void case_fair(void)
{
    unsigned host = 0, out = 0, next = 0;
    struct fsh_bed_command cmd;
    uint64_t end, entry[2];

    open_bed(2, true, 8);
    core[0].awake = true;
    core_wake(&bed, 0);
    end = fsh_fabric_cycle(bed.fab) + 20000;
    while (fsh_fabric_cycle(bed.fab) < end) {
        fsh_bed_put(&cmd, 1, next % FSH_HOST_TAGS, 0, 0x1000, 64);
        if (out < 40 && fsh_bed_submit(&bed, 0, &cmd))
            next++, out++;
        core_put(0, 1, next % FSH_COMPUTE_TAGS, 0, 0x2000, 64);
        fsh_fabric_step(bed.fab);
        while (fsh_bed_take(&bed, 0, FSH_BED_RING_CPL, entry))
            host++, out--;
    }
    CHECK(host > 500 && seen[0].acks > 500, "%u of the host, %u of the core",
          host, seen[0].acks);
    core[0].awake = false;
    core[0].tail = core[0].head + core[0].io->out.port.ccmd_valid;
    settle();
    while (fsh_bed_take(&bed, 0, FSH_BED_RING_CPL, entry))
        continue;
    close_bed();
}

/* A core's command whose port is taken does not bar the host's to the other;
 * nor a host's the core's. */
static void case_bypass(void)
{
    struct fsh_bed_command cmd;
    uint64_t entry[2];

    open_bed(4, true, 8);
    for (int host = 0; host < 2; host++) {
        /* 1 MB over port 1, one more command for it, one for port 0. */
        for (uint32_t tag = 1; tag < 3; tag++) {
            fsh_bed_put(&cmd, 1, tag, 0, 0, tag == 1 ? SEGMENT : 64);
            CHECK(host ? fsh_bed_submit(&bed, 0, &cmd)
                       : core_put(0, 1, tag, 0, 0, tag == 1 ? SEGMENT : 64),
                  "room");
        }
        core_wake(&bed, 0);
        for (int i = 0; i < 2000; i++)
            fsh_fabric_step(bed.fab);
        fsh_bed_put(&cmd, 3, 3, 0, 0, 64);
        CHECK(host ? core_put(0, 3, 3, 0, 0, 64)
                   : fsh_bed_submit(&bed, 0, &cmd),
              "room");
        core_wake(&bed, 0);
        seen[0].acks = 0;
        while (host ? seen[0].acks == 0
                    : !fsh_bed_take(&bed, 0, FSH_BED_RING_CPL, entry))
            CHECK(fsh_fabric_step(bed.fab), "not completed");
        CHECK(host ? seen[0].tag == 3 : fsh_ring_tag(entry) == 3, "passed");
        CHECK(host || seen[0].acks == 0, "the long one was over");
        settle();
        while (fsh_bed_take(&bed, 0, FSH_BED_RING_CPL, entry))
            continue;
    }
    close_bed();
}

static const struct {
    const char *name;
    void (*run)(void);
} cases[] = {
    {"run", case_run},           {"busy", case_busy},
    {"signal", case_signal},     {"unsupported", case_unsupported},
    {"absent", case_absent},     {"submit", case_submit},
    {"put", case_put},           {"bad_put", case_bad_put},
    {"messages", case_messages}, {"signal_storm", case_signal_storm},
    {"forged", case_forged},     {"gate", case_gate},
    {"fair", case_fair},         {"bypass", case_bypass},
};

int main(int argc, char **argv)
{
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        bool wanted = argc == 1;

        for (int k = 1; k < argc; k++)
            wanted |= strcmp(argv[k], cases[i].name) == 0;
        if (!wanted)
            continue;
        printf("%s\n", cases[i].name);
        fflush(stdout);
        cases[i].run();
    }
    puts("sim_compute_port: ok");
    return 0;
}
