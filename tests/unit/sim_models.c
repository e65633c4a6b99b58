/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The models of the simulator around a scripted node: this file and sim_bare.c
 * implement node_wrap.h, so each test decides what a node drives in which cycle and
 * sees what arrives when. Checks the stated delays, order, bandwidth, byte enables,
 * AXI errors, the gate, and that skipping time changes no cycle.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/sim/sim_shm.h"
#include "fabric.h"
#include "node_wrap.h"
#include "check.h"

enum { MAX_LOG = 4096, START = 16 };

/* --- the scripted node ---------------------------------------------------- */

enum event { EV_WRITE, EV_GATE, EV_BEAT, EV_AW, EV_W, EV_B, EV_AR, EV_R };

struct entry {
    enum event kind;
    uint32_t node, unit; /* unit: port or master */
    uint64_t cycle, value;
};

struct fsh_node {
    struct fsh_node_io *io;
    uint32_t index;
};

/* What the nodes do: called once per evaluation with the inputs of the cycle;
 * sets the outputs of the next. */
static void (*script)(struct fsh_node *node);
static struct entry logged[MAX_LOG];
static unsigned count;

static void note(enum event kind, const struct fsh_node *node, uint32_t unit,
                 uint64_t value)
{
    CHECK(count < MAX_LOG, "log overflow");
    logged[count++] =
        (struct entry){kind, node->index, unit, node->io->in.cycle, value};
}

static const struct entry *find(enum event kind, unsigned nth)
{
    for (unsigned i = 0; i < count; i++)
        if (logged[i].kind == kind && nth-- == 0)
            return &logged[i];
    CHECK(false, "event %d did not happen", (int)kind);
    return NULL;
}

static unsigned happened(enum event kind)
{
    unsigned n = 0;

    for (unsigned i = 0; i < count; i++)
        n += logged[i].kind == kind;
    return n;
}

struct fsh_node *fsh_node_create(struct fsh_node_io *io, uint32_t index,
                                 uint64_t seed, struct fsh_node_waves *waves)
{
    struct fsh_node *node = calloc(1, sizeof *node);

    (void)seed;
    (void)waves;
    CHECK(node != NULL, "memory");
    node->io = io;
    node->index = index;
    return node;
}

void fsh_node_destroy(struct fsh_node *node)
{
    free(node);
}

static void note_inputs(struct fsh_node *node)
{
    const struct fsh_node_in *in = &node->io->in;
    const struct fsh_node_out *out = &node->io->out;

    if (in->gate)
        note(EV_GATE, node, 0, 0);
    if (in->awvalid && out->awready)
        note(EV_WRITE, node, in->awaddr, in->wdata);
    for (uint32_t p = 0; p < FSH_NODE_PORTS; p++)
        if (in->rx[p].valid)
            note(EV_BEAT, node, p, in->rx[p].data[0]);
    for (uint32_t m = 0; m < FSH_NODE_MASTERS; m++) {
        if (in->axi[m].awready && out->axi[m].awvalid)
            note(EV_AW, node, m, out->axi[m].awaddr);
        if (in->axi[m].wready && out->axi[m].wvalid)
            note(EV_W, node, m, out->axi[m].wdata[0]);
        if (in->axi[m].bvalid && out->axi[m].bready)
            note(EV_B, node, m, 0);
        if (in->axi[m].arready && out->axi[m].arvalid)
            note(EV_AR, node, m, out->axi[m].araddr);
        if (in->axi[m].rvalid && out->axi[m].rready)
            note(EV_R, node, m, in->axi[m].rdata[0]);
    }
}

/* Quiet, ready for everything, idle. */
static void relax(struct fsh_node *node)
{
    struct fsh_node_out *out = &node->io->out;
    bool respond = node->io->in.awvalid && out->awready;

    memset(out, 0, sizeof *out);
    out->idle = 1;
    out->awready = out->wready = out->arready = 1;
    out->bvalid = respond;
    for (uint32_t m = 0; m < FSH_NODE_MASTERS; m++)
        out->axi[m].bready = out->axi[m].rready = 1;
}

void fsh_node_eval(struct fsh_node *node)
{
    struct fsh_node_out old = node->io->out;
    bool read = node->io->in.arvalid && old.arready;

    if (node->io->in.rst) {
        relax(node);
        return;
    }
    note_inputs(node);
    script(node);
    if (read) { /* any register reads as its own offset */
        node->io->out.rvalid = 1;
        node->io->out.rdata = node->io->in.araddr;
    }
}

