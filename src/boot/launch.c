/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The life of a job: simulator, ranks, then one poll loop over signals, the
 * abort word, failed execs and the ranks' output. What ends it is in
 * launch_end.c.
 */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/assertion.h"
#include "base/cpu.h"
#include "base/log.h"
#include "base/option.h"
#include "boot/alone.h"
#include "boot/launch.h"
#include "boot/limits.h"
#include "boot/memory.h"

#define MS UINT64_C(1000000)
#define STATUS_NS (2000 * MS) /* a job that is over by then shows no state */
#define AGAIN_NS (300 * MS)   /* a signal that comes later is a second one */

uint32_t fsh_launch_unreaped(const struct fsh_launch *l)
{
    uint32_t n = 0;

    for (uint32_t r = 0; l->pid && r < l->job.config.ranks; r++)
        n += l->pid[r] != 0;
    return n;
}

/* A failed exec is reported before the child ends, so look there first. */
static void check_execs(struct fsh_launch *l)
{
    const struct fsh_launch_hooks *h = &l->hooks;
    int code = h->exec_result ? h->exec_result(h->arg) : 0;

    if (code)
        fsh_launch_end(l, code, "a rank could not be started", 0);
}

static void reap(struct fsh_launch *l)
{
    int status;
    pid_t pid;

    check_execs(l);
    while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
        if (pid == l->job.sim_pid) {
            fsh_launch_sim_ended(l, status);
            continue;
        }
        for (uint32_t r = 0; r < l->job.config.ranks; r++)
            if (l->pid[r] == pid) {
                fsh_launch_rank_ended(l, r, status);
                break;
            }
    }
    FSH_ASSERT(l->alive == fsh_launch_unreaped(l));
}

/* Ctrl-Z at the terminal, or kill -TSTP to us: everybody stops, and no clock
 * runs. SIGCONT is handed on when we go on. */
static void stop(struct fsh_launch *l)
{
    uint64_t start = fsh_time_ns(), away;

    fsh_launch_signal_ranks(l, SIGSTOP);
    kill(getpid(), SIGSTOP);
    away = fsh_time_ns() - start;
    if (l->timeout_ns)
        l->timeout_ns += away;
    if (l->leave_ns)
        l->leave_ns += away;
}

static void on_signal(struct fsh_launch *l, int sig)
{
    char text[128];

    if (sig == SIGCHLD)
        return reap(l);
    if (sig == SIGUSR1)
        return fsh_launch_dump(l);
    if (sig == SIGTSTP)
        return stop(l);
    if (sig == SIGCONT)
        return fsh_launch_signal_ranks(l, SIGCONT);
    if (sig == FSH_LAUNCH_GUARD_GONE) {
        fsh_launch_end(l, 128 + SIGKILL,
                       "the process that started the job was killed", 0);
        l->kill_ns = 0; /* nobody waits for us */
        return;
    }
    if (l->ending && l->quit_sent) {
        /* A second request kills at once; one that arrives twice, here and through
         * the guard, is the same request. */
        if (fsh_time_ns() > l->quit_ns + AGAIN_NS)
            l->kill_ns = 0;
        return;
    }
    snprintf(text, sizeof(text), "got signal %d (%s)", sig, strsignal(sig));
    fsh_warn("%s; ending the job", text);
    l->said = true;
    fsh_launch_end(l, FSH_JOB_ASKED | (128 + sig), text, 0);
}

static void read_signals(struct fsh_launch *l)
{
    struct signalfd_siginfo info[8];
    ssize_t n = read(l->signal_fd, info, sizeof(info));

    for (size_t i = 0; n > 0 && i < (size_t)n / sizeof(info[0]); i++)
        on_signal(l, (int)info[i].ssi_signo);
}

/* A rank ended with 0 a while ago, and others go on. */
static void left_behind(struct fsh_launch *l)
{
    char text[160];

    /* Who is named has left, and somebody is left behind. */
    FSH_ASSERT(l->first_left >= 0 && l->pid[l->first_left] == 0);
    FSH_ASSERT(l->alive != 0);
    snprintf(text, sizeof(text),
             "rank %d has ended, others have not within "
             "%g s (FSHMEM_LEAVE_TIMEOUT)",
             l->first_left, fsh_option_seconds("FSHMEM_LEAVE_TIMEOUT"));
    fsh_warn("%s; ending the job with code %d", text, FSH_JOB_LEFT_ALONE);
    fsh_launch_dump(l);
    fsh_launch_end(l, FSH_JOB_LEFT_ALONE, text, 0);
}

static void hide_status(const struct fsh_launch *l)
{
    if (l->hooks.status_hide)
        l->hooks.status_hide(l->hooks.arg);
}

