/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What fshperf bridge --clock simulated and the job that it starts (bridge_node.c) both
 * know: the line that reports a row, and the network of the model.
 */
#ifndef FSHPERF_BRIDGE_NODE_H
#define FSHPERF_BRIDGE_NODE_H

#define BRIDGE_LINE "bridge-node" /* row, bytes, nanoseconds */

/* Rates as the paper measured them (ib_read_bw, ib_write_bw). Registration of a page as it
 * took in the paper's round trip of 320 MB, allocation of the memory included: at the
 * server 23 ms for 320 MB, at the client 121 ms for source and target. */
#define BRIDGE_DELAY_NS 1000u
#define BRIDGE_READ_MB_PER_S 9162.1
#define BRIDGE_WRITE_MB_PER_S 11927.3
#define BRIDGE_POST_NS 200u
#define BRIDGE_REGISTER_NS 10000u
#define BRIDGE_SERVER_PAGE_NS 290.0
#define BRIDGE_CLIENT_PAGE_NS 774.0
#define BRIDGE_LOOK_NS 1000u

#endif
