// SPDX-License-Identifier: BSD-3-Clause
// fsh_dma between two memories that stall and answer when they like, against copies of bytes:
// moves of any length and alignment in both directions at once, some out of range, some that
// meet errors of a memory. Each ends once, in the order of its direction, when its writes have
// been answered; what it was to write is written and nothing else. Then its rate with memories
// that do not stall, each with the latency of the thing it stands for.
#include <cinttypes>
#include <cstring>
#include <deque>
#include <memory>
#include <vector>
#include "fsh_spec.h"
#include "memory.h"
#include "stream.h"
#include "Vfsh_dma.h"

static const unsigned LINE = 64, WAYS = 2, TO = 0, FROM = 1;
static const uint64_t HOST_BASE = UINT64_C(0x7fff12345000);
static const uint64_t SEG_BASE = UINT64_C(0x80000000);
static const unsigned MEMORY = 1u << 16; // of each: what moves may touch

using Line = std::array<uint32_t, LINE / 4>;

struct Move {
    unsigned tag, length;
    uint64_t host, card;
};

// Fields of the records on the ports, as fsh_axi_pkg has them: data lowest.
template <class Wide>
static uint64_t field(const Wide &from, unsigned bit, unsigned width)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < width; i++, bit++)
        value |= (uint64_t)(from[bit / 32] >> bit % 32 & 1) << i;
    return value;
}

template <class Wide>
static void set(Wide &to, unsigned bit, unsigned width, uint64_t value)
{
    for (unsigned i = 0; i < width; i++, bit++) {
        uint32_t one = 1u << bit % 32;
        to[bit / 32] =
            value >> i & 1 ? to[bit / 32] | one : to[bit / 32] & ~one;
    }
}

// A memory of bytes behind a port of lines.
class Side
{
  public:
    Side(tb::Test &test, const char *name, uint64_t base, unsigned most_read,
         unsigned most_written)
        : bytes(MEMORY), test_(test), name_(name), base_(base),
          most_read_(most_read), most_written_(most_written), aw_(test),
          w_(test), ar_(test), r_(test), b_(test)
    {
        for (unsigned char &byte : bytes)
            byte = (unsigned char)test.bits();
    }

    struct Out {
        bool awvalid, wvalid, wlast, arvalid;
        unsigned awlen, arlen;
        uint64_t awaddr, araddr, wstrb;
        Line wdata;
    };

    struct In {
        bool awready, wready, bvalid, berr, arready, rvalid, rerr;
        Line rdata;
    };

    In offer()
    {
        In in = {};
        in.awready = hurry || aw_.willing();
        in.wready = hurry || w_.willing();
        in.arready = hurry || ar_.willing();
        in.bvalid = answers_.due(test_.cycle) && (hurry || b_.willing());
        if (in.bvalid)
            in.berr = answers_.front();
        in.rvalid = asked_.due(test_.cycle) && (hurry || r_.willing());
        if (in.rvalid) {
            uint64_t at = asked_.front();
            in.rerr = spoilt(at);
            std::memcpy(in.rdata.data(), &bytes[at], LINE);
        }
        return in;
    }

    void take(const In &in, const Out &out)
    {
        if (in.bvalid) {
            answers_.pop();
            owed--;
        }
        if (in.rvalid)
            asked_.pop();
        if (out.arvalid && in.arready)
            read(out.araddr, out.arlen + 1);
        if (out.awvalid && in.awready) {
            burst(out.awaddr, out.awlen + 1, most_written_, "write");
            for (unsigned i = 0; i <= out.awlen; i++)
                open_.push_back(
                    {offset(out.awaddr) + i * LINE, i == out.awlen});
            owed++;
        }
        if (out.wvalid && in.wready)
            beats_.push_back(out);
        while (!open_.empty() && !beats_.empty())
            store();
    }

    bool spoilt(uint64_t at) const
    {
        return at / LINE == bad_line;
    }

