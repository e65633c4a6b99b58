/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sending from inside: what all messages share (ring.c), and the whole way of a
 * Short message that meets nothing special, inline, without a stack frame. Lines
 * of a ring come from another processor, and the stores to them wait for each
 * other in program order together with all stores between: the fewer of those
 * there are, the more messages are on their way at once. See ring.h for the
 * contract.
 */
#ifndef FSH_SMP_SEND_H
#define FSH_SMP_SEND_H

#include "conduit/smp/port.h"

/* Slots before its own that a message has the line of fetched. */
#define FSH_SMP_AHEAD 8u

/* Arguments that fit into the first slot. */
#define FSH_SMP_FIRST_ARGS \
    ((FSH_SMP_SLOT_BYTES - sizeof(struct fsh_smp_head)) / sizeof(int32_t))

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
                                    unsigned handler, unsigned category,
                                    unsigned nargs, uint32_t slots)
{
    struct fsh_smp_ring *ring = tx->ring;

    /* Releases the message; A, partner: fsh_smp_is_new. */
    atomic_store_explicit(
        &fsh_smp_head_at(ring, tail)->first,
        fsh_smp_first(fsh_smp_stamp(tail), handler, category, nargs, slots),
        memory_order_release);
    tx->tail = tail + slots;
    fsh_prefetch_write(fsh_smp_head_at(ring, tail + FSH_SMP_AHEAD));
}

/* Everything else of the message is in its slots. Lock held. */
static inline void fsh_smp_publish(struct fsh_smp_tx *tx, unsigned handler,
                                   unsigned category, unsigned nargs,
                                   uint32_t slots)
{
    if (__builtin_expect((tx->inner | (slots - 1)) != 0, 0))
        fsh_smp_mark_inside(tx, slots);
    fsh_smp_stamp_at(tx, tx->tail, handler, category, nargs, slots);
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

/* Tell. Returns 0. */
int fsh_smp_announce(struct fsh_smp_port *port, const struct fsh_smp_tx *tx,
                     unsigned channel);

/* How a Short goes that meets something special; returns 0. */
typedef int (*fsh_smp_slow_fn)(unsigned channel, uint32_t dest,
                               unsigned handler, unsigned nargs,
                               const int32_t *args);

/* Send a Short message; returns 0. Every way out is a return or a jump. */
static inline __attribute__((always_inline)) int fsh_smp_send_short(
    struct fsh_smp_port *port, unsigned channel, uint32_t dest,
    unsigned handler, unsigned nargs, const int32_t *args, fsh_smp_slow_fn slow)
{
    struct fsh_smp_tx *tx = &port->tx[channel][dest];
    uint32_t tail;
    int32_t *to;

    if (__builtin_expect(nargs > FSH_SMP_FIRST_ARGS, 0) ||
        !fsh_smp_lock_try(port, &tx->lock))
        return slow(channel, dest, handler, nargs, args);
    /* There is no room, or a payload was in these slots, or a block is to be
     * given back. */
    if (__builtin_expect(!fsh_smp_has_room(tx, 2) || tx->inner != 0 ||
                             atomic_load_explicit(&port->back[dest].word,
                                                  memory_order_relaxed) != 0,
                         0)) {
        fsh_smp_unlock(port, &tx->lock);
        return slow(channel, dest, handler, nargs, args);
    }
    tail = tx->tail;
    to = (int32_t *)(void *)(fsh_smp_head_at(tx->ring, tail) + 1);
    for (unsigned i = 0; i < nargs; i++)
        to[i] = args[i];
    fsh_smp_stamp_at(tx, tail, handler, FSH_AM_SHORT, nargs, 1);
    fsh_smp_unlock(port, &tx->lock);
    if (__builtin_expect(fsh_smp_must_announce(port, tx, channel), 0))
        return fsh_smp_announce(port, tx, channel);
    return 0;
}

#endif
