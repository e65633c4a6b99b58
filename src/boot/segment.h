/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How large the segments of a job are: what is asked for, what memory, the
 * limits of a process and addresses allow. Called when a job is made, and at
 * attach.
 */
#ifndef FSH_BOOT_SEGMENT_H
#define FSH_BOOT_SEGMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "boot/job.h"

/* Rounded up to whole pages. */
size_t fsh_segment_pages(size_t bytes);

/* *each bytes for each of `ranks`, asked for with the setting that `needs` names:
 * is there memory for it? 0: nobody asked, sets what a rank can have. Reads files.
 * Returns 0, or -ENOMEM with what was asked, the limit and the remedy in err. */
int fsh_segment_grant(const struct fsh_job_needs *needs, uint32_t ranks,
                      size_t *each, char *err, size_t errlen);

/* The object of a job with such segments, of reserved huge pages, if
 * FSHMEM_HUGEPAGES asks for them and there are enough; *each as above, 0: what they
 * suffice for. If not, false, *each and *fd are left alone, and it has been said why
 * and what the segments have instead. Reads files. */
bool fsh_segment_huge(const struct fsh_job_needs *needs, uint32_t ranks,
                      size_t *each, int *fd);

#endif
