/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The shared memory object of conduit smp in this process's addresses: mapped where
 * it belongs, in pages of what FSHMEM_HUGEPAGES asks for, and the rank's own segment
 * from its own NUMA node. Main thread, in init and attach; what cannot be mapped is
 * fatal.
 */
#ifndef FSH_SMP_OBJECT_H
#define FSH_SMP_OBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "conduit/smp/layout.h"

struct fsh_smp_object {
    const struct fsh_smp_layout *layout; /* the caller's */
    unsigned char *base;                 /* where offset 0 is, or would be */
    size_t page;                         /* bytes of the object's pages */
    bool advise; /* ask for huge pages where these are small */
};

/* Set addresses aside for all of the object, and map it up to the segments: what
 * they will be is known at attach. page: bytes of its pages, of which it consists. */
void fsh_smp_object_map(struct fsh_smp_object *o,
                        const struct fsh_smp_layout *layout, size_t page);

/* Map so many bytes of a rank's segment; own: of this process. To be called for
 * the own one before anybody knows of it, so that its pages come from here. */
void fsh_smp_object_segment(const struct fsh_smp_object *o, uint32_t rank,
                            size_t bytes, bool own);

#endif
