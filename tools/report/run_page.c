/* SPDX-License-Identifier: BSD-3-Clause */
/* The report of a run: see run.h. */
#include "run.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "chart.h"
#include "page.h"

enum {
    WAITS = 20,
    CALLS = 30,
};

/* ---- head ---- */

static void write_job(struct page *p, const struct run *run,
                      const struct run_job *job)
{
    page_section(p, "Run and machine");
    page_facts(p);
    page_fact(p, "Program", "%s", job->command);
    page_fact(p, "Job", "%u ranks, conduit %s", run->ranks, run->conduit);
    page_fact(p, "Ended", "with code %d, after %.3f s of wall time", job->code,
              job->seconds);
    page_fact(p, "Times", "%s",
              run->simulated
                  ? "simulated: cycles of 4 ns of the nodes' clock, the same "
                    "in each run"
                  : "wall time since the job was created; on simulated nodes "
                    "it measures the simulator, not a card");
    page_facts_end(p);
    page_machine(p);
}

/* ---- waits and calls ---- */

static int by_time(const void *a, const void *b)
{
    const struct run_tally *x = *(const struct run_tally *const *)a;
    const struct run_tally *y = *(const struct run_tally *const *)b;

    return (x->time < y->time) - (x->time > y->time);
}

static unsigned pick(const struct run *run, bool wait,
                     const struct run_tally **found, unsigned most)
{
    static const struct run_tally *all[RUN_TALLIES];
    unsigned n = 0;

    for (unsigned i = 0; i < RUN_TALLIES; i++)
        if (run->tally[i].name && run->tally[i].wait == wait)
            all[n++] = &run->tally[i];
    qsort(all, n, sizeof(all[0]), by_time);
    n = n < most ? n : most;
    memcpy(found, all, n * sizeof(all[0]));
    return n;
}

unsigned run_waits(const struct run *run, const struct run_tally **wait,
                   unsigned most)
{
    return pick(run, true, wait, most);
}

static void write_waits(struct page *p, const struct run *run)
{
    static const struct page_column columns[] = {
        {"Rank", true},  {"Waited for", false}, {"Of rank", true},
        {"Count", true}, {"Total time", true},  {"Of the rank's time", true},
    };
    const struct run_tally *wait[WAITS];
    unsigned n = run_waits(run, wait, WAITS);
    char text[32];

    page_section(p, "Waits by cause");
    if (n == 0) {
        page_paragraph(p, "No rank waited.");
        return;
    }
    page_paragraph(p, "The longest, by rank, cause and awaited rank, excluding "
                      "the handlers that ran meanwhile.");
    page_table(p, "Waits by cause, the longest first", columns, 6);
    for (unsigned i = 0; i < n; i++) {
        const struct run_tally *t = wait[i];

        page_cell(p, "%u", t->rank);
        page_cell(p, "%s", t->name);
        if (t->peer < 0)
            page_cell(p, "-");
        else
            page_cell(p, "%d", (int)t->peer);
        page_cell(p, "%" PRIu64, t->count);
        page_cell(p, "%s", run_time_text(t->time, text));
        page_cell(p, "%.1f %%", 100 * t->time / run_span(&run->rank[t->rank]));
    }
    page_table_end(p);
}

static void write_calls(struct page *p, const struct run *run)
{
    static const struct page_column columns[] = {
        {"Call", false}, {"Count", true}, {"Total time", true},
        {"Mean", true},  {"Bytes", true},
    };
    const struct run_tally *call[CALLS];
    unsigned n = pick(run, false, call, CALLS);
    char text[32];

    page_section(p, "Calls");
    page_paragraph(p, "All ranks, including nested waits and handlers. Polls "
                      "and tries that found nothing are omitted.");
    page_table(p, "Calls, those with the most time first", columns, 5);
    for (unsigned i = 0; i < n; i++) {
        page_cell(p, "%s", call[i]->name);
        page_cell(p, "%" PRIu64, call[i]->count);
        page_cell(p, "%s", run_time_text(call[i]->time, text));
        page_cell(p, "%s",
                  run_time_text(call[i]->time / (double)call[i]->count, text));
        page_cell(p, "%" PRIu64, call[i]->bytes);
    }
    page_table_end(p);
}

/* ---- messages ---- */

/* Short, to fit into a square. */
static const char *bytes_text(uint64_t bytes, char text[16])
{
    static const char unit[] = " KMGTPE";
    double value = (double)bytes;
    unsigned i = 0;

    for (; value >= 999.5 && i < 6; i++)
        value /= 1024;
    snprintf(text, 16, i ? "%.3g%c" : "%.0f", value, unit[i]);
    return text;
}

/* Ranks grouped in blocks, for at most CHART_SQUARES rows. */
struct blocks {
    uint32_t size, count;
    uint64_t bytes[CHART_SQUARES * CHART_SQUARES];
    uint64_t messages[CHART_SQUARES * CHART_SQUARES];
    char name[CHART_SQUARES][24];
};