    std::vector<unsigned char> bytes;
    std::vector<bool> written = std::vector<bool>(MEMORY); // by the block
    bool hurry = false;
    unsigned latency = 100;
    unsigned owed = 0;
    uint64_t bad_line = UINT64_MAX;
    unsigned long long lines_read = 0, lines_written = 0, bursts = 0;

  private:
    struct Place {
        uint64_t at;
        bool last;
    };

    uint64_t offset(uint64_t addr)
    {
        if (addr < base_ || addr - base_ > MEMORY - LINE)
            test_.fail("%s: a line at %" PRIx64 ", outside", name_, addr);
        return addr - base_;
    }

    void burst(uint64_t addr, unsigned lines, unsigned most, const char *what)
    {
        if (addr % LINE || addr / LINE % most + lines > most)
            test_.fail("%s: a %s of %u lines at %" PRIx64, name_, what, lines,
                       addr);
        bursts++;
    }

    uint64_t due(unsigned slowest)
    {
        return test_.cycle + (hurry ? slowest : 1 + test_.below(slowest));
    }

    void read(uint64_t addr, unsigned lines)
    {
        burst(addr, lines, most_read_, "read");
        uint64_t at = due(latency);
        for (unsigned i = 0; i < lines; i++)
            asked_.push(offset(addr + i * LINE), at);
        lines_read += lines;
    }

    void store()
    {
        const Out &beat = beats_.front();
        Place place = open_.front();
        if (beat.wlast != place.last)
            test_.fail("%s: last is %d at line %" PRIx64, name_, beat.wlast,
                       place.at);
        const unsigned char *data = (const unsigned char *)beat.wdata.data();
        for (unsigned i = 0; i < LINE; i++) {
            if (beat.wstrb >> i & 1) {
                bytes[place.at + i] = data[i];
                written[place.at + i] = true;
            }
        }
        burst_bad_ |= spoilt(place.at);
        lines_written++;
        if (place.last) {
            answers_.push(burst_bad_, due(hurry ? 4 : 40));
            burst_bad_ = false;
        }
        open_.pop_front();
        beats_.pop_front();
    }

    tb::Test &test_;
    const char *name_;
    uint64_t base_;
    unsigned most_read_, most_written_;
    tb::Stall aw_, w_, ar_, r_, b_;
    tb::Delay<bool> answers_;
    tb::Delay<uint64_t> asked_;
    std::deque<Place> open_;
    std::deque<Out> beats_;
    bool burst_bad_ = false;
};

class Bench
{
  public:
    explicit Bench(tb::Test &test)
        : host(test, "window", HOST_BASE, 64, 4),
          card(test, "segment", SEG_BASE, 1, 1), test_(test),
          context_(test.context()), dut_(context_.get()), gives_(test),
          ends_(test, "entry")
    {
        dut_.node_i = 5;
        dut_.host_base_i = HOST_BASE;
        dut_.host_size_i = MEMORY;
        dut_.seg_base_i = SEG_BASE;
        dut_.seg_size_i = MEMORY;
        dut_.move_valid_i = dut_.entry_ready_i = 0;
        for (unsigned i = 0; i < 17; i++)
            dut_.wide_rsp_i[i] = dut_.line_rsp_i[i] = 0;
        tb::reset(test_, dut_);
    }

    ~Bench()
    {
        dut_.final();
    }

    void give(unsigned way, const Move &move)
    {
        waiting_[way].push_back(move);
    }

    bool done() const
    {
        return waiting_[TO].empty() && waiting_[FROM].empty() &&
               inside_[TO].empty() && inside_[FROM].empty();
    }

    bool idle() const
    {
        return dut_.idle_o;
    }

