/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The waits of GASNet calls (base/wait.h). Each round polls. A thread sleeps in the
 * conduit or, if another thread already does, until that thread's poll finds
 * something. Messages end a sleep early, as do puts on conduits that can detect them,
 * for GASNET_BLOCKUNTIL; other stores are noticed within one step.
 */
#include "base/simulated.h"
#include "base/wait.h"
#include "gasnet/internal.h"

/* With several threads, another may run the handler that this thread waits for just
 * before this thread falls asleep in the conduit, where nothing would wake it. */
#define SLEEP_SHARED_NS UINT64_C(1000000)
#define SLEEP_IN_TURN_NS UINT64_C(20000) /* simulated */

/* Held by the thread sleeping in the conduit. */
static atomic_flag in_conduit = ATOMIC_FLAG_INIT;

static _Atomic(fsh_wait_watch_fn) watch;

void fsh_wait_set_watch(fsh_wait_watch_fn fn)
{
    atomic_store_explicit(&watch, fn, memory_order_relaxed);
}

static void check_exit(struct fsh_wait *wait, const char *what)
{
    fsh_wait_watch_fn fn;

    (void)what;
    fsh_exit_check();
    fn = atomic_load_explicit(&watch, memory_order_relaxed);
    if (fn != NULL)
        fn(wait);
}

/* Other threads run only while this one waits in the conduit. If one has found
 * something since the last test, that may be what this one waits for. */
static void wait_in_turn(const struct fsh_wait *wait, uint64_t ns)
{
    if (atomic_load_explicit(&fsh_wait_progress, memory_order_relaxed) ==
        wait->seen)
        fsh_gasnet.ops->wait(ns < SLEEP_IN_TURN_NS ? ns : SLEEP_IN_TURN_NS,
                             wait->memory != 0);
}

static bool sleep_step(struct fsh_wait *wait, uint64_t ns)
{
    bool shared = fsh_gasnet.threaded && fsh_thread_count() > 1;

    uint64_t capped = ns < SLEEP_SHARED_NS ? ns : SLEEP_SHARED_NS;

    if (shared && fsh_simulated() != NULL) {
        wait_in_turn(wait, capped);
    } else if (!shared) {
        fsh_gasnet.ops->wait(ns, wait->memory != 0);
    } else if (!atomic_flag_test_and_set_explicit(&in_conduit,
                                                  memory_order_acquire)) {
        fsh_gasnet.ops->wait(capped, wait->memory != 0);
        atomic_flag_clear_explicit(&in_conduit, memory_order_release);
    } else {
        fsh_wait_sleep(wait->seen, ns);
    }
    return true;
}

/* The wait modes of GASNet. Sleeps of 50 us to 10 ms, such that one prolongs
 * the wait by at most about a fifth. The first spins omit the pause
 * instruction, which may take as long as a reply. */
#define EAGER 100u
#define SLEEPS                                                 \
    .yields = 60, .nap_us = 50, .most_us = 10000, .growth = 1, \
    .sleep = sleep_step, .check = check_exit
static const struct fsh_wait_kind kinds[] = {
    [GASNET_WAIT_SPIN] = {.eager = EAGER,
                          .spins = FSH_SPINS_MOST,
                          .check = check_exit},
    [GASNET_WAIT_BLOCK] = {SLEEPS},
    [GASNET_WAIT_SPINBLOCK] = {.eager = EAGER, .spins = FSH_SPINS_MOST, SLEEPS},
};

/* In simulated time a poll has a cost, so the number of polls must not depend on host
 * time, as the lengths of spins and yields do. */
static const struct fsh_wait_kind in_turns = {.nap_us = 50,
                                              .most_us = 10000,
                                              .growth = 1,
                                              .sleep = sleep_step,
                                              .check = check_exit};

static inline const struct fsh_wait_kind *kind_now(void)
{
    if (__builtin_expect(fsh_simulated() != NULL, 0))
        return &in_turns;
    return &kinds[atomic_load_explicit(&fsh_gasnet.waitmode,
                                       memory_order_relaxed)];
}

/* One round of a wait: polls, and pauses if there was nothing. From EAGER on that takes
 * any time, since others may want the processor. */
static void round_of(struct fsh_wait *wait, const char *what)
{
    if (__builtin_expect(wait->rounds < EAGER, 1) ? fsh_gasnet_spin()
                                                  : fsh_gasnet_poll())
        fsh_wait_found(wait);
    else
        fsh_wait_pause(kind_now(), wait, what);
}

/* One round in simulated time, where an empty poll waits. */
static void round_in_turns(const struct fsh_simulated *simulated,
                           struct fsh_wait *wait, const char *what)
{
    struct fsh_waiting here;

    fsh_wait_enter(&here, kind_now(), wait, what);
    round_of(wait, what);
    fsh_wait_leave(&here);
    simulated->waited();
}

FSH_HOT void fsh_wait_step(struct fsh_wait *wait, const char *what)
{
    const struct fsh_simulated *simulated = fsh_simulated();
    uint32_t seen =
        atomic_load_explicit(&fsh_wait_progress, memory_order_seq_cst);

    FSH_ASSERT(fsh_thread_self()->in_handler == 0);
    if (__builtin_expect(simulated != NULL, 0))
        round_in_turns(simulated, wait, what);
    else
        round_of(wait, what);
    /* Anything found from here on cancels the next sleep, so the caller's test
     * of its condition in between cannot miss it. */
    wait->seen = seen;
}

void fsh_wait_event(struct fsh_event *event, const char *what, uint32_t node)
{
    struct fsh_wait wait = {.peer = node + 1};

    while (!fsh_event_done(event))
        fsh_wait_step(&wait, what);
    fsh_wait_end(&wait);
}

void fsh_gasnet_blockuntil(fsh_gasnet_wait_t *state, const char *what)
{
    struct fsh_wait *wait = (struct fsh_wait *)(void *)state;

    if (!fsh_gasnet.attached)
        fsh_bad_call("GASNET_BLOCKUNTIL");
    FSH_CALL_ROUND("GASNET_BLOCKUNTIL");
    wait->memory = 1;
    fsh_wait_step(wait, what);
}

void fsh_gasnet_unblock(fsh_gasnet_wait_t *state)
{
    fsh_wait_end((struct fsh_wait *)(void *)state);
}

int gasnet_set_waitmode(int wait_mode)
{
    if (wait_mode < GASNET_WAIT_SPIN || wait_mode > GASNET_WAIT_SPINBLOCK)
        return GASNET_ERR_BAD_ARG;
    atomic_store_explicit(&fsh_gasnet.waitmode, wait_mode,
                          memory_order_relaxed);
    return GASNET_OK;
}
