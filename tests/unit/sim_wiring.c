/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Node and compute core as two models (sim/compute.c): RTL nodes with the stand-in
 * hw/tb/sim/fsh_compute.sv, which uses every pin. What it does with RUNs and
 * SIGNALs is right, under stalls as well; a recording of it replays with the same
 * writes and cycles, jumping or not; a core that waits is not evaluated; waves
 * are written. Argument: seed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bed.h"
#include "check.h"

#define NODES 3u
#define LIMIT 1000000u
#define SEGMENT (1u << 20)
#define BEAT 64u
#define WRITTEN (16u << 10) /* offset of what a core writes */
#define SENT (32u << 10)    /* and of what it sends */

static struct fsh_bed bed;
static uint64_t counted[NODES]; /* by the cores, as the stand-in does */

static void expect(uint32_t node, uint32_t opcode, uint32_t peer, uint32_t tag,
                   uint32_t status)
{
    uint64_t entry[2];

    CHECK(fsh_bed_await(&bed, node, FSH_BED_RING_CPL, LIMIT, entry),
          "node %u: no entry: %s", node,
          fsh_fabric_error(bed.fab) ? fsh_fabric_error(bed.fab) : "no error");
    CHECK(fsh_ring_opcode(entry) == opcode && fsh_ring_node(entry) == peer &&
              fsh_ring_tag(entry) == tag && fsh_ring_status(entry) == status,
          "node %u: entry %016llx; opcode %u peer %u tag %u status %u expected",
          node, (unsigned long long)entry[0], opcode, peer, tag, status);
}

static void submit(uint32_t from, uint32_t dst, uint32_t tag, uint64_t two)
{
    uint32_t args[2] = {(uint32_t)two, (uint32_t)(two >> 32)};
    struct fsh_bed_command cmd;

    fsh_bed_command(&cmd, FSH_OP_COMPUTE, FSH_CAT_SHORT, dst, tag);
    fsh_bed_attach(&cmd, args, 2, NULL, 0);
    CHECK(fsh_bed_submit(&bed, from, &cmd), "window full");
}

static void signal_to(uint32_t from, uint32_t dst, uint32_t counter,
                      uint32_t increment)
{
    uint64_t two = 0;

    fsh_csignal_set_op(&two, FSH_CMSG_SIGNAL);
    fsh_csignal_set_counter(&two, counter);
    fsh_csignal_set_increment(&two, increment);
    submit(from, dst, 1, two);
    expect(from, FSH_OP_PUT_ACK, dst, 1, FSH_STATUS_OK);
    counted[dst] += increment + (counter == 63 ? 256 : 0);
}

static void run_as(uint32_t tag, uint32_t from, uint32_t at, uint32_t mover,
                   uint32_t count, uint32_t to, uint32_t addr)
{
    uint64_t two = 0;

    fsh_crun_set_op(&two, FSH_CMSG_RUN);
    fsh_crun_set_count(&two, count);
    fsh_crun_set_mover(&two, mover);
    fsh_crun_set_addr(&two, to << 28 | addr);
    submit(from, at, tag, two);
}

static void run(uint32_t from, uint32_t at, uint32_t mover, uint32_t count,
                uint32_t to, uint32_t addr)
{
    run_as(1, from, at, mover, count, to, addr);
}

/* What a beat of a RUN must have become. */
static void check_beat(uint32_t at, uint32_t to, uint32_t addr)
{
    const unsigned char *mem = fsh_fabric_dram(bed.fab, at);
    const unsigned char *sent = fsh_fabric_dram(bed.fab, to);
    unsigned char want[BEAT];

    memcpy(want, mem + addr * BEAT, BEAT);
    memcpy(want + 8, &counted[at], 8);
    if (addr % 32 < 4)
        memset(want + 4, 0, 8); /* left out */
    CHECK(memcmp(mem + addr * BEAT + WRITTEN, want, BEAT) == 0,
          "node %u: beat %u is not written right", at, addr);
    CHECK(memcmp(sent + addr * BEAT + SENT, want, BEAT) == 0,
          "node %u to %u: beat %u is not sent right", at, to, addr);
}

/* Of 0x40 beats: an array RUN of `count` from `from` at `at`, results to `to`. */
static void run_array(uint32_t from, uint32_t at, uint32_t to, uint32_t count,
                      uint32_t addr)
{
    run(from, at, 0, count, to, addr);
    expect(from, FSH_OP_PUT_ACK, at, 1, FSH_STATUS_OK);
    expect(to, FSH_OP_COMPUTE, at, count, FSH_STATUS_OK);
    for (uint32_t i = 0; i < count; i++)
        check_beat(at, to, addr + i);
}

static uint64_t counter(uint32_t node, uint32_t word)
{
    uint64_t data = 0;

    CHECK(fsh_fabric_read(bed.fab, node, FSH_REG_COMPUTE_PERF + word * 8, LIMIT,
                          &data),
          "node %u: counter %u is not answered", node, word);
    return data;
}

/* The stand-in's counters: 0 counts its reads, the others have the cycle of the
 * read of the one before. */
static void read_counters(uint32_t node)
{
    CHECK(fsh_fabric_host_write(bed.fab, node, FSH_REG_COMPUTE_PERF_CLEAR, 1),
          "no room");
    CHECK(counter(node, 15) == 0 && counter(node, 1) == 0, "not cleared");
    for (uint64_t i = 0; i < 3; i++)
        CHECK(counter(node, 0) == i, "other reads of counter 0 than %u",
              (unsigned)i);
    for (uint32_t word = 0; word < 15; word++) {
        uint64_t from = fsh_fabric_cycle(bed.fab), at, to;

        (void)counter(node, word);
        to = fsh_fabric_cycle(bed.fab);
        at = counter(node, word + 1);
        CHECK(at > from && at < to, "counter %u: %llu, read from %llu to %llu",
              word + 1, (unsigned long long)at, (unsigned long long)from,
              (unsigned long long)to);
    }
}

