/* SPDX-License-Identifier: BSD-3-Clause */
/* A dump of a fabric's state: taking the snapshot, and the overall layout; see
 * dump.h. */
#include "dump.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpu.h"
#include "dump_inside.h"

/* ---- text ---- */

static void add(struct fsh_text *text, const char *fmt, va_list args)
{
    size_t room = sizeof text->s - text->n;
    int n = vsnprintf(text->s + text->n, room, fmt, args);

    if (n > 0)
        text->n += (size_t)n < room ? (size_t)n : room - 1;
}

void fsh_text_add(struct fsh_text *text, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    add(text, fmt, args);
    va_end(args);
}

void fsh_text_next(struct fsh_text *text, bool *first)
{
    if (!*first)
        fsh_text_add(text, ", ");
    *first = false;
}

void fsh_dump_line(const struct fsh_dump *d, const char *fmt, ...)
{
    struct fsh_text text = {.n = 0};
    va_list args;

    va_start(args, fmt);
    add(&text, fmt, args);
    va_end(args);
    d->request->line(d->request->arg, text.s);
}

const char *fsh_dump_opcode(unsigned opcode, bool reply)
{
    static const char *const names[] = {"answer",  "PUT",       "GET",
                                        "PUT_ACK", "GET_REPLY", "COMPUTE"};

    if (opcode < sizeof names / sizeof names[0])
        return names[opcode];
    return reply ? "AM reply" : "AM request";
}

const char *fsh_dump_time(uint64_t ns, char text[32])
{
    if (ns < UINT64_C(1000000))
        snprintf(text, 32, "%.1f us", (double)ns / 1e3);
    else if (ns < UINT64_C(1000000000))
        snprintf(text, 32, "%.1f ms", (double)ns / 1e6);
    else
        snprintf(text, 32, "%.1f s", (double)ns / 1e9);
    return text;
}

/* ---- the picture ---- */

static void keep(void *arg, const struct fsh_state_packet *packet)
{
    struct fsh_dump *d = arg;

    if (d->packets == d->room) {
        size_t room = d->room ? 2 * d->room : 256;
        struct fsh_dump_packet *more = realloc(d->packet, room * sizeof *more);

        if (!more) {
            d->short_of_memory = true;
            return;
        }
        d->packet = more;
        d->room = room;
    }
    d->packet[d->packets++] =
        (struct fsh_dump_packet){*packet, (uint8_t)d->gathering};
}

/* Beats that follow a header, as fsh_fn_pkg::hdr_follow has it. */
static uint32_t follow_of(const uint64_t *hdr)
{
    uint32_t bytes = (uint32_t)fsh_hdr_bytes(hdr);
    uint32_t lane = (uint32_t)(fsh_hdr_addr(hdr) % FSH_BEAT_BYTES);
    uint32_t args =
        fsh_hdr_first(hdr) ? ((uint32_t)fsh_hdr_nargs(hdr) + 3) / 4 : 0;

    return args +
           (bytes ? (lane + bytes + FSH_BEAT_BYTES - 1) / FSH_BEAT_BYTES : 0);
}

/* Packets on the link to a port. What is left of one whose header has arrived goes
 * without: that is in the buffer. */
static void gather_link(struct fsh_dump *d, uint32_t node, uint32_t port)
{
    const struct fsh_link *link = &d->fab->node[node].rx[port];
    uint32_t left = d->state[node].port[port].arriving;

    for (uint32_t i = link->head; i != link->tail; i++) {
        const struct fsh_flight *beat = &link->slot[i & link->mask];
        struct fsh_state_packet packet = {.place = FSH_STATE_LINK,
                                          .port = (uint8_t)port};

        if (beat->bound)
            continue;
        d->beats[node][port]++;
        if (left-- > 0)
            continue;
        memcpy(packet.hdr, beat->data, sizeof packet.hdr);
        packet.vc =
            (uint8_t)(2 * fsh_hdr_reply(packet.hdr) + fsh_hdr_vc(packet.hdr));
        left = follow_of(packet.hdr);
        keep(d, &packet);
    }
}

static bool gather(struct fsh_dump *d)
{
    d->state = calloc(d->nodes, sizeof *d->state);
    d->beats = calloc(d->nodes, sizeof *d->beats);
    if (!d->state || !d->beats)
        return false;
    for (uint32_t i = d->fab->first; i < d->fab->past; i++) {
        d->gathering = i;
        fsh_node_state(d->fab->node[i].rtl, &d->state[i], keep, d);
        for (uint32_t p = 0; p < d->fab->node[i].ports; p++)
            gather_link(d, i, p);
    }
    return !d->short_of_memory;
}

/* ---- the frame ---- */

