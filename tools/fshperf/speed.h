/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by speed.c, whose ranks measure, and speed_jobs.c, which starts jobs. */
#ifndef FSHPERF_SPEED_H
#define FSHPERF_SPEED_H

#include <stdbool.h>

/* Start of the lines of sim-speed, padded with blanks. */
#define SPEED_EVALUATED "Node-cycles evaluated"
#define SPEED_SECONDS "Wall time (s)"
#define SPEED_CPU "Node-cycles per second of CPU time"

#define SPEED_COUNTED_NODES 2u

/* Starts jobs with the simulator under valgrind; prints and returns the number of
 * instructions per node-cycle. Fatal, with a message, without valgrind. Afterwards the
 * environment is not suitable for other jobs. */
double speed_instructions(void);

/* Measures fabrics of at most `most` nodes and writes the file. load: up to two
 * options of sim-speed, NULL-terminated; instructions: count them too. Returns the
 * exit code. */
int speed_jobs(const char *path, unsigned most, const char *const *load,
               bool instructions);

#endif
