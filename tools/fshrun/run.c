/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The life of a job: simulator, ranks, then one poll loop over signals, the
 * abort word, failed execs and the ranks' output. The job ends when a rank
 * fails, calls gasnet_exit or leaves the others behind, when the simulator
 * ends, at the time limit, or by a signal; the first code wins. Then: peers get
 * time to leave by themselves (if it was gasnet_exit), SIGQUIT, SIGKILL; all
 * within 5 seconds.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cpu.h"
#include "base/log.h"
#include "base/option.h"
#include "fshrun.h"

#define MS UINT64_C(1000000)
/* gasnet_exit itself waits up to GASNET_EXITTIMEOUT for the others before it
 * ends the job, so that twice this and the rest stay under 5 seconds. */
#define MAX_GRACE_S 2.0
#define GO_YOURSELF_NS (250 * MS)
#define AGAIN_NS (300 * MS) /* a signal that comes later is a second one */

static uint64_t grace_ns(void)
{
    double s = fsh_option_seconds("GASNET_EXITTIMEOUT");

    return (uint64_t)((s < MAX_GRACE_S ? s : MAX_GRACE_S) * 1e9);
}

/* ---- state ---- */

static void dump(const struct run *run)
{
    const struct fsh_job_page *page = run->job.page;
    static const char *const sim[] = {"starting", "ready", "gone"};
    char text[256];

    fsh_warn("state after %.1f s: conduit %s, %" PRIu32 " ranks%s",
             (double)(fsh_time_ns() - run->start_ns) / 1e9, page->conduit,
             page->size, run->ending ? ", ending" : "");
    for (uint32_t r = 0; r < page->size; r++) {
        if (atomic_load(&page->rank[r].pid) == 0 && run->pid[r])
            atomic_store(&run->job.page->rank[r].pid, run->pid[r]);
        fsh_job_describe_rank(page, r, text, sizeof(text));
        fsh_warn("  %s", text);
    }
    if (run->job.sim_pid)
        fsh_warn("  simulator (pid %d): %s", run->job.sim_pid,
                 sim[(unsigned)atomic_load(&page->sim_state) % 3]);
}

/* ---- ending ---- */

/* Begin to end the job. quit_delay: time for the ranks to go by themselves. */
static void end_job(struct run *run, int code, const char *reason,
                    uint64_t quit_delay)
{
    uint64_t now = fsh_time_ns();

    fsh_job_abort(run->job.page, run->job.abort_fd, code, -1, reason);
    if (run->ending && run->quit_ns <= now + quit_delay)
        return;
    run->ending = true;
    run->quit_ns = now + quit_delay;
    run->kill_ns = run->quit_ns + grace_ns();
}

/* Is pid a descendant of ours? The page's pid may come from another name space
 * or be stale, and then is not ours to signal. */
static bool is_ours(pid_t pid)
{
    char path[64], text[512], *at;
    FILE *f;

    for (int depth = 0; pid > 1 && depth < 64; depth++) {
        if (pid == getpid())
            return true;
        snprintf(path, sizeof(path), "/proc/%d/stat", pid);
        f = fopen(path, "re");
        if (!f)
            return false;
        at = fgets(text, sizeof(text), f) ? strrchr(text, ')') : NULL;
        fclose(f);
        if (!at || sscanf(at + 1, " %*c %d", &pid) != 1)
            return false;
    }
    return false;
}

static void signal_ranks(struct run *run, int sig)
{
    for (uint32_t r = 0; r < run->cl->ranks; r++) {
        pid_t own = atomic_load(&run->job.page->rank[r].pid);

        if (run->pid[r] > 0)
            kill(run->pid[r], sig);
        /* The rank behind a script. */
        if (own > 0 && own != run->pid[r] && run->pid[r] > 0 && is_ours(own))
            kill(own, sig);
    }
}

static void advance_ending(struct run *run, uint64_t now)
{
    if (!run->ending)
        return;
    if (!run->quit_sent && now >= run->quit_ns) {
        run->quit_sent = true;
        signal_ranks(run, SIGQUIT);
        signal_ranks(run, SIGCONT); /* a stopped rank hears nothing */
    }
    if (!run->kill_sent && now >= run->kill_ns) {
        run->kill_sent = true;
        signal_ranks(run, SIGKILL);
    }
}

