// SPDX-License-Identifier: BSD-3-Clause
// Commands in a submission window: what they must not be, and good ones and such
// with fields around their limits.
#ifndef FSH_TB_WINDOW_H
#define FSH_TB_WINDOW_H

#include <algorithm>
#include "command.h"
#include "path.h"

static const unsigned ROWS = 4; // of 16 bytes, in an entry

struct Config {
    unsigned node, nodes, packet, ports;
    uint64_t seg_size, host_size;
    unsigned exist; // mask: ports of the node
    Routes routes;
    uint64_t sizes[FSH_MAX_NODES];
};

// A command in the window.
struct Written {
    Command command;
    std::vector<Beat> rows; // with its own two
    bool reserved, cut;     // bits set; not all of it submitted
    unsigned entries;       // that are
};

class Judge
{
  public:
    Judge(const Config &config, unsigned channel)
        : config_(config), channel_(channel)
    {
    }

    // The first of the reasons to refuse it.
    unsigned status(const Written &w) const
    {
        const Command &c = w.command;

        if (w.reserved || w.cut || bad_command(c))
            return FSH_STATUS_BAD_COMMAND;
        if (c.dst >= config_.nodes ||
            (c.dst != config_.node && path(c).ports == 0))
            return FSH_STATUS_BAD_NODE;
        if (bad_length(c))
            return FSH_STATUS_BAD_LENGTH;
        if (c.lspace == FSH_SPACE_COLLECTIVE || c.rspace > FSH_SPACE_HOST)
            return FSH_STATUS_UNSUPPORTED;
        uint64_t local =
            c.lspace == FSH_SPACE_HOST ? config_.host_size : config_.seg_size;
        if (!in_rows(c) && c.length && c.laddr + c.length > local)
            return FSH_STATUS_LOCAL_RANGE;
        uint64_t remote =
            c.rspace == FSH_SPACE_SEGMENT ? config_.sizes[c.dst] : 1ull << 40;
        if (!medium(c) && c.length && c.raddr + c.length > remote)
            return FSH_STATUS_REMOTE_RANGE;
        return FSH_STATUS_OK;
    }

    // Of arguments and of what is inline, behind the two of a command.
    static unsigned rows(const Command &c)
    {
        return (c.nargs + 3) / 4 + (in_rows(c) ? (c.length + 15) / 16 : 0);
    }

    Path path(const Command &c) const
    {
        return config_.routes[c.dst].of(config_.exist, config_.ports);
    }

    bool bulk(const Command &c) const
    {
        return !c.ordered && c.opcode != FSH_OP_GET && !in_rows(c) &&
               c.length > config_.packet;
    }

    static bool in_rows(const Command &c)
    {
        return c.lspace == FSH_SPACE_INLINE;
    }

    // To an engine.
    static bool message(const Command &c)
    {
        return c.opcode == FSH_OP_COMPUTE || c.opcode == FSH_OP_COLLECTIVE;
    }

  private:
    static bool medium(const Command &c)
    {
        return c.opcode >= FSH_OP_LIBRARY && c.category == FSH_CAT_MEDIUM;
    }

    // All rows as the block counts them, in fields that no good command
    // overflows: arguments modulo 8, bytes modulo 2048, all modulo 128. A command
    // that does overflow one is refused anyway; with what status, this decides.
    static unsigned counted(const Command &c)
    {
        unsigned bytes = in_rows(c) ? c.length % 2048 : 0;

        return (2 + (c.nargs + 3) / 4 % 8 + (bytes + 15) / 16) % 128;
    }

    bool bad_command(const Command &c) const
    {
        if (c.check != FSH_CMD_CHECK || c.reply != channel_ ||
            counted(c) > (c.entries + 1) * ROWS)
            return true;
        if (c.opcode >= FSH_OP_LIBRARY)
            return c.category > FSH_CAT_LONG || c.tag >= FSH_SLOTS_PER_PEER;
        if (c.tag >= FSH_HOST_TAGS)
            return true;
        if (c.opcode == FSH_OP_PUT)
            return c.category != FSH_CAT_LONG || (channel_ && c.ack);
        if (c.opcode == FSH_OP_GET && in_rows(c))
            return true;
        return (c.opcode != FSH_OP_GET && !message(c)) ||
               c.category != FSH_CAT_SHORT || channel_;
    }

