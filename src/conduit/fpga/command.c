/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Encodes commands; see command.h.
 */
#include "conduit/fpga/command.h"

#include <assert.h>
#include <string.h>

#define ROW 16u /* arguments and inline payload are padded to this */

static size_t to_row(size_t n)
{
    return (n + ROW - 1) / ROW * ROW;
}

bool fsh_fpga_fits_inline(unsigned nargs, uint64_t raddr, size_t n,
                          unsigned packet)
{
    size_t start = raddr % packet;

    return n <= packet && start + n <= packet &&
           to_row(nargs * sizeof(int32_t)) + n <= FSH_MAX_INLINE;
}

void fsh_fpga_encode(struct fsh_fpga_command *cmd,
                     const struct fsh_fpga_desc *desc)
{
    bool in_line = desc->lspace == FSH_SPACE_INLINE;
    size_t args = to_row(desc->nargs * sizeof(int32_t));
    size_t bytes = FSH_CMD_WORDS * 8 + args + (in_line ? desc->length : 0);
    uint64_t *w = cmd->words;

    assert(desc->nargs <= FSH_MAX_ARGS && desc->length <= FSH_MAX_MESSAGE);
    assert(bytes <= sizeof cmd->words);
    cmd->entries = (unsigned)((bytes + FSH_ENTRY_BYTES - 1) / FSH_ENTRY_BYTES);
    cmd->used = (unsigned)(to_row(bytes) / sizeof *w);
    cmd->patient = desc->patient;
    memset(w, 0, cmd->entries * FSH_ENTRY_BYTES);
    fsh_cmd_set_opcode(w, desc->opcode);
    fsh_cmd_set_category(w, desc->category);
    fsh_cmd_set_reply(w, desc->reply);
    fsh_cmd_set_ack(w, desc->ack);
    fsh_cmd_set_ordered(w, desc->ordered);
    fsh_cmd_set_rspace(w, desc->rspace);
    fsh_cmd_set_dst(w, desc->node);
    fsh_cmd_set_nargs(w, desc->nargs);
    fsh_cmd_set_entries(w, cmd->entries - 1);
    fsh_cmd_set_tag(w, desc->tag);
    fsh_cmd_set_lspace(w, desc->lspace);
    fsh_cmd_set_raddr(w, desc->raddr);
    fsh_cmd_set_length(w, desc->length);
    fsh_cmd_set_laddr(w, in_line ? 0 : desc->laddr);
    fsh_cmd_set_check(w, FSH_CMD_CHECK);
    if (desc->nargs != 0)
        memcpy(w + FSH_CMD_WORDS, desc->args, desc->nargs * sizeof(int32_t));
    if (in_line && desc->length != 0)
        memcpy((char *)(w + FSH_CMD_WORDS) + args, desc->data, desc->length);
}

struct name {
    unsigned value;
    const char *name;
};

static const char *look_up(const struct name *names, unsigned n, unsigned value)
{
    for (unsigned i = 0; i < n; i++)
        if (names[i].value == value)
            return names[i].name;
    return "?";
}

const char *fsh_fpga_status_name(unsigned status)
{
    static const struct name names[FSH_STATUS_COUNT] = FSH_STATUS_NAMES;

    return look_up(names, FSH_STATUS_COUNT, status);
}

const char *fsh_fpga_status_text(unsigned status)
{
    switch (status) {
    case FSH_STATUS_BAD_COMMAND:
        return "the command is malformed";
    case FSH_STATUS_BAD_NODE:
        return "no such node, or no route to it";
    case FSH_STATUS_BAD_LENGTH:
        return "the length or the number of arguments exceeds its limit";
    case FSH_STATUS_LOCAL_RANGE:
        return "the local range exceeds its address space";
    case FSH_STATUS_REMOTE_RANGE:
        return "the range exceeds the target's segment";
    case FSH_STATUS_UNSUPPORTED:
        return "the target has no unit for this operation";
    case FSH_STATUS_BUSY:
        return "the target's queue is full";
    case FSH_STATUS_MEMORY:
        return "a memory returned an error";
    case FSH_STATUS_TIMEOUT:
        return "a packet of a collective did not arrive";
    default:
        return "unknown status";
    }
}

const char *fsh_fpga_op_name(unsigned opcode)
{
    static const struct name names[FSH_OP_COUNT] = FSH_OP_NAMES;

    if (opcode >= FSH_OP_LIBRARY)
        return "active message";
    return look_up(names, FSH_OP_COUNT, opcode);
}
