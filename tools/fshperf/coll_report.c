/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reports of fshperf coll: tables in the column layout of the OSU micro-benchmarks,
 * one per operation, number of ranks, concurrency and engine; and JSON.
 */
#include "coll.h"
#include "perf.h"

#include <math.h>
#include <string.h>

#include "base/cpu.h"
#include "base/simulated.h"

#define BASELINE "messages" /* the engine that others are compared with */

static unsigned costs_of(const struct coll_table *table)
{
    return table->simulated ? COLL_COSTS : 1;
}

static bool same_section(const struct coll_row *a, const struct coll_row *b)
{
    return strcmp(a->op, b->op) == 0 && strcmp(a->engine, b->engine) == 0 &&
           a->nodes == b->nodes && a->jobs == b->jobs;
}

/* The same case by messages, with the same algorithm or, where each engine chose its
 * own, the one chosen for messages; NULL: this is it, or it was not measured. */
static const struct coll_row *baseline(const struct coll_table *table,
                                       const struct coll_row *row)
{
    const struct coll_row *found = NULL;

    if (strcmp(row->engine, BASELINE) == 0) {
        return NULL;
    }
    for (size_t i = 0; i < table->rows; ++i) {
        const struct coll_row *other = &table->row[i];

        if (other->nodes == row->nodes && other->jobs == row->jobs &&
            other->bytes == row->bytes && strcmp(other->op, row->op) == 0 &&
            strcmp(other->engine, BASELINE) == 0 &&
            (!found || strcmp(other->algorithm, row->algorithm) == 0)) {
            found = other;
        }
    }
    return found;
}

/* ---- text ---- */

static void print_head(const struct coll_table *table)
{
    printf("# FSHMEM %s: collectives. Clock: %s.\n", FSH_VERSION,
           table->simulated ? "simulated, hosts included" : "wall");
    if (table->simulated) {
        perf_print_assumed();
        fputs("# Host costs: COST_* of spec/fshmem.toml times 1, 0 and 2.\n",
              stdout);
    } else {
        printf("# Conduit smp, one processor per rank if the %u suffice.\n",
               fsh_cpu_count());
    }
    fputs("# us from a common start to the last rank's completion, median of "
          "rounds; buffers in the\n"
          "# segment and in private memory, refilled in every round. Size: "
          "bytes of the vector\n"
          "# (broadcast, reduce, allreduce, scan) or of a block. Reductions: "
          "sums of --type.\n"
          "# Times: speed-up over messages, if those were measured too.\n",
          stdout);
}

/* Speed-up over messages; 0: nothing to compare with. */
static double speedup(const struct coll_table *table,
                      const struct coll_row *row, unsigned cost,
                      unsigned memory)
{
    const struct coll_row *base = baseline(table, row);

    return base && row->ns[cost][memory] > 0
               ? base->ns[cost][memory] / row->ns[cost][memory]
               : 0;
}

/* A column's name, 20 wide. */
static void print_name(const char *memory, const struct coll_table *table,
                       unsigned cost)
{
    char name[32];

    if (table->simulated) {
        snprintf(name, sizeof name, "%s x%s (us)", memory, coll_costs[cost]);
    } else {
        snprintf(name, sizeof name, "%s (us)", memory);
    }
    printf("%20s", name);
}

static void print_section(const struct coll_table *table,
                          const struct coll_row *row)
{
    printf("\n# %s, %u ranks, %u at once, by %s\n%-10s", row->op, row->nodes,
           row->jobs, row->engine, "# Size");
    for (unsigned c = 0; c < costs_of(table); ++c) {
        print_name("Segment", table, c);
        print_name("Private", table, c);
        if (baseline(table, row)) {
            printf("%20s%20s", "Segment (times)", "Private (times)");
        }
    }
    printf("%20s%20s\n", "Algorithm", "Rounds");
}

/* A figure, 20 wide; 0: none. */
static void print_figure(double value, int digits)
{
    if (value > 0) {
        printf("%20.*f", digits, value);
    } else {
        printf("%20s", "-");
    }
}

