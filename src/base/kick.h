/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The one word that an empty poll reads to know that the library has no steps of
 * its own to take: messages aside, barriers, queued answers, collectives and
 * commands of the compute core go on only because somebody polls. Each of these
 * counts itself in while it has such steps and then is asked by every poll; it
 * keeps a word of its own to say that it is not the one.
 */
#ifndef FSH_KICK_H
#define FSH_KICK_H

#include <stdatomic.h>
#include <stdbool.h>

#include "base/assertion.h"

extern atomic_uint fsh_kicks_active;

/* Does anything ask to be polled? */
static inline bool fsh_kicks_asked(void)
{
    return atomic_load_explicit(&fsh_kicks_active, memory_order_relaxed) != 0;
}

/* Count in or out, from any thread. A hint, which orders nothing: who counts
 * itself in is seen by its own thread's next poll, and by others' soon. */
static inline void fsh_kicks_enter(void)
{
    atomic_fetch_add_explicit(&fsh_kicks_active, 1, memory_order_relaxed);
}

/* Out again: once for each time in. */
static inline void fsh_kicks_leave(void)
{
    FSH_ASSERT(fsh_kicks_asked());
    atomic_fetch_sub_explicit(&fsh_kicks_active, 1, memory_order_relaxed);
}

#endif
