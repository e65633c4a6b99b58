/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rings of conduit smp; see ring.h for the contract and layout.h for memory.
 *
 * A slot holds a new message when its stamp equals the lap of the position the
 * receiver stands at. Slots used for the inside of a message hold bytes that
 * could look like a stamp; the sender remembers them (`inner`) and clears the
 * stamp of the slot after a message before it publishes the message. Messages
 * never wrap: a SKIP fills the end of a lap.
 *
 * What is in slots is copied out before its handler runs and the slots are
 * freed at once, so handlers may nest (reply handlers inside am_reply) and
 * several threads may take from one ring. Pool blocks are used in place and
 * freed when the handler has ended.
 */
#include "conduit/smp/ring.h"

#include <assert.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpu.h"
#include "base/futex.h"
#include "conduit/conduit.h"
#include "conduit/smp/pool.h"

#define SPINS_BEFORE_YIELD 100u
#define TAKES_PER_POLL 32u /* messages of one ring a poll delivers */
#define FREED_STEP 16u     /* slots consumed before the sender is told */
#define PAYLOAD_ALIGN 16u
#define MAX_MESSAGE_SLOTS 10u

_Static_assert(MAX_MESSAGE_SLOTS *FSH_SMP_SLOT_BYTES >=
                   sizeof(struct fsh_smp_head) + 16 * sizeof(int32_t) +
                       PAYLOAD_ALIGN - 8 + FSH_SMP_MAX_INLINE,
               "largest message in slots");
/* A message, a SKIP before it and the cleared stamp after it always find room
 * in an empty ring whose sender lacks the last FREED_STEP - 1 slots. */
_Static_assert(2 * MAX_MESSAGE_SLOTS + 1 + FREED_STEP <= FSH_SMP_SLOTS,
               "no message can be stuck");

struct lock {
    atomic_uint held;
};

/* Sending end of a ring. Under `lock`. */
struct tx {
    struct lock lock;
    uint32_t tail;  /* slots written, ever */
    uint32_t freed; /* last value read from the ring */
    uint64_t inner; /* slots last used for the inside of a message */
};

/* Receiving end of a ring. Under `lock`. */
struct rx {
    struct lock lock;
    uint32_t pos;  /* slots consumed, ever */
    uint32_t told; /* last value written to ring.freed */
};

struct fsh_smp_port {
    unsigned char *base;
    struct fsh_smp_layout layout;
    uint32_t rank;
    bool locking;
    struct fsh_smp_ctl *ctl; /* all ranks */
    struct tx *tx[FSH_SMP_CHANNELS];
    struct rx *rx[FSH_SMP_CHANNELS];
    struct fsh_smp_pool pool[FSH_SMP_CHANNELS];
    struct lock pool_lock[FSH_SMP_CHANNELS];
    atomic_uint rotor; /* where the next poll starts, for fairness */
};

/* A message copied out of its slots. */
struct taken {
    _Alignas(64) unsigned char bytes[MAX_MESSAGE_SLOTS * FSH_SMP_SLOT_BYTES];
};

/* Acquire, partner: release in unlock. */
static bool lock_try(const struct fsh_smp_port *port, struct lock *l)
{
    return !port->locking ||
           (atomic_load_explicit(&l->held, memory_order_relaxed) == 0 &&
            atomic_exchange_explicit(&l->held, 1, memory_order_acquire) == 0);
}

static void lock(const struct fsh_smp_port *port, struct lock *l)
{
    for (unsigned n = 0; !lock_try(port, l); n++) {
        if (n < SPINS_BEFORE_YIELD)
            fsh_cpu_relax();
        else
            sched_yield();
    }
}

static void unlock(const struct fsh_smp_port *port, struct lock *l)
{
    if (port->locking)
        atomic_store_explicit(&l->held, 0, memory_order_release);
}

static struct fsh_smp_ring *ring_of(const struct fsh_smp_port *port,
                                    uint32_t from, uint32_t to,
                                    unsigned channel)
{
    struct fsh_smp_pair *pairs =
        (struct fsh_smp_pair *)(void *)(port->base + port->layout.pairs);
    size_t index = (size_t)to * port->layout.ranks + from;
    return &pairs[index].ring[channel];
}

static unsigned char *block_of(const struct fsh_smp_port *port, uint32_t owner,
                               unsigned channel, uint32_t block)
{
    size_t pool = (size_t)owner * FSH_SMP_CHANNELS + channel;
    return port->base + port->layout.pools + pool * FSH_SMP_POOL_BYTES +
           fsh_smp_pool_offset(block);
}

