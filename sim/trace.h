/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The activity of a fabric, for traces (base/trace.h): one trace process per node,
 * with one track per unit. The fabric's thread only.
 */
#ifndef FSH_SIM_TRACE_H
#define FSH_SIM_TRACE_H

#include "fabric.h"

/* Trace the fabric, if this process has a trace: in simulated time from the present
 * cycle on, which is then 0. */
void fsh_sim_trace_begin(struct fsh_fabric *fab);
/* No longer: what is busy ends here. Harmless if it is not traced. */
void fsh_sim_trace_end(struct fsh_fabric *fab);

#endif
