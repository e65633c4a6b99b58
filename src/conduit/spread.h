/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The ranks of a job over hosts among each other, by shared memory or by the network, for a
 * conduit in which some pairs have another way: set-up in parts, implemented in
 * conduit/ofi/ofi.c. What they do then is in the table of conduit ofi. Ranks are those of
 * the job everywhere.
 */
#ifndef FSH_CONDUIT_SPREAD_H
#define FSH_CONDUIT_SPREAD_H

#include "conduit/conduit.h"

/* Both are collective, on the main thread, once each, and fatal with a message. poll: of
 * all that the conduit has, for whoever waits for room. */
void fsh_spread_open(enum fsh_threads threads, bool (*poll)(void),
                     struct fsh_limits *limits);
/* Make the segments known, which are in the shared memory of a host (fsh_local_segment);
 * an empty one: this rank has none that others reach. */
void fsh_spread_segments(const struct fsh_segment *mine,
                         struct fsh_segment *segs);

#endif
