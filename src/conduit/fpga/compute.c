/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages to compute cores: RUN and SIGNAL are commands of the request window
 * with a tag, whose completion is the answer (complete.c); and the counters of
 * this node's compute core, registers. Any thread; never blocks.
 */
#include <assert.h>

#include "base/trace.h"
#include "conduit/fpga/state.h"

enum { ARGS = 2 };

bool fsh_fpga_compute_present(uint32_t node)
{
    return fsh_fpga.cores >> node & 1;
}

bool fsh_fpga_compute_send(uint32_t node, const uint64_t *message,
                           struct fsh_answer *answer)
{
    int tag = fsh_fpga_claim(&fsh_fpga.free_tags);
    const int32_t args[ARGS] = {(int32_t)*message, (int32_t)(*message >> 32)};
    struct fsh_fpga_command cmd;

    assert(node < fsh_fpga.nodes);
    if (tag < 0)
        return false;
    struct fsh_fpga_desc desc = {
        .opcode = FSH_OP_COMPUTE,
        .category = FSH_CAT_SHORT,
        .ack = true,
        .rspace = FSH_SPACE_SEGMENT,
        .lspace = FSH_SPACE_INLINE,
        .node = (uint8_t)node,
        .tag = (uint16_t)tag,
        .nargs = ARGS,
        .args = args,
    };
    struct fsh_fpga_op op = {
        .opcode = FSH_OP_COMPUTE, .node = node, .answer = answer};

    fsh_fpga_op_begin((unsigned)tag, &op);
    fsh_fpga_encode(&cmd, &desc);
    if (fsh_fpga_try_submit(FSH_FPGA_REQUEST, &cmd)) {
        if (__builtin_expect(fsh_trace_on, 0)) {
            fsh_trace_transfer((unsigned)tag);
            fsh_trace_left();
        }
        return true;
    }
    fsh_fpga_op_end((unsigned)tag);
    return false;
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
