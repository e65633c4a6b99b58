/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Figures of fshperf smp: parsing rows, targets, the table, JSON.
 */
#include "perf.h"
#include "smp.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <strings.h>

#include "base/cpu.h"

const char *smp_access_name(enum smp_access access)
{
    static const char *const name[] = {"never", "echoed", "lines"};

    return name[access];
}

/* ---- from a job to the report ---- */

void smp_write_row(FILE *out, const struct smp_row *row)
{
    const struct smp_result *r = &row->result;

    fprintf(out, SMP_LINE " %s %s %s %s %u %u %zu %.4f %.4f %u %u\n", row->test,
            row->mode, row->access, row->limit, row->ranks, row->pinned,
            row->bytes, r->value, r->limit, r->samples, r->disturbed);
}

bool smp_read_row(const char *line, struct smp_row *row)
{
    struct smp_result *r = &row->result;

    return sscanf(line, SMP_LINE " %23s %23s %23s %23s %u %u %zu %lf %lf %u %u",
                  row->test, row->mode, row->access, row->limit, &row->ranks,
                  &row->pinned, &row->bytes, &r->value, &r->limit, &r->samples,
                  &r->disturbed) == 11;
}

/* ---- targets ---- */

/* At most this factor times the limit, plus this many ns. */
struct rule {
    const char *test;
    unsigned ranks; /* 0: any */
    size_t from, to;
    double factor, ns;
};

static const struct rule rules[] = {
    {"am_short_rtt", 2, 0, 0, 1.3, 0},
    {"am_medium_rtt", 2, 0, 8, 1.4, 0},
    {"am_medium_rtt", 2, 9, SIZE_MAX, 1.15, 60},
    {"am_long_rtt", 2, 0, 8, 1.4, 0},
    {"am_long_rtt", 2, 9, SIZE_MAX, 1.15, 60},
    {"am_flood", 2, 0, 0, 1.6, 0},
    {"poll", 2, 0, 0, 0, 10},
    {"poll", 64, 0, 0, 0, 40},
    {"put", 2, 0, 65535, 1, 5},
    {"get", 2, 0, 65535, 1, 5},
    {"put", 2, 65536, SIZE_MAX, 1 / 0.98, 0},
    {"get", 2, 65536, SIZE_MAX, 1 / 0.98, 0},
    {"put_bw", 2, 0, SIZE_MAX, 1 / 0.98, 0},
    {"get_bw", 2, 0, SIZE_MAX, 1 / 0.98, 0},
    {"put_nb_rate", 2, 0, SIZE_MAX, 1, 5},
    {"barrier", 2, 0, 0, 0.7, 0},
    {"barrier", 0, 0, 0, 1.3, 0},
    {"rtt_together", 2, 0, 0, 2, 0},
    {"barrier_together", 2, 0, 0, 2, 0},
    {"rtt_neighbour", 2, 0, 0, 2, 50000},
    {"barrier_neighbour", 2, 0, 0, 2, 50000},
};

/* A round trip among many ranks may take twice that of two; PAR may take 1.25
 * times SEQ. Different jobs run under different conditions, so they are
 * compared by their ratios to the limits. */
#define CROWD_FACTOR 2.0
#define PAR_FACTOR 1.25

static double by_rule(const struct smp_row *row)
{
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; ++i) {
        const struct rule *rule = &rules[i];

        if (strcmp(rule->test, row->test) == 0 &&
            (rule->ranks == 0 || rule->ranks == row->ranks) &&
            row->bytes >= rule->from && row->bytes <= rule->to) {
            return rule->factor * row->result.limit + rule->ns;
        }
    }
    return 0;
}

static const struct smp_row *like(const struct smp_table *table,
                                  const struct smp_row *row, const char *mode,
                                  unsigned ranks)
{
    for (unsigned i = 0; i < table->rows; ++i) {
        const struct smp_row *other = &table->row[i];

        if (other->ranks == ranks && other->bytes == row->bytes &&
            strcasecmp(other->mode, mode) == 0 &&
            strcmp(other->test, row->test) == 0 &&
            strcmp(other->access, row->access) == 0) {
            return other;
        }
    }
    return NULL;
}

static double times(double factor, const struct smp_row *other,
                    const struct smp_row *row)
{
    return other ? factor * other->result.value * row->result.limit /
                       other->result.limit
                 : 0;
}

void smp_set_targets(struct smp_table *table)
{
    for (unsigned i = 0; i < table->rows; ++i) {
        struct smp_row *row = &table->row[i];
        const struct smp_row *seq = like(table, row, "seq", row->ranks);

        if (seq && seq != row && strcmp(row->limit, "told") != 0) {
            row->target = times(PAR_FACTOR, seq, row);
        } else if (strcmp(row->test, "am_short_rtt") == 0 && row->ranks > 2) {
            row->target =
                times(CROWD_FACTOR, like(table, row, row->mode, 2), row);
        } else {
            row->target = by_rule(row);
        }
    }
}

/* ---- figures ---- */

bool smp_is_bandwidth(const struct smp_row *row)
{
    return strcmp(row->test, "put_bw") == 0 || strcmp(row->test, "get_bw") == 0;
}

