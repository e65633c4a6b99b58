// SPDX-License-Identifier: BSD-3-Clause
// Reference model of what comes behind the array: random commands, what memory
// holds after each, which reads, PUTs and messages they make, in which order.
// Used by tb_fsh_results.cpp only.
#ifndef FSH_TB_RESULTS_H
#define FSH_TB_RESULTS_H

#include <algorithm>
#include <array>
#include <cstring>
#include <deque>
#include <memory>
#include <set>
#include <unordered_map>
#include <vector>
#include "fsh_spec.h"
#include "tb.h"

namespace results
{

inline uint64_t mix(uint64_t x)
{
    x += 0x9e3779b97f4a7c15ull;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
    return x ^ (x >> 31);
}

// A number as memory may hold it (sometimes a denormal, -0, Inf or NaN). As the
// array gives it: none of the first two, one NaN.
inline uint32_t number(uint64_t key, bool from_array)
{
    uint64_t r = mix(key);
    uint32_t bits = (uint32_t)r;
    uint32_t exponent = 120 + (uint32_t)(r >> 40) % 12;

    switch ((r >> 56) % 64) {
    case 0:
        exponent = (uint32_t)(r >> 32) & 255;
        break;
    case 1:
        exponent = 0;
        break;
    case 2:
        exponent = 255;
        bits &= 0xff800000u;
        break;
    case 3:
        exponent = 1 + (uint32_t)(r >> 32) % 3;
        break;
    }
    bits = (bits & 0x807fffffu) | exponent << 23;
    if (from_array && exponent == 0)
        bits = 0;
    if (from_array && exponent == 255 && (bits & 0x7fffff))
        bits = 0x7fc00000u;
    return bits;
}

inline uint32_t flush(uint32_t bits)
{
    return (bits & 0x7f800000u) == 0 ? 0 : bits;
}

inline uint32_t add(uint32_t a, uint32_t b)
{
    float x, y, sum;
    uint32_t bits;

    a = flush(a);
    b = flush(b);
    std::memcpy(&x, &a, 4);
    std::memcpy(&y, &b, 4);
    sum = x + y;
    std::memcpy(&bits, &sum, 4);
    if ((bits & 0x7fffffffu) > 0x7f800000u)
        return 0x7fc00000u;
    return flush(bits);
}

using Beat = std::array<uint32_t, 16>;

struct Command;

// Memory by beats. `times` counts the writes of each value.
class Memory
{
  public:
    explicit Memory(uint64_t key) : key_(key) {}

    Beat &at(uint32_t addr)
    {
        auto found = beats_.find(addr);
        if (found != beats_.end())
            return found->second;
        Beat &beat = beats_[addr];
        for (unsigned i = 0; i < 16; i++)
            beat[i] = number(key_ + addr * 16ull + i, false);
        return beat;
    }

    Beat &times(uint32_t addr)
    {
        return times_[addr];
    }

    const std::unordered_map<uint32_t, Beat> &written() const
    {
        return times_;
    }

  private:
    uint64_t key_;
    std::unordered_map<uint32_t, Beat> beats_, times_;
};

struct Tile {
    Command *command;
    bool first, last;
    unsigned x_groups, w_groups, row, w_group;
};

struct Read {
    Command *command;
    uint32_t addr, stride;
    unsigned mask;
};

// A PUT, with how often each of its values must have been written before.
struct Put {
    Command *command;
    unsigned dst;
    uint64_t laddr, raddr, length;
    std::shared_ptr<std::vector<uint32_t>> times;
};

struct Extent {
    uint64_t addr, bytes;
};

struct Message {
    Command *command;
    bool complete;
    unsigned dst;
    uint64_t laddr; // without the status
};

struct Command {
    unsigned id;
    bool mover;
    unsigned parity, status;
    uint64_t words[FSH_CCMD_WORDS];
    bool accumulate, bias, relu, conv, emit, art;
    uint32_t c_addr, b_addr, e_addr, out_plane;
    unsigned ldc, m, n, out_w, out_h, op;
    std::vector<Extent> extents, emitted;
    // How it goes.
    bool started = false, over = false;
    unsigned tiles_left = 0, beats_left = 0, puts_left = 0, unacked = 0;
    std::set<unsigned> errors;
};

struct Node {
    unsigned node, nodes;
    uint64_t seg_base, seg_size;
};

// All that is expected of a list of commands.
class Plan
{
  public:
    Plan(tb::Test &test, Node node)
        : node(node), key(test.bits()), expect(key), test_(test)
    {
    }

