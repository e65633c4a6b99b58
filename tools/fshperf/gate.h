/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A barrier of processes in shared memory that reports when it opened: the start of a
 * collective's measurement, which ends with the last rank's return. It runs no
 * library code, and ranks with a processor each leave it at the same time. For
 * fshperf coll and, so that others are measured alike, bench/peer.c; plain C11.
 */
#ifndef FSHPERF_GATE_H
#define FSHPERF_GATE_H

#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* Time for all to see that it is open. */
#define GATE_NS 1000u

/* Initially zero. */
struct gate {
    _Alignas(64) atomic_uint arrived; /* total arrivals; written by all ranks */
    _Alignas(64) atomic_uint opened;  /* total; the last to arrive writes */
    uint64_t at;                      /* of opening, before `opened` */
};

/* ns, the same on all ranks. */
static inline uint64_t gate_now(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (uint64_t)ts.tv_sec * UINT64_C(1000000000) + (uint64_t)ts.tv_nsec;
}

/* Called by the last to arrive. */
static inline void gate_open(struct gate *gate, unsigned time, bool crowded)
{
    gate->at = gate_now() + (crowded ? 0 : GATE_NS);
    /* Partner: the acquire in gate_pass. */
    atomic_store_explicit(&gate->opened, time, memory_order_release);
}

/* Called by all ranks; *times counts this rank's passes. crowded: oversubscribed.
 * Returns the time of opening in ns, the same on all. */
static inline uint64_t gate_pass(struct gate *gate, unsigned ranks,
                                 bool crowded, unsigned *times)
{
    unsigned time = ++*times;

    if (atomic_fetch_add(&gate->arrived, 1) + 1 == time * ranks) {
        gate_open(gate, time, crowded);
    }
    /* Partner: the release in gate_open. */
    while (atomic_load_explicit(&gate->opened, memory_order_acquire) != time) {
        if (crowded) {
            sched_yield();
        }
    }
    while (gate_now() < gate->at) {}
    return gate->at;
}

#endif
