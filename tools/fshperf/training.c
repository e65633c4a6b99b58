/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fshperf training: iterations of the 20-layer network of the smart NIC paper (R. Ma et
 * al., arXiv:2204.10943), scaled down, on simulated nodes, hosts included. Systems: hosts
 * move and add gradients, which are in device memory or, as with a conventional network
 * card, in theirs; or the collective engines do; or those do and send them as block floating
 * point. The command itself is not a rank: it starts a job for each point, with itself as
 * `fshperf training-node`, which trains (examples/train.h) and prints the times of the parts
 * of an iteration.
 */
#include "perf.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/option.h"
#include "base/simulated.h"
#include "train.h"

#define TIME_LIMIT 7200u /* seconds a point may take */
#define NODE_LINE "training-node"
#define MOST_NODES 6u
/* Layers and batches at which an all-reduce of floats in one direction takes 1.74 times
 * as long as the backward pass beside it, as in the paper's Fig. 4: on 6 nodes, and on 2.
 * In both directions it does so on 6 nodes with a batch of 100. */
#define WIDTH 256u
#define LAYERS 20u
#define BATCH 200u
#define LAYERS_QUICK 6u
#define BATCH_QUICK 112u
#define MOST_WIDTH 2048u         /* the paper's */
#define PARTS (TRAIN_PARTS + 1u) /* the last is their sum */

static const char *const parts[PARTS] = {
    "forward", "backward", "allreduce_exposed", "update", "total"};

/* A conventional system: gradients are in host memory, where some cores of CORES move and
 * add them. Their worker is as fast as a compute core; if it is the processor itself, the
 * cores that are set aside are missing in backward passes. */
enum host { DEVICE, ALONE, FREE, WORKER, FREE_FAST, WORKER_FAST };
#define CORES "28" /* the paper's */

/* The paper's conventional card has links 2.5 times as fast as its smart NIC. Links of the
 * simulator take a beat a cycle: of each gradient 40 % is summed instead, by cores of which 2
 * take as long as 5 would for all of it. So PCIe is 2.5 times as fast, too, which is not what
 * bounds here, and messages are fewer. */
#define FAST_SUMMED "40"
#define FAST_CORES "2"
#define FAST_ASIDE "5"

/* How gradients are summed: FSHMEM_COLL_ENGINE, the wire format, the algorithm, who adds,
 * by how many cores; and the name in results. */
static const struct system {
    const char *name, *engine, *wire, *algorithm;
    enum host host;
    const char *cores, *what;
    /* What the paper gives for 6 nodes and a batch of 448 a node (Fig. 4a): the smart NIC
     * beside the conventional one, percent, without and with compression. */
    double paper[PARTS];
} systems[] = {
    {"host",
     "host",
     "fp32",
     "ring",
     DEVICE,
     "1",
     "hosts move and add, gradients in device memory",
     {0}},
    {"naive",
     "host",
     "fp32",
     "ring",
     ALONE,
     "4",
     "conventional card, 4 cores; nothing beside all-reduces",
     {0}},
    {"free-1",
     "host",
     "fp32",
     "ring",
     FREE,
     "1",
     "conventional card, a core of a free host",
     {0}},
    {"free-2", "host", "fp32", "ring", FREE, "2", "2 cores", {0}},
    {"free-4", "host", "fp32", "ring", FREE, "4", "4 cores", {0}},
    {"free-rab",
     "host",
     "fp32",
     "rabenseifner",
     FREE,
     "4",
     "4 cores, all-reduces by rabenseifner",
     {0}},
    {"free-dbl",
     "host",
     "fp32",
     "doubling",
     FREE,
     "4",
     "4 cores, all-reduces by doubling",
     {0}},
    {"worker-1",
     "host",
     "fp32",
     "ring",
     WORKER,
     "1",
     "conventional card, the host is the worker, a core of " CORES " aside",
     {0}},
    {"worker-2", "host", "fp32", "ring", WORKER, "2", "2 cores aside", {0}},
    {"worker-4", "host", "fp32", "ring", WORKER, "4", "4 cores aside", {0}},
    {"fast-free",
     "host",
     "fp32",
     "ring",
     FREE_FAST,
     FAST_CORES,
     "links 2.5 times as fast, " FAST_ASIDE " cores of a free host",
     {0}},
    {"fast-worker",
     "host",
     "fp32",
     "ring",
     WORKER_FAST,
     FAST_CORES,
     "links 2.5 times as fast, " FAST_ASIDE " cores aside",
     {0}},
    {"fp32",
     "card",
     "fp32",
     "ring",
     DEVICE,
     "1",
     "collective engines",
     {0, -10, -37, 0, -18}},
    {"bfp",
     "card",
     "bfp16",
     "ring",
     DEVICE,
     "1",
     "collective engines, encoded",
     {0, 0, -95, 0, -40}}};
