/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How long the waits of this process spin before they offer the processor, one
 * estimate for all of them. Spinning is a waste when, and only when, somebody
 * else wants this processor, perhaps the very rank that is waited for; and how
 * long a sched_yield takes tells: one that has given the processor to nobody is
 * back at once. So spins shrink to the least at the first yield that took long,
 * and grow back with each that did not; nobody has to probe. Where a yield lost the
 * processor for a whole time slice, to a program that does not yield itself,
 * waits sleep instead for a while: who wakes gets the processor back early.
 * Any thread; what the threads of a process find out about their processors
 * goes into the one estimate.
 */
#ifndef FSH_SPIN_H
#define FSH_SPIN_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Polls in vain before the processor is offered: about 20 us of them, and less
 * than two of them take. */
#define FSH_SPINS_MOST 1000u
#define FSH_SPINS_LEAST 40u
/* Before a sleep instead of a yield: as long as most answers from a peer take that
 * has a processor. */
#define FSH_SPINS_SHORT (4 * FSH_SPINS_LEAST)

/* Empty polls in a row after which a program that polls by itself (gasnet_AMPoll, a
 * try_sync) offers the processor: many, since it may compute between them; few where
 * others want the processor. */
#define FSH_PATIENCE_MOST 2048u
#define FSH_PATIENCE_LEAST 16u

struct fsh_spin {
    atomic_uint polls;    /* FSH_SPINS_LEAST .. most */
    atomic_uint patience; /* FSH_PATIENCE_, by polls */
    atomic_uint most;
    atomic_uint greedy_ns; /* a yield that takes so long lost a slice */
    atomic_uint lost; /* grows with slices lost, shrinks with other yields */
    _Atomic uint64_t no_yield_until; /* ns; 0: yields may be tried */
};
extern struct fsh_spin fsh_spin;

/* Before the first wait: the job's ranks, and the processors they may use. With
 * fewer of these spins stay the least. */
void fsh_spin_init(unsigned ranks, unsigned processors);

/* Polls that a wait may spin now. */
static inline unsigned fsh_spins(void)
{
    return atomic_load_explicit(&fsh_spin.polls, memory_order_relaxed);
}

/* Is this processor wanted by others? */
static inline bool fsh_spin_contended(void)
{
    return fsh_spins() <= FSH_SPINS_SHORT;
}

/* That number now. Computed when `polls` changes, not here: an empty poll takes only
 * some nanoseconds. */
static inline unsigned fsh_spin_patience(void)
{
    return atomic_load_explicit(&fsh_spin.patience, memory_order_relaxed);
}

/* Has the job more ranks than processors? */
static inline bool fsh_spin_crowded(void)
{
    return atomic_load_explicit(&fsh_spin.most, memory_order_relaxed) <=
           FSH_SPINS_LEAST;
}

/* Is a yield known to lose a time slice? Then sleep, if something wakes. */
bool fsh_spin_greedy(void);

/* Offer the processor, and learn. Where that would lose a time slice, sleep for
 * an instant. */
void fsh_spin_yield(void);

/* A yield has taken so many ns, to the time `now`. For fsh_spin_yield, and tests
 * of it. */
void fsh_spin_learn(uint64_t ns, uint64_t now);

#endif
