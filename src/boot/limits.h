/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Limits of a process that a job runs into. Any thread.
 */
#ifndef FSH_LIMITS_H
#define FSH_LIMITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Room for so many descriptors beside those that are open, for a job of so many
 * ranks: the soft limit is raised if it has to be. False: the hard one is too
 * low, and err says so. */
bool fsh_limits_raise_files(uint32_t ranks, uint32_t more, char *err,
                            size_t errlen);

/* What to add to the message that a process or a thread could not be made, with
 * this errno: the limit and the remedy, or "" if it is not that. */
void fsh_limits_explain_process(int error, char *text, size_t len);

#endif