static struct fsh_smp_head *head_at(struct fsh_smp_ring *ring, uint32_t pos)
{
    return (struct fsh_smp_head *)(void *)ring->slot[pos % FSH_SMP_SLOTS];
}

/* Never 0, so that cleared slots are never new; differs from lap to lap. */
static uint32_t stamp_of(uint32_t pos)
{
    return UINT32_C(0x80000000) | (pos / FSH_SMP_SLOTS);
}

static size_t align_up(size_t n, size_t to)
{
    return (n + to - 1) / to * to;
}

static size_t payload_offset(unsigned nargs)
{
    return align_up(sizeof(struct fsh_smp_head) + nargs * sizeof(int32_t),
                    PAYLOAD_ALIGN);
}

/* --- ready bits and sleep ------------------------------------------------ */

static void set_ready(struct fsh_smp_port *port, uint32_t owner,
                      uint32_t source, unsigned channel)
{
    struct fsh_smp_ctl *ctl = &port->ctl[owner];
    uint64_t bit = UINT64_C(1) << source % 64;
    unsigned word = source / 64;

    if (port->layout.ranks <= 64) {
        if ((atomic_load(&ctl->summary[channel]) & bit) == 0)
            atomic_fetch_or(&ctl->summary[channel], bit);
        return;
    }
    if ((atomic_load(&ctl->ready[channel][word]) & bit) == 0)
        atomic_fetch_or(&ctl->ready[channel][word], bit);
    /* C, partner: clear_ready. */
    bit = UINT64_C(1) << word;
    if ((atomic_load(&ctl->summary[channel]) & bit) == 0)
        atomic_fetch_or(&ctl->summary[channel], bit);
}

static void clear_ready(struct fsh_smp_port *port, uint32_t source,
                        unsigned channel)
{
    struct fsh_smp_ctl *ctl = &port->ctl[port->rank];
    uint64_t bit = UINT64_C(1) << source % 64;
    unsigned word = source / 64;

    if (port->layout.ranks <= 64) {
        atomic_fetch_and(&ctl->summary[channel], ~bit);
        return;
    }
    if ((atomic_fetch_and(&ctl->ready[channel][word], ~bit) & ~bit) != 0)
        return;
    /* C, partner: set_ready: either it sees the summary bit cleared, or we
     * see its bit in the word. */
    bit = UINT64_C(1) << word;
    atomic_fetch_and(&ctl->summary[channel], ~bit);
    if (atomic_load(&ctl->ready[channel][word]) != 0)
        atomic_fetch_or(&ctl->summary[channel], bit);
}

static void wake_up(struct fsh_smp_ctl *ctl)
{
    atomic_fetch_add(&ctl->wake_seq, 1);
    fsh_futex_wake((const void *)&ctl->wake_seq, INT32_MAX);
}

/* B, partner: fsh_smp_port_sleep. */
static void wake_owner(struct fsh_smp_ctl *ctl)
{
    if (atomic_load(&ctl->sleepers) != 0)
        wake_up(ctl);
}

/* D, partner: fsh_smp_port_sleep. On the path of every put, so without a fence
 * between the put's stores and this load: an owner that begins to watch while
 * they are still on their way out of this processor, and looks, and sleeps, is
 * missed and sleeps to the end of its step, which is bounded. */
void fsh_smp_port_poke(struct fsh_smp_port *port, uint32_t dest)
{
    struct fsh_smp_ctl *ctl = &port->ctl[dest];

    if (__builtin_expect(
            atomic_load_explicit(&ctl->watching, memory_order_relaxed) != 0,
            0) &&
        atomic_exchange(&ctl->watching, 0) != 0)
        wake_up(ctl);
}

void fsh_smp_port_sleep(struct fsh_smp_port *port, uint64_t max_ns, bool memory)
{
    struct fsh_smp_ctl *ctl = &port->ctl[port->rank];
    uint32_t seen = atomic_load(&ctl->wake_seq);

    /* D, partner: fsh_smp_port_poke: it finds us watching, or what it stored is
     * there for the caller to see before the next call. */
    if (memory && atomic_exchange(&ctl->watching, 1) == 0)
        return;
    /* B, partner: wake_owner: either it sees this sleeper, or we see the bit
     * it set before it looked. */
    atomic_fetch_add(&ctl->sleepers, 1);
    if (atomic_load(&ctl->summary[FSH_SMP_REQUEST]) == 0 &&
        atomic_load(&ctl->summary[FSH_SMP_REPLY]) == 0 &&
        atomic_load(&ctl->told) == 0)
        fsh_futex_wait((const void *)&ctl->wake_seq, seen, max_ns);
    atomic_fetch_sub(&ctl->sleepers, 1);
}

