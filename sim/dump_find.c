/* SPDX-License-Identifier: BSD-3-Clause */
/* The operations of a fabric, and where the rest of each one is; see dump_inside.h. */
#include <string.h>

#include "dump_inside.h"

/* ---- what the nodes' hosts have asked for ---- */

/* The next command of a window that is not consumed; *at: its entry, tail of the window
 * at the end. */
static bool next_command(const struct fsh_dump *d, uint32_t node,
                         unsigned channel, uint32_t *at, uint64_t cmd[4])
{
    const struct fsh_ledger *ledger = d->fab->node[node].ledger;
    uint32_t left = ledger->tail[channel] - *at;

    if (left == 0 || left > FSH_WINDOW_ENTRIES)
        return false;
    memcpy(cmd,
           &ledger->window[channel]
                          [*at % FSH_WINDOW_ENTRIES * (FSH_ENTRY_BYTES / 8)],
           4 * sizeof cmd[0]);
    *at += (uint32_t)fsh_cmd_entries(cmd) + 1;
    return true;
}

static bool is_op(const struct fsh_dump_op *op, unsigned opcode, unsigned peer,
                  unsigned tag)
{
    return op->tag == tag && op->peer == peer &&
           (op->message ? opcode >= FSH_OP_LIBRARY : opcode == op->opcode);
}

/* Does its command wait in the window, or beside it? */
static bool in_window(const struct fsh_dump *d, const struct fsh_dump_op *op)
{
    const struct fsh_state_submit *w = &d->state[op->node].window[op->reply];
    uint32_t at = w->head;
    uint64_t cmd[4];

    for (unsigned i = 0; i < w->parked; i++)
        if (is_op(op, w->park[i].opcode, w->park[i].dst, w->park[i].tag))
            return true;

    while (next_command(d, op->node, op->reply, &at, cmd))
        if (is_op(op, (unsigned)fsh_cmd_opcode(cmd), (unsigned)fsh_cmd_dst(cmd),
                  (unsigned)fsh_cmd_tag(cmd)))
            return true;
    return false;
}

bool fsh_dump_tagged(const struct fsh_dump *d, uint32_t node, uint32_t tag,
                     struct fsh_dump_op *op)
{
    const struct fsh_ledger_op *asked =
        tag < FSH_HOST_TAGS ? &d->fab->node[node].ledger->tag[tag] : NULL;
    bool live = d->state[node].tag[tag].live;

    *op = (struct fsh_dump_op){.node = (uint8_t)node,
                               .tag = (uint8_t)tag,
                               .peer = d->state[node].tag[tag].node,
                               .opcode = FSH_OP_PUT};
    if (!asked) /* of the compute core, which puts */
        return live;
    if (asked->opcode == 0)
        return false;
    op->peer = asked->node;
    op->opcode = asked->opcode;
    op->length = asked->length;
    op->raddr = asked->raddr;
    op->since = asked->since;
    op->dated = true;
    return live || in_window(d, op);
}

/* ---- slots ---- */

/* The word by which this peer gives slots back, as the node's host has it. */
static uint64_t credit_word(const struct fsh_dump *d, uint32_t node,
                            uint32_t peer)
{
    const struct fsh_sim_node *n = &d->fab->node[node];
    const struct fsh_master *host = &n->master[FSH_NODE_HOST];
    uint64_t at = fsh_ledger_line(n->ledger, peer), word = 0;

    if (at + sizeof word <= host->size)
        memcpy(&word, host->mem + at, sizeof word);
    return word;
}

uint16_t fsh_dump_slots(const struct fsh_dump *d, uint32_t node, uint32_t peer)
{
    const struct fsh_ledger *ledger = d->fab->node[node].ledger;

    if (ledger->slot_hdr == 0)
        return 0;
    return ledger->sent[peer] ^ (uint16_t)credit_word(d, node, peer);
}

uint16_t fsh_dump_returned(const struct fsh_dump *d, uint32_t node,
                           uint32_t peer)
{
    uint16_t said = (uint16_t)d->fab->node[peer].ledger->credit[node];

    return (uint16_t)(fsh_dump_slots(d, node, peer) &
                      ~(d->fab->node[node].ledger->sent[peer] ^ said));
}

