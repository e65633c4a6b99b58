/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fshperf sim-speed --json: starts jobs of 2, 8 and 32 nodes, each with one simulator
 * thread and with two, which run sim-speed (speed.c), and collects their figures. All
 * use rings, whose nodes have two link ports; otherwise larger fabrics would use
 * larger nodes, hence another simulator.
 */
#include "perf.h"
#include "speed.h"

#include <math.h>
#include <stdlib.h>

#include "base/log.h"

#define TIME_LIMIT 1800u /* seconds per job */
#define THREADS 2u

struct row {
    unsigned nodes, threads;
    double evaluated, seconds, cpu; /* node-cycles; wall time; node-cycles/s */
    double instructions;            /* per node-cycle; NAN: not counted */
};

static void hear(void *arg, const char *line)
{
    struct row *row = arg;

    if (sscanf(line, SPEED_EVALUATED " %lf", &row->evaluated) != 1 &&
        sscanf(line, SPEED_SECONDS " %lf", &row->seconds) != 1) {
        (void)sscanf(line, SPEED_CPU " %lf", &row->cpu);
    }
}

static void run_row(struct row *row, const char *const *load)
{
    const char *const arguments[] = {"sim-speed", load[0], load[1], NULL};
    const struct perf_job job = {.ranks = row->nodes,
                                 .conduit = "fpga",
                                 .topology = "ring",
                                 .threads = row->threads,
                                 .time_limit = TIME_LIMIT,
                                 .arguments = arguments,
                                 .hear = hear,
                                 .arg = row};
    char text[64];

    snprintf(text, sizeof(text), "fshperf: %u nodes, threads: %u ...",
             row->nodes, row->threads);
    perf_progress(text, false);
    if (perf_run_job(&job) != 0 || row->evaluated <= 0 || row->seconds <= 0) {
        fsh_fatal("sim-speed: the job of %u nodes failed, see above",
                  row->nodes);
    }
}

static void print(const struct row *row, size_t rows)
{
    printf(
        "# Node-cycles evaluated a second, of wall time and of processor "
        "time of all\n# threads; in rings, every node loaded. Of this machine and "
        "what else it does.\n");
    printf("%-8s%10s%20s%20s%20s\n", "# Nodes", "Threads", "Node-cycles",
           "a second (wall)", "of CPU time");
    for (size_t i = 0; i < rows; ++i) {
        printf("%-8u%10u%20.0f%20.0f%20.0f\n", row[i].nodes, row[i].threads,
               row[i].evaluated, row[i].evaluated / row[i].seconds, row[i].cpu);
    }
}

static void write_json(FILE *out, const struct row *row, size_t rows)
{
    struct document d = {0};

    document_open(&d, NULL, '[');
    for (size_t i = 0; i < rows; ++i) {
        document_open(&d, NULL, '{');
        document_text(&d, "test", "sim-speed");
        document_text(&d, "clock", "wall");
        document_number(&d, "nodes", row[i].nodes);
        document_number(&d, "threads", row[i].threads);
        document_real(&d, "node_cycles", row[i].evaluated);
        document_real(&d, "seconds", row[i].seconds);
        document_real(&d, "node_cycles_per_s",
                      row[i].evaluated / row[i].seconds);
        document_real(&d, "node_cycles_per_cpu_s", row[i].cpu);
        document_real(&d, "instructions_per_node_cycle", row[i].instructions);
        document_close(&d);
    }
    document_close(&d);
    document_write(&d, out);
}

int speed_jobs(const char *path, unsigned most, const char *const *load,
               bool instructions)
{
    static const unsigned nodes[] = {SPEED_COUNTED_NODES, 8, 32};
    struct row row[sizeof(nodes) / sizeof(nodes[0]) * THREADS] = {0};
    size_t rows = 0;

    perf_refuse_job("sim-speed --json");
    FILE *json = perf_open(path);
    for (size_t i = 0; i < sizeof(nodes) / sizeof(nodes[0]); ++i) {
        for (unsigned threads = 1; threads <= THREADS && nodes[i] <= most;
             ++threads) {
            row[rows] = (struct row){
                .nodes = nodes[i], .threads = threads, .instructions = NAN};
            run_row(&row[rows++], load);
        }
    }
    perf_progress("", true);
    print(row, rows);
    if (instructions) {
        row[0].instructions = speed_instructions();
    }
    if (json) {
        write_json(json, row, rows);
    }
    perf_close(json, path);
    return 0;
}
