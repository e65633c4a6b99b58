/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Random commands; see sim_make.h.
 */
#include "sim_make.h"

#include <stddef.h>
#include <string.h>

#define MAX_UNACKED 8 /* of more than a packet, a node and round */

enum fault { /* what is wrong with a command, if anything */
             FAULT_NONE,
             FAULT_COMMAND,
             FAULT_NODE,
             FAULT_LENGTH,
             FAULT_LOCAL,
             FAULT_REMOTE,
             FAULT_TARGET, /* found at the target */
};

static uint32_t below(struct maker *m, uint32_t n)
{
    return ref_below(&m->rng, n);
}

static bool chance(struct maker *m, uint32_t one_in)
{
    return below(m, one_in) == 0;
}

/* --- memory in use ----------------------------------------------------- */

static bool overlap(const struct range *a, const struct range *b)
{
    return a->node == b->node && a->space == b->space &&
           a->addr < b->addr + b->bytes && b->addr < a->addr + a->bytes;
}

/* Nobody else writes these bytes, nor reads them if they are to be written. */
static bool unused(struct maker *m, const struct range *r, bool write,
                   const struct op *but)
{
    for (unsigned i = 0; r->bytes && i < MAKER_OPS; i++) {
        const struct op *op = &m->ops[i];

        if (op->live && op != but &&
            (overlap(r, &op->target) || (write && overlap(r, &op->source))))
            return false;
    }
    return true;
}

static uint64_t area_start(uint32_t space)
{
    return space == FSH_SPACE_HOST ? MAKER_HOST : 0;
}

/* An address of any alignment; often next to bytes in use, or at an edge. */
static uint64_t pick_address(struct maker *m, const struct range *r)
{
    uint64_t start = area_start(r->space);
    uint64_t end = m->ref->node[r->node].space[r->space].size - r->bytes;
    const struct op *op = &m->ops[below(m, MAKER_OPS)];
    uint64_t addr = start + below(m, (uint32_t)(end - start) + 1);

    switch (below(m, 16)) {
    case 0:
        return start;
    case 1:
        return end;
    case 2:
    case 3:
        addr &= ~UINT64_C(15);
        break;
    case 4:
        addr &= ~UINT64_C(4095);
        break;
    case 5:
        addr = (addr & ~UINT64_C(1023)) - below(m, 20);
        break;
    case 6:
    case 7:
    case 8:
        if (op->live && op->target.bytes && op->target.node == r->node &&
            op->target.space == r->space)
            addr = op->target.addr + op->target.bytes;
        break;
    default:
        break;
    }
    return addr < start || addr > end ? end : addr;
}

static bool place(struct maker *m, struct range *r, uint32_t node,
                  uint32_t space, uint32_t bytes, bool write)
{
    *r = (struct range){.node = node, .space = space, .bytes = bytes};
    for (int i = 0; i < 8; i++) {
        r->addr = pick_address(m, r);
        if (unused(m, r, write, NULL))
            return true;
    }
    r->bytes = 0;
    return false;
}

/* An address from which `bytes` reach over the end of the space. */
static uint64_t beyond(struct maker *m, uint64_t size, uint32_t bytes)
{
    uint64_t in = below(m, 4) ? below(m, bytes) : bytes - 1;

    return below(m, 4) ? size - in : size + below(m, MAKER_SLACK - bytes);
}

void maker_reuse_source(struct maker *m, struct op *op)
{
    struct range *r = &op->source;
    struct ref_space *s = &m->ref->node[r->node].space[r->space];

    if (r->bytes && chance(m, 2) && unused(m, r, true, op)) {
        ref_fill(&m->rng, s->real + s->base + r->addr, r->bytes);
        ref_adopt(m->ref, r->node, r->space, r->addr, r->bytes);
    }
    r->bytes = 0;
}

/* --- making commands --------------------------------------------------- */

static uint32_t pick_length(struct maker *m, uint32_t max)
{
    uint32_t edge = below(m, 3) - 1, n;

    switch (below(m, m->tiny ? 3 : 9)) {
    case 0:
        n = below(m, 4);
        break;
    case 1:
        n = below(m, 40);
        break;
    case 2:
        n = 16 * (1 + below(m, 8)) + edge;
        break;
    case 3:
    case 4:
        n = m->ref->packet * (1 + below(m, 5)) + edge;
        break;
    case 5:
        n = below(m, FSH_MAX_INLINE);
        break;
    case 6:
    case 7:
        n = below(m, FSH_MAX_MEDIUM + 1);
        break;
    default:
        n = below(m, MAKER_LENGTH + 1);
        break;
    }
    return n < max ? n : max;
}

