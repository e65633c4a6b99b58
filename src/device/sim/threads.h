/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The threads of a rank in simulated time. One of them runs at a time: the rank has the
 * turn (turn.h), and a thread has the rank's turn from its first call here on, except
 * while it waits in fsh_threads_next or has said that it blocks elsewhere. The next
 * one is who goes on soonest; of those that go on at one cycle the one with the least
 * number. Numbers are given in the order of first calls. If all that there are block
 * elsewhere, nobody runs and time stands still until one comes back, or a new one
 * comes. One device a process.
 *
 * The rank says of itself since when all its threads have only looked for what others
 * do (fsh_sim_turn.idle): each has looked again since any last did something, and none
 * blocks elsewhere, where nobody knows what it will do.
 */
#ifndef FSH_SIM_THREADS_H
#define FSH_SIM_THREADS_H

#include <stdbool.h>
#include <stdint.h>

#include "device/sim/turn.h"

/* This thread, number 0, has the turn, which has begun. activity: the count that ends
 * waits for it. several: threads that are not known yet may come. */
void fsh_threads_begin(struct fsh_turn *turn, const _Atomic uint32_t *activity,
                       bool several);
/* No more turns: all that wait go on freely, but daemons, which wait for ever. By a
 * thread that runs. */
void fsh_threads_end(void);
/* This thread is one. */
void fsh_threads_daemon(void);

/* This thread runs on return: it may be new, or have blocked. */
void fsh_threads_enter(void);
/* This thread, which runs, goes on at cycle `until`, or with FSH_SIM_WAKE_ACTIVITY as
 * soon as activity is not `seen`. Others run meanwhile. */
void fsh_threads_next(uint32_t wakes, uint32_t seen, uint64_t until);
/* In a signal handler that has interrupted this thread in one of these calls? Then only
 * the next one may be called. */
bool fsh_threads_inside(void);
/* fsh_threads_next for that handler, which will never return: false if it cannot be. */
bool fsh_threads_again(uint32_t wakes, uint32_t seen, uint64_t until);
/* This thread, which runs, does something that others may see; or it looks from here
 * on, until it does, whether others have done something. */
void fsh_threads_act(void);
void fsh_threads_look(void);
/* Does this thread run? */
bool fsh_threads_running(void);
/* This thread, if it runs, will block elsewhere, or end. Does not wait. */
void fsh_threads_block(void);
/* How many have come, ever. */
unsigned fsh_threads_count(void);
/* In the child of a fork: it has no part in this. */
void fsh_threads_forked(void);

#endif