static void head(const struct fsh_dump *d)
{
    const struct fsh_dump_request *r = d->request;
    struct fsh_text text = {.n = 0};
    char time[32];

    fsh_text_add(&text,
                 "state of the fabric%s%s: cycle %" PRIu64 ", %" PRIu32
                 " nodes, %s",
                 r->why ? ", " : "", r->why ? r->why : "",
                 d->fab->cycle - r->start, d->nodes, d->fab->topology.name);
    if (r->still_ns)
        fsh_text_add(&text, "; at rest for %s",
                     fsh_dump_time(r->still_ns, time));
    fsh_dump_line(d, "%s", text.s);
    if (d->fab->partitions)
        fsh_dump_line(d,
                      "(of nodes %" PRIu32 " to %" PRIu32
                      "; other simulators tell of the others)",
                      d->fab->first, d->fab->past - 1);
    if (d->state[d->fab->first].missing)
        fsh_dump_line(d, "(not all can be seen in this build: no %s)",
                      d->state[d->fab->first].missing);
}

/* "nodes 4-15, 17: idle" */
static void idle_nodes(const struct fsh_dump *d)
{
    struct fsh_text text = {.n = 0};
    uint32_t some = 0;

    for (uint32_t i = d->fab->first, end; i < d->fab->past; i = end) {
        for (end = i; end < d->fab->past && fsh_dump_idle(d, end);)
            end++;
        if (end == i) {
            end = i + 1;
            continue;
        }
        fsh_text_add(&text, "%s%" PRIu32, some ? ", " : "", i);
        if (end > i + 1)
            fsh_text_add(&text, "-%" PRIu32, end - 1);
        some += end - i;
    }
    if (some)
        fsh_dump_line(d, "%s %s: idle", some == 1 ? "node" : "nodes", text.s);
}

static bool is_older(const struct fsh_dump_op *op,
                     const struct fsh_dump_op *than, bool any)
{
    return op->dated && (!any || op->since < than->since);
}

/* The oldest operation of the fabric; false: there is none. */
static bool oldest(const struct fsh_dump *d, struct fsh_dump_op *first)
{
    struct fsh_dump_op op;
    bool any = false;

    for (uint32_t i = d->fab->first; i < d->fab->past; i++) {
        for (uint32_t t = 0; t < FSH_NUM_TAGS; t++)
            if (fsh_dump_tagged(d, i, t, &op) && is_older(&op, first, any)) {
                *first = op;
                any = true;
            }
        for (uint32_t peer = 0; peer < d->nodes; peer++) {
            uint16_t slots = fsh_dump_slots(d, i, peer);

            if (slots == 0)
                continue;
            op = fsh_dump_eldest(d, i, peer, slots);
            if (is_older(&op, first, any)) {
                *first = op;
                any = true;
            }
        }
    }
    return any;
}

/* The oldest move of a DMA engine; false: there is none. */
static bool oldest_move(const struct fsh_dump *d, struct fsh_dump_move *first)
{
    struct fsh_dump_move move;
    bool any = false;

    for (uint32_t i = d->fab->first; i < d->fab->past; i++)
        for (unsigned way = 0; way < 2; way++) {
            if (!fsh_dump_move(d, i, way, 0, &move) ||
                (any && move.asked->since >= first->asked->since))
                continue;
            *first = move;
            any = true;
        }
    return any;
}

/* "oldest operation: node 2's PUT of 64 B to node 1 (tag 3), 900 cycles (3.6 us): ..." */
static void tell_oldest(const struct fsh_dump *d)
{
    struct fsh_dump_op op = {0};
    struct fsh_dump_move move = {0};
    struct fsh_dump_found found;
    struct fsh_text name = {.n = 0}, place = {.n = 0};
    bool any = oldest(d, &op), moves = oldest_move(d, &move);
    uint64_t age;
    char time[32];

    if (!any && !moves) {
        fsh_dump_line(d, "oldest operation: none is outstanding");
        return;
    }
    if (!any || (moves && move.asked->since < op.since)) {
        age = d->fab->cycle - move.asked->since;
        op.node = move.node;
        fsh_dump_name_move(&name, &move);
        fsh_dump_place_move(d, &place, &move);
    } else {
        age = d->fab->cycle - op.since;
        fsh_dump_find(d, &op, &found);
        fsh_dump_name(&name, &op);
        fsh_dump_place(&place, &op, &found);
    }
    fsh_dump_line(d,
                  "oldest operation: node %u's %s, %" PRIu64 " cycles (%s): %s",
                  op.node, name.s, age,
                  fsh_dump_time(age * FSH_NS_PER_CYCLE, time), place.s);
}

void fsh_dump(const struct fsh_fabric *fab,
              const struct fsh_dump_request *request)
{
    struct fsh_dump d = {
        .fab = fab, .request = request, .nodes = fab->config.nodes};

    if (gather(&d)) {
        head(&d);
        tell_oldest(&d);
        for (uint32_t i = fab->first; i < fab->past; i++)
            if (!fsh_dump_idle(&d, i))
                fsh_dump_node(&d, i);
        idle_nodes(&d);
        fsh_dump_waits(&d);
    } else {
        fsh_dump_line(&d, "state of the fabric: there is no memory for it");
    }
    free(d.packet);
    free(d.beats);
    free(d.state);
}
