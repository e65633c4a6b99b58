/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Internals of a port, shared by ring.c, send.c (messages) and ready.c (attention,
 * sleep) only. See ring.h for the contract.
 *
 * Locks. With `locking` several threads may call. As long as only one thread has
 * called (until fsh_smp_port_share), its critical sections need no atomic exchange:
 * it counts itself in and out with plain stores, and whoever ends that phase pays the
 * fence for both.
 */
#ifndef FSH_SMP_PORT_H
#define FSH_SMP_PORT_H

#include <stdatomic.h>
#include <stdbool.h>

#include "base/cpu.h"
#include "base/lock.h"
#include "base/membarrier.h"
#include "conduit/smp/pool.h"
#include "conduit/smp/ring.h"

struct fsh_smp_lock {
    atomic_uint held;
};

/* Sending end of a ring: one cache line with all that sending a Short needs. Under
 * `lock`, except the pointers and the bit, which are constant. */
struct fsh_smp_tx {
    _Alignas(64) struct fsh_smp_lock lock;
    uint32_t tail;  /* total slots written */
    uint32_t plain; /* slots up to here can be written without checks
                       (plain_until, send.c); never behind tail */
    uint32_t freed; /* last value read from the ring */
    uint64_t inner; /* slots last used for the inside of a message */
    struct fsh_smp_ring *ring;
    struct fsh_smp_ctl *owner; /* of the ring: the receiver */
    /* The owner, if its summary and sleepers tell whether it must be notified; or
     * `nobody`, which always must. */
    const struct fsh_smp_ctl *watch;
    uint64_t bit; /* this rank's bit in a word of the owner; see layout.h */
};

/* Receiving end of a ring. Under `lock`; `next` and `stamp` are also read
 * without it, for a first look that requires only word-sized reads. */
struct fsh_smp_rx {
    _Alignas(64) struct fsh_smp_lock lock;
    _Atomic uint32_t stamp;              /* of the next message */
    _Atomic(struct fsh_smp_head *) next; /* where it will be */
    uint32_t pos;                        /* total slots consumed */
    uint32_t told;                       /* last value written to ring.freed */
    struct fsh_smp_ring *ring;
    struct fsh_smp_ctl *sender;
    uint32_t source; /* the sender's rank */
};

/* A block of a peer's to return with the next message to that peer; a newer one
 * replaces an older. Any thread: use is 0 when empty. */
struct fsh_smp_back {
    _Atomic uint64_t word; /* (1 + channel * FSH_SMP_BLOCKS + block) << 32 |
                              number of the use that has ended; or 0 */
};

/* Set of rings, by channel and word of sources. */
struct fsh_smp_attention {
    uint64_t bits[FSH_SMP_CHANNELS][FSH_SMP_MAX_RANKS / 64];
};

struct fsh_smp_port {
    unsigned char *base;
    struct fsh_smp_layout layout;
    uint32_t
        rank; /* in the job, as are all ranks here unless called an index */
    uint32_t ranks; /* of the job */
    uint32_t index; /* among those that share the object */
    bool locking;
    bool fenced;             /* senders use a full fence: no heavy fence here */
    atomic_bool shared;      /* more than one thread has called */
    atomic_uint inside;      /* critical sections that the only thread is in */
    struct fsh_smp_ctl *ctl; /* by index */
    struct fsh_smp_ctl *own;
    /* By rank; that of a rank elsewhere has no ring, and never room. */
    struct fsh_smp_tx *tx[FSH_SMP_CHANNELS];
    struct fsh_smp_rx *rx[FSH_SMP_CHANNELS]; /* one a bit of ready words */
    struct fsh_smp_back *back;               /* by rank */
    int *bell;              /* by index, or NULL; see fsh_smp_port_bells */
    fsh_smp_sleep_fn sleep; /* instead of the futex, or NULL */
    struct fsh_smp_pool pool[FSH_SMP_CHANNELS];
    struct fsh_smp_lock pool_lock[FSH_SMP_CHANNELS];
    fsh_smp_shorts_fn shorts; /* or NULL */
    atomic_uint idle;         /* consecutive empty polls */
    atomic_uint late_looks;   /* remaining extra looks at the rings in `late` */
    atomic_uint late_polls;   /* since the last of them */
    /* The rings from which attention was last withdrawn. */
    struct fsh_smp_lock late_lock;
    struct fsh_smp_attention late;
};

/* Enters a critical section as the only thread; false if there are others by
 * now. Light fence, partner: fsh_smp_port_share. */
static inline bool fsh_smp_enter_alone(struct fsh_smp_port *port,
                                       unsigned inside)
{
    if (atomic_load_explicit(&port->shared, memory_order_relaxed))
        return false;
    atomic_store_explicit(&port->inside, inside + 1, memory_order_relaxed);
    fsh_light_fence();
    if (__builtin_expect(
            !atomic_load_explicit(&port->shared, memory_order_relaxed), 1))
        return true;
    atomic_store_explicit(&port->inside, inside, memory_order_release);
    return false;
}

