/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fshperf case-node: one point of a case study, as a job on conduit fpga. All
 * commands are in the nodes before they start, and the start gate lets them begin in
 * the same cycle, so the counters of the compute cores are the same in every run. The
 * result is checked as in the examples.
 */
#include "perf.h"
#include "study.h"

#include <inttypes.h>
#include <string.h>

#include "base/simulated.h"
#include "boot/boot.h"
#include "case.h"
#include "conv.h"
#include "matmul.h"

/* A workload of a given size; a job has one. */
struct workload {
    const char *name;
    double (*prepare)(uint32_t size, const char *way); /* attach; MACs */
    unsigned (*starts)(void);
    void (*wait)(void);
    void (*check)(struct case_check *check);
};

static struct matmul product;
static struct conv convolution;

static double product_prepare(uint32_t size, const char *way)
{
    struct matmul_options options = {
        .size = size, .seed = 1, .algorithm = matmul_algorithm(way)};

    matmul_refuse(&options);
    case_attach(matmul_bytes(&options));
    matmul_prepare(&product, &options);
    return (double)size * size * size;
}

static unsigned product_starts(void)
{
    return matmul_starts(&product);
}

static void product_wait(void)
{
    matmul_wait(&product);
}

static void product_check(struct case_check *check)
{
    matmul_check(&product, check);
    matmul_free(&product);
}

static double convolution_prepare(uint32_t size, const char *way)
{
    struct conv_options options = conv_paper(size);

    (void)way;
    conv_refuse(&options);
    case_attach(conv_bytes(&options));
    conv_prepare(&convolution, &options);
    return conv_macs(&options);
}

static unsigned convolution_starts(void)
{
    return conv_starts(&convolution);
}

static void convolution_wait(void)
{
    conv_wait(&convolution);
}

static void convolution_check(struct case_check *check)
{
    conv_check(&convolution, check);
    conv_free(&convolution);
}

static const struct workload workloads[] = {
    {"matmul", product_prepare, product_starts, product_wait, product_check},
    {"conv", convolution_prepare, convolution_starts, convolution_wait,
     convolution_check},
};

static const struct workload *find(const char *name)
{
    for (size_t i = 0; i < sizeof workloads / sizeof workloads[0]; ++i) {
        if (strcmp(workloads[i].name, name) == 0) {
            return &workloads[i];
        }
    }
    return NULL;
}

/* Commands are waiting in all nodes: starts them in the same cycle. */
static void start(unsigned starts)
{
    gasnet_handle_t handle;

    case_barrier();
    case_fine("counters", fshmem_core_counters_clear());
    fsh_boot_barrier("case-node ready");
    fsh_fpga_gate_hold();
    case_fine("start",
              fshmem_signal_nb(gasnet_mynode(), CASE_START, starts, &handle));
    (void)fsh_fpga_reg_read(FSH_REG_CYCLE); /* it has reached the device */
    fsh_boot_barrier("case-node start queued");
    if (gasnet_mynode() == 0) {
        fsh_fpga_gate_open();
    }
    gasnet_wait_syncnb(handle);
}

/* As a program would: from a rank's start of its node to the barrier after its end, in
 * cycles. */
static uint64_t time_hosts(const struct workload *workload)
{
    uint64_t began;

    case_barrier();
    began = fshmem_time();
    case_start(workload->starts());
    workload->wait();
    case_barrier();
    return (fshmem_time() - began) / FSH_NS_PER_CYCLE;
}

/* Starts behind the start gate. */
static void run_nodes(const struct workload *workload)
{
    start(workload->starts());
    workload->wait();
    fsh_boot_barrier("case-node done");
}

static void report(double macs)
{
    static fshmem_core_counters_t all[STUDY_MAX_NODES];
    fshmem_core_counters_t mine;

    case_fine("counters", fshmem_core_counters(&mine));
    case_gather(&mine, sizeof mine, all);
    if (gasnet_mynode() != 0) {
        return;
    }
    perf_tell_assumed();
    for (unsigned i = 0; i < gasnet_nodes(); ++i) {
        const fshmem_core_counters_t *c = &all[i];

        printf(STUDY_LINE " %.0f %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64
                          " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64
                          " %" PRIu64 "\n",
               macs, c->first_start, c->last_end, c->last_signal, c->commands,
               c->compute, c->load, c->full, c->transfer, c->sent_bytes);
    }
}

static int run_node(int argc, char **argv)
{
    const char *name = "matmul", *way = "auto";
    uint32_t size = 256;
    int hosts = 0;
    const struct case_option table[] = {
        {.name = "--workload",
         .help = "matmul|conv",
         .string = &name,
         .choices = "matmul|conv"},
        {.name = "--size",
         .help = "N",
         .number = &size,
         .least = 3,
         .most = 16384},
        {.name = "--algorithm",
         .help = "of matmul",
         .string = &way,
         .choices = MATMUL_ALGORITHMS},
        {.name = "--hosts",
         .help = "time hosts, too, and use no start gate",
         .flag = &hosts},
    };
    struct case_check check;
    uint64_t taken = 0;

    case_join("fshperf case-node", &argc, &argv);
    case_options(argc, argv, "usage: see fshperf case-study", table,
                 sizeof table / sizeof table[0]);
    if (gasnet_nodes() > STUDY_MAX_NODES) {
        case_refuse("at most %u nodes", STUDY_MAX_NODES);
    }
    const struct workload *workload = find(name);
    double macs = workload->prepare(size, way);
    if (!fsh_fpga_active()) {
        case_refuse("needs conduit fpga, which counts cycles");
    }
    if (hosts && fsh_simulated() == NULL) {
        case_refuse("--hosts needs --clock simulated");
    }
    if (hosts) {
        taken = time_hosts(workload);
    } else {
        run_nodes(workload);
    }
    report(macs);
    if (hosts && gasnet_mynode() == 0) {
        printf(STUDY_HOSTS_LINE " %" PRIu64 "\n", taken);
    }
    workload->check(&check);
    case_check_all(&check);
    if (gasnet_mynode() == 0 && !case_passes(&check)) {
        case_fail("%s %u: the results are wrong", name, (unsigned)size);
    }
    case_leave(0);
    return 0;
}

const struct perf_command perf_case_node = {
    .name = "case-node",
    .raw = run_node,
    .alone = true,
};
