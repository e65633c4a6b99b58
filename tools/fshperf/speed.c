/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fshperf sim-speed: node-cycles per second of wall time with every node loaded by
 * commands queued in the devices: transfers, products on the compute cores, or both.
 * fshperf am-rtt: time of an active message round trip, on any conduit. These are
 * wall-clock figures of the current machine, except that am-rtt uses simulated time
 * where the ranks have it.
 */
#include "perf.h"
#include "speed.h"

#include <fshmem.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpu.h"
#include "base/fsh_spec.h"
#include "base/log.h"
#include "boot/boot.h"
#include "conduit/conduit.h"

#define LOAD_BYTES ((size_t)256 << 10)
#define PRODUCT 512 /* m, n and k */
#define PRODUCTS 2u
#define PRODUCT_BYTES (PRODUCT * PRODUCT * sizeof(float))
#define OPERANDS (2 * PERF_MAX_BYTES) /* after the area for transfers */
#define START 0                       /* event */
#define ROUND_TRIPS 1000
#define WARM_UP 100

/* The load of every node. */
struct load {
    bool put;     /* sends to its neighbour, and receives */
    bool compute; /* its array multiplies */
    struct perf_batch puts;
    gasnet_handle_t products, start;
    fshmem_status_t result;
};

static void must(fshmem_status_t status, const char *what)
{
    if (status != FSHMEM_OK) {
        fsh_fatal("sim-speed: %s: %s", what, fshmem_status_string(status));
    }
}

/* Numbers of both signs between 1 and 2. */
static void fill_operand(size_t offset)
{
    gasnet_seginfo_t info[FSH_JOB_MAX_RANKS];
    if (gasnet_getSegmentInfo(info, FSH_JOB_MAX_RANKS) != GASNET_OK) {
        fsh_fatal("gasnet_getSegmentInfo failed");
    }
    uint32_t *at = (void *)((char *)info[gasnet_mynode()].addr + offset);
    uint32_t state = 1;
    for (size_t i = 0; i < PRODUCT_BYTES / sizeof(*at); ++i) {
        state = state * 1664525u + 1013904223u;
        at[i] = 0x3f800000u | (state & 0x80000000u) | (state >> 8 & 0x7fffffu);
    }
}

/* The products, executed in sequence, wait for START. */
static void submit_products(struct load *load)
{
    fshmem_gemm_t gemm = {
        .m = PRODUCT,
        .n = PRODUCT,
        .k = PRODUCT,
        .a = {FSHMEM_FP32_ROWS, OPERANDS, PRODUCT},
        .b = {FSHMEM_FP32_ROWS, OPERANDS + PRODUCT_BYTES, PRODUCT},
        .c = OPERANDS + 2 * PRODUCT_BYTES,
        .ldc = PRODUCT,
        .flow = {.await_event = START, .await_count = 1},
    };
    fshmem_command_t command[PRODUCTS];
    fill_operand(gemm.a.offset);
    fill_operand(gemm.b.offset);
    for (unsigned i = 0; i < PRODUCTS; ++i) {
        must(fshmem_command_gemm(&gemm, &command[i]), "product");
        gemm.flow.await_count = 0;
    }
    must(fshmem_submit_nb(fsh_boot_rank(), command, PRODUCTS, FSHMEM_TRY,
                          &load->products, &load->result),
         "submission");
}

/* Everything is queued in the devices and starts when the gate opens. */
static void queue_load(struct load *load, unsigned puts)
{
    if (load->compute) {
        submit_products(load);
    }
    fsh_fpga_gate_hold();
    if (load->compute) {
        must(fshmem_signal_nb(fsh_boot_rank(), START, 1, &load->start),
             "signal");
    }
    if (load->put) {
        uint32_t peer = (fsh_boot_rank() + 1) % fsh_boot_size();
        perf_queue(&load->puts, PERF_PUT, peer, LOAD_BYTES, puts);
    }
    (void)fsh_fpga_reg_read(FSH_REG_CYCLE);
    fsh_boot_barrier("fshperf load queued");
}

/* Waits for the end of the measured load: the products if there are any, else
 * the transfers. */
static void wait_load(struct load *load)
{
    if (load->compute) {
        gasnet_wait_syncnb(load->start);
        gasnet_wait_syncnb(load->products);
        must(load->result, "product");
    } else {
        perf_wait(&load->puts, "the queued load");
    }
    fsh_boot_barrier("fshperf load done");
}

static const char *load_name(const struct load *load)
{
    return !load->compute ? "every node sending and receiving"
           : load->put    ? "every node sending, receiving and computing"
                          : "every node computing";
}

static struct load load;

static const char *json;
static unsigned most = 32, commands; /* 0: as many as possible */
static bool instructions;

