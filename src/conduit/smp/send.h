/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sending from inside: what all messages share (send.c), and the fast path of
 * a Short message, inline, without a stack frame. The cache lines of a ring come
 * from another processor, and stores retire in program order, so a store that
 * misses holds up all stores after it: the fewer stores of the sender's own there
 * are between those to the ring, the more messages are in flight. See ring.h for the
 * contract.
 */
#ifndef FSH_SMP_SEND_H
#define FSH_SMP_SEND_H

#include "base/words.h"
#include "conduit/smp/port.h"

/* How many slots ahead of the one it writes the sender prefetches: more than the
 * receiver does (ring.c). */
#define FSH_SMP_AHEAD 11u

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

/* The receiver's count of free slots cannot be: end the job. */
_Noreturn void fsh_smp_damaged_count(const struct fsh_smp_tx *tx,
                                     uint32_t freed);

/* Is there room for so many slots? Lock held. */
static inline bool fsh_smp_has_room(struct fsh_smp_tx *tx, uint32_t slots)
{
    uint32_t freed;

    if (__builtin_expect(tx->tail - tx->freed + slots <= FSH_SMP_SLOTS, 1))
        return true;
    /* Acquire, partner: release in consume: the receiver has copied the
     * slots. */
    freed = atomic_load_explicit(&tx->ring->freed, memory_order_acquire);
    /* It stands in shared memory: more than was written would wrap above. */
    if (__builtin_expect(tx->tail - freed > FSH_SMP_SLOTS, 0))
        fsh_smp_damaged_count(tx, freed);
    tx->freed = freed;
    return tx->tail - freed + slots <= FSH_SMP_SLOTS;
}

/* Remember the inside of the message at the tail, and make the slot after it not
 * look like one. */
void fsh_smp_mark_inside(struct fsh_smp_tx *tx, uint32_t slots);

/* Say that a message is in the slots at `tail`, which is the ring's. */
static inline void fsh_smp_stamp_at(struct fsh_smp_tx *tx, uint32_t tail,
                                    uint64_t what, uint32_t slots)
{
    struct fsh_smp_ring *ring = tx->ring;

    FSH_ASSERT(slots != 0 && tail % FSH_SMP_SLOTS + slots <= FSH_SMP_SLOTS);
    FSH_ASSERT(tail + slots - tx->freed <= FSH_SMP_SLOTS);
    /* Nothing there may have looked like this message: it would have been taken. */
    FSH_ASSERT((uint32_t)atomic_load(&fsh_smp_head_at(ring, tail)->first) !=
               fsh_smp_stamp(tail));
    /* Releases the message; A, partner: fsh_smp_is_new. */
    atomic_store_explicit(&fsh_smp_head_at(ring, tail)->first,
                          fsh_smp_first(fsh_smp_stamp(tail), what, slots),
                          memory_order_release);
    tx->tail = tail + slots;
}

/* A message has been written at `tail`: prefetch, for writing, the slot of a later
 * one. That slot must be free, or the cache line is taken from the receiver, which
 * may have fetched it to read. */
static inline void fsh_smp_fetch_ahead(struct fsh_smp_tx *tx, uint32_t tail)
{
    fsh_prefetch_write(fsh_smp_head_at(tx->ring, tail + FSH_SMP_AHEAD));
}

/* Everything else of the message is in its slots. Lock held. */
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

/* After a message was published and the lock let go: is there somebody to be
 * told, or a fence to be made first? */
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

/* Tell. Returns 0. */
int fsh_smp_announce(struct fsh_smp_port *port, const struct fsh_smp_tx *tx,
                     unsigned channel);

/* The end of sending: tell if need be. Returns 0, for a call that ends so. */
static inline __attribute__((always_inline)) int fsh_smp_told(
    struct fsh_smp_port *port, const struct fsh_smp_tx *tx, unsigned channel)
{
    if (fsh_smp_must_announce(tx, channel))
        return fsh_smp_announce(port, tx, channel);
    return 0;
}

/* Write the message and its stamp. Lock held. False: nothing was done, and the
 * message takes the slow path. */
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

/* Put a message of one slot into a ring, what (as in fsh_short, with no more
 * arguments) says: a Short, or the Long that long_am is; near: with its payload,
 * for which there has to be room. False: nothing was done; fsh_smp_port_send has
 * to be asked. True: to end with fsh_smp_told. The three ways in are code of
 * their own, so that none asks at the end which one it was. */
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

/* Send such a message: put it, and tell. False: nothing was done. */
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
