/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The length of spins; see spin.h. The estimate is a hint: threads that update it
 * at once may overwrite each other's step.
 */
#include "base/spin.h"

#include <sched.h>
#include <time.h>

#include "base/cpu.h"

/* A yield to nobody takes 0.3 to 1 us (a system call); one to somebody two
 * switches and what that one does, 2.4 us or more. */
#define SHORT_NS 1500u
/* No rank that waits keeps the processor so long, but each may have a turn of
 * up to so long. */
#define GREEDY_NS 1000000u
#define TURN_NS 10000u
/* Where yields hand the processor on, one of so many is timed. */
#define SAMPLE 16u
/* After a yield that lost a slice, none for so many times as long: less than a
 * hundredth is lost so. */
#define ABSTAIN 100u

struct fsh_spin fsh_spin = {
    .polls = FSH_SPINS_MOST, .most = FSH_SPINS_MOST, .greedy_ns = GREEDY_NS};

void fsh_spin_init(unsigned ranks, unsigned processors)
{
    unsigned most = ranks > processors ? FSH_SPINS_LEAST : FSH_SPINS_MOST;

    atomic_store_explicit(&fsh_spin.most, most, memory_order_relaxed);
    atomic_store_explicit(&fsh_spin.polls, most, memory_order_relaxed);
    atomic_store_explicit(&fsh_spin.greedy_ns, GREEDY_NS + ranks * TURN_NS,
                          memory_order_relaxed);
    atomic_store_explicit(&fsh_spin.no_yield_until, 0, memory_order_relaxed);
}

void fsh_spin_learn(uint64_t ns, uint64_t now)
{
    unsigned polls = fsh_spins();
    unsigned most = atomic_load_explicit(&fsh_spin.most, memory_order_relaxed);

    if (ns < SHORT_NS)
        polls = polls * 2 < most ? polls * 2 : most;
    else
        polls = FSH_SPINS_LEAST;
    atomic_store_explicit(&fsh_spin.polls, polls, memory_order_relaxed);
    if (ns >= atomic_load_explicit(&fsh_spin.greedy_ns, memory_order_relaxed))
        atomic_store_explicit(&fsh_spin.no_yield_until, now + ABSTAIN * ns,
                              memory_order_relaxed);
}

bool fsh_spin_greedy(void)
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

static void timed_yield(void)
{
    uint64_t start = fsh_time_ns(), now;

    sched_yield();
    now = fsh_time_ns();
    fsh_spin_learn(now - start, now);
}

void fsh_spin_yield(void)
{
    static _Thread_local unsigned yields;
    const struct timespec instant = {0, 1};

    if (fsh_spin_greedy())
        nanosleep(&instant, NULL);
    else if (fsh_spin_contended() && ++yields % SAMPLE != 0)
        sched_yield();
    else
        timed_yield();
}

void fsh_spin_step(unsigned n, unsigned limit)
{
    if (n < limit && n < fsh_spins())
        fsh_cpu_relax();
    else
        fsh_spin_yield();
}
