/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fshperf host-driven: starts the jobs, and compares what hosts drive with what the
 * nodes do alone; see hosts.h.
 */
#include "hosts.h"
#include "perf.h"
#include "study.h"

#include <math.h>
#include <string.h>

#include "base/cpu.h"
#include "base/log.h"

#define MAX_ROWS 64u
#define TIME_LIMIT 900u /* seconds per job */

static struct {
    const char *json;
    bool quick;
} options;

static const char *const costs[HOSTS_COSTS] = {"0", "1", "2"};

struct all {
    struct hosts_row row[MAX_ROWS];
    size_t rows;
};

/* ---- operations ---- */

/* The job being parsed: its ranks, its costs, and the row of its next line. */
struct told {
    struct all *all;
    size_t next;
    unsigned ranks, cost;
};

static struct hosts_row *row_at(struct all *all, size_t i)
{
    if (i >= MAX_ROWS) {
        fsh_fatal("host-driven: more than %u rows", MAX_ROWS);
    }
    if (i == all->rows) {
        all->rows++;
    }
    return &all->row[i];
}

static void hear(void *arg, const char *line)
{
    struct told *told = arg;
    struct hosts_row heard = {.ranks = told->ranks};
    double taken;

    if (perf_hear_assumed(line) ||
        sscanf(line, HOSTS_LINE " %47s %zu %lf %lf", heard.what, &heard.bytes,
               &taken, &heard.nodes) != 4) {
        return;
    }
    struct hosts_row *row = row_at(told->all, told->next++);
    for (char *c = heard.what; *c; ++c) {
        *c = *c == '_' ? ' ' : *c;
    }
    if (told->cost == 0) {
        *row = heard;
    } else if (strcmp(row->what, heard.what) != 0) {
        fsh_fatal("host-driven: %s where %s was expected", heard.what,
                  row->what);
    }
    row->taken[told->cost] = taken;
}

static void run_operations(struct all *all, unsigned ranks)
{
    const char *const arguments[] = {"host-node", NULL};
    size_t first = all->rows;
    char text[96];

    for (unsigned i = 0; i < HOSTS_COSTS; ++i) {
        struct told told = {all, first, ranks, i};
        const struct perf_job job = {.ranks = ranks,
                                     .conduit = "fpga",
                                     .costs = costs[i],
                                     .time_limit = TIME_LIMIT,
                                     .arguments = arguments,
                                     .hear = hear,
                                     .arg = &told};

        snprintf(text, sizeof(text),
                 "fshperf: operations on %u ranks, host costs x%s ...", ranks,
                 costs[i]);
        perf_progress(text, false);
        if (perf_run_job(&job) != 0 || told.next == first ||
            told.next != all->rows) {
            fsh_fatal("host-driven: the job of %u ranks failed, see above",
                      ranks);
        }
    }
}

/* ---- case studies ---- */

static void run_case(struct all *all, const char *workload, uint32_t size,
                     unsigned nodes)
{
    struct study_point point = {
        .workload = workload, .size = size, .nodes = nodes};
    struct hosts_row *row = row_at(all, all->rows);
    char text[32];

    study_run(&point, "auto", NULL);
    *row = (struct hosts_row){.ranks = nodes,
                              .nodes = (double)study_cycles(&point)};
    snprintf(row->what, sizeof(row->what), "%s", study_title(&point, text));
    for (unsigned i = 0; i < HOSTS_COSTS; ++i) {
        study_run(&point, "auto", costs[i]);
        row->taken[i] = (double)point.hosts;
    }
}

/* ---- reports ---- */

static void print_figure(double value, int width, int digits)
{
    if (value > 0) {
        printf("%*.*f", width, digits, value);
    } else {
        printf("%*s", width, "-");
    }
}

static void print_ratios(const double *taken, double of)
{
    for (unsigned i = 0; i < HOSTS_COSTS; ++i) {
        print_figure(of > 0 ? taken[i] / of : 0, i == 0 ? 10 : 8, 2);
    }
    putchar('\n');
}

static void print_rows(const struct all *all, size_t from, size_t to)
{
    printf("%-40s%6s%9s%11s%11s%11s%11s%10s%8s%8s\n", "# What", "Ranks",
           "Bytes", "Nodes", "Hosts x0", "x1", "x2", "Ratio x0", "x1", "x2");
    for (size_t i = from; i < to; ++i) {
        const struct hosts_row *row = &all->row[i];

        printf("%-40s%6u%9zu", row->what, row->ranks, row->bytes);
        print_figure(row->nodes, 11, 1);
        for (unsigned c = 0; c < HOSTS_COSTS; ++c) {
            print_figure(row->taken[c], 11, 1);
        }
        print_ratios(row->taken, row->nodes);
    }
}