/* ---- what happens ---- */

static void rank_killed(struct run *run, uint32_t r, pid_t pid, int sig)
{
    char text[256];

    snprintf(text, sizeof(text),
             "rank %" PRIu32 " (pid %d) was killed by "
             "signal %d (%s)",
             r, pid, sig, strsignal(sig));
    /* `| head` is no failure worth a line. */
    if (!run->ending && (sig != SIGPIPE || run->cl->verbose) &&
        atomic_load(&run->job.page->abort_code) <= 0)
        fsh_warn("%s; ending the job", text);
    /* Once we send signals ourselves, such a death says nothing. */
    if (!run->quit_sent)
        end_job(run, 128 + sig, text, 0);
}

/* Somebody else has set the abort word: a rank by gasnet_exit or by a failure
 * it has reported itself, or the simulator, for which we speak. */
static void job_aborted(struct run *run)
{
    const struct fsh_job_page *page = run->job.page;
    const char *reason = fsh_job_reason(page);

    if (atomic_load(&page->abort_rank) == -1)
        fsh_warn("%s; ending the job", reason);
    end_job(run, atomic_load(&page->abort_code), NULL,
            page->abort_reason[0] ? 0 : GO_YOURSELF_NS);
}

static void rank_exited(struct run *run, uint32_t r, pid_t pid, int code,
                        int state)
{
    struct fsh_job_page *page = run->job.page;
    char text[256];

    if (run->ending)
        return;
    if (atomic_load(&page->abort_code) >= 0) {
        job_aborted(run);
        return;
    }
    if (code != 0) {
        snprintf(text, sizeof(text),
                 "rank %" PRIu32 " (pid %d) exited with "
                 "code %d",
                 r, pid, code);
        if (page->size > 1)
            fsh_warn("%s%s; ending the job", text,
                     state == FSH_RANK_STARTING ? " before gasnet_init" : "");
        end_job(run, code, text, 0);
        return;
    }
    if (state != FSH_RANK_STARTING && run->alive) {
        double s = fsh_option_seconds("FSHMEM_LEAVE_TIMEOUT");

        if (s > 0)
            run->leave_ns = fsh_time_ns() + (uint64_t)(s * 1e9);
        if (run->first_left < 0)
            run->first_left = (int)r;
    }
}

static void rank_ended(struct run *run, uint32_t r, int status)
{
    struct fsh_rank_slot *slot = &run->job.page->rank[r];
    int state = atomic_load(&slot->state);
    pid_t pid = run->pid[r];
    bool killed = WIFSIGNALED(status);
    int code = killed ? 128 + WTERMSIG(status) : WEXITSTATUS(status);

    run->pid[r] = 0;
    run->alive--;
    atomic_store(&slot->pid, pid);
    atomic_store(&slot->exit_code, code);
    atomic_store(&slot->state, code && state != FSH_RANK_LEFT ? FSH_RANK_DEAD
                                                              : FSH_RANK_LEFT);
    if (run->cl->verbose)
        fsh_warn("rank %" PRIu32 " (pid %d) ended with code %d", r, pid, code);
    if (killed)
        rank_killed(run, r, pid, WTERMSIG(status));
    else
        rank_exited(run, r, pid, code, state);
}

static void sim_ended(struct run *run, int status)
{
    struct fsh_job_page *page = run->job.page;
    bool killed = WIFSIGNALED(status);
    int code = killed ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    char text[800];

    if (killed)
        snprintf(text, sizeof(text),
                 "the simulator (pid %d) was killed by "
                 "signal %d (%s)",
                 run->job.sim_pid, WTERMSIG(status),
                 strsignal(WTERMSIG(status)));
    else
        snprintf(text, sizeof(text),
                 "the simulator (pid %d) ended with code "
                 "%d%s%s",
                 run->job.sim_pid, code, page->sim_error[0] ? ": " : "",
                 page->sim_error);
    run->job.sim_pid = 0;
    run->sim_gone = true;
    if (!run->ending)
        fsh_warn("%s; ending the job", text);
    end_job(run, code ? code : 1, text, 0);
    /* After the abort, so that ranks know the cause when they see this. */
    atomic_store(&page->sim_state, 2);
}

