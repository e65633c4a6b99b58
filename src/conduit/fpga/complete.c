/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Completions of conduit fpga: frees tags and bounce slots, finishes GETs that
 * went through bounce memory, completes events, and turns refusals into fatal
 * messages that name the operation. Any thread; one at a time processes them.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "conduit/fpga/state.h"

int fsh_fpga_claim(_Atomic uint64_t *mask)
{
    uint64_t old = atomic_load_explicit(mask, memory_order_relaxed);

    while (old != 0) {
        int index = __builtin_ctzll(old);
        /* Acquire, partner: fsh_fpga_release. */
        if (atomic_compare_exchange_weak_explicit(mask, &old, old & (old - 1),
                                                  memory_order_acquire,
                                                  memory_order_relaxed))
            return index;
    }
    return -1;
}

void fsh_fpga_release(_Atomic uint64_t *mask, unsigned index)
{
    /* Release, partner: fsh_fpga_claim: what the index stands for is no longer
     * in use. */
    FSH_ASSERT(index < 64 && !(atomic_load(mask) >> index & 1));
    atomic_fetch_or_explicit(mask, UINT64_C(1) << index, memory_order_release);
}

const uint64_t *fsh_fpga_ring_next(const struct fsh_fpga_ring *ring)
{
    const uint64_t *entry =
        ring->entries + ring->pos % FSH_RING_ENTRIES * FSH_RING_WORDS;
    unsigned phase = (ring->pos / FSH_RING_ENTRIES & 1) ^ 1;
    /* Acquire, partner: the device, which writes an entry after the data it
     * announces. */
    uint64_t word = atomic_load_explicit((const _Atomic uint64_t *)entry,
                                         memory_order_acquire);

    return fsh_ring_phase(&word) == phase ? entry : NULL;
}

void fsh_fpga_ring_advance(struct fsh_fpga_ring *ring)
{
    FSH_ASSERT(!fsh_fpga.locking || fsh_lock_is_mine(&ring->lock));
    FSH_ASSERT(fsh_fpga_ring_next(ring) != NULL); /* phase of this lap */
    ring->pos++;
    if (ring->pos % FSH_DMA_RING_TELL == 0)
        fsh_fpga_write(ring->taken, ring->pos);
}

/* "PUT of 64 bytes to rank 1 at 0x7f... (offset 0x40 of its segment of 4096
 * bytes)". */
static void describe_op(char *text, size_t len, const struct fsh_fpga_op *op)
{
    const struct fsh_segment *seg = &fsh_fpga.segs[op->node];

    snprintf(text, len,
             "%s of %" PRIu32 " bytes %s rank %" PRIu32
             " at %p (offset 0x%" PRIx64 " of its segment of %zu bytes)",
             fsh_fpga_op_name(op->opcode), op->length,
             op->opcode == FSH_OP_GET ? "from" : "to",
             (uint32_t)fsh_fpga.rank_of[op->node],
             (void *)((unsigned char *)seg->addr + op->remote), op->remote,
             seg->size);
}

static _Noreturn void fail(const char *operation, unsigned status, bool refused)
{
    fsh_fatal("conduit fpga: %s: %s: %s (%s)", operation,
              refused ? "refused by the device" : "failed at the target",
              fsh_fpga_status_text(status), fsh_fpga_status_name(status));
}

void fsh_fpga_op_begin(unsigned tag, const struct fsh_fpga_op *op)
{
    FSH_ASSERT(tag < FSH_HOST_TAGS && op->node < fsh_fpga.nodes);
    /* The tag belongs to the caller, and its last operation has ended. */
    FSH_ASSERT(!(atomic_load(&fsh_fpga.free_tags) >> tag & 1));
    FSH_ASSERT(!atomic_load(&fsh_fpga.live[tag]));
    FSH_ASSERT(!op->bounced || op->length <= FSH_DMA_TAG_BYTES);
    fsh_fpga.op[tag] = *op;
    /* Release, partner: finish_op, possibly on another thread. */
    atomic_store_explicit(&fsh_fpga.live[tag], true, memory_order_release);
}

