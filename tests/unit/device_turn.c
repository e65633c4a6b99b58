/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A rank's side of simulated time (turn.h), with this program as the simulator: who
 * holds the turn, even if a signal handler that never returns has interrupted the
 * wait for it: a turn already on its way must then come back, or time stands still.
 */
#include "device/sim/turn.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

#define LIMIT_MS 5000

static struct fsh_sim_turn shared;
static struct fsh_turn turn;
static void (*rank_does)(void);
static void (*handler_does)(void);
static atomic_int interrupted, go, done;

static void nap(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

#define AWAIT(cond)                                 \
    do {                                            \
        for (int ms = 0; !(cond) && ms < LIMIT_MS;) \
            nap(), ms++;                            \
        CHECK(cond);                                \
    } while (0)

static void on_signal(int sig)
{
    (void)sig;
    atomic_store(&interrupted, 1);
    while (!atomic_load(&go))
        nap();
    handler_does();
    atomic_store(&done, 1);
    for (;;)
        pause();
}

static void *rank_main(void *arg)
{
    fsh_turn_begin(&turn, &shared);
    rank_does();
    atomic_store(&done, 1);
    return arg;
}

static void give(uint64_t now, uint64_t horizon)
{
    shared.now = now;
    shared.horizon = horizon;
    atomic_fetch_add(&shared.given, 1);
}

/* A rank that has the turn at cycle 0, up to 500. */
static pthread_t start(void (*does)(void), void (*handler)(void))
{
    pthread_t thread;

    memset(&shared, 0, sizeof shared);
    atomic_store(&interrupted, 0);
    atomic_store(&go, 0);
    atomic_store(&done, 0);
    rank_does = does;
    handler_does = handler;
    CHECK(pthread_create(&thread, NULL, rank_main, NULL) == 0);
    pthread_detach(thread); /* what is interrupted stays in its handler */
    give(0, 500);
    return thread;
}

/* ... and waits for its next one, in a handler that has interrupted that. */
static void start_interrupted(void (*does)(void), void (*handler)(void))
{
    pthread_t thread = start(does, handler);

    AWAIT(atomic_load(&shared.back) == 1);
    CHECK(pthread_kill(thread, SIGUSR1) == 0);
    AWAIT(atomic_load(&interrupted));
}

static void wait_long(void)
{
    turn.idle = 17;
    turn.stuck = true;
    fsh_turn_next(&turn, FSH_SIM_WAKE_TIME, 7, 1000000);
}

static void end(void)
{
    fsh_turn_end(&turn);
}

/* ---- without signals ---- */

static void go_on_alone(void)
{
    fsh_turn_next(&turn, FSH_SIM_WAKE_TIME, 0, 400);
    fsh_turn_acted(&turn, 50);
    fsh_turn_next(&turn, FSH_SIM_WAKE_TIME, 0, 450);
    CHECK(turn.now == 450 && atomic_load(&shared.back) == 0);
    fsh_turn_next(&turn, FSH_SIM_WAKE_ACTIVITY, 3, 451);
    CHECK(turn.now == 600 && turn.horizon == 700);
    fsh_turn_end(&turn);
}

static void turns_in_order(void)
{
    start(go_on_alone, NULL);
    AWAIT(atomic_load(&shared.back) == 1);
    CHECK(shared.until == 451 && shared.clock == 450 && shared.seen == 3 &&
          shared.wakes == FSH_SIM_WAKE_ACTIVITY &&
          shared.idle == FSH_SIM_BUSY && !shared.stuck);
    give(600, 700);
    AWAIT(atomic_load(&shared.back) == 2);
    CHECK(shared.wakes == FSH_SIM_WAKE_NEVER && shared.clock == 600);
    AWAIT(atomic_load(&done));
}

static bool answers; /* what a rank says that is asked */

static bool answer(char *text, size_t len)
{
    snprintf(text, len, "text");
    return answers;
}

static void wait_idle(void)
{
    turn.answer = answer;
    wait_long();
}

static void ask(uint32_t back)
{
    shared.asks = 1;
    shared.confirms = 0;
    give(0, 0);
    AWAIT(atomic_load(&shared.back) == back);
    shared.asks = 0;
}

static void questions(void)
{
    start(wait_idle, NULL);
    AWAIT(atomic_load(&shared.back) == 1);
    CHECK(shared.idle == 17 && shared.stuck == 1);
    answers = false;
    ask(2);
    CHECK(!shared.confirms);
    answers = true;
    ask(3);
    CHECK(shared.confirms && strcmp(shared.text, "text") == 0);
    CHECK(!atomic_load(&done)); /* a question is no turn */
    give(1000000, 1000000);
    AWAIT(atomic_load(&done));
}

/* ---- in handlers that never return ---- */

/* The rank leaves when its next turn has been given, and not been taken. */
static void end_beside_a_turn(void)
{
    start_interrupted(wait_long, end);
    give(1000000, 1000000);
    atomic_store(&go, 1);
    AWAIT(atomic_load(&shared.back) == 2);
    AWAIT(atomic_load(&done));
    CHECK(shared.wakes == FSH_SIM_WAKE_NEVER);
}

/* ... before it is given: the simulator may have decided to, but a moment ago. */
static void end_before_a_turn(void)
{
    start_interrupted(wait_long, end);
    atomic_store(&go, 1);
    AWAIT(atomic_load(&done));
    CHECK(shared.wakes == FSH_SIM_WAKE_NEVER);
    give(1000000, 1000000);
    CHECK(atomic_load(&shared.back) == atomic_load(&shared.given));
}

/* In a handler that has come before the turn is given back. */
static void interrupted_early(void)
{
    raise(SIGUSR1);
}

static void end_with_a_turn(void)
{
    start(interrupted_early, end);
    AWAIT(atomic_load(&interrupted));
    CHECK(atomic_load(&shared.back) == 0);
    atomic_store(&go, 1);
    AWAIT(atomic_load(&shared.back) == 1);
    CHECK(shared.wakes == FSH_SIM_WAKE_NEVER);
}

static void wait_less(void)
{
    fsh_turn_again(&turn, FSH_SIM_WAKE_TIME, 0, 300);
    CHECK(turn.now == 400 && turn.given == 2);
}

/* It goes on sooner than it had said, but with a turn only, whatever its horizon was
 * in the last one. */
static void again_before_a_turn(void)
{
    start_interrupted(wait_long, wait_less);
    atomic_store(&go, 1);
    AWAIT(shared.until == 300 && shared.idle == FSH_SIM_BUSY);
    CHECK(!atomic_load(&done));
    give(400, 400);
    AWAIT(atomic_load(&done));
    CHECK(atomic_load(&shared.back) == 1);
}

/* With the turn that has come meanwhile. */
static void again_beside_a_turn(void)
{
    start_interrupted(wait_long, wait_less);
    give(400, 400);
    atomic_store(&go, 1);
    AWAIT(atomic_load(&done));
    CHECK(atomic_load(&shared.back) == 1);
}

int main(void)
{
    signal(SIGUSR1, on_signal);
    turns_in_order();
    questions();
    end_beside_a_turn();
    end_before_a_turn();
    end_with_a_turn();
    again_before_a_turn();
    again_beside_a_turn();
    return 0;
}
