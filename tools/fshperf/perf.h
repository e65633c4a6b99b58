/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fshperf: measures what section IV of the FSHMEM paper measures, on conduit
 * fpga, from the hardware counters of both nodes. Every rank runs the same code
 * (main.c); rank 0 starts the transfers and reports, rank 1 is the peer.
 * Everything runs on the main thread. Between measurements the ranks
 * synchronise by the boot barrier, which does not use the conduit, so the links
 * carry only the measured transfer.
 */
#ifndef FSHPERF_H
#define FSHPERF_H

#include <gasnet.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "conduit/fpga/fpga.h"
#include "device/sim/sim_shm.h"
#include "document.h"
#include "options.h"

#define PERF_MAX_BYTES ((size_t)2 << 20)
#define PERF_SIZES 20 /* 4 B to 2 MB, powers of two */
#define PERF_PACKETS 4
#define PERF_MHZ 250.0 /* FSH_CLOCK_MHZ */
#define PERF_PORT_MB_PER_S 4000.0

enum perf_op { PERF_PUT, PERF_GET };

/* What to measure: `count` commands of `bytes` each, queued behind the start
 * gate if there are several. */
struct perf_config {
    enum perf_op op;
    unsigned ports;  /* 1 or 2 */
    unsigned packet; /* 128, 256, 512, 1024 */
    size_t bytes;    /* 0 to PERF_MAX_BYTES */
    unsigned count;
    unsigned dram_write; /* write response time, cycles; 0: the job's */
};

/* Cycles from the first command's acceptance, by the counters. */
struct perf_sample {
    uint64_t header; /* request header at the target (GET: reply header here) */
    uint64_t written; /* last byte of all written; 0 without payload */
    /* From the cycle in which the node accepted the doorbell of the only
     * command to the command's acceptance; the doorbell's cycle comes from the
     * simulator, not from a counter. */
    uint64_t accepted;
};

/* A line of a result file. */
struct perf_row {
    const char *test; /* put_bw, get_bw, put_lat, get_lat */
    /* single, pipelined; short, long; long_accepted: compared by write response
     * time; from the doorbell: short_doorbell, long_doorbell */
    const char *mode;
    const char *to; /* last_byte, header */
    unsigned ports;
    unsigned packet;
    size_t bytes;
    unsigned count;
    uint64_t cycles;     /* of all commands together */
    unsigned dram_write; /* write response time, cycles; 0: the job's */
};

/* Write response time, in cycles, of a memory that does not post writes. */
#define PERF_DRAM_STORED 40u

/* All rows of a run, in the order measured. */
struct perf_table {
    struct perf_row *row;
    size_t rows, room;
};

/* probe.c: prepare the segment and the counters; collective. */
void perf_probe_init(void);
/* Whether this fabric can use `ports` ports to the peer. */
bool perf_probe_ports(unsigned ports);
/* Measures; collective; every rank gets the result. The data is verified.
 * Fatal, with a message, if counters or data are wrong. */
struct perf_sample perf_measure(const struct perf_config *config);
unsigned perf_packet(unsigned i); /* i-th packet size, ascending */
size_t perf_size(unsigned i);     /* i-th transfer size, ascending */

/* Raw commands in flight: at most the number of tags, less a margin for those
 * of the library. */
#define PERF_QUEUE (FSH_HOST_TAGS - 4u)
struct perf_batch {
    unsigned count;
    struct fsh_fpga_record record[PERF_QUEUE];
};
/* Queues `count` equal commands from the source area to the target area. */
void perf_queue(struct perf_batch *batch, enum perf_op op, uint32_t node,
                size_t bytes, unsigned count);
/* Waits for all of them; bounded; fatal if one ends in an error. */
void perf_wait(struct perf_batch *batch, const char *what);

/* table.c */
void perf_table_add(struct perf_table *table, const struct perf_row *row);
/* The first matching row, or NULL. */
const struct perf_row *perf_find(const struct perf_table *table,
                                 const char *test, const char *mode,
                                 const char *to, unsigned ports,
                                 unsigned packet, size_t bytes);
double perf_mb_per_s(const struct perf_row *row);
double perf_efficiency(const struct perf_row *row);
double perf_us(const struct perf_row *row);
/* The same without the assumed link delay. */
double perf_us_without_link(const struct perf_row *row);
void perf_write_json(FILE *out, const struct perf_table *table);
void perf_write_csv(FILE *out, const struct perf_table *table);

