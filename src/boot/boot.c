/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A rank of a job: who it is, the ways out. How it comes in is in enter.c, its
 * signals are in signals.c.
 */
#include "boot/boot_state.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cpu.h"
#include "base/log.h"
#include "base/option.h"
#include "base/wait.h"
#include "boot/watch.h"
#include "gasnet_tools/backtrace.h"
#include "gasnet_tools/env.h"

#define MS UINT64_C(1000000)
/* An ending job sends SIGQUIT, for which the client may have a handler. */
#define SIGNAL_GRACE_NS (1000 * MS)

struct fsh_boot_state fsh_boot = {.fd = {-1, -1, -1, -1}, .abort_fd = -1};

uint32_t fsh_boot_rank(void)
{
    return fsh_boot.rank;
}

uint32_t fsh_boot_size(void)
{
    return fsh_boot.page->size;
}

const char *fsh_boot_conduit(void)
{
    return fsh_boot.page->conduit;
}

unsigned fsh_boot_cpus(void)
{
    /* mpirun may bind each rank to a processor of its own, which does not make the
     * job oversubscribed: count what the launcher may use. */
    unsigned all = fsh_cpu_count_of(fsh_boot.launcher), own = fsh_cpu_count();

    return all > own ? all : own;
}

struct fsh_job_page *fsh_boot_page(void)
{
    return fsh_boot.page;
}

int fsh_boot_fd(enum fsh_fd_kind kind)
{
    return fsh_boot.fd[kind];
}

const char *fsh_boot_getenv(const char *name)
{
    return getenv(name);
}

static struct fsh_rank_slot *my_slot(void)
{
    return &fsh_boot.page->rank[fsh_boot.rank];
}

bool fsh_boot_alive(const char **why)
{
    if (atomic_load_explicit(&fsh_boot.page->abort_code,
                             memory_order_relaxed) >= 0) {
        *why = fsh_job_reason(fsh_boot.page);
        return false;
    }
    /* Acquire: sim_error is whole; partner is the release in job_sim.c. */
    if (atomic_load_explicit(&fsh_boot.page->sim_state, memory_order_acquire) ==
        2) {
        *why = fsh_boot.page->sim_error[0] ? fsh_boot.page->sim_error
                                           : "the simulator has ended";
        return false;
    }
    return true;
}

/* ---- ways out ---- */

static bool is_ending(void)
{
    return fsh_boot.page && atomic_load(&fsh_boot.page->abort_code) >= 0;
}

static void record_exit(int code)
{
    atomic_store(&my_slot()->exit_code, code & 0xff);
    atomic_store(&my_slot()->state, FSH_RANK_LEFT);
}

/* End the process with the code of the job. The first thread does; a second
 * one waits for it; the same one again (a signal during the exit) ends now. */
static _Noreturn void finish(void)
{
    int me = (int)syscall(SYS_gettid), seen = 0;
    int code = fsh_job_code(fsh_boot.page);

    if (!atomic_compare_exchange_strong(&fsh_boot.leaving_tid, &seen, me) &&
        seen != me)
        for (;;)
            pause();
    if (seen == 0) {
        record_exit(code);
        /* With no launcher, it is on us to say what the simulator reported. */
        if (fsh_boot.owner && atomic_load(&fsh_boot.page->abort_rank) == -1)
            fsh_warn("%s", fsh_job_reason(fsh_boot.page));
        fsh_watch_stop_simulator(2000 * MS);
    }
    _exit(code);
}

_Noreturn void fsh_boot_exit_job(int code, const char *reason)
{
    if (!fsh_boot.page || getpid() != fsh_boot.pid)
        _exit(code);
    /* With a reason it is a failure; if the job is ending anyway, that is its
     * cause, and it must not turn gasnet_exit(0) into one. */
    if (!reason || !is_ending())
        fsh_job_abort(fsh_boot.page, fsh_boot.abort_fd, code & 0xff,
                      (int)fsh_boot.rank, reason);
    finish();
}

/* fsh_fatal comes here. The job is told first: if the flush blocks on a full
 * pipe, the launcher or the alarm ends this process all the same. */
