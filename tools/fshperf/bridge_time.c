/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fshperf bridge --clock simulated; see bridge_time.h. Exact figures: host and network are
 * models, the card is the RTL. Beside them those of Miyajima et al., whose PCIe, Gen3 x8,
 * has a peak of 7877 MB/s; the model's is of 32 bytes a cycle each way, less the line code.
 */
#include "bridge_time.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/option.h"
#include "bridge_node.h"
#include "perf.h"

enum { SIZES = 4, QUICK = 2 };
static const size_t sizes[SIZES] = {(size_t)64 << 10, (size_t)1 << 20,
                                    (size_t)16 << 20, 320000000};
#define PAPER_PEAK 7877.0
#define PCIE_OPTION "--pcie-bytes-cycle"
#define PCIE_BYTES "32"

static const struct {
    const char *name;
    double goal; /* of peak() */
    double paper;
} paths[BRIDGE_PATHS] = {
    {"to_card", 0.97, 6379.1},
    {"from_card", 0.97, 5696.1},
    {"round_trip", 0.93, 4732.0},
};
#define GAIN 5.0 /* of a round trip of the last size, over naive; paper: 5.6 */
static const char *const stages[BRIDGE_STAGES] = {"read", "dma_to_card",
                                                  "dma_from_card", "write"};

static uint64_t taken[BRIDGE_ROWS][SIZES]; /* ns */
static unsigned count;

/* Of PCIe each way; and of its payload, with packet headers. */
static double raw(void)
{
    return perf_assumed()->pcie_bytes_cycle * PERF_MHZ;
}

static double peak(void)
{
    return raw() * FSH_SIM_PCIE_PAYLOAD /
           (FSH_SIM_PCIE_PAYLOAD + FSH_SIM_PCIE_HEADER);
}

/* 0: not measured */
static double rate(unsigned row, unsigned size)
{
    if (taken[row][size] == 0)
        return 0;
    return (double)sizes[size] * 1e3 / (double)taken[row][size];
}

static unsigned row_of(unsigned path, bool naive)
{
    return BRIDGE_STAGES + 2 * path + (naive ? 0 : 1);
}

static void hear(void *arg, const char *line)
{
    unsigned row;
    uint64_t ns;
    size_t bytes;
    char text[64];

    (void)arg;
    if (perf_hear_assumed(line))
        return;
    if (sscanf(line, BRIDGE_LINE " %u %zu %" SCNu64, &row, &bytes, &ns) != 3 ||
        row >= BRIDGE_ROWS) {
        fputs(line, stdout);
        return;
    }
    for (unsigned i = 0; i < count; i++)
        if (sizes[i] == bytes)
            taken[row][i] = ns;
    snprintf(text, sizeof text, "%zu bytes, row %u of %u", bytes, row + 1,
             (unsigned)BRIDGE_ROWS);
    perf_progress(text, false);
}

static void run_job(void)
{
    char number[SIZES][24];
    const char *arguments[SIZES + 2] = {"bridge-node"};
    const struct perf_job job = {.ranks = 1,
                                 .conduit = "fpga",
                                 .costs = "1",
                                 .time_limit = 7200,
                                 .arguments = arguments,
                                 .hear = hear};
    const char *given = getenv("FSHMEM_SIM_ARGS");
    char sim[4096];
    int code;

    /* Unless the user says otherwise: of the same option the last one counts. */
    snprintf(sim, sizeof sim, PCIE_OPTION " " PCIE_BYTES " %s",
             given ? given : "");
    setenv("FSHMEM_SIM_ARGS", sim, 1);

    for (unsigned i = 0; i < count; i++) {
        snprintf(number[i], sizeof number[i], "%zu", sizes[i]);
        arguments[1 + i] = number[i];
    }
    code = perf_run_job(&job);
    perf_progress("", true);
    if (code != 0)
        fsh_fatal("fshperf bridge: the job ended with code %d", code);
    for (unsigned row = 0; row < BRIDGE_ROWS; row++)
        for (unsigned i = 0; i < count; i++)
            if (taken[row][i] == 0 && bridge_has_row(row, sizes[i]))
                fsh_fatal("fshperf bridge: the job reported no row %u of %zu "
                          "bytes",
                          row, sizes[i]);
}

static const char *verdict(bool reached)
{
    return reached ? "pass" : "falls short";
}

static void print_path(unsigned p)
{
    double reached = rate(row_of(p, false), count - 1) / peak();

    printf("# %s: %.1f MB/s, %.1f %% of %.1f (>= %.0f: %s); paper: "
           "%.1f MB/s, %.1f %% of its PCIe\n",
           paths[p].name, rate(row_of(p, false), count - 1), 100 * reached,
           peak(), 100 * paths[p].goal, verdict(reached >= paths[p].goal),
           paths[p].paper, 100 * paths[p].paper / PAPER_PEAK);
}

