// SPDX-License-Identifier: BSD-3-Clause
// fsh_link_tx to fsh_link_rx and back, over wires of 30 cycles: packets of a
// sequencer, of acks and of four forwarded queues, random sizes, random stalls
// at every source and sink. Each packet arrives once, whole, uninterrupted in
// its channel, in the order of its source, marked local or not; the dateline
// is set where it must be; the assertions inside watch the credits. Then,
// without stalls, the share of cycles that carry packets of 1024 bytes.
#include <array>
#include <deque>
#include <vector>
#include "tb.h"
#include "Vtb_fsh_link_end.h"
#include "base/fsh_spec.h"

namespace {

constexpr unsigned Sources = 6; // sequencer, acks, forwarded queues 0..3
constexpr unsigned Wire = 30;   // cycles of a link, one way
constexpr unsigned Node = 7;    // what the receiving end calls itself

using Beat = std::array<uint32_t, 4>;

struct Packet {
    std::vector<Beat> beats;
    unsigned channel; // on the link: {reply, dateline}
    bool local;
};

struct Wired {
    bool valid = false, bound = false;
    Beat data{};
};

void put(uint32_t *bus, unsigned index, const Beat &beat)
{
    for (unsigned w = 0; w < 4; w++)
        bus[index * 4 + w] = beat[w];
}

Beat get(const uint32_t *bus, unsigned index)
{
    return {bus[index * 4], bus[index * 4 + 1], bus[index * 4 + 2],
            bus[index * 4 + 3]};
}

// A source of packets: waits, offers a packet's beats, goes on.
class Source
{
  public:
    Source(tb::Test &test, unsigned number, bool dateline)
        : stall(test), test_(test), number_(number), dateline_(dateline)
    {
    }

    // A new packet for the wire. Acks are one beat; full: 1024 bytes each.
    Packet make(bool full)
    {
        uint64_t header[2] = {test_.bits(), test_.bits()};
        bool ack = number_ == 1, forwarded = number_ >= 2;
        unsigned bytes = ack ? 0 : full ? 1024 : test_.below(1025);
        unsigned args = ack || full ? 0 : test_.below(17);
        unsigned vc = number_ - 2;
        Packet packet;

        if (!full && !ack && test_.below(2))
            bytes = test_.below(40);
        fsh_hdr_set_src(header, number_);
        fsh_hdr_set_dst(header, test_.below(2) ? Node : Node + 1);
        fsh_hdr_set_bytes(header, bytes);
        fsh_hdr_set_nargs(header, args);
        fsh_hdr_set_first(header, ack ? 0 : test_.below(2));
        fsh_hdr_set_dateline(header, forwarded ? vc & 1 : 0);
        if (ack)
            fsh_hdr_set_reply(header, 1);
        if (forwarded)
            fsh_hdr_set_reply(header, vc >> 1);
        if (full)
            fsh_hdr_set_addr(header, 0);
        unsigned count = 1;
        if (fsh_hdr_first(header))
            count += (args + 3) / 4;
        if (bytes)
            count += (unsigned)((fsh_hdr_addr(header) % 16 + bytes + 15) / 16);
        packet.local = fsh_hdr_dst(header) == Node;
        packet.beats.push_back({(uint32_t)header[0], (uint32_t)(header[0] >> 32),
                                (uint32_t)header[1],
                                (uint32_t)(header[1] >> 32)});
        for (unsigned i = 1; i < count; i++) {
            uint64_t low = test_.bits(), high = test_.bits();
            packet.beats.push_back({(uint32_t)low, (uint32_t)(low >> 32),
                                    (uint32_t)high, (uint32_t)(high >> 32)});
        }
        if (dateline_)
            fsh_hdr_set_dateline(header, 1);
        packet.channel = (unsigned)(fsh_hdr_reply(header) * 2 +
                                    fsh_hdr_dateline(header));
        return packet;
    }

    // What the other end must see, its header marked by the dateline.
    static Packet expected(Packet packet)
    {
        uint64_t header[2] = {
            packet.beats[0][0] | (uint64_t)packet.beats[0][1] << 32,
            packet.beats[0][2] | (uint64_t)packet.beats[0][3] << 32};

        fsh_hdr_set_dateline(header, packet.channel & 1);
        packet.beats[0][0] = (uint32_t)header[0];
        return packet;
    }

    std::deque<Packet> offered;
    size_t sent = 0; // beats of the first one
    tb::Stall stall;

