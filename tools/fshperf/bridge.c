/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fshperf bridge: transfers over the bridge to a memory device of a stated rate in another
 * process, over a network of a stated rate, and each of their stages alone. What is
 * measured is the bridge: how much of the slowest stage the whole reaches, and what
 * pipelining gains. Nothing of it is a figure of a card or of a network. Wall clock, medians
 * of interleaved rounds.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cpu.h"
#include "base/log.h"
#include "base/option.h"
#include "bridge/bridge.h"
#include "bridge/memory.h"
#include "bridge_link.h"
#include "bridge_time.h"
#include "perf.h"

#define MB 1e6
enum { MOST_ROUNDS = 32, SIZES = 8 };

static const char *json, *use_clock;
static unsigned rounds = 5, dma = 100, network = 100;
static bool quick;
static bool throttled;
static char loopback_why[256]; /* why it is not */

static const size_t sizes[SIZES] = {
    (size_t)16 << 10, (size_t)64 << 10, (size_t)256 << 10, (size_t)1 << 20,
    (size_t)4 << 20,  (size_t)8 << 20,  (size_t)16 << 20,  (size_t)32 << 20};

static unsigned size_count(void)
{
    return quick ? 4 : SIZES;
}

/* ---- what is measured ---- */

struct path {
    const char *name;
    unsigned stages;
    double goal; /* of the slowest stage */
};
static const struct path paths[] = {
    {"to_card", FSH_BRIDGE_PATH_TO, 0.90},
    {"from_card", FSH_BRIDGE_PATH_FROM, 0.90},
    {"round_trip", FSH_BRIDGE_PATH_ROUND, 0.85},
};
enum { PATHS = 3, STAGES = 4, GAIN = 90 /* percent */ };
static const char *const stage_names[STAGES] = {"read", "dma_to_card",
                                                "dma_from_card", "write"};

/* A row for each size: stages alone, then the paths in both modes. */
enum { ROWS = STAGES + 2 * PATHS };
struct cell {
    double us[MOST_ROUNDS];
    double median;
};
static struct cell cells[ROWS][SIZES];

static unsigned stages_of(unsigned row)
{
    return row < STAGES ? 1u << row : paths[(row - STAGES) / 2].stages;
}

static bool is_naive(unsigned row)
{
    return row >= STAGES && (row - STAGES) % 2 == 0;
}

static double rate_of(unsigned row, unsigned size)
{
    return (double)sizes[size] / cells[row][size].median;
}

/* The peak of the slowest stage of a path, and what its stages take one after the other
 * in multiples of that. */
static double slowest_of(const struct path *path, double *sum)
{
    unsigned last = size_count() - 1;
    double slowest = 0, all = 0;

    for (unsigned s = 0; s < STAGES; s++)
        if (path->stages & (1u << s)) {
            double rate = rate_of(s, last);

            all += 1 / rate;
            slowest = slowest == 0 || rate < slowest ? rate : slowest;
        }
    *sum = all * slowest;
    return slowest;
}

/* ---- the server's process ---- */

struct meeting {
    int to, from; /* pipes of this process */
    pid_t other;
};

static void say(int to, const void *at, size_t bytes)
{
    if (write(to, at, bytes) != (ssize_t)bytes)
        fsh_fatal("fshperf bridge: the other process is gone");
}

static void hear(int from, void *at, size_t bytes)
{
    if (read(from, at, bytes) != (ssize_t)bytes)
        fsh_fatal("fshperf bridge: the other process is gone");
}

static struct fsh_bridge_setup setup_of(void)
{
    struct fsh_bridge_setup setup = {
        .entries = (unsigned)fsh_option_int("FSHMEM_BRIDGE_ENTRIES"),
        .buffer = fsh_option_size("FSHMEM_BRIDGE_BUFFER"),
        .timeout = fsh_option_seconds("FSHMEM_BRIDGE_TIMEOUT")};

