/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fshperf fabric --report: the rows of each test, load and latency as curves, and a
 * map of nodes and links for each job, shaded by utilisation.
 */
#include "fabric.h"
#include "perf.h"

#include <math.h>
#include <string.h>

#include "chart.h"

#define CIRCLE 1.45 /* radius of the circle for nodes not in a grid */

static const char *number(double value, unsigned digits, char text[32])
{
    snprintf(text, 32, "%.*f", (int)digits, value);
    return isnan(value) ? "-" : text;
}

/* ---- rows ---- */

static void write_row(struct page *p, const struct fabric_row *row)
{
    bool cycles = strcmp(row->unit, "cycles") == 0;
    char text[32];

    page_cell(p, "%s", row->what);
    page_cell(p, "%s", row->topology);
    page_cell(p, "%s", number(row->value, cycles ? 0 : 3, text));
    page_cell(p, "%s", row->unit);
    if (isnan(row->target)) {
        page_cell(p, "-");
    } else {
        page_cell(p, "%s %s", row->most ? "<=" : ">=",
                  number(row->target, cycles ? 0 : 2, text));
    }
    page_cell(p, "%s", number(row->mean, 1, text));
    page_cell(p, "%s", number(row->idle, 0, text));
    page_cell(p, "%s", number(row->samples, 0, text));
    page_cell(p, "%s",
              isnan(row->target)    ? "-"
              : fabric_reached(row) ? "pass"
                                    : "falls short");
}

static bool has(const struct fabric *all, const char *test)
{
    for (size_t i = 0; i < all->rows; ++i) {
        if (strcmp(all->row[i].test, test) == 0) {
            return true;
        }
    }
    return false;
}

/* The rows of these tests; NULL-terminated. */
static void write_rows(struct page *p, const struct fabric *all,
                       const char *caption, const char *const *tests)
{
    static const struct page_column columns[] = {
        {"What", false}, {"Topology", false}, {"Value", true},
        {"Unit", false}, {"Target", true},    {"Mean", true},
        {"Idle", true},  {"Of", true},        {"Verdict", false},
    };

    page_table(p, caption, columns, sizeof(columns) / sizeof(columns[0]));
    for (; *tests; ++tests) {
        for (size_t i = 0; i < all->rows; ++i) {
            if (strcmp(all->row[i].test, *tests) == 0) {
                write_row(p, &all->row[i]);
            }
        }
    }
    page_table_end(p);
}

static void write_latency(struct page *p, const struct fabric *all)
{
    static const char *const hop[] = {"hop", NULL}, *const hol[] = {"hol",
                                                                    NULL};

    if (has(all, "hop")) {
        page_section(p, "Latency by hops");
        page_paragraph(p, "From the acceptance of a Short to its header at "
                          "each distance; hop: the cost of one more hop, "
                          "without the link.");
        write_rows(p, all, "Cycles of a Short in an otherwise idle fabric",
                   hop);
    }
    if (has(all, "hol")) {
        page_section(p, "Messages behind bulk");
        page_paragraph(
            p,
            "Head-of-line blocking: cycles in excess of an idle fabric, "
            "worst and mean over all messages, while every node but the "
            "sender has %u commands of %u KiB in flight to nodes at one to "
            "three hops; own bulk: also the sender, in the same submission "
            "window. A request is timed from the call to its handler, a "
            "reply from there to its handler, a GET of 8 B, with GETs as "
            "bulk, from the call to its completion. A packet takes %u "
            "cycles: two packets are allowed between neighbours, one more "
            "per further hop; for a GET in both directions; for a long "
            "packet a frame of %u beats per hop.",
            FABRIC_BULKS, FABRIC_BULK >> 10, FABRIC_PACKET_CYCLES,
            FABRIC_FRAME);
        write_rows(p, all, "Cycles in excess of an idle fabric", hol);
    }
}

/* ---- offered loads ---- */

