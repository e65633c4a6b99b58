/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Mapping the shared memory object of conduit smp, all parts at one base address, with
 * the pages that FSHMEM_HUGEPAGES asks for and this rank's segment on its NUMA node.
 * Main thread, in init and attach; a mapping that fails is fatal.
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
    size_t page;                         /* bytes of a page of the object */
    bool advise;                         /* madvise transparent huge pages */
};

/* Reserve addresses for all of the object, and map it up to the segments, whose sizes
 * are known at attach only. page: bytes of a page; the object is a multiple of it. */
void fsh_smp_object_map(struct fsh_smp_object *o,
                        const struct fsh_smp_layout *layout, size_t page);

/* Map so many bytes of a rank's segment; own: the rank is this process. Call it for the
 * own segment before other ranks can touch it, or its pages may be on their nodes. */
void fsh_smp_object_segment(const struct fsh_smp_object *o, uint32_t rank,
                            size_t bytes, bool own);

#endif
