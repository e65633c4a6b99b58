/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fshperf case-study --report: section V of the FSHMEM paper as a page: Fig. 7 next
 * to ours, speed-up by nodes, the cycle breakdown of each node, and the goals.
 */
#include "perf.h"
#include "study.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "chart.h"

/* Stated in the paper's text: means over three sizes. */
static const struct {
    const char *group, *name;
    double gops;
} quoted[] = {
    {"The paper: matmul, mean of 256, 512, 1024", "1 node", 979.4},
    {"The paper: matmul, mean of 256, 512, 1024", "2 nodes", 1898.5},
    {"The paper: convolution, mean", "2 nodes", 1931.3},
};
enum { QUOTED = sizeof quoted / sizeof quoted[0] };

/* The style of a number of nodes: 1, 2, 4, 8 and more. */
static unsigned look_of(unsigned nodes)
{
    return nodes < 2 ? 0 : nodes < 4 ? 1 : nodes < 8 ? 2 : 3;
}

static const char *nodes_text(unsigned nodes, char text[16])
{
    snprintf(text, 16, "%u node%s", nodes, nodes > 1 ? "s" : "");
    return text;
}

/* ---- Fig. 7 ---- */

static void draw_rates(struct page *p, const struct study *study)
{
    struct chart_bar bar[QUOTED + STUDY_MAX_POINTS] = {0};
    char text[QUOTED + STUDY_MAX_POINTS][16], name[STUDY_MAX_POINTS][16];
    char group[STUDY_MAX_POINTS][32];
    double most = 0;
    unsigned n = 0;

    for (size_t i = 0; i < study->points; ++i, ++n) {
        const struct study_point *point = &study->point[i];

        snprintf(text[n], sizeof(text[n]), "%.1f", study_gops(point));
        bar[n] = (struct chart_bar){
            .group = study_title(point, group[i]),
            .name = nodes_text(point->nodes, name[i]),
            .text = text[n],
            .value = study_gops(point),
            .look = look_of(point->nodes),
        };
        most = fmax(most, bar[n].value);
    }
    for (unsigned i = 0; i < QUOTED; ++i, ++n) {
        snprintf(text[n], sizeof(text[n]), "%.1f", quoted[i].gops);
        bar[n] = (struct chart_bar){quoted[i].group, quoted[i].name, text[n],
                                    quoted[i].gops, 5};
        most = fmax(most, quoted[i].gops);
    }
    chart_bars(p, "Rate (GOPS; 1024 a node are peak)",
               "A bar for each workload and number of nodes, and what the "
               "paper states.",
               bar, n, most);
}

/* The numbers of nodes of a workload, from 1 on; `first` is the point with
 * 1. */
static void add_line(const struct study *study, const struct study_point *first,
                     struct chart_line *line, char name[32])
{
    *line = (struct chart_line){.name = study_title(first, name)};
    for (size_t i = 0; i < study->points; ++i) {
        const struct study_point *point = &study->point[i];

        if (point->size == first->size &&
            strcmp(point->workload, first->workload) == 0) {
            line->x[line->count] = point->nodes;
            line->y[line->count++] = study_speedup(study, point);
        }
    }
    if (strncmp(name, "convolution", 11) == 0) {
        snprintf(name, 32, "conv %u x %u", (unsigned)first->size,
                 (unsigned)first->size);
    }
}

static void draw_speedups(struct page *p, const struct study *study)
{
    static const struct chart_level paper[] = {
        {"the paper's two nodes: 1.94, 1.98", 1.96, false}};
    struct chart_line line[CHART_LINES];
    char name[CHART_LINES][32];
    unsigned lines = 0;
    double most = 1;

    for (size_t i = 0; i < study->points && lines < CHART_LOOKS; ++i) {
        const struct study_point *point = &study->point[i];

        most = fmax(most, point->nodes);
        if (point->nodes == 1) {
            add_line(study, point, &line[lines], name[lines]);
            line[lines].look = lines % CHART_LOOKS;
            ++lines;
        }
    }
    if (most <= 2) {
        return; /* two points make no curve */
    }
    chart_lines(
        p, &(struct chart){
               .title = "Speed-up over one node",
               .about = "A line for each workload, by the number of nodes; "
                        "linear would be as many times as fast as there are "
                        "nodes.",
               .x = {"Nodes", 1, most, true, 2, NULL},
               .y = {"times as fast as one node", 1, most, true, 2, NULL},
               .line = line,
               .lines = lines,
               .level = paper,
               .levels = 1,
           });
}

static void write_points(struct page *p, const struct study *study)
{
    static const struct page_column columns[] = {
        {"Workload", false}, {"Nodes", true},   {"Cycles", true},
        {"GOPS", true},      {"Of peak", true}, {"Speed-up", true},
        {"Sent (KB)", true}, {"Hidden", true},
    };
    char text[32];

    page_table(p, "Rate and speed-up, simulated clock", columns, 8);
    for (size_t i = 0; i < study->points; ++i) {
        const struct study_point *point = &study->point[i];
        double hidden = study_overlap(study, point);

        page_cell(p, "%s", study_title(point, text));
        page_cell(p, "%u", point->nodes);
        page_cell(p, "%" PRIu64, study_cycles(point));
        page_cell(p, "%.1f", study_gops(point));
        page_cell(p, "%.2f %%", 100 * study_efficiency(point));
        page_cell(p, "%.3f", study_speedup(study, point));
        page_cell(p, "%.0f", (double)study_sent(point) / 1024);
        if (hidden < 0) {
            page_cell(p, "-");
        } else {
            page_cell(p, "%.1f %%", 100 * hidden);
        }
    }
    page_table_end(p);
}

