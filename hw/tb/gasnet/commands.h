// SPDX-License-Identifier: BSD-3-Clause
// Commands for a sequencer: all that the scheduler gives it.
#ifndef FSH_TB_COMMANDS_H
#define FSH_TB_COMMANDS_H

#include <algorithm>
#include "command.h"

class Commands
{
  public:
    Commands(tb::Test &test, const unsigned &packet, unsigned ports)
        : test_(test), packet_(packet), exist_((1u << ports) - 1)
    {
    }

    // Of a host, of what is served, of the compute core.
    Command command()
    {
        Command c;

        c.reply = test_.below(2);
        c.dst = test_.below(FSH_MAX_NODES);
        c.tag = tag_++ % FSH_NUM_TAGS;
        c.length = random_length();
        c.raddr = test_.bits() & 0xff'ffff;
        c.laddr = test_.bits() & 0xff'ffff;
        c.lspace = test_.below(2) ? FSH_SPACE_SEGMENT : FSH_SPACE_HOST;
        c.window = test_.below(2);
        if (c.window)
            of_window(c);
        else if (c.reply)
            of_served(c);
        else
            of_core(c);
        c.loop = test_.below(6) == 0;
        c.ordered = c.window && test_.below(4) == 0;
        c.bulk = c.payload() > packet_ && !c.ordered &&
                 c.lspace != FSH_SPACE_INLINE &&
                 c.rspace != FSH_SPACE_COLLECTIVE; // whose pieces take a port
        do
            c.path = Path::random(test_).of(exist_, exist_);
        while (c.path.ports == 0);
        return c;
    }

  private:
    unsigned random_length()
    {
        switch (test_.below(5)) {
        case 0:
            return test_.below(3);
        case 1:
            return test_.below(100);
        case 2:
            return packet_ - 2 + test_.below(5);
        case 3:
            return test_.below(2 * packet_);
        default:
            return test_.below(8 * packet_);
        }
    }

    void of_window(Command &c)
    {
        static const unsigned opcodes[] = {FSH_OP_PUT, FSH_OP_GET,
                                           FSH_OP_COMPUTE, FSH_OP_LIBRARY,
                                           FSH_OP_CLIENT};
        c.opcode = opcodes[test_.below(5)];
        if (c.reply && c.opcode < FSH_OP_LIBRARY)
            c.opcode = FSH_OP_PUT;
        c.nargs = test_.below(2) ? test_.below(FSH_MAX_ARGS + 1) : 0;
        c.ack = test_.below(2);
        c.rspace = test_.below(2);
        c.category = FSH_CAT_LONG;
        if (c.opcode >= FSH_OP_LIBRARY)
            c.category = test_.below(FSH_CAT_COUNT);
        if (c.opcode == FSH_OP_GET || c.opcode == FSH_OP_COMPUTE)
            c.category = FSH_CAT_SHORT;
        if (c.opcode == FSH_OP_GET)
            c.nargs = 0;
        if (c.opcode == FSH_OP_COMPUTE)
            c.nargs = 1 + test_.below(4);
        if (c.category == FSH_CAT_SHORT && c.opcode != FSH_OP_GET)
            c.length = 0;
        if (c.opcode != FSH_OP_GET && test_.below(3) == 0)
            make_inline(c);
        // Arguments, and payload from a memory, are two commands.
        if (c.nargs && c.lspace != FSH_SPACE_INLINE &&
            (c.length == 0 || test_.below(2)))
            c.lspace = FSH_SPACE_COLLECTIVE;
        unsigned rows = c.headless() ? 0 : (c.nargs + 3) / 4;
        if (c.lspace == FSH_SPACE_INLINE)
            rows += (c.length + 15) / 16;
        while (c.rows.size() < rows)
            c.rows.push_back({test_.bits(), test_.bits()});
    }

    // In one packet, and in the entries that are left.
    void make_inline(Command &c)
    {
        unsigned most = FSH_MAX_INLINE - (c.nargs + 3) / 4 * 16;

        c.lspace = FSH_SPACE_INLINE;
        most = std::min(most, packet_ - (unsigned)c.raddr % packet_);
        c.length = std::min(c.length, most);
    }

    void of_served(Command &c)
    {
        bool compute = test_.below(4) == 0;

        c.opcode = compute ? FSH_OP_PUT_ACK : FSH_OP_GET_REPLY;
        c.category = compute ? FSH_CAT_SHORT : FSH_CAT_LONG;
        c.rspace = !compute && test_.below(2);
        c.lspace = FSH_SPACE_SEGMENT;
        if (compute)
            c.length = 0;
        if (compute || test_.below(8) == 0)
            c.status = test_.below(FSH_STATUS_COUNT);
    }

    void of_core(Command &c)
    {
        c.lspace = FSH_SPACE_SEGMENT;
        c.ack = test_.below(2);
        c.opcode = c.ack ? FSH_OP_PUT : FSH_OP_COMPUTE;
        c.category = c.ack ? FSH_CAT_LONG : FSH_CAT_SHORT;
        if (!c.ack)
            c.length = 0;
        if (c.ack && test_.below(2)) { // a packet of the collective engine
            c.ack = false;
            c.rspace = FSH_SPACE_COLLECTIVE;
            c.raddr -= c.raddr % FSH_MAX_PACKET;
            c.length = 1 + test_.below(FSH_MAX_PACKET);
        }
    }

    tb::Test &test_;
    const unsigned &packet_; // bytes of payload
    unsigned exist_;         // mask of ports
    unsigned tag_ = 0;
};

#endif
