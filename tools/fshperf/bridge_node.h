/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What fshperf bridge --clock simulated and the job that it starts (bridge_node.c) both
 * know: the rows, and the line that reports one.
 */
#ifndef FSHPERF_BRIDGE_NODE_H
#define FSHPERF_BRIDGE_NODE_H

#include <stdbool.h>
#include <stddef.h>

/* Stages alone, then each path in both modes, the naive one first. */
enum { BRIDGE_STAGES = 4, BRIDGE_PATHS = 3, BRIDGE_ROWS = 10 };
#define BRIDGE_LINE "bridge-node" /* row, bytes, nanoseconds */
/* Of more bytes than that, whose simulation takes minutes a row, only the pipelined paths and
 * the naive round trip. */
#define BRIDGE_ALL_ROWS ((size_t)64 << 20)
static inline bool bridge_has_row(unsigned row, size_t bytes)
{
    return bytes <= BRIDGE_ALL_ROWS ||
           (row >= BRIDGE_STAGES && (row - BRIDGE_STAGES) % 2 == 1) ||
           row == BRIDGE_ROWS - 2;
}

/* The network of the model: rates as the paper measured them (ib_read_bw, ib_write_bw),
 * registration as it took the server (320 MB allocated and registered in 23 ms). */
#define BRIDGE_DELAY_NS 1000u
#define BRIDGE_READ_MB_PER_S 9162.1
#define BRIDGE_WRITE_MB_PER_S 11927.3
#define BRIDGE_POST_NS 200u
#define BRIDGE_REGISTER_NS 10000u
#define BRIDGE_REGISTER_PAGE_NS 290.0
#define BRIDGE_LOOK_NS 1000u

#endif
