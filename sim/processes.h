/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The processes of a fabric's partitions on this host. The first is the one that was
 * started; it forks the others, which die with it. Main thread.
 */
#ifndef FSH_SIM_PROCESSES_H
#define FSH_SIM_PROCESSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fabric.h"

#define FSH_PROCESSES_MOST 16u

/* Share the nodes out evenly to so many processes, start those, and connect each with
 * every other one. Returns in all of them; *p says which one this is. False with a message:
 * none was started. */
bool fsh_processes_start(struct fsh_partition *p, uint32_t count,
                         uint32_t nodes, char *err, size_t errlen);
/* In the first, from a signal handler, too: this signal for the others. */
void fsh_processes_signal(int sig);
/* In the first, when its partition has ended: wait for the others, at most so long; then
 * they are killed. Says how they ended, unless in order. True: all did. */
bool fsh_processes_end(const struct fsh_partition *p, uint64_t max_ns);

#endif
