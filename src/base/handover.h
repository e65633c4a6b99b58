/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How long the two sides of a hand-over spin for the word that hands over, before they
 * sleep on it. Spins are worth their time if the word changes within what a sleep and
 * its wake-up take, so each sleep teaches: one that was over at once should have been
 * a spin, one that was long was worth it. One thread a struct.
 */
#ifndef FSH_HANDOVER_H
#define FSH_HANDOVER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/cpu.h"

/* Looks at the word: 20 to 60 us of them. */
#define FSH_HANDOVER_MOST 1000u
#define FSH_HANDOVER_LEAST 20u
/* A sleep that is over sooner was not worth it. */
#define FSH_HANDOVER_SLEEP_NS UINT64_C(40000)

struct fsh_handover {
    unsigned spins, most;
};

/* With one processor whoever spins keeps the other side from handing over. */
static inline void fsh_handover_init(struct fsh_handover *h,
                                     unsigned processors)
{
    h->spins = h->most = processors > 1 ? FSH_HANDOVER_MOST : 0;
}

/* Has the word another value than `before`, or does it get one within the spins?
 * Acquires what was released with it. */
static inline bool fsh_handover_spin(const struct fsh_handover *h,
                                     const _Atomic uint32_t *word,
                                     uint32_t before)
{
    for (unsigned i = 0;
         atomic_load_explicit(word, memory_order_acquire) == before; i++) {
        if (i >= h->spins)
            return false;
        fsh_cpu_relax();
    }
    return true;
}

/* The spins were in vain, and the sleep then took so long. */
static inline void fsh_handover_slept(struct fsh_handover *h, uint64_t ns)
{
    if (ns >= FSH_HANDOVER_SLEEP_NS)
        h->spins /= 2;
    else
        h->spins = 2 * h->spins + FSH_HANDOVER_LEAST;
    if (h->spins > h->most)
        h->spins = h->most;
}

#endif
