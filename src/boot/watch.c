/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The watch thread. Sleeps in poll, or in waitid for a simulator, so it costs
 * nothing; blocks all signals, so handlers of the client never run on it.
 * Started from fsh_boot_init.
 */
#include "boot/watch.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cpu.h"
#include "base/daemon.h"
#include "base/lock.h"
#include "base/log.h"
#include "boot/boot.h"
#include "boot/limits.h"

#define MS UINT64_C(1000000)

enum { STACK_BYTES = 256 * 1024, FLUSH_MS = 300, MAX_MS = 60000 };

static struct {
    int life_fd;
    int wake_fd;              /* eventfd: there is something to obey */
    int dump_fd;              /* the same for fsh_watch_dump */
    atomic_int quit_code;     /* of fsh_watch_quit; -1 not called */
    atomic_int exit_code;     /* of fsh_boot_exit_by */
    _Atomic uint64_t exit_ns; /* 0 never */
    struct fsh_job *job;      /* simulator to start and watch, or NULL */
    atomic_bool stopping;     /* the simulator may end now */
    atomic_bool stop_called;  /* only the first stops it */
    struct fsh_lock lock;     /* guards the three below */
    pthread_cond_t started_cond;
    bool started;
    int start_rc;
    char start_err[512];
} watch = {.life_fd = -1,
           .wake_fd = -1,
           .dump_fd = -1,
           .quit_code = -1,
           .lock = FSH_LOCK_INIT("simulator's start", FSH_LOCK_WATCH),
           .started_cond = PTHREAD_COND_INITIALIZER};

int fsh_watch_thread(void *(*body)(void *))
{
    return -fsh_daemon_start(body, NULL, STACK_BYTES);
}

/* ---- requests, from signal handlers too ---- */

static bool wake(int fd)
{
    const uint64_t one = 1;

    return write(fd, &one, sizeof(one)) == (ssize_t)sizeof(one);
}

int fsh_watch_make_fds(int *wake_fd, int *dump_fd)
{
    FSH_ASSERT(watch.wake_fd < 0 && watch.dump_fd < 0); /* one watch a rank */
    watch.wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    watch.dump_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (watch.wake_fd < 0 || watch.dump_fd < 0)
        return -errno;
    *wake_fd = watch.wake_fd;
    *dump_fd = watch.dump_fd;
    return 0;
}

void fsh_watch_dump(void)
{
    wake(watch.dump_fd);
}

void fsh_watch_quit(int code)
{
    FSH_ASSERT(code >= 0);
    atomic_store(&watch.quit_code, code);
    if (wake(watch.wake_fd))
        poll(NULL, 0, FLUSH_MS);
    _exit(code);
}

void fsh_boot_exit_by(int code, uint64_t deadline_ns)
{
    atomic_store(&watch.exit_code, code);
    /* Release: with its code. Partner: the acquire in fsh_watch_obey. */
    atomic_store_explicit(&watch.exit_ns, deadline_ns, memory_order_release);
    wake(watch.wake_fd);
}

int fsh_watch_timeout_ms(void)
{
    uint64_t until = atomic_load(&watch.exit_ns), now = fsh_time_ns();

    if (until == 0)
        return -1;
    if (until <= now)
        return 0;
    return until - now > MAX_MS * MS ? MAX_MS : (int)((until - now) / MS) + 1;
}

void fsh_watch_obey(void)
{
    uint64_t until, drop;
    int code;

    if (read(watch.wake_fd, &drop, sizeof(drop)) < 0 && errno != EAGAIN)
        return;
    code = atomic_load(&watch.quit_code);
    if (code >= 0) {
        fflush(NULL);
        _exit(code);
    }
    /* Acquire: partner is the release in fsh_boot_exit_by. */
    until = atomic_load_explicit(&watch.exit_ns, memory_order_acquire);
    if (until != 0 && fsh_time_ns() >= until)
        fsh_boot_exit_job(atomic_load(&watch.exit_code), NULL);
}

/* ---- under our launcher, and alone ---- */

