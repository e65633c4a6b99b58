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

#define TIME_LIMIT 300u /* seconds per job */

static struct {
    const char *json, *mode, *only;
    bool quick, strict;
} options = {.mode = "both"};

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

static void run(struct smp_table *table, const char *mode, const char *set,
                unsigned ranks)
{
    const char *const arguments[] = {"smp-node",
                                     mode,
                                     set,
                                     options.quick ? "quick" : "full",
                                     options.only ? options.only : "",
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
        fsh_fatal("smp: the job of %u ranks in mode %s ended with "
                  "code %d, see above",
                  ranks, mode, code);
    }
}

/* Whether one of these tests is requested. */
static bool wanted(const char *test, const char *other)
{
    return !options.only || strcmp(options.only, test) == 0 ||
           strcmp(options.only, other) == 0;
}

static void run_mode(struct smp_table *table, const char *mode)
{
    if (strcmp(options.mode, "both") != 0 && strcmp(options.mode, mode) != 0) {
        return;
    }
    run(table, mode, "pair", 2);
    for (unsigned ranks = 4; ranks <= 16; ranks *= 2) {
        if (wanted("barrier", "barrier")) {
            run(table, mode, "barrier", ranks);
        }
    }
    if (wanted("rtt_together", "barrier_together")) {
        run(table, mode, "together", 2);
    }
    if (wanted("rtt_neighbour", "barrier_neighbour")) {
        run(table, mode, "neighbour", 2);
    }
    if (wanted("poll", "am_short_rtt")) {
        run(table, mode, "crowd", SMP_MAX_RANKS);
    }
}

static int measure(void)
{
    static struct smp_table table;
    uint64_t start = fsh_time_ns();

    perf_refuse_job("smp");
    FILE *json = perf_open(options.json);
    run_mode(&table, "seq");
    run_mode(&table, "par");
    perf_progress("", true);
    if (table.rows == 0) {
        fsh_fatal_code(2, "smp: --only %s: no such test", options.only);
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

static const struct kit_option table_of_options[] = {
    {"--json", "FILE", "results as an array of objects", .text = &options.json},
    {"--strict", .help = "exit 1 if a target is missed",
     .flag = &options.strict},
    {"--mode", "MODE", "thread mode", .text = &options.mode,
     .choices = "seq|par|both"},
    {"--only", "TEST", "run this test only, such as am_short_rtt",
     .text = &options.only},
    {"--quick", .help = "fewer sizes, shorter measurements",
     .flag = &options.quick},
};

const struct perf_command perf_smp = {
    .name = "smp",
    .help =
        "conduit smp; each figure alternates with its shared-memory limit;\n"
        "starts its own jobs (wall clock)",
    .run = measure,
    .options = table_of_options,
    .count = sizeof table_of_options / sizeof table_of_options[0],
    .alone = true,
};
