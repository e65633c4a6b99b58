/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The threads of a rank in simulated time (threads.h), with a fake simulator that
 * gives each turn at the requested cycle and checks what the rank reports: since
 * when all its threads have only polled, which must never be reported while one of
 * them can still act. Thread 0 is main.
 */
#include "device/sim/threads.h"

#include <pthread.h>
#include <sched.h>
#include <string.h>

#include "base/wait.h"
#include "check.h"

#define BUSY FSH_SIM_BUSY

static struct fsh_sim_turn shared;
static struct fsh_turn turn;
static _Atomic uint32_t activity;

/* What the rank has said, last. */
static struct {
    uint64_t at, until, idle;
    bool stuck;
} said;
static atomic_bool ask; /* a question before the next turn */
static atomic_bool confirmed;
static char text[FSH_SIM_TEXT_BYTES];

static void give(uint64_t now)
{
    uint32_t before = atomic_load(&shared.back);

    shared.now = shared.horizon = now;
    atomic_store(&shared.given, before + 1);
    while (atomic_load(&shared.back) == before)
        sched_yield();
}

static void *simulate(void *arg)
{
    give(0);
    while (shared.wakes != FSH_SIM_WAKE_NEVER) {
        if (atomic_exchange(&ask, false)) {
            shared.asks = 1;
            shared.confirms = 0;
            give(shared.until);
            shared.asks = 0;
            strcpy(text, shared.text);
            atomic_store(&confirmed, shared.confirms);
        }
        said.at = shared.clock;
        said.until = shared.until;
        said.idle = shared.idle;
        said.stuck = shared.stuck;
        give(shared.until);
    }
    return arg;
}

static void wait_until(uint64_t cycle)
{
    fsh_threads_next(FSH_SIM_WAKE_TIME, 0, cycle);
}

static void look_until(uint64_t cycle)
{
    fsh_threads_enter();
    fsh_threads_look();
    wait_until(cycle);
}

static void act_until(uint64_t cycle)
{
    fsh_threads_enter();
    fsh_threads_act();
    wait_until(cycle);
}

/* The rank has said this when it last waited. */
static void check_idle(uint64_t at, uint64_t since)
{
    CHECK(said.at == at && said.idle == since, "at %llu: idle %lld, not %lld",
          (unsigned long long)said.at, (long long)said.idle, (long long)since);
}

static void start(pthread_t *thread, void *(*body)(void *))
{
    unsigned before = fsh_threads_count();

    CHECK(pthread_create(thread, NULL, body, NULL) == 0);
    while (fsh_threads_count() == before)
        sched_yield();
}

/* Main blocks. Afterwards it has the turn again. */
static void join(pthread_t thread)
{
    fsh_threads_block();
    pthread_join(thread, NULL);
    fsh_threads_enter();
}

static void alone(void)
{
    act_until(100);
    check_idle(0, BUSY);
    look_until(200);
    check_idle(100, 100);
    look_until(300);
    check_idle(200, 100);
    CHECK(!said.stuck); /* it is in no wait of the library */
    act_until(400);
    check_idle(300, BUSY);
    wait_until(500); /* it has not looked since */
    check_idle(400, BUSY);
}

/* ---- another thread does something ---- */

static void *act_then_look(void *arg)
{
    act_until(1000);
    look_until(1010);
    look_until(1100);
    return arg;
}

static void others_act(void)
{
    pthread_t thread;

    start(&thread, act_then_look);
    look_until(600);
    check_idle(500, BUSY);
    look_until(1000);
    check_idle(600, BUSY);
    /* Main looks before the other one does, which has acted until now. */
    look_until(1050);
    check_idle(1010, BUSY);
    look_until(1090); /* and now it has looked after it */
    check_idle(1050, 1000);
    join(thread);
}

/* ---- a wait that begins ---- */

static void in_wait(const struct fsh_wait_kind *kind, struct fsh_wait *wait,
                    const char *what, uint64_t until)
{
    struct fsh_waiting here;

    fsh_wait_enter(&here, kind, wait, what);
    look_until(until);
    fsh_wait_leave(&here);
}

static const struct fsh_wait_kind kind = {0}, by_threads = {.by_threads = true};

static void new_waits(void)
{
    struct fsh_wait first = {0}, second = {.memory = 1};

    act_until(2000);
    in_wait(&kind, &first, "first", 2010);
    in_wait(&kind, &first, "first", 2020);
    check_idle(2010, 2000);
    CHECK(said.stuck);
    in_wait(&kind, &second, "second", 2030);
    check_idle(2020, 2020);
    CHECK(!said.stuck); /* a store may end it */
}

/* ---- a thread that is elsewhere ---- */

static atomic_bool may_end;

static void *block_and_end(void *arg)
{
    look_until(3000);
    fsh_threads_block();
    while (!atomic_load(&may_end))
        sched_yield();
    return arg;
}

static void elsewhere(void)
{
    pthread_t thread;

    act_until(2900);
    start(&thread, block_and_end);
    look_until(3010);
    for (uint64_t t = 3020; t < 4000; t += 10) {
        look_until(t);
        check_idle(t - 10, BUSY);
    }
    atomic_store(&may_end, true);
    pthread_join(thread, NULL);
    /* It may have done something: look once more. */
    look_until(4000);
    check_idle(3990, BUSY);
    look_until(4010);
    check_idle(4000, 3990);
}

/* ---- what is said to questions ---- */

static void *wait_for_spoon(void *arg)
{
    struct fsh_wait wait = {0};

    in_wait(&kind, &wait, "a spoon", 5000);
    in_wait(&kind, &wait, "a spoon", 5100);
    return arg;
}

static void *be_daemon(void *arg)
{
    fsh_threads_daemon();
    look_until(5000);
    look_until(5100);
    return arg;
}

static void questions(void)
{
    struct fsh_wait wait = {0};
    pthread_t spoon, daemon;

    start(&spoon, wait_for_spoon);
    start(&daemon, be_daemon);
    in_wait(&kind, &wait, "a fork", 5000);
    in_wait(&kind, &wait, "a fork", 5050);
    atomic_store(&ask, true); /* as the last of the three waits */
    in_wait(&kind, &wait, "a fork", 5090);
    CHECK(said.idle != BUSY && said.stuck);
    CHECK(atomic_load(&confirmed) &&
              strcmp(text, ", thread 0 waits for: a fork\n, thread 3 waits "
                           "for: a spoon\n") == 0,
          "%s", text);
    /* Something that the simulator's thread, which is a stranger, may do. */
    atomic_store(&ask, true);
    in_wait(&by_threads, &wait, "a fork", 5095);
    CHECK(!atomic_load(&confirmed));
    join(spoon);
    join(daemon);
}

int main(void)
{
    pthread_t simulator;

    CHECK(pthread_create(&simulator, NULL, simulate, NULL) == 0);
    fsh_turn_begin(&turn, &shared);
    fsh_threads_begin(&turn, &activity, false);
    alone();
    others_act();
    new_waits();
    elsewhere();
    questions();
    fsh_turn_end(&turn);
    fsh_threads_end();
    pthread_join(simulator, NULL);
    return 0;
}
