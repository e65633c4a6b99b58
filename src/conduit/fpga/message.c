/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Active messages of conduit fpga. A request claims a pair of receive slots
 * (slots.h) and goes through the request window; its reply uses the other half
 * of the pair, so it never waits for another rank. A handler gets its Medium
 * payload in the slot itself. Slots are returned by credit words: batched PUTs
 * without ack on the reply channel. Any thread.
 */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/trace.h"
#include "conduit/fpga/state.h"

#define MESSAGES_PER_POLL 64u
#define FLUSH_AT (FSH_SLOTS_PER_PEER / 2) /* credits returned at once */
#define ADDRESS_BITS 40u

struct token {
    struct fsh_token base; /* first: handed to handlers */
    unsigned slot;
};

/* --- sending ------------------------------------------------------------- */

static uint64_t long_offset(uint32_t node, const struct fsh_am *am)
{
    const struct fsh_segment *seg = &fsh_fpga.segs[node];
    uint64_t offset =
        (uint64_t)(uintptr_t)am->dst - (uint64_t)(uintptr_t)seg->addr;

    if (am->nbytes != 0 &&
        (offset > seg->size || am->nbytes > seg->size - offset))
        fsh_fatal("conduit fpga: Long active message for handler %u: %zu "
                  "bytes to %p exceed the segment of rank %u "
                  "(%zu bytes at %p)",
                  am->handler, am->nbytes, am->dst, fsh_fpga.rank_of[node],
                  seg->size, seg->addr);
    return offset & ((UINT64_C(1) << ADDRESS_BITS) - 1);
}

/* Claims a bounce slot of the channel for n bytes; false if there is none. */
static bool claim_bounce(struct fsh_fpga_source *s, unsigned channel, size_t n)
{
    bool small = n <= FSH_DMA_SMALL_BYTES;
    int index = fsh_fpga_claim(small ? &fsh_fpga.free_small[channel]
                                     : &fsh_fpga.free_big[channel]);

    assert(n <= FSH_DMA_BIG_BYTES);
    if (index < 0)
        return false;
    s->bounce = small ? FSH_BOUNCE_SMALL : FSH_BOUNCE_BIG;
    s->index = (uint8_t)index;
    return true;
}

/* Copies the payload to its bounce slot. */
static void fill_bounce(const struct fsh_fpga_source *s, unsigned channel,
                        const struct fsh_am *am, struct fsh_fpga_desc *desc)
{
    void *to;

    if (s->bounce == FSH_BOUNCE_SMALL)
        desc->laddr =
            FSH_DMA_SMALL +
            (channel * FSH_DMA_SMALL_SLOTS + s->index) * FSH_DMA_SMALL_BYTES;
    else
        desc->laddr = FSH_DMA_BIG + (channel * FSH_DMA_BIG_SLOTS + s->index) *
                                        FSH_DMA_BIG_BYTES;
    desc->lspace = FSH_SPACE_HOST;
    FSH_ASSERT(s->bounce != FSH_BOUNCE_NONE && s->index < 64);
    FSH_ASSERT(
        desc->laddr + am->nbytes <=
        (s->bounce == FSH_BOUNCE_SMALL ? FSH_DMA_SLOT_PAY : FSH_DMA_BRIDGE));
    to = fsh_fpga.mem.dma + desc->laddr;
    fsh_fpga_owe(fsh_fpga_cost_move(to, am->src, NULL, am->nbytes));
    memcpy(to, am->src, am->nbytes);
}

/* The same, but waits for a bounce slot. */
static void bounce(struct fsh_fpga_source *s, unsigned channel, uint32_t node,
                   const struct fsh_am *am, struct fsh_fpga_desc *desc)
{
    if (!claim_bounce(s, channel, am->nbytes)) {
        struct fsh_wait wait;
        fsh_fpga_wait_begin(&wait, node);
        while (!claim_bounce(s, channel, am->nbytes))
            fsh_fpga_wait_step(&wait, "a bounce slot for a payload",
                               channel == FSH_FPGA_REQUEST);
        fsh_wait_end(&wait);
    }
    fill_bounce(s, channel, am, desc);
}

/* Whether the payload travels in the command. It does unless the device must
 * read it and report that it has. */