#define SYSTEMS (sizeof systems / sizeof systems[0])

static struct {
    const char *json;
    unsigned width, layers, batch;
    unsigned nodes;   /* 0: 2 to MOST_NODES */
    const char *only; /* NULL: all systems */
    bool quick;
} options = {.width = WIDTH};

struct point {
    unsigned nodes;
    uint64_t cycles[SYSTEMS][PARTS];
};

/* ---- the node ---- */

static int run_node(int argc, char **argv)
{
    static struct train t;
    struct train_options o = {.layers = LAYERS,
                              .width = WIDTH,
                              .batch = 2 * BATCH,
                              .rate = 50,
                              .momentum = 900,
                              .seed = 1,
                              .wire = FSHMEM_WIRE_FP32};
    const char *wire = "fp32", *algorithm = "ring";
    const struct case_option table[] = {
        {.name = "--wire",
         .help = "FORMAT",
         .string = &wire,
         .choices = "fp32|bfp16"},
        {.name = "--layers",
         .help = "N",
         .number = &o.layers,
         .least = 2,
         .most = TRAIN_LAYERS},
        {.name = "--width",
         .help = "N",
         .number = &o.width,
         .least = 16,
         .most = 2048},
        {.name = "--batch",
         .help = "N",
         .number = &o.batch,
         .least = 1,
         .most = TRAIN_DIGITS},
        {.name = "--algorithm",
         .help = "NAME",
         .string = &algorithm,
         .choices = "ring|rabenseifner|doubling"},
        {.name = "--apart", .help = "", .flag = &o.apart},
        {.name = "--naive", .help = "", .flag = &o.naive},
        {.name = "--cores", .help = "N", .number = &o.cores, .most = 1000},
        {.name = "--aside", .help = "N", .number = &o.aside, .most = 999},
        {.name = "--summed",
         .help = "PERCENT",
         .number = &o.summed,
         .most = 99},
    };

    case_join("fshperf training-node", &argc, &argv);
    case_options(argc, argv, "usage: see fshperf training", table,
                 sizeof table / sizeof table[0]);
    if (strcmp(wire, "bfp16") == 0) {
        o.wire = FSHMEM_WIRE_BFP16;
    }
    o.order = strcmp(algorithm, "ring") == 0       ? FSHMEM_COLL_RING
              : strcmp(algorithm, "doubling") == 0 ? FSHMEM_COLL_DOUBLING
                                                   : FSHMEM_COLL_RABENSEIFNER;
    if (o.aside != 0 && o.aside >= o.cores) {
        case_refuse("--aside %u: of %u cores one at least has to compute",
                    (unsigned)o.aside, (unsigned)o.cores);
    }
    case_attach(train_bytes(&o));
    if (fsh_simulated() == NULL) {
        case_refuse("needs --clock simulated");
    }
    train_prepare(&t, &o);
    train_epoch(&t);
    if (o.summed == 0) {
        train_hash(&t); /* ends the job if ranks differ */
    }
    if (t.me == 0) {
        perf_tell_assumed();
        printf(NODE_LINE " %u", (unsigned)t.steps);
        for (unsigned i = 0; i < TRAIN_PARTS; ++i) {
            printf(" %" PRIu64, t.ns[i]);
        }
        putchar('\n');
    }
    case_leave(0);
    return 0;
}