/* Leaves it. Release, partner: the acquire in fsh_smp_port_share. */
static inline void fsh_smp_leave_alone(struct fsh_smp_port *port,
                                       unsigned inside)
{
    /* In reverse order, and by the thread that entered. */
    FSH_ASSERT(atomic_load(&port->inside) == inside + 1);
    atomic_store_explicit(&port->inside, inside, memory_order_release);
}

/* The lock itself. Acquire and release, partners of each other. */
static inline bool fsh_smp_take(struct fsh_smp_lock *l)
{
    return atomic_load_explicit(&l->held, memory_order_relaxed) == 0 &&
           atomic_exchange_explicit(&l->held, 1, memory_order_acquire) == 0;
}
static inline void fsh_smp_give(struct fsh_smp_lock *l)
{
    FSH_ASSERT(atomic_load(&l->held) == 1);
    atomic_store_explicit(&l->held, 0, memory_order_release);
}

/* Debug: name and rank (base/lock.h) of a port's lock. */
struct fsh_smp_lock_kind {
    const char *name;
    enum fsh_lock_rank rank;
};
struct fsh_smp_lock_kind fsh_smp_lock_kind(const struct fsh_smp_port *port,
                                           const struct fsh_smp_lock *l);
/* Debug: fsh_lock_order and fsh_lock_note for it. */
void fsh_smp_lock_order(const struct fsh_smp_port *port,
                        const struct fsh_smp_lock *l);
void fsh_smp_lock_note(const struct fsh_smp_port *port,
                       const struct fsh_smp_lock *l);

/* Enters alone or takes the lock; false: another thread holds it. */
static inline bool fsh_smp_lock_try_in(struct fsh_smp_port *port,
                                       struct fsh_smp_lock *l, unsigned inside)
{
    if (port->locking && !fsh_smp_enter_alone(port, inside) && !fsh_smp_take(l))
        return false;
    if (FSH_BASE_DEBUG)
        fsh_smp_lock_note(port, l);
    return true;
}

/* The reverse. A lock that is not held was entered alone. */
static inline void fsh_smp_let_go(struct fsh_smp_port *port,
                                  struct fsh_smp_lock *l, unsigned inside)
{
    if (FSH_BASE_DEBUG)
        fsh_lock_forget(l, fsh_smp_lock_kind(port, l).name);
    if (!port->locking)
        return;
    if (atomic_load_explicit(&l->held, memory_order_relaxed) != 0)
        fsh_smp_give(l);
    else
        fsh_smp_leave_alone(port, inside);
}

/* The number of this port's locks that the only thread has entered. */
static inline unsigned fsh_smp_inside(const struct fsh_smp_port *port)
{
    return atomic_load_explicit(&port->inside, memory_order_relaxed);
}

/* Lock if possible without waiting; unlock in reverse order. */
static inline bool fsh_smp_lock_try(struct fsh_smp_port *port,
                                    struct fsh_smp_lock *l)
{
    return fsh_smp_lock_try_in(port, l, fsh_smp_inside(port));
}
static inline void fsh_smp_unlock(struct fsh_smp_port *port,
                                  struct fsh_smp_lock *l)
{
    fsh_smp_let_go(port, l, fsh_smp_inside(port) - 1);
}

/* The same for a thread that holds no other lock of this port. Sets the count rather
 * than adding to it, so that no message waits for the previous one's store. */
static inline bool fsh_smp_lock_try_first(struct fsh_smp_port *port,
                                          struct fsh_smp_lock *l)
{
    return fsh_smp_lock_try_in(port, l, 0);
}
static inline void fsh_smp_unlock_first(struct fsh_smp_port *port,
                                        struct fsh_smp_lock *l)
{
    fsh_smp_let_go(port, l, 0);
}

/* Slow path: another thread holds the lock, of `what`, concerning rank
 * `peer`. */
void fsh_smp_lock_slowly(struct fsh_smp_port *port, struct fsh_smp_lock *l,
                         const char *what, uint32_t peer);

/* Locks; waits for other threads of this process. */
static inline void fsh_smp_lock(struct fsh_smp_port *port,
                                struct fsh_smp_lock *l, const char *what,
                                uint32_t peer)
{
    if (FSH_BASE_DEBUG)
        fsh_smp_lock_order(port, l);
    if (__builtin_expect(!fsh_smp_lock_try(port, l), 0))
        fsh_smp_lock_slowly(port, l, what, peer);
}

/* The slot at a position of a ring; positions are not reset at a new lap. */
static inline struct fsh_smp_head *fsh_smp_head_at(struct fsh_smp_ring *ring,
                                                   uint32_t pos)
{
    return (struct fsh_smp_head *)(void *)ring->slot[pos % FSH_SMP_SLOTS];
}

