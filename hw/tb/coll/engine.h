// SPDX-License-Identifier: BSD-3-Clause
// One fsh_coll with what stands around it: memory that answers each unit in order after any
// time, packets that come in line by line and those that go, sequences, ends. Everything
// stalls at random; `hurry` takes the stalls away.
#ifndef FSH_TB_COLL_ENGINE_H
#define FSH_TB_COLL_ENGINE_H

#include <array>
#include <climits>
#include <cstring>
#include <vector>
#include "base/fsh_spec.h"
#include "stream.h"
#include "Vfsh_coll.h"

namespace coll
{

using Line = std::array<uint32_t, 16>;

struct Packet {
    unsigned source, dest;
    uint64_t addr; // colladdr
    unsigned bytes;
    std::vector<Line> lines; // one at least
    unsigned at = 0;         // its first line: of a piece
    bool piece = false;      // not the last one of its packet
};

// A message between engines: key is that of fsh_coll_pkg without its node.
struct Note {
    unsigned source, dest, op;
    uint64_t key;
};

struct End {
    unsigned cookie, status, step, source;
};

// The key of a packet, as it stands in messages, from its address.
inline uint64_t key_of(uint64_t addr)
{
    unsigned number = fsh_colladdr_high(&addr) << 5 | fsh_colladdr_low(&addr);
    return fsh_colladdr_job(&addr) << 27 | fsh_colladdr_vp(&addr) << 16 |
           fsh_colladdr_seq(&addr) << 8 | number;
}

// A descriptor; bit positions are those of colldesc.
class Descriptor
{
  public:
    void put(unsigned at, unsigned width, uint64_t value)
    {
        for (unsigned i = 0; i < width; i++) {
            uint32_t bit = 1u << ((at + i) % 32);
            line[(at + i) / 32] &= ~bit;
            if (i < 64 && (value >> i & 1))
                line[(at + i) / 32] |= bit;
        }
    }
    void flag(unsigned at, bool value)
    {
        put(at, 1, value);
    }
    Line line = {};
};

enum Flag {
    HEAD,
    TAIL,
    OWN,
    GIVEN,
    REDUCE,
    STORE,
    SEND,
    EAGER,
    POST = 59,
    BFP = 60,
    AGAIN = 61
};
enum Field {
    JOB = 8,
    VP = 16,
    SEQ = 27,
    COUNT = 35,
    KIND = 40,
    OP = 43,
    COOKIE = 48,
    DEST = 64,
    DEST_VP = 72,
    DEST_SEQ = 83,
    BYTES = 96,
    SOURCES = 256,
    OWN_ADDR = 384,
    STORE_ADDR = 416,
    POST_ADDR = 448
};

// Bits of fate_t of fsh_coll_pkg.
enum Fate { UNCLAIMED, TWICE, UNENTITLED, FULL, STALE, GONE, KEPT, FATES };

class Engine
{
  public:
    Engine(tb::Test &test, unsigned node, size_t bytes)
        : memory(bytes), host(bytes), posted(bytes), test_(test), node_(node),
          context_(test.context()), dut_(context_.get()), run_(test), rx_(test),
          mrd_(test), mwr_(test), rsp_(test), done_(test), tx_(test),
          end_(test), tell_(test)
    {
        dut_.run_valid_i = 0;
        dut_.rx_valid_i = 0;
        dut_.head_valid_i = 0;
        dut_.note_valid_i = 0;
        dut_.tick_i = 0;
        dut_.mrd_rvalid_i = 0;
        dut_.mwr_done_i = 0;
        uint64_t keep = test.cycle;
        tb::reset(test_, dut_);
        test.cycle = keep;
    }

    ~Engine()
    {
        dut_.final();
    }

    void start(uint32_t addr)
    {
        runs_.push_back(addr);
    }

    void receive(const Packet &packet)
    {
        in_.push_back(packet);
    }

    void hear(const Note &note)
    {
        heard_.push_back(note);
    }

    bool idle()
    {
        return !dut_.busy_o && runs_.empty() && in_.empty() && heard_.empty();
    }

    // Packets that were dropped.
    unsigned bad()
    {
        return fates[UNCLAIMED] + fates[TWICE] + fates[UNENTITLED] +
               fates[FULL] + fates[STALE];
    }

    unsigned used()
    {
        return dut_.used_o;
    }

    const Vfsh_coll &model() const
    {
        return dut_;
    }

    void cycle()
    {
        drive();
        dut_.eval();
        observe();
        dut_.clk_i = 1;
        dut_.eval();
        dut_.clk_i = 0;
        dut_.eval();
    }