static bool rides_along(struct fsh_fpga_source *s, const struct fsh_am *am,
                        struct fsh_fpga_desc *desc)
{
    s->bounce = FSH_BOUNCE_NONE;
    desc->lspace = FSH_SPACE_INLINE;
    desc->data = am->src;
    desc->ack = desc->length != 0 &&
                !fsh_fpga_fits_inline(am->nargs, desc->raddr, desc->length,
                                      fsh_fpga.packet);
    if (!desc->ack)
        fsh_fpga_owe(fsh_fpga_cost_load(am->src, desc->length));
    return !desc->ack;
}

/* Chooses where the device finds the payload. */
static void place_payload(struct fsh_fpga_source *s, unsigned channel,
                          uint32_t node, const struct fsh_am *am,
                          struct fsh_fpga_desc *desc)
{
    uint64_t offset;

    if (rides_along(s, am, desc))
        return;
    if (fsh_fpga_in_segment(am->src, am->nbytes, &offset)) {
        desc->lspace = FSH_SPACE_SEGMENT;
        desc->laddr = offset;
        return;
    }
    bounce(s, channel, node, am, desc);
}

/* The same without waiting. A payload in the segment that must be reusable on
 * return is copied too. */
static bool try_place_payload(struct fsh_fpga_source *s, unsigned channel,
                              const struct fsh_am *am,
                              struct fsh_fpga_desc *desc)
{
    uint64_t offset;

    if (rides_along(s, am, desc))
        return true;
    if (am->src_stable && fsh_fpga_in_segment(am->src, am->nbytes, &offset)) {
        desc->lspace = FSH_SPACE_SEGMENT;
        desc->laddr = offset;
        return true;
    }
    if (!claim_bounce(s, channel, am->nbytes))
        return false;
    fill_bounce(s, channel, am, desc);
    return true;
}

static bool is_reading(struct fsh_fpga_source *s)
{
    /* Acquire, partner: fsh_fpga_source_read (complete.c). */
    return atomic_load_explicit(&s->reading, memory_order_acquire);
}

static void await_read(struct fsh_fpga_source *s, const char *what,
                       uint32_t node, bool requests)
{
    struct fsh_wait wait;

    if (!is_reading(s))
        return;
    fsh_fpga_wait_begin(&wait, node);
    while (is_reading(s))
        fsh_fpga_wait_step(&wait, what, requests);
    fsh_wait_end(&wait);
}

static struct fsh_fpga_desc describe(unsigned channel, uint32_t node,
                                     unsigned slot, const struct fsh_am *am)
{
    return (struct fsh_fpga_desc){
        .opcode = am->handler,
        .category = am->category,
        .reply = channel == FSH_FPGA_REPLY,
        .rspace = FSH_SPACE_SEGMENT,
        .node = (uint8_t)node,
        .tag = (uint16_t)slot,
        .nargs = am->nargs,
        .args = am->args,
        .raddr = am->category == FSH_AM_LONG ? long_offset(node, am) : 0,
        .length = am->category == FSH_AM_SHORT ? 0 : (uint32_t)am->nbytes,
    };
}

/* Call before submitting a command whose payload the device reads. */
static void begin_read(struct fsh_fpga_source *s,
                       const struct fsh_fpga_desc *desc)
{
    FSH_ASSERT(!atomic_load(&s->reading)); /* the slot is this message's */
    s->handler = desc->opcode;
    s->raddr = desc->raddr;
    s->length = desc->length;
    if (!desc->ack)
        return;
    /* Release, partner: fsh_fpga_source_read (complete.c). */
    atomic_store_explicit(&s->reading, true, memory_order_release);
    if (!desc->reply) {
        fsh_fpga_lock(&fsh_fpga.peer_lock);
        fsh_fpga_slots_reading(&fsh_fpga.peer[desc->node], desc->tag, true);
        fsh_fpga_unlock(&fsh_fpga.peer_lock);
    }
}

static void count_bytes(const struct fsh_fpga_desc *desc)
{
    atomic_fetch_add_explicit(&fsh_fpga.bytes.am, desc->length,
                              memory_order_relaxed);
}

static void trace_sent(unsigned channel, uint32_t node, unsigned slot)
{
    fsh_trace_sent(
        &(struct fsh_trace_message){.peer = fsh_fpga.rank_of[node],
                                    .lane = slot,
                                    .request = channel == FSH_FPGA_REQUEST});
}