    // The status that a move is to end with.
    unsigned status(unsigned way, const Move &m) const
    {
        const Side &from = way == TO ? host : card,
                   &to = way == TO ? card : host;
        if (way == TO ? m.host + m.length > MEMORY : m.card + m.length > MEMORY)
            return way == TO ? FSH_STATUS_LOCAL_RANGE : FSH_STATUS_REMOTE_RANGE;
        if (m.host + m.length > MEMORY)
            return FSH_STATUS_LOCAL_RANGE;
        if (m.card + m.length > MEMORY)
            return FSH_STATUS_REMOTE_RANGE;
        if (m.length != 0 &&
            (touches(from, way == TO ? m.host : m.card, m.length) ||
             touches(to, way == TO ? m.card : m.host, m.length)))
            return FSH_STATUS_MEMORY;
        return FSH_STATUS_OK;
    }

    void cycle()
    {
        Side::In wide = host.offer(), line = card.offer();
        put(dut_.wide_rsp_i, wide);
        put(dut_.line_rsp_i, line);
        bool inside = !inside_[TO].empty() || !inside_[FROM].empty();
        int way = choose();
        dut_.move_valid_i = way < 0 ? 0 : 1u << way;
        dut_.entry_ready_i = ends_.ready();
        dut_.eval();
        if (way >= 0) {
            if (!(dut_.move_room_o >> way & 1))
                test_.fail("no room for move %zu of way %d",
                           inside_[way].size(), way);
            inside_[way].push_back(waiting_[way].front());
            waiting_[way].pop_front();
        }
        if (dut_.idle_o && inside)
            test_.fail("idle with a move that has not ended");
        Side::Out wide_out = out_of(dut_.wide_req_o, true);
        Side::Out line_out = out_of(dut_.line_req_o, false);
        if (dut_.idle_o &&
            (wide.rvalid || wide.bvalid || line.rvalid || line.bvalid ||
             dut_.entry_valid_o || wide_out.arvalid || wide_out.awvalid ||
             wide_out.wvalid || line_out.arvalid || line_out.awvalid ||
             line_out.wvalid))
            test_.fail("idle with something under way");
        std::array<uint64_t, 2> entry = {
            (uint64_t)dut_.entry_o[0] | (uint64_t)dut_.entry_o[1] << 32,
            (uint64_t)dut_.entry_o[2] | (uint64_t)dut_.entry_o[3] << 32};
        if (ends_.take(dut_.entry_valid_o, entry))
            ended(entry);
        host.take(wide, wide_out);
        card.take(line, line_out);
        tb::edge(test_, dut_);
    }

    Side host, card;
    unsigned long long ends = 0, by_status[FSH_STATUS_COUNT] = {};
    bool hurry = false;

    void set_hurry(bool on)
    {
        hurry = host.hurry = card.hurry = ends_.hurry = on;
    }

  private:
    static bool touches(const Side &side, uint64_t at, unsigned length)
    {
        return side.bad_line >= at / LINE &&
               side.bad_line <= (at + length - 1) / LINE;
    }

    int choose()
    {
        unsigned way = test_.below(WAYS);
        if (waiting_[way].empty())
            way = 1 - way;
        if (waiting_[way].empty() || !(hurry || gives_.willing()))
            return -1;
        const Move &m = waiting_[way].front();
        set(dut_.move_i, 0, 40, m.host);
        set(dut_.move_i, 40, 40, m.card);
        set(dut_.move_i, 80, 24, m.length);
        set(dut_.move_i, 104, 6, m.tag);
        return (int)way;
    }

    static void put(VlWide<17> &to, const Side::In &in)
    {
        if (in.rvalid)
            for (unsigned i = 0; i < LINE / 4; i++)
                to[i] = in.rdata[i];
        to[16] = (uint32_t)(in.rerr | in.rvalid << 1 | in.arready << 2 |
                            in.berr << 3 | in.bvalid << 4 | in.wready << 5 |
                            in.awready << 6);
    }