    void make(unsigned count, bool errors, unsigned most)
    {
        for (unsigned i = 0; i < count; i++) {
            commands.push_back(std::make_unique<Command>());
            Command &c = *commands.back();
            c.id = i;
            c.mover = test_.below(4) == 0;
            c.parity = parity_[c.mover]++ & 1;
            c.status = errors && test_.below(16) == 0 ? FSH_STATUS_BAD_COMMAND
                                                      : FSH_STATUS_OK;
            if (c.mover)
                mover(c);
            else
                array(c, errors, most);
            messages(c);
        }
    }

    // One GEMM or CONV of this shape in one tile: for measurements. With `each`
    // a PUT of so many values to node 1, and tiles of eight rows.
    void make_one(bool conv, bool accumulate, bool bias, unsigned m, unsigned n,
                  unsigned each = 0)
    {
        commands.push_back(std::make_unique<Command>());
        Command &c = *commands.back();
        std::memset(c.words, 0, sizeof c.words);
        c.id = c.parity = c.status = 0;
        c.mover = c.relu = c.emit = false;
        c.op = conv ? FSH_COP_CONV : FSH_COP_GEMM;
        c.conv = conv;
        c.accumulate = accumulate;
        c.bias = bias;
        c.art = each != 0;
        c.m = c.out_w = c.out_plane = m;
        c.n = n;
        c.out_h = 1;
        c.ldc = conv ? m : (n + 15) / 16;
        c.c_addr = 4096;
        c.b_addr = 64;
        c.e_addr = 0;
        tile_x_ = conv || each ? 1 : (m + 7) / 8;
        tile_w_ = (n + 15) / 16;
        result(c);
        fill(c);
        fsh_ccmd_set_art_count(c.words, each);
        fsh_ccmd_set_art_mask(c.words, 2);
        if (each)
            cut(c, c.extents, c.c_addr, 0);
    }

    // What PE (column r, row c of the group) holds.
    uint32_t value(const Tile &tile, unsigned index, unsigned c, unsigned r)
    {
        return number(key ^ mix(tile.command->id * 0x1000193ull + tile.row) ^
                          mix(tile.w_group * 131071ull + 7) ^
                          (uint64_t)(index * 128 + c * 16 + r),
                      true);
    }

    Node node;
    uint64_t key;
    std::vector<std::unique_ptr<Command>> commands;
    std::deque<Tile> tiles;
    std::deque<Read> reads;
    std::deque<Put> puts[3]; // results, encoded operand, mover
    std::deque<Message> messages_[2];
    Memory expect;
    std::unordered_map<uint32_t, std::deque<Command *>> owners; // of beats

  private:
    bool inside(uint32_t addr)
    {
        return (uint64_t)addr * 64 < node.seg_size;
    }

    uint32_t allocate(uint32_t beats)
    {
        uint32_t at = next_;
        next_ += beats + test_.below(3);
        return at;
    }

    unsigned values_of_put(uint64_t values)
    {
        static const unsigned odd[] = {5, 7, 13, 61, 97, 127, 509};
        unsigned most = 0xffffff;

        switch (test_.below(6)) {
        case 0:
            most = 1;
            break;
        case 1:
            most = odd[test_.below(7)];
            break;
        case 2:
            most = 16 << test_.below(6);
            break;
        case 3:
            most = 1 + test_.below(300);
            break;
        case 4:
            most = (unsigned)values + test_.below(50);
            break;
        }
        return std::max(most, (unsigned)(values / 60) + 1);
    }

    void mover(Command &c)
    {
        std::memset(c.words, 0, sizeof c.words);
        c.op = test_.below(4) ? FSH_COP_SEND : FSH_COP_NOP;
        c.conv = c.emit = c.accumulate = c.bias = c.relu = false;
        c.art = c.op == FSH_COP_SEND;
        uint32_t addr = test_.below(1000);
        unsigned values = 1 + test_.below(test_.below(2) ? 40 : 5000);
        uint32_t there = test_.below(100000);
        unsigned each = values_of_put(values);
        if (test_.below(16) == 0) {
            values = 0xffffff - test_.below(1000);
            each = 0xffffff - test_.below(8); // more than one message holds
        }
        fsh_ccmd_set_x_addr(c.words, addr);
        fsh_ccmd_set_k(c.words, values);
        fsh_ccmd_set_art_addr(c.words, there);
        fsh_ccmd_set_art_count(c.words, each);
        fsh_ccmd_set_art_mask(c.words, mask());
        fsh_ccmd_set_op(c.words, c.op);
        if (c.op == FSH_COP_SEND)
            cut(c, {{addr * 64ull, values * 4ull}}, addr, 2);
    }

