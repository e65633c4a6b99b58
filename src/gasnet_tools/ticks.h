/* SPDX-License-Identifier: BSD-3-Clause */
/* The library's control of the timers of gasnet_tools.h. */
#ifndef FSH_GASNET_TOOLS_TICKS_H
#define FSH_GASNET_TOOLS_TICKS_H

/* From here on ticks are nanoseconds of simulated time (base/simulated.h), which has
 * begun. Call once, on one thread. */
void fsh_ticks_simulate(void);

#endif
