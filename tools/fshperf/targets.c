/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The final table of fshperf paper: results of the paper, targets of FSHMEM,
 * and measurements, with pass or falls short in each row. Bandwidth targets are
 * those of a link without its error-correcting layer.
 */
#include "perf.h"

#include <assert.h>
#include <string.h>

#define REACH_STEP 16 /* bytes: one beat */

static double rate(enum perf_op op, size_t bytes)
{
    struct perf_config config = {
        .op = op, .ports = 1, .packet = 1024, .bytes = bytes, .count = 1};
    return (double)bytes / (double)perf_measure(&config).written;
}

/* The smallest size, in steps of a beat, from which `wanted` bytes per cycle
 * are reached; the curve is increasing except at packet boundaries. */
static size_t reach(enum perf_op op, double wanted)
{
    size_t low = 0, high = 65536;
    while (high - low > REACH_STEP) {
        size_t middle = (low + high) / 2 / REACH_STEP * REACH_STEP;
        if (rate(op, middle) >= wanted) {
            high = middle;
        } else {
            low = middle;
        }
    }
    return high;
}

struct perf_reach perf_search_reach(enum perf_op op, uint64_t peak_cycles)
{
    /* All ranks must take the same path, so only exact integers may decide. */
    double peak = (double)PERF_MAX_BYTES / (double)peak_cycles;
    return (struct perf_reach){
        .half = reach(op, 0.5 * peak),
        .most = reach(op, 0.95 * peak),
    };
}

bool perf_target_missed(const struct perf_target *target)
{
    return target->limit > 0 &&
           (target->at_least ? target->measured < target->limit
                             : target->measured > target->limit);
}

const char *perf_target_verdict(const struct perf_target *target)
{
    return target->limit <= 0           ? "-"
           : perf_target_missed(target) ? "falls short"
                                        : "pass";
}

const char *perf_target_limit(const struct perf_target *target, char text[32])
{
    snprintf(text, 32, "-");
    if (target->limit > 0) {
        snprintf(text, 32, "%s %.3g",
                 target->at_least ? ">=" : "<=", target->limit);
    }
    return text;
}

static void add(struct perf_targets *all, const struct perf_target *target)
{
    assert(all->count < PERF_TARGETS);
    all->target[all->count++] = *target;
}

static void add_all(struct perf_targets *all, const struct perf_target *target,
                    size_t n)
{
    for (size_t i = 0; i < n; ++i) {
        add(all, &target[i]);
    }
}

static void add_peaks(struct perf_targets *all, const struct perf_table *table,
                      const char *test, const char *mode, unsigned ports)
{
    static const double limits[PERF_PACKETS] = {88.6, 93.9, 96.8, 98.3};
    static const char *const paper[PERF_PACKETS] = {"65.5 %", "85.5 %",
                                                    "95.3 %", "95.3 %"};
    for (unsigned p = PERF_PACKETS; p-- > 0;) {
        const struct perf_row *row =
            perf_find(table, test, mode, "last_byte", ports, perf_packet(p),
                      PERF_MAX_BYTES);
        if (!row) {
            continue;
        }
        struct perf_target target = {
            .paper = ports == 1 ? paper[p] : "-",
            .unit = "%",
            .limit = ports == 1 ? limits[p] : 0,
            .measured = 100 * perf_efficiency(row),
            .at_least = true,
        };
        snprintf(target.what, sizeof(target.what),
                 "%s peak at 2 MB, %s, %u port%s, %u B",
                 test[0] == 'p' ? "PUT" : "GET", mode, ports,
                 ports > 1 ? "s" : "", perf_packet(p));
        add(all, &target);
    }
}

static void add_reaches(struct perf_targets *all,
                        const struct perf_reach reach[2])
{
    const struct perf_target targets[] = {
        {"PUT half of peak at, one transfer", "2 KB", "KB", 1.4,
         (double)reach[0].half / 1024, false},
        {"GET half of peak at, one transfer", "-", "KB", 2.1,
         (double)reach[1].half / 1024, false},
        {"PUT 95 % of peak at, one transfer", "32 KB", "KB", 26,
         (double)reach[0].most / 1024, false},
        {"GET 95 % of peak at, one transfer", "-", "KB", 39,
         (double)reach[1].most / 1024, false},
    };
    add_all(all, targets, sizeof(targets) / sizeof(targets[0]));
}

static double latency(const struct perf_table *table, const char *test,
                      const char *mode, const char *to, size_t bytes)
{
    return perf_us(perf_find(table, test, mode, to, 1, 1024, bytes));
}

