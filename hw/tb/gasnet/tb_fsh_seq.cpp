// SPDX-License-Identifier: BSD-3-Clause
// fsh_seq, with its reads and its senders, against a model that cuts messages
// into packets: all kinds of command in all four contexts, odd sizes and
// alignments, every packet size, over one port, both, or the loop; memories
// that answer late, with gaps and errors. Each packet leaves once, whole, in the
// order of its message, on its port, with as many beats as were reserved, while
// there was room for them, and marked if a read of it failed; the source of a
// message is said to be read when it is. Nothing is read that is not sent. A
// channel that is shut holds up no message of the other, not for a cycle, and its
// port says that it stalls. Without stalls: cycles from load to header, and a long
// message at the pace of its port.
#include <memory>
#include "commands.h"
#include "contexts.h"
#include "memory.h"
#include "message.h"
#include "stream.h"
#include "Vfsh_seq.h"

static const unsigned DRAIN = 60000;
static const unsigned ROOM = FSH_VC_BEATS;
static const unsigned LATE = 60;   // cycles of a memory that does not stall
static const unsigned FLOW = 4;    // messages of a context that must get by
static const unsigned LATENCY = 5; // from load to header

class Bench
{
  public:
    explicit Bench(tb::Test &test)
        : test_(test), context_(test.context()),
          dut_(context_.get()), ports_{Port(test), Port(test)},
          loads_(test), rows_{tb::Feed<Beat>(test), tb::Feed<Beat>(test)},
          memories_{tb::ReadMemory(test), tb::ReadMemory(test)}, host_(test),
          commands_(test, model_.packet), contexts_(test)
    {
    }

    ~Bench()
    {
        dut_.final();
    }

    void round(unsigned packet, unsigned cycles)
    {
        begin(packet, false);
        unsigned shut = test_.below(8); // a channel of a port, or none
        std::fill_n(sent_, 4, 0);
        for (unsigned i = 0; i < cycles; i++) {
            if (i % 2000 == 0)
                change();
            shut_ = shut < 4 ? 1 << shut : 0;
            load(commands_.command());
            cycle();
        }
        for (unsigned at = 0; at < 4; at++)
            if ((shut >= 4 || shut % 2 != at / 2) && sent_[at] < FLOW)
                test_.fail("%u messages of channel %u from port %u", sent_[at],
                           at / 2, at % 2);
        shut_ = 0;
        for (Port &port : ports_)
            port.packets.shut = port.entries.shut = false;
        drain();
    }

    // From load to header, in an idle block.
    void latency()
    {
        begin(FSH_MAX_PACKET, true);
        for (unsigned i = 0; i < 20; i++) {
            Command c;
            c.opcode = FSH_OP_CLIENT;
            c.port = test_.below(2);
            c.reply = test_.below(2);
            at_once(c);
            drain();
        }
    }

    // While a message of one channel waits for a credit of one port, messages
    // of the other channel leave at either port as fast as ever, and so do
    // those of its own channel at the other port, unless it takes both.
    void beside(unsigned port, unsigned channel, bool stripe)
    {
        begin(FSH_MAX_PACKET, true);
        host_.slowest = memories_[0].slowest = memories_[1].slowest = LATE;
        shut_ = 1 << (2 * port + channel);
        Command stuck;
        stuck.opcode = FSH_OP_CLIENT;
        stuck.category = FSH_CAT_LONG;
        stuck.reply = channel;
        stuck.port = port ^ test_.below(stripe + 1);
        stuck.stripe = stripe;
        stuck.length = 5 * FSH_MAX_PACKET;
        load(stuck);
        for (unsigned i = 0; i < 300; i++)
            cycle();
        if (dut_.free_o >> (channel << 1 | stuck.port) & 1)
            test_.fail("a message has left without a credit");
        for (unsigned i = 0; i < 20; i++) {
            Command c;
            c.opcode = FSH_OP_CLIENT;
            c.reply = stripe || test_.below(2) ? channel ^ 1 : channel;
            c.port = c.reply == channel ? port ^ 1 : test_.below(2);
            at_once(c);
            for (unsigned k = 0; k < 10; k++)
                cycle();
        }
        shut_ = 0;
        drain();
    }

