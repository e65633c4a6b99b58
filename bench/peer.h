/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Common code of the programs that measure other libraries. They time loops as
 * fshperf smp does and print one line per figure, which peers.py reads. All calls
 * are collective; only rank 0 times and prints.
 */
#ifndef PEER_H
#define PEER_H

#include <stddef.h>
#include <stdint.h>

/* What the library under test provides to control a measurement. */
struct peer {
    int rank, ranks;
    void (*barrier)(void);
    long (*share)(long value); /* rank 0's value, on all */
};

/* Repeat it n times, with messages of so many bytes. */
typedef void (*peer_loop_fn)(long n, size_t bytes);

/* Prints the median of some batches as "peer-row NAME RANKS BYTES us", us a call. */
void peer_measure(const struct peer *peer, const char *name, size_t bytes,
                  peer_loop_fn loop);

/* ---- collectives, timed as fshperf coll does ---- */

struct gate; /* tools/fshperf/gate.h */

/* Buffers of this rank: so many blocks of `bytes` each. */
struct peer_buffers {
    double *src, *dst;
    size_t bytes;
    int src_blocks, dst_blocks;
};

struct peer_collectives {
    const struct peer *peer;
    struct gate *gate; /* in memory of all ranks; zero at the start */
    /* Maximum over the ranks of each of n values, on rank 0. */
    void (*latest)(uint64_t *value, int n);
};

/* Median of rounds, from a common start to the last rank's return; the buffers are
 * rewritten in each. Printed as peer_measure does. */
void peer_time(const struct peer_collectives *all, const char *name,
               const struct peer_buffers *buffers,
               void (*call)(const struct peer_buffers *buffers));

#endif