static void print_heading(void)
{
    perf_print_header("the bridge in simulated time");
    printf("# Client and server on a modelled network: %u ns one way, RDMA "
           "reads %.1f MB/s, writes %.1f;\n"
           "# %u ns of a processor an operation, %u ns a registration and "
           "%.0f ns a page of it; copies\n"
           "# COST_COPY_BYTES a cycle. Card: the RTL, whose PCIe moves "
           "%.0f MB/s each way, %.1f\n# of payload with packet headers.\n"
           "# %" PRIu64 " buffers of %zu KB. MB/s of 10^6 bytes\n# %10s",
           BRIDGE_DELAY_NS, BRIDGE_READ_MB_PER_S, BRIDGE_WRITE_MB_PER_S,
           BRIDGE_POST_NS, BRIDGE_REGISTER_NS, BRIDGE_REGISTER_PAGE_NS, raw(),
           peak(), (uint64_t)fsh_option_int("FSHMEM_BRIDGE_ENTRIES"),
           fsh_option_size("FSHMEM_BRIDGE_BUFFER") >> 10, "bytes");
    for (unsigned s = 0; s < BRIDGE_STAGES; s++)
        printf(" %13s", stages[s]);
    for (unsigned p = 0; p < BRIDGE_PATHS; p++)
        printf(" %10s %8s", paths[p].name, "naive");
    putchar('\n');
}

static void print_rate(unsigned row, unsigned size, int width)
{
    if (bridge_has_row(row, sizes[size]))
        printf(" %*.1f", width, rate(row, size));
    else
        printf(" %*s", width, "-");
}

static void print(void)
{
    unsigned last = count - 1;
    double gain = rate(row_of(BRIDGE_PATHS - 1, false), last) /
                  rate(row_of(BRIDGE_PATHS - 1, true), last);

    print_heading();
    for (unsigned i = 0; i < count; i++) {
        printf("%12zu", sizes[i]);
        for (unsigned s = 0; s < BRIDGE_STAGES; s++)
            print_rate(s, i, 13);
        for (unsigned p = 0; p < BRIDGE_PATHS; p++) {
            print_rate(row_of(p, false), i, 10);
            print_rate(row_of(p, true), i, 8);
        }
        putchar('\n');
    }
    for (unsigned p = 0; p < BRIDGE_PATHS; p++)
        print_path(p);
    printf("# round trip of %zu bytes: %.2f times naive (>= %.1f: %s); paper: "
           "5.91\n",
           sizes[last], gain, GAIN, verdict(gain >= GAIN));
}

static void add_row(struct document *d, unsigned row, unsigned size)
{
    bool stage = row < BRIDGE_STAGES;
    unsigned path = stage ? row / 2 : (row - BRIDGE_STAGES) / 2;

    document_open(d, NULL, '{');
    document_text(d, "path", paths[path].name);
    document_text(d, "mode",
                  stage                            ? "stage"
                  : (row - BRIDGE_STAGES) % 2 == 0 ? "naive"
                                                   : "pipelined");
    if (stage)
        document_text(d, "stage", stages[row]);
    document_text(d, "device", "sim");
    document_text(d, "network", "model");
    document_text(d, "clock", "simulated");
    document_number(d, "buffer", fsh_option_size("FSHMEM_BRIDGE_BUFFER"));
    document_number(d, "entries",
                    (uint64_t)fsh_option_int("FSHMEM_BRIDGE_ENTRIES"));
    document_number(d, "bytes", sizes[size]);
    document_number(d, "ns", taken[row][size]);
    document_real(d, "mb_per_s", rate(row, size));
    document_real(d, "ratio", rate(row, size) / peak());
    document_number(d, "network_ns", BRIDGE_DELAY_NS);
    document_real(d, "read_mb_per_s", BRIDGE_READ_MB_PER_S);
    document_real(d, "write_mb_per_s", BRIDGE_WRITE_MB_PER_S);
    perf_json_assumed(d, 0);
    document_close(d);
}

int bridge_time_run(bool quick, const char *json)
{
    struct document d = {NULL, {NULL}, 0};
    FILE *out = perf_open(json);

    count = quick ? QUICK : SIZES;
    run_job();
    print();
    if (out == NULL)
        return 0;
    document_open(&d, NULL, '[');
    for (unsigned row = 0; row < BRIDGE_ROWS; row++)
        for (unsigned i = 0; i < count; i++)
            if (bridge_has_row(row, sizes[i]))
                add_row(&d, row, i);
    document_close(&d);
    if (!document_write(&d, out))
        fsh_fatal("%s: cannot be written", json);
    perf_close(out, json);
    return 0;
}
