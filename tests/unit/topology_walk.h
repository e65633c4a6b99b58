/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Walks every pair of a topology for every choice of ports, as packets do: from the
 * source by any port of the mask, then by the transit rule. Records channel
 * dependences and looks for cycles, independently of the library.
 */
#ifndef UNIT_TOPOLOGY_WALK_H
#define UNIT_TOPOLOGY_WALK_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/topology.h"
#include "check.h"

#define WALK_CHANNELS (FSH_MAX_NODES * FSH_MAX_PORTS * 2)
#define WALK_ALL 0x3fu

struct walk {
    const struct fsh_topology *t;
    struct fsh_route route[FSH_MAX_NODES][FSH_MAX_NODES]; /* from, to */
    unsigned far[FSH_MAX_NODES][FSH_MAX_NODES];           /* least links */
    bool edge[WALK_CHANNELS][WALK_CHANNELS];
    unsigned char colour[WALK_CHANNELS]; /* 1 on the path, 2 done */
    unsigned path[WALK_CHANNELS];
    double load[FSH_MAX_NODES][FSH_MAX_PORTS]; /* packets, all to all */
    unsigned long low, high;                   /* ties in transit */
    unsigned long links, walks;
    bool longer; /* some walk is no shortest path */
};

/* Cables lead back to where they come from, and shortest distances. */
static inline void walk_cables(struct walk *w)
{
    const struct fsh_topology *t = w->t;

    for (unsigned a = 0; a < t->nodes; a++)
        for (unsigned b = 0; b < t->nodes; b++)
            w->far[a][b] = a == b ? 0 : 1000;
    for (unsigned n = 0; n < FSH_MAX_NODES; n++)
        for (unsigned p = 0; p < FSH_MAX_PORTS; p++) {
            struct fsh_plug to = t->peer[n][p];

            if (to.node == FSH_NO_NODE)
                continue;
            CHECK(n < t->nodes && p < t->ports && to.node < t->nodes &&
                      to.node != n && t->peer[to.node][to.port].node == n &&
                      t->peer[to.node][to.port].port == p,
                  "%s: cable at %u.%u", t->name, n, p);
            w->far[n][to.node] = 1;
        }
    for (unsigned m = 0; m < t->nodes; m++)
        for (unsigned a = 0; a < t->nodes; a++)
            for (unsigned b = 0; b < t->nodes; b++)
                if (w->far[a][m] + w->far[m][b] < w->far[a][b])
                    w->far[a][b] = w->far[a][m] + w->far[m][b];
}

static inline void walk_begin(struct walk *w, const struct fsh_topology *t,
                              unsigned allowed)
{
    memset(w, 0, sizeof(*w));
    w->t = t;
    walk_cables(w);
    for (unsigned n = 0; n < t->nodes; n++)
        fsh_topology_routes_from(t, n, allowed, w->route[n]);
}

static inline unsigned walk_channel(const struct walk *w, unsigned node,
                                    unsigned port, unsigned to)
{
    unsigned vc = w->route[node][to].vcs >> port & 1;

    /* Without a dateline both channels are the same network. */
    if (w->t->rule != FSH_TOPOLOGY_DATELINE)
        vc = 0;
    return (node * FSH_MAX_PORTS + port) * 2 + vc;
}

/* The rule of transit, written as the nodes have it. */
static inline unsigned walk_transit(struct walk *w, unsigned mask,
                                    unsigned arrived, unsigned from,
                                    unsigned to)
{
    bool odd = ((from & 1) ^ (to & 1) ^ (arrived & 1)) != 0;
    unsigned lowest = 0, highest = FSH_MAX_PORTS - 1;

    while (!(mask >> lowest & 1))
        lowest++;
    while (!(mask >> highest & 1))
        highest--;
    if (lowest != highest)
        ++*(odd ? &w->high : &w->low);
    return odd ? highest : lowest;
}

/* One packet from a port of its source; weight is its part of the pair's. */
static inline void walk_packet(struct walk *w, unsigned from, unsigned to,
                               unsigned port, double weight)
{
    const struct fsh_topology *t = w->t;
    unsigned node = from, links = 0, held = WALK_CHANNELS;

    for (;;) {
        unsigned channel = walk_channel(w, node, port, to);
        struct fsh_plug behind = t->peer[node][port];

        CHECK(behind.node != FSH_NO_NODE, "%s: %u to %u: %u.%u leads nowhere",
              t->name, from, to, node, port);
        if (held != WALK_CHANNELS)
            w->edge[held][channel] = true;
        held = channel;
        w->load[node][port] += weight;
        links++;
        node = behind.node;
        if (node == to)
            break;
        CHECK(links <= FSH_MAX_HOPS, "%s: %u to %u never arrives", t->name,
              from, to);
        CHECK(w->route[node][to].ports != 0, "%s: %u knows no way to %u",
              t->name, node, to);
        port = walk_transit(w, w->route[node][to].ports, behind.port, from, to);
    }
    w->links += links;
    w->walks++;
    w->longer |= links != w->far[from][to];
}

static inline void walk_pairs(struct walk *w)
{
    for (unsigned from = 0; from < w->t->nodes; from++)
        for (unsigned to = 0; to < w->t->nodes; to++) {
            unsigned mask = w->route[from][to].ports;

            CHECK((mask != 0) == (from != to), "%s: ports from %u to %u: %x",
                  w->t->name, from, to, mask);
            CHECK((w->route[from][to].vcs & ~mask) == 0, "vc of no port");
            for (unsigned p = 0; p < FSH_MAX_PORTS; p++)
                if (mask >> p & 1)
                    walk_packet(w, from, to, p, 1.0 / __builtin_popcount(mask));
        }
}

/* Says the circle that the path has closed at `first`. */
static inline bool walk_tell(const struct walk *w, unsigned depth,
                             unsigned first)
{
    unsigned at = 0;

    while (w->path[at] != first)
        at++;
    printf("%s: packets wait in a circle:", w->t->name);
    for (; at < depth; at++)
        printf(" %u.%u/%u", w->path[at] / 2 / FSH_MAX_PORTS,
               w->path[at] / 2 % FSH_MAX_PORTS, w->path[at] % 2);
    putchar('\n');
    return true;
}

static inline bool walk_visit(struct walk *w, unsigned channel, unsigned depth)
{
    w->colour[channel] = 1;
    w->path[depth++] = channel;
    for (unsigned next = 0; next < WALK_CHANNELS; next++) {
        if (!w->edge[channel][next] || w->colour[next] == 2)
            continue;
        if (w->colour[next] == 1)
            return walk_tell(w, depth, next);
        if (walk_visit(w, next, depth))
            return true;
    }
    w->colour[channel] = 2;
    return false;
}

/* Is there a circle? Prints it. */
static inline bool walk_circle(struct walk *w)
{
    memset(w->colour, 0, sizeof(w->colour));
    for (unsigned c = 0; c < WALK_CHANNELS; c++)
        if (w->colour[c] == 0 && walk_visit(w, c, 0))
            return true;
    return false;
}

/* All of it, for a topology without fault. */
static inline void walk_all(struct walk *w, const struct fsh_topology *t,
                            bool minimal)
{
    char cycle[4096];

    walk_begin(w, t, WALK_ALL);
    walk_pairs(w);
    CHECK(!walk_circle(w), "%s of %u nodes", t->name, t->nodes);
    CHECK(fsh_topology_acyclic(t, cycle, sizeof(cycle)),
          "%s: the library says %s", t->name, cycle);
    CHECK(!minimal || !w->longer, "%s: a path is too long", t->name);
}

#endif
