// SPDX-License-Identifier: BSD-3-Clause
// Two link ports back to back: fsh_link_tx, a line of 1 to 40 cycles,
// fsh_link_rx, both ways; credits return in the boundary beats of the other
// way. Random packets of four sources, random stalls of every consumer, random
// routes, in rounds: load, in every second round with channels shut for good, then all
// open until all is delivered and both ports are idle. The model is a queue of packets for each
// channel and consumer, filled as the sender takes beats. What passes through does so by class:
// two sources at the sender, two consumers at the receiver, of which neither waits for the
// other. It leaves
// with one hop more on the vc of its route; what has no route, or made all its hops, is
// for here. Ports with more outputs: tb_fsh_router.
#include <algorithm>
#include "packets.h"
#include "path.h"
#include "Vfsh_link_rx.h"
#include "Vfsh_link_tx.h"

static const unsigned NODE[2] = {3, 60};
static const unsigned LOAD = 6000;   // cycles of load a round
static const unsigned DRAIN = 20000; // most that a drain may take
// Cycles in which a wish of others shows, and a packet begun before it leaves.
static const unsigned WANTED = 80;
static const unsigned STEADY = 7; // beats without a gap that let a packet begin
static const unsigned BOUND_LIMIT = 130; // packet beats between boundaries
static const unsigned FEW = 10;          // beats of what has room before others
// Beats held or set aside from which on a short packet waits on a channel that has more than
// its own: what may be decided meanwhile still fits, see fsh_link_tx.
static const unsigned FULL =
    FSH_LINK_BEATS - 2 * BRIEF - 2 * LONGEST - 2 * FEW - 7;
// Short packets that pass a long one without credit, and a few begun meanwhile.
static const unsigned PASSES = 8, MEANWHILE = 2;

struct Line {
    bool valid, bound;
    Beat beat;
};

static unsigned count16(uint64_t counts, unsigned vc)
{
    return (unsigned)(counts >> (vc * 16) & 0xffff);
}

// A packet as it is to be offered, and the channel on which it came.
struct Arrival {
    Packet packet;
    unsigned came;
};

// One consumer of a receiver (packets for here, or that pass through) and what
// it must still get.
struct Sink {
    explicit Sink(tb::Test &test, const char *name) : stall(test), name(name) {}

    tb::Stall stall;
    const char *name;
    std::deque<Arrival> expected[12];      // by queue: arrival_of
    size_t at = 0;                         // beats taken of the packet in front
    unsigned in = 0;                       // of this queue
    unsigned start = 4095, allowed = 4095; // queues that may start, and might
    unsigned shut = 0;                     // that may not in this whole round
    bool offered = false;
    // By the channel that they came on: packets, beats; begun, short and long.
    unsigned packets[4] = {}, gone[4] = {}, begun[2] = {}, requests = 0;
};

// A bulk packet in its queue.
struct Bulk {
    Packet packet;
    bool bad;
    size_t there; // beats of it
    size_t row;   // of these, before the first gap
    uint64_t at;  // cycle of the last of these
};

// A port: its two halves, their users, and the line that leaves it.
struct Port {
    Port(tb::Test &test, VerilatedContext *context)
        : tx(context), rx(context), seq(test), bulk(test),
          ack(test), fwd{Passing(test), Passing(test)},
          here(test, "here"), pass{Sink(test, "short ones passing"),
                                   Sink(test, "long ones passing")}
    {
    }

