/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Topologies by name (base/topology.h), of all sizes: cables, routes for every
 * choice of ports, acyclic channel dependences, distribution of traffic, defaults,
 * refusals. Cable files: topology_file.c.
 */
#include <stdlib.h>

#include "topology_walk.h"

static struct walk walk;
static struct fsh_topology topology;

static const struct fsh_topology *make(const char *name, uint32_t nodes)
{
    char err[300];

    CHECK(fsh_topology_make(&topology, name, nodes, FSH_MAX_PORTS, err,
                            sizeof(err)),
          "%s of %u: %s", name, nodes, err);
    CHECK(strcmp(topology.name, name) == 0 && topology.nodes == nodes);
    return &topology;
}

static void check_cable(unsigned a, unsigned p, unsigned b, unsigned q)
{
    CHECK(topology.peer[a][p].node == b && topology.peer[a][p].port == q,
          "%s: %u.%u leads to %u.%u", topology.name, a, p,
          topology.peer[a][p].node, topology.peer[a][p].port);
}

static void check_open(unsigned node, unsigned port)
{
    CHECK(topology.peer[node][port].node == FSH_NO_NODE, "%s: %u.%u",
          topology.name, node, port);
}

/* The numbers of ports that the devices and their users rely on. */
static void test_cables(void)
{
    make("ring", 5);
    check_cable(1, 0, 2, 1);
    check_cable(4, 0, 0, 1);
    CHECK(topology.ports == 2);
    make("ring", 2); /* two cables */
    check_cable(0, 0, 1, 1);
    check_cable(0, 1, 1, 0);
    make("ring", 1);
    check_open(0, 0);
    CHECK(topology.ports == 0);
    make("line", 3);
    check_cable(0, 0, 1, 1);
    check_open(0, 1);
    check_open(2, 0);
    make("mesh:3x2", 6);
    check_cable(1, 2, 4, 3);
    check_open(2, 0);
    check_open(5, 2);
    make("torus:4x3", 12);
    check_cable(3, 0, 0, 1);
    check_cable(9, 2, 1, 3);
    make("torus:3x4x5", 60);
    check_cable(2, 4, 14, 5);
    check_cable(50, 4, 2, 5);
    CHECK(topology.ports == 6);
    make("torus:1x4", 4);
    check_open(0, 0);
    check_cable(3, 2, 0, 3);
    make("hypercube", 16);
    check_cable(5, 1, 7, 1);
    check_open(5, 4);
    make("full", 5);
    check_cable(3, 0, 0, 2);
    check_cable(0, 3, 4, 0);
}

/* Reversed, a packet takes the other port of a tie, so both are used alike; and as
 * many packets go + as - along each dimension. */
static void check_shares(const struct fsh_topology *t)
{
    double sum[FSH_MAX_PORTS] = {0};

    CHECK(walk.low == walk.high, "%s: ties: %lu lowest, %lu highest", t->name,
          walk.low, walk.high);
    for (unsigned n = 0; n < t->nodes; n++)
        for (unsigned p = 0; p < FSH_MAX_PORTS; p++)
            sum[p] += walk.load[n][p];
    for (unsigned d = 0; t->side[0] > 1 && d < FSH_TOPOLOGY_SIDES; d++)
        CHECK(sum[2 * d] - sum[2 * d + 1] < 1e-6 &&
                  sum[2 * d + 1] - sum[2 * d] < 1e-6,
              "%s: %g packets by port %u, %g by port %u", t->name, sum[2 * d],
              2 * d, sum[2 * d + 1], 2 * d + 1);
}

/* Halves of the packets between any two nodes take each channel, or the channel
 * changes at the wrap. */
static void check_vcs(const struct fsh_topology *t)
{
    for (unsigned from = 0; from < t->nodes; from++)
        for (unsigned to = 0; to < t->nodes; to++) {
            struct fsh_route r = walk.route[from][to];

            if (t->rule != FSH_TOPOLOGY_DATELINE)
                CHECK(r.vcs == (to % 2 ? r.ports : 0), "%s: %u to %u", t->name,
                      from, to);
        }
}

static void check(const char *name, uint32_t nodes)
{
    const struct fsh_topology *t = make(name, nodes);

    walk_all(&walk, t, true);
    check_shares(t);
    check_vcs(t);
}

static void test_all_sizes(void)
{
    char name[32];

    for (uint32_t n = 1; n <= FSH_MAX_NODES; n++) {
        check("ring", n);
        check("line", n);
        if ((n & (n - 1)) == 0)
            check("hypercube", n);
        if (n <= FSH_MAX_PORTS + 1)
            check("full", n);
    }
    for (uint32_t a = 1; a <= FSH_MAX_NODES; a++)
        for (uint32_t b = 1; a * b <= FSH_MAX_NODES; b++) {
            snprintf(name, sizeof(name), "mesh:%ux%u", a, b);
            check(name, a * b);
            snprintf(name, sizeof(name), "torus:%ux%u", a, b);
            check(name, a * b);
        }
    for (uint32_t a = 1; a <= 16; a++)
        for (uint32_t b = 1; a * b <= FSH_MAX_NODES; b++)
            for (uint32_t c = 1; a * b * c <= FSH_MAX_NODES; c++) {
                snprintf(name, sizeof(name), "torus:%ux%ux%u", a, b, c);
                check(name, a * b * c);
            }
}

