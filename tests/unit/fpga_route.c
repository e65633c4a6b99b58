/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Routes of rings and lines: following them from every node reaches every
 * other by the fewest links, over wires of the fabric only; a restricted ring
 * still reaches all; datelines cut every ring once in each direction.
 */
#include <stdio.h>
#include <stdlib.h>

#include "conduit/fpga/route.h"
#include "check.h"

/* Node at the other end of a port's wire, or -1. */
static int wire(bool ring, uint32_t nodes, uint32_t node, unsigned port)
{
    if (port == FSH_PORT_NEXT) {
        if (node + 1 < nodes)
            return (int)node + 1;
        return ring ? 0 : -1;
    }
    if (node > 0)
        return (int)node - 1;
    return ring ? (int)nodes - 1 : -1;
}

static uint32_t distance(bool ring, uint32_t nodes, uint32_t a, uint32_t b)
{
    uint32_t d = a < b ? b - a : a - b;

    return ring && nodes - d < d ? nodes - d : d;
}

/* Links from a to b, taking each time one port of the route; datelines crossed
 * in *crossed. */
static uint32_t follow(bool ring, uint32_t nodes, uint32_t a, uint32_t b,
                       unsigned allowed, unsigned choice, unsigned *crossed)
{
    uint32_t links = 0;
    uint32_t at = a;

    *crossed = 0;
    while (at != b) {
        unsigned mask = fsh_fpga_route(ring, nodes, at, b, allowed);
        CHECK(mask != 0 && (mask & ~allowed) == 0, "route %u to %u", at, b);
        unsigned port = mask == FSH_PORT_BOTH ? choice : mask;
        int to = wire(ring, nodes, at, port);
        CHECK(to >= 0, "node %u has no wire at port mask %u", at, port);
        if (fsh_fpga_datelines(ring, nodes, at) & port)
            ++*crossed;
        at = (uint32_t)to;
        CHECK(++links <= nodes, "%u to %u of %u goes in circles", a, b, nodes);
    }
    return links;
}

static void check_topology(bool ring, uint32_t nodes)
{
    unsigned crossed;

    for (uint32_t a = 0; a < nodes; a++) {
        for (uint32_t b = 0; b < nodes; b++) {
            for (unsigned c = FSH_PORT_BACK; c <= FSH_PORT_NEXT; c++) {
                uint32_t n =
                    follow(ring, nodes, a, b, FSH_PORT_BOTH, c, &crossed);
                CHECK(n == distance(ring, nodes, a, b),
                      "%u to %u of %u: %u links", a, b, nodes, n);
                CHECK(crossed <= (ring ? 1u : 0u), "datelines");
                if (ring)
                    follow(true, nodes, a, b, c, c, &crossed);
                CHECK(crossed <= 1, "datelines one way round");
            }
        }
    }
    /* A whole turn crosses one dateline in either direction. */
    for (unsigned port = FSH_PORT_BACK; ring && port <= FSH_PORT_NEXT; port++) {
        unsigned turns = 0;
        for (uint32_t a = 0; a < nodes; a++)
            turns += (fsh_fpga_datelines(true, nodes, a) & port) != 0;
        CHECK(turns == 1, "%u datelines of %u nodes", turns, nodes);
    }
}

int main(void)
{
    for (uint32_t nodes = 1; nodes <= 17; nodes++) {
        check_topology(false, nodes);
        check_topology(true, nodes);
    }
    check_topology(true, 64);
    CHECK(fsh_fpga_route(true, 2, 0, 1, 3) == 3, "two nodes, both ports");
    CHECK(fsh_fpga_route(true, 2, 1, 0, 2) == 2, "two nodes, one port");
    CHECK(fsh_fpga_route(true, 8, 0, 1, 3) == FSH_PORT_NEXT, "next");
    CHECK(fsh_fpga_route(true, 8, 0, 7, 3) == FSH_PORT_BACK, "back");
    CHECK(fsh_fpga_route(false, 2, 0, 1, 3) == FSH_PORT_NEXT, "line of two");
    CHECK(fsh_fpga_route(false, 3, 1, 0, FSH_PORT_NEXT) == 0, "cut off");
    puts("fpga_route: passed");
    return 0;
}
