/* SPDX-License-Identifier: BSD-3-Clause */
/* Parses the values of settings; option_table.c holds the table. */
#include "base/option.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/cpu_list.h"
#include "base/log.h"
#include "base/nearest.h"
#include "base/option_table.h"
#include "base/topology.h"

extern char **environ;

/* Not settings: set by the library for its own processes, or read by the test
 * programs. */
static const char *const internal[] = {
    "FSHMEM_JOB",  "FSHMEM_SIM_JOB",    "FSHMEM_LAUNCHED",
    "FSHMEM_SEED", "FSHMEM_TEST_SCALE", "FSHMEM_TEST_LIMIT"};

static const struct fsh_option_row *find(const char *name)
{
    for (size_t i = 0; i < fsh_option_rows; i++)
        if (strcmp(fsh_option_table[i].name, name) == 0)
            return &fsh_option_table[i];
    fsh_fatal("internal error: no option is named %s", name);
}

/* An empty variable counts as unset, as users who write X= expect. */
static const char *text_of(const struct fsh_option_row *row)
{
    const char *value = getenv(row->name);

    return value && value[0] ? value : row->preset;
}

bool fsh_option_given(const char *name)
{
    const char *value = getenv(find(name)->name);

    return value && value[0];
}

static bool parse_bool(const char *text, bool *out)
{
    static const char *const yes[] = {"1", "yes", "true", "on", "y"};
    static const char *const no[] = {"0", "no", "false", "off", "n", ""};

    for (size_t i = 0; i < sizeof(yes) / sizeof(yes[0]); i++)
        if (strcasecmp(text, yes[i]) == 0)
            return *out = true, true;
    for (size_t i = 0; i < sizeof(no) / sizeof(no[0]); i++)
        if (strcasecmp(text, no[i]) == 0)
            return *out = false, true;
    return false;
}

static bool parse_number(const char *text, double *out, const char **rest)
{
    char *end;

    if (!(text[0] == '-' || text[0] == '.' ||
          (text[0] >= '0' && text[0] <= '9')))
        return false;
    errno = 0;
    *out = strtod(text, &end);
    *rest = end;
    return end != text && errno == 0 && isfinite(*out);
}

/* Decimal: 010 is ten. */
static bool parse_int(const char *text, int64_t *out)
{
    char *end;

    if (!(text[0] == '-' || (text[0] >= '0' && text[0] <= '9')))
        return false;
    errno = 0;
    *out = strtoll(text, &end, 10);
    return end != text && *end == '\0' && errno == 0;
}

bool fsh_option_parse_size(const char *text, size_t *bytes)
{
    static const char suffixes[] = "KMGT";
    const char *rest, *hit;
    double value;

    if (!parse_number(text, &value, &rest) || value < 0)
        return false;
    if (rest[0]) {
        hit = strchr(suffixes, rest[0] & ~0x20);
        if (hit && *hit) {
            for (const char *s = suffixes; s <= hit; s++)
                value *= 1024;
            rest++;
            if (strcasecmp(rest, "iB") == 0)
                rest += 2;
        }
        if (strcasecmp(rest, "B") == 0)
            rest++;
    }
    if (rest[0] || value >= 9.2e18)
        return false;
    *bytes = (size_t)value;
    return true;
}

bool fsh_option_among(const char *text, const char *choices)
{
    size_t len = strlen(text), n;

    for (; *choices; choices += n + (choices[n] == '|')) {
        n = strcspn(choices, "|");
        if (n == len && strncmp(choices, text, n) == 0)
            return true;
    }
    return false;
}

static bool in_range(const struct fsh_option_row *row, double value)
{
    return (row->min == 0 && row->max == 0) ||
           (value >= row->min && value <= row->max);
}

/* Parses one of the words of "a|b", or "b:" and a factor. */
static bool parse_times(const struct fsh_option_row *row, const char *text,
                        double *times)
{
    size_t first = strcspn(row->choices, "|");
    const char *second = row->choices + first + 1, *rest;
    size_t len = strlen(second);

    *times = 0;
    if (strncmp(text, row->choices, first) == 0 && text[first] == '\0')
        return true;
    *times = 1;
    if (strncmp(text, second, len) != 0)
        return false;
    if (text[len] == '\0')
        return true;
    return text[len] == ':' && parse_number(text + len + 1, times, &rest) &&
           rest[0] == '\0' && in_range(row, *times);
}