    if (getrandom(setup.token, sizeof setup.token, 0) !=
        (ssize_t)sizeof setup.token)
        fsh_fatal("fshperf bridge: getrandom");
    return setup;
}

static void run_server(const struct meeting *meet)
{
    struct fsh_bridge_setup setup = setup_of();
    const struct fsh_bridge_memory_setup memory = {.bytes = sizes[SIZES - 1],
                                                   .dma_bytes = setup.entries *
                                                                setup.buffer,
                                                   .mb_per_s = dma};
    struct fsh_bridge_card *card = fsh_bridge_memory(&memory);
    struct fsh_bridge_server *server;
    struct fsh_bridge_name name;
    char why[512], end;

    if (card == NULL)
        fsh_fatal("fshperf bridge: no memory for a memory device");
    server = fsh_bridge_serve(card, &setup, &name, why, sizeof why);
    if (server == NULL)
        fsh_fatal("fshperf bridge: %s", why);
    say(meet->to, &name, sizeof name);
    if (read(meet->from, &end, 1) != 0)
        fsh_fatal("fshperf bridge: an unexpected message");
    fsh_bridge_stop(server);
    fsh_bridge_memory_free(card);
}

/* The server's end of the cable: the client has made it. */
static void enter_server(const struct meeting *meet)
{
    char link = bridge_link_enter_other(), why[256];

    say(meet->to, &link, 1);
    hear(meet->from, &link, 1);
    if (!link)
        return;
    link = bridge_link_connect(false, 0, network, why, sizeof why);
    say(meet->to, &link, 1);
    hear(meet->from, &link, 1);
}

static struct meeting start_server(void)
{
    int down[2], up[2];
    struct meeting meet;

    if (pipe(down) != 0 || pipe(up) != 0 || (meet.other = fork()) < 0)
        fsh_fatal("fshperf bridge: no process for the server");
    if (meet.other == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        close(down[1]);
        close(up[0]);
        meet = (struct meeting){up[1], down[0], 0};
        if (throttled)
            enter_server(&meet);
        run_server(&meet);
        _exit(0);
    }
    close(down[0]);
    close(up[1]);
    meet.to = down[1];
    meet.from = up[0];
    return meet;
}

/* The client's end. Both or none use the cable: where it is not made both stay in
 * namespaces without a network, so that is fatal. */
static void enter_client(const struct meeting *meet)
{
    char link, why[256] = "the server has no namespace";

    hear(meet->from, &link, 1);
    link = link &&
           bridge_link_connect(true, meet->other, network, why, sizeof why);
    say(meet->to, &link, 1);
    if (link)
        hear(meet->from, &link, 1);
    if (!link)
        fsh_fatal("fshperf bridge: %s; --network 0 measures over loopback",
                  why);
    say(meet->to, &link, 1);
}

/* ---- measuring ---- */

static double measure(struct fsh_bridge_client *client, unsigned row,
                      size_t bytes, unsigned char *memory)
{
    const struct fsh_bridge_transfer t = {.stages = stages_of(row),
                                          .naive = is_naive(row),
                                          .bytes = bytes,
                                          .source = memory,
                                          .target = memory + sizes[SIZES - 1]};
    uint64_t start = fsh_time_ns();

    if (fsh_bridge_begin(client, &t) == FSH_BRIDGE_PENDING)
        fsh_bridge_wait(client);
    start = fsh_time_ns() - start;
    if (fsh_bridge_test(client, NULL) != FSH_BRIDGE_OK)
        fsh_fatal("fshperf bridge: %s", fsh_bridge_why(client));
    return (double)start / 1e3;
}

/* The bytes of a round trip are where they should be. */
static void verify(struct fsh_bridge_client *client, unsigned char *memory)
{
    size_t bytes = sizes[size_count() - 1] - 3;
    unsigned char *source = memory, *target = memory + sizes[SIZES - 1];

    for (size_t i = 0; i < bytes; i++)
        source[i] = (unsigned char)(i * 7 + i / 509);
    measure(client, STAGES + 2 * (PATHS - 1) + 1, bytes, memory);
    if (memcmp(source, target, bytes) != 0)
        fsh_fatal("fshperf bridge: a round trip of %zu bytes brings other ones",
                  bytes);
}