/* report.c: text on stdout; rank 0 only. */
void perf_print_header(const char *what);
void perf_print_curves(const struct perf_table *table);
void perf_print_summary(const struct perf_table *table);
/* Tables III and IV as text: figures of others as quoted in the paper, then
 * ours. */
#define PERF_ROWS_III 10u
#define PERF_ROWS_IV 6u
#define PERF_COLUMNS_IV 6u
struct perf_iii {
    const char *what;
    char put[16], get[16]; /* us */
};
struct perf_iv {
    char column[PERF_COLUMNS_IV][32]; /* the first column names the row */
};
extern const char *const perf_heads_iv[PERF_COLUMNS_IV];
void perf_table_iii(const struct perf_table *table,
                    struct perf_iii row[PERF_ROWS_III]);
void perf_table_iv(const struct perf_table *table,
                   struct perf_iv row[PERF_ROWS_IV]);
void perf_print_table_iii(const struct perf_table *table);
void perf_print_table_iv(const struct perf_table *table);
/* Sizes in the summary of Fig. 5. */
#define PERF_SUMMARY 9u
extern const size_t perf_summary[PERF_SUMMARY];
/* MB/s with packets of 1024 B; 0: not measured. */
double perf_bandwidth(const struct perf_table *table, const char *test,
                      const char *mode, unsigned ports, size_t bytes);
/* Mean over the sizes of the long messages, in us to the header. */
double perf_mean_header_us(const struct perf_table *table, const char *test);

/* targets.c: transfer sizes at which a single transfer reaches a share of the
 * peak, and the final table: results of the paper, targets of FSHMEM. */
struct perf_reach {
    size_t half, most; /* 50 % and 95 % of peak */
};
#define PERF_TARGETS 64u
struct perf_target {
    char what[96];
    const char *paper; /* as text; "-": not stated */
    const char *unit;
    double limit; /* 0: no target, only the figure */
    double measured;
    bool at_least; /* measured must be >= limit; else <= */
};
struct perf_targets {
    struct perf_target target[PERF_TARGETS];
    size_t count, doorbells; /* number; first from the doorbell */
};
#define PERF_DOORBELL_NOTE                                                     \
    "From the doorbell: from the cycle, known to the simulator, in which the " \
    "node took it."
struct perf_reach perf_search_reach(enum perf_op op, uint64_t peak_cycles);
void perf_find_targets(struct perf_targets *all, const struct perf_table *table,
                       const struct perf_reach reach[2]);
bool perf_target_missed(const struct perf_target *target);
/* "pass", "falls short", or "-" without a target; ">= 88.6", "-". */
const char *perf_target_verdict(const struct perf_target *target);
const char *perf_target_limit(const struct perf_target *target, char text[32]);
/* Returns the number of rows that fall short. */
unsigned perf_print_targets(const struct perf_targets *all);

/* paper_page.c: everything as an HTML page. */
struct perf_results {
    const struct perf_table *table;
    const struct perf_targets *targets;
};
void perf_write_page(FILE *out, const struct perf_results *results);

/* ---- the commands ---- */

/* A command of fshperf: what main.c runs, its options, and its entry in
 * --help. */
struct perf_command {
    const char *name;
    const char *help; /* as of an option; NULL: internal */
    /* One of these; returns the exit code. */
    int (*run)(void);                  /* options already parsed */
    int (*raw)(int argc, char **argv); /* parses options, or joins with them */
    const struct kit_option *options;
    size_t count;
    bool alone;                /* is not a rank, or joins its job itself */
    const char *alone_with[2]; /* the same, if one of these options is given */
};

/* main.c: parses the arguments after argv[0]; kit_options_read. */
void perf_read_options(const struct perf_command *command, int argc,
                       char **argv);

extern const struct perf_command perf_paper;                  /* paper.c */
extern const struct perf_command perf_sim_speed, perf_am_rtt; /* speed.c */
extern const struct perf_command perf_sim_spin;               /* spin.c */
extern const struct perf_command perf_host_costs;             /* host_costs.c */
extern const struct perf_command perf_case_study;             /* study.c */
extern const struct perf_command perf_case_node;   /* study_node.c, its ranks */
extern const struct perf_command perf_host_driven; /* hosts.c */
extern const struct perf_command perf_host_node;   /* hosts_node.c, its ranks */
extern const struct perf_command perf_fabric;      /* fabric.c */
extern const struct perf_command
    perf_fabric_node;                            /* fabric_node.c, its ranks */
