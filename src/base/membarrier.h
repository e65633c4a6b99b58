/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Asymmetric fences, for a store-load handshake in which one side is on every fast
 * path and the other is rare. The fast side uses a compiler barrier
 * (fsh_light_fence); the rare side makes every processor execute a full fence
 * (fsh_heavy_fence), a system call. Each acts as a full fence towards the other.
 * Where the kernel lacks the call, the fast side must use a real fence.
 *
 * Within one process this is exact. Between processes there is one exception: if a
 * processor went idle from a process before that process registered, and then ran
 * nothing else, the kernel skips it when the process resumes there. Waiting for
 * another process therefore includes rechecking in bounded time, as stores leave the
 * processor's store buffer on their own.
 */
#ifndef FSH_MEMBARRIER_H
#define FSH_MEMBARRIER_H

#include <stdatomic.h>
#include <stdbool.h>

/* Registers this process; call before its first light fence. Returns whether
 * heavy fences work; if not, they are ordinary fences. Any thread,
 * idempotent. */
bool fsh_heavy_fence_init(void);

/* Returns after every running thread of this process (local), or of all registered
 * processes, has executed a full fence. Not for fast paths. Any thread. */
void fsh_heavy_fence_local(void);
void fsh_heavy_fence(void);

/* The fast side: a compiler barrier. Partner: a heavy fence. */
static inline void fsh_light_fence(void)
{
    atomic_signal_fence(memory_order_seq_cst);
}

#endif