/* A failed exec is reported before the child ends, so look there first. */
static void check_execs(struct run *run)
{
    int code = spawn_result(run);

    if (code)
        end_job(run, code, "a rank could not be started", 0);
}

static void reap(struct run *run)
{
    int status;
    pid_t pid;

    check_execs(run);
    while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
        if (pid == run->job.sim_pid) {
            sim_ended(run, status);
            continue;
        }
        for (uint32_t r = 0; r < run->cl->ranks; r++)
            if (run->pid[r] == pid) {
                rank_ended(run, r, status);
                break;
            }
    }
}

static void on_signal(struct run *run, int sig)
{
    char text[128];

    if (sig == SIGCHLD)
        return reap(run);
    if (sig == SIGUSR1)
        return dump(run);
    if (sig == GUARD_GONE) {
        end_job(run, 128 + SIGKILL, "fshrun was killed", 0);
        run->kill_ns = 0; /* nobody waits for us */
        return;
    }
    if (run->ending && run->quit_sent) {
        /* Asked twice, not told twice (to us, and to the guard). */
        if (fsh_time_ns() > run->quit_ns + AGAIN_NS)
            run->kill_ns = 0;
        return;
    }
    snprintf(text, sizeof(text), "got signal %d (%s)", sig, strsignal(sig));
    fsh_warn("%s; ending the job", text);
    end_job(run, 128 + sig, text, 0);
}

static void read_signals(struct run *run)
{
    struct signalfd_siginfo info[8];
    ssize_t n = read(run->signal_fd, info, sizeof(info));

    for (size_t i = 0; n > 0 && i < (size_t)n / sizeof(info[0]); i++)
        on_signal(run, (int)info[i].ssi_signo);
}

/* A rank returned from main a while ago and others go on. */
static void left_behind(struct run *run)
{
    struct fsh_job_page *page = run->job.page;
    bool blocked = false;
    char text[160];

    for (uint32_t r = 0; r < page->size; r++)
        if (run->pid[r] && page->rank[r].waiting_for[0])
            blocked = true;
    snprintf(text, sizeof(text),
             "rank %d has ended, others have not within "
             "%g s (FSHMEM_LEAVE_TIMEOUT)",
             run->first_left, fsh_option_seconds("FSHMEM_LEAVE_TIMEOUT"));
    fsh_warn("%s; ending the job", text);
    dump(run);
    end_job(run, blocked ? 1 : 0, text, 0);
}

static void check_clocks(struct run *run, uint64_t now)
{
    char text[96];

    if (run->timeout_ns && now >= run->timeout_ns && !run->ending) {
        snprintf(text, sizeof(text), "time limit of %g s reached (--timeout)",
                 run->cl->timeout);
        fsh_warn("%s; ending the job", text);
        dump(run);
        end_job(run, RUN_TIMEOUT, text, 0);
    }
    if (run->leave_ns && now >= run->leave_ns && !run->ending)
        left_behind(run);
    advance_ending(run, now);
}

static void lower(uint64_t *deadline, uint64_t to)
{
    if (to && to < *deadline)
        *deadline = to;
}

