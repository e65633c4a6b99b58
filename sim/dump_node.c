/* SPDX-License-Identifier: BSD-3-Clause */
/* The state of one node, a line for each non-empty part. */
#include <inttypes.h>
#include <stdio.h>

#include "dump_inside.h"

enum { SHOWN = 4 }; /* of many alike */

/* ---- is there anything? ---- */

static bool port_holds(const struct fsh_dump *d, uint32_t node, uint32_t port)
{
    const struct fsh_state_port *p = &d->state[node].port[port];
    uint32_t sum = d->beats[node][port];

    for (unsigned v = 0; v < FSH_STATE_VCS; v++) {
        sum += p->sendq[v].beats + p->here[v].beats +
               fsh_state_held(&p->credit[v]);
        for (unsigned o = 0; o < FSH_NODE_PORTS; o++)
            sum += p->transit[o][v].beats;
    }
    return sum != 0;
}

static bool lane_holds(const struct fsh_state_lane *l)
{
    return l->bulk || l->brief || l->pending || l->served || l->holds ||
           l->reads;
}

static bool core_holds(const struct fsh_probe_core *c)
{
    return c->queue[0].phase != FSH_PROBE_EMPTY ||
           c->queue[1].phase != FSH_PROBE_EMPTY || c->queue[0].commands ||
           c->queue[1].commands || c->array != FSH_PROBE_IDLE || c->open[0] ||
           c->open[1];
}

static bool holds(const struct fsh_dump *d, uint32_t node)
{
    const struct fsh_state_node *s = &d->state[node];

    for (unsigned c = 0; c < 2; c++) {
        if (s->window[c].head != s->window[c].tail || s->window[c].parked ||
            s->loop[c].beats)
            return true;
        for (unsigned i = 0; i < FSH_PROBE_CONTEXTS; i++)
            if (s->context[c][i].phase != FSH_PROBE_FREE)
                return true;
    }
    for (unsigned l = 0; l < FSH_LANES; l++)
        if (lane_holds(&s->lane[l]))
            return true;
    for (uint32_t p = 0; p < d->fab->node[node].ports; p++)
        if (port_holds(d, node, p))
            return true;
    return s->acks || s->way[0].moves || s->way[1].moves || s->dma_entry ||
           core_holds(&s->core);
}

bool fsh_dump_idle(const struct fsh_dump *d, uint32_t node)
{
    struct fsh_dump_op op;

    if (holds(d, node))
        return false;
    for (uint32_t t = 0; t < FSH_NUM_TAGS; t++)
        if (fsh_dump_tagged(d, node, t, &op))
            return false;
    for (uint32_t peer = 0; peer < d->nodes; peer++)
        if (fsh_dump_slots(d, node, peer) || fsh_dump_slots(d, peer, node))
            return false;
    return true;
}

/* ---- the lines ---- */

static void tell_windows(const struct fsh_dump *d, uint32_t node)
{
    for (unsigned c = 0; c < 2; c++) {
        const struct fsh_state_submit *w = &d->state[node].window[c];
        struct fsh_text text = {.n = 0};

        if (w->head == w->tail && !w->parked)
            continue;
        fsh_text_add(&text, "  %s window: %" PRIu32 " of %u entries",
                     c ? "reply" : "request", w->tail - w->head,
                     FSH_WINDOW_ENTRIES);
        if (w->parked)
            fsh_text_add(&text,
                         ", %u commands beside it, the first %s of %u B "
                         "to node %u",
                         w->parked, fsh_dump_opcode(w->park[0].opcode, c),
                         (unsigned)w->park[0].length, w->park[0].dst);
        if (w->phase >= FSH_STATE_WINDOW_OFFER)
            fsh_text_add(&text,
                         ", in front %s of %" PRIu64 " B to node %" PRIu64,
                         fsh_dump_opcode((unsigned)fsh_cmd_opcode(w->cmd), c),
                         fsh_cmd_length(w->cmd), fsh_cmd_dst(w->cmd));
        if (d->state[node].gate_shut)
            fsh_text_add(&text, "; the start gate is shut");
        fsh_dump_line(d, "%s", text.s);
    }
}

static void tell_contexts(const struct fsh_dump *d, uint32_t node)
{
    static const char *const waits[] = {
        [FSH_PROBE_FREE] = "",
        [FSH_PROBE_GOES] = "goes",
        [FSH_PROBE_NO_CREDIT] = "waits for credits",
        [FSH_PROBE_NO_BUFFER] = "waits for read buffers",
        [FSH_PROBE_PORT_BEHIND] = "waits for its lane"};

    for (unsigned c = 0; c < 2; c++)
        for (unsigned i = 0; i < FSH_PROBE_CONTEXTS; i++) {
            const struct fsh_state_context *at = &d->state[node].context[c][i];

            if (at->phase == FSH_PROBE_FREE)
                continue;
            fsh_dump_line(d,
                          "  %s context %u: %s to node %u, address 0x%" PRIx64
                          ", %" PRIu32 " of %" PRIu32 " B sent, %s",
                          c ? "reply" : "request", i,
                          fsh_dump_opcode(at->opcode, c), at->dst, at->raddr,
                          at->length - at->left, at->length, waits[at->phase]);
        }
}

