/* SPDX-License-Identifier: BSD-3-Clause */
/* Topology names, and the cabling of the regular topologies; see topology.h. */
#include "base/topology.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/assertion.h"
#include "base/topology_parts.h"

_Static_assert(FSH_MAX_NODES < FSH_NO_NODE, "a node fits in a plug");

/* A parsed name. */
struct parsed {
    enum fsh_topology_kind kind;
    unsigned sides; /* given in the name */
    uint32_t side[FSH_TOPOLOGY_SIDES];
    const char *path;
};

void fsh_topology_clear(struct fsh_topology *t)
{
    memset(t, 0, sizeof(*t));
    memset(t->peer, FSH_NO_NODE, sizeof(t->peer));
    memset(t->side, 1, sizeof(t->side));
}

void fsh_topology_plug(struct fsh_topology *t, uint32_t a, unsigned p,
                       uint32_t b, unsigned q)
{
    unsigned high = p > q ? p : q;

    FSH_ASSERT(a < t->nodes && b < t->nodes && high < FSH_MAX_PORTS);
    FSH_ASSERT(!fsh_topology_plugged(t, a, p) &&
               !fsh_topology_plugged(t, b, q));
    t->peer[a][p] = (struct fsh_plug){(uint8_t)b, (uint8_t)q};
    t->peer[b][q] = (struct fsh_plug){(uint8_t)a, (uint8_t)p};
    if (t->ports <= high)
        t->ports = (uint8_t)(high + 1);
}

/* Parses "AxB" up to the end of the text: at most `most` numbers from 1 to
 * FSH_MAX_NODES. Returns how many, or 0. */
static unsigned parse_sides(const char *at, unsigned most, uint32_t *side)
{
    for (unsigned n = 0; n < most;) {
        uint32_t value = 0;
        const char *first = at;

        for (; *at >= '0' && *at <= '9' && value <= FSH_MAX_NODES; at++)
            value = value * 10 + (uint32_t)(*at - '0');
        if (at == first || value < 1 || value > FSH_MAX_NODES)
            return 0;
        side[n++] = value;
        if (*at == '\0')
            return n;
        if (*at++ != 'x')
            return 0;
    }
    return 0;
}

static bool parse(const char *name, struct parsed *p)
{
    static const struct {
        const char *word;
        enum fsh_topology_kind kind;
        unsigned sides; /* maximum, at least two; 0: the name takes no sides */
    } kinds[] = {
        {"ring", FSH_TOPOLOGY_RING, 0},
        {"line", FSH_TOPOLOGY_LINE, 0},
        {"mesh:", FSH_TOPOLOGY_MESH, 2},
        {"torus:", FSH_TOPOLOGY_TORUS, 3},
        {"hypercube", FSH_TOPOLOGY_HYPERCUBE, 0},
        {"full", FSH_TOPOLOGY_FULL, 0},
        {"file:", FSH_TOPOLOGY_FILE, 0},
    };

    *p = (struct parsed){.side = {1, 1, 1}};
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        size_t len = strlen(kinds[i].word);

        if (strncmp(name, kinds[i].word, len) != 0)
            continue;
        p->kind = kinds[i].kind;
        p->path = name + len;
        if (p->kind == FSH_TOPOLOGY_FILE)
            return name[len] != '\0' && strlen(name) < FSH_TOPOLOGY_NAME;
        if (kinds[i].sides == 0)
            return name[len] == '\0';
        p->sides = parse_sides(name + len, kinds[i].sides, p->side);
        return p->sides >= 2;
    }
    return false;
}

bool fsh_topology_named(const char *name)
{
    struct parsed p;

    return parse(name, &p);
}

uint32_t fsh_topology_nodes(const char *name)
{
    struct parsed p;

    if (!parse(name, &p))
        return 0;
    if (p.kind == FSH_TOPOLOGY_FILE)
        return fsh_topology_file_nodes(p.path);
    return p.sides > 0 ? p.side[0] * p.side[1] * p.side[2] : 0;
}

/* The factorisation closest to a square, longer side first; false if the shorter side
 * would be less than `least`. */
static bool nearest_square(uint32_t nodes, uint32_t least, uint32_t side[2])
{
    uint32_t low = 0;

    for (uint32_t n = 1; n * n <= nodes; n++)
        if (nodes % n == 0)
            low = n;
    side[0] = nodes / low;
    side[1] = low;
    return low >= least;
}

void fsh_topology_default(uint32_t nodes, unsigned ports, char *name,
                          size_t len)
{
    uint32_t side[2];

    FSH_ASSERT(nodes >= 1 && len >= 16);
    if (nodes > 8 && ports >= 4 && nearest_square(nodes, 3, side))
        snprintf(name, len, "torus:%" PRIu32 "x%" PRIu32, side[0], side[1]);
    else
        snprintf(name, len, "%s", ports >= 2 ? "ring" : "full");
}