/* The first round is not counted. */
static void measure_all(struct fsh_bridge_client *client, unsigned char *memory)
{
    for (unsigned round = 0; round <= rounds; round++)
        for (unsigned size = 0; size < size_count(); size++)
            for (unsigned row = 0; row < ROWS; row++)
                cells[row][size].us[round == 0 ? 0 : round - 1] =
                    measure(client, row, sizes[size], memory);
    for (unsigned size = 0; size < size_count(); size++)
        for (unsigned row = 0; row < ROWS; row++)
            cells[row][size].median = perf_median(cells[row][size].us, rounds);
}

/* ---- report ---- */

/* The smallest size at which the pipelined path reaches half of its slowest stage; 0:
 * none. */
static size_t half_of(unsigned path, double slowest)
{
    for (unsigned size = 0; size < size_count(); size++)
        if (rate_of(STAGES + 2 * path + 1, size) >= slowest / 2)
            return sizes[size];
    return 0;
}

static void print_path(unsigned p)
{
    const struct path *path = &paths[p];
    unsigned last = size_count() - 1, row = STAGES + 2 * p;
    double sum, slowest = slowest_of(path, &sum);
    double reached = rate_of(row + 1, last) / slowest;
    double gain = rate_of(row + 1, last) / rate_of(row, last);
    size_t half = half_of(p, slowest);

    printf("# %s: pipelined %.1f %% of the slowest stage (>= %.0f: %s), %.2f "
           "times naive (>= %.2f: %s), half of it at %zu KB (<= 256: %s)\n",
           path->name, 100 * reached, 100 * path->goal,
           reached >= path->goal ? "pass" : "falls short", gain,
           GAIN / 100.0 * sum,
           gain >= GAIN / 100.0 * sum ? "pass" : "falls short", half >> 10,
           half != 0 && half <= (size_t)256 << 10 ? "pass" : "falls short");
}

static void print(const struct fsh_bridge_setup *setup)
{
    printf("# bridge to a memory device of %u MB/s each way, network: ", dma);
    if (throttled)
        printf("veth with tbf, %u MB/s each way", network);
    else
        printf("loopback, not throttled (%s)", loopback_why);
    printf("; %u buffers of %zu KB; wall clock, MB/s\n# %10s", setup->entries,
           setup->buffer >> 10, "bytes");
    for (unsigned s = 0; s < STAGES; s++)
        printf(" %13s", stage_names[s]);
    for (unsigned p = 0; p < PATHS; p++)
        printf(" %13s %9s", paths[p].name, "naive");
    putchar('\n');
    for (unsigned size = 0; size < size_count(); size++) {
        printf("%12zu", sizes[size]);
        for (unsigned s = 0; s < STAGES; s++)
            printf(" %13.1f", rate_of(s, size));
        for (unsigned p = 0; p < PATHS; p++)
            printf(" %13.1f %9.1f", rate_of(STAGES + 2 * p + 1, size),
                   rate_of(STAGES + 2 * p, size));
        putchar('\n');
    }
    for (unsigned p = 0; p < PATHS; p++)
        print_path(p);
}