    // A long message at the pace of its port, off its lanes: without a gap in
    // any packet but where the header need not wait for what is read.
    void pace(unsigned lspace, bool others)
    {
        begin(FSH_MAX_PACKET, true);
        host_.slowest = memories_[0].slowest = memories_[1].slowest = LATE;
        others_ = others;
        Command c;
        c.opcode = FSH_OP_PUT;
        c.category = FSH_CAT_LONG;
        c.lspace = lspace;
        c.length = 65536;
        c.laddr = 16 * test_.below(4096) + 8;
        c.port = test_.below(2);
        load(c);
        uint64_t start = test_.cycle;
        bool early = lspace == FSH_SPACE_SEGMENT && !others;
        gapless_ = !early;
        header();
        if ((test_.cycle - start < LATE) != early)
            test_.fail("space %u: a header after %u cycles", lspace,
                       (unsigned)(test_.cycle - start));
        drain();
        gapless_ = false;
        if (test_.cycle - start > 64 * 65 + LATE + 20)
            test_.fail("64 KiB of space %u in %u cycles", lspace,
                       (unsigned)(test_.cycle - start));
    }

    unsigned long long packets = 0;

  private:
    // A Short, offered to a block that can send it.
    void at_once(const Command &c)
    {
        load(c);
        uint64_t start = test_.cycle;
        header();
        // pkt_valid_o of a cycle is looked at after its edge.
        if (test_.cycle - start != LATENCY)
            test_.fail("%u cycles from load to header",
                       (unsigned)(test_.cycle - start));
    }

    void header()
    {
        test_.until(
            "a header", DRAIN, [this] { return dut_.pkt_valid_o != 0; },
            [this] { cycle(); });
    }

    void begin(unsigned packet, bool hurry)
    {
        model_ = Model();
        model_.packet = packet;
        model_.node = test_.below(FSH_MAX_NODES);
        model_.seg_base = (test_.bits() & 0x3f'ffff'f000);
        model_.host_base = (test_.bits() & 0x3fff'ffff'f000);
        model_.memory.seed = test_.bits();
        model_.memory.errors = hurry ? 0 : 300;
        for (tb::ReadMemory *m : {&memories_[0], &memories_[1], &host_}) {
            m->clear();
            m->hurry = hurry;
        }
        hurry_ = hurry;
        for (unsigned p = 0; p < 2; p++) {
            ports_[p].packets.hurry = ports_[p].entries.hurry = hurry;
            rows_[p].hurry = hurry;
            for (unsigned c = 0; c < 2; c++)
                room_[p][c] = ROOM;
            room_[2][p] = ROOM;
        }
        dut_.load_valid_i = dut_.rows_valid_i = 0;
        dut_.mem_rvalid_i = dut_.host_rvalid_i = 0;
        dut_.node_i = (uint8_t)model_.node;
        dut_.packet_i = (uint16_t)packet;
        dut_.seg_base_i = model_.seg_base;
        dut_.host_base_i = model_.host_base;
        tb::reset(test_, dut_);
        dut_.eval();
    }

    // How slow memories are; now and then a port takes nothing for long, so that
    // all queues before it fill, or the host writer no entries.
    void change()
    {
        host_.slowest = memories_[0].slowest = memories_[1].slowest =
            1 + test_.below(test_.below(2) ? 20 : 400);
        for (Port &port : ports_) {
            port.packets.shut = test_.below(4) == 0;
            port.entries.shut = test_.below(4) == 0;
        }
    }

    // Offers a command in this cycle, if its context is free.
    void load(const Command &c)
    {
        unsigned at = c.reply << 1 | c.port;

        dut_.load_valid_i = 0;
        if (!(dut_.free_o >> at & 1) || !(hurry_ || loads_.willing()))
            return;
        if (c.window && !rows_[c.reply].waiting.empty())
            return; // the window waits for them
        auto words = c.words();
        store(dut_.load_i, words[0], 0);
        store(dut_.load_i, words[1], 1);
        dut_.load_valid_i = 1;
        dut_.load_port_i = c.port & 1;
        dut_.load_loop_i = c.loop;
        dut_.load_stripe_i = c.stripe;
        dut_.load_status_i = (uint8_t)c.status;
        offered_ = c;
    }

    void accept()
    {
        const Command &c = offered_;

        for (auto &packet : model_.packets(c))
            ports_[packet.first].next[c.reply << 1 | c.port].push_back(
                packet.second);
        if (c.window) {
            for (const Beat &row : c.rows)
                rows_[c.reply].waiting.push_back(row);
            rows_port_[c.reply] = c.port;
        }
        sent_[c.reply << 1 | c.port]++;
        contexts_.load(c);
    }

    void cycle()
    {
        drive();
        drive_memories();
        dut_.eval();
        bool loaded = dut_.load_valid_i && dut_.load_ready_o;
        contexts_.check(dut_.free_o, dut_.link_ok_i, dut_.stall_o);
        for (unsigned p = 0; p < 2; p++) {
            leave(p);
            told(p);
        }
        take();
        ask();
        for (unsigned c = 0; c < 2; c++)
            if (dut_.rows_valid_i & dut_.rows_ready_o & 1 << c)
                rows_[c].taken();
        if (!dut_.busy_o && left())
            test_.fail("not busy with packets to send");
        tb::edge(test_, dut_);
        if (loaded)
            accept();
        dut_.load_valid_i = 0;
        dut_.eval();
    }