    unsigned index = 0;
    Vfsh_link_tx tx;
    Vfsh_link_rx rx;
    Sequencer seq;
    Source bulk;
    std::deque<Bulk> held[8]; // by queue: taken for it, not on the link
    Bulk *bulk_now = nullptr; // of them the one that is leaving
    size_t bulk_at = 0;
    bool bad = false, poison = false; // of what is taken; the last beat said so
    Packet drawn;                     // of bulk, the next one
    uint64_t next_bulk = 0,
             stands = 0;    // cycles: of the next reservation, without a beat
    unsigned wanted = 0;    // cycles for which others have wanted the link
    unsigned begun[2] = {}; // packets: bulk, long ones that pass through
    unsigned light = 0;     // of the former, those of small messages
    Source ack;
    Passing fwd[2]; // short ones, long ones
    Sink here, pass[2];
    std::deque<Line> line;
    Line next{}; // what must stand on the link in the next cycle
    bool fired = false;
    unsigned inside = 0;  // source of the packet that is leaving, one-hot
    unsigned leaving = 0; // channel it takes on the link
    Sink *to = nullptr;   // who gets it there,
    unsigned queue = 0;   // of which queue then
    Routes routes;        // of what arrives; port 0 is the way on
    unsigned sent[4] = {}, started[2] = {}, passed[8] = {}, since_bound = 0,
             owed = 0;
    unsigned requests = 0, sops[2] = {}, got_sops[2] = {};
    // Counts: told by the peer, freed in the last cycle, told to the peer.
    uint64_t told = 0, freed = 0, bound = 0;
};

class Bench
{
  public:
    explicit Bench(tb::Test &test)
        : test_(test), context_(test.context()), a_(test, context_.get()),
          b_(test, context_.get()), port_{&a_, &b_}
    {
        b_.index = 1;
        for (Port *p : port_) {
            p->tx.seq_take_i = p->tx.seq_valid_i = p->tx.ack_valid_i = 0;
            p->tx.bulk_take_i = p->tx.bulk_valid_i = 0;
            p->tx.fwd_valid_i = p->tx.fwd_started_i = p->tx.fwd_some_i = 0;
            p->tx.fwd_bad_i = 0;
            p->tx.credit_valid_i = p->rx.link_valid_i = 0;
            p->tx.freed_i = 0;
            p->rx.here_ready_i = p->rx.fwd_ready_i = 0;
            p->rx.here_start_i = p->rx.fwd_start_i = 0;
            p->rx.route_we_i = 0;
            p->rx.ports_i = 1;
            tb::reset(test_, p->tx);
            tb::reset(test_, p->rx);
        }
    }

    ~Bench()
    {
        for (Port *p : port_) {
            p->tx.final();
            p->rx.final();
        }
    }

    void round(bool shut)
    {
        for (unsigned s = 0; s < 2; s++) {
            Port &p = *port_[s];
            p.line.assign(1 + test_.below(40), Line{});
            p.rx.node_i = (uint8_t)NODE[s];
            p.rx.odd_i = test_.below(2);
            route(p);
        }
        shut_ = shut;
        for (Port *p : port_) {
            unsigned what = shut ? 1 + test_.below(3) : 0;
            p->here.shut = what & 1 ? 3u << test_.below(2) * 2 : 0;
            p->pass[0].shut = what & 2 ? 1u << test_.below(4) : 0;
            p->pass[1].shut = p->pass[0].shut;
        }
        loading_ = true;
        for (unsigned i = 0; i < LOAD; i++) {
            if (i == LOAD / 2) {
                hurry(shut);
                note();
            }
            cycle();
        }
        hurry(false);
        if (shut)
            flowed();
        loading_ = false;
        shut_ = false;
        for (Port *p : port_)
            p->here.shut = p->pass[0].shut = p->pass[1].shut = 0;
        drain();
    }

    // Everything wants the link, and no channel stops: 8 long packets pass through after one of the
    // node's, 4 after one of a small message; also where consumers are slow, so that credits are
    // what is wanted.
    void shares(bool slow)
    {
        shut_ = loading_ = true;
        slow_ = slow;
        hurry(true);
        unsigned cycles = slow ? 6 * LOAD : LOAD;
        for (unsigned i = 0; i < cycles; i++) {
            if (i == cycles / 4)
                for (Port *p : port_)
                    p->begun[0] = p->begun[1] = p->light = 0;
            cycle();
        }
        for (Port *p : port_) {
            unsigned due = 8 * p->begun[0] - 4 * p->light;
            if (4 * p->begun[1] < 3 * due || 8 * p->begun[1] > 9 * (due + 8))
                test_.fail("%u long packets pass through beside %u of the "
                           "node, %u of small messages",
                           p->begun[1], p->begun[0], p->light);
        }
        hurry(false);
        shut_ = loading_ = slow_ = false;
        drain();
    }

