// SPDX-License-Identifier: BSD-3-Clause
// fsh_rx, with fsh_judge and fsh_pend, against a model of what a packet can do:
// packets such as nodes send and forged ones, over links and loop, both channels,
// to memories that answer late and with errors. What is written is what the
// model says, to the byte; each packet is served, told of once its writes have
// their answers, in order, with the right status, or dropped and counted. No
// more requests are open than there is budget for, and each gives its unit
// back; replies sink while no answer leaves. Without stalls a beat a cycle. With one
// link, with and without the loop, and with three of a node with six ports.
#include <memory>
#include "forge.h"
#include "tags.h"
#include "memory.h"
#include "stream.h"
#include "Vfsh_rx_link.h"
#include "Vfsh_rx_loop.h"
#include "Vfsh_rx_many.h"

static const unsigned BUDGET = 32;
static const unsigned BESIDE = 400; // replies then; 3000 in most runs
static const unsigned ROW = 8;      // short packets before one that is not
static const unsigned DRAIN = 20000;

template <class Model, unsigned PORTS, unsigned LINKS, bool LOOP> class Bench
{
    static constexpr unsigned STREAMS = LINKS + LOOP;
    // Open requests at which they stop: two cycles' and four packets before that.
    static constexpr unsigned FULL = BUDGET - 2 * STREAMS - 4;

  public:
    explicit Bench(tb::Test &test)
        : test_(test), context_(test.context()), dut_(context_.get()),
          streams_(STREAMS, Stream(test)), memories_{tb::WriteMemory(test, 40),
                                                     tb::WriteMemory(test, 40)},
          gets_(test, "get"), events_(test, "event"), returns_(test),
          tags_(test, LOOP), forge_(test, node_, tags_.table)
    {
    }

    ~Bench()
    {
        dut_.final();
    }

    void round(unsigned cycles, unsigned forged)
    {
        begin(false);
        for (unsigned i = 0; i < cycles; i++) {
            if (i % 3000 == 0) {
                gets_.shut = test_.below(4) == 0;
                events_.shut = test_.below(4) == 0;
                dam_ = test_.below(4) == 0;
            }
            if (test_.below(200) == 0)
                tags_.change();
            generate(forged);
            cycle();
        }
        gets_.shut = events_.shut = dam_ = false;
        drain();
    }

    void pace()
    {
        unsigned beats = 0;

        begin(true);
        for (unsigned i = 0; i < 100; i++) {
            Header h = {};
            h.opcode = FSH_OP_PUT;
            h.category = FSH_CAT_LONG;
            h.src = (node_.node + 1) % node_.nodes;
            h.dst = node_.node;
            h.first = h.ack = 1;
            h.bytes = 1 + test_.below(FSH_MAX_PACKET);
            h.addr = test_.below(4096 - h.bytes + 1);
            streams_[0].queue[0].push_back({h, forge_.packet(h)});
            beats += (unsigned)streams_[0].queue[0].back().packet.size();
        }
        uint64_t start = test_.cycle;
        drain();
        if (test_.cycle - start > beats + 80)
            test_.fail("%u cycles for %u beats",
                       (unsigned)(test_.cycle - start), beats);
    }

    // While no answer left, and no request could start, replies came through.
    void dammed() const
    {
        if (most_open_ <= FULL || beside_ < BESIDE)
            test_.fail("%u requests open at most, %llu replies beside them",
                       most_open_, beside_);
        if (STREAMS > 1 && passed_ == 0)
            test_.fail("no short packet has gone before a long one");
    }

    unsigned long long packets = 0, dropped = 0, refused = 0;

  private:
    void begin(bool hurry)
    {
        hurry_ = hurry;
        place();
        tags_.fill(node_.nodes);
        for (unsigned i = 0; i < 2; i++) {
            memories_[i].hurry = hurry;
            memories_[i].errors = hurry ? 0 : 40;
        }
        gets_.hurry = events_.hurry = hurry;
        dut_.valid_i = dut_.request_i = dut_.budget_return_i = 0;
        dut_.route_i = 0;
        dut_.mem_bvalid_i = dut_.host_bvalid_i = dut_.tag_hold_i = 0;
        row_ = 0;
        tb::reset(test_, dut_);
        write_routes(test_, dut_, node_.routes);
    }

    void place()
    {
        node_.nodes = 2 + test_.below(FSH_MAX_NODES - 1);
        node_.node = test_.below(node_.nodes);
        node_.packet = FSH_MIN_PACKET << test_.below(4);
        node_.exist = (1u << PORTS) - 1;
        node_.ports = (unsigned)test_.bits() & node_.exist;
        node_.routes = random_routes(test_);
        node_.seg_base = test_.bits() & 0x7f'ffff'f000;
        node_.seg_size = 1 + (test_.bits() & 0x3f'ffff'ffff) % 0x3f'0000'0000;
        if (test_.below(2))
            node_.seg_size = 4096 + test_.below(100000);
        node_.slot_hdr = test_.bits() & 0x7f'fffc'0000;
        node_.slot_pay = test_.bits() & 0x7f'ff80'0000;
        dut_.node_i = (uint8_t)node_.node;
        dut_.nodes_i = (uint8_t)node_.nodes;
        dut_.ports_i = (uint8_t)node_.ports;
        dut_.packet_i = (uint16_t)node_.packet;
        dut_.seg_base_i = node_.seg_base;
        dut_.seg_size_i = node_.seg_size;
        dut_.slot_hdr_i = node_.slot_hdr;
        dut_.slot_pay_i = node_.slot_pay;
    }

    void generate(unsigned forged)
    {
        for (unsigned s = 0; s < STREAMS; s++) {
            Header h = forge_.header(from_loop(s), forged);
            auto &queue = streams_[s].queue[h.reply];
            if (queue.size() < 2)
                queue.push_back({h, forge_.packet(h)});
        }
    }

    void cycle()
    {
        bool working = open_ || !pending_.empty();

        drive();
        drive_answers();
        dut_.eval();
        ready();
        take_packets();
        take_writes();
        told();
        if (gets_.take(dut_.get_valid_o, load_get(dut_.get_o)))
            served();
        count();
        if (working && !dut_.busy_o)
            test_.fail("not busy with packets to tell of");
        start();
        dut_.eval();
        tag_table();
        tb::edge(test_, dut_);
        for (unsigned i = 0; i < 3; i++)
            dut_.tag_i[i] = tags_.read[i];
        dut_.eval();
    }

    void drive()
    {
        dut_.valid_i = dut_.bad_i = 0;
        for (unsigned s = 0; s < STREAMS; s++) {
            Stream &stream = streams_[s];
            if (!stream.now.empty() && (hurry_ || stream.pace.willing()))
                stream.offered = true;
            Beat beat = {test_.bits(), test_.bits()};
            if (stream.offered) {
                const Packet &packet = stream.now.front().packet;
                bool last = stream.at + 1 == packet.size();
                if (stream.fresh)
                    bad_[s] = test_.below(20) == 0;
                stream.fresh = false;
                dut_.valid_i |= 1 << s;
                dut_.last_i = (uint8_t)((dut_.last_i & ~(1 << s)) | last << s);
                dut_.bad_i |= (uint8_t)((last && bad_[s] && !hurry_) << s);
                beat = packet[stream.at];
            }
            store(dut_.data_i, beat, s);
        }
        dut_.tag_hold_i = tags_.held();
        dut_.get_ready_i = gets_.ready();
        dut_.coll_room_i = 1;
        dut_.get_long_ok_i = 1; // fsh_served has a bench of its own
        dut_.evt_ready_i = events_.ready();
        dut_.budget_return_i = 0;
        for (unsigned i = 0; i < 2; i++)
            if (owed_ && !dam_ && (hurry_ || returns_.willing())) {
                dut_.budget_return_i |= 1 << i;
                owed_--;
                open_--;
            }
    }

    void drive_answers()
    {
        for (unsigned m = 0; m < 2; m++) {
            auto &answers = memories_[m].answers;
            bool valid = answers.due(test_.cycle);
            bool error = valid ? answers.front().error : test_.below(2);
            (m ? dut_.host_bvalid_i : dut_.mem_bvalid_i) = valid;
            (m ? dut_.host_berr_i : dut_.mem_berr_i) = error;
            if (!valid)
                continue;
            answers.pop();
            Pending *p = pending(owners_[m].front());
            owners_[m].pop_front();
            if (!p)
                test_.fail("a packet is told of before its writes are done");
            p->waits[m]--;
            p->error |= error;
            waiting_[m]++;
            tainted_[m] |= error;
        }
    }

    Pending *pending(unsigned long long number)
    {
        return number < told_ ? nullptr : &pending_[number - told_];
    }

    // Which memory a write is for is known only now.
    void ready()
    {
        bool address[2], data[2];

        for (unsigned m = 0; m < 2; m++) {
            address[m] = memories_[m].address_ready();
            data[m] = memories_[m].data_ready();
        }
        dut_.awready_i = address[dut_.awhost_o & 1];
        dut_.wready_i = data[dut_.whost_o & 1];
        dut_.eval();
    }

    void take_packets()
    {
        unsigned taken = dut_.valid_i & dut_.ready_o;

        if (taken & (taken - 1))
            test_.fail("two beats taken at once");
        for (unsigned s = 0; s < STREAMS; s++) {
            Stream &stream = streams_[s];
            if (!(taken >> s & 1))
                continue;
            stream.offered = false;
            if (stream.at == 0) {
                in_turn(s);
                expect(s, stream.now.front());
            }
            if (++stream.at == stream.now.front().packet.size()) {
                stream.now.clear();
                stream.at = 0;
            }
        }
    }

    bool is_short(unsigned s) const
    {
        return streams_[s].now.front().header.bytes < FSH_LONG_BYTES;
    }

    // Of the packets offered, short ones go first, up to ROW while others wait.
    void in_turn(unsigned s)
    {
        bool short_waits = false, long_waits = false;

        for (unsigned i = 0; i < STREAMS; i++)
            if (i != s && dut_.valid_i >> i & 1)
                (is_short(i) ? short_waits : long_waits) = true;
        if (!is_short(s) && short_waits && row_ < ROW)
            test_.fail("stream %u: a long packet goes before short ones", s);
        passed_ += is_short(s) && long_waits;
        row_ = is_short(s) && long_waits ? row_ + 1 : 0;
        if (row_ >= ROW + STREAMS)
            test_.fail("%u short packets, and long ones wait", row_);
    }

    // The model: what comes of the packet whose header is taken.
    void expect(unsigned s, const Given &given)
    {
        const Header &h = given.header;
        const Tag &tag = tags_.table[h.tag % FSH_NUM_TAGS];
        Outcome o =
            Receive(node_, h, given.packet, tag, from_loop(s)).outcome();

        packets++;
        due_count_[h.reply].add(h.bytes);
        if (h.reply && open_ >= FULL)
            beside_++;
        dropped += o.drop;
        refused += o.refuse;
        if (o.drop) {
            open_ -= !h.reply;
            return;
        }
        if (o.served) {
            gets_due_.push_back(o.get);
            return;
        }
        Pending p = {o.event, {0, 0}, {0, 0}, false};
        for (const Write &write : o.writes) {
            due_[write.host].push_back({write, told_ + pending_.size()});
            p.writes[write.host]++;
            p.waits[write.host]++;
        }
        // A mark counts for what is written.
        // A packet of the collective engine is judged there.
        p.error = h.bytes && !o.refuse && !h.coll() && bad_[s] && !hurry_;
        pending_.push_back(p);
    }

    void take_writes()
    {
        if (dut_.awvalid_o && dut_.awready_i)
            memories_[dut_.awhost_o].address(dut_.awaddr_o, dut_.awlen_o);
        if (dut_.wvalid_o && dut_.wready_i)
            memories_[dut_.whost_o].data(load(dut_.wdata_o), dut_.wstrb_o,
                                         dut_.wlast_o);
        for (unsigned m = 0; m < 2; m++)
            for (; !memories_[m].done.empty(); memories_[m].done.pop_front())
                written(m, memories_[m].done.front());
    }

    void written(unsigned m, const tb::Burst &burst)
    {
        if (due_[m].empty())
            test_.fail("memory %u: a burst at %llx nobody asked for", m,
                       (unsigned long long)burst.addr);
        const Write &write = due_[m].front().write;
        if (burst.addr != write.addr || burst.strobes != write.strobes)
            test_.fail("memory %u: %u beats at %llx, not %zu at %llx", m,
                       burst.beats, (unsigned long long)burst.addr,
                       write.data.size(), (unsigned long long)write.addr);
        size_t same = write.same(burst.data);
        if (same != write.data.size())
            test_.fail("memory %u: beat %zu at %llx is another", m, same,
                       (unsigned long long)burst.addr);
        owners_[m].push_back(due_[m].front().pending);
        due_[m].pop_front();
    }

    void told()
    {
        if (!events_.take(dut_.evt_valid_o, dut_.evt_o & ~STATUS)) {
            if (dut_.perf_written_o)
                test_.fail("a packet is counted that is not told of");
            return;
        }
        if (pending_.empty())
            test_.fail("told of a packet that did not come");
        const Pending p = pending_.front();
        if (p.waits[0] || p.waits[1])
            test_.fail("told of a packet with %u and %u writes to be done",
                       p.waits[0], p.waits[1]);
        judge(p);
        for (unsigned m = 0; m < 2; m++) {
            waiting_[m] -= p.writes[m];
            tainted_[m] = tainted_[m] && waiting_[m];
        }
        owed_ += !p.event.reply;
        pending_.pop_front();
        told_++;
    }

    // An error is told with the packet whose write failed, and may be told with
    // others that wait for the same memory.
    void judge(const Pending &p)
    {
        bool ok = p.event.status == FSH_STATUS_OK;
        bool may = ok && ((p.writes[0] && tainted_[0]) ||
                          (p.writes[1] && tainted_[1]));
        Event failed = p.event;
        failed.status = FSH_STATUS_MEMORY;
        bool bad = dut_.evt_o == failed.pack();

        if (ok && p.error ? !bad
                          : dut_.evt_o != p.event.pack() && !(may && bad))
            test_.fail("told %016llx, not %016llx; error %d, may be %d",
                       (unsigned long long)dut_.evt_o,
                       (unsigned long long)p.event.pack(), p.error, may);
        bool written = p.event.bytes && !(dut_.evt_o & STATUS);
        if (dut_.perf_written_o != written ||
            (written && dut_.perf_written_bytes_o != p.event.bytes))
            test_.fail("a packet of %u bytes is written, and counted: %d, %u",
                       p.event.bytes, dut_.perf_written_o,
                       dut_.perf_written_bytes_o);
    }

    void served()
    {
        Get get = load_get(dut_.get_o);

        if (gets_due_.empty() || gets_due_.front() != get)
            test_.fail("served: %02llx %016llx %016llx, not the next",
                       (unsigned long long)get[2], (unsigned long long)get[1],
                       (unsigned long long)get[0]);
        gets_due_.pop_front();
        open_--;
    }

    void count()
    {
        seen_dropped_ += dut_.dropped_o;
        seen_refused_ += dut_.perf_refused_o;
        if (dut_.perf_req_o)
            seen_count_[0].add(dut_.perf_bytes_o);
        if (dut_.perf_rep_o)
            seen_count_[1].add(dut_.perf_bytes_o);
    }

    // Streams that have nothing under way begin what may begin.
    void start()
    {
        dut_.request_i = 0;
        for (unsigned s = 0; s < STREAMS; s++) {
            Stream &stream = streams_[s];
            if (!stream.now.empty())
                continue;
            unsigned channel = test_.below(2);
            if (stream.queue[channel].empty() || !(dut_.start_o >> channel & 1))
                channel ^= 1;
            auto &queue = stream.queue[channel];
            if (queue.empty() || !(dut_.start_o >> channel & 1))
                continue;
            stream.now.push_back(queue.front());
            stream.fresh = true;
            queue.pop_front();
            if (channel == 0) {
                dut_.request_i |= 1 << s;
                open_++;
                most_open_ = std::max(most_open_, open_);
            }
        }
        if (open_ > BUDGET)
            test_.fail("%u requests open", open_);
    }

    void tag_table()
    {
        if (dut_.tag_re_o && (dut_.tag_hold_i || (LOOP && !dut_.tag_busy_o)))
            test_.fail("the tag table is read, and the other has it");
        tags_.step(dut_.tag_re_o, dut_.tag_o, dut_.tag_busy_o || hurry_);
    }

    bool left() const
    {
        for (const Stream &s : streams_)
            if (!s.queue[0].empty() || !s.queue[1].empty() || !s.now.empty())
                return true;
        return open_ || !pending_.empty() || !gets_due_.empty() ||
               !due_[0].empty() || !due_[1].empty() || dut_.busy_o;
    }

    void drain()
    {
        for (unsigned i = 0; left(); i++) {
            if (i == DRAIN)
                test_.fail("%zu packets not told of, %zu not served, %u "
                           "requests open, or busy for ever",
                           pending_.size(), gets_due_.size(), open_);
            cycle();
        }
        for (unsigned i = 0; i < 3; i++) // what is counted a little later
            cycle();
        if (seen_dropped_ != dropped || seen_refused_ != refused)
            test_.fail("%llu dropped of %llu, %llu refused of %llu",
                       seen_dropped_, dropped, seen_refused_, refused);
        for (unsigned c = 0; c < 2; c++)
            if (seen_count_[c] != due_count_[c])
                test_.fail("%llu packets of channel %u counted of %llu, %llu "
                           "bytes of %llu",
                           seen_count_[c].packets, c, due_count_[c].packets,
                           seen_count_[c].bytes, due_count_[c].bytes);
    }

    static bool from_loop(unsigned s)
    {
        return LOOP && s + 1 == STREAMS;
    }

    static const uint64_t STATUS = 15ull << 48; // of an event

    tb::Test &test_;
    std::unique_ptr<VerilatedContext> context_;
    Model dut_;
    std::vector<Stream> streams_;
    tb::WriteMemory memories_[2]; // device, host
    tb::Sink<Get> gets_;
    tb::Sink<uint64_t> events_;
    tb::Stall returns_;
    Node node_ = {};
    Tags tags_;
    Forge forge_;
    bool hurry_ = false, dam_ = false, bad_[STREAMS] = {};
    std::deque<Pending> pending_;
    unsigned long long told_ = 0;
    std::deque<Due> due_[2];
    std::deque<unsigned long long> owners_[2]; // of bursts to be answered
    std::deque<Get> gets_due_;
    unsigned waiting_[2] = {}; // answers of packets not told of
    bool tainted_[2] = {};     // one of them is an error
    unsigned open_ = 0, owed_ = 0, most_open_ = 0;
    unsigned row_ = 0; // short packets in a row while long ones waited
    unsigned long long passed_ = 0; // all of those
    unsigned long long beside_ = 0, seen_dropped_ = 0, seen_refused_ = 0;
    Count seen_count_[2], due_count_[2]; // by channel
};

template <class Bench> static unsigned long long run(tb::Test &test)
{
    Bench bench(test);

    for (unsigned i = 0; i < 6; i++)
        bench.round(60000, i % 3 * 3);
    bench.dammed();
    bench.pace();
    if (bench.dropped == 0 || bench.refused == 0)
        test.fail("%llu packets dropped, %llu refused", bench.dropped,
                  bench.refused);
    return bench.packets;
}

int main(int argc, char **argv)
{
    tb::Test test("tb_fsh_rx", argc, argv);

    return test.pass(run<Bench<Vfsh_rx_loop, 2, 1, true>>(test) +
                         run<Bench<Vfsh_rx_link, 2, 1, false>>(test) +
                         run<Bench<Vfsh_rx_many, 6, 3, true>>(test),
                     "packets");
}
