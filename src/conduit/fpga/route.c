/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Routes; see route.h.
 */
#include "conduit/fpga/route.h"

unsigned fsh_fpga_route(bool ring, uint32_t nodes, uint32_t from, uint32_t to,
                        unsigned allowed)
{
    if (from == to)
        return allowed;
    if (!ring)
        return allowed & (to > from ? FSH_PORT_NEXT : FSH_PORT_BACK);
    uint32_t ahead = (to + nodes - from) % nodes;
    uint32_t behind = nodes - ahead;
    unsigned shortest = FSH_PORT_BOTH;
    if (ahead < behind)
        shortest = FSH_PORT_NEXT;
    else if (behind < ahead)
        shortest = FSH_PORT_BACK;
    return shortest & allowed ? shortest & allowed : allowed;
}

unsigned fsh_fpga_datelines(bool ring, uint32_t nodes, uint32_t node)
{
    unsigned mask = 0;

    if (ring && node == 0)
        mask |= FSH_PORT_BACK;
    if (ring && node == nodes - 1)
        mask |= FSH_PORT_NEXT;
    return mask;
}
