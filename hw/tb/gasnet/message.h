// SPDX-License-Identifier: BSD-3-Clause
// Model of the sequencer: what memory has at the source of a command, and the
// packets that are to come of it; how they left; the lanes by which they leave.
#ifndef FSH_TB_MESSAGE_H
#define FSH_TB_MESSAGE_H

#include <algorithm>
#include <memory>
#include <vector>
#include "command.h"
#include "stream.h"

// What stands in a memory: bytes that follow from the address, and beats whose
// reads fail.
struct Memory {
    uint64_t seed = 1;
    unsigned errors = 0; // one of so many beats

    uint64_t mix(unsigned space, uint64_t value) const
    {
        uint64_t x = (value * 4 + space + 1) * 0x9e37'79b9'7f4a'7c15 ^ seed;

        x = (x ^ x >> 31) * 0xbf58'476d'1ce4'e5b9;
        return x ^ x >> 29;
    }

    Beat beat(unsigned space, uint64_t addr) const
    {
        return {mix(space, addr / 8), mix(space, addr / 8 + 1)};
    }

    uint8_t byte(unsigned space, uint64_t addr) const
    {
        return (uint8_t)(mix(space, addr / 8) >> addr % 8 * 8);
    }

    bool error(unsigned space, uint64_t addr) const
    {
        return errors && mix(space, ~(addr / 16)) % errors == 0;
    }
};

// Beats between a sender and its lane: the register slice.
static const unsigned SKID = 2;

// A packet to come. What its port is, and so its vc, is seen when it comes.
struct Expected {
    Beat header;
    std::vector<Beat> args;
    std::vector<uint8_t> bytes;
    unsigned lane; // of the first byte
    bool bad;
    bool left = false;
    unsigned port = 0; // by which it left

    unsigned beats() const
    {
        size_t payload = bytes.empty() ? 0 : (lane + bytes.size() + 15) / 16;
        return (unsigned)(1 + args.size() + payload);
    }

    // A beat behind the header.
    void check(tb::Test &test, size_t at, const Beat &beat) const
    {
        if (at < args.size()) {
            if (beat != args[at])
                test.fail("argument beat %zu is %016llx", at,
                          (unsigned long long)beat[0]);
            return;
        }
        at = (at - args.size()) * 16;
        for (size_t to = 0; to < 16; to++) {
            size_t i = at + to - lane;
            if (i >= bytes.size()) // or below 0
                continue;
            uint8_t got = (uint8_t)(beat[to / 8] >> to % 8 * 8);
            if (got != bytes[i])
                test.fail("byte %zu of %zu is %02x, not %02x", i, bytes.size(),
                          got, bytes[i]);
        }
    }
};

// A message under way: its packets, how many have not left; of each lane how many
// beats its way had seen when the last of them left and when the entry came, if one did.
struct Message {
    Command command;
    std::vector<Expected> packets;
    size_t to_leave;
    std::array<size_t, FSH_LANES> last = {}; // packet that left, and one
    std::array<unsigned long long, FSH_LANES> left_at = {}, told_at = {};
    unsigned used = 0, told = 0; // lanes

    // Its packets take the queues of their ports: payload from a memory.
    bool queues() const
    {
        return !command.loop && command.payload() != 0 &&
               command.lspace != FSH_SPACE_INLINE;
    }

    // Its source is wanted back.
    bool tells() const
    {
        return command.ack && command.opcode >= FSH_OP_LIBRARY;
    }

    bool over() const
    {
        return to_leave == 0 && (!tells() || told == used);
    }

    // The ring entry of one lane which says that the source is read.
    Beat entry() const
    {
        Beat entry = {};
        uint64_t *w = entry.data();

        fsh_ring_set_kind(w, FSH_CPL_SLOT);
        fsh_ring_set_reply(w, command.reply);
        fsh_ring_set_opcode(w, command.opcode);
        fsh_ring_set_node(w, command.dst);
        fsh_ring_set_tag(w, command.tag);
        fsh_ring_set_half(w, (used & (used - 1)) != 0);
        return entry;
    }

    // A packet that looks like this is to come; vc aside.
    Expected *find(Beat header)
    {
        Beat vc = {};

        fsh_hdr_set_vc(vc.data(), 1);
        header[0] &= ~vc[0];
        for (Expected &e : packets)
            if (!e.left && e.header == header)
                return &e;
        return nullptr;
    }

    // All packets by one port, or of a long message by all ports in turn.
    void check_ports(tb::Test &test) const
    {
        unsigned ports = command.ports(), turn = 0;

        for (size_t i = 0; i < packets.size(); i++) {
            unsigned bit = 1u << packets[i].port;
            if (turn == ports && command.bulk)
                turn = 0;
            bool again = command.bulk ? turn & bit : turn & ~bit;
            if (!(ports & bit) || again)
                test.fail("packet %zu of %zu, bulk %d, by port %u of %x, after "
                          "%x",
                          i, packets.size(), command.bulk, packets[i].port,
                          ports, turn);
            turn |= bit;
        }
    }
};