    std::vector<uint8_t> memory, host;
    std::vector<bool> posted; // which bytes of host memory
    std::deque<Packet> sent;
    std::deque<Note> told;
    std::deque<End> ends;
    std::array<unsigned, FATES> fates = {}; // packets, by what became of them
    bool hurry = false, tick = false;
    bool hold = false;             // no line but the first of a packet comes
    unsigned read_way = 0;         // latency of memory, in cycles
    unsigned places = UINT_MAX;    // for packets that go
    std::deque<uint64_t> in_place; // from when on each place is free again
    uint32_t broken_read = UINT32_MAX; // this line answers with an error

  private:
    struct Write {
        uint32_t addr;
        Line data;
        uint64_t strb;
        bool post;
    };

    // What a unit has under way.
    struct Way {
        std::deque<uint32_t> reads;
        std::deque<uint64_t> due;
        std::deque<Write> writes;
    };

    static const size_t BRIEF = 256; // SHORT of fsh_coll_pkg
    static const unsigned units = sizeof(Vfsh_coll::mrd_data_i) / 64;

    // Word i of a pin of any width.
    static uint32_t word(uint64_t pin, unsigned i)
    {
        return (uint32_t)(pin >> 32 * i);
    }
    template <size_t N> static uint32_t word(const VlWide<N> &pin, unsigned i)
    {
        return pin[i];
    }

    bool will(tb::Stall &stall)
    {
        bool willing = stall.willing();
        return hurry || willing;
    }

    void drive()
    {
        // What is offered stays until it is taken.
        run_on_ = run_on_ || (!runs_.empty() && will(run_));
        dut_.run_valid_i = run_on_;
        if (run_on_)
            dut_.run_addr_i = runs_.front();
        drive_head();
        // The lines of a short packet follow each other.
        rx_on_ = rx_on_ ||
                 (!in_.empty() && !(hold && in_line_ != 0) &&
                  ((in_line_ != 0 && in_.front().bytes <= BRIEF) || will(rx_)));
        dut_.rx_valid_i = rx_on_;
        if (rx_on_) {
            const Packet &p = in_.front();
            dut_.rx_first_i = in_line_ == 0;
            dut_.rx_last_i = in_line_ + 1 == p.lines.size();
            dut_.rx_bytes_i = p.bytes;
            dut_.rx_key_i = (uint64_t)p.source << 35 | key_of(p.addr);
            dut_.rx_eager_i = fsh_colladdr_eager(&p.addr);
            dut_.rx_whole_i = !p.piece;
            dut_.rx_line_i = p.at;
            for (int i = 0; i < 16; i++)
                dut_.rx_data_i[i] = p.lines[in_line_][i];
        }
        drive_memory();
        while (!in_place.empty() && in_place.front() <= test_.cycle)
            in_place.pop_front();
        dut_.tx_ready_i = will(tx_) && in_place.size() < places;
        dut_.end_ready_i = will(end_);
        dut_.tick_i = tick;
        dut_.tell_ready_i = will(tell_);
        dut_.note_valid_i =
            !heard_.empty() &&
            (dut_.ask_room_o || heard_.front().op != FSH_COLLMSG_ASK);
        if (dut_.note_valid_i) {
            const Note &n = heard_.front();
            dut_.note_i =
                (uint64_t)n.op << 41 | (uint64_t)n.source << 35 | n.key;
        }
    }

    // A packet begins to come before it is offered, by one lane or another; or does not.
    void drive_head()
    {
        dut_.head_valid_i = 0;
        if (in_line_ != 0 || rx_on_ || in_.empty() || test_.below(8) != 0)
            return;
        const Packet &p = in_[test_.below(std::min<size_t>(in_.size(), 3))];
        uint64_t key = (uint64_t)p.source << 35 | key_of(p.addr);
        unsigned lane = test_.below(2);
        dut_.head_valid_i = 1u << lane;
        for (unsigned bit = 0; bit < 41; bit++) {
            unsigned at = 41 * lane + bit;
            dut_.head_keys_i[at / 32] =
                (dut_.head_keys_i[at / 32] & ~(1u << at % 32)) |
                (uint32_t)(key >> bit & 1) << at % 32;
        }
    }

    void drive_memory()
    {
        unsigned reads = 0, writes = 0, there = 0, done = 0, bad = 0;
        for (unsigned u = 0; u < units; u++) {
            Way &way = way_[u];
            reads |= (way.reads.size() < 64 && will(mrd_)) << u;
            writes |= (way.writes.size() < 32 && will(mwr_)) << u;
            done |= (!way.writes.empty() && will(done_)) << u;
            if (way.reads.empty() || way.due.front() > test_.cycle ||
                !will(rsp_))
                continue;
            there |= 1u << u;
            Line line = {};
            uint64_t at = (uint64_t)way.reads.front() * 64;
            if (at + 64 > memory.size())
                test_.fail("read of line %x", way.reads.front());
            std::memcpy(line.data(), &memory[at], 64);
            for (int i = 0; i < 16; i++)
                dut_.mrd_data_i[16 * u + i] = line[i];
            bad |= (way.reads.front() == broken_read) << u;
        }
        dut_.mrd_ready_i = reads;
        dut_.mwr_ready_i = writes;
        dut_.mrd_rvalid_i = there;
        dut_.mrd_err_i = bad;
        dut_.mwr_done_i = done;
        dut_.mwr_err_i = 0;
    }

