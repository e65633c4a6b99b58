/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Background threads of the library. They never run the client's signal
 * handlers and are never joined: they end with the process.
 */
#ifndef FSH_DAEMON_H
#define FSH_DAEMON_H

#include <stdbool.h>
#include <stddef.h>

/* Starts one with the given stack size in bytes (0: default). Returns 0 or an
 * errno. */
int fsh_daemon_start(void *(*body)(void *), void *arg, size_t stack);

/* Whether the process has threads besides these and `clients` threads of the client.
 * True if unknown (no /proc). Async-signal-safe. */
bool fsh_daemon_strangers(unsigned clients);

#endif
