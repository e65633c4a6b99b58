/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * membarrier(2), global expedited; see membarrier.h. Processes that do not run
 * have passed a fence when they were switched out.
 */
#include "base/membarrier.h"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_bool works;

bool fsh_heavy_fence_init(void)
{
    bool ok =
        syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED, 0,
                0) == 0 &&
        syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL_EXPEDITED, 0, 0) == 0;

    atomic_store(&works, ok);
    return ok;
}

void fsh_heavy_fence(void)
{
    if (atomic_load_explicit(&works, memory_order_relaxed))
        syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL_EXPEDITED, 0, 0);
    atomic_thread_fence(memory_order_seq_cst);
}
