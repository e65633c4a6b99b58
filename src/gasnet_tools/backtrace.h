/* SPDX-License-Identifier: BSD-3-Clause */
/* GASNET_BACKTRACE: where a process was when it failed or crashed. */
#ifndef FSH_GASNET_TOOLS_BACKTRACE_H
#define FSH_GASNET_TOOLS_BACKTRACE_H

/* From now on print the calls of the thread that fails, and catch the signals
 * of a crash to do the same, unless the client has handlers for them or
 * `signals` is 0. Called before other threads exist. */
void fsh_backtrace_init(int signals);

/* Print the calls of this thread to stderr, if that is asked for, once: a crash
 * that follows does not print again. Any thread, also from the handler of a
 * crash. */
void fsh_backtrace_print(void);

#endif
