/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fshperf host-driven: the time programs take including their hosts, in simulated
 * time, compared with what the nodes take alone. The command is not a rank: it starts
 * jobs of itself as `fshperf host-node` (hosts_node.c), which print one line per
 * operation, and of case-node (study.h), each at host costs 0, 1 and 2.
 */
#ifndef FSHPERF_HOSTS_H
#define FSHPERF_HOSTS_H

#include <stddef.h>
#include <stdint.h>

#define HOSTS_COSTS 3u /* FSHMEM_HOST_COSTS 0, 1, 2 */
/* An operation printed by rank 0: this, its name with _ for blanks, bytes, cycles, and
 * cycles of the nodes alone, 0 if there is no such figure. */
#define HOSTS_LINE "host-driven"

/* An operation on a number of ranks. */
struct hosts_row {
    char what[48];
    unsigned ranks;
    size_t bytes;
    double nodes;              /* cycles without hosts; 0: no such figure */
    double taken[HOSTS_COSTS]; /* cycles from call to call */
};

#endif
