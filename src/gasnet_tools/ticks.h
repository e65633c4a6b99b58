/* SPDX-License-Identifier: BSD-3-Clause */
/* What the rest of the library does to the timers of gasnet_tools.h. */
#ifndef FSH_GASNET_TOOLS_TICKS_H
#define FSH_GASNET_TOOLS_TICKS_H

/* From here on ticks are nanoseconds of simulated time (base/simulated.h), which has
 * begun. Once, on one thread. */
void fsh_ticks_simulate(void);

#endif
