/* SPDX-License-Identifier: BSD-3-Clause */
/* Properties of a topology; see fabric.h. */
#include <string.h>

#include "fabric.h"

enum {
    TRY_ALL = 20, /* up to this many nodes, all cuts into halves are tried */
    ALL_PORTS = (1u << FSH_MAX_PORTS) - 1,
};

static unsigned count_cables(const struct fsh_topology *t)
{
    unsigned ends = 0;

    for (uint32_t n = 0; n < t->nodes; n++)
        for (unsigned p = 0; p < t->ports; p++)
            ends += fsh_topology_plugged(t, n, p);
    return ends / 2;
}

/* ---- paths ---- */

/* Length in links of the path that starts with this port. */
static unsigned walk(const struct fsh_topology *t,
                     const struct fsh_route *route, uint32_t from, uint32_t to,
                     unsigned port)
{
    struct fsh_plug at = t->peer[from][port];
    unsigned links = 1;

    while (at.node != to && links <= FSH_MAX_HOPS) {
        port = fsh_topology_transit(route[at.node].ports, at.port, from, to);
        at = t->peer[at.node][port];
        links++;
    }
    return links;
}

static void measure_ways(const struct fsh_topology *t,
                         struct fabric_facts *facts)
{
    struct fsh_route route[FSH_MAX_NODES];
    unsigned pairs = t->nodes * (t->nodes - 1u);
    double sum = 0;

    for (uint32_t to = 0; to < t->nodes; to++) {
        fsh_topology_routes_to(t, to, ALL_PORTS, route);
        for (uint32_t from = 0; from < t->nodes; from++)
            for (unsigned p = 0; p < t->ports; p++) {
                unsigned links;

                if (!(route[from].ports >> p & 1))
                    continue;
                links = walk(t, route, from, to, p);
                if (links > facts->diameter)
                    facts->diameter = links;
                sum += (double)links / __builtin_popcount(route[from].ports);
            }
    }
    facts->hops = pairs > 0 ? sum / pairs : 0;
}

/* ---- halves ---- */

/* Known results for regular topologies; 0: unknown. Odd sides have less simple cuts. */
static unsigned known_bisection(const struct fsh_topology *t)
{
    unsigned longest = 1, nodes = t->nodes;

    for (unsigned d = 0; d < FSH_TOPOLOGY_SIDES; d++)
        longest = t->side[d] > longest ? t->side[d] : longest;
    switch (t->kind) {
    case FSH_TOPOLOGY_RING:
        return nodes > 1 ? 2 : 0;
    case FSH_TOPOLOGY_LINE:
        return nodes > 1 ? 1 : 0;
    case FSH_TOPOLOGY_MESH:
        return longest % 2 == 0 ? nodes / longest : 0;
    case FSH_TOPOLOGY_TORUS:
        return longest % 2 == 0 ? 2 * nodes / longest : 0;
    case FSH_TOPOLOGY_HYPERCUBE:
        return nodes / 2;
    case FSH_TOPOLOGY_FULL:
        return nodes / 2 * (nodes - nodes / 2);
    case FSH_TOPOLOGY_FILE:
        return 0;
    }
    return 0;
}

/* Number of cables between the nodes in the set and the others. */
static unsigned cut_of(const struct fsh_topology *t, uint64_t set)
{
    unsigned cut = 0;

    for (uint32_t n = 0; n < t->nodes; n++)
        for (unsigned p = 0; set >> n & 1 && p < t->ports; p++) {
            uint8_t to = t->peer[n][p].node;

            cut += to != FSH_NO_NODE && !(set >> to & 1);
        }
    return cut;
}

/* Tries every subset of half the nodes; if that is exactly half, without the last
 * node. */
static void try_all(const struct fsh_topology *t, struct fabric_facts *facts)
{
    uint64_t set = (UINT64_C(1) << t->nodes / 2) - 1;
    uint64_t end = UINT64_C(1) << (t->nodes - (t->nodes % 2 == 0));

    while (set < end) {
        unsigned cut = cut_of(t, set);
        uint64_t low = set & -set, next = set + low;

        if (cut < facts->bisection)
            facts->bisection = cut;
        facts->cuts++;
        set = next | ((set ^ next) >> 2) / low; /* next set with as many bits */
    }
    facts->exact = true;
}

/* Swaps a node in the set with one outside as long as that reduces the cables. */
static void improve(const struct fsh_topology *t, uint64_t set,
                    struct fabric_facts *facts)
{
    unsigned best = cut_of(t, set), before;

    do {
        before = best;
        for (uint32_t a = 0; a < t->nodes; a++)
            for (uint32_t b = 0; b < t->nodes; b++) {
                uint64_t other = set ^ UINT64_C(1) << a ^ UINT64_C(1) << b;
                unsigned cut;

                if (!(set >> a & 1) || set >> b & 1)
                    continue;
                cut = cut_of(t, other);
                facts->cuts++;
                if (cut < best) {
                    best = cut;
                    set = other;
                }
            }
    } while (best < before);
    if (best < facts->bisection)
        facts->bisection = best;
}

/* Half of the nodes, those with the lowest coordinates along dimension d; in a file,
 * which has none, those with the lowest numbers. */
static uint64_t lowest_half(const struct fsh_topology *t, unsigned d)
{
    uint32_t step = 1, taken = 0;
    uint64_t set = 0;

    for (unsigned e = 0; e < d; e++)
        step *= t->side[e];
    for (uint32_t x = 0; x < t->side[d]; x++)
        for (uint32_t n = 0; n < t->nodes && taken < t->nodes / 2u; n++)
            if (n / step % t->side[d] == x) {
                set |= UINT64_C(1) << n;
                taken++;
            }
    return set;
}

/* The half closest to a node. */
static uint64_t nearest_half(const struct fsh_topology *t, uint32_t root)
{
    uint8_t order[FSH_MAX_NODES] = {(uint8_t)root};
    uint64_t set = UINT64_C(1) << root;
    unsigned taken = 1;

    for (unsigned i = 0; i < taken; i++)
        for (unsigned p = 0; p < t->ports && taken < t->nodes / 2u; p++) {
            uint8_t to = t->peer[order[i]][p].node;

            if (to == FSH_NO_NODE || set >> to & 1)
                continue;
            set |= UINT64_C(1) << to;
            order[taken++] = to;
        }
    return set;
}

/* Promising halves, and local improvements of them. */
static void try_some(const struct fsh_topology *t, struct fabric_facts *facts)
{
    for (unsigned d = 0; d < FSH_TOPOLOGY_SIDES; d++)
        improve(t, lowest_half(t, d), facts);
    for (uint32_t root = 0; root < t->nodes; root++)
        improve(t, nearest_half(t, root), facts);
}

struct fabric_facts fabric_facts(const struct fsh_topology *t)
{
    struct fabric_facts facts = {.cables = count_cables(t)};

    measure_ways(t, &facts);
    facts.bisection = known_bisection(t);
    if (facts.bisection > 0 || t->nodes < 2) {
        facts.exact = true;
        return facts;
    }
    facts.bisection = facts.cables;
    if (t->nodes <= TRY_ALL)
        try_all(t, &facts);
    else
        try_some(t, &facts);
    return facts;
}
