/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lists of processors as taskset(1) and srun have them: "0-3,8". Any thread.
 */
#ifndef FSH_CPU_LIST_H
#define FSH_CPU_LIST_H

#include <stdbool.h>

/* More than the kernel numbers. */
#define FSH_CPU_LIST_MOST 65535u

/* Read the next part of a list, a processor or a range, and move *text past it and
 * its comma. False at the end of the list, where **text is 0, and at a syntax error,
 * where *text stays. */
bool fsh_cpu_list_next(const char **text, unsigned *first, unsigned *last);

/* Is all of text a list of at least one processor? */
bool fsh_cpu_list_valid(const char *text);

#endif
