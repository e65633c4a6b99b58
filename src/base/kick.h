/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counts the protocols that need polls to make progress (barriers, queued replies,
 * collectives, compute commands). Each counts itself in while it has work, so an
 * empty poll reads one word; if it is not 0, the poll calls every protocol, each of
 * which first tests its own flag.
 */
#ifndef FSH_KICK_H
#define FSH_KICK_H

#include <stdatomic.h>
#include <stdbool.h>

#include "base/assertion.h"

extern atomic_uint fsh_kicks_active;

/* Whether any protocol needs polls. */
static inline bool fsh_kicks_asked(void)
{
    return atomic_load_explicit(&fsh_kicks_active, memory_order_relaxed) != 0;
}

/* Counts a protocol in. Any thread. Relaxed, since it is only a hint: this thread's
 * next poll sees it, those of other threads do soon. */
static inline void fsh_kicks_enter(void)
{
    atomic_fetch_add_explicit(&fsh_kicks_active, 1, memory_order_relaxed);
}

/* Counts a protocol out, once per time it was counted in. Any thread. */
static inline void fsh_kicks_leave(void)
{
    FSH_ASSERT(fsh_kicks_asked());
    atomic_fetch_sub_explicit(&fsh_kicks_active, 1, memory_order_relaxed);
}

#endif
