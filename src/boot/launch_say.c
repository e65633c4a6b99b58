/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the launcher says: the state of all ranks on request, and how a rank has
 * ended that ends the job, in one line. Launcher only.
 */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/assertion.h"
#include "base/cpu.h"
#include "base/log.h"
#include "boot/launch.h"
#include "boot/memory.h"
#include "boot/process.h"

/* Ranks that a line names as waiting. */
enum { WAITERS = 4 };
/* What the simulator has to write the state of its fabric. */
#define DUMP_NS UINT64_C(1000000000)

/* ---- state ---- */

/* What the kernel knows of a process: for a rank that is in no call of ours,
 * and does not look at anything we could write. */
static void add_process_state(pid_t pid, char *text, size_t len)
{
    size_t used = strlen(text);
    struct fsh_process p;

    if (!fsh_process_read(pid, &p))
        return;
    snprintf(text + used, len - used, " (%s, %.1f s of processor time)",
             p.state == 'R'                     ? "on a processor"
             : p.state == 'T' || p.state == 't' ? "stopped"
             : p.state == 'Z'                   ? "ended"
                                                : "asleep",
             (double)(p.user + p.system) / (double)sysconf(_SC_CLK_TCK));
}

void fsh_launch_dump(const struct fsh_launch *l)
{
    const struct fsh_job_page *page = l->job.page;
    static const char *const sim[] = {"starting", "ready", "gone"};
    char text[400];

    FSH_ASSERT(page->size == l->job.config.ranks);
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
    if (!l->job.sim_pid)
        return;
    snprintf(text, sizeof(text), "simulator (pid %d): %s", l->job.sim_pid,
             sim[(unsigned)atomic_load(&page->sim_state) % 3]);
    add_process_state(l->job.sim_pid, text, sizeof(text));
    fsh_warn("  %s", text);
    fsh_job_ask_dump(l->job.page, DUMP_NS);
}

/* ---- how a rank has ended ---- */

/* A SIGKILL that nobody is known to have sent: has memory run out since the job
 * began? */
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

/* "rank 1 (pid 77, host a)" */
static size_t name_rank(uint32_t r, pid_t pid, char *text, size_t len)
{
    char host[64] = "?";

    gethostname(host, sizeof(host) - 1);
    return (size_t)snprintf(text, len, "rank %" PRIu32 " (pid %d, host %s)", r,
                            pid, host);
}

void fsh_launch_describe_end(const struct fsh_launch *l, uint32_t r, int status,
                             char text[FSH_LAUNCH_TEXT])
{
    size_t at = name_rank(r, l->pid[r], text, FSH_LAUNCH_TEXT);
    int sig = WIFSIGNALED(status) ? WTERMSIG(status) : 0;

    /* Reaped: it has ended by itself or by a signal, and is not said to be gone. */
    FSH_ASSERT(l->pid[r] > 0 && (sig || WIFEXITED(status)));
    if (!sig) {
        snprintf(text + at, FSH_LAUNCH_TEXT - at, " ended with code %d%s",
                 WEXITSTATUS(status),
                 atomic_load(&l->job.page->rank[r].state) == FSH_RANK_STARTING
                     ? " before gasnet_init"
                     : "");
        return;
    }
    snprintf(text + at, FSH_LAUNCH_TEXT - at, " was killed by signal %d (%s)",
             sig, strsignal(sig));
    if (sig == SIGKILL || sig == SIGBUS)
        add_memory(l, text, FSH_LAUNCH_TEXT);
}

/* "; waiting: rank 0 for gasnet_barrier_wait (node 1)" */
static void list_waiters(const struct fsh_launch *l, char *text, size_t len)
{
    const struct fsh_job_page *page = l->job.page;
    size_t at = 0;
    unsigned n = 0;

    text[0] = '\0';
    for (uint32_t r = 0; r < page->size && n <= WAITERS && at < len; r++) {
        const struct fsh_rank_slot *slot = &page->rank[r];

        if (!l->pid[r] || !slot->waiting_for[0] ||
            atomic_load(&slot->state) >= FSH_RANK_LEAVING)
            continue;
        if (++n > WAITERS)
            snprintf(text + at, len - at, ", ...");
        else
            at += (size_t)snprintf(
                text + at, len - at, "%s rank %" PRIu32 " for %.*s",
                n > 1 ? "," : "; waiting:", r,
                (int)sizeof(slot->waiting_for) - 1, slot->waiting_for);
    }
}

void fsh_launch_say(struct fsh_launch *l, const char *text)
{
    char waiters[WAITERS * (sizeof(l->job.page->rank[0].waiting_for) + 32)];

    if (l->said || l->quiet)
        return;
    l->said = true;
    list_waiters(l, waiters, sizeof(waiters));
    fsh_warn("%s; ending the job%s", text, waiters);
}

void fsh_launch_say_exit(struct fsh_launch *l)
{
    const struct fsh_job_page *page = l->job.page;
    int rank = atomic_load(&page->abort_rank), code = fsh_job_code(page);
    char text[FSH_LAUNCH_TEXT];
    size_t at;

    /* With a reason, who gave it has printed it. */
    if (code <= 0 || rank < 0 || page->abort_reason[0])
        return;
    FSH_ASSERT((uint32_t)rank < page->size);
    at = name_rank((uint32_t)rank, atomic_load(&page->rank[rank].pid), text,
                   sizeof(text));
    snprintf(text + at, sizeof(text) - at, " left with code %d", code);
    fsh_launch_say(l, text);
}