/* --- a fabric for each test ----------------------------------------------- */

static struct fsh_fabric_config config;
static struct fsh_fabric *fab;

static void open_fabric(void (*with)(struct fsh_node *node))
{
    char err[256];

    script = with;
    count = 0;
    fab = fsh_fabric_create(&config, err, sizeof err);
    CHECK(fab != NULL, "%s", err);
}

static void defaults(void)
{
    fsh_fabric_defaults(&config);
    config.dram_bytes = 1u << 20;
    config.dma_bytes = 1u << 20;
}

static void close_fabric(void)
{
    CHECK(fsh_fabric_error(fab) == NULL, "%s", fsh_fabric_error(fab));
    CHECK(fsh_fabric_destroy(fab), "close");
}

/* The node's answer to a register write at 8 * unit: a beat on a link port. */
static void send_on_write(struct fsh_node *node)
{
    const struct fsh_node_in *in = &node->io->in;
    bool go = in->awvalid && node->io->out.awready;

    relax(node);
    if (!go)
        return;
    node->io->out.tx[in->awaddr / 8 % FSH_NODE_PORTS].valid = 1;
    node->io->out.tx[in->awaddr / 8 % FSH_NODE_PORTS].data[0] = in->wdata;
}

static void test_host_and_link(void)
{
    const struct entry *write, *beat;
    uint64_t value;

    defaults();
    config.nodes = 3;
    open_fabric(send_on_write);
    fsh_fabric_host_write(fab, 2, 0, 77);
    fsh_fabric_host_write(fab, 2, 0, 78);
    CHECK(fsh_fabric_run(fab, 10000), "not quiet");
    write = find(EV_WRITE, 0);
    CHECK(write->cycle == START + 125, "write after %llu cycles",
          (unsigned long long)write->cycle - START);
    CHECK(find(EV_WRITE, 1)->cycle == write->cycle + 1, "one write a cycle");
    /* The beat is driven in the cycle after the write was taken. */
    beat = find(EV_BEAT, 0);
    CHECK(beat->node == 0 && beat->unit == 1 && beat->value == 77, "wiring");
    CHECK(beat->cycle == write->cycle + 1 + 30, "link takes %llu",
          (unsigned long long)(beat->cycle - write->cycle - 1));
    CHECK(find(EV_BEAT, 1)->cycle == beat->cycle + 1, "a beat a cycle");
    value = fsh_fabric_cycle(fab);
    CHECK(fsh_fabric_read(fab, 1, 0x208, 10000, &value) && value == 0x208,
          "register read");
    close_fabric();
}

/* Beats of all ports come out where the topology says, and nowhere else. */
static void check_wires(const char *name, uint32_t nodes)
{
    static struct fsh_topology topology;
    unsigned beats = 0, ends = 0;
    char err[300];

    CHECK(fsh_topology_make(&topology, name, nodes, FSH_NODE_PORTS, err,
                            sizeof err),
          "%s of %u: %s", name, nodes, err);
    defaults();
    config.nodes = nodes;
    if (strcmp(name, "ring") != 0) /* the default */
        config.topology = &topology;
    open_fabric(send_on_write);
    for (uint32_t i = 0; i < nodes; i++)
        for (uint32_t p = 0; p < FSH_NODE_PORTS; p++) {
            fsh_fabric_host_write(fab, i, 8 * p, 100 * (i + 1) + p);
            ends += topology.peer[i][p].node != FSH_NO_NODE;
        }
    CHECK(fsh_fabric_run(fab, 10000), "not quiet");
    for (unsigned k = 0; k < count; k++) {
        const struct entry *e = &logged[k];
        uint32_t from = (uint32_t)(e->value / 100 - 1);
        uint32_t port = (uint32_t)(e->value % 100);

        if (e->kind != EV_BEAT)
            continue;
        beats++;
        CHECK(e->node == topology.peer[from][port].node &&
                  e->unit == topology.peer[from][port].port,
              "%s of %u: %u.%u to %u.%u", name, nodes, from, port, e->node,
              e->unit);
    }
    CHECK(beats == ends, "%s of %u: %u beats", name, nodes, beats);
    close_fabric();
}