static bool check_sides(const struct parsed *p, uint32_t nodes, char *err,
                        size_t errlen)
{
    uint32_t product = p->side[0] * p->side[1] * p->side[2], side[2];
    const char *kind = p->kind == FSH_TOPOLOGY_MESH ? "mesh" : "torus";

    if (product == nodes)
        return true;
    nearest_square(nodes, 1, side);
    snprintf(err, errlen,
             "it has %" PRIu32 " nodes, the job %" PRIu32 ": use -n %" PRIu32
             ", or %s:%" PRIu32 "x%" PRIu32,
             product, nodes, product, kind, side[0], side[1]);
    if (product > FSH_MAX_NODES)
        snprintf(err, errlen,
                 "it has %" PRIu32
                 " nodes, a fabric at most %u: use %s:%" PRIu32 "x%" PRIu32,
                 product, FSH_MAX_NODES, kind, side[0], side[1]);
    return false;
}

/* Cables a line or, with wraps, a ring along each dimension. */
static void plug_grid(struct fsh_topology *t, bool wraps)
{
    uint32_t step = 1;

    for (unsigned d = 0; d < FSH_TOPOLOGY_SIDES; d++) {
        uint32_t side = t->side[d];

        for (uint32_t n = 0; n < t->nodes; n++) {
            uint32_t x = n / step % side;

            if (x + 1 < side)
                fsh_topology_plug(t, n, 2 * d, n + step, 2 * d + 1);
            else if (wraps && side > 1)
                fsh_topology_plug(t, n, 2 * d, n - x * step, 2 * d + 1);
        }
        step *= side;
    }
    t->rule = wraps ? FSH_TOPOLOGY_DATELINE : FSH_TOPOLOGY_ORDERED;
}

static bool plug_hypercube(struct fsh_topology *t, char *err, size_t errlen)
{
    uint32_t less = 1;

    while (2 * less <= t->nodes)
        less *= 2;
    if (less != t->nodes) {
        snprintf(err, errlen,
                 "%u nodes are not a power of two: use -n %" PRIu32
                 " or -n %" PRIu32 ", or ring",
                 t->nodes, less, 2 * less);
        return false;
    }
    for (uint32_t n = 0; n < t->nodes; n++)
        for (unsigned d = 0; 1u << d < t->nodes; d++)
            if (!(n >> d & 1))
                fsh_topology_plug(t, n, d, n | 1u << d, d);
    return true;
}

static bool plug_full(struct fsh_topology *t, unsigned ports, char *err,
                      size_t errlen)
{
    if (t->nodes > ports + 1) {
        snprintf(err, errlen,
                 "%u nodes need %u link ports each, and there are %u: use -n "
                 "%u, or ring",
                 t->nodes, t->nodes - 1u, ports, ports + 1);
        return false;
    }
    for (uint32_t a = 0; a < t->nodes; a++)
        for (uint32_t b = a + 1; b < t->nodes; b++)
            fsh_topology_plug(t, a, b - 1, b, a);
    return true;
}

static void set_sides(struct fsh_topology *t, const struct parsed *p)
{
    if (p->sides == 0) {
        t->side[0] = t->nodes;
        return;
    }
    for (unsigned d = 0; d < FSH_TOPOLOGY_SIDES; d++)
        t->side[d] = (uint8_t)p->side[d];
}

static bool plug_all(struct fsh_topology *t, const struct parsed *p,
                     unsigned ports, char *err, size_t errlen)
{
    switch (p->kind) {
    case FSH_TOPOLOGY_RING:
    case FSH_TOPOLOGY_LINE:
    case FSH_TOPOLOGY_MESH:
    case FSH_TOPOLOGY_TORUS:
        if (p->sides > 0 && !check_sides(p, t->nodes, err, errlen))
            return false;
        set_sides(t, p);
        plug_grid(t, p->kind == FSH_TOPOLOGY_RING ||
                         p->kind == FSH_TOPOLOGY_TORUS);
        return true;
    case FSH_TOPOLOGY_HYPERCUBE:
        return plug_hypercube(t, err, errlen);
    case FSH_TOPOLOGY_FULL:
        return plug_full(t, ports, err, errlen);
    case FSH_TOPOLOGY_FILE:
        return fsh_topology_read(t, p->path, ports, err, errlen);
    }
    return false;
}

static bool check_numbers(uint32_t nodes, unsigned ports, char *err,
                          size_t errlen)
{
    FSH_ASSERT(ports >= 1 && ports <= FSH_MAX_PORTS);
    if (nodes >= 1 && nodes <= FSH_MAX_NODES)
        return true;
    snprintf(err, errlen, "a fabric has 1 to %u nodes, not %" PRIu32,
             FSH_MAX_NODES, nodes);
    return false;
}

bool fsh_topology_make(struct fsh_topology *t, const char *name, uint32_t nodes,
                       unsigned ports, char *err, size_t errlen)
{
    struct fsh_topology made;
    struct parsed p;

    if (!check_numbers(nodes, ports, err, errlen))
        return false;
    if (!parse(name, &p)) {
        snprintf(err, errlen, "expected one of %s", FSH_TOPOLOGY_NAMES);
        return false;
    }
    fsh_topology_clear(&made);
    made.kind = p.kind;
    made.nodes = (uint8_t)nodes;
    snprintf(made.name, sizeof(made.name), "%s", name);
    if (!plug_all(&made, &p, ports, err, errlen))
        return false;
    if (made.ports > ports) {
        snprintf(err, errlen,
                 "%u nodes of it need %u link ports each, and there are %u: "
                 "use %s",
                 made.nodes, made.ports, ports,
                 ports >= 2 ? "ring" : "full, with -n 2");
        return false;
    }
    *t = made;
    return true;
}
