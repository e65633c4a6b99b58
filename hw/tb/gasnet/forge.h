// SPDX-License-Identifier: BSD-3-Clause
// Packets for a receiver: such as nodes send, and the same with one or two
// fields of the header changed; and where they come from.
#ifndef FSH_TB_FORGE_H
#define FSH_TB_FORGE_H

#include <deque>
#include "receive.h"

class Forge
{
  public:
    Forge(tb::Test &test, const Node &node, const Tag *tags)
        : test_(test), node_(node), tags_(tags)
    {
    }

    // How many of 8 packets are forged.
    Header header(bool loop, unsigned forged)
    {
        Header h = good();

        if (loop)
            h.src = node_.node;
        else if (h.src == node_.node)
            h.src = (h.src + 1) % node_.nodes;
        if (test_.below(8) < forged)
            change(h);
        if (test_.below(8) < forged && test_.below(3) == 0)
            change(h);
        return h;
    }

    // Arguments and payload are random bits, so a beat that ends up in another
    // place or packet is seen.
    Packet packet(const Header &h)
    {
        Packet packet(1, h.pack());

        fsh_hdr_set_vc(packet[0].data(), test_.below(2));
        fsh_hdr_set_hops(packet[0].data(), test_.below(FSH_MAX_HOPS + 1));
        // As many as the link counts: seven bits.
        for (unsigned i = (h.arg_beats() + h.payload_beats()) % 128; i > 0; i--)
            packet.push_back({test_.bits(), test_.bits()});
        return packet;
    }

  private:
    Header good()
    {
        static const unsigned opcodes[] = {
            FSH_OP_PUT, FSH_OP_PUT,     FSH_OP_PUT_ACK, FSH_OP_GET_REPLY,
            FSH_OP_GET, FSH_OP_COMPUTE, FSH_OP_LIBRARY, FSH_OP_CLIENT};
        Header h = {};

        h.opcode = opcodes[test_.below(8)];
        h.dst = node_.node;
        h.src = test_.below(node_.nodes);
        h.first = test_.below(4) != 0;
        h.tag = test_.below(FSH_NUM_TAGS);
        h.total = (unsigned)test_.bits() & 0xffffff;
        if (h.to_host())
            message(h);
        else if (h.answer())
            answer(h);
        else
            request(h);
        // Alone, or one of several packets.
        if (h.opcode != FSH_OP_GET && test_.below(2))
            h.total = h.bytes;
        return h;
    }

    // A piece of one page, of a range of which it ends at the end, perhaps.
    void piece(Header &h, uint64_t range)
    {
        bool end = test_.below(4) == 0;

        h.bytes = 1 + test_.below(test_.below(3) ? 64 : FSH_MAX_PACKET);
        h.bytes = (unsigned)std::min<uint64_t>(h.bytes, range);
        h.addr = end ? range - h.bytes : test_.bits() % (range - h.bytes + 1);
        uint64_t room = 4096 - h.addr % 4096;
        if (h.bytes > room && end)
            h.addr += room;
        h.bytes = (unsigned)std::min<uint64_t>({h.bytes, room, range - h.addr});
    }

    void message(Header &h)
    {
        h.category = test_.below(FSH_CAT_COUNT);
        h.reply = test_.below(2);
        h.nargs = test_.below(FSH_MAX_ARGS + 1);
        h.tag %= FSH_SLOTS_PER_PEER;
        if (h.category == FSH_CAT_MEDIUM)
            piece(h, FSH_MAX_MEDIUM);
        if (h.category == FSH_CAT_LONG)
            piece(h, node_.seg_size);
    }

    void answer(Header &h)
    {
        for (unsigned i = 0; i < 20 && !tags_[h.tag].live; i++)
            h.tag = test_.below(FSH_NUM_TAGS);
        const Tag &tag = tags_[h.tag];
        h.reply = 1;
        h.opcode = tag.get ? FSH_OP_GET_REPLY : FSH_OP_PUT_ACK;
        h.src = tag.node;
        h.status = test_.below(4) ? 0 : test_.below(FSH_STATUS_COUNT);
        h.category = tag.get ? FSH_CAT_LONG : FSH_CAT_SHORT;
        h.space = tag.get && tag.host;
        h.first |= !tag.get;
        if (!tag.get || tag.limit <= tag.addr)
            return;
        uint64_t start = tag.addr;
        piece(h, tag.limit - tag.addr);
        h.addr += start;
        h.bytes = (unsigned)std::min<uint64_t>(h.bytes, 4096 - h.addr % 4096);
    }

    void request(Header &h)
    {
        if (h.opcode == FSH_OP_PUT) {
            h.category = FSH_CAT_LONG;
            h.ack = test_.below(2);
            h.reply = !h.ack && test_.below(2);
            piece(h, node_.seg_size);
            if (test_.below(6) == 0) { // a line
                h.space = FSH_SPACE_HOST;
                piece(h, FSH_BEAT_BYTES);
            }
            return;
        }
        h.first = 1;
        h.nargs = 1 + test_.below(4);
        h.ack = h.opcode == FSH_OP_COMPUTE && test_.below(2);
        if (h.opcode == FSH_OP_COMPUTE)
            return;
        piece(h, node_.seg_size);
        if (test_.below(4) == 0)
            h.total = node_.packet - 1 + test_.below(3);
        h.total = (unsigned)std::min<uint64_t>(
            h.total, node_.seg_size - h.addr + test_.below(2));
        h.bytes = 0;
    }

    // One field.
    void change(Header &h)
    {
        switch (test_.below(14)) {
        case 0:
            h.opcode = test_.below(test_.below(2) ? 9 : 256);
            break;
        case 1:
            h.category = test_.below(4);
            break;
        case 2:
            h.reply ^= 1;
            break;
        case 3:
            h.space = test_.below(4);
            break;
        case 4:
            h.dst = test_.below(2) ? test_.below(128) : h.src;
            break;
        case 5:
            h.src = test_.below(2) ? test_.below(128) : node_.node;
            break;
        case 6:
            h.nargs = test_.below(32);
            break;
        case 7:
            h.bytes = test_.below(test_.below(2) ? 2048 : 1100);
            break;
        case 8:
            h.tag = test_.below(test_.below(2) ? 128 : 64);
            break;
        case 9:
            h.ack ^= 1;
            break;
        case 10:
            h.status = test_.below(16);
            break;
        case 11:
            change_address(h);
            break;
        case 12:
            h.first ^= 1;
            break;
        default:
            h.total = (unsigned)test_.bits() & 0xffffff;
        }
    }

    void change_address(Header &h)
    {
        const uint64_t mask = (1ull << 40) - 1;

        switch (test_.below(4)) {
        case 0:
            h.addr = test_.bits() & mask;
            break;
        case 1:
            h.addr = mask - test_.below(2000);
            break;
        case 2: // some bytes to and fro
            h.addr = (h.addr + test_.below(64) - 32) & mask;
            break;
        default:
            h.addr = node_.seg_size - test_.below(1100);
        }
    }

    tb::Test &test_;
    const Node &node_;
    const Tag *tags_;
};

struct Given {
    Header header;
    Packet packet;
};

// One source of packets: two channels that start when they may, one packet
// under way.
struct Stream {
    explicit Stream(tb::Test &test) : pace(test) {}

    std::deque<Given> queue[2];
    std::deque<Given> now; // one, or none
    size_t at = 0;
    bool offered = false, fresh = false;
    tb::Stall pace;
};

#endif
