/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Shared by the ranks of a job of fshperf fabric: fabric_node.c starts the test,
 * fabric_traffic.c generates a node's traffic, fabric_patterns.c and fabric_hol.c use
 * it for measurements. One thread. Times are cycles of simulated time, the common
 * clock of all ranks.
 */
#ifndef FSHPERF_FABRIC_NODE_H
#define FSHPERF_FABRIC_NODE_H

#include <gasnet.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/topology.h"
#include "fabric.h"
#include "perf.h"

/* Cycles after reset in which a node clears memory and accepts no commands. */
#define FABRIC_RESET 20000u

extern unsigned fabric_me, fabric_nodes;

/* The current cycle; reading it is free. */
uint64_t fabric_now(void);
/* Converts a cycle counted by the nodes to that time. */
uint64_t fabric_cycle(uint64_t of_node);
/* common: a future cycle, the same on all ranks if they ask at about the same time.
 * until: lets time pass until then. */
uint64_t fabric_common(void);
void fabric_pass(uint64_t until);
/* Printed by rank 0; unused trailing numbers are NAN. */
void fabric_tell(const char *name, double value, double mean, double idle,
                 double samples);
unsigned fabric_draw(unsigned below);
const struct fsh_topology *fabric_topology(void);
/* Distances in links from one node to all others. */
void fabric_hops(unsigned from, unsigned hops[FSH_MAX_NODES]);
/* A raw command on the memory areas for it. */
struct fsh_fpga_raw fabric_command(enum perf_op op, unsigned node,
                                   size_t bytes);

/* ---- fabric_traffic.c ---- */

/* Commands of one size, kept in flight or issued at random times. */
struct fabric_traffic {
    unsigned (*to)(void); /* destination of the next one; this node: none */
    enum perf_op op;
    size_t bytes;
    unsigned most; /* in flight, up to PERF_QUEUE; 0: no traffic */
    double gap;    /* mean cycles between two; 0: as soon as there is room */
};

/* Commands that completed in the measured cycles: their number, and the sum of their
 * cycles from creation at the node to completion there. */
struct fabric_counts {
    uint64_t ended, sum, worst;
};

/* Starts traffic; it progresses in fabric_traffic_step. */
void fabric_traffic_begin(const struct fabric_traffic *traffic);
/* Sets the measured cycles: counts completions from one to the other. */
void fabric_traffic_count(uint64_t from, uint64_t to);
/* Continues until that cycle, or until something arrives. True: the cycle was
 * reached. */
bool fabric_traffic_step(uint64_t until);
void fabric_traffic_drive(uint64_t until);
/* Stops traffic; waits for commands in flight. */
struct fabric_counts fabric_traffic_end(void);

/* ---- fabric_links.c: utilisation of this node's links ---- */

/* Starts the measurement. */
void fabric_links_begin(void);
/* Ends it; reads counters, taking hundreds of cycles each. */
void fabric_links_end(void);
/* Ends it for the first `cycles`; nothing has been sent after them. */
void fabric_links_end_at(uint64_t cycles);
/* Rank 0 prints the links of all nodes; collective. */
void fabric_links_tell(void);

/* ---- tests ---- */

/* False: no test of this name. */
bool fabric_run_pattern(const char *name, const char *offered,
                        const char *cycles);
void fabric_run_hol(const char *what, const char *cycles);
#define FABRIC_HANDLERS 5
void fabric_hol_entries(gasnet_handlerentry_t entries[FABRIC_HANDLERS]);

#endif
