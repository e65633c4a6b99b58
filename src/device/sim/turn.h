/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A rank's side of simulated time (fsh_sim_turn): it has the turn from begin
 * on, except in the calls here, which give it back and wait for the next. One
 * thread at a time. They return with the fabric at the cycle asked for, or never, if
 * the job ends.
 */
#ifndef FSH_SIM_TURN_H
#define FSH_SIM_TURN_H

#include <stdbool.h>
#include <stdint.h>

#include "device/sim/sim_shm.h"

struct fsh_turn {
    struct fsh_sim_turn *shared;
    uint64_t now;        /* cycle */
    uint32_t given;      /* turns had, ever */
    bool on;             /* between begin and end */
    volatile bool waits; /* in fsh_turn_next, which a signal may interrupt */
};

/* All ranks have come: cycle 0. The caller has told the simulator of this rank
 * (clocks), and may have to wake it. */
void fsh_turn_begin(struct fsh_turn *turn, struct fsh_sim_turn *shared);
/* The next turn: at cycle `until`, or sooner by `wakes` (FSH_SIM_WAKE_). seen: the
 * activity that is known. */
void fsh_turn_next(struct fsh_turn *turn, uint32_t wakes, uint32_t seen,
                   uint64_t until);
/* No more turns. */
void fsh_turn_end(struct fsh_turn *turn);

#endif
