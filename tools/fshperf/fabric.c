/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fshperf fabric: starts the jobs and compares their results with targets; see
 * fabric.h.
 */
#include "fabric.h"
#include "perf.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"

#define TIME_LIMIT 900u /* seconds per job */
#define LONG_CYCLES "120000"
#define QUICK_CYCLES "30000"

static struct {
    const char *json, *links, *report, *only;
    bool quick;
} options;

static struct fabric all;

/* The jobs, in row order. argument: for hol the kind; for patterns the offered load as
 * a share of FABRIC_BOUND, 0: as much as possible. */
struct test {
    const char *name, *topology, *argument;
    unsigned nodes;
    bool quick;
    double target; /* for a pattern's accepted load */
    const char
        *cycles; /* measured, for a pattern; minimum, for messages behind bulk;
                  * NULL: the default */
};
static const struct test tests[] = {
    {"hop", "ring", "0", 8, true, NAN, NULL},
    {"hop", "line", "0", 8, false, NAN, NULL},
    {"hol", "ring", "pass", 8, true, NAN, NULL},
    {"hol", "ring", "own", 8, true, NAN, NULL},
    {"hol", "ring", "long", 8, true, NAN, NULL},
    {"hol", "ring", "get", 8, true, NAN, NULL},
    {"hol", "torus:4x4", "pass", 16, false, NAN, NULL},
    {"hol", "torus:4x4", "own", 16, false, NAN, NULL},
    {"hol", "torus:4x4", "long", 16, false, NAN, NULL},
    {"hol", "torus:4x4", "get", 16, false, NAN, NULL},
    {"fairness", "ring", "0", 8, true, NAN, NULL},
    {"neighbour", "torus:4x4", "0", 16, false, NAN, NULL},
    {"uniform", "torus:4x4", "0", 16, true, 0.8, NULL},
    {"uniform", "torus:4x4", "0.2", 16, false, NAN, NULL},
    {"uniform", "torus:4x4", "0.4", 16, false, NAN, NULL},
    {"uniform", "torus:4x4", "0.5", 16, false, NAN, NULL},
    {"uniform", "torus:4x4", "0.6", 16, false, NAN, NULL},
    {"uniform", "torus:4x4", "0.7", 16, false, NAN, NULL},
    {"uniform", "torus:4x4", "0.8", 16, false, NAN, NULL},
    {"uniform", "torus:4x4", "0.9", 16, false, NAN, NULL},
    {"uniform", "torus:4x4", "1.0", 16, false, NAN, NULL},
    {"transpose", "torus:4x4", "0", 16, false, NAN, NULL},
    {"hotspot", "torus:4x4", "0", 16, false, NAN, FABRIC_COUNTED_HOTSPOT},
};

bool fabric_reached(const struct fabric_row *row)
{
    return isnan(row->target) ||
           (row->most ? row->value <= row->target : row->value >= row->target);
}

/* Adds a row without target, in cycles. what: as printf. */
static struct fabric_row *add(const struct test *test, double value,
                              const char *what, ...)
    __attribute__((format(printf, 3, 4)));
static struct fabric_row *add(const struct test *test, double value,
                              const char *what, ...)
{
    va_list list;

    if (all.rows == FABRIC_ROWS) {
        fsh_fatal("fabric: more than %u rows", FABRIC_ROWS);
    }
    struct fabric_row *row = &all.row[all.rows++];
    *row = (struct fabric_row){.test = test->name,
                               .topology = test->topology,
                               .nodes = test->nodes,
                               .value = value,
                               .target = NAN,
                               .unit = "cycles",
                               .mean = NAN,
                               .idle = NAN,
                               .samples = NAN};
    va_start(list, what);
    vsnprintf(row->what, sizeof(row->what), what, list);
    va_end(list);
    return row;
}

static void at_most(struct fabric_row *row, double target)
{
    row->target = target;
    row->most = true;
}

static void share(struct fabric_row *row, double target)
{
    row->target = target;
    row->unit = "share";
}

/* ---- results of the jobs ---- */

struct told {
    char name[32];
    double value, mean, idle, samples;
};

