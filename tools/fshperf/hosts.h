/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fshperf host-driven: what programs take from call to call, hosts included, in
 * simulated time, beside what the nodes take by themselves. The command is no rank: it
 * starts jobs of itself as `fshperf host-node` (hosts_node.c), which print a line an
 * operation, and of case-node (study.h), each at host costs 0, 1 and 2.
 */
#ifndef FSHPERF_HOSTS_H
#define FSHPERF_HOSTS_H

#include <stddef.h>
#include <stdint.h>

#define HOSTS_COSTS 3u /* FSHMEM_HOST_COSTS 0, 1, 2 */
/* What rank 0 says of an operation: this, its name, with _ for blanks, bytes, cycles,
 * and cycles of the nodes alone, 0 if they do no such thing alone. */
#define HOSTS_LINE "host-driven"

/* An operation on some ranks. */
struct hosts_row {
    char what[48];
    unsigned ranks;
    size_t bytes;
    double nodes; /* cycles without hosts; 0: there is no such figure */
    double taken[HOSTS_COSTS]; /* cycles from call to call */
};

#endif