static bool is_valid(const struct fsh_option_row *row, const char *text)
{
    const char *rest;
    int64_t number;
    double value;
    size_t bytes;
    bool flag;

    switch (row->type) {
    case FSH_OPTION_STR:
        return true;
    case FSH_OPTION_CHOICE:
        return fsh_option_among(text, row->choices);
    case FSH_OPTION_CPUS:
        return fsh_option_among(text, row->choices) || fsh_cpu_list_valid(text);
    case FSH_OPTION_TOPOLOGY:
        return text[0] == '\0' || fsh_topology_named(text);
    case FSH_OPTION_TIMES:
        return parse_times(row, text, &value);
    case FSH_OPTION_BOOL:
        return parse_bool(text, &flag);
    case FSH_OPTION_INT:
        return parse_int(text, &number) && in_range(row, (double)number);
    case FSH_OPTION_SIZE:
        return text[0] == '\0' || (fsh_option_parse_size(text, &bytes) &&
                                   in_range(row, (double)bytes));
    case FSH_OPTION_SECONDS:
        return parse_number(text, &value, &rest) && rest[0] == '\0' &&
               in_range(row, value);
    }
    return false;
}

/* 4096 -> "4K"; buf holds at least 32 bytes. */
static const char *size_text(double bytes, char *buf)
{
    static const char units[] = " KMGT";
    int u = 0;

    uint64_t n = (uint64_t)bytes;

    for (; u < 4 && n >= 1024 && n % 1024 == 0; u++)
        n /= 1024;
    snprintf(buf, 32, u ? "%llu%c" : "%llu", (unsigned long long)n, units[u]);
    return buf;
}

/* Describes the values that a row accepts. */
static const char *expected(const struct fsh_option_row *row, char *buf,
                            size_t len)
{
    char lo[32], hi[32];

    switch (row->type) {
    case FSH_OPTION_CHOICE:
    case FSH_OPTION_TOPOLOGY:
        snprintf(buf, len, "expected one of %s", row->choices);
        break;
    case FSH_OPTION_CPUS:
        snprintf(buf, len,
                 "expected one of %s, or a list of processors such as 0-3,8",
                 row->choices);
        break;
    case FSH_OPTION_TIMES:
        snprintf(buf, len,
                 "expected one of %s, the second also with a factor from %g to "
                 "%g, as in %s:1.5",
                 row->choices, row->min, row->max,
                 strchr(row->choices, '|') + 1);
        break;
    case FSH_OPTION_BOOL:
        snprintf(buf, len, "expected 1, yes, true, on or 0, no, false, off");
        break;
    case FSH_OPTION_SIZE:
        snprintf(buf, len,
                 "expected bytes, optionally with K, M, G or T, from %s to %s",
                 size_text(row->min, lo), size_text(row->max, hi));
        break;
    case FSH_OPTION_INT:
        snprintf(buf, len, "expected a whole number from %.0f to %.0f",
                 row->min, row->max);
        break;
    case FSH_OPTION_SECONDS:
        snprintf(buf, len, "expected seconds from %g to %g", row->min,
                 row->max);
        break;
    case FSH_OPTION_STR:
        snprintf(buf, len, "cannot be read");
        break;
    }
    return buf;
}

/* The text of an option of this type; fatal if it cannot be parsed. */
static const char *checked(const char *name, enum fsh_option_type type)
{
    const struct fsh_option_row *row = find(name);
    const char *text = text_of(row);
    char limits[160];

    if (row->type != type && !row->choices)
        fsh_fatal("internal error: option %s has another type", name);
    if (!is_valid(row, text))
        fsh_fatal("%s=%s: %s", row->name, text,
                  expected(row, limits, sizeof(limits)));
    return text;
}

const char *fsh_option_str(const char *name)
{
    return checked(name, FSH_OPTION_STR);
}

bool fsh_option_bool(const char *name)
{
    bool value = false;

    parse_bool(checked(name, FSH_OPTION_BOOL), &value);
    return value;
}