void fsh_smp_port_tell(struct fsh_smp_port *port, uint32_t dest)
{
    struct fsh_smp_ctl *ctl = &port->ctl[dest];

    /* F, partner: fsh_smp_port_told. B, partner: fsh_smp_port_sleep. */
    atomic_store(&ctl->told, 1);
    wake_owner(ctl);
}

bool fsh_smp_port_told(struct fsh_smp_port *port)
{
    struct fsh_smp_ctl *ctl = &port->ctl[port->rank];

    /* F, partner: fsh_smp_port_tell: what comes after this sets it again. */
    return __builtin_expect(
               atomic_load_explicit(&ctl->told, memory_order_relaxed) != 0,
               0) &&
           atomic_exchange(&ctl->told, 0) != 0;
}

/* --- sending ------------------------------------------------------------- */

static bool has_room(struct tx *tx, struct fsh_smp_ring *ring, uint32_t slots)
{
    if (tx->tail - tx->freed + slots <= FSH_SMP_SLOTS)
        return true;
    /* Acquire, partner: release in take: the receiver has copied the slots. */
    tx->freed = atomic_load_explicit(&ring->freed, memory_order_acquire);
    return tx->tail - tx->freed + slots <= FSH_SMP_SLOTS;
}

/* Make the slot after a message not look like one, then publish it. */
static void publish(struct tx *tx, struct fsh_smp_ring *ring, uint32_t slots)
{
    struct fsh_smp_head *head = head_at(ring, tx->tail);
    uint32_t next = tx->tail + slots;

    head->slots = (uint8_t)slots;
    tx->inner &= ~(UINT64_C(1) << tx->tail % FSH_SMP_SLOTS);
    for (uint32_t p = tx->tail + 1; p != next; p++)
        tx->inner |= UINT64_C(1) << p % FSH_SMP_SLOTS;
    if (tx->inner >> next % FSH_SMP_SLOTS & 1)
        atomic_store_explicit(&head_at(ring, next)->stamp, 0,
                              memory_order_relaxed);
    /* Releases the message; A, partner: drain. */
    atomic_store(&head->stamp, stamp_of(tx->tail));
    tx->tail = next;
}

static void fill(struct fsh_smp_port *port, struct fsh_smp_head *head,
                 const struct fsh_smp_out *out, uint32_t block)
{
    unsigned char *bytes = (unsigned char *)head;

    head->handler = out->handler;
    head->category = out->category;
    head->nargs = out->nargs;
    head->nbytes = out->nbytes;
    head->block = block;
    head->addr = out->addr;
    if (out->nargs != 0)
        memcpy(bytes + sizeof *head, out->args, out->nargs * sizeof(int32_t));
    if (out->category != FSH_AM_MEDIUM || out->nbytes == 0)
        return;
    if (block != FSH_SMP_INLINE)
        memcpy(block_of(port, port->rank, out->channel, block), out->src,
               out->nbytes);
    else
        memcpy(bytes + payload_offset(out->nargs), out->src, out->nbytes);
}

static enum fsh_smp_result send_locked(struct fsh_smp_port *port,
                                       const struct fsh_smp_out *out,
                                       struct tx *tx, struct fsh_smp_ring *ring)
{
    bool medium = out->category == FSH_AM_MEDIUM;
    bool pooled = medium && out->nbytes > FSH_SMP_MAX_INLINE;
    size_t bytes = sizeof(struct fsh_smp_head) + out->nargs * sizeof(int32_t);
    if (medium && !pooled && out->nbytes != 0)
        bytes = payload_offset(out->nargs) + out->nbytes;
    uint32_t slots =
        (uint32_t)(align_up(bytes, FSH_SMP_SLOT_BYTES) / FSH_SMP_SLOT_BYTES);
    uint32_t left = FSH_SMP_SLOTS - tx->tail % FSH_SMP_SLOTS;
    uint32_t skip = slots > left ? left : 0;

    /* One more: the slot whose stamp publish may clear. */
    if (!has_room(tx, ring, skip + slots + 1))
        return FSH_SMP_NO_SLOT;
    uint32_t block = FSH_SMP_INLINE;
    if (pooled) {
        lock(port, &port->pool_lock[out->channel]);
        block = fsh_smp_pool_claim(&port->pool[out->channel],
                                   &port->ctl[port->rank], out->channel,
                                   out->nbytes);
        unlock(port, &port->pool_lock[out->channel]);
        if (block == FSH_SMP_INLINE)
            return FSH_SMP_NO_BLOCK;
    }
    if (skip != 0) {
        head_at(ring, tx->tail)->category = FSH_SMP_SKIP;
        publish(tx, ring, skip);
    }
    fill(port, head_at(ring, tx->tail), out, block);
    publish(tx, ring, slots);
    return FSH_SMP_SENT;
}

