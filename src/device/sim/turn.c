/* SPDX-License-Identifier: BSD-3-Clause */
#include "device/sim/turn.h"

#include "base/futex.h"
#include "base/wait.h"
#include "boot/boot.h"

/* turns: so many have been had, and none is held. */
static void hand_back(struct fsh_turn *turn, uint32_t turns)
{
    struct fsh_sim_turn *s = turn->shared;

    /* Publishes what it says, and all that this rank has done with its turn. Both
     * sequentially consistent, partner: nap in the simulator's turns.c, with the same
     * two words the other way round: one of the two sees the other. */
    fsh_handover_say(&s->rank_processor);
    atomic_store(&s->back, turns);
    if (atomic_load(&s->sim_sleeps) != 0)
        fsh_futex_wake(&s->back, 1);
}

static void say(struct fsh_turn *turn, uint32_t wakes, uint32_t seen,
                uint64_t until)
{
    struct fsh_sim_turn *s = turn->shared;

    /* Relaxed: published with back (hand_back). */
    atomic_store_explicit(&s->wakes, wakes, memory_order_relaxed);
    atomic_store_explicit(&s->seen, seen, memory_order_relaxed);
    atomic_store_explicit(&s->until, until, memory_order_relaxed);
    atomic_store_explicit(&s->clock, turn->now, memory_order_relaxed);
    atomic_store_explicit(&s->idle, turn->idle, memory_order_relaxed);
    atomic_store_explicit(&s->stuck, turn->stuck, memory_order_relaxed);
}

/* Does this rank have the turn, as far as it knows? If not, it may have been given
 * and not been taken. Only this rank writes `back`. */
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

/* Others may compute for as long as they like; what this rank lacks is said by
 * whoever waits for it, not here. */
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
    /* Before the horizon no register read is answered, and activity stays. */
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
    /* Without the turn, too: the simulator, which may be reading these words, finds
     * that the rank is due at another cycle than it had said, or has been. */
    say(turn, wakes, seen, until);
    /* Once more if it has been given back: the simulator may not have been woken. */
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
    /* If it waits for the next one, that may have been given, or be given before the
     * simulator sees that it never wakes: it is given back here, beforehand. */
    if (!has_turn(turn))
        had++;
    say(turn, FSH_SIM_WAKE_NEVER, 0, 0);
    hand_back(turn, had);
}
