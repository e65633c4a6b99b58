/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Bootstrap of a rank: join the job named by FSHMEM_JOB, or make one of a
 * single rank; barrier and exchange over the control page; the ways out. The
 * state is written in fsh_boot_init by the main thread and read-only after,
 * but for the atomics.
 */
#include "boot/boot.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cpu.h"
#include "base/futex.h"
#include "base/log.h"
#include "base/option.h"
#include "boot/job_env.h"
#include "boot/watch.h"
#include "tools/backtrace.h"
#include "tools/env.h"

#define MS UINT64_C(1000000)

static struct {
    struct fsh_job_page *page;
    uint32_t rank;
    pid_t pid; /* a forked child of this rank is no rank */
    int fd[FSH_FD_KINDS];
    int abort_fd;
    bool singleton;
    struct fsh_job job;     /* singleton only */
    atomic_int leaving_tid; /* thread that is ending this process, 0 none */
    atomic_bool left;
} boot = {.fd = {-1, -1, -1, -1, -1}, .abort_fd = -1};

uint32_t fsh_boot_rank(void)
{
    return boot.rank;
}

uint32_t fsh_boot_size(void)
{
    return boot.page->size;
}

const char *fsh_boot_conduit(void)
{
    return boot.page->conduit;
}

struct fsh_job_page *fsh_boot_page(void)
{
    return boot.page;
}

int fsh_boot_fd(enum fsh_fd_kind kind)
{
    return boot.fd[kind];
}

const char *fsh_boot_getenv(const char *name)
{
    return getenv(name);
}

static struct fsh_rank_slot *my_slot(void)
{
    return &boot.page->rank[boot.rank];
}

bool fsh_boot_alive(const char **why)
{
    if (atomic_load_explicit(&boot.page->abort_code, memory_order_relaxed) >=
        0) {
        *why = fsh_job_reason(boot.page);
        return false;
    }
    /* Acquire: sim_error is whole; partner is the release in job_sim.c. */
    if (atomic_load_explicit(&boot.page->sim_state, memory_order_acquire) ==
        2) {
        *why = boot.page->sim_error[0] ? boot.page->sim_error
                                       : "the simulator has ended";
        return false;
    }
    return true;
}

/* ---- ways out ---- */

static bool is_ending(void)
{
    return boot.page && atomic_load(&boot.page->abort_code) >= 0;
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
    int code = atomic_load(&boot.page->abort_code);

    if (!atomic_compare_exchange_strong(&boot.leaving_tid, &seen, me) &&
        seen != me)
        for (;;)
            pause();
    if (seen == 0) {
        record_exit(code);
        /* With no launcher, it is on us to say what the simulator reported. */
        if (boot.singleton && atomic_load(&boot.page->abort_rank) == -1)
            fsh_warn("%s", fsh_job_reason(boot.page));
        fsh_watch_stop_simulator(2000 * MS);
    }
    _exit(code);
}

_Noreturn void fsh_boot_exit_job(int code, const char *reason)
{
    if (!boot.page || getpid() != boot.pid)
        _exit(code);
    /* With a reason it is a failure; if the job is ending anyway, that is its
     * cause, and it must not turn gasnet_exit(0) into one. */
    if (!reason || !is_ending())
        fsh_job_abort(boot.page, boot.abort_fd, code, (int)boot.rank, reason);
    finish();
}

/* fsh_fatal comes here. The job is told first: if the flush blocks on a full
 * pipe, the launcher or the alarm ends this process all the same. */
static void end_fatally(int code, const char *reason)
{
    if (!boot.page || getpid() != boot.pid) {
        fflush(NULL);
        _exit(code);
    }
    if (!is_ending()) { /* as in fsh_boot_exit_job */
        fsh_backtrace_print();
        fsh_job_abort(boot.page, boot.abort_fd, code, (int)boot.rank, reason);
    }
    signal(SIGALRM, SIG_DFL);
    alarm(2);
    fflush(NULL);
    alarm(4);
    finish();
}

void fsh_boot_leave(int code)
{
    if (!boot.page || getpid() != boot.pid || atomic_exchange(&boot.left, true))
        return;
    if (code != 0)
        fsh_job_abort(boot.page, boot.abort_fd, code, (int)boot.rank, NULL);
    my_slot()->waiting_for[0] = '\0';
    record_exit(code);
    fsh_watch_stop_simulator(10000 * MS);
}

/* SIGQUIT: the launcher's (or the user's) request to end. */
static void on_quit(int sig)
{
    if (!is_ending())
        fsh_job_abort(boot.page, boot.abort_fd, 128 + sig, (int)boot.rank,
                      "a rank got signal SIGQUIT");
    fsh_watch_quit(atomic_load(&boot.page->abort_code));
}

static void catch_quit(void)
{
    struct sigaction old, now;

    if (fsh_option_bool("GASNET_NO_CATCH_SIGNAL") ||
        sigaction(SIGQUIT, NULL, &old) != 0 || old.sa_handler != SIG_DFL)
        return;
    memset(&now, 0, sizeof(now));
    now.sa_handler = on_quit;
    sigemptyset(&now.sa_mask);
    sigaction(SIGQUIT, &now, NULL);
}

