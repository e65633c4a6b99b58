/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The internals of a node for traces: sequencer, credits, compute queues, from what
 * fsh_node_probe and fsh_node_probe_core see. Called by trace.c, for each node, after
 * an evaluation that changed it.
 */
#ifndef FSH_SIM_TRACE_INSIDE_H
#define FSH_SIM_TRACE_INSIDE_H

#include "node_wrap.h"

/* Tracks of a node, behind those of trace.c (docs/02_reference/traces.md). */
enum fsh_inside_track {
    FSH_INSIDE_MESSAGE = 5 + FSH_NODE_PORTS, /* {channel, context} */
    FSH_INSIDE_SEND = FSH_INSIDE_MESSAGE + 2 * FSH_PROBE_CONTEXTS, /* by lane */
    FSH_INSIDE_QUEUE = FSH_INSIDE_SEND + FSH_LANES,
    FSH_INSIDE_LOAD = FSH_INSIDE_QUEUE + FSH_PROBE_QUEUES,
    FSH_INSIDE_ARRAY,
    FSH_INSIDE_RESULTS,
    FSH_INSIDE_OPEN, /* by queue */
    FSH_INSIDE_TRACKS = FSH_INSIDE_OPEN + FSH_PROBE_QUEUES
};

struct fsh_inside {
    struct {
        /* What it does, and in it what it is at; NULL: nothing. */
        const char *name[2];
        uint64_t since[2], bytes;
        uint32_t peer; /* + 1 */
    } track[FSH_INSIDE_TRACKS - FSH_INSIDE_MESSAGE];
    struct { /* {port, channel}, by windows */
        uint64_t window;
        uint16_t most, last, shown; /* beats */
    } reserved[FSH_NODE_PORTS][2];
    uint16_t commands[FSH_PROBE_QUEUES];
    struct fsh_probe now, last;
    struct fsh_probe_core last_core;
};

/* What the registers of the node say (in->now) in cycle `now` of the trace, of which that
 * has changed, as fsh_node_probe says; and those of its core. */
void fsh_inside_look(struct fsh_inside *in, uint32_t node, uint64_t now,
                     unsigned changed);
void fsh_inside_look_core(struct fsh_inside *in, uint32_t node, uint64_t now,
                          const struct fsh_probe_core *probe);
/* All that has begun ends. */
void fsh_inside_end(struct fsh_inside *in, uint32_t node, uint64_t now);

#endif
