/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The device memory behind the lanes of compute cores (sim/lane.c), around a
 * scripted core: latency, order, outstanding beats, strobes, errors, bandwidth
 * shared with the link ports' masters, stalls, jumping, recordings.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "device/sim/sim_shm.h"
#include "fabric.h"
#include "node_wrap.h"

#define LANES FSH_COMPUTE_LANES
#define BYTES FSH_LANE_BYTES
#define MEMORY (1u << 20)
#define READS 0u /* what is read and, from WRITES on, what is written */
#define WRITES (MEMORY / 2)
#define LIMIT 1000000u

/* --- a core that follows a script, in a node that reads on one port, if asked to */

/* Beats to read and write on each lane; what of it is done. */
struct lane {
    uint32_t reads, writes; /* to do */
    uint32_t ar, r, aw, w, b;
    uint64_t first_ar, first_r, last_r, first_w, first_b;
    uint32_t most; /* outstanding reads */
    unsigned errors;
};
struct fsh_node {
    struct fsh_node_io *io;
    struct lane lane[LANES];
    uint64_t beats; /* of the port */
};
static struct fsh_node core;
static bool node_reads;
static uint32_t plan[LANES][2]; /* reads, writes */
static uint32_t pace;           /* asks in one cycle of so many */
static int lead;                /* AW before W, together, W before AW */
static uint64_t bad_from;       /* addresses from this index on are outside */
static uint64_t skew;           /* added to addresses */

