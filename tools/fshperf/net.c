/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fshperf net: see net.h. Two ranks of conduit ofi, on one host or two. In each round
 * every case runs once with the library and once without it, so that both see the same
 * machine; the median of the rounds counts.
 */
#include "net.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpu.h"
#include "base/log.h"
#include "boot/boot.h"
#include "perf.h"

enum { PING = 200, PONG, WORD, LAST, ENOUGH };
enum { MOST_ROUNDS = 64 };

static const char *json;
static unsigned rounds = 15;
static bool quick;
static volatile unsigned pings, pongs, words, ends;
static gasnet_seginfo_t segment[2];
static unsigned char *local;

/* ---- by the library ---- */

static void on_ping(gasnet_token_t token)
{
    pings++;
    gasnet_AMReplyShort0(token, PONG);
}

static void on_pong(gasnet_token_t token)
{
    (void)token;
    pongs++;
}

static void on_word(gasnet_token_t token)
{
    (void)token;
    words++;
}

/* Behind the words of a flood, which may pass each other. */
static void on_last(gasnet_token_t token)
{
    gasnet_AMReplyShort0(token, PONG);
}

static void on_enough(gasnet_token_t token)
{
    (void)token;
    ends++;
}

static void meet(void)
{
    gasnet_barrier_notify(0, GASNET_BARRIERFLAG_ANONYMOUS);
    if (gasnet_barrier_wait(0, GASNET_BARRIERFLAG_ANONYMOUS) != GASNET_OK)
        fsh_fatal("fshperf net: barrier");
}

/* The other rank polls until it is told that it is enough. */
static void serve(void)
{
    unsigned seen = ends;

    meet();
    GASNET_BLOCKUNTIL(ends != seen);
}

static void ping(size_t bytes, unsigned count)
{
    (void)bytes;
    for (unsigned i = 0; i < count; i++) {
        unsigned wanted = pongs + 1;

        gasnet_AMRequestShort0(1, PING);
        GASNET_BLOCKUNTIL(pongs == wanted);
    }
}

static void flood(size_t bytes, unsigned count)
{
    unsigned wanted = pongs + 1;

    (void)bytes;
    for (unsigned i = 0; i < count; i++)
        gasnet_AMRequestShort0(1, WORD);
    gasnet_AMRequestShort0(1, LAST);
    GASNET_BLOCKUNTIL(pongs == wanted);
}

static void put(size_t bytes, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        gasnet_put_bulk(1, segment[1].addr, local, bytes);
}

static void get(size_t bytes, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        gasnet_get_bulk(local, 1, segment[1].addr, bytes);
}

static void stream(size_t bytes, unsigned count)
{
    gasnet_handle_t handle[NET_WINDOW];

    for (unsigned i = 0; i < count; i++) {
        if (i >= NET_WINDOW)
            gasnet_wait_syncnb(handle[i % NET_WINDOW]);
        handle[i % NET_WINDOW] =
            gasnet_put_nb_bulk(1, segment[1].addr, local, bytes);
    }
    for (unsigned i = count < NET_WINDOW ? 0 : count - NET_WINDOW; i < count;
         i++)
        gasnet_wait_syncnb(handle[i % NET_WINDOW]);
}

/* ---- without it ---- */

static void raw_put(size_t bytes, unsigned count)
{
    net_raw_write(bytes, count, 1);
}

static void raw_get(size_t bytes, unsigned count)
{
    net_raw_read(bytes, count, 1);
}

static void raw_stream(size_t bytes, unsigned count)
{
    net_raw_write(bytes, count, NET_WINDOW);
}

/* ---- cases ---- */

struct net_case {
    const char *test;
    size_t bytes;
    unsigned count; /* of a round */
    void (*library)(size_t bytes, unsigned count);
    void (*raw)(size_t bytes, unsigned count); /* served by the peer; or */
    void (*both)(bool first, unsigned count);
    const char *unit; /* us; MB/s; M/s */
    double target;    /* of the ratio to raw, see is_met */
    double value[MOST_ROUNDS], raw_value[MOST_ROUNDS];
};