    uint64_t mask()
    {
        uint64_t all = node.nodes == 64 ? ~0ull : (1ull << node.nodes) - 1;
        uint64_t some =
            test_.below(3) ? 1ull << test_.below(node.nodes) : test_.bits();
        return some & all;
    }

    void array(Command &c, bool errors, unsigned most)
    {
        static const unsigned ops[] = {
            FSH_COP_GEMM, FSH_COP_GEMM,   FSH_COP_GEMM, FSH_COP_CONV,
            FSH_COP_CONV, FSH_COP_ENCODE, FSH_COP_NOP};
        std::memset(c.words, 0, sizeof c.words);
        c.op = ops[test_.below(7)];
        c.conv = c.op == FSH_COP_CONV;
        c.accumulate = test_.below(3) == 0;
        c.bias = test_.below(3) == 0;
        c.relu = test_.below(3) == 0;
        c.art = test_.below(3) != 0;
        bool result_too = c.op == FSH_COP_GEMM || c.conv;
        c.emit = result_too && test_.below(4) == 0;
        // Over all: rows or columns alone now and then.
        c.m = 1 + test_.below(test_.below(4) ? most : 2);
        c.n = 1 + test_.below(test_.below(4) ? most : 2);
        c.out_w = 1 + test_.below(most / 2);
        c.out_h = 1 + test_.below(6);
        if (test_.below(2))
            c.n = (c.n + 15) / 16 * 16;
        unsigned groups = (c.n + 15) / 16;
        c.ldc = c.conv ? c.out_w : groups;
        if (test_.below(2))
            c.ldc += test_.below(5);
        c.out_plane = c.out_h * c.ldc + test_.below(3);
        uint32_t beats = c.conv ? groups * c.out_plane : c.m * c.ldc;
        c.c_addr = allocate(beats);
        c.b_addr = test_.below(500);
        if (errors && result_too && test_.below(8) == 0)
            c.c_addr = (uint32_t)(node.seg_size / 64) - test_.below(beats + 1);
        else if (again_ && test_.below(3) == 0)
            same(c);
        else
            again_ = result_too ? &c : again_;
        tile_w_ = 1 + test_.below(std::min(groups + 1, 12u));
        if (c.conv)
            tile_w_ = std::min(tile_w_, 128 / ((c.out_w + 7) / 8));
        unsigned x =
            c.conv ? 128 / tile_w_ / ((c.out_w + 7) / 8) : 128 / tile_w_;
        tile_x_ = 1 + test_.below(std::min(x, 8u));
        if (result_too)
            result(c);
        if (c.emit || c.op == FSH_COP_ENCODE)
            emission(c);
        fill(c);
        send(c);
    }

    // Onto what the command before left there.
    void same(Command &c)
    {
        Command &b = *again_;
        if (c.op != b.op)
            return;
        c.accumulate = true;
        c.m = b.m;
        c.n = b.n;
        c.out_w = b.out_w;
        c.out_h = b.out_h;
        c.ldc = b.ldc;
        c.out_plane = b.out_plane;
        c.c_addr = b.c_addr;
    }

    void fill(Command &c)
    {
        fsh_ccmd_set_op(c.words, c.op);
        fsh_ccmd_set_emit(c.words, c.emit);
        fsh_ccmd_set_art(c.words, c.art);
        fsh_ccmd_set_c_addr(c.words, c.c_addr);
        fsh_ccmd_set_e_addr(c.words, c.e_addr);
    }

    void send(Command &c)
    {
        bool emits = c.emit || c.op == FSH_COP_ENCODE;
        std::vector<Extent> &what = emits ? c.emitted : c.extents;
        uint64_t values = 0;

        for (const Extent &e : what)
            values += e.bytes / 4;
        fsh_ccmd_set_art_addr(c.words, test_.below(1 << 20));
        fsh_ccmd_set_art_count(c.words, values_of_put(values));
        fsh_ccmd_set_art_mask(c.words, mask());
        if (c.art && c.op != FSH_COP_NOP)
            cut(c, what, emits ? c.e_addr : c.c_addr, emits);
    }

