/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How a process has ended that is not a child of this one: a rank, to another
 * that its launcher has started. Any thread. Inside src/boot only.
 */
#ifndef FSH_DEATH_H
#define FSH_DEATH_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* The process at the other end of this connection, which has ended: its wait
 * status. pid: what it said it is, or 0. False: nobody knows, or it lives. */
bool fsh_death_status(int connection, pid_t pid, int *status);

/* In words, with the exit code that stands for it: the process's own, 128 +
 * signal, or 1 if it is not known or would be 0. */
int fsh_death_describe(bool known, int status, char *text, size_t len);

#endif
