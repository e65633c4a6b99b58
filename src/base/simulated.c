/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/simulated.h"

#include <stddef.h>

_Atomic(const struct fsh_simulated *) fsh_simulated_time;

void fsh_simulated_begin(const struct fsh_simulated *time)
{
    /* Release: partner in fsh_simulated. */
    atomic_store_explicit(&fsh_simulated_time, time, memory_order_release);
}
