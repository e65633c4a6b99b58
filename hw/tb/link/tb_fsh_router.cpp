// SPDX-License-Identifier: BSD-3-Clause
// fsh_router with two ports and with six, against a queue of packets for each way
// through it: random route tables, packets of all lengths on all virtual channels from
// every link, from the sequencer's lanes and as acks, random stalls of every consumer,
// peers that return credits late. Every packet leaves by the port that its route and the
// parities name, whole, in the order of its input, output and channel, with one hop more
// and the vc of its next link; packets of either class in order; for here is what is addressed to the node, has no way on
// or made all its hops. Credits come back for the channel a beat came on, all of them,
// and no peer gets a beat that it has no room for. While one way stands, every other
// flows. Inputs that want one output take turns. A short packet passes long ones, and is
// not kept by those of its input for another output. Bulk of the node waits for what passes
// through, from any input, also while that waits for credit.
#include <algorithm>
#include <memory>
#include "packets.h"
#include "path.h"
#include "stream.h"
#include "Vfsh_router_six.h"
#include "Vfsh_router_two.h"

static const unsigned LANES = FSH_LANES;
static const unsigned DRAIN = 60000;

// A packet as it is to leave; came: by which port (behind those: sequencer, acks).
struct Due {
    Packet packet;
    unsigned came;
};

// Room that is taken or set aside of a buffer: each channel has at least its own.
static unsigned room(const unsigned *sent, const unsigned *freed)
{
    unsigned sum = 0;

    for (unsigned v = 0; v < 4; v++)
        sum += std::max(sent[v] - freed[v], FSH_VC_BEATS);
    return sum;
}

// The other end of a link: what it sends, and what it has of what it got.
struct Peer {
    explicit Peer(tb::Test &test) : source(test), back(test) {}

    // After a reset of the block.
    void clear()
    {
        now.clear();
        for (unsigned v = 0; v < 4; v++)
            got[v] = told[v] = freed[v] = sent[v] = returned[v] = 0;
    }

    // Room that it has taken with a packet more.
    unsigned held(unsigned vc, size_t beats) const
    {
        unsigned with[4];

        std::copy_n(sent, 4, with);
        with[vc] += (unsigned)beats;
        return room(with, returned);
    }

    Source source;
    tb::Stall back; // whether credits go back
    Packet now;     // that is being received
    std::deque<Due> *from = nullptr;
    unsigned got[4] = {}, told[4] = {}, freed[4] = {}; // beats, by channel
    unsigned sent[4] = {}, returned[4] = {};
    unsigned shut = 0; // channels of which it frees nothing
    bool slow = false; // it frees little at a time
};

