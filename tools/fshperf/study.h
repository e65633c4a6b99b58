/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fshperf case-study: section V of the FSHMEM paper, the matrix product and the
 * convolution of examples/ on one to 16 simulated nodes. The command is not a
 * rank: it starts a job for each point, of itself as `fshperf case-node`
 * (study_node.c), which prints the counters of the compute cores; study.c runs
 * them, study_report.c produces tables, JSON and CSV.
 */
#ifndef FSHPERF_STUDY_H
#define FSHPERF_STUDY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define STUDY_MAX_NODES 16u
#define STUDY_MAX_POINTS 32u
#define STUDY_MACS_PER_CYCLE 2048.0
#define STUDY_PEAK_GOPS 1024.0
/* A node's output: this, and its counters. */
#define STUDY_LINE "case-node"
/* Rank 0's output if hosts are timed: this, and cycles. */
#define STUDY_HOSTS_LINE "case-hosts"

/* Counters of a node's compute core, in cycles; see fshmem_core_counters. */
struct study_node {
    uint64_t first_start, last_end, last_signal;
    uint64_t commands, compute, load, full, transfer, sent_bytes;
};

/* A workload of a size on a number of nodes. */
struct study_point {
    const char *workload; /* matmul, conv */
    uint32_t size;        /* rows of the matrices; rows of a kernel */
    unsigned nodes;
    double macs; /* of the whole product */
    uint64_t
        hosts; /* cycles from the start to a barrier, hosts included; 0: none */
    struct study_node node[STUDY_MAX_NODES];
};

struct study {
    struct study_point point[STUDY_MAX_POINTS];
    size_t points;
    bool quick;
};

/* ---- study.c ---- */

/* Runs the job of a point, which has workload, size and nodes, and fills in the rest.
 * costs: of hosts in simulated time (struct perf_job); then no start gate is used and
 * point->hosts is set too; else NULL. Fatal if the job fails. */
void study_run(struct study_point *point, const char *algorithm,
               const char *costs);

/* ---- study_report.c ---- */

/* The point with this workload, size and nodes, or NULL. */
const struct study_point *study_find(const struct study *study,
                                     const char *workload, uint32_t size,
                                     unsigned nodes);
/* From the first command of any node to the last result written and signalled
 * on all. */
uint64_t study_cycles(const struct study_point *point);
double study_gops(const struct study_point *point);
double study_speedup(const struct study *study,
                     const struct study_point *point);

double study_efficiency(const struct study_point *point); /* of peak, 0 to 1 */
uint64_t study_sent(const struct study_point *point);     /* bytes, all nodes */
/* The share of transfer time hidden behind computation; -1: nothing is sent. */
double study_overlap(const struct study *study,
                     const struct study_point *point);
/* "matmul 256"; returns text. */
const char *study_title(const struct study_point *point, char text[32]);

/* Results of the paper, if stated, and targets. */
#define STUDY_GOALS 14u
struct study_goal {
    const char *what, *paper, *unit;
    double limit, measured; /* lower bound */
};
/* Those that were measured; returns how many. */
size_t study_find_goals(const struct study *study,
                        struct study_goal goal[STUDY_GOALS]);
const char *study_verdict(const struct study_goal *goal);

/* The points as tables, to stdout: one line each, and one line for each of their
 * nodes. */
void study_print(const struct study *study);
void study_print_nodes(const struct study *study);
/* The table of goals; returns how many fall short. */
unsigned study_print_goals(const struct study *study);
void study_write_json(FILE *out, const struct study *study);
void study_write_csv(FILE *out, const struct study *study);

/* ---- study_page.c ---- */

/* Writes everything as an HTML page, compared with the paper. */
void study_write_page(FILE *out, const struct study *study);

#endif
