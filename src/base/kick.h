/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How many of the library's protocols have work for a poll: barriers, queued answers,
 * collectives and commands of the compute core make progress only in polls. Each
 * protocol counts itself in while it has work. So an empty poll reads one word; if it
 * is not 0, the poll calls every protocol, and each checks a flag of its own first.
 */
#ifndef FSH_KICK_H
#define FSH_KICK_H

#include <stdatomic.h>
#include <stdbool.h>

#include "base/assertion.h"

extern atomic_uint fsh_kicks_active;

/* Has any protocol work for a poll? */
static inline bool fsh_kicks_asked(void)
{
    return atomic_load_explicit(&fsh_kicks_active, memory_order_relaxed) != 0;
}

/* Count a protocol in; any thread. Relaxed, since it is only a hint: the thread's own
 * next poll sees it, polls of other threads see it soon. */
static inline void fsh_kicks_enter(void)
{
    atomic_fetch_add_explicit(&fsh_kicks_active, 1, memory_order_relaxed);
}

/* Count it out again, once for each time it was counted in. Any thread. */
static inline void fsh_kicks_leave(void)
{
    FSH_ASSERT(fsh_kicks_asked());
    atomic_fetch_sub_explicit(&fsh_kicks_active, 1, memory_order_relaxed);
}

#endif
