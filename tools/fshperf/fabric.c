/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fshperf fabric: starts the jobs, and sets what they tell beside targets; see fabric.h.
 */
#include "fabric.h"
#include "perf.h"

#include <math.h>
#include <string.h>

#include "base/log.h"

#define MAX_ROWS 32u
#define TIME_LIMIT 900u          /* seconds a job may take */
#define BOUND (16.0 * FSH_LANES) /* bytes a cycle and node; bisection 32 */

static struct {
    const char *json;
    bool quick;
} options;

struct row {
    char test[32], topology[16];
    unsigned nodes;
    double value, target; /* target NAN: none */
    const char *unit;
    bool most; /* the target is an upper bound */
};

static struct {
    struct row row[MAX_ROWS];
    size_t rows;
} all;

/* The jobs, in the order of their rows. */
static const struct test {
    const char *name, *topology, *side;
    unsigned nodes;
    double target;
    bool quick;
} tests[] = {
    {"hop", "ring", "4", 8, 8, true},
    {"hop", "line", "7", 8, 8, false},
    {"fairness", "ring", "0", 8, 0.9, false},
    {"neighbour", "torus:4x4", "4", 16, NAN, false},
    {"uniform", "torus:4x4", "4", 16, 0.8, false},
    {"transpose", "torus:4x4", "4", 16, NAN, false},
    {"hotspot", "torus:4x4", "4", 16, NAN, false},
};

static struct row *add(const struct test *test, const char *name, double value)
{
    if (all.rows == MAX_ROWS) {
        fsh_fatal("fabric: more than %u rows", MAX_ROWS);
    }
    struct row *row = &all.row[all.rows++];
    *row = (struct row){.nodes = test->nodes,
                        .value = value,
                        .target = test->target,
                        .unit = "share"};
    snprintf(row->test, sizeof(row->test), "%s", name);
    snprintf(row->topology, sizeof(row->topology), "%s", test->topology);
    return row;
}

static void hear(void *arg, const char *line)
{
    const struct test *test = arg;
    char name[32];
    double value;

    if (perf_hear_assumed(line) ||
        sscanf(line, FABRIC_LINE " %31s %lf", name, &value) != 2) {
        return;
    }
    if (strcmp(test->name, "hop") == 0) {
        struct row *row = add(test, name, value);
        row->unit = "cycles";
        row->target = NAN;
    } else {
        add(test, name,
            strcmp(test->name, "fairness") == 0 ? value : value / BOUND);
    }
}

/* Beside the link: of one hop more, on the average. */
static void add_hop(const struct test *test, size_t first)
{
    size_t last = all.rows - 1;
    double cycles =
        (all.row[last].value - all.row[first].value) / (double)(last - first);
    struct row *row = add(test, "hop", cycles - perf_assumed()->link_cycles);

    row->unit = "cycles";
    row->most = true;
}

static void run_test(const struct test *test)
{
    const char *const arguments[] = {"fabric-node", test->name, test->side,
                                     NULL};
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

    snprintf(text, sizeof(text), "fshperf: %s on %s of %u ...", test->name,
             test->topology, test->nodes);
    perf_progress(text, false);
    if (perf_run_job(&job) != 0 || all.rows == first) {
        fsh_fatal("fabric: the job of %s failed, see above", test->name);
    }
    if (strcmp(test->name, "hop") == 0) {
        add_hop(test, first);
    }
}

static bool reached(const struct row *row)
{
    return isnan(row->target) ||
           (row->most ? row->value <= row->target : row->value >= row->target);
}

static void print(void)
{
    perf_print_header("the fabric");
    printf(
        "# Packets of %u B, PUTs of %u B, cut-through, hosts cost nothing, seed "
        "%u.\n# header_N: from the acceptance of a Short to its header N hops "
        "away; hop: of one\n# hop more, less the link. fairness: all to all, "
        "time of the first node to finish\n# through that of the last. "
        "Patterns: payload, header and ack beats a cycle and\n# sending node, "
        "as a share of %.0f B.\n\n",
        FABRIC_PACKET, FABRIC_MESSAGE, FABRIC_SEED, BOUND);
    printf("%-14s%-12s%6s%10s %-8s%8s  %s\n", "# Test", "Topology", "Nodes",
           "Value", "Unit", "Target", "");
    for (size_t i = 0; i < all.rows; ++i) {
        const struct row *row = &all.row[i];

        printf("%-14s%-12s%6u%10.3f %-8s", row->test, row->topology, row->nodes,
               row->value, row->unit);
        if (isnan(row->target)) {
            printf("%8s\n", "-");
        } else {
            printf("%s %5.2f  %s\n", row->most ? "<=" : ">=", row->target,
                   reached(row) ? "pass" : "falls short");
        }
    }
}

static void write_json(FILE *out)
{
    struct document d = {0};

    document_open(&d, NULL, '[');
    for (size_t i = 0; i < all.rows; ++i) {
        const struct row *row = &all.row[i];

        document_open(&d, NULL, '{');
        document_text(&d, "test", row->test);
        document_text(&d, "topology", row->topology);
        document_number(&d, "nodes", row->nodes);
        document_real(&d, "value", row->value);
        document_text(&d, "unit", row->unit);
        document_real(&d, "target", row->target);
        document_bool(&d, "ok", reached(row));
        perf_json_assumed(&d, 0);
        document_close(&d);
    }
    document_close(&d);
    document_write(&d, out);
}

static int run(void)
{
    perf_refuse_job("fabric");
    FILE *json = perf_open(options.json);
    for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); ++i) {
        if (tests[i].quick || !options.quick) {
            run_test(&tests[i]);
        }
    }
    perf_progress("", true);
    print();
    if (json) {
        write_json(json);
    }
    perf_close(json, options.json);
    return 0;
}

static const struct kit_option table_of_options[] = {
    {"--json", "FILE", "results as an array of objects", .text = &options.json},
    {"--quick", .help = "latency by hops on a ring only",
     .flag = &options.quick},
};

const struct perf_command perf_fabric = {
    .name = "fabric",
    .help = "latency by hops, fairness and accepted load of fabrics of\n"
            "simulated nodes; starts its jobs itself",
    .run = run,
    .options = table_of_options,
    .count = sizeof table_of_options / sizeof table_of_options[0],
    .alone = true,
};
