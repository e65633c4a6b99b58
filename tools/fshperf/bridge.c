/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fshperf bridge: transfers over the bridge to a memory device of a stated rate in another
 * process, over a network of a stated rate, and each of their stages alone. What is
 * measured is the bridge: how much of the slowest stage the whole reaches, and what
 * pipelining gains. Nothing of it is a figure of a card or of a network. Wall clock, medians
 * of interleaved rounds.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
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
#include "bridge_rows.h"
#include "bridge_time.h"
#include "perf.h"

enum { MOST_ROUNDS = 32, SIZES = 8, QUICK = 4 };

static const char *json, *use_clock;
static unsigned rounds = 5, dma = 100, network = 100;
static bool quick, sweep;
static bool throttled;
static char loopback_why[256]; /* why it is not */

static const size_t sizes[SIZES] = {
    (size_t)16 << 10, (size_t)64 << 10, (size_t)256 << 10, (size_t)1 << 20,
    (size_t)4 << 20,  (size_t)8 << 20,  (size_t)16 << 20,  (size_t)32 << 20};

/* ---- what is measured ---- */

/* Points with one size of buffers follow each other, the longest transfer last. */
static struct bridge_point points[BRIDGE_POINTS];
static unsigned count;

static const double goals[BRIDGE_PATHS] = {0.90, 0.90, 0.85}; /* of the slowest
                                                                 stage */
enum { GAIN = 90 /* percent */ };

static void choose_points(const struct fsh_bridge_setup *setup)
{
    if (sweep) {
        count = bridge_sweep(points);
        return;
    }
    while (count < (quick ? QUICK : SIZES)) {
        points[count] = (struct bridge_point){.buffer = setup->buffer,
                                              .bytes = sizes[count]};
        count++;
    }
}

static size_t most_bytes(void)
{
    return points[count - 1].bytes;
}

/* Of those with this buffer the longest transfer that all rows have. */
static const struct bridge_point *longest(size_t buffer)
{
    const struct bridge_point *found = NULL;

    for (unsigned i = 0; i < count; i++)
        if (points[i].buffer == buffer && points[i].us[0] != 0)
            found = &points[i];
    return found;
}

/* The peak of the slowest stage of a path, and what its stages take one after the other
 * in multiples of that. Both of the DMA at once are no stage of a path. */
