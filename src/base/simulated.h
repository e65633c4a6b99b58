/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Simulated time of this rank, for what tells time or sleeps above and below its
 * conduit, which offers it (conduit.h, fsh_clock_ops). Without it, as in most jobs and
 * in programs that are none, time is the host's.
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
    /* Nanoseconds since time 0. Reading costs, so that who waits for a time gets
     * there. Any thread that may call the library; also from handlers. */
    uint64_t (*now)(void);
    /* The same at no cost, for who looks again when that comes, in a call: until then
     * the rank is not one that can do nothing. */
    uint64_t (*look)(void);
    /* Let so many nanoseconds pass, rounded up to cycles; others run meanwhile. As
     * now. False, and nothing: this process has left simulated time. */
    bool (*spend)(uint64_t ns);
    /* n bytes are about to be stored at dst, made of those at a and, unless it is NULL,
     * at b; a NULL: of no others. What that costs passes first. As now; also with
     * locks held. */
    void (*moving)(void *dst, const void *a, const void *b, size_t n);
    /* What this thread has done since it was last in the conduit was to wait, or has
     * been charged: it is no computing of the program's. Never blocks. */
    void (*waited)(void);
    /* This thread cannot go on before another of its rank has done something: so many
     * nanoseconds pass, and a little time at least, in which that one runs; a little
     * more as rounds of this wait go on. False, and nothing: it takes no part in
     * simulated time, and may sleep. Also with locks held. */
    bool (*yield)(struct fsh_wait *wait, uint64_t ns);
    /* It will block outside the library: others go on. It is back; any call that
     * communicates says so too. In neither: nothing. */
    void (*block)(void);
    void (*unblock)(void);
    /* This thread is the library's: when the rank leaves simulated time, it stops. */
    void (*daemon)(void);
    /* Threads that have taken part, ever. */
    unsigned (*threads)(void);
};

extern _Atomic(const struct fsh_simulated *) fsh_simulated_time;

/* From here on this is the time; kept. Once, on one thread. */
void fsh_simulated_begin(const struct fsh_simulated *time);

/* The simulated time, or NULL: the host's clocks count. */
static inline const struct fsh_simulated *fsh_simulated(void)
{
    /* Acquire: what its functions use. Partner: fsh_simulated_begin. */
    return atomic_load_explicit(&fsh_simulated_time, memory_order_acquire);
}

/* The library is about to move or fold bytes with the processor: see `moving`. */
static inline void fsh_simulated_moving(void *dst, const void *a, const void *b,
                                        size_t n)
{
    const struct fsh_simulated *simulated = fsh_simulated();

    if (__builtin_expect(simulated != NULL, 0))
        simulated->moving(dst, a, b, n);
}

/* And it has done so, which costs no more: see `waited`. */
static inline void fsh_simulated_moved(void)
{
    const struct fsh_simulated *simulated = fsh_simulated();

    if (__builtin_expect(simulated != NULL, 0))
        simulated->waited();
}

/* The library's memcpy of what may be large, or a client's. */
static inline void fsh_simulated_copy(void *dst, const void *src, size_t n)
{
    fsh_simulated_moving(dst, src, NULL, n);
    memcpy(dst, src, n);
    fsh_simulated_moved();
}

#endif
