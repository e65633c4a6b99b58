/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Internals of sending: what all messages share (send.c), and the inline fast path of
 * a Short, without a stack frame. The cache lines of a ring come from another
 * processor, and stores retire in program order, so a store that misses stalls all
 * stores after it: the fewer other stores between those to the ring, the more
 * messages in flight. See ring.h for the contract.
 */
#ifndef FSH_SMP_SEND_H
#define FSH_SMP_SEND_H

#include "base/words.h"
#include "conduit/smp/port.h"

/* How many slots ahead the sender prefetches: more than the receiver does (ring.c). */
#define FSH_SMP_AHEAD 11u

/* Arguments that fit in the first slot. */
#define FSH_SMP_FIRST_ARGS \
    ((FSH_SMP_SLOT_BYTES - sizeof(struct fsh_smp_head)) / sizeof(int32_t))

/* Alignment of inline payloads. */
#define FSH_SMP_ALIGN 16u

/* Offset of the inline payload from the message's first byte. */
static inline size_t fsh_smp_payload(unsigned nargs)
{
    size_t args = nargs * sizeof(int32_t);

    return sizeof(struct fsh_smp_head) +
           (args + FSH_SMP_ALIGN - 1) / FSH_SMP_ALIGN * FSH_SMP_ALIGN;
}

/* The receiver's count of freed slots is impossible: ends the job. */
_Noreturn void fsh_smp_damaged_count(const struct fsh_smp_tx *tx,
                                     uint32_t freed);

/* Whether there is room for this many slots. Lock held. */
static inline bool fsh_smp_has_room(struct fsh_smp_tx *tx, uint32_t slots)
{
    uint32_t freed;

    if (__builtin_expect(tx->tail - tx->freed + slots <= FSH_SMP_SLOTS, 1))
        return true;
    /* Acquire, partner: release in consume: the receiver has copied the
     * slots. */
    freed = atomic_load_explicit(&tx->ring->freed, memory_order_acquire);
    /* It is in shared memory: a value above the slots written would wrap. */
    if (__builtin_expect(tx->tail - freed > FSH_SMP_SLOTS, 0))
        fsh_smp_damaged_count(tx, freed);
    tx->freed = freed;
    return tx->tail - freed + slots <= FSH_SMP_SLOTS;
}

/* Records the inside of the message at the tail, and clears the stamp of the slot after
 * it. */
void fsh_smp_mark_inside(struct fsh_smp_tx *tx, uint32_t slots);

/* Publishes the message in the slots at `tail`, the ring's tail. */
static inline void fsh_smp_stamp_at(struct fsh_smp_tx *tx, uint32_t tail,
                                    uint64_t what, uint32_t slots)
{
    struct fsh_smp_ring *ring = tx->ring;

    FSH_ASSERT(slots != 0 && tail % FSH_SMP_SLOTS + slots <= FSH_SMP_SLOTS);
    FSH_ASSERT(tail + slots - tx->freed <= FSH_SMP_SLOTS);
    /* The old stamp must not match: the receiver would have taken it. */
    FSH_ASSERT((uint32_t)atomic_load(&fsh_smp_head_at(ring, tail)->first) !=
               fsh_smp_stamp(tail));
    /* Releases the message; A, partner: fsh_smp_is_new. */
    atomic_store_explicit(&fsh_smp_head_at(ring, tail)->first,
                          fsh_smp_first(fsh_smp_stamp(tail), what, slots),
                          memory_order_release);
    tx->tail = tail + slots;
}

/* After writing a message at `tail`, prefetches a later slot for writing. That slot
 * must be free, or its line is taken from the receiver, which may have prefetched it
 * for reading. */
static inline void fsh_smp_fetch_ahead(struct fsh_smp_tx *tx, uint32_t tail)
{
    fsh_prefetch_write(fsh_smp_head_at(tx->ring, tail + FSH_SMP_AHEAD));
}

/* Publishes a message whose slots are otherwise complete. Lock held. */
static inline void fsh_smp_publish(struct fsh_smp_tx *tx, uint64_t what,
                                   uint32_t slots)
{
    uint32_t tail = tx->tail;

    FSH_ASSERT(fsh_lock_is_mine(&tx->lock));
    if (__builtin_expect((tx->inner | (slots - 1)) != 0, 0))
        fsh_smp_mark_inside(tx, slots);
    fsh_smp_stamp_at(tx, tail, what, slots);
    if (tail - tx->freed + FSH_SMP_AHEAD < FSH_SMP_SLOTS)
        fsh_smp_fetch_ahead(tx, tail);
}

