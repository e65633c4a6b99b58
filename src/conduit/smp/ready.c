/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which rings a rank checks, and how it sleeps; see ring.h for the ordering
 * pairs. From its first message on, a ring is checked at every poll until the
 * rank withdraws its attention: before it sleeps, and after many empty polls.
 * So while two ranks communicate, only the message itself moves between caches.
 */
#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <unistd.h>

#include "base/futex.h"
#include "base/wait.h"
#include "conduit/smp/port.h"

/* B, C: all read-modify-writes here are sequentially consistent. */
void fsh_smp_call_attention(const struct fsh_smp_port *port,
                            struct fsh_smp_ctl *owner, uint32_t source,
                            unsigned channel)
{
    uint64_t bit = UINT64_C(1) << source % 64;

    FSH_ASSERT(source < port->layout.ranks && channel < FSH_SMP_CHANNELS);
    if (port->layout.ranks <= 64) {
        atomic_fetch_or(&owner->summary[channel], bit);
        return;
    }
    atomic_fetch_or(&owner->ready[channel][source / 64], bit);
    atomic_fetch_or(&owner->summary[channel], UINT64_C(1) << source / 64);
}

/* A full pipe rings already. */
static void ring_bell(const struct fsh_smp_port *port,
                      const struct fsh_smp_ctl *ctl)
{
    int fd = port->bell[ctl - port->ctl];

    if (fd >= 0 && write(fd, "", 1) < 0)
        FSH_ASSERT(errno == EAGAIN);
}

/* With bells only who waits for room sleeps on the futex (fsh_smp_port_nap). B, G: who
 * arms after this look sees what it is woken for. */
void fsh_smp_wake(const struct fsh_smp_port *port, struct fsh_smp_ctl *ctl)
{
    atomic_fetch_add(&ctl->wake_seq, 1);
    if (port->bell == NULL || atomic_load(&ctl->blocked) != 0)
        fsh_futex_wake((const void *)&ctl->wake_seq, INT_MAX);
    if (port->bell != NULL)
        ring_bell(port, ctl);
}

/* ---- withdrawing ---- */

/* C, partner: fsh_smp_call_attention. Clears the summary first, so that a bit set
 * concurrently sets its summary again. */
static bool clear_all(struct fsh_smp_port *port, struct fsh_smp_attention *was)
{
    struct fsh_smp_ctl *own = port->own;
    bool any = false;

    for (unsigned c = 0; c < FSH_SMP_CHANNELS; c++) {
        uint64_t words;

        if (atomic_load(&own->summary[c]) == 0)
            continue;
        any = true;
        words = atomic_exchange(&own->summary[c], 0);
        if (port->layout.ranks <= 64)
            was->bits[c][0] |= words;
        else
            for (words &= fsh_smp_words(port); words != 0; words &= words - 1) {
                unsigned w = (unsigned)__builtin_ctzll(words);

                was->bits[c][w] |= atomic_exchange(&own->ready[c][w], 0);
            }
    }
    return any;
}

/* Whether a ring holds a message, or another thread is using it. */
static bool has_message(struct fsh_smp_port *port, unsigned channel,
                        uint32_t source)
{
    struct fsh_smp_rx *rx = &port->rx[channel][source];
    bool is_new;

    if (!fsh_smp_lock_try(port, &rx->lock))
        return true;
    is_new = fsh_smp_is_new(rx);
    fsh_smp_unlock(port, &rx->lock);
    return is_new;
}

/* Restores attention to those rings of `was` that need it, and removes them
 * from it. */
static bool restore(struct fsh_smp_port *port, struct fsh_smp_attention *was)
{
    unsigned words = (port->layout.ranks + 63) / 64;
    bool any = false;

    for (unsigned i = 0; i < FSH_SMP_CHANNELS * words; i++) {
        unsigned c = i / words, w = i % words;

        for (uint64_t b = was->bits[c][w]; b != 0; b &= b - 1) {
            uint32_t source = w * 64 + (uint32_t)__builtin_ctzll(b);

            if (!has_message(port, c, source))
                continue;
            fsh_smp_call_attention(port, port->own, source, c);
            was->bits[c][w] &= ~(b & -b);
            any = true;
        }
    }
    return any;
}

/* Makes polls recheck the rings in `late`, `looks` times, FSH_SMP_LATE_POLLS
 * polls apart. Owner only, lock held. */
static void look_later(struct fsh_smp_port *port, unsigned looks)
{
    FSH_ASSERT(fsh_lock_is_mine(&port->late_lock));
    FSH_ASSERT(looks <= FSH_SMP_LATE_LOOKS);
    atomic_store_explicit(&port->late_polls, 0, memory_order_relaxed);
    atomic_store_explicit(&port->late_looks, looks, memory_order_relaxed);
}