/* Of other nodes than the fabric, or with more ports than nodes have. */
static void test_wrong_topology(void)
{
    static struct fsh_topology topology;
    char err[300] = "";

    CHECK(fsh_topology_make(&topology, "ring", 3, FSH_NODE_PORTS, err,
                            sizeof err));
    defaults();
    config.topology = &topology;
    config.nodes = 2;
    CHECK(!fsh_fabric_create(&config, err, sizeof err) &&
              strstr(err, "topology ring is of 3 nodes, the fabric of 2"),
          "%s", err);
    topology.ports = FSH_NODE_PORTS + 1;
    config.nodes = 3;
    CHECK(!fsh_fabric_create(&config, err, sizeof err) &&
              strstr(err, "topology ring needs 7 link ports a node"),
          "%s", err);
}

static void test_wiring(void)
{
    for (uint32_t nodes = 1; nodes <= 4; nodes++) {
        check_wires("ring", nodes);
        check_wires("line", nodes);
    }
    check_wires("full", 3);
    check_wires("hypercube", 4);
}

/* A master that writes a burst of four beats, then reads it back; the script
 * is driven by the cycle alone. */
static uint32_t users; /* which masters, a bit each */
static uint64_t base;
static uint32_t strobe;

static void drive_master(struct fsh_axi_out *axi, bool write, bool data,
                         bool read, uint32_t beat)
{
    if (write) {
        axi->awvalid = 1;
        axi->awaddr = base + 0x100;
        axi->awlen = 3;
    }
    if (data) {
        axi->wvalid = 1;
        axi->wlast = beat == 3;
        axi->wstrb = (uint16_t)strobe;
        axi->wdata[0] = 0x1111111111111111u * (beat + 1);
        axi->wdata[1] = ~axi->wdata[0];
    }
    if (read) {
        axi->arvalid = 1;
        axi->araddr = base + 0x100;
        axi->arlen = 3;
    }
}

static void write_then_read(struct fsh_node *node)
{
    static uint32_t sent[FSH_NODE_MASTERS];
    const struct fsh_node_out old = node->io->out;
    bool start = node->io->in.awvalid && old.awready;

    relax(node);
    for (uint32_t m = 0; m < FSH_NODE_MASTERS; m++) {
        const struct fsh_axi_out *axi = &old.axi[m];
        const struct fsh_axi_in *in = &node->io->in.axi[m];
        bool aw = axi->awvalid && !in->awready;
        bool ar = axi->arvalid && !in->arready;
        bool answered = in->bvalid && axi->bready;
        bool go = start && (users >> m & 1);

        if (start)
            sent[m] = 0;
        else if (axi->wvalid && in->wready)
            sent[m]++;
        drive_master(&node->io->out.axi[m], go || aw,
                     go || (axi->wvalid && sent[m] < 4), answered || ar,
                     sent[m]);
    }
}

static void run_master(uint32_t master, uint32_t strb, bool stall)
{
    defaults();
    config.nodes = 1;
    config.stall = stall;
    config.stall_seed = 5;
    users = 1u << master;
    base = master == FSH_NODE_HOST ? FSH_SIM_DMA_BUS : FSH_SIM_DRAM_BASE;
    strobe = strb;
    open_fabric(write_then_read);
    fsh_fabric_host_write(fab, 0, 0, 0);
    CHECK(fsh_fabric_run(fab, 100000), "not quiet");
    CHECK(happened(EV_W) == 4 && happened(EV_R) == 4 && happened(EV_B) == 1,
          "events");
}