/* No link of a torus carries far more than another of its dimension. */
static void test_links_are_shared(void)
{
    static const struct {
        const char *name;
        uint32_t nodes;
    } tori[] = {{"torus:4x4", 16}, {"torus:8x8", 64}, {"torus:4x4x4", 64},
                {"torus:2x2", 4},  {"torus:8x4", 32}, {"torus:5x4", 20}};

    for (unsigned i = 0; i < sizeof(tori) / sizeof(tori[0]); i++) {
        walk_all(&walk, make(tori[i].name, tori[i].nodes), true);
        for (unsigned p = 0; p < topology.ports; p++) {
            double least = 1e9, most = 0;

            for (unsigned n = 0; n < topology.nodes; n++) {
                least = walk.load[n][p] < least ? walk.load[n][p] : least;
                most = walk.load[n][p] > most ? walk.load[n][p] : most;
            }
            CHECK(most <= 1.5 * least, "%s: port %u: %g to %g packets",
                  tori[i].name, p, least, most);
        }
    }
}

/* The channel bit in a ring: 0 as long as the wrap is ahead. */
static void test_dateline(void)
{
    struct fsh_route route[FSH_MAX_NODES];

    make("ring", 6);
    fsh_topology_routes_from(&topology, 4, WALK_ALL, route);
    CHECK(route[0].ports == 1 && route[0].vcs == 0);
    CHECK(route[1].ports == 3 && route[1].vcs == 2);
    CHECK(route[2].ports == 2 && route[2].vcs == 2);
    CHECK(route[5].ports == 1 && route[5].vcs == 1);
    CHECK(route[4].ports == 0);
    fsh_topology_routes_from(&topology, 0, WALK_ALL, route);
    CHECK(route[5].ports == 2 && route[5].vcs == 0);
    CHECK(route[1].ports == 1 && route[1].vcs == 1);
}

/* With one port of a ring barred packets go the long way round, and still do not
 * wait in a circle; in a line some nodes are out of reach. */
static void test_barred_ports(void)
{
    struct fsh_route route[FSH_MAX_NODES];

    for (unsigned allowed = 1; allowed <= 2; allowed++)
        for (uint32_t n = 2; n <= FSH_MAX_NODES; n++) {
            walk_begin(&walk, make("ring", n), allowed);
            walk_pairs(&walk);
            CHECK(!walk_circle(&walk), "ring of %u, ports %u", n, allowed);
            CHECK(walk.walks == n * (n - 1) && walk.links == n * walk.walks / 2,
                  "ring of %u, ports %u", n, allowed);
        }
    make("line", 4);
    fsh_topology_routes_from(&topology, 1, 1, route);
    CHECK(route[0].ports == 0 && route[2].ports == 1 && route[3].ports == 1);
}

static void test_transit(void)
{
    CHECK(fsh_topology_transit(0x2a, 0, 4, 6) == 1);
    CHECK(fsh_topology_transit(0x2a, 1, 4, 6) == 5);
    CHECK(fsh_topology_transit(0x2a, 0, 5, 6) == 5);
    CHECK(fsh_topology_transit(0x2a, 3, 5, 6) == 1);
    CHECK(fsh_topology_transit(0x2a, 2, 5, 7) == 1);
    CHECK(fsh_topology_transit(0x08, 2, 5, 6) == 3);
}

/* What finds no fault must be able to: without the dateline, and without the order
 * of dimensions, there are circles. */
static void test_circles_are_found(void)
{
    for (uint32_t n = 5; n <= 12; n++) {
        walk_begin(&walk, make("ring", n), WALK_ALL);
        for (unsigned from = 0; from < n; from++)
            for (unsigned to = 0; to < n; to++)
                walk.route[from][to].vcs = 0;
        walk_pairs(&walk);
        CHECK(walk_circle(&walk), "ring of %u", n);
    }
    walk_begin(&walk, make("mesh:3x3", 9), WALK_ALL);
    for (unsigned from = 0; from < 9; from++)
        for (unsigned to = 0; to < 9; to++)
            if (from % 2)
                /* Odd nodes: the second dimension first. */
                walk.route[from][to] = (struct fsh_route){
                    (uint8_t)(to / 3 > from / 3   ? 4
                              : to / 3 < from / 3 ? 8
                                                  : walk.route[from][to].ports),
                    0};
            else
                walk.route[from][to].vcs = 0;
    walk_pairs(&walk);
    CHECK(walk_circle(&walk), "mesh in no order");
}

static void check_default(uint32_t nodes, unsigned ports, const char *expected)
{
    char name[16], err[300];

    fsh_topology_default(nodes, ports, name, sizeof(name));
    CHECK(strcmp(name, expected) == 0, "%u nodes, %u ports: %s, not %s", nodes,
          ports, name, expected);
    CHECK(fsh_topology_make(&topology, name, nodes, ports, err, sizeof(err)),
          "%s of %u: %s", name, nodes, err);
}