/* us, or GB/s, from ns per call. */
static double figure(const struct smp_row *row, double ns)
{
    return smp_is_bandwidth(row) ? (double)row->bytes / ns : ns / 1e3;
}

static double ratio(const struct smp_row *row)
{
    double r = row->result.value / row->result.limit;

    return smp_is_bandwidth(row) ? 1 / r : r;
}

/* A field of /proc/cpuinfo for the first processor; "" if missing. */
static void read_cpuinfo(const char *key, char *value, size_t len)
{
    FILE *f = fopen("/proc/cpuinfo", "re");
    char line[256];

    value[0] = '\0';
    while (f && !value[0] && fgets(line, sizeof line, f)) {
        char *colon = strchr(line, ':');

        if (colon && strncmp(line, key, strlen(key)) == 0) {
            colon[strcspn(colon, "\n")] = '\0';
            snprintf(value, len, "%s", colon + strspn(colon, ": "));
        }
    }
    if (f) {
        fclose(f);
    }
}

static void print_processor(void)
{
    char vendor[64], family[16], model[16], name[96];

    read_cpuinfo("vendor_id", vendor, sizeof vendor);
    read_cpuinfo("cpu family", family, sizeof family);
    read_cpuinfo("model\t", model, sizeof model);
    read_cpuinfo("model name", name, sizeof name);
    printf("# Processor: %s (%s, family %s, model %s)\n",
           name[0] ? name : "not in /proc/cpuinfo", vendor[0] ? vendor : "-",
           family[0] ? family : "-", model[0] ? model : "-");
}

static void print_header(void)
{
    printf("# FSHMEM %s: conduit smp, each figure in turns with its limit\n",
           FSH_VERSION);
    print_processor();
    printf("# Clock: wall. %u processors. Medians, a call, of 20 rounds or "
           "more (5 where\n"
           "# others leave no time for them); rounds that another process "
           "disturbed are left\n"
           "# out while there is time. Unit: us, _bw: GB/s.\n",
           fsh_cpu_count());
    printf(
        "# Access: who reads the payload that arrives: never: nobody; "
        "echoed: the peer,\n"
        "# by answering with it; lines: both, a word of every cache line. "
        "The source is\n"
        "# private memory otherwise. Pinned: the ranks that measure\n"
        "# have a processor each (of 64 two measure, the others are asleep).\n"
        "# _together: both ranks on one processor; _neighbour: each on one "
        "with a program\n"
        "# that never yields; limit: the same calls, told of it before.\n"
        "# Target: of SEQ by its limit; of PAR %.2f times SEQ.\n",
        PAR_FACTOR);
    printf("%-18s%6s%5s%7s%9s%8s%11s  %-14s%11s%8s%11s\n", "# Test", "Ranks",
           "Mode", "Pinned", "Bytes", "Access", "Value", "Limit", "its value",
           "Ratio", "Target");
}

/* Returns true if it misses its target. */
static bool print_row(const struct smp_row *row)
{
    bool over = row->target > 0 && row->result.value > row->target;

    printf("%-18s%6u%5s%7s%9zu%8s%11.4f  %-14s%11.4f%8.2f", row->test,
           row->ranks, row->mode, row->pinned ? "yes" : "no", row->bytes,
           row->access, figure(row, row->result.value), row->limit,
           figure(row, row->result.limit), ratio(row));
    if (row->target > 0) {
        printf("%11.4f %s\n", figure(row, row->target), over ? "over" : "ok");
    } else {
        printf("%11s\n", "-");
    }
    return over;
}

unsigned smp_print(const struct smp_table *table)
{
    unsigned over = 0, disturbed = 0, rounds = 0;

    print_header();
    for (unsigned i = 0; i < table->rows; ++i) {
        over += print_row(&table->row[i]);
        disturbed += table->row[i].result.disturbed;
        rounds += table->row[i].result.samples;
    }
    printf("# %u over their targets. %u rounds counted, %u left out.\n", over,
           rounds, disturbed);
    return over;
}

static void add_row(struct document *d, const struct smp_row *row)
{
    document_open(d, NULL, '{');
    document_text(d, "test", row->test);
    document_number(d, "ranks", row->ranks);
    document_text(d, "mode", row->mode);
    document_bool(d, "pinned", row->pinned);
    document_number(d, "bytes", row->bytes);
    document_text(d, "access", row->access);
    document_real(d, smp_is_bandwidth(row) ? "gb_per_s" : "us",
                  figure(row, row->result.value));
    document_text(d, "limit", row->limit);
    document_real(d, "limit_value", figure(row, row->result.limit));
    document_real(d, "ratio", ratio(row));
    document_real(d, "target",
                  row->target > 0 ? figure(row, row->target) : (double)NAN);
    document_number(d, "rounds", row->result.samples);
    document_number(d, "disturbed", row->result.disturbed);
    document_close(d);
}

void smp_write_json(FILE *out, const struct smp_table *table)
{
    struct document d = {0};

    document_open(&d, NULL, '[');
    for (unsigned i = 0; i < table->rows; ++i) {
        add_row(&d, &table->row[i]);
    }
    document_close(&d);
    document_write(&d, out); /* errors are checked when the file is closed */
}