/* Rows of uniform traffic whose name starts with this, by the load at its
 * end. */
static void find_line(const struct fabric *all, const char *what, bool mean,
                      double scale, struct chart_line *line)
{
    line->count = 0;
    for (size_t i = 0; i < all->rows && line->count < CHART_POINTS; ++i) {
        const struct fabric_row *row = &all->row[i];
        size_t n = strlen(what);
        double load;

        if (strcmp(row->test, "uniform") == 0 &&
            strncmp(row->what, what, n) == 0 &&
            sscanf(row->what + n, " at %lf", &load) == 1) {
            line->x[line->count] = 100 * load;
            line->y[line->count++] = scale * (mean ? row->mean : row->value);
        }
    }
}

static void draw_loads(struct page *p, const struct fabric *all)
{
    const struct chart_axis offered = {
        "offered (% of 32 B per cycle)", 0, 100, false, 20, NULL};
    struct chart_line line[2] = {{.name = "accepted"}};
    static const struct chart_level goal[] = {{"target", 80, false}};

    find_line(all, "accepted", false, 100, &line[0]);
    if (line[0].count < 2) {
        return;
    }
    page_grid(p);
    chart_lines(
        p,
        &(struct chart){
            .title = "Uniform traffic: accepted load (%)",
            .about = "Accepted by offered load, both as shares of 32 bytes per "
                     "cycle and node.",
            .x = offered,
            .y = {"% of 32 B", 0, 100, false, 20, NULL},
            .line = line,
            .lines = 1,
            .level = goal,
            .levels = 1,
        });
    line[0] = (struct chart_line){.name = "worst", .look = 1};
    line[1] = (struct chart_line){.name = "mean"};
    find_line(all, "latency", false, 1, &line[0]);
    find_line(all, "latency", true, 1, &line[1]);
    chart_lines(
        p, &(struct chart){
               .title = "Uniform traffic: latency (cycles)",
               .about =
                   "Cycles from the creation of a PUT to its completion at the "
                   "sender, worst and mean, by offered load.",
               .x = offered,
               .y = {"cycles", 128, 32768, true, 4, NULL},
               .line = line,
               .lines = 2,
           });
    page_grid_end(p);
}

static void write_patterns(struct page *p, const struct fabric *all)
{
    static const char *const tests[] = {"fairness",  "neighbour", "uniform",
                                        "transpose", "hotspot",   NULL};
    bool any = false;

    for (unsigned i = 0; tests[i]; ++i) {
        any |= has(all, tests[i]);
    }
    if (!any) {
        return;
    }
    page_section(p, "Patterns of traffic");
    page_paragraph(
        p,
        "PUTs of %u B. Accepted: arriving beats of payload, headers (one per "
        "packet) and acks (one per PUT), per cycle and sending node, as a "
        "share of %.0f B: the lesser of what a node accepts and the "
        "bisection of a 4x4 torus. At N: that share is offered, at random "
        "times; otherwise %u PUTs are in flight at each node. Latency: from "
        "the creation of a PUT to its completion at the sender. Fairness: "
        "all-to-all, the time of the first node to finish divided by that of "
        "the last.",
        FABRIC_MESSAGE, FABRIC_BOUND, PERF_QUEUE);
    draw_loads(p, all);
    write_rows(p, all, "Fairness, accepted load, latency", tests);
}

/* ---- links ---- */

/* Width of the grid in which a topology is drawn; 0: as a circle. */
static unsigned grid_of(const struct fabric_use *use)
{
    unsigned x = 0, y = 0;

    return sscanf(use->topology, "%*[a-z]:%ux%u", &x, &y) == 2 &&
                   x * y == use->nodes
               ? x
               : 0;
}

