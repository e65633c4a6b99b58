/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The limits of fshperf smp: what two processes can do with their shared
 * memory, without any library or system call inside a timed loop, except
 * sched_yield when oversubscribed. Called by smp_measure on all ranks of the
 * party at once.
 */
#include "smp.h"

#include <sched.h>
#include <string.h>

#include "base/cpu.h"

/* Rounds of waiting before a yield: some 20 us, which only happens if the peer
 * is not running. */
#define PATIENCE 20000u

/* Whether a flag has not yet reached this value. */
static bool before(const atomic_uint *flag, unsigned value)
{
    /* Partner: the release by the peer, which may be one ahead. */
    return (int)(atomic_load_explicit(flag, memory_order_acquire) - value) < 0;
}

void smp_raw_await(const struct smp_rank *r, const atomic_uint *flag,
                   unsigned value)
{
    unsigned rounds = r->crowded ? PATIENCE : 0;

    while (before(flag, value)) {
        if (++rounds > PATIENCE) {
            sched_yield();
        }
    }
}

static void post(atomic_uint *flag, unsigned value)
{
    /* Partner: the acquire in smp_raw_await. */
    atomic_store_explicit(flag, value, memory_order_release);
}

void smp_raw_touch(const void *p, size_t bytes)
{
    const unsigned char *at = p;

    for (size_t i = 0; i < bytes; i += FSH_CACHE_LINE) {
        (void)*(const volatile unsigned char *)(at + i);
    }
}

/* Keeps the compiler from merging copies. */
static void settle(void)
{
    __asm__ __volatile__("" ::: "memory");
}

uint64_t smp_raw_line(struct smp_rank *r, unsigned n)
{
    uint64_t start = fsh_time_ns();

    for (unsigned i = 0; i < n; ++i) {
        ++r->seq;
        if (r->rank == 0) {
            post(&r->peer->flag.value, r->seq);
        }
        smp_raw_await(r, &r->mine->flag.value, r->seq);
        if (r->rank != 0) {
            post(&r->peer->flag.value, r->seq);
        }
    }
    return fsh_time_ns() - start;
}

/* ---- the ring ---- */

static void ring_send(struct smp_area *to, unsigned seq)
{
    struct smp_slot *slot = &to->slot[seq % SMP_SLOTS];

    slot->word[0] = seq;
    slot->word[1] = seq;
    slot->word[2] = seq;
    post(&slot->stamp, seq);
}

static void ring_receive(const struct smp_rank *r, const struct smp_area *in,
                         unsigned seq)
{
    const struct smp_slot *slot = &in->slot[seq % SMP_SLOTS];

    smp_raw_await(r, &slot->stamp, seq);
    (void)*(const volatile uint32_t *)&slot->word[2];
}

uint64_t smp_raw_ring(struct smp_rank *r, unsigned n)
{
    uint64_t start = fsh_time_ns();

    for (unsigned i = 0; i < n; ++i) {
        ++r->seq;
        if (r->rank == 0) {
            ring_send(r->peer, r->seq);
        }
        ring_receive(r, r->mine, r->seq);
        if (r->rank != 0) {
            ring_send(r->peer, r->seq);
        }
    }
    return fsh_time_ns() - start;
}

/* Counters stay in registers: a store to private memory after each message
 * would separate the stores to the ring, which wait for cache lines together,
 * and cost more than the message. */
static void flood_send(struct smp_rank *r, unsigned n)
{
    unsigned first = r->seq, end = first + n, freed = first;
    struct smp_area *peer = r->peer;
    const struct smp_area *mine = r->mine;

    for (unsigned seq = first + 1; seq != end + 1; ++seq) {
        if (seq - freed > SMP_SLOTS) {
            smp_raw_await(r, &mine->freed.value, seq - first - SMP_SLOTS);
            freed = first + atomic_load_explicit(&mine->freed.value,
                                                 memory_order_relaxed);
        }
        ring_send(peer, seq);
    }
    r->seq = end;
}

