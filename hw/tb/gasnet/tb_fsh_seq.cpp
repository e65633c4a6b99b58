// SPDX-License-Identifier: BSD-3-Clause
// fsh_seq, with its contexts, reads and lanes, against a model that cuts messages
// into packets: all kinds of command, odd sizes and alignments, every packet size,
// random paths over two ports or six, or the loop; memories that answer late, with
// gaps and errors. Each packet leaves once, whole, in the order of its message and
// lane, by a port of its path, with the vc of that, with as many beats as were
// reserved, while there was room for them, and marked if a read of it failed; a long
// message takes its ports in turn, any other one. The source of a message is said to
// be read when it is, by each lane that had packets of it. Nothing is read that is not
// sent. A channel that is shut holds up nothing of the other, not for a cycle, nor long
// messages a short one of their own; its port says that it stalls. Packets without
// memory data, arguments of such messages among them, do not wait for those with, not even
// for the end of a packet, nor keep them waiting. Without stalls: cycles from load to header, and a long message at the
// pace of its ports.
#include <memory>
#include "commands.h"
#include "memory.h"
#include "message.h"
#include "stream.h"
#include "Vfsh_seq_six.h"
#include "Vfsh_seq_two.h"

static const unsigned DRAIN = 60000;
static const unsigned ROOM = FSH_VC_BEATS;
static const unsigned LATE = 60;   // cycles of a memory that does not stall
static const unsigned SLOW = 400;  // a slow one
static const unsigned LIMIT = 130; // one that is so at least
static const unsigned FLOW = 8;    // messages of a channel that must get by
static const unsigned LATENCY = 5; // from load to header
// More, if another context is served and a packet must pause.
static const unsigned AMID = 6;
static const unsigned LANES = FSH_LANES;
static const unsigned FEW =
    6; // beats of a packet from memory of less than LONG_BYTES

