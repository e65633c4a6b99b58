/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Simulated time of this rank, for what tells time or sleeps above and below its
 * conduit, which offers it (conduit.h, fsh_clock_ops). Without it, as in most jobs and
 * in programs that are none, time is the host's.
 */
#ifndef FSH_SIMULATED_H
#define FSH_SIMULATED_H

#include <stdatomic.h>
#include <stdint.h>

struct fsh_simulated {
    /* Nanoseconds since time 0. Reading costs, so that who waits for a time gets
     * there. Any thread that may call the library; also from handlers. */
    uint64_t (*now)(void);
    /* Let so many nanoseconds pass, rounded up to cycles; others run meanwhile. As
     * now. */
    void (*spend)(uint64_t ns);
    /* What this thread has done since it was last in the conduit was to wait: it
     * is no computing of the program's. Never blocks. */
    void (*waited)(void);
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

#endif
