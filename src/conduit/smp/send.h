/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sending from inside: what all messages share (send.c), and the whole way of a
 * Short message that meets nothing special, inline, without a stack frame. Lines
 * of a ring come from another processor, and the stores to them wait for each
 * other in program order together with all stores between: the fewer of those
 * there are, the more messages are on their way at once. See ring.h for the
 * contract.
 */
#ifndef FSH_SMP_SEND_H
#define FSH_SMP_SEND_H

#include "base/words.h"
#include "conduit/smp/port.h"

/* Slots before its own that a message has the line of fetched: beyond those that
 * the receiver fetches (ring.c). */
#define FSH_SMP_AHEAD 13u

/* Arguments that fit into the first slot. */
#define FSH_SMP_FIRST_ARGS \
    ((FSH_SMP_SLOT_BYTES - sizeof(struct fsh_smp_head)) / sizeof(int32_t))

/* Payloads that are sent along are aligned to this. */
#define FSH_SMP_ALIGN 16u

/* Where one begins, from the message's first byte. */
static inline size_t fsh_smp_payload(unsigned nargs)
{
    size_t args = nargs * sizeof(int32_t);

    return sizeof(struct fsh_smp_head) +
           (args + FSH_SMP_ALIGN - 1) / FSH_SMP_ALIGN * FSH_SMP_ALIGN;
}

/* Is there room for so many slots? Lock held. */
static inline bool fsh_smp_has_room(struct fsh_smp_tx *tx, uint32_t slots)
{
    if (__builtin_expect(tx->tail - tx->freed + slots <= FSH_SMP_SLOTS, 1))
        return true;
    /* Acquire, partner: release in consume: the receiver has copied the
     * slots. */
    tx->freed = atomic_load_explicit(&tx->ring->freed, memory_order_acquire);
    return tx->tail - tx->freed + slots <= FSH_SMP_SLOTS;
}

/* Remember the inside of the message at the tail, and make the slot after it not
 * look like one. */
void fsh_smp_mark_inside(struct fsh_smp_tx *tx, uint32_t slots);

/* Say that a message is in the slots at `tail`, which is the ring's. */
static inline void fsh_smp_stamp_at(struct fsh_smp_tx *tx, uint32_t tail,
                                    uint64_t what, uint32_t slots)
{
    struct fsh_smp_ring *ring = tx->ring;

    /* Releases the message; A, partner: fsh_smp_is_new. */
    atomic_store_explicit(&fsh_smp_head_at(ring, tail)->first,
                          fsh_smp_first(fsh_smp_stamp(tail), what, slots),
                          memory_order_release);
    tx->tail = tail + slots;
    fsh_prefetch_write(fsh_smp_head_at(ring, tail + FSH_SMP_AHEAD));
}

/* Everything else of the message is in its slots. Lock held. */
static inline void fsh_smp_publish(struct fsh_smp_tx *tx, uint64_t what,
                                   uint32_t slots)
{
    if (__builtin_expect((tx->inner | (slots - 1)) != 0, 0))
        fsh_smp_mark_inside(tx, slots);
    fsh_smp_stamp_at(tx, tx->tail, what, slots);
}

/* After a message was published and the lock let go: is there somebody to be
 * told, or a fence to be made first? */
static inline bool fsh_smp_must_announce(const struct fsh_smp_port *port,
                                         const struct fsh_smp_tx *tx,
                                         unsigned channel)
{
    /* A, B, partners: fsh_smp_withdraw and fsh_smp_port_sleep. */
    fsh_light_fence();
    return port->fenced || !fsh_smp_attended(port, tx, channel) ||
           atomic_load_explicit(&tx->owner->sleepers, memory_order_relaxed) !=
               0;
}

/* Tell. */
void fsh_smp_announce(struct fsh_smp_port *port, const struct fsh_smp_tx *tx,
                      unsigned channel);

/* Send a message of one slot and tell: a Short, or the Long that long_am is; near:
 * with its payload, for which there has to be room. False: it meets something
 * special, and nothing was done; fsh_smp_port_send has to be asked. */
static inline __attribute__((always_inline)) bool fsh_smp_send_lean(
    struct fsh_smp_port *port, unsigned channel, uint32_t dest,
    unsigned handler, unsigned nargs, const int32_t *args,
    const struct fsh_am *long_am, bool near)
{
    struct fsh_smp_tx *tx = &port->tx[channel][dest];
    unsigned category = FSH_AM_SHORT;
    struct fsh_smp_head *head;
    uint32_t tail;
    int32_t *to;

    if (__builtin_expect(nargs > FSH_SMP_FIRST_ARGS, 0) ||
        !fsh_smp_lock_try(port, &tx->lock))
        return false;
    /* There is no room, or a payload was in these slots, or a block is to be
     * given back. */
    if (__builtin_expect(!fsh_smp_has_room(tx, 2) || tx->inner != 0 ||
                             atomic_load_explicit(&port->back[dest].word,
                                                  memory_order_relaxed) != 0,
                         0)) {
        fsh_smp_unlock(port, &tx->lock);
        return false;
    }
    tail = tx->tail;
    head = fsh_smp_head_at(tx->ring, tail);
    to = (int32_t *)(void *)(head + 1);
    for (unsigned i = 0; i < nargs; i++)
        to[i] = args[i];
    if (long_am != NULL) {
        category = near ? FSH_AM_LONG | FSH_SMP_NEAR : FSH_AM_LONG;
        head->nbytes = (uint32_t)long_am->nbytes;
        head->addr = (uint64_t)(uintptr_t)long_am->dst;
        if (near)
            fsh_copy_words((unsigned char *)head + fsh_smp_payload(nargs),
                           long_am->src, long_am->nbytes);
    }
    fsh_smp_stamp_at(tx, tail, fsh_smp_what(handler, category, nargs), 1);
    fsh_smp_unlock(port, &tx->lock);
    if (__builtin_expect(fsh_smp_must_announce(port, tx, channel), 0))
        fsh_smp_announce(port, tx, channel);
    return true;
}

#endif
