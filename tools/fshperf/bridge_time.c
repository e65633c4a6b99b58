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
#include "bridge_rows.h"
#include "perf.h"

enum { SIZES = 4, QUICK = 2 };
static const size_t sizes[SIZES] = {(size_t)64 << 10, (size_t)1 << 20,
                                    (size_t)16 << 20, 320000000};
#define PAPER_PEAK 7877.0
#define PCIE_OPTION "--pcie-bytes-cycle"
#define PCIE_BYTES "32"

static const struct {
    double goal; /* of peak() */
    double paper;
} paths[BRIDGE_PATHS] = {{0.97, 6379.1}, {0.97, 5696.1}, {0.93, 4732.0}};
#define GAIN 5.0 /* of a round trip of the last size, over naive */

/* Of the paper's DMA, without a network: buffers of 8 MB, 1 GB (Figs. 4, 5). */
static const char *const paper_dma[BRIDGE_STAGES] = {
    NULL, "6745.2 (8 MB, 1 GB)", "5872.6 (8 MB, 1 GB)", NULL,
    "4521.3 (8 MB, 1 GB)"};

static struct bridge_point points[BRIDGE_POINTS];
static unsigned count;
static bool sweeps;

static void choose_points(bool quick)
{
    if (sweeps) {
        count = bridge_sweep(points);
        return;
    }
    for (count = 0; count < (quick ? QUICK : SIZES); count++)
        points[count] = (struct bridge_point){
            .buffer = fsh_option_size("FSHMEM_BRIDGE_BUFFER"),
            .bytes = sizes[count]};
}

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

/* Points of a job: those with one buffer. */
struct share {
    struct bridge_point *point;
    unsigned count;
};

static void hear(void *arg, const char *line)
{
    const struct share *share = arg;
    unsigned row;
    uint64_t ns;
    size_t bytes;
    char text[80];

    if (perf_hear_assumed(line))
        return;
    if (sscanf(line, BRIDGE_LINE " %u %zu %" SCNu64, &row, &bytes, &ns) != 3 ||
        row >= BRIDGE_ROWS) {
        fputs(line, stdout);
        return;
    }
    for (unsigned i = 0; i < share->count; i++)
        if (share->point[i].bytes == bytes)
            share->point[i].us[row] = (double)ns / 1e3;
    snprintf(text, sizeof text, "buffers of %zu KB, %zu bytes, row %u of %u",
             share->point->buffer >> 10, bytes, row + 1, (unsigned)BRIDGE_ROWS);
    perf_progress(text, false);
}

static void run_job(struct share share)
{
    char number[BRIDGE_POINTS][24];
    const char *arguments[BRIDGE_POINTS + 2] = {"bridge-node"};
    const struct perf_job job = {.ranks = 1,
                                 .conduit = "fpga",
                                 .costs = "1",
                                 .time_limit = 7200,
                                 .arguments = arguments,
                                 .hear = hear,
                                 .arg = &share};
    char buffer[24];
    int code;

    snprintf(buffer, sizeof buffer, "%zu", share.point->buffer);
    setenv("FSHMEM_BRIDGE_BUFFER", buffer, 1);
    for (unsigned i = 0; i < share.count; i++) {
        snprintf(number[i], sizeof number[i], "%zu", share.point[i].bytes);
        arguments[1 + i] = number[i];
    }
    code = perf_run_job(&job);
    perf_progress("", true);
    if (code != 0)
        fsh_fatal("fshperf bridge: the job ended with code %d", code);
    for (unsigned row = 0; row < BRIDGE_ROWS; row++)
        for (unsigned i = 0; i < share.count; i++)
            if (share.point[i].us[row] == 0 &&
                bridge_has_row(row, share.point[i].bytes))
                fsh_fatal("fshperf bridge: the job reported no row %u of %zu "
                          "bytes",
                          row, share.point[i].bytes);
}

static void run_jobs(void)
{
    const char *given = getenv("FSHMEM_SIM_ARGS");
    char sim[4096];
    unsigned next;

    /* Unless the user says otherwise: of the same option the last one counts. */
    snprintf(sim, sizeof sim, PCIE_OPTION " " PCIE_BYTES " %s",
             given ? given : "");
    setenv("FSHMEM_SIM_ARGS", sim, 1);
    for (unsigned i = 0; i < count; i = next) {
        next = bridge_next_buffer(points, count, i);
        run_job((struct share){&points[i], next - i});
    }
}

static const char *verdict(bool reached)
{
    return reached ? "pass" : "falls short";
}

static void print_path(unsigned path)
{
    unsigned row = bridge_row_of(path, false);
    double reached = bridge_rate(&points[count - 1], row) / peak();

    printf("# %s: %.1f MB/s, %.1f %% of %.1f (>= %.0f: %s); paper: "
           "%.1f MB/s, %.1f %% of its PCIe\n",
           bridge_rows[row].path, bridge_rate(&points[count - 1], row),
           100 * reached, peak(), 100 * paths[path].goal,
           verdict(reached >= paths[path].goal), paths[path].paper,
           100 * paths[path].paper / PAPER_PEAK);
}

