/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The receiving end of a ring, and ports; see ring.h for the contract, layout.h
 * for the memory layout and send.c for the other end.
 *
 * A slot holds a new message when its stamp equals the lap of the receiver's
 * position.
 *
 * The contents of slots are copied out and the slots freed before the handler
 * runs, so handlers may nest (reply handlers inside am_reply) and several
 * threads may take from one ring. Pool blocks are used in place and returned
 * when the handler has ended.
 */
#include "conduit/smp/ring.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "conduit/smp/send.h"

#define TAKES_PER_POLL 64u /* approximate slots taken from one ring per poll */
#define BATCH 5u           /* messages copied out before their handlers run */
#define FREED_STEP 16u     /* slots consumed before the sender is told */
#define MAX_MESSAGE_SLOTS 10u
/* After this many empty polls a rank stops checking its rings, unless there are
 * so few that checking them costs no more. */
#define IDLE_POLLS 1024u
#define IDLE_RINGS 2

_Static_assert(MAX_MESSAGE_SLOTS *FSH_SMP_SLOT_BYTES >=
                   sizeof(struct fsh_smp_head) + 16 * sizeof(int32_t) +
                       FSH_SMP_MAX_INLINE,
               "largest message in slots");
/* An empty ring whose sender has not been told of the last FREED_STEP - 1 slots
 * always has room for a message, a SKIP before it and the cleared stamp after
 * it. */
_Static_assert(2 * MAX_MESSAGE_SLOTS + 1 + FREED_STEP <= FSH_SMP_SLOTS,
               "no message can be stuck");
_Static_assert(sizeof(struct fsh_smp_head) % FSH_SMP_ALIGN == 0, "payload");

/* A ring that stays empty: for bits of ranks that do not exist, and ranks elsewhere. */
static struct fsh_smp_ring nowhere;

/* For senders that have more to check, or need a full fence: nobody's
 * attention. */
static const struct fsh_smp_ctl nobody;

/* A line prefetched for reading before it is written must be fetched again, by both
 * sides. So the receiver, with a batch and the next one ahead, stays behind what the
 * sender has prefetched for writing. */
_Static_assert(FSH_SMP_AHEAD > 2 * BATCH, "the sender is ahead");

/* Slots copied out of a ring: whole messages. */
struct taken {
    _Alignas(FSH_SMP_ALIGN) unsigned char slot[MAX_MESSAGE_SLOTS]
                                              [FSH_SMP_SLOT_BYTES];
};

/* Fields of a message's first word. */
static inline uint8_t category_of(uint64_t first)
{
    return first >> 40 & 0x3f;
}

static inline uint32_t slots_in(uint64_t first)
{
    return first >> 56 & 0x7f;
}

static inline bool is_skip(uint64_t first)
{
    return first & FSH_SMP_SKIP;
}