static void print_row(const struct coll_table *table,
                      const struct coll_row *row)
{
    printf("%-10zu", row->bytes);
    for (unsigned c = 0; c < costs_of(table); ++c) {
        for (unsigned m = 0; m < COLL_MEMORIES; ++m) {
            print_figure(row->ns[c][m] / 1e3, 3);
        }
        for (unsigned m = 0; baseline(table, row) && m < COLL_MEMORIES; ++m) {
            print_figure(speedup(table, row, c, m), 2);
        }
    }
    printf("%20s%20u\n", row->algorithm, row->rounds);
}

/* Rows of an engine that falls back to another one are interleaved with its
 * own. */
static bool begins_section(const struct coll_table *table, size_t row)
{
    for (size_t i = 0; i < row; ++i) {
        if (same_section(&table->row[i], &table->row[row])) {
            return false;
        }
    }
    return true;
}

static void print_rows(const struct coll_table *table, size_t first)
{
    for (size_t i = first; i < table->rows; ++i) {
        if (same_section(&table->row[first], &table->row[i])) {
            print_row(table, &table->row[i]);
        }
    }
}

void coll_print(const struct coll_table *table)
{
    print_head(table);
    for (size_t i = 0; i < table->rows; ++i) {
        if (begins_section(table, i)) {
            print_section(table, &table->row[i]);
            print_rows(table, i);
        }
    }
}

/* ---- JSON ---- */

static bool is_by_card(const struct coll_row *row)
{
    return strcmp(row->engine, "card") == 0;
}

static void add_object(struct document *d, const struct coll_table *table,
                       const struct coll_row *row, unsigned cost,
                       unsigned memory)
{
    const struct coll_row *base = baseline(table, row);
    double ns = row->ns[cost][memory];
    double base_ns = base && base->ns[cost][memory] > 0 ? base->ns[cost][memory]
                                                        : (double)NAN;

    document_open(d, NULL, '{');
    document_text(d, "op", row->op);
    document_text(d, "algorithm", row->algorithm);
    document_text(d, "engine", row->engine);
    document_number(d, "nodes", row->nodes);
    document_number(d, "jobs", row->jobs);
    document_number(d, "bytes", row->bytes);
    document_text(d, "memory",
                  row->bytes == 0 ? "none" : coll_memory_name(memory));
    document_real(d, "cycles",
                  table->simulated ? ns / FSH_NS_PER_CYCLE : (double)NAN);
    document_real(d, "us", ns / 1e3);
    document_real(d, "baseline_us", base_ns / 1e3);
    document_real(d, "speedup", base_ns / ns);
    document_real(d, "occupancy",
                  is_by_card(row) || strcmp(row->engine, BASELINE) == 0
                      ? row->occupancy[cost][memory]
                      : (double)NAN);
    document_real(d, "occupancy_mean",
                  is_by_card(row) ? row->occupancy_mean[cost][memory]
                                  : (double)NAN);
    document_text(d, "type", row->type);
    document_real(d, "link_bytes",
                  table->simulated ? row->link_bytes[cost][memory]
                                   : (double)NAN);
    document_real(d, "payload_bytes",
                  table->simulated ? row->payload_bytes[cost][memory]
                                   : (double)NAN);
    document_number(d, "rounds", row->rounds);
    document_text(d, "conduit", table->simulated ? "fpga" : "smp");
    document_text(d, "clock",
                  table->simulated ? "simulated, hosts included" : "wall");
    if (table->simulated) {
        document_text(d, "topology", row->topology);
        document_number(d, "host_costs", (unsigned)(coll_costs[cost][0] - '0'));
        perf_json_assumed(d, 0);
    }
    document_close(d);
}

void coll_write_json(FILE *out, const struct coll_table *table)
{
    struct document d = {0};

    document_open(&d, NULL, '[');
    for (size_t i = 0; i < table->rows; ++i) {
        for (unsigned c = 0; c < costs_of(table); ++c) {
            for (unsigned m = 0; m < COLL_MEMORIES; ++m) {
                if (table->row[i].ns[c][m] > 0) {
                    add_object(&d, table, &table->row[i], c, m);
                }
            }
        }
    }
    document_close(&d);
    document_write(&d, out); /* errors are checked when the file is closed */
}