static void make_blocks(const struct run *run, struct blocks *b)
{
    b->size = (run->ranks + CHART_SQUARES - 1) / CHART_SQUARES;
    b->count = (run->ranks + b->size - 1) / b->size;
    for (uint32_t i = 0; i < b->count; i++) {
        uint32_t first = i * b->size, last = first + b->size - 1;

        last = last < run->ranks ? last : run->ranks - 1;
        snprintf(b->name[i], sizeof(b->name[i]),
                 first == last ? "rank %u" : "%u to %u", first, last);
    }
    for (uint32_t from = 0; from < run->ranks; from++)
        for (uint32_t to = 0; to < run->ranks; to++) {
            size_t at = from / b->size * b->count + to / b->size;

            b->bytes[at] += run->bytes[(size_t)from * run->ranks + to];
            b->messages[at] += run->messages[(size_t)from * run->ranks + to];
        }
}

static void draw_blocks(struct page *p, const struct blocks *b)
{
    static double value[CHART_SQUARES * CHART_SQUARES];
    static char text[CHART_SQUARES * CHART_SQUARES][16];
    const char *name[CHART_SQUARES];

    for (uint32_t i = 0; i < b->count; i++)
        name[i] = b->name[i];
    for (uint32_t i = 0; i < b->count * b->count; i++) {
        value[i] = (double)b->bytes[i];
        bytes_text(b->bytes[i], text[i]);
    }
    chart_squares(p, "Bytes between ranks",
                  "A row for each calling rank, a column for each rank that it "
                  "puts to, gets from or sends to; darker means more bytes.",
                  name, value, text, b->count);
}

static void write_blocks(struct page *p, const struct blocks *b)
{
    struct page_column columns[CHART_SQUARES + 1] = {{"From", false}};
    char text[16];

    for (uint32_t i = 0; i < b->count; i++)
        columns[i + 1] = (struct page_column){b->name[i], true};
    page_table(p, "Bytes (calls) from rank to rank", columns, b->count + 1);
    for (uint32_t i = 0; i < b->count; i++) {
        page_cell(p, "%s", b->name[i]);
        for (uint32_t j = 0; j < b->count; j++) {
            size_t at = i * b->count + j;

            if (b->messages[at])
                page_cell(p, "%s (%" PRIu64 ")", bytes_text(b->bytes[at], text),
                          b->messages[at]);
            else
                page_cell(p, "-");
        }
    }
    page_table_end(p);
}

/* "0", "1", "2 to 3", "512 to 1023". */
static const char *size_name(unsigned i, char text[32])
{
    char low[32], high[32];

    if (i < 2)
        snprintf(text, 32, "%u B", i);
    else
        snprintf(text, 32, "%.10s to %.10s", chart_size(exp2(i - 1), low),
                 i < 11 ? (snprintf(high, 32, "%.0f", exp2(i) - 1), high)
                        : chart_size(exp2(i), high));
    return text;
}

static void draw_sizes(struct page *p, const struct run *run)
{
    struct chart_bar bar[RUN_SIZES];
    char name[RUN_SIZES][32], text[RUN_SIZES][24];
    double most = 0;
    unsigned n = 0;

    for (unsigned i = 0; i < RUN_SIZES; i++) {
        if (run->size_count[i] == 0)
            continue;
        snprintf(text[n], sizeof(text[n]), "%" PRIu64, run->size_count[i]);
        bar[n] = (struct chart_bar){.name = size_name(i, name[n]),
                                    .text = text[n],
                                    .value = (double)run->size_count[i]};
        most = fmax(most, bar[n].value);
        n++;
    }
    if (n)
        chart_bars(p, "Calls by bytes",
                   "A bar for each size class, from a power of two to the "
                   "next: the number of calls to another rank.",
                   bar, n, most);
}

static void write_sizes(struct page *p, const struct run *run)
{
    static const struct page_column columns[] = {
        {"Bytes", false}, {"Calls", true}, {"Total bytes", true}};
    char text[32];

    page_table(p, "Calls to another rank by bytes", columns, 3);
    for (unsigned i = 0; i < RUN_SIZES; i++) {
        if (run->size_count[i] == 0)
            continue;
        page_cell(p, "%s", size_name(i, text));
        page_cell(p, "%" PRIu64, run->size_count[i]);
        page_cell(p, "%" PRIu64, run->size_bytes[i]);
    }
    page_table_end(p);
}

static void write_messages(struct page *p, const struct run *run)
{
    static struct blocks blocks;
    uint64_t calls = 0;

    page_section(p, "Communication");
    for (unsigned i = 0; i < RUN_SIZES; i++)
        calls += run->size_count[i];
    if (calls == 0) {
        page_paragraph(p, "No call involved another rank.");
        return;
    }
    blocks = (struct blocks){0};
    make_blocks(run, &blocks);
    page_grid(p);
    draw_blocks(p, &blocks);
    draw_sizes(p, run);
    page_grid_end(p);
    write_blocks(p, &blocks);
    write_sizes(p, run);
}

/* ---- */

void run_write(FILE *out, const struct run *run, const struct run_job *job)
{
    struct page page;

    page_begin(&page, out, "FSHMEM: report of a run", job->command);
    run_advise(&page, run, job);
    write_job(&page, run, job);
    run_write_values(&page, run);
    run_write_time(&page, run);
    write_waits(&page, run);
    write_calls(&page, run);
    write_messages(&page, run);
    run_write_nodes(&page, job);
    page_end(&page);
}