static void test_defaults(void)
{
    for (uint32_t n = 1; n <= FSH_MAX_NODES; n++)
        check_default(n, 2, "ring");
    for (uint32_t n = 1; n <= 8; n++)
        check_default(n, 6, "ring");
    check_default(9, 4, "torus:3x3");
    check_default(10, 4, "ring");
    check_default(12, 3, "ring");
    check_default(12, 4, "torus:4x3");
    check_default(16, 6, "torus:4x4");
    check_default(17, 6, "ring");
    check_default(24, 6, "torus:6x4");
    check_default(32, 6, "torus:8x4");
    check_default(60, 6, "torus:10x6");
    check_default(62, 6, "ring");
    check_default(64, 6, "torus:8x8");
}

/* The topology that there is stays. */
static void check_refused(const char *name, uint32_t nodes, unsigned ports,
                          const char *say)
{
    char err[400] = "";

    CHECK(!fsh_topology_make(&topology, name, nodes, ports, err, sizeof(err)),
          "%s of %u", name, nodes);
    CHECK(strstr(err, say), "%s of %u: %s", name, nodes, err);
    CHECK(topology.nodes == 3 && strcmp(topology.name, "ring") == 0);
}

static void test_refusals(void)
{
    static const char *const unknown[] = {"",
                                          "rings",
                                          "torus",
                                          "torus:4",
                                          "torus:4x",
                                          "torus:x4",
                                          "torus:0x4",
                                          "torus:2x2x1x1",
                                          "mesh:2x2x1",
                                          "mesh:2x2 ",
                                          "file:",
                                          "hypercube:3",
                                          "torus:4294967297x4"};
    static const struct {
        const char *name;
        uint32_t nodes;
        unsigned ports;
        const char *say;
    } wrong[] = {
        {"torus:4x4", 12, 6,
         "it has 16 nodes, the job 12: use -n 16, or torus:4x3"},
        {"mesh:3x3", 16, 6,
         "it has 9 nodes, the job 16: use -n 9, or mesh:4x4"},
        {"torus:9x8", 12, 6, "it has 72 nodes, a fabric at most 64"},
        {"torus:4x3", 12, 2,
         "need 4 link ports each, and there are 2: use ring"},
        {"torus:4x2x2", 16, 4, "need 6 link ports each, and there are 4"},
        {"hypercube", 12, 6,
         "12 nodes are not a power of two: use -n 8 or -n 16"},
        {"hypercube", 16, 3, "need 4 link ports each, and there are 3"},
        {"full", 8, 6,
         "8 nodes need 7 link ports each, and there are 6: use "
         "-n 7, or ring"},
        {"ring", 3, 1, "need 2 link ports each, and there are 1"},
        {"ring", 65, 2, "1 to 64 nodes, not 65"},
        {"ring", 0, 2, "1 to 64 nodes, not 0"},
        {"file:/nonexistent/cables", 4, 6, "/nonexistent/cables: No such file"},
        {"file:/dev/null", 4, 6, "/dev/null: not a cable file"},
    };

    make("ring", 3);
    for (unsigned i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++)
        check_refused(unknown[i], 8, 6,
                      "expected one of ring|line|mesh:AxB|torus:AxB|");
    for (unsigned i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        check_refused(wrong[i].name, wrong[i].nodes, wrong[i].ports,
                      wrong[i].say);
}

static void test_names(void)
{
    static const char *const right[] = {
        "ring",         "line",      "mesh:2x2", "torus:9x9",
        "torus:1x1x64", "hypercube", "full",     "file:x"};
    char path[FSH_TOPOLOGY_NAME + 1];

    for (unsigned i = 0; i < sizeof(right) / sizeof(right[0]); i++)
        CHECK(fsh_topology_named(right[i]), "%s", right[i]);
    CHECK(fsh_topology_nodes("torus:3x4x5") == 60 &&
          fsh_topology_nodes("mesh:4x2") == 8 &&
          fsh_topology_nodes("ring") == 0 && fsh_topology_nodes("star") == 0 &&
          fsh_topology_nodes("file:/no/such") == 0);
    CHECK(!fsh_topology_named("star") && !fsh_topology_named("file"));
    memset(path, 'x', sizeof(path));
    memcpy(path, "file:", 5);
    path[FSH_TOPOLOGY_NAME - 1] = '\0';
    CHECK(fsh_topology_named(path));
    path[FSH_TOPOLOGY_NAME - 1] = 'x';
    path[FSH_TOPOLOGY_NAME] = '\0';
    CHECK(!fsh_topology_named(path));
}

int main(void)
{
    test_cables();
    test_names();
    test_transit();
    test_dateline();
    test_all_sizes();
    test_links_are_shared();
    test_barred_ports();
    test_circles_are_found();
    test_defaults();
    test_refusals();
    puts("PASS");
    return 0;
}
