/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A fabric in several processes. The processes are synchronized conservatively, with the
 * delay of a link as lookahead. They meet in rounds, in which each sends every other one
 * notice: the beats for it, and a promise, the cycle before which none of its nodes does
 * anything. With the least of all promises, M, nothing can arrive anywhere before M + link
 * delay, the end of the window in which each goes on by itself; all that happens, and
 * when, is the same as in one process. A fabric in which all promise nothing is quiet; a
 * host's request then begins the next round, and others come to it when they find the
 * notice (fsh_partitions_called).
 *
 * Called by step.c and fabric.c, on the fabric's thread.
 */
#ifndef FSH_SIM_PARTITION_H
#define FSH_SIM_PARTITION_H

#include <stdbool.h>
#include <stdint.h>

#include "fabric.h"

struct fsh_partitions;
struct fsh_link;

/* NULL and a message on failure. The nodes' links must stay where they are. */
struct fsh_partitions *fsh_partitions_open(struct fsh_fabric *fab, char *err,
                                           size_t errlen);
/* Tells the others first, as fsh_partitions_part does. */
void fsh_partitions_close(struct fsh_partitions *p);

/* A round: this side promises to do nothing before cycle `next`. Beats have been handed
 * over when it returns; *least is the least of all promises. False: the fabric has failed,
 * or its owner wants to stop. */
bool fsh_partitions_meet(struct fsh_partitions *p, uint64_t next,
                         uint64_t *least);
/* Has another one begun a round, or gone? */
bool fsh_partitions_called(struct fsh_partitions *p);
/* Has one ended? */
bool fsh_partitions_parted(const struct fsh_partitions *p);
/* Tell the others that this was the last round; what is done then is done alone. */
void fsh_partitions_part(struct fsh_partitions *p);

#endif
