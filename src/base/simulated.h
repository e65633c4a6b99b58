/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Simulated time of this rank, for code above and below the conduit that reads the
 * time or sleeps. The conduit provides it (conduit.h, fsh_clock_ops). Without it, as
 * in most jobs and in programs outside a job, time is the host's.
 */
#ifndef FSH_SIMULATED_H
#define FSH_SIMULATED_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/fsh_spec.h"

#define FSH_NS_PER_CYCLE (1000 / FSH_CLOCK_MHZ)

struct fsh_wait;

struct fsh_simulated {
    /* Nanoseconds since time 0. Reading advances the clock, so that a loop waiting for
     * a point in time terminates. Any thread that may call the library; also from
     * handlers. */
    uint64_t (*now)(void);
    /* The same without advancing the clock, for a call that waits for a point in time: until then the rank does not count as blocked. */
    uint64_t (*look)(void);
    /* Lets ns nanoseconds pass, rounded up to cycles, while others run. Callable as
     * `now`. False without effect if this process has left simulated time. */
    bool (*spend)(uint64_t ns);
    /* Charges for a copy or fold of n bytes to dst from a and, unless NULL, from b; a is NULL for a store without source. Call before the data is moved. Callable
     * as `now`, also with locks held. */
    void (*moving)(void *dst, const void *a, const void *b, size_t n);
    /* Marks what this thread did since it was last in the conduit as waiting, or as
     * already charged, rather than as computation of the program. Never blocks. */
    void (*waited)(void);
    /* Called in a wait for another thread of this rank: lets ns nanoseconds pass, at
     * least a little and more as the rounds of the wait go on, so that the other thread
     * runs. False without effect if this thread does not take part in simulated time
     * and may sleep. Also with locks held. */
    bool (*yield)(struct fsh_wait *wait, uint64_t ns);
    /* block: the thread is about to block outside the library, so others may run. The
     * other ends that, as does any call that communicates. No effect on a thread that
     * does not take part. */
    void (*block)(void);
    void (*unblock)(void);
    /* Marks this thread as the library's: it stops when the rank leaves simulated
     * time. */
    void (*daemon)(void);
    /* The number of threads that have ever taken part. */
    unsigned (*threads)(void);
};

extern _Atomic(const struct fsh_simulated *) fsh_simulated_time;

/* Installs the simulated clock; keeps the pointer. Call once, on one thread. */
void fsh_simulated_begin(const struct fsh_simulated *time);

/* The simulated clock, or NULL: use the host's clocks. */
static inline const struct fsh_simulated *fsh_simulated(void)
{
    /* Acquire: the state behind its functions. Partner: fsh_simulated_begin. */
    return atomic_load_explicit(&fsh_simulated_time, memory_order_acquire);
}

/* The library is about to copy or fold bytes on the processor: see `moving`. */
static inline void fsh_simulated_moving(void *dst, const void *a, const void *b,
                                        size_t n)
{
    const struct fsh_simulated *simulated = fsh_simulated();

    if (__builtin_expect(simulated != NULL, 0))
        simulated->moving(dst, a, b, n);
}

/* The copy is done and has been charged: see `waited`. */
static inline void fsh_simulated_moved(void)
{
    const struct fsh_simulated *simulated = fsh_simulated();

    if (__builtin_expect(simulated != NULL, 0))
        simulated->waited();
}

/* memcpy of possibly large data, of the library or a client. */
static inline void fsh_simulated_copy(void *dst, const void *src, size_t n)
{
    fsh_simulated_moving(dst, src, NULL, n);
    memcpy(dst, src, n);
    fsh_simulated_moved();
}

#endif