static void add_row(struct document *d, const struct fsh_bridge_setup *setup,
                    unsigned row, unsigned size)
{
    const struct path *path = row < STAGES ? NULL : &paths[(row - STAGES) / 2];
    double sum, slowest = path != NULL ? slowest_of(path, &sum)
                                       : rate_of(row, size_count() - 1);

    document_open(d, NULL, '{');
    document_text(d, "path",
                  path != NULL                          ? path->name
                  : stages_of(row) & FSH_BRIDGE_PATH_TO ? "to_card"
                                                        : "from_card");
    document_text(d, "mode",
                  path == NULL    ? "stage"
                  : is_naive(row) ? "naive"
                                  : "pipelined");
    if (path == NULL)
        document_text(d, "stage", stage_names[row]);
    document_text(d, "device", "memory");
    document_text(d, "network", throttled ? "veth, tbf" : "loopback");
    document_text(d, "clock", "wall");
    document_number(d, "buffer", setup->buffer);
    document_number(d, "entries", setup->entries);
    document_number(d, "bytes", sizes[size]);
    document_real(d, "mb_per_s", rate_of(row, size));
    document_real(d, "ratio", rate_of(row, size) / slowest);
    document_close(d);
}

static void write_json(const struct fsh_bridge_setup *setup)
{
    struct document d = {NULL, {NULL}, 0};
    FILE *out = perf_open(json);

    if (out == NULL)
        return;
    document_open(&d, NULL, '[');
    for (unsigned row = 0; row < ROWS; row++)
        for (unsigned size = 0; size < size_count(); size++)
            add_row(&d, setup, row, size);
    document_close(&d);
    if (!document_write(&d, out))
        fsh_fatal("%s: cannot be written", json);
    perf_close(out, json);
}

/* ---- the command ---- */

static const struct kit_option rows[] = {
    {"--json", "FILE", "write the figures", .text = &json},
    {"--rounds", "N", "rounds, of which the median counts", .number = &rounds,
     .most = MOST_ROUNDS},
    {"--dma", "MB/S", "rate of the memory device, each way; 0: any",
     .number = &dma, .most = 100000},
    {"--network", "MB/S",
     "rate of the network, each way (namespaces and tbf);\n0: loopback as it is",
     .number = &network, .most = 100000},
    {"--quick", .help = "sizes up to 1 MB only", .flag = &quick},
    {"--clock", "wall|simulated",
     "simulated: a simulated card and a modelled network, exact; of the\nother "
     "options only --quick and --json count; wall (default): as above",
     .text = &use_clock},
};

static int run(void)
{
    struct fsh_bridge_setup setup;
    struct fsh_bridge_client *client;
    unsigned char *memory;
    struct fsh_bridge_name name;
    struct meeting meet;
    char why[512];

    perf_refuse_job("bridge");
    if (use_clock != NULL && strcmp(use_clock, "simulated") == 0)
        return bridge_time_run(quick, json);
    if (use_clock != NULL && strcmp(use_clock, "wall") != 0)
        fsh_fatal("fshperf bridge: --clock %s: expected wall or simulated",
                  use_clock);
    memory = calloc(2, sizes[SIZES - 1]);
    setup = setup_of();
    if (rounds == 0)
        fsh_fatal("fshperf bridge: --rounds 0: expected 1 to %d", MOST_ROUNDS);
    if (memory == NULL)
        fsh_fatal("fshperf bridge: no memory");
    snprintf(loopback_why, sizeof loopback_why, "--network 0");
    throttled =
        network != 0 && bridge_link_enter(loopback_why, sizeof loopback_why);
    meet = start_server();
    if (throttled)
        enter_client(&meet);
    hear(meet.from, &name, sizeof name);
    client = fsh_bridge_connect(&name, setup.timeout, why, sizeof why);
    if (client == NULL)
        fsh_fatal("fshperf bridge: %s", why);
    verify(client, memory);
    measure_all(client, memory);
    fsh_bridge_close(client);
    close(meet.to);
    waitpid(meet.other, NULL, 0);
    print(&setup);
    write_json(&setup);
    free(memory);
    return 0;
}

const struct perf_command perf_bridge = {
    .name = "bridge",
    .help = "transfers to and from a card in another host: the bridge over\n"
            "a memory device and a network of stated rates, and its stages",
    .run = run,
    .options = rows,
    .count = sizeof rows / sizeof rows[0],
    .alone = true,
};
