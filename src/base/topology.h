/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Topologies: how the link ports of a fabric's nodes are cabled, and by which
 * ports and virtual channels packets go. The launcher makes one from a name;
 * ranks program their nodes by it, the simulator wires its links by it. Plain
 * data without pointers, so it may lie in shared memory. Pure but for cable
 * files, which are read once; any thread.
 *
 * Ports: dimension d of a grid has + at port 2d and - at port 2d + 1; port d of
 * a hypercube flips bit d; port j of node n in a full one leads to j < n ? j :
 * j + 1. Why no packets wait for each other in a circle says
 * docs/03_developer/routing.md.
 */
#ifndef FSH_TOPOLOGY_H
#define FSH_TOPOLOGY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fsh_spec.h"

#define FSH_TOPOLOGY_SIDES 3u    /* dimensions of a grid, at most */
#define FSH_TOPOLOGY_CHANNELS 2u /* of a link and a kind of message: vc 0, 1 */
#define FSH_TOPOLOGY_NAME 4104u  /* "file:" and a path, with the zero */
#define FSH_NO_NODE UINT8_MAX

/* The names there are, as a list of choices. */
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

/* How packets find their way, and with it why they never wait in a circle. */
enum fsh_topology_rule {
    FSH_TOPOLOGY_ORDERED,  /* dimension after dimension, none with a wrap */
    FSH_TOPOLOGY_DATELINE, /* the same with wraps, after which vc is 1 */
    FSH_TOPOLOGY_SHORTEST, /* any shortest path, found to have no circle */
    FSH_TOPOLOGY_UP_DOWN,  /* never up again after down */
};

/* The other end of a cable; node FSH_NO_NODE: none. */
struct fsh_plug {
    uint8_t node, port;
};

struct fsh_topology {
    enum fsh_topology_kind kind;
    enum fsh_topology_rule rule;
    uint8_t nodes;
    uint8_t ports; /* one more than the highest with a cable; 0: no cable */
    uint8_t side[FSH_TOPOLOGY_SIDES]; /* of a grid, x first; else 1 */
    uint8_t root;                     /* of a cable file ... */
    uint8_t level[FSH_MAX_NODES];     /* ... and distances from it */
    struct fsh_plug peer[FSH_MAX_NODES][FSH_MAX_PORTS];
    char name[FSH_TOPOLOGY_NAME]; /* as given */
};

/* Ports by which a node reaches another, and those of them with vc 1 on the link
 * behind. */
struct fsh_route {
    uint8_t ports, vcs;
};

/* The word of register ROUTE for a node so reached, with a segment of `size` bytes. */
static inline uint64_t fsh_route_word(struct fsh_route route, uint64_t size)
{
    return size | (uint64_t)route.vcs << 48 | (uint64_t)route.ports << 56;
}

/* For who has cables from elsewhere: none anywhere; then one, between free ports. */
void fsh_topology_clear(struct fsh_topology *t);
void fsh_topology_plug(struct fsh_topology *t, uint32_t a, unsigned p,
                       uint32_t b, unsigned q);
static inline bool fsh_topology_plugged(const struct fsh_topology *t,
                                        uint32_t node, unsigned port)
{
    return t->peer[node][port].node != FSH_NO_NODE;
}

/* Is this one of the names, whatever the number of nodes? */
bool fsh_topology_named(const char *name);

/* The topology of this name for so many nodes (1 to FSH_MAX_NODES) with at most
 * `ports` ports each (1 to FSH_MAX_PORTS). Reads a cable file. False if it
 * cannot be: then *t is as it was and err says why and what to do instead, as the
 * end of a sentence that begins with the name. */
bool fsh_topology_make(struct fsh_topology *t, const char *name, uint32_t nodes,
                       unsigned ports, char *err, size_t errlen);

/* How many nodes a name or a cable file speaks of; 0: none, or it cannot be read. */
uint32_t fsh_topology_nodes(const char *name);

/* Name of the topology that such a fabric has if nobody chose one; with two ports
 * or more it is never refused. Into name, which has 16 bytes or more. */
void fsh_topology_default(uint32_t nodes, unsigned ports, char *name,
                          size_t len);

/* Routes of all nodes to `to`, by the ports in `allowed`: a mask; where it bars the
 * shortest way round a ring, the longer one. ports 0: no way; so to `to` itself. */
void fsh_topology_routes_to(const struct fsh_topology *t, uint32_t to,
                            unsigned allowed,
                            struct fsh_route route[FSH_MAX_NODES]);
/* The same of one node to all. */
void fsh_topology_routes_from(const struct fsh_topology *t, uint32_t from,
                              unsigned allowed,
                              struct fsh_route route[FSH_MAX_NODES]);

/* The port by which a packet goes on that arrived on port `arrived`, out of the
 * mask of its route, which is not 0. The nodes do the same. */
unsigned fsh_topology_transit(unsigned ports, unsigned arrived, uint32_t source,
                              uint32_t dest);

/* Does no packet ever wait for itself, if each waits with its link (node, port, vc)
 * for the next? Where vc is no part of the argument, with one channel a link. If not,
 * the circle is in cycle, as text; len 0: not told. */
bool fsh_topology_acyclic(const struct fsh_topology *t, char *cycle,
                          size_t len);

#endif