static uint64_t mixed(uint64_t x)
{
    x = (x ^ (x >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94D049BB133111EB);
    return x ^ (x >> 31);
}

static bool draw(unsigned lane, unsigned salt)
{
    return pace <= 1 ||
           mixed(core.io->in.cycle * 64 + lane * 8 + salt) % pace == 0;
}

/* Of beat i of a lane: anywhere; writes, if not too many, never twice. */
static uint64_t address(unsigned lane, uint32_t i, bool write)
{
    uint64_t slot = write ? (i * LANES + lane) % (WRITES / BYTES)
                          : mixed(i * LANES + lane) % (WRITES / BYTES);
    uint64_t at = (write ? WRITES : READS) + slot * BYTES;

    if (i >= bad_from)
        at = MEMORY + (slot % 2 ? 0 : UINT64_C(1) << 36);
    return FSH_SIM_DRAM_BASE + at + skew;
}

static uint64_t word_of(uint64_t address, unsigned i)
{
    return mixed(address + i);
}

static uint64_t strobe(uint64_t address)
{
    return address / BYTES % 4 ? ~UINT64_C(0) : mixed(address);
}

static void read_lane(struct lane *s, unsigned l)
{
    const struct fsh_lane_in *in = &core.io->in.lane[l];
    struct fsh_lane_out *out = &core.io->out.lane[l];
    bool stay = out->arvalid && !in->arready;

    if (in->rvalid) {
        uint64_t from = address(l, s->r, false);
        bool bad = s->r >= bad_from;

        CHECK(s->r < s->ar + (out->arvalid && in->arready),
              "lane %u: data for nobody", l);
        CHECK(in->rerr == bad, "lane %u: error %u", l, in->rerr);
        for (unsigned i = 0; i < FSH_LANE_WORDS; i++)
            CHECK(in->rdata[i] == (bad ? 0 : word_of(from, i)),
                  "lane %u, beat %u: word %u", l, s->r, i);
        s->errors += bad;
        if (s->r++ == 0)
            s->first_r = core.io->in.cycle;
        s->last_r = core.io->in.cycle;
    }
    if (out->arvalid && in->arready && s->ar++ == 0)
        s->first_ar = core.io->in.cycle;
    s->most = s->ar - s->r > s->most ? s->ar - s->r : s->most;
    out->arvalid = s->ar < s->reads && (stay || draw(l, 0));
    out->araddr = address(l, s->ar, false);
}

static void write_lane(struct lane *s, unsigned l)
{
    const struct fsh_lane_in *in = &core.io->in.lane[l];
    struct fsh_lane_out *out = &core.io->out.lane[l];
    bool aw = out->awvalid && in->awready, w = out->wvalid && in->wready;
    bool aw_stay = out->awvalid && !aw, w_stay = out->wvalid && !w, next;

    if (w && s->w == 0)
        s->first_w = core.io->in.cycle;
    s->aw += aw;
    s->w += w;
    if (in->bvalid) {
        CHECK(s->b < s->w, "lane %u: response for nobody", l);
        CHECK(in->berr == (s->b >= bad_from), "lane %u beat %u: error %u", l,
              s->b, in->berr);
        s->errors += in->berr;
        if (s->b++ == 0)
            s->first_b = core.io->in.cycle;
    }
    /* At most one apart. */
    next = draw(l, 1);
    out->awvalid =
        aw_stay || (next && s->aw < s->writes && s->aw <= s->w + (lead < 0) &&
                    (lead <= 0 || s->w + w_stay > s->aw));
    out->wvalid =
        w_stay || (next && s->w < s->writes && s->w <= s->aw + (lead > 0) &&
                   (lead >= 0 || s->aw > s->w));
    out->awaddr = address(l, s->aw, true);
    out->wstrb = strobe(address(l, s->w, true));
    for (unsigned i = 0; i < FSH_LANE_WORDS; i++)
        out->wdata[i] = word_of(address(l, s->w, true), i);
}

struct fsh_node *fsh_node_create(struct fsh_node_io *io, uint32_t index,
                                 uint64_t seed, struct fsh_node_waves *waves)
{
    (void)index;
    (void)seed;
    (void)waves;
    core = (struct fsh_node){.io = io};
    for (unsigned l = 0; l < LANES; l++) {
        core.lane[l].reads = plan[l][0];
        core.lane[l].writes = plan[l][1];
    }
    return &core;
}

static void eval_node(struct fsh_node *node)
{
    struct fsh_axi_out *out = &node->io->out.axi[0];

    node->io->out.idle = !node_reads;
    out->rready = out->bready = 1;
    out->arvalid = node_reads && !node->io->in.rst;
    out->araddr = FSH_SIM_DRAM_BASE;
    out->arlen = 63;
    node->beats += node->io->in.axi[0].rvalid;
}

static void eval_core(struct fsh_node *c)
{
    c->io->out.core_busy = c->io->in.rst;
    for (unsigned l = 0; l < LANES && !c->io->in.rst; l++) {
        struct lane *s = &c->lane[l];

        read_lane(s, l);
        write_lane(s, l);
        if (s->ar < s->reads || s->aw < s->writes || s->w < s->writes)
            c->io->out.core_busy = 1;
    }
}

void fsh_node_eval(struct fsh_node *node)
{
    if (node->io->in.clk)
        eval_node(node);
    if (node->io->in.core_clk)
        eval_core(node);
}

void fsh_node_destroy(struct fsh_node *node)
{
    (void)node;
}

/* --- runs -------------------------------------------------------------------- */

static struct fsh_fabric_config config;

static void script(uint32_t reads, uint32_t writes)
{
    fsh_fabric_defaults(&config);
    config.nodes = 1;
    config.compute = true;
    config.dram_bytes = MEMORY;
    node_reads = false;
    pace = 1;
    lead = 0;
    bad_from = UINT64_MAX;
    skew = 0;
    for (unsigned l = 0; l < LANES; l++) {
        plan[l][0] = reads;
        plan[l][1] = writes;
    }
}

static struct fsh_fabric *open_fabric(void)
{
    struct fsh_fabric *fab;
    unsigned char *mem;
    char err[256];

    fab = fsh_fabric_create(&config, err, sizeof err);
    CHECK(fab != NULL, "%s", err);
    mem = fsh_fabric_dram(fab, 0);
    for (uint64_t at = 0; at < WRITES && !config.replay; at += 8) {
        uint64_t word =
            word_of(FSH_SIM_DRAM_BASE + at / BYTES * BYTES, at / 8 % 8);

        memcpy(mem + at, &word, 8);
    }
    return fab;
}

/* All is done, and what was written is there, and nothing else. */
static void check_done(struct fsh_fabric *fab)
{
    const unsigned char *mem = fsh_fabric_dram(fab, 0);

    for (unsigned l = 0; l < LANES; l++) {
        const struct lane *s = &core.lane[l];

        CHECK(s->r == s->reads && s->b == s->writes,
              "lane %u: %u of %u reads, %u of %u writes", l, s->r, s->reads,
              s->b, s->writes);
        for (uint32_t i = 0; i < s->writes && i < bad_from; i++)
            for (unsigned k = 0; k < BYTES; k++) {
                uint64_t at = address(l, i, true);
                unsigned char want =
                    (unsigned char)(word_of(at, k / 8) >> (8 * (k % 8)));

                CHECK(mem[at - FSH_SIM_DRAM_BASE + k] ==
                          (strobe(at) >> k & 1 ? want : 0),
                      "lane %u, beat %u: byte %u", l, i, k);
            }
    }
}

static uint64_t run_script(void)
{
    struct fsh_fabric *fab = open_fabric();
    uint64_t hash;

    CHECK(fsh_fabric_run(fab, LIMIT), "not quiet: %s",
          fsh_fabric_error(fab) ? fsh_fabric_error(fab) : "no error");
    check_done(fab);
    hash = fsh_fabric_hash(fab);
    CHECK(fsh_fabric_destroy(fab), "close");
    return hash;
}

static void test_latency(void)
{
    script(1, 1);
    run_script();
    for (unsigned l = 0; l < LANES; l++) {
        const struct lane *s = &core.lane[l];

        CHECK(s->first_r - s->first_ar == config.dram_cycles, "read: %d",
              (int)(s->first_r - s->first_ar));
        CHECK(s->first_b - s->first_w == config.dram_write_cycles, "write: %d",
              (int)(s->first_b - s->first_w));
    }
    config.dram_cycles = 1000;
    for (unsigned l = 0; l < LANES; l++)
        plan[l][0] = 300;
    run_script();
    for (unsigned l = 0; l < LANES; l++)
        CHECK(core.lane[l].most == 128, "%u outstanding", core.lane[l].most);
}

static void test_order_of_channels(void)
{
    for (int which = -1; which <= 1; which++) {
        script(0, 500);
        lead = which;
        run_script();
    }
}

static void test_errors(void)
{
    struct fsh_fabric *fab;

    script(40, 40);
    bad_from = 30;
    run_script();
    for (unsigned l = 0; l < LANES; l++)
        CHECK(core.lane[l].errors == 20, "%u errors", core.lane[l].errors);
    script(1, 0);
    skew = 16;
    fab = open_fabric();
    CHECK(!fsh_fabric_run(fab, LIMIT) && fsh_fabric_error(fab) &&
              strstr(fsh_fabric_error(fab), "not aligned"),
          "taken unaligned");
    fsh_fabric_destroy(fab);
}

/* 307 bytes a cycle for four lanes that want 256 a cycle in each direction. */
static void test_bandwidth(void)
{
    struct fsh_fabric *fab;
    uint64_t beats = 0;

    script(100000, 1000);
    fab = open_fabric();
    fsh_fabric_run(fab, 1040);
    for (unsigned l = 0; l < LANES; l++)
        beats += core.lane[l].r + core.lane[l].w;
    CHECK(beats >= 1000 * 307 / 64 - 8 && beats <= 1041 * 307 / 64 + 1,
          "%u beats", (unsigned)beats);
    for (unsigned l = 1; l < LANES; l++) {
        int apart = (int)core.lane[l].r - (int)core.lane[0].r;

        CHECK(abs(apart) < 60, "lane %u is %d ahead of lane 0", l, apart);
    }
    fsh_fabric_destroy(fab);
    /* Of reads alone each lane has its beat a cycle. */
    script(2000, 0);
    run_script();
    for (unsigned l = 0; l < LANES; l++)
        CHECK(core.lane[l].last_r - core.lane[l].first_r == 1999, "%d",
              (int)(core.lane[l].last_r - core.lane[l].first_r));
}

/* The least there may be: lanes and link ports both get some. */
static void test_sharing(void)
{
    struct fsh_fabric *fab;
    uint64_t beats = 0;

    script(100000, 100000);
    config.dram_bytes_cycle = 64;
    node_reads = true;
    fab = open_fabric();
    fsh_fabric_run(fab, 20000);
    for (unsigned l = 0; l < LANES; l++) {
        CHECK(core.lane[l].r > 500 && core.lane[l].w > 500,
              "lane %u: %u read, %u written", l, core.lane[l].r,
              core.lane[l].w);
        beats += core.lane[l].r + core.lane[l].w;
    }
    CHECK(core.beats > 2000, "%u of the port", (unsigned)core.beats);
    CHECK(beats * 64 + core.beats * 16 <= 20000 * 64 + 64, "too much");
    CHECK(beats * 64 + core.beats * 16 > 19000 * 64, "too little");
    fsh_fabric_destroy(fab);
}

static void test_hold(void)
{
    struct fsh_fabric *fab;

    script(50, 50);
    fab = open_fabric();
    fsh_fabric_hold_memory(fab, 0, FSH_NODE_MASTERS + 2, 3000);
    fsh_fabric_run(fab, 2900);
    for (unsigned l = 0; l < LANES; l++)
        CHECK(core.lane[l].r == (l == 2 ? 0 : 50) &&
                  core.lane[l].b == (l == 2 ? 0 : 50),
              "lane %u: %u read, %u written", l, core.lane[l].r,
              core.lane[l].b);
    CHECK(fsh_fabric_run(fab, LIMIT), "not quiet");
    check_done(fab);
    fsh_fabric_destroy(fab);
}

/* The same with jumps and without; under stalls, slow cores, narrow memory. */
static void test_random(void)
{
    for (uint64_t seed = 1; seed <= 12; seed++) {
        uint64_t hash[2];

        script(300, 200);
        for (int jump = 0; jump < 2; jump++) {
            config.jump = jump;
            config.stall = seed % 3 != 0;
            config.stall_seed = seed;
            config.dram_bytes_cycle = seed % 2 ? 307 : 80;
            config.dram_cycles = 1 + (uint32_t)(seed * 37 % 300);
            pace = seed % 4 == 0 ? 1 : (uint32_t)(1 + seed * seed);
            lead = (int)(seed % 3) - 1;
            hash[jump] = run_script();
        }
        CHECK(hash[0] == hash[1], "seed %u: other writes with jumps",
              (unsigned)seed);
    }
}

/* Data read comes from the recording: the memory of a replay is empty. */
static void test_replay(void)
{
    char path[] = "/tmp/sim_lanes.XXXXXX";
    int fd = mkstemp(path);
    struct fsh_fabric *fab;
    uint64_t hash;

    CHECK(fd >= 0, "temporary file");
    close(fd);
    script(300, 100);
    config.record = path;
    hash = run_script();
    config.record = NULL;
    config.replay = path;
    config.compute = false; /* the recording says */
    fab = open_fabric();
    while (fsh_fabric_step(fab))
        continue;
    CHECK(!fsh_fabric_error(fab), "%s", fsh_fabric_error(fab));
    check_done(fab);
    CHECK(fsh_fabric_hash(fab) == hash, "other writes");
    fsh_fabric_destroy(fab);
    unlink(path);
}

int main(void)
{
    test_latency();
    test_order_of_channels();
    test_errors();
    test_bandwidth();
    test_sharing();
    test_hold();
    test_random();
    test_replay();
    puts("sim_lanes: ok");
    return 0;
}
