/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The wait-for graph. Its vertices are things that can wait or be waited for; each
 * waits for at most one other. A chain starts with a rank, an operation or a message
 * being sent, and ends with something that waits for nothing in the fabric, or with a
 * cycle. A thing named in an earlier chain starts none of its own.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "dump_inside.h"

enum { SENTENCES = 12, LINKS = 64, SEEN = 1024 };

enum kind {
    NOTHING,
    RANK,     /* node */
    SLOTS,    /* node, of peer a */
    OP,       /* node, tag a */
    WINDOW,   /* node, channel a */
    CONTEXT,  /* node, channel a, context b */
    LANE,     /* node, lane a */
    CREDIT,   /* node, port a, channel b */
    LINK,     /* to node, port a */
    HERE,     /* node, port a, channel b */
    TRANSIT,  /* node, port a, channel b, output c */
    RECEIVER, /* node, lane a, b: replies */
    SERVED,   /* node, lane a */
    ACKS,     /* node */
    CORE,     /* node, queue a of its compute core */
    EVENT,    /* node, event a of its compute core */
    MOVE,     /* node, the oldest of direction a of its DMA engine */
    MEMORY    /* node, master a or of enum fsh_node_memory */
};
struct thing {
    uint8_t kind, node, a, b, c;
};

struct chains {
    const struct fsh_dump *d;
    struct thing seen[SEEN];
    uint32_t count, told, left_out;
};

static const struct thing nothing;