    // Nothing is freed, and long packets have all credits but what is kept: of that some short
    // ones take their share, then they wait as the long ones do.
    void kept()
    {
        shut_ = loading_ = only_ = true;
        hurry(true);
        for (Port *p : port_)
            p->here.shut = p->pass[0].shut = p->pass[1].shut = 15;
        for (unsigned i = 0; i < LOAD; i++)
            cycle();
        unsigned before[2];
        for (Port *p : port_) {
            before[p->index] = p->sops[1];
            for (unsigned i = 0; i < 4 * PASSES; i++)
                p->fwd[0].queue[0].push_back(
                    random_packet(test_, 0, random_dst(p->index), true));
        }
        for (unsigned i = 0; i < LOAD; i++)
            cycle();
        for (Port *p : port_) {
            unsigned passed = p->sops[1] - before[p->index];
            if (passed < PASSES || passed > PASSES + MEANWHILE)
                test_.fail("%u short packets passed long ones without credit",
                           passed);
            p->here.shut = p->pass[0].shut = p->pass[1].shut = 0;
        }
        hurry(false);
        shut_ = loading_ = only_ = false;
        drain();
    }

    uint64_t packets = 0;
    unsigned most = 0;
    // Bulk that begins while others want the link: before its end is there, before half of it
    // is; by channel.
    unsigned early = 0, soon = 0, bulk[4] = {};

  private:
    void route(Port &p)
    {
        p.routes = random_routes(test_);
        p.rx.link_valid_i = 0;
        for (unsigned i = 0; i < FSH_MAX_NODES; i++) {
            p.rx.route_we_i = 1;
            p.rx.route_node_i = (uint8_t)i;
            p.rx.route_ports_i = p.routes[i].ports & 1;
            p.rx.route_vcs_i = p.routes[i].vcs & 1;
            p.rx.eval();
            tb::edge(test_, p.rx);
        }
        p.rx.route_we_i = 0;
    }

    // Channels of the link from port s on which something cannot go on: what came on
    // either vc may leave on the one that is shut.
    unsigned blocked(unsigned s) const
    {
        const Port &to = *port_[1 - s];
        unsigned pass = to.pass[0].shut;

        pass = (pass & 3 ? 3u : 0) | (pass & 12 ? 12u : 0);
        return to.here.shut | pass;
    }

    void hurry(bool on)
    {
        for (Port *p : port_)
            p->seq.hurry = p->ack.hurry = p->fwd[0].hurry = p->fwd[1].hurry =
                p->bulk.hurry = on;
    }

    void note()
    {
        for (Port *p : port_)
            for (unsigned vc = 0; vc < 4; vc++)
                noted_[p == &b_][vc] = arrived(*p, vc);
    }

    static unsigned arrived(const Port &p, unsigned vc)
    {
        return p.here.packets[vc] + p.pass[0].packets[vc] +
               p.pass[1].packets[vc];
    }

    // Every channel that nobody shuts has gone on since note().
    void flowed()
    {
        for (unsigned s = 0; s < 2; s++) {
            const Port &to = *port_[1 - s];
            for (unsigned vc = 0; vc < 4; vc++) {
                unsigned now = arrived(to, vc);
                if (!(blocked(s) >> vc & 1) && now < noted_[1 - s][vc] + 4)
                    test_.fail("channel %u of port %u stands, shut is %x", vc,
                               s, blocked(s));
            }
        }
    }

    void drain()
    {
        for (unsigned i = 0; !idle(); i++) {
            if (i == DRAIN)
                test_.fail("not idle after %u cycles: %s", i, what_is_left());
            cycle();
        }
        for (unsigned s = 0; s < 2; s++) {
            const Port &p = *port_[s];
            for (unsigned vc = 0; vc < 4; vc++)
                if (count16(p.told, vc) != (p.sent[vc] & 0xffff))
                    test_.fail("idle with %u beats sent on channel %u, %u told",
                               p.sent[vc] & 0xffff, vc, count16(p.told, vc));
            if (p.tx.bulk_ok_o != 15)
                test_.fail("idle, and room for bulk is %u", p.tx.bulk_ok_o);
            if (p.requests != p.here.requests)
                test_.fail("%u requests said to start, %u came", p.requests,
                           p.here.requests);
            if (p.sops[0] != p.got_sops[0] || p.sops[1] != p.got_sops[1])
                test_.fail("packets counted on port %u", s);
        }
        for (unsigned i = 0; i < 50; i++) {
            cycle();
            if (!idle())
                test_.fail("busy again without input");
        }
    }

