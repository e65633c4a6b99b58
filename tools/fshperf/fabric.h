/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fshperf fabric: latency by hops, Shorts behind bulk, fairness, accepted load and use of
 * links of fabrics of simulated nodes, in their cycles. The command is no rank (fabric.c,
 * fabric_report.c): it starts jobs of itself as `fshperf fabric-node TEST`
 * (fabric_node.c), in simulated time with hosts that cost nothing, which print a line a
 * figure.
 */
#ifndef FSHPERF_FABRIC_H
#define FSHPERF_FABRIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/fsh_spec.h"

/* What rank 0 says of a figure: this, its name and one to four numbers. */
#define FABRIC_LINE "fabric"
/* And of a link of a test: node, port, the node it leads to, share of cycles in use. */
#define FABRIC_LINK "fabric-link"
#define FABRIC_PACKET 1024u  /* payload bytes */
#define FABRIC_MESSAGE 4096u /* bytes of a PUT of the patterns */
#define FABRIC_BULK 65536u   /* bytes of a command of what Shorts are behind */
#define FABRIC_BULKS 8u      /* such commands that a node has in flight */
#define FABRIC_SEED 1u
/* Cycles in which patterns are counted, as arguments of their jobs. */
#define FABRIC_COUNTED "12000"
#define FABRIC_COUNTED_HOTSPOT "48000"
/* Cycles of bulk before messages; patterns: a third of what is counted. */
#define FABRIC_WARM_UP 4000u
/* A node that gets less of the mean is said to starve. */
#define FABRIC_STARVED 0.5
/* Cycles that a packet takes on a link. */
#define FABRIC_PACKET_CYCLES (FABRIC_PACKET / FSH_BEAT_BYTES + 1)

/* Beats of a frame of the link layer: what a long packet may wait at each hop. */
#define FABRIC_FRAME 128u
/* Bytes a cycle and node, local; the bisection of a torus of 4x4 allows 32. */
#define FABRIC_BOUND (16.0 * FSH_LANES)

#define FABRIC_ROWS 128u

/* A figure. NAN: none of that kind. */
struct fabric_row {
    const char *test;
    char what[40]; /* of the test */
    const char *topology;
    unsigned nodes;
    double value, target;
    bool most; /* the target is an upper bound */
    const char *unit;
    double mean, idle, samples; /* of what `value` is the worst of, in `unit` */
};

/* Use of the links of a job. */
struct fabric_link {
    unsigned node, port, peer;
    double share;
};
struct fabric_use {
    const char *test, *what; /* of hol: of what; "" */
    const char *topology;
    unsigned nodes, links;
    struct fabric_link link[FSH_MAX_NODES * FSH_MAX_PORTS];
};
#define FABRIC_USES 24u

struct fabric {
    struct fabric_use use[FABRIC_USES];
    size_t uses;
    struct fabric_row row[FABRIC_ROWS];
    size_t rows;
};

/* Has it no target, or is it reached? */
bool fabric_reached(const struct fabric_row *row);

/* fabric_report.c: rows as text, with a head that says how each is measured, and as an
 * array of objects; use of links as CSV. */
void fabric_print(const struct fabric *all);
void fabric_write_json(FILE *out, const struct fabric *all);
void fabric_write_links(FILE *out, const struct fabric *all);
/* fabric_page.c: all of it as a page. */
void fabric_write_page(FILE *out, const struct fabric *all);

#endif