    bool bad_length(const Command &c) const
    {
        bool short_one = c.category == FSH_CAT_SHORT && c.opcode != FSH_OP_GET;

        if (c.length > FSH_MAX_MESSAGE || c.nargs > FSH_MAX_ARGS ||
            (short_one && c.length))
            return true;
        if (message(c) && (c.nargs < 1 || c.nargs > 4))
            return true;
        if (c.opcode == FSH_OP_GET && c.nargs)
            return true;
        if (medium(c) && (c.length > FSH_MAX_MEDIUM || c.raddr))
            return true;
        return in_rows(c) &&
               (c.raddr % config_.packet + c.length > config_.packet ||
                c.length > FSH_MAX_INLINE);
    }

    const Config &config_;
    unsigned channel_;
};

class Writer
{
  public:
    Writer(tb::Test &test, const Config &config, unsigned channel)
        : test_(test), config_(config), channel_(channel),
          judge_(config, channel)
    {
    }

    Written random()
    {
        Command c = good();
        bool fits = test_.below(4) != 0;

        for (unsigned i = test_.below(3); i > 0 && test_.below(2); i--)
            change(c);
        // Entries for its rows, mostly.
        unsigned rows = std::min(Judge::rows(c), 30u);
        if (fits)
            c.entries = (2 + rows + ROWS - 1) / ROWS - 1;
        else
            c.entries = test_.below(FSH_MAX_ENTRIES);
        Written w = written(c);
        if (test_.below(40) == 0)
            spoil(w);
        return w;
    }

    Written written(const Command &c)
    {
        auto words = c.words();
        Written w = {c, {words[0], words[1]}, false, false, c.entries + 1};

        while (w.rows.size() < w.entries * ROWS)
            w.rows.push_back({test_.bits(), test_.bits()});
        return w;
    }

  private:
    // Reserved bits, or less submitted than it claims.
    void spoil(Written &w)
    {
        if (test_.below(2)) {
            Beat ones = {~0ull, ~0ull};
            Beat beats[2] = {ones, ones};
            reserved(beats);
            unsigned bit = test_.below(256);
            uint64_t flip = 1ull << bit % 64;
            if (!(beats[bit / 128][bit / 64 % 2] & flip))
                return;
            w.rows[bit / 128][bit / 64 % 2] ^= flip;
            w.reserved = true;
        } else if (w.entries > 1) {
            w.cut = true;
            w.entries = 1 + test_.below(w.entries - 1);
        }
    }

    // Takes the bits of all fields away.
    static void reserved(Beat *beats)
    {
        Command c;

        c.opcode = c.category = c.reply = c.ack = c.rspace = c.lspace = ~0u;
        c.dst = c.nargs = c.tag = c.length = c.check = c.entries = ~0u;
        c.ordered = ~0u;
        c.raddr = c.laddr = ~0ull;
        auto words = c.words();
        for (unsigned i = 0; i < 4; i++)
            beats[i / 2][i % 2] &= ~words[i / 2][i % 2];
    }