static bool take_tag(struct maker *m, struct op *op)
{
    uint32_t first = below(m, FSH_HOST_TAGS);

    for (uint32_t i = 0; i < FSH_HOST_TAGS; i++) {
        op->tag = (first + i) % FSH_HOST_TAGS;
        if (!m->tag_used[op->from][op->tag])
            return true;
    }
    return false;
}

static bool take_slot(struct maker *m, struct op *op)
{
    uint32_t first = below(m, FSH_SLOTS_PER_PEER);

    for (uint32_t i = 0; i < FSH_SLOTS_PER_PEER; i++) {
        op->tag = (first + i) % FSH_SLOTS_PER_PEER;
        if (m->slot_uses[op->from][op->dst][op->tag] == 0)
            return true;
    }
    return false;
}

/* The payload's source: in the command if it fits, else in memory. */
static bool make_source(struct maker *m, struct op *op)
{
    uint32_t args = (op->nargs * 4 + 15) / 16 * 16;
    const struct ref_space *s;

    if (args + op->length <= FSH_MAX_INLINE &&
        ref_cut(m->ref, op->raddr, op->length) == op->length && chance(m, 2)) {
        op->lspace = FSH_SPACE_INLINE;
        ref_fill(&m->rng, op->data, op->length);
        return true;
    }
    op->lspace = chance(m, 3) ? FSH_SPACE_HOST : FSH_SPACE_SEGMENT;
    if (!place(m, &op->source, op->from, op->lspace, op->length, false) ||
        overlap(&op->source, &op->target))
        return false;
    op->laddr = op->source.addr;
    s = &m->ref->node[op->from].space[op->lspace];
    memcpy(op->data, s->image + s->base + op->laddr, op->length);
    return true;
}

/* Where the payload of a PUT or Long goes. At fault: partly or wholly out of
 * the target's bounds, or to its host, behind the line that is the sender's, as
 * only the target can tell. */
static bool make_target(struct maker *m, struct op *op, enum fault fault)
{
    const struct ref_space *s;

    op->rspace = FSH_SPACE_SEGMENT;
    if (fault != FAULT_TARGET || op->length == 0) {
        if (!place(m, &op->target, op->dst, op->rspace, op->length, true))
            return false;
        op->raddr = op->target.addr;
        return true;
    }
    op->status = FSH_STATUS_REMOTE_RANGE;
    if (chance(m, 2)) {
        op->rspace = FSH_SPACE_HOST;
        op->raddr = FSH_BEAT_BYTES + below(m, FSH_BED_SLOT_PAY);
        op->target = (struct range){op->dst, op->rspace, 0, op->raddr};
        return true;
    }
    s = &m->ref->node[op->dst].space[op->rspace];
    op->raddr = beyond(m, s->size, op->length);
    op->target = (struct range){op->dst, op->rspace, 0, op->raddr};
    if (op->raddr < s->size)
        op->target.bytes = (uint32_t)(s->size - op->raddr);
    return unused(m, &op->target, true, NULL);
}

static bool make_put(struct maker *m, struct op *op, enum fault fault)
{
    bool many;

    op->opcode = FSH_OP_PUT;
    op->category = FSH_CAT_LONG;
    op->ack = !op->reply && (fault != FAULT_NONE || !chance(m, 5));
    op->ordered = chance(m, 8);
    op->length = pick_length(m, MAKER_LENGTH);
    if (!make_target(m, op, fault) || !make_source(m, op))
        return false;
    op->awaits = op->ack ? 1u << FSH_CPL_TAGGED : 0;
    many = ref_cut(m->ref, op->raddr, op->length) < op->length;
    if (!op->ack && !many) { /* the tag means nothing */
        op->tag = below(m, FSH_HOST_TAGS);
        return true;
    }
    /* Without an ack the tag is in use until all is quiet. */
    op->tagged = true;
    return (op->ack || m->unacked[op->from] < MAX_UNACKED) && take_tag(m, op);
}

