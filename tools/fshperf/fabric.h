/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fshperf fabric: latency by hops, fairness, and accepted load of fabrics of simulated
 * nodes, in their cycles. The command is no rank: it starts jobs of itself as
 * `fshperf fabric-node TEST` (fabric_node.c), in simulated time with hosts that cost
 * nothing, which print a line a figure.
 */
#ifndef FSHPERF_FABRIC_H
#define FSHPERF_FABRIC_H

/* What rank 0 says of a figure: this, its test and value. */
#define FABRIC_LINE "fabric"
#define FABRIC_PACKET 1024u
#define FABRIC_MESSAGE 4096u /* bytes of a PUT of the patterns */
#define FABRIC_SEED 1u
/* Cycles of a pattern that pass before counting, and in which it is counted. */
#define FABRIC_WARM_UP 4000u
#define FABRIC_COUNTED 12000u

#endif
