/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fshperf sim-spin: wall time of polling programs on conduit fpga, where simulator
 * and ranks share the processors. A reduction in which every rank spins on gets of
 * words that others have yet to write; and Longs of the largest size, from every rank
 * to its neighbour at once. Wall-clock figures of the current machine.
 */
#include "perf.h"

#include <stdlib.h>
#include <string.h>

#include "base/cpu.h"
#include "base/log.h"
#include "boot/boot.h"
#include "device/sim/sim_shm.h"

#define WARM_UP 2u
#define LIMIT_NS UINT64_C(120000000000) /* longer than any round here */

/* A word in each segment, written by its owner and read by others. */
struct spin_word {
    uint32_t round, value;
};

static struct {
    unsigned rounds, longs;
} options = {.rounds = 100, .longs = 20};

static char *segment[FSH_JOB_MAX_RANKS];
static uint64_t asked; /* gets of this rank */
static gasnet_handler_t long_index;
static unsigned expected;
static volatile unsigned arrived;

static void on_long(gasnet_token_t token, void *buf, size_t nbytes)
{
    (void)token;
    (void)buf;
    (void)nbytes;
    ++arrived;
}

void perf_spin_entry(gasnet_handlerentry_t *entry)
{
    long_index = 202;
    *entry = (gasnet_handlerentry_t){long_index, (void (*)())on_long};
}

static void publish(uint32_t round, uint32_t value)
{
    struct spin_word word = {round, value};
    uint64_t bits;
    memcpy(&bits, &word, sizeof(bits));
    /* Relaxed: a single word, which the device reads as a whole. */
    atomic_store_explicit((_Atomic uint64_t *)(void *)segment[gasnet_mynode()],
                          bits, memory_order_relaxed);
}

static uint32_t await_word(gasnet_node_t node, uint32_t round)
{
    uint64_t end = fsh_time_ns() + LIMIT_NS;
    struct spin_word word;
    do {
        gasnet_get(&word, node, segment[node], sizeof(word));
        ++asked;
        if (fsh_time_ns() > end) {
            fsh_fatal("sim-spin: rank %u is still at round %u of %u",
                      (unsigned)node, word.round, round);
        }
    } while (word.round != round);
    return word.value;
}

/* Rank 0 gets all ranks' values, and all get the sum from rank 0. */
static void reduction(uint32_t round)
{
    uint32_t me = gasnet_mynode(), ranks = gasnet_nodes(), sum = 1;
    if (me != 0) {
        publish(round, me + round);
        sum = await_word(0, round);
    } else {
        for (uint32_t n = 1; n < ranks; ++n) {
            sum += await_word((gasnet_node_t)n, round);
        }
        publish(round, sum);
    }
    if (sum != 1 + ranks * (ranks - 1) / 2 + (ranks - 1) * round) {
        fsh_fatal("sim-spin: sum %u in round %u is wrong", sum, round);
    }
}

static void send_long(uint32_t round)
{
    gasnet_node_t to = (gasnet_node_t)((gasnet_mynode() + 1) % gasnet_nodes());
    (void)round;
    gasnet_AMRequestLongAsync0(
        to, long_index, segment[gasnet_mynode()] + PERF_MAX_BYTES,
        gasnet_AMMaxLongRequest(), segment[to] + 2 * PERF_MAX_BYTES);
    ++expected;
    GASNET_BLOCKUNTIL(arrived >= expected);
}

static void report(const char *what, double *us, unsigned n,
                   const struct sim_figures *before)
{
    struct sim_figures now = perf_sim_figures();
    double median = perf_median(us, n);
    printf("%-26s%14.1f%14.1f%14.1f%14.1f%14.0f%14.1f\n", what, median, us[0],
           us[n * 99 / 100], (double)asked / n,
           (double)(now.evaluated - before->evaluated) / n,
           (double)(now.host_ns - before->host_ns) / 1e3 / n);
}

static void measure(const char *what, void (*once)(uint32_t round), unsigned n)
{
    static uint32_t round;
    double *us = calloc(n + 1, sizeof(*us));
    struct sim_figures before = {0};
    if (!us) {
        fsh_fatal("sim-spin: no memory for %u rounds", n);
    }
    for (unsigned i = 0; i < WARM_UP; ++i) {
        once(++round);
    }
    fsh_boot_barrier("fshperf sim-spin ready");
    asked = 0;
    before = perf_sim_figures();
    for (unsigned i = 0; i < n; ++i) {
        uint64_t start = fsh_time_ns();
        once(++round);
        us[i] = (double)(fsh_time_ns() - start) / 1e3;
    }
    fsh_boot_barrier("fshperf sim-spin measured");
    if (gasnet_mynode() == 0 && n != 0) {
        report(what, us, n, &before);
    }
    free(us);
}

static int sim_spin(void)
{
    gasnet_seginfo_t info[FSH_JOB_MAX_RANKS];

    perf_wall_only("sim-spin");
    if (strcmp(fsh_boot_conduit(), "fpga") != 0 || gasnet_nodes() < 2) {
        fsh_fatal("sim-spin needs two ranks or more on conduit fpga, "
                  "not %u on %s; run: fshrun -n 2 --conduit fpga fshperf "
                  "sim-spin",
                  (unsigned)gasnet_nodes(), fsh_boot_conduit());
    }
    if (gasnet_getSegmentInfo(info, FSH_JOB_MAX_RANKS) != GASNET_OK) {
        fsh_fatal("gasnet_getSegmentInfo failed");
    }
    for (uint32_t n = 0; n < gasnet_nodes(); ++n) {
        segment[n] = info[n].addr;
    }
    if (gasnet_mynode() == 0) {
        printf("# FSHMEM %s: ranks that spin, %u of them. Clock: wall.\n",
               FSH_VERSION, (unsigned)gasnet_nodes());
        perf_print_assumed();
        printf("# A round on rank 0; its gets, and what the simulator did in "
               "it.\n");
        printf("%-26s%14s%14s%14s%14s%14s%14s\n", "# What", "Median (us)",
               "Min (us)", "99 % (us)", "Gets", "Node-cycles", "Sim CPU (us)");
    }
    measure("Reduction by gets", reduction, options.rounds);
    measure("Long of 1 MB to the next", send_long, options.longs);
    return 0;
}

static const struct kit_option table_of_options[] = {
    {"--rounds", "N", "reductions", .number = &options.rounds, .most = 1000000},
    {"--longs", "N", "Longs sent by every rank", .number = &options.longs,
     .most = 1000000},
};

const struct perf_command perf_sim_spin = {
    .name = "sim-spin",
    .help = "wall time of ranks that spin on gets, and of 1 MB Longs",
    .run = sim_spin,
    .options = table_of_options,
    .count = sizeof(table_of_options) / sizeof(table_of_options[0]),
};
