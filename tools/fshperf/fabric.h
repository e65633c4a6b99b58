/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fshperf fabric: latency per hop, Shorts behind bulk, fairness, accepted load and
 * link utilisation of fabrics of simulated nodes, in node cycles. The command is not
 * a rank (fabric.c, fabric_report.c): it starts jobs of itself as `fshperf
 * fabric-node TEST` (fabric_node.c), in simulated time with hosts at no cost, which
 * print one line per figure.
 */
#ifndef FSHPERF_FABRIC_H
#define FSHPERF_FABRIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/fsh_spec.h"

/* A figure printed by rank 0: this, its name and one to four numbers. */
#define FABRIC_LINE "fabric"
/* A link's utilisation in a test: node, port, the node it leads to, share of busy
 * cycles. */
#define FABRIC_LINK "fabric-link"
#define FABRIC_PACKET 1024u  /* payload bytes */
#define FABRIC_MESSAGE 4096u /* bytes of a PUT in the patterns */
#define FABRIC_BULK 65536u   /* bytes of a bulk command */
#define FABRIC_BULKS 8u      /* bulk commands in flight per node */
#define FABRIC_SEED 1u
/* Cycles measured in patterns, as an argument of their jobs. */
#define FABRIC_COUNTED "12000"
#define FABRIC_COUNTED_HOTSPOT "48000"
/* Warm-up cycles: of bulk before messages; in patterns a third of the
 * measurement. */
#define FABRIC_WARM_UP 4000u
/* A node that gets less than this share of the mean is starved. */
#define FABRIC_STARVED 0.5
/* Cycles of a packet on a link. */
#define FABRIC_PACKET_CYCLES (FABRIC_PACKET / FSH_BEAT_BYTES + 1)

/* Beats of a link layer frame: what a long packet may wait for at each hop. */
#define FABRIC_FRAME 128u
/* Bytes per cycle and node at its lanes; the bisection of a 4x4 torus allows
 * 32. */
#define FABRIC_BOUND (16.0 * FSH_LANES)

#define FABRIC_ROWS 128u

/* A figure. NAN: not available. */
struct fabric_row {
    const char *test;
    char what[40]; /* within the test */
    const char *topology;
    unsigned nodes;
    double value, target;
    bool most; /* the target is an upper bound */
    const char *unit;
    double mean, idle, samples; /* of the set whose worst is `value` */
};

/* Link utilisation of a job. */
struct fabric_link {
    unsigned node, port, peer;
    double share;
};
struct fabric_use {
    const char *test, *what; /* hol: the kind; else "" */
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

/* Whether it has no target, or meets it. */
bool fabric_reached(const struct fabric_row *row);

/* fabric_report.c: rows as text, with a heading that explains each measurement, and as
 * an array of objects; link utilisation as CSV. */
void fabric_print(const struct fabric *all);
void fabric_write_json(FILE *out, const struct fabric *all);
void fabric_write_links(FILE *out, const struct fabric *all);
/* fabric_page.c: everything as an HTML page. */
void fabric_write_page(FILE *out, const struct fabric *all);

#endif
