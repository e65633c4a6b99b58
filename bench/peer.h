/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the programs that measure other libraries share: they time loops as
 * fshperf smp does and print a line a figure, which peers.py reads. All ranks
 * call everything together; only rank 0 times and prints.
 */
#ifndef PEER_H
#define PEER_H

#include <stddef.h>

/* What the library under test offers for the control of a measurement. */
struct peer {
    int rank, ranks;
    void (*barrier)(void);
    long (*share)(long value); /* rank 0's value, on all */
};

/* Do it n times, with messages of so many bytes. */
typedef void (*peer_loop_fn)(long n, size_t bytes);

/* Median of some batches, as "peer-row NAME RANKS BYTES us", us a call. */
void peer_measure(const struct peer *peer, const char *name, size_t bytes,
                  peer_loop_fn loop);

#endif