static void scene(uint64_t seed)
{
    for (uint32_t n = 0; n < NODES; n++) {
        unsigned char *mem = fsh_fabric_dram(bed.fab, n);

        counted[n] = 0;
        for (uint32_t i = 0; i < WRITTEN; i++)
            mem[i] = (unsigned char)((i + seed + n) * 2654435761u >> 24 | 1);
    }
    read_counters(1);
    signal_to(0, 1, 5, 7);
    signal_to(1, 1, 63, 255);
    run_array(0, 1, 2, 1, 0);
    run(0, 2, 1, 20, 1, 9); /* the core of 2 signals that of 1 */
    expect(0, FSH_OP_PUT_ACK, 2, 1, FSH_STATUS_OK);
    CHECK(fsh_fabric_run(bed.fab, LIMIT), "not quiet");
    counted[2] += UINT64_C(1) << 32;
    counted[1] += 20;
    for (uint32_t i = 0; i < 9; i++)
        run_array(i % 3, i / 3, (uint32_t)(i + seed) % 3, 3 + i,
                  16 * (i % 4 + 4) + i);
    run_array(2, 1, 1, 60, 130);
    /* Outside the device memory, and so outside the segment. */
    run(0, 1, 0, 2, 0, 0xfffff);
    expect(0, FSH_OP_PUT_ACK, 1, 1, FSH_STATUS_OK);
    expect(0, FSH_OP_COMPUTE, 1, 2, 15);
    read_counters(1);
    /* More at once than the queue holds. */
    for (uint32_t i = 0; i < 12; i++)
        run_as(i, i % 3, 0, 0, 30, 2, 1);
    CHECK(fsh_fabric_run(bed.fab, LIMIT), "not quiet");
}

/* Take what is left; how many RUNs were refused, how many done. */
static void count_end(unsigned *busy, unsigned *done)
{
    uint64_t entry[2];

    *busy = *done = 0;
    for (uint32_t n = 0; n < NODES; n++)
        while (fsh_bed_take(&bed, n, FSH_BED_RING_CPL, entry)) {
            *busy += fsh_ring_status(entry) == FSH_STATUS_BUSY;
            *done += fsh_ring_opcode(entry) == FSH_OP_COMPUTE;
        }
}

static uint64_t record(const char *path, uint64_t seed, bool stall,
                       uint64_t *cycle)
{
    struct fsh_fabric_config config;
    struct fsh_bed_options options = {.packet = 256, .ports = 3};
    unsigned busy, done;
    uint64_t hash;
    char err[256];

    fsh_fabric_defaults(&config);
    config.nodes = NODES;
    config.compute = true;
    config.dram_bytes = SEGMENT;
    config.record = path;
    config.seed = seed;
    config.stall = stall;
    config.stall_seed = seed;
    CHECK(fsh_bed_open(&bed, &config, &options, err, sizeof err), "%s", err);
    scene(seed);
    count_end(&busy, &done);
    CHECK(busy + done == 12 && busy > 0 && done >= 4, "%u busy, %u done", busy,
          done);
    *cycle = fsh_fabric_cycle(bed.fab);
    CHECK(fsh_fabric_computed(bed.fab) < NODES * *cycle / 2,
          "%llu core-cycles of %llu",
          (unsigned long long)fsh_fabric_computed(bed.fab),
          (unsigned long long)(NODES * *cycle));
    hash = fsh_fabric_hash(bed.fab);
    CHECK(fsh_bed_close(&bed), "recording not written");
    return hash;
}

static uint64_t replay(const char *path, bool jump, const char *waves,
                       uint64_t *cycle)
{
    struct fsh_fabric_config config;
    struct fsh_fabric *fab;
    char err[256];
    uint64_t hash;

    fsh_fabric_defaults(&config);
    config.replay = path;
    config.jump = jump;
    config.waves = waves;
    fab = fsh_fabric_create(&config, err, sizeof err);
    CHECK(fab != NULL, "%s", err);
    while (fsh_fabric_step(fab))
        continue;
    CHECK(!fsh_fabric_error(fab), "%s", fsh_fabric_error(fab));
    *cycle = fsh_fabric_cycle(fab);
    CHECK(jump || fsh_fabric_computed(fab) >= NODES * (*cycle - 16), "jumped");
    hash = fsh_fabric_hash(fab);
    CHECK(fsh_fabric_destroy(fab), "close");
    return hash;
}

static void play(uint64_t seed, bool stall, const char *path, const char *waves)
{
    uint64_t end, replayed, hash = record(path, seed, stall, &end);
    struct stat st = {0};

    for (int way = 0; way < 3; way++) {
        uint64_t again =
            replay(path, way != 1, way == 2 ? waves : NULL, &replayed);

        CHECK(again == hash && replayed == end,
              "replay %d: other writes, or cycle %llu, not %llu", way,
              (unsigned long long)replayed, (unsigned long long)end);
    }
    CHECK(stat(waves, &st) == 0 && st.st_size > 10000, "no waves");
}

int main(int argc, char **argv)
{
    char path[] = "/tmp/sim_wiring.XXXXXX", waves[] = "/tmp/sim_wiringw.XXXXXX";
    uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
    int fd = mkstemp(path), wave_fd = mkstemp(waves);

    CHECK(fd >= 0 && wave_fd >= 0, "temporary file");
    close(fd);
    close(wave_fd);
    for (int stall = 0; stall < 2; stall++)
        play(seed + (uint64_t)stall, stall, path, waves);
    unlink(path);
    unlink(waves);
    puts("sim_wiring: ok");
    return 0;
}
