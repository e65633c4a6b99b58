/* SPDX-License-Identifier: BSD-3-Clause */
/* Time as fshmem.h has it: simulated where ranks have such time, else the host's. */

#include <math.h>

#include "base/cpu.h"
#include "base/simulated.h"
#include "base/trace.h"
#include "base/wait.h"
#include "boot/boot.h"
#include "compute/api/api.h"

uint64_t fshmem_time(void)
{
    const struct fsh_simulated *simulated = fsh_simulated();

    return simulated != NULL ? simulated->now() : fsh_time_ns();
}

void fshmem_blocking_begin(void)
{
    const struct fsh_simulated *simulated = fsh_simulated();

    if (simulated != NULL)
        simulated->block();
}

void fshmem_blocking_end(void)
{
    const struct fsh_simulated *simulated = fsh_simulated();

    if (simulated != NULL)
        simulated->unblock();
}

static const struct fsh_wait_kind for_threads = {.who = "fshmem_await_threads",
                                                 .untraced = true};

void fshmem_await_threads(unsigned count)
{
    const struct fsh_simulated *simulated = fsh_simulated();
    struct fsh_wait wait = {0};

    /* Soon: they are on their way to their first call. */
    while (simulated != NULL && simulated->threads() < count)
        fsh_wait_pause(&for_threads, &wait, "other threads' first call");
    fsh_wait_end(&wait);
}

void fshmem_progress(uint64_t done, uint64_t of)
{
    struct fsh_rank_slot *slot;

    if (!fsh_gasnet.attached)
        return;
    slot = &fsh_boot_page()->rank[fsh_gasnet.rank];
    atomic_store_explicit(&slot->step, done, memory_order_relaxed);
    atomic_store_explicit(&slot->steps, of, memory_order_relaxed);
}

void fshmem_trace_value(const char *name, double value)
{
    if (fsh_trace_on && isfinite(value))
        fsh_trace_value(name, value);
}

void fshmem_spend(uint64_t ns)
{
    FSH_TRACED("fshmem_spend");
    const struct fsh_simulated *simulated = fsh_simulated();

    if (simulated != NULL && ns != 0)
        simulated->spend(ns);
}
