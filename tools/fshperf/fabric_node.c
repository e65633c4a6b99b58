/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fshperf fabric-node TEST [ARGUMENT [CYCLES]]: the ranks of one job of fshperf
 * fabric. The tests in this file, hop and fairness, start with all nodes' counters
 * cleared and queue everything in the devices; the other tests are driven by hosts at
 * no cost.
 */
#include "fabric_node.h"

#include <fshmem.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/simulated.h"
#include "boot/boot.h"
#include "conduit/conduit.h"

enum { ROUNDS = 6 };
#define SEGMENT (2 * PERF_MAX_BYTES)

unsigned fabric_me, fabric_nodes;

static uint64_t draws;

uint64_t fabric_now(void)
{
    return fsh_simulated()->look() / FSH_NS_PER_CYCLE;
}

uint64_t fabric_cycle(uint64_t of_node)
{
    return of_node - perf_sim_clock_start();
}

uint64_t fabric_common(void)
{
    return fabric_now() / FABRIC_RESET * FABRIC_RESET + 2 * FABRIC_RESET;
}

void fabric_pass(uint64_t until)
{
    fshmem_spend((until - fabric_now()) * FSH_NS_PER_CYCLE);
}

void fabric_tell(const char *name, double value, double mean, double idle,
                 double samples)
{
    if (fabric_me == 0) {
        printf(FABRIC_LINE " %s %.6f %.6f %.6f %.0f\n", name, value, mean, idle,
               samples);
        fflush(stdout);
    }
}

/* A step of a linear congruential generator; returns its upper half. */
unsigned fabric_draw(unsigned below)
{
    draws = draws * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(draws >> 33) % below;
}

const struct fsh_topology *fabric_topology(void)
{
    return &fsh_boot_page()->topology;
}

void fabric_hops(unsigned from, unsigned hops[FSH_MAX_NODES])
{
    const struct fsh_topology *t = fabric_topology();
    unsigned queue[FSH_MAX_NODES] = {from}, count = 1;
    bool seen[FSH_MAX_NODES] = {[0] = false};

    seen[from] = true;
    hops[from] = 0;
    for (unsigned i = 0; i < count; ++i) {
        for (unsigned p = 0; p < t->ports; ++p) {
            unsigned to = t->peer[queue[i]][p].node;

            if (to != FSH_NO_NODE && !seen[to]) {
                seen[to] = true;
                hops[to] = hops[queue[i]] + 1;
                queue[count++] = to;
            }
        }
    }
}

struct fsh_fpga_raw fabric_command(enum perf_op op, unsigned node, size_t bytes)
{
    bool put = op == PERF_PUT;

    return (struct fsh_fpga_raw){.opcode = put ? FSH_OP_PUT : FSH_OP_GET,
                                 .node = node,
                                 .remote = put ? PERF_MAX_BYTES : 0,
                                 .local = put ? 0 : PERF_MAX_BYTES,
                                 .length = (uint32_t)bytes};
}

static void start_together(void)
{
    fsh_fpga_perf_clear();
    (void)fsh_fpga_reg_read(FSH_REG_CYCLE); /* earlier writes have arrived */
    fsh_boot_barrier("fabric start");
}

/* ---- hop ---- */

static uint64_t header_to(unsigned node)
{
    static struct perf_batch batch;
    struct fsh_fpga_raw raw = fabric_command(PERF_PUT, node, 0);
    uint64_t mine[2], all[FSH_MAX_NODES][2];

    start_together();
    if (fabric_me == 0) {
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
    if (fsh_fpga_perf_read(FSH_PERF_REQ_HDR).count != (fabric_me == node)) {
        fsh_fatal("hop: the counters show other traffic");
    }
    fsh_boot_exchange(mine, sizeof(mine), all);
    return all[node][1] - all[0][0];
}

/* Sends to increasingly distant nodes, one hop further each time. */
static void run_hop(void)
{
    unsigned hops[FSH_MAX_NODES];

    fabric_hops(0, hops);
    for (unsigned i = 1; i < fabric_nodes && hops[i] == i; ++i) {
        char test[24];
        uint64_t cycles = header_to(i);

        snprintf(test, sizeof(test), "header_%u", i);
        fabric_tell(test, (double)cycles, NAN, NAN, NAN);
    }
}

/* ---- fairness ---- */

/* From the opening of the gate to the last completion. */
static uint64_t time_all_to_all(void)
{
    static struct perf_batch batch;
    uint64_t last = 0;
    unsigned n = fabric_nodes;

    start_together();
    fsh_fpga_gate_hold();
    batch.count = ROUNDS * (n - 1);
    for (unsigned i = 0; i < batch.count; ++i) {
        struct fsh_fpga_raw raw = fabric_command(
            PERF_PUT, (fabric_me + 1 + i % (n - 1)) % n, FABRIC_MESSAGE);

        atomic_init(&batch.record[i].done, 0);
        if (!fsh_fpga_raw_submit(&raw, &batch.record[i])) {
            fsh_fatal("fairness: no room for command %u", i);
        }
    }
    (void)fsh_fpga_reg_read(FSH_REG_CYCLE);
    fsh_boot_barrier("fabric gate");
    if (fabric_me == 0) {
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
    for (unsigned i = 1; i < fabric_nodes; ++i) {
        least = all[i] < least ? all[i] : least;
        most = all[i] > most ? all[i] : most;
    }
    fabric_links_end_at(most);
    fabric_links_tell();
    fabric_tell("slowest", (double)least / (double)most, NAN, NAN, NAN);
}

/* ---- the command ---- */

static void join(int *argc, char ***argv)
{
    gasnet_handlerentry_t entries[FABRIC_HANDLERS];

    fabric_hol_entries(entries);
    if (gasnet_init(argc, argv) != GASNET_OK ||
        gasnet_attach(entries, FABRIC_HANDLERS, SEGMENT, 0) != GASNET_OK) {
        fsh_fatal("gasnet_init or gasnet_attach failed");
    }
    if (fsh_simulated() == NULL || !fsh_fpga_set_packet(FABRIC_PACKET)) {
        fsh_fatal("fabric-node: started only by fshperf fabric");
    }
    fabric_me = gasnet_mynode();
    fabric_nodes = gasnet_nodes();
    fabric_pass(fabric_now() + FABRIC_RESET);
    fsh_boot_barrier("fabric reset");
    draws = FABRIC_SEED + fabric_me;
    if (fabric_me == 0) {
        perf_tell_assumed();
    }
}

static int run_node(int argc, char **argv)
{
    if (argc < 2) {
        fsh_fatal("fabric-node: started only by fshperf fabric");
    }
    const char *test = argv[1], *argument = argc > 2 ? argv[2] : "0";
    const char *cycles = argc > 3 ? argv[3] : "0";
    join(&argc, &argv);
    if (strcmp(test, "hop") == 0) {
        run_hop();
    } else if (strcmp(test, "fairness") == 0) {
        run_fairness();
    } else if (strcmp(test, "hol") == 0) {
        fabric_run_hol(argument, cycles);
    } else if (!fabric_run_pattern(test, argument, cycles)) {
        fsh_fatal("fabric-node: no such test: %s", test);
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