  private:
    tb::Test &test_;
    unsigned number_;
    bool dateline_;
};

class End
{
  public:
    End(tb::Test &test, bool dateline)
        : test_(test), context_(test.context()), dut(context_.get()),
          issue_stall_(test)
    {
        for (unsigned s = 0; s < Sources; s++)
            sources.emplace_back(test, s, dateline);
        for (unsigned v = 0; v < 4; v++)
            sinks_.emplace_back(test);
        dut.node_i = Node;
        dut.dateline_i = dateline;
        dut.seq_take_i = 0;
        dut.seq_valid_i = 0;
        dut.ack_valid_i = 0;
        dut.fwd_valid_i = 0;
        dut.link_valid_i = 0;
        dut.ready_i = 0;
        tb::reset(test, dut);
    }

    ~End()
    {
        dut.final();
    }

    // Inputs of this cycle from what the registers show.
    void drive(const Wired &arriving, bool traffic, bool full)
    {
        dut.link_valid_i = arriving.valid;
        dut.link_bound_i = arriving.bound;
        put(dut.link_data_i, 0, arriving.data);
        issue(traffic, full);
        dut.fwd_valid_i = 0;
        dut.fwd_start_i = 0;
        dut.fwd_follow_i = 0;
        for (unsigned s = 1; s < Sources; s++)
            if (sources[s].offered.empty() && traffic && !full)
                sources[s].offered.push_back(sources[s].make(false));
        for (unsigned s = 0; s < Sources; s++)
            offer(s, full);
        dut.ready_i = 0;
        for (unsigned v = 0; v < 4; v++)
            if (full || sinks_[v].willing())
                dut.ready_i |= 1u << v;
        dut.eval();
    }

    // Takes note of the handshakes; called between eval and the edge.
    void observe(End &peer)
    {
        for (unsigned s = 0; s < Sources; s++) {
            Source &source = sources[s];
            if (!offers_[s] || !ready(s))
                continue;
            if (!starts_[s] && source.sent == 0)
                test_.fail("source %u: taken without start", s);
            if (++source.sent == source.offered.front().beats.size()) {
                peer.expect[s].push_back(
                    Source::expected(source.offered.front()));
                source.offered.pop_front();
                source.sent = 0;
            } else if (source.sent == 1) {
                peer.begun[s] = Source::expected(source.offered.front());
            }
        }
        for (unsigned v = 0; v < 4; v++)
            if ((dut.valid_o & dut.ready_i) >> v & 1)
                receive(v);
    }

    Wired sending()
    {
        Wired out;

        out.valid = dut.link_valid_o;
        out.bound = dut.link_bound_o;
        out.data = get(dut.link_data_o, 0);
        return out;
    }

  private:
    // The sequencer reserves first, and offers what it reserved in order.
    void issue(bool traffic, bool full)
    {
        Source &source = sources[0];

        dut.seq_take_i = 0;
        if (!traffic || source.offered.size() >= 4 ||
            !(full || issue_stall_.willing()))
            return;
        Packet packet = source.make(full);
        unsigned reply = packet.channel >> 1;
        if (!(dut.seq_ok_o >> reply & 1))
            return;
        dut.seq_take_i = (uint8_t)(1u << reply);
        dut.seq_beats_i = (uint8_t)packet.beats.size();
        source.offered.push_back(packet);
        fresh_ = source.offered.size() == 1;
    }

    void offer(unsigned s, bool full)
    {
        Source &source = sources[s];
        bool valid = !source.offered.empty() && !(s == 0 && fresh_);

        // A forwarded beat stays offered, as a queue's head does; the
        // sequencer may pause inside a packet when its data is late.
        if (valid && !full && (s == 0 || !offers_[s] || taken_[s]))
            valid = source.stall.willing();
        offers_[s] = valid;
        starts_[s] = valid && source.sent == 0 &&
                     (s < 2 || full || test_.below(4) != 0);
        Beat beat{};
        unsigned follow = 0;
        if (valid) {
            beat = source.offered.front().beats[source.sent];
            follow = (unsigned)source.offered.front().beats.size() - 1;
        }
        if (s == 0) {
            dut.seq_valid_i = valid;
            dut.seq_follow_i = (uint8_t)follow;
            put(dut.seq_data_i, 0, beat);
            fresh_ = false;
        } else if (s == 1) {
            dut.ack_valid_i = valid;
            put(dut.ack_data_i, 0, beat);
        } else {
            unsigned v = s - 2;
            dut.fwd_valid_i |= (uint8_t)(valid << v);
            dut.fwd_start_i |= (uint8_t)(starts_[s] << v);
            dut.fwd_follow_i |= follow << (v * 7);
            put(dut.fwd_data_i, v, beat);
        }
    }

