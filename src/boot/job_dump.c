/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Asking the simulator of a job for a dump of its fabric. By the launcher, or by a rank;
 * the simulator answers by a count in the control page when it has written it.
 */
#include <errno.h>
#include <limits.h>
#include <signal.h>

#include "base/cpu.h"
#include "base/futex.h"
#include "boot/job.h"

bool fsh_job_ask_dump(struct fsh_job_page *page, uint64_t max_ns)
{
    pid_t pid = atomic_load(&page->sim_pid);
    uint32_t before = atomic_load(&page->sim_dumps);
    uint64_t end = fsh_time_ns() + max_ns, now;

    if (pid <= 0 || atomic_load(&page->sim_state) != 1 ||
        kill(pid, SIGUSR1) != 0)
        return false;
    for (now = end - max_ns; now < end; now = fsh_time_ns()) {
        if (atomic_load(&page->sim_dumps) != before)
            return true;
        if (atomic_load(&page->sim_state) != 1)
            break;
        fsh_futex_wait(&page->sim_dumps, before, end - now);
    }
    return false;
}

bool fsh_job_dump_once(struct fsh_job_page *page, uint64_t max_ns)
{
    return atomic_exchange(&page->fabric_told, 1) == 0 &&
           fsh_job_ask_dump(page, max_ns);
}

void fsh_job_sim_dumped(struct fsh_job_page *page)
{
    atomic_fetch_add(&page->sim_dumps, 1);
    fsh_futex_wake(&page->sim_dumps, INT_MAX);
}