static bool same(const struct thing *a, const struct thing *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

static struct thing thing(enum kind kind, uint32_t node, unsigned a, unsigned b)
{
    return (struct thing){(uint8_t)kind, (uint8_t)node, (uint8_t)a, (uint8_t)b,
                          0};
}

/* ---- what each waits for; `why` is put behind the name of that, or, if there is
 * nothing, at the end ---- */

static struct thing of_message(const struct fsh_dump_found *found);

static unsigned fewest(uint16_t bits)
{
    return (unsigned)__builtin_popcount(bits);
}

/* A rank that has all slots at a peer in use waits for one; else as it says. */
static struct thing next_of_rank(const struct fsh_dump *d, struct thing t,
                                 struct fsh_text *why)
{
    const struct fsh_dump_host *host = d->request->host;
    struct fsh_dump_op op, first = {0};
    bool waits = host && host[t.node].waits[0];
    char time[32];

    for (uint32_t peer = 0; peer < d->nodes; peer++)
        if (fsh_dump_slots(d, t.node, peer) == UINT16_MAX)
            return thing(SLOTS, t.node, peer, 0);
    for (uint32_t tag = 0; waits && tag < FSH_HOST_TAGS; tag++)
        if (fsh_dump_tagged(d, t.node, tag, &op) &&
            (!first.dated || op.since < first.since))
            first = op;
    if (first.dated)
        return thing(OP, t.node, first.tag, 0);
    if (!host)
        return nothing;
    if (host[t.node].silent_ns)
        fsh_text_add(why, ", whose host has written nothing for %s",
                     fsh_dump_time(host[t.node].silent_ns, time));
    if (host[t.node].peer && host[t.node].peer - 1 < d->nodes)
        return thing(RANK, host[t.node].peer - 1, 0, 0);
    return nothing;
}

static struct thing next_of_slots(const struct fsh_dump *d, struct thing t,
                                  struct fsh_text *why)
{
    uint16_t used = fsh_dump_slots(d, t.node, t.a);
    uint16_t lacks = fsh_dump_returned(d, t.node, t.a);
    uint16_t kept = used & (uint16_t)~lacks;
    const struct fsh_ledger *peer = d->fab->node[t.a].ledger;
    struct fsh_dump_found found;
    struct fsh_dump_op op;

    for (uint32_t s = 0; s < FSH_SLOTS_PER_PEER; s++) {
        op = fsh_dump_message(d, t.node, t.a, s);
        if (!(kept >> s & 1))
            continue;
        fsh_dump_find(d, &op, &found);
        if (found.where != FSH_DUMP_NOWHERE)
            return of_message(&found);
    }
    if (lacks) {
        fsh_text_add(why,
                     ", %u of which rank %u gave back %" PRIu64
                     " cycles ago: node %u's host has not got its credit word, "
                     "which is lost if nothing is under way",
                     fewest(lacks), t.a,
                     d->fab->cycle - peer->credit_at[t.node], t.node);
        return nothing;
    }
    op = fsh_dump_eldest(d, t.node, t.a, kept);
    fsh_text_add(why,
                 ", whose host has not drained %u requests of node %u from "
                 "its request ring, the oldest for %" PRIu64 " cycles",
                 fewest(kept), t.node, d->fab->cycle - op.since);
    return thing(RANK, t.a, 0, 0);
}

static struct thing of_packet(const struct fsh_dump_packet *packet)
{
    const struct fsh_state_packet *p = &packet->p;
    struct thing t = {NOTHING, packet->node, p->port, p->vc, 0};

    switch ((enum fsh_state_place)p->place) {
    case FSH_STATE_LANE:
        return thing(LANE, packet->node, p->port, 0);
    case FSH_STATE_SENDQ:
        return thing(CREDIT, packet->node, p->port, p->vc);
    case FSH_STATE_HERE:
        t.kind = HERE;
        return t;
    case FSH_STATE_TRANSIT:
        t.kind = TRANSIT;
        t.c = p->out;
        return t;
    case FSH_STATE_LOOP:
        return thing(RECEIVER, packet->node, 0, p->vc / 2);
    case FSH_STATE_PENDING:
        return thing(MEMORY, packet->node,
                     p->out == FSH_STATE_HOST ? FSH_NODE_HOST : p->port, 0);
    case FSH_STATE_SERVED:
        return thing(SERVED, packet->node, p->port, 0);
    case FSH_STATE_ACK:
        return thing(ACKS, packet->node, 0, 0);
    case FSH_STATE_LINK:
        return thing(LINK, packet->node, p->port, 0);
    }
    return nothing;
}

static struct thing of_message(const struct fsh_dump_found *found)
{
    switch (found->where) {
    case FSH_DUMP_PACKET:
        return of_packet(found->oldest);
    case FSH_DUMP_CONTEXT:
        return thing(CONTEXT, found->node, found->channel, found->context);
    case FSH_DUMP_WINDOW:
        return thing(WINDOW, found->node, found->channel, 0);
    case FSH_DUMP_NOWHERE:
        break;
    }
    return nothing;
}

static struct thing next_of_op(const struct fsh_dump *d, struct thing t,
                               struct fsh_text *why)
{
    struct fsh_dump_found found;
    struct fsh_dump_op op;

    fsh_dump_tagged(d, t.node, t.a, &op);
    fsh_dump_find(d, &op, &found);
    if (found.where == FSH_DUMP_NOWHERE)
        fsh_text_add(why, ", of which nothing is left in the fabric: a packet "
                          "of it is lost");
    return of_message(&found);
}

/* A context of this channel that does not go, else any. */
static struct thing some_context(const struct fsh_dump *d, uint32_t node,
                                 unsigned channel)
{
    struct thing any = nothing;

    for (unsigned i = 0; i < FSH_PROBE_CONTEXTS; i++) {
        unsigned phase = d->state[node].context[channel][i].phase;

        if (phase == FSH_PROBE_FREE)
            continue;
        any = thing(CONTEXT, node, channel, i);
        if (phase != FSH_PROBE_GOES)
            return any;
    }
    return any;
}

static struct thing next_of_window(const struct fsh_dump *d, struct thing t,
                                   struct fsh_text *why)
{
    if (d->state[t.node].gate_shut) {
        fsh_text_add(why, ", whose start gate is shut");
        return nothing;
    }
    return some_context(d, t.node, t.a);
}

static struct thing next_of_context(const struct fsh_dump *d, struct thing t,
                                    struct fsh_text *why)
{
    const struct fsh_state_node *s = &d->state[t.node];
    const struct fsh_state_context *c = &s->context[t.a][t.b];
    unsigned port = c->ports ? (unsigned)__builtin_ctz(c->ports) : 0;

    switch ((enum fsh_probe_message_phase)c->phase) {
    case FSH_PROBE_NO_CREDIT:
        if (c->loop)
            return thing(RECEIVER, t.node, 0, t.a);
        return thing(CREDIT, t.node, port, 2u * t.a + (c->vcs >> port & 1));
    case FSH_PROBE_NO_BUFFER:
    case FSH_PROBE_PORT_BEHIND:
        return thing(LANE, t.node, port % FSH_LANES, 0);
    case FSH_PROBE_FREE:
    case FSH_PROBE_GOES:
        break;
    }
    fsh_text_add(why, ", which moves");
    return nothing;
}

/* Bursts whose data or response the memory behind a master owes. */
static uint32_t owed(const struct fsh_master *m)
{
    return m->read_tail - m->read_head + m->resp_tail - m->resp_head;
}

static struct thing next_of_lane(const struct fsh_dump *d, struct thing t,
                                 struct fsh_text *why)
{
    const struct fsh_state_lane *lane = &d->state[t.node].lane[t.a];

    if (lane->reads && !lane->data && lane->send != FSH_PROBE_BLOCKED)
        return thing(MEMORY, t.node, t.a, 0);
    fsh_text_add(why, ", which moves");
    return nothing;
}

/* Of the buffers at the end of a link those of one channel hold most of what the sender
 * has no credit for. */
static struct thing next_of_credit(const struct fsh_dump *d, struct thing t,
                                   struct fsh_text *why)
{
    struct fsh_plug to = d->fab->topology.peer[t.node][t.a];
    const struct fsh_state_port *p;
    struct thing most;
    uint32_t beats;

    if (to.node == FSH_NO_NODE) {
        fsh_text_add(why, ", where no cable is");
        return nothing;
    }
    p = &d->state[to.node].port[to.port];
    most = thing(HERE, to.node, to.port, t.b);
    beats = p->here[t.b].beats;
    for (unsigned o = 0; o < FSH_NODE_PORTS; o++)
        for (unsigned v = t.b & 2u; v < (t.b & 2u) + 2; v++)
            if (p->transit[o][v].beats > beats) {
                beats = p->transit[o][v].beats;
                most = thing(TRANSIT, to.node, to.port, v);
                most.c = (uint8_t)o;
            }
    if (d->beats[to.node][to.port] > beats)
        return thing(LINK, to.node, to.port, 0);
    if (beats)
        return most;
    fsh_text_add(why,
                 ", which has freed %u by its count: what it said of it "
                 "is under way, or lost",
                 p->freed[t.b] % (1u << FSH_STATE_COUNT_BITS));
    return nothing;
}

static const struct fsh_state_queue *queue_of(const struct fsh_dump *d,
                                              struct thing t)
{
    const struct fsh_state_port *p = &d->state[t.node].port[t.a];

    return t.kind == HERE ? &p->here[t.b] : &p->transit[t.c][t.b];
}

/* What sends the rest of the packet that has begun to leave this buffer, if all of it
 * that has come is gone. */
static bool awaits_rest(const struct fsh_dump *d, struct thing t,
                        struct thing *next)
{
    struct fsh_plug from = d->fab->topology.peer[t.node][t.a];

    if (queue_of(d, t)->packets == 0 || queue_of(d, t)->beats != 0 ||
        from.node == FSH_NO_NODE)
        return false;
    *next = d->beats[t.node][t.a]
                ? thing(LINK, t.node, t.a, 0)
                : thing(LANE, from.node, from.port % FSH_LANES, 0);
    for (size_t i = 0; i < d->packets; i++) {
        const struct fsh_dump_packet *packet = &d->packet[i];

        if (packet->node == from.node && packet->p.leaves &&
            packet->p.place == FSH_STATE_TRANSIT &&
            packet->p.out == from.port && next->kind == LANE)
            *next = of_packet(packet);
    }
    return true;
}

static struct thing next_of_here(const struct fsh_dump *d, struct thing t)
{
    struct thing next;

    if (awaits_rest(d, t, &next))
        return next;
    return thing(RECEIVER, t.node, t.a % FSH_LANES, t.b / 2);
}

static struct thing next_of_transit(const struct fsh_dump *d, struct thing t,
                                    struct fsh_text *why)
{
    struct thing next;

    if (awaits_rest(d, t, &next))
        return next;
    if (!d->state[t.node].port[t.c].credit[t.b].ok)
        return thing(CREDIT, t.node, t.c, t.b);
    fsh_text_add(why, ", which moves");
    return nothing;
}

static bool awaits(const struct fsh_dump *d, struct thing t, unsigned what)
{
    for (size_t i = 0; i < d->packets; i++)
        if (d->packet[i].node == t.node &&
            d->packet[i].p.place == FSH_STATE_PENDING &&
            d->packet[i].p.port == t.a && d->packet[i].p.position == 0)
            return d->packet[i].p.out == what;
    return false;
}

/* A receiver takes no packet while many wait for their writes, and no request while
 * too few could be served. */
static struct thing next_of_receiver(const struct fsh_dump *d, struct thing t,
                                     struct fsh_text *why)
{
    enum { ROOM = 16 }; /* requests: fewer may be started on none */
    const struct fsh_state_lane *lane = &d->state[t.node].lane[t.a];

    if (lane->pending)
        return thing(MEMORY, t.node,
                     awaits(d, t, FSH_STATE_HOST) ? FSH_NODE_HOST : t.a, 0);
    if (!t.b && lane->budget < ROOM && lane->served)
        return thing(SERVED, t.node, t.a, 0);
    if (!t.b && lane->budget < ROOM && d->state[t.node].acks)
        return thing(ACKS, t.node, 0, 0);
    if (lane->holds)
        return thing(MEMORY, t.node, t.a, 0);
    fsh_text_add(why, ", which moves");
    return nothing;
}

static struct thing next_of_served(const struct fsh_dump *d, struct thing t,
                                   struct fsh_text *why)
{
    struct thing next = some_context(d, t.node, 1);

    if (next.kind == NOTHING)
        fsh_text_add(why, ", which moves");
    return next;
}

static struct thing next_of_acks(const struct fsh_dump *d, struct thing t,
                                 struct fsh_text *why)
{
    const struct fsh_state_node *s = &d->state[t.node];
    unsigned port = s->ack_ports ? (unsigned)__builtin_ctz(s->ack_ports) : 0;

    for (unsigned v = 2; v < FSH_STATE_VCS; v++)
        if (!s->port[port].credit[v].ok)
            return thing(CREDIT, t.node, port, v);
    fsh_text_add(why, ", which moves");
    return nothing;
}

static struct thing next_of_move(const struct fsh_dump *d, struct thing t,
                                 struct fsh_text *why)
{
    switch (fsh_dump_move_waits(d, t.node, t.a)) {
    case FSH_DUMP_MOVE_HOST:
        return thing(MEMORY, t.node, FSH_MEMORY_DMA_HOST, 0);
    case FSH_DUMP_MOVE_CARD:
        return thing(MEMORY, t.node, FSH_MEMORY_DMA_CARD, 0);
    case FSH_DUMP_MOVE_RING:
        return thing(MEMORY, t.node, FSH_NODE_HOST, 0);
    case FSH_DUMP_MOVE_GOES:
        break;
    }
    fsh_text_add(why, ", which moves");
    return nothing;
}

static void end_of_memory(const struct fsh_dump *d, struct thing t,
                          struct fsh_text *why)
{
    const struct fsh_sim_node *n = &d->fab->node[t.node];
    uint64_t hold;
    uint32_t bursts;

    if (t.a < FSH_NODE_MASTERS) {
        hold = n->master[t.a].hold;
        bursts = owed(&n->master[t.a]);
    } else {
        bool host = t.a == FSH_MEMORY_DMA_HOST;

        hold = host ? n->dma.wide.hold : n->dma.lane.hold;
        bursts = fsh_dump_move_owed(n, host);
    }
    if (hold > d->fab->cycle)
        fsh_text_add(why, ", which answers nothing for %" PRIu64 " cycles more",
                     hold - d->fab->cycle);
    else
        fsh_text_add(why, ", which has %" PRIu32 " bursts to answer", bursts);
}

static struct thing next_of(const struct fsh_dump *d, struct thing t,
                            struct fsh_text *why)
{
    switch ((enum kind)t.kind) {
    case RANK:
        return next_of_rank(d, t, why);
    case SLOTS:
        return next_of_slots(d, t, why);
    case OP:
        return next_of_op(d, t, why);
    case WINDOW:
        return next_of_window(d, t, why);
    case CONTEXT:
        return next_of_context(d, t, why);
    case LANE:
        return next_of_lane(d, t, why);
    case CREDIT:
        return next_of_credit(d, t, why);
    case LINK:
        fsh_text_add(why, ", which are under way");
        return nothing;
    case HERE:
        return next_of_here(d, t);
    case TRANSIT:
        return next_of_transit(d, t, why);
    case RECEIVER:
        return next_of_receiver(d, t, why);
    case SERVED:
        return next_of_served(d, t, why);
    case ACKS:
        return next_of_acks(d, t, why);
    case CORE:
        return thing(EVENT, t.node, d->state[t.node].core.queue[t.a].event, 0);
    case EVENT:
        fsh_text_add(why, ", which nobody has signalled often enough");
        return nothing;
    case MOVE:
        return next_of_move(d, t, why);
    case MEMORY:
        end_of_memory(d, t, why);
        return nothing;
    case NOTHING:
        break;
    }
    return nothing;
}

/* ---- their names ---- */

static void name_rank(const struct fsh_dump *d, struct thing t,
                      struct fsh_text *text)
{
    const struct fsh_dump_host *host = d->request->host;

    fsh_text_add(text, "rank %u", t.node);
    if (host && host[t.node].does[0])
        fsh_text_add(text, " [%s]",
                     host[t.node].waits[0] ? host[t.node].waits
                                           : "in no call that waits");
}

static void name_op(const struct fsh_dump *d, struct thing t,
                    struct fsh_text *text)
{
    struct fsh_dump_op op;

    fsh_dump_tagged(d, t.node, t.a, &op);
    fsh_text_add(text, "node %u's ", t.node);
    fsh_dump_name(text, &op);
}

static void name_credit(const struct fsh_dump *d, struct thing t,
                        struct fsh_text *text)
{
    struct fsh_plug to = d->fab->topology.peer[t.node][t.a];

    fsh_text_add(text, "credits of channel %u from node %u (%u beats held)",
                 t.b, to.node,
                 fsh_state_held(&d->state[t.node].port[t.a].credit[t.b]));
}

static void name_context(const struct fsh_dump *d, struct thing t,
                         struct fsh_text *text)
{
    const struct fsh_state_context *c = &d->state[t.node].context[t.a][t.b];

    fsh_text_add(text, "node %u's %s to node %u (%s context %u, port %u)",
                 t.node, fsh_dump_opcode(c->opcode, t.a), c->dst,
                 t.a ? "reply" : "request", t.b,
                 c->ports ? (unsigned)__builtin_ctz(c->ports) : 0);
}

/* A buffer is that of the node that the credits come from, which has been named. */
static void name_buffer(const struct fsh_dump *d, struct thing t, bool whose,
                        struct fsh_text *text)
{
    const struct fsh_state_queue *q = queue_of(d, t);

    if (!whose)
        fsh_text_add(text, "node %u's ", t.node);
    if (t.kind == HERE)
        fsh_text_add(text, "receive buffer of port %u", t.a);
    else
        fsh_text_add(text, "transit queue from port %u to port %u", t.a, t.c);
    fsh_text_add(text, " (%u packets, %u beats)", q->packets, q->beats);
}

static void name_move(const struct fsh_dump *d, struct thing t,
                      struct fsh_text *text)
{
    struct fsh_dump_move move;

    fsh_text_add(text, "node %u's ", t.node);
    if (fsh_dump_move(d, t.node, t.a, 0, &move))
        fsh_dump_name_move(text, &move);
}

static void name_memory(struct thing t, struct fsh_text *text)
{
    if (t.a == FSH_NODE_HOST)
        fsh_text_add(text, "the memory of node %u's host", t.node);
    else if (t.a == FSH_MEMORY_DMA_HOST)
        fsh_text_add(text, "the memory of node %u's host (DMA engine)", t.node);
    else if (t.a == FSH_MEMORY_DMA_CARD)
        fsh_text_add(text, "the device memory of node %u (DMA engine)", t.node);
    else
        fsh_text_add(text, "the device memory of node %u (lane %u)", t.node,
                     t.a);
}

static void name(const struct fsh_dump *d, struct thing t, bool whose,
                 struct fsh_text *text)
{
    switch ((enum kind)t.kind) {
    case RANK:
        name_rank(d, t, text);
        break;
    case SLOTS:
        fsh_text_add(text, "a request slot at node %u (%u of %u in use)", t.a,
                     fewest(fsh_dump_slots(d, t.node, t.a)),
                     FSH_SLOTS_PER_PEER);
        break;
    case OP:
        name_op(d, t, text);
        break;
    case WINDOW:
        fsh_text_add(text, "node %u's %s window", t.node,
                     t.a ? "reply" : "request");
        break;
    case CONTEXT:
        name_context(d, t, text);
        break;
    case LANE:
        fsh_text_add(text, "node %u's sender of lane %u", t.node, t.a);
        break;
    case CREDIT:
        name_credit(d, t, text);
        break;
    case LINK:
        fsh_text_add(text,
                     "%" PRIu32 " beats %son the link to port %u of node "
                     "%u",
                     d->beats[t.node][t.a], whose ? "are " : "", t.a, t.node);
        break;
    case HERE:
    case TRANSIT:
        name_buffer(d, t, whose, text);
        break;
    case RECEIVER:
        fsh_text_add(text, "its receiver of lane %u", t.a);
        break;
    case SERVED:
        fsh_text_add(text, "%u requests that node %u is to serve",
                     d->state[t.node].lane[t.a].served, t.node);
        break;
    case ACKS:
        fsh_text_add(text, "%u acks of node %u", d->state[t.node].acks, t.node);
        break;
    case CORE:
        fsh_text_add(text, "the %s queue of node %u's compute core",
                     t.a ? "mover" : "array", t.node);
        break;
    case EVENT:
        fsh_text_add(text, "event %u", t.a);
        break;
    case MOVE:
        name_move(d, t, text);
        break;
    case MEMORY:
        name_memory(t, text);
        break;
    case NOTHING:
        break;
    }
}

/* ---- chains ---- */

/* Is it among the first `count` that were seen? */
static bool is_among(const struct chains *c, uint32_t count, struct thing t)
{
    for (uint32_t i = 0; i < count; i++)
        if (same(&c->seen[i], &t))
            return true;
    return false;
}

static bool is_seen(const struct chains *c, struct thing t)
{
    return is_among(c, c->count, t);
}

static void see(struct chains *c, struct thing t)
{
    if (c->count < SEEN && !is_seen(c, t))
        c->seen[c->count++] = t;
}

/* Its name, in a sentence that has come to the one before. */
static void link_to(const struct fsh_dump *d, struct fsh_text *text,
                    unsigned before, bool second, struct thing t)
{
    if (before == CREDIT)
        fsh_text_add(text, ", whose ");
    else if (second)
        fsh_text_add(text, " waits for ");
    else
        fsh_text_add(text, ", which waits for ");
    name(d, t, before == CREDIT, text);
}

/* The sentence that begins with t. False: it waits for nothing. */
static bool follow(struct chains *c, struct thing t, struct fsh_text *text)
{
    struct thing chain[LINKS], next;
    uint32_t before = c->count; /* seen in other chains */
    unsigned n = 0;
    bool second = true;

    name(c->d, t, false, text);
    for (; n < LINKS; t = next) {
        struct fsh_text why = {.n = 0};

        chain[n++] = t;
        see(c, t);
        next = next_of(c->d, t, &why);
        if (next.kind == NOTHING) {
            fsh_text_add(text, "%s", why.s);
            return n > 1;
        }
        link_to(c->d, text, t.kind, second, next);
        if (t.kind != RANK)
            fsh_text_add(text, "%s", why.s);
        second = t.kind == CREDIT;
        for (unsigned i = 0; i < n; i++)
            if (same(&chain[i], &next)) {
                fsh_text_add(text, ": a circle");
                return true;
            }
        if (is_among(c, before, next)) {
            fsh_text_add(text, ": see above");
            return true;
        }
    }
    return true;
}

static void begin_with(struct chains *c, struct thing t)
{
    struct fsh_text text = {.n = 0};

    if (is_seen(c, t) || !follow(c, t, &text))
        return;
    if (c->told == 0)
        fsh_dump_line(c->d, "who waits for whom:");
    if (c->told++ < SENTENCES)
        fsh_dump_line(c->d, "  %s", text.s);
    else
        c->left_out++;
}

static void begin_with_node(struct chains *c, uint32_t node)
{
    const struct fsh_dump *d = c->d;
    struct fsh_dump_op op;

    for (uint32_t t = 0; t < FSH_NUM_TAGS; t++)
        if (fsh_dump_tagged(d, node, t, &op))
            begin_with(c, thing(OP, node, t, 0));
    for (unsigned q = 0; q < FSH_PROBE_QUEUES; q++)
        if (d->state[node].core.queue[q].phase == FSH_PROBE_AWAIT)
            begin_with(c, thing(CORE, node, q, 0));
    for (unsigned way = 0; way < 2; way++)
        if (d->state[node].way[way].moves)
            begin_with(c, thing(MOVE, node, way, 0));
    for (unsigned ch = 0; ch < 2; ch++)
        for (unsigned i = 0; i < FSH_PROBE_CONTEXTS; i++)
            if (d->state[node].context[ch][i].phase != FSH_PROBE_FREE)
                begin_with(c, thing(CONTEXT, node, ch, i));
}

/* Does rank i say that it waits for the same as rank j, of the same rank? */
static bool alike(const struct fsh_dump *d, uint32_t i, uint32_t j)
{
    const struct fsh_dump_host *host = d->request->host;
    struct fsh_text why = {.n = 0};
    struct thing of_i = next_of_rank(d, thing(RANK, i, 0, 0), &why);
    struct thing of_j = next_of_rank(d, thing(RANK, j, 0, 0), &why);

    return of_i.kind == RANK && same(&of_i, &of_j) &&
           strcmp(host[i].waits, host[j].waits) == 0;
}

/* Many ranks may wait in one barrier. */
static void begin_with_rank(struct chains *c, uint32_t rank)
{
    struct thing t = thing(RANK, rank, 0, 0);
    struct fsh_text others = {.n = 0};
    uint32_t told = c->told, count = 0;
    bool first = true;

    if (is_seen(c, t))
        return;
    begin_with(c, t);
    for (uint32_t i = rank + 1; i < c->d->fab->past; i++) {
        struct thing other = thing(RANK, i, 0, 0);

        if (is_seen(c, other) || !alike(c->d, rank, i))
            continue;
        see(c, other);
        fsh_text_next(&others, &first);
        fsh_text_add(&others, "%" PRIu32, i);
        count++;
    }
    if (count && told < SENTENCES)
        fsh_dump_line(c->d, "  and so %s %s",
                      count == 1 ? "does rank" : "do ranks", others.s);
}

void fsh_dump_waits(const struct fsh_dump *d)
{
    struct chains c = {.d = d};

    for (uint32_t i = d->fab->first; i < d->fab->past; i++)
        begin_with_rank(&c, i);
    for (uint32_t i = d->fab->first; i < d->fab->past; i++)
        begin_with_node(&c, i);
    if (c.left_out)
        fsh_dump_line(d, "  ... and %" PRIu32 " chains more", c.left_out);
    if (c.told == 0)
        fsh_dump_line(d, "nobody waits for anybody in the fabric");
}