static void place_nodes(const struct fabric_use *use,
                        struct chart_place place[FSH_MAX_NODES],
                        char name[FSH_MAX_NODES][16])
{
    unsigned grid = grid_of(use);

    for (unsigned i = 0; i < use->nodes; ++i) {
        double turn = 2 * acos(-1) * i / use->nodes;

        snprintf(name[i], sizeof(name[i]), "%u", i);
        place[i].name = name[i];
        place[i].x = grid ? i % grid : CIRCLE * (1 + sin(turn));
        place[i].y = grid ? i / grid : CIRCLE * (1 - cos(turn));
    }
}

static const char *title_of(const struct fabric_use *use, char text[64])
{
    snprintf(text, 64, "%s%s%s, %s of %u nodes", use->test,
             use->what[0] ? ": " : "", use->what, use->topology, use->nodes);
    return text;
}

static void draw_links(struct page *p, const struct fabric_use *use)
{
    static struct chart_arrow arrow[FSH_MAX_NODES * FSH_MAX_PORTS];
    struct chart_place place[FSH_MAX_NODES];
    char name[FSH_MAX_NODES][16], text[64];

    place_nodes(use, place, name);
    for (unsigned i = 0; i < use->links; ++i) {
        const struct fabric_link *link = &use->link[i];
        const struct chart_place *a = &place[link->node];
        const struct chart_place *b = &place[link->peer];

        arrow[i] = (struct chart_arrow){
            .from = link->node,
            .to = link->peer,
            .around = grid_of(use) && hypot(a->x - b->x, a->y - b->y) > 1.5,
            .share = link->share};
    }
    chart_arrows(p, title_of(use, text),
                 "The nodes, and an arrow for each link and direction, "
                 "shaded by its utilisation, which is given next to it in "
                 "percent.",
                 place, use->nodes, arrow, use->links);
}

static void write_use(struct page *p, const struct fabric_use *use)
{
    static const struct page_column columns[] = {
        {"Node", true}, {"Port", true}, {"To node", true}, {"Use", true}};
    char text[64];

    page_details(p, title_of(use, text));
    page_table(p, "Utilisation of each link", columns, 4);
    for (unsigned i = 0; i < use->links; ++i) {
        page_cell(p, "%u", use->link[i].node);
        page_cell(p, "%u", use->link[i].port);
        page_cell(p, "%u", use->link[i].peer);
        page_cell(p, "%.1f %%", 100 * use->link[i].share);
    }
    page_table_end(p);
    page_details_end(p);
}

static void write_links(struct page *p, const struct fabric *all)
{
    if (all->uses == 0) {
        return;
    }
    page_section(p, "Use of links");
    page_paragraph(p, "Percentage of the measured cycles in which a link "
                      "carried a beat, boundary beats included. hol: by the "
                      "bulk alone, before the messages are sent.");
    page_grid(p);
    for (size_t i = 0; i < all->uses; ++i) {
        draw_links(p, &all->use[i]);
    }
    page_grid_end(p);
    for (size_t i = 0; i < all->uses; ++i) {
        write_use(p, &all->use[i]);
    }
}

static void write_summary(struct page *p, const struct fabric *all)
{
    unsigned falls = 0, targets = 0;

    for (size_t i = 0; i < all->rows; ++i) {
        targets += isnan(all->row[i].target) ? 0 : 1;
        falls += !fabric_reached(&all->row[i]);
    }
    page_advice(p, falls ? PAGE_WARNING : PAGE_NOTE,
                "%u of %u rows with a target fall short of it.", falls,
                targets);
}

void fabric_write_page(FILE *out, const struct fabric *all)
{
    struct page page;

    page_begin(&page, out, "FSHMEM: the fabric, measured",
               "Latency by hops, messages behind bulk, fairness, accepted "
               "load and link utilisation of fabrics of simulated FPGA "
               "nodes, with hosts at no cost.");
    write_summary(&page, all);
    page_section(&page, "Machine and assumptions");
    perf_page_assumed(&page);
    write_latency(&page, all);
    write_patterns(&page, all);
    write_links(&page, all);
    page_end(&page);
}
