/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Adaptive spinning for the two sides of a hand-over: how long each spins on the
 * shared word before it sleeps on it. A spin pays off if the word changes within the
 * time of a sleep and wake-up, so every sleep adjusts the estimate: a short one
 * should have been a spin, a long one was justified. When both sides sleep, however,
 * every sleep looks as long as two wake-ups however short the turn, so maximal spins
 * are tried now and then regardless. If the other side last ran on the same
 * processor, it cannot proceed until this side sleeps, so there is no spinning. One
 * thread per struct.
 */
#ifndef FSH_HANDOVER_H
#define FSH_HANDOVER_H

#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/cpu.h"

/* Polls of the word: 60 to 180 us, longer than a sleeper takes to wake up. */
#define FSH_HANDOVER_MOST 3000u
#define FSH_HANDOVER_LEAST 20u
/* A sleep shorter than this should have been a spin. */
#define FSH_HANDOVER_SLEEP_NS UINT64_C(40000)
/* Long sleeps in a row before maximal spins are tried. */
#define FSH_HANDOVER_TRIAL 8u

struct fsh_handover {
    unsigned spins, most;
    unsigned slept; /* long sleeps in a row since the last trial */
    bool trial;     /* the last spin was such a trial */
};

/* The number of processors this process may run on. */
static inline unsigned fsh_handover_processors(void)
{
    cpu_set_t set;

    /* More processors than a cpu_set_t holds: certainly more than one. */
    return sched_getaffinity(0, sizeof set, &set) == 0
               ? (unsigned)CPU_COUNT(&set)
               : 2;
}

/* On a single processor a spinner would keep the other side from handing
 * over. */
static inline void fsh_handover_init(struct fsh_handover *h,
                                     unsigned processors)
{
    h->spins = h->most = processors > 1 ? FSH_HANDOVER_MOST : 0;
    h->slept = 0;
    h->trial = false;
}

/* Publishes the processor this side runs on, together with what it hands over. A hint:
 * the thread may migrate. */
static inline void fsh_handover_say(_Atomic uint32_t *processor)
{
    atomic_store_explicit(processor, (uint32_t)sched_getcpu(),
                          memory_order_relaxed);
}

/* Whether the word differs from `before`, or changes within the spins. Acquires what
 * was released with it. other: the processor published by the other side. */
static inline bool fsh_handover_spin(struct fsh_handover *h,
                                     const _Atomic uint32_t *word,
                                     uint32_t before,
                                     const _Atomic uint32_t *other)
{
    bool together = atomic_load_explicit(other, memory_order_relaxed) ==
                    (uint32_t)sched_getcpu();
    unsigned spins, i;

    h->trial = !together && h->slept >= FSH_HANDOVER_TRIAL;
    spins = together ? 0 : h->trial ? h->most : h->spins;
    for (i = 0; atomic_load_explicit(word, memory_order_acquire) == before;
         i++) {
        if (i >= spins)
            return false;
        fsh_cpu_relax();
    }
    if (i == 0) /* immediate: nothing to learn */
        return true;
    if (h->trial)
        h->spins = h->most;
    h->slept = 0;
    return true;
}

/* Call when the spin failed and the sleep then took ns. */
static inline void fsh_handover_slept(struct fsh_handover *h, uint64_t ns)
{
    if (ns < FSH_HANDOVER_SLEEP_NS) {
        h->spins = 2 * h->spins + FSH_HANDOVER_LEAST;
        if (h->spins > h->most)
            h->spins = h->most;
    } else if (h->trial) {
        h->slept = 0; /* inconclusive */
    } else {
        h->spins /= 2;
        h->slept++;
    }
}

#endif
