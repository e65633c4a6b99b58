/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How a job ends: a rank fails, calls gasnet_exit or is killed, the simulator
 * ends, the launcher is asked to. The first code wins. Then: peers get time to
 * leave by themselves (if it was gasnet_exit), SIGQUIT, SIGKILL; all within 5
 * seconds. And the state of all ranks in words. Launcher only.
 */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cpu.h"
#include "base/log.h"
#include "base/option.h"
#include "boot/launch.h"
#include "boot/memory.h"

#define MS UINT64_C(1000000)
/* gasnet_exit itself waits up to GASNET_EXITTIMEOUT for the others before it
 * ends the job, so that twice this and the rest stay under 5 seconds. */
#define MAX_GRACE_S 2.0
#define GO_YOURSELF_NS (250 * MS)

static uint64_t grace_ns(void)
{
    double s = fsh_option_seconds("GASNET_EXITTIMEOUT");

    return (uint64_t)((s < MAX_GRACE_S ? s : MAX_GRACE_S) * 1e9);
}

/* ---- state ---- */

/* What the kernel knows of a process: for a rank that is in no call of ours,
 * and does not look at anything we could write. */
static void add_process_state(pid_t pid, char *text, size_t len)
{
    unsigned long user = 0, system = 0;
    char path[64], line[512], *at = NULL, state = 0;
    size_t used = strlen(text);
    FILE *f;

    snprintf(path, sizeof(path), "/proc/%d/stat", pid);
    f = pid > 0 ? fopen(path, "re") : NULL;
    if (!f)
        return;
    if (fgets(line, sizeof(line), f))
        at = strrchr(line, ')');
    fclose(f);
    if (at && sscanf(at + 1,
                     " %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu "
                     "%lu",
                     &state, &user, &system) == 3)
        snprintf(text + used, len - used, " (%s, %.1f s of processor time)",
                 state == 'R'                   ? "on a processor"
                 : state == 'T' || state == 't' ? "stopped"
                 : state == 'Z'                 ? "ended"
                                                : "asleep",
                 (double)(user + system) / (double)sysconf(_SC_CLK_TCK));
}

void fsh_launch_dump(const struct fsh_launch *l)
{
    const struct fsh_job_page *page = l->job.page;
    static const char *const sim[] = {"starting", "ready", "gone"};
    char text[400];

    fsh_warn("state after %.1f s: conduit %s, %" PRIu32 " ranks%s",
             (double)(fsh_time_ns() - l->start_ns) / 1e9, page->conduit,
             page->size, l->ending ? ", ending" : "");
    for (uint32_t r = 0; r < page->size; r++) {
        if (atomic_load(&page->rank[r].pid) == 0 && l->pid[r])
            atomic_store(&l->job.page->rank[r].pid, l->pid[r]);
        fsh_job_describe_rank(page, r, text, sizeof(text));
        add_process_state(atomic_load(&page->rank[r].pid), text, sizeof(text));
        fsh_warn("  %s", text);
    }
    if (l->job.sim_pid)
        fsh_warn("  simulator (pid %d): %s", l->job.sim_pid,
                 sim[(unsigned)atomic_load(&page->sim_state) % 3]);
}

/* ---- ending ---- */

void fsh_launch_end(struct fsh_launch *l, int code, const char *reason,
                    uint64_t quit_delay)
{
    uint64_t now = fsh_time_ns();

    fsh_job_abort(l->job.page, l->job.abort_fd, code, -1, reason);
    if (l->ending && l->quit_ns <= now + quit_delay)
        return;
    l->ending = true;
    l->quit_ns = now + quit_delay;
    l->kill_ns = l->quit_ns + grace_ns();
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
}

/* ---- what happens ---- */