const struct perf_command perf_training_node = {
    .name = "training-node",
    .raw = run_node,
    .alone = true,
};

/* ---- one job ---- */

struct told {
    uint64_t *cycles;
    bool whole;
};

static void hear(void *arg, const char *line)
{
    struct told *told = arg;
    uint64_t steps, ns[TRAIN_PARTS];

    if (perf_hear_assumed(line) ||
        sscanf(line,
               NODE_LINE " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64
                         " %" SCNu64,
               &steps, &ns[0], &ns[1], &ns[2], &ns[3]) != 5 ||
        steps == 0) {
        return;
    }
    told->whole = true;
    told->cycles[TRAIN_PARTS] = 0;
    for (unsigned i = 0; i < TRAIN_PARTS; ++i) {
        told->cycles[i] = ns[i] / FSH_NS_PER_CYCLE / steps;
        told->cycles[TRAIN_PARTS] += told->cycles[i];
    }
}

static bool is_measured(unsigned system)
{
    return options.only == NULL ||
           strcmp(options.only, systems[system].name) == 0;
}

static void run_point(struct point *point, unsigned number)
{
    const struct system *system = &systems[number];
    struct told told = {.cycles = point->cycles[number]};
    char layers[16], width[16], batch[16], text[96];
    const char *aside = system->host == WORKER        ? system->cores
                        : system->host == WORKER_FAST ? FAST_ASIDE
                                                      : "0";
    const char *const arguments[] = {"training-node",
                                     "--layers",
                                     layers,
                                     "--width",
                                     width,
                                     "--batch",
                                     batch,
                                     "--wire",
                                     system->wire,
                                     "--algorithm",
                                     system->algorithm,
                                     "--cores",
                                     CORES,
                                     "--aside",
                                     aside,
                                     "--summed",
                                     system->host >= FREE_FAST ? FAST_SUMMED
                                                               : "0",
                                     system->host == DEVICE ? NULL : "--apart",
                                     system->host == ALONE ? "--naive" : NULL,
                                     NULL};
    const struct perf_job job = {.ranks = point->nodes,
                                 .conduit = "fpga",
                                 .costs = "1",
                                 .time_limit = TIME_LIMIT,
                                 .arguments = arguments,
                                 .hear = hear,
                                 .arg = &told};

    snprintf(layers, sizeof layers, "%u", options.layers);
    snprintf(width, sizeof width, "%u", options.width);
    snprintf(batch, sizeof batch, "%u", options.batch * point->nodes);
    snprintf(text, sizeof text, "fshperf: training, %s, %u nodes ...",
             system->name, point->nodes);
    perf_progress(text, false);
    setenv("FSHMEM_COLL_ENGINE", system->engine, 1);
    setenv("FSHMEM_HOST_CORES", system->cores, 1);
    if (perf_run_job(&job) != 0 || !told.whole) {
        fsh_fatal("the job of %s on %u nodes failed, see above", system->name,
                  point->nodes);
    }
}

/* ---- reports ---- */

static uint64_t total(const struct point *point, unsigned system)
{
    return point->cycles[system][TRAIN_PARTS];
}

static unsigned named(const char *name)
{
    unsigned s = 0;

    while (strcmp(systems[s].name, name) != 0) {
        ++s;
    }
    return s;
}

static void print_change(const struct point *point, unsigned s)
{
    const uint64_t *host = point->cycles[named("host")];

    printf("# %s relative to host, %%", systems[s].name);
    for (unsigned i = 0; i < PARTS; ++i) {
        double change = (double)point->cycles[s][i] / (double)host[i] - 1;

        printf("  %s %.1f", parts[i], host[i] > 0 ? 100 * change : 0);
        if (systems[s].paper[i] < 0) {
            printf(" (paper, 6 nodes: %.0f)", systems[s].paper[i]);
        }
    }
    printf("  speed-up %.2f\n",
           (double)host[TRAIN_PARTS] / (double)total(point, s));
}