    template <class Wide> static Side::Out out_of(const Wide &from, bool wide)
    {
        Side::Out out = {};
        unsigned a = wide ? 48 : 40, at = 512;
        for (unsigned i = 0; i < LINE / 4; i++)
            out.wdata[i] = from[i];
        out.wstrb = field(from, at, 64);
        out.araddr = field(from, at + 64, a);
        out.awaddr = field(from, at + 64 + a, a);
        at += 64 + 2 * a;
        if (wide) {
            out.arlen = (unsigned)field(from, at, 8);
            out.awlen = (unsigned)field(from, at + 8, 8);
            at += 16;
        }
        out.arvalid = field(from, at++, 1);
        out.wlast = wide ? field(from, at++, 1) : 1;
        out.wvalid = field(from, at++, 1);
        out.awvalid = field(from, at, 1);
        return out;
    }

    void ended(const std::array<uint64_t, 2> &entry)
    {
        const uint64_t *w = entry.data();
        unsigned way = fsh_ring_opcode(w) == FSH_OP_PUT ? TO : FROM;
        if (fsh_ring_kind(w) != FSH_CPL_TAGGED || fsh_ring_node(w) != 5 ||
            (way == FROM && fsh_ring_opcode(w) != FSH_OP_GET))
            test_.fail("a strange entry %" PRIx64, w[0]);
        if (inside_[way].empty())
            test_.fail("the end of a move that was not given");
        Move m = inside_[way].front();
        inside_[way].pop_front();
        if (fsh_ring_tag(w) != m.tag)
            test_.fail("the end of %u, not %u", (unsigned)fsh_ring_tag(w),
                       m.tag);
        unsigned is = (unsigned)fsh_ring_status(w), be = status(way, m);
        if (is != be)
            test_.fail("status %u, not %u, of %u bytes", is, be, m.length);
        uint64_t want[2] = {0, 0}; // nothing else in it
        fsh_ring_set_kind(want, FSH_CPL_TAGGED);
        fsh_ring_set_opcode(want, way == TO ? FSH_OP_PUT : FSH_OP_GET);
        fsh_ring_set_node(want, 5);
        fsh_ring_set_tag(want, m.tag);
        fsh_ring_set_status(want, is);
        if (w[0] != want[0] || w[1] != want[1])
            test_.fail("an entry %" PRIx64 " %" PRIx64 " with more in it", w[1],
                       w[0]);
        by_status[is]++;
        ends++;
        check(way, m, is);
    }

    // What the move has written since: of each direction there is one at a time whose
    // writes are not answered.
    void check(unsigned way, const Move &m, unsigned is)
    {
        const Side &from = way == TO ? host : card;
        Side &to = way == TO ? card : host;
        uint64_t a = way == TO ? m.host : m.card,
                 b = way == TO ? m.card : m.host;
        bool moved = is == FSH_STATUS_OK || is == FSH_STATUS_MEMORY;
        for (unsigned i = 0; moved && i < m.length; i++) {
            bool bad = is == FSH_STATUS_MEMORY;
            // After a line that cannot be read nothing more is written.
            if (to.written[b + i] && touches(from, a, m.length) &&
                (a + i) / LINE >= from.bad_line)
                test_.fail("byte %u of %u is written behind an error", i,
                           m.length);
            if (!to.written[b + i] && !bad)
                test_.fail("byte %u of %u is not written", i, m.length);
            if (to.written[b + i] && to.bytes[b + i] != from.bytes[a + i] &&
                !touches(from, a, m.length))
                test_.fail("byte %u of %u is wrong: from %" PRIx64
                           " to %" PRIx64,
                           i, m.length, a, b);
            to.written[b + i] = false;
        }
    }

    tb::Test &test_;
    std::unique_ptr<VerilatedContext> context_;
    Vfsh_dma dut_;
    tb::Stall gives_;
    tb::Sink<std::array<uint64_t, 2>> ends_;
    std::deque<Move> waiting_[WAYS], inside_[WAYS];
};

