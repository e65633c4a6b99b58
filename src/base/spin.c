/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Adaptive spin lengths; see spin.h. The estimate is a hint: concurrent updates may
 * overwrite each other.
 */
#include "base/spin.h"

#include <sched.h>
#include <time.h>

#include "base/cpu.h"

/* A yield with no other runnable thread takes 0.3 to 1 us (a system call); one
 * that switches takes two context switches plus the other's work, 2.4 us or
 * more. */
#define SHORT_NS 1500u
/* A yield that takes this long has lost a time slice: waiting ranks never hold
 * the processor that long. TURN_NS is added for the turn of each rank. */
#define GREEDY_NS 1000000u
#define TURN_NS 10000u
/* Spins grow back quickly, since a wait for a running peer loses more by a
 * yield than by the spins it saves. */
#define GROWTH 8u
/* When oversubscribed only lost slices matter, so one yield in this many is
 * timed. */
#define SAMPLE 8u
/* After a yield that lost a slice, avoid yields for ABSTAIN times as long. Each further
 * loss doubles that, up to DOUBLINGS times, so that less than a hundredth of the time
 * is lost in the end; FORGIVE yields without a loss undo one doubling. */
#define ABSTAIN 4u
#define DOUBLINGS 5u
#define FORGIVE 16u

struct fsh_spin fsh_spin = {
    .polls = FSH_SPINS_MOST,
    .patience = FSH_PATIENCE_MOST,
    .most = FSH_SPINS_MOST,
    .greedy_ns = GREEDY_NS,
};

static void set_polls(unsigned polls)
{
    atomic_store_explicit(&fsh_spin.polls, polls, memory_order_relaxed);
    atomic_store_explicit(&fsh_spin.patience,
                          fsh_spin_contended() ? FSH_PATIENCE_LEAST
                                               : FSH_PATIENCE_MOST,
                          memory_order_relaxed);
}

void fsh_spin_init(unsigned ranks, unsigned processors)
{
    unsigned most = ranks > processors ? FSH_SPINS_LEAST : FSH_SPINS_MOST;

    atomic_store_explicit(&fsh_spin.most, most, memory_order_relaxed);
    set_polls(most);
    atomic_store_explicit(&fsh_spin.greedy_ns, GREEDY_NS + ranks * TURN_NS,
                          memory_order_relaxed);
    atomic_store_explicit(&fsh_spin.no_yield_until, 0, memory_order_relaxed);
    atomic_store_explicit(&fsh_spin.lost, 0, memory_order_relaxed);
}

/* Whether the yield lost a time slice. */
static bool learn_greed(uint64_t ns, uint64_t now)
{
    unsigned lost = atomic_load_explicit(&fsh_spin.lost, memory_order_relaxed);
    bool greedy =
        ns >= atomic_load_explicit(&fsh_spin.greedy_ns, memory_order_relaxed);

    if (greedy) {
        atomic_store_explicit(&fsh_spin.no_yield_until,
                              now + (ns * ABSTAIN << lost / FORGIVE),
                              memory_order_relaxed);
        if (lost / FORGIVE < DOUBLINGS)
            lost += FORGIVE;
    } else if (lost > 0) {
        lost--;
    }
    atomic_store_explicit(&fsh_spin.lost, lost, memory_order_relaxed);
    return greedy;
}

void fsh_spin_learn(uint64_t ns, uint64_t now)
{
    unsigned most = atomic_load_explicit(&fsh_spin.most, memory_order_relaxed);
    unsigned polls = FSH_SPINS_LEAST;

    if (learn_greed(ns, now))
        polls = FSH_SPINS_SHORT;
    else if (ns < SHORT_NS)
        polls = fsh_spins() * GROWTH;
    set_polls(polls < most ? polls : most);
}

FSH_HOT bool fsh_spin_greedy(void)
{
    uint64_t until =
        atomic_load_explicit(&fsh_spin.no_yield_until, memory_order_relaxed);

    if (__builtin_expect(until == 0, 1))
        return false;
    if (fsh_time_ns() < until)
        return true;
    atomic_store_explicit(&fsh_spin.no_yield_until, 0, memory_order_relaxed);
    return false;
}

FSH_HOT static void timed_yield(void)
{
    uint64_t start = fsh_time_ns(), now;

    sched_yield();
    now = fsh_time_ns();
    fsh_spin_learn(now - start, now);
}

FSH_HOT void fsh_spin_yield(void)
{
    static _Thread_local unsigned yields;
    const struct timespec instant = {0, 1};

    if (fsh_spin_greedy())
        nanosleep(&instant, NULL);
    else if (atomic_load_explicit(&fsh_spin.most, memory_order_relaxed) >
                 FSH_SPINS_LEAST ||
             atomic_load_explicit(&fsh_spin.lost, memory_order_relaxed) != 0 ||
             ++yields % SAMPLE == 0)
        timed_yield();
    else
        sched_yield();
}