/* Latency in excess of the idle fabric, for a distance in hops. */
static void add_hol(const struct test *test, const struct told *told)
{
    static const struct {
        const char *argument, *way, *what;
    } names[] = {
        {"pass", "there", "request"},
        {"pass", "back", "reply"},
        {"own", "there", "request, own bulk"},
        {"own", "back", "reply, own bulk"},
        {"long", "there", "long packet"},
        {"get", "there", "GET and answer"},
    };
    const char *what = "?";
    char way[16] = "";
    unsigned hops = 0;
    double target;

    (void)sscanf(told->name, "%15[a-z]_%u", way, &hops);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); ++i) {
        if (strcmp(names[i].argument, test->argument) == 0 &&
            strcmp(names[i].way, way) == 0) {
            what = names[i].what;
        }
    }
    target = FABRIC_PACKET_CYCLES * (hops + 1);
    if (strcmp(test->argument, "long") == 0) {
        target = FABRIC_FRAME * hops;
    } else if (strcmp(test->argument, "get") == 0) {
        target *= 2;
    }
    struct fabric_row *row =
        add(test, told->value, "%s, %u hop%s", what, hops, hops > 1 ? "s" : "");
    at_most(row, target);
    row->mean = told->mean;
    row->idle = told->idle;
    row->samples = told->samples;
}

static void add_pattern(const struct test *test, const struct told *told)
{
    bool full = strcmp(test->argument, "0") == 0;
    char at[16] = "";

    if (!full) {
        snprintf(at, sizeof(at), " at %s", test->argument);
    }
    if (strcmp(told->name, "accepted") == 0) {
        share(add(test, told->value / FABRIC_BOUND, "accepted%s", at),
              test->target);
    } else if (strcmp(told->name, "latency") == 0) {
        struct fabric_row *row = add(test, told->value, "latency%s", at);

        row->mean = told->mean;
        row->samples = told->samples;
    } else if (full) { /* otherwise random gaps determine what it sends */
        share(add(test, told->value, "slowest node of the mean"),
              isnan(test->target) ? NAN : FABRIC_STARVED);
    }
}

/* The kind of a hol measurement; "": another test. */
static const char *kind_of(const struct test *test)
{
    return strcmp(test->name, "hol") == 0 ? test->argument : "";
}

static void add_link(const struct test *test, const struct fabric_link *link)
{
    struct fabric_use *use;

    if (all.uses == 0 || (use = &all.use[all.uses - 1])->test != test->name ||
        use->what != kind_of(test) || use->topology != test->topology) {
        if (all.uses == FABRIC_USES) {
            fsh_fatal("fabric: more than %u maps of links", FABRIC_USES);
        }
        use = &all.use[all.uses++];
        *use = (struct fabric_use){.test = test->name,
                                   .what = kind_of(test),
                                   .topology = test->topology,
                                   .nodes = test->nodes};
    }
    if (use->links < sizeof(use->link) / sizeof(use->link[0])) {
        use->link[use->links++] = *link;
    }
}

static void hear(void *arg, const char *line)
{
    const struct test *test = arg;
    struct fabric_link link;
    struct told told;

    if (sscanf(line, FABRIC_LINK " %u %u %u %lf", &link.node, &link.port,
               &link.peer, &link.share) == 4) {
        add_link(test, &link);
        return;
    }
    if (perf_hear_assumed(line) ||
        sscanf(line, FABRIC_LINE " %31s %lf %lf %lf %lf", told.name,
               &told.value, &told.mean, &told.idle, &told.samples) != 5) {
        return;
    }
    if (strcmp(test->name, "hop") == 0) {
        add(test, told.value, "%s", told.name);
    } else if (strcmp(test->name, "hol") == 0) {
        add_hol(test, &told);
    } else if (strcmp(test->name, "fairness") == 0) {
        share(add(test, told.value, "first through last"), 0.9);
    } else {
        add_pattern(test, &told);
    }
}

/* ---- derived figures ---- */

/* The average cost of one more hop, excluding the link. */
static void add_hop(const struct test *test, size_t first)
{
    size_t last = all.rows - 1;
    double cycles =
        (all.row[last].value - all.row[first].value) / (double)(last - first);

    at_most(add(test, cycles - perf_assumed()->link_cycles, "hop"), 8);
}

/* Whether it is the accepted load of uniform traffic; at a given offered
 * load. */
static bool is_accepted(const struct fabric_row *row)
{
    return strcmp(row->test, "uniform") == 0 &&
           strncmp(row->what, "accepted", 8) == 0;
}

static bool has_load(const struct fabric_row *row)
{
    return strchr(row->what, ' ') != NULL;
}