// Each direction has halves of its own, so that what is read does not change meanwhile; and
// its moves write next to each other, with a byte between them that nobody writes.
static void random_moves(tb::Test &test, Bench &bench, unsigned count)
{
    unsigned tag[WAYS] = {};
    for (unsigned way = 0; way < WAYS; way++) {
        uint64_t half = way * MEMORY / 2, next = half;
        unsigned longest = test.below(4) ? 300 : 6000;
        for (unsigned i = 0; i < count; i++) {
            Move m = {tag[way]++ % 32 + way * 32, test.below(longest), 0, 0};
            if (test.below(12) == 0)
                m.length = 64 * test.below(20);
            if (next + m.length > half + MEMORY / 2)
                break;
            uint64_t from = half + test.below(MEMORY / 2 - m.length + 1);
            uint64_t to = test.below(4) ? next : next + (from - next) % LINE;
            if (to + m.length > half + MEMORY / 2)
                break;
            next = to + m.length + test.below(70) + 1;
            if (test.below(10) == 0)
                (test.below(2) ? from : to) =
                    MEMORY - m.length / 2 + 1 +
                    test.below(2) * (UINT64_C(1) << 39);
            m.host = way == TO ? from : to;
            m.card = way == TO ? to : from;
            bench.give(way, m);
        }
    }
    test.until(
        "moves", 4000000, [&] { return bench.done(); }, [&] { bench.cycle(); });
    if (bench.host.owed || bench.card.owed)
        test.fail("ended with writes not answered");
    for (unsigned i = 0; i < MEMORY; i++)
        if (bench.host.written[i] || bench.card.written[i])
            test.fail("a byte at %x is written that no move has", i);
    test.until(
        "idle", 100, [&] { return bench.idle(); }, [&] { bench.cycle(); });
}

// A line and a half a cycle of the link are 48 bytes; each direction alone and both together,
// with 250 cycles from a read of the window to its data and 40 of the segment.
static void rate(tb::Test &test, Bench &bench, unsigned ways)
{
    const unsigned bytes = MEMORY / 2, moves = 8;
    bench.set_hurry(true);
    bench.host.latency = 250;
    bench.card.latency = 40;
    for (unsigned way = 0; way < WAYS; way++)
        for (unsigned i = 0; (ways >> way & 1) && i < moves; i++)
            bench.give(way, {i + way * 32, bytes, way * bytes, way * bytes});
    uint64_t from = test.cycle;
    test.until(
        "moves", 100000, [&] { return bench.done(); }, [&] { bench.cycle(); });
    double rate = (double)bytes * moves / (double)(test.cycle - from);
    std::printf("rate %u: %.1f bytes a cycle\n", ways, rate);
    if (rate < 48)
        test.fail("%.1f bytes a cycle", rate);
}

int main(int argc, char **argv)
{
    tb::Test test("tb_fsh_dma", argc, argv);
    unsigned long long ends = 0, bad = 0, refused = 0;

    for (int round = 0; round < 60; round++) {
        Bench bench(test);
        for (int again = 0; again < 4; again++) {
            bool spoil = test.below(3) == 0;
            bench.host.bad_line =
                spoil ? test.below(MEMORY / LINE) : UINT64_MAX;
            bench.card.bad_line =
                spoil ? test.below(MEMORY / LINE) : UINT64_MAX;
            random_moves(test, bench, 1 + test.below(60));
        }
        ends += bench.ends;
        bad += bench.by_status[FSH_STATUS_MEMORY];
        refused += bench.by_status[FSH_STATUS_LOCAL_RANGE] +
                   bench.by_status[FSH_STATUS_REMOTE_RANGE];
    }
    if (!bad || !refused)
        test.fail("%llu errors of memories, %llu refused", bad, refused);
    for (unsigned ways = 1; ways < 4; ways++) {
        Bench bench(test);
        rate(test, bench, ways);
    }
    return test.pass(ends, "moves");
}
