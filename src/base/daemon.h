/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Threads of the library beside the client's: no signal of the client's runs on
 * them, and nobody waits for their end: the process takes them along.
 */
#ifndef FSH_DAEMON_H
#define FSH_DAEMON_H

#include <stdbool.h>
#include <stddef.h>

/* Start one, with a stack of so many bytes (0: the usual). Returns 0 or an
 * errno. */
int fsh_daemon_start(void *(*body)(void *), void *arg, size_t stack);

/* Has this process other threads than these, which have been started, and so many of
 * the client's? True if that cannot be told (there is no /proc). Async-signal-safe. */
bool fsh_daemon_strangers(unsigned clients);

#endif
