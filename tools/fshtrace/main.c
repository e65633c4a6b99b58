/* SPDX-License-Identifier: BSD-3-Clause */
/* fshtrace: command line and output. */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fsh_spec.h"
#include "base/log.h"
#include "document.h"
#include "fshtrace.h"
#include "options.h"

static const char usage[] =
    "Usage: fshtrace [options] FILE\n"
    "Show where the time of a job went, from a trace file of fshrun --trace.\n"
    "Prints time per call, the longest waits, which ranks waited for which, and the\n"
    "critical path.\n"
    "\n";

static bool wants_json, wants_help, wants_version;
static unsigned top = 10;

static const struct kit_option rows[] = {
    {"--top", "N", "rows per table", .number = &top, .most = 1000},
    {"--json", .help = "JSON output", .flag = &wants_json},
    {"--help", .help = "print this", .flag = &wants_help, .ends = true,
     .letter = 'h'},
    {"--version", .help = "print the version", .flag = &wants_version,
     .ends = true},
};

static const struct kit_options options = {
    .tool = "fshtrace",
    .rows = rows,
    .count = sizeof rows / sizeof rows[0],
    .rest = true,
};

static const char *const share_names[SHARES] = {
    [SHARE_HOST] = "host",       [SHARE_PCIE] = "pcie",
    [SHARE_MEMORY] = "memory",   [SHARE_LINK] = "link",
    [SHARE_COMPUTE] = "compute", [SHARE_QUEUE] = "queueing"};

/* ---- text ---- */

static double percent(uint64_t part, uint64_t all)
{
    return all ? 100.0 * (double)part / (double)all : 0;
}

static double us(uint64_t ns)
{
    return (double)ns / 1e3;
}

/* Names come from a file: omits characters that would control a terminal. */
static void print_name(const char *name)
{
    for (; *name; name++)
        putchar((unsigned char)*name >= 0x20 && *name != 0x7f ? *name : '?');
}

static void print_head(const struct trace *t)
{
    uint64_t all = t->end - t->begin;

    printf("%" PRIu32 " ranks, conduit %s: %.3f us of %s time", t->ranks,
           t->conduit, us(all), t->simulated ? "simulated" : "wall");
    if (t->simulated)
        printf(", %" PRIu64 " cycles", all / t->cycle);
    putchar('\n');
    if (t->cut)
        puts("The file is truncated: what was open ends with it.");
    if (t->dropped)
        printf("%" PRIu64 " records are missing: sums are too small.\n",
               t->dropped);
}

static void print_rows(const struct trace *t, enum slice_kind kind,
                       const char *title)
{
    size_t n;
    struct row *table = rows_of(t, kind, &n);

    if (n != 0)
        printf("\n%s\n  %9s %12s %10s %10s\n", title, "count", "total us",
               "median us", "most us");
    for (size_t i = 0; i < n && i < top; i++) {
        printf("  %9" PRIu64 " %12.3f %10.3f %10.3f  ", table[i].count,
               us(table[i].total), us(table[i].median), us(table[i].most));
        print_name(t->name[table[i].name]);
        putchar('\n');
    }
    free(table);
}

static void print_waits(const struct trace *t)
{
    const struct slice **longest = calloc(top + 1, sizeof *longest);
    size_t n = longest ? longest_waits(t, longest, top) : 0;

    if (n != 0)
        puts("\nLongest waits: rank, at us, us, for");
    for (size_t i = 0; i < n; i++) {
        const struct slice *s = longest[i];

        printf("  %5" PRIu32 " %12.3f %12.3f  ", s->process, us(s->from),
               us(s->to - s->from));
        print_name(t->name[s->name]);
        if (s->peer)
            printf(" (rank %" PRIu32 ")", s->peer - 1);
        puts(s->open ? ", not ended" : "");
    }
    free(longest);
}

static void print_matrix(const struct trace *t)
{
    uint64_t *matrix = waits_matrix(t), all = t->end - t->begin;
    bool any = false;

    for (uint32_t r = 0; matrix && r < t->ranks; r++)
        for (uint32_t p = 0; p <= t->ranks; p++) {
            uint64_t ns = matrix[(size_t)r * (t->ranks + 1) + p];

            if (percent(ns, all) < 0.1)
                continue;
            if (!any)
                puts("\nWho waits for whom");
            any = true;
            printf("  rank %" PRIu32 " for ", r);
            if (p < t->ranks)
                printf("rank %" PRIu32, p);
            else
                fputs("any", stdout);
            printf(": %.3f us, %.1f %%\n", us(ns), percent(ns, all));
        }
    free(matrix);
}