static void print_heading(void)
{
    perf_print_header("the bridge in simulated time");
    printf("# Client and server on a modelled network: %u ns one way, RDMA "
           "reads %.1f MB/s, writes %.1f;\n"
           "# %u ns of a processor an operation, %u ns a registration and "
           "for a page of it, allocation\n# included, %.0f ns at the server, "
           "%.0f at the client (the paper's); "
           "copies COST_COPY_BYTES a\n# cycle. Card: the RTL, whose PCIe moves "
           "%.0f MB/s each way, %.1f of payload with packet\n# headers. "
           "%" PRIu64 " buffers",
           BRIDGE_DELAY_NS, BRIDGE_READ_MB_PER_S, BRIDGE_WRITE_MB_PER_S,
           BRIDGE_POST_NS, BRIDGE_REGISTER_NS, BRIDGE_SERVER_PAGE_NS,
           BRIDGE_CLIENT_PAGE_NS, raw(), peak(),
           (uint64_t)fsh_option_int("FSHMEM_BRIDGE_ENTRIES"));
    if (!sweeps)
        printf(" of %zu KB", points[0].buffer >> 10);
    puts(". MB/s of 10^6 bytes");
}

static void print_rate(unsigned row, const struct bridge_point *p, int width)
{
    if (bridge_has_row(row, p->bytes))
        printf(" %*.1f", width, bridge_rate(p, row));
    else
        printf(" %*s", width, "-");
}

static void print_points(void)
{
    const struct bridge_point *last = &points[count - 1];
    double gain = bridge_rate(last, bridge_row_of(BRIDGE_PATHS - 1, false)) /
                  bridge_rate(last, bridge_row_of(BRIDGE_PATHS - 1, true));

    printf("# %10s", "bytes");
    for (unsigned s = 0; s < BRIDGE_STAGES; s++)
        printf(" %13s", bridge_rows[s].stage);
    for (unsigned p = 0; p < BRIDGE_PATHS; p++)
        printf(" %10s %8s", bridge_rows[bridge_row_of(p, false)].path, "naive");
    putchar('\n');
    for (unsigned i = 0; i < count; i++) {
        printf("%12zu", points[i].bytes);
        for (unsigned s = 0; s < BRIDGE_STAGES; s++)
            print_rate(s, &points[i], 13);
        for (unsigned p = 0; p < BRIDGE_PATHS; p++) {
            print_rate(bridge_row_of(p, false), &points[i], 10);
            print_rate(bridge_row_of(p, true), &points[i], 8);
        }
        putchar('\n');
    }
    for (unsigned p = 0; p < BRIDGE_PATHS; p++)
        print_path(p);
    printf("# round trip of %zu bytes: %.2f times naive (>= %.1f: %s); paper: "
           "5.91\n",
           last->bytes, gain, GAIN, verdict(gain >= GAIN));
}

static void print_sweep(void)
{
    for (unsigned row = 0; row < BRIDGE_ROWS; row++) {
        char note[64];

        if (bridge_rows[row].stage || bridge_rows[row].naive) {
            bridge_print_sweep(points, count, row,
                               row < BRIDGE_STAGES ? paper_dma[row] : NULL);
            continue;
        }
        snprintf(note, sizeof note, "%.1f (8 MB, 512 MB)",
                 paths[(row - BRIDGE_STAGES) / 2].paper);
        bridge_print_sweep(points, count, row, note);
    }
}

static void add_row(struct document *d, unsigned row,
                    const struct bridge_point *p)
{
    document_open(d, NULL, '{');
    bridge_describe(d, p, row,
                    (unsigned)fsh_option_int("FSHMEM_BRIDGE_ENTRIES"), peak());
    document_text(d, "device", "sim");
    document_text(d, "network", "model");
    document_text(d, "clock", "simulated");
    document_number(d, "ns", (uint64_t)(p->us[row] * 1e3 + 0.5));
    document_number(d, "network_ns", BRIDGE_DELAY_NS);
    document_real(d, "read_mb_per_s", BRIDGE_READ_MB_PER_S);
    document_real(d, "write_mb_per_s", BRIDGE_WRITE_MB_PER_S);
    perf_json_assumed(d, 0);
    document_close(d);
}

int bridge_time_run(bool quick, bool sweep, const char *json)
{
    struct document d = {NULL, {NULL}, 0};
    FILE *out = perf_open(json);

    sweeps = sweep;
    choose_points(quick);
    run_jobs();
    print_heading();
    if (sweep)
        print_sweep();
    else
        print_points();
    if (out == NULL)
        return 0;
    document_open(&d, NULL, '[');
    for (unsigned row = 0; row < BRIDGE_ROWS; row++)
        for (unsigned i = 0; i < count; i++)
            if (points[i].us[row] != 0)
                add_row(&d, row, &points[i]);
    document_close(&d);
    if (!document_write(&d, out))
        fsh_fatal("%s: cannot be written", json);
    perf_close(out, json);
    return 0;
}