int64_t fsh_option_int(const char *name)
{
    int64_t value = 0;

    parse_int(checked(name, FSH_OPTION_INT), &value);
    return value;
}

size_t fsh_option_size(const char *name)
{
    size_t value = 0;

    fsh_option_parse_size(checked(name, FSH_OPTION_SIZE), &value);
    return value;
}

double fsh_option_seconds(const char *name)
{
    return strtod(checked(name, FSH_OPTION_SECONDS), NULL);
}

double fsh_option_times(const char *name)
{
    double times;

    parse_times(find(name), checked(name, FSH_OPTION_TIMES), &times);
    return times;
}

bool fsh_option_typed(const char *name, const char *typed, const char *value,
                      char *err, size_t errlen)
{
    const struct fsh_option_row *row = find(name);
    char limits[160];

    if (is_valid(row, value) && (value[0] || row->type == FSH_OPTION_STR)) {
        if (setenv(name, value, 1) == 0)
            return true;
        snprintf(err, errlen, "%s %s: %s", typed, value, strerror(errno));
        return false;
    }
    snprintf(err, errlen, "%s %s: %s", typed, value,
             expected(row, limits, sizeof(limits)));
    return false;
}

static const char *type_name(const struct fsh_option_row *row)
{
    static const char *const names[] = {
        [FSH_OPTION_STR] = "string",      [FSH_OPTION_BOOL] = "bool",
        [FSH_OPTION_INT] = "int",         [FSH_OPTION_SIZE] = "size",
        [FSH_OPTION_SECONDS] = "seconds",
    };

    return row->choices ? row->choices : names[row->type];
}

void fsh_option_each(void (*cb)(void *arg, const struct fsh_option_info *info),
                     void *arg)
{
    for (size_t i = 0; i < fsh_option_rows; i++) {
        const struct fsh_option_row *row = &fsh_option_table[i];
        struct fsh_option_info info = {
            .name = row->name,
            .type = row->type,
            .type_name = type_name(row),
            .preset = row->preset,
            .value = text_of(row),
            .source = fsh_option_given(row->name) ? "environment" : "default",
            .help = row->help,
            .valid = is_valid(row, text_of(row)),
            .effect = row->help != fsh_option_ignored,
        };

        cb(arg, &info);
    }
}

const char *fsh_option_nearest(const char *name)
{
    struct fsh_nearest near;

    fsh_nearest_begin(&near, name, strlen("FSHMEM_"));
    for (size_t i = 0; i < fsh_option_rows; i++)
        fsh_nearest_try(&near, fsh_option_table[i].name);
    return near.best;
}

static bool is_known(const char *name)
{
    for (size_t i = 0; i < fsh_option_rows; i++)
        if (strcmp(fsh_option_table[i].name, name) == 0)
            return true;
    for (size_t i = 0; i < sizeof(internal) / sizeof(internal[0]); i++)
        if (strcmp(internal[i], name) == 0)
            return true;
    return false;
}

/* Warns about trace files, which FSHMEM does not write: a user who asks for one
 * will wait for it. */
static void warn_of_traces(void)
{
    static const struct {
        const char *name, *what;
    } files[] = {{"GASNET_TRACEFILE", "trace is"},
                 {"GASNET_STATSFILE", "statistics are"}};

    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
        if (fsh_option_given(files[i].name))
            fsh_warn("%s=%s: no %s written; the setting has no effect",
                     files[i].name, getenv(files[i].name), files[i].what);
}

unsigned fsh_option_check(void)
{
    bool quiet = fsh_option_bool("GASNET_QUIET");
    unsigned unknown = 0;

    if (!quiet)
        warn_of_traces();
    for (char **e = environ; e && *e; e++) {
        char name[64];
        size_t len = strcspn(*e, "=");
        const char *near;

        if (strncmp(*e, "FSHMEM_", 7) != 0 || len >= sizeof(name))
            continue;
        memcpy(name, *e, len);
        name[len] = '\0';
        if (is_known(name))
            continue;
        unknown++;
        if (quiet)
            continue;
        near = fsh_option_nearest(name);
        if (near)
            fsh_warn("%s is not a setting; did you mean %s?", name, near);
        else
            fsh_warn("%s is not a setting; fshinfo lists them all", name);
    }
    return unknown;
}
