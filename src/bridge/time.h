/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The bridge's limits count simulated time where the job has it: the simulator may take any
 * time for a piece.
 */
#ifndef FSH_BRIDGE_TIME_H
#define FSH_BRIDGE_TIME_H

#include "base/cpu.h"
#include "base/simulated.h"

/* Nanoseconds since some moment. */
static inline uint64_t fsh_bridge_ns(void)
{
    const struct fsh_simulated *simulated = fsh_simulated();

    return simulated != NULL ? simulated->look() : fsh_time_ns();
}

#endif
