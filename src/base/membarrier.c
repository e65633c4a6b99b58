/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Expedited membarrier(2); see membarrier.h. A process that is not running
 * executed a full fence when it was switched out.
 */
#include "base/membarrier.h"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_bool works;

static bool barrier(int command)
{
    return syscall(SYS_membarrier, command, 0, 0) == 0;
}

bool fsh_heavy_fence_init(void)
{
    bool ok = barrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) &&
              barrier(MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED) &&
              barrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED) &&
              barrier(MEMBARRIER_CMD_GLOBAL_EXPEDITED);

    atomic_store(&works, ok);
    return ok;
}

void fsh_heavy_fence_local(void)
{
    if (atomic_load_explicit(&works, memory_order_relaxed))
        barrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED);
    atomic_thread_fence(memory_order_seq_cst);
}

void fsh_heavy_fence(void)
{
    if (atomic_load_explicit(&works, memory_order_relaxed))
        barrier(MEMBARRIER_CMD_GLOBAL_EXPEDITED);
    fsh_heavy_fence_local();
}