    const char *what_is_left() const
    {
        for (Port *p : port_) {
            if (!p->seq.waiting.empty() || !p->ack.waiting.empty() ||
                !p->bulk.waiting.empty() || !p->fwd[0].empty() ||
                !p->fwd[1].empty())
                return "packets not sent";
            for (const auto &queue : p->held)
                if (!queue.empty())
                    return "bulk packets not sent";
            for (const Sink *sink : {&p->here, &p->pass[0], &p->pass[1]})
                for (const auto &queue : sink->expected)
                    if (!queue.empty())
                        return "packets not delivered";
            if (p->tx.busy_o || p->rx.busy_o)
                return "a port says busy";
        }
        return nullptr;
    }

    bool idle() const
    {
        for (Port *p : port_) {
            if (p->seq.deciding() || p->fired)
                return false;
            for (const Line &l : p->line)
                if (l.valid)
                    return false;
        }
        return what_is_left() == nullptr;
    }

    void cycle()
    {
        for (unsigned s = 0; s < 2; s++)
            receive(s);
        for (unsigned s = 0; s < 2; s++)
            send(s);
        for (Port *p : port_) {
            tb::edge(test_, p->tx);
            tb::edge(test_, p->rx);
        }
        test_.cycle -= 3; // four models, one cycle
    }

    // The receiving half: what arrives, what it offers, what it has freed.
    void receive(unsigned s)
    {
        Port &p = *port_[s], &from = *port_[1 - s];
        Line in = from.line.front();

        from.line.pop_front();
        p.rx.link_valid_i = in.valid;
        p.rx.link_bound_i = in.bound;
        store(p.rx.link_data_i, in.beat);
        for (unsigned l = 0; l < 2; l++) // counted a cycle later
            std::copy_n(p.pass[l].gone, 4, p.passed + 4 * l);
        starts(p.here, true);
        bool ready = shut_ && (!slow_ || test_.cycle % 4 == 0);
        p.rx.here_start_i = (p.here.start & 1) | (p.here.start >> 1 & 2) |
                            (p.here.start >> 2 & 4) | (p.here.start >> 3 & 8);
        p.rx.here_ready_i = ready || (!shut_ && p.here.stall.willing());
        p.rx.fwd_start_i = p.rx.fwd_ready_i = 0;
        for (unsigned l = 0; l < 2; l++) {
            starts(p.pass[l], false);
            p.rx.fwd_start_i |=
                (uint16_t)(p.pass[l].start & (l ? 0xff0 : 15)); // of its class
            bool takes = ready || (!shut_ && p.pass[l].stall.willing());
            p.rx.fwd_ready_i |= (uint8_t)(takes << l);
        }
        p.rx.eval();
        take(p.here, p.rx.here_valid_o, p.rx.here_ready_i, p.rx.here_last_o,
             load(p.rx.here_data_o));
        for (unsigned l = 0; l < 2; l++) {
            take(p.pass[l], p.rx.fwd_valid_o >> l & 1,
                 p.rx.fwd_ready_i >> l & 1, p.rx.fwd_last_o >> l & 1,
                 load(p.rx.fwd_data_o, l));
            if (p.pass[l].offered && (p.pass[l].in >= 4) != (l == 1))
                test_.fail("a packet of queue %u is among the %s ones",
                           p.pass[l].in, l ? "long" : "short");
        }
        unsigned held = 0;
        for (unsigned vc = 0; vc < 4; vc++) {
            unsigned gone = p.here.gone[vc] + p.passed[vc] + p.passed[4 + vc];
            if (count16(p.rx.freed_o, vc) != (gone & 0xffff))
                test_.fail("%u beats of channel %u freed, %u have left",
                           count16(p.rx.freed_o, vc), vc, gone & 0xffff);
            unsigned inside = from.sent[vc] - gone;
            held += std::max(inside, FSH_VC_BEATS);
        }
        most = std::max(most, held);
        if (held > FSH_LINK_BEATS)
            test_.fail("%u beats held or set aside, sent without room", held);
        for (unsigned l = 0; l < 2; l++) {
            if (p.started[l] != p.pass[l].begun[l])
                test_.fail("%u %s packets said to start, %u have", p.started[l],
                           l ? "long" : "short", p.pass[l].begun[l]);
            p.started[l] += p.rx.fwd_started_o >> l & 1;
        }
        p.requests += p.rx.here_request_o;
    }

