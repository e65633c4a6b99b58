/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A rank's side of simulated time (fsh_sim_turn). The rank has the turn from begin
 * on, except inside the calls here, which give it back and wait for the next one. One
 * thread at a time. They return with the fabric at the requested cycle, or never if
 * the job ends. Up to the horizon nothing happens that this rank could see, and no
 * other rank runs that could see its actions, so its clock advances without the
 * simulator.
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
    uint64_t horizon; /* the last cycle it may advance to by itself */
    uint64_t idle;    /* as in fsh_sim_turn, ... */
    bool stuck;       /* ... both for when the turn is next given back */
    uint32_t given;   /* total turns granted */
    /* Whether `idle` is true. If so, formats what the threads wait for
     * (fsh_sim_turn). */
    bool (*answer)(char *text, size_t len);
    /* Waits for time, which may be short, and for events. */
    struct fsh_handover for_time, for_event;
    bool on; /* between begin and end */
};

/* Call when all ranks have begun: cycle 0. The caller has announced this rank
 * to the simulator (clocks), and may have to wake it. */
void fsh_turn_begin(struct fsh_turn *turn, struct fsh_sim_turn *shared);
/* The effects of this rank's latest action become visible after at least this many
 * cycles: moves the horizon closer. */
void fsh_turn_acted(struct fsh_turn *turn, uint64_t cycles);
/* Gives the turn back and waits for the next: at cycle `until`, or earlier by `wakes`
 * (FSH_SIM_WAKE_*). seen: the current value of activity. */
void fsh_turn_next(struct fsh_turn *turn, uint32_t wakes, uint32_t seen,
                   uint64_t until);
/* The same in a signal handler that interrupted any call here and will not return; the
 * turn may already have been given back. May return before `until`. */
void fsh_turn_again(struct fsh_turn *turn, uint32_t wakes, uint32_t seen,
                    uint64_t until);
/* Ends turns. Also callable in such a handler, or while another thread waits for the
 * next turn, which will not come. */
void fsh_turn_end(struct fsh_turn *turn);

#endif
