/* SPDX-License-Identifier: BSD-3-Clause */
#include "turns.h"

#include "base/cpu.h"
#include "base/futex.h"
#include "device/sim/sim_shm.h"
#include "serve_state.h"

enum { SPINS = 4000 }; /* looks for the turn to come back before a sleep */
#define NAP_NS UINT64_C(100000000)
#define NEVER UINT64_MAX
/* Cycles that what is in flight may take when nobody adds to it. */
#define SETTLE (UINT64_C(1) << 20)

/* The cycle at which a rank goes on: now, later, or not before something that it
 * waits for. `start` is the fabric's cycle at which clocks were 0. */
static uint64_t due(const struct fsh_sim_mmio *mmio, uint64_t start,
                    uint64_t now)
{
    const struct fsh_sim_turn *turn = &mmio->turn;

    switch (turn->wakes) {
    case FSH_SIM_WAKE_NEVER:
        return NEVER;
    case FSH_SIM_WAKE_READ:
        return atomic_load_explicit(&mmio->done_seq, memory_order_relaxed) ==
                       atomic_load_explicit(&mmio->read_seq,
                                            memory_order_relaxed)
                   ? now
                   : NEVER;
    case FSH_SIM_WAKE_ACTIVITY:
        if (atomic_load_explicit(&mmio->activity, memory_order_relaxed) !=
            turn->seen)
            return now;
        break;
    default:
        break;
    }
    return start + turn->until > now ? start + turn->until : now;
}

static void sleep_until_back(struct fsh_sim_turn *turn, uint32_t before)
{
    /* Sequentially consistent, partner: give_back in the rank's turn.c. */
    atomic_store(&turn->sim_sleeps, 1);
    if (atomic_load(&turn->back) == before)
        fsh_futex_wait(&turn->back, before, NAP_NS);
    atomic_store_explicit(&turn->sim_sleeps, 0, memory_order_relaxed);
}

/* Give a rank the turn at this cycle, and wait until it gives it back. False: the
 * simulator is to stop. */
static bool give(struct fsh_serve *serve, uint32_t node, uint64_t cycle)
{
    struct fsh_sim_turn *turn = &serve->port[node].mmio->turn;
    uint32_t before = atomic_load_explicit(&turn->back, memory_order_relaxed);

    turn->now = cycle;
    /* Publishes now, and all that the fabric has written. Both sequentially
     * consistent, partner: sleep_for_turn in turn.c. */
    atomic_store(&turn->given, before + 1);
    if (atomic_load(&turn->rank_sleeps) != 0)
        fsh_futex_wake(&turn->given, 1);
    /* Acquire: what the rank has asked for and written. Partner: the store in
     * turn.c. */
    for (unsigned i = 0;
         atomic_load_explicit(&turn->back, memory_order_acquire) == before;
         i++) {
        if (serve->stop)
            return false;
        if (i < SPINS)
            fsh_cpu_relax();
        else
            sleep_until_back(turn, before);
    }
    return true;
}

/* The first of those that go on soonest, or `nodes` if none does without an event of
 * the fabric; *at is when. */
static uint32_t soonest(const struct fsh_serve *serve, uint64_t start,
                        uint64_t now, uint64_t *at)
{
    uint32_t first = serve->nodes;

    *at = NEVER;
    for (uint32_t i = 0; i < serve->nodes; i++) {
        uint64_t when = due(serve->port[i].mmio, start, now);

        if (when < *at) {
            *at = when;
            first = i;
        }
    }
    return first;
}

static bool any_left(const struct fsh_serve *serve)
{
    for (uint32_t i = 0; i < serve->nodes; i++)
        if (serve->port[i].mmio->turn.wakes != FSH_SIM_WAKE_NEVER)
            return true;
    return false;
}

/* On towards cycle `at`: a cycle in which something happens, or all before it. */
static void pass(struct fsh_fabric *fab, uint64_t at)
{
    uint64_t next = fsh_fabric_next(fab);

    if (next <= fsh_fabric_cycle(fab))
        fsh_fabric_tick(fab);
    else if (next != NEVER || at != NEVER)
        fsh_fabric_pass(fab, next < at ? next : at);
}

/* Nothing is left in the rings, nor in flight. */
static void settle(struct fsh_serve *serve, struct fsh_fabric *fab)
{
    bool drained;

    do {
        drained = fsh_serve_take(serve, fab);
        fsh_fabric_run(fab, SETTLE);
    } while (!drained && !fsh_fabric_error(fab));
}

bool fsh_turns_run(struct fsh_serve *serve, struct fsh_fabric *fab)
{
    uint64_t start;
    bool drained = true;

    settle(serve, fab);
    start = fsh_fabric_epoch(fab);
    for (uint32_t i = 0; i < serve->nodes; i++) {
        struct fsh_sim_turn *turn = &serve->port[i].mmio->turn;

        turn->wakes = FSH_SIM_WAKE_TIME;
        turn->until = 0;
    }
    /* The end of the job may be announced before the last turn is looked at. */
    while (any_left(serve) && !serve->stop && !fsh_fabric_error(fab)) {
        uint64_t now = fsh_fabric_cycle(fab), at;
        uint32_t node = soonest(serve, start, now, &at);

        if (at <= now) {
            if (!give(serve, node, now - start))
                return false;
            drained = fsh_serve_take(serve, fab);
            continue;
        }
        pass(fab, at);
        if (!drained)
            drained = fsh_serve_take(serve, fab);
    }
    settle(serve, fab);
    return !any_left(serve) && !fsh_fabric_error(fab);
}
