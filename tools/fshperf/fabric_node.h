/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the ranks of a job of fshperf fabric share: fabric_node.c starts the test,
 * fabric_traffic.c keeps a node busy, fabric_patterns.c and fabric_hol.c measure with
 * that. One thread. Times are cycles of simulated time, as in the clock of all ranks.
 */
#ifndef FSHPERF_FABRIC_NODE_H
#define FSHPERF_FABRIC_NODE_H

#include <gasnet.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/topology.h"
#include "fabric.h"
#include "perf.h"

/* Cycles in which a node clears memory after reset, and takes no commands. */
#define FABRIC_RESET 20000u

extern unsigned fabric_me, fabric_nodes;

/* The present cycle; costs nothing. */
uint64_t fabric_now(void);
/* A cycle as the nodes count it, in that time. */
uint64_t fabric_cycle(uint64_t of_node);
/* Some cycle to come, the same on all ranks if they ask at about one time; and let the
 * time until then pass. */
uint64_t fabric_common(void);
void fabric_pass(uint64_t until);
/* Rank 0 says it; numbers that are not wanted: NAN, from the last on. */
void fabric_tell(const char *name, double value, double mean, double idle,
                 double samples);
unsigned fabric_draw(unsigned below);
const struct fsh_topology *fabric_topology(void);
/* Links from one node to all others. */
void fabric_hops(unsigned from, unsigned hops[FSH_MAX_NODES]);
/* A raw command of the areas for it. */
struct fsh_fpga_raw fabric_command(enum perf_op op, unsigned node,
                                   size_t bytes);

/* ---- fabric_traffic.c ---- */

/* Commands of one size, kept in flight or made at random times. */
struct fabric_traffic {
    unsigned (*to)(void); /* where the next goes; this node: nowhere */
    enum perf_op op;
    size_t bytes;
    unsigned most; /* in flight, up to PERF_QUEUE; 0: there is no traffic */
    double gap;    /* mean cycles between two; 0: as soon as there is room */
};

/* Of the commands that ended in the cycles counted: how many, and their cycles from
 * where they were made, at the node, to their end there. */
struct fabric_counts {
    uint64_t ended, sum, worst;
};

/* From now on, whenever fabric_traffic_step is called. */
void fabric_traffic_begin(const struct fabric_traffic *traffic);
/* Count what ends from one cycle to the other. */
void fabric_traffic_count(uint64_t from, uint64_t to);
/* Go on until that cycle, or until something has come. True: it is that cycle. */
bool fabric_traffic_step(uint64_t until);
void fabric_traffic_drive(uint64_t until);
/* No more; waits for those in flight. */
struct fabric_counts fabric_traffic_end(void);

/* ---- fabric_links.c: the share of cycles in which each link of this node was used ---- */

/* From now on. */
void fabric_links_begin(void);
/* Until now; reads counters, hundreds of cycles each. */
void fabric_links_end(void);
/* In the first so many cycles; nothing has been sent after them. */
void fabric_links_end_at(uint64_t cycles);
/* Rank 0 says those of all; collective. */
void fabric_links_tell(void);

/* ---- tests ---- */

/* False: there is none of this name. */
bool fabric_run_pattern(const char *name, const char *offered,
                        const char *cycles);
void fabric_run_hol(const char *what, const char *cycles);
#define FABRIC_HANDLERS 5
void fabric_hol_entries(gasnet_handlerentry_t entries[FABRIC_HANDLERS]);

#endif