/* The index of a rank that shares the object. */
static inline uint32_t fsh_smp_index(const struct fsh_smp_port *port,
                                     uint32_t rank)
{
    return (uint32_t)(port->tx[FSH_SMP_REQUEST][rank].owner - port->ctl);
}

/* A pool block of the rank with an index. */
static inline unsigned char *fsh_smp_block(const struct fsh_smp_port *port,
                                           uint32_t owner, unsigned channel,
                                           uint32_t block)
{
    size_t pool = (size_t)owner * FSH_SMP_CHANNELS + channel;
    return port->base + port->layout.pools + pool * FSH_SMP_POOL_BYTES +
           fsh_smp_pool_offset(block);
}

/* Never 0, so cleared slots are never new; differs between consecutive laps. */
static inline uint32_t fsh_smp_stamp(uint32_t pos)
{
    return UINT32_C(0x80000000) | (pos / FSH_SMP_SLOTS);
}

/* Whether there is a message. Acquires it; partner: fsh_smp_stamp_at (send.h).
 * Lock held. */
static inline bool fsh_smp_is_new(const struct fsh_smp_rx *rx)
{
    const struct fsh_smp_head *next =
        atomic_load_explicit(&rx->next, memory_order_relaxed);

    return (uint32_t)atomic_load_explicit(&next->first, memory_order_acquire) ==
           atomic_load_explicit(&rx->stamp, memory_order_relaxed);
}

/* The same without the lock. If another thread is consuming messages, this may read the
 * inside of a message being written, which a thread sanitizer calls a race; the result
 * is rechecked under the lock. */
__attribute__((no_sanitize_thread)) static inline bool fsh_smp_seems_new(
    const struct fsh_smp_rx *rx)
{
    const struct fsh_smp_head *next =
        atomic_load_explicit(&rx->next, memory_order_relaxed);

    return (uint32_t)atomic_load_explicit(&next->first, memory_order_acquire) ==
           atomic_load_explicit(&rx->stamp, memory_order_relaxed);
}

/* ---- attention (ready.c) ---- */

/* Beyond 64 ranks: the bits of a summary that stand for words of ranks. */
static inline uint64_t fsh_smp_words(const struct fsh_smp_port *port)
{
    return (UINT64_C(1) << (port->layout.ranks + 63) / 64) - 1;
}

/* Whether the owner of a ring checks it at every poll; if not, use
 * fsh_smp_call_attention. Called by the sender after a light fence. */
static inline bool fsh_smp_attended(const struct fsh_smp_port *port,
                                    const struct fsh_smp_tx *tx,
                                    unsigned channel)
{
    uint32_t word = port->index / 64;
    uint64_t summary = atomic_load_explicit(&tx->owner->summary[channel],
                                            memory_order_relaxed);

    if (port->layout.ranks <= 64)
        return (summary & tx->bit) != 0;
    return (atomic_load_explicit(&tx->owner->ready[channel][word],
                                 memory_order_relaxed) &
            tx->bit) != 0 &&
           (summary >> word & 1);
}

/* Makes `owner` check its ring from the rank with index `source`. */
void fsh_smp_call_attention(const struct fsh_smp_port *port,
                            struct fsh_smp_ctl *owner, uint32_t source,
                            unsigned channel);

/* Ends the owner's sleep. */
void fsh_smp_wake(const struct fsh_smp_port *port, struct fsh_smp_ctl *ctl);

/* Wakes a sender whose slots or block were freed, if it waits for that. */
void fsh_smp_wake_blocked(const struct fsh_smp_port *port,
                          struct fsh_smp_ctl *sender);

/* Whether it waits, or a fence must come first. G, partner:
 * fsh_smp_port_arm. */
static inline void fsh_smp_tell_freed(const struct fsh_smp_port *port,
                                      struct fsh_smp_ctl *sender)
{
    fsh_light_fence();
    if (__builtin_expect(port->fenced ||
                             atomic_load_explicit(&sender->blocked,
                                                  memory_order_relaxed) != 0,
                         0))
        fsh_smp_wake_blocked(port, sender);
}

/* A handler has run here: wakes other threads of this rank that may wait for it. */
static inline void fsh_smp_wake_siblings(const struct fsh_smp_port *port)
{
    if (port->locking &&
        atomic_load_explicit(&port->own->sleepers, memory_order_relaxed) != 0)
        fsh_smp_wake(port, port->own);
}

/* Stops checking empty rings. Returns whether a ring has a message. Owner
 * only. */
bool fsh_smp_withdraw(struct fsh_smp_port *port);

/* Checks again the rings from which attention was last withdrawn. Owner only,
 * after this many polls, empty or not. */
#define FSH_SMP_LATE_POLLS 1024u
#define FSH_SMP_LATE_LOOKS 2u
void fsh_smp_look_again(struct fsh_smp_port *port);

#endif