static int sim_speed(void)
{
    const char *options[3] = {NULL};

    load.put |= !load.compute;
    if (instructions && load.compute) {
        fsh_fatal_code(2, "sim-speed --instructions counts what --put takes, "
                          "not --compute");
    }
    if (json) {
        options[0] = load.put ? "--put" : "--compute";
        options[1] = load.put && load.compute ? "--compute" : NULL;
        return speed_jobs(json, most, options, instructions);
    }
    if (instructions) {
        (void)speed_instructions();
        return 0;
    }
    if (commands == 0) {
        perf_wall_only("sim-speed");
    }
    if (strcmp(fsh_boot_conduit(), "fpga") != 0) {
        fsh_fatal("sim-speed needs conduit fpga, not %s; run: fshrun "
                  "-n 2 --conduit fpga fshperf sim-speed",
                  fsh_boot_conduit());
    }
    queue_load(&load, commands ? commands : PERF_QUEUE);
    uint64_t start = fsh_time_ns();
    struct sim_figures before = perf_sim_figures();
    if (fsh_boot_rank() == 0) {
        fsh_fpga_gate_open();
    }
    wait_load(&load);
    double seconds = (double)(fsh_time_ns() - start) / 1e9;
    if (fsh_boot_rank() == 0) {
        struct sim_figures now = perf_sim_figures();
        double cycles = (double)(now.cycle - before.cycle);
        double nodes = fsh_boot_size();
        double evals = (double)(now.evaluated - before.evaluated);
        double cpu = (double)(now.host_ns - before.host_ns) / 1e9;
        char title[80];
        snprintf(title, sizeof(title), "simulator speed, %s", load_name(&load));
        perf_print_header(title);
        printf("# Clock of the rates: wall.\n");
        printf("%-44s%20.0f\n", "Simulated cycles", cycles);
        printf("%-44s%20.0f\n", "Nodes", nodes);
        printf("%-44s%20.0f\n", SPEED_EVALUATED, evals);
        printf("%-44s%20.3f\n", SPEED_SECONDS, seconds);
        printf("%-44s%20.0f\n", "Node-cycles per second (wall)",
               cycles * nodes / seconds);
        if (cpu > 0) { /* a node may sleep while its compute core works */
            printf("%-44s%20.0f\n", SPEED_CPU,
                   (load.compute ? cycles * nodes : evals) / cpu);
        }
    }
    fsh_boot_barrier("fshperf sim-speed reported");
    if (load.compute && load.put) {
        perf_wait(&load.puts, "the queued load");
        fsh_boot_barrier("fshperf transfers done");
    }
    return 0;
}

static const struct kit_option speed_options[] = {
    {"--put", .help = "every node sends to its neighbour (default)",
     .flag = &load.put},
    {"--compute", .help = "every node's compute core multiplies matrices",
     .flag = &load.compute},
    {"--json", "FILE",
     "start jobs of 2, 8 and 32 nodes, with one and two\n"
     "simulator threads; results as an array of objects",
     .text = &json},
    {"--instructions",
     .help = "start jobs to count the simulator's instructions per\n"
             "node-cycle with valgrind; alone or with --json",
     .flag = &instructions},
    /* Used by speed_instructions.c: commands per node; no rates are printed
     * then. */
    {"--commands", "N", .number = &commands, .most = PERF_QUEUE},
    {"--most", "N", "maximum number of nodes, with --json", .number = &most,
     .most = FSH_MAX_NODES},
};

const struct perf_command perf_sim_speed = {
    .name = "sim-speed",
    .help = "node-cycles per second of the simulator (wall clock)",
    .run = sim_speed,
    .alone_with = {"--json", "--instructions"},
    .options = speed_options,
    .count = sizeof(speed_options) / sizeof(speed_options[0]),
};

/* ---- am-rtt ---- */

static gasnet_handler_t ping_index, pong_index;
static volatile unsigned pongs;

static void ping(gasnet_token_t token)
{
    gasnet_AMReplyShort0(token, pong_index);
}

static void pong(gasnet_token_t token)
{
    (void)token;
    ++pongs;
}

void perf_am_entries(gasnet_handlerentry_t entries[2])
{
    ping_index = 200;
    pong_index = 201;
    entries[0] = (gasnet_handlerentry_t){ping_index, (void (*)())ping};
    entries[1] = (gasnet_handlerentry_t){pong_index, (void (*)())pong};
}

void perf_ping(gasnet_node_t peer)
{
    unsigned before = pongs;

    gasnet_AMRequestShort0(peer, ping_index);
    GASNET_BLOCKUNTIL(pongs != before);
}

gasnet_handler_t perf_note_handler(void)
{
    return pong_index;
}

/* In simulated time the ranks' clock, whose reading has a stated cost. */
static void round_trips(gasnet_node_t peer, double *us, unsigned n)
{
    for (unsigned i = 0; i < n; ++i) {
        uint64_t start = fshmem_time();
        perf_ping(peer);
        us[i] = (double)(fshmem_time() - start) / 1e3;
    }
}

static int am_rtt(void)
{
    static double us[ROUND_TRIPS];

    gasnet_barrier_notify(0, GASNET_BARRIERFLAG_ANONYMOUS);
    gasnet_barrier_wait(0, GASNET_BARRIERFLAG_ANONYMOUS);
    if (gasnet_mynode() == 0) {
        gasnet_node_t peer = gasnet_nodes() > 1 ? 1 : 0;
        round_trips(peer, us, WARM_UP);
        round_trips(peer, us, ROUND_TRIPS);
        double median = perf_median(us, ROUND_TRIPS);
        printf("# FSHMEM %s: active message round trip, Short request and "
               "reply\n",
               FSH_VERSION);
        printf("# Conduit %s. Clock: %s. %d round trips after %d to warm "
               "up.\n",
               fsh_boot_conduit(), perf_host_clock(), ROUND_TRIPS, WARM_UP);
        printf("%-10s%20s%20s%20s\n", "# Size", "Median (us)", "Min (us)",
               "99 % (us)");
        printf("%-10d%20.2f%20.2f%20.2f\n", 0, median, us[0],
               us[ROUND_TRIPS * 99 / 100]);
    }
    gasnet_barrier_notify(0, GASNET_BARRIERFLAG_ANONYMOUS);
    gasnet_barrier_wait(0, GASNET_BARRIERFLAG_ANONYMOUS);
    return 0;
}

const struct perf_command perf_am_rtt = {
    .name = "am-rtt",
    .help = "active message round trip on any conduit: wall time, or the\n"
            "ranks' time with --clock simulated",
    .run = am_rtt,
};
