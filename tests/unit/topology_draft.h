/* SPDX-License-Identifier: BSD-3-Clause */
/* Random cable files (base/topology.h) of connected networks. */
#ifndef UNIT_TOPOLOGY_DRAFT_H
#define UNIT_TOPOLOGY_DRAFT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/fsh_spec.h"
#include "random.h"

/* A network in the making. */
struct draft {
    uint64_t state;
    unsigned nodes, ports, cables;
    bool taken[FSH_MAX_NODES][FSH_MAX_PORTS];
    unsigned used[FSH_MAX_NODES];
    char text[16384];
    size_t length;
};

/* Same seed, same network; the caller sets nodes and ports (2 or more). */
static inline void draft_begin(struct draft *d, uint64_t seed)
{
    memset(d, 0, sizeof(*d));
    d->state = seed * UINT64_C(0x9e3779b97f4a7c15) | 1;
}

static inline unsigned draft_below(struct draft *d, unsigned n)
{
    return (unsigned)(random_next(&d->state) % n);
}

/* With ports of its own or without; where some lines have ports, all have, for the
 * others take the lowest that are free in the end. */
static inline void draft_cable(struct draft *d, unsigned a, unsigned b,
                               bool ports)
{
    unsigned end[2] = {a, b}, port[2] = {0, 0};

    for (unsigned i = 0; i < 2; i++) {
        do
            port[i] = draft_below(d, d->ports);
        while (d->taken[end[i]][port[i]]);
        d->taken[end[i]][port[i]] = true;
        d->used[end[i]]++;
    }
    d->cables++;
    d->length +=
        (size_t)snprintf(d->text + d->length, sizeof(d->text) - d->length,
                         ports ? "%u.%u - %u.%u\n" : "%u%.0u-%u # %u\n", a,
                         ports ? port[0] : 0, b, port[1]);
}

/* A random tree, deep or flat, then so many more cables where ports are free, some
 * beside others. */
static inline void draft_draw(struct draft *d, unsigned more)
{
    bool ports = draft_below(d, 2);
    unsigned deep = 1 + draft_below(d, d->nodes);

    for (unsigned n = 1; n < d->nodes; n++) {
        unsigned up = n;

        while (up == n || d->used[up] == d->ports)
            up = draft_below(d, 2) && n > deep ? n - 1 - draft_below(d, deep)
                                               : draft_below(d, n);
        draft_cable(d, up, n, ports);
    }
    for (unsigned i = 0; i < more; i++) {
        unsigned a = draft_below(d, d->nodes), b = draft_below(d, d->nodes);

        if (a != b && d->used[a] < d->ports && d->used[b] < d->ports)
            draft_cable(d, a, b, ports);
    }
}

#endif
