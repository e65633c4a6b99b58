/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ways out of a job. gasnet_exit and a return from main (through an exit hook
 * that runs after the client's) first give the other ranks time to leave on
 * their own, so that a collective exit loses no output, and serve their
 * messages meanwhile. Any thread; gasnet_exit also from AM handlers and signal
 * handlers. The latter may have interrupted anything, so this thread may hold
 * the locks of malloc, of a stream or of the conduit: nothing here allocates,
 * and boot's watch thread terminates what gets stuck. Only the process that
 * called gasnet_init acts.
 */
#include <limits.h>
#include <time.h>

#include "base/cpu.h"
#include "base/daemon.h"
#include "base/futex.h"
#include "base/lock.h"
#include "base/log.h"
#include "base/option.h"
#include "boot/boot.h"
#include "gasnet/bridge.h"
#include "gasnet/internal.h"

/* Failures are propagated sooner than successes. */
#define FAILURE_GRACE_NS UINT64_C(500000000)
#define FLUSH_LIMIT_NS UINT64_C(1000000000)
/* At the deadline the leaving threads end the process; this much later they are
 * considered stuck and the watch thread does. */
#define STUCK_NS UINT64_C(300000000)
#define FLUSH_STACK ((size_t)256 * 1024)
#define NAP_US 1000u
#define FOR_EVER_NS (UINT64_MAX / 4)

static pid_t owner;               /* the rank's process; 0 before gasnet_init */
static atomic_int leaving;        /* a thread is leaving */
static atomic_int exit_code;      /* its exit code */
static _Atomic uint64_t deadline; /* latest end of the job; 0: none */
/* Settings, read while reading them is safe. */
static uint64_t exit_grace, return_grace;

/* Waits on the way out. A signal handler may have interrupted anything, so they sleep
 * at once, and they have limits of their own, so that none is published on the job's
 * page, for which boot takes a lock. */
struct exit_wait {
    struct fsh_wait wait;
    int code;
    bool late; /* the limit has expired */
};

static bool nap(struct fsh_wait *wait, uint64_t ns)
{
    const struct timespec t = {0, (long)ns};

    (void)wait;
    nanosleep(&t, NULL);
    return true;
}

static bool sleep_in_conduit(struct fsh_wait *wait, uint64_t ns)
{
    (void)wait;
    fsh_gasnet.ops->wait(ns, false);
    return true;
}

static void check_deadline(struct fsh_wait *wait, const char *what)
{
    (void)wait;
    (void)what;
    fsh_exit_check();
}

void fsh_exit_check(void)
{
    /* Partner: the release in begin. */
    uint64_t limit = atomic_load_explicit(&deadline, memory_order_acquire);

    if (limit != 0 && fsh_time_ns() > limit)
        fsh_boot_exit_job(atomic_load(&exit_code), NULL);
}

static bool all_left(void)
{
    const struct fsh_job_page *page = fsh_boot_page();

    for (uint32_t i = 0; i < fsh_gasnet.nodes; i++)
        if (atomic_load(&page->rank[i].state) < FSH_RANK_LEFT)
            return false;
    return true;
}

/* The job is already ending: use its code, unless that only reflects a
 * signal. */
static _Noreturn void end_with_others(int code, const char *why)
{
    if (atomic_load(&fsh_boot_page()->abort_code) >= 0)
        why = NULL;
    fsh_boot_exit_job(code, why);
}

static void end_ending_job(struct fsh_wait *wait, const char *what,
                           const char *why)
{
    (void)what;
    end_with_others(((const struct exit_wait *)(void *)wait)->code, why);
}

static void note_late(struct fsh_wait *wait, const char *what)
{
    (void)what;
    ((struct exit_wait *)(void *)wait)->late = true;
}

#define DEPARTING \
    .check = check_deadline, .leave = end_ending_job, .expired = note_late
static const struct fsh_wait_kind serving = {.nap_us = 50,
                                             .most_us = 5000,
                                             .growth = 4,
                                             .sleep = sleep_in_conduit,
                                             DEPARTING},
                                  deaf = {.nap_us = NAP_US,
                                          .most_us = NAP_US,
                                          .sleep = nap,
                                          DEPARTING};

/* Leaves, and serves the others until all have left (true) or time is up.
 * Inside a handler nothing may be served; neither on a thread new to the
 * library, which would have to allocate its state. */
static bool depart(int code, uint64_t grace_ns)
{
    bool serve = fsh_gasnet.attached && fsh_thread_current != NULL &&
                 fsh_thread_current->in_handler == 0;
    const struct fsh_wait_kind *kind = serve ? &serving : &deaf;
    struct exit_wait w = {.code = code};

    FSH_ASSERT(owner == getpid() && atomic_load(&leaving) == 1);
    if (!serve && fsh_gasnet.ops->clock != NULL)
        fsh_gasnet.ops->clock
            ->end(); /* nobody else runs before this thread hands over */
    w.wait.limit_ms = fsh_wait_ms((double)grace_ns / 1e9);
    /* fsh_boot_leave ends the job at once if the code is not 0, and in the rank that
     * made the job it waits for what that has started. So until the grace is over,
     * this rank only shows its peers that it has left. */
    if (fsh_gasnet.nodes > 1 && grace_ns > 0)
        fsh_boot_left(code);
    while (fsh_gasnet.nodes > 1 && !all_left()) {
        fsh_wait_check(kind, &w.wait, NULL);
        if (w.late)
            return false;
        if (serve && fsh_gasnet_poll())
            fsh_wait_found(&w.wait);
        else
            fsh_wait_pause(kind, &w.wait, NULL);
    }
    fsh_wait_end(&w.wait);
    return true;
}

/* ---- stdio ---- */

/* With threads, another may hold a stream's lock for ever (blocked in a read), so the
 * flush runs on its own thread with a time limit. */
enum { FLUSH_NONE, FLUSH_IDLE, FLUSH_ASKED, FLUSH_DONE };
static atomic_uint flush_state = FLUSH_NONE;

static void *flusher(void *arg)
{
    while (atomic_load(&flush_state) == FLUSH_IDLE)
        fsh_futex_wait(&flush_state, FLUSH_IDLE, 0);
    fflush(NULL);
    atomic_store(&flush_state, FLUSH_DONE);
    fsh_futex_wake(&flush_state, INT_MAX);
    return arg;
}

static void start_flusher(void)
{
    atomic_store(&flush_state, FLUSH_IDLE);
    if (fsh_daemon_start(flusher, NULL, FLUSH_STACK) != 0)
        atomic_store(&flush_state, FLUSH_NONE);
}

static void flush_streams(void)
{
    uint64_t limit = fsh_time_ns() + FLUSH_LIMIT_NS, now;

    if (atomic_load(&flush_state) == FLUSH_NONE) {
        fflush(NULL);
        return;
    }
    atomic_store(&flush_state, FLUSH_ASKED);
    fsh_futex_wake(&flush_state, INT_MAX);
    while (atomic_load(&flush_state) == FLUSH_ASKED &&
           (now = fsh_time_ns()) < limit)
        fsh_futex_wait(&flush_state, FLUSH_ASKED, limit - now);
}

/* ---- the two exits ---- */

/* Waits for a thread that will end the job; otherwise the deadline does. */
static void wait_on(struct fsh_wait *wait, const char *what, const char *why)
{
    (void)wait;
    (void)what;
    (void)why;
}

/* Another thread is leaving, and its exit ends this thread too. */
static _Noreturn void await_end(void)
{
    static const struct fsh_wait_kind kind = {.nap_us = NAP_US,
                                              .most_us = NAP_US,
                                              .sleep = nap,
                                              .check = check_deadline,
                                              .leave = wait_on};
    struct fsh_wait wait = {.limit_ms = FSH_WAIT_FOR_EVER};

    for (;;)
        fsh_wait_pause(&kind, &wait, NULL);
}

/* Ends the job by then, with this code unless there is already a non-zero
 * one. */
static void set_deadline(int code, uint64_t until)
{
    int none = 0;
    uint64_t seen = atomic_load(&deadline);

    atomic_compare_exchange_strong(&exit_code, &none, code);
    fsh_boot_leaving(atomic_load(&exit_code));
    /* Release: the code. Partner: the acquire in fsh_exit_check. */
    while ((seen == 0 || until < seen) &&
           !atomic_compare_exchange_weak_explicit(&deadline, &seen, until,
                                                  memory_order_acq_rel,
                                                  memory_order_acquire))
        continue;
    fsh_boot_exit_by(atomic_load(&exit_code),
                     atomic_load(&deadline) + STUCK_NS);
}

/* The first thread to get here leaves; returns the grace period for the others.
 * A later one (another thread, or a signal handler interrupting the first,
 * which then gets no further) can only shorten it, and waits for the exit. */
static uint64_t begin(int code, uint64_t grace)
{
    bool first = atomic_exchange(&leaving, 1) == 0;

    /* A signal handler that calls this never returns to the interrupted
     * code. */
    if (FSH_GASNET_DEBUG)
        fsh_lock_abandon();
    if (code != 0 && grace > FAILURE_GRACE_NS)
        grace = FAILURE_GRACE_NS;
    if (code != 0 && !fsh_gasnet.attached)
        grace = 0; /* the others may be waiting for this one in gasnet_attach */
    set_deadline(code, fsh_time_ns() + grace + FLUSH_LIMIT_NS);
    if (!first)
        await_end();
    return grace;
}

/* After a return from main with 0, time is up. Ranks that still run may be
 * waiting for this one and cannot complete: a failure. */
static _Noreturn void leave_alone(uint64_t grace_ns)
{
    const struct fsh_job_page *page = fsh_boot_page();
    char text[256];

    if (fsh_job_code(page) >= 0)
        fsh_boot_exit_job(0, NULL);
    snprintf(text, sizeof text,
             "this rank has returned from main, others have not within %.3g s "
             "(FSHMEM_LEAVE_TIMEOUT, GASNET_EXITTIMEOUT); ending the job with "
             "code %d",
             (double)grace_ns / 1e9, FSH_JOB_LEFT_ALONE);
    fsh_warn("%s", text);
    for (uint32_t r = 0; r < fsh_gasnet.nodes; r++) {
        char line[256];

        if (atomic_load(&page->rank[r].state) >= FSH_RANK_LEFT)
            continue;
        fsh_job_describe_rank(page, r, line, sizeof line);
        fsh_warn("  %s", line);
    }
    fsh_boot_exit_job(FSH_JOB_LEFT_ALONE, text);
}

void gasnet_exit(int exitcode)
{
    int code = exitcode & 0xff; /* all that the system passes on */
    uint64_t grace;

    if (owner != getpid()) {
        fflush(NULL);
        _exit(code);
    }
    grace = begin(code, exit_grace);
    flush_streams();
    if (!depart(code, grace) || code != 0)
        fsh_boot_exit_job(code, NULL);
    fsh_job_bridge_halt();
    fsh_gasnet.ops->fini();
    fsh_boot_leave(0);
    _exit(0);
}

/* exit() or a return from main. The client's hooks, registered later, have
 * already run and may have used the whole library. */
static void at_exit(int status, void *arg)
{
    int code = status & 0xff;
    uint64_t grace;

    (void)arg;
    if (owner != getpid())
        return;
    grace = begin(code, code == 0 ? return_grace : exit_grace);
    if (fsh_gasnet.ops == NULL) {
        /* gasnet_init failed and has already reported the cause. */
        fsh_boot_leave(code);
        return;
    }
    flush_streams();
    if (!depart(code, grace) || code != 0) {
        if (code == 0)
            leave_alone(grace);
        fsh_boot_exit_job(code, NULL);
    }
    fsh_job_bridge_halt();
    fsh_gasnet.ops->fini();
    fsh_boot_leave(0);
    atomic_store_explicit(&deadline, 0, memory_order_relaxed);
    fsh_boot_exit_by(0, 0);
}

/* Grace periods of the other ranks: after gasnet_exit, and after a return from
 * main with 0, which does not require anybody to stop. */
static void read_graces(void)
{
    double seconds = fsh_option_seconds("FSHMEM_LEAVE_TIMEOUT");

    exit_grace = (uint64_t)(fsh_option_seconds("GASNET_EXITTIMEOUT") * 1e9);
    if (fsh_option_given("GASNET_EXITTIMEOUT"))
        return_grace = exit_grace;
    else
        return_grace = seconds > 0 ? (uint64_t)(seconds * 1e9) : FOR_EVER_NS;
}

void fsh_exit_register(void)
{
    owner = getpid();
    read_graces();
    if (fsh_gasnet.threaded)
        start_flusher();
    if (on_exit(at_exit, NULL) != 0)
        fsh_fatal("gasnet_init: cannot register an exit hook (no memory)");
}