void fsh_fpga_op_end(unsigned tag)
{
    FSH_ASSERT(tag < FSH_HOST_TAGS && atomic_load(&fsh_fpga.live[tag]));
    atomic_store_explicit(&fsh_fpga.live[tag], false, memory_order_relaxed);
    fsh_fpga_release(&fsh_fpga.free_tags, tag);
}

static void finish_op(const uint64_t *entry, bool refused)
{
    unsigned tag = (unsigned)fsh_ring_tag(entry);
    unsigned status = (unsigned)fsh_ring_status(entry);

    /* Acquire, partner: fsh_fpga_op_begin. */
    if (tag >= FSH_HOST_TAGS ||
        !atomic_load_explicit(&fsh_fpga.live[tag], memory_order_acquire))
        fsh_fatal("conduit fpga: completion of tag %u, which is not in use "
                  "(status %s): the device or its program is broken",
                  tag, fsh_fpga_status_name(status));
    struct fsh_fpga_op *op = &fsh_fpga.op[tag];
    if (status != FSH_STATUS_OK && op->record == NULL && op->answer == NULL) {
        char text[256];
        describe_op(text, sizeof text, op);
        fail(text, status, refused);
    }
    if (op->bounced && op->opcode == FSH_OP_GET) {
        const void *from =
            fsh_fpga.mem.dma + FSH_DMA_TAG + tag * FSH_DMA_TAG_BYTES;

        fsh_fpga_spend(fsh_fpga_cost_move(op->local, from, NULL, op->length));
        memcpy(op->local, from, op->length);
    }
    if (op->local != NULL)
        fsh_fpga_answered(&fsh_fpga.asked, op->asked, op->local, op->length);
    struct fsh_event *event = op->event, *read = op->read;
    struct fsh_fpga_record *record = op->record;
    struct fsh_answer *answer = op->answer;
    if (record != NULL) {
        record->status = status;
        record->cycle = fsh_ring_cycle(entry);
    }
    fsh_fpga_op_end(tag);
    FSH_ASSERT(read == NULL || atomic_load(&read->pending) != 0);
    FSH_ASSERT(event == NULL || atomic_load(&event->pending) != 0);
    /* Release, partner: the acquire of whoever waits for the event. */
    if (read != NULL)
        atomic_fetch_sub_explicit(&read->pending, 1, memory_order_release);
    if (event != NULL)
        atomic_fetch_sub_explicit(&event->pending, 1, memory_order_release);
    if (record != NULL)
        atomic_store_explicit(&record->done, 1, memory_order_release);
    if (answer != NULL)
        answer->fn(answer, status);
}

/* An entry with a tag: the end of an operation, or of an engine's command or sequence,
 * whose cookie takes the tag's place. */
static void finish_tagged(const uint64_t *entry)
{
    switch (fsh_ring_opcode(entry)) {
    case FSH_OP_COMPUTE:
        fsh_compute_completed((unsigned)fsh_ring_tag(entry),
                              (unsigned)fsh_ring_status(entry));
        break;
    case FSH_OP_COLLECTIVE:
        fsh_collective_completed(&(const struct fsh_sequence_end){
            .cookie = (uint16_t)fsh_ring_tag(entry),
            .status = (uint8_t)fsh_ring_status(entry),
            .step = (uint8_t)fsh_ring_step(entry),
            .source = (uint8_t)fsh_ring_source(entry)});
        break;
    default:
        finish_op(entry, false);
    }
}

void fsh_fpga_source_read(unsigned channel, uint32_t node, unsigned slot)
{
    struct fsh_fpga_source *s = &fsh_fpga.source[channel][node][slot];

    FSH_ASSERT(atomic_load(&s->reading));
    s->halves = 0;
    if (s->bounce == FSH_BOUNCE_SMALL)
        fsh_fpga_release(&fsh_fpga.free_small[channel], s->index);
    else if (s->bounce == FSH_BOUNCE_BIG)
        fsh_fpga_release(&fsh_fpga.free_big[channel], s->index);
    if (channel == FSH_FPGA_REQUEST) {
        fsh_fpga_lock(&fsh_fpga.peer_lock);
        fsh_fpga_slots_reading(&fsh_fpga.peer[node], slot, false);
        fsh_fpga_unlock(&fsh_fpga.peer_lock);
    }
    /* Release, partner: the acquire in is_reading (message.c). */
    atomic_store_explicit(&s->reading, false, memory_order_release);
}

