/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The sleep of waiting threads while another sleeps in the conduit (wait.c): it ends
 * when any thread's poll finds something. Separate from wait.c, since the poll calls
 * it and wait.c polls.
 */
#include <limits.h>

#include "base/futex.h"
#include "gasnet/internal.h"

atomic_uint fsh_wait_progress;
static atomic_int sleepers;

void fsh_wait_wake(void)
{
    /* Partner: fsh_wait_sleep, which counts itself before it compares. */
    atomic_fetch_add_explicit(&fsh_wait_progress, 1, memory_order_seq_cst);
    if (atomic_load_explicit(&sleepers, memory_order_seq_cst) > 0)
        fsh_futex_wake(&fsh_wait_progress, INT_MAX);
}

void fsh_wait_sleep(uint32_t seen, uint64_t ns)
{
    atomic_fetch_add_explicit(&sleepers, 1, memory_order_seq_cst);
    if (atomic_load_explicit(&fsh_wait_progress, memory_order_seq_cst) == seen)
        fsh_futex_wait(&fsh_wait_progress, seen, ns);
    FSH_ASSERT(atomic_load(&sleepers) > 0);
    atomic_fetch_sub_explicit(&sleepers, 1, memory_order_relaxed);
}
