/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Compute cores of conduit smp: starts this rank's worker (worker.h) on its own
 * thread, which lasts as long as the process, sends lists and signals to any core,
 * and passes completions on. One per process. Calls of the conduit's operations: any
 * thread.
 */
#ifndef FSH_SMP_SERVICE_H
#define FSH_SMP_SERVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "conduit/conduit.h"
#include "conduit/smp/ring.h"

/* Call after the exchange of segments, before ranks communicate; arguments must stay
 * valid. A rank without a core (disabled, too many ranks, no thread available) refuses
 * commands. */
void fsh_smp_service_start(struct fsh_smp_port *port, unsigned char *base,
                           const struct fsh_smp_layout *layout, uint32_t rank,
                           const struct fsh_segment *segs);
/* Ends the worker at its next wake-up. */
void fsh_smp_service_stop(void);

/* Operations of the conduit table. */
bool fsh_smp_service_present(uint32_t node);
bool fsh_smp_service_send(uint32_t node, const uint64_t *message,
                          struct fsh_answer *answer);
void fsh_smp_service_attend(bool on);
bool fsh_smp_service_help(void);
void fsh_smp_service_counters(uint64_t *words);
void fsh_smp_service_counters_clear(void);

/* Passes on the completions that compute cores have left for this rank; returns
 * whether there were any. */
bool fsh_smp_service_poll(void);

#endif
