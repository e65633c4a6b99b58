/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where the pages of shared memory come from: the kernel takes them from the NUMA
 * node of the process that happens to touch them first, which for a segment may be
 * another rank's. Called when memory is mapped; any thread; reads files.
 */
#ifndef FSH_NUMA_H
#define FSH_NUMA_H

#include <stddef.h>

/* The NUMA node that has all processors this process may use; -1 if there are
 * several, or it cannot be known. */
int fsh_numa_home(void);

/* Have whole pages of `page` bytes between start and start + bytes, a shared
 * mapping, come from home, whichever process touches them first. Without a home, with
 * a policy of the user's (numactl), or where the kernel does not let us, nothing
 * changes. */
void fsh_numa_prefer_home(void *start, size_t bytes, size_t page);

#endif
