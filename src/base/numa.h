/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * NUMA placement of shared memory. By default the kernel allocates a page on the node
 * of the process that touches it first, which for a segment may be another rank.
 * Called when memory is mapped; any thread; reads files.
 */
#ifndef FSH_NUMA_H
#define FSH_NUMA_H

#include <stddef.h>

/* The NUMA node that contains all processors this process may use; -1 if they
 * span several nodes, or if unknown. */
int fsh_numa_home(void);

/* Makes the home node (fsh_numa_home) the preferred node of the whole pages, of `page`
 * bytes (a power of 2), in the shared mapping [start, start + bytes), whichever process
 * touches them first. No effect without a home node, if the user has set a policy
 * (numactl), or if the kernel refuses. */
void fsh_numa_prefer_home(void *start, size_t bytes, size_t page);

#endif
