/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How everything in the library waits: poll and spin for a while, then yield,
 * then sleep in steps that grow from 50 us to 10 ms, so that one adds about a
 * fifth at most to the wait. Messages end a sleep early, and on conduits that
 * can tell so do puts, for GASNET_BLOCKUNTIL; other stores are noticed within a
 * step. Every wait ends with the job, and says what it waits for after a second.
 */
#include <limits.h>
#include <string.h>

#include "base/cpu.h"
#include "base/futex.h"
#include "base/log.h"
#include "base/spin.h"
#include "boot/boot.h"
#include "gasnet/internal.h"

/* The first spins go without a pause, which may take as long as an answer. */
#define EAGER 100u
#define YIELDS 60u
#define SLEEP_FIRST_US 50u /* then each a quarter longer than the one before */
#define SLEEP_MAX_US 10000u
/* With other threads about, one may have run the handler that this one waits
 * for just before this one went to sleep in the conduit. */
#define SLEEP_SHARED_US 1000u
#define CHECK_PERIOD 1024u /* rounds between checks if it never sleeps */
#define REPORT_NS UINT64_C(1000000000)
/* An ending job sends SIGQUIT, for which the client may have a handler. */
#define SIGNAL_GRACE_NS UINT64_C(1000000000)

/* Threads of this process that wait: one sleeps in the conduit, the others on
 * `progress`, which counts polls that found something. */
static atomic_uint progress;
static atomic_int sleepers;
static atomic_flag in_conduit = ATOMIC_FLAG_INIT;

void fsh_wait_wake(void)
{
    /* Partner: sleep_local, which counts itself before it compares. */
    atomic_fetch_add_explicit(&progress, 1, memory_order_seq_cst);
    if (atomic_load_explicit(&sleepers, memory_order_seq_cst) > 0)
        fsh_futex_wake(&progress, INT_MAX);
}

static void set_report(const char *what, uint32_t peer)
{
    char text[128];

    if (what == NULL)
        text[0] = '\0';
    else if (peer != 0)
        snprintf(text, sizeof text, "%s (node %u)", what, peer - 1);
    else
        snprintf(text, sizeof text, "%s", what);
    fsh_boot_waiting(text);
}

static void print_fact(void *arg, const char *text)
{
    (void)arg;
    fsh_warn("  %s", text);
}

static _Noreturn void bite(const struct fsh_wait *wait, const char *what)
{
    double seconds = fsh_boot_watchdog();

    fsh_gasnet.ops->describe(print_fact, NULL);
    fsh_command_describe(print_fact, NULL);
    if (wait->peer != 0)
        fsh_fatal("%s: blocked for %.3g s (FSHMEM_WATCHDOG), waiting for node "
                  "%u",
                  what, seconds, wait->peer - 1);
    fsh_fatal("%s: blocked for %.3g s (FSHMEM_WATCHDOG)", what, seconds);
}

/* The job is ending: leave, unless a signal makes this thread leave first. */
static _Noreturn void leave(const char *why)
{
    const struct timespec nap = {0, 1000000};
    uint64_t limit = fsh_time_ns() + SIGNAL_GRACE_NS;

    while (fsh_time_ns() < limit)
        nanosleep(&nap, NULL);
    fsh_boot_exit_job(1, why);
}

void fsh_wait_check(struct fsh_wait *wait, const char *what)
{
    const char *why = NULL;
    uint64_t now = fsh_time_ns();

    if (!fsh_boot_alive(&why))
        leave(why);
    fsh_exit_check();
    if (wait->since == 0)
        wait->since = now;
    if (fsh_boot_overdue(&wait->since))
        bite(wait, what);
    if (!wait->reported && now - wait->since > REPORT_NS) {
        set_report(what, wait->peer);
        wait->reported = 1;
    }
}

void fsh_wait_end(struct fsh_wait *wait)
{
    if (wait->reported)
        set_report(NULL, 0);
    wait->reported = 0;
}

static void sleep_local(const struct fsh_wait *wait, uint64_t ns)
{
    atomic_fetch_add_explicit(&sleepers, 1, memory_order_seq_cst);
    if (atomic_load_explicit(&progress, memory_order_seq_cst) == wait->seen)
        fsh_futex_wait(&progress, wait->seen, ns);
    atomic_fetch_sub_explicit(&sleepers, 1, memory_order_relaxed);
}

static void sleep_step(struct fsh_wait *wait)
{
    bool shared = fsh_gasnet.threaded && fsh_thread_count() > 1;
    uint32_t limit = shared ? SLEEP_SHARED_US : SLEEP_MAX_US;
    uint64_t ns;

    wait->sleep_us = wait->sleep_us == 0 ? SLEEP_FIRST_US
                                         : wait->sleep_us + wait->sleep_us / 4;
    if (wait->sleep_us > limit)
        wait->sleep_us = limit;
    ns = (uint64_t)wait->sleep_us * 1000;
    if (!shared) {
        fsh_gasnet.ops->wait(ns, wait->memory != 0);
    } else if (!atomic_flag_test_and_set_explicit(&in_conduit,
                                                  memory_order_acquire)) {
        fsh_gasnet.ops->wait(ns, wait->memory != 0);
        atomic_flag_clear_explicit(&in_conduit, memory_order_release);
    } else {
        sleep_local(wait, ns);
    }
}

/* Spun for long enough. */
static __attribute__((noinline)) void offer_step(struct fsh_wait *wait,
                                                 const char *what, int mode)
{
    if (mode == GASNET_WAIT_SPIN) {
        if (++wait->idle % CHECK_PERIOD == 0)
            fsh_wait_check(wait, what);
        fsh_spin_yield();
        return;
    }
    /* From here on `idle` counts yields, so that more spins do not come. */
    if (wait->idle < FSH_SPINS_MOST)
        wait->idle = FSH_SPINS_MOST;
    if (wait->idle < FSH_SPINS_MOST + YIELDS && !fsh_spin_greedy()) {
        wait->idle++;
        fsh_spin_yield();
    } else {
        fsh_wait_check(wait, what);
        sleep_step(wait);
    }
}

static inline void idle_step(struct fsh_wait *wait, const char *what)
{
    int mode = atomic_load_explicit(&fsh_gasnet.waitmode, memory_order_relaxed);

    if (mode == GASNET_WAIT_BLOCK || wait->idle >= fsh_spins())
        offer_step(wait, what, mode);
    else if (wait->idle++ >= EAGER)
        fsh_cpu_relax();
}

void fsh_wait_step(struct fsh_wait *wait, const char *what)
{
    uint32_t seen = atomic_load_explicit(&progress, memory_order_seq_cst);

    if (fsh_gasnet_poll()) {
        wait->idle = 0;
        wait->sleep_us = 0;
    } else {
        idle_step(wait, what);
    }
    /* Whatever was found from here on postpones the next sleep, so that the
     * caller's check of its condition in between cannot miss it. */
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
    FSH_CALL("GASNET_BLOCKUNTIL");
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