template <class Model, unsigned PORTS> class Bench
{
    // Rooms: of the links {port, reply, vc}, the loop, the queues {port, reply}.
    static constexpr unsigned CONTEXTS = PORTS > 2 ? 8 : 4;
    static constexpr unsigned LOOP = 4 * PORTS, QUEUES = LOOP + 2;
    static constexpr unsigned ROOMS = QUEUES + 2 * PORTS;

  public:
    explicit Bench(tb::Test &test)
        : test_(test), context_(test.context()), dut_(context_.get()),
          lanes_(LANES, Lane(test)), others_(PORTS, tb::Stall(test)),
          loads_(test), rows_(2, tb::Feed<Beat>(test)),
          memories_(LANES, tb::ReadMemory(test)), host_(test),
          commands_(test, model_.packet, PORTS)
    {
    }

    ~Bench()
    {
        dut_.final();
    }

    void round(unsigned packet, unsigned cycles)
    {
        begin(packet, false);
        unsigned shut = test_.below(2 * LOOP); // a channel of a port, or none
        std::fill_n(sent_, 2, 0);
        for (unsigned i = 0; i < cycles; i++) {
            if (i % 2000 == 0) {
                change();
                crowded_ = test_.below(4) ? 0 : (uint32_t)test_.bits();
            }
            shut_ = shut < LOOP ? UINT64_C(1) << shut |
                                      UINT64_C(1) << (QUEUES + shut / 2)
                                : 0;
            load(commands_.command());
            cycle();
        }
        for (unsigned c = 0; c < 2; c++)
            if ((shut >= LOOP || shut / 2 % 2 != c) && sent_[c] < FLOW)
                test_.fail("%u messages of channel %u", sent_[c], c);
        shut_ = 0;
        crowded_ = 0;
        for (Lane &lane : lanes_)
            lane.slice.packets.shut = lane.entries.shut = false;
        drain();
    }

    // From load to header, in an idle block.
    void latency()
    {
        begin(FSH_MAX_PACKET, true);
        for (unsigned i = 0; i < 20; i++) {
            at_once(brief(test_.below(PORTS), test_.below(2)));
            drain();
        }
    }

    // While a message waits for a credit of one port, messages of the other
    // channel leave at any port as fast as ever, and so do those of its own by
    // other ports. So do, in the context that is left, when all messages that
    // the channel takes are long and wait.
    void beside(unsigned port, unsigned channel, bool full)
    {
        begin(FSH_MAX_PACKET, true);
        slowest(LATE);
        shut_ = UINT64_C(3) << (4 * port + 2 * channel) |
                UINT64_C(1) << (QUEUES + 2 * port + channel);
        for (unsigned i = 0; i < (full ? CONTEXTS - 1 : 1); i++) {
            if (free(channel) != 7)
                test_.fail("no context for message %u", i);
            Command stuck = bulk(1u << port, 5 * FSH_MAX_PACKET);
            stuck.reply = channel;
            load(stuck);
            cycle();
        }
        for (unsigned i = 0; i < 300; i++)
            cycle();
        if (dut_.stall_o != 1u << port)
            test_.fail("port %u lacks a credit, and ports %x stall", port,
                       dut_.stall_o);
        if (free(channel) != (full ? 5 : 7) || free(channel ^ 1) != 7)
            test_.fail("contexts %x and %x are free", free(channel),
                       free(channel ^ 1));
        for (unsigned i = 0; i < 20; i++) {
            unsigned other = (port + 1 + test_.below(PORTS - 1)) % PORTS;
            unsigned c = test_.below(2);
            Command short_one = brief(c == channel ? other : port, c);
            short_one.ordered = c != channel && test_.below(2);
            at_once(short_one);
            for (unsigned k = 0; k < 10; k++)
                cycle();
        }
        shut_ = 0;
        drain();
        if (dut_.stall_o)
            test_.fail("ports %x stall, and nothing is to be sent",
                       dut_.stall_o);
    }

    // What needs no memory does not wait for what does.
    void pass(bool host)
    {
        begin(FSH_MAX_PACKET, true);
        slowest(1000);
        others_want_ = true;
        Command slow = bulk(1, 3 * FSH_MAX_PACKET);
        slow.lspace = host ? FSH_SPACE_HOST : FSH_SPACE_SEGMENT;
        load(slow);
        for (unsigned i = 0; i < 100; i++)
            cycle();
        for (unsigned i = 0; i < 20; i++) {
            Command c = brief(0, test_.below(2));
            if (i % 2)
                give_arguments(c);
            at_once(c);
            for (unsigned k = 0; k < 10; k++)
                cycle();
        }
        others_want_ = false;
        drain();
    }

    // Nor, if it has at most two beats, for the end of a packet that is being sent from a memory,
    // though it leaves only then.
    void amid(bool host)
    {
        begin(FSH_MAX_PACKET, true);
        slowest(1);
        Command c = bulk(1, 65536);
        c.lspace = host ? FSH_SPACE_HOST : FSH_SPACE_SEGMENT;
        c.laddr = 16 * test_.below(4096) + test_.below(16);
        load(c);
        for (unsigned i = 0; i < 400; i++)
            cycle();
        for (unsigned i = 0; i < 40; i++) {
            c = brief(0, test_.below(2));
            if (test_.below(2))
                give_arguments(c);
            behind_ = test_.below(2);
            unsigned before = sent_[c.reply];
            uint64_t start = test_.cycle;
            while (sent_[c.reply] == before) {
                start = test_.cycle;
                load(c);
                cycle();
            }
            test_.until(
                "a short packet", DRAIN, [&] { return dut_.pkt_valid_o & 1; },
                [this] { cycle(); });
            if (c.rows.size() < 2 &&
                test_.cycle - start > LATENCY + c.rows.size() + AMID)
                test_.fail("%u cycles to a header beside a long packet",
                           (unsigned)(test_.cycle - start));
            test_.until(
                "it to leave", DRAIN, [&] { return !(dut_.pkt_valid_o & 1); },
                [this] { cycle(); });
            for (unsigned k = test_.below(40); k; k--)
                cycle();
        }
        behind_ = false;
        drain();
    }

    // Nor does it keep that waiting, where more of it comes than can leave, nor the
    // word that the source of a message was read.
    void flood()
    {
        begin(FSH_MAX_PACKET, true);
        slowest(1);
        others_want_ = true;
        slow_ = true;
        Command c = bulk(3, 8 * FSH_MAX_PACKET); // a port of each lane
        c.ack = 1;
        c.tag = FSH_NUM_TAGS - 1;
        load(c);
        cycle();
        std::shared_ptr<Message> m = open_[c.tag];
        auto step = [this] {
            load(brief(test_.below(2), 0));
            cycle();
        };
        test_.until(
            "a long message among short ones", 8 * 66 * 8 + 2000,
            [&] { return m->over(); }, step);
        if (sent_[0] < FLOW)
            test_.fail("%u short messages", sent_[0]);
        slow_ = others_want_ = false;
        drain();
    }

    // A long message at the pace of its ports, off its lanes: without a gap in
    // any packet but where the header need not wait for what is read.
    void pace(unsigned lspace, bool others, unsigned ports)
    {
        begin(FSH_MAX_PACKET, true);
        slowest(LATE);
        others_want_ = others;
        Command c = bulk(ports, 65536);
        c.lspace = lspace;
        c.laddr = 16 * test_.below(4096) + 8;
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
        unsigned lanes = ports & 0x15 && ports & 0x2a ? 2 : 1;
        if (test_.cycle - start > 64 * 65 / lanes + LATE + 70)
            test_.fail("64 KiB of space %u in %u cycles", lspace,
                       (unsigned)(test_.cycle - start));
    }

    // A header that leaves before its payload holds its port for as long as the memory
    // takes: once where that is slow, if the lane is asked for packet after packet or for
    // one behind another, and no more until it has been fast again.
    void slow_memory(unsigned port, bool behind)
    {
        begin(FSH_MAX_PACKET, true);
        for (unsigned usual : {40, 80, 80, 80})
            expect_header(port, usual, true);
        if (behind) {
            slowest(LATE);
            load(one(port));
            for (unsigned i = 0; i < 20; i++)
                cycle();
            expect_header(port, SLOW, true); // behind that one
        } else {
            expect_header(port, SLOW, true);
        }
        for (unsigned i = 0; i < 4; i++)
            expect_header(port, i & 1 ? LIMIT : SLOW, false);
        // The second of two waits little longer than the first, and is not to be judged.
        slowest(SLOW);
        for (unsigned i = 0; i < 80; i += 79) {
            load(one(port));
            for (unsigned k = 0; k < i + 1; k++)
                cycle();
        }
        drain();
        expect_header(port, SLOW, false);
        expect_header(port, LATE, false);
        expect_header(port, LATE, true);
    }

    unsigned long long packets = 0;
    unsigned long long short_packets = 0; // where only those have room

  private:
    static Command brief(unsigned port, unsigned channel)
    {
        Command c;

        c.opcode = FSH_OP_CLIENT;
        c.reply = channel;
        c.path = {0, 1u << port};
        return c;
    }

    static Command bulk(unsigned ports, unsigned length)
    {
        Command c;

        c.opcode = FSH_OP_CLIENT;
        c.category = FSH_CAT_LONG;
        c.path = {0, ports};
        c.length = length;
        c.bulk = true;
        return c;
    }

    static Command one(unsigned port)
    {
        Command c = bulk(1u << port, FSH_MAX_PACKET);

        c.bulk = false;
        return c;
    }

    // A packet from a memory that takes so many cycles: whether its header waits for them.
    void expect_header(unsigned port, unsigned cycles, bool early)
    {
        slowest(cycles);
        load(one(port));
        uint64_t start = test_.cycle;
        unsigned long long before = begun_;
        test_.until(
            "a header", DRAIN, [this, before] { return begun_ != before; },
            [this] { cycle(); });
        unsigned took = (unsigned)(test_.cycle - start);
        if ((took < cycles - 20) != early)
            test_.fail("a header after %u cycles, memory of %u", took, cycles);
        drain();
        for (unsigned i = test_.below(100); i; i--)
            cycle();
    }

    // Makes it the arguments of a message whose payload is read.
    void give_arguments(Command &c)
    {
        c.category = FSH_CAT_LONG;
        c.length = 1 + test_.below(FSH_MAX_MESSAGE);
        c.lspace = FSH_SPACE_COLLECTIVE;
        c.window = true;
        c.nargs = 1 + test_.below(FSH_MAX_ARGS);
        while (c.rows.size() < (c.nargs + 3) / 4)
            c.rows.push_back({test_.bits(), test_.bits()});
    }

    // A command without payload, offered to a block that can send it.
    void at_once(const Command &c)
    {
        uint64_t before = packets;

        load(c);
        uint64_t start = test_.cycle;
        test_.until(
            "a packet", DRAIN, [&] { return packets != before; },
            [this] { cycle(); });
        // Its header is seen in the cycle after that in which it was there.
        unsigned cycles = (unsigned)(test_.cycle - start - 1 - c.rows.size());
        if (cycles != LATENCY)
            test_.fail("%u cycles from load to header", cycles);
    }

    void header()
    {
        test_.until(
            "a header", DRAIN,
            [this] { return dut_.pkt_valid_o != 0 || dut_.queue_valid_o != 0; },
            [this] { cycle(); });
    }

    // As fsh_seq_pkg::free_t: ordered, bulk, brief.
    unsigned free(unsigned channel) const
    {
        return channel ? dut_.free_rep_o : dut_.free_req_o;
    }

    void slowest(unsigned cycles)
    {
        host_.slowest = memories_[0].slowest = memories_[1].slowest = cycles;
    }

    void begin(unsigned packet, bool hurry)
    {
        model_ = Cutter();
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
        for (unsigned i = 0; i < 2; i++) {
            lanes_[i].slice.packets.hurry = lanes_[i].entries.hurry = hurry;
            rows_[i].hurry = hurry;
            sent_[i] = 0;
        }
        std::fill_n(room_, ROOMS, ROOM);
        dut_.load_valid_i = dut_.rows_valid_i = 0;
        dut_.mem_rvalid_i = dut_.host_rvalid_i = 0;
        dut_.node_i = (uint8_t)model_.node;
        dut_.packet_i = (uint16_t)packet;
        dut_.seg_base_i = model_.seg_base;
        dut_.host_base_i = model_.host_base;
        tb::reset(test_, dut_);
        dut_.eval();
    }

    // How slow memories are; now and then a lane takes nothing for long, so that
    // all queues before it fill, or the host writer no entries.
    void change()
    {
        slowest(1 + test_.below(test_.below(2) ? 20 : 400));
        for (Lane &lane : lanes_) {
            lane.slice.packets.shut = test_.below(4) == 0;
            lane.entries.shut = test_.below(4) == 0;
        }
    }

    // Offers a command in this cycle, if there is a context for it, with a tag that
    // no message under way has.
    void load(Command c)
    {
        unsigned need = c.ordered ? 4 : c.bulk ? 2 : 1;

        dut_.load_valid_i = 0;
        if (!(free(c.reply) & need) || !(hurry_ || loads_.willing()))
            return;
        if (c.window && !rows_[c.reply].waiting.empty())
            return; // the window waits for them
        for (unsigned i = 0; open_[c.tag]; i++) {
            if (i == FSH_NUM_TAGS)
                return;
            c.tag = (c.tag + 1) % FSH_NUM_TAGS;
        }
        auto words = c.words();
        store(dut_.load_i, words[0], 0);
        store(dut_.load_i, words[1], 1);
        dut_.load_valid_i = 1;
        dut_.load_loop_i = c.loop;
        dut_.load_bulk_i = c.bulk;
        dut_.load_path_i = (uint16_t)c.path.pack();
        dut_.load_status_i = (uint8_t)c.status;
        offered_ = c;
    }

    void accept()
    {
        const Command &c = offered_;

        open_[c.tag] = model_.message(c);
        if (c.window)
            for (const Beat &row : c.rows)
                rows_[c.reply].waiting.push_back(row);
        sent_[c.reply]++;
    }

    void cycle()
    {
        drive();
        drive_memories();
        dut_.eval();
        bool loaded = dut_.load_valid_i && dut_.load_ready_o;
        for (unsigned l = 0; l < LANES; l++) {
            leave(l);
            enter(l);
            told(l);
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
        could_ = given_;
        few_ = tight_;
        uint64_t ok = 0;
        for (unsigned at = 0; at < ROOMS; at++)
            ok |= (uint64_t)(room_[at] >= (int)LONGEST) << at;
        ok &= ~shut_;
        dut_.link_ok_i = ok & ((1u << LOOP) - 1);
        dut_.loop_ok_i = ok >> LOOP & 3;
        dut_.queue_ok_i = 0; // {port, reply, long}
        for (unsigned i = 0; i < 2 * PORTS; i++)
            if (ok >> (QUEUES + i) & 1)
                dut_.queue_ok_i |= (crowded_ >> i & 1 ? 1u : 3u) << 2 * i;
        given_ = ok;
        tight_ = crowded_;
        dut_.rows_valid_i = 0;
        for (unsigned c = 0; c < 2; c++) {
            bool offers = rows_[c].offer();
            dut_.rows_valid_i |= (uint8_t)(offers << c);
            Beat row = offers ? rows_[c].front() : Beat{test_.bits(), 0};
            if (c == 0)
                store(dut_.rows_req_i, row);
            else
                store(dut_.rows_rep_i, row);
        }
        dut_.cycle_i = test_.cycle & ((UINT64_C(1) << 48) - 1);
        dut_.pkt_ready_i = dut_.cpl_ready_i = dut_.others_i = 0;
        for (unsigned l = 0; l < LANES; l++) {
            tb::Sink<Beat> &packets = lanes_[l].slice.packets;
            packets.hurry = hurry_ && !(slow_ && test_.cycle % 8);
            packets.shut |= slow_ && test_.cycle % 8;
            packets.shut |= behind_ && lanes_[l].queue.at != 0;
            dut_.pkt_ready_i |= (uint8_t)(packets.ready() << l);
            if (slow_ || behind_)
                packets.shut = false;
            dut_.cpl_ready_i |= (uint8_t)(lanes_[l].entries.ready() << l);
        }
        for (unsigned p = 0; p < PORTS; p++)
            dut_.others_i |=
                (uint8_t)((hurry_ ? others_want_ : others_[p].willing()) << p);
    }

    void drive_memories()
    {
        dut_.mem_arready_i = dut_.mem_rvalid_i = dut_.mem_rerr_i = 0;
        for (unsigned l = 0; l < LANES; l++) {
            tb::ReadMemory &m = memories_[l];
            dut_.mem_arready_i |= (uint8_t)(m.address_ready() << l);
            if (!m.offer())
                continue;
            uint64_t addr = m.front().addr;
            dut_.mem_rvalid_i |= 1 << l;
            dut_.mem_rerr_i |=
                (uint8_t)(model_.memory.error(FSH_SPACE_SEGMENT, addr) << l);
            store(dut_.mem_rdata_i, model_.memory.beat(FSH_SPACE_SEGMENT, addr),
                  l);
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
        for (unsigned l = 0; l < LANES; l++)
            if (dut_.mem_arvalid_o & dut_.mem_arready_i & 1 << l)
                memories_[l].address(dut_.mem_araddr_o, dut_.mem_arlen_o, 0);
        if (dut_.host_arvalid_o && dut_.host_arready_i)
            host_.address(dut_.host_araddr_o, dut_.host_arlen_o,
                          dut_.host_arid_o);
    }

    // A packet's room is reserved: of what had room in the cycle before.
    void take()
    {
        uint64_t takes = dut_.link_take_o | (uint64_t)dut_.loop_take_o << LOOP |
                         (uint64_t)dut_.queue_take_o << QUEUES;

        if (takes) {
            unsigned at = (unsigned)__builtin_ctzll(takes);
            if (takes != UINT64_C(1) << at)
                test_.fail("two packets reserved at once");
            unsigned beats = dut_.take_beats_o;
            if (at >= QUEUES && (few_ >> (at - QUEUES) & 1)) {
                if (beats > FEW)
                    test_.fail("%u beats where few have room", beats);
                short_packets++;
            }
            if ((room_[at] -= (int)beats) < 0 || !(could_ >> at & 1))
                test_.fail("no room for a packet at %u", at);
            unsigned port = at < LOOP     ? at / 4
                            : at < QUEUES ? 0
                                          : (at - QUEUES) / 2;
            lanes_[port % LANES].takes.push_back({at, beats});
        }
        // Room comes back in its own time.
        for (unsigned i = 0; i < ROOMS; i++)
            if (freed_[i] && (hurry_ || test_.below(64) == 0)) {
                room_[i] += freed_[i];
                freed_[i] = 0;
            }
    }

    // A beat of a lane: without payload from a memory, or for the loop.
    void leave(unsigned l)
    {
        Beat beat = ::load(dut_.pkt_data_o, l);
        unsigned ports = dut_.pkt_port_o >> l * PORTS & ((1u << PORTS) - 1);

        if (lanes_[l].slice.packets.take(dut_.pkt_valid_o >> l & 1, beat))
            take_beat(l, lanes_[l].slice, ports, beat, dut_.pkt_last_o >> l & 1,
                      dut_.pkt_bad_o >> l & 1);
    }

    // A beat of a lane for the queue of a port, as fsh_seq_pkg::beat_t: queue, follow, last,
    // bad, data.
    void enter(unsigned l)
    {
        Way &way = lanes_[l].queue;
        unsigned ports = dut_.queue_valid_o >> l * PORTS & ((1u << PORTS) - 1);
        unsigned at = l * BEAT_BITS;
        Beat beat = {queue_bits(at, 64), queue_bits(at + 64, 64)};

        if (gapless_ && way.at && !ports)
            test_.fail("the lane idles inside a packet");
        if (!ports)
            return;
        bool header = way.at == 0;
        take_beat(l, way, ports, beat, queue_bits(at + 129, 1),
                  queue_bits(at + 128, 1));
        unsigned follow = (unsigned)queue_bits(at + 130, 7);
        if (header && follow + 1 != way.now.beats())
            test_.fail("%u beats follow a header, of %u", follow,
                       way.now.beats());
        unsigned queue = (unsigned)queue_bits(at + 137, 3);
        unsigned wanted =
            (unsigned)(fsh_hdr_bytes(beat.data()) >= FSH_LONG_BYTES) << 2 |
            channel(beat);
        if (header && queue != wanted)
            test_.fail("a packet of queue %u is for queue %u", wanted, queue);
    }

    static constexpr unsigned BEAT_BITS = 140;

    uint64_t queue_bits(unsigned at, unsigned bits) const
    {
        uint64_t value = 0;

        for (unsigned i = 0; i < bits; i++)
            value |=
                (uint64_t)(dut_.queue_o[(at + i) / 32] >> (at + i) % 32 & 1)
                << i;
        return value;
    }

    void take_beat(unsigned l, Way &way, unsigned ports, const Beat &beat,
                   bool last, bool bad)
    {
        if (way.at == 0)
            begin_packet(l, way, ports, beat);
        else
            way.now.check(test_, way.at - 1, beat);
        way.beats++;
        if (ports != (is_loop(way.take) ? 0 : 1u << way.now.port))
            test_.fail("beat %u goes to ports %x, room %u", way.at, ports,
                       way.take.room);
        if (last != (++way.at == way.now.beats()))
            test_.fail("last is %d on beat %u of %u", last, way.at,
                       way.now.beats());
        if (last)
            end_packet(l, way, bad);
    }

    static bool is_loop(const Take &take)
    {
        return take.room >= LOOP && take.room < QUEUES;
    }

    void begin_packet(unsigned l, Way &way, unsigned ports, const Beat &header)
    {
        Lane &lane = lanes_[l];
        std::shared_ptr<Message> m =
            open_[fsh_hdr_tag(header.data()) % FSH_NUM_TAGS];
        Expected *e = m ? m->find(header) : nullptr;

        if (!e)
            test_.fail("lane %u: a header of nothing to send: %016llx %016llx",
                       l, (unsigned long long)header[0],
                       (unsigned long long)header[1]);
        const Command &c = m->command;
        e->left = true;
        begun_++;
        e->port = ports ? (unsigned)__builtin_ctz(ports) : 0;
        if (e->port % LANES != l ||
            (c.path.vcs >> e->port & 1) != fsh_hdr_vc(header.data()))
            test_.fail("port %u in lane %u, vc of %x", e->port, l, c.path.vcs);
        size_t at = (size_t)(e - m->packets.data()) + 1;
        if (at <= m->last[l])
            test_.fail("packet %zu of a message after %zu", at, m->last[l]);
        m->last[l] = at;
        way.message = m;
        way.now = *e;
        if (&way != &lane.way(*m))
            test_.fail("a packet of %zu bytes by the wrong way",
                       e->bytes.size());
        way.take = {room(*m, *e, fsh_hdr_vc(header.data())), e->beats()};
        lane.release(test_, way.take);
    }

    // Where a packet has its room.
    static unsigned room(const Message &m, const Expected &e, bool vc)
    {
        const Command &c = m.command;

        if (c.loop)
            return LOOP + c.reply;
        if (m.queues())
            return QUEUES + 2 * e.port + c.reply;
        return 4 * e.port + (c.reply << 1 | vc);
    }

    void end_packet(unsigned l, Way &way, bool bad)
    {
        Message &m = *way.message;

        if (bad != way.now.bad)
            test_.fail("bad is %d of a packet with reads that are %d", bad,
                       way.now.bad);
        freed_[way.take.room] += (int)way.take.beats;
        m.used |= 1u << l;
        m.left_at[l] = way.beats;
        way.at = 0;
        packets++;
        if (--m.to_leave == 0)
            m.check_ports(test_);
        settle(m);
        way.message = nullptr;
    }

    // A lane says that a source is read.
    void told(unsigned l)
    {
        Lane &lane = lanes_[l];
        Beat entry = ::load(l ? dut_.cpl1_o : dut_.cpl0_o);

        if (!lane.entries.take(dut_.cpl_valid_o >> l & 1, entry))
            return;
        std::shared_ptr<Message> m =
            open_[fsh_ring_tag(entry.data()) % FSH_NUM_TAGS];
        if (!m || !m->tells() || (m->told >> l & 1))
            test_.fail("lane %u: an entry %016llx for nothing", l,
                       (unsigned long long)entry[0]);
        m->told |= 1u << l;
        m->told_at[l] = lane.way(*m).beats;
        said_[l][m->command.tag] = entry;
        settle(*m);
    }

    // The entry of a lane comes when the last beat of the source enters the register
    // slice before it, so up to SKID beats before that beat leaves; not sooner.
    void settle(Message &m)
    {
        unsigned tag = m.command.tag;

        if (m.to_leave == 0 && (m.told & ~m.used))
            test_.fail("lane %x has an entry of a message over %x", m.told,
                       m.used);
        if (!m.over())
            return;
        for (unsigned l = 0; m.tells() && l < LANES; l++)
            if ((m.used >> l & 1) && (m.told_at[l] + SKID < m.left_at[l] ||
                                      said_[l][tag] != m.entry()))
                test_.fail("an entry %016llx for %016llx, %d beats early",
                           (unsigned long long)said_[l][tag][0],
                           (unsigned long long)m.entry()[0],
                           (int)(m.left_at[l] - m.told_at[l]));
        open_[tag] = nullptr;
    }

    bool left() const
    {
        for (const auto &m : open_)
            if (m && m->to_leave)
                return true;
        return false;
    }

    void drain()
    {
        test_.until(
            "packets to leave and the block to rest", DRAIN,
            [this] { return !left() && !dut_.busy_o; }, [this] { cycle(); });
        if (!rows_[0].waiting.empty() || !rows_[1].waiting.empty())
            test_.fail("%zu and %zu rows are not taken",
                       rows_[0].waiting.size(), rows_[1].waiting.size());
        for (const auto &m : open_)
            if (m)
                test_.fail("entries of lanes %x are missing, %x came", m->used,
                           m->told);
        for (Lane &lane : lanes_)
            if (!lane.takes.empty())
                test_.fail("%zu packets reserved", lane.takes.size());
        unsigned long long memory = memories_[0].beats + memories_[1].beats;
        if (memory != model_.reads[FSH_SPACE_SEGMENT] ||
            host_.beats != model_.reads[FSH_SPACE_HOST])
            test_.fail("%llu and %llu beats read, not %llu and %llu", memory,
                       host_.beats, model_.reads[FSH_SPACE_SEGMENT],
                       model_.reads[FSH_SPACE_HOST]);
    }

    tb::Test &test_;
    std::unique_ptr<VerilatedContext> context_;
    Model dut_;
    std::vector<Lane> lanes_;
    std::vector<tb::Stall> others_;
    tb::Stall loads_;
    std::vector<tb::Feed<Beat>> rows_;
    std::vector<tb::ReadMemory> memories_;
    tb::ReadMemory host_;
    Cutter model_;
    Commands commands_;
    Command offered_;
    bool hurry_ = false, others_want_ = false, gapless_ = false;
    bool slow_ = false;   // a beat in eight cycles
    bool behind_ = false; // none while one from a memory is being sent
    int room_[ROOMS] = {}, freed_[ROOMS] = {};
    uint64_t could_ = 0, shut_ = 0; // rooms: open in the last cycle, shut
    uint64_t given_ = 0;
    unsigned long long begun_ = 0; // packets
    // Queues {port, reply} where only short messages have room: from now on, as the block
    // sees it, and in the last cycle.
    uint32_t crowded_ = 0, tight_ = 0, few_ = 0;
    unsigned sent_[2] = {}; // messages, by channel
    std::array<std::shared_ptr<Message>, FSH_NUM_TAGS> open_;
    Beat said_[LANES][FSH_NUM_TAGS] = {};
};

template <class Bench>
static unsigned long long run(tb::Test &test, unsigned ports)
{
    Bench bench(test);

    for (unsigned packet = FSH_MIN_PACKET; packet <= FSH_MAX_PACKET;
         packet *= 2)
        for (int i = 0; i < 2; i++)
            bench.round(packet, 20000);
    bench.latency();
    for (unsigned i = 0; i < 8; i++)
        bench.beside(i & 1 ? ports - 1 : 0, i >> 1 & 1, i & 4);
    bench.pass(false);
    bench.pass(true);
    for (unsigned i = 0; i < 4; i++)
        bench.amid(i & 1);
    for (unsigned i = 0; i < 4; i++)
        bench.flood();
    for (unsigned i = 0; i < 4; i++)
        bench.pace(i & 1 ? FSH_SPACE_HOST : FSH_SPACE_SEGMENT, i & 2,
                   1u << test.below(ports));
    bench.pace(FSH_SPACE_SEGMENT, false, (1u << ports) - 1);
    for (unsigned i = 0; i < 8; i++)
        bench.slow_memory(i & 1 ? ports - 1 : 0, i & 2);
    if (bench.short_packets == 0)
        test.fail("nothing short had room where long ones had none");
    return bench.packets;
}

int main(int argc, char **argv)
{
    tb::Test test("tb_fsh_seq", argc, argv);

    return test.pass(run<Bench<Vfsh_seq_two, 2>>(test, 2) +
                         run<Bench<Vfsh_seq_six, 6>>(test, 6),
                     "packets");
}
