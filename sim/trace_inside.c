/* SPDX-License-Identifier: BSD-3-Clause */
/* Traces of a node's internals; see trace_inside.h. */
#include "trace_inside.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/trace.h"

#define WINDOW 1024u /* cycles, as of trace.c */

static const char *const ops[FSH_COP_COUNT] = {"NOP", "GEMM", "CONV", "ENCODE",
                                               "SEND"};

/* ---- slices ---- */

static void end_slice(struct fsh_inside *in, uint32_t node, unsigned track,
                      unsigned level, uint64_t now)
{
    unsigned at = track - FSH_INSIDE_MESSAGE;
    struct fsh_trace_record record = {.ts = in->track[at].since[level],
                                      .node = (uint16_t)node,
                                      .kind = FSH_TRACE_SLICE,
                                      .category = FSH_TRACE_NODE,
                                      .track = (uint8_t)track};

    if (in->track[at].name[level] == NULL)
        return;
    record.name = fsh_trace_name(in->track[at].name[level]);
    if (level == 0) {
        record.value = in->track[at].bytes;
        record.peer = in->track[at].peer;
    }
    fsh_trace_made(&record, now);
    fsh_trace_put(&record);
    in->track[at].name[level] = NULL;
}

/* A track does `name`, and in it is at `phase`; NULL: nothing, or nothing particular.
 * Equal names are equal pointers. True: it has just begun. */
static bool show(struct fsh_inside *in, uint32_t node, unsigned track,
                 const char *name, const char *phase, uint64_t now)
{
    unsigned at = track - FSH_INSIDE_MESSAGE;
    bool other = in->track[at].name[0] != name;

    if (other || in->track[at].name[1] != phase)
        end_slice(in, node, track, 1, now);
    if (other) {
        end_slice(in, node, track, 0, now);
        in->track[at].name[0] = name;
        in->track[at].since[0] = now;
        in->track[at].bytes = in->track[at].peer = 0;
    }
    if (phase != NULL && in->track[at].name[1] == NULL) {
        in->track[at].name[1] = phase;
        in->track[at].since[1] = now;
    }
    return other && name != NULL;
}

/* ---- counters ---- */

static void count(uint32_t node, const char *name, uint64_t from, uint64_t now,
                  uint64_t value)
{
    struct fsh_trace_record record = {.ts = from,
                                      .value = value,
                                      .name = fsh_trace_name(name),
                                      .node = (uint16_t)node,
                                      .kind = FSH_TRACE_COUNTER,
                                      .category = FSH_TRACE_NODE};

    fsh_trace_made(&record, now);
    fsh_trace_put(&record);
}

static void tell_reserved(struct fsh_inside *in, uint32_t node, unsigned port,
                          unsigned channel, uint64_t window, uint16_t beats,
                          uint64_t now)
{
    static const char *const names[FSH_NODE_PORTS][2] = {
        {"link 0 requests reserved (%)", "link 0 replies reserved (%)"},
        {"link 1 requests reserved (%)", "link 1 replies reserved (%)"},
        {"link 2 requests reserved (%)", "link 2 replies reserved (%)"},
        {"link 3 requests reserved (%)", "link 3 replies reserved (%)"},
        {"link 4 requests reserved (%)", "link 4 replies reserved (%)"},
        {"link 5 requests reserved (%)", "link 5 replies reserved (%)"}};

    if (in->reserved[port][channel].shown == beats)
        return;
    in->reserved[port][channel].shown = beats;
    count(node, names[port][channel], window * WINDOW, now,
          (100u * beats + FSH_LINK_BEATS / 2) / FSH_LINK_BEATS);
}

/* The most of each window is told when it is over, at the next change: when that is does
 * not depend on how often a node is looked at. */
static void look_reserved(struct fsh_inside *in, uint32_t node, unsigned port,
                          unsigned channel, uint16_t beats, uint64_t now)
{
    uint64_t window = in->reserved[port][channel].window;

    if (in->reserved[port][channel].last == beats)
        return;
    if (window != now / WINDOW) {
        uint16_t last = in->reserved[port][channel].last;

        tell_reserved(in, node, port, channel, window,
                      in->reserved[port][channel].most, now);
        if (window + 1 != now / WINDOW)
            tell_reserved(in, node, port, channel, window + 1, last, now);
        in->reserved[port][channel].window = now / WINDOW;
        in->reserved[port][channel].most = last;
    }
    in->reserved[port][channel].last = beats;
    if (beats > in->reserved[port][channel].most)
        in->reserved[port][channel].most = beats;
}

/* ---- what is there ---- */

static const char *name_of(unsigned opcode, bool reply)
{
    static const char *const names[] = {"answer",  "PUT",       "GET",
                                        "PUT_ACK", "GET_REPLY", "COMPUTE"};

    if (opcode < sizeof names / sizeof names[0])
        return names[opcode];
    return reply ? "AM reply" : "AM request";
}

static void look_message(struct fsh_inside *in, uint32_t node,
                         const struct fsh_probe_message *m, unsigned channel,
                         unsigned context, uint64_t now)
{
    static const char *const waits[] = {
        [FSH_PROBE_GOES] = NULL,
        [FSH_PROBE_NO_CREDIT] = "waits for credits",
        [FSH_PROBE_NO_BUFFER] = "waits for read buffers",
        [FSH_PROBE_PORT_BEHIND] = "waits for the port"};
    unsigned track =
        FSH_INSIDE_MESSAGE + channel * FSH_PROBE_CONTEXTS + context;
    const char *name =
        m->phase == FSH_PROBE_FREE ? NULL : name_of(m->opcode, channel);

    if (!show(in, node, track, name, name ? waits[m->phase] : NULL, now))
        return;
    in->track[track - FSH_INSIDE_MESSAGE].bytes = m->bytes;
    in->track[track - FSH_INSIDE_MESSAGE].peer = m->peer + 1u;
}