static unsigned late_looks(const struct fsh_smp_port *port)
{
    return atomic_load_explicit(&port->late_looks, memory_order_relaxed);
}

bool fsh_smp_withdraw(struct fsh_smp_port *port)
{
    struct fsh_smp_attention was = {0};
    bool any = false;

    if (!fsh_smp_lock_try(port, &port->late_lock))
        return true; /* another thread is using it */
    /* Also those of the previous time: see base/membarrier.h. */
    if (late_looks(port) != 0) {
        any = restore(port, &port->late);
        look_later(port, 0);
    }
    if (clear_all(port, &was)) {
        /* A, partner: the light fence in fsh_smp_port_send: either the
         * sender sees that it must call for attention, or this side sees its
         * message. */
        fsh_heavy_fence();
        any |= restore(port, &was);
        port->late = was;
        look_later(port, FSH_SMP_LATE_LOOKS);
    }
    fsh_smp_unlock(port, &port->late_lock);
    return any;
}

void fsh_smp_look_again(struct fsh_smp_port *port)
{
    unsigned looks;

    if (!fsh_smp_lock_try(port, &port->late_lock))
        return; /* another thread is doing so */
    looks = late_looks(port);
    if (looks != 0) {
        restore(port, &port->late);
        look_later(port, looks - 1);
    }
    fsh_smp_unlock(port, &port->late_lock);
}

/* ---- sleep ---- */

/* D, partner: fsh_smp_port_sleep. */
void fsh_smp_port_poke(struct fsh_smp_port *port, uint32_t dest)
{
    struct fsh_smp_ctl *ctl = port->tx[FSH_SMP_REQUEST][dest].owner;

    if (port->fenced)
        atomic_thread_fence(memory_order_seq_cst);
    fsh_light_fence();
    if (__builtin_expect(
            atomic_load_explicit(&ctl->watching, memory_order_relaxed) != 0,
            0) &&
        atomic_exchange(&ctl->watching, 0) != 0)
        fsh_smp_wake(port, ctl);
}

void fsh_smp_port_unwatch(struct fsh_smp_port *port)
{
    _Atomic uint32_t *watching = &port->own->watching;

    /* The exchange in fsh_smp_port_sleep is ordered after this store. */
    if (atomic_load_explicit(watching, memory_order_relaxed) != 0)
        atomic_store_explicit(watching, 0, memory_order_relaxed);
}

const uint32_t *fsh_smp_port_watched(const struct fsh_smp_port *port,
                                     uint32_t dest)
{
    /* The headers' builtins access C11 atomics of this size as plain words. */
    _Static_assert(sizeof(_Atomic uint32_t) == sizeof(uint32_t), "watching");

    return port->fenced ? NULL
                        : (const uint32_t *)&port->tx[FSH_SMP_REQUEST][dest]
                              .owner->watching;
}

void fsh_smp_port_sleep(struct fsh_smp_port *port, uint64_t max_ns, bool memory)
{
    struct fsh_smp_ctl *own = port->own;
    uint32_t seen = atomic_load(&own->wake_seq);

    /* D, partner: fsh_smp_port_poke: either it sees `watching`, or the caller
     * sees its store before the next call. */
    if (memory && atomic_exchange(&own->watching, 1) == 0) {
        fsh_heavy_fence();
        return;
    }
    /* B: either a sender that sees this rank's attention also sees this
     * sleeper, or withdrawing finds its message; a sender that must call for
     * attention is ordered the same way by that call. */
    atomic_fetch_add(&own->sleepers, 1);
    if (!fsh_smp_withdraw(port) &&
        atomic_load(&own->summary[FSH_SMP_REQUEST]) == 0 &&
        atomic_load(&own->summary[FSH_SMP_REPLY]) == 0 &&
        atomic_load(&own->told) == 0) {
        if (port->sleep == NULL)
            fsh_futex_wait((const void *)&own->wake_seq, seen, max_ns);
        else if (atomic_load(&own->wake_seq) == seen)
            port->sleep(max_ns); /* what comes from here on rings the bell */
    }
    FSH_ASSERT(atomic_load(&own->sleepers) != 0); /* this thread is one */
    atomic_fetch_sub(&own->sleepers, 1);
}

/* ---- waiting for room ---- */

uint32_t fsh_smp_port_arm(struct fsh_smp_port *port)
{
    uint32_t seen = atomic_load(&port->own->wake_seq);

    atomic_fetch_add(&port->own->sleepers, 1);
    atomic_fetch_add(&port->own->blocked, 1);
    /* B, G, partners: fsh_smp_port_send and fsh_smp_tell_freed: either they see
     * the sleeper, or the caller sees what they did. */
    fsh_heavy_fence();
    return seen;
}

