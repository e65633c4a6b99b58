/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages to stderr, with one write(2) per line so that lines of several ranks
 * do not interleave: "fshmem: rank 3: ..." in a rank, "fshrun: ..." in a tool.
 * Any thread. The code that first detects a failure reports it, once.
 */
#ifndef FSH_LOG_H
#define FSH_LOG_H

#include <stdbool.h>

/* Sets the first word of each line; default "fshmem". Keeps the pointer. */
void fsh_log_program(const char *name);

/* Sets the rank shown in each line; negative: none. */
void fsh_log_rank(int rank);

/* Prints a line; appends the newline. */
void fsh_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Prints a line and ends the job with code 1, through the hook if there is one,
 * else exit(1). */
_Noreturn void fsh_fatal(const char *fmt, ...)
    __attribute__((format(printf, 1, 2)));

/* The same with the given exit code. */
_Noreturn void fsh_fatal_code(int code, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Sets the hook that fsh_fatal calls after printing; it must not return. reason
 * is the message without its prefix and stays valid. */
void fsh_log_on_fatal(void (*hook)(int code, const char *reason));

/* While `ending` returns true, fsh_fatal prints nothing: the job is already
 * ending and the first failure has been reported. */
void fsh_log_mute_when(bool (*ending)(void));

#endif