static void end_fatally(int code, const char *reason)
{
    if (!fsh_boot.page || getpid() != fsh_boot.pid) {
        fflush(NULL);
        _exit(code);
    }
    if (!is_ending()) { /* as in fsh_boot_exit_job */
        fsh_backtrace_print();
        fsh_job_abort(fsh_boot.page, fsh_boot.abort_fd, code,
                      (int)fsh_boot.rank, reason);
    }
    signal(SIGALRM, SIG_DFL);
    alarm(2);
    fflush(NULL);
    alarm(4);
    finish();
}

void fsh_boot_leaving(int code)
{
    int running = FSH_RANK_RUNNING, init = FSH_RANK_INIT;

    atomic_store(&my_slot()->exit_code, code & 0xff);
    if (!atomic_compare_exchange_strong(&my_slot()->state, &running,
                                        FSH_RANK_LEAVING))
        atomic_compare_exchange_strong(&my_slot()->state, &init,
                                       FSH_RANK_LEAVING);
}

void fsh_boot_leave(int code)
{
    if (!fsh_boot.page || getpid() != fsh_boot.pid ||
        atomic_exchange(&fsh_boot.left, true))
        return;
    if (code != 0)
        fsh_job_abort(fsh_boot.page, fsh_boot.abort_fd, code & 0xff,
                      (int)fsh_boot.rank, NULL);
    my_slot()->waiting_for[0] = '\0';
    record_exit(code);
    if (fsh_boot.owner && fsh_boot.page->size > 1 && code == 0)
        fsh_watch_await_peers(2000 * MS);
    fsh_watch_stop_simulator(10000 * MS);
}

/* What waits do when the job is ending: leave, unless a signal makes this thread
 * leave first. */
static void leave_ending_job(const char *why)
{
    const struct timespec nap = {0, 1000000};
    uint64_t limit = fsh_time_ns() + SIGNAL_GRACE_NS;

    while (fsh_time_ns() < limit)
        nanosleep(&nap, NULL);
    fsh_boot_exit_job(1, why);
}

/* ---- the way in ---- */

static struct fsh_wait_job waits = {.alive = fsh_boot_alive,
                                    .leave = leave_ending_job,
                                    .report = fsh_boot_waiting};

static void print_setting(void *arg, const struct fsh_option_info *info)
{
    (void)arg;
    fsh_warn("%s = %s (%s)", info->name, info->value[0] ? info->value : "unset",
             info->source);
}

/* GASNET_FREEZE: a debugger sets this to 0 to let the rank go on. */
volatile int fsh_boot_frozen = 1;

static void obey_debug_settings(void)
{
    fsh_env_join(fsh_boot_getenv, fsh_boot.rank == 0);
    if (fsh_boot.rank == 0 && fsh_option_bool("GASNET_VERBOSEENV"))
        fsh_option_each(print_setting, NULL);
    waits.watchdog = fsh_option_seconds("FSHMEM_WATCHDOG");
    if (fsh_option_bool("GASNET_BACKTRACE"))
        fsh_backtrace_init(!fsh_option_bool("GASNET_NO_CATCH_SIGNAL"));
    if (!fsh_option_bool("GASNET_FREEZE"))
        return;
    fsh_warn("process %d waits (GASNET_FREEZE); attach a debugger and set "
             "fsh_boot_frozen to 0",
             (int)fsh_boot.pid);
    while (fsh_boot_frozen)
        usleep(100000);
}

void fsh_boot_init(const char *default_conduit, fsh_boot_needs_fn needs)
{
    fsh_log_on_fatal(end_fatally);
    fsh_log_mute_when(is_ending);
    fsh_boot.pid = getpid();
    fsh_boot_enter(default_conduit, needs);
    fsh_wait_watch(&waits);
    fsh_boot_catch_signals();
    atomic_store(&my_slot()->pid, fsh_boot.pid);
    atomic_store(&my_slot()->state, FSH_RANK_INIT);
    obey_debug_settings();
}

void fsh_boot_running(void)
{
    atomic_store(&my_slot()->state, FSH_RANK_RUNNING);
}
