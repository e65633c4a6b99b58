/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Head-of-line blocking: how long a small message waits behind bulk. Rank 0 sends
 * messages, one at a time, to nodes at all distances, first through an idle fabric,
 * then while every node has long commands in flight to all nodes at one to three
 * hops, which fills the links in both directions with local and through traffic. A
 * request is timed from the call to its handler, a reply from the call in that
 * handler to its own, a GET from the call to its completion. A host at no cost wakes
 * in the cycle in which its memory is written, so everything in excess of the idle
 * fabric is due to the nodes.
 */
#include "fabric_node.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "boot/boot.h"

#define FAR 3u         /* hops of bulk */
#define IDLE_ROUNDS 2u /* messages to each node */
#define IDLE_CYCLES 60000u
#define GAP 300u /* maximum cycles between two messages */
#define LINKS \
    8000u /* cycles in which link utilisation is measured, before messages */
#define READING 4000u /* cycles to read the counters */
#define PATIENCE 4000000u
#define LONG_SOURCE (PERF_MAX_BYTES / 2) /* offset in the segment */
#define LONG_TARGET (PERF_MAX_BYTES * 3 / 2)

enum { REQUEST = 128, LONG, REPLY, END, ENDED };
enum figure { THERE, BACK, FIGURES }; /* request, reply; a GET: request only */

/* Excess cycles over an idle fabric, for messages to nodes at one distance. */
struct sample {
    double worst, sum, idle; /* idle: for the node of the worst */
    unsigned count;
};

static const struct kind {
    const char *name;
    enum perf_op bulk;
    bool own;     /* rank 0 sends bulk too */
    bool is_long; /* a Long of one packet */
    bool get;
} kinds[] = {
    {.name = "pass", .bulk = PERF_PUT},
    {.name = "own", .bulk = PERF_PUT, .own = true},
    {.name = "long", .bulk = PERF_PUT, .is_long = true},
    {.name = "get", .bulk = PERF_GET, .get = true},
};

static const struct kind *kind;
static gasnet_seginfo_t segments[FSH_MAX_NODES];
static unsigned hops[FSH_MAX_NODES]; /* from this node */
static volatile bool answered, ended;
static volatile uint64_t arrived, returned;

/* ---- handlers ---- */

static void answer(gasnet_token_t token)
{
    uint64_t now = fabric_now();

    gasnet_AMReplyShort2(token, REPLY, (gasnet_handlerarg_t)(now >> 32),
                         (gasnet_handlerarg_t)now);
}

static void on_long(gasnet_token_t token, void *bytes, size_t count)
{
    (void)bytes;
    (void)count;
    answer(token);
}

static void on_reply(gasnet_token_t token, gasnet_handlerarg_t high,
                     gasnet_handlerarg_t low)
{
    (void)token;
    returned = fabric_now();
    arrived = (uint64_t)(uint32_t)high << 32 | (uint32_t)low;
    answered = true;
}

static void on_end(gasnet_token_t token)
{
    ended = true;
    gasnet_AMReplyShort0(token, ENDED);
}

static void on_ended(gasnet_token_t token)
{
    (void)token;
    answered = true;
}

void fabric_hol_entries(gasnet_handlerentry_t entries[FABRIC_HANDLERS])
{
    static const gasnet_handlerentry_t all[FABRIC_HANDLERS] = {
        {REQUEST, (void (*)())answer}, {LONG, (void (*)())on_long},
        {REPLY, (void (*)())on_reply}, {END, (void (*)())on_end},
        {ENDED, (void (*)())on_ended},
    };

    memcpy(entries, all, sizeof(all));
}

/* ---- one message ---- */

static void await(volatile bool *what)
{
    uint64_t limit = fabric_now() + PATIENCE;

    while (!*what) {
        if (fabric_traffic_step(limit)) {
            fsh_fatal("hol: a message has waited for %u cycles", PATIENCE);
        }
    }
}

static void time_message(unsigned to, uint64_t cycles[FIGURES])
{
    uint64_t start = fabric_now();

    answered = false;
    if (kind->is_long) {
        gasnet_AMRequestLongAsync0(
            to, LONG, (char *)segments[fabric_me].addr + LONG_SOURCE,
            FABRIC_PACKET, (char *)segments[to].addr + LONG_TARGET);
    } else {
        gasnet_AMRequestShort0(to, REQUEST);
    }
    await(&answered);
    cycles[THERE] = arrived - start;
    cycles[BACK] = returned - arrived;
}

static void time_get(unsigned from, uint64_t cycles[FIGURES])
{
    static struct fsh_fpga_record record;
    struct fsh_fpga_raw raw = fabric_command(PERF_GET, from, 8);
    uint64_t start = fabric_now(), limit = start + PATIENCE;

    atomic_init(&record.done, 0);
    bool sent = fsh_fpga_raw_submit(&raw, &record);
    /* Partner: the conduit's release store when the command completes. */
    while (!sent || !atomic_load_explicit(&record.done, memory_order_acquire)) {
        if (fabric_traffic_step(limit)) {
            fsh_fatal("hol: a GET has waited for %u cycles", PATIENCE);
        }
        sent = sent || fsh_fpga_raw_submit(&raw, &record);
    }
    cycles[THERE] = fabric_cycle(record.cycle) - start;
    cycles[BACK] = 0;
}

