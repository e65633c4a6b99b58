/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Summary of a run from its trace (fshrun --trace, docs/02_reference/traces.md), in
 * one pass with bounded memory, and its report. One thread.
 */
#ifndef FSH_REPORT_RUN_H
#define FSH_REPORT_RUN_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/fsh_spec.h"

#define RUN_BINS 120u     /* of the timeline */
#define RUN_SIZES 34u     /* 0 bytes, 1, 2 to 3, 4 to 7 ... */
#define RUN_TALLIES 4096u /* kinds of calls and waits that are distinguished */

/* What a thread is doing. */
enum run_state { RUN_CALL, RUN_WAIT, RUN_HANDLER, RUN_PROGRAM, RUN_STATES };

/* A rank by its first thread; times in microseconds. */
struct run_rank {
    bool seen;
    bool left; /* it has begun to leave the job: the rest does not count */
    double first, last; /* of its events */
    double time[RUN_STATES];
    double bin[RUN_BINS][RUN_STATES];
    uint64_t dropped; /* missing records */
};

/* Resources of nodes whose use is reported over time. */
enum run_use { RUN_LINK0, RUN_MEMORY = FSH_MAX_PORTS, RUN_USES };
#define RUN_NODES 64u

/* Waits of a rank, or calls of all ranks, of one name. */
struct run_tally {
    char *name; /* NULL: free */
    bool wait;
    uint32_t rank; /* of a wait */
    int32_t peer;  /* awaited rank; -1 unknown */
    uint64_t count, bytes;
    double time; /* of a wait, excluding handlers; of a call, everything */
};

/* Values of a rank under one name: every stride-th, at most RUN_POINTS. */
#define RUN_SERIES 32u
#define RUN_POINTS 63u
#define RUN_VALUE_MOST 1e100 /* larger ones are left out */
struct run_series {
    char name[96];
    uint32_t rank;
    unsigned points;
    uint64_t count, stride;
    double x[RUN_POINTS], y[RUN_POINTS]; /* x: number, from 1 on */
    double least, most, last;            /* of all */
};

struct run {
    char conduit[16];
    bool simulated; /* times are simulated */
    bool cut;       /* the file is truncated */
    uint32_t ranks;
    double width; /* of a bin */
    struct run_rank *rank;
    /* Use of each node, in microseconds a bin; told: number of nodes with data. */
    double (*use)[RUN_USES][RUN_BINS];
    uint32_t told;
    unsigned links;             /* of a node that have data, from 0 on */
    uint64_t *messages, *bytes; /* from * ranks + to */
    uint64_t size_count[RUN_SIZES], size_bytes[RUN_SIZES];
    struct run_tally *tally; /* RUN_TALLIES */
    uint64_t untold;         /* events beyond the available tallies */
    uint64_t nodes_dropped;  /* missing records of nodes */
    struct run_series series[RUN_SERIES];
    unsigned curves; /* series in use */
    uint64_t values_left_out;
};

/* Read a trace. False with a message if it cannot be read or is not one. Everything
 * after a damaged line is ignored, as in a truncated file. */
bool run_read(struct run *run, FILE *in, char *err, size_t errlen);
void run_free(struct run *run);

/* Additional data from the launcher and the simulator. */
struct fsh_sim_fabric;
struct run_job {
    const char *command; /* as typed */
    int code;            /* exit code */
    double seconds;      /* of wall time */
    /* The simulator's shared page, with its counts; NULL: none. */
    const struct fsh_sim_fabric *fabric;
    unsigned ports; /* cabled ports of a node, from 0 on */
};

/* Write the report of a run. */
void run_write(FILE *out, const struct run *run, const struct run_job *job);

/* ---- run_value.c, for run_read.c ---- */

/* The next value of that name. */
void run_take_value(struct run *run, uint32_t rank, const char *name,
                    double value);

/* ---- run_time.c, run_advice.c, run_node.c and run_value.c, for run_page.c ---- */

struct page;
/* Activity of ranks, links and device memories over time. */
void run_write_time(struct page *p, const struct run *run);
/* Microseconds in s, ms or us. Returns text. */
const char *run_time_text(double us, char text[32]);
/* Findings, with remedies. */
void run_advise(struct page *p, const struct run *run,
                const struct run_job *job);
/* Values that the program recorded, if there are any. */
void run_write_values(struct page *p, const struct run *run);
/* Links, device memory and compute cores, if there are counters. */
void run_write_nodes(struct page *p, const struct run_job *job);
/* Findings from these. */
void run_advise_nodes(struct page *p, const struct run_job *job);
/* Waits, the longest first, at most `most`; returns their number. */
unsigned run_waits(const struct run *run, const struct run_tally **wait,
                   unsigned most);
/* The time span of a rank, at least a nanosecond. */
double run_span(const struct run_rank *rank);

#endif
