/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The command coll of fshinfo: the algorithms of collectives, which one a call uses,
 * and for one algorithm the ranks' programs and the tree they form. No job.
 */
#ifndef FSHINFO_COLL_H
#define FSHINFO_COLL_H

#include <stdio.h>

/* argv[0]: "coll". Returns the exit code. */
int coll_command(int argc, char **argv);
/* Prints its options, for --help. */
void coll_help(FILE *out);

#endif
