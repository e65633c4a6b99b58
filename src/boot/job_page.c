/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The shared words of the control page that launcher, ranks and simulator all
 * use: ending the job, and saying what a rank does. Any thread; ending
 * is async-signal-safe.
 */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/assertion.h"
#include "base/futex.h"
#include "boot/job.h"

enum { REASON_PENDING = -2 };

/* strncpy that always terminates and may run in a signal handler. */
static void copy_text(char *to, size_t len, const char *from)
{
    size_t i;

    for (i = 0; i + 1 < len && from[i]; i++)
        to[i] = from[i];
    to[i] = '\0';
}

/* A code that is not 0 is never hidden by 0. */
static bool replaces(int code, const char *reason, int seen)
{
    if (seen < 0)
        return true;
    return (code & 0xff) != 0 &&
           (seen == 0 || ((seen & FSH_JOB_ASKED) && !reason));
}

int fsh_job_code(const struct fsh_job_page *page)
{
    int code = atomic_load(&page->abort_code);

    return code < 0 ? code : code & 0xff;
}

void fsh_job_abort(struct fsh_job_page *page, int abort_fd, int code, int rank,
                   const char *reason)
{
    const uint64_t one = 1;
    int seen = atomic_load(&page->abort_code);

    FSH_ASSERT((code & ~(0xff | FSH_JOB_ASKED)) == 0);
    FSH_ASSERT(rank >= -1 && rank < (int)page->size);
    do {
        if (!replaces(code, reason, seen))
            return;
    } while (!atomic_compare_exchange_weak(&page->abort_code, &seen, code));
    if (seen >= 0) {
        if (rank >= 0)
            atomic_store(&page->abort_rank, rank);
        return;
    }
    if (reason)
        copy_text(page->abort_reason, sizeof(page->abort_reason), reason);
    /* Release: the reason is whole. Partner: the acquire in fsh_job_reason. */
    atomic_store_explicit(&page->abort_rank, rank, memory_order_release);
    atomic_fetch_add(&page->abort_futex, 1);
    fsh_futex_wake(&page->abort_futex, INT_MAX);
    fsh_futex_wake(&page->barrier_futex, INT_MAX);
    if (abort_fd >= 0 && write(abort_fd, &one, sizeof(one)) < 0)
        return; /* the launcher sees the exit of this process as well */
}

const char *fsh_job_reason(const struct fsh_job_page *page)
{
    /* Acquire: partner is the release in fsh_job_abort. */
    int rank = atomic_load_explicit(&page->abort_rank, memory_order_acquire);

    if (rank == REASON_PENDING)
        return "the job is ending";
    if (page->abort_reason[0])
        return page->abort_reason;
    return "a rank called gasnet_exit";
}

void fsh_job_describe_rank(const struct fsh_job_page *page, uint32_t rank,
                           char *text, size_t len)
{
    static const char *const states[] = {
        [FSH_RANK_STARTING] = "has not called gasnet_init",
        [FSH_RANK_INIT] = "has called gasnet_init",
        [FSH_RANK_RUNNING] = "running",
        [FSH_RANK_LEAVING] = "is leaving",
        [FSH_RANK_LEFT] = "has left",
        [FSH_RANK_DEAD] = "dead",
    };
    const struct fsh_rank_slot *slot = &page->rank[rank];
    unsigned state = (unsigned)atomic_load(&slot->state);
    int pid = atomic_load(&slot->pid);
    char waits[sizeof(slot->waiting_for)];
    int n;

    FSH_ASSERT(rank < page->size);
    if (slot->host != page->host) { /* its end is all that is told here */
        snprintf(text, len, "rank %" PRIu32 " (on host %" PRIu32 "): %s", rank,
                 slot->host,
                 state == FSH_RANK_LEFT || state == FSH_RANK_DEAD
                     ? states[state]
                     : "not ended");
        return;
    }
    /* The rank may be writing it: a torn text is possible and harmless. */
    memcpy(waits, slot->waiting_for, sizeof(waits));
    waits[sizeof(waits) - 1] = '\0';
    n = snprintf(text, len, "rank %" PRIu32 " (pid %d): %s", rank, pid,
                 state <= FSH_RANK_DEAD ? states[state] : "unknown state");
    if (n < 0 || (size_t)n >= len)
        return;
    if (state >= FSH_RANK_LEAVING && state <= FSH_RANK_DEAD)
        snprintf(text + n, len - (size_t)n, ", exit code %d",
                 atomic_load(&slot->exit_code));
    else if (waits[0])
        snprintf(text + n, len - (size_t)n, ", waiting for %s", waits);
}