static const char *await_name(unsigned event)
{
    static char names[64][24];

    if (names[event % 64][0] == '\0')
        snprintf(names[event % 64], sizeof names[0], "waits for event %u",
                 event % 64);
    return names[event % 64];
}

static void look_queue(struct fsh_inside *in, uint32_t node,
                       const struct fsh_probe_core *p, unsigned queue,
                       uint64_t now)
{
    static const char *const phases[] = {[FSH_PROBE_FETCH] = "fetch",
                                         [FSH_PROBE_CHECK] = "check",
                                         [FSH_PROBE_OFFER] =
                                             "waits for the core"};
    static const char *const names[FSH_PROBE_QUEUES] = {
        "array queue (commands)", "mover queue (commands)"};
    unsigned phase = p->queue[queue].phase;

    show(in, node, FSH_INSIDE_QUEUE + queue,
         phase == FSH_PROBE_AWAIT ? await_name(p->queue[queue].event)
                                  : phases[phase],
         NULL, now);
    show(in, node, FSH_INSIDE_OPEN + queue, p->open[queue] ? "commands" : NULL,
         NULL, now);
    if (in->commands[queue] != p->queue[queue].commands)
        count(node, names[queue], now, now, p->queue[queue].commands);
    in->commands[queue] = p->queue[queue].commands;
}

static void look_array(struct fsh_inside *in, uint32_t node,
                       const struct fsh_probe_core *p, uint64_t now)
{
    static const char *const phases[] = {[FSH_PROBE_IDLE] = NULL,
                                         [FSH_PROBE_BEGINS] = NULL,
                                         [FSH_PROBE_OPERANDS] =
                                             "waits for operands",
                                         [FSH_PROBE_MULTIPLIES] = "multiplies",
                                         [FSH_PROBE_ADDS] = "waits for sums",
                                         [FSH_PROBE_HANDS_OVER] = "hands over"};

    show(in, node, FSH_INSIDE_LOAD,
         p->load_op ? ops[p->load_op % FSH_COP_COUNT] : NULL, NULL, now);
    show(in, node, FSH_INSIDE_ARRAY,
         p->array != FSH_PROBE_IDLE ? ops[p->array_op % FSH_COP_COUNT] : NULL,
         phases[p->array], now);
    show(in, node, FSH_INSIDE_RESULTS, p->results ? "results" : NULL, NULL,
         now);
}

static bool same(const struct fsh_probe_message *a,
                 const struct fsh_probe_message *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

static void look_messages(struct fsh_inside *in, uint32_t node,
                          unsigned channel, uint64_t now)
{
    unsigned in_use = in->now.active[channel] | in->last.active[channel];

    for (unsigned i = 0; in_use >> i != 0; i++) {
        const struct fsh_probe_message *m = &in->now.message[channel][i];
        struct fsh_probe_message *last = &in->last.message[channel][i];

        if (same(m, last))
            continue;
        look_message(in, node, m, channel, i, now);
        memcpy(last, m, sizeof *last);
    }
    in->last.active[channel] = in->now.active[channel];
}

void fsh_inside_look(struct fsh_inside *in, uint32_t node, uint64_t now,
                     unsigned changed)
{
    static const char *const phases[] = {[FSH_PROBE_SILENT] = NULL,
                                         [FSH_PROBE_HEADER] = "header",
                                         [FSH_PROBE_ARGUMENTS] = "arguments",
                                         [FSH_PROBE_PAYLOAD] = "payload",
                                         [FSH_PROBE_BLOCKED] =
                                             "waits for the link"};
    unsigned ports = changed / FSH_PROBE_RESERVED;

    for (unsigned channel = 0; channel < 2; channel++) {
        if (changed & FSH_PROBE_MESSAGES)
            look_messages(in, node, channel, now);
        for (unsigned port = 0; ports >> port != 0; port++)
            look_reserved(in, node, port, channel,
                          in->now.reserved[port][channel], now);
    }
    for (unsigned lane = 0; lane < FSH_LANES; lane++) {
        if (in->now.send[lane] == in->last.send[lane])
            continue;
        show(in, node, FSH_INSIDE_SEND + lane, phases[in->now.send[lane]], NULL,
             now);
        in->last.send[lane] = in->now.send[lane];
    }
}

void fsh_inside_look_core(struct fsh_inside *in, uint32_t node, uint64_t now,
                          const struct fsh_probe_core *p)
{
    /* In most cycles nothing of it changes. */
    if (memcmp(p, &in->last_core, sizeof *p) == 0)
        return;
    in->last_core = *p;
    for (unsigned q = 0; q < FSH_PROBE_QUEUES; q++)
        look_queue(in, node, p, q, now);
    look_array(in, node, p, now);
}

void fsh_inside_end(struct fsh_inside *in, uint32_t node, uint64_t now)
{
    for (unsigned t = FSH_INSIDE_MESSAGE; t < FSH_INSIDE_TRACKS; t++)
        show(in, node, t, NULL, NULL, now);
    for (unsigned port = 0; port < FSH_NODE_PORTS; port++)
        for (unsigned channel = 0; channel < 2; channel++)
            tell_reserved(in, node, port, channel,
                          in->reserved[port][channel].window,
                          in->reserved[port][channel].most, now);
}