enum fsh_smp_result fsh_smp_port_send(struct fsh_smp_port *port,
                                      const struct fsh_smp_out *out)
{
    struct tx *tx = &port->tx[out->channel][out->dest];
    struct fsh_smp_ring *ring =
        ring_of(port, port->rank, out->dest, out->channel);

    assert(out->dest < port->layout.ranks && out->nargs <= 16);
    lock(port, &tx->lock);
    enum fsh_smp_result result = send_locked(port, out, tx, ring);
    unlock(port, &tx->lock);
    if (result == FSH_SMP_SENT) {
        set_ready(port, out->dest, port->rank, out->channel);
        wake_owner(&port->ctl[out->dest]);
    }
    return result;
}

/* --- receiving ----------------------------------------------------------- */

static bool is_new(struct fsh_smp_ring *ring, uint32_t pos)
{
    /* Acquires the message; A, partner: publish. */
    return atomic_load(&head_at(ring, pos)->stamp) == stamp_of(pos);
}

static void consume(struct rx *rx, struct fsh_smp_ring *ring, uint32_t slots)
{
    rx->pos += slots;
    if (rx->pos - rx->told >= FREED_STEP) {
        rx->told = rx->pos;
        /* Release, partner: acquire in has_room. */
        atomic_store_explicit(&ring->freed, rx->pos, memory_order_release);
    }
}

/* Copy the next message out and free its slots. */
static bool take(struct rx *rx, struct fsh_smp_ring *ring, struct taken *t)
{
    while (is_new(ring, rx->pos)) {
        const struct fsh_smp_head *head = head_at(ring, rx->pos);
        uint32_t slots = head->slots;
        if (head->category == FSH_SMP_SKIP) {
            consume(rx, ring, slots);
            continue;
        }
        if (slots == 1)
            memcpy(t->bytes, head, FSH_SMP_SLOT_BYTES);
        else
            memcpy(t->bytes, head, slots * FSH_SMP_SLOT_BYTES);
        consume(rx, ring, slots);
        return true;
    }
    return false;
}

/* The next message of a ring, or its ready bit cleared. The bit is set while
 * the ring may hold something, and cleared under the ring's lock only. */
static bool drain(struct fsh_smp_port *port, uint32_t source, unsigned channel,
                  struct taken *t)
{
    struct rx *rx = &port->rx[channel][source];
    struct fsh_smp_ring *ring = ring_of(port, source, port->rank, channel);

    if (!lock_try(port, &rx->lock))
        return false; /* another thread is at it; the bit stays */
    bool got = take(rx, ring, t);
    if (!got) {
        clear_ready(port, source, channel);
        /* A, partner: publish and set_ready: either the sender sees the bit
         * cleared, or we see its message. */
        if (is_new(ring, rx->pos))
            set_ready(port, port->rank, source, channel);
    }
    unlock(port, &rx->lock);
    return got;
}

/* Release, partner: acquire in harvest (pool.c). */
static void give_back(struct fsh_smp_port *port, uint32_t owner,
                      unsigned channel, uint32_t block)
{
    atomic_store_explicit(&port->ctl[owner].busy[channel][block], 0,
                          memory_order_release);
}

static void run(struct fsh_smp_port *port, uint32_t source, unsigned channel,
                struct taken *t, fsh_smp_deliver_fn deliver, void *arg)
{
    const struct fsh_smp_head *head = (const void *)t->bytes;
    struct fsh_smp_in in = {
        .source = source,
        .channel = (uint8_t)channel,
        .handler = head->handler,
        .category = head->category,
        .nargs = head->nargs,
        .args = (const void *)(t->bytes + sizeof *head),
        .nbytes = head->nbytes,
    };

    if (head->category == FSH_AM_LONG)
        in.buf = (void *)(uintptr_t)head->addr;
    else if (head->category == FSH_AM_MEDIUM && head->block == FSH_SMP_INLINE)
        in.buf = t->bytes + payload_offset(head->nargs);
    else if (head->category == FSH_AM_MEDIUM)
        in.buf = block_of(port, source, channel, head->block);
    deliver(arg, &in);
    if (head->block != FSH_SMP_INLINE)
        give_back(port, source, channel, head->block);
}

