/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Nodes with their compute cores: the wires between the two in fsh_card, and the
 * simulator's handling of two clocks. Lists, signals, acknowledgements, results and
 * counters arrive at the right place, on three nodes, also under stalls; a recording
 * replays with the same writes and cycles, jumping or not; a waiting core is not
 * evaluated; waves are written. The arithmetic is tested elsewhere; numbers here are
 * small integers with exact products. Argument: seed.
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
#define MEMORY (1u << 20)
#define SEGMENT (MEMORY / 2)
#define SIZE 32u /* rows, columns, depth of a product */
#define BYTES (SIZE * SIZE * 4)
#define COMMAND 128u
#define LISTS_AT_ONCE 24u

/* Offsets in the segment. */
enum { LISTS = 0, X = 0x10000, W = 0x20000, C = 0x30000, SENT = 0x40000 };

static struct fsh_bed bed;

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

static uint64_t signal_args(uint32_t event, uint32_t increment)
{
    uint64_t two = 0;

    fsh_csignal_set_op(&two, FSH_CMSG_SIGNAL);
    fsh_csignal_set_counter(&two, event);
    fsh_csignal_set_increment(&two, increment);
    return two;
}

static void signal_to(uint32_t from, uint32_t dst, uint32_t event,
                      uint32_t increment)
{
    submit(from, dst, 1, signal_args(event, increment));
    expect(from, FSH_OP_PUT_ACK, dst, 1, FSH_STATUS_OK);
}

/* Command `i` of the lists in the segment of a node; it tells node 0. */
static uint64_t *command(uint32_t node, uint32_t i, uint32_t op,
                         uint32_t cookie)
{
    uint64_t *w = (uint64_t *)(void *)(fsh_fabric_dram(bed.fab, node) + LISTS +
                                       i * COMMAND);

    memset(w, 0, COMMAND);
    fsh_ccmd_set_op(w, op);
    fsh_ccmd_set_check(w, FSH_CMD_CHECK);
    fsh_ccmd_set_complete(w, 1);
    fsh_ccmd_set_cookie(w, cookie);
    return w;
}

static void await_event(uint64_t *w, uint32_t event, uint32_t count)
{
    fsh_ccmd_set_await(w, 1);
    fsh_ccmd_set_await_event(w, event);
    fsh_ccmd_set_await_count(w, count);
}

static void send_on(uint64_t *w, uint32_t to, uint32_t event)
{
    fsh_ccmd_set_art(w, 1);
    fsh_ccmd_set_art_addr(w, SENT / 64);
    fsh_ccmd_set_art_count(w, 64);
    fsh_ccmd_set_art_mask(w, UINT64_C(1) << to);
    fsh_ccmd_set_signal(w, 1);
    fsh_ccmd_set_signal_mask(w, UINT64_C(1) << to);
    fsh_ccmd_set_signal_event(w, event);
}

static uint64_t *product(uint32_t node, uint32_t i, uint32_t cookie)
{
    uint64_t *w = command(node, i, FSH_COP_GEMM, cookie);

    fsh_ccmd_set_x_addr(w, X / 64);
    fsh_ccmd_set_w_addr(w, W / 64);
    fsh_ccmd_set_c_addr(w, C / 64);
    fsh_ccmd_set_ldx(w, SIZE / 16);
    fsh_ccmd_set_ldw(w, SIZE / 16);
    fsh_ccmd_set_ldc(w, SIZE / 16);
    fsh_ccmd_set_m(w, SIZE);
    fsh_ccmd_set_n(w, SIZE);
    fsh_ccmd_set_k(w, SIZE);
    fsh_ccmd_set_tile_x(w, 4);
    fsh_ccmd_set_tile_w(w, 2);
    return w;
}

/* Give `count` commands from `i` on to a queue; the answer comes with the tag. */
static void run(uint32_t tag, uint32_t from, uint32_t at, uint32_t mover,
                uint32_t i, uint32_t count)
{
    uint64_t two = 0;

    fsh_crun_set_op(&two, FSH_CMSG_RUN);
    fsh_crun_set_count(&two, count);
    fsh_crun_set_mover(&two, mover);
    fsh_crun_set_addr(&two, (LISTS + i * COMMAND) / 64);
    submit(from, at, tag, two);
}

static void run_taken(uint32_t from, uint32_t at, uint32_t mover, uint32_t i,
                      uint32_t count)
{
    run(1, from, at, mover, i, count);
    expect(from, FSH_OP_PUT_ACK, at, 1, FSH_STATUS_OK);
}