static void add_latencies(struct perf_targets *all,
                          const struct perf_table *table)
{
    const struct perf_target targets[] = {
        {"PUT short, accepted to header", "0.21 us", "us", 0.17,
         latency(table, "put_lat", "short", "header", 0), false},
        {"GET short, accepted to reply header", "0.45 us", "us", 0.34,
         latency(table, "get_lat", "short", "header", 0), false},
        {"PUT long, to header, mean of 4 B to 2 MB", "0.35 us", "us", 0.30,
         perf_mean_header_us(table, "put_lat"), false},
        {"GET long, to reply header, mean of 4 B to 2 MB", "0.59 us", "us",
         0.50, perf_mean_header_us(table, "get_lat"), false},
        {"PUT 4 B, to last byte written", "-", "us", 0.40,
         latency(table, "put_lat", "long", "last_byte", 4), false},
        {"GET 4 B, to last byte written", "-", "us", 0.58,
         latency(table, "get_lat", "long", "last_byte", 4), false},
    };
    add_all(all, targets, sizeof(targets) / sizeof(targets[0]));
}

/* 4 B to the last byte, with this write response time. */
static double last_byte(const struct perf_table *table, const char *test,
                        const char *mode, unsigned dram_write)
{
    for (size_t i = 0; i < table->rows; ++i) {
        const struct perf_row *row = &table->row[i];
        if (row->dram_write == dram_write && strcmp(row->test, test) == 0 &&
            strcmp(row->mode, mode) == 0) {
            return perf_us(row);
        }
    }
    return 0;
}

/* "Accepted" is when the command leaves its window, as in the paper; the doorbell that
 * announced it was written some cycles earlier. */
static void add_doorbells(struct perf_targets *all,
                          const struct perf_table *table)
{
    const unsigned now = perf_assumed()->dram_write_cycles;
    const struct perf_target targets[] = {
        {"PUT short, doorbell to header", "-", "us", 0.19,
         latency(table, "put_lat", "short_doorbell", "header", 0), false},
        {"GET short, doorbell to reply header", "-", "us", 0.365,
         latency(table, "get_lat", "short_doorbell", "header", 0), false},
        {"PUT 4 B, doorbell to last byte", "-", "us", 0,
         last_byte(table, "put_lat", "long_doorbell", now), false},
        {"GET 4 B, doorbell to last byte", "-", "us", 0,
         last_byte(table, "get_lat", "long_doorbell", now), false},
        {"PUT 4 B, to last byte, write response 40 cycles", "-", "us", 0.50,
         last_byte(table, "put_lat", "long_accepted", PERF_DRAM_STORED), false},
        {"GET 4 B, to last byte, write response 40 cycles", "-", "us", 0.67,
         last_byte(table, "get_lat", "long_accepted", PERF_DRAM_STORED), false},
        {"PUT 4 B, doorbell to last byte, response 40 cycles", "-", "us", 0,
         last_byte(table, "put_lat", "long_doorbell", PERF_DRAM_STORED), false},
        {"GET 4 B, doorbell to last byte, response 40 cycles", "-", "us", 0,
         last_byte(table, "get_lat", "long_doorbell", PERF_DRAM_STORED), false},
    };
    add_all(all, targets, sizeof(targets) / sizeof(targets[0]));
}

void perf_find_targets(struct perf_targets *all, const struct perf_table *table,
                       const struct perf_reach reach[2])
{
    static const char *const tests[] = {"put_bw", "get_bw"};
    static const char *const modes[] = {"single", "pipelined"};

    all->count = 0;
    for (unsigned ports = 1; ports <= 2; ++ports) {
        for (unsigned m = 0; m < 2; ++m) {
            for (unsigned t = 0; t < 2; ++t) {
                add_peaks(all, table, tests[t], modes[m], ports);
            }
        }
    }
    add_reaches(all, reach);
    add_latencies(all, table);
    all->doorbells = all->count;
    add_doorbells(all, table);
}

unsigned perf_print_targets(const struct perf_targets *all)
{
    unsigned falls = 0;
    char limit[32];

    printf("\n# Targets, simulated clock\n%-52s%14s%12s%12s\n", "# What",
           "paper", "target", "measured");
    for (size_t i = 0; i < all->count; ++i) {
        const struct perf_target *t = &all->target[i];

        if (i == all->doorbells) {
            printf("# %s\n", PERF_DOORBELL_NOTE);
        }
        printf("%-52s%14s%12s%12.3f %-4s%s\n", t->what, t->paper,
               perf_target_limit(t, limit), t->measured, t->unit,
               perf_target_verdict(t));
        falls += perf_target_missed(t);
    }
    printf("# %s\n", falls ? "Some rows fall short." : "All rows pass.");
    return falls;
}