    bool ready(unsigned s)
    {
        taken_[s] = s == 0   ? dut.seq_ready_o
                    : s == 1 ? dut.ack_ready_o
                             : dut.fwd_ready_o >> (s - 2) & 1;
        return taken_[s];
    }

    // A beat at the head of channel v is taken.
    void receive(unsigned v)
    {
        Beat beat = get(dut.data_o, v);
        bool sop = dut.sop_o >> v & 1;

        if (sop != (at_[v] == 0))
            test_.fail("channel %u: first-beat mark is %d on beat %zu", v, sop,
                       at_[v]);
        if (sop) {
            uint64_t header[2] = {beat[0] | (uint64_t)beat[1] << 32,
                                  beat[2] | (uint64_t)beat[3] << 32};
            from_[v] = (unsigned)fsh_hdr_src(header);
            if (from_[v] >= Sources)
                test_.fail("channel %u: no such source: %u", v, from_[v]);
        }
        // The end of a long packet may still be on its way to the wire.
        unsigned s = from_[v];
        const Packet &packet = expect[s].empty() ? begun[s] : expect[s].front();
        if (at_[v] >= packet.beats.size() || beat != packet.beats[at_[v]] ||
            packet.channel != v)
            test_.fail("channel %u, source %u: beat %zu of %zu is wrong", v, s,
                       at_[v], packet.beats.size());
        if (sop && (packet.local != (dut.local_o >> v & 1) ||
                    (dut.follow_o >> (v * 7) & 127) != packet.beats.size() - 1))
            test_.fail("channel %u, source %u: local or length is wrong", v, s);
        beats++;
        if (++at_[v] == packet.beats.size()) {
            at_[v] = 0;
            expect[s].pop_front();
            packets++;
        }
    }

    tb::Test &test_;
    std::unique_ptr<VerilatedContext> context_;

  public:
    Vtb_fsh_link_end dut;
    std::vector<Source> sources;
    std::deque<Packet> expect[Sources]; // on the wire or in a queue, whole
    Packet begun[Sources];              // the one that is being sent
    unsigned long long packets = 0, beats = 0;

  private:
    tb::Stall issue_stall_;
    std::vector<tb::Stall> sinks_;
    bool offers_[Sources] = {}, starts_[Sources] = {}, taken_[Sources] = {};
    bool fresh_ = false;
    size_t at_[4] = {};
    unsigned from_[4] = {};
};

class Pair
{
  public:
    Pair(tb::Test &test, bool dateline)
        : test_(test), a(test, dateline), b(test, dateline), to_a_(Wire),
          to_b_(Wire)
    {
    }

    void step(bool traffic, bool full)
    {
        to_b_.push_back(a.sending());
        to_a_.push_back(b.sending());
        a.drive(to_a_.front(), traffic, full);
        b.drive(to_b_.front(), traffic, full);
        to_a_.pop_front();
        to_b_.pop_front();
        a.observe(b);
        b.observe(a);
        tb::edge(test_, a.dut);
        tb::edge(test_, b.dut);
    }

    void drain()
    {
        for (int i = 0; i < 6000; i++)
            step(false, false);
        for (End *end : {&a, &b})
            for (unsigned s = 0; s < Sources; s++)
                if (!end->expect[s].empty() || !end->sources[s].offered.empty())
                    test_.fail("a packet of source %u was lost or is stuck", s);
        if (a.dut.busy_o || b.dut.busy_o)
            test_.fail("an idle link says it is busy");
    }

  private:
    tb::Test &test_;

  public:
    End a, b;

  private:
    std::deque<Wired> to_a_, to_b_;
};

} // namespace

int main(int argc, char **argv)
{
    tb::Test test("tb_fsh_link", argc, argv);
    unsigned long long packets = 0;

    for (bool dateline : {false, true}) {
        Pair link(test, dateline);
        for (int i = 0; i < 60000; i++)
            link.step(true, false);
        link.drain();
        packets += link.a.packets + link.b.packets;

        // Both directions full: 65 beats a packet, credits between them.
        for (int i = 0; i < 2000; i++)
            link.step(true, true);
        unsigned long long before = link.a.beats;
        const int window = 10000;
        for (int i = 0; i < window; i++)
            link.step(true, true);
        double share = (double)(link.a.beats - before) / window;
        std::printf("tb_fsh_link: %.2f %% of the cycles carry packets\n",
                    100 * share);
        if (share < 0.985)
            test.fail("only %.2f %% of the cycles carry packets", 100 * share);
        link.drain();
    }
    return test.pass(packets, "packets");
}