/* Reports freed slots every quarter of a ring. */
static void flood_receive(struct smp_rank *r, unsigned n)
{
    unsigned first = r->seq;
    const struct smp_area *mine = r->mine;

    for (unsigned i = 1; i <= n; ++i) {
        ring_receive(r, mine, first + i);
        if (i % (SMP_SLOTS / 4) == 0) {
            post(&r->peer->freed.value, i);
        }
    }
    r->seq = first + n;
}

uint64_t smp_raw_flood(struct smp_rank *r, unsigned n)
{
    uint64_t start = fsh_time_ns();

    if (r->rank == 0) {
        flood_send(r, n);
    } else {
        flood_receive(r, n);
        post(&r->peer->freed.value, 0);
        post(&r->peer->flag.value, r->seq);
    }
    if (r->rank == 0) {
        smp_raw_await(r, &r->mine->flag.value, r->seq);
    }
    return fsh_time_ns() - start;
}

/* ---- copies ---- */

uint64_t smp_raw_copies(struct smp_rank *r, unsigned n)
{
    const unsigned char *answer =
        r->access == SMP_ECHOED && r->rank != 0 ? r->mine->in : r->local;
    uint64_t start = fsh_time_ns();

    for (unsigned i = 0; i < n; ++i) {
        ++r->seq;
        if (r->rank == 0) {
            memcpy(r->peer->in, r->local, r->bytes);
            post(&r->peer->flag.value, r->seq);
        }
        smp_raw_await(r, &r->mine->flag.value, r->seq);
        if (r->access == SMP_LINES) {
            smp_raw_touch(r->mine->in, r->bytes);
        }
        if (r->rank != 0) {
            memcpy(r->peer->in, answer, r->bytes);
            post(&r->peer->flag.value, r->seq);
        }
    }
    return fsh_time_ns() - start;
}

uint64_t smp_raw_put(struct smp_rank *r, unsigned n)
{
    uint64_t start = fsh_time_ns();

    for (unsigned i = 0; r->rank == 0 && i < n; ++i) {
        memcpy(r->peer->in, r->local, r->bytes);
        settle();
    }
    return fsh_time_ns() - start;
}

uint64_t smp_raw_get(struct smp_rank *r, unsigned n)
{
    uint64_t start = fsh_time_ns();

    for (unsigned i = 0; r->rank == 0 && i < n; ++i) {
        memcpy(r->local, r->peer->in, r->bytes);
        settle();
    }
    return fsh_time_ns() - start;
}

uint64_t smp_raw_read(struct smp_rank *r, unsigned n)
{
    uint64_t start = fsh_time_ns();

    for (unsigned i = 0; r->rank == 0 && i < n; ++i) {
        (void)atomic_load_explicit(&r->mine->flag.value, memory_order_acquire);
        settle();
    }
    return fsh_time_ns() - start;
}

/* ---- barriers ---- */

/* The last to arrive opens it, and continues without having waited. */
void smp_raw_meet(const struct smp_rank *r, struct smp_gate *gate)
{
    unsigned next =
        atomic_load_explicit(&gate->open.value, memory_order_relaxed) + 1;
    unsigned here = atomic_fetch_add_explicit(&gate->arrived.value, 1,
                                              memory_order_acq_rel);

    if ((here + 1) % r->party == 0) {
        post(&gate->open.value, next);
    } else {
        smp_raw_await(r, &gate->open.value, next);
    }
}

uint64_t smp_raw_barrier(struct smp_rank *r, unsigned n)
{
    uint64_t start = fsh_time_ns();

    for (unsigned i = 0; i < n; ++i) {
        smp_raw_meet(r, &r->all->gate);
    }
    return fsh_time_ns() - start;
}

uint64_t smp_raw_flags(struct smp_rank *r, unsigned n)
{
    uint64_t start = fsh_time_ns();

    for (unsigned i = 0; i < n; ++i) {
        ++r->seq;
        post(&r->peer->flag.value, r->seq);
        smp_raw_await(r, &r->mine->flag.value, r->seq);
    }
    return fsh_time_ns() - start;
}
