/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How long the waits of this process spin before they yield the processor: one
 * estimate for all. Spinning is wasteful exactly when another thread wants this
 * processor, perhaps the very rank being waited for, and the duration of sched_yield
 * reveals that: without contention it returns at once. So a yield that took long
 * drops the spins to the minimum, and each quick one lets them grow back; no probing
 * is needed. If a yield lost a whole time slice, to a program that does not yield
 * itself, waits sleep instead for a while, since a woken thread gets the processor
 * back early. Any thread; the threads of a process share the estimate.
 */
#ifndef FSH_SPIN_H
#define FSH_SPIN_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Failed polls before a yield: about 20 us, and less than the cost of two
 * yields. */
#define FSH_SPINS_MOST 1000u
#define FSH_SPINS_LEAST 40u
/* Failed polls before a sleep that replaces a yield: covers most replies from a peer
 * that is running. */
#define FSH_SPINS_SHORT (4 * FSH_SPINS_LEAST)

/* Consecutive empty polls after which a program's own polling (gasnet_AMPoll, try_sync)
 * yields: many, since it may compute in between; few under contention. */
#define FSH_PATIENCE_MOST 2048u
#define FSH_PATIENCE_LEAST 16u

struct fsh_spin {
    atomic_uint polls;    /* FSH_SPINS_LEAST .. most */
    atomic_uint patience; /* FSH_PATIENCE_*, derived from polls */
    atomic_uint most;
    atomic_uint greedy_ns; /* a yield this long lost a time slice */
    atomic_uint lost; /* grows with lost slices, shrinks with other yields */
    _Atomic uint64_t no_yield_until; /* ns; 0: yields are allowed */
};
extern struct fsh_spin fsh_spin;

/* Call before the first wait, with the job's ranks and the processors they may
 * use. If oversubscribed, spins stay at the minimum. */
void fsh_spin_init(unsigned ranks, unsigned processors);

/* The number of polls that a wait may spin now. */
static inline unsigned fsh_spins(void)
{
    return atomic_load_explicit(&fsh_spin.polls, memory_order_relaxed);
}

/* Whether others want this processor. */
static inline bool fsh_spin_contended(void)
{
    return fsh_spins() <= FSH_SPINS_SHORT;
}

/* The current limit on empty polls. Computed when `polls` changes rather than here,
 * since an empty poll takes only a few nanoseconds. */
static inline unsigned fsh_spin_patience(void)
{
    return atomic_load_explicit(&fsh_spin.patience, memory_order_relaxed);
}

/* Whether the job is oversubscribed: more ranks than processors. */
static inline bool fsh_spin_crowded(void)
{
    return atomic_load_explicit(&fsh_spin.most, memory_order_relaxed) <=
           FSH_SPINS_LEAST;
}

/* Whether a yield is expected to lose a time slice. If so, sleep, provided
 * something wakes the sleeper. */
bool fsh_spin_greedy(void);

/* Yields the processor and updates the estimate. Where that would lose a time
 * slice, sleeps for an instant instead. */
void fsh_spin_yield(void);

/* Updates the estimate for a yield that took ns and ended at `now`. For fsh_spin_yield,
 * and tests of it. */
void fsh_spin_learn(uint64_t ns, uint64_t now);

#endif
