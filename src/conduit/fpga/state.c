/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The state of this node, its locks, and where its segment is: what all other files
 * of conduit fpga stand on.
 */
#include "conduit/fpga/state.h"

struct fsh_fpga fsh_fpga = {
    .device_lock = PTHREAD_MUTEX_INITIALIZER,
    .peer_lock = PTHREAD_MUTEX_INITIALIZER,
    .cpl.lock = PTHREAD_MUTEX_INITIALIZER,
    .rx[FSH_FPGA_REQUEST].lock = PTHREAD_MUTEX_INITIALIZER,
    .rx[FSH_FPGA_REPLY].lock = PTHREAD_MUTEX_INITIALIZER,
};

bool fsh_fpga_in_segment(const void *p, size_t n, uint64_t *offset)
{
    uintptr_t start = (uintptr_t)fsh_fpga.mem.segment;
    uintptr_t at = (uintptr_t)p;

    if (at < start || at - start > fsh_fpga.segment_size ||
        n > fsh_fpga.segment_size - (at - start))
        return false;
    *offset = at - start;
    return true;
}

void fsh_fpga_lock(pthread_mutex_t *lock)
{
    if (fsh_fpga.locking)
        pthread_mutex_lock(lock);
}

bool fsh_fpga_trylock(pthread_mutex_t *lock)
{
    return !fsh_fpga.locking || pthread_mutex_trylock(lock) == 0;
}

void fsh_fpga_unlock(pthread_mutex_t *lock)
{
    if (fsh_fpga.locking)
        pthread_mutex_unlock(lock);
}
