/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lists, events and completions of conduit smp; see compute_queue.h.
 */
#include "conduit/smp/compute_queue.h"

#include <limits.h>

#include "base/assertion.h"
#include "base/futex.h"

/* The turn that makes position `pos` of a queue of n cells writable. */
static uint32_t free_turn(uint64_t pos, uint32_t n)
{
    return (uint32_t)(pos / n * 2);
}

/* Whether a cell is free for position `pos`: 1 yes, 0 not yet, -1 another
 * writer has used it. Acquire, partner: the release in give_back: its previous
 * contents have been read. */
static int is_free(_Atomic uint32_t *turn, uint64_t pos, uint32_t n)
{
    uint32_t now = atomic_load_explicit(turn, memory_order_acquire);
    int32_t ahead = (int32_t)(now - free_turn(pos, n));

    return ahead == 0 ? 1 : ahead < 0 ? 0 : -1;
}

/* Relaxed: the claimed position is published through its turn. */
static bool claim(_Atomic uint64_t *tail, uint64_t *pos)
{
    return atomic_compare_exchange_weak_explicit(
        tail, pos, *pos + 1, memory_order_relaxed, memory_order_relaxed);
}

/* Release, partner: the acquire in is_filled. */
static void publish(_Atomic uint32_t *turn, uint64_t pos, uint32_t n)
{
    FSH_ASSERT(atomic_load(turn) == free_turn(pos, n)); /* one writer */
    atomic_store_explicit(turn, free_turn(pos, n) + 1, memory_order_release);
}

static bool is_filled(_Atomic uint32_t *turn, uint64_t pos, uint32_t n)
{
    return atomic_load_explicit(turn, memory_order_acquire) ==
           free_turn(pos, n) + 1;
}

static void give_back(_Atomic uint32_t *turn, uint64_t pos, uint32_t n)
{
    FSH_ASSERT(atomic_load(turn) == free_turn(pos, n) + 1); /* one reader */
    atomic_store_explicit(turn, free_turn(pos + n, n), memory_order_release);
}

bool fsh_smp_compute_add(struct fsh_smp_compute *core, unsigned queue,
                         uint32_t addr, uint32_t count)
{
    struct fsh_smp_lists *q = &core->queue[queue];
    uint64_t pos = atomic_load_explicit(&q->tail, memory_order_relaxed);
    struct fsh_smp_list *cell;

    FSH_ASSERT(queue < FSH_SMP_QUEUES && count != 0);
    for (;;) {
        cell = &q->list[pos % FSH_SMP_LISTS];
        int can = is_free(&cell->turn, pos, FSH_SMP_LISTS);
        if (can == 0)
            return false;
        if (can < 0)
            pos = atomic_load_explicit(&q->tail, memory_order_relaxed);
        else if (claim(&q->tail, &pos))
            break;
    }
    cell->addr = addr;
    cell->count = count;
    publish(&cell->turn, pos, FSH_SMP_LISTS);
    return true;
}

bool fsh_smp_compute_run(struct fsh_smp_compute *core, unsigned queue,
                         uint32_t addr, uint32_t count)
{
    if (!fsh_smp_compute_add(core, queue, addr, count))
        return false;
    fsh_smp_compute_wake(core);
    return true;
}

bool fsh_smp_compute_take(struct fsh_smp_compute *core, unsigned queue,
                          uint64_t *head, uint32_t *addr, uint32_t *count)
{
    struct fsh_smp_list *cell = &core->queue[queue].list[*head % FSH_SMP_LISTS];

    if (!is_filled(&cell->turn, *head, FSH_SMP_LISTS))
        return false;
    *addr = cell->addr;
    *count = cell->count;
    give_back(&cell->turn, *head, FSH_SMP_LISTS);
    ++*head;
    return true;
}

void fsh_smp_compute_signal(struct fsh_smp_compute *core, unsigned event,
                            uint32_t increment)
{
    FSH_ASSERT(event < FSH_NUM_EVENTS);
    /* As in the logic. Concurrent signallers may each pass this check, but are
     * far too few to wrap the counter. Release, partner: the acquire in
     * fsh_smp_compute_await: what was written before the signal is visible to
     * the waiter. */
    if (atomic_load_explicit(&core->event[event], memory_order_relaxed) <
        FSH_EVENT_FULL)
        atomic_fetch_add_explicit(&core->event[event], increment,
                                  memory_order_release);
    fsh_smp_compute_wake(core);
}

bool fsh_smp_compute_await(struct fsh_smp_compute *core, unsigned event,
                           uint32_t count)
{
    uint32_t have =
        atomic_load_explicit(&core->event[event], memory_order_acquire);

    if (have < count)
        return false;
    /* Only this thread subtracts. Acquire: all signals counted. */
    atomic_fetch_sub_explicit(&core->event[event], count, memory_order_acquire);
    return true;
}

bool fsh_smp_compute_complete(struct fsh_smp_compute *core, unsigned cookie,
                              unsigned status)
{
    uint64_t pos = atomic_load_explicit(&core->tail, memory_order_relaxed);
    struct fsh_smp_done *cell;

    FSH_ASSERT(cookie <= UINT16_MAX && status < FSH_STATUS_COUNT);
    for (;;) {
        cell = &core->done[pos % FSH_SMP_DONES];
        int can = is_free(&cell->turn, pos, FSH_SMP_DONES);
        if (can == 0)
            return false;
        if (can < 0)
            pos = atomic_load_explicit(&core->tail, memory_order_relaxed);
        else if (claim(&core->tail, &pos))
            break;
    }
    cell->cookie = (uint16_t)cookie;
    cell->status = (uint8_t)status;
    publish(&cell->turn, pos, FSH_SMP_DONES);
    return true;
}

bool fsh_smp_compute_completed(struct fsh_smp_compute *core, uint64_t *head,
                               unsigned *cookie, unsigned *status)
{
    struct fsh_smp_done *cell = &core->done[*head % FSH_SMP_DONES];

    if (!is_filled(&cell->turn, *head, FSH_SMP_DONES))
        return false;
    *cookie = cell->cookie;
    *status = cell->status;
    give_back(&cell->turn, *head, FSH_SMP_DONES);
    ++*head;
    return true;
}

void fsh_smp_compute_wake(struct fsh_smp_compute *core)
{
    /* E, partner: fsh_smp_compute_sleep: either this sees it asleep, or its futex sees
     * the new number. Both are sequentially consistent. */
    atomic_fetch_add(&core->work, 1);
    if (atomic_load(&core->asleep) != 0)
        fsh_futex_wake((const void *)&core->work, INT_MAX);
}

void fsh_smp_compute_sleep(struct fsh_smp_compute *core, uint32_t seen)
{
    /* E, partner: fsh_smp_compute_wake. */
    atomic_store(&core->asleep, 1);
    if (atomic_load(&core->work) == seen)
        fsh_futex_wait((const void *)&core->work, seen, 0);
    atomic_store(&core->asleep, 0);
}