void fsh_smp_wake_blocked(const struct fsh_smp_port *port,
                          struct fsh_smp_ctl *sender)
{
    if (port->fenced)
        atomic_thread_fence(memory_order_seq_cst);
    if (atomic_load_explicit(&sender->blocked, memory_order_relaxed) != 0)
        fsh_smp_wake(port, sender);
}

void fsh_smp_port_disarm(struct fsh_smp_port *port)
{
    uint32_t blocked = atomic_fetch_sub(&port->own->blocked, 1);
    uint32_t sleepers = atomic_fetch_sub(&port->own->sleepers, 1);

    /* Every arm has one disarm. */
    assert(blocked != 0 && sleepers != 0);
    (void)blocked;
    (void)sleepers;
}

void fsh_smp_port_nap(struct fsh_smp_port *port, uint32_t armed,
                      uint64_t max_ns)
{
    fsh_futex_wait((const void *)&port->own->wake_seq, armed, max_ns);
    fsh_smp_port_disarm(port);
}

void fsh_smp_port_tell(struct fsh_smp_port *port, uint32_t dest)
{
    struct fsh_smp_ctl *ctl = port->tx[FSH_SMP_REQUEST][dest].owner;

    /* F, partner: fsh_smp_port_told. B, partner: fsh_smp_port_sleep. */
    atomic_store(&ctl->told, 1);
    if (atomic_load(&ctl->sleepers) != 0)
        fsh_smp_wake(port, ctl);
}

bool fsh_smp_port_told(struct fsh_smp_port *port)
{
    /* F, partner: fsh_smp_port_tell: anything that comes later sets it
     * again. */
    return __builtin_expect(atomic_load_explicit(&port->own->told,
                                                 memory_order_relaxed) != 0,
                            0) &&
           atomic_exchange(&port->own->told, 0) != 0;
}

/* ---- threads ---- */

static bool is_in(const void *p, const void *array, size_t bytes)
{
    uintptr_t at = (uintptr_t)p, from = (uintptr_t)array;

    return at >= from && at < from + bytes;
}

struct fsh_smp_lock_kind fsh_smp_lock_kind(const struct fsh_smp_port *port,
                                           const struct fsh_smp_lock *l)
{
    if (l == &port->late_lock)
        return (struct fsh_smp_lock_kind){"late looks", FSH_LOCK_SMP_LATE};
    if (is_in(l, port->pool_lock, sizeof port->pool_lock))
        return (struct fsh_smp_lock_kind){"payload pool", FSH_LOCK_SMP_POOL};
    for (unsigned c = 0; c < FSH_SMP_CHANNELS; c++)
        if (is_in(l, port->tx[c], port->ranks * sizeof *port->tx[c]))
            return (struct fsh_smp_lock_kind){"sending end of a ring",
                                              FSH_LOCK_SMP_SEND};
    return (struct fsh_smp_lock_kind){"receiving end of a ring",
                                      FSH_LOCK_SMP_RECEIVE};
}

void fsh_smp_lock_order(const struct fsh_smp_port *port,
                        const struct fsh_smp_lock *l)
{
    struct fsh_smp_lock_kind kind = fsh_smp_lock_kind(port, l);

    fsh_lock_order(kind.name, kind.rank);
}

void fsh_smp_lock_note(const struct fsh_smp_port *port,
                       const struct fsh_smp_lock *l)
{
    struct fsh_smp_lock_kind kind = fsh_smp_lock_kind(port, l);

    fsh_lock_note(l, kind.name, kind.rank);
}

/* Another thread holds the lock for no longer than a message takes, unless it is
 * preempted. */
static const struct fsh_wait_kind for_thread = {.who = "conduit smp",
                                                .spins = 100};

void fsh_smp_lock_slowly(struct fsh_smp_port *port, struct fsh_smp_lock *l,
                         const char *what, uint32_t peer)
{
    struct fsh_wait wait = {.peer = peer + 1};

    while (!fsh_smp_lock_try(port, l))
        fsh_wait_pause(&for_thread, &wait, what);
    fsh_wait_end(&wait);
}

void fsh_smp_port_share(struct fsh_smp_port *port)
{
    struct fsh_wait wait = {.peer = port->rank + 1};

    if (!port->locking)
        return;
    atomic_store(&port->shared, true);
    /* Partner: the light fence in fsh_smp_enter_alone: either that thread sees
     * that it is no longer alone, or this one sees it inside. */
    fsh_heavy_fence_local();
    while (atomic_load_explicit(&port->inside, memory_order_acquire) != 0)
        fsh_wait_pause(&for_thread, &wait, "the first thread to leave a call");
    fsh_wait_end(&wait);
}
