/* SPDX-License-Identifier: BSD-3-Clause */
/* What speed.c, whose ranks measure, and speed_jobs.c, which starts jobs, share. */
#ifndef FSHPERF_SPEED_H
#define FSHPERF_SPEED_H

/* How lines of sim-speed begin, blanks behind. */
#define SPEED_EVALUATED "Node-cycles evaluated"
#define SPEED_SECONDS "Wall time (s)"
#define SPEED_CPU "Node-cycles per second of CPU time"

/* Measure fabrics of at most so many nodes, and write the file. load: up to two options
 * of sim-speed, NULL behind. Returns the exit code. */
int speed_jobs(const char *path, unsigned most, const char *const *load);

#endif
