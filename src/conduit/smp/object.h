/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Maps the shared memory object of conduit smp, all parts at one base address, with
 * the page size that FSHMEM_HUGEPAGES requests and this rank's segment on its NUMA
 * node. Main thread, during init and attach; a failed mapping is fatal.
 */
#ifndef FSH_SMP_OBJECT_H
#define FSH_SMP_OBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "conduit/smp/layout.h"

struct fsh_smp_object {
    const struct fsh_smp_layout *layout; /* the caller's */
    unsigned char *base;                 /* address of offset 0 */
    size_t page;                         /* page size of the object in bytes */
    bool advise;                         /* madvise transparent huge pages */
};

/* Reserves addresses for the whole object, and maps everything before the segments,
 * whose sizes are known only at attach. page: page size in bytes; the object's size is
 * a multiple of it. */
void fsh_smp_object_map(struct fsh_smp_object *o,
                        const struct fsh_smp_layout *layout, size_t page);

/* Maps this many bytes of a rank's segment; own: the rank is this process. Map the own
 * segment before other ranks can touch it, or its pages may land on their nodes. */
void fsh_smp_object_segment(const struct fsh_smp_object *o, uint32_t rank,
                            size_t bytes, bool own);

#endif