static void send_from(unsigned channel, uint32_t node, unsigned slot,
                      const struct fsh_am *am)
{
    struct fsh_fpga_source *s = &fsh_fpga.source[channel][node][slot];
    bool requests = channel == FSH_FPGA_REQUEST;
    struct fsh_fpga_command cmd;
    struct fsh_fpga_desc desc = describe(channel, node, slot, am);

    fsh_fpga_owe(FSH_COST_CALL);
    FSH_ASSERT(node < fsh_fpga.nodes && slot < FSH_SLOTS_PER_PEER);
    /* The completion of the slot's last reply may still be in the ring. */
    await_read(s, "the device to read a reply's payload", node, requests);
    place_payload(s, channel, node, am, &desc);
    begin_read(s, &desc);
    fsh_fpga_encode(&cmd, &desc);
    if (__builtin_expect(fsh_trace_on, 0))
        trace_sent(channel, node, slot);
    fsh_fpga_submit(channel, &cmd, requests);
    if (__builtin_expect(fsh_trace_on, 0))
        fsh_trace_left();
    count_bytes(&desc);
    if (desc.lspace == FSH_SPACE_SEGMENT && !am->src_stable)
        await_read(s, "the device to read a payload", node, requests);
}

static bool try_submit_from(unsigned channel, uint32_t node, unsigned slot,
                            const struct fsh_am *am)
{
    struct fsh_fpga_source *s = &fsh_fpga.source[channel][node][slot];
    struct fsh_fpga_command cmd;
    struct fsh_fpga_desc desc = describe(channel, node, slot, am);

    fsh_fpga_owe(FSH_COST_CALL);
    if (is_reading(s) || !try_place_payload(s, channel, am, &desc))
        return false;
    begin_read(s, &desc);
    fsh_fpga_encode(&cmd, &desc);
    if (!fsh_fpga_try_submit(channel, &cmd)) {
        if (desc.ack)
            fsh_fpga_source_read(channel, node, slot);
        return false;
    }
    count_bytes(&desc);
    if (__builtin_expect(fsh_trace_on, 0))
        trace_sent(channel, node, slot);
    return true;
}

static bool try_send_from(unsigned channel, uint32_t node, unsigned slot,
                          const struct fsh_am *am)
{
    bool sent = try_submit_from(channel, node, slot, am);

    fsh_fpga_settle();
    return sent;
}

/* Traces the number of that rank's slots known to be free. Under peer_lock. */
static void count_slots(uint32_t node)
{
    static char name[FSH_MAX_NODES][32];

    if (name[node][0] == '\0')
        snprintf(name[node], sizeof name[node], "AM slots free at rank %u",
                 fsh_fpga.rank_of[node]);
    fsh_trace_count(name[node],
                    (uint64_t)__builtin_popcount(fsh_fpga.peer[node].free));
}

static int claim_slot(uint32_t node)
{
    const _Atomic uint64_t *line =
        (const void *)(fsh_fpga.mem.dma + FSH_DMA_CREDIT(node));

    fsh_fpga_lock(&fsh_fpga.peer_lock);
    int slot = fsh_fpga_slots_claim(&fsh_fpga.peer[node]);
    if (slot < 0) {
        /* Acquire, partner: the device, which writes the peer's PUT. */
        fsh_fpga_slots_settle(&fsh_fpga.peer[node],
                              atomic_load_explicit(line, memory_order_acquire));
        slot = fsh_fpga_slots_claim(&fsh_fpga.peer[node]);
    }
    if (__builtin_expect(fsh_trace_on, 0) && slot >= 0)
        count_slots(node);
    fsh_fpga_unlock(&fsh_fpga.peer_lock);
    return slot;
}

void fsh_fpga_am_request(const struct fsh_am *am)
{
    const uint32_t node = fsh_fpga.node_of[am->node];
    int slot = claim_slot(node);

    if (slot < 0) {
        struct fsh_wait wait;
        fsh_fpga_wait_begin(&wait, node);
        while ((slot = claim_slot(node)) < 0) {
            fsh_fpga_wait_step(&wait,
                               "a receive slot (all requests in flight; its "
                               "host must poll)",
                               true);
            fsh_am_waits();
        }
        fsh_wait_end(&wait);
    }
    send_from(FSH_FPGA_REQUEST, node, (unsigned)slot, am);
}

