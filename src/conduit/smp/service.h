/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The compute core of this rank and the way to those of others, for conduit
 * smp: starts the worker (worker.h) on a thread of its own, which lasts as long
 * as the process; gives lists and signals to any core; hands completions on. One
 * a process. Calls of the conduit's operations: any thread.
 */
#ifndef FSH_SMP_SERVICE_H
#define FSH_SMP_SERVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "conduit/conduit.h"
#include "conduit/smp/ring.h"

/* After the exchange of segments, before anybody sends; what is given stays. A
 * rank without a core (settings, too many ranks, no thread to be had) refuses. */
void fsh_smp_service_start(struct fsh_smp_port *port, unsigned char *base,
                           const struct fsh_smp_layout *layout, uint32_t rank,
                           const struct fsh_segment *segs);
/* The worker ends when it wakes next. */
void fsh_smp_service_stop(void);

/* Operations of the conduit table. */
bool fsh_smp_service_present(uint32_t node);
bool fsh_smp_service_send(uint32_t node, const uint64_t *message,
                          struct fsh_answer *answer);
void fsh_smp_service_counters(uint64_t *words);
void fsh_smp_service_counters_clear(void);

/* Hand on the completions that compute cores have left for this rank; whether
 * there was any. */
bool fsh_smp_service_poll(void);

#endif