/* The product of a node's X and W is there and, given another node, was sent there. */
static void check_product(uint32_t node, uint32_t to)
{
    const unsigned char *mem = fsh_fabric_dram(bed.fab, node);
    const float *x = (const float *)(const void *)(mem + X);
    const float *w = (const float *)(const void *)(mem + W);
    const float *c = (const float *)(const void *)(mem + C);

    for (uint32_t i = 0; i < SIZE * SIZE; i++) {
        float sum = 0;

        for (uint32_t k = 0; k < SIZE; k++)
            sum += x[i / SIZE * SIZE + k] * w[k * SIZE + i % SIZE];
        CHECK(!(c[i] < sum) && !(c[i] > sum), "node %u: element %u", node, i);
    }
    if (to < NODES && to != node)
        CHECK(memcmp(fsh_fabric_dram(bed.fab, to) + SENT, c, BYTES) == 0,
              "node %u: not all that node %u computed", to, node);
}

static void fill(uint64_t seed)
{
    for (uint32_t n = 0; n < NODES; n++) {
        unsigned char *mem = fsh_fabric_dram(bed.fab, n);
        float *x = (float *)(void *)(mem + X);
        float *w = (float *)(void *)(mem + W);

        for (uint32_t i = 0; i < SIZE * SIZE; i++) {
            uint32_t draw =
                ((uint32_t)seed + n * SIZE * SIZE + i) * 2654435761u;

            x[i] = (float)(draw >> 28) - 8;
            w[i] = (float)(draw >> 24 & 15) - 8;
        }
    }
}

static uint64_t counter(uint32_t node, uint32_t word)
{
    uint64_t data = 0;

    CHECK(fsh_fabric_read(bed.fab, node, FSH_REG_COMPUTE_PERF + word * 8, LIMIT,
                          &data),
          "node %u: counter %u is not answered", node, word);
    return data;
}

/* Two commands complete, in whatever order. */
static void expect_both(uint32_t node, uint32_t cookie, uint32_t node2,
                        uint32_t cookie2)
{
    unsigned seen = 0;

    for (unsigned i = 0; i < 2; i++) {
        uint64_t entry[2];
        uint32_t tag;

        CHECK(fsh_bed_await(&bed, 0, FSH_BED_RING_CPL, LIMIT, entry),
              "no completion");
        tag = (uint32_t)fsh_ring_tag(entry);
        CHECK(fsh_ring_opcode(entry) == FSH_OP_COMPUTE &&
                  fsh_ring_status(entry) == FSH_STATUS_OK &&
                  fsh_ring_node(entry) == (tag == cookie ? node : node2) &&
                  (tag == cookie || tag == cookie2),
              "entry %016llx", (unsigned long long)entry[0]);
        seen |= 1u << (tag == cookie);
    }
    CHECK(seen == 3, "the same twice");
}

/* Results of every core to the next node, whose mover awaits the signal; and, of
 * one, to its own node, which has them. */
static void all_ways(void)
{
    for (uint32_t i = 0; i <= NODES; i++) {
        uint32_t at = i % NODES, to = (i + (i < NODES)) % NODES, event = 60 + i;
        uint64_t from = fsh_fabric_cycle(bed.fab);
        uint64_t first, last, ended, sent;

        CHECK(fsh_fabric_host_write(bed.fab, at, FSH_REG_COMPUTE_PERF_CLEAR, 1),
              "no room");
        CHECK(counter(at, FSH_CPERF_COMMANDS) == 0, "not cleared");
        send_on(product(at, 0, 5), to, event);
        await_event(command(to, 1, FSH_COP_NOP, 6 + i), event, 1);
        memset(fsh_fabric_dram(bed.fab, to) + SENT, 0, BYTES);
        memset(fsh_fabric_dram(bed.fab, at) + C, 0, BYTES);
        run_taken((i + 2) % NODES, to, 1, 1, 1);
        run_taken(to, at, 0, 0, 1);
        /* The signal is there when the data is; so is the other's end. */
        expect_both(at, 5, to, 6 + i);
        check_product(at, to);
        first = counter(at, FSH_CPERF_FIRST_START);
        last = counter(at, FSH_CPERF_LAST_END);
        CHECK(first > from && last > first && last < fsh_fabric_cycle(bed.fab),
              "from cycle %llu to %llu", (unsigned long long)first,
              (unsigned long long)last);
        ended = counter(at, FSH_CPERF_COMMANDS);
        sent = counter(at, FSH_CPERF_SENT_BYTES);
        CHECK(ended == 1 && sent == (at == to ? 0 : BYTES),
              "node %u to %u: %u commands, %u bytes", at, to, (unsigned)ended,
              (unsigned)sent);
    }
}

