/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fshperf case-study: runs the points of the case studies one after the other,
 * each as its own job (with the fshrun next to this program), and reports.
 */
#include "perf.h"
#include "study.h"

#include <inttypes.h>
#include <string.h>

#include "base/cpu.h"
#include "base/log.h"
#include "matmul.h"

#define TIME_LIMIT 3600u /* seconds per point */

static struct {
    const char *json, *csv, *report, *algorithm;
    bool quick, verbose, strict;
} options = {.algorithm = "auto"};

/* ---- one job ---- */

/* Parses a node's line; passes other lines on. */
static bool read_line(const char *line, struct study_point *point, unsigned i)
{
    struct study_node *n = &point->node[i < STUDY_MAX_NODES ? i : 0];

    return sscanf(line,
                  STUDY_LINE " %lf %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64
                             " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64
                             " %" SCNu64,
                  &point->macs, &n->first_start, &n->last_end, &n->last_signal,
                  &n->commands, &n->compute, &n->load, &n->full, &n->transfer,
                  &n->sent_bytes) == 10;
}

/* The point a job reports on, and how many nodes have done so. */
struct told {
    struct study_point *point;
    unsigned nodes;
};

static void hear(void *arg, const char *line)
{
    struct told *told = arg;

    if (!perf_hear_assumed(line) &&
        sscanf(line, STUDY_HOSTS_LINE " %" SCNu64, &told->point->hosts) != 1) {
        told->nodes += read_line(line, told->point, told->nodes);
    }
}

void study_run(struct study_point *point, const char *algorithm,
               const char *costs)
{
    struct told told = {.point = point};
    char size[16];
    const char *const arguments[] = {
        "case-node",   "--workload", point->workload,          "--size", size,
        "--algorithm", algorithm,    costs ? "--hosts" : NULL, NULL};
    const struct perf_job job = {.ranks = point->nodes,
                                 .conduit = "fpga",
                                 .costs = costs,
                                 .time_limit = TIME_LIMIT,
                                 .arguments = arguments,
                                 .hear = hear,
                                 .arg = &told};

    snprintf(size, sizeof(size), "%" PRIu32, point->size);
    point->hosts = 0;
    if (perf_run_job(&job) != 0 || told.nodes != point->nodes ||
        (costs && point->hosts == 0)) {
        fsh_fatal("the job of %s %u on %u nodes failed, "
                  "see above",
                  point->workload, (unsigned)point->size, point->nodes);
    }
}

/* ---- all ---- */

static void add(struct study *study, const char *workload, uint32_t size,
                unsigned nodes, const char *algorithm)
{
    struct study_point *point = &study->point[study->points++];
    char text[96];

    *point = (struct study_point){
        .workload = workload, .size = size, .nodes = nodes};
    snprintf(text, sizeof(text), "fshperf: %s %u, %u node%s ...", workload,
             (unsigned)size, nodes, nodes > 1 ? "s" : "");
    perf_progress(text, false);
    study_run(point, algorithm, NULL);
}

static void run_all(struct study *study)
{
    static const struct {
        const char *workload;
        uint32_t size;
        bool quick;
        unsigned most; /* nodes */
    } cases[] = {{"matmul", 256, true, 8},    {"matmul", 512, true, 8},
                 {"matmul", 1024, false, 16}, {"conv", 3, false, 8},
                 {"conv", 5, false, 8},       {"conv", 7, false, 8}};

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i) {
        if (options.quick && !cases[i].quick) {
            continue;
        }
        unsigned most = options.quick ? 2 : cases[i].most;

        for (unsigned nodes = 1; nodes <= most; nodes *= 2) {
            add(study, cases[i].workload, cases[i].size, nodes,
                nodes == 2 ? options.algorithm : "auto");
        }
    }
    perf_progress("", true);
}

static int run(void)
{
    static struct study study;
    uint64_t start = fsh_time_ns();
    unsigned falls;

    perf_refuse_job("case-study");
    study.quick = options.quick;
    FILE *json = perf_open(options.json);
    FILE *csv = perf_open(options.csv);
    FILE *page = perf_open(options.report);
    run_all(&study);
    perf_print_header("section V of the FSHMEM paper, case studies");
    study_print(&study);
    if (options.verbose) {
        study_print_nodes(&study);
    }
    falls = study_print_goals(&study);
    printf("# %zu points in %.1f s of wall time\n", study.points,
           (double)(fsh_time_ns() - start) / 1e9);
    if (json) {
        study_write_json(json, &study);
    }
    if (csv) {
        study_write_csv(csv, &study);
    }
    if (page) {
        study_write_page(page, &study);
    }
    perf_close(json, options.json);
    perf_close(csv, options.csv);
    perf_close(page, options.report);
    return options.strict && falls ? 1 : 0;
}

static const struct kit_option table_of_options[] = {
    {"--json", "FILE", "results as an array of objects", .text = &options.json},
    {"--csv", "FILE", "results as comma-separated values",
     .text = &options.csv},
    {"--report", "FILE.html", "charts and tables compared with the paper's",
     .text = &options.report},
    {"--strict", .help = "exit 1 if a goal is missed", .flag = &options.strict},
    {"--quick", .help = "matmul 256 and 512 on one and two nodes only",
     .flag = &options.quick},
    {"--verbose", .help = "cycle breakdown per node", .flag = &options.verbose},
    {"--algorithm", "WAY", "matmul on two nodes", .text = &options.algorithm,
     .choices = MATMUL_ALGORITHMS},
};

const struct perf_command perf_case_study = {
    .name = "case-study",
    .help = "matrix product and convolution on 1 to 16 nodes, section V of\n"
            "the paper; starts its own jobs (simulated clock)",
    .run = run,
    .options = table_of_options,
    .count = sizeof table_of_options / sizeof table_of_options[0],
    .alone = true,
};
