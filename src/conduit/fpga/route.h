/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Routes of a ring or a linear fabric. Port 1 of node i is wired to port 0 of
 * node i + 1; in a ring also port 1 of the last to port 0 of node 0. Pure.
 */
#ifndef FSH_FPGA_ROUTE_H
#define FSH_FPGA_ROUTE_H

#include <stdbool.h>
#include <stdint.h>

enum { FSH_PORT_BACK = 1u << 0, FSH_PORT_NEXT = 1u << 1, FSH_PORT_BOTH = 3u };

/* Ports of `from` that lead to `to` by a shortest path, out of `allowed`; if a
 * ring's shortest path is not allowed, the other way round. 0: no way. For
 * the node itself: all that are allowed. */
unsigned fsh_fpga_route(bool ring, uint32_t nodes, uint32_t from, uint32_t to,
                        unsigned allowed);

/* Ports of `node` whose link is the ring's dateline: the one between the last
 * node and node 0. None in a linear fabric. */
unsigned fsh_fpga_datelines(bool ring, uint32_t nodes, uint32_t node);

#endif