static bool make_get(struct maker *m, struct op *op, enum fault fault)
{
    const struct ref_space *s;

    op->opcode = FSH_OP_GET;
    op->category = FSH_CAT_SHORT;
    op->ack = chance(m, 2);
    op->length = pick_length(m, MAKER_LENGTH);
    op->lspace = chance(m, 3) ? FSH_SPACE_HOST : FSH_SPACE_SEGMENT;
    op->rspace = FSH_SPACE_SEGMENT;
    op->awaits = 1u << FSH_CPL_TAGGED;
    op->tagged = true;
    s = &m->ref->node[op->dst].space[op->rspace];
    if (!place(m, &op->target, op->from, op->lspace, op->length, true))
        return false;
    op->laddr = op->target.addr;
    if (fault == FAULT_TARGET && op->length && chance(m, 2)) {
        op->rspace = FSH_SPACE_HOST; /* nobody reads another's host memory */
        op->raddr = below(m, FSH_BED_SLOT_PAY);
        op->status = FSH_STATUS_REMOTE_RANGE;
        return take_tag(m, op);
    }
    if (fault == FAULT_TARGET && op->length) {
        op->raddr = beyond(m, s->size, op->length);
        op->status = FSH_STATUS_REMOTE_RANGE;
        return take_tag(m, op);
    }
    if (!place(m, &op->source, op->dst, op->rspace, op->length, false) ||
        overlap(&op->source, &op->target))
        return false;
    op->raddr = op->source.addr;
    memcpy(op->data, s->image + s->base + op->raddr, op->length);
    return take_tag(m, op);
}

/* A host-bound message; a reply has its peer's slot already. */
static bool make_message(struct maker *m, struct op *op, enum fault fault)
{
    op->message = true;
    op->opcode = FSH_OP_LIBRARY + below(m, 256 - FSH_OP_LIBRARY);
    op->category =
        fault == FAULT_TARGET ? FSH_CAT_LONG : below(m, FSH_CAT_LONG + 1);
    op->nargs = below(m, FSH_MAX_ARGS + 1);
    for (uint32_t i = 0; i < op->nargs; i++)
        op->args[i] = (uint32_t)ref_random(&m->rng);
    op->ack = chance(m, 2);
    op->ordered = chance(m, 8);
    op->awaits = 1u << FSH_CPL_MESSAGE | (op->ack ? 1u << FSH_CPL_SLOT : 0);
    if (op->category == FSH_CAT_MEDIUM)
        op->length = pick_length(m, FSH_MAX_MEDIUM);
    if (op->category == FSH_CAT_LONG) {
        op->length = pick_length(m, MAKER_LENGTH);
        if (!make_target(m, op, fault))
            return false;
    }
    return make_source(m, op) && (op->reply || take_slot(m, op));
}

/* Make the good command bad. False if it is none that can be bad that way. */
static bool spoil(struct maker *m, struct op *op, enum fault fault)
{
    static const uint8_t nothing[] = {0, 3, 4, 8, 40, 63};
    switch (fault) {
    case FAULT_COMMAND:
        op->refused = FSH_STATUS_BAD_COMMAND;
        if (chance(m, 3)) /* else when it is encoded */
            op->opcode = nothing[below(m, sizeof nothing)];
        return true;
    case FAULT_NODE:
        op->refused = FSH_STATUS_BAD_NODE;
        op->dst = m->ref->nodes + below(m, 256 - m->ref->nodes);
        return !op->message;
    case FAULT_LENGTH:
        op->refused = FSH_STATUS_BAD_LENGTH;
        op->nargs = FSH_MAX_ARGS + 1 + below(m, 31 - FSH_MAX_ARGS);
        return op->message && op->lspace != FSH_SPACE_INLINE;
    case FAULT_LOCAL:
        op->refused = FSH_STATUS_LOCAL_RANGE;
        if (op->length == 0 || op->lspace == FSH_SPACE_INLINE)
            return false;
        op->laddr =
            chance(m, 4)
                ? (UINT64_C(1) << 40) - 1 - below(m, op->length)
                : beyond(m, m->ref->node[op->from].space[op->lspace].size,
                         op->length);
        return true;
    case FAULT_REMOTE:
        op->refused = FSH_STATUS_REMOTE_RANGE;
        if (op->length == 0 || op->rspace != FSH_SPACE_SEGMENT ||
            op->category == FSH_CAT_MEDIUM || op->lspace == FSH_SPACE_INLINE)
            return false;
        op->raddr = chance(m, 4)
                        ? (UINT64_C(1) << 40) - 1 - below(m, op->length)
                        : beyond(m, m->ref->node[op->dst].claimed, op->length);
        return true;
    default:
        return true;
    }
}