    // The rule: runs of extents without a gap, cut from their start.
    void cut(Command &c, const std::vector<Extent> &what, uint32_t base,
             int stream)
    {
        uint64_t count = std::min<uint64_t>(fsh_ccmd_art_count(c.words),
                                            FSH_MAX_MESSAGE / 4) *
                         4;
        size_t i = 0;

        while (i < what.size()) {
            uint64_t from = what[i].addr, to = from + what[i].bytes;
            for (i++; i < what.size() && what[i].addr == to; i++)
                to += what[i].bytes;
            for (; from < to; from += std::min(count, to - from))
                put(c, from, std::min(count, to - from), base, stream);
        }
    }

    void put(Command &c, uint64_t addr, uint64_t bytes, uint32_t base,
             int stream)
    {
        auto times = std::make_shared<std::vector<uint32_t>>();
        uint64_t there = fsh_ccmd_art_addr(c.words) * 64 + addr - base * 64ull;
        uint64_t nodes = fsh_ccmd_art_mask(c.words);

        if (stream < 2)
            for (uint64_t a = addr; a < addr + bytes; a += 4)
                times->push_back(expect.times((uint32_t)(a / 64))[a / 4 % 16]);
        for (unsigned n = 0; n < 64; n++)
            if (nodes >> n & 1 && n != node.node) {
                puts[stream].push_back({&c, n, addr, there, bytes, times});
                c.puts_left++;
            }
    }

    void messages(Command &c)
    {
        bool signal = test_.below(2), complete = test_.below(2);
        // Whose message it is shows in the lowest bit.
        unsigned event = test_.below(32) * 2 + c.mover;
        unsigned cookie = test_.below(1024) * 2 + c.mover;
        uint64_t nodes = mask();
        unsigned who = test_.below(node.nodes);

        fsh_ccmd_set_signal(c.words, signal);
        fsh_ccmd_set_signal_event(c.words, event);
        fsh_ccmd_set_signal_mask(c.words, nodes);
        fsh_ccmd_set_complete(c.words, complete);
        fsh_ccmd_set_complete_node(c.words, who);
        fsh_ccmd_set_cookie(c.words, cookie);
        for (unsigned n = 0; n < 64 && signal; n++)
            if (nodes >> n & 1)
                messages_[c.mover].push_back(
                    {&c, false, n, 1ull << 32 | event << 4 | 1});
        if (complete)
            messages_[c.mover].push_back({&c, true, who, cookie << 4 | 2});
    }

    void emission(Command &c)
    {
        unsigned parts = 1 + test_.below(4);
        uint32_t at = c.e_addr = allocate(300);

        for (unsigned p = 0; p < parts; p++) {
            uint32_t beats = 1 + test_.below(70);
            c.emitted.push_back({at * 64ull, beats * 64ull});
            for (uint32_t b = 0; b < beats; b++, at++) {
                for (unsigned i = 0; i < 16; i++)
                    store(c, at, i, (uint32_t)mix(key ^ (at * 16ull + i)));
                own(c, at);
            }
            at += test_.below(3) == 0;
        }
    }

    void store(Command &c, uint32_t addr, unsigned i, uint32_t value)
    {
        if (!inside(addr)) {
            c.errors.insert(FSH_STATUS_LOCAL_RANGE);
            return;
        }
        expect.at(addr)[i] = value;
        expect.times(addr)[i]++;
    }

    void own(Command &c, uint32_t addr)
    {
        if (!inside(addr))
            return;
        owners[addr].push_back(&c);
        c.beats_left++;
    }

