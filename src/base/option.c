/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The table of settings and the readers of their values. The table is the one
 * place that knows a name: fshinfo prints it, the manual is made from it, and
 * an unknown FSHMEM_ variable is compared with it.
 */
#include "base/option.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/log.h"
#include "base/nearest.h"
#include "base/segment.h"

extern char **environ;

struct row {
    const char *name;
    enum fsh_option_type type;
    const char *preset;
    double min, max; /* INT, SIZE, SECONDS; both 0: no limit but the type's */
    const char *choices; /* CHOICE: words separated by '|' */
    const char *help;
};

#define STR(n, d, h)                        \
    {                                       \
        n, FSH_OPTION_STR, d, 0, 0, NULL, h \
    }
#define CHOICE(n, d, c, h)                  \
    {                                       \
        n, FSH_OPTION_CHOICE, d, 0, 0, c, h \
    }
#define BOOL(n, d, h)                        \
    {                                        \
        n, FSH_OPTION_BOOL, d, 0, 0, NULL, h \
    }
#define INT(n, d, lo, hi, h)                  \
    {                                         \
        n, FSH_OPTION_INT, d, lo, hi, NULL, h \
    }
#define SIZE(n, d, lo, hi, h)                  \
    {                                          \
        n, FSH_OPTION_SIZE, d, lo, hi, NULL, h \
    }
#define SECONDS(n, d, lo, hi, h)                  \
    {                                             \
        n, FSH_OPTION_SECONDS, d, lo, hi, NULL, h \
    }
#define IGNORED(n)                                 \
    {                                              \
        n, FSH_OPTION_STR, "", 0, 0, NULL, ignored \
    }

#define K 1024.0
#define G (K * K * K)

static const char ignored[] = "accepted for GASNet programs; has no effect";