/* SIGKILL of nobody's hand: has memory run out since the job began? */
static void add_memory(const struct fsh_launch *l, char *text, size_t len)
{
    size_t used = strlen(text);
    struct fsh_memory memory;
    char need[32], limit[32];

    if (fsh_memory_oom_kills() == l->oom_kills)
        return;
    fsh_memory_read(&memory);
    fsh_memory_text(memory.total, limit);
    snprintf(text + used, len - used,
             ": memory has run out (%s, %s); %" PRIu32 " ranks with %s of "
             "segment each were started: raise the limit, start fewer, or "
             "touch less; %s bounds a segment",
             memory.limit, limit, l->job.page->size,
             fsh_memory_text(l->job.config.segment_max
                                 ? l->job.config.segment_max
                                 : l->job.config.dram_bytes,
                             need),
             l->job.config.segment_max ? "FSHMEM_SEGMENT_MAX" : "FSHMEM_DRAM");
}

static void rank_killed(struct fsh_launch *l, uint32_t r, pid_t pid, int sig)
{
    char text[512];

    snprintf(text, sizeof(text),
             "rank %" PRIu32 " (pid %d) was killed by "
             "signal %d (%s)",
             r, pid, sig, strsignal(sig));
    if (sig == SIGKILL || sig == SIGBUS)
        add_memory(l, text, sizeof(text));
    /* `| head` is no failure worth a line. */
    if (!l->ending && (sig != SIGPIPE || l->verbose) &&
        atomic_load(&l->job.page->abort_code) <= 0)
        fsh_warn("%s; ending the job", text);
    /* Once we send signals ourselves, such a death says nothing. */
    if (!l->quit_sent)
        fsh_launch_end(l, 128 + sig, text, 0);
}

/* Somebody else has set the abort word: a rank by gasnet_exit or by a failure
 * it has reported itself, or the simulator, for which we speak. */
void fsh_launch_aborted(struct fsh_launch *l)
{
    const struct fsh_job_page *page = l->job.page;
    const char *reason = fsh_job_reason(page);

    if (atomic_load(&page->abort_rank) == -1)
        fsh_warn("%s; ending the job", reason);
    fsh_launch_end(l, atomic_load(&page->abort_code), NULL,
                   page->abort_reason[0] ? 0 : GO_YOURSELF_NS);
}

static void rank_exited(struct fsh_launch *l, uint32_t r, pid_t pid, int code,
                        int state)
{
    struct fsh_job_page *page = l->job.page;
    char text[256];

    if (l->ending)
        return;
    if (atomic_load(&page->abort_code) >= 0) {
        fsh_launch_aborted(l);
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
        fsh_launch_end(l, code, text, 0);
        return;
    }
    if (state != FSH_RANK_STARTING && l->alive) {
        double s = fsh_option_seconds("FSHMEM_LEAVE_TIMEOUT");

        if (s > 0)
            l->leave_ns = fsh_time_ns() + (uint64_t)(s * 1e9);
        if (l->first_left < 0)
            l->first_left = (int)r;
    }
}

void fsh_launch_rank_ended(struct fsh_launch *l, uint32_t r, int status)
{
    struct fsh_rank_slot *slot = &l->job.page->rank[r];
    int state = atomic_load(&slot->state);
    pid_t pid = l->pid[r];
    bool killed = WIFSIGNALED(status);
    int code = killed ? 128 + WTERMSIG(status) : WEXITSTATUS(status);

    l->pid[r] = 0;
    l->alive--;
    atomic_store(&slot->pid, pid);
    atomic_store(&slot->exit_code, code);
    atomic_store(&slot->state, code && state != FSH_RANK_LEFT ? FSH_RANK_DEAD
                                                              : FSH_RANK_LEFT);
    if (l->verbose)
        fsh_warn("rank %" PRIu32 " (pid %d) ended with code %d", r, pid, code);
    if (killed)
        rank_killed(l, r, pid, WTERMSIG(status));
    else
        rank_exited(l, r, pid, code, state);
}

void fsh_launch_sim_ended(struct fsh_launch *l, int status)
{
    struct fsh_job_page *page = l->job.page;
    bool killed = WIFSIGNALED(status);
    int code = killed ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    char text[800];

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
    /* After the abort, so that ranks know the cause when they see this. */
    atomic_store(&page->sim_state, 2);
}