struct fsh_dump_op fsh_dump_message(const struct fsh_dump *d, uint32_t node,
                                    uint32_t peer, uint32_t slot)
{
    return (struct fsh_dump_op){
        .node = (uint8_t)node,
        .peer = (uint8_t)peer,
        .opcode = FSH_OP_LIBRARY,
        .tag = (uint8_t)slot,
        .message = true,
        .dated = true,
        .since = d->fab->node[node].ledger->message[0][peer][slot]};
}

struct fsh_dump_op fsh_dump_eldest(const struct fsh_dump *d, uint32_t node,
                                   uint32_t peer, uint16_t slots)
{
    struct fsh_dump_op first = {0}, op;

    for (uint32_t s = 0; s < FSH_SLOTS_PER_PEER; s++) {
        if (!(slots >> s & 1))
            continue;
        op = fsh_dump_message(d, node, peer, s);
        if (!first.dated || op.since < first.since)
            first = op;
    }
    return first;
}

/* ---- where what is left is ---- */

static bool is_packet(const struct fsh_dump_op *op, const uint64_t *hdr)
{
    bool reply = fsh_hdr_reply(hdr), back = !op->message && reply;
    unsigned opcode = (unsigned)fsh_hdr_opcode(hdr);
    unsigned src = (unsigned)fsh_hdr_src(hdr), dst = (unsigned)fsh_hdr_dst(hdr);

    if (back && opcode != FSH_OP_PUT_ACK && opcode != FSH_OP_GET_REPLY)
        return false;
    if (op->message && reply != op->reply)
        return false;
    if (back)
        return op->tag == fsh_hdr_tag(hdr) && op->node == dst &&
               op->peer == src;
    return is_op(op, opcode, dst, (unsigned)fsh_hdr_tag(hdr)) &&
           op->node == src;
}

static void find_packets(const struct fsh_dump *d, const struct fsh_dump_op *op,
                         struct fsh_dump_found *found)
{
    for (size_t i = 0; i < d->packets; i++) {
        const struct fsh_dump_packet *packet = &d->packet[i];

        if (!is_packet(op, packet->p.hdr))
            continue;
        found->packets++;
        /* Those that went first have the lower addresses. */
        if (!found->oldest ||
            fsh_hdr_addr(packet->p.hdr) < fsh_hdr_addr(found->oldest->p.hdr))
            found->oldest = packet;
    }
    if (found->oldest)
        found->where = FSH_DUMP_PACKET;
}

static void find_context(const struct fsh_dump *d, const struct fsh_dump_op *op,
                         bool back, struct fsh_dump_found *found)
{
    uint32_t node = back ? op->peer : op->node,
             peer = back ? op->node : op->peer;
    unsigned channel = back || op->reply;
    struct fsh_dump_op as = *op;

    if (node >= d->nodes) /* a forged command's: it is refused */
        return;
    as.peer = (uint8_t)peer;
    if (back)
        as.opcode = FSH_OP_GET_REPLY;
    for (unsigned i = 0; i < FSH_PROBE_CONTEXTS; i++) {
        const struct fsh_state_context *c = &d->state[node].context[channel][i];

        if (c->phase == FSH_PROBE_FREE ||
            !is_op(&as, c->opcode, c->dst, c->tag))
            continue;
        found->unsent += c->left;
        if (found->where == FSH_DUMP_PACKET)
            continue;
        found->where = FSH_DUMP_CONTEXT;
        found->node = (uint8_t)node;
        found->channel = (uint8_t)channel;
        found->context = (uint8_t)i;
    }
}