static void check_clocks(struct fsh_launch *l, uint64_t now)
{
    char text[96];

    if ((l->timeout_ns && now >= l->timeout_ns) ||
        (l->leave_ns && now >= l->leave_ns))
        hide_status(l);
    else if (l->status_ns && now >= l->status_ns && !l->ending)
        l->status_ns = l->hooks.status_show(l->hooks.arg, now);
    if (l->timeout_ns && now >= l->timeout_ns && !l->ending) {
        snprintf(text, sizeof(text), "time limit of %g s reached (--timeout)",
                 l->timeout);
        fsh_warn("%s; ending the job", text);
        fsh_launch_dump(l);
        fsh_launch_end(l, FSH_LAUNCH_TIMEOUT, text, 0);
    }
    if (l->leave_ns && now >= l->leave_ns && !l->ending)
        left_behind(l);
    fsh_launch_end_step(l, now);
}

static void lower(uint64_t *deadline, uint64_t to)
{
    if (to && to < *deadline)
        *deadline = to;
}

static uint64_t next_deadline(const struct fsh_launch *l)
{
    uint64_t deadline = UINT64_MAX;

    if (!l->ending) {
        lower(&deadline, l->timeout_ns);
        lower(&deadline, l->leave_ns);
        lower(&deadline, l->status_ns);
    } else {
        if (!l->quit_sent)
            lower(&deadline, l->quit_ns);
        if (!l->kill_sent)
            lower(&deadline, l->kill_ns ? l->kill_ns : 1);
    }
    return deadline;
}

static int timeout_ms(uint64_t deadline)
{
    uint64_t now = fsh_time_ns();

    if (deadline == UINT64_MAX)
        return -1;
    if (deadline <= now)
        return 0;
    deadline = (deadline - now) / MS + 1;
    return deadline > 60000 ? 60000 : (int)deadline;
}

/* One turn. p has room for everything. */
static void turn(struct fsh_launch *l, struct pollfd *p)
{
    uint64_t deadline = next_deadline(l);
    const struct fsh_launch_hooks *h = &l->hooks;
    bool wait_abort = !l->ending;
    unsigned n = 2, outputs = 0;
    int ready;

    p[0] = (struct pollfd){.fd = l->signal_fd, .events = POLLIN};
    p[1] = (struct pollfd){.fd = h->exec_fd, .events = POLLIN};
    if (wait_abort)
        p[n++] = (struct pollfd){.fd = l->job.abort_fd, .events = POLLIN};
    if (h->output_polls)
        outputs = h->output_poll(h->arg, p + n, &deadline);
    FSH_ASSERT(outputs <= h->output_polls); /* p has room for no more */
    ready = poll(p, n + outputs, timeout_ms(deadline));
    if (ready < 0)
        return;
    if (ready > 0) /* most of it is a reason to print */
        hide_status(l);
    if (h->output_polls && !h->output_step(h->arg, p + n, outputs))
        fsh_launch_end(l, 128 + SIGPIPE, "the reader of the output is gone", 0);
    if (p[1].revents)
        check_execs(l);
    if (p[0].revents)
        read_signals(l);
    if (wait_abort && p[2].revents && !l->ending)
        fsh_launch_aborted(l);
    check_clocks(l, fsh_time_ns());
}

/* All ranks are reaped: hand out what is left of their output. */
static void finish_output(struct fsh_launch *l, struct pollfd *p)
{
    const struct fsh_launch_hooks *h = &l->hooks;

    FSH_ASSERT(l->alive == 0); /* nobody writes any more */
    if (!h->output_polls)
        return;
    while (!h->output_done(h->arg)) {
        h->output_finish(h->arg);
        if (l->ending && l->kill_sent)
            return;
        if (!h->output_done(h->arg))
            turn(l, p);
    }
}

/* ---- beginning and end ---- */

/* The signals we act on; those the caller has us ignore stay ignored. */
static int catch_signals(struct fsh_launch *l)
{
    static const int wanted[] = {SIGINT,  SIGTERM, SIGHUP,
                                 SIGQUIT, SIGUSR1, SIGTSTP,
                                 SIGCONT, SIGCHLD, FSH_LAUNCH_GUARD_GONE};
    struct sigaction old;
    sigset_t set;

    FSH_ASSERT(l->signal_fd < 0);
    sigemptyset(&set);
    for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
        if (sigaction(wanted[i], NULL, &old) == 0 &&
            (old.sa_handler != SIG_IGN || wanted[i] == SIGCHLD))
            sigaddset(&set, wanted[i]);
    signal(SIGCHLD, SIG_DFL);
    signal(SIGPIPE, SIG_IGN);
    sigprocmask(SIG_BLOCK, &set, NULL);
    l->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    if (l->signal_fd >= 0)
        return 0;
    fsh_warn("cannot watch signals: %s", strerror(errno));
    return 1;
}

void fsh_launch_signals_save(struct fsh_launch_signals *s)
{
    sigprocmask(SIG_SETMASK, NULL, &s->mask);
    for (int sig = 1; sig < 32; sig++)
        sigaction(sig, NULL, &s->action[sig]);
}

void fsh_launch_signals_restore(const struct fsh_launch_signals *s)
{
    static const int changed[] = {SIGCHLD, SIGPIPE, FSH_LAUNCH_GUARD_GONE};

    for (size_t i = 0; i < sizeof(changed) / sizeof(changed[0]); i++)
        sigaction(changed[i], &s->action[changed[i]], NULL);
    /* Ignored in a script's background job; we ask ranks to go by it. */
    if (s->action[SIGQUIT].sa_handler == SIG_IGN)
        signal(SIGQUIT, SIG_DFL);
    sigprocmask(SIG_SETMASK, &s->mask, NULL);
}