static void encode(struct maker *m, const struct op *op,
                   struct fsh_bed_command *cmd)
{
    bool in_line = op->lspace == FSH_SPACE_INLINE;
    uint64_t *w = cmd->word;
    static const uint64_t used[4] = {FSH_CMD_USED_W0, FSH_CMD_USED_W1,
                                     FSH_CMD_USED_W2, FSH_CMD_USED_W3};

    fsh_bed_command(cmd, op->opcode, op->category, op->dst, op->tag);
    fsh_cmd_set_reply(w, op->reply);
    fsh_cmd_set_ack(w, op->ack);
    fsh_cmd_set_ordered(w, op->ordered);
    fsh_cmd_set_rspace(w, op->rspace);
    fsh_cmd_set_raddr(w, op->raddr);
    fsh_cmd_set_lspace(w, op->lspace);
    if (!in_line) {
        fsh_cmd_set_laddr(w, op->laddr);
        fsh_cmd_set_length(w, op->length);
    }
    fsh_bed_attach(cmd, op->args, op->nargs, op->data,
                   in_line ? op->length : 0);
    if (op->refused != FSH_STATUS_BAD_COMMAND || op->opcode == 0 ||
        (op->opcode > FSH_OP_GET && op->opcode < FSH_OP_LIBRARY))
        return;
    if (fsh_cmd_entries(w) > 0 && chance(m, 3)) {
        w[0] &= ~(UINT64_C(7) << 29); /* too few entries */
        return;
    }
    for (;;) { /* a reserved bit or one of the check byte */
        uint32_t bit = below(m, 256);

        if (used[bit / 64] >> bit % 64 & 1 && bit < 248)
            continue;
        w[bit / 64] ^= UINT64_C(1) << bit % 64;
        return;
    }
}

static uint8_t *slot_of(struct maker *m, const struct op *op)
{
    return op->reply ? &m->slot_uses[op->peer][op->from][op->tag]
                     : &m->slot_uses[op->from][op->peer][op->tag];
}

static struct op *free_op(struct maker *m, uint32_t from, bool reply)
{
    for (unsigned i = 0; i < MAKER_OPS; i++)
        if (!m->ops[i].live) {
            memset(&m->ops[i], 0, offsetof(struct op, data));
            m->ops[i].from = from;
            m->ops[i].reply = reply;
            m->ops[i].dst = below(m, m->ref->nodes);
            return &m->ops[i];
        }
    return NULL;
}

static enum fault pick_fault(struct maker *m)
{
    if (chance(m, 12))
        return FAULT_TARGET;
    return chance(m, 7) ? FAULT_COMMAND + below(m, FAULT_REMOTE) : FAULT_NONE;
}

struct op *maker_command(struct maker *m, uint32_t from, bool reply)
{
    enum fault fault = pick_fault(m);
    struct op *op = free_op(m, from, reply);
    bool made;

    if (!op)
        return NULL;
    if (reply) /* a wrong one completes nowhere */
        made = make_put(m, op, fault == FAULT_TARGET ? FAULT_NONE : fault);
    else if (chance(m, 3))
        made = make_put(m, op, fault);
    else
        made =
            chance(m, 2) ? make_get(m, op, fault) : make_message(m, op, fault);
    op->peer = op->dst;
    return made && spoil(m, op, fault) ? op : NULL;
}

struct op *maker_reply(struct maker *m, uint32_t from, uint32_t to,
                       uint32_t slot)
{
    enum fault fault = chance(m, 16) ? FAULT_TARGET : FAULT_NONE;
    struct op *op = free_op(m, from, true);

    if (!op)
        return NULL;
    op->dst = op->peer = to;
    op->tag = slot;
    return make_message(m, op, fault) ? op : NULL;
}

void maker_submit(struct maker *m, struct op *op, struct fsh_bed_command *cmd)
{
    if (op->refused) {
        op->awaits = 1u << FSH_CPL_REFUSED;
        op->source.bytes = op->target.bytes = 0;
    }
    /* Also of one to be refused, so that its tag or slot is its own. */
    if (op->tagged) {
        m->tag_used[op->from][op->tag] = true;
        m->unacked[op->from] += !op->ack;
    }
    if (op->message)
        (*slot_of(m, op))++;
    encode(m, op, cmd);
    op->live = true;
}

void maker_finish(struct maker *m, struct op *op)
{
    maker_reuse_source(m, op);
    op->live = false;
    if (op->message)
        (*slot_of(m, op))--;
    if (op->tagged) {
        m->tag_used[op->from][op->tag] = false;
        m->unacked[op->from] -= !op->ack;
    }
}
