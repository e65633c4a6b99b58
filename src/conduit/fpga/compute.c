/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Compute cores: messages to them (engine.c), and the counter registers of this
 * node's core. Any thread; never blocks.
 */
#include "conduit/fpga/state.h"

bool fsh_fpga_compute_present(uint32_t rank)
{
    return fsh_fpga.cores >> fsh_fpga.node_of[rank] & 1;
}

bool fsh_fpga_compute_send(uint32_t rank, const uint64_t *message,
                           struct fsh_answer *answer)
{
    return fsh_fpga_engine_send(FSH_OP_COMPUTE, fsh_fpga.node_of[rank],
                                *message, answer);
}

void fsh_fpga_compute_counters(uint64_t *words)
{
    for (uint32_t i = 0; i < FSH_CPERF_COUNT; i++)
        words[i] = fsh_fpga_read(FSH_REG_COMPUTE_PERF + i * 8);
}

void fsh_fpga_compute_counters_clear(void)
{
    fsh_fpga_write(FSH_REG_COMPUTE_PERF_CLEAR, 1);
}