static void test_memory_timing(void)
{
    for (uint32_t m = 0; m < FSH_NODE_MASTERS; m++) {
        bool host = m == FSH_NODE_HOST;
        uint64_t respond = host ? 1 : 4, read = host ? 250 : 40;

        run_master(m, 0xffff, false);
        CHECK(find(EV_W, 3)->cycle == find(EV_W, 0)->cycle + 3,
              "a beat a cycle");
        CHECK(find(EV_AW, 0)->cycle == find(EV_W, 0)->cycle,
              "address and data together");
        CHECK(
            find(EV_B, 0)->cycle == find(EV_W, 3)->cycle + respond,
            "master %u: response after %llu", m,
            (unsigned long long)(find(EV_B, 0)->cycle - find(EV_W, 3)->cycle));
        CHECK(
            find(EV_R, 0)->cycle == find(EV_AR, 0)->cycle + read,
            "master %u: data after %llu", m,
            (unsigned long long)(find(EV_R, 0)->cycle - find(EV_AR, 0)->cycle));
        for (unsigned i = 0; i < 4; i++) {
            CHECK(find(EV_R, i)->cycle == find(EV_R, 0)->cycle + i, "rate");
            CHECK(find(EV_R, i)->value == find(EV_W, i)->value, "data %u", i);
        }
        close_fabric();
        run_master(m, 0xffff, true);
        for (unsigned i = 0; i < 4; i++)
            CHECK(find(EV_R, i)->value == find(EV_W, i)->value,
                  "data %u under stalls", i);
        close_fabric();
    }
}

static void test_strobes(void)
{
    uint32_t x = 1;

    for (unsigned i = 0; i < 300; i++) {
        unsigned char want[16];
        uint64_t data[2] = {0x1111111111111111u, ~0x1111111111111111u};
        uint32_t master = i % FSH_NODE_MASTERS;
        const unsigned char *mem;

        x = x * 1664525u + 1013904223u;
        run_master(master, x >> 16, false);
        mem = master == FSH_NODE_HOST ? fsh_fabric_dma(fab, 0)
                                      : fsh_fabric_dram(fab, 0);
        memcpy(want, data, 16);
        for (unsigned b = 0; b < 16; b++)
            CHECK(mem[0x100 + b] == ((x >> 16 >> b) & 1 ? want[b] : 0),
                  "strobe %04x byte %u", x >> 16, b);
        close_fabric();
    }
}

/* Posted writes reach host memory 125 cycles after they were taken. */
static void test_host_write_delay(void)
{
    uint64_t taken;
    unsigned char *dma;

    run_master(FSH_NODE_HOST, 0xffff, false);
    taken = find(EV_W, 3)->cycle;
    close_fabric();
    config.jump = false;
    open_fabric(write_then_read);
    dma = fsh_fabric_dma(fab, 0);
    fsh_fabric_host_write(fab, 0, 0, 0);
    while (fsh_fabric_cycle(fab) < taken + 125)
        fsh_fabric_step(fab);
    CHECK(dma[0x130] == 0, "too early");
    CHECK(dma[0x120] != 0, "the beat before is not there");
    fsh_fabric_step(fab);
    CHECK(dma[0x130] != 0, "too late");
    close_fabric();
}

static uint64_t bad_addr;
static uint32_t bad_len;

static void bad_read(struct fsh_node *node)
{
    bool start = node->io->in.awvalid && node->io->out.awready;

    relax(node);
    node->io->out.axi[0].arvalid = start;
    node->io->out.axi[0].araddr = bad_addr;
    node->io->out.axi[0].arlen = (uint8_t)bad_len;
}

static void test_axi_errors(void)
{
    const struct {
        uint64_t addr;
        uint32_t len;
        const char *text;
    } bad[] = {
        {FSH_SIM_DRAM_BASE - 16, 0, "outside"},
        {FSH_SIM_DRAM_BASE + (1u << 20), 0, "outside"},
        {FSH_SIM_DRAM_BASE + (1u << 20) - 16, 1, "outside"},
        {0, 0, "outside"},
        {FSH_SIM_DRAM_BASE + 4096 - 16, 1, "crosses 4 KiB"},
    };

    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
        const char *error;

        defaults();
        bad_addr = bad[i].addr;
        bad_len = bad[i].len;
        open_fabric(bad_read);
        fsh_fabric_host_write(fab, 1, 0, 0);
        CHECK(!fsh_fabric_run(fab, 10000), "not noticed");
        error = fsh_fabric_error(fab);
        CHECK(error && strstr(error, "node 1"), "%s", error ? error : "none");
        /* A burst at the end of memory does both: either text will do. */
        CHECK(strstr(error, bad[i].text) || strstr(error, "crosses"), "%s",
              error);
        fsh_fabric_destroy(fab);
    }
}

