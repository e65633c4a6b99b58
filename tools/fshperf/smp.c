/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fshperf smp: starts the measuring jobs of conduit smp (smp_node.c) in both
 * thread modes, with 2, 4, 8, 16 and 64 ranks, and reports (smp_report.c).
 */
#include "perf.h"
#include "smp.h"

#include <string.h>

#include "base/cpu.h"
#include "base/log.h"

#define TIME_LIMIT 300u /* seconds a job may take */

struct options {
    const char *json, *mode, *only;
    bool quick, strict;
};

static void parse(int argc, char **argv, struct options *options)
{
    for (int i = 1; i < argc; ++i) {
        const char *arg = argv[i];
        bool more = i + 1 < argc;

        if (strcmp(arg, "--json") == 0 && more) {
            options->json = argv[++i];
        } else if (strcmp(arg, "--mode") == 0 && more) {
            options->mode = argv[++i];
        } else if (strcmp(arg, "--only") == 0 && more) {
            options->only = argv[++i];
        } else if (strcmp(arg, "--quick") == 0) {
            options->quick = true;
        } else if (strcmp(arg, "--strict") == 0) {
            options->strict = true;
        } else {
            fsh_fatal_code(2,
                           "fshperf smp: %s: unknown option, or its value is "
                           "missing; see fshperf --help",
                           arg);
        }
    }
    if (strcmp(options->mode, "seq") != 0 &&
        strcmp(options->mode, "par") != 0 &&
        strcmp(options->mode, "both") != 0) {
        fsh_fatal_code(2, "fshperf smp: --mode %s: expected seq, par or both",
                       options->mode);
    }
}

static void hear(void *arg, const char *line)
{
    struct smp_table *table = arg;

    if (table->rows < SMP_MAX_ROWS &&
        smp_read_row(line, &table->row[table->rows])) {
        ++table->rows;
    } else {
        fputs(line, stdout);
    }
}

static void run(struct smp_table *table, const struct options *options,
                const char *mode, const char *set, unsigned ranks)
{
    const char *const arguments[] = {"smp-node",
                                     mode,
                                     set,
                                     options->quick ? "quick" : "full",
                                     options->only ? options->only : "",
                                     NULL};
    const struct perf_job job = {.ranks = ranks,
                                 .conduit = "smp",
                                 .time_limit = TIME_LIMIT,
                                 .arguments = arguments,
                                 .hear = hear,
                                 .arg = table};
    char text[96];

    snprintf(text, sizeof text, "fshperf: mode %s, %u ranks ...", mode, ranks);
    perf_progress(text, false);
    int code = perf_run_job(&job);
    if (code != 0) {
        fsh_fatal("fshperf smp: the job of %u ranks in mode %s ended with "
                  "code %d, see above",
                  ranks, mode, code);
    }
}

/* Is any of these tests asked for? */
static bool wanted(const struct options *options, const char *test,
                   const char *other)
{
    return !options->only || strcmp(options->only, test) == 0 ||
           strcmp(options->only, other) == 0;
}

static void run_mode(struct smp_table *table, const struct options *options,
                     const char *mode)
{
    if (strcmp(options->mode, "both") != 0 &&
        strcmp(options->mode, mode) != 0) {
        return;
    }
    run(table, options, mode, "pair", 2);
    for (unsigned ranks = 4; ranks <= 16; ranks *= 2) {
        if (wanted(options, "barrier", "barrier")) {
            run(table, options, mode, "barrier", ranks);
        }
    }
    if (wanted(options, "poll", "am_short_rtt")) {
        run(table, options, mode, "crowd", SMP_MAX_RANKS);
    }
}

int perf_smp(int argc, char **argv)
{
    struct options options = {.mode = "both"};
    static struct smp_table table;
    uint64_t start = fsh_time_ns();

    parse(argc, argv, &options);
    perf_refuse_job("smp");
    FILE *json = perf_open(options.json);
    run_mode(&table, &options, "seq");
    run_mode(&table, &options, "par");
    perf_progress("", true);
    if (table.rows == 0) {
        fsh_fatal_code(2, "fshperf smp: --only %s: there is no such test",
                       options.only);
    }
    smp_set_targets(&table);
    unsigned over = smp_print(&table);
    printf("# %u figures in %.1f s\n", table.rows,
           (double)(fsh_time_ns() - start) / 1e9);
    if (json) {
        smp_write_json(json, &table);
    }
    perf_close(json, options.json);
    return options.strict && over ? 1 : 0;
}
