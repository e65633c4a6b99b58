/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A rank of a job: who it is, its way in. How it joins the job is in enter.c, its
 * signals are in signals.c, the ways out in leave.c.
 */
#include "boot/boot_state.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/assertion.h"
#include "base/cpu.h"
#include "base/log.h"
#include "base/option.h"
#include "base/wait.h"
#include "boot/channel.h"
#include "gasnet_tools/backtrace.h"
#include "gasnet_tools/env.h"

/* An ending job sends SIGQUIT, for which the client may have a handler. */
#define SIGNAL_GRACE_NS UINT64_C(1000000000)

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

uint32_t fsh_boot_host(uint32_t rank)
{
    return fsh_boot.page->rank[rank].host;
}

uint32_t fsh_boot_hosts(void)
{
    return fsh_boot.page ? fsh_boot.page->hosts : 1;
}

uint32_t fsh_boot_ranks_here(void)
{
    uint32_t host = fsh_boot_host(fsh_boot_rank()), n = 0;

    for (uint32_t r = 0; r < fsh_boot_size(); r++)
        n += fsh_boot_host(r) == host;
    return n;
}

uint32_t fsh_boot_node(uint32_t rank)
{
    return fsh_boot.page->rank[rank].node;
}

uint32_t fsh_boot_nodes(void)
{
    return fsh_boot.page->nodes;
}

void fsh_boot_token(uint64_t token[2])
{
    memcpy(token, fsh_boot.token, sizeof(fsh_boot.token));
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
    const char *value = fsh_channel_getenv(name);

    return value != NULL ? value : getenv(name);
}

void fsh_boot_dump_fabric(void)
{
    fsh_job_dump_once(fsh_boot.page, UINT64_C(1000000000));
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

/* ---- the way in ---- */

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
    fsh_log_on_fatal(fsh_boot_end_fatally);
    fsh_log_mute_when(fsh_boot_is_ending);
    fsh_boot.pid = getpid();
    fsh_boot_enter(default_conduit, needs);
    fsh_job_trace(fsh_boot.page, fsh_boot.rank);
    fsh_wait_watch(&waits);
    fsh_boot_catch_signals();
    /* The place was free: nobody else is this rank. */
    FSH_ASSERT(atomic_load(&fsh_boot_slot()->state) == FSH_RANK_STARTING);
    atomic_store(&fsh_boot_slot()->pid, fsh_boot.pid);
    atomic_store(&fsh_boot_slot()->state, FSH_RANK_INIT);
    obey_debug_settings();
    if (fsh_boot.page->fabric_hosts > 1) /* each has been started, or none */
        fsh_boot_barrier("the simulators of all hosts");
}

void fsh_boot_running(void)
{
    FSH_ASSERT(atomic_load(&fsh_boot_slot()->state) >= FSH_RANK_INIT);
    atomic_store(&fsh_boot_slot()->state, FSH_RANK_RUNNING);
    fsh_channel_close();
}