    Command good()
    {
        static const unsigned opcodes[] = {FSH_OP_PUT,     FSH_OP_GET,
                                           FSH_OP_COMPUTE, FSH_OP_COLLECTIVE,
                                           FSH_OP_LIBRARY, FSH_OP_CLIENT};
        Command c;

        c.opcode = opcodes[test_.below(6)];
        if (channel_ && c.opcode < FSH_OP_LIBRARY)
            c.opcode = FSH_OP_PUT;
        c.reply = channel_;
        c.ack = c.opcode != FSH_OP_PUT || !channel_ ? test_.below(2) : 0;
        c.ordered = test_.below(2);
        for (unsigned i = 0; i < 20; i++) {
            c.dst = test_.below(config_.nodes);
            if (judge_.path(c).ports)
                break;
        }
        c.tag = test_.below(c.opcode < FSH_OP_LIBRARY ? FSH_HOST_TAGS
                                                      : FSH_SLOTS_PER_PEER);
        c.category = FSH_CAT_LONG;
        if (c.opcode >= FSH_OP_LIBRARY)
            c.category = test_.below(FSH_CAT_COUNT);
        if (c.opcode == FSH_OP_GET || Judge::message(c))
            c.category = FSH_CAT_SHORT;
        c.nargs = test_.below(FSH_MAX_ARGS + 1);
        if (Judge::message(c))
            c.nargs = 1 + test_.below(4);
        if (c.opcode == FSH_OP_GET)
            c.nargs = 0;
        c.length = test_.below(test_.below(2) ? 4000 : 100);
        bool medium =
            c.opcode >= FSH_OP_LIBRARY && c.category == FSH_CAT_MEDIUM;
        c.raddr = medium ? 0 : test_.bits() & 0xffff'ffff;
        c.laddr = test_.bits() & 0xffff;
        c.rspace = test_.below(2);
        c.lspace = test_.below(2);
        if (c.category == FSH_CAT_SHORT && c.opcode != FSH_OP_GET)
            c.length = 0;
        if (test_.below(3) == 0 && c.opcode != FSH_OP_GET)
            make_inline(c);
        return c;
    }

    void make_inline(Command &c)
    {
        unsigned most = FSH_MAX_INLINE - (c.nargs + 3) / 4 * 16;

        c.lspace = FSH_SPACE_INLINE;
        if (c.raddr)
            c.raddr = c.raddr / config_.packet * config_.packet;
        c.length = std::min({c.length, most, config_.packet});
        c.raddr += test_.below(2) && c.raddr ? config_.packet - c.length : 0;
    }

    // A field at or past a limit.
    void change(Command &c)
    {
        unsigned some = test_.below(3);

        switch (test_.below(13)) {
        case 0:
            c.opcode = test_.below(some ? 10 : 256);
            break;
        case 1:
            c.category = test_.below(4);
            break;
        case 2:
            c.reply ^= 1;
            break;
        case 3:
            c.lspace = test_.below(4);
            break;
        case 4:
            c.rspace = test_.below(4);
            break;
        case 5:
            c.dst = some ? test_.below(256) : config_.node;
            break;
        case 6:
            c.nargs = test_.below(some ? 6 : 32);
            break;
        case 7:
            c.tag = some == 0 ? test_.below(2048) : 15 + test_.below(35);
            break;
        case 8:
            c.check ^= 1u << test_.below(8);
            break;
        case 9:
            c.ack ^= 1;
            break;
        case 10:
            change_length(c);
            break;
        case 11:
            change_local(c);
            break;
        default:
            c.raddr = config_.sizes[c.dst % FSH_MAX_NODES] - c.length +
                      test_.below(3) - 1;
            if (some == 0 || c.raddr >> 40)
                c.raddr = (1ull << 40) - 1 - test_.below(5000);
        }
    }

    void change_length(Command &c)
    {
        static const unsigned limits[] = {FSH_MAX_MESSAGE, FSH_MAX_MEDIUM,
                                          FSH_MAX_INLINE, 2048};
        unsigned limit = limits[test_.below(4)];

        if (test_.below(4) == 0)
            limit = config_.packet - (unsigned)(c.raddr % config_.packet);
        c.length = limit - 1 + test_.below(3);
    }

    void change_local(Command &c)
    {
        uint64_t size =
            c.lspace == FSH_SPACE_HOST ? config_.host_size : config_.seg_size;
        c.laddr = (size - c.length + test_.below(3) - 1) & 0xff'ffff'ffff;
    }

    tb::Test &test_;
    const Config &config_;
    unsigned channel_;
    Judge judge_;
};

#endif
