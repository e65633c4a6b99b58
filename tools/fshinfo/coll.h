/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The command coll of fshinfo: the algorithms of collectives, which of them a call gets,
 * and, for one, the programs of the ranks and the tree that they make. No job.
 */
#ifndef FSHINFO_COLL_H
#define FSHINFO_COLL_H

#include <stdio.h>

/* argv[0]: "coll". Returns the exit code. */
int coll_command(int argc, char **argv);
/* What it takes, for --help. */
void coll_help(FILE *out);

#endif
