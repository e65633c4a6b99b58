/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * NUMA placement of shared memory: the kernel allocates a page on the node of the
 * process that touches it first, which for a segment may be another rank's. Called
 * when memory is mapped; any thread; reads files.
 */
#ifndef FSH_NUMA_H
#define FSH_NUMA_H

#include <stddef.h>

/* The NUMA node that has all processors this process may use; -1 if there are
 * several, or it cannot be known. */
int fsh_numa_home(void);

/* Prefer the home node (fsh_numa_home) for the whole pages, of `page` bytes (a power
 * of 2), of the shared mapping [start, start + bytes), whichever process touches them
 * first. Does nothing if there is no home node, if the user has set a policy
 * (numactl), or if the kernel refuses. */
void fsh_numa_prefer_home(void *start, size_t bytes, size_t page);

#endif
