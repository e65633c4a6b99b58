/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Moves between the bridge's part of the DMA window and this node's segment by the card's
 * DMA engine, which ends each with an entry like that of a PUT or GET. One thread of the
 * bridge, besides those that use the conduit, which therefore must have its locks.
 */
#include <assert.h>
#include <stdio.h>

#include "base/trace.h"
#include "conduit/fpga/state.h"

static uint32_t seen; /* activity before the last poll */

bool fsh_fpga_card_memory(struct fsh_card_memory *memory, char *why,
                          size_t whylen)
{
    if (!fsh_fpga.locking) {
        snprintf(why, whylen,
                 "a thread of the library serves a card, and this job's "
                 "threads (SEQ, PARSYNC) have no locks: use PAR");
        return false;
    }
    *memory = (struct fsh_card_memory){
        .base = fsh_fpga.mem.dma + FSH_DMA_BRIDGE,
        .bytes = FSH_DMA_END - FSH_DMA_BRIDGE,
        .most = FSH_MAX_MESSAGE,
        .card_bytes = fsh_fpga.segment_size,
    };
    return true;
}

bool fsh_fpga_card_start(const struct fsh_card_move *move)
{
    int tag = fsh_fpga_claim(&fsh_fpga.free_tags);

    assert(move->bytes != 0 && move->bytes <= FSH_MAX_MESSAGE);
    if (tag < 0)
        return false;
    struct fsh_fpga_op op = {.opcode = move->to_card ? FSH_OP_PUT : FSH_OP_GET,
                             .node = fsh_fpga.node,
                             .remote = move->offset,
                             .length = (uint32_t)move->bytes,
                             .answer = move->answer};

    fsh_fpga_op_begin((unsigned)tag, &op);
    fsh_fpga_move((unsigned)tag, FSH_DMA_BRIDGE + move->at, move);
    if (__builtin_expect(fsh_trace_on, 0)) {
        fsh_trace_transfer((unsigned)tag);
        fsh_trace_left();
    }
    atomic_fetch_add_explicit(move->to_card ? &fsh_fpga.bytes.put
                                            : &fsh_fpga.bytes.get,
                              move->bytes, memory_order_relaxed);
    return true;
}

bool fsh_fpga_card_poll(void)
{
    seen = fsh_fpga.ops->activity(fsh_fpga.dev);
    if (fsh_fpga.clock != NULL)
        fsh_fpga_look(FSH_COST_POLL);
    return fsh_fpga_complete();
}

void fsh_fpga_card_wait(uint64_t max_ns)
{
    fsh_fpga.ops->wait(fsh_fpga.dev, seen, max_ns);
}
