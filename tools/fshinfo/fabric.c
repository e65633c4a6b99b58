/* SPDX-License-Identifier: BSD-3-Clause */
/* The command fabric of fshinfo; see fabric.h. */
#include "fabric.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/option.h"
#include "boot/job.h"
#include "options.h"

enum { DEFAULT_NODES = 4 };

static uint32_t nodes; /* 0: not specified */
static uint32_t ranks; /* those of a job with ranks without a card, else 0 */
static uint64_t cards;
static bool wants_cards, wants_dot, wants_help;

static bool take_nodes(const struct kit_option *row, const char *text,
                       char *err, size_t errlen)
{
    char *end;
    long n = strtol(text, &end, 10);

    (void)row;
    nodes = (uint32_t)n;
    if (end != text && !*end && n >= 1 && n <= (long)FSH_MAX_NODES)
        return true;
    snprintf(err, errlen, "-n %s: expected the number of nodes, 1 to %u", text,
             FSH_MAX_NODES);
    return false;
}

static const struct kit_option rows[] = {
    {"--topology", "T",
     "as in fshrun; default: FSHMEM_TOPOLOGY, else the\n"
     "default of a job of that many ranks",
     .setting = "FSHMEM_TOPOLOGY"},
    {"--np", "N", "nodes; default: as in the name or the file, else 4",
     .take = take_nodes, .alias = "-n"},
    {"--cards", "N",
     "whose node is which in a job of conduit mixed: as in\n"
     "fshrun, of that many ranks (-n) N have a card",
     .flag = &wants_cards, .setting = "FSHMEM_CARDS"},
    {"--dot", .help = "print the graph for Graphviz", .flag = &wants_dot},
    {"--help", .flag = &wants_help, .ends = true, .alias = "-h"},
};

static const struct kit_options options = {
    .tool = "fshinfo",
    .command = "fabric",
    .rows = rows,
    .count = sizeof(rows) / sizeof(rows[0]),
};

void fabric_help(FILE *out)
{
    fputs(
        "\n"
        "  fabric      cabling of the nodes of conduit fpga, and its properties\n",
        out);
    kit_options_print(out, &options, 4, 24);
}

/* ---- sections ---- */

static void list_cables(const struct fsh_topology *t)
{
    for (uint32_t n = 0; n < t->nodes; n++) {
        printf("  %2" PRIu32 ":", n);
        for (unsigned p = 0; p < t->ports; p++)
            if (fsh_topology_plugged(t, n, p))
                printf("  %u to %u.%u", p, t->peer[n][p].node,
                       t->peer[n][p].port);
        putchar('\n');
    }
}

static void print_dot(const struct fsh_topology *t)
{
    printf("graph fabric {\n  node [shape=circle];\n");
    for (uint32_t n = 0; n < t->nodes; n++)
        printf("  %" PRIu32 ";\n", n);
    for (uint32_t n = 0; n < t->nodes; n++)
        for (unsigned p = 0; p < t->ports; p++) {
            struct fsh_plug to = t->peer[n][p];

            if (to.node != FSH_NO_NODE &&
                (to.node > n || (to.node == n && to.port > p)))
                printf("  %" PRIu32 " -- %u [taillabel=%u, headlabel=%u];\n", n,
                       to.node, p, to.port);
        }
    puts("}");
}

/* Why routing is deadlock-free. */
static void explain(const struct fsh_topology *t, char *text, size_t len)
{
    switch (t->rule) {
    case FSH_TOPOLOGY_ORDERED:
        snprintf(text, len, "%s",
                 t->kind == FSH_TOPOLOGY_FULL ? "every node is a neighbour"
                 : t->kind == FSH_TOPOLOGY_HYPERCUBE
                     ? "bit by bit, lowest first"
                     : "dimension order, no wraps");
        break;
    case FSH_TOPOLOGY_DATELINE:
        snprintf(text, len, "%s", "dimension order, vc 1 after the wrap");
        break;
    case FSH_TOPOLOGY_SHORTEST:
        snprintf(text, len, "%s", "all shortest paths");
        break;
    case FSH_TOPOLOGY_UP_DOWN:
        snprintf(text, len, "up, then down; root is node %u", t->root);
        break;
    }
}