static const struct row table[] = {
    STR("FSHMEM_CONDUIT", "",
        "conduit of the job: smp or fpga; unset: the "
        "one the program was built for, smp under a launcher that cannot tell"),
    CHOICE("FSHMEM_TOPOLOGY", "ring", "ring|line",
           "fpga: how the nodes' link ports are cabled"),
    BOOL("FSHMEM_COMPUTE", "1",
         "smp: each rank has a compute core, a thread that sleeps until it is "
         "given commands"),
    BOOL("FSHMEM_PROGRESS_THREAD", "0",
         "a thread of the library serves other ranks while this one computes; "
         "handlers run on it too"),
    STR("FSHMEM_DEVICE", "sim", "fpga: device that holds a node"),
    SIZE("FSHMEM_SEGMENT_MAX", "", 4 * K, FSH_SEGMENT_MOST,
         "smp: largest segment of a rank, refused if memory does not allow it; "
         "unset: GASNET_MAX_SEGSIZE, else 85 % of the memory left, divided by "
         "the ranks"),
    SIZE("FSHMEM_DRAM", "2G", 16 * K * K, FSH_SEGMENT_MOST,
         "fpga: device memory of a simulated node; takes host memory only "
         "where it is written"),
    INT("FSHMEM_DRAM_WRITE_CYCLES", "4", 1, 65536,
        "fpga: assumed of simulated device memory: cycles from the last data "
        "of a write to its response; 40 if nothing posts it"),
    CHOICE("FSHMEM_PACKET", "1024", "128|256|512|1024",
           "fpga: payload bytes of a packet"),
    CHOICE("FSHMEM_PORTS", "3", "1|2|3",
           "fpga: mask of the link ports in use; 3: both"),
    STR("FSHMEM_SIM", "",
        "path of the simulator; unset: fshsim is looked for beside the "
        "program, in the prefix of the library and of gasnet.h, in the "
        "configured prefix and in PATH"),
    STR("FSHMEM_SIM_ARGS", "",
        "further arguments of the simulator, separated "
        "by blanks"),
    SECONDS("FSHMEM_START_TIMEOUT", "60", 0.01, 86400,
            "seconds a job may take to start before it is ended with the names "
            "of the ranks that are missing"),
    SECONDS("FSHMEM_LEAVE_TIMEOUT", "10", 0, 86400,
            "seconds other ranks may go on after one has returned 0 from "
            "main; 0: for ever"),
    SECONDS("FSHMEM_WATCHDOG", "0", 0, 86400,
            "seconds a call may block before it reports what it waits for; "
            "0: never"),
    SECONDS("FSHMEM_HOLD_WARNING", "2", 0, 86400,
            "debug: seconds after which a handler-safe lock or a no-interrupt "
            "section that is still held is warned of; 0: never"),
    INT("GASNET_PSHM_NODES", "1", 0, 1024,
        "ranks of a program that is started without a launcher; 0 is 1"),
    STR("GASNET_MAX_SEGSIZE", "",
        "smp: upper bound of a segment, as bytes or as a fraction of memory "
        "(0.5, 2/3), of a rank (/P, default) or of all (/H); what memory "
        "allows is granted; FSHMEM_SEGMENT_MAX goes first"),
    STR("GASNET_PHYSMEM_MAX", "",
        "memory that the segments of all ranks may take, as bytes or as a "
        "fraction (0.5, 2/3) of what there is"),
    SECONDS("GASNET_EXITTIMEOUT", "2", 0, 86400,
            "seconds the other ranks get to leave after gasnet_exit; if set, "
            "also after a return from main, before FSHMEM_LEAVE_TIMEOUT"),
    BOOL("GASNET_PHYSMEM_NOPROBE", "0",
         "do not compare the memory asked for with the memory there is"),
    BOOL("GASNET_VERBOSEENV", "0",
         "rank 0 prints every setting, its value and source"),
    BOOL("GASNET_FREEZE", "0", "each rank waits for a debugger in gasnet_init"),
    BOOL("GASNET_NO_CATCH_SIGNAL", "0", "install no signal handlers"),
    BOOL("GASNET_BACKTRACE", "0",
         "a rank that fails or crashes prints the calls it was in"),
    STR("GASNET_BACKTRACE_TYPE", "",
        "how backtraces are made: EXECINFO, or what the program offers, which "
        "goes first if unset"),
    BOOL("GASNET_FREEZE_ON_ERROR", "0",
         "gasnett_fatalerror waits for a debugger"),
    BOOL("GASNET_QUIET", "0",
         "print no advice: unknown settings, variables of -x that are unset"),
    IGNORED("GASNET_SPAWNER"),
    IGNORED("GASNET_SPAWN_VERBOSE"),
    IGNORED("GASNET_EXITTIMEOUT_MAX"),
    IGNORED("GASNET_EXITTIMEOUT_MIN"),
    IGNORED("GASNET_EXITTIMEOUT_FACTOR"),
    IGNORED("GASNET_FREEZE_SIGNAL"),
    IGNORED("GASNET_NODEMAP_EXACT"),
    IGNORED("GASNET_TEST_POLITE_SYNC"),
    IGNORED("GASNET_SUPERNODE_MAXSIZE"),
    IGNORED("GASNET_TMPDIR"),
    IGNORED("GASNET_SSH_SERVERS"),
    IGNORED("GASNET_MPI_THREAD"),
    IGNORED("GASNET_RCV_THREAD"),
    IGNORED("GASNET_BARRIER"),
    IGNORED("GASNET_TRACEFILE"),
    IGNORED("GASNET_STATSFILE"),
};

/* Set by the library for its own processes, or read by the test programs: not
 * settings. */
static const char *const internal[] = {
    "FSHMEM_JOB",  "FSHMEM_SIM_JOB",    "FSHMEM_LAUNCHED",
    "FSHMEM_SEED", "FSHMEM_TEST_SCALE", "FSHMEM_TEST_LIMIT"};

#define ROWS (sizeof(table) / sizeof(table[0]))

static const struct row *find(const char *name)
{
    for (size_t i = 0; i < ROWS; i++)
        if (strcmp(table[i].name, name) == 0)
            return &table[i];
    fsh_fatal("internal error: no option is named %s", name);
}

/* An empty variable counts as unset, as users who write X= expect. */
static const char *text_of(const struct row *row)
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
                value *= K;
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

/* Is text one of the words of "a|b|c"? */
static bool is_choice(const char *text, const char *choices)
{
    size_t len = strlen(text), n;

    for (; *choices; choices += n + (choices[n] == '|')) {
        n = strcspn(choices, "|");
        if (n == len && strncmp(choices, text, n) == 0)
            return true;
    }
    return false;
}