    // Queues of which a packet may start in this cycle. Consumers of packets
    // for here know classes, requests and replies only.
    void starts(Sink &sink, bool pairs)
    {
        unsigned open = shut_ || test_.below(8) ? 4095 : test_.below(4096);

        open &= ~(sink.shut * 0x111);
        if (pairs)
            open = (open & 1 ? 0x3u : 0) | (open & 4 ? 0xcu : 0) |
                   (open & 16 ? 0x330u : 0) | (open & 64 ? 0xcc0u : 0);
        sink.allowed = sink.start;
        sink.start = open;
    }

    // What a sink is offered must be the next beat of a packet it waits for.
    void take(Sink &sink, bool valid, bool ready, bool last, const Beat &beat)
    {
        if (!valid) {
            if (sink.offered)
                test_.fail("%s: a beat is withdrawn", sink.name);
            return;
        }
        bool fresh = !sink.offered;
        if (fresh) {
            if (sink.at == 0)
                sink.in = arrival_of(beat);
            if (sink.at == 0 && !(sink.allowed >> sink.in & 1))
                test_.fail("%s: a packet of queue %u starts while shut",
                           sink.name, sink.in);
            sink.begun[sink.in >= 4] += sink.at == 0;
        }
        sink.offered = !ready;
        auto &queue = sink.expected[sink.in];
        if (queue.empty() || sink.at >= queue.front().packet.size())
            test_.fail("%s: a beat nobody sent, queue %u", sink.name, sink.in);
        sink.gone[queue.front().came] += fresh;
        if (beat != queue.front().packet[sink.at])
            test_.fail("%s: beat %zu of a packet of queue %u is another",
                       sink.name, sink.at, sink.in);
        if (!ready)
            return;
        if (last != (sink.at + 1 == length(queue.front().packet[0])))
            test_.fail("%s: last is %d on beat %zu, queue %u", sink.name, last,
                       sink.at, sink.in);
        sink.at++;
        if (last) {
            sink.at = 0;
            sink.packets[queue.front().came]++;
            sink.requests += sink.in % 4 < 2;
            queue.pop_front();
            packets++;
        }
    }

    unsigned random_dst(unsigned s)
    {
        unsigned peer = NODE[1 - s];

        return test_.below(2) ? peer : peer ^ 1u << test_.below(6);
    }

