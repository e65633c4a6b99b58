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

bool fsh_fpga_collective_tick(struct fsh_answer *answer)
{
    uint64_t message = 0;

    fsh_collrun_set_op(&message, FSH_COLLMSG_TICK);
    return fsh_fpga_engine_send(FSH_OP_COLLECTIVE, fsh_fpga.node, message,
                                answer);
}

/* Sides of other lengths than powers of two have no place in it, nor lines without wraps. A
 * ring of 32 counts as two of 16, or a rank would meet more than FSH_COLL_EAGER. */
uint16_t fsh_fpga_collective_sides(void)
{
    const struct fsh_topology *t = fsh_fpga.topology;
    uint32_t step = 1, sides = 0;

    if (t->rule != FSH_TOPOLOGY_DATELINE)
        return 0;
    for (unsigned d = 0; d < FSH_TOPOLOGY_SIDES; d++) {
        uint32_t side = t->side[d];

        if ((side & (side - 1)) != 0)
            return 0;
        if (side > 1)
            sides |= step;
        if (side > 16)
            sides |= step * 16;
        step *= side;
    }
    return (uint16_t)sides;
}
