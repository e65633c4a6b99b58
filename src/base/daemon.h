/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Threads of the library beside the client's: no signal of the client's runs on
 * them, and nobody waits for their end: the process takes them along.
 */
#ifndef FSH_DAEMON_H
#define FSH_DAEMON_H

#include <stddef.h>

/* Start one, with a stack of so many bytes (0: the usual). Returns 0 or an
 * errno. */
int fsh_daemon_start(void *(*body)(void *), void *arg, size_t stack);

#endif