/* From the highest accepted load to the lowest at higher offered loads, including
 * unlimited ones. */
static void add_fall(const struct test *test)
{
    double most = 0, least = NAN;
    bool beyond = false;

    for (size_t i = 0; i < all.rows; ++i) {
        if (is_accepted(&all.row[i])) {
            most = fmax(most, all.row[i].value);
        }
    }
    for (size_t i = 0; i < all.rows; ++i) {
        const struct fabric_row *row = &all.row[i];

        if (is_accepted(row)) {
            beyond |= has_load(row) && row->value == most;
            if (beyond || !has_load(row)) {
                least = fmin(least, row->value);
            }
        }
    }
    struct fabric_row *row =
        add(test, 1 - least / most, "fall beyond saturation");
    share(row, 0.05);
    row->most = true;
}

/* ---- jobs ---- */

static const char *cycles_of(const struct test *test)
{
    if (test->cycles) {
        return test->cycles;
    }
    if (strcmp(test->name, "hol") != 0) {
        return FABRIC_COUNTED;
    }
    return options.quick ? QUICK_CYCLES : LONG_CYCLES;
}

static void run_test(const struct test *test)
{
    char argument[32];
    const char *const arguments[] = {"fabric-node", test->name, argument,
                                     cycles_of(test), NULL};
    const struct perf_job job = {.ranks = test->nodes,
                                 .conduit = "fpga",
                                 .topology = test->topology,
                                 .costs = "0",
                                 .time_limit = TIME_LIMIT,
                                 .arguments = arguments,
                                 .hear = hear,
                                 .arg = (void *)(uintptr_t)test};
    size_t first = all.rows;
    char text[96];

    snprintf(argument, sizeof(argument), "%s", test->argument);
    if (strcmp(test->name, "uniform") == 0) {
        snprintf(argument, sizeof(argument), "%g",
                 strtod(test->argument, NULL) * FABRIC_BOUND);
    }
    snprintf(text, sizeof(text), "fshperf: %s %s on %s of %u ...", test->name,
             strcmp(test->argument, "0") == 0 ? "" : test->argument,
             test->topology, test->nodes);
    perf_progress(text, false);
    if (perf_run_job(&job) != 0 || all.rows == first) {
        fsh_fatal("fabric: the job of %s failed, see above", test->name);
    }
    if (strcmp(test->name, "hop") == 0) {
        add_hop(test, first);
    } else if (strcmp(test->argument, "1.0") == 0) {
        add_fall(test);
    }
}

static void finish(FILE *out, const char *path,
                   void (*with)(FILE *out, const struct fabric *all))
{
    if (out) {
        with(out, &all);
    }
    perf_close(out, path);
}

static int run(void)
{
    perf_refuse_job("fabric");
    FILE *json = perf_open(options.json);
    FILE *links = perf_open(options.links);
    FILE *report = perf_open(options.report);
    for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); ++i) {
        if ((tests[i].quick || !options.quick) &&
            (!options.only || strcmp(options.only, tests[i].name) == 0)) {
            run_test(&tests[i]);
        }
    }
    perf_progress("", true);
    if (all.rows == 0) {
        fsh_fatal_code(2, "fabric: --only %s: no such test%s", options.only,
                       options.quick ? " with --quick" : "");
    }
    fabric_print(&all);
    finish(json, options.json, fabric_write_json);
    finish(links, options.links, fabric_write_links);
    finish(report, options.report, fabric_write_page);
    return 0;
}

static const struct kit_option table_of_options[] = {
    {"--json", "FILE", "results as an array of objects", .text = &options.json},
    {"--links", "FILE", "utilisation of each link as CSV, for plot-fabric.sh",
     .text = &options.links},
    {"--report", "FILE.html", "HTML report, with a map of the links",
     .text = &options.report},
    {"--only", "TEST",
     "hop, hol, fairness, neighbour, uniform, transpose or\n"
     "hotspot",
     .text = &options.only},
    {"--quick",
     .help = "the ring with fewer messages, and uniform traffic "
             "once",
     .flag = &options.quick},
};

const struct perf_command perf_fabric = {
    .name = "fabric",
    .help = "latency per hop and behind bulk, fairness and accepted load of\n"
            "fabrics of simulated nodes; starts its own jobs",
    .run = run,
    .options = table_of_options,
    .count = sizeof table_of_options / sizeof table_of_options[0],
    .alone = true,
};