static double slowest_of(const struct bridge_point *p, unsigned stages,
                         double *sum)
{
    double slowest = 0, all = 0;

    for (unsigned s = 0; s < BRIDGE_DMA_BOTH; s++)
        if (stages & bridge_rows[s].stages) {
            double rate = bridge_rate(p, s);

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

static void run_server(const struct meeting *meet, size_t buffer)
{
    struct fsh_bridge_setup setup = setup_of();
    const struct fsh_bridge_memory_setup memory = {.bytes = most_bytes(),
                                                   .dma_bytes =
                                                       setup.entries * buffer,
                                                   .mb_per_s = dma};
    struct fsh_bridge_card *card = fsh_bridge_memory(&memory);
    struct fsh_bridge_server *server;
    struct fsh_bridge_name name;
    char why[512], end;

    setup.buffer = buffer;
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

static struct meeting start_server(size_t buffer)
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
        run_server(&meet, buffer);
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
    const struct fsh_bridge_transfer t = {.stages = bridge_rows[row].stages,
                                          .naive = bridge_rows[row].naive,
                                          .bytes = bytes,
                                          .source = memory,
                                          .target = memory + most_bytes()};
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
    size_t bytes = ((size_t)1 << 20) - 3;
    unsigned char *source = memory, *target = memory + most_bytes();

    for (size_t i = 0; i < bytes; i++)
        source[i] = (unsigned char)(i * 7 + i / 509);
    measure(client, bridge_row_of(BRIDGE_PATHS - 1, false), bytes, memory);
    if (memcmp(source, target, bytes) != 0)
        fsh_fatal("fshperf bridge: a round trip of %zu bytes brings other ones",
                  bytes);
}

/* A transfer that takes seconds is measured once. */
static unsigned rounds_of(const struct bridge_point *p)
{
    return bridge_has_row(0, p->bytes) ? rounds : 1;
}

/* Points in turns, medians of rounds, of which the first one is not counted. */
static void measure_all(struct fsh_bridge_client *client, unsigned char *memory,
                        struct bridge_point *p, unsigned n)
{
    double(*us)[BRIDGE_ROWS][MOST_ROUNDS] = calloc(n, sizeof *us);

    if (us == NULL)
        fsh_fatal("fshperf bridge: no memory");
    for (unsigned round = 0; round <= rounds; round++)
        for (unsigned i = 0; i < n; i++)
            for (unsigned row = 0; row < BRIDGE_ROWS; row++)
                if (round <= rounds_of(&p[i]) &&
                    bridge_has_row(row, p[i].bytes))
                    us[i][row][round == 0 ? 0 : round - 1] =
                        measure(client, row, p[i].bytes, memory);
    for (unsigned i = 0; i < n; i++)
        for (unsigned row = 0; row < BRIDGE_ROWS; row++)
            p[i].us[row] = perf_median(us[i][row], rounds_of(&p[i]));
    free(us);
}

static void measure_buffer(struct bridge_point *p, unsigned n,
                           unsigned char *memory)
{
    struct meeting meet;
    struct fsh_bridge_name name;
    struct fsh_bridge_client *client;
    char why[512];

    throttled =
        network != 0 && bridge_link_enter(loopback_why, sizeof loopback_why);
    meet = start_server(p->buffer);
    if (throttled)
        enter_client(&meet);
    hear(meet.from, &name, sizeof name);
    client = fsh_bridge_connect(&name, setup_of().timeout, why, sizeof why);
    if (client == NULL)
        fsh_fatal("fshperf bridge: %s", why);
    verify(client, memory);
    measure_all(client, memory, p, n);
    fsh_bridge_close(client);
    close(meet.to);
    waitpid(meet.other, NULL, 0);
}

/* In a process of its own, since it enters a network of its own: what it has measured, and
 * about the network, is written to shared memory. */
static void run_apart(struct bridge_point *p, unsigned n, unsigned char *memory)
{
    struct shared {
        bool throttled;
        char why[sizeof loopback_why];
        struct bridge_point point[BRIDGE_POINTS];
    } *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE,
                     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pid_t child;
    int status;

    if (shared == MAP_FAILED || (child = fork()) < 0)
        fsh_fatal("fshperf bridge: no process for the client");
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        measure_buffer(p, n, memory);
        shared->throttled = throttled;
        memcpy(shared->why, loopback_why, sizeof shared->why);
        memcpy(shared->point, p, n * sizeof *p);
        _exit(0);
    }
    if (waitpid(child, &status, 0) != child || !WIFEXITED(status))
        fsh_fatal("fshperf bridge: the client's process was killed");
    if (WEXITSTATUS(status) != 0)
        exit(WEXITSTATUS(status)); /* it has said why */
    throttled = shared->throttled;
    memcpy(loopback_why, shared->why, sizeof loopback_why);
    memcpy(p, shared->point, n * sizeof *p);
    munmap(shared, sizeof *shared);
}

/* ---- report ---- */

/* The smallest size at which the pipelined path reaches half of its slowest stage; 0:
 * none. */
static size_t half_of(unsigned path, double slowest)
{
    for (unsigned i = 0; i < count; i++)
        if (bridge_rate(&points[i], bridge_row_of(path, false)) >= slowest / 2)
            return points[i].bytes;
    return 0;
}

static const char *verdict(bool reached)
{
    return reached ? "pass" : "falls short";
}

static void print_path(unsigned path)
{
    const struct bridge_point *last = longest(points[0].buffer);
    unsigned row = bridge_row_of(path, false);
    double sum, slowest = slowest_of(last, bridge_rows[row].stages, &sum);
    double reached = bridge_rate(last, row) / slowest;
    double gain =
        bridge_rate(last, row) / bridge_rate(last, bridge_row_of(path, true));
    size_t half = half_of(path, slowest);

    printf("# %s: pipelined %.1f %% of the slowest stage (>= %.0f: %s), %.2f "
           "times naive (>= %.2f: %s), half of it at %zu KB (<= 256: %s)\n",
           bridge_rows[row].path, 100 * reached, 100 * goals[path],
           verdict(reached >= goals[path]), gain, GAIN / 100.0 * sum,
           verdict(gain >= GAIN / 100.0 * sum), half >> 10,
           verdict(half != 0 && half <= (size_t)256 << 10));
}

static void print_points(void)
{
    printf("# %10s", "bytes");
    for (unsigned s = 0; s < BRIDGE_STAGES; s++)
        printf(" %13s", bridge_rows[s].stage);
    for (unsigned p = 0; p < BRIDGE_PATHS; p++)
        printf(" %13s %9s", bridge_rows[bridge_row_of(p, false)].path, "naive");
    putchar('\n');
    for (unsigned i = 0; i < count; i++) {
        printf("%12zu", points[i].bytes);
        for (unsigned s = 0; s < BRIDGE_STAGES; s++)
            printf(" %13.1f", bridge_rate(&points[i], s));
        for (unsigned p = 0; p < BRIDGE_PATHS; p++)
            printf(" %13.1f %9.1f",
                   bridge_rate(&points[i], bridge_row_of(p, false)),
                   bridge_rate(&points[i], bridge_row_of(p, true)));
        putchar('\n');
    }
    for (unsigned p = 0; p < BRIDGE_PATHS; p++)
        print_path(p);
}

static void print(const struct fsh_bridge_setup *setup)
{
    printf("# bridge to a memory device of %u MB/s each way, network: ", dma);
    if (throttled)
        printf("veth with tbf, %u MB/s each way", network);
    else
        printf("loopback, not throttled (%s)", loopback_why);
    if (sweep)
        printf("; %u buffers", setup->entries);
    else
        printf("; %u buffers of %zu KB", setup->entries, setup->buffer >> 10);
    puts("; wall clock, MB/s");
    if (!sweep) {
        print_points();
        return;
    }
    for (unsigned row = 0; row < BRIDGE_ROWS; row++)
        bridge_print_sweep(points, count, row, NULL);
}

static void add_row(struct document *d, unsigned entries, unsigned row,
                    const struct bridge_point *p)
{
    const struct bridge_point *last = longest(p->buffer);
    double sum;

    document_open(d, NULL, '{');
    bridge_describe(d, p, row, entries,
                    bridge_rows[row].stage
                        ? bridge_rate(last, row)
                        : slowest_of(last, bridge_rows[row].stages, &sum));
    document_text(d, "device", "memory");
    document_text(d, "network", throttled ? "veth, tbf" : "loopback");
    document_text(d, "clock", "wall");
    document_close(d);
}

static void write_json(const struct fsh_bridge_setup *setup)
{
    struct document d = {NULL, {NULL}, 0};
    FILE *out = perf_open(json);

    if (out == NULL)
        return;
    document_open(&d, NULL, '[');
    for (unsigned row = 0; row < BRIDGE_ROWS; row++)
        for (unsigned i = 0; i < count; i++)
            if (points[i].us[row] != 0)
                add_row(&d, setup->entries, row, &points[i]);
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
    {"--sweep",
     .help =
         "buffers of 16 KB to 8 MB, transfers of 2 B to 1 GB (3 GB of memory)",
     .flag = &sweep},
    {"--clock", "wall|simulated",
     "simulated: a simulated card and a modelled network, exact; of the\nother "
     "options only --quick and --json count; wall (default): as above",
     .text = &use_clock},
};

static int run(void)
{
    struct fsh_bridge_setup setup;
    unsigned char *memory;
    unsigned next;

    perf_refuse_job("bridge");
    if (quick && sweep)
        fsh_fatal_code(2, "fshperf bridge: --quick and --sweep exclude each "
                          "other");
    if (use_clock != NULL && strcmp(use_clock, "simulated") == 0)
        return bridge_time_run(quick, sweep, json);
    if (use_clock != NULL && strcmp(use_clock, "wall") != 0)
        fsh_fatal("fshperf bridge: --clock %s: expected wall or simulated",
                  use_clock);
    setup = setup_of();
    if (rounds == 0)
        fsh_fatal("fshperf bridge: --rounds 0: expected 1 to %d", MOST_ROUNDS);
    choose_points(&setup);
    memory = calloc(2, most_bytes());
    if (memory == NULL)
        fsh_fatal("fshperf bridge: no memory for two times %zu bytes",
                  most_bytes());
    snprintf(loopback_why, sizeof loopback_why, "--network 0");
    for (unsigned i = 0; i < count; i = next) {
        next = bridge_next_buffer(points, count, i);
        run_apart(&points[i], next - i, memory);
    }
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
