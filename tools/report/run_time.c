/* SPDX-License-Identifier: BSD-3-Clause */
/* The timeline of a run: activity of ranks, links and device memories, drawn and
 * as tables, and the shares of each rank's time. See run.h. */
#include "run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "chart.h"
#include "page.h"

enum {
    STRIPS = 32, /* ranks shown in the timeline */
    NODES_DRAWN = 8,
    TOGETHER = 4, /* ranks or nodes in one table over time */
    COLUMNS = TOGETHER * RUN_USES,
    ABSENT = -1, /* of a share: no events of its rank */
};
_Static_assert((int)RUN_USES >= (int)RUN_STATES,
               "tables of ranks have fewer columns");

static const char *const states[RUN_STATES] = {"in calls", "waiting",
                                               "in handlers", "the program"};
static const char *const uses[RUN_USES] = {
    "link 0", "link 1", "link 2", "link 3", "link 4", "link 5", "memory"};

/* The next use; links without data are skipped. */
static unsigned next_use(const struct run *run, unsigned use)
{
    return use + 1 == run->links ? RUN_MEMORY : use + 1;
}

static unsigned first_use(const struct run *run)
{
    return run->links > 0 ? RUN_LINK0 : RUN_MEMORY;
}

/* States that are drawn; the program is the rest. */
#define DRAWN RUN_PROGRAM

double run_span(const struct run_rank *rank)
{
    return fmax(rank->last - rank->first, 0.001);
}

const char *run_time_text(double us, char text[32])
{
    if (us >= 1e6)
        snprintf(text, 32, "%.3f s", us / 1e6);
    else if (us >= 1e3)
        snprintf(text, 32, "%.3f ms", us / 1e3);
    else
        snprintf(text, 32, "%.3f us", us);
    return text;
}

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static unsigned used_bins(const struct run *run)
{
    double last = 0;

    for (uint32_t r = 0; r < run->ranks; r++)
        last = fmax(last, run->rank[r].last);
    return least((unsigned)(last / run->width) + 1, RUN_BINS);
}

/* ---- drawn ---- */

static void draw_time_line(struct page *p, const struct run *run)
{
    unsigned bins = used_bins(run), n = least(run->ranks, STRIPS);
    struct chart_strip strip[STRIPS];
    double *share = calloc((size_t)n * bins * DRAWN, sizeof(*share));
    char name[STRIPS][16], end[32];

    if (!share)
        fsh_fatal("no memory for a report");
    for (uint32_t r = 0; r < n; r++) {
        double *own = share + (size_t)r * bins * DRAWN;

        for (unsigned i = 0; i < bins; i++)
            for (unsigned s = 0; s < DRAWN; s++)
                own[i * DRAWN + s] = run->rank[r].bin[i][s] / run->width;
        snprintf(name[r], sizeof(name[r]), "rank %u", r);
        strip[r] = (struct chart_strip){name[r], own};
    }
    chart_strips(p, "Activity of each rank over time",
                 "A strip for each rank, time from left to right: shares of "
                 "each moment in calls, waiting and in handlers; white is the "
                 "program's own computing. Tables with the figures follow "
                 "below.",
                 states, DRAWN, strip, n, bins, "0",
                 run_time_text(bins * run->width, end));
    free(share);
}

/* Same horizontal scale as above, so that both can be compared. */
static void draw_use(struct page *p, const struct run *run)
{
    static const char *const part[] = {"use"};
    static double share[NODES_DRAWN * RUN_USES][RUN_BINS];
    struct chart_strip strip[NODES_DRAWN * RUN_USES];
    char name[NODES_DRAWN * RUN_USES][24], end[32];
    unsigned bins = used_bins(run), n = 0;

    for (uint32_t node = 0; node < run->told && node < NODES_DRAWN; node++)
        for (unsigned u = first_use(run); u < RUN_USES;
             u = next_use(run, u), n++) {
            for (unsigned i = 0; i < bins; i++)
                share[n][i] = run->use[node][u][i] / run->width;
            snprintf(name[n], sizeof(name[n]), "node %u, %s", node, uses[u]);
            strip[n] = (struct chart_strip){name[n], share[n]};
        }
    if (n)
        chart_strips(p, "Use of links and device memory over time",
                     "A strip for each link port and device memory, time from "
                     "left to right: utilisation, 0 to 100 %. Tables with the "
                     "figures follow below.",
                     part, 1, strip, n, bins, "0",
                     run_time_text(bins * run->width, end));
}

static void draw_shares(struct page *p, const struct run *run)
{
    uint32_t n = least(run->ranks, STRIPS);
    struct chart_stack stack[STRIPS];
    char name[STRIPS][16];

    for (uint32_t r = 0; r < n; r++) {
        snprintf(name[r], sizeof(name[r]), "rank %u", r);
        stack[r] = (struct chart_stack){.name = name[r],
                                        .whole = run_span(&run->rank[r])};
        for (unsigned s = 0; s < RUN_STATES; s++)
            stack[r].part[s] = run->rank[r].time[s];
    }
    chart_stacks(p, "Where the time of each rank went",
                 "A bar for each rank: shares of the time from its first event "
                 "to its last.",
                 states, RUN_STATES, stack, n);
}

/* ---- the same as tables ---- */

