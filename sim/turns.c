/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace.h"
#include "turns.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/cpu.h"
#include "base/futex.h"
#include "base/log.h"
#include "base/trace.h"
#include "boot/job.h"
#include "device/sim/sim_shm.h"
#include "serve_dump.h"
#include "serve_state.h"

enum {
    PASSES_PER_SHOW = 1024,
    REPORT_S = 5, /* a rank that does not give its turn back is named */
    NAPS_PER_S = 10
};
#define NAP_NS UINT64_C(100000000)
/* A partition that waits for others to begin simulated time looks for their calls every
 * so many us, and calls them itself after so many ns. */
#define CALL_US 20u
#define CALL_NS UINT64_C(20000000)
#define NEVER UINT64_MAX
/* Cycles that a rank goes on by itself at most. */
#define HORIZON_MOST UINT64_C(250000)
/* Cycles that what is in flight may take when nobody adds to it. */
#define SETTLE (UINT64_C(1) << 20)

/* The cycle at which a rank goes on: now, later, or not before something that it
 * waits for. */
static uint64_t due(const struct fsh_serve *serve, uint32_t node, uint64_t now)
{
    const struct fsh_sim_mmio *mmio = serve->port[node].mmio;
    const struct fsh_sim_turn *turn = &mmio->turn;

    switch (atomic_load_explicit(&turn->wakes, memory_order_relaxed)) {
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
    return serve->start + turn->until > now ? serve->start + turn->until : now;
}

/* A rank runs, and runs: it may compute, or wait for what cannot happen before it
 * gives its turn back. Once a rank. */
static void name(struct fsh_serve *serve, uint32_t node)
{
    const struct fsh_sim_turn *turn = &serve->port[node].mmio->turn;
    uint32_t thread = atomic_load_explicit(&turn->thread, memory_order_relaxed);

    if (serve->named & UINT64_C(1) << node)
        return;
    serve->named |= UINT64_C(1) << node;
    if (thread == UINT32_MAX) {
        fsh_warn("rank %" PRIu32 ": for %u s all threads have been between "
                 "fshmem_blocking_begin and _end; simulated time stands still "
                 "until one is back",
                 node, REPORT_S);
        return;
    }
    fsh_warn("rank %" PRIu32 ", thread %" PRIu32 " (process number %" PRIu32
             ") has run for %u s without a call of the library, and simulated "
             "time stands still; if it looks at memory until that changes, let "
             "it poll (gasnet_AMPoll); if it waits for another thread, do so "
             "between fshmem_blocking_begin and fshmem_blocking_end",
             node, thread,
             atomic_load_explicit(&turn->tid, memory_order_relaxed), REPORT_S);
}

/* False: for all of NAP_NS. */
static bool nap(struct fsh_sim_turn *turn, uint32_t before)
{
    int rc = 0;

    /* Sequentially consistent, partner: give_back in the rank's turn.c. */
    atomic_store(&turn->sim_sleeps, 1);
    if (atomic_load(&turn->back) == before)
        rc = fsh_futex_wait(&turn->back, before, NAP_NS);
    atomic_store_explicit(&turn->sim_sleeps, 0, memory_order_relaxed);
    return rc != -ETIMEDOUT;
}

/* Wait until a turn is given back. False: the simulator is to stop. */
static bool await(struct fsh_serve *serve, uint32_t node, uint32_t before)
{
    struct fsh_sim_turn *turn = &serve->port[node].mmio->turn;
    unsigned naps = 0; /* not a clock, which goes on while all are stopped */
    uint64_t since;

    if (fsh_handover_spin(&serve->handover, &turn->back, before,
                          &turn->rank_processor))
        return true;
    since = fsh_time_ns();
    /* Acquire: what the rank has asked for and written. Partner: the store in
     * turn.c. */
    while (atomic_load_explicit(&turn->back, memory_order_acquire) == before) {
        fsh_serve_dump_asked(serve);
        if (serve->stop)
            return false;
        if (!nap(turn, before) && ++naps == REPORT_S * NAPS_PER_S)
            name(serve, node);
    }
    fsh_handover_slept(&serve->handover, fsh_time_ns() - since);
    return true;
}

/* The last cycle up to which a rank that has the turn is alone: the fabric does
 * nothing before it, and no other rank is due before this one. */
static uint64_t horizon(const struct fsh_serve *serve,
                        const struct fsh_fabric *fab, uint32_t node,
                        bool drained)
{
    uint64_t now = fsh_fabric_cycle(fab), last = fsh_fabric_next(fab);

    if (!drained || serve->no_horizon)
        return now;
    if (last > now + HORIZON_MOST)
        last = now + HORIZON_MOST;
    for (uint32_t i = serve->first; i < serve->past; i++) {
        uint64_t when = i == node ? NEVER : due(serve, i, now);

        if (i < node && when != NEVER)
            when--;
        last = when < last ? when : last;
    }
    return last;
}

/* Give a rank the turn at this cycle, and wait until it gives it back. False: the
 * simulator is to stop. */
static bool give(struct fsh_serve *serve, uint32_t node, uint64_t cycle,
                 uint64_t last)
{
    struct fsh_sim_turn *turn = &serve->port[node].mmio->turn;
    /* Not `back`: a rank that leaves may have given this turn back already. */
    uint32_t before = atomic_load_explicit(&turn->given, memory_order_relaxed);

    turn->now = cycle - serve->start;
    turn->horizon = last - serve->start;
    /* Publishes them, and all that the fabric has written. Both sequentially
     * consistent, partner: sleep_for_turn in turn.c. */
    fsh_handover_say(&turn->sim_processor);
    atomic_store(&turn->given, before + 1);
    if (atomic_load(&turn->rank_sleeps) != 0)
        fsh_futex_wake(&turn->given, 1);
    return await(serve, node, before);
}

/* The first of those that go on soonest, or `nodes` if none does without an event of
 * the fabric; *at is when. */
static uint32_t soonest(const struct fsh_serve *serve, uint64_t now,
                        uint64_t *at)
{
    uint32_t first = serve->nodes;

    *at = NEVER;
    for (uint32_t i = serve->first; i < serve->past; i++) {
        uint64_t when = due(serve, i, now);

        if (when < *at) {
            *at = when;
            first = i;
        }
    }
    return first;
}

static bool any_left(const struct fsh_serve *serve)
{
    for (uint32_t i = serve->first; i < serve->past; i++)
        if (serve->port[i].mmio->turn.wakes != FSH_SIM_WAKE_NEVER)
            return true;
    return false;
}

/* On towards cycle `at`: cycles in which something happens, or all before it. Ranks
 * that wait for their nodes are due at the next cycle. What could not be taken from
 * them is to be tried again in each. */
static void pass(struct fsh_serve *serve, struct fsh_fabric *fab, uint64_t at,
                 bool drained)
{
    uint64_t next = fsh_fabric_next(fab), now = fsh_fabric_cycle(fab), told;

    fsh_fabric_hosts(fab, drained ? at : now);
    if (next <= now) {
        told = drained ? fsh_fabric_told(fab) : now + 1;
        fsh_fabric_quantum(fab, told < at ? told : at);
        serve->moved = fsh_fabric_moved(fab);
    } else if (next != NEVER || at != NEVER)
        fsh_fabric_pass(fab, next < at ? next : at);
}

/* A rank that needs no more turns is gone from its clock on. */
static void leave(const struct fsh_serve *serve, struct fsh_fabric *fab,
                  uint32_t node)
{
    const struct fsh_sim_turn *turn = &serve->port[node].mmio->turn;

    if (turn->wakes == FSH_SIM_WAKE_NEVER)
        fsh_serve_catch_up(serve, fab, turn->clock);
}

/* ---- when nothing can happen any more ---- */

/* Cycles that ranks may look in vain: in the library, where only others can end a
 * wait, for as long as its engines may take to say so; else 10 ms, as the program may
 * count its polls, and a second of wall time, as it may wait for something outside:
 * a thread that computes, a file, the host's clock. */
enum { STUCK_CYCLES = 2500, VAIN_CYCLES = 2500000 };
#define VAIN_NS UINT64_C(1000000000)
/* A rank that has not confirmed that it waits, as a thread computes outside of the
 * library, is not asked again for so long. */
#define UNCONFIRMED_NS UINT64_C(20000000)

/* Has this rank done nothing but look, and has it seen all there is? */
static bool is_idle(const struct fsh_serve *serve, uint32_t node)
{
    const struct fsh_sim_mmio *mmio = serve->port[node].mmio;
    const struct fsh_sim_turn *turn = &mmio->turn;

    return turn->idle != FSH_SIM_BUSY && turn->wakes != FSH_SIM_WAKE_NEVER &&
           turn->seen ==
               atomic_load_explicit(&mmio->activity, memory_order_relaxed) &&
           atomic_load(&serve->page->rank[node].state) < FSH_RANK_LEFT;
}

/* Has nothing happened since this cycle for so long? */
static bool is_vain(struct fsh_serve *serve, uint64_t since, uint64_t now)
{
    if (since != serve->still_since || serve->still_ns == 0) {
        serve->still_since = since;
        serve->still_ns = fsh_time_ns();
    }
    return now >= since + VAIN_CYCLES &&
           fsh_time_ns() - serve->still_ns >= VAIN_NS;
}

/* *from: since this cycle. */
static bool stands_still(struct fsh_serve *serve, const struct fsh_fabric *fab,
                         uint64_t *from)
{
    uint64_t since = serve->moved, now = fsh_fabric_cycle(fab);
    bool stuck = true;

    if (fsh_fabric_due(fab) != NEVER)
        return false;
    for (uint32_t i = serve->first; i < serve->past; i++) {
        const struct fsh_sim_turn *turn = &serve->port[i].mmio->turn;

        if (!is_idle(serve, i))
            return false;
        if (serve->start + turn->idle > since)
            since = serve->start + turn->idle;
        stuck = stuck && turn->stuck;
    }
    *from = since;
    return stuck ? now >= since + STUCK_CYCLES : is_vain(serve, since, now);
}

/* Ask a rank whether it is as it has said. */
static bool confirms(struct fsh_serve *serve, uint32_t node, uint64_t now)
{
    struct fsh_sim_turn *turn = &serve->port[node].mmio->turn;
    bool answered;

    turn->asks = 1;
    turn->confirms = 0;
    turn->text[0] = '\0';
    answered = give(serve, node, now, now);
    turn->asks = 0;
    turn->text[FSH_SIM_TEXT_BYTES - 1] = '\0';
    return answered && turn->confirms != 0;
}

/* Nothing can happen here any more, and all ranks say so: then it stays like that, unless
 * another partition does something. */
static bool is_stuck(struct fsh_serve *serve, const struct fsh_fabric *fab)
{
    uint64_t since;

    if (!stands_still(serve, fab, &since)) {
        serve->confirmed = 0;
        return false;
    }
    if (serve->confirmed == since + 1)
        return true;
    if (fsh_time_ns() - serve->unconfirmed_ns < UNCONFIRMED_NS)
        return false;
    for (uint32_t i = serve->first; i < serve->past; i++)
        if (!confirms(serve, i, fsh_fabric_cycle(fab))) {
            serve->unconfirmed_ns = fsh_time_ns();
            return false;
        }
    serve->confirmed = since + 1;
    return true;
}

/* Of several partitions each says so until all have when they meet, which decides it
 * for all of them. */
static bool is_deadlock(struct fsh_serve *serve, struct fsh_fabric *fab,
                        bool drained)
{
    bool stuck;

    if (serve->partitioned && fsh_fabric_agreed(fab) & FSH_WORD_STUCK)
        return true;
    stuck = drained && is_stuck(serve, fab);
    if (!serve->partitioned)
        return stuck;
    fsh_fabric_tell(fab, (stuck ? FSH_WORD_STUCK : 0) |
                             (any_left(serve) ? 0 : FSH_WORD_LEFT));
    return false;
}

/* Does no rank, of any partition, need another turn? */
static bool are_over(const struct fsh_serve *serve,
                     const struct fsh_fabric *fab)
{
    return !any_left(serve) &&
           (!serve->partitioned || fsh_fabric_agreed(fab) & FSH_WORD_LEFT);
}

static void report_deadlock(struct fsh_serve *serve,
                            const struct fsh_fabric *fab)
{
    uint64_t now = fsh_fabric_cycle(fab);

    snprintf(serve->failure, sizeof serve->failure,
             "deadlock in simulated time, cycle %llu: all ranks wait, and "
             "nothing is in flight",
             (unsigned long long)(now - serve->start));
    for (uint32_t i = serve->first; i < serve->past; i++) {
        char *rest = serve->port[i].mmio->turn.text, *line;

        while ((line = strsep(&rest, "\n")) != NULL)
            if (line[0] != '\0')
                fsh_warn("deadlock: rank %u%s", i, line);
    }
    fsh_serve_dump(serve, "deadlock");
}

/* Whoever goes on first ends the job, with the others: they meet once more. */
static void await_reports(struct fsh_fabric *fab)
{
    fsh_fabric_hosts(fab, NEVER);
    fsh_fabric_again(fab);
    fsh_fabric_run(fab, SETTLE);
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

/* All is quiet, and others have not come: the last one to come calls. */
static void await_call(struct fsh_fabric *fab)
{
    uint64_t start = fsh_time_ns();

    while (!fsh_fabric_called(fab) && fsh_time_ns() - start < CALL_NS)
        usleep(CALL_US);
}

/* All partitions have come here, and nothing is left in the rings of any, nor in flight:
 * they know it of the same round. */
static void settle_all(struct fsh_serve *serve, struct fsh_fabric *fab)
{
    settle(serve, fab);
    while (serve->partitioned && !serve->stop && !fsh_fabric_error(fab)) {
        bool ready = fsh_serve_take(serve, fab);

        fsh_fabric_tell(fab, ready ? FSH_WORD_CLOCKS : 0);
        fsh_fabric_again(fab);
        if (!fsh_fabric_run(fab, SETTLE))
            continue;
        if (fsh_fabric_agreed(fab) & FSH_WORD_CLOCKS)
            break;
        if (ready)
            await_call(fab);
    }
    fsh_fabric_tell(fab, 0);
}

static void begin(struct fsh_serve *serve, struct fsh_fabric *fab)
{
    fsh_handover_init(&serve->handover, fsh_handover_processors());
    settle_all(serve, fab);
    serve->start = fsh_fabric_epoch(fab);
    fsh_sim_trace_begin(fab);
    atomic_store_explicit(&serve->shared->clock_start, serve->start,
                          memory_order_relaxed);
    for (uint32_t i = serve->first; i < serve->past; i++) {
        struct fsh_sim_turn *turn = &serve->port[i].mmio->turn;

        turn->wakes = FSH_SIM_WAKE_TIME;
        turn->until = 0;
        turn->idle = FSH_SIM_BUSY;
    }
}

bool fsh_turns_run(struct fsh_serve *serve, struct fsh_fabric *fab)
{
    bool drained = true;
    unsigned passes = 0;

    begin(serve, fab);
    /* The end of the job may be announced before the last turn is looked at. */
    while (!are_over(serve, fab) && !serve->stop && !fsh_fabric_error(fab)) {
        uint64_t now = fsh_fabric_cycle(fab), at;
        uint32_t node = soonest(serve, now, &at);

        fsh_trace_reached(now - serve->start);
        fsh_serve_dump_asked(serve);
        if (is_deadlock(serve, fab, drained)) {
            report_deadlock(serve, fab);
            await_reports(fab);
            return false;
        }
        if (at <= now) {
            fsh_serve_show(serve, fab);
            /* It may act, and others have to come along. */
            fsh_fabric_tell(fab, 0);
            if (!give(serve, node, now, horizon(serve, fab, node, drained)))
                return false;
            drained = fsh_serve_take(serve, fab);
            leave(serve, fab, node);
            continue;
        }
        pass(serve, fab, at, drained);
        if (++passes % PASSES_PER_SHOW == 0)
            fsh_serve_show(serve, fab);
        if (!drained)
            drained = fsh_serve_take(serve, fab);
    }
    fsh_sim_trace_end(fab);
    fsh_fabric_hosts(fab, NEVER);
    settle(serve, fab);
    return !any_left(serve) && !fsh_fabric_error(fab);
}