/* A signal of a host counts for what it says. */
static void host_signals(void)
{
    await_event(product(1, 0, 1), 63, 300);
    run_taken(2, 1, 0, 0, 1);
    signal_to(0, 1, 63, 255);
    signal_to(0, 1, 62, 255);
    CHECK(fsh_fabric_run(bed.fab, LIMIT), "not quiet");
    CHECK(counter(1, FSH_CPERF_LAST_SIGNAL) < fsh_fabric_cycle(bed.fab) &&
              !fsh_bed_take(&bed, 0, FSH_BED_RING_CPL, (uint64_t[2]){0}),
          "began too early");
    signal_to(0, 1, 63, 45);
    expect(0, FSH_OP_COMPUTE, 1, 1, FSH_STATUS_OK);
    check_product(1, NODES);
}

/* Results behind the segment, where there is memory, are not written. */
static void behind_the_segment(void)
{
    uint64_t entry[2];

    fsh_ccmd_set_c_addr(product(2, 0, 9), SEGMENT / 64);
    run_taken(0, 2, 0, 0, 1);
    CHECK(fsh_bed_await(&bed, 0, FSH_BED_RING_CPL, LIMIT, entry) &&
              fsh_ring_tag(entry) == 9 &&
              fsh_ring_status(entry) != FSH_STATUS_OK,
          "no error");
    for (uint32_t i = SEGMENT; i < SEGMENT + BYTES; i++)
        CHECK(fsh_fabric_dram(bed.fab, 2)[i] == 0, "byte %u is written", i);
}

/* More lists at once than the queue holds, behind one that waits. */
static void too_many(void)
{
    for (uint32_t i = 0; i < LISTS_AT_ONCE; i++) {
        uint64_t *w = command(0, i, FSH_COP_NOP, i);

        if (i == 0)
            await_event(w, 7, 1);
        run(i, 0, 0, 0, i, 1);
    }
    CHECK(fsh_fabric_run(bed.fab, LIMIT), "not quiet");
    submit(0, 0, LISTS_AT_ONCE, signal_args(7, 1));
    CHECK(fsh_fabric_run(bed.fab, LIMIT), "not quiet");
}

static void scene(uint64_t seed)
{
    fill(seed);
    all_ways();
    host_signals();
    behind_the_segment();
    too_many();
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
    struct fsh_bed_options options = {
        .packet = 256, .ports = 3, .seg_size = SEGMENT};
    unsigned busy, done;
    uint64_t hash;
    char err[256];

    fsh_fabric_defaults(&config);
    config.nodes = NODES;
    config.compute = true;
    config.dram_bytes = MEMORY;
    config.record = path;
    config.seed = seed;
    config.stall = stall;
    config.stall_seed = seed;
    CHECK(fsh_bed_open(&bed, &config, &options, err, sizeof err), "%s", err);
    scene(seed);
    count_end(&busy, &done);
    CHECK(busy + done == LISTS_AT_ONCE && busy > 0 && done >= 4,
          "%u busy, %u done", busy, done);
    *cycle = fsh_fabric_cycle(bed.fab);
    CHECK(fsh_fabric_computed(bed.fab) < NODES * *cycle / 2,
          "%llu core-cycles of %llu",
          (unsigned long long)fsh_fabric_computed(bed.fab),
          (unsigned long long)(NODES * *cycle));
    hash = fsh_fabric_hash(bed.fab);
    CHECK(fsh_bed_close(&bed), "recording not written");
    return hash;
}

/* As it was; without jumping; with waves; with those of a node for a while. */
static uint64_t replay(const char *path, int way, const char *waves,
                       uint64_t *cycle)
{
    bool jump = way != 1;
    struct fsh_fabric_config config;
    struct fsh_fabric *fab;
    char err[256];
    uint64_t hash;

    fsh_fabric_defaults(&config);
    config.replay = path;
    config.jump = jump;
    config.waves = way >= 2 ? waves : NULL;
    if (way == 3) {
        config.waves_from = 1000;
        config.waves_to = 1999;
        config.waves_nodes = 2;
    }
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

    for (int way = 0; way < 4; way++) {
        uint64_t again = replay(path, way, waves, &replayed);

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
