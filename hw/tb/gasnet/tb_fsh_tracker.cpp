// SPDX-License-Identifier: BSD-3-Clause
// fsh_tracker against messages that know how many of their packets are still to
// come, however they are cut, without payload of the first one's perhaps: each is acted on
// once, when the last is there, with the first error of any; a message whose sender says
// that there is more never. All
// kinds of message, packets in any order over both receivers, tags and slots
// used again at once; ports in turn, by random routes; every request's budget comes back
// once; after a reset nothing is left of what was counted. Without stalls a
// packet costs the cycles that the block says.
#include <algorithm>
#include <memory>
#include <set>
#include <vector>
#include "effect.h"
#include "path.h"
#include "stream.h"
#include "Vfsh_tracker_six.h"
#include "Vfsh_tracker_two.h"

static const unsigned BUDGET = 32; // requests a receiver may have open
static const unsigned CLEAR = 64 * 64 + 2 * 64 * 16 + 8;
static const unsigned DRAIN = 4000;
static const unsigned OPEN = 6; // requests, and replies, with packets to give
static const unsigned LIMIT = 200000; // cycles of a round
static const unsigned ENOUGH = 50;    // replies while no request can come

template <class Model, unsigned PORTS> class Bench
{
    static constexpr unsigned EXIST = (1u << PORTS) - 1;

  public:
    explicit Bench(tb::Test &test)
        : test_(test), context_(test.context()),
          dut_(context_.get()), feed_{tb::Feed<Piece>(test),
                                      tb::Feed<Piece>(test)},
          acks_(PORTS, tb::Sink<Beat>(test, "ack")), entries_(test), tags_(test)
    {
    }

    ~Bench()
    {
        dut_.final();
    }

    // From a reset on; whether it ends in the middle of things.
    void round(unsigned messages, bool stalls, bool cut)
    {
        begin(!stalls);
        uint64_t start = test_.cycle;
        to_make_ = messages;
        cost_ = 0;
        test_.until(
            "messages to be taken", LIMIT,
            [this] { return to_make_ == 0 && open_.empty(); },
            [this] { cycle(); });
        if (!stalls && test_.cycle - start > cost_ + 20)
            test_.fail("%u cycles for packets that cost %u",
                       (unsigned)(test_.cycle - start), cost_);
        if (!cut)
            drain();
    }

    // No ack leaves until every request that may be open waits for one. The
    // queue has room for all of them, and replies get by.
    void dam()
    {
        begin(false);
        shut(true);
        to_make_ = ~0u;
        auto step = [this] { cycle(); };
        test_.until(
            "acks of all requests to wait", LIMIT,
            [this] { return ack_due_.size() == 2 * BUDGET; }, step);
        test_.until(
            "replies beside them", LIMIT, [this] { return beside_ >= ENOUGH; },
            step);
        shut(false);
        to_make_ = 0;
        test_.until(
            "messages behind the dam", LIMIT, [this] { return open_.empty(); },
            step);
        drain();
    }

    // One message as long as they get.
    void longest()
    {
        begin(true);
        Message m = {random_event(), {}, 0, false, 0};
        m.event.opcode = FSH_OP_PUT;
        m.event.reply = 0;
        m.event.multi = m.event.ack = 1;
        m.event.total = FSH_MAX_MESSAGE;
        m.parts.assign(FSH_MAX_MESSAGE / FSH_MAX_PACKET,
                       {FSH_MAX_PACKET / FSH_MIN_PACKET, FSH_MAX_PACKET});
        m.parts.push_back({units_of(true, 0, 0, FSH_MAX_MESSAGE), 0});
        m.left = (unsigned)m.parts.size();
        open_.push_back(std::make_shared<Message>(m));
        test_.until(
            "the longest message", LIMIT, [this] { return open_.empty(); },
            [this] { cycle(); });
        drain();
    }

    unsigned long long done = 0;

  private:
    void begin(bool hurry)
    {
        dut_.evt_valid_i = 0;
        dut_.route_i = 0;
        turn_ = Turn();
        routes_ = random_routes(test_);
        tb::reset(test_, dut_);
        for (auto &feed : feed_) {
            feed.clear();
            feed.hurry = hurry;
        }
        for (auto &acks : acks_) {
            acks.clear();
            acks.hurry = hurry;
        }
        hurry_ = hurry;
        entry_waits_ = false;
        beside_ = 0;
        due_.clear();
        ack_due_.clear();
        open_.clear();
        keys_.clear();
        open_requests_[0] = open_requests_[1] = 0;
        configure();
        clear();
    }

    void configure()
    {
        dut_.node_i = (uint8_t)test_.below(FSH_MAX_NODES);
        dut_.ports_i = (uint8_t)((unsigned)test_.bits() & EXIST);
        nodes_ = {dut_.node_i};
        for (unsigned i = 0; i < 3; i++)
            nodes_.push_back(test_.below(FSH_MAX_NODES));
    }

    void shut(bool shut)
    {
        for (auto &acks : acks_)
            acks.shut = shut;
    }

    // Nothing is taken before every tag was said to have ended, and nothing is
    // left to do of what was before the reset.
    void clear()
    {
        std::set<unsigned> ended;
        Piece piece = {nullptr, random_event()};

        for (unsigned i = 0; dut_.clear_o; i++) {
            dut_.route_i = i < FSH_MAX_NODES ? route_word(i, routes_[i]) : 0;
            dut_.evt_valid_i = (uint8_t)test_.below(4);
            dut_.evt0_i = dut_.evt1_i = piece.event.pack();
            dut_.tag_ready_i = tags_.willing();
            dut_.entry_ready_i = 1;
            dut_.ack_ready_i = EXIST;
            dut_.eval();
            if (dut_.evt_ready_o || !dut_.busy_o || i > CLEAR)
                test_.fail("taken while it clears, or it never ends");
            if (dut_.ack_valid_o || dut_.acked_o || dut_.release_o ||
                dut_.entry_valid_o || dut_.done_valid_o)
                test_.fail("acks %u, acked %u, release %u, entry %u, done %u "
                           "while it clears",
                           dut_.ack_valid_o, dut_.acked_o, dut_.release_o,
                           dut_.entry_valid_o, dut_.done_valid_o);
            if (dut_.tag_valid_o && dut_.tag_ready_i)
                ended.insert(dut_.tag_o);
            tb::edge(test_, dut_);
        }
        if (ended.size() != FSH_NUM_TAGS)
            test_.fail("%zu tags ended after reset", ended.size());
    }

    Event random_event()
    {
        static const unsigned opcodes[] = {
            FSH_OP_PUT, FSH_OP_PUT,     FSH_OP_PUT_ACK, FSH_OP_GET_REPLY,
            FSH_OP_GET, FSH_OP_LIBRARY, FSH_OP_CLIENT,  255};
        Event e = {};

        e.opcode = opcodes[test_.below(8)];
        e.src = nodes_.empty() ? 0 : nodes_[test_.below(4)];
        e.tag =
            test_.below(3) ? test_.below(FSH_NUM_TAGS) : 44 + test_.below(8);
        if (e.opcode >= FSH_OP_LIBRARY) {
            e.reply = test_.below(2);
            e.tag %= FSH_SLOTS_PER_PEER;
        } else if (e.opcode == FSH_OP_PUT) {
            e.reply = test_.below(4) == 0;
            e.ack = !e.reply && test_.below(4);
        } else {
            e.reply = e.opcode != FSH_OP_GET;
            e.ack = !e.reply; // refused
        }
        e.multi = e.opcode != FSH_OP_PUT_ACK && e.opcode != FSH_OP_GET &&
                  test_.below(2);
        return e;
    }

    // Messages of one sender (of a GET: of one initiator) and tag are not under
    // way together.
    unsigned key(const Event &e) const
    {
        if (e.opcode >= FSH_OP_LIBRARY)
            return 0x10000 | e.reply << 12 | e.src << 4 | e.tag;
        bool mine = e.opcode == FSH_OP_GET_REPLY || e.opcode == FSH_OP_PUT_ACK;
        return (mine ? dut_.node_i : e.src) << 6 | e.tag;
    }

    void make()
    {
        Message m = {random_event(), {}, 1, false, 0};

        m.key = key(m.event);
        if (opened(m.event.reply) >= OPEN || !keys_.insert(m.key).second)
            return;
        if (m.event.multi)
            m.left = 2 + test_.below(test_.below(8) ? 4 : 30);
        cut(m);
        m.broken = m.event.multi && test_.below(20) == 0;
        if (m.broken)
            m.event.total += FSH_MIN_PACKET * (1 + test_.below(20));
        open_.push_back(std::make_shared<Message>(m));
        to_make_--;
    }

    // A message as senders cut it, at multiples of their packet size; the first packet
    // has no payload perhaps.
    void cut(Message &m)
    {
        unsigned size = FSH_MIN_PACKET << test_.below(4);
        unsigned addr = test_.below(3) ? test_.below(size) : 0;
        unsigned from = addr;
        bool bare = m.event.multi && test_.below(2);

        for (unsigned i = 0; i < m.left; i++) {
            unsigned bytes = size - from % size;
            if (i == m.left - 1)
                bytes = 1 + test_.below(bytes);
            if (i == 0 && bare)
                bytes = 0;
            m.parts.push_back({from, bytes});
            from += bytes;
        }
        m.event.total = from - addr;
        for (size_t i = 0; i < m.parts.size(); i++)
            m.parts[i].units = units_of(i == 0, m.parts[i].units,
                                        m.parts[i].bytes, m.event.total);
    }

    unsigned opened(unsigned reply) const
    {
        return (unsigned)std::count_if(
            open_.begin(), open_.end(),
            [=](const auto &m) { return m->event.reply == reply; });
    }

    // A packet of any message, to any receiver.
    void give()
    {
        unsigned r = test_.below(2);

        if (to_make_ > 0)
            make();
        if (open_.empty() || feed_[r].waiting.size() > 2)
            return;
        size_t at = test_.below((uint32_t)open_.size());
        std::shared_ptr<Message> m = open_[at];
        bool request = !m->event.reply;
        if (request && open_requests_[r] == BUDGET)
            return;
        open_requests_[r] += request;
        std::swap(m->parts[test_.below((uint32_t)m->parts.size())],
                  m->parts.back());
        Piece piece = {m, m->event};
        piece.event.units = m->parts.back().units;
        piece.event.bytes = m->parts.back().bytes;
        if (test_.below(12) == 0)
            piece.event.status = 1 + test_.below(FSH_STATUS_MEMORY);
        if (m->event.multi && piece.event.status == FSH_STATUS_BUSY)
            piece.event.status = FSH_STATUS_OK; // of single packets only
        feed_[r].waiting.push_back(piece);
        m->parts.pop_back();
        if (m->parts.empty())
            open_.erase(open_.begin() + (long)at);
    }

    // The model: what the packet just taken leads to.
    void expect(unsigned r, const Piece &piece)
    {
        Message &m = *piece.message;
        const Event &e = m.event;
        Effect effect;
        bool all = --m.left == 0 && !m.broken;
        cost_ += !e.multi ? 2 : all ? 4 : 3;
        bool self = e.src == dut_.node_i;

        if (m.event.status == FSH_STATUS_OK)
            m.event.status = piece.event.status;
        if (!all) {
            effect.release = !e.reply ? 1u << r : 0;
        } else if (e.ack && !self) {
            Path path = routes_[e.src].of(EXIST, dut_.ports_i);
            unsigned port = turn_.next(path.ports ? path.ports : 1);
            unsigned vc = path.vcs >> port & 1;
            ack_due_.push_back({ack_header(e, dut_.node_i, vc), port, r});
        } else {
            effect.release = !e.reply ? 1u << r : 0;
            effect.finish(e);
        }
        if (effect.seen())
            due_.push_back(effect);
        if (all) {
            keys_.erase(m.key);
            done++;
        }
    }

    void cycle()
    {
        give();
        drive();
        look();
        look_acks();
        for (unsigned r = 0; r < 2; r++) {
            if (!(dut_.evt_valid_i & dut_.evt_ready_o & 1u << r))
                continue;
            beside_ += ack_due_.size() == 2 * BUDGET;
            expect(r, feed_[r].front());
            feed_[r].taken();
        }
        if ((dut_.evt_valid_i & dut_.evt_ready_o) == 3)
            test_.fail("two packets taken at once");
        tb::edge(test_, dut_);
    }

    void drive()
    {
        dut_.route_i = 0;
        bool offers[2] = {feed_[0].offer(), feed_[1].offer()};
        dut_.evt_valid_i = (uint8_t)(offers[0] | offers[1] << 1);
        dut_.evt0_i = offers[0] ? feed_[0].front().event.pack() : test_.bits();
        dut_.evt1_i = offers[1] ? feed_[1].front().event.pack() : test_.bits();
        dut_.ack_ready_i = 0;
        for (unsigned p = 0; p < PORTS; p++)
            dut_.ack_ready_i |= (uint8_t)(acks_[p].ready() << p);
        dut_.entry_ready_i = hurry_ || entries_.willing();
        dut_.tag_ready_i = hurry_ || tags_.willing();
        dut_.eval();
    }

    // What is seen in this cycle is what is due first.
    void look()
    {
        Effect seen;

        seen.release = dut_.release_o;
        if (dut_.tag_valid_o && dut_.tag_ready_i)
            seen.tag = dut_.tag_o;
        if (dut_.done_valid_o)
            seen.done = dut_.done_tag_o << 4 | dut_.done_status_o;
        if (dut_.entry_valid_o && dut_.entry_ready_i) {
            seen.ring = dut_.entry_ring_o;
            seen.entry = load(dut_.entry_o);
        }
        if ((!due_.empty() || !ack_due_.empty()) && !dut_.busy_o)
            test_.fail("not busy with something to do");
        look_entry();
        if (!seen.seen())
            return;
        if (due_.empty() || !(due_.front() == seen))
            test_.fail("release %u tag %d done %d ring %d entry %016llx, "
                       "instead of %u %d %d %d %016llx",
                       seen.release, seen.tag, seen.done, seen.ring,
                       (unsigned long long)seen.entry[0],
                       due_.empty() ? 0 : due_.front().release,
                       due_.empty() ? -1 : due_.front().tag,
                       due_.empty() ? -1 : due_.front().done,
                       due_.empty() ? -1 : due_.front().ring,
                       due_.empty()
                           ? 0ull
                           : (unsigned long long)due_.front().entry[0]);
        due_.pop_front();
        give_back(seen.release);
    }

    // An entry stays as it is until it is taken. It may be withdrawn while the
    // tag table takes nothing: an entry and the end of its tag are one.
    void look_entry()
    {
        Beat entry = load(dut_.entry_o);
        bool valid = dut_.entry_valid_o;
        bool withdrawn = entry_waits_ && !valid && dut_.tag_ready_i;

        if (withdrawn || (entry_waits_ && valid &&
                          (entry != entry_ || dut_.entry_ring_o != ring_)))
            test_.fail("an entry is withdrawn or changes");
        if (valid) {
            entry_ = entry;
            ring_ = dut_.entry_ring_o;
        }
        entry_waits_ =
            (valid || entry_waits_) && !(valid && dut_.entry_ready_i);
    }

    void give_back(unsigned receivers)
    {
        for (unsigned r = 0; r < 2; r++)
            if (receivers >> r & 1 && open_requests_[r]-- == 0)
                test_.fail("more requests given back than came");
    }

    void look_acks()
    {
        unsigned valid = dut_.ack_valid_o;
        Beat header = load(dut_.ack_o);

        bool left = false;

        for (unsigned p = 0; p < PORTS; p++)
            left |= acks_[p].take(valid >> p & 1, header);
        if (!left) {
            if (dut_.acked_o)
                test_.fail("an ack is said to have left, and has not");
            return;
        }
        if (ack_due_.empty())
            test_.fail("an ack that nobody waits for");
        const Ack &ack = ack_due_.front();
        if (header != ack.header || valid != 1u << ack.port ||
            dut_.acked_o != 1u << ack.receiver)
            test_.fail("ack %016llx at ports %u for %u, instead of %016llx at "
                       "port %u for receiver %u",
                       (unsigned long long)header[0], valid, dut_.acked_o,
                       (unsigned long long)ack.header[0], ack.port,
                       ack.receiver);
        ack_due_.pop_front();
        give_back(dut_.acked_o);
    }

    void drain()
    {
        auto left = [this] {
            return !feed_[0].waiting.empty() || !feed_[1].waiting.empty() ||
                   !due_.empty() || !ack_due_.empty();
        };
        for (unsigned i = 0; left() || dut_.busy_o; i++) {
            if (i == DRAIN)
                test_.fail("%zu effects and %zu acks do not come", due_.size(),
                           ack_due_.size());
            cycle();
        }
        if (open_requests_[0] || open_requests_[1])
            test_.fail("%u and %u requests are not given back",
                       open_requests_[0], open_requests_[1]);
    }

    tb::Test &test_;
    std::unique_ptr<VerilatedContext> context_;
    Model dut_;
    tb::Feed<Piece> feed_[2];
    std::vector<tb::Sink<Beat>> acks_; // by port
    tb::Stall entries_, tags_;
    bool hurry_ = false, entry_waits_ = false;
    Beat entry_ = {}; // offered last, and its ring
    unsigned ring_ = 0;
    std::vector<unsigned> nodes_;
    Routes routes_;
    Turn turn_;                                  // of the acks
    std::vector<std::shared_ptr<Message>> open_; // with packets to give
    std::set<unsigned> keys_;
    std::deque<Effect> due_;
    std::deque<Ack> ack_due_;
    unsigned to_make_ = 0, cost_ = 0;
    unsigned beside_ = 0; // packets taken while no request may come
    unsigned open_requests_[2] = {};
};

template <class Bench> static unsigned long long run(tb::Test &test)
{
    Bench bench(test);

    for (int i = 0; i < 6; i++)
        bench.round(3000, i % 4 != 3, i % 2);
    bench.dam();
    bench.longest();
    return bench.done;
}

int main(int argc, char **argv)
{
    tb::Test test("tb_fsh_tracker", argc, argv);

    return test.pass(run<Bench<Vfsh_tracker_two, 2>>(test) +
                         run<Bench<Vfsh_tracker_six, 6>>(test),
                     "messages");
}
