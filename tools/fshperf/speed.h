/* SPDX-License-Identifier: BSD-3-Clause */
/* What speed.c, whose ranks measure, and speed_jobs.c, which starts jobs, share. */
#ifndef FSHPERF_SPEED_H
#define FSHPERF_SPEED_H

#include <stdbool.h>

/* How lines of sim-speed begin, blanks behind. */
#define SPEED_EVALUATED "Node-cycles evaluated"
#define SPEED_SECONDS "Wall time (s)"
#define SPEED_CPU "Node-cycles per second of CPU time"

#define SPEED_COUNTED_NODES 2u

/* Start jobs with the simulator under valgrind, print and return how many instructions it
 * takes for a node-cycle; fatal, with a message, if there is no valgrind. The environment
 * is not fit for other jobs afterwards. */
double speed_instructions(void);

/* Measure fabrics of at most so many nodes, and write the file. load: up to two options
 * of sim-speed, NULL behind; instructions: count those as well. Returns the exit code. */
int speed_jobs(const char *path, unsigned most, const char *const *load,
               bool instructions);

#endif