void fsh_dump_find(const struct fsh_dump *d, const struct fsh_dump_op *op,
                   struct fsh_dump_found *found)
{
    *found = (struct fsh_dump_found){.where = FSH_DUMP_NOWHERE};
    find_packets(d, op, found);
    find_context(d, op, false, found);
    if (!op->message) {
        uint32_t end = op->opcode == FSH_OP_GET ? op->node : op->peer;

        find_context(d, op, true, found);
        if (end < d->nodes && fsh_is_here(d->fab, end))
            found->written =
                fsh_node_counted(d->fab->node[end].rtl, op->node, op->tag);
        if (found->written > op->length)
            found->written = op->length;
    }
    if (found->where == FSH_DUMP_NOWHERE && in_window(d, op)) {
        found->where = FSH_DUMP_WINDOW;
        found->node = op->node;
        found->channel = op->reply;
    }
}

/* ---- names ---- */

void fsh_dump_name(struct fsh_text *text, const struct fsh_dump_op *op)
{
    fsh_text_add(text, "%s", fsh_dump_opcode(op->opcode, op->reply));
    if (op->length)
        fsh_text_add(text, " of %u B", (unsigned)op->length);
    fsh_text_add(text, op->opcode == FSH_OP_GET ? " from" : " to");
    fsh_text_add(text, " node %u (%s %u)", op->peer,
                 op->message ? "slot" : "tag", op->tag);
}

static void place_packet(struct fsh_text *text,
                         const struct fsh_dump_packet *packet)
{
    const struct fsh_state_packet *p = &packet->p;
    unsigned node = packet->node;

    switch ((enum fsh_state_place)p->place) {
    case FSH_STATE_LANE:
        fsh_text_add(text, "in node %u, sender of lane %u", node, p->port);
        break;
    case FSH_STATE_SENDQ:
        fsh_text_add(text, "in node %u, port %u, send queue, channel %u", node,
                     p->port, p->vc);
        break;
    case FSH_STATE_HERE:
        fsh_text_add(text, "in node %u, port %u, receive buffer, channel %u",
                     node, p->port, p->vc);
        break;
    case FSH_STATE_TRANSIT:
        fsh_text_add(text,
                     "in node %u, port %u, transit queue to port %u, "
                     "channel %u",
                     node, p->port, p->out, p->vc);
        break;
    case FSH_STATE_LOOP:
        fsh_text_add(text, "in node %u, the loop to itself", node);
        break;
    case FSH_STATE_PENDING:
        fsh_text_add(text, "in node %u, receiver of lane %u, for its writes",
                     node, p->port);
        break;
    case FSH_STATE_SERVED:
        fsh_text_add(text, "in node %u, receiver of lane %u, to be served",
                     node, p->port);
        break;
    case FSH_STATE_ACK:
        fsh_text_add(text, "in node %u, queue of acks", node);
        break;
    case FSH_STATE_LINK:
        fsh_text_add(text, "on the link to node %u, port %u", node, p->port);
        break;
    }
    if (p->position)
        fsh_text_add(text, ", %u before it", p->position);
}

static void place_nowhere(struct fsh_text *text, const struct fsh_dump_op *op)
{
    if (op->message)
        fsh_text_add(text,
                     "delivered to the host of node %u, its slot not "
                     "given back",
                     op->peer);
    else
        fsh_text_add(text, "nothing of it is in the fabric");
}

void fsh_dump_place(struct fsh_text *text, const struct fsh_dump_op *op,
                    const struct fsh_dump_found *found)
{
    switch (found->where) {
    case FSH_DUMP_NOWHERE:
        place_nowhere(text, op);
        break;
    case FSH_DUMP_WINDOW:
        fsh_text_add(text, "in the window of node %u", found->node);
        break;
    case FSH_DUMP_CONTEXT:
        fsh_text_add(text, "in %s context %u of node %u",
                     found->channel ? "reply" : "request", found->context,
                     found->node);
        break;
    case FSH_DUMP_PACKET:
        if (found->packets > 1)
            fsh_text_add(text, "%u packets, the oldest ", found->packets);
        else
            fsh_text_add(text, "a packet ");
        place_packet(text, found->oldest);
        break;
    }
    if (found->unsent)
        fsh_text_add(text, "; %u B are not sent", found->unsent);
    if (found->written)
        fsh_text_add(text, "; about %u B are written", found->written);
}
