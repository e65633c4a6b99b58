/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Simulated time of hosts: ranks take turns, one at a time, each running only while
 * the fabric stands at its clock (struct fsh_sim_turn). A participant has a clock and
 * a promise: the cycle before which it does nothing. The fabric advances to the least
 * of these promises and its own next event. Equal clocks run in rank order.
 */
#ifndef FSH_SIM_TURNS_H
#define FSH_SIM_TURNS_H

#include "serve.h"

/* Serve ranks that have all begun, until no rank takes turns any more (true), or
 * fsh_serve_stop or an error of the fabric (false). */
bool fsh_turns_run(struct fsh_serve *serve, struct fsh_fabric *fab);

#endif
