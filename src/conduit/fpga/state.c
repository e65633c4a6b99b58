/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The state of this node, its locks, and address checks against its segment, for the
 * other files of conduit fpga.
 */
#include "conduit/fpga/state.h"

struct fsh_fpga fsh_fpga = {
    .device_lock = FSH_LOCK_INIT("registers and windows", FSH_LOCK_FPGA_DEVICE),
    .peer_lock = FSH_LOCK_INIT("slots at peers", FSH_LOCK_FPGA_PEER),
    .cpl.lock = FSH_LOCK_INIT("completion ring", FSH_LOCK_FPGA_RING),
    .rx[FSH_FPGA_REQUEST].lock =
        FSH_LOCK_INIT("request ring", FSH_LOCK_FPGA_RING),
    .rx[FSH_FPGA_REPLY].lock = FSH_LOCK_INIT("reply ring", FSH_LOCK_FPGA_RING),
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

bool fsh_fpga_holds_none(void)
{
    return !fsh_lock_is_mine(&fsh_fpga.cpl.lock) &&
           !fsh_lock_is_mine(&fsh_fpga.rx[FSH_FPGA_REQUEST].lock) &&
           !fsh_lock_is_mine(&fsh_fpga.rx[FSH_FPGA_REPLY].lock) &&
           !fsh_lock_is_mine(&fsh_fpga.peer_lock) &&
           !fsh_lock_is_mine(&fsh_fpga.device_lock);
}

void fsh_fpga_lock(struct fsh_lock *lock)
{
    if (fsh_fpga.locking)
        fsh_lock_take(lock);
}

bool fsh_fpga_trylock(struct fsh_lock *lock)
{
    return !fsh_fpga.locking || fsh_lock_try(lock);
}

void fsh_fpga_unlock(struct fsh_lock *lock)
{
    if (fsh_fpga.locking)
        fsh_lock_give(lock);
}
