/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fshperf fabric-node TEST: the ranks of one job of fshperf fabric. hop and fairness
 * start with the counters of all nodes cleared; a pattern is refilled by the hosts, which
 * cost nothing, and counted at the targets while it is under way.
 */
#include "fabric.h"
#include "perf.h"

#include <fshmem.h>

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/simulated.h"
#include "base/topology.h"
#include "boot/boot.h"
#include "conduit/conduit.h"

enum { ROUNDS = 6, RESET = 20000 };
#define BEAT 16.0 /* bytes */

static unsigned me, nodes, side;
static uint64_t draws;

static uint64_t cycle_now(void)
{
    return fsh_simulated()->look() / FSH_NS_PER_CYCLE;
}

static void tell(const char *test, double value)
{
    if (me == 0) {
        printf(FABRIC_LINE " %s %.6f\n", test, value);
        fflush(stdout);
    }
}

/* A step of a linear congruential generator; its upper half. */
static unsigned draw(unsigned below)
{
    draws = draws * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(draws >> 33) % below;
}

static void start_together(void)
{
    fsh_fpga_perf_clear();
    (void)fsh_fpga_reg_read(FSH_REG_CYCLE); /* the writes before are done */
    fsh_boot_barrier("fabric start");
}

/* ---- hop ---- */

static struct fsh_fpga_raw put_to(unsigned node, size_t bytes)
{
    return (struct fsh_fpga_raw){.opcode = FSH_OP_PUT,
                                 .node = node,
                                 .remote = PERF_MAX_BYTES,
                                 .length = (uint32_t)bytes};
}

static uint64_t header_to(unsigned node)
{
    static struct perf_batch batch;
    struct fsh_fpga_raw raw = put_to(node, 0);
    uint64_t mine[2], all[FSH_MAX_NODES][2];

    start_together();
    if (me == 0) {
        batch.count = 1;
        atomic_init(&batch.record[0].done, 0);
        if (!fsh_fpga_raw_submit(&raw, &batch.record[0])) {
            fsh_fatal("hop: no room for a command");
        }
        perf_wait(&batch, "a Short");
    }
    fsh_boot_barrier("fabric hop");
    mine[0] = fsh_fpga_perf_read(FSH_PERF_ACCEPT).first;
    mine[1] = fsh_fpga_perf_read(FSH_PERF_REQ_HDR).first;
    if (fsh_fpga_perf_read(FSH_PERF_REQ_HDR).count != (me == node)) {
        fsh_fatal("hop: the counters show other traffic");
    }
    fsh_boot_exchange(mine, sizeof(mine), all);
    return all[node][1] - all[0][0];
}

static void run_hop(void)
{
    for (unsigned i = 1; i <= side; ++i) {
        char test[16];
        uint64_t cycles = header_to(i);

        snprintf(test, sizeof(test), "header_%u", i);
        tell(test, (double)cycles);
    }
}

/* ---- fairness ---- */

/* From the gate to the last completion. */
static uint64_t time_all_to_all(void)
{
    static struct perf_batch batch;
    uint64_t last = 0;

    start_together();
    fsh_fpga_gate_hold();
    batch.count = ROUNDS * (nodes - 1);
    for (unsigned i = 0; i < batch.count; ++i) {
        struct fsh_fpga_raw raw =
            put_to((me + 1 + i % (nodes - 1)) % nodes, FABRIC_MESSAGE);

        atomic_init(&batch.record[i].done, 0);
        if (!fsh_fpga_raw_submit(&raw, &batch.record[i])) {
            fsh_fatal("fairness: no room for command %u", i);
        }
    }
    (void)fsh_fpga_reg_read(FSH_REG_CYCLE);
    fsh_boot_barrier("fabric gate");
    if (me == 0) {
        fsh_fpga_gate_open();
    }
    perf_wait(&batch, "a PUT");
    for (unsigned i = 0; i < batch.count; ++i) {
        uint64_t cycle = batch.record[i].cycle;
        last = cycle > last ? cycle : last;
    }
    return last - fsh_fpga_perf_read(FSH_PERF_ACCEPT).first;
}

static void run_fairness(void)
{
    uint64_t mine = time_all_to_all(), all[FSH_MAX_NODES], least, most;

    fsh_boot_exchange(&mine, sizeof(mine), all);
    least = most = all[0];
    for (unsigned i = 1; i < nodes; ++i) {
        least = all[i] < least ? all[i] : least;
        most = all[i] > most ? all[i] : most;
    }
    tell("fairness", (double)least / (double)most);
}

/* ---- patterns on a square torus ---- */

static unsigned to_neighbour(void)
{
    unsigned x = me % side, y = me / side, step = draw(2) ? 1 : side - 1;

    return draw(2) ? (x + step) % side + side * y
                   : x + side * ((y + step) % side);
}

static unsigned to_any(void)
{
    return (me + 1 + draw(nodes - 1)) % nodes;
}