static struct net_case cases[] = {
    {"am_rtt", 0, 500, ping, NULL, net_raw_ping, "us", 1.2, {0}, {0}},
    {"put", 8, 500, put, raw_put, NULL, "us", 1.2, {0}, {0}},
    {"put", 4096, 300, put, raw_put, NULL, "us", 0, {0}, {0}},
    {"put", 65536, 100, put, raw_put, NULL, "us", 0, {0}, {0}},
    {"get", 8, 500, get, raw_get, NULL, "us", 1.2, {0}, {0}},
    {"get", 4096, 300, get, raw_get, NULL, "us", 0, {0}, {0}},
    {"get", 65536, 100, get, raw_get, NULL, "us", 0, {0}, {0}},
    {"bw", 4096, 1000, stream, raw_stream, NULL, "MB/s", 0, {0}, {0}},
    {"bw", 65536, 300, stream, raw_stream, NULL, "MB/s", 0, {0}, {0}},
    {"bw", NET_MAX_BYTES, 64, stream, raw_stream, NULL, "MB/s", 0.95, {0}, {0}},
    {"flood", 0, 5000, flood, NULL, net_raw_flood, "M/s", 0.8, {0}, {0}},
};
#define CASES (sizeof cases / sizeof cases[0])

static bool is_time(const struct net_case *c)
{
    return strcmp(c->unit, "us") == 0;
}

static double value_of(const struct net_case *c, unsigned count, uint64_t ns)
{
    double each = (double)ns / count;

    return is_time(c)                    ? each / 1e3
           : strcmp(c->unit, "M/s") == 0 ? 1e3 / each
                                         : (double)c->bytes / each * 1e3;
}

static double by_library(const struct net_case *c, bool first, unsigned count)
{
    uint64_t start;

    if (!first) {
        serve();
        return 0;
    }
    meet();
    start = fsh_time_ns();
    c->library(c->bytes, count);
    start = fsh_time_ns() - start;
    gasnet_AMRequestShort0(1, ENOUGH);
    return value_of(c, count, start);
}

static double without(const struct net_case *c, bool first, unsigned count)
{
    uint64_t start;

    meet();
    start = fsh_time_ns();
    if (c->both != NULL)
        c->both(first, count);
    else if (first)
        c->raw(c->bytes, count);
    start = fsh_time_ns() - start;
    if (c->both == NULL && first)
        net_raw_enough();
    else if (c->both == NULL)
        net_raw_serve();
    return value_of(c, count, start);
}

/* The first round is not counted. */
static void measure(bool first)
{
    for (unsigned round = 0; round <= rounds; round++)
        for (size_t i = 0; i < CASES; i++) {
            struct net_case *c = &cases[i];
            unsigned count = quick ? c->count / 20 + 1 : c->count;
            unsigned slot = round == 0 ? 0 : round - 1;

            c->value[slot] = by_library(c, first, count);
            c->raw_value[slot] = without(c, first, count);
        }
}

/* ---- report ---- */

static double ratio_of(const struct net_case *c)
{
    return c->value[0] / c->raw_value[0];
}

static const char *verdict(const struct net_case *c)
{
    bool met = is_time(c) ? ratio_of(c) <= c->target : ratio_of(c) >= c->target;

    return c->target == 0 ? "-" : met ? "pass" : "falls short";
}

static void write_json(const char *path)
{
    struct document d = {NULL, {NULL}, 0};
    FILE *out = perf_open(path);

    if (out == NULL)
        return;
    document_open(&d, NULL, '[');
    for (size_t i = 0; i < CASES; i++) {
        const struct net_case *c = &cases[i];

        document_open(&d, NULL, '{');
        document_text(&d, "test", c->test);
        document_text(&d, "provider", net_raw_provider());
        document_number(&d, "bytes", c->bytes);
        document_text(&d, "unit", c->unit);
        document_real(&d, "value", c->value[0]);
        document_real(&d, "raw", c->raw_value[0]);
        document_real(&d, "ratio", ratio_of(c));
        document_real(&d, "target", c->target != 0 ? c->target : (double)NAN);
        document_close(&d);
    }
    document_close(&d);
    if (!document_write(&d, out))
        fsh_fatal("%s: cannot be written", path);
    perf_close(out, path);
}

