/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Figures of fshperf case-study: Fig. 7 of the FSHMEM paper as text, the cycle
 * breakdown of each node, the table of goals, JSON and CSV.
 */
#include "perf.h"
#include "study.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

const struct study_point *study_find(const struct study *study,
                                     const char *workload, uint32_t size,
                                     unsigned nodes)
{
    for (size_t i = 0; i < study->points; ++i) {
        const struct study_point *p = &study->point[i];
        if (p->size == size && p->nodes == nodes &&
            strcmp(p->workload, workload) == 0) {
            return p;
        }
    }
    return NULL;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* The signal that starts a node precedes its first command: it is not the
 * last signal of a node that gets others, and otherwise is not later than
 * last_end. */
uint64_t study_cycles(const struct study_point *point)
{
    uint64_t first = UINT64_MAX, last = 0;

    for (unsigned i = 0; i < point->nodes; ++i) {
        const struct study_node *n = &point->node[i];
        first = n->first_start < first ? n->first_start : first;
        last = larger(last, larger(n->last_end, n->last_signal));
    }
    return last - first;
}

double study_gops(const struct study_point *point)
{
    return 2 * point->macs * PERF_MHZ / 1000 / (double)study_cycles(point);
}

double study_efficiency(const struct study_point *point)
{
    return study_gops(point) / (STUDY_PEAK_GOPS * point->nodes);
}

static const struct study_point *alone(const struct study *study,
                                       const struct study_point *point)
{
    return study_find(study, point->workload, point->size, 1);
}

double study_speedup(const struct study *study, const struct study_point *point)
{
    return (double)study_cycles(alone(study, point)) /
           (double)study_cycles(point);
}

uint64_t study_sent(const struct study_point *point)
{
    uint64_t bytes = 0;

    for (unsigned i = 0; i < point->nodes; ++i) {
        bytes += point->node[i].sent_bytes;
    }
    return bytes;
}

/* What is not hidden shows as time beyond that of one node divided by the
 * number of nodes. The transfers take at least what the node that sends most
 * needs on two ports. */
double study_overlap(const struct study *study, const struct study_point *point)
{
    double ideal =
        (double)study_cycles(alone(study, point)) / (double)point->nodes;
    double shows = (double)study_cycles(point) - ideal, needs;
    uint64_t most = 0;

    for (unsigned i = 0; i < point->nodes; ++i) {
        most = larger(most, point->node[i].sent_bytes);
    }
    if (most == 0) {
        return -1;
    }
    needs = (double)most * PERF_MHZ / (2 * PERF_PORT_MB_PER_S);
    return shows <= 0 ? 1 : shows >= needs ? 0 : 1 - shows / needs;
}

const char *study_title(const struct study_point *point, char text[32])
{
    if (strcmp(point->workload, "conv") == 0) {
        snprintf(text, 32, "convolution %u x %u", (unsigned)point->size,
                 (unsigned)point->size);
    } else {
        snprintf(text, 32, "matmul %u", (unsigned)point->size);
    }
    return text;
}

/* ---- text ---- */

void study_print(const struct study *study)
{
    char text[32];

    printf(
        "\n"
        "# Fig. 7: GOPS on one or more nodes, and speed-up; the peak is %.0f GOPS per node\n",
        STUDY_PEAK_GOPS);
    printf(
        "# 2 operations per product; from the start of the first command to the last result\n"
        "# written on any node, including encoding and redistribution.\n");
    printf("%-20s%8s%12s%12s%14s%12s%14s%12s\n", "# Workload", "Nodes",
           "Cycles", "GOPS", "of peak (%)", "Speed-up", "sent (KB)",
           "hidden (%)");
    for (size_t i = 0; i < study->points; ++i) {
        const struct study_point *p = &study->point[i];
        double hidden = study_overlap(study, p);

        printf("%-20s%8u%12" PRIu64 "%12.1f%14.2f%12.3f%14.0f",
               study_title(p, text), p->nodes, study_cycles(p), study_gops(p),
               100 * study_efficiency(p), study_speedup(study, p),
               (double)study_sent(p) / 1024);
        if (hidden < 0) {
            printf("%12s\n", "-");
        } else {
            printf("%12.1f\n", 100 * hidden);
        }
    }
}

void study_print_nodes(const struct study *study)
{
    char text[32];

    printf("\n"
           "# Cycles of each node from the first start on: with a step of "
           "the array; without one,\n"
           "# waiting for operands, for an accumulator bank, for results in "
           "transit; idle\n");
    printf("%-20s%8s%8s%10s%10s%10s%10s%10s%12s\n", "# Workload", "Nodes",
           "Node", "Compute", "Load", "Full", "Transfer", "Idle", "Sent (KB)");
    for (size_t i = 0; i < study->points; ++i) {
        const struct study_point *p = &study->point[i];
        for (unsigned j = 0; j < p->nodes; ++j) {
            const struct study_node *n = &p->node[j];
            uint64_t cycles = study_cycles(p);
            uint64_t busy = n->compute + n->load + n->full + n->transfer;

            printf("%-20s%8u%8u%10" PRIu64 "%10" PRIu64 "%10" PRIu64
                   "%10" PRIu64 "%10" PRIu64 "%12.0f\n",
                   study_title(p, text), p->nodes, j, n->compute, n->load,
                   n->full, n->transfer, cycles > busy ? cycles - busy : 0,
                   (double)n->sent_bytes / 1024);
        }
    }
}

/* ---- goals ---- */

static const uint32_t sizes[2][3] = {{256, 512, 1024}, {3, 5, 7}};
static const char *const names[2] = {"matmul", "conv"};

/* Mean over the three sizes; 0 if one was not measured. */
static double mean(const struct study *study, unsigned which, unsigned nodes,
                   bool speedup)
{
    double sum = 0;

    for (unsigned i = 0; i < 3; ++i) {
        const struct study_point *p =
            study_find(study, names[which], sizes[which][i], nodes);
        if (!p) {
            return 0;
        }
        sum += speedup ? study_speedup(study, p) : 100 * study_efficiency(p);
    }
    return sum / 3;
}

static double one(const struct study *study, unsigned which, uint32_t size,
                  unsigned nodes)
{
    const struct study_point *p = study_find(study, names[which], size, nodes);

    return p ? study_speedup(study, p) : 0;
}

size_t study_find_goals(const struct study *study,
                        struct study_goal goal[STUDY_GOALS])
{
    const struct study_goal goals[] = {
        {"one node, of peak, matmul, mean", "95.6 %", "%", 97,
         mean(study, 0, 1, false)},
        {"one node, of peak, convolution, mean", "95.6 %", "%", 97,
         mean(study, 1, 1, false)},
        {"two nodes, speed-up, matmul, mean", "1.94", "", 1.95,
         mean(study, 0, 2, true)},
        {"two nodes, speed-up, matmul 1024", "-", "", 1.99,
         one(study, 0, 1024, 2)},
        {"two nodes, speed-up, convolution, mean", "1.98", "", 1.99,
         mean(study, 1, 2, true)},
        {"four nodes, speed-up, matmul 1024", "-", "", 3.9,
         one(study, 0, 1024, 4)},
        {"four nodes, speed-up, convolution 3 x 3", "-", "", 3.9,
         one(study, 1, 3, 4)},
        {"four nodes, speed-up, convolution 5 x 5", "-", "", 3.9,
         one(study, 1, 5, 4)},
        {"four nodes, speed-up, convolution 7 x 7", "-", "", 3.9,
         one(study, 1, 7, 4)},
        {"eight nodes, speed-up, matmul 1024", "-", "", 7.6,
         one(study, 0, 1024, 8)},
        {"eight nodes, speed-up, convolution 3 x 3", "-", "", 7.6,
         one(study, 1, 3, 8)},
        {"eight nodes, speed-up, convolution 5 x 5", "-", "", 7.6,
         one(study, 1, 5, 8)},
        {"eight nodes, speed-up, convolution 7 x 7", "-", "", 7.6,
         one(study, 1, 7, 8)},
        {"16 nodes, speed-up, matmul 1024", "-", "", 15,
         one(study, 0, 1024, 16)},
    };
    size_t count = 0;

    _Static_assert(sizeof goals / sizeof goals[0] == STUDY_GOALS, "room");
    for (size_t i = 0; i < STUDY_GOALS && !study->quick; ++i) {
        if (goals[i].measured > 0) {
            goal[count++] = goals[i];
        }
    }
    return count;
}

const char *study_verdict(const struct study_goal *goal)
{
    return goal->measured >= goal->limit ? "pass" : "falls short";
}

unsigned study_print_goals(const struct study *study)
{
    struct study_goal goal[STUDY_GOALS];
    size_t count = study_find_goals(study, goal);
    unsigned falls = 0;

    if (study->quick) {
        printf("# --quick: the goals are means over more than was measured\n");
        return 0;
    }
    printf("\n# Goals, simulated clock\n%-52s%14s%15s%12s\n", "# What", "paper",
           "goal", "measured");
    for (size_t i = 0; i < count; ++i) {
        const struct study_goal *g = &goal[i];

        printf("%-52s%14s     >= %7.2f%12.3f %-4s%s\n", g->what, g->paper,
               g->limit, g->measured, g->unit, study_verdict(g));
        falls += g->measured < g->limit;
    }
    printf("# %s\n", falls ? "Some rows fall short." : "All rows pass.");
    return falls;
}

/* ---- files ---- */

static void add_point(struct document *d, const struct study *study,
                      const struct study_point *p)
{
    double hidden = study_overlap(study, p);

    document_open(d, NULL, '{');
    document_text(d, "workload", p->workload);
    document_number(d, "size", p->size);
    document_number(d, "nodes", p->nodes);
    document_text(d, "conduit", "fpga");
    document_text(d, "device", "sim");
    document_text(d, "clock", "simulated");
    document_number(d, "cycles", study_cycles(p));
    document_real(d, "gops", study_gops(p));
    document_real(d, "efficiency", study_efficiency(p));
    document_real(d, "speedup", study_speedup(study, p));
    document_number(d, "bytes_sent", study_sent(p));
    document_real(d, "overlap", hidden < 0 ? (double)NAN : hidden);
    perf_json_assumed(d, 0);
    document_close(d);
}

void study_write_json(FILE *out, const struct study *study)
{
    struct document d = {0};

    document_open(&d, NULL, '[');
    for (size_t i = 0; i < study->points; ++i) {
        add_point(&d, study, &study->point[i]);
    }
    document_close(&d);
    document_write(&d, out); /* errors are checked when the file is closed */
}

void study_write_csv(FILE *out, const struct study *study)
{
    fputs("workload,size,nodes,conduit,device,clock,cycles,gops,efficiency,"
          "speedup,bytes_sent,overlap",
          out);
    perf_csv_assumed_names(out);
    fputc('\n', out);
    for (size_t i = 0; i < study->points; ++i) {
        const struct study_point *p = &study->point[i];
        double hidden = study_overlap(study, p);

        fprintf(out,
                "%s,%" PRIu32 ",%u,fpga,sim,simulated,%" PRIu64
                ",%.2f,%.5f,%.5f,%" PRIu64 ",",
                p->workload, p->size, p->nodes, study_cycles(p), study_gops(p),
                study_efficiency(p), study_speedup(study, p), study_sent(p));
        if (hidden >= 0) {
            fprintf(out, "%.5f", hidden);
        }
        perf_csv_assumed(out, 0);
        fputc('\n', out);
    }
}