template <class Model, unsigned PORTS> class Bench
{
    static constexpr unsigned SEQ = PORTS, ACK = PORTS + 1, BULK = PORTS + 2;

  public:
    explicit Bench(tb::Test &test)
        : test_(test), context_(test.context()), dut_(context_.get()),
          peers_(PORTS, Peer(test)), seq_(LANES, Source(test)),
          bulk_(LANES, Source(test)),
          here_(PORTS, tb::Sink<Beat>(test, "here")), starts_(test)
    {
    }

    ~Bench()
    {
        dut_.final();
    }

    // Everything at random.
    void round(unsigned cycles)
    {
        begin(random_routes(test_));
        hurry_ = test_.below(3) == 0;
        for (unsigned i = 0; i < cycles; i++) {
            generate();
            cycle();
        }
        drain();
    }

    // One channel of an output stands, as its peer frees nothing, with packets for it at
    // every input; all others flow.
    void beside(unsigned output, unsigned vc)
    {
        begin(random_routes(test_));
        hurry_ = true;
        peers_[output].shut = 1u << vc;
        stands_ = output * 4 + vc;
        // Fills what the peer has.
        for (unsigned i = 0; i < 3000; i++) {
            reserve(stands_);
            cycle();
        }
        for (unsigned i = 0; i < 60 * PORTS; i++)
            give(i % PORTS, random_packet(test_, test_.below(4),
                                          test_.below(FSH_MAX_NODES), false));
        auto moving = [this] { return left(true); };
        test_.until(
            "what goes other ways", DRAIN, [&] { return !moving(); },
            [this] { cycle(); });
        peers_[output].shut = 0;
        stands_ = ~0u;
        drain();
    }

    // All other ports have long packets for one, of small messages or bulk, and nothing else: in
    // turn.
    void turns(unsigned output)
    {
        Routes routes;
        unsigned rank = 1 + test_.below(2);

        for (Path &path : routes)
            path = {0, 1u << output};
        begin(routes);
        hurry_ = true;
        for (unsigned n = 0; n < 30; n++)
            for (unsigned p = 0; p < PORTS; p++)
                if (p != output) {
                    Packet packet = random_packet(test_, 0, other(), false);
                    while (fsh_hdr_hops(packet[0].data()) == FSH_MAX_HOPS ||
                           arrival_of(packet[0]) / 4 != rank ||
                           packet.size() < 20)
                        packet = random_packet(test_, 0, other(), false);
                    give(p, packet);
                }
        order_.clear();
        drain();
        // Once each has packets that wait, and as long as it has.
        for (size_t i = 2 * PORTS; i + 3 * PORTS < order_.size(); i++) {
            unsigned seen = 0;
            for (size_t k = i; k < i + PORTS - 1; k++)
                seen |= 1u << order_[k];
            if (seen != (((1u << PORTS) - 1) & ~(1u << output)))
                test_.fail("of packets %zu to %zu for port %u, from ports %x",
                           i, i + PORTS - 2, output, seen);
        }
        if (order_.size() != 30 * (PORTS - 1))
            test_.fail("%zu packets took turns", order_.size());
    }

    // While an input has long packets that leave one after the other, a short one of it
    // goes elsewhere, where nobody else goes or others do all the time: it waits for none of
    // them, but for those that its output takes from the others in between. One that goes the
    // same way waits for the packet on its way, as does a long one of a small message.
    void passes(bool others)
    {
        unsigned from = test_.below(PORTS);
        unsigned to = (from + 1 + test_.below(PORTS - 1)) % PORTS;
        unsigned aside = (from + 1 + test_.below(PORTS - 1)) % PORTS;
        while (aside == to)
            aside = (from + 1 + test_.below(PORTS - 1)) % PORTS;

        backlog(from, to, aside);
        std::deque<Due> &longs = through_[from][to][4];
        uint64_t limit = LATENCY + (others ? (FREE + PORTS) * FEW : 0);
        for (unsigned i = 0; i < 150 && others; i++) {
            keep(from, to, aside);
            cycle();
        }
        uint64_t took = cross(from, to, aside, others);
        if (took > limit || longs.empty())
            test_.fail("a short packet from port %u to %u took %llu cycles, "
                       "%zu long ones for port %u were left",
                       from, aside, (unsigned long long)took, longs.size(), to);
        drain();

        backlog(from, to, aside);
        took = cross(from, to, to, false);
        if (took > LONGEST + LATENCY || longs.empty())
            test_.fail("a short packet from port %u to %u took %llu cycles, "
                       "%zu long ones were left",
                       from, to, (unsigned long long)took, longs.size());
        drain();

        backlog(from, to, aside);
        took = cross(from, to, to, false, SMALL);
        if (took > 2 * LONGEST + LATENCY || longs.empty())
            test_.fail("a packet of a small message from port %u to %u took "
                       "%llu cycles, %zu long ones were left",
                       from, to, (unsigned long long)took, longs.size());
        drain();
    }

    // All other inputs have bulk for one output: a long packet of a small message waits for the one
    // on its way, for the one that has the turn, and for none of the others.
    void urgent()
    {
        unsigned from = test_.below(PORTS);
        unsigned to = (from + 1 + test_.below(PORTS - 1)) % PORTS;

        backlog(from, to, from, true);
        uint64_t took = cross(from, to, to, false, SMALL);
        for (unsigned p = 0; p < PORTS; p++)
            if (p != to && through_[p][to][4].empty())
                test_.fail("port %u has no bulk left for %u", p, to);
        if (took > 3 * LONGEST + LATENCY)
            test_.fail("a packet of a small message from port %u to %u took "
                       "%llu cycles beside bulk of all ports",
                       from, to, (unsigned long long)took);
        drain();
    }

    // An input has long packets for an output, of small messages or bulk, and so has the node,
    // while the peer there returns credits slowly, of several packets at a time: WEIGHT of those
    // that pass through, and some more where those find the credit first, then one of the node.
    void yields(unsigned from, unsigned to, bool small)
    {
        std::deque<Due> &transit = through_[from][to][small ? 8 : 4];
        Routes routes;

        for (Path &path : routes)
            path = {0, 1u << to};
        hurry_ = true;
        begin(routes);
        peers_[to].shut = 15;
        auto step = [&] {
            if (peers_[from].source.waiting.size() < 2)
                give(from, crossing(false, small ? SMALL : LONG));
            if (dut_.bulk_ok_o >> (2 * 2 * to + 1) & 1 &&
                bulk_[to % LANES].waiting.empty() && test_.cycle >= next_take_)
                take(to * 4, true, crossing(false, LONG));
            cycle();
        };
        for (unsigned i = 0; i < 6000; i++)
            step();
        order_.clear();
        peers_[to].slow = true;
        peers_[to].shut = 0;
        unsigned passed = 0, own = 0;
        for (size_t seen = 0; own < 6;) {
            test_.until(
                "a long packet to leave", DRAIN,
                [&] { return order_.size() > seen; }, step);
            if (transit.empty())
                test_.fail("port %u has nothing left for %u", from, to);
            if (order_[seen++] == from) {
                passed++;
                continue;
            }
            if (own++ && (passed < WEIGHT || passed > 2 * WEIGHT))
                test_.fail(
                    "%u long packets of %s from port %u leave by port %u "
                    "between two of the node",
                    passed, small ? "small messages" : "bulk", from, to);
            passed = 0;
        }
        peers_[to].slow = false;
        drain();
    }

    unsigned long long packets = 0, dead = 0, stuck = 0;

  private:
    // Beats of the longest packet and of those that others send; cycles through the node;
    // packets of others before one of an input that reads another (fsh_alloc).
    static constexpr unsigned LONGEST = 76, FEW = 12, LATENCY = 30, FREE = 8;
    // Long packets that pass through before one of the node (fsh_link_tx).
    static constexpr unsigned WEIGHT = 8;
    // A slow peer frees that many beats in that many cycles.
    static constexpr unsigned FREED = 200, PERIOD = 256;

    enum kind { SHORT, SMALL, LONG };

    // A packet that goes on, of few beats, or a long one of a small message or of another;
    // destinations of odd number have another output than those of even number.
    Packet crossing(bool odd, kind what)
    {
        for (;;) {
            unsigned dst = test_.below(FSH_MAX_NODES / 2) * 2 + odd;
            Packet packet = random_packet(test_, 0, dst, false);
            if (dst != node_ && fsh_hdr_hops(packet[0].data()) < FSH_MAX_HOPS &&
                arrival_of(packet[0]) / 4 == (what == SHORT  ? 0u
                                              : what == LONG ? 1u
                                                             : 2u) &&
                (what == SHORT ? packet.size() <= FEW : packet.size() >= 60))
                return packet;
        }
    }

    // Long packets wait at an input for an output, and now begin to leave.
    void backlog(unsigned from, unsigned to, unsigned aside, bool all = false)
    {
        std::deque<Packet> &waiting = peers_[from].source.waiting;
        Routes routes;

        for (unsigned i = 0; i < FSH_MAX_NODES; i++)
            routes[i] = {0, 1u << (i % 2 ? aside : to)};
        hurry_ = true;
        begin(routes);
        peers_[to].shut = 15;
        for (unsigned i = 0; i < 6000; i++) {
            for (unsigned p = 0; p < PORTS; p++)
                if ((p == from || (all && p != to)) &&
                    peers_[p].source.waiting.empty())
                    give(p, crossing(false, LONG));
            cycle();
        }
        peers_[to].shut = 0;
        test_.until(
            "the last to come in", DRAIN, [&] { return waiting.empty(); },
            [this] { cycle(); });
    }

    // Packets of all others go to an output, all the time.
    void keep(unsigned from, unsigned to, unsigned aside)
    {
        for (unsigned p = 0; p < PORTS; p++)
            if (p != from && p != to && p != aside &&
                peers_[p].source.waiting.size() < 2)
                give(p, crossing(true, SHORT));
    }

    // Cycles until a packet, once it is in, has left by port `way`.
    uint64_t cross(unsigned from, unsigned to, unsigned way, bool others,
                   kind what = SHORT)
    {
        std::deque<Due> &queue = through_[from][way][what == SMALL ? 8 : 0];
        std::deque<Packet> &waiting = peers_[from].source.waiting;
        auto step = [&] {
            if (others)
                keep(from, to, way);
            cycle();
        };

        give(from, crossing(way != to, what));
        test_.until(
            "the packet to come in", DRAIN, [&] { return waiting.empty(); },
            step);
        uint64_t since = test_.cycle;
        test_.until(
            "the packet to leave", DRAIN, [&] { return queue.empty(); }, step);
        return test_.cycle - since;
    }

    unsigned other() const
    {
        return (node_ + 1) % FSH_MAX_NODES;
    }

    void begin(const Routes &routes)
    {
        node_ = test_.below(FSH_MAX_NODES);
        routes_ = routes;
        in_use_ = hurry_ || test_.below(2) ? (1u << PORTS) - 1
                                           : (unsigned)test_.bits();
        dut_.take_i = dut_.bulk_take_i = dut_.bulk_valid_i = 0;
        dut_.seq_valid_i = dut_.ack_valid_i = dut_.here_ready_i = 0;
        dut_.here_start_i = dut_.link_rx_valid_i = dut_.link_rx_bound_i = 0;
        dut_.seq_port_i = 0;
        dut_.route_i = 0;
        configure();
        tb::reset(test_, dut_);
        write_routes(test_, dut_, routes_);
        for (unsigned p = 0; p < PORTS; p++) {
            peers_[p].clear();
            here_[p].clear();
            here_at_[p] = 0;
            here_from_[p] = nullptr;
        }
    }

    // As fsh_node_pkg::cfg_t: the node, and the ports in use.
    void configure()
    {
        for (unsigned i = 0; i < (CFG_BITS + 31) / 32; i++)
            dut_.cfg_i[i] = 0;
        set(CFG_PORTS, 6, in_use_ & 63);
        set(CFG_NODE, 8, node_);
    }

    // From the low end: slot_pay, slot_hdr, host_size, host_base, seg_size, seg_base;
    // ports, packet, nodes, node, hold, enable.
    static constexpr unsigned CFG_PORTS = 40 + 40 + 40 + 48 + 40 + 40;
    static constexpr unsigned CFG_NODE = CFG_PORTS + 6 + 11 + 8;
    static constexpr unsigned CFG_BITS = CFG_NODE + 8 + 2;

    void set(unsigned at, unsigned bits, unsigned value)
    {
        for (unsigned i = 0; i < bits; i++)
            dut_.cfg_i[(at + i) / 32] |= (value >> i & 1) << (at + i) % 32;
    }

    // The model: where a packet goes that comes by port p.
    unsigned output(unsigned p, const Beat &header)
    {
        const uint64_t *w = header.data();
        unsigned dst = (unsigned)fsh_hdr_dst(w), src = (unsigned)fsh_hdr_src(w);
        unsigned ways = routes_[dst].of((1u << PORTS) - 1, in_use_).ports;

        ways &= ~(1u << p);
        bool mine = dst == node_, end = fsh_hdr_hops(w) == FSH_MAX_HOPS;
        dead += !mine && end;
        stuck += !mine && !end && !ways;
        if (mine || end || !ways)
            return PORTS;
        bool highest = (src ^ dst ^ p) & 1;
        return highest ? 31 - (unsigned)__builtin_clz(ways)
                       : (unsigned)__builtin_ctz(ways);
    }

    // A packet comes in by port p.
    void give(unsigned p, Packet packet)
    {
        unsigned to = output(p, packet[0]);

        if (to < PORTS) {
            unsigned dst = (unsigned)fsh_hdr_dst(packet[0].data());
            Packet on = packet;
            on[0] = next_header(packet[0], routes_[dst].vcs >> to & 1);
            if (to * 4 + channel(on[0]) == stands_) {
                if (standing_[p] >= 2)
                    return; // so that they do not take all room of their input
                standing_[p]++;
            }
            through_[p][to][arrival_of(on[0])].push_back({on, p});
        } else {
            local_[p][arrival_of(packet[0])].push_back({packet, p});
        }
        peers_[p].source.waiting.push_back(packet);
    }

    void generate()
    {
        for (unsigned p = 0; p < PORTS; p++)
            if (peers_[p].source.waiting.size() < 3)
                give(p, random_packet(test_, test_.below(4),
                                      test_.below(FSH_MAX_NODES), false));
        if (acks_.size() < 2)
            ack(test_.below(PORTS));
        if (test_.below(8) == 0)
            reserve(test_.below(4 * PORTS));
    }

    void ack(unsigned port)
    {
        Packet packet = random_packet(test_, 2 + test_.below(2), other(), true);

        acks_.push_back({packet, port});
        through_[ACK][port][queue_of(packet[0])].push_back({packet, ACK});
    }

    // The sequencer's next packet, by port and channel, where there is room for it; one in
    // three cycles. Brief ones have credit of the link, bulk has room in the port's queue.
    void reserve(unsigned at)
    {
        bool bulk = test_.below(2);
        unsigned l = at / 4 % LANES;
        // {port, reply, long}: here all are reserved as long ones.
        bool ok =
            bulk ? dut_.bulk_ok_o >> (at / 2 * 2 + 1) & 1 : dut_.ok_o >> at & 1;

        if (!ok || test_.cycle < next_take_ || seq_[l].waiting.size() > 3 ||
            bulk_[l].waiting.size() > 3)
            return;
        Packet packet = random_packet(test_, at % 4, other(), false);
        if (!bulk && packet.size() > BRIEF)
            return;
        take(at, bulk, packet);
    }

    void take(unsigned at, bool bulk, const Packet &packet)
    {
        unsigned l = at / 4 % LANES;

        next_take_ = test_.cycle + 3;
        taken_ = at;
        taken_bulk_ = bulk;
        beats_ = (unsigned)packet.size();
        (bulk ? bulk_port_ : seq_port_)[l].push_back(at / 4);
        (bulk ? bulk_ : seq_)[l].waiting.push_back(packet);
        through_[bulk ? BULK : SEQ][at / 4][bulk ? queue_of(packet[0]) : at % 4]
            .push_back({packet, bulk ? BULK : SEQ});
    }

    void cycle()
    {
        drive();
        dut_.eval();
        for (unsigned p = 0; p < PORTS; p++) {
            leave(p);
            deliver(p);
        }
        accept();
        tb::edge(test_, dut_);
        dut_.take_i = dut_.bulk_take_i = 0;
        dut_.bulk_valid_i = 0;
        dut_.eval();
    }

    void drive()
    {
        bool take = taken_ < 4 * PORTS;
        dut_.take_i = take && !taken_bulk_ ? 1u << taken_ : 0;
        dut_.bulk_take_i = take && taken_bulk_ ? 1u << taken_ / 2 : 0;
        dut_.take_beats_i = (uint8_t)beats_;
        for (unsigned l = 0; l < LANES; l++) {
            drive_lane(l);
            drive_bulk(l);
        }
        taken_ = ~0u;
        dut_.ack_valid_i = 0;
        if (!acks_.empty()) {
            dut_.ack_valid_i = (uint8_t)(1u << acks_.front().came);
            store(dut_.ack_i, acks_.front().packet[0]);
        }
        dut_.here_start_i = hurry_ || starts_.willing() ? 15 : test_.below(16);
        dut_.here_ready_i = 0;
        dut_.link_rx_valid_i = dut_.link_rx_bound_i = 0;
        for (unsigned p = 0; p < PORTS; p++) {
            here_[p].hurry = hurry_;
            dut_.here_ready_i |= (uint8_t)(here_[p].ready() << p);
            send(p);
        }
    }

    void drive_lane(unsigned l)
    {
        Source &source = seq_[l];
        bool fresh = dut_.take_i && taken_ / 4 % LANES == l &&
                     source.waiting.size() == 1;
        bool valid = !fresh && source.offer();

        dut_.seq_valid_i =
            (uint8_t)((dut_.seq_valid_i & ~(1u << l)) | valid << l);
        dut_.seq_port_i &= ~(((1u << PORTS) - 1) << l * PORTS);
        if (!valid)
            return;
        dut_.seq_port_i |= 1u << (l * PORTS + seq_port_[l].front());
        dut_.seq_last_i =
            (uint8_t)((dut_.seq_last_i & ~(1u << l)) | source.last() << l);
        store(dut_.seq_data_i, source.beat(), l);
    }

    // A beat for the queue of a port, always taken; as fsh_seq_pkg::beat_t: follow, last,
    // bad, data.
    void drive_bulk(unsigned l)
    {
        Source &source = bulk_[l];
        bool fresh = dut_.bulk_take_i && taken_ / 4 % LANES == l &&
                     source.waiting.size() == 1;

        source.hurry = hurry_;
        dut_.bulk_valid_i &= ~(uint64_t)(((1u << PORTS) - 1) << l * PORTS);
        if (fresh || !source.offer())
            return;
        dut_.bulk_valid_i |= 1u << (l * PORTS + bulk_port_[l].front());
        unsigned at = l * BEAT_BITS;
        Beat beat = source.beat();
        put(dut_.bulk_i, at, 64, beat[0]);
        put(dut_.bulk_i, at + 64, 64, beat[1]);
        put(dut_.bulk_i, at + 128, 2, source.last() << 1);
        put(dut_.bulk_i, at + 130, 7, source.waiting.front().size() - 1);
        put(dut_.bulk_i, at + 137, 3, queue_of(source.waiting.front()[0]));
        if (source.last())
            bulk_port_[l].pop_front();
        source.taken();
    }

    static constexpr unsigned BEAT_BITS = 140;

    // What the peer of port p puts on the link in this cycle.
    void send(unsigned p)
    {
        Peer &peer = peers_[p];

        if (bound(peer)) {
            uint64_t credit = 0;
            for (unsigned v = 0; v < 4; v++) {
                peer.told[v] = peer.freed[v];
                credit |= (uint64_t)(peer.told[v] & 0xffff) << 16 * v;
            }
            dut_.link_rx_valid_i |= 1u << p;
            dut_.link_rx_bound_i |= 1u << p;
            store(dut_.link_rx_data_i, Beat{credit, 0}, p);
            return;
        }
        peer.source.hurry = hurry_;
        if (peer.source.waiting.empty())
            return;
        unsigned vc = channel(peer.source.waiting.front()[0]);
        size_t need = peer.source.waiting.front().size();
        if (peer.source.first() && peer.held(vc, need) > FSH_LINK_BEATS)
            return;
        if (!peer.source.offer())
            return;
        dut_.link_rx_valid_i |= 1u << p;
        store(dut_.link_rx_data_i, peer.source.beat(), p);
        peer.sent[vc]++;
        peer.source.taken();
    }

    // Whether it tells what it has freed.
    bool bound(Peer &peer)
    {
        bool owed = false;

        for (unsigned v = 0; v < 4; v++) {
            if (peer.slow)
                peer.freed[v] +=
                    test_.cycle % PERIOD == 0
                        ? std::min(peer.got[v] - peer.freed[v], +FREED)
                        : 0;
            else if (!(peer.shut >> v & 1) && (hurry_ || peer.back.willing()))
                peer.freed[v] = peer.got[v];
            owed |= peer.freed[v] != peer.told[v];
        }
        return owed && test_.below(hurry_ ? 8 : 32) == 0;
    }

    // A beat leaves by port p.
    void leave(unsigned p)
    {
        Peer &peer = peers_[p];
        Beat beat = load(dut_.link_tx_data_o, p);

        if (!(dut_.link_tx_valid_o >> p & 1))
            return;
        if (dut_.link_tx_bound_o >> p & 1) {
            credits(peer, beat[0]);
            return;
        }
        if (peer.now.empty())
            peer.from = find(p, beat);
        Due &due = peer.from->front();
        unsigned vc = channel(due.packet[0]);
        if (beat != due.packet[peer.now.size()])
            test_.fail("port %u: beat %zu of a packet is another", p,
                       peer.now.size());
        peer.now.push_back(beat);
        peer.got[vc]++;
        if (room(peer.got, peer.told) > FSH_LINK_BEATS)
            test_.fail("port %u: no room for a beat of channel %u", p, vc);
        if (peer.now.size() < due.packet.size())
            return;
        order_.push_back(due.came);
        peer.now.clear();
        peer.from->pop_front();
        packets++;
    }

    // Beats that are said to have left were sent; by the end it is all of them.
    void credits(Peer &peer, uint64_t counts)
    {
        for (unsigned v = 0; v < 4; v++) {
            unsigned step =
                ((unsigned)(counts >> 16 * v) - peer.returned[v]) & 0xffff;
            peer.returned[v] += step;
            if (peer.returned[v] > peer.sent[v])
                test_.fail("%u beats of channel %u freed of %u",
                           peer.returned[v], v, peer.sent[v]);
        }
    }

    std::deque<Due> *find(unsigned p, const Beat &header)
    {
        for (auto &from : through_) {
            for (unsigned l = 0; l < 12; l += 4) {
                auto &queue = from[p][l + channel(header)];
                if (!queue.empty() && queue.front().packet[0] == header)
                    return &queue;
            }
        }
        test_.fail("port %u: a header that is not next: %016llx %016llx", p,
                   (unsigned long long)header[0],
                   (unsigned long long)header[1]);
    }

    // The packet for here that port p is inside.
    const Packet &here_now(unsigned p) const
    {
        return here_from_[p]->front().packet;
    }

    // A beat for here, of port p. Long packets of a lane's ports follow each other, but for
    // the last beat, which may still be waiting.
    void deliver(unsigned p)
    {
        Beat beat = load(dut_.here_data_o, p);

        if (!here_[p].take(dut_.here_valid_o >> p & 1, beat))
            return;
        if (here_at_[p] == 0) {
            here_from_[p] = &local_[p][arrival_of(beat)];
            if (here_from_[p]->empty())
                test_.fail("port %u: a packet for here that nobody sent", p);
            for (unsigned q = p % LANES; q < PORTS && is_long(beat); q += LANES)
                if (q != p && here_at_[q] && is_long(here_now(q)[0]) &&
                    here_at_[q] + 1 < here_now(q).size())
                    test_.fail("ports %u and %u send long packets here", p, q);
        }
        auto &queue = *here_from_[p];
        if (beat != queue.front().packet[here_at_[p]])
            test_.fail("port %u: beat %zu for here is another", p, here_at_[p]);
        bool last = ++here_at_[p] == queue.front().packet.size();
        if (last != (dut_.here_last_o >> p & 1))
            test_.fail("port %u: last is not %d", p, last);
        if (!last)
            return;
        here_at_[p] = 0;
        queue.pop_front();
        packets++;
    }

    void accept()
    {
        for (unsigned l = 0; l < LANES; l++)
            if (dut_.seq_valid_i & dut_.seq_ready_o & 1u << l) {
                if (seq_[l].last())
                    seq_port_[l].pop_front();
                seq_[l].taken();
            }
        if (dut_.ack_valid_i & dut_.ack_ready_o)
            acks_.pop_front();
    }

    // Packets that have not left; stands: but those of the way that is shut.
    bool left(bool stands)
    {
        for (auto &from : through_)
            for (unsigned p = 0; p < PORTS; p++)
                for (unsigned q = 0; q < 12; q++)
                    if (!from[p][q].empty() &&
                        !(stands && p * 4 + q % 4 == stands_))
                        return true;
        for (auto &from : local_)
            for (auto &queue : from)
                if (!queue.empty())
                    return true;
        return false;
    }

    bool owes() const
    {
        for (const Peer &peer : peers_)
            for (unsigned v = 0; v < 4; v++)
                if (peer.returned[v] != peer.sent[v])
                    return true;
        return false;
    }

    void drain()
    {
        test_.until(
            "packets and credits", DRAIN,
            [this] { return !left(false) && !owes() && !dut_.busy_o; },
            [this] { cycle(); });
        for (unsigned &count : standing_)
            count = 0;
    }

    tb::Test &test_;
    std::unique_ptr<VerilatedContext> context_;
    Model dut_;
    std::vector<Peer> peers_;
    std::vector<Source> seq_, bulk_; // by lane
    std::vector<tb::Sink<Beat>> here_;
    tb::Stall starts_;
    std::deque<unsigned> seq_port_[LANES],
        bulk_port_[LANES]; // of what they send
    std::deque<Due> acks_; // with their port
    // By input, output and channel; by input and channel, for here.
    std::deque<Due> through_[PORTS + 3][PORTS][12], local_[PORTS][12];
    std::deque<Due> *here_from_[PORTS] = {};
    size_t here_at_[PORTS] = {};
    std::vector<unsigned> order_; // inputs of the packets that left
    Routes routes_;
    unsigned node_ = 0, in_use_ = 0, taken_ = ~0u, beats_ = 0;
    unsigned stands_ = ~0u, standing_[PORTS] = {};
    uint64_t next_take_ = 0;
    bool hurry_ = false, taken_bulk_ = false;
};

template <class Bench>
static unsigned long long run(tb::Test &test, unsigned ports)
{
    Bench bench(test);

    for (unsigned i = 0; i < 12; i++)
        bench.round(6000);
    for (unsigned i = 0; i < 8; i++)
        bench.beside(test.below(ports), i % 4);
    for (unsigned p = 0; p < ports; p++)
        bench.turns(p);
    for (unsigned i = 0; i < 8 && ports > 2; i++)
        bench.passes(i % 2);
    for (unsigned i = 0; i < 8 && ports > 2; i++)
        bench.urgent();
    for (unsigned i = 0; i < 2 * ports; i++)
        bench.yields(i / 2, (i / 2 + 1 + test.below(ports - 1)) % ports, i % 2);
    if (bench.dead == 0 || bench.stuck == 0)
        test.fail("%llu packets made all hops, %llu had no way", bench.dead,
                  bench.stuck);
    return bench.packets;
}

int main(int argc, char **argv)
{
    tb::Test test("tb_fsh_router", argc, argv);

    return test.pass(run<Bench<Vfsh_router_two, 2>>(test, 2) +
                         run<Bench<Vfsh_router_six, 6>>(test, 6),
                     "packets");
}