static void report(void)
{
    for (size_t i = 0; i < CASES; i++) {
        cases[i].value[0] = perf_median(cases[i].value, rounds);
        cases[i].raw_value[0] = perf_median(cases[i].raw_value, rounds);
    }
    printf("# conduit ofi and libfabric, provider %s, ranks on %u host%s, "
           "wall clock\n"
           "# %-6s %9s %12s %12s %5s %7s  %s\n",
           net_raw_provider(), fsh_boot_hosts(),
           fsh_boot_hosts() == 1 ? "" : "s", "test", "size", "fshmem",
           "libfabric", "", "ratio", "target");
    for (size_t i = 0; i < CASES; i++) {
        const struct net_case *c = &cases[i];
        char target[32] = "-";

        if (c->target != 0)
            snprintf(target, sizeof target, "%s %.2f: %s",
                     is_time(c) ? "<=" : ">=", c->target, verdict(c));
        printf("%-8s %9zu %12.2f %12.2f %-5s %7.3f  %s\n", c->test, c->bytes,
               c->value[0], c->raw_value[0], c->unit, ratio_of(c), target);
    }
    write_json(json);
}

/* ---- the job ---- */

static const struct kit_option rows[] = {
    {"--json", "FILE", "write the figures", .text = &json},
    {"--rounds", "N", "rounds, of which the median counts", .number = &rounds,
     .most = MOST_ROUNDS},
    {"--quick", .help = "a twentieth of the operations per round",
     .flag = &quick},
};

/* Exchanged through the segments, independently of active messages. */
static void exchange_cards(bool first)
{
    struct net_card mine = {.address_bytes = 0}, *theirs;

    net_raw_open(&mine);
    gasnet_put_bulk(first ? 1 : 0, segment[first ? 1 : 0].addr, &mine,
                    sizeof mine);
    meet();
    theirs = segment[first ? 0 : 1].addr;
    net_raw_reach(theirs);
    meet();
}

static int run(int argc, char **argv)
{
    gasnet_handlerentry_t entries[] = {
        {PING, (void (*)(void))on_ping},     {PONG, (void (*)(void))on_pong},
        {WORD, (void (*)(void))on_word},     {LAST, (void (*)(void))on_last},
        {ENOUGH, (void (*)(void))on_enough},
    };
    bool first;

    perf_read_options(&perf_net, argc, argv);
    /* What is compared is the network. */
    setenv("FSHMEM_OFI_LOCAL", "0", 0);
    if (gasnet_init(&argc, &argv) != GASNET_OK ||
        gasnet_attach(entries, 5, NET_MAX_BYTES, 0) != GASNET_OK)
        fsh_fatal("gasnet_init or gasnet_attach failed");
    if (gasnet_nodes() != 2 || strcmp(fsh_boot_conduit(), "ofi") != 0)
        fsh_fatal("fshperf net runs as two ranks of conduit ofi: fshrun -n 2 "
                  "--conduit ofi fshperf net");
    if (rounds == 0)
        fsh_fatal("--rounds 0: expected 1 to %d", MOST_ROUNDS);
    first = gasnet_mynode() == 0;
    local = calloc(1, NET_MAX_BYTES);
    if (local == NULL || gasnet_getSegmentInfo(segment, 2) != GASNET_OK)
        fsh_fatal("no memory");
    exchange_cards(first);
    measure(first);
    meet();
    if (first)
        report();
    meet();
    gasnet_exit(0);
    return 0;
}

const struct perf_command perf_net = {
    .name = "net",
    .help = "conduit ofi compared with libfabric itself, interleaved:\n"
            "latencies, bandwidth, rate; two ranks, on one host or two",
    .raw = run,
    .options = rows,
    .count = sizeof rows / sizeof rows[0],
    .alone = true,
};
