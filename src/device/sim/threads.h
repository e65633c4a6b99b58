/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The threads of a rank in simulated time, of which one runs at a time. The rank has
 * the turn (turn.h), and a thread has the rank's turn from its first call here on,
 * except while it waits in fsh_threads_next or has declared that it blocks elsewhere.
 * Next is the thread that is due first, and among equals the one with the lowest
 * number; threads are numbered in the order of their first calls. If all threads
 * block elsewhere, none runs and time stands still until one returns or a new one
 * comes. One device per process.
 *
 * The rank reports since when all its threads have only waited for others
 * (fsh_sim_turn.idle): each has looked again since any of them last did something,
 * and none blocks elsewhere, where its actions would be unknown.
 */
#ifndef FSH_SIM_THREADS_H
#define FSH_SIM_THREADS_H

#include <stdbool.h>
#include <stdint.h>

#include "device/sim/turn.h"

/* Starts: this thread, number 0, has the turn. activity: the counter that ends waits
 * for it. several: further threads may come. */
void fsh_threads_begin(struct fsh_turn *turn, const _Atomic uint32_t *activity,
                       bool several);
/* Ends turns: all waiting threads run freely, except daemons, which wait for ever.
 * Called by a running thread. */
void fsh_threads_end(void);
/* Marks this thread as a daemon. */
void fsh_threads_daemon(void);

/* Returns when this thread has the turn; it may be new, or have been
 * blocked. */
void fsh_threads_enter(void);
/* This (running) thread is next due at cycle `until` or, with FSH_SIM_WAKE_ACTIVITY, as
 * soon as activity differs from `seen`. Others run meanwhile. */
void fsh_threads_next(uint32_t wakes, uint32_t seen, uint64_t until);
/* Whether this is a signal handler that interrupted one of these calls on this thread.
 * Then only the next function may be called. */
bool fsh_threads_inside(void);
/* fsh_threads_next for such a handler, which must never return to the interrupted call.
 * False: not possible. */
bool fsh_threads_again(uint32_t wakes, uint32_t seen, uint64_t until);
/* act: this (running) thread does something that others may see. look: until its next
 * act it only checks whether others have done something. */
void fsh_threads_act(void);
void fsh_threads_look(void);
/* Whether this thread has the turn. */
bool fsh_threads_running(void);
/* This thread, if it has the turn, will block elsewhere or end. Does not
 * wait. */
void fsh_threads_block(void);
/* The number of threads that have ever taken part. */
unsigned fsh_threads_count(void);
/* Call in the child of a fork: excludes it from all this. */
void fsh_threads_forked(void);

#endif