    void observe_memory(unsigned u)
    {
        Way &way = way_[u];
        auto is = [u](unsigned pin) { return (pin >> u & 1) != 0; };
        if (is(dut_.mrd_rvalid_i))
            way.reads.pop_front(), way.due.pop_front();
        if (is(dut_.mwr_done_i)) {
            apply(way.writes.front());
            way.writes.pop_front();
        }
        if (is(dut_.mrd_valid_o) && is(dut_.mrd_ready_i)) {
            way.reads.push_back(word(dut_.mrd_addr_o, u));
            way.due.push_back(test_.cycle + read_way);
        }
        if (is(dut_.mwr_valid_o) && is(dut_.mwr_ready_i)) {
            Write w = {word(dut_.mwr_addr_o, u),
                       {},
                       (uint64_t)word(dut_.mwr_strb_o, 2 * u + 1) << 32 |
                           word(dut_.mwr_strb_o, 2 * u),
                       is(dut_.mwr_post_o)};
            for (int i = 0; i < 16; i++)
                w.data[i] = word(dut_.mwr_data_o, 16 * u + i);
            way.writes.push_back(w);
        }
    }

    void observe()
    {
        for (unsigned u = 0; u < units; u++)
            observe_memory(u);
        if (run_on_ && dut_.run_ready_o) {
            runs_.pop_front();
            run_on_ = false;
        }
        if (rx_on_ && dut_.rx_ready_o) {
            rx_on_ = false;
            if (++in_line_ == in_.front().lines.size()) {
                in_line_ = 0;
                in_.pop_front();
            }
        }
        for (int i = 0; i < FATES; i++)
            fates[i] += dut_.fate_o >> i & 1;
        if (dut_.note_valid_i)
            heard_.pop_front();
        if (dut_.tell_valid_o && dut_.tell_ready_i) {
            uint64_t n = dut_.tell_o;
            told.push_back({node_, (unsigned)(n >> 35 & 63),
                            (unsigned)(n >> 41), n & 0x7ffffffffu});
        }
        if (dut_.tx_valid_o && dut_.tx_ready_i)
            collect();
        if (dut_.end_valid_o && dut_.end_ready_i) {
            uint64_t end = dut_.end_o;
            ends.push_back({(unsigned)(end >> 20 & 0x7ff),
                            (unsigned)(end >> 16 & 15),
                            (unsigned)(end >> 8 & 255), (unsigned)(end & 255)});
        }
    }

    void collect()
    {
        Line line;
        for (int i = 0; i < 16; i++)
            line[i] = dut_.tx_data_o[i];
        if (dut_.tx_first_o != out_.empty())
            test_.fail("a packet begins inside another");
        out_.push_back(line);
        if (!dut_.tx_last_o)
            return;
        Packet p = {node_, dut_.tx_dest_o, dut_.tx_addr_o, dut_.tx_bytes_o,
                    out_};
        if (p.lines.size() != std::max(1u, (p.bytes + 63) / 64))
            test_.fail("%zu lines of %u bytes", p.lines.size(), p.bytes);
        // Behind its last byte a packet has nothing in particular.
        uint8_t *data = (uint8_t *)p.lines.back().data();
        for (unsigned i = p.bytes % 64; i < 64 && (p.bytes % 64 || !p.bytes);
             i++)
            data[i] = (uint8_t)test_.bits();
        sent.push_back(p);
        out_.clear();
    }

    void apply(const Write &w)
    {
        const uint8_t *data = (const uint8_t *)w.data.data();
        if (((uint64_t)w.addr + 1) * 64 > memory.size())
            test_.fail("write of line %x", w.addr);
        for (int i = 0; i < 64; i++) {
            if (!(w.strb >> i & 1))
                continue;
            size_t at = (size_t)w.addr * 64 + i;
            (w.post ? host : memory)[at] = data[i];
            if (w.post)
                posted[at] = true;
        }
    }

    tb::Test &test_;
    unsigned node_;
    std::unique_ptr<VerilatedContext> context_;
    Vfsh_coll dut_;
    tb::Stall run_, rx_, mrd_, mwr_, rsp_, done_, tx_, end_, tell_;
    bool run_on_ = false, rx_on_ = false;
    std::deque<uint32_t> runs_;
    std::array<Way, units> way_;
    std::deque<Packet> in_;
    std::deque<Note> heard_;
    size_t in_line_ = 0;
    std::vector<Line> out_;
};

} // namespace coll

#endif