/* Who is on the diagonal has nobody. */
static unsigned to_transposed(void)
{
    return me / side + side * (me % side);
}

static unsigned to_first(void)
{
    return 0;
}

static const struct pattern {
    const char *name;
    unsigned (*to)(void);
} patterns[] = {{"neighbour", to_neighbour},
                {"uniform", to_any},
                {"transpose", to_transposed},
                {"hotspot", to_first}};

static void refill(const struct pattern *pattern, struct perf_batch *batch)
{
    for (unsigned i = 0; i < PERF_QUEUE; ++i) {
        struct fsh_fpga_record *record = &batch->record[i];
        unsigned to;

        /* Partner: the conduit's release store when the command completes. */
        if (!atomic_load_explicit(&record->done, memory_order_acquire)) {
            continue;
        }
        if (record->status != FSH_STATUS_OK) {
            fsh_fatal("a PUT ended with status %u", record->status);
        }
        to = pattern->to();
        struct fsh_fpga_raw raw = put_to(to, FABRIC_MESSAGE);
        if (to != me && !fsh_fpga_raw_submit(&raw, record)) {
            atomic_store(&record->done, 1);
            return;
        }
    }
}

static void drive(const struct pattern *pattern, struct perf_batch *batch,
                  uint64_t until)
{
    for (uint64_t now = cycle_now(); now < until; now = cycle_now()) {
        refill(pattern, batch);
        if (!fsh_fpga_poll()) {
            fsh_conduit_fpga.wait((until - now) * FSH_NS_PER_CYCLE, false);
        }
    }
}

/* Of the targets: bytes written from one cycle to the other. The clearing write and the
 * read take as long to the node. */
static uint64_t count_written(const struct pattern *pattern)
{
    static struct perf_batch batch;
    uint64_t start = cycle_now() / RESET * RESET + 2 * (uint64_t)RESET;
    uint64_t written;

    batch.count = PERF_QUEUE;
    for (unsigned i = 0; i < PERF_QUEUE; ++i) {
        batch.record[i].status = FSH_STATUS_OK;
        atomic_init(&batch.record[i].done, 1);
    }
    fshmem_spend((start - cycle_now()) * FSH_NS_PER_CYCLE);
    drive(pattern, &batch, start + FABRIC_WARM_UP);
    fsh_fpga_perf_clear();
    drive(pattern, &batch, start + FABRIC_WARM_UP + FABRIC_COUNTED);
    /* One read only, as each takes hundreds of cycles. */
    written = fsh_fpga_reg_read(FSH_REG_PERF + FSH_PERF_WRITTEN * 32 + 24);
    perf_wait(&batch, "a PUT");
    return written;
}

static void run_pattern(const struct pattern *pattern)
{
    uint64_t mine = count_written(pattern), all[FSH_MAX_NODES];
    double packets = 0, beats = FABRIC_PACKET / BEAT + 2; /* header, ack */
    unsigned idle = pattern->to == to_transposed ? side
                    : pattern->to == to_first    ? 1
                                                 : 0;

    fsh_boot_exchange(&mine, sizeof(mine), all);
    for (unsigned i = 0; i < nodes; ++i) {
        packets += (double)all[i] / FABRIC_PACKET;
    }
    tell(pattern->name,
         packets * beats * BEAT / FABRIC_COUNTED / (nodes - idle));
}

/* ---- the command ---- */

static void join(int *argc, char ***argv)
{
    if (gasnet_init(argc, argv) != GASNET_OK ||
        gasnet_attach(NULL, 0, 2 * PERF_MAX_BYTES, 0) != GASNET_OK) {
        fsh_fatal("gasnet_init or gasnet_attach failed");
    }
    if (fsh_simulated() == NULL || !fsh_fpga_set_packet(FABRIC_PACKET)) {
        fsh_fatal("fabric-node is started by fshperf fabric");
    }
    me = gasnet_mynode();
    nodes = gasnet_nodes();
    /* A node clears memory after reset, and takes no commands then. */
    fshmem_spend((uint64_t)RESET * FSH_NS_PER_CYCLE);
    fsh_boot_barrier("fabric reset");
    draws = FABRIC_SEED + me;
    if (me == 0) {
        perf_tell_assumed();
    }
}

static int run_node(int argc, char **argv)
{
    if (argc != 3) {
        fsh_fatal("fabric-node: is started by fshperf fabric");
    }
    const char *test = argv[1];
    side = (unsigned)strtoul(argv[2], NULL, 10);
    join(&argc, &argv);
    if (strcmp(test, "hop") == 0) {
        run_hop();
    } else if (strcmp(test, "fairness") == 0) {
        run_fairness();
    }
    for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); ++i) {
        if (strcmp(test, patterns[i].name) == 0) {
            run_pattern(&patterns[i]);
        }
    }
    fsh_boot_barrier("fabric end");
    gasnet_exit(0);
    return 0;
}

const struct perf_command perf_fabric_node = {
    .name = "fabric-node",
    .raw = run_node,
    .alone = true,
};
