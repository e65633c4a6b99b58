// SPDX-License-Identifier: BSD-3-Clause
// A command, as testbenches make them and as blocks have them on their ports.
#ifndef FSH_TB_COMMAND_H
#define FSH_TB_COMMAND_H

#include "packet.h"
#include "path.h"

struct Command {
    unsigned opcode = 0, category = 0, reply = 0, ack = 0, rspace = 0;
    unsigned lspace = 0, dst = 0, nargs = 0, tag = 0, length = 0;
    unsigned check = FSH_CMD_CHECK, entries = 0, ordered = 0; // for the window
    uint64_t raddr = 0, laddr = 0;
    // What the scheduler says of it.
    unsigned status = 0;
    Path path = {};
    bool loop = false, bulk = false;
    bool window = false;         // of the host: with rows
    std::vector<Beat> rows = {}; // arguments, then what is inline

    // The 256 bits of it, as two beats.
    std::array<Beat, 2> words() const
    {
        uint64_t w[4] = {};

        fsh_cmd_set_opcode(w, opcode);
        fsh_cmd_set_category(w, category);
        fsh_cmd_set_reply(w, reply);
        fsh_cmd_set_ack(w, ack);
        fsh_cmd_set_rspace(w, rspace);
        fsh_cmd_set_lspace(w, lspace);
        fsh_cmd_set_dst(w, dst);
        fsh_cmd_set_nargs(w, nargs);
        fsh_cmd_set_tag(w, tag);
        fsh_cmd_set_length(w, length);
        fsh_cmd_set_raddr(w, raddr);
        fsh_cmd_set_laddr(w, laddr);
        fsh_cmd_set_check(w, check);
        fsh_cmd_set_entries(w, entries);
        fsh_cmd_set_ordered(w, ordered);
        return {Beat{w[0], w[1]}, Beat{w[2], w[3]}};
    }

    // Arguments alone: of a message whose payload, if there is any, is read for another
    // command (fsh_seq_pkg::APART).
    bool apart() const
    {
        return lspace == FSH_SPACE_COLLECTIVE;
    }

    // The first packet is another command's: what is read leaves without arguments.
    bool headless() const
    {
        return nargs && lspace != FSH_SPACE_INLINE && !apart();
    }

    // Its argument beat is made of the command.
    bool made() const
    {
        return opcode == FSH_OP_GET || (opcode == FSH_OP_COMPUTE && nargs == 0);
    }

    // Without payload, or with that of its rows: what passes the others.
    bool brief() const
    {
        return payload() == 0 || lspace == FSH_SPACE_INLINE;
    }

    // By which it may leave.
    unsigned ports() const
    {
        return loop ? 1 : ordered ? path.lowest() : path.ports;
    }

    unsigned payload() const
    {
        return opcode == FSH_OP_GET || status != FSH_STATUS_OK || apart()
                   ? 0
                   : length;
    }
};

#endif