static void tell_lanes(const struct fsh_dump *d, uint32_t node)
{
    static const char *const sends[] = {
        [FSH_PROBE_SILENT] = "silent",
        [FSH_PROBE_HEADER] = "waits for data",
        [FSH_PROBE_ARGUMENTS] = "sends arguments",
        [FSH_PROBE_PAYLOAD] = "sends payload",
        [FSH_PROBE_BLOCKED] = "waits for its port"};

    for (unsigned l = 0; l < FSH_LANES; l++) {
        const struct fsh_state_lane *lane = &d->state[node].lane[l];

        if (!lane_holds(lane))
            continue;
        fsh_dump_line(d,
                      "  lane %u: sender %s, %u packets, %u of %u beats "
                      "are read; receiver: %u wait for their writes, %u to be "
                      "served, room for %u requests%s",
                      l, sends[lane->send], lane->bulk + lane->brief,
                      lane->data, lane->reads, lane->pending, lane->served,
                      lane->budget, lane->holds ? ", a beat in front" : "");
    }
}

/* The oldest of the node's operations by tag, and how many there are more. */
static void tell_tags(const struct fsh_dump *d, uint32_t node)
{
    struct fsh_dump_op op[FSH_NUM_TAGS], last;
    unsigned count = 0, at;

    for (uint32_t t = 0; t < FSH_NUM_TAGS; t++) {
        if (!fsh_dump_tagged(d, node, t, &last))
            continue;
        for (at = count++; at > 0 && op[at - 1].since > last.since; at--)
            op[at] = op[at - 1];
        op[at] = last;
    }
    for (at = 0; at < count && at < SHOWN; at++) {
        struct fsh_dump_found found;
        struct fsh_text text = {.n = 0};

        fsh_dump_find(d, &op[at], &found);
        fsh_text_add(&text, "  ");
        fsh_dump_name(&text, &op[at]);
        if (op[at].dated)
            fsh_text_add(&text, ", %" PRIu64 " cycles",
                         d->fab->cycle - op[at].since);
        fsh_text_add(&text, ": ");
        fsh_dump_place(&text, &op[at], &found);
        fsh_dump_line(d, "%s", text.s);
    }
    if (count > SHOWN)
        fsh_dump_line(d, "  ... and %u operations more", count - SHOWN);
}

static unsigned ones(uint16_t bits)
{
    return (unsigned)__builtin_popcount(bits);
}

static void tell_slots(const struct fsh_dump *d, uint32_t node)
{
    for (uint32_t peer = 0; peer < d->nodes; peer++) {
        uint16_t used = fsh_dump_slots(d, node, peer);
        uint16_t lacks = fsh_dump_returned(d, node, peer);
        struct fsh_text text = {.n = 0};

        if (used == 0)
            continue;
        fsh_text_add(&text,
                     "  AM requests to node %" PRIu32 ": %u of %u slots "
                     "in use, the oldest for %" PRIu64 " cycles",
                     peer, ones(used), FSH_SLOTS_PER_PEER,
                     d->fab->cycle -
                         fsh_dump_eldest(d, node, peer, used).since);
        if (lacks)
            fsh_text_add(&text,
                         "; %u of them given back by rank %" PRIu32
                         ", which this host has not seen",
                         ones(lacks), peer);
        fsh_dump_line(d, "%s", text.s);
    }
}

static void add_queue(struct fsh_text *text, bool *first, const char *what,
                      unsigned channel, const struct fsh_state_queue *q)
{
    if (q->beats == 0)
        return;
    fsh_text_next(text, first);
    fsh_text_add(text, "%s, channel %u: %u packets, %u beats", what, channel,
                 q->packets, q->beats);
}

static void add_buffers(struct fsh_text *text, bool *first,
                        const struct fsh_state_port *p)
{
    char what[32];

    for (unsigned v = 0; v < FSH_STATE_VCS; v++)
        add_queue(text, first, "send queue", v, &p->sendq[v]);
    for (unsigned v = 0; v < FSH_STATE_VCS; v++)
        add_queue(text, first, "receive buffer", v, &p->here[v]);
    for (unsigned o = 0; o < FSH_NODE_PORTS; o++) {
        snprintf(what, sizeof what, "transit to port %u", o);
        for (unsigned v = 0; v < FSH_STATE_VCS; v++)
            add_queue(text, first, what, v, &p->transit[o][v]);
    }
}

