/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Futexes on words that several processes share. The caller owns the protocol:
 * publish, full fence, look for sleepers on one side; announce the sleep, full
 * fence, recheck, wait on the other. Any thread; async-signal-safe.
 */
#ifndef FSH_FUTEX_H
#define FSH_FUTEX_H

#include <stdint.h>

/* Sleep while the 32-bit word at addr equals expected, at most timeout_ns (0:
 * no limit). Returns 0 when woken, -EAGAIN if the word had another value,
 * -ETIMEDOUT, or -EINTR. Wake-ups may be spurious. */
int fsh_futex_wait(const void *addr, uint32_t expected, uint64_t timeout_ns);

/* Wake at most n sleepers (INT_MAX: all). */
void fsh_futex_wake(const void *addr, int n);

#endif
