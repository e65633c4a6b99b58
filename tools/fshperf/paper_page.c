/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fshperf paper --report: section IV of the FSHMEM paper as a page, with its figures
 * and tables next to ours. Curves of the paper are represented by the peaks that its
 * text states.
 */
#include "perf.h"

#include <string.h>

#include "chart.h"

/* The peaks that the paper states: packets of 1024 and 512 B share one. */
static const struct chart_level paper_peaks[] = {
    {"paper, 512 and 1024 B: 3813", 3813, false},
    {"paper, 256 B: 3419", 3419, false},
    {"paper, 128 B: 2621", 2621, false},
    {"THe GASNet, TMD-MPI: 400", 400, true},
    {"one-sided MPI: 141", 141, true},
};

/* A column of the tables below the curves. */
struct series {
    const char *test, *mode, *to;
    unsigned packet;
    const char *name;
};

static double value_of(const struct perf_row *row)
{
    return strstr(row->test, "_lat") ? perf_us(row) : perf_mb_per_s(row);
}

/* Omits what was not measured. Returns the number of lines. */
static unsigned find_lines(const struct perf_table *table, unsigned ports,
                           const struct series *series, unsigned n,
                           struct chart_line *line)
{
    unsigned lines = 0;

    for (unsigned i = 0; i < n; ++i) {
        const struct series *s = &series[i];
        struct chart_line *l = &line[lines];

        *l = (struct chart_line){.name = s->name, .look = i % CHART_LOOKS};
        for (unsigned k = 0; k < PERF_SIZES; ++k) {
            const struct perf_row *row = perf_find(
                table, s->test, s->mode, s->to, ports, s->packet, perf_size(k));
            if (row) {
                l->x[l->count] = (double)perf_size(k);
                l->y[l->count++] = value_of(row);
            }
        }
        lines += l->count > 0;
    }
    return lines;
}

/* The same figures as a table, for the exact numbers and for accessibility. */
static void write_points(struct page *p, const struct chart *c,
                         const char *format)
{
    struct page_column column[CHART_LINES + 1] = {{c->x.title, true}};
    char room[32];

    for (unsigned i = 0; i < c->lines; ++i) {
        column[i + 1] = (struct page_column){c->line[i].name, true};
    }
    page_table(p, c->title, column, c->lines + 1);
    for (unsigned k = 0; k < c->line[0].count; ++k) {
        page_cell(p, "%s", chart_size(c->line[0].x[k], room));
        for (unsigned i = 0; i < c->lines; ++i) {
            snprintf(room, sizeof(room), format, c->line[i].y[k]);
            page_cell(p, "%s", room);
        }
    }
    page_table_end(p);
}

static const struct chart_axis sizes = {.title = "Transfer size (bytes)",
                                        .least = 4,
                                        .most = PERF_MAX_BYTES,
                                        .factors = true,
                                        .step = 8,
                                        .text = chart_size};

/* A chart with its table below. */
static void write_curve(struct page *p, const struct chart *c, unsigned digits)
{
    char format[16];

    snprintf(format, sizeof(format), "%%.%uf", digits);
    fputs("<div>\n", p->out);
    chart_lines(p, c);
    write_points(p, c, format);
    fputs("</div>\n", p->out);
}

static void write_bandwidth(struct page *p, const struct perf_table *table,
                            const char *test, const char *mode, unsigned ports)
{
    bool single = strcmp(mode, "single") == 0;
    const char *of = test[0] == 'p' ? "PUT" : "GET";
    struct chart_line line[PERF_PACKETS];
    struct series series[PERF_PACKETS];
    char name[PERF_PACKETS][16], title[96], about[256];

    for (unsigned i = 0; i < PERF_PACKETS; ++i) {
        unsigned packet = perf_packet(PERF_PACKETS - 1 - i);

        snprintf(name[i], sizeof(name[i]), "%u B", packet);
        series[i] = (struct series){test, mode, "last_byte", packet, name[i]};
    }
    snprintf(title, sizeof(title), "%s, %s, %u port%s (MB/s)", of,
             single ? "one transfer in flight" : "queued transfers", ports,
             ports > 1 ? "s" : "");
    snprintf(about, sizeof(about),
             "Bandwidth of %s by transfer size, a line for each packet size; "
             "levels are peaks stated in the paper.",
             of);
    struct chart chart = {
        .title = title,
        .about = about,
        .x = sizes,
        .y = {.title = "MB/s", .most = 4000 * ports, .step = 1000 * ports},
        .line = line,
        .lines = find_lines(table, ports, series, PERF_PACKETS, line),
        .level = paper_peaks,
        .levels = ports == 1 ? 5 : 1,
    };
    if (chart.lines) {
        write_curve(p, &chart, 1);
    }
}

static void write_bandwidths(struct page *p, const struct perf_table *table)
{
    static const char *const modes[] = {"single", "pipelined"};

    page_section(p, "Fig. 5: bandwidth");
    page_paragraph(
        p,
        "From command acceptance to the last byte written, in simulated "
        "cycles at 250 MHz. A port carries at most 4000 MB/s (MB = 10^6 "
        "bytes). Of its curves the paper's text states only the peaks, half "
        "of the peak at 2 KB and 95 %% of it at 32 KB; see the targets below "
        "for ours.");
    page_grid(p);
    for (unsigned ports = 1; ports <= 2; ++ports) {
        for (unsigned m = 0; m < 2; ++m) {
            write_bandwidth(p, table, "put_bw", modes[m], ports);
            write_bandwidth(p, table, "get_bw", modes[m], ports);
        }
    }
    page_grid_end(p);
}