    void drive()
    {
        dut_.link_ok_i = dut_.loop_ok_i = 0;
        for (unsigned c = 0; c < 2; c++) {
            for (unsigned p = 0; p < 2; p++)
                dut_.link_ok_i |= (room_[p][c] >= (int)LONGEST) << (2 * p + c);
            dut_.loop_ok_i |= (room_[2][c] >= (int)LONGEST) << c;
        }
        dut_.link_ok_i &= (uint8_t)~shut_;
        dut_.rows_valid_i = dut_.rows_port_i = 0;
        for (unsigned c = 0; c < 2; c++) {
            bool offers = rows_[c].offer();
            dut_.rows_valid_i |= (uint8_t)(offers << c);
            dut_.rows_port_i |= (uint8_t)(rows_port_[c] << c);
            Beat row = offers ? rows_[c].front() : Beat{test_.bits(), 0};
            if (c == 0)
                store(dut_.rows_req_i, row);
            else
                store(dut_.rows_rep_i, row);
        }
        dut_.pkt_ready_i = dut_.cpl_ready_i = dut_.others_i = 0;
        for (unsigned p = 0; p < 2; p++) {
            dut_.pkt_ready_i |= (uint8_t)(ports_[p].packets.ready() << p);
            dut_.cpl_ready_i |= (uint8_t)(ports_[p].entries.ready() << p);
            dut_.others_i |=
                (uint8_t)((hurry_ ? others_ : ports_[p].others.willing()) << p);
        }
    }

    void drive_memories()
    {
        dut_.mem_arready_i = dut_.mem_rvalid_i = dut_.mem_rerr_i = 0;
        for (unsigned p = 0; p < 2; p++) {
            tb::ReadMemory &m = memories_[p];
            dut_.mem_arready_i |= (uint8_t)(m.address_ready() << p);
            if (!m.offer())
                continue;
            uint64_t addr = m.front().addr;
            dut_.mem_rvalid_i |= 1 << p;
            dut_.mem_rerr_i |=
                (uint8_t)(model_.memory.error(FSH_SPACE_SEGMENT, addr) << p);
            store(p ? dut_.mem_rdata1_i : dut_.mem_rdata0_i,
                  model_.memory.beat(FSH_SPACE_SEGMENT, addr));
            m.pop();
        }
        dut_.host_arready_i = host_.address_ready();
        dut_.host_rvalid_i = host_.offer();
        if (!dut_.host_rvalid_i)
            return;
        uint64_t addr = host_.front().addr;
        dut_.host_rid_i = (uint8_t)host_.front().id;
        dut_.host_rerr_i = model_.memory.error(FSH_SPACE_HOST, addr);
        store(dut_.host_rdata_i, model_.memory.beat(FSH_SPACE_HOST, addr));
        host_.pop();
    }

    void ask()
    {
        for (unsigned p = 0; p < 2; p++)
            if (dut_.mem_arvalid_o & dut_.mem_arready_i & 1 << p)
                memories_[p].address(dut_.mem_araddr_o, dut_.mem_arlen_o, 0);
        if (dut_.host_arvalid_o && dut_.host_arready_i)
            host_.address(dut_.host_araddr_o, dut_.host_arlen_o,
                          dut_.host_arid_o);
    }

    // A packet's room is reserved.
    void take()
    {
        unsigned takes = dut_.link_take_o | dut_.loop_take_o << 4;

        if (takes) {
            unsigned at = (unsigned)__builtin_ctz(takes);
            if (takes != 1u << at)
                test_.fail("two packets reserved at once");
            unsigned beats = dut_.take_beats_o;
            int &room = room_[at / 2][at % 2];
            if ((room -= (int)beats) < 0 || (shut_ >> at & 1))
                test_.fail("no room for a packet at %u", at);
            ports_[at / 2 % 2].takes.push_back({at >= 4, at % 2, beats});
        }
        // Room comes back in its own time.
        for (unsigned i = 0; i < 6; i++)
            if (freed_[i / 2][i % 2] && (hurry_ || test_.below(64) == 0)) {
                room_[i / 2][i % 2] += freed_[i / 2][i % 2];
                freed_[i / 2][i % 2] = 0;
            }
    }