void fsh_fpga_am_reply(struct fsh_token *token, const struct fsh_am *am)
{
    const struct token *t = (const struct token *)token;

    FSH_ASSERT(token->is_request && !token->replied);
    token->replied = true;
    send_from(FSH_FPGA_REPLY, fsh_fpga.node_of[token->source], t->slot, am);
}

bool fsh_fpga_am_try_request(const struct fsh_am *am)
{
    const uint32_t node = fsh_fpga.node_of[am->node];
    int slot = claim_slot(node);

    if (slot < 0)
        return false;
    if (try_send_from(FSH_FPGA_REQUEST, node, (unsigned)slot, am))
        return true;
    fsh_fpga_lock(&fsh_fpga.peer_lock);
    fsh_fpga_slots_unclaim(&fsh_fpga.peer[node], (unsigned)slot);
    if (__builtin_expect(fsh_trace_on, 0))
        count_slots(node);
    fsh_fpga_unlock(&fsh_fpga.peer_lock);
    return false;
}

bool fsh_fpga_am_try_reply(struct fsh_token *token, const struct fsh_am *am)
{
    const struct token *t = (const struct token *)token;

    FSH_ASSERT(token->is_request && !token->replied);
    token->replied = try_send_from(
        FSH_FPGA_REPLY, fsh_fpga.node_of[token->source], t->slot, am);
    return token->replied;
}

/* --- returning slots ----------------------------------------------------- */

/* Sends the credit word to a peer if one is owed and there is room. Holds the
 * lock until it is submitted: an older word must not follow a newer one. */
static void flush_peer(uint32_t node)
{
    struct fsh_fpga_slots *s = &fsh_fpga.peer[node];
    struct fsh_fpga_command cmd;
    struct fsh_fpga_desc desc = {
        .opcode = FSH_OP_PUT,
        .category = FSH_CAT_LONG,
        .reply = true,
        .ordered = true,
        .rspace = FSH_SPACE_HOST, /* this rank's line at the peer */
        .lspace = FSH_SPACE_INLINE,
        .node = (uint8_t)node,
        .raddr = 0,
        .length = FSH_BEAT_BYTES,
    };

    fsh_fpga_lock(&fsh_fpga.peer_lock);
    bool sent = true;
    FSH_ASSERT(s->owed <= FSH_SLOTS_PER_PEER); /* a slot is owed once */
    if (s->owed != 0) {
        uint64_t line[2] = {fsh_fpga_slots_word(s), 0};
        desc.data = line;
        fsh_fpga_encode(&cmd, &desc);
        sent = fsh_fpga_try_submit(FSH_FPGA_REPLY, &cmd);
        if (sent) {
            fsh_fpga_slots_sent(s);
            atomic_fetch_add_explicit(&fsh_fpga.bytes.credits, desc.length,
                                      memory_order_relaxed);
        }
    }
    if (sent)
        atomic_fetch_and_explicit(&fsh_fpga.owing, ~(UINT64_C(1) << node),
                                  memory_order_relaxed);
    fsh_fpga_unlock(&fsh_fpga.peer_lock);
}

void fsh_fpga_flush(void)
{
    uint64_t owing =
        atomic_load_explicit(&fsh_fpga.owing, memory_order_relaxed);

    for (; owing != 0; owing &= owing - 1)
        flush_peer((uint32_t)__builtin_ctzll(owing));
}

static void return_request(uint32_t node, unsigned slot, bool replied)
{
    struct fsh_fpga_slots *s = &fsh_fpga.peer[node];

    fsh_fpga_lock(&fsh_fpga.peer_lock);
    fsh_fpga_slots_finish(s, slot, replied);
    bool now = s->owed >= FLUSH_AT;
    atomic_fetch_or_explicit(&fsh_fpga.owing, UINT64_C(1) << node,
                             memory_order_relaxed);
    fsh_fpga_unlock(&fsh_fpga.peer_lock);
    if (now)
        flush_peer(node);
}

static void return_reply(uint32_t node, unsigned slot)
{
    fsh_fpga_lock(&fsh_fpga.peer_lock);
    fsh_fpga_slots_answered(&fsh_fpga.peer[node], slot);
    fsh_fpga_unlock(&fsh_fpga.peer_lock);
}

/* --- receiving ----------------------------------------------------------- */