static void time_one(unsigned node, uint64_t cycles[FIGURES])
{
    (kind->get ? time_get : time_message)(node, cycles);
    fabric_traffic_drive(fabric_now() + 1 + fabric_draw(GAP));
}

/* ---- the test ---- */

static unsigned to_around(void)
{
    unsigned to;

    do {
        to = fabric_draw(fabric_nodes);
    } while (hops[to] == 0 || hops[to] > FAR);
    return to;
}

static unsigned farthest(void)
{
    unsigned most = 0;

    for (unsigned i = 0; i < fabric_nodes; ++i) {
        most = hops[i] > most ? hops[i] : most;
    }
    return most;
}

static void measure_idle(uint64_t idle[FSH_MAX_NODES][FIGURES])
{
    for (unsigned i = 1; i < fabric_nodes; ++i) {
        time_one(i, idle[i]);
        for (unsigned n = 1; n < IDLE_ROUNDS; ++n) {
            uint64_t cycles[FIGURES];

            time_one(i, cycles);
            for (unsigned f = 0; f < FIGURES; ++f) {
                idle[i][f] = cycles[f] < idle[i][f] ? cycles[f] : idle[i][f];
            }
        }
    }
}

static void add(struct sample *s, uint64_t cycles, uint64_t idle)
{
    double beyond = (double)cycles - (double)idle;

    if (s->count == 0 || beyond > s->worst) {
        s->worst = beyond;
        s->idle = (double)idle;
    }
    s->sum += beyond;
    s->count++;
}

/* Uses the distances in turn, with a random node for each. */
static void measure(uint64_t until, uint64_t idle[FSH_MAX_NODES][FIGURES],
                    struct sample sample[FSH_MAX_NODES][FIGURES])
{
    unsigned most = farthest(), far = 0;

    while (fabric_now() < until || sample[most][THERE].count == 0) {
        uint64_t cycles[FIGURES];
        unsigned to;

        far = far % most + 1;
        do {
            to = fabric_draw(fabric_nodes);
        } while (hops[to] != far);
        time_one(to, cycles);
        for (unsigned f = 0; f < FIGURES; ++f) {
            add(&sample[far][f], cycles[f], idle[to][f]);
        }
    }
}

static void end_others(void)
{
    for (unsigned i = 1; i < fabric_nodes; ++i) {
        answered = false;
        gasnet_AMRequestShort0(i, END);
        await(&answered);
    }
}

static void tell(struct sample sample[FSH_MAX_NODES][FIGURES])
{
    static const char *const names[FIGURES] = {"there", "back"};

    for (unsigned f = 0; f < FIGURES; ++f) {
        for (unsigned far = 1; far <= farthest(); ++far) {
            const struct sample *s = &sample[far][f];
            char name[16];

            if (f == BACK && (kind->get || kind->is_long)) {
                continue;
            }
            snprintf(name, sizeof(name), "%s_%u", names[f], far);
            fabric_tell(name, s->worst, s->sum / s->count, s->idle, s->count);
        }
    }
}

static void run(uint64_t cycles)
{
    static uint64_t idle[FSH_MAX_NODES][FIGURES];
    static struct sample sample[FSH_MAX_NODES][FIGURES];
    const struct fabric_traffic bulk = {
        .to = to_around,
        .op = kind->bulk,
        .bytes = FABRIC_BULK,
        .most = kind->own || fabric_me != 0 ? FABRIC_BULKS : 0,
    };
    uint64_t start = fabric_common(), loaded = start + IDLE_CYCLES;
    uint64_t quiet = loaded + FABRIC_WARM_UP + LINKS + READING;

    fabric_pass(start);
    if (fabric_me == 0) {
        measure_idle(idle);
    }
    if (fabric_now() > loaded) {
        fsh_fatal("hol: the idle fabric took too long");
    }
    fabric_traffic_drive(loaded);
    fabric_traffic_begin(&bulk);
    fabric_traffic_drive(loaded + FABRIC_WARM_UP);
    fabric_links_begin();
    fabric_traffic_drive(loaded + FABRIC_WARM_UP + LINKS);
    fabric_links_end();
    fabric_traffic_drive(quiet);
    if (fabric_me == 0) {
        measure(quiet + cycles, idle, sample);
        end_others();
    } else {
        await(&ended);
    }
    fabric_traffic_end();
    tell(sample);
    fabric_links_tell();
}

void fabric_run_hol(const char *what, const char *cycles)
{
    gasnet_getSegmentInfo(segments, FSH_MAX_NODES);
    fabric_hops(fabric_me, hops);
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); ++i) {
        if (strcmp(what, kinds[i].name) == 0) {
            kind = &kinds[i];
        }
    }
    if (kind == NULL) {
        fsh_fatal("hol: there is no %s", what);
    }
    run(strtoull(cycles, NULL, 10));
}
