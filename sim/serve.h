/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Couples a fabric to the ranks of a job through the shared memory of
 * sim_shm.h. Called by main.c; one thread.
 */
#ifndef FSH_SIM_SERVE_H
#define FSH_SIM_SERVE_H

#include <stdbool.h>
#include <stdint.h>

#include "boot/job.h"
#include "fabric.h"

struct fsh_serve;

/* Map the objects of the job and put dram, dma, sizes, nodes, ring and events
 * into config. NULL with a message on failure. */
struct fsh_serve *fsh_serve_open(const struct fsh_job *job,
                                 struct fsh_fabric_config *config, char *err,
                                 size_t errlen);
/* Publish what the fabric's models assume, before the ranks begin. */
void fsh_serve_tell(struct fsh_serve *serve,
                    const struct fsh_fabric_config *config);
/* Simulated time of the hosts one hand-over after the other: for tests, as it takes the
 * same cycles. */
void fsh_serve_no_horizon(struct fsh_serve *serve);
/* For tests: the credits that others return to this node do not reach its host. */
void fsh_serve_lose_credits(struct fsh_serve *serve, uint32_t node);
/* The other partitions are the simulators of other hosts: each is ended by its own job, and
 * what this one's ranks share is of them alone. */
void fsh_serve_over_hosts(struct fsh_serve *serve);
/* NULL, or why ranks cannot go on: none can in simulated time, and what they wait for has
 * been said, or the simulator of another host has ended. Then fsh_serve_run has returned
 * false. */
const char *fsh_serve_failure(const struct fsh_serve *serve);
/* Serve until fsh_serve_stop, or an error of the fabric or a deadlock; true if
 * stopped. */
bool fsh_serve_run(struct fsh_serve *serve, struct fsh_fabric *fab);
/* CPU time (ns) of all threads spent stepping, not waiting. */
uint64_t fsh_serve_busy_ns(const struct fsh_serve *serve);
/* What the fabric holds goes to stderr soon. From a signal handler. */
void fsh_serve_ask_dump(struct fsh_serve *serve);
/* Such dumps go behind what this file has, too; path stays valid. */
void fsh_serve_dump_to(struct fsh_serve *serve, const char *path);
/* From a signal handler. */
void fsh_serve_stop(struct fsh_serve *serve);
void fsh_serve_close(struct fsh_serve *serve);

/* The job has ended: read the counters of all nodes, if the launcher wants them. Not of
 * a run that is recorded, which would have the reads too. */
void fsh_serve_count(struct fsh_serve *serve, struct fsh_fabric *fab);

#endif