/* The row of the same case on one node. */
static const struct hosts_row *alone(const struct all *all, size_t i)
{
    while (all->row[i].ranks != 1) {
        --i;
    }
    return &all->row[i];
}

static void print_speedups(const struct all *all, size_t from)
{
    printf("\n# Speed-up over one node\n%-40s%6s%20s%10s%8s%8s\n", "# What",
           "Ranks", "Nodes", "Hosts x0", "x1", "x2");
    for (size_t i = from; i < all->rows; ++i) {
        const struct hosts_row *row = &all->row[i], *one = alone(all, i);

        printf("%-40s%6u%20.3f", row->what, row->ranks,
               one->nodes / row->nodes);
        for (unsigned c = 0; c < HOSTS_COSTS; ++c) {
            print_figure(one->taken[c] / row->taken[c], c == 0 ? 10 : 8, 3);
        }
        putchar('\n');
    }
}

static void print(const struct all *all, size_t cases)
{
    perf_print_header("operations and case studies, hosts included");
    fputs("# Cycles of simulated time per call, at host costs COST_* of "
          "spec/fshmem.toml times 0, 1\n"
          "# and 2. Nodes: what the nodes take alone from segment to segment, "
          "from the hardware\n"
          "# counters: from the doorbell to the last byte written; Short: to "
          "the header, round\n"
          "# trip; stream: per command, from the first one accepted, behind "
          "the start gate.\n"
          "# Payloads are read by reduce only. Thread mode SEQ.\n"
          "\n",
          stdout);
    print_rows(all, 0, cases);
    printf("\n# Case studies: from the start to the barrier after it\n");
    print_rows(all, cases, all->rows);
    print_speedups(all, cases);
}

static void write_json(FILE *out, const struct all *all)
{
    struct document d = {0};

    document_open(&d, NULL, '[');
    for (size_t i = 0; i < all->rows * HOSTS_COSTS; ++i) {
        const struct hosts_row *row = &all->row[i / HOSTS_COSTS];
        double taken = row->taken[i % HOSTS_COSTS];

        document_open(&d, NULL, '{');
        document_text(&d, "test", row->what);
        document_number(&d, "ranks", row->ranks);
        document_number(&d, "bytes", row->bytes);
        document_text(&d, "conduit", "fpga");
        document_text(&d, "device", "sim");
        document_text(&d, "clock", "simulated, hosts included");
        document_number(&d, "host_costs", i % HOSTS_COSTS);
        document_real(&d, "cycles", taken);
        document_real(&d, "node_cycles", row->nodes > 0 ? row->nodes : NAN);
        document_real(&d, "ratio", row->nodes > 0 ? taken / row->nodes : NAN);
        perf_json_assumed(&d, 0);
        document_close(&d);
    }
    document_close(&d);
    document_write(&d, out);
}

static int run(void)
{
    static struct all all;
    uint64_t start = fsh_time_ns();
    unsigned most = options.quick ? 2 : 8;
    size_t cases;

    perf_refuse_job("host-driven");
    FILE *json = perf_open(options.json);
    for (unsigned ranks = 2; ranks <= most; ranks *= 2) {
        run_operations(&all, ranks);
    }
    cases = all.rows;
    for (unsigned i = 0; i < (options.quick ? 1 : 2); ++i) {
        for (unsigned nodes = 1; nodes <= most; nodes *= 2) {
            run_case(&all, i == 0 ? "matmul" : "conv", i == 0 ? 256 : 3, nodes);
        }
    }
    perf_progress("", true);
    print(&all, cases);
    printf("# %zu rows in %.1f s of wall time\n", all.rows,
           (double)(fsh_time_ns() - start) / 1e9);
    if (json) {
        write_json(json, &all);
    }
    perf_close(json, options.json);
    return 0;
}

static const struct kit_option table_of_options[] = {
    {"--json", "FILE", "results as an array of objects", .text = &options.json},
    {"--quick", .help = "two ranks, and matmul 256 on one and two nodes only",
     .flag = &options.quick},
};

const struct perf_command perf_host_driven = {
    .name = "host-driven",
    .help = "operations and case studies, host time included, compared with\n"
            "the nodes alone; starts its own jobs (simulated time, at host\n"
            "costs 0, 1 and 2)",
    .run = run,
    .options = table_of_options,
    .count = sizeof table_of_options / sizeof table_of_options[0],
    .alone = true,
};
