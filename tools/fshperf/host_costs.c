/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fshperf host-costs: this machine's timings for the operations to which simulated
 * time assigns costs (COST_* of spec/fshmem.toml), next to those costs, for
 * comparison only. With --clock simulated instead: the wall time of a hand-over
 * between a rank and the simulator.
 */
#include "perf.h"

#include <fshmem.h>
#include <string.h>
#include <unistd.h>

#include "base/cpu.h"
#include "base/fsh_spec.h"
#include "base/log.h"
#include "base/simulated.h"
#include "boot/boot.h"

enum {
    BATCHES = 51,
    CALLS = 8,
    POLLS = 1000,
    COPY = 1 << 16,
    SETTLE_US = 3000
};
#define CYCLE_NS (1000.0 / FSH_CLOCK_MHZ)
/* Further than a rank can advance without the simulator. */
#define FAR_NS UINT64_C(1100000)

static gasnet_handler_t note_index;
static char from[COPY], to[COPY];

static void settle(void)
{
    usleep(SETTLE_US); /* what was sent has arrived, or is done */
}

/* Each returns the ns of one operation. */
static double a_call(void)
{
    uint64_t start = fsh_time_ns(), taken;

    for (unsigned i = 0; i < CALLS; ++i) {
        gasnet_AMRequestShort0(gasnet_mynode(), note_index);
    }
    taken = fsh_time_ns() - start;
    settle();
    for (unsigned i = 0; i < POLLS; ++i) {
        gasnet_AMPoll();
    }
    return (double)taken / CALLS;
}

static double an_empty_poll(void)
{
    uint64_t start = fsh_time_ns();

    for (unsigned i = 0; i < POLLS; ++i) {
        gasnet_AMPoll();
    }
    return (double)(fsh_time_ns() - start) / POLLS;
}

static double a_message(void)
{
    uint64_t start;

    for (unsigned i = 0; i < CALLS; ++i) {
        gasnet_AMRequestShort0(gasnet_mynode(), note_index);
    }
    settle();
    start = fsh_time_ns();
    gasnet_AMPoll();
    return (double)(fsh_time_ns() - start) / CALLS;
}

static double a_look_at_the_clock(void)
{
    uint64_t start = fsh_time_ns();

    for (unsigned i = 0; i < POLLS; ++i) {
        fshmem_time();
    }
    return (double)(fsh_time_ns() - start) / POLLS;
}

static double a_copied_kib(void)
{
    uint64_t start = fsh_time_ns();

    memcpy(to, from, sizeof to);
    __asm__ volatile("" : : "r"(to) : "memory"); /* mark it as used */
    return (double)(fsh_time_ns() - start) / (COPY / 1024.0);
}

/* To the simulator and back. */
static double a_hand_over(void)
{
    uint64_t start = fsh_time_ns();

    fshmem_spend(FAR_NS);
    return (double)(fsh_time_ns() - start) / 2;
}

static double median_of(double (*once)(void))
{
    double ns[BATCHES];

    once();
    for (unsigned i = 0; i < BATCHES; ++i) {
        ns[i] = once();
    }
    return perf_median(ns, BATCHES);
}

static void print(const char *what, double cycles, double (*once)(void))
{
    double ns = median_of(once);

    printf("%-44s%14.0f%14.1f%14.1f\n", what, cycles, ns / CYCLE_NS, ns);
}

static void print_costs(void)
{
    printf("%-44s%14s%14s%14s\n", "# What", "Stated", "Here", "Here (ns)");
    print("Call that sends, with 5 posted writes",
          FSH_COST_CALL + 5 * FSH_COST_WRITE, a_call);
    print("Poll (empty: at least)", FSH_COST_POLL, an_empty_poll);
    print("Message delivered, with its handler",
          FSH_COST_MESSAGE + FSH_COST_HANDLER, a_message);
    print("Reading of the clock", FSH_COST_CLOCK, a_look_at_the_clock);
    print("Copy of 1 KiB", 1024.0 / FSH_COST_COPY_BYTES, a_copied_kib);
}

static int host_costs(void)
{
    if (strcmp(fsh_boot_conduit(), "fpga") != 0) {
        fsh_fatal("host-costs needs conduit fpga, not %s; run: fshrun -n 2 "
                  "--conduit fpga fshperf host-costs",
                  fsh_boot_conduit());
    }
    note_index = perf_note_handler();
    if (gasnet_mynode() == 0) {
        printf("# FSHMEM %s: host costs, in cycles of %d MHz; medians of %d. "
               "Clock: wall.\n",
               FSH_VERSION, FSH_CLOCK_MHZ, BATCHES);
        if (fsh_simulated() == NULL) {
            print_costs();
        } else {
            printf("Hand-over between rank and simulator, one way: %.1f us\n",
                   median_of(a_hand_over) / 1e3);
        }
        fflush(stdout);
    }
    /* Ranks that wait here leave the simulator undisturbed. */
    gasnet_barrier_notify(0, GASNET_BARRIERFLAG_ANONYMOUS);
    gasnet_barrier_wait(0, GASNET_BARRIERFLAG_ANONYMOUS);
    return 0;
}

const struct perf_command perf_host_costs = {
    .name = "host-costs",
    .help =
        "this machine's timings compared with the costs assumed by simulated\n"
        "time; with --clock simulated, the wall time of a hand-over",
    .run = host_costs,
};
