/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How long the two sides of a hand-over spin for the word that hands over, before they
 * sleep on it. Spins are worth their time if the word changes within what a sleep and
 * its wake-up take, so each sleep teaches: one that was over at once should have been
 * a spin, one that was long was worth it. But where both sides sleep, a sleep is as long
 * as two wake-ups, however short the turn: so now and then all spins are tried, whatever
 * sleeps were like. And on the processor where the other side was last, it gets on only
 * if this one sleeps. One thread a struct.
 */
#ifndef FSH_HANDOVER_H
#define FSH_HANDOVER_H

#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/cpu.h"

/* Looks at the word: 60 to 180 us of them, for longer than a sleeper takes to wake up. */
#define FSH_HANDOVER_MOST 3000u
#define FSH_HANDOVER_LEAST 20u
/* A sleep that is over sooner was not worth it. */
#define FSH_HANDOVER_SLEEP_NS UINT64_C(40000)
/* Long sleeps in a row until the most spins are tried. */
#define FSH_HANDOVER_TRIAL 8u

struct fsh_handover {
    unsigned spins, most;
    unsigned slept; /* long sleeps in a row since the last trial */
    bool trial;     /* the last spins were one */
};

/* That this process may run on. */
static inline unsigned fsh_handover_processors(void)
{
    cpu_set_t set;

    /* More than a set holds: certainly more than one. */
    return sched_getaffinity(0, sizeof set, &set) == 0
               ? (unsigned)CPU_COUNT(&set)
               : 2;
}

/* With one processor whoever spins keeps the other side from handing over. */
static inline void fsh_handover_init(struct fsh_handover *h,
                                     unsigned processors)
{
    h->spins = h->most = processors > 1 ? FSH_HANDOVER_MOST : 0;
    h->slept = 0;
    h->trial = false;
}

/* The processor that this side runs on, said with what it hands over; it may be moved. */
static inline void fsh_handover_say(_Atomic uint32_t *processor)
{
    atomic_store_explicit(processor, (uint32_t)sched_getcpu(),
                          memory_order_relaxed);
}

/* Has the word another value than `before`, or does it get one within the spins?
 * Acquires what was released with it. other: the processor that the other side said. */
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
    if (i == 0) /* it was there: nothing learnt */
        return true;
    if (h->trial)
        h->spins = h->most;
    h->slept = 0;
    return true;
}

/* The spins were in vain, and the sleep then took so long. */
static inline void fsh_handover_slept(struct fsh_handover *h, uint64_t ns)
{
    if (ns < FSH_HANDOVER_SLEEP_NS) {
        h->spins = 2 * h->spins + FSH_HANDOVER_LEAST;
        if (h->spins > h->most)
            h->spins = h->most;
    } else if (h->trial) {
        h->slept = 0; /* it has shown nothing */
    } else {
        h->spins /= 2;
        h->slept++;
    }
}

#endif