/* The engines beside the fastest conventional system of a kind. */
static void print_best(const struct point *point, enum host host,
                       const char *what)
{
    unsigned best = SYSTEMS;

    for (unsigned s = 0; s < SYSTEMS; ++s) {
        if (systems[s].host == host && total(point, s) != 0 &&
            (best == SYSTEMS || total(point, s) < total(point, best))) {
            best = s;
        }
    }
    if (best == SYSTEMS) {
        return;
    }
    printf("# times the speed of %s (%s):", what, systems[best].name);
    for (unsigned s = 0; s < SYSTEMS; ++s) {
        if (strcmp(systems[s].engine, "card") == 0 && total(point, s) != 0) {
            printf("  %s %.2f", systems[s].name,
                   (double)total(point, best) / (double)total(point, s));
        }
    }
    putchar('\n');
}

/* What each of a node's two links carries in all-reduces of FP32, in both directions of a
 * ring: payload and headers. */
static uint64_t link_bound(unsigned nodes)
{
    uint64_t values = 0;

    for (unsigned i = 0; i < options.layers; ++i) {
        uint64_t in = i == 0 ? TRAIN_PIXELS : options.width;
        uint64_t out = i + 1 == options.layers ? TRAIN_OUTPUTS : options.width;

        values += (in + 1) * out;
    }
    return values * sizeof(float) * (nodes - 1) / nodes / FSH_BEAT_BYTES *
           (FSH_MAX_PACKET + FSH_BEAT_BYTES) / FSH_MAX_PACKET;
}

static void print_point(const struct point *point)
{
    for (unsigned s = 0; s < SYSTEMS; ++s) {
        if (!is_measured(s)) {
            continue;
        }
        printf("%-8u%-9s", point->nodes, systems[s].name);
        for (unsigned i = 0; i < PARTS; ++i) {
            printf("%20" PRIu64, point->cycles[s][i]);
        }
        printf("  # %s\n", systems[s].what);
    }
    for (unsigned s = 0; s < SYSTEMS && options.only == NULL; ++s) {
        if (strcmp(systems[s].engine, "card") == 0) {
            print_change(point, s);
        }
    }
    if (options.only == NULL) {
        print_best(point, WORKER, "a host that is the worker");
        print_best(point, FREE, "a free host");
        print_best(point, WORKER_FAST,
                   "a host that is the worker, links 2.5 times as fast");
        print_best(point, FREE_FAST, "a free host, links 2.5 times as fast");
        print_best(point, ALONE, "all-reduces that nothing hides");
    }
    printf("# least cycles of a node's links for all-reduces of FP32, both "
           "directions in use: %" PRIu64 "\n",
           link_bound(point->nodes));
}

static void print(const struct point *point, size_t points)
{
    printf("# FSHMEM %s: training. Clock: simulated, hosts included.\n",
           FSH_VERSION);
    perf_print_assumed();
    printf("# %u layers of %u (the first from %u, the last to %u), "
           "batch %u a node;\n# cycles of an iteration, mean of an epoch, "
           "rank 0. Host work for collectives\n# counts in the part that "
           "waits meanwhile.\n%-8s%-9s",
           options.layers, options.width, TRAIN_PIXELS, TRAIN_OUTPUTS,
           options.batch, "# nodes", "system");
    for (unsigned i = 0; i < PARTS; ++i) {
        printf("%20s", parts[i]);
    }
    putchar('\n');
    for (size_t i = 0; i < points; ++i) {
        print_point(&point[i]);
    }
}