/* Whether the message has one slot. */
static inline bool is_single(uint64_t first)
{
    return first >> 56 == 1;
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

/* --- damage ------------------------------------------------------------- */

/* All ranks can write to the whole object, and a stray pointer may do so.
 * Values read from it are checked where they could lead outside it or into an
 * endless loop; never on the path of a single-slot Short. */
static __attribute__((noinline, cold)) _Noreturn void damaged(bool reply,
                                                              uint32_t source,
                                                              uint64_t first,
                                                              uint32_t nbytes)
{
    fsh_fatal("conduit smp: corrupt message in the %s ring from rank %u "
              "(category %u, %u arguments, %u bytes, %u slots): some rank "
              "has written outside its own memory",
              reply ? "reply" : "request", source, category_of(first),
              (unsigned)(first >> 48 & 0xff), nbytes, (unsigned)(first >> 56));
}

static __attribute__((noinline, cold)) _Noreturn void damaged_ring(
    const struct fsh_smp_port *port, const struct fsh_smp_rx *rx,
    uint64_t first)
{
    const struct fsh_smp_rx *replies = port->rx[FSH_SMP_REPLY];
    bool reply = rx >= replies && rx < replies + port->layout.ranks;

    damaged(reply, rx->source, first,
            fsh_smp_head_at(rx->ring, rx->pos)->nbytes);
}

/* --- receiving ----------------------------------------------------------- */

/* Moves to a position: where the next message will be. */
static void stand_at(struct fsh_smp_rx *rx, uint32_t pos)
{
    rx->pos = pos;
    atomic_store_explicit(&rx->next, fsh_smp_head_at(rx->ring, pos),
                          memory_order_relaxed);
    atomic_store_explicit(&rx->stamp, fsh_smp_stamp(pos), memory_order_relaxed);
}

static inline void consume(const struct fsh_smp_port *port,
                           struct fsh_smp_rx *rx, uint32_t slots)
{
    FSH_ASSERT(fsh_lock_is_mine(&rx->lock));
    FSH_ASSERT(slots != 0 && slots <= FSH_SMP_SLOTS);
    /* Only this side frees slots, and only after reading them. */
    FSH_ASSERT(rx->pos - rx->told < FREED_STEP &&
               atomic_load(&rx->ring->freed) == rx->told);
    stand_at(rx, rx->pos + slots);
    if (rx->pos - rx->told >= FREED_STEP) {
        rx->told = rx->pos;
        /* Release, partner: acquire in has_room. */
        atomic_store_explicit(&rx->ring->freed, rx->pos, memory_order_release);
        fsh_smp_tell_freed(port, rx->sender);
    }
}

/* Whether the slots of a message or SKIP end within its lap. */
static bool has_slots(const struct fsh_smp_rx *rx, uint64_t first)
{
    uint32_t left = FSH_SMP_SLOTS - rx->pos % FSH_SMP_SLOTS;
    uint32_t slots = slots_in(first);

    return slots != 0 && slots <= left &&
           (slots <= MAX_MESSAGE_SLOTS || is_skip(first));
}

/* Takes a message of several slots, or a SKIP and the message after it, if
 * there is one. */
static __attribute__((noinline)) uint32_t take_other(
    const struct fsh_smp_port *port, struct fsh_smp_rx *rx, struct taken *t,
    uint64_t first)
{
    const struct fsh_smp_head *head;
    uint32_t n;

    if (!has_slots(rx, first))
        damaged_ring(port, rx, first);
    while (is_skip(first)) {
        consume(port, rx, slots_in(first));
        head = fsh_smp_head_at(rx->ring, rx->pos);
        first = atomic_load_explicit(&head->first, memory_order_acquire);
        if ((uint32_t)first != fsh_smp_stamp(rx->pos))
            return 0;
        if (!has_slots(rx, first))
            damaged_ring(port, rx, first);
    }
    n = slots_in(first);
    memcpy(t, fsh_smp_head_at(rx->ring, rx->pos), n * FSH_SMP_SLOT_BYTES);
    consume(port, rx, n);
    return n;
}

/* Copies the next message out and frees its slots. Returns their number, 0 if
 * there is no message. */
static inline __attribute__((always_inline)) uint32_t take_one(
    const struct fsh_smp_port *port, struct fsh_smp_rx *rx, struct taken *t)
{
    const struct fsh_smp_head *head =
        atomic_load_explicit(&rx->next, memory_order_relaxed);
    /* Acquires the message; partner: fsh_smp_stamp_at. */
    uint64_t first = atomic_load_explicit(&head->first, memory_order_acquire);

    if ((uint32_t)first !=
        atomic_load_explicit(&rx->stamp, memory_order_relaxed))
        return 0;
    if (__builtin_expect(!is_single(first), 0))
        return take_other(port, rx, t, first);
    memcpy(t->slot[0], head, FSH_SMP_SLOT_BYTES);
    consume(port, rx, 1);
    return 1;
}

/* Identifies a single-slot Short without flags: stamp, category and slots. The
 * rest of its first word is handler and number of arguments. */
#define PLAIN_MASK UINT64_C(0xff00ff00ffffffff)

/* Prefetches this many slots from a position on. */
static inline void fetch_batch(struct fsh_smp_ring *ring, uint32_t pos)
{
    uint32_t at = pos % FSH_SMP_SLOTS;

    if (__builtin_expect(at <= FSH_SMP_SLOTS - BATCH, 1)) {
#pragma GCC unroll 8
        for (uint32_t i = 0; i < BATCH; i++)
            __builtin_prefetch(ring->slot[at + i]);
        return;
    }
    for (uint32_t i = 0; i < BATCH; i++)
        __builtin_prefetch(fsh_smp_head_at(ring, pos + i));
}

/* Copies up to BATCH plain Shorts of one lap out and frees their slots. Returns how
 * many. Whether there is another is decided by a branch rather than arithmetic, so that
 * the processor speculates and fetches the lines of a batch in parallel. After a full
 * batch more are likely, and their lines are prefetched while handlers run. */
static inline __attribute__((always_inline)) uint32_t take_shorts(
    const struct fsh_smp_port *port, struct fsh_smp_rx *rx, struct fsh_short *m)
{
    uint32_t pos = rx->pos, left = FSH_SMP_SLOTS - pos % FSH_SMP_SLOTS, n;
    uint32_t most = left < BATCH ? left : BATCH;
    uint64_t plain =
        fsh_smp_first(fsh_smp_stamp(pos), fsh_smp_what(0, FSH_AM_SHORT, 0), 1);
    const struct fsh_smp_head *head = fsh_smp_head_at(rx->ring, pos);

    for (n = 0; n < most; n++) {
        uint64_t what =
            atomic_load_explicit(&head->first, memory_order_acquire) ^ plain;

        if ((what & PLAIN_MASK) != 0)
            break;
        m[n].what = (uint32_t)(what >> 32);
        memcpy(m[n].args, head + 1, sizeof m->args);
        head += FSH_SMP_SLOT_BYTES / sizeof *head;
    }
    if (n == 0)
        return 0;
    consume(port, rx, n);
    if (n == BATCH)
        fetch_batch(rx->ring, pos + n);
    return n;
}

/* The same for up to BATCH single-slot messages of any kind, or one message of
 * several slots. */
static uint32_t take_batch(const struct fsh_smp_port *port,
                           struct fsh_smp_rx *rx, struct taken *t)
{
    uint32_t pos = rx->pos, n;

    for (n = 0; n < BATCH; n++) {
        const struct fsh_smp_head *head = fsh_smp_head_at(rx->ring, pos + n);
        uint64_t first =
            atomic_load_explicit(&head->first, memory_order_acquire);

        if ((uint32_t)first != fsh_smp_stamp(pos + n) || !is_single(first))
            break;
        memcpy(t->slot[n], head, FSH_SMP_SLOT_BYTES);
    }
    if (n == 0)
        return take_one(port, rx, t);
    consume(port, rx, n);
    if (n == BATCH)
        fetch_batch(rx->ring, pos + n);
    return n;
}

/* Returns a block of `owner` after the handler that used it has ended: in shared
 * memory, where an owner that runs short looks, and with the next message to it, so
 * that it usually need not look. The releases order the handler's reads before;
 * partners: is_over (pool.c) and fill (send.c). */
static __attribute__((noinline)) void give_back(struct fsh_smp_port *port,
                                                uint32_t owner,
                                                unsigned channel,
                                                const struct fsh_smp_head *head)
{
    _Atomic uint32_t *over;
    uint32_t block = (uint32_t)head->addr;
    uint64_t back = 1 + channel * FSH_SMP_BLOCKS + block;

    FSH_ASSERT(block < FSH_SMP_BLOCKS);
    over = &port->tx[channel][owner].owner->over[channel][block];
    FSH_ASSERT(atomic_load(over) != head->use); /* a use ends once */
    atomic_store_explicit(over, head->use, memory_order_release);
    atomic_store_explicit(&port->back[owner].word, back << 32 | head->use,
                          memory_order_release);
    for (unsigned c = 0; c < FSH_SMP_CHANNELS; c++) {
        struct fsh_smp_tx *tx = &port->tx[c][owner];

        /* Attach it to the next message, or a later one if another thread is
         * sending now. */
        if (fsh_smp_lock_try(port, &tx->lock)) {
            tx->plain = tx->tail;
            fsh_smp_unlock(port, &tx->lock);
        }
    }
    fsh_smp_tell_freed(port, port->tx[channel][owner].owner);
}

/* The receiver of a message is done with a block of ours. */
static __attribute__((noinline)) void take_back(struct fsh_smp_port *port,
                                                const struct fsh_smp_head *head)
{
    uint32_t number = (uint32_t)(head->back >> 32) - 1;
    unsigned channel = number / FSH_SMP_BLOCKS;

    /* Without the lock the hint is dropped: shared memory says it too. */
    if (channel >= FSH_SMP_CHANNELS ||
        !fsh_smp_lock_try(port, &port->pool_lock[channel]))
        return;
    fsh_smp_pool_over(&port->pool[channel], number % FSH_SMP_BLOCKS,
                      (uint32_t)head->back);
    fsh_smp_unlock(port, &port->pool_lock[channel]);
}

/* Runs a Medium whose payload is in a block of its sender's pool. */
static __attribute__((noinline)) void run_pooled(
    struct fsh_smp_port *port, const struct fsh_smp_head *head,
    struct fsh_token *token, fsh_smp_deliver_fn deliver, void *arg)
{
    uint32_t source = token->source;
    unsigned channel = token->is_request ? FSH_SMP_REQUEST : FSH_SMP_REPLY;

    token->category = FSH_AM_MEDIUM;
    token->buf = fsh_smp_block(port, fsh_smp_index(port, source), channel,
                               (uint32_t)head->addr);
    deliver(token, arg);
    give_back(port, source, channel, head);
}

/* Whether [addr, addr + n) is in the memory that others may put to. */
static bool is_here(const struct fsh_smp_port *port, uint64_t addr, size_t n)
{
    uint64_t from = addr - (uint64_t)(uintptr_t)fsh_smp_segment(
                               port->base, &port->layout, port->index);

    return from <= port->layout.segment_stride &&
           n <= port->layout.segment_stride - from;
}

/* Whether the payload of a message other than a Short is within bounds. */
static inline bool is_whole(const struct fsh_smp_port *port,
                            const struct fsh_smp_head *head, uint64_t first)
{
    bool along = fsh_smp_payload((uint8_t)(first >> 48)) + head->nbytes <=
                 slots_in(first) * FSH_SMP_SLOT_BYTES;

    switch (category_of(first)) {
    case FSH_AM_LONG:
        return !(first >> 40 & FSH_SMP_NEAR) ||
               (along && is_here(port, head->addr, head->nbytes));
    case FSH_AM_MEDIUM:
        return along;
    case FSH_SMP_POOLED:
        return head->addr < FSH_SMP_BLOCKS &&
               head->nbytes <= fsh_smp_pool_room((uint32_t)head->addr);
    default:
        return false;
    }
}

/* Runs the handler of a message that was copied out. */
static inline __attribute__((always_inline)) void run(
    struct fsh_smp_port *port, struct fsh_smp_head *head, uint32_t source,
    unsigned channel, fsh_smp_deliver_fn deliver, void *arg)
{
    uint64_t first = atomic_load_explicit(&head->first, memory_order_relaxed);
    struct fsh_token token;

    token.source = source;
    token.handler = (uint8_t)(first >> 32);
    token.category = category_of(first);
    token.nargs = (uint8_t)(first >> 48);
    token.is_request = channel == FSH_SMP_REQUEST;
    token.replied = false;
    token.lane = 0;
    token.args = (const int32_t *)(void *)(head + 1);
    FSH_ASSERT(source < port->ranks && channel < FSH_SMP_CHANNELS);
    /* A handler may send and poll. */
    FSH_ASSERT(!fsh_lock_is_mine(
        &port->rx[channel][fsh_smp_index(port, source)].lock));
    if (__builtin_expect(first >> 40 & FSH_SMP_BACK, 0))
        take_back(port, head);
    if (token.category != FSH_AM_SHORT) {
        if (__builtin_expect(!is_whole(port, head, first), 0))
            damaged(channel == FSH_SMP_REPLY, source, first, head->nbytes);
        token.nbytes = head->nbytes;
        token.buf = token.category == FSH_AM_MEDIUM
                        ? (unsigned char *)head + fsh_smp_payload(token.nargs)
                        : (unsigned char *)(uintptr_t)head->addr;
        if (first >> 40 & FSH_SMP_NEAR)
            fsh_copy_words(token.buf,
                           (unsigned char *)head + fsh_smp_payload(token.nargs),
                           token.nbytes);
        FSH_ASSERT(token.nbytes <= FSH_SMP_MAX_MEDIUM ||
                   token.category == FSH_AM_LONG);
        if (token.category == FSH_SMP_POOLED) {
            run_pooled(port, head, &token, deliver, arg);
            return;
        }
    }
    deliver(&token, arg);
}

/* The sources of a word, from the first one that has sent something. */
static inline uint64_t find_new(const struct fsh_smp_rx *rx, uint64_t bits)
{
    for (; bits != 0; bits &= bits - 1)
        if (__builtin_expect(
                fsh_smp_seems_new(&rx[(unsigned)__builtin_ctzll(bits)]), 0))
            break;
    return bits;
}

/* If another thread holds a ring's lock, it takes what there is. */
static inline bool may_take(struct fsh_smp_port *port, struct fsh_smp_rx *rx)
{
    return fsh_smp_seems_new(rx) && fsh_smp_lock_try_first(port, &rx->lock);
}

/* Runs the handlers of plain Shorts one by one. */
static __attribute__((noinline)) void run_each(const struct fsh_short *m,
                                               uint32_t n,
                                               struct fsh_token *token,
                                               fsh_smp_deliver_fn deliver,
                                               void *arg)
{
    for (uint32_t i = 0; i < n; i++) {
        token->handler = fsh_short_handler(m[i].what);
        token->nargs = fsh_short_nargs(m[i].what);
        token->replied = false;
        token->args = m[i].args;
        if (token->nargs > FSH_SHORT_ARGS)
            damaged(!token->is_request, token->source,
                    (uint64_t)m[i].what << 32, 0);
        deliver(token, arg);
    }
}

/* Runs the handlers of n plain Shorts. */
static inline void run_shorts(struct fsh_smp_port *port,
                              const struct fsh_short *m, uint32_t n,
                              struct fsh_token *token,
                              fsh_smp_deliver_fn deliver, void *arg)
{
    if (__builtin_expect(port->shorts != NULL, 1))
        port->shorts(token, m, n);
    else
        run_each(m, n, token, deliver, arg);
}

/* Takes a batch of any messages, releases the lock and runs their handlers.
 * Returns the slots they took. */
static __attribute__((noinline)) uint32_t take_and_run(
    struct fsh_smp_port *port, struct fsh_smp_rx *rx, unsigned channel,
    fsh_smp_deliver_fn deliver, void *arg)
{
    struct taken t;
    uint32_t n = take_batch(port, rx, &t);

    fsh_smp_unlock_first(port, &rx->lock);
    for (uint32_t i = 0; i < n;) {
        struct fsh_smp_head *head = (void *)t.slot[i];

        i += slots_in(atomic_load_explicit(&head->first, memory_order_relaxed));
        run(port, head, rx->source, channel, deliver, arg);
    }
    return n;
}

/* Several messages from a source: delivers them in batches, up to a limit. Plain Shorts
 * are the most common case. */
static __attribute__((noinline)) void poll_more(struct fsh_smp_port *port,
                                                struct fsh_smp_rx *rx,
                                                unsigned channel,
                                                fsh_smp_deliver_fn deliver,
                                                void *arg)
{
    struct fsh_token token = {.source = rx->source,
                              .category = FSH_AM_SHORT,
                              .is_request = channel == FSH_SMP_REQUEST};
    struct fsh_short shorts[BATCH];

    for (uint32_t done = 0, n; done < TAKES_PER_POLL; done += n) {
        if (!may_take(port, rx))
            return;
        n = take_shorts(port, rx, shorts);
        if (__builtin_expect(n == 0, 0)) {
            n = take_and_run(port, rx, channel, deliver, arg);
            continue;
        }
        fsh_smp_unlock_first(port, &rx->lock);
        run_shorts(port, shorts, n, &token, deliver, arg);
    }
}

/* Delivers what has arrived from the sources of a word. The first message is
 * delivered on its own: looking for more first would delay its answer. */
static __attribute__((noinline)) bool poll_word(struct fsh_smp_port *port,
                                                uint64_t bits, unsigned word,
                                                unsigned channel,
                                                fsh_smp_deliver_fn deliver,
                                                void *arg)
{
    struct taken t;
    bool any = false;

    for (; bits != 0; bits &= bits - 1) {
        uint32_t index = word * 64 + (uint32_t)__builtin_ctzll(bits), n;
        struct fsh_smp_rx *rx = &port->rx[channel][index];

        if (!may_take(port, rx))
            continue;
        n = take_one(port, rx, &t);
        fsh_smp_unlock_first(port, &rx->lock);
        if (n == 0)
            continue;
        any = true;
        run(port, (void *)t.slot[0], rx->source, channel, deliver, arg);
        if (fsh_smp_seems_new(rx))
            poll_more(port, rx, channel, deliver, arg);
    }
    return any;
}

static inline uint64_t summary_of(const struct fsh_smp_port *port,
                                  unsigned channel)
{
    return atomic_load_explicit(&port->own->summary[channel],
                                memory_order_relaxed);
}

static bool poll_channel(struct fsh_smp_port *port, unsigned channel,
                         fsh_smp_deliver_fn deliver, void *arg)
{
    uint64_t summary = summary_of(port, channel);
    bool any = false;

    if (port->layout.ranks <= 64)
        return poll_word(port, summary, 0, channel, deliver, arg);
    for (summary &= fsh_smp_words(port); summary != 0; summary &= summary - 1) {
        unsigned w = (unsigned)__builtin_ctzll(summary);

        any |= poll_word(port,
                         atomic_load_explicit(&port->own->ready[channel][w],
                                              memory_order_relaxed),
                         w, channel, deliver, arg);
    }
    return any;
}

/* The number of rings checked; beyond 64 ranks, of their words. */
static int attended(const struct fsh_smp_port *port)
{
    int n = 0;

    for (unsigned c = 0; c < FSH_SMP_CHANNELS; c++)
        n += __builtin_popcountll(summary_of(port, c));
    return n;
}

/* Counts polls until withdrawn rings are due for a recheck. */
static inline void count_late(struct fsh_smp_port *port, unsigned polls)
{
    unsigned n;

    if (__builtin_expect(
            atomic_load_explicit(&port->late_looks, memory_order_relaxed) == 0,
            1))
        return;
    n = atomic_load_explicit(&port->late_polls, memory_order_relaxed) + polls;
    atomic_store_explicit(&port->late_polls, n, memory_order_relaxed);
    if (n >= FSH_SMP_LATE_POLLS)
        fsh_smp_look_again(port);
}

static __attribute__((noinline)) void long_idle(struct fsh_smp_port *port)
{
    if (attended(port) > IDLE_RINGS)
        fsh_smp_withdraw(port);
    else
        count_late(port, IDLE_POLLS);
    atomic_store_explicit(&port->idle, 0, memory_order_relaxed);
}

static inline void count_idle(struct fsh_smp_port *port)
{
    unsigned idle = atomic_load_explicit(&port->idle, memory_order_relaxed) + 1;

    atomic_store_explicit(&port->idle, idle, memory_order_relaxed);
    if (__builtin_expect(idle >= IDLE_POLLS, 0))
        long_idle(port);
}

static bool found(struct fsh_smp_port *port)
{
    count_late(port, 1);
    atomic_store_explicit(&port->idle, 0, memory_order_relaxed);
    fsh_smp_wake_siblings(port);
    return true;
}

static inline bool conclude(struct fsh_smp_port *port, bool any)
{
    if (any)
        return found(port);
    count_idle(port);
    return false;
}

/* Replies first: they free what requests wait for. */
FSH_HOT static __attribute__((noinline)) bool poll_all(
    struct fsh_smp_port *port, fsh_smp_deliver_fn deliver, void *arg)
{
    bool any = poll_channel(port, FSH_SMP_REPLY, deliver, arg);

    any |= poll_channel(port, FSH_SMP_REQUEST, deliver, arg);
    return conclude(port, any);
}

static __attribute__((noinline)) bool poll_rest(struct fsh_smp_port *port,
                                                uint64_t replies,
                                                fsh_smp_deliver_fn deliver,
                                                void *arg)
{
    bool any = poll_word(port, replies, 0, FSH_SMP_REPLY, deliver, arg);

    any |= poll_channel(port, FSH_SMP_REQUEST, deliver, arg);
    return conclude(port, any);
}

FSH_HOT bool fsh_smp_port_poll(struct fsh_smp_port *port,
                               fsh_smp_deliver_fn deliver, void *arg)
{
    uint64_t bits;

    if (__builtin_expect(port->layout.ranks > 64, 0))
        return poll_all(port, deliver, arg);
    bits = find_new(port->rx[FSH_SMP_REPLY], summary_of(port, FSH_SMP_REPLY));
    if (bits != 0)
        return poll_rest(port, bits, deliver, arg);
    bits =
        find_new(port->rx[FSH_SMP_REQUEST], summary_of(port, FSH_SMP_REQUEST));
    if (bits != 0)
        return conclude(
            port, poll_word(port, bits, 0, FSH_SMP_REQUEST, deliver, arg));
    count_idle(port);
    return false;
}

bool fsh_smp_port_poll_replies(struct fsh_smp_port *port,
                               fsh_smp_deliver_fn deliver, void *arg)
{
    return conclude(port, poll_channel(port, FSH_SMP_REPLY, deliver, arg));
}

/* --- construction and description ----------------------------------------- */

static bool make_ends(struct fsh_smp_port *port, unsigned channel,
                      const uint32_t *index)
{
    uint32_t ranks = port->layout.ranks, bits = (ranks + 63) / 64 * 64;
    struct fsh_smp_tx *tx = aligned_alloc(64, port->ranks * sizeof *tx);
    struct fsh_smp_rx *rx = aligned_alloc(64, bits * sizeof *rx);

    port->tx[channel] = tx;
    port->rx[channel] = rx;
    if (tx == NULL || rx == NULL)
        return false;
    memset(tx, 0, port->ranks * sizeof *tx);
    memset(rx, 0, bits * sizeof *rx);
    for (uint32_t i = 0; i < bits; i++) {
        rx[i].ring =
            i < ranks ? ring_of(port, i, port->index, channel) : &nowhere;
        rx[i].sender = &port->ctl[i < ranks ? i : 0];
        stand_at(&rx[i], 0);
    }
    for (uint32_t r = 0; r < port->ranks; r++) {
        uint32_t i = index != NULL ? index[r] : r;

        if (i == FSH_SMP_ELSEWHERE) {
            tx[r].ring = &nowhere; /* never has room */
            continue;
        }
        rx[i].source = r;
        tx[r].ring = ring_of(port, port->index, i, channel);
        tx[r].owner = &port->ctl[i];
        tx[r].watch = ranks <= 64 && !port->fenced ? tx[r].owner : &nobody;
        tx[r].bit = UINT64_C(1) << port->index % 64;
    }
    fsh_smp_pool_init(&port->pool[channel]);
    return true;
}

struct fsh_smp_port *fsh_smp_port_among(void *base,
                                        const struct fsh_smp_layout *layout,
                                        const struct fsh_smp_ranks *among,
                                        bool locking)
{
    struct fsh_smp_port *port = calloc(1, sizeof *port);
    const uint32_t *index = among->index;

    if (port == NULL)
        return NULL;
    port->base = base;
    port->layout = *layout;
    port->rank = among->rank;
    port->ranks = among->ranks;
    port->index = index != NULL ? index[port->rank] : port->rank;
    port->locking = locking;
    port->ctl = base;
    port->own = &port->ctl[port->index];
    port->fenced = !fsh_heavy_fence_init();
    atomic_init(&port->shared, port->fenced);
    port->back = calloc(port->ranks, sizeof *port->back);
    if (port->back == NULL || !make_ends(port, FSH_SMP_REQUEST, index) ||
        !make_ends(port, FSH_SMP_REPLY, index)) {
        fsh_smp_port_free(port);
        return NULL;
    }
    return port;
}

struct fsh_smp_port *fsh_smp_port_new(void *base,
                                      const struct fsh_smp_layout *layout,
                                      uint32_t rank, bool locking)
{
    const struct fsh_smp_ranks all = {.rank = rank, .ranks = layout->ranks};

    return fsh_smp_port_among(base, layout, &all, locking);
}

void fsh_smp_port_bells(struct fsh_smp_port *port, int *bell,
                        fsh_smp_sleep_fn sleep)
{
    port->bell = bell;
    port->sleep = sleep;
}

void fsh_smp_port_free(struct fsh_smp_port *port)
{
    if (port == NULL)
        return;
    for (unsigned c = 0; c < FSH_SMP_CHANNELS; c++) {
        free(port->tx[c]);
        free(port->rx[c]);
    }
    free(port->back);
    free(port);
}

void fsh_smp_port_take_shorts(struct fsh_smp_port *port, fsh_smp_shorts_fn fn)
{
    port->shorts = fn;
}

unsigned fsh_smp_port_slots(struct fsh_smp_port *port, unsigned channel,
                            uint32_t dest)
{
    struct fsh_smp_tx *tx = &port->tx[channel][dest];

    if (tx->tail == 0)
        return 0; /* never used: do not touch its pages */
    return tx->tail -
           atomic_load_explicit(&tx->ring->freed, memory_order_relaxed);
}

unsigned fsh_smp_port_blocks(struct fsh_smp_port *port, unsigned channel)
{
    return fsh_smp_pool_out(&port->pool[channel], port->own, channel);
}