// Room that was reserved, and where: as the testbench numbers it.
struct Take {
    unsigned room, beats;
};

// One way out of a lane, and the packet on it.
struct Way {
    explicit Way(tb::Test &test) : packets(test, "packet") {}

    tb::Sink<Beat> packets;
    std::shared_ptr<Message> message; // under way
    Expected now;
    Take take = {};
    unsigned at = 0; // beats of it that have left
    unsigned long long beats = 0;
};

// One lane: what leaves it, by its register slice and to the queues of its ports.
struct Lane {
    explicit Lane(tb::Test &test)
        : slice(test), queue(test), entries(test, "entry")
    {
    }

    // The reservation of a packet that leaves.
    void release(tb::Test &test, const Take &take)
    {
        for (auto at = takes.begin(); at != takes.end(); ++at)
            if (at->room == take.room && at->beats == take.beats) {
                takes.erase(at);
                return;
            }
        test.fail("nothing reserved for a packet of %u beats at %u", take.beats,
                  take.room);
    }

    Way &way(const Message &message)
    {
        return message.queues() ? queue : slice;
    }

    Way slice, queue;
    tb::Sink<Beat> entries;
    std::deque<Take> takes; // of packets that have not begun
};

// Cuts messages into packets.
struct Cutter {
    unsigned node = 0, packet = 1024;
    uint64_t seg_base = 0, host_base = 0;
    Memory memory;
    unsigned long long reads[2] = {}; // beats, by space

    std::shared_ptr<Message> message(const Command &c)
    {
        auto m = std::make_shared<Message>(Message{c, {}, 0});
        unsigned at = 0;

        do {
            uint64_t addr = c.raddr + at;
            unsigned left = c.payload() - at;
            unsigned n = std::min(left, packet - (unsigned)(addr % packet));
            // Pieces of a collective packet come in order: none is short behind a long one.
            if (c.rspace == FSH_SPACE_COLLECTIVE && left - n < FSH_LONG_BYTES)
                n = left;
            m->packets.push_back(one(c, at, n));
            at += n;
        } while (at < c.payload());
        m->to_leave = m->packets.size();
        return m;
    }

  private:
    Expected one(const Command &c, unsigned at, unsigned n)
    {
        Expected e = {};

        e.header = header(c, at, n);
        e.lane = (unsigned)(c.raddr + at) % 16;
        if (c.made()) {
            Beat arg = {};
            fsh_getarg_set_addr(arg.data(), c.laddr);
            fsh_getarg_set_space(arg.data(), c.lspace);
            e.args.push_back(arg);
        } else if (at == 0 && !c.headless()) {
            e.args.assign(c.rows.begin(), c.rows.begin() + (c.nargs + 3) / 4);
        }
        for (unsigned i = 0; i < n; i++)
            e.bytes.push_back(source(c, at + i));
        if (n && c.lspace != FSH_SPACE_INLINE)
            e.bad = read(c, at, n);
        return e;
    }

    Beat header(const Command &c, unsigned at, unsigned n) const
    {
        Beat header = {};
        uint64_t *w = header.data();
        bool unit = c.opcode < FSH_OP_LIBRARY;

        fsh_hdr_set_opcode(w, c.opcode);
        fsh_hdr_set_category(w, c.category);
        fsh_hdr_set_reply(w, c.reply);
        fsh_hdr_set_first(w, at == 0 && !c.headless());
        fsh_hdr_set_space(w, c.rspace);
        fsh_hdr_set_dst(w, c.dst);
        fsh_hdr_set_src(w, node);
        fsh_hdr_set_nargs(w, c.made() ? 4 : c.nargs);
        fsh_hdr_set_bytes(w, n);
        fsh_hdr_set_tag(w, c.tag);
        fsh_hdr_set_ack(w, c.ack && unit && !c.made());
        fsh_hdr_set_status(w, c.status);
        fsh_hdr_set_addr(w, c.raddr + at);
        fsh_hdr_set_total(w, c.length);
        return header;
    }

    uint64_t address(const Command &c, unsigned at) const
    {
        return (c.lspace == FSH_SPACE_HOST ? host_base : seg_base) + c.laddr +
               at;
    }

    uint8_t source(const Command &c, unsigned at) const
    {
        if (c.lspace != FSH_SPACE_INLINE)
            return memory.byte(c.lspace, address(c, at));
        const Beat &row = c.rows[(c.nargs + 3) / 4 + at / 16];
        return (uint8_t)(row[at % 16 / 8] >> at % 8 * 8);
    }

    // Whether a read of the packet's source fails.
    bool read(const Command &c, unsigned at, unsigned n)
    {
        uint64_t first = address(c, at) / 16;
        uint64_t last = (address(c, at) + n - 1) / 16;
        bool bad = false;

        for (uint64_t beat = first; beat <= last; beat++)
            bad |= memory.error(c.lspace, beat * 16);
        reads[c.lspace] += last - first + 1;
        return bad;
    }
};

#endif