/* After publishing a message and unlocking: whether the owner must be notified,
 * or a fence must come first. */
static inline bool fsh_smp_must_announce(const struct fsh_smp_tx *tx,
                                         unsigned channel)
{
    const struct fsh_smp_ctl *watch = tx->watch;

    /* A, B, partners: fsh_smp_withdraw and fsh_smp_port_sleep. */
    fsh_light_fence();
    return __builtin_expect(!(atomic_load_explicit(&watch->summary[channel],
                                                   memory_order_relaxed) &
                              tx->bit),
                            0) ||
           __builtin_expect(atomic_load_explicit(&watch->sleepers,
                                                 memory_order_relaxed) != 0,
                            0);
}

/* Notifies the owner. Returns 0. */
int fsh_smp_announce(struct fsh_smp_port *port, const struct fsh_smp_tx *tx,
                     unsigned channel);

/* Ends a send: notifies if necessary. Returns 0, for a tail call. */
static inline __attribute__((always_inline)) int fsh_smp_told(
    struct fsh_smp_port *port, const struct fsh_smp_tx *tx, unsigned channel)
{
    if (fsh_smp_must_announce(tx, channel))
        return fsh_smp_announce(port, tx, channel);
    return 0;
}

/* Writes the message and its stamp. Lock held. False: nothing done; use the
 * slow path. */
static inline __attribute__((always_inline)) bool fsh_smp_write_lean(
    struct fsh_smp_tx *tx, uint32_t what, const int32_t *args,
    const struct fsh_am *long_am, bool near)
{
    uint32_t tail = tx->tail, nargs = what >> 16;
    struct fsh_smp_head *head = fsh_smp_head_at(tx->ring, tail);
    int32_t *to = (int32_t *)(void *)(head + 1);
    unsigned category = FSH_AM_SHORT;

    FSH_ASSERT(tx->plain - tail <= FSH_SMP_SLOTS - 1 - FSH_SMP_AHEAD);
    if (__builtin_expect(tail == tx->plain, 0))
        return false;
    FSH_ASSERT(tx->inner == 0 && nargs <= FSH_SMP_FIRST_ARGS);
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
    fsh_smp_stamp_at(tx, tail,
                     (uint64_t)what << 32 | fsh_smp_what(0, category, 0), 1);
    fsh_smp_fetch_ahead(tx, tail);
    return true;
}

/* Puts a single-slot message into a ring: a Short as described by what (as in
 * fsh_short, with no more arguments), or the Long long_am; near: with inline payload,
 * which must fit. False: nothing done; use fsh_smp_port_send. True: finish with
 * fsh_smp_told. The code for the three ways of locking is duplicated, so that unlocking
 * need not test which one was taken. */
static inline __attribute__((always_inline)) bool fsh_smp_put_lean(
    struct fsh_smp_port *port, struct fsh_smp_tx *tx, uint32_t what,
    const int32_t *args, const struct fsh_am *long_am, bool near)
{
    bool done;

    if (!port->locking)
        return fsh_smp_write_lean(tx, what, args, long_am, near);
    if (__builtin_expect(fsh_smp_enter_alone(port, 0), 1)) {
        done = fsh_smp_write_lean(tx, what, args, long_am, near);
        fsh_smp_leave_alone(port, 0);
        return done;
    }
    if (!fsh_smp_take(&tx->lock))
        return false;
    done = fsh_smp_write_lean(tx, what, args, long_am, near);
    fsh_smp_give(&tx->lock);
    return done;
}

/* Sends such a message: puts it and notifies. False: nothing done. */
static inline bool fsh_smp_send_lean(struct fsh_smp_port *port,
                                     unsigned channel, uint32_t dest,
                                     uint32_t what, const int32_t *args,
                                     const struct fsh_am *long_am, bool near)
{
    struct fsh_smp_tx *tx = &port->tx[channel][dest];

    return what >> 16 <= FSH_SMP_FIRST_ARGS &&
           fsh_smp_put_lean(port, tx, what, args, long_am, near) &&
           fsh_smp_told(port, tx, channel) == 0;
}

#endif
