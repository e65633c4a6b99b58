/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fences paid by one side only. Where one side of a store-load handshake is on
 * every fast path and the other is rare, the fast side keeps its order for the
 * compiler alone (fsh_light_fence) and the rare side makes every processor pass
 * a full fence (fsh_heavy_fence), a system call. Both are full fences to each
 * other. Where the kernel offers none, the fast side has to fence itself.
 *
 * Within one process that is exact. Between processes it holds but for one case:
 * a processor that went idle from a process before that process announced itself,
 * and then ran nothing else, is passed over by the kernel when the process comes
 * back to it. So whoever waits for another process looks again in bounded time,
 * as stores leave a processor by themselves at once.
 */
#ifndef FSH_MEMBARRIER_H
#define FSH_MEMBARRIER_H

#include <stdatomic.h>
#include <stdbool.h>

/* Announce this process; before its first light fence. Returns whether heavy
 * fences work; if not, they are ordinary fences. Any thread, idempotent. */
bool fsh_heavy_fence_init(void);

/* Every running thread of this process (local), of all announced processes, passes
 * a full fence before this returns. Not for fast paths. Any thread. */
void fsh_heavy_fence_local(void);
void fsh_heavy_fence(void);

/* Of the fast side: orders for the compiler alone. Partner: a heavy fence. */
static inline void fsh_light_fence(void)
{
    atomic_signal_fence(memory_order_seq_cst);
}

#endif
