/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Topologies: how the link ports of a fabric's nodes are cabled, and the ports
 * and virtual channels that packets take. The launcher creates one from a name;
 * ranks program the route tables of their nodes from it, and the simulator
 * wires its links. Plain data without pointers, so it may lie in shared memory.
 * Pure functions, apart from reading cable files once; any thread.
 *
 * Ports: dimension d of a grid has + at port 2d and - at port 2d + 1; port d of
 * a hypercube flips bit d; in a full mesh, port j of node n leads to j < n ? j
 * : j + 1. docs/03_developer/routing.md shows why routing is deadlock-free.
 */
#ifndef FSH_TOPOLOGY_H
#define FSH_TOPOLOGY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fsh_spec.h"

#define FSH_TOPOLOGY_SIDES 3u    /* maximum number of grid dimensions */
#define FSH_TOPOLOGY_CHANNELS 2u /* vc 0 and 1, per link and message kind */
#define FSH_TOPOLOGY_NAME 4104u  /* "file:" and a path, NUL included */
#define FSH_NO_NODE UINT8_MAX

/* The known names, as a list of choices. */
#define FSH_TOPOLOGY_NAMES                                     \
    "ring|line|mesh:AxB|torus:AxB|torus:AxBxC|hypercube|full|" \
    "file:PATH"

enum fsh_topology_kind {
    FSH_TOPOLOGY_RING,
    FSH_TOPOLOGY_LINE,
    FSH_TOPOLOGY_MESH,
    FSH_TOPOLOGY_TORUS,
    FSH_TOPOLOGY_HYPERCUBE,
    FSH_TOPOLOGY_FULL,
    FSH_TOPOLOGY_FILE,
};

/* The routing rule, which also determines why it is deadlock-free. */
enum fsh_topology_rule {
    FSH_TOPOLOGY_ORDERED,  /* dimension order, no wraps */
    FSH_TOPOLOGY_DATELINE, /* dimension order with wraps; vc 1 after the wrap */
    FSH_TOPOLOGY_SHORTEST, /* any shortest path, checked to be free of cycles */
    FSH_TOPOLOGY_UP_DOWN,  /* never up again after down */
};

/* The other end of a cable; node FSH_NO_NODE: not connected. */
struct fsh_plug {
    uint8_t node, port;
};

struct fsh_topology {
    enum fsh_topology_kind kind;
    enum fsh_topology_rule rule;
    uint8_t nodes;
    uint8_t ports;                    /* highest cabled port + 1; 0: no cable */
    uint8_t side[FSH_TOPOLOGY_SIDES]; /* sides of a grid, x first; else 1 */
    uint8_t root;                     /* of a cable file's up/down tree ... */
    uint8_t level[FSH_MAX_NODES];     /* ... and each node's distance from it */
    struct fsh_plug peer[FSH_MAX_NODES][FSH_MAX_PORTS];
    char name[FSH_TOPOLOGY_NAME]; /* as given */
};

/* The ports by which a node reaches another, and the subset that uses vc 1 on the link
 * behind the port. */
struct fsh_route {
    uint8_t ports, vcs;
};

/* The value of register ROUTE for a destination with this route and a segment of `size`
 * bytes. */
static inline uint64_t fsh_route_word(struct fsh_route route, uint64_t size)
{
    return size | (uint64_t)route.vcs << 48 | (uint64_t)route.ports << 56;
}

/* For topologies cabled by hand: removes all cables; adds one between free ports. */
void fsh_topology_clear(struct fsh_topology *t);
void fsh_topology_plug(struct fsh_topology *t, uint32_t a, unsigned p,
                       uint32_t b, unsigned q);
static inline bool fsh_topology_plugged(const struct fsh_topology *t,
                                        uint32_t node, unsigned port)
{
    return t->peer[node][port].node != FSH_NO_NODE;
}

/* Whether this is a known name, for any number of nodes. */
bool fsh_topology_named(const char *name);

/* Makes the topology of this name for 1 to FSH_MAX_NODES nodes with at most `ports`
 * ports each (1 to FSH_MAX_PORTS). May read a cable file. On failure returns false,
 * leaves *t unchanged and sets err to the cause and the remedy, phrased to continue a
 * sentence that begins with the name. */
bool fsh_topology_make(struct fsh_topology *t, const char *name, uint32_t nodes,
                       unsigned ports, char *err, size_t errlen);

/* The number of nodes that a name or cable file implies; 0: none, or unreadable. */
uint32_t fsh_topology_nodes(const char *name);

/* The default topology for a fabric of this size, which with two or more ports is
 * always possible. name has room for at least 16 bytes. */
void fsh_topology_default(uint32_t nodes, unsigned ports, char *name,
                          size_t len);

/* Routes of all nodes to `to`, using only ports in the mask `allowed`; if that bars the
 * shorter way round a ring, the longer one. ports 0: no route, and also for `to`
 * itself. */
void fsh_topology_routes_to(const struct fsh_topology *t, uint32_t to,
                            unsigned allowed,
                            struct fsh_route route[FSH_MAX_NODES]);
/* Routes of one node to all nodes. */
void fsh_topology_routes_from(const struct fsh_topology *t, uint32_t from,
                              unsigned allowed,
                              struct fsh_route route[FSH_MAX_NODES]);

/* The output port, from the non-empty mask of its route, of a packet that
 * arrived on port `arrived`. The hardware makes the same choice. */
unsigned fsh_topology_transit(unsigned ports, unsigned arrived, uint32_t source,
                              uint32_t dest);

/* Whether the routes are deadlock-free: the channel dependency graph, in which a packet
 * holds a channel (node, port, vc) while waiting for the next, has no cycle. Rules that
 * do not depend on vc are checked with one channel per link. If there is a cycle, it is
 * written to `cycle` as text; len 0: not wanted. */
bool fsh_topology_acyclic(const struct fsh_topology *t, char *cycle,
                          size_t len);

#endif