static void write_rates(struct page *p, const struct study *study)
{
    page_section(p, "Fig. 7: rate and speed-up");
    page_paragraph(
        p, "Two operations a product; from the first command begun to the last "
           "result written on any node, encoding and redistribution inside. "
           "Hidden: the share of what the transfers need at least that does "
           "not show beside a perfect division of one node's time.");
    page_grid(p);
    draw_rates(p, study);
    draw_speedups(p, study);
    page_grid_end(p);
    write_points(p, study);
}

/* ---- cycle breakdown ---- */

static const char *const parts[] = {"computing", "operands awaited",
                                    "accumulators full", "results on their way",
                                    "idle"};
enum { PARTS = sizeof parts / sizeof parts[0] };

static void split(const struct study_point *point, unsigned node,
                  uint64_t part[PARTS])
{
    const struct study_node *n = &point->node[node];
    uint64_t busy = n->compute + n->load + n->full + n->transfer;
    uint64_t cycles = study_cycles(point);

    part[0] = n->compute;
    part[1] = n->load;
    part[2] = n->full;
    part[3] = n->transfer;
    part[4] = cycles > busy ? cycles - busy : 0;
}

static void draw_point(struct page *p, const struct study_point *point)
{
    struct chart_stack stack[STUDY_MAX_NODES];
    char title[96], text[32], name[STUDY_MAX_NODES][16];

    snprintf(title, sizeof(title), "%s, %u node%s: %" PRIu64 " cycles",
             study_title(point, text), point->nodes,
             point->nodes > 1 ? "s" : "", study_cycles(point));
    for (unsigned i = 0; i < point->nodes; ++i) {
        uint64_t part[PARTS];

        split(point, i, part);
        snprintf(name[i], sizeof(name[i]), "node %u", i);
        stack[i] = (struct chart_stack){.name = name[i],
                                        .whole = (double)study_cycles(point)};
        for (unsigned j = 0; j < PARTS; ++j) {
            stack[i].part[j] = (double)part[j];
        }
    }
    chart_stacks(p, title,
                 "A bar for each node: shares of its cycles in which its array "
                 "computed, waited for a reason, or was idle.",
                 parts, PARTS, stack, point->nodes);
}

static void write_nodes(struct page *p, const struct study *study)
{
    struct page_column columns[3 + PARTS] = {
        {"Workload", false}, {"Nodes", true}, {"Node", true}};
    char text[32];

    page_section(p, "Where the cycles of each node went");
    page_grid(p);
    for (size_t i = 0; i < study->points; ++i) {
        draw_point(p, &study->point[i]);
    }
    page_grid_end(p);
    for (unsigned j = 0; j < PARTS; ++j) {
        columns[3 + j] = (struct page_column){parts[j], true};
    }
    page_table(p, "Cycles of each node from the first start on", columns,
               3 + PARTS);
    for (size_t i = 0; i < study->points; ++i) {
        const struct study_point *point = &study->point[i];

        for (unsigned node = 0; node < point->nodes; ++node) {
            uint64_t part[PARTS];

            split(point, node, part);
            page_cell(p, "%s", study_title(point, text));
            page_cell(p, "%u", point->nodes);
            page_cell(p, "%u", node);
            for (unsigned j = 0; j < PARTS; ++j) {
                page_cell(p, "%" PRIu64, part[j]);
            }
        }
    }
    page_table_end(p);
}

/* ---- goals ---- */

static void write_goals(struct page *p, const struct study *study)
{
    static const struct page_column columns[] = {
        {"What", false}, {"Paper", true},    {"Goal", true},
        {"Ours", true},  {"Verdict", false},
    };
    struct study_goal goal[STUDY_GOALS];
    size_t count = study_find_goals(study, goal);

    page_section(p, "What the paper reached, what was to be reached, and ours");
    if (study->quick) {
        page_paragraph(p, "This is --quick: the goals are means over more "
                          "than was measured. fshperf case-study measures "
                          "everything.");
        return;
    }
    page_table(p, "Goals, simulated clock", columns, 5);
    for (size_t i = 0; i < count; ++i) {
        page_cell(p, "%s", goal[i].what);
        page_cell(p, "%s", goal[i].paper);
        page_cell(p, ">= %.2f", goal[i].limit);
        page_cell(p, "%.3f %s", goal[i].measured, goal[i].unit);
        page_cell(p, "%s", study_verdict(&goal[i]));
    }
    page_table_end(p);
}

void study_write_page(FILE *out, const struct study *study)
{
    struct page page;

    page_begin(&page, out, "FSHMEM: section V of the paper, measured",
               "Matrix product and convolution on the compute cores of "
               "simulated FPGA nodes, from their hardware counters, beside "
               "what the FSHMEM paper reports.");
    page_section(&page, "Machine and assumptions");
    perf_page_assumed(&page);
    write_rates(&page, study);
    write_nodes(&page, study);
    write_goals(&page, study);
    page_end(&page);
}
