// SPDX-License-Identifier: BSD-3-Clause
// Model of the sequencer: what memory has at the source of a command, and the
// packets that are to come of it; the ports by which they leave.
#ifndef FSH_TB_MESSAGE_H
#define FSH_TB_MESSAGE_H

#include <algorithm>
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

// Beats between a sender and its port: the register slice.
static const unsigned SKID = 2;

// A packet to come.
struct Expected {
    Beat header;
    std::vector<Beat> args;
    std::vector<uint8_t> bytes;
    unsigned lane; // of the first byte
    bool loop, bad, notify, half;
    unsigned channel;

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

    // The ring entry which says that its message's source is read.
    Beat entry() const
    {
        Beat entry = {};
        const uint64_t *h = header.data();

        fsh_ring_set_kind(entry.data(), FSH_CPL_SLOT);
        fsh_ring_set_reply(entry.data(), fsh_hdr_reply(h));
        fsh_ring_set_opcode(entry.data(), fsh_hdr_opcode(h));
        fsh_ring_set_node(entry.data(), fsh_hdr_dst(h));
        fsh_ring_set_tag(entry.data(), fsh_hdr_tag(h));
        fsh_ring_set_half(entry.data(), half);
        return entry;
    }
};

struct Take {
    bool loop;
    unsigned channel, beats;
};

// One port: what leaves it.
struct Port {
    explicit Port(tb::Test &test)
        : packets(test, "packet"), entries(test, "entry"), others(test)
    {
    }

    // A packet is to leave, or to end.
    bool left() const
    {
        for (const auto &packets : next)
            if (!packets.empty())
                return true;
        return at != 0;
    }

    // The entry comes when the last beat of the source enters the register slice
    // before the port, so up to SKID beats before that beat leaves; not sooner.
    void match(tb::Test &test)
    {
        for (; !told.empty() && !read.empty();
             told.pop_front(), read.pop_front())
            if (told.front().first != read.front().first ||
                told.front().second + SKID < read.front().second)
                test.fail("an entry %016llx for %016llx, %d beats early",
                          (unsigned long long)told.front().first[0],
                          (unsigned long long)read.front().first[0],
                          (int)(read.front().second - told.front().second));
    }

    tb::Sink<Beat> packets;
    tb::Sink<Beat> entries;
    tb::Stall others;
    std::deque<Take> takes;       // reserved, not begun
    std::deque<Expected> next[4]; // by context
    Expected now;                 // under way
    unsigned at = 0;              // beats of it that have left
    unsigned long long beats = 0;
    std::deque<std::pair<Beat, unsigned long long>> told, read;
};

struct Model {
    unsigned node = 0, packet = 1024;
    uint64_t seg_base = 0, host_base = 0;
    Memory memory;
    unsigned long long reads[2] = {}; // beats, by space

    // The packets of a command, with the port each takes.
    std::vector<std::pair<unsigned, Expected>> packets(const Command &c)
    {
        std::vector<std::pair<unsigned, Expected>> all;
        unsigned at = 0;

        do {
            uint64_t addr = c.raddr + at;
            unsigned n =
                std::min(c.payload() - at, packet - (unsigned)(addr % packet));
            bool multi = n != c.payload();
            unsigned port = c.port ^ (c.stripe && all.size() % 2);
            all.push_back({port, one(c, at, n, multi)});
            at += n;
        } while (at < c.payload());
        tell(c, all);
        return all;
    }

  private:
    Expected one(const Command &c, unsigned at, unsigned n, bool multi)
    {
        Expected e = {};

        e.header = header(c, at, n, multi);
        e.lane = (unsigned)(c.raddr + at) % 16;
        e.loop = c.loop;
        e.channel = c.reply;
        e.half = c.stripe;
        if (c.made()) {
            Beat arg = {};
            fsh_getarg_set_addr(arg.data(), c.laddr);
            fsh_getarg_set_space(arg.data(), c.lspace);
            e.args.push_back(arg);
        } else if (at == 0) {
            e.args.assign(c.rows.begin(), c.rows.begin() + (c.nargs + 3) / 4);
        }
        for (unsigned i = 0; i < n; i++)
            e.bytes.push_back(source(c, at + i));
        if (n && c.lspace != FSH_SPACE_INLINE)
            e.bad = read(c, at, n);
        return e;
    }

    Beat header(const Command &c, unsigned at, unsigned n, bool multi) const
    {
        Beat header = {};
        uint64_t *w = header.data();
        bool unit = c.opcode < FSH_OP_LIBRARY;

        fsh_hdr_set_opcode(w, c.opcode);
        fsh_hdr_set_category(w, c.category);
        fsh_hdr_set_reply(w, c.reply);
        fsh_hdr_set_multi(w, multi);
        fsh_hdr_set_first(w, at == 0);
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

    // Of each port the last packet of a message to a host says that its source
    // is read.
    static void tell(const Command &c,
                     std::vector<std::pair<unsigned, Expected>> &all)
    {
        bool told[2] = {};

        if (!c.ack || c.opcode < FSH_OP_LIBRARY)
            return;
        for (size_t i = all.size(); i-- > 0; told[all[i].first] = true)
            all[i].second.notify = !told[all[i].first];
    }
};

#endif