    void result(Command &c)
    {
        unsigned groups = (c.n + 15) / 16;
        unsigned row_groups = (c.out_w + 7) / 8;
        unsigned rows = c.conv ? c.out_h : (c.m + 7) / 8;
        bool first = true;

        for (unsigned x = 0; x < rows; x += tile_x_) {
            for (unsigned w = 0; w < groups; w += tile_w_) {
                // As many column groups as the tile has, beyond N too.
                bool whole = test_.below(4) == 0;
                Tile t = {&c,
                          first,
                          x + tile_x_ >= rows && w + tile_w_ >= groups,
                          std::min(tile_x_, rows - x) *
                              (c.conv ? row_groups : 1),
                          whole ? tile_w_ : std::min(tile_w_, groups - w),
                          x * (c.conv ? 1 : 8),
                          w};
                first = false;
                c.tiles_left++;
                tiles.push_back(t);
                bias_reads(t);
                if (c.conv)
                    conv_tile(t);
                else
                    gemm_tile(t);
            }
        }
    }

    void bias_reads(const Tile &t)
    {
        Command &c = *t.command;
        unsigned groups = (c.n + 15) / 16;

        for (unsigned w = 0; c.bias && w < t.w_groups; w++)
            if (t.w_group + w < groups)
                ask(c, c.b_addr + t.w_group + w, 0, 1);
    }

    void ask(Command &c, uint32_t addr, uint32_t stride, unsigned mask)
    {
        reads.push_back({&c, addr, stride, mask});
        for (unsigned l = 0; l < 4; l++)
            if (mask >> l & 1 && !inside(addr + l * stride))
                c.errors.insert(FSH_STATUS_LOCAL_RANGE);
    }

    void gemm_tile(const Tile &t)
    {
        Command &c = *t.command;

        for (unsigned g = 0; g < t.x_groups; g++) {
            unsigned row = t.row + g * 8, rows = std::min(8u, c.m - row);
            for (unsigned w = 0; w < t.w_groups; w++)
                group(t, w * t.x_groups + g, rows, w,
                      c.c_addr + row * c.ldc + t.w_group + w, c.ldc);
            unsigned bytes =
                4 * std::min(c.n - 16 * t.w_group, 16 * t.w_groups);
            for (unsigned r = 0; r < rows; r++)
                c.extents.push_back(
                    {(c.c_addr + (row + r) * c.ldc + t.w_group) * 64ull,
                     bytes});
        }
    }

    void conv_tile(const Tile &t)
    {
        Command &c = *t.command;
        unsigned row_groups = (c.out_w + 7) / 8;

        for (unsigned w = 0; w < t.w_groups; w++) {
            for (unsigned g = 0; g < t.x_groups; g++) {
                unsigned x = g % row_groups * 8, y = t.row + g / row_groups;
                unsigned wide = std::min(8u, c.out_w - x);
                uint32_t addr =
                    c.c_addr + (t.w_group + w) * c.out_plane + y * c.ldc + x;
                group(t, w * t.x_groups + g, wide, w, addr, 1);
                if ((t.w_group + w) * 16 < c.n)
                    c.extents.push_back({addr * 64ull, wide * 64ull});
            }
        }
    }

    // What one read of the array gives: `rows` beats.
    void group(const Tile &t, unsigned index, unsigned rows, unsigned w,
               uint32_t addr, uint32_t stride)
    {
        Command &c = *t.command;
        unsigned column = (t.w_group + w) * 16;

        if (column >= c.n)
            return;
        for (unsigned half = 0; half < 2 && c.accumulate; half++)
            if (rows > half * 4)
                ask(c, addr + half * 4 * stride, stride,
                    15u >> (4 - std::min(4u, rows - half * 4)));
        for (unsigned r = 0; r < rows; r++) {
            uint32_t at = addr + r * stride;
            for (unsigned i = 0; i < 16; i++)
                if (column + i < c.n || c.conv)
                    store(c, at, i, one(t, index, r, i, column, at));
            own(c, at);
        }
    }

    uint32_t one(const Tile &t, unsigned index, unsigned r, unsigned i,
                 unsigned column, uint32_t at)
    {
        Command &c = *t.command;
        uint32_t sum = value(t, index, r, i);

        if (column + i >= c.n)
            return 0;
        if (c.accumulate && inside(at))
            sum = add(expect.at(at)[i], sum);
        if (c.bias)
            sum = add(sum, expect.at(c.b_addr + column / 16)[i]);
        if (c.relu && sum >> 31)
            sum = 0;
        return sum;
    }

    tb::Test &test_;
    unsigned parity_[2] = {0, 0};
    unsigned tile_x_ = 1, tile_w_ = 1;
    uint32_t next_ = 10000;
    Command *again_ = nullptr;
};

} // namespace results

#endif
