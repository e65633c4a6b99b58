/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fshperf case-study: runs the points of the case studies one after the other,
 * each a job of its own (fshrun beside this program), and reports.
 */
#include "perf.h"
#include "study.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cpu.h"
#include "base/log.h"

#define TIME_LIMIT "3600" /* seconds a point may take */

struct options {
    const char *json, *csv, *algorithm;
    bool quick, verbose, strict;
};

static void parse(int argc, char **argv, struct options *options)
{
    for (int i = 1; i < argc; ++i) {
        const char *arg = argv[i];
        bool more = i + 1 < argc;
        if (strcmp(arg, "--json") == 0 && more) {
            options->json = argv[++i];
        } else if (strcmp(arg, "--csv") == 0 && more) {
            options->csv = argv[++i];
        } else if (strcmp(arg, "--algorithm") == 0 && more) {
            options->algorithm = argv[++i];
        } else if (strcmp(arg, "--quick") == 0) {
            options->quick = true;
        } else if (strcmp(arg, "--verbose") == 0) {
            options->verbose = true;
        } else if (strcmp(arg, "--strict") == 0) {
            options->strict = true;
        } else {
            fsh_fatal("fshperf case-study: %s: unknown option, or its value "
                      "is missing; see fshperf --help",
                      arg);
        }
    }
}

/* ---- one job ---- */

/* This program, and fshrun in its directory. */
static void programs(char self[4096], char launcher[4160])
{
    ssize_t length = readlink("/proc/self/exe", self, 4095);
    if (length <= 0) {
        fsh_fatal("fshperf: cannot tell where this program is: %s",
                  strerror(errno));
    }
    self[length] = 0;
    snprintf(launcher, 4160, "%.*s/fshrun", (int)(strrchr(self, '/') - self),
             self);
}

static void become_job(const struct study_point *point, const char *algorithm,
                       int output)
{
    char self[4096], launcher[4160], nodes[16], size[16];

    programs(self, launcher);
    snprintf(nodes, sizeof(nodes), "%u", point->nodes);
    snprintf(size, sizeof(size), "%" PRIu32, point->size);
    dup2(output, STDOUT_FILENO);
    close(output);
    execl(launcher, launcher, "-n", nodes, "--conduit", "fpga", "--timeout",
          TIME_LIMIT, self, "case-node", "--workload", point->workload,
          "--size", size, "--algorithm", algorithm, (char *)NULL);
    fprintf(stderr, "fshperf: cannot run %s: %s\n", launcher, strerror(errno));
    _exit(127);
}

/* A line of a node; other lines are passed on. */
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

static void run_job(struct study_point *point, const char *algorithm)
{
    int ends[2], status = 0;
    unsigned nodes = 0;
    char line[512];

    if (pipe(ends) != 0) {
        fsh_fatal("fshperf: no pipe: %s", strerror(errno));
    }
    fflush(NULL);
    pid_t child = fork();
    if (child < 0) {
        fsh_fatal("fshperf: cannot start a process: %s", strerror(errno));
    }
    if (child == 0) {
        close(ends[0]);
        become_job(point, algorithm, ends[1]);
    }
    close(ends[1]);
    FILE *in = fdopen(ends[0], "r");
    while (in && fgets(line, sizeof(line), in)) {
        nodes += read_line(line, point, nodes);
    }
    if (in) {
        fclose(in);
    }
    waitpid(child, &status, 0);
    if (status != 0 || nodes != point->nodes) {
        fsh_fatal("fshperf case-study: the job of %s %u on %u nodes failed, "
                  "see above",
                  point->workload, (unsigned)point->size, point->nodes);
    }
}

/* ---- all ---- */

static void progress(const char *text, bool last)
{
    if (isatty(STDERR_FILENO)) {
        fprintf(stderr, "\r\033[K%s", last ? "" : text);
    } else if (!last) {
        fprintf(stderr, "%s\n", text);
    }
}

static void add(struct study *study, const char *workload, uint32_t size,
                unsigned nodes, const char *algorithm)
{
    struct study_point *point = &study->point[study->points++];
    char text[96];

    *point = (struct study_point){
        .workload = workload, .size = size, .nodes = nodes};
    snprintf(text, sizeof(text), "fshperf: %s %u, %u node%s ...", workload,
             (unsigned)size, nodes, nodes > 1 ? "s" : "");
    progress(text, false);
    run_job(point, algorithm);
}

static void run_all(struct study *study, const struct options *options)
{
    static const struct {
        const char *workload;
        uint32_t size;
        bool quick;
    } cases[] = {{"matmul", 256, true},   {"matmul", 512, true},
                 {"matmul", 1024, false}, {"conv", 3, false},
                 {"conv", 5, false},      {"conv", 7, false}};
    const char *algorithm = options->algorithm ? options->algorithm : "auto";

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i) {
        if (options->quick && !cases[i].quick) {
            continue;
        }
        for (unsigned nodes = 1; nodes <= (options->quick ? 2 : 8);
             nodes *= 2) {
            add(study, cases[i].workload, cases[i].size, nodes,
                nodes == 2 ? algorithm : "auto");
        }
    }
    progress("", true);
}

int perf_case_study(int argc, char **argv)
{
    struct options options = {0};
    static struct study study;
    uint64_t start = fsh_time_ns();
    unsigned falls;

    parse(argc, argv, &options);
    if (getenv("FSHMEM_JOB")) {
        fsh_fatal("fshperf case-study starts its jobs itself; run it without "
                  "fshrun");
    }
    study.quick = options.quick;
    FILE *json = perf_open(options.json);
    FILE *csv = perf_open(options.csv);
    run_all(&study, &options);
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
    perf_close(json, options.json);
    perf_close(csv, options.csv);
    return options.strict && falls ? 1 : 0;
}