/* The gate opens at one cycle everywhere, after all earlier writes. */
static void test_gate(void)
{
    const struct entry *gate;

    defaults();
    config.nodes = 4;
    open_fabric(relax);
    for (unsigned i = 0; i < 500; i++)
        fsh_fabric_host_write(fab, 2, 8, i);
    fsh_fabric_gate(fab);
    fsh_fabric_host_write(fab, 1, 8, 1000);
    CHECK(fsh_fabric_run(fab, 10000), "not quiet");
    CHECK(happened(EV_GATE) == 4, "%u gates", happened(EV_GATE));
    gate = find(EV_GATE, 0);
    for (unsigned i = 1; i < 4; i++)
        CHECK(find(EV_GATE, i)->cycle == gate->cycle, "not at one cycle");
    for (unsigned i = 0; i < count; i++)
        CHECK(logged[i].kind != EV_WRITE || logged[i].node != 2 ||
                  logged[i].cycle < gate->cycle,
              "a write after the gate");
    close_fabric();
}

static void test_queue_full(void)
{
    uint32_t n = 0;

    defaults();
    open_fabric(relax);
    while (fsh_fabric_host_write(fab, 0, 8, n))
        n++;
    CHECK(n == 2 * FSH_SIM_WRITES, "%u writes fit", n);
    CHECK(fsh_fabric_host_room(fab, 0) == 0, "room");
    CHECK(fsh_fabric_host_room(fab, 1) == n, "room of another");
    count = 0;
    for (uint32_t i = 0; i < 200; i++)
        fsh_fabric_step(fab);
    CHECK(fsh_fabric_host_room(fab, 0) > 0, "not drained");
    for (unsigned i = 0; i < happened(EV_WRITE); i++)
        CHECK(find(EV_WRITE, i)->value == i, "order");
    fsh_fabric_destroy(fab);
}

/* Both ports at once over memory of 24 B a cycle: three beats in two cycles,
 * so eight beats take six, and neither port waits for the other's end. */
static void test_bandwidth(void)
{
    uint64_t first, last = 0, ends[2] = {0};

    defaults();
    config.nodes = 1;
    config.dram_bytes_cycle = 24;
    users = 3;
    base = FSH_SIM_DRAM_BASE;
    strobe = 0xffff;
    open_fabric(write_then_read);
    fsh_fabric_host_write(fab, 0, 0, 0);
    CHECK(fsh_fabric_run(fab, 10000), "not quiet");
    CHECK(happened(EV_W) == 8, "%u beats", happened(EV_W));
    first = find(EV_W, 0)->cycle;
    for (unsigned i = 0; i < 8; i++) {
        last = find(EV_W, i)->cycle;
        ends[find(EV_W, i)->unit] = last;
    }
    CHECK(last - first + 1 == 6, "eight beats in %llu cycles",
          (unsigned long long)(last - first + 1));
    CHECK(ends[0] + 2 >= ends[1] && ends[1] + 2 >= ends[0], "unfair");
    close_fabric();
}

/* The same script with and without jumping logs the same. */
static void test_jump(void)
{
    static struct entry before[MAX_LOG];
    unsigned first;
    uint64_t hash, cycles;

    run_master(FSH_NODE_HOST, 0xffff, true);
    CHECK(fsh_fabric_evaluated(fab) < 200, "%llu evaluations",
          (unsigned long long)fsh_fabric_evaluated(fab));
    memcpy(before, logged, sizeof logged);
    first = count;
    hash = fsh_fabric_hash(fab);
    close_fabric();
    config.jump = false;
    open_fabric(write_then_read);
    fsh_fabric_host_write(fab, 0, 0, 0);
    CHECK(fsh_fabric_run(fab, 100000), "not quiet");
    cycles = fsh_fabric_cycle(fab) - START;
    CHECK(fsh_fabric_evaluated(fab) == cycles, "%llu evaluations of %llu",
          (unsigned long long)fsh_fabric_evaluated(fab),
          (unsigned long long)cycles);
    CHECK(fsh_fabric_hash(fab) == hash, "hash");
    CHECK(count == first, "%u events, not %u", count, first);
    CHECK(memcmp(before, logged, count * sizeof *logged) == 0, "events differ");
    close_fabric();
}

int main(void)
{
    test_host_and_link();
    test_wiring();
    test_wrong_topology();
    test_memory_timing();
    test_strobes();
    test_host_write_delay();
    test_axi_errors();
    test_gate();
    test_queue_full();
    test_bandwidth();
    test_jump();
    puts("sim_models: ok");
    return 0;
}
