/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fshinfo fabric: a topology as a drawing or a list, and what follows from it. One
 * thread, no job.
 */
#ifndef FSHINFO_FABRIC_H
#define FSHINFO_FABRIC_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/topology.h"

/* The command: argv[0] is its name. Returns the exit code. */
int fabric_command(int argc, char **argv);
/* For fshinfo --help: the command, and its options below it. */
void fabric_help(FILE *out);

/* fabric_draw.c: is there a drawing of it that fits on a page? */
bool fabric_is_drawn(const struct fsh_topology *t);
void fabric_draw(FILE *out, const struct fsh_topology *t);

/* fabric_facts.c */
struct fabric_facts {
    unsigned cables;
    unsigned diameter; /* links on the longest way */
    double hops; /* links, averaged over pairs and the ports to choose of */
    unsigned bisection; /* cables between halves */
    bool exact;         /* no cut into halves has fewer; else none of ... */
    unsigned cuts;      /* ... so many */
};
struct fabric_facts fabric_facts(const struct fsh_topology *t);

#endif