static void write_latency_curves(struct page *p, const struct perf_table *table)
{
    static const struct series series[] = {
        {"put_lat", "long", "header", 1024, "PUT head"},
        {"get_lat", "long", "header", 1024, "GET head"},
        {"put_lat", "long", "last_byte", 1024, "PUT last"},
        {"get_lat", "long", "last_byte", 1024, "GET last"},
    };
    static const struct chart_level levels[] = {
        {"paper, GET to header: 0.59", 0.59, true},
        {"paper, PUT to header: 0.35", 0.35, true}};
    struct chart_line line[4];
    struct chart chart = {
        .title = "Latency of one transfer (us)",
        .about = "Time from command acceptance to the header received and to "
                 "the last byte written, for PUT and GET, by transfer size.",
        .x = sizes,
        .y = {.title = "us",
              .least = 0.125,
              .most = 1024,
              .factors = true,
              .step = 8},
        .line = line,
        .lines = find_lines(table, 1, series, 4, line),
        .level = levels,
        .levels = 2,
    };
    page_grid(p);
    if (chart.lines) {
        write_curve(p, &chart, 3);
    }
}

static void write_latencies(struct page *p, const struct perf_table *table)
{
    static const struct page_column columns[] = {
        {"Implementation", false}, {"PUT (us)", true}, {"GET (us)", true}};
    struct perf_iii row[PERF_ROWS_III];

    page_section(p, "Table III: latency");
    page_paragraph(p, "From command acceptance to the header received (for a "
                      "GET, that of the reply). Figures of others are quoted "
                      "from the FSHMEM paper.");
    write_latency_curves(p, table);
    perf_table_iii(table, row);
    fputs("<div>\n", p->out);
    page_table(p, "Latency, the paper's table and ours", columns, 3);
    for (unsigned i = 0; i < PERF_ROWS_III; ++i) {
        page_cell(p, "%s", row[i].what);
        page_cell(p, "%s", row[i].put);
        page_cell(p, "%s", row[i].get);
    }
    page_table_end(p);
    fputs("</div>\n", p->out);
}

static void write_works(struct page *p, const struct perf_table *table)
{
    struct page_column columns[PERF_COLUMNS_IV] = {{"", false}};
    struct perf_iv row[PERF_ROWS_IV];

    page_section(p, "Table IV: comparison with prior works");
    for (unsigned j = 0; j < PERF_COLUMNS_IV; ++j) {
        columns[j] = (struct page_column){perf_heads_iv[j], j > 0};
    }
    perf_table_iv(table, row);
    page_table(p, "Prior works as quoted in the paper, the paper, and ours",
               columns, PERF_COLUMNS_IV);
    for (unsigned i = 0; i < PERF_ROWS_IV; ++i) {
        for (unsigned j = 0; j < PERF_COLUMNS_IV; ++j) {
            page_cell(p, "%s", row[i].column[j]);
        }
    }
    page_table_end(p);
    page_paragraph(p, "For Table II (logic of the GASNet core) compared with "
                      "ours by yosys, run make synth.");
}

static void write_targets(struct page *p, const struct perf_targets *all)
{
    static const struct page_column columns[] = {
        {"What", false}, {"Paper", true},    {"Target", true},
        {"Ours", true},  {"Verdict", false},
    };
    char limit[32];

    page_section(p, "The paper, our targets, and ours");
    page_paragraph(p, "%s A - means that there is no target.",
                   PERF_DOORBELL_NOTE);
    page_table(p, "Targets, simulated clock", columns, 5);
    for (size_t i = 0; i < all->count; ++i) {
        const struct perf_target *t = &all->target[i];

        page_cell(p, "%s", t->what);
        page_cell(p, "%s", t->paper);
        page_cell(p, "%s", perf_target_limit(t, limit));
        page_cell(p, "%.3f %s", t->measured, t->unit);
        page_cell(p, "%s", perf_target_verdict(t));
    }
    page_table_end(p);
}

static void write_summary(struct page *p, const struct perf_results *results)
{
    struct perf_iii iii[PERF_ROWS_III];
    unsigned falls = 0;

    for (size_t i = 0; i < results->targets->count; ++i) {
        falls += perf_target_missed(&results->targets->target[i]);
    }
    perf_table_iii(results->table, iii);
    page_advice(
        p, falls ? PAGE_WARNING : PAGE_NOTE,
        "PUT reaches %.0f MB/s on one port (the paper: 3813); a short PUT takes "
        "%s us to its header (the paper: 0.21), a GET %s us (0.45). %u of %zu "
        "rows miss their target.",
        perf_bandwidth(results->table, "put_bw", "single", 1, PERF_MAX_BYTES),
        iii[6].put, iii[6].get, falls, results->targets->count);
}

void perf_write_page(FILE *out, const struct perf_results *results)
{
    struct page page;

    page_begin(&page, out, "FSHMEM: section IV of the paper, measured",
               "Bandwidth and latency of PUT and GET between two simulated "
               "FPGA nodes, from the hardware counters of both, compared with "
               "the FSHMEM paper.");
    write_summary(&page, results);
    page_section(&page, "Machine and assumptions");
    perf_page_assumed(&page);
    write_bandwidths(&page, results->table);
    write_latencies(&page, results->table);
    write_works(&page, results->table);
    write_targets(&page, results->targets);
    page_end(&page);
}
