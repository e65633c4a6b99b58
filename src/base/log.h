/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages to stderr, one write(2) a line so that lines of several ranks do
 * not mix. "fshmem: rank 3: ..." in a rank, "fshrun: ..." in a tool. Any
 * thread. Who first knows of a failure reports it, once.
 */
#ifndef FSH_LOG_H
#define FSH_LOG_H

#include <stdbool.h>

/* First word of each line, "fshmem" unless set. Keeps the pointer. */
void fsh_log_program(const char *name);

/* Rank shown in each line; negative: none. */
void fsh_log_rank(int rank);

/* Print a line. A newline is added. */
void fsh_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Print a line and end the job with code 1: through the hook if there is one,
 * else exit(1). */
_Noreturn void fsh_fatal(const char *fmt, ...)
    __attribute__((format(printf, 1, 2)));

/* The same with an exit code of the caller's choice. */
_Noreturn void fsh_fatal_code(int code, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* What fsh_fatal calls after printing; must not return. reason is the message
 * without its prefix and stays valid. */
void fsh_log_on_fatal(void (*hook)(int code, const char *reason));

/* If set and true, fsh_fatal does not print: the job is ending already, and
 * the first failure has been reported. */
void fsh_log_mute_when(bool (*ending)(void));

#endif
