/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How a job ends: a rank fails, calls gasnet_exit or is killed, the simulator
 * ends, the launcher is asked to. The first code wins. Then: peers get time to
 * leave by themselves (if it was gasnet_exit), SIGQUIT, SIGKILL; all within 5
 * seconds. Launcher only.
 */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/assertion.h"
#include "base/cpu.h"
#include "base/log.h"
#include "base/option.h"
#include "boot/launch.h"
#include "boot/process.h"

/* ---- ending ---- */

void fsh_launch_end(struct fsh_launch *l, int code, const char *reason,
                    uint64_t quit_delay)
{
    uint64_t now = fsh_time_ns();

    fsh_job_abort(l->job.page, l->job.abort_fd, code, -1, reason);
    if (l->ending && l->quit_ns <= now + quit_delay)
        return;
    FSH_ASSERT(!l->quit_sent); /* the end is put forward, never put off */
    l->ending = true;
    l->quit_ns = now + quit_delay;
    l->kill_ns = l->quit_ns + fsh_job_grace_ns();
}

/* Is pid a descendant of ours? The page's pid may come from another name space
 * or be stale, and then is not ours to signal. */
static bool is_ours(pid_t pid)
{
    struct fsh_process p;

    for (int depth = 0; pid > 1 && depth < 64; depth++) {
        if (pid == getpid())
            return true;
        if (!fsh_process_read(pid, &p))
            return false;
        pid = p.parent;
    }
    return false;
}

void fsh_launch_signal_ranks(const struct fsh_launch *l, int sig)
{
    for (uint32_t r = 0; r < l->job.config.ranks; r++) {
        pid_t own = atomic_load(&l->job.page->rank[r].pid);

        if (l->pid[r] > 0)
            kill(l->pid[r], sig);
        /* The rank behind a script. */
        if (own > 0 && own != l->pid[r] && l->pid[r] > 0 && is_ours(own))
            kill(own, sig);
    }
}

void fsh_launch_end_step(struct fsh_launch *l, uint64_t now)
{
    if (!l->ending)
        return;
    if (!l->quit_sent && now >= l->quit_ns) {
        l->quit_sent = true;
        fsh_launch_signal_ranks(l, SIGQUIT);
        fsh_launch_signal_ranks(l, SIGCONT); /* a stopped rank hears nothing */
    }
    if (!l->kill_sent && now >= l->kill_ns) {
        l->kill_sent = true;
        fsh_launch_signal_ranks(l, SIGKILL);
    }
    FSH_ASSERT(!l->kill_sent || l->quit_sent); /* in this order */
}

/* ---- what happens ---- */

/* What we send ourselves says nothing about a rank. */
static bool is_ours_to_end(const struct fsh_launch *l, int code)
{
    return l->quit_sent && (code == 128 + SIGQUIT || code == 128 + SIGKILL);
}

/* A rank has ended with a code that is not 0, and nobody has said why. */
static void rank_failed(struct fsh_launch *l, int code, const char *text)
{
    if (is_ours_to_end(l, code) || fsh_job_code(l->job.page) > 0)
        return;
    if (code != 128 + SIGPIPE || l->verbose) /* `| head` is worth no line */
        fsh_launch_say(l, text);
    fsh_launch_end(l, code, text, 0);
}

/* Somebody else has set the abort word: a rank by gasnet_exit or by a failure
 * it has reported itself, or the simulator, for which we speak. */
void fsh_launch_aborted(struct fsh_launch *l)
{
    const struct fsh_job_page *page = l->job.page;

    FSH_ASSERT(!l->ending && fsh_job_code(page) >= 0);
    if (atomic_load(&page->abort_rank) == -1)
        fsh_warn("%s; ending the job", fsh_job_reason(page));
    fsh_launch_say_exit(l);
    fsh_launch_end(l, atomic_load(&page->abort_code), NULL,
                   page->abort_reason[0] ? 0 : FSH_JOB_LEAVE_NS);
}

/* Left with 0: the others may go on for a while. */
static void rank_left(struct fsh_launch *l, uint32_t r, int state)
{
    double s = fsh_option_seconds("FSHMEM_LEAVE_TIMEOUT");

    if (state == FSH_RANK_STARTING || !l->alive || l->ending)
        return;
    if (s > 0)
        l->leave_ns = fsh_time_ns() + (uint64_t)(s * 1e9);
    if (l->first_left < 0)
        l->first_left = (int)r;
    FSH_ASSERT(l->pid[l->first_left] == 0);
}

void fsh_launch_rank_ended(struct fsh_launch *l, uint32_t r, int status)
{
    struct fsh_rank_slot *slot = &l->job.page->rank[r];
    int state = atomic_load(&slot->state);
    bool killed = WIFSIGNALED(status);
    int code = killed ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    char text[FSH_LAUNCH_TEXT];

    /* A rank ends once, and only here it is said to be dead. */
    FSH_ASSERT(r < l->job.config.ranks && l->pid[r] > 0 && l->alive != 0);
    FSH_ASSERT(state != FSH_RANK_DEAD);
    fsh_launch_describe_end(l, r, status, text);
    atomic_store(&slot->pid, l->pid[r]);
    atomic_store(&slot->exit_code, code);
    atomic_store(&slot->state, code && state != FSH_RANK_LEFT ? FSH_RANK_DEAD
                                                              : FSH_RANK_LEFT);
    if (l->verbose)
        fsh_warn("rank %" PRIu32 " (pid %d) ended with code %d", r, l->pid[r],
                 code);
    l->pid[r] = 0;
    l->alive--;
    FSH_ASSERT(l->alive == fsh_launch_unreaped(l));
    if (!l->ending && atomic_load(&l->job.page->abort_code) >= 0)
        fsh_launch_aborted(l);
    if (code != 0)
        rank_failed(l, code, text);
    else
        rank_left(l, r, state);
}

void fsh_launch_sim_ended(struct fsh_launch *l, int status)
{
    struct fsh_job_page *page = l->job.page;
    bool killed = WIFSIGNALED(status);
    int code = killed ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    char text[800];

    FSH_ASSERT(l->job.sim_pid > 0 && l->job.config.needs->nodes);
    /* It has said why: we may see its end first. */
    if (!l->ending && fsh_job_code(page) > 0)
        fsh_launch_aborted(l);
    if (killed)
        snprintf(text, sizeof(text),
                 "the simulator (pid %d) was killed by "
                 "signal %d (%s)",
                 l->job.sim_pid, WTERMSIG(status), strsignal(WTERMSIG(status)));
    else
        snprintf(text, sizeof(text),
                 "the simulator (pid %d) ended with code "
                 "%d%s%s",
                 l->job.sim_pid, code, page->sim_error[0] ? ": " : "",
                 page->sim_error);
    l->job.sim_pid = 0;
    if (!l->ending)
        fsh_warn("%s; ending the job", text);
    fsh_launch_end(l, code ? code : 1, text, 0);
    FSH_ASSERT(l->ending && fsh_job_code(page) >= 0);
    /* After the abort, so that ranks know the cause when they see this. */
    atomic_store(&page->sim_state, 2);
}