/* Shares of a few ranks or nodes, in percent, by bin; named by `head`. */
struct over_time {
    unsigned columns, bins;
    char head[COLUMNS][32];
    int percent[RUN_BINS][COLUMNS];
};

/* Merge consecutive equal bins into one row. */
static void write_over_time(struct page *p, const struct over_time *t,
                            double width, const char *caption)
{
    struct page_column columns[2 + COLUMNS] = {{"From", true}, {"To", true}};
    char text[32];

    for (unsigned c = 0; c < t->columns; c++)
        columns[2 + c] = (struct page_column){t->head[c], true};
    page_details(p, caption);
    page_table(p, caption, columns, 2 + t->columns);
    for (unsigned from = 0, to; from < t->bins; from = to) {
        for (to = from + 1; to < t->bins; to++)
            if (memcmp(t->percent[to], t->percent[from],
                       t->columns * sizeof(t->percent[0][0])) != 0)
                break;
        page_cell(p, "%s", run_time_text(from * width, text));
        page_cell(p, "%s", run_time_text(to * width, text));
        for (unsigned c = 0; c < t->columns; c++)
            if (t->percent[from][c] == ABSENT)
                page_cell(p, "-");
            else
                page_cell(p, "%d %%", t->percent[from][c]);
    }
    page_table_end(p);
    page_details_end(p);
}

/* Of one rank, into the next columns. */
static void add_rank(struct over_time *t, const struct run *run, uint32_t rank)
{
    for (unsigned s = 0; s < RUN_STATES; s++)
        snprintf(t->head[t->columns + s], sizeof(t->head[0]), "Rank %u %s",
                 rank, states[s]);
    for (unsigned i = 0; i < t->bins; i++) {
        const double *bin = run->rank[rank].bin[i];
        double all = 0;

        for (unsigned s = 0; s < RUN_STATES; s++)
            all += bin[s];
        for (unsigned s = 0; s < RUN_STATES; s++)
            t->percent[i][t->columns + s] =
                all > 0 ? (int)lround(100 * bin[s] / run->width) : ABSENT;
    }
    t->columns += RUN_STATES;
}

static void add_node(struct over_time *t, const struct run *run, uint32_t node)
{
    for (unsigned u = first_use(run); u < RUN_USES; u = next_use(run, u)) {
        snprintf(t->head[t->columns], sizeof(t->head[0]), "Node %u %s", node,
                 uses[u]);
        for (unsigned i = 0; i < t->bins; i++)
            t->percent[i][t->columns] =
                (int)lround(100 * run->use[node][u][i] / run->width);
        t->columns++;
    }
}

/* Tables of a few ranks or nodes each, for all that are drawn. */
static void write_tables(struct page *p, const struct run *run,
                         const char *what, uint32_t count,
                         void (*add)(struct over_time *t, const struct run *run,
                                     uint32_t which))
{
    static struct over_time t;
    char caption[80];

    for (uint32_t first = 0; first < count; first += TOGETHER) {
        uint32_t last = least(first + TOGETHER, count) - 1;

        t = (struct over_time){.bins = used_bins(run)};
        for (uint32_t i = first; i <= last; i++)
            add(&t, run, i);
        if (first == last)
            snprintf(caption, sizeof(caption), "%s %u over time", what, first);
        else
            snprintf(caption, sizeof(caption), "%ss %u to %u over time", what,
                     first, last);
        write_over_time(p, &t, run->width, caption);
    }
}

static void write_as_tables(struct page *p, const struct run *run)
{
    char width[32];

    page_paragraph(p,
                   "The same as tables, in steps of %s; equal steps are merged "
                   "into one row. The shares of a rank add up to less than "
                   "100 %% before its first event and after its last; \"-\": "
                   "no events.",
                   run_time_text(run->width, width));
    write_tables(p, run, "Rank", least(run->ranks, STRIPS), add_rank);
    write_tables(p, run, "Node", least(run->told, NODES_DRAWN), add_node);
}

static void write_shares(struct page *p, const struct run *run)
{
    static const struct page_column columns[] = {
        {"Rank", true},    {"Time", true},        {"In calls", true},
        {"Waiting", true}, {"In handlers", true}, {"The program", true},
    };
    char text[32];

    page_table(p, "Time of each rank, from its first event to its last",
               columns, 6);
    for (uint32_t r = 0; r < run->ranks; r++) {
        const struct run_rank *rank = &run->rank[r];

        page_cell(p, "%u", r);
        page_cell(p, "%s",
                  rank->seen ? run_time_text(rank->last - rank->first, text)
                             : "-");
        for (unsigned s = 0; s < RUN_STATES; s++)
            if (rank->seen)
                page_cell(p, "%.1f %%", 100 * rank->time[s] / run_span(rank));
            else
                page_cell(p, "-");
    }
    page_table_end(p);
}

void run_write_time(struct page *p, const struct run *run)
{
    page_section(p, "Timeline");
    if (run->ranks > STRIPS)
        page_paragraph(p,
                       "Only ranks 0 to %d are shown over time; the last table "
                       "has all ranks.",
                       STRIPS - 1);
    if (run->told > NODES_DRAWN)
        page_paragraph(p, "The use of links covers nodes 0 to %d.",
                       NODES_DRAWN - 1);
    page_grid(p);
    draw_time_line(p, run);
    draw_shares(p, run);
    draw_use(p, run);
    page_grid_end(p);
    write_as_tables(p, run);
    write_shares(p, run);
}