/* The bisection: minimal, or the smallest found. */
static void print_bisection(const struct fabric_facts *facts)
{
    printf("  %-18s %u cable%s", "bisection", facts->bisection,
           facts->bisection == 1 ? "" : "s");
    if (!facts->exact)
        printf(" or fewer (the least of %u cuts)", facts->cuts);
    putchar('\n');
}

static bool summarize(const struct fsh_topology *t)
{
    struct fabric_facts facts = fabric_facts(t);
    char why[80], cycle[512] = "";
    bool acyclic = fsh_topology_acyclic(t, cycle, sizeof(cycle));

    explain(t, why, sizeof(why));
    printf("\n  %-18s %u\n", "nodes", t->nodes);
    printf("  %-18s %u\n", "cables", facts.cables);
    printf("  %-18s %u\n", "ports used", t->ports);
    printf("  %-18s %u link%s\n", "diameter", facts.diameter,
           facts.diameter == 1 ? "" : "s");
    printf("  %-18s %.3f links\n", "average path", facts.hops);
    print_bisection(&facts);
    printf("  %-18s %s\n", "deadlock",
           acyclic ? "none: no cycle of channels" : "possible");
    printf("  %-18s %s%s\n", "",
           acyclic ? why : "cycle: ", acyclic ? "" : cycle);
    return acyclic;
}

/* Whose node is which. */
static void list_cards(void)
{
    uint32_t node = 0;

    printf("\n  rank  node\n");
    for (uint32_t r = 0; r < ranks; r++)
        if (cards >> r & 1)
            printf("  %4" PRIu32 "  %4" PRIu32 "\n", r, node++);
        else
            printf("  %4" PRIu32 "  no card\n", r);
}

/* ---- the command ---- */

/* Of -n ranks only some have nodes. */
static void read_cards(void)
{
    char err[200];

    ranks = nodes != 0 ? nodes : DEFAULT_NODES;
    if (!fsh_job_cards(ranks, &cards, err, sizeof(err)))
        fsh_fatal_code(2, "fabric: --cards %s: %s",
                       fsh_option_str("FSHMEM_CARDS"), err);
    nodes = (uint32_t)__builtin_popcountll(cards);
}

/* The topology requested, or NULL. */
static const char *chosen(void)
{
    const char *name = fsh_option_str("FSHMEM_TOPOLOGY");

    return name[0] ? name : NULL;
}

/* The requested topology, or the one a job would use. */
static void make(struct fsh_topology *t)
{
    const char *name = chosen();
    char preset[16], err[600];
    uint32_t count = nodes;

    if (count == 0 && name)
        count = fsh_topology_nodes(name);
    if (count == 0)
        count = DEFAULT_NODES;
    fsh_topology_default(count, FSH_MAX_PORTS, preset, sizeof(preset));
    if (!fsh_topology_make(t, name ? name : preset, count, FSH_MAX_PORTS, err,
                           sizeof(err)))
        fsh_fatal_code(2, "fabric: topology %s: %s", name ? name : preset, err);
}

int fabric_command(int argc, char **argv)
{
    struct fsh_topology t;
    bool sound = true;

    kit_options_read(&options, argc, argv);
    if (wants_help) {
        fabric_help(stdout);
        return 0;
    }
    if (wants_cards)
        read_cards();
    make(&t);
    if (wants_dot) {
        print_dot(&t);
    } else {
        printf("%s of %u nodes%s\n\n", t.name, t.nodes,
               chosen() ? "" : " (default)");
        if (fabric_is_drawn(&t))
            fabric_draw(stdout, &t);
        else
            list_cables(&t);
        sound = summarize(&t);
        if (wants_cards)
            list_cards();
    }
    return fflush(stdout) == 0 && sound ? 0 : 1;
}
