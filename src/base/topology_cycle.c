/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The channel dependency graph of a topology's routes. Its vertices are channels
 * (node, port, vc); an edge leads from one to another if a packet may hold the first
 * while waiting for the second. Without a cycle, routing is deadlock-free.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/topology.h"

#define VCS FSH_TOPOLOGY_CHANNELS
#define LINKS (FSH_MAX_PORTS * VCS) /* outgoing channels of a node */
#define CHANNELS (FSH_MAX_NODES * LINKS)

/* For each channel, the channels of the next node that a packet may need
 * afterwards. */
struct graph {
    const struct fsh_topology *t;
    uint16_t next[CHANNELS];
    bool clear[CHANNELS]; /* leads to no cycle */
};
_Static_assert(LINKS <= 16, "a bit for each channel of a node");

/* Without a dateline, vc only selects one of two equal networks. */
static uint16_t channels_of(const struct graph *g, struct fsh_route route)
{
    unsigned vcs = g->t->rule == FSH_TOPOLOGY_DATELINE ? route.vcs : 0;
    uint16_t mask = 0;

    for (unsigned p = 0; p < FSH_MAX_PORTS; p++)
        if (route.ports >> p & 1)
            mask |= (uint16_t)(1u << (p * VCS + (vcs >> p & 1)));
    return mask;
}

static uint8_t node_behind(const struct graph *g, unsigned channel)
{
    return g->t->peer[channel / LINKS][channel % LINKS / VCS].node;
}

/* Adds an edge for any port in the mask, whatever the transit rule chooses: a superset
 * of the real dependencies. */
static void add_routes(struct graph *g, uint32_t to)
{
    struct fsh_route route[FSH_MAX_NODES];

    fsh_topology_routes_to(g->t, to, UINT8_MAX, route);
    for (unsigned c = 0; c < g->t->nodes * LINKS; c++) {
        uint8_t behind = node_behind(g, c);

        if (channels_of(g, route[c / LINKS]) >> c % LINKS & 1 && behind != to)
            g->next[c] |= channels_of(g, route[behind]);
    }
}

/* A successor of c that is not clear, or CHANNELS. */
static unsigned unclear_next(const struct graph *g, unsigned c)
{
    for (unsigned i = 0; i < LINKS; i++)
        if (g->next[c] >> i & 1 && !g->clear[node_behind(g, c) * LINKS + i])
            return node_behind(g, c) * LINKS + i;
    return CHANNELS;
}

/* Prints a cycle: following unclear successors from any unclear channel reaches one. */
static void tell(const struct graph *g, unsigned c, char *text, size_t len)
{
    bool seen[CHANNELS] = {false};
    unsigned first;
    size_t at = 0;

    for (; !seen[c]; c = unclear_next(g, c))
        seen[c] = true;
    first = c;
    do {
        if (at < len)
            at += (size_t)snprintf(text + at, len - at, "%s%u.%u/%u",
                                   at ? " -> " : "", c / LINKS, c % LINKS / VCS,
                                   c % VCS);
        c = unclear_next(g, c);
    } while (c != first);
}

bool fsh_topology_acyclic(const struct fsh_topology *t, char *cycle, size_t len)
{
    struct graph g = {.t = t};
    unsigned channels = t->nodes * LINKS, left = channels, before;

    for (uint32_t to = 0; to < t->nodes; to++)
        add_routes(&g, to);
    do {
        before = left;
        for (unsigned c = 0; c < channels; c++)
            if (!g.clear[c] && unclear_next(&g, c) == CHANNELS) {
                g.clear[c] = true;
                left--;
            }
    } while (left > 0 && left < before);
    for (unsigned c = 0; left > 0 && len > 0 && c < channels; c++)
        if (!g.clear[c]) {
            tell(&g, c, cycle, len);
            break;
        }
    return left == 0;
}