static bool poll_source(struct fsh_smp_port *port, uint32_t source,
                        unsigned channel, fsh_smp_deliver_fn deliver, void *arg)
{
    struct taken t;
    unsigned n = 0;

    while (n < TAKES_PER_POLL && drain(port, source, channel, &t)) {
        run(port, source, channel, &t, deliver, arg);
        n++;
    }
    return n != 0;
}

/* Rotate right, so that bit `by` comes first. */
static uint64_t rotate(uint64_t bits, unsigned by)
{
    return by % 64 == 0 ? bits : bits >> by % 64 | bits << (64 - by % 64);
}

static bool poll_word(struct fsh_smp_port *port, uint64_t bits, unsigned word,
                      unsigned channel, fsh_smp_deliver_fn deliver, void *arg)
{
    unsigned start =
        atomic_load_explicit(&port->rotor, memory_order_relaxed) % 64;
    bool any = false;

    for (bits = rotate(bits, start); bits != 0; bits &= bits - 1) {
        unsigned bit = ((unsigned)__builtin_ctzll(bits) + start) % 64;
        any |= poll_source(port, word * 64 + bit, channel, deliver, arg);
    }
    return any;
}

static bool poll_channel(struct fsh_smp_port *port, unsigned channel,
                         fsh_smp_deliver_fn deliver, void *arg)
{
    struct fsh_smp_ctl *ctl = &port->ctl[port->rank];
    uint64_t summary = atomic_load(&ctl->summary[channel]);
    bool any = false;

    if (summary == 0)
        return false;
    atomic_store_explicit(
        &port->rotor,
        atomic_load_explicit(&port->rotor, memory_order_relaxed) + 1,
        memory_order_relaxed);
    if (port->layout.ranks <= 64)
        return poll_word(port, summary, 0, channel, deliver, arg);
    for (; summary != 0; summary &= summary - 1) {
        unsigned word = (unsigned)__builtin_ctzll(summary);
        any |= poll_word(port, atomic_load(&ctl->ready[channel][word]), word,
                         channel, deliver, arg);
    }
    return any;
}

bool fsh_smp_port_poll(struct fsh_smp_port *port, unsigned mask,
                       fsh_smp_deliver_fn deliver, void *arg)
{
    bool any = false;

    /* Replies first: they free what requests wait for. */
    if (mask & 1u << FSH_SMP_REPLY)
        any |= poll_channel(port, FSH_SMP_REPLY, deliver, arg);
    if (mask & 1u << FSH_SMP_REQUEST)
        any |= poll_channel(port, FSH_SMP_REQUEST, deliver, arg);
    /* Other threads of this rank may wait for what a handler did. */
    if (any && port->locking)
        wake_owner(&port->ctl[port->rank]);
    return any;
}

/* --- making and describing ----------------------------------------------- */

struct fsh_smp_port *fsh_smp_port_new(void *base,
                                      const struct fsh_smp_layout *layout,
                                      uint32_t rank, bool locking)
{
    struct fsh_smp_port *port = calloc(1, sizeof *port);

    if (port == NULL)
        return NULL;
    port->base = base;
    port->layout = *layout;
    port->rank = rank;
    port->locking = locking;
    port->ctl = base;
    for (unsigned c = 0; c < FSH_SMP_CHANNELS; c++) {
        port->tx[c] = calloc(layout->ranks, sizeof *port->tx[c]);
        port->rx[c] = calloc(layout->ranks, sizeof *port->rx[c]);
        if (port->tx[c] == NULL || port->rx[c] == NULL) {
            fsh_smp_port_free(port);
            return NULL;
        }
        fsh_smp_pool_init(&port->pool[c]);
    }
    return port;
}

void fsh_smp_port_free(struct fsh_smp_port *port)
{
    if (port == NULL)
        return;
    for (unsigned c = 0; c < FSH_SMP_CHANNELS; c++) {
        free(port->tx[c]);
        free(port->rx[c]);
    }
    free(port);
}

unsigned fsh_smp_port_slots(struct fsh_smp_port *port, unsigned channel,
                            uint32_t dest)
{
    struct fsh_smp_ring *ring = ring_of(port, port->rank, dest, channel);
    struct tx *tx = &port->tx[channel][dest];

    if (tx->tail == 0)
        return 0; /* never used: do not touch its pages */
    return tx->tail - atomic_load_explicit(&ring->freed, memory_order_relaxed);
}

unsigned fsh_smp_port_blocks(struct fsh_smp_port *port, unsigned channel)
{
    return fsh_smp_pool_out(&port->ctl[port->rank], channel);
}