/* ---- the ways in ---- */

static void join(const char *text)
{
    struct fsh_job_ticket t;
    int rc;

    if (!fsh_job_ticket_read(&t, text))
        fsh_fatal("%s=%s: cannot be read; it is for ranks started by fshrun "
                  "and must not be set by hand",
                  FSH_JOB_ENV, text);
    boot.page = fsh_job_map_page(t.page_fd);
    if (!boot.page)
        fsh_fatal(
            "cannot join the job: control page (descriptor %d): %s", t.page_fd,
            errno == EINVAL
                ? "made by another release of FSHMEM than this program's; "
                  "use the fshrun of the same release"
            : errno == EBADF ? "not open here; what stands between fshrun and "
                               "this program (sudo, su, a daemon) must pass "
                               "descriptors on"
                             : strerror(errno));
    if (t.rank >= boot.page->size)
        fsh_fatal("cannot join the job: rank %" PRIu32 " of %" PRIu32, t.rank,
                  boot.page->size);
    boot.rank = t.rank;
    boot.fd[FSH_FD_SMP] = t.smp_fd;
    boot.fd[FSH_FD_DRAM] = t.dram_fd;
    boot.fd[FSH_FD_DMA] = t.dma_fd;
    boot.fd[FSH_FD_MMIO] = t.mmio_fd;
    boot.fd[FSH_FD_FABRIC] = t.fabric_fd;
    boot.abort_fd = t.abort_fd;
    for (int i = 0; i < FSH_FD_KINDS; i++)
        fsh_job_cloexec(boot.fd[i], true);
    fsh_job_cloexec(t.page_fd, true);
    fsh_job_cloexec(t.abort_fd, true);
    fsh_job_cloexec(t.life_fd, true);
    fsh_log_rank((int)boot.rank);
    if (atomic_load(&my_slot()->state) != FSH_RANK_STARTING)
        fsh_fatal("rank %" PRIu32 " is already taken by process %d: the "
                  "command that fshrun started must run one GASNet program, "
                  "once",
                  boot.rank, atomic_load(&my_slot()->pid));
    rc = fsh_watch_lifeline(t.life_fd);
    if (rc != 0)
        fsh_fatal("cannot start the watch thread: %s", strerror(-rc));
}

static void make_singleton(const char *default_conduit)
{
    struct fsh_job_config config;
    const char *conduit = fsh_option_str("FSHMEM_CONDUIT");
    char err[640];

    if (!conduit[0])
        conduit =
            default_conduit && default_conduit[0] ? default_conduit : "smp";
    fsh_option_check();
    fsh_job_config_init(&config, 1, conduit);
    if (fsh_job_create(&boot.job, &config, err, sizeof(err)) != 0)
        fsh_fatal("%s", err);
    boot.singleton = true;
    boot.page = boot.job.page;
    boot.fd[FSH_FD_SMP] = boot.job.smp_fd;
    boot.fd[FSH_FD_FABRIC] = boot.job.fabric_fd;
    if (!boot.job.node)
        return;
    boot.fd[FSH_FD_DRAM] = boot.job.node[0].dram_fd;
    boot.fd[FSH_FD_DMA] = boot.job.node[0].dma_fd;
    boot.fd[FSH_FD_MMIO] = boot.job.node[0].mmio_fd;
    if (fsh_watch_simulator(&boot.job, err, sizeof(err)) != 0)
        fsh_fatal("%s", err);
}

/* In a child that this rank forks: let go of the lifeline's write end, or the
 * simulator would outlive the rank with the child. */
static void forked(void)
{
    if (boot.singleton && boot.job.lifeline[1] >= 0)
        close(boot.job.lifeline[1]);
    boot.job.lifeline[1] = -1;
}

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
    fsh_env_join(fsh_boot_getenv, boot.rank == 0);
    if (boot.rank == 0 && fsh_option_bool("GASNET_VERBOSEENV"))
        fsh_option_each(print_setting, NULL);
    if (fsh_option_bool("GASNET_BACKTRACE"))
        fsh_backtrace_init(!fsh_option_bool("GASNET_NO_CATCH_SIGNAL"));
    if (!fsh_option_bool("GASNET_FREEZE"))
        return;
    fsh_warn("process %d waits (GASNET_FREEZE); attach a debugger and set "
             "fsh_boot_frozen to 0",
             (int)boot.pid);
    while (fsh_boot_frozen)
        usleep(100000);
}

void fsh_boot_init(const char *default_conduit)
{
    const char *text = getenv(FSH_JOB_ENV);

    fsh_log_on_fatal(end_fatally);
    fsh_log_mute_when(is_ending);
    boot.pid = getpid();
    if (text)
        join(text);
    else
        make_singleton(default_conduit);
    /* What this rank starts is not a rank. */
    unsetenv(FSH_JOB_ENV);
    pthread_atfork(NULL, NULL, forked);
    if (!boot.singleton)
        catch_quit();
    atomic_store(&my_slot()->pid, boot.pid);
    atomic_store(&my_slot()->state, FSH_RANK_INIT);
    obey_debug_settings();
}