static bool in_range(const struct row *row, double value)
{
    return (row->min == 0 && row->max == 0) ||
           (value >= row->min && value <= row->max);
}

static bool is_valid(const struct row *row, const char *text)
{
    const char *rest;
    int64_t number;
    double seconds;
    size_t bytes;
    bool flag;

    switch (row->type) {
    case FSH_OPTION_STR:
        return true;
    case FSH_OPTION_CHOICE:
        return is_choice(text, row->choices);
    case FSH_OPTION_BOOL:
        return parse_bool(text, &flag);
    case FSH_OPTION_INT:
        return parse_int(text, &number) && in_range(row, (double)number);
    case FSH_OPTION_SIZE:
        return text[0] == '\0' || (fsh_option_parse_size(text, &bytes) &&
                                   in_range(row, (double)bytes));
    case FSH_OPTION_SECONDS:
        return parse_number(text, &seconds, &rest) && rest[0] == '\0' &&
               in_range(row, seconds);
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

/* What a row accepts. */
static const char *expected(const struct row *row, char *buf, size_t len)
{
    char lo[32], hi[32];

    switch (row->type) {
    case FSH_OPTION_CHOICE:
        snprintf(buf, len, "expected one of %s", row->choices);
        break;
    case FSH_OPTION_BOOL:
        snprintf(buf, len, "expected 1, yes, true, on or 0, no, false, off");
        break;
    case FSH_OPTION_SIZE:
        snprintf(buf, len,
                 "expected bytes, with K, M, G or T if you like, from %s to %s",
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

/* The text of an option of this type that can be read; fatal if not. */
static const char *checked(const char *name, enum fsh_option_type type)
{
    const struct row *row = find(name);
    const char *text = text_of(row);
    char limits[160];

    if (row->type != type && row->type != FSH_OPTION_CHOICE)
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

bool fsh_option_typed(const char *name, const char *typed, const char *value)
{
    const struct row *row = find(name);
    char limits[160];

    if (is_valid(row, value) && (value[0] || row->type == FSH_OPTION_STR)) {
        if (setenv(name, value, 1) == 0)
            return true;
        fsh_warn("%s %s: %s", typed, value, strerror(errno));
        return false;
    }
    fsh_warn("%s %s: %s", typed, value, expected(row, limits, sizeof(limits)));
    return false;
}

static const char *type_name(const struct row *row)
{
    static const char *const names[] = {
        [FSH_OPTION_STR] = "string", [FSH_OPTION_CHOICE] = "choice",
        [FSH_OPTION_BOOL] = "bool",  [FSH_OPTION_INT] = "int",
        [FSH_OPTION_SIZE] = "size",  [FSH_OPTION_SECONDS] = "seconds",
    };

    return row->type == FSH_OPTION_CHOICE ? row->choices : names[row->type];
}

void fsh_option_each(void (*cb)(void *arg, const struct fsh_option_info *info),
                     void *arg)
{
    for (size_t i = 0; i < ROWS; i++) {
        const struct row *row = &table[i];
        struct fsh_option_info info = {
            .name = row->name,
            .type = row->type,
            .type_name = type_name(row),
            .preset = row->preset,
            .value = text_of(row),
            .source = fsh_option_given(row->name) ? "environment" : "default",
            .help = row->help,
            .valid = is_valid(row, text_of(row)),
            .effect = row->help != ignored,
        };

        cb(arg, &info);
    }
}

const char *fsh_option_nearest(const char *name)
{
    struct fsh_nearest near;

    fsh_nearest_begin(&near, name, strlen("FSHMEM_"));
    for (size_t i = 0; i < ROWS; i++)
        fsh_nearest_try(&near, table[i].name);
    return near.best;
}

static bool is_known(const char *name)
{
    for (size_t i = 0; i < ROWS; i++)
        if (strcmp(table[i].name, name) == 0)
            return true;
    for (size_t i = 0; i < sizeof(internal) / sizeof(internal[0]); i++)
        if (strcmp(internal[i], name) == 0)
            return true;
    return false;
}

/* Who sets one of these waits for a file. */
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
