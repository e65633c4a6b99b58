/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Huge pages for segments (FSHMEM_HUGEPAGES): reserved ones (hugetlb), for which the
 * object of a job is made of them, or those that the kernel gives to shared memory
 * where it is asked for them (madvise). Called when a job is made, and by fshinfo;
 * reads files.
 */
#ifndef FSH_BOOT_HUGE_H
#define FSH_BOOT_HUGE_H

#include <stdbool.h>
#include <stddef.h>

#define FSH_HUGE_PAGE ((size_t)2 << 20)

/* What the kernel has. */
struct fsh_huge {
    size_t total;    /* reserved pages of FSH_HUGE_PAGE bytes */
    size_t free;     /* of these, pages that no mapping has reserved */
    char shared[16]; /* for shared memory: never, advise, always ... */
    bool may_advise; /* madvise has an effect on shared memory */
};
void fsh_huge_read(struct fsh_huge *huge);

/* An object of at least this many bytes, of reserved pages, which are promised to
 * it: who touches it finds them. Returns its descriptor (close on exec, sealed
 * against another size), or a negative errno: ENOMEM, too few pages are free; EFBIG,
 * the limit on the size of a file is below. */
int fsh_huge_object(const char *name, size_t bytes);

/* Page size of a memory object: FSH_HUGE_PAGE, or the system's. */
size_t fsh_huge_page_of(int fd);

#endif