    // The sending half: its sources, what it takes of them, what leaves.
    void send(unsigned s)
    {
        Port &p = *port_[s];
        Vfsh_link_tx &tx = p.tx;

        tx.credit_valid_i = p.rx.credit_valid_o;
        tx.credit_i = p.rx.credit_o;
        tx.freed_i = p.rx.freed_o;
        if (tx.credit_valid_i)
            p.told = tx.credit_i;
        tx.eval();
        check_link(p);
        tx.seq_take_i = 0;
        tx.bulk_take_i = 0;
        if (const Packet *packet =
                p.seq.step(tx.short_ok_o, random_dst(s), loading_ && !only_)) {
            tx.seq_take_i = (uint8_t)(1 << channel(packet->front()));
            tx.seq_beats_i = (uint8_t)packet->size();
        }
        generate(s);
        hold(s);
        // A packet reserved in this cycle is there in the next.
        bool fresh = tx.seq_take_i && p.seq.waiting.size() == 1;
        tx.seq_valid_i = !fresh && p.seq.offer();
        tx.ack_valid_i = p.ack.offer();
        tx.fwd_valid_i = tx.fwd_last_i = 0;
        tx.fwd_some_i = 0;
        for (unsigned l = 0; l < 2; l++) {
            for (unsigned vc = 0; vc < 4; vc++)
                tx.fwd_some_i |=
                    (uint8_t)(!p.fwd[l].queue[vc].empty() << (4 * l + vc));
            if (!p.fwd[l].valid)
                continue;
            tx.fwd_valid_i |= (uint8_t)(1 << l);
            tx.fwd_last_i |= (uint8_t)(p.fwd[l].last << l);
            store(tx.fwd_data_i, p.fwd[l].beat, l);
        }
        bool want = tx.seq_valid_i || tx.ack_valid_i || tx.fwd_some_i;
        p.wanted = want ? p.wanted + 1 : 0;
        if (tx.seq_valid_i) {
            store(tx.seq_data_i, p.seq.beat());
            tx.seq_last_i = p.seq.last();
        }
        if (tx.ack_valid_i)
            store(tx.ack_data_i, p.ack.beat());
        tx.eval();
        p.got_sops[0] += tx.seq_sop_o;
        p.got_sops[1] += tx.fwd_sop_o;
        unsigned fwd_taken = tx.fwd_valid_i & tx.fwd_ready_o;
        unsigned taken = (unsigned)(tx.seq_valid_i && tx.seq_ready_o) |
                         (unsigned)(tx.ack_valid_i && tx.ack_ready_o) << 1 |
                         fwd_taken << 2;
        accept(s, taken);
        bool begins[2];
        for (unsigned l = 0; l < 2; l++) {
            unsigned ok = l ? tx.long_ok_o : tx.short_ok_o;
            begins[l] =
                p.fwd[l].step(tx.fwd_open_o ? ok : 0, fwd_taken >> l & 1);
        }
        tx.fwd_started_i = begins[0] || begins[1];
        tx.eval();
    }

    // A beat for the queue of bulk; its packets are reserved when they begin.
    void hold(unsigned s)
    {
        Port &p = *port_[s];
        Vfsh_link_tx &tx = p.tx;
        bool room = !tx.seq_take_i && test_.cycle >= p.next_bulk;

        tx.bulk_valid_i = 0;
        if (p.bulk.waiting.empty() && loading_ && !only_ && room) {
            // One that finds no room is the next one still, else few are long.
            if (p.drawn.empty())
                p.drawn =
                    random_packet(test_, test_.below(4), random_dst(s), false);
            unsigned vc = channel(p.drawn[0]);
            bool lengthy = is_long(p.drawn[0]) || p.drawn.size() > FEW;
            if (!(tx.bulk_ok_o >> (vc / 2 * 2 + lengthy) & 1))
                return;
            p.bulk.waiting.push_back(p.drawn);
            p.drawn.clear();
            p.bad = test_.below(8) == 0 && p.bulk.waiting.front().size() > 1;
            p.next_bulk = test_.cycle + 3;
            tx.bulk_take_i = (uint8_t)(1 << vc / 2);
            tx.seq_beats_i = (uint8_t)p.bulk.waiting.front().size();
            return;
        }
        // Now and then the memory stands.
        if (!p.bulk.hurry && test_.below(1000) == 0)
            p.stands = test_.cycle + 600;
        if (test_.cycle < p.stands || !p.bulk.offer())
            return;
        const Packet &packet = p.bulk.waiting.front();
        auto &queue = p.held[queue_of(packet.front())];
        if (p.bulk.first())
            queue.push_back({packet, p.bad, 0, 0, test_.cycle - 1});
        Bulk &bulk = queue.back();
        bulk.there++;
        if (bulk.at + 1 == test_.cycle) {
            bulk.at = test_.cycle;
            bulk.row++;
        }
        tx.bulk_valid_i = 1;
        put(tx.bulk_i, 0, 64, p.bulk.beat()[0]);
        put(tx.bulk_i, 64, 64, p.bulk.beat()[1]);
        put(tx.bulk_i, 128, 1, p.bulk.last() && p.bad);
        put(tx.bulk_i, 129, 1, p.bulk.last());
        put(tx.bulk_i, 130, 7, packet.size() - 1);
        put(tx.bulk_i, 137, 3, queue_of(packet.front()));
        p.bulk.taken();
    }