    // A beat at a port.
    void leave(unsigned p)
    {
        Port &port = ports_[p];
        Beat beat = ::load(p ? dut_.pkt1_data_o : dut_.pkt0_data_o);
        bool valid = dut_.pkt_valid_o >> p & 1;
        bool last = dut_.pkt_last_o >> p & 1;

        if (gapless_ && port.at && !valid)
            test_.fail("the port idles inside a packet");
        if (!port.packets.take(valid, beat))
            return;
        if (port.at == 0)
            begin_packet(p, beat);
        else
            port.now.check(test_, port.at - 1, beat);
        port.beats++;
        if (last != (++port.at == port.now.beats()) ||
            port.now.loop != (dut_.pkt_loop_o >> p & 1))
            test_.fail("last is %d on beat %u of %u, loop is not %d", last,
                       port.at, port.now.beats(), port.now.loop);
        if (last)
            end_packet(port, p, dut_.pkt_bad_o >> p & 1);
    }

    void begin_packet(unsigned p, const Beat &header)
    {
        Port &port = ports_[p];
        std::deque<Expected> *from = nullptr;

        for (auto &next : port.next)
            if (!next.empty() && next.front().header == header)
                from = &next;
        if (!from)
            test_.fail("port %u: a header that is not next: %016llx %016llx", p,
                       (unsigned long long)header[0],
                       (unsigned long long)header[1]);
        port.now = from->front();
        from->pop_front();
        Take take = {};
        if (!port.takes.empty())
            take = port.takes.front();
        if (take.loop != port.now.loop || take.channel != port.now.channel ||
            take.beats != port.now.beats())
            test_.fail("port %u: %u beats of channel %u reserved for a packet "
                       "of %u",
                       p, take.beats, take.channel, port.now.beats());
        port.takes.pop_front();
    }

    void end_packet(Port &port, unsigned p, bool bad)
    {
        const Expected &e = port.now;

        if (bad != e.bad)
            test_.fail("bad is %d of a packet with reads that are %d", bad,
                       e.bad);
        if (e.notify)
            port.read.push_back({e.entry(), port.beats});
        freed_[e.loop ? 2 : p][e.channel] += (int)e.beats();
        port.at = 0;
        packets++;
        port.match(test_);
    }

    // A source is said to be read.
    void told(unsigned p)
    {
        Port &port = ports_[p];
        Beat entry = ::load(p ? dut_.cpl1_o : dut_.cpl0_o);

        if (!port.entries.take(dut_.cpl_valid_o >> p & 1, entry))
            return;
        port.told.push_back({entry, port.beats});
        port.match(test_);
    }

    bool left() const
    {
        return ports_[0].left() || ports_[1].left();
    }

    void drain()
    {
        test_.until(
            "packets to leave and the block to rest", DRAIN,
            [this] { return !left() && !dut_.busy_o; }, [this] { cycle(); });
        if (!rows_[0].waiting.empty() || !rows_[1].waiting.empty())
            test_.fail("%zu and %zu rows are not taken",
                       rows_[0].waiting.size(), rows_[1].waiting.size());
        for (Port &port : ports_)
            if (!port.told.empty() || !port.read.empty() || port.takes.size())
                test_.fail("%zu entries too many, %zu too few, %zu packets "
                           "reserved",
                           port.told.size(), port.read.size(),
                           port.takes.size());
        unsigned long long memory = memories_[0].beats + memories_[1].beats;
        if (memory != model_.reads[FSH_SPACE_SEGMENT] ||
            host_.beats != model_.reads[FSH_SPACE_HOST])
            test_.fail("%llu and %llu beats read, not %llu and %llu", memory,
                       host_.beats, model_.reads[FSH_SPACE_SEGMENT],
                       model_.reads[FSH_SPACE_HOST]);
    }

    tb::Test &test_;
    std::unique_ptr<VerilatedContext> context_;
    Vfsh_seq dut_;
    Port ports_[2];
    tb::Stall loads_;
    tb::Feed<Beat> rows_[2];
    unsigned rows_port_[2] = {};
    tb::ReadMemory memories_[2], host_;
    Model model_;
    Commands commands_;
    Command offered_;
    bool hurry_ = false, others_ = false, gapless_ = false;
    int room_[3][2] = {}, freed_[3][2] = {}; // ports and loop, by channel
    unsigned shut_ = 0;
    unsigned sent_[4] = {}; // messages, by context
    Contexts contexts_;
};

int main(int argc, char **argv)
{
    tb::Test test("tb_fsh_seq", argc, argv);
    Bench bench(test);

    for (unsigned packet = FSH_MIN_PACKET; packet <= FSH_MAX_PACKET;
         packet *= 2)
        for (int i = 0; i < 3; i++)
            bench.round(packet, 20000);
    bench.latency();
    for (unsigned i = 0; i < 8; i++)
        bench.beside(i & 1, i >> 1 & 1, i & 4);
    for (unsigned i = 0; i < 4; i++)
        bench.pace(i & 1 ? FSH_SPACE_HOST : FSH_SPACE_SEGMENT, i & 2);
    return test.pass(bench.packets, "packets");
}
