/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages to the nodes' engines: commands of the request window with a tag, whose
 * completion is the answer (complete.c). Any thread; never blocks.
 */
#include <assert.h>

#include "base/trace.h"
#include "conduit/fpga/state.h"

enum { ARGS = 2 };

bool fsh_fpga_engine_send(uint8_t opcode, uint32_t node, uint64_t message,
                          struct fsh_answer *answer)
{
    int tag = fsh_fpga_claim(&fsh_fpga.free_tags);
    const int32_t args[ARGS] = {(int32_t)message, (int32_t)(message >> 32)};
    struct fsh_fpga_command cmd;

    assert(node < fsh_fpga.nodes);
    if (tag < 0)
        return false;
    struct fsh_fpga_desc desc = {
        .opcode = opcode,
        .category = FSH_CAT_SHORT,
        .ack = true,
        .rspace = FSH_SPACE_SEGMENT,
        .lspace = FSH_SPACE_INLINE,
        .node = (uint8_t)node,
        .tag = (uint16_t)tag,
        .nargs = ARGS,
        .args = args,
    };
    struct fsh_fpga_op op = {.opcode = opcode, .node = node, .answer = answer};

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
