/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a trace (fshrun --trace, docs/02_reference/traces.md) says of a run, added up in
 * one pass with bounded memory, and a page of it. One thread.
 */
#ifndef FSH_REPORT_RUN_H
#define FSH_REPORT_RUN_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/fsh_spec.h"

#define RUN_BINS 120u     /* of the time line */
#define RUN_SIZES 34u     /* 0 bytes, 1, 2 to 3, 4 to 7 ... */
#define RUN_TALLIES 4096u /* kinds of calls and waits that are told apart */

/* What a thread is doing. */
enum run_state { RUN_CALL, RUN_WAIT, RUN_HANDLER, RUN_PROGRAM, RUN_STATES };

/* A rank by its first thread; times in microseconds. */
struct run_rank {
    bool seen;
    bool left; /* it has begun to leave the job: the rest is not its own */
    double first, last; /* of its events */
    double time[RUN_STATES];
    double bin[RUN_BINS][RUN_STATES];
    uint64_t dropped; /* records that are missing */
};

/* What nodes tell the use of, in time. */
enum run_use { RUN_LINK0, RUN_MEMORY = FSH_MAX_PORTS, RUN_USES };
#define RUN_NODES 64u

/* Waits of a rank, or calls of all, of one name. */
struct run_tally {
    char *name; /* NULL: free */
    bool wait;
    uint32_t rank; /* of a wait */
    int32_t peer;  /* for whom; -1 it does not say */
    uint64_t count, bytes;
    double time; /* of a wait without handlers in it; of a call with all */
};

struct run {
    char conduit[16];
    bool simulated; /* times are those of the simulated clock */
    bool cut;       /* the file has no end */
    uint32_t ranks;
    double width; /* of a bin */
    struct run_rank *rank;
    /* Use of each node, in microseconds a bin; told: how many nodes say so. */
    double (*use)[RUN_USES][RUN_BINS];
    uint32_t told;
    unsigned links;             /* of a node that are told of, from 0 on */
    uint64_t *messages, *bytes; /* from * ranks + to */
    uint64_t size_count[RUN_SIZES], size_bytes[RUN_SIZES];
    struct run_tally *tally; /* RUN_TALLIES */
    uint64_t untold;         /* events past the tallies that there are */
    uint64_t nodes_dropped;  /* records of nodes that are missing */
};

/* Read a trace. False with a message: it cannot be read, or is none. What
 * follows a line that is damaged is left out, as after a cut. */
bool run_read(struct run *run, FILE *in, char *err, size_t errlen);
void run_free(struct run *run);

/* What the launcher and the simulator know besides. */
struct fsh_sim_fabric;
struct run_job {
    const char *command; /* as it was typed */
    int code;            /* exit code */
    double seconds;      /* of wall time */
    /* What the simulator shares, with its counts; NULL: none. */
    const struct fsh_sim_fabric *fabric;
    unsigned ports; /* of a node that have cables, from 0 on */
};

/* Write a run as a page. */
void run_write(FILE *out, const struct run *run, const struct run_job *job);

/* ---- run_time.c, run_advice.c and run_node.c, for run_page.c ---- */

struct page;
/* What each rank, link and device memory did when. */
void run_write_time(struct page *p, const struct run *run);
/* Microseconds in s, ms or us. Returns text. */
const char *run_time_text(double us, char text[32]);
/* What stands out, with what to do about it. */
void run_advise(struct page *p, const struct run *run,
                const struct run_job *job);
/* Links, device memory and compute cores, if a simulator has counted. */
void run_write_nodes(struct page *p, const struct run_job *job);
/* What stands out in that. */
void run_advise_nodes(struct page *p, const struct run_job *job);
/* Waits, the longest first: at most `most` of them; how many there are. */
unsigned run_waits(const struct run *run, const struct run_tally **wait,
                   unsigned most);
/* Of what a rank's time is reckoned; at least a nanosecond. */
double run_span(const struct run_rank *rank);

#endif