static void *lifeline_body(void *arg)
{
    struct pollfd p[2] = {
        {.fd = watch.life_fd, .events = POLLIN},
        {.fd = watch.wake_fd, .events = POLLIN},
    };

    for (;;) {
        if (poll(p, 2, fsh_watch_timeout_ms()) < 0)
            continue;
        /* The launcher is gone without a word. Direct children of it are
         * killed by the kernel; this is for those behind a script. */
        if (p[0].revents)
            kill(getpid(), SIGKILL);
        fsh_watch_obey();
    }
    return arg;
}

int fsh_watch_lifeline(int life_fd)
{
    FSH_ASSERT(watch.wake_fd < 0);
    watch.life_fd = life_fd;
    watch.wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (watch.wake_fd < 0)
        return -errno;
    return fsh_watch_thread(lifeline_body);
}

/* ---- parent of the simulator ---- */

/* Blocks until the simulator has ended; leaves it for others to reap. Returns
 * a code for the job: 128+signal, its own unless 0, or 1 if nobody knows. */
static int await_simulator(pid_t pid, char *text, size_t len)
{
    siginfo_t info;
    int rc;

    do {
        memset(&info, 0, sizeof(info));
        rc = waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT);
    } while (rc != 0 && errno == EINTR);
    if (rc != 0) {
        snprintf(text, len, "the simulator (pid %d) is gone", pid);
        return 1;
    }
    if (info.si_code == CLD_EXITED) {
        snprintf(text, len, "the simulator (pid %d) ended with code %d", pid,
                 info.si_status);
        return info.si_status ? info.si_status : 1;
    }
    snprintf(text, len, "the simulator (pid %d) was killed by signal %d (%s)",
             pid, info.si_status, strsignal(info.si_status));
    return 128 + info.si_status;
}

static void *simulator_body(void *arg)
{
    struct fsh_job_page *page = watch.job->page;
    char text[160], reason[sizeof(text) + sizeof(page->sim_error) + 2];
    pid_t pid;
    int rc, code;

    (void)arg;
    rc = fsh_job_start_sim(watch.job, watch.start_err, sizeof(watch.start_err));
    pid = watch.job->sim_pid;
    fsh_lock_take(&watch.lock);
    FSH_ASSERT(fsh_lock_is_mine(&watch.lock) && !watch.started);
    watch.start_rc = rc;
    watch.started = true;
    pthread_cond_signal(&watch.started_cond);
    fsh_lock_give(&watch.lock);
    if (rc != 0)
        return NULL;
    code = await_simulator(pid, text, sizeof(text));
    if (!atomic_load(&watch.stopping)) {
        snprintf(reason, sizeof(reason), "%s%s%s", text,
                 page->sim_error[0] ? ": " : "", page->sim_error);
        /* Cause before effect: whoever sees the state finds the reason. The
         * way out prints it. */
        fsh_job_abort(page, watch.job->abort_fd, code, -1, reason);
        atomic_store(&page->sim_state, 2);
        fsh_fatal_code(code, "%s", reason);
    }
    /* The kernel kills the simulator when this thread ends; it is being
     * stopped, or the process is ending, anyway. */
    return NULL;
}

int fsh_watch_simulator(struct fsh_job *job, char *err, size_t errlen)
{
    char why[200];
    int rc;

    FSH_ASSERT(watch.job == NULL && !watch.started);
    watch.job = job;
    rc = fsh_watch_thread(simulator_body);
    if (rc != 0) {
        fsh_limits_explain_process(-rc, why, sizeof(why));
        snprintf(err, errlen, "cannot start a thread: %s%s", strerror(-rc),
                 why);
        return rc;
    }
    /* Bounded by the time limit in fsh_job_start_sim. */
    fsh_lock_take(&watch.lock);
    while (!watch.started)
        pthread_cond_wait(&watch.started_cond, &watch.lock.mutex);
    fsh_lock_give(&watch.lock);
    if (watch.start_rc != 0)
        snprintf(err, errlen, "%s", watch.start_err);
    return watch.start_rc;
}

void fsh_watch_stop_simulator(uint64_t max_ns)
{
    if (!watch.job || atomic_exchange(&watch.stop_called, true))
        return;
    atomic_store(&watch.stopping, true);
    fsh_job_stop_sim(watch.job, max_ns);
}