/* A SLOT entry: a message's source has been read, through one port or both. */
static void finish_source(const uint64_t *entry)
{
    unsigned channel = (unsigned)fsh_ring_reply(entry);
    unsigned node = (unsigned)fsh_ring_node(entry);
    unsigned slot = (unsigned)fsh_ring_tag(entry);

    if (node >= fsh_fpga.nodes || slot >= FSH_SLOTS_PER_PEER ||
        !atomic_load(&fsh_fpga.source[channel][node][slot].reading))
        fsh_fatal("conduit fpga: completion of slot %u to node %u, which is "
                  "not in use: the device or its program is broken",
                  slot, node);
    struct fsh_fpga_source *s = &fsh_fpga.source[channel][node][slot];
    FSH_ASSERT(s->halves < 2);
    if (fsh_ring_half(entry) && ++s->halves < 2)
        return;
    fsh_fpga_source_read(channel, node, slot);
}

/* A command that was refused: identified by tag, by slot, or (if corrupt) by
 * neither. */
static void refused(const uint64_t *entry)
{
    unsigned opcode = (unsigned)fsh_ring_opcode(entry);
    unsigned status = (unsigned)fsh_ring_status(entry);
    unsigned channel = (unsigned)fsh_ring_reply(entry);
    unsigned node = (unsigned)fsh_ring_node(entry);
    unsigned slot = (unsigned)fsh_ring_tag(entry);
    char text[256];

    if (channel == FSH_FPGA_REQUEST &&
        (opcode == FSH_OP_PUT || opcode == FSH_OP_GET ||
         opcode == FSH_OP_COMPUTE || opcode == FSH_OP_COLLECTIVE) &&
        slot < FSH_HOST_TAGS && atomic_load(&fsh_fpga.live[slot])) {
        finish_op(entry, true);
        return;
    }
    if (opcode >= FSH_OP_LIBRARY && node < fsh_fpga.nodes &&
        slot < FSH_SLOTS_PER_PEER) {
        const struct fsh_fpga_source *s = &fsh_fpga.source[channel][node][slot];
        uintptr_t base = (uintptr_t)fsh_fpga.segs[node].addr;
        snprintf(text, sizeof text,
                 "%s for handler %u at rank %u, %" PRIu32 " bytes to 0x%" PRIx64
                 " "
                 "(offset 0x%" PRIx64 " of its segment of %zu bytes)",
                 channel == FSH_FPGA_REPLY ? "AM reply" : "AM request", opcode,
                 fsh_fpga.rank_of[node], s->length, base + s->raddr, s->raddr,
                 fsh_fpga.segs[node].size);
        fail(text, status, true);
    }
    snprintf(text, sizeof text, "command with opcode %u for node %u, tag %u",
             opcode, node, slot);
    fail(text, status, true);
}

bool fsh_fpga_complete(void)
{
    const uint64_t *entry;
    bool any = false;

    if (!fsh_fpga_trylock(&fsh_fpga.cpl.lock))
        return false;
    while ((entry = fsh_fpga_ring_next(&fsh_fpga.cpl)) != NULL) {
        switch (fsh_ring_kind(entry)) {
        case FSH_CPL_TAGGED:
            finish_tagged(entry);
            break;
        case FSH_CPL_SLOT:
            finish_source(entry);
            break;
        case FSH_CPL_REFUSED:
            refused(entry);
            break;
        default:
            fsh_fatal("conduit fpga: completion of unknown kind %u: the "
                      "device or its program is broken",
                      (unsigned)fsh_ring_kind(entry));
        }
        fsh_fpga_ring_advance(&fsh_fpga.cpl);
        any = true;
    }
    fsh_fpga_unlock(&fsh_fpga.cpl.lock);
    return any;
}