static void add_credits(struct fsh_text *text, bool *first,
                        const struct fsh_state_port *p)
{
    for (unsigned v = 0; v < FSH_STATE_VCS; v++) {
        const struct fsh_state_credit *c = &p->credit[v];

        if (fsh_state_held(c) == 0)
            continue;
        fsh_text_next(text, first);
        fsh_text_add(
            text, "credits of channel %u: %u beats held (sent %u, seen %u)%s",
            v, fsh_state_held(c), c->used, c->freed,
            c->ok ? "" : ", no room for a packet");
    }
}

static void tell_ports(const struct fsh_dump *d, uint32_t node)
{
    for (uint32_t p = 0; p < d->fab->node[node].ports; p++) {
        struct fsh_plug peer = d->fab->topology.peer[node][p];
        struct fsh_text text = {.n = 0};
        bool first = true;

        if (!port_holds(d, node, p))
            continue;
        fsh_text_add(&text, "  port %" PRIu32 " (node %u port %u): ", p,
                     peer.node, peer.port);
        add_buffers(&text, &first, &d->state[node].port[p]);
        add_credits(&text, &first, &d->state[node].port[p]);
        if (d->beats[node][p]) {
            fsh_text_next(&text, &first);
            fsh_text_add(&text, "%" PRIu32 " beats on the link to it",
                         d->beats[node][p]);
        }
        fsh_dump_line(d, "%s", text.s);
    }
}

static uint32_t free_entries(const struct fsh_state_node *s, unsigned ring)
{
    return FSH_RING_ENTRIES -
           (uint32_t)(s->ring[ring].written - s->ring[ring].taken) %
               (2 * FSH_RING_ENTRIES);
}

static void tell_rest(const struct fsh_dump *d, uint32_t node)
{
    const struct fsh_state_node *s = &d->state[node];

    for (unsigned c = 0; c < 2; c++)
        if (s->loop[c].beats)
            fsh_dump_line(d, "  loop, %s: %u packets, %u beats",
                          c ? "replies" : "requests", s->loop[c].packets,
                          s->loop[c].beats);
    if (s->acks)
        fsh_dump_line(d, "  acks: %u wait for their port", s->acks);
    fsh_dump_line(d,
                  "  rings: %" PRIu32 " completions, %" PRIu32
                  " requests, %" PRIu32 " replies free of %u, as far as the "
                  "host has said",
                  free_entries(s, 0), free_entries(s, 1), free_entries(s, 2),
                  FSH_RING_ENTRIES);
}

static void tell_core(const struct fsh_dump *d, uint32_t node)
{
    static const char *const names[FSH_PROBE_QUEUES] = {"array", "mover"};
    static const char *const phases[] = {[FSH_PROBE_EMPTY] = "empty",
                                         [FSH_PROBE_FETCH] = "fetches",
                                         [FSH_PROBE_CHECK] = "checks",
                                         [FSH_PROBE_AWAIT] = "waits for event",
                                         [FSH_PROBE_OFFER] =
                                             "waits for the core"};
    const struct fsh_probe_core *core = &d->state[node].core;
    struct fsh_text text = {.n = 0};
    bool first = true;

    if (!core_holds(core))
        return;
    fsh_text_add(&text, "  compute core: ");
    for (unsigned q = 0; q < FSH_PROBE_QUEUES; q++) {
        fsh_text_next(&text, &first);
        fsh_text_add(&text, "%s queue %s", names[q],
                     phases[core->queue[q].phase]);
        if (core->queue[q].phase == FSH_PROBE_AWAIT)
            fsh_text_add(&text, " %u", core->queue[q].event);
        if (core->queue[q].commands)
            fsh_text_add(&text, " (%u commands more)", core->queue[q].commands);
        if (core->open[q])
            fsh_text_add(&text, ", a command of it is not done");
    }
    fsh_dump_line(d, "%s", text.s);
}

void fsh_dump_node(const struct fsh_dump *d, uint32_t node)
{
    const struct fsh_dump_host *host = d->request->host;
    struct fsh_text text = {.n = 0};
    char time[32];

    fsh_text_add(&text, "node %" PRIu32 ":", node);
    if (host && host[node].does[0])
        fsh_text_add(&text, " %s", host[node].does);
    if (host && host[node].waits[0])
        fsh_text_add(&text, ", waits for %s", host[node].waits);
    if (host && host[node].silent_ns)
        fsh_text_add(&text, ", silent for %s",
                     fsh_dump_time(host[node].silent_ns, time));
    fsh_dump_line(d, "%s", text.s);
    tell_windows(d, node);
    tell_contexts(d, node);
    tell_lanes(d, node);
    tell_tags(d, node);
    tell_slots(d, node);
    tell_ports(d, node);
    tell_core(d, node);
    fsh_dump_moves(d, node);
    tell_rest(d, node);
}
