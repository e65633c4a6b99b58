/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The ways out of a job. gasnet_exit and a return from main (by an exit hook
 * that runs after the client's) first give the other ranks time to leave by
 * themselves, so that a collective exit loses nobody's output, and serve their
 * messages meanwhile. Any thread; gasnet_exit also from handlers and signal
 * handlers. Only the process that called gasnet_init acts.
 */
#include <pthread.h>
#include <time.h>

#include "base/cpu.h"
#include "base/log.h"
#include "base/option.h"
#include "boot/boot.h"
#include "gasnet/internal.h"

/* A failure is passed on sooner than a success. */
#define FAILURE_GRACE_NS UINT64_C(500000000)
#define FLUSH_LIMIT_S 1
#define FLUSH_LIMIT_NS UINT64_C(1000000000)
#define NAP_NS 1000000
#define FOR_EVER_NS (UINT64_MAX / 4)

static pid_t owner;        /* process that is the rank; 0 before gasnet_init */
static atomic_int leaving; /* a thread is on its way out */
static int exit_code;      /* its code */
static _Atomic uint64_t deadline; /* when the job ends at the latest; 0 none */

static void nap(void)
{
    const struct timespec t = {0, NAP_NS};

    nanosleep(&t, NULL);
}

void fsh_exit_check(void)
{
    /* Partner: the release in begin. */
    uint64_t limit = atomic_load_explicit(&deadline, memory_order_acquire);

    if (limit != 0 && fsh_time_ns() > limit)
        fsh_boot_exit_job(exit_code, NULL);
}

static bool all_left(void)
{
    const struct fsh_job_page *page = fsh_boot_page();

    for (uint32_t i = 0; i < fsh_gasnet.nodes; i++)
        if (atomic_load(&page->rank[i].state) < FSH_RANK_LEFT)
            return false;
    return true;
}

/* Mark this rank as leaving. Boot's way of leaving with a failure ends the job
 * at once, so a failure is only noted until the grace is over. */
static void mark_left(int code)
{
    struct fsh_rank_slot *slot = &fsh_boot_page()->rank[fsh_gasnet.rank];

    if (code == 0) {
        fsh_boot_leave(0);
        return;
    }
    atomic_store(&slot->exit_code, code);
    atomic_store(&slot->state, FSH_RANK_LEFT);
}

/* The job is ending already: with its code, but for one that is only what a
 * signal asked for. */
static _Noreturn void end_with_others(int code, const char *why)
{
    if (atomic_load(&fsh_boot_page()->abort_code) >= 0)
        why = NULL;
    fsh_boot_exit_job(code, why);
}

/* Leave, and serve the others until all have left (true) or time is up. Inside
 * a handler nothing may be served. */
static bool depart(int code, uint64_t grace_ns)
{
    bool serve = fsh_gasnet.attached && fsh_thread_self()->in_handler == 0;
    uint64_t limit = fsh_time_ns() + grace_ns;
    uint64_t sleep_ns = 50000;
    const char *why;

    if (fsh_gasnet.nodes > 1 && grace_ns > 0)
        mark_left(code);
    while (!all_left()) {
        if (fsh_gasnet.nodes == 1)
            break;
        if (!fsh_boot_alive(&why))
            end_with_others(code, why);
        if (fsh_time_ns() > limit)
            return false;
        if (!serve) {
            nap();
        } else if (fsh_gasnet_poll()) {
            sleep_ns = 50000;
        } else {
            fsh_gasnet.ops->wait(sleep_ns, false);
            sleep_ns = sleep_ns < 5000000 ? sleep_ns * 2 : sleep_ns;
        }
    }
    return true;
}

/* ---- stdio ---- */

static void *flush_all(void *arg)
{
    fflush(NULL);
    return arg;
}

/* Another thread may hold a stream's lock for ever (blocked in a read), so with
 * threads the flush has one of its own, and a limit. */
static void flush_streams(void)
{
    pthread_t thread;
    struct timespec limit;

    if (!fsh_gasnet.threaded) {
        fflush(NULL);
        return;
    }
    if (pthread_create(&thread, NULL, flush_all, NULL) != 0)
        return;
    clock_gettime(CLOCK_REALTIME, &limit);
    limit.tv_sec += FLUSH_LIMIT_S;
    if (pthread_timedjoin_np(thread, NULL, &limit) != 0)
        pthread_detach(thread);
}

/* ---- the two ways ---- */

/* Another thread is on its way out and will take this one along. */
static _Noreturn void await_end(void)
{
    for (;;) {
        fsh_exit_check();
        nap();
    }
}

/* The first thread to come here leaves; returns how long it gives the others.
 * If it gets stuck (a signal handler exits again, a handler wants a lock that
 * the leaving thread holds), whoever waits ends the job at the deadline. */
static uint64_t begin(int code, uint64_t grace)
{
    if (atomic_exchange(&leaving, 1) != 0)
        await_end();
    if (code != 0 && grace > FAILURE_GRACE_NS)
        grace = FAILURE_GRACE_NS;
    if (code != 0 && !fsh_gasnet.attached)
        grace = 0; /* the others may wait for this one in gasnet_attach */
    exit_code = code;
    /* Partner: the acquire in fsh_exit_check. */
    atomic_store_explicit(&deadline, fsh_time_ns() + grace + FLUSH_LIMIT_NS,
                          memory_order_release);
    return grace;
}

static uint64_t exit_grace(void)
{
    return (uint64_t)(fsh_option_seconds("GASNET_EXITTIMEOUT") * 1e9);
}

/* How long the others may go on after a return from main with 0, which asks
 * nobody to stop. */
static uint64_t return_grace(void)
{
    double seconds;

    if (fsh_option_given("GASNET_EXITTIMEOUT"))
        return exit_grace();
    seconds = fsh_option_seconds("FSHMEM_LEAVE_TIMEOUT");
    return seconds > 0 ? (uint64_t)(seconds * 1e9) : FOR_EVER_NS;
}

static void say_who_stays(uint64_t grace_ns)
{
    const struct fsh_job_page *page = fsh_boot_page();
    char text[256];

    fsh_warn("this rank has ended, others have not within %.3g s "
             "(FSHMEM_LEAVE_TIMEOUT, GASNET_EXITTIMEOUT); ending the job",
             (double)grace_ns / 1e9);
    for (uint32_t r = 0; r < fsh_gasnet.nodes; r++) {
        if (atomic_load(&page->rank[r].state) >= FSH_RANK_LEFT)
            continue;
        fsh_job_describe_rank(page, r, text, sizeof text);
        fsh_warn("  %s", text);
    }
}

void gasnet_exit(int exitcode)
{
    int code = exitcode & 0xff; /* what the operating system passes on */
    uint64_t grace;

    if (owner != getpid()) {
        fflush(NULL);
        _exit(code);
    }
    grace = begin(code, exit_grace());
    flush_streams();
    if (!depart(code, grace) || code != 0)
        fsh_boot_exit_job(code, NULL);
    fsh_gasnet.ops->fini();
    fsh_boot_leave(0);
    _exit(0);
}

/* exit() or a return from main. The client's hooks, registered later, have run;
 * they may have used everything. */
static void at_exit(int status, void *arg)
{
    int code = status & 0xff;
    uint64_t grace;

    (void)arg;
    if (owner != getpid())
        return;
    grace = begin(code, code == 0 ? return_grace() : exit_grace());
    if (fsh_gasnet.ops == NULL) {
        /* gasnet_init itself has failed, and said why. */
        fsh_boot_leave(code);
        return;
    }
    flush_streams();
    if (!depart(code, grace) || code != 0) {
        if (code == 0)
            say_who_stays(grace);
        fsh_boot_exit_job(code, NULL);
    }
    fsh_gasnet.ops->fini();
    fsh_boot_leave(0);
    atomic_store_explicit(&deadline, 0, memory_order_relaxed);
}

void fsh_exit_register(void)
{
    owner = getpid();
    if (on_exit(at_exit, NULL) != 0)
        fsh_fatal("gasnet_init: cannot register an exit hook (no memory)");
}