struct message {
    uint32_t node;
    unsigned slot;
    unsigned status;
};

static bool take(unsigned channel, struct message *m)
{
    struct fsh_fpga_ring *ring = &fsh_fpga.rx[channel];

    if (!fsh_fpga_trylock(&ring->lock))
        return false;
    const uint64_t *entry = fsh_fpga_ring_next(ring);
    if (entry != NULL) {
        m->node = (uint32_t)fsh_ring_node(entry);
        m->slot = (unsigned)fsh_ring_tag(entry);
        m->status = (unsigned)fsh_ring_status(entry);
        fsh_fpga_ring_advance(ring);
    }
    fsh_fpga_unlock(&ring->lock);
    if (entry != NULL &&
        (m->node >= fsh_fpga.nodes || m->slot >= FSH_SLOTS_PER_PEER))
        fsh_fatal("conduit fpga: message from node %" PRIu32 " in slot %u, "
                  "which do not exist: the device or its program is broken",
                  m->node, m->slot);
    return entry != NULL;
}

static void out_of_range(const struct message *m, const uint64_t *hdr)
{
    fsh_fatal("conduit fpga: active message from rank %u for handler %u: its "
              "payload of %u bytes for offset 0x%" PRIx64
              " of the segment here (%zu bytes) was not written: %s (%s)",
              fsh_fpga.rank_of[m->node], (unsigned)fsh_hdr_opcode(hdr),
              (unsigned)fsh_hdr_total(hdr), fsh_hdr_addr(hdr),
              fsh_fpga.segment_size, fsh_fpga_status_text(m->status),
              fsh_fpga_status_name(m->status));
}

static void run(unsigned channel, const struct message *m)
{
    unsigned index =
        (channel * FSH_MAX_NODES + m->node) * FSH_SLOTS_PER_PEER + m->slot;
    uint64_t *hdr = (uint64_t *)(void *)(fsh_fpga.mem.dma + FSH_DMA_SLOT_HDR +
                                         index * FSH_SLOT_HEADER_BYTES);
    struct token token = {
        .base = {.source = fsh_fpga.rank_of[m->node],
                 .handler = (uint8_t)fsh_hdr_opcode(hdr),
                 .category = (uint8_t)fsh_hdr_category(hdr),
                 .nargs = (uint8_t)fsh_hdr_nargs(hdr),
                 .is_request = channel == FSH_FPGA_REQUEST,
                 .lane = (uint8_t)m->slot,
                 .args = (const int32_t *)(hdr + FSH_HDR_WORDS),
                 .nbytes = (size_t)fsh_hdr_total(hdr)},
        .slot = m->slot,
    };
    unsigned depth;

    if (m->status != FSH_STATUS_OK)
        out_of_range(m, hdr);
    if (token.base.category == FSH_AM_MEDIUM) {
        token.base.buf =
            fsh_fpga.mem.dma + FSH_DMA_SLOT_PAY + index * FSH_MAX_MEDIUM;
    } else if (token.base.category == FSH_AM_LONG) {
        /* Signed: a Long without payload may name any address. */
        int64_t offset = (int64_t)(fsh_hdr_addr(hdr) << (64 - ADDRESS_BITS)) >>
                         (64 - ADDRESS_BITS);
        token.base.buf =
            (void *)((uintptr_t)fsh_fpga.mem.segment + (uintptr_t)offset);
    }
    FSH_ASSERT(token.base.nargs <= FSH_MAX_ARGS);
    FSH_ASSERT(token.base.category != FSH_AM_MEDIUM ||
               token.base.nbytes <= FSH_MAX_MEDIUM);
    FSH_ASSERT(fsh_fpga_holds_none()); /* a handler may take any of them */
    fsh_fpga_spend(FSH_COST_MESSAGE + FSH_COST_HANDLER);
    depth = fsh_fpga_handler_begin();
    fsh_am_deliver(&token.base);
    fsh_fpga_handler_end(depth);
    if (channel == FSH_FPGA_REQUEST)
        return_request(m->node, m->slot, token.base.replied);
    else
        return_reply(m->node, m->slot);
}

bool fsh_fpga_receive(unsigned channel)
{
    struct message m;
    unsigned n = 0;

    while (n < MESSAGES_PER_POLL && take(channel, &m)) {
        run(channel, &m);
        n++;
    }
    return n != 0;
}
