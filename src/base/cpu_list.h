/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Processor lists in the syntax of taskset(1) and srun: "0-3,8". Any thread.
 */
#ifndef FSH_CPU_LIST_H
#define FSH_CPU_LIST_H

#include <stdbool.h>

/* Above any number the kernel assigns. */
#define FSH_CPU_LIST_MOST 65535u

/* Reads the next element of a list, a processor or a range, and advances *text past it
 * and its comma. False at the end of the list (**text is 0) and on a syntax error
 * (*text is not advanced). */
bool fsh_cpu_list_next(const char **text, unsigned *first, unsigned *last);

/* Whether the whole text is a list of at least one processor. */
bool fsh_cpu_list_valid(const char *text);

#endif