extern const struct perf_command perf_coll;      /* coll.c */
extern const struct perf_command perf_coll_node; /* coll_node.c, its ranks */
extern const struct perf_command perf_training;  /* training.c */
extern const struct perf_command perf_training_node; /* its ranks */
extern const struct perf_command perf_limits;        /* limits.c */
extern const struct perf_command perf_smp;           /* smp.c */
extern const struct perf_command perf_smp_node;      /* smp_node.c, its ranks */
extern const struct perf_command perf_net;           /* net.c */
extern const struct perf_command perf_bridge;        /* bridge.c */
extern const struct perf_command perf_bridge_node;   /* its rank */
/* Handlers of am-rtt and sim-spin, for gasnet_attach. */
void perf_am_entries(gasnet_handlerentry_t entries[2]);
void perf_spin_entry(gasnet_handlerentry_t *entry);
/* One round trip of the first two. */
void perf_ping(gasnet_node_t peer);
/* A handler that only counts. */
gasnet_handler_t perf_note_handler(void);

/* assumed.c: the simulator's assumptions in this job, and their presentation in
 * reports; fatal without a simulator. */
#define PERF_ASSUMED 7u
const struct fsh_sim_assumed *perf_assumed(void);
void perf_set_assumed(const struct fsh_sim_assumed *from);
void perf_print_assumed(void);
struct page;
void perf_page_assumed(struct page *p); /* as facts, with this machine's */
/* Fields of a JSON object, and of a CSV line, each after a comma; dram_write: that of
 * the row. */
void perf_json_assumed(struct document *d, unsigned dram_write);
void perf_csv_assumed_names(FILE *out);
void perf_csv_assumed(FILE *out, unsigned dram_write);
/* A line from a job to the command that started it; and whether a line is
 * one. */
#define PERF_ASSUMED_LINE "case-assumed"
void perf_tell_assumed(void);
bool perf_hear_assumed(const char *line);
/* Cycle in which this node accepted its last doorbell, by the simulator. */
uint64_t perf_sim_doorbell(void);
/* Cycle of the nodes that is time 0 of the ranks' simulated time. */
uint64_t perf_sim_clock_start(void);
/* Sets the write response time of all device memories for this rank's later
 * operations. */
void perf_sim_dram_write(unsigned cycles);
/* Statistics of the simulator. */
struct sim_figures {
    uint64_t cycle;     /* simulated */
    uint64_t evaluated; /* node-cycles */
    uint64_t host_ns;   /* CPU time */
};
struct sim_figures perf_sim_figures(void);

/* job.c: runs this program as a job, passing its output on line by line.
 * Returns its exit code, or 128 plus the signal that ended it. */
struct perf_job {
    unsigned ranks;
    const char *conduit;
    const char *topology;         /* NULL: the default */
    const char *costs;            /* of hosts; NULL: no simulated time */
    unsigned threads;             /* of the simulator; 0: its default */
    unsigned time_limit;          /* seconds */
    const char *const *arguments; /* of fshperf; ends with NULL */
    void (*hear)(void *arg, const char *line);
    void *arg;
};
int perf_run_job(const struct perf_job *job);
/* Have fshmodel, next to this program, add its predictions to a file of results. Returns
 * its exit code. */
int perf_run_model(const char *file);
/* Ends with a message if a command that starts its own jobs was started as a
 * rank. */
void perf_refuse_job(const char *command);
/* Shows progress on stderr; in place, if that is a terminal. */
void perf_progress(const char *text, bool last);

/* sample.c: the median of n values, which it sorts. */
double perf_median(double *value, size_t n);
/* The clock of measurements on a rank, for a report's heading. Host figures are
 * comparable with a card's, which are simulated, only if they are simulated too. */
const char *perf_host_clock(void);
/* Ends with a message if ranks have simulated time: the command times the simulator. */
void perf_wall_only(const char *command);

/* Open and close report files; fatal on failure. Without a path: NULL, and no
 * effect. */
FILE *perf_open(const char *path);
void perf_close(FILE *out, const char *path);

#endif
