/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The collective engine of this node: sequences are stored in the library's area and
 * started by a message (engine.c). Any thread; never blocks.
 */
#include <string.h>

#include "conduit/fpga/state.h"

#define LINE 64u /* bytes: unit of addresses */

bool fsh_fpga_collective_present(void)
{
    return fsh_fpga.collective;
}

void fsh_fpga_collective_memory(struct fsh_engine_memory *memory)
{
    *memory = (struct fsh_engine_memory){
        .base = fsh_fpga.mem.segment,
        .segment = fsh_fpga.segment_size,
        .area = fsh_fpga.segment_size + fsh_area_bytes(fsh_fpga.ranks),
        .posted = fsh_fpga.mem.dma + FSH_DMA_POSTED,
        .posted_at = FSH_DMA_POSTED};
}

/* Write-combining memory. The latency part of a store (COST_STORE) is not charged: the
 * rank does not wait for it, and the doorbell of `run` follows on the same path. */
void fsh_fpga_collective_store(size_t at, const void *src, size_t n)
{
    FSH_ASSERT(at >= fsh_fpga.segment_size &&
               at + n <= fsh_fpga.segment_size + fsh_fpga_area());
    fsh_fpga_owe(fsh_fpga_cost_load(src, n) +
                 (n + FSH_COST_STORE_BYTES - 1) / FSH_COST_STORE_BYTES);
    memcpy((unsigned char *)fsh_fpga.mem.segment + at, src, n);
}

bool fsh_fpga_collective_run(size_t at, struct fsh_answer *answer)
{
    uint64_t message = 0;

    fsh_collrun_set_op(&message, FSH_COLLMSG_RUN);
    fsh_collrun_set_addr(&message, at / LINE);
    fsh_fpga_owe(FSH_COST_CALL);
    return fsh_fpga_engine_send(FSH_OP_COLLECTIVE, fsh_fpga.node, message,
                                answer);
}