static void print_path(const struct trace *t, const struct path *p)
{
    uint64_t all = t->end - t->begin;

    printf("\nCritical path: ends on rank %" PRIu32
           ", passes from rank to rank "
           "%" PRIu64 " times\n",
           p->last, p->hops);
    for (unsigned k = 0; k < SHARES; k++) {
        if (!t->simulated && p->share[k] == 0)
            continue;
        printf("  %-9s",
               !t->simulated && k == SHARE_QUEUE ? "messages" : share_names[k]);
        if (t->simulated)
            printf(" %12" PRIu64 " cycles", p->share[k] / t->cycle);
        printf(" %12.3f us %6.2f %%\n", us(p->share[k]),
               percent(p->share[k], all));
    }
    for (uint32_t r = 0; r < t->ranks; r++)
        if (percent(p->on_rank[r], all) >= 1)
            printf("  of host, rank %" PRIu32 ": %.2f %%\n", r,
                   percent(p->on_rank[r], all));
}

/* ---- JSON ---- */

static void show_rows(struct document *d, const struct trace *t,
                      enum slice_kind kind, const char *key)
{
    size_t n;
    struct row *table = rows_of(t, kind, &n);

    document_open(d, key, '[');
    for (size_t i = 0; i < n; i++) {
        document_open(d, NULL, '{');
        document_text(d, "name", t->name[table[i].name]);
        document_number(d, "count", table[i].count);
        document_number(d, "total_ns", table[i].total);
        document_number(d, "median_ns", table[i].median);
        document_number(d, "most_ns", table[i].most);
        document_number(d, "bytes", table[i].bytes);
        document_close(d);
    }
    document_close(d);
    free(table);
}

static void show_matrix(struct document *d, const struct trace *t)
{
    uint64_t *matrix = waits_matrix(t);

    document_open(d, "waits", '[');
    for (uint32_t r = 0; matrix && r < t->ranks; r++)
        for (uint32_t p = 0; p <= t->ranks; p++) {
            if (matrix[(size_t)r * (t->ranks + 1) + p] == 0)
                continue;
            document_open(d, NULL, '{');
            document_number(d, "rank", r);
            if (p < t->ranks)
                document_number(d, "peer", p);
            document_number(d, "ns", matrix[(size_t)r * (t->ranks + 1) + p]);
            document_close(d);
        }
    document_close(d);
    free(matrix);
}

static bool show_json(const struct trace *t, const struct path *p)
{
    struct document d = {0};

    document_open(&d, NULL, '{');
    document_text(&d, "conduit", t->conduit);
    document_number(&d, "ranks", t->ranks);
    document_text(&d, "clock", t->simulated ? "simulated" : "wall");
    document_number(&d, "ns", t->end - t->begin);
    if (t->simulated)
        document_number(&d, "cycles", (t->end - t->begin) / t->cycle);
    document_bool(&d, "cut", t->cut);
    document_number(&d, "dropped", t->dropped);
    show_rows(&d, t, CALL, "calls");
    show_rows(&d, t, HANDLER, "handlers");
    show_matrix(&d, t);
    document_open(&d, "path", '{');
    document_number(&d, "last_rank", p->last);
    document_number(&d, "hops", p->hops);
    for (unsigned k = 0; k < SHARES; k++) {
        char key[32];

        snprintf(key, sizeof key, "%s_%s", share_names[k],
                 t->simulated ? "cycles" : "ns");
        document_number(&d, key,
                        t->simulated ? p->share[k] / t->cycle : p->share[k]);
    }
    document_close(&d);
    document_close(&d);
    return document_write(&d, stdout);
}

/* ---- */

static int report(const struct trace *t)
{
    struct path path;
    int code = 0;

    if (!path_find(&path, t)) {
        free(path.on_rank);
        fsh_warn("out of memory");
        return 1;
    }
    if (wants_json) {
        code = show_json(t, &path) ? 0 : 1;
    } else {
        print_head(t);
        print_rows(t, CALL, "Calls");
        print_rows(t, HANDLER, "Handlers");
        print_waits(t);
        print_matrix(t);
        print_path(t, &path);
    }
    free(path.on_rank);
    return code;
}

int main(int argc, char **argv)
{
    struct trace trace;
    char err[1200];
    int code;

    fsh_log_program("fshtrace");
    kit_options_read(&options, argc, argv);
    if (wants_help) {
        fputs(usage, stdout);
        kit_options_print(stdout, &options, 2, 16);
        return 0;
    }
    if (wants_version) {
        puts("fshtrace (FSHMEM) " FSH_VERSION);
        return 0;
    }
    if (optind != argc - 1) {
        fsh_warn(optind == argc ? "no file was named" : "one file at a time");
        fputs("Try 'fshtrace --help'.\n", stderr);
        return 2;
    }
    if (!trace_read(&trace, argv[optind], err, sizeof err)) {
        fsh_warn("%s", err);
        return 1;
    }
    code = report(&trace);
    trace_free(&trace);
    return code;
}