    void generate(unsigned s)
    {
        Port &p = *port_[s];

        if (!loading_)
            return;
        if (only_) {
            Packet packet = random_packet(test_, 0, random_dst(s), false);
            if (p.fwd[1].queue[0].size() < 3 && is_long(packet[0]))
                p.fwd[1].queue[0].push_back(packet);
            return;
        }
        if (p.ack.waiting.size() < 3)
            p.ack.waiting.push_back(
                random_packet(test_, 2 + test_.below(2), random_dst(s), true));
        for (unsigned vc = 0; vc < 4; vc++) {
            Packet packet = random_packet(test_, vc, random_dst(s), false);
            auto &queue = p.fwd[is_long(packet[0])].queue[vc];
            if (queue.size() < 3)
                queue.push_back(packet);
        }
    }

    // Beats taken of the sources in this cycle: one at most, packet by packet.
    void accept(unsigned s, unsigned taken)
    {
        Port &p = *port_[s];

        p.fired = taken != 0;
        p.next.valid = false;
        if (!taken)
            return;
        if ((taken & (taken - 1)) || (p.inside && taken != p.inside))
            test_.fail("port %u takes of sources %x inside a packet of %x", s,
                       taken, p.inside);
        Source &source = taken == 1 ? static_cast<Source &>(p.seq) : p.ack;
        bool passes = taken >= 4;
        const Passing &fwd = p.fwd[taken == 8];
        Beat beat = passes ? fwd.beat : source.beat();
        bool first = passes ? fwd.first : source.first();
        bool last = passes ? fwd.last : source.last();
        Beat offered = beat;
        if (first) {
            offered = begins(s, beat);
            p.sops[0] += taken == 1;
            p.sops[1] += passes;
            p.begun[1] += taken == 8;
        }
        p.to->expected[p.queue].back().packet.push_back(offered);
        p.next = {true, false, beat};
        p.sent[p.leaving]++;
        p.inside = last ? 0 : taken;
        if (!passes)
            source.taken();
    }

    // A packet begins to leave port s: its header where it comes to.
    Beat begins(unsigned s, const Beat &header)
    {
        Port &p = *port_[s];

        p.leaving = channel(header);
        Beat there = aim(s, header);
        p.to->expected[p.queue].push_back({{}, p.leaving});
        return there;
    }

    // A beat on the link that no source gave in the last cycle is of a bulk packet, the
    // next of its channel.
    void bulk_beat(unsigned s, const Beat &beat)
    {
        Port &p = *port_[s];
        Beat offered = beat;

        if (p.inside)
            test_.fail("a bulk beat inside a packet of source %x", p.inside);
        if (!p.bulk_now) {
            auto &queue = p.held[queue_of(beat)];
            if (queue.empty())
                test_.fail("the link shows a beat that nobody gave");
            p.bulk_now = &queue.front();
            p.bulk_at = 0;
            offered = begins(s, beat);
            p.sops[0]++;
            size_t follow = p.bulk_now->packet.size() - 1;
            bool half = p.bulk_now->there > follow - follow / 2;
            bool steady = p.bulk_now->row >= STEADY;
            if (p.wanted > WANTED && !half && !steady)
                test_.fail("others want port %u for %u cycles, and a bulk "
                           "packet begins of which %zu beats of %zu are there",
                           s, p.wanted, p.bulk_now->there, follow + 1);
            if (loading_)
                bulk[channel(beat)]++;
            p.begun[0] += is_long(beat);
            p.light += arrival_of(beat) >= 8;
            early += p.wanted > WANTED && !steady && p.bulk_now->there <= follow;
            soon += p.wanted > WANTED && !half;
        }
        const Packet &packet = p.bulk_now->packet;
        if (beat != packet[p.bulk_at])
            test_.fail("beat %zu of a bulk packet is another", p.bulk_at);
        bool last = ++p.bulk_at == packet.size();
        if (p.poison != (last && p.bulk_now->bad))
            test_.fail("beat %zu of %zu: poison is %d", p.bulk_at,
                       packet.size(), p.poison);
        p.to->expected[p.queue].back().packet.push_back(offered);
        p.sent[p.leaving]++;
        if (last) {
            p.held[queue_of(packet.front())].pop_front();
            p.bulk_now = nullptr;
        }
    }