static int say_fork_failed(uint32_t rank, int error)
{
    char why[200];

    fsh_limits_explain_process(error, why, sizeof(why));
    fsh_warn("cannot start rank %" PRIu32 ": %s%s", rank, strerror(error), why);
    return 1;
}

static int fork_ranks(struct fsh_launch *l)
{
    /* Ranks must not print again what we had buffered. */
    fflush(NULL);
    for (uint32_t r = 0; r < l->job.config.ranks; r++) {
        pid_t pid;

        FSH_ASSERT(l->alive == r && l->pid[r] == 0); /* in their order, once */
        pid = fork();
        if (pid == 0) {
            close(l->signal_fd);
            close(l->alone_fd);
            free(l->pid);
            l->pid = NULL;
            l->rank = r;
            return FSH_LAUNCH_RANK;
        }
        if (pid < 0)
            return say_fork_failed(r, errno);
        l->pid[r] = pid;
        l->alive++;
        if (l->verbose)
            fsh_warn("rank %" PRIu32 " is process %d", r, pid);
    }
    return 0;
}

void fsh_launch_announce(struct fsh_launch *l)
{
    l->alone_fd = fsh_alone_announce();
}

bool fsh_launch_is_alone(const struct fsh_launch *l)
{
    return fsh_alone_is(l->alone_fd);
}

/* The simulator comes up before we catch signals: until then one of them ends
 * this process, and the simulator dies with it. */
int fsh_launch_start(struct fsh_launch *l)
{
    char err[800];
    int rc;

    FSH_ASSERT(l->pid == NULL && l->alive == 0); /* a job is started once */
    l->pid = calloc(l->job.config.ranks, sizeof(*l->pid));
    l->signal_fd = -1;
    l->first_left = -1;
    l->start_ns = fsh_time_ns();
    l->oom_kills = fsh_memory_oom_kills();
    if (!l->pid) {
        fsh_warn("out of memory");
        return 1;
    }
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    if (l->job.config.needs->nodes) {
        if (fsh_job_start_sim(&l->job, err, sizeof(err)) != 0) {
            fsh_warn("%s", err);
            return 1;
        }
        if (l->verbose)
            fsh_warn("the simulator is process %d", l->job.sim_pid);
    }
    /* A rank finds its node: the simulator is there, and has not been reaped. */
    FSH_ASSERT(!l->job.config.needs->nodes || l->job.sim_pid > 0);
    rc = catch_signals(l);
    if (rc == 0)
        rc = fork_ranks(l);
    FSH_ASSERT(rc != 0 || l->alive == l->job.config.ranks);
    if (rc != FSH_LAUNCH_RANK && l->hooks.started)
        l->hooks.started(l->hooks.arg);
    return rc;
}

static void stop_simulator(struct fsh_launch *l, bool failed)
{
    int status, code;

    if (!l->job.sim_pid)
        return;
    status = fsh_job_stop_sim(&l->job, failed ? 900 * MS : 20000 * MS);
    if (failed || status == -1)
        return;
    code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    if (code == 0 || code == 128 + SIGTERM)
        return;
    fsh_warn("the simulator ended with code %d%s%s", code,
             l->job.page->sim_error[0] ? ": " : "", l->job.page->sim_error);
    fsh_job_abort(l->job.page, -1, code, -1, NULL);
}

static int end_of(struct fsh_launch *l, int failed)
{
    struct fsh_job_page *page = l->job.page;
    int code = fsh_job_code(page);

    FSH_ASSERT(fsh_launch_unreaped(l) == 0);
    if (failed && code <= 0)
        code = failed;
    fsh_launch_say_exit(l);
    stop_simulator(l, code > 0);
    if (l->ending || failed)
        fsh_launch_kill_orphans();
    if (code <= 0 && fsh_job_code(page) > 0)
        code = fsh_job_code(page);
    FSH_ASSERT(!l->ending || fsh_job_code(page) >= 0);
    return code < 0 ? 0 : code;
}

int fsh_launch_run(struct fsh_launch *l, int failed)
{
    struct pollfd *p = calloc(3 + l->hooks.output_polls, sizeof(*p));
    int code;

    if (!p)
        fsh_fatal("out of memory");
    reap(l); /* what ended before we looked for SIGCHLD */
    if (failed)
        fsh_launch_end(l, failed, "the job could not be started", 0);
    else if (l->timeout > 0)
        l->timeout_ns = fsh_time_ns() + (uint64_t)(l->timeout * 1e9);
    if (l->hooks.status_show)
        l->status_ns = fsh_time_ns() + STATUS_NS;
    while (l->alive)
        turn(l, p);
    if (!failed)
        finish_output(l, p);
    code = end_of(l, failed);
    free(p);
    free(l->pid);
    return code;
}