/* ---- barrier and exchange ---- */

/* "rank 1 (pid 7): in gasnet_init; rank 2 ..." of those behind `seq`. */
static void list_missing(unsigned seq, char *text, size_t len)
{
    size_t at = 0;
    unsigned shown = 0;
    char line[192];

    text[0] = '\0';
    for (uint32_t r = 0; r < boot.page->size; r++) {
        if ((int)(atomic_load(&boot.page->rank[r].barrier_seq) - seq) >= 0)
            continue;
        if (++shown > 4) {
            snprintf(text + at, len - at, "; ...");
            return;
        }
        fsh_job_describe_rank(boot.page, r, line, sizeof(line));
        at +=
            (size_t)snprintf(text + at, len - at, "%s%s", at ? "; " : "", line);
        if (at >= len)
            return;
    }
}

/* A rank that has ended will never come. */
static bool is_hopeless(unsigned seq)
{
    for (uint32_t r = 0; r < boot.page->size; r++) {
        int state = atomic_load(&boot.page->rank[r].state);

        if ((state == FSH_RANK_LEFT || state == FSH_RANK_DEAD) &&
            (int)(atomic_load(&boot.page->rank[r].barrier_seq) - seq) < 0)
            return true;
    }
    return false;
}

static void check_wait(const char *what, unsigned seq, uint64_t start,
                       uint64_t limit)
{
    const char *why;
    char text[1024];

    if (!fsh_boot_alive(&why))
        fsh_fatal("%s: the job is ending: %s", what, why);
    if (is_hopeless(seq)) {
        list_missing(seq, text, sizeof(text));
        fsh_fatal("%s: not all ranks can arrive; missing: %s", what, text);
    }
    if (fsh_time_ns() - start > limit) {
        list_missing(seq, text, sizeof(text));
        fsh_fatal("%s: not all ranks arrived within %g s "
                  "(FSHMEM_START_TIMEOUT); missing: %s",
                  what, (double)limit / 1e9, text);
    }
}

static void await_release(const char *what, unsigned seq, unsigned generation)
{
    struct fsh_job_page *page = boot.page;
    /* With GASNET_FREEZE it is a person who releases the ranks. */
    uint64_t limit =
        fsh_option_bool("GASNET_FREEZE")
            ? UINT64_MAX
            : (uint64_t)(fsh_option_seconds("FSHMEM_START_TIMEOUT") * 1e9);
    uint64_t start = fsh_time_ns();

    /* Acquire: partner is the release of the last to arrive. */
    for (unsigned spins = 0;
         atomic_load_explicit(&page->barrier_futex, memory_order_acquire) ==
         generation;
         spins++) {
        if (spins < 64) {
            fsh_cpu_relax();
        } else if (spins < 96) {
            sched_yield();
        } else {
            check_wait(what, seq, start, limit);
            fsh_futex_wait(&page->barrier_futex, generation, 100 * MS);
        }
    }
}

void fsh_boot_waiting(const char *what)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    struct fsh_rank_slot *slot = my_slot();

    pthread_mutex_lock(&lock);
    snprintf(slot->waiting_for, sizeof(slot->waiting_for), "%s", what);
    pthread_mutex_unlock(&lock);
}

void fsh_boot_barrier(const char *what)
{
    struct fsh_job_page *page = boot.page;
    struct fsh_rank_slot *slot = my_slot();
    unsigned generation = atomic_load(&page->barrier_futex);
    unsigned seq = atomic_fetch_add(&slot->barrier_seq, 1) + 1;

    fsh_boot_waiting(what);
    /* Acquire and release: what every rank wrote before is visible to all
     * after; each addition takes part in the release sequence of the count. */
    if (atomic_fetch_add_explicit(&page->barrier_count, 1,
                                  memory_order_acq_rel) +
            1 ==
        page->size) {
        atomic_store_explicit(&page->barrier_count, 0, memory_order_relaxed);
        /* Release: partner is the acquire in await_release. */
        atomic_fetch_add_explicit(&page->barrier_futex, 1,
                                  memory_order_release);
        fsh_futex_wake(&page->barrier_futex, INT_MAX);
    } else {
        await_release(what, seq, generation);
    }
    fsh_boot_waiting("");
}

void fsh_boot_exchange(const void *in, size_t n, void *out)
{
    unsigned char *to = out;

    if (n > FSH_BOOT_XCHG_MAX)
        fsh_fatal("internal error: exchange of %zu bytes, limit %d", n,
                  FSH_BOOT_XCHG_MAX);
    /* All have read the previous exchange before anybody overwrites it. */
    fsh_boot_barrier("exchange (entry)");
    memcpy(my_slot()->xchg, in, n);
    fsh_boot_barrier("exchange");
    for (uint32_t r = 0; r < boot.page->size; r++)
        memcpy(to + r * n, boot.page->rank[r].xchg, n);
}
