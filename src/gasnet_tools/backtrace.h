/* SPDX-License-Identifier: BSD-3-Clause */
/* GASNET_BACKTRACE: backtraces of failures and crashes. */
#ifndef FSH_GASNET_TOOLS_BACKTRACE_H
#define FSH_GASNET_TOOLS_BACKTRACE_H

/* Enables backtraces of the failing thread, and catches crash signals to print
 * one, unless the client handles them or `signals` is 0. Call before other
 * threads exist. */
void fsh_backtrace_init(int signals);

/* Prints a backtrace of this thread to stderr if enabled, only once: a crash
 * that follows does not print again. Any thread, also from a crash handler. */
void fsh_backtrace_print(void);

#endif
