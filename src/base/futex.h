/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Futexes on words shared between processes. The caller implements the
 * protocol: one side publishes, executes a full fence and checks for sleepers;
 * the other announces its sleep, executes a full fence, rechecks and waits. Any
 * thread; async-signal-safe.
 */
#ifndef FSH_FUTEX_H
#define FSH_FUTEX_H

#include <stdint.h>

/* Sleeps while the 32-bit word at addr equals expected, for at most timeout_ns
 * (0: no limit). Returns 0 when woken, -EAGAIN if the word differed,
 * -ETIMEDOUT, or -EINTR. Wake-ups may be spurious. */
int fsh_futex_wait(const void *addr, uint32_t expected, uint64_t timeout_ns);

/* Wakes at most n sleepers (INT_MAX: all). */
void fsh_futex_wake(const void *addr, int n);

#endif