static uint64_t next_deadline(const struct run *run)
{
    uint64_t deadline = UINT64_MAX;

    if (!run->ending) {
        lower(&deadline, run->timeout_ns);
        lower(&deadline, run->leave_ns);
    } else {
        if (!run->quit_sent)
            lower(&deadline, run->quit_ns);
        if (!run->kill_sent)
            lower(&deadline, run->kill_ns ? run->kill_ns : 1);
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
static void turn(struct run *run, struct pollfd *p)
{
    uint64_t deadline = next_deadline(run);
    bool wait_abort = !run->ending;
    unsigned n = 2, outputs = 0;

    p[0] = (struct pollfd){.fd = run->signal_fd, .events = POLLIN};
    p[1] = (struct pollfd){.fd = run->exec_fd, .events = POLLIN};
    if (wait_abort)
        p[n++] = (struct pollfd){.fd = run->job.abort_fd, .events = POLLIN};
    if (run->output)
        outputs = output_poll(run->output, p + n, &deadline);
    if (poll(p, n + outputs, timeout_ms(deadline)) < 0)
        return;
    if (run->output && !output_step(run->output, p + n, outputs))
        end_job(run, 128 + SIGPIPE, "the reader of the output is gone", 0);
    if (p[1].revents)
        check_execs(run);
    if (p[0].revents)
        read_signals(run);
    if (wait_abort && p[2].revents && !run->ending)
        job_aborted(run);
    check_clocks(run, fsh_time_ns());
}

/* All ranks are reaped: hand out what is left of their output. */
static void finish_output(struct run *run, struct pollfd *p)
{
    if (!run->output)
        return;
    while (!output_done(run->output)) {
        output_finish(run->output);
        if (run->ending && run->kill_sent)
            return;
        if (!output_done(run->output))
            turn(run, p);
    }
}

/* ---- beginning and end ---- */

/* The signals we act on; those the caller has us ignore stay ignored. */
static int catch_signals(struct run *run)
{
    static const int wanted[] = {SIGINT,  SIGTERM, SIGHUP,    SIGQUIT,
                                 SIGUSR1, SIGCHLD, GUARD_GONE};
    struct sigaction old;
    sigset_t set;

    sigemptyset(&set);
    for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
        if (sigaction(wanted[i], NULL, &old) == 0 &&
            (old.sa_handler != SIG_IGN || wanted[i] == SIGCHLD))
            sigaddset(&set, wanted[i]);
    signal(SIGCHLD, SIG_DFL);
    sigaction(SIGPIPE, NULL, &run->sigpipe);
    signal(SIGPIPE, SIG_IGN);
    sigprocmask(SIG_BLOCK, &set, NULL);
    run->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    if (run->signal_fd >= 0)
        return 0;
    fsh_warn("cannot watch signals: %s", strerror(errno));
    return 1;
}

/* The simulator comes up before we catch signals: until then one of them ends
 * this process, and the simulator dies with it. */
static int start(struct run *run)
{
    char err[800];
    int rc;

    if (strcmp(run->cl->conduit, "fpga") == 0) {
        if (fsh_job_start_sim(&run->job, err, sizeof(err)) != 0) {
            fsh_warn("%s", err);
            return 1;
        }
        if (run->cl->verbose)
            fsh_warn("the simulator is process %d", run->job.sim_pid);
    }
    rc = catch_signals(run);
    if (rc == 0)
        rc = spawn_ranks(run);
    reap(run); /* what ended before we looked for SIGCHLD */
    return rc;
}

static void stop_simulator(struct run *run, bool failed)
{
    int status, code;

    if (!run->job.sim_pid)
        return;
    status = fsh_job_stop_sim(&run->job, failed ? 900 * MS : 20000 * MS);
    if (failed || status == -1)
        return;
    code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    if (code == 0 || code == 128 + SIGTERM)
        return;
    fsh_warn("the simulator ended with code %d%s%s", code,
             run->job.page->sim_error[0] ? ": " : "", run->job.page->sim_error);
    fsh_job_abort(run->job.page, -1, code, -1, NULL);
}

static int end_of(struct run *run, int failed)
{
    struct fsh_job_page *page = run->job.page;
    int code = atomic_load(&page->abort_code);

    if (failed && code <= 0)
        code = failed;
    stop_simulator(run, code > 0);
    if (run->ending || failed)
        kill_orphans();
    if (code <= 0 && atomic_load(&page->abort_code) > 0)
        code = atomic_load(&page->abort_code);
    return code < 0 ? 0 : code;
}

int run_job(struct run *run)
{
    unsigned polls = 3 + (run->output ? output_max_polls(run->output) : 0);
    struct pollfd *p = calloc(polls, sizeof(*p));
    int failed, code;

    run->pid = calloc(run->cl->ranks, sizeof(*run->pid));
    run->exec_fd = run->signal_fd = -1;
    run->first_left = -1;
    run->start_ns = fsh_time_ns();
    if (!p || !run->pid) {
        fsh_warn("out of memory");
        free(p);
        free(run->pid);
        return 1;
    }
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    failed = start(run);
    if (failed)
        end_job(run, failed, "the job could not be started", 0);
    else if (run->cl->timeout > 0)
        run->timeout_ns = fsh_time_ns() + (uint64_t)(run->cl->timeout * 1e9);
    while (run->alive)
        turn(run, p);
    if (!failed)
        finish_output(run, p);
    code = end_of(run, failed);
    free(p);
    free(run->pid);
    return code;
}
