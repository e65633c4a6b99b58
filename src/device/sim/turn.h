/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A rank's side of simulated time (fsh_sim_turn): it has the turn from begin
 * on, except in the calls here, which give it back and wait for the next. One
 * thread at a time. They return with the fabric at the cycle asked for, or never, if
 * the job ends. Up to the horizon nothing happens that this rank could see, and
 * nobody is there to see what it does: its clock goes on without the simulator.
 */
#ifndef FSH_SIM_TURN_H
#define FSH_SIM_TURN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/handover.h"
#include "device/sim/sim_shm.h"

struct fsh_turn {
    struct fsh_sim_turn *shared;
    uint64_t now;     /* cycle */
    uint64_t horizon; /* the last cycle that it may go on to by itself */
    uint64_t idle;    /* as in fsh_sim_turn, ... */
    bool stuck;     /* ... both for the next time that the turn is given back */
    uint32_t given; /* turns had, ever */
    /* Is it as `idle` says? Then what the threads wait for (fsh_sim_turn). */
    bool (*answer)(char *text, size_t len);
    /* Waits for time, which may be short, and for events. */
    struct fsh_handover for_time, for_event;
    bool on; /* between begin and end */
};

/* All ranks have come: cycle 0. The caller has told the simulator of this rank
 * (clocks), and may have to wake it. */
void fsh_turn_begin(struct fsh_turn *turn, struct fsh_sim_turn *shared);
/* What this rank has asked of the fabric shows after so many cycles at the earliest:
 * the horizon comes nearer. */
void fsh_turn_acted(struct fsh_turn *turn, uint64_t cycles);
/* The next turn: at cycle `until`, or sooner by `wakes` (FSH_SIM_WAKE_). seen: the
 * activity that is known, which is the present one. */
void fsh_turn_next(struct fsh_turn *turn, uint32_t wakes, uint32_t seen,
                   uint64_t until);
/* The same in a signal handler that has interrupted any call here, and will not return:
 * it may have given the turn back. Sooner than `until` is possible. */
void fsh_turn_again(struct fsh_turn *turn, uint32_t wakes, uint32_t seen,
                    uint64_t until);
/* No more turns. Also in such a handler, or beside a thread that waits for the next
 * turn, which will not come. */
void fsh_turn_end(struct fsh_turn *turn);

#endif