    // Who gets the packet that leaves port s, and its header there.
    Beat aim(unsigned s, const Beat &header)
    {
        Port &p = *port_[s], &peer = *port_[1 - s];
        uint64_t dst = fsh_hdr_dst(header.data());
        const Path &path = peer.routes[dst];
        Beat on = next_header(header, path.vcs & 1);
        bool here = dst == NODE[1 - s] || !(path.ports & 1) ||
                    fsh_hdr_hops(header.data()) == FSH_MAX_HOPS;

        p.to = here ? &peer.here : &peer.pass[is_long(header)];
        p.queue = arrival_of(here ? header : on);
        return here ? header : on;
    }

    // The link shows what was taken in the last cycle, or a boundary beat with
    // what was freed until then, in time.
    void check_link(Port &p)
    {
        Line out = {p.tx.link_valid_o != 0, p.tx.link_bound_o != 0,
                    load(p.tx.link_data_o)};

        if (out.valid && out.bound) {
            if (p.next.valid)
                test_.fail("a boundary beat replaces a beat");
            p.poison = fsh_bound_poison(out.beat.data());
            if (out.beat != boundary(p.freed, p.poison))
                test_.fail("a boundary beat tells %016llx, not %016llx",
                           (unsigned long long)out.beat[0],
                           (unsigned long long)p.freed);
            p.bound = p.freed;
            p.since_bound = 0;
        } else if (out.valid && !p.next.valid) {
            bulk_beat(p.index, out.beat);
            p.poison = false;
            p.since_bound++;
        } else if (out.valid != p.next.valid || p.bulk_now ||
                   (out.valid && out.beat != p.next.beat)) {
            if (out.valid || p.next.valid)
                test_.fail("the link shows another beat than was taken");
        } else if (out.valid) {
            p.since_bound++;
        }
        p.freed = p.tx.freed_i;
        p.owed = p.freed != p.bound ? p.owed + 1 : 0;
        if (p.since_bound > BOUND_LIMIT && p.owed > 4)
            test_.fail("%u beats without a boundary", p.since_bound);
        p.line.push_back(out);
    }

    static Beat boundary(uint64_t freed, bool poison)
    {
        Beat beat = {freed, 0};

        fsh_bound_set_poison(beat.data(), poison);
        return beat;
    }

    tb::Test &test_;
    std::unique_ptr<VerilatedContext> context_;
    Port a_, b_;
    Port *port_[2];
    bool shut_ = false, loading_ = false, slow_ = false;
    bool only_ = false; // what passes through
    unsigned noted_[2][4] = {};
};

int main(int argc, char **argv)
{
    tb::Test test("tb_fsh_link", argc, argv);
    Bench bench(test);

    for (int i = 0; i < 60; i++)
        bench.round(i % 2);
    for (unsigned i = 0; i < 4; i++)
        bench.shares(i % 2);
    for (unsigned i = 0; i < 4; i++)
        bench.kept();
    // What is held to have happened at least once, and is rare, has more rounds to.
    for (int i = 0; bench.soon == 0 && i < 600; i++)
        bench.round(i % 2);
    unsigned total =
        bench.bulk[0] + bench.bulk[1] + bench.bulk[2] + bench.bulk[3];
    for (unsigned vc = 0; vc < 4; vc++)
        if (bench.bulk[vc] < total / 8)
            test.fail("of %u bulk packets %u on channel %u", total,
                      bench.bulk[vc], vc);
    if (bench.early == 0)
        test.fail("while others wanted the link, no bulk packet began before "
                  "its end was there");
    if (bench.soon == 0)
        test.fail("nor one of which half was not there, but came steadily");
    if (bench.most <= FULL)
        test.fail("never more than %u beats held or set aside", bench.most);
    return test.pass(bench.packets, "packets");
}
