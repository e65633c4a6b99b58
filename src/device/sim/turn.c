/* SPDX-License-Identifier: BSD-3-Clause */
#include "device/sim/turn.h"

#include "base/futex.h"
#include "base/wait.h"
#include "boot/boot.h"

/* turns: how many have been granted; none is held now. */
static void hand_back(struct fsh_turn *turn, uint32_t turns)
{
    struct fsh_sim_turn *s = turn->shared;

    /* Publishes the rank's promise, and everything it did in its turn. Both accesses
     * are sequentially consistent; partner: nap in the simulator's turns.c, with the
     * same two words in reverse order: at least one sees the other. */
    fsh_handover_say(&s->rank_processor);
    atomic_store(&s->back, turns);
    if (atomic_load(&s->sim_sleeps) != 0)
        fsh_futex_wake(&s->back, 1);
}

static void say(struct fsh_turn *turn, uint32_t wakes, uint32_t seen,
                uint64_t until)
{
    struct fsh_sim_turn *s = turn->shared;

    /* Relaxed: published by the store of back (hand_back). */
    atomic_store_explicit(&s->wakes, wakes, memory_order_relaxed);
    atomic_store_explicit(&s->seen, seen, memory_order_relaxed);
    atomic_store_explicit(&s->until, until, memory_order_relaxed);
    atomic_store_explicit(&s->clock, turn->now, memory_order_relaxed);
    atomic_store_explicit(&s->idle, turn->idle, memory_order_relaxed);
    atomic_store_explicit(&s->stuck, turn->stuck, memory_order_relaxed);
}

/* Whether this rank has the turn, as far as it knows: one may have been granted but not
 * yet taken. Only this rank writes `back`. */
static bool has_turn(const struct fsh_turn *turn)
{
    return atomic_load_explicit(&turn->shared->back, memory_order_relaxed) !=
           turn->given;
}

struct turn_wait {
    struct fsh_wait wait;
    struct fsh_turn *turn;
};

static bool sleep_for_turn(struct fsh_wait *wait, uint64_t ns)
{
    struct fsh_turn *turn = ((struct turn_wait *)(void *)wait)->turn;
    struct fsh_sim_turn *s = turn->shared;

    /* Sequentially consistent, partner: give in turns.c. */
    atomic_store(&s->rank_sleeps, 1);
    if (atomic_load(&s->given) == turn->given)
        fsh_futex_wait(&s->given, turn->given, ns);
    atomic_store_explicit(&s->rank_sleeps, 0, memory_order_relaxed);
    return true;
}

static void check_outer(struct fsh_wait *wait, const char *what)
{
    (void)wait;
    (void)what;
    fsh_wait_check_outer();
}

/* Others may compute for as long as they like. The thread that waits for the
 * turn reports what this rank is waiting for; this wait does not. */
static const struct fsh_wait_kind for_turn = {.who = "device sim",
                                              .untraced = true,
                                              .nap_us = 100000,
                                              .most_us = 100000,
                                              .sleep = sleep_for_turn,
                                              .check = check_outer};

static void sleep_until_given(struct fsh_turn *turn)
{
    struct turn_wait w = {.wait.limit_ms = FSH_WAIT_FOR_EVER, .turn = turn};

    /* Acquire: now, and what the fabric and other ranks have done. Partner: the
     * store in turns.c. */
    while (atomic_load_explicit(&turn->shared->given, memory_order_acquire) ==
           turn->given)
        fsh_wait_pause(&for_turn, &w.wait, "its turn in simulated time");
    fsh_wait_end(&w.wait);
}

static void await_word(struct fsh_turn *turn, struct fsh_handover *spins)
{
    uint64_t since;

    if (!fsh_handover_spin(spins, &turn->shared->given, turn->given,
                           &turn->shared->sim_processor)) {
        since = fsh_time_ns();
        sleep_until_given(turn);
        fsh_handover_slept(spins, fsh_time_ns() - since);
    }
    turn->given++;
}

static void await(struct fsh_turn *turn, struct fsh_handover *spins)
{
    await_word(turn, spins);
    while (turn->shared->asks) {
        turn->shared->confirms =
            turn->answer != NULL &&
            turn->answer(turn->shared->text, FSH_SIM_TEXT_BYTES);
        hand_back(turn, turn->given);
        await_word(turn, spins);
    }
    turn->now = turn->shared->now;
    turn->horizon = turn->shared->horizon;
}

void fsh_turn_begin(struct fsh_turn *turn, struct fsh_sim_turn *shared)
{
    *turn =
        (struct fsh_turn){.shared = shared, .on = true, .idle = FSH_SIM_BUSY};
    fsh_handover_init(&turn->for_time, fsh_boot_cpus());
    turn->for_event = turn->for_time;
    await(turn, &turn->for_time);
}

void fsh_turn_next(struct fsh_turn *turn, uint32_t wakes, uint32_t seen,
                   uint64_t until)
{
    /* Before the horizon no register read is answered and activity does not
     * change. */
    if (until <= turn->horizon && wakes != FSH_SIM_WAKE_READ) {
        turn->now = until;
        return;
    }
    say(turn, wakes, seen, until);
    hand_back(turn, turn->given);
    await(turn,
          wakes == FSH_SIM_WAKE_TIME ? &turn->for_time : &turn->for_event);
}

void fsh_turn_again(struct fsh_turn *turn, uint32_t wakes, uint32_t seen,
                    uint64_t until)
{
    turn->idle = FSH_SIM_BUSY;
    /* Done even without the turn: the simulator, which may be reading these words,
     * finds the rank due at another cycle than promised, or already due. */
    say(turn, wakes, seen, until);
    /* Repeated even if already given back: the simulator may not have been woken. */
    hand_back(turn, turn->given);
    await(turn, &turn->for_event);
}

void fsh_turn_acted(struct fsh_turn *turn, uint64_t cycles)
{
    if (turn->horizon - turn->now > cycles)
        turn->horizon = turn->now + cycles;
}

void fsh_turn_end(struct fsh_turn *turn)
{
    uint32_t had = turn->given;

    turn->on = false;
    turn->idle = FSH_SIM_BUSY;
    /* If a thread waits for the next turn, it may have been granted, or may be before
     * the simulator sees that the rank leaves: give it back in advance. */
    if (!has_turn(turn))
        had++;
    say(turn, FSH_SIM_WAKE_NEVER, 0, 0);
    hand_back(turn, had);
}
