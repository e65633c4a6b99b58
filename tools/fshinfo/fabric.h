/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fshinfo fabric: draws or lists a topology, and computes its properties. One thread,
 * no job.
 */
#ifndef FSHINFO_FABRIC_H
#define FSHINFO_FABRIC_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/topology.h"

/* The command: argv[0] is its name. Returns the exit code. */
int fabric_command(int argc, char **argv);
/* For fshinfo --help: the command followed by its options. */
void fabric_help(FILE *out);

/* fabric_draw.c: whether it can be drawn on a page. */
bool fabric_is_drawn(const struct fsh_topology *t);
void fabric_draw(FILE *out, const struct fsh_topology *t);

/* fabric_facts.c */
struct fabric_facts {
    unsigned cables;
    unsigned diameter;  /* links on the longest path */
    double hops;        /* links, averaged over pairs and their ports */
    unsigned bisection; /* cables between halves */
    bool exact;         /* it is minimal; else the least of ... */
    unsigned cuts;      /* ... this many cuts */
};
struct fabric_facts fabric_facts(const struct fsh_topology *t);

#endif
