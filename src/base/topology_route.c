/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Routes of a topology; see topology.h. For grids and hypercubes they follow from the
 * node numbers; for cable files they are found by a backward search from each
 * destination.
 */
#include <string.h>

#include "base/assertion.h"
#include "base/topology_parts.h"

#define FAR UINT8_MAX

/* Where cycles are impossible anyway, each vc serves half of the destinations:
 * two copies of the same network. */
static uint8_t vcs_by_parity(unsigned ports, uint32_t to)
{
    return (uint8_t)(to & 1 ? ports : 0);
}

/* Along dimension d from x to xd in a ring of `side` nodes: vc is 0 until the
 * packet has passed the wrap. */
static struct fsh_route ring_route(unsigned d, uint32_t side, uint32_t x,
                                   uint32_t xd, unsigned allowed)
{
    unsigned plus = 1u << 2 * d, minus = 2u << 2 * d;
    uint32_t ahead = (xd + side - x) % side;
    unsigned ports = plus | minus;

    if (2 * ahead < side)
        ports = plus;
    else if (2 * ahead > side)
        ports = minus;
    if (!(ports & allowed))
        ports = plus | minus;
    ports &= allowed;
    return (struct fsh_route){(uint8_t)ports,
                              (uint8_t)(ports & (xd > x ? plus : minus))};
}

static struct fsh_route grid_route(const struct fsh_topology *t, uint32_t from,
                                   uint32_t to, unsigned allowed)
{
    for (unsigned d = 0; d < FSH_TOPOLOGY_SIDES; d++) {
        uint32_t side = t->side[d], x = from % side, xd = to % side;

        from /= side;
        to /= side;
        if (x == xd)
            continue;
        if (t->rule == FSH_TOPOLOGY_DATELINE)
            return ring_route(d, side, x, xd, allowed);
        return (struct fsh_route){(uint8_t)((xd > x ? 1u : 2u) << 2 * d), 0};
    }
    return (struct fsh_route){0, 0};
}

static unsigned hypercube_ports(uint32_t from, uint32_t to)
{
    uint32_t differ = from ^ to;

    return differ & -differ; /* lowest bit first */
}

/* Up is towards the root; between equals, towards the lower number. */
static bool is_up(const struct fsh_topology *t, uint32_t from, uint32_t to)
{
    return t->level[to] != t->level[from] ? t->level[to] < t->level[from]
                                          : to < from;
}

/* Length in links of paths from every node to `to`, unrestricted or down only; FAR:
 * none. */
static void search(const struct fsh_topology *t, uint32_t to, bool down_only,
                   uint8_t far[FSH_MAX_NODES])
{
    uint8_t queue[FSH_MAX_NODES];
    unsigned head = 0, tail = 0;

    memset(far, FAR, FSH_MAX_NODES);
    far[to] = 0;
    for (queue[tail++] = (uint8_t)to; head < tail; head++)
        for (unsigned p = 0; p < t->ports; p++) {
            uint8_t near = queue[head], next = t->peer[near][p].node;

            if (next == FSH_NO_NODE || far[next] != FAR ||
                (down_only && !is_up(t, near, next)))
                continue;
            far[next] = (uint8_t)(far[near] + 1);
            queue[tail++] = next;
        }
}

void fsh_topology_distances(const struct fsh_topology *t, uint32_t to,
                            uint8_t far[FSH_MAX_NODES])
{
    search(t, to, false, far);
}

/* Length of the legal paths: down only if possible, else up to the best node above.
 * Settled level by level, top first. */
static void legal(const struct fsh_topology *t, const uint8_t *down,
                  uint8_t path[FSH_MAX_NODES])
{
    memcpy(path, down, FSH_MAX_NODES);
    for (unsigned level = 0; level < t->nodes; level++)
        for (uint32_t n = 0; n < t->nodes; n++) {
            if (t->level[n] != level || down[n] != FAR)
                continue;
            for (unsigned p = 0; p < t->ports; p++) {
                uint8_t above = t->peer[n][p].node;

                if (above != FSH_NO_NODE && is_up(t, n, above) &&
                    path[above] + 1 < path[n])
                    path[n] = (uint8_t)(path[above] + 1);
            }
        }
}

/* Ports to neighbours one link closer by `path`; for a node that must go up, only those
 * above it. */
static unsigned nearer(const struct fsh_topology *t, uint32_t from,
                       const uint8_t *path, bool up, bool any)
{
    unsigned ports = 0;

    for (unsigned p = 0; p < t->ports; p++) {
        uint8_t next = t->peer[from][p].node;

        if (next != FSH_NO_NODE && path[next] + 1 == path[from] &&
            (any || is_up(t, from, next) == up))
            ports |= 1u << p;
    }
    return ports;
}

static void searched_routes(const struct fsh_topology *t, uint32_t to,
                            struct fsh_route *route)
{
    uint8_t down[FSH_MAX_NODES], path[FSH_MAX_NODES];
    bool shortest = t->rule == FSH_TOPOLOGY_SHORTEST;

    if (shortest) {
        fsh_topology_distances(t, to, path);
        memcpy(down, path, sizeof(down));
    } else {
        search(t, to, true, down);
        legal(t, down, path);
    }
    for (uint32_t n = 0; n < t->nodes; n++) {
        bool up = down[n] == FAR;

        if (n != to)
            route[n].ports =
                (uint8_t)nearer(t, n, up ? path : down, up, shortest);
    }
}

void fsh_topology_routes_to(const struct fsh_topology *t, uint32_t to,
                            unsigned allowed,
                            struct fsh_route route[FSH_MAX_NODES])
{
    FSH_ASSERT(to < t->nodes);
    memset(route, 0, FSH_MAX_NODES * sizeof(*route));
    if (t->kind == FSH_TOPOLOGY_FILE)
        searched_routes(t, to, route);
    for (uint32_t n = 0; n < t->nodes; n++) {
        if (n == to)
            continue;
        if (t->kind == FSH_TOPOLOGY_HYPERCUBE)
            route[n].ports = (uint8_t)hypercube_ports(n, to);
        else if (t->kind == FSH_TOPOLOGY_FULL)
            route[n].ports = (uint8_t)(1u << (to < n ? to : to - 1));
        else if (t->kind != FSH_TOPOLOGY_FILE)
            route[n] = grid_route(t, n, to, allowed);
        route[n].ports &= (uint8_t)allowed;
        if (t->rule != FSH_TOPOLOGY_DATELINE)
            route[n].vcs = vcs_by_parity(route[n].ports, to);
    }
}

void fsh_topology_routes_from(const struct fsh_topology *t, uint32_t from,
                              unsigned allowed,
                              struct fsh_route route[FSH_MAX_NODES])
{
    struct fsh_route all[FSH_MAX_NODES];

    memset(route, 0, FSH_MAX_NODES * sizeof(*route));
    for (uint32_t to = 0; to < t->nodes; to++) {
        fsh_topology_routes_to(t, to, allowed, all);
        route[to] = all[from];
    }
}

unsigned fsh_topology_transit(unsigned ports, unsigned arrived, uint32_t source,
                              uint32_t dest)
{
    FSH_ASSERT(ports != 0);
    if ((source ^ dest ^ arrived) & 1)
        return 31u - (unsigned)__builtin_clz(ports);
    return (unsigned)__builtin_ctz(ports);
}