static void write_json(FILE *out, const struct point *point, size_t points)
{
    struct document d = {0};

    document_open(&d, NULL, '[');
    for (size_t i = 0; i < points * SYSTEMS * PARTS; ++i) {
        const struct point *p = &point[i / PARTS / SYSTEMS];
        unsigned s = (unsigned)(i / PARTS % SYSTEMS);

        if (!is_measured(s)) {
            continue;
        }
        document_open(&d, NULL, '{');
        document_text(&d, "system", systems[s].name);
        document_number(&d, "nodes", p->nodes);
        document_number(&d, "batch", options.batch);
        document_number(&d, "layers", options.layers);
        document_number(&d, "width", options.width);
        document_text(&d, "part", parts[i % PARTS]);
        document_number(&d, "cycles", p->cycles[s][i % PARTS]);
        document_real(&d, "model_cycles",
                      NAN); /* perf_run_model fills them in */
        document_real(&d, "model_error", NAN);
        document_text(&d, "conduit", "fpga");
        document_text(&d, "device", "sim");
        document_text(&d, "clock", "simulated, hosts included");
        document_number(&d, "packet_bytes",
                        (uint64_t)fsh_option_int("FSHMEM_PACKET"));
        perf_json_assumed(&d, 0);
        document_close(&d);
    }
    document_close(&d);
    document_write(&d, out);
}

/* ---- all ---- */

static void check_only(void)
{
    char names[256] = "";

    for (unsigned s = 0; s < SYSTEMS; ++s) {
        size_t used = strlen(names);

        if (is_measured(s) && options.only != NULL) {
            return;
        }
        snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "",
                 systems[s].name);
    }
    if (options.only != NULL) {
        fsh_fatal_code(2, "training: --only %s: no such system; there are %s",
                       options.only, names);
    }
}

static int run(void)
{
    struct point point[MOST_NODES] = {{0}};
    unsigned least = 2, most = options.quick ? 2 : MOST_NODES;
    size_t points = 0;

    if (options.nodes == 1) {
        fsh_fatal("--nodes 1: gradients are summed over 2 to %u nodes",
                  MOST_NODES);
    }
    check_only();
    if (options.nodes != 0) {
        least = most = options.nodes;
    }
    if (options.layers == 0) {
        options.layers = options.quick ? LAYERS_QUICK : LAYERS;
    }
    if (options.batch == 0) {
        options.batch = options.quick ? BATCH_QUICK : BATCH;
    }

    perf_refuse_job("training");
    FILE *json = perf_open(options.json);
    for (unsigned nodes = least; nodes <= most; ++nodes, ++points) {
        point[points].nodes = nodes;
        for (unsigned s = 0; s < SYSTEMS; ++s) {
            if (is_measured(s)) {
                run_point(&point[points], s);
            }
        }
    }
    perf_progress("", true);
    print(point, points);
    if (json) {
        write_json(json, point, points);
    }
    perf_close(json, options.json);
    if (json && perf_run_model(options.json) != 0) {
        fsh_warn("%s: without predictions of the model", options.json);
    }
    return 0;
}

static const struct kit_option table_of_options[] = {
    {"--json", "FILE", "results as an array of objects", .text = &options.json},
    {"--nodes", "N", "2 to 6 nodes; 0: all of these, one after the other",
     .number = &options.nodes, .most = MOST_NODES},
    {"--width", "N", "outputs of each layer but the last, a multiple of 16",
     .number = &options.width, .most = MOST_WIDTH},
    {"--layers", "N", "layers of weights; 0: 20, with --quick 6",
     .number = &options.layers, .most = TRAIN_LAYERS},
    {"--batch", "N", "digits per iteration and node; 0: 200, with --quick 112",
     .number = &options.batch,
     .most = (TRAIN_DIGITS - TRAIN_HELD) / MOST_NODES},
    {"--only", "SYSTEM", "one of the systems, such as bfp",
     .text = &options.only},
    {"--quick", .help = "two nodes only, and fewer layers and digits",
     .flag = &options.quick},
};

const struct perf_command perf_training = {
    .name = "training",
    .help =
        "an iteration of data-parallel training on 2 to 6 nodes, split into\n"
        "its parts; starts its jobs itself (simulated clock)",
    .run = run,
    .options = table_of_options,
    .count = sizeof table_of_options / sizeof table_of_options[0],
    .alone = true,
};
