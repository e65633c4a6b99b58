// SPDX-License-Identifier: BSD-3-Clause
// fsh_align against a byte copy: packets of 1 to 1024 bytes, every pair of
// lanes, with and without prime_i, random stalls on both sides. Without stalls
// a packet costs its destination beats, plus one cycle to start it and one
// when a first source beat had to be taken alone. Between packets, and before some, a
// beat passes as it is (pass_i).
#include <algorithm>
#include <deque>
#include <vector>
#include "tb.h"
#include "Vfsh_align.h"

struct Packet {
    unsigned src_lane, dst_lane, bytes;
    std::vector<uint8_t> data;

    unsigned beats(unsigned lane) const
    {
        return (lane + bytes + 15) / 16;
    }
};

static Packet random_packet(tb::Test &test)
{
    Packet packet;

    packet.src_lane = test.below(16);
    packet.dst_lane = test.below(16);
    packet.bytes = 1 + test.below(test.below(2) ? 1024 : 40);
    for (unsigned i = 0; i < packet.bytes; i++)
        packet.data.push_back((uint8_t)test.bits());
    return packet;
}

class Bench
{
  public:
    explicit Bench(tb::Test &test)
        : test_(test), context_(test.context()), dut_(context_.get()),
          source_(test), sink_(test)
    {
        dut_.src_valid_i = 0;
        dut_.start_i = 0;
        dut_.prime_i = 0;
        dut_.load_i = 0;
        dut_.pass_i = 0;
        dut_.out_ready_i = 0;
        tb::reset(test_, dut_);
    }

    ~Bench()
    {
        dut_.final();
    }

    void run(const Packet &packet, bool stalls)
    {
        pass(test_.below(3));
        uint64_t begin = test_.cycle;
        unsigned given = 0;

        taken_ = 0;
        dut_.start_i = 1;
        dut_.load_i = 1;
        dut_.prime_i = test_.below(2);
        unsigned alone = packet.dst_lane < packet.src_lane;
        dut_.shift_i = (uint8_t)((packet.dst_lane - packet.src_lane) & 15);
        dut_.alone_i = (uint8_t)alone;
        dut_.beats_i = (uint8_t)packet.beats(packet.dst_lane);
        dut_.tail_i = packet.beats(packet.dst_lane) + alone !=
                      packet.beats(packet.src_lane);
        while (given < packet.beats(packet.dst_lane)) {
            drive(packet, stalls);
            if (dut_.out_valid_o && dut_.out_ready_i)
                check(packet, given++);
            tb::edge(test_, dut_);
            dut_.start_i = 0;
            dut_.prime_i = 0;
            dut_.load_i = 0;
        }
        if (taken_ != packet.beats(packet.src_lane))
            test_.fail("%u source beats taken of %u", taken_,
                       packet.beats(packet.src_lane));
        uint64_t most = packet.beats(packet.dst_lane) + 2;
        if (!stalls && test_.cycle - begin > most)
            test_.fail("%u bytes took %u cycles, lanes %u to %u", packet.bytes,
                       (unsigned)(test_.cycle - begin), packet.src_lane,
                       packet.dst_lane);
    }

  private:
    // Beats that are no payload.
    void pass(unsigned beats)
    {
        dut_.shift_i = (uint8_t)test_.below(16);
        dut_.src_valid_i = 0;
        dut_.load_i = 1;
        dut_.pass_i = 1;
        tb::edge(test_, dut_);
        dut_.load_i = 0;
        dut_.pass_i = 0;
        for (unsigned i = 0; i < beats; i++) {
            for (int w = 0; w < 4; w++)
                dut_.src_data_i[w] = (uint32_t)test_.bits();
            dut_.eval();
            for (int w = 0; w < 4; w++)
                if (dut_.out_data_o[w] != dut_.src_data_i[w])
                    test_.fail("word %d passes as %08x, not %08x", w,
                               dut_.out_data_o[w], dut_.src_data_i[w]);
            tb::edge(test_, dut_);
        }
    }

    // One cycle's inputs; notes whether the source beat is taken.
    void drive(const Packet &packet, bool stalls)
    {
        unsigned all = packet.beats(packet.src_lane);

        dut_.src_valid_i = taken_ < all && (!stalls || source_.willing());
        dut_.out_ready_i = !stalls || sink_.willing();
        for (int w = 0; w < 4; w++)
            dut_.src_data_i[w] = (uint32_t)test_.bits();
        for (unsigned lane = 0; taken_ < all && lane < 16; lane++) {
            int at = (int)(taken_ * 16 + lane) - (int)packet.src_lane;
            if (at >= 0 && at < (int)packet.bytes)
                set(lane, packet.data[(size_t)at]);
        }
        dut_.eval();
        if (dut_.src_ready_o && dut_.src_valid_i)
            taken_++;
        if (dut_.start_i && dut_.out_valid_o)
            test_.fail("a beat is given in the cycle of start_i");
    }

    void set(unsigned lane, uint8_t value)
    {
        uint32_t &word = dut_.src_data_i[lane / 4];
        unsigned shift = lane % 4 * 8;

        word = (word & ~(0xffu << shift)) | (uint32_t)value << shift;
    }

    void check(const Packet &packet, unsigned beat)
    {
        if (dut_.out_last_o != (beat + 1 == packet.beats(packet.dst_lane)))
            test_.fail("last is %d on beat %u of %u", dut_.out_last_o, beat,
                       packet.beats(packet.dst_lane));
        for (unsigned lane = 0; lane < 16; lane++) {
            int at = (int)(beat * 16 + lane) - (int)packet.dst_lane;
            if (at < 0 || at >= (int)packet.bytes)
                continue;
            uint8_t got =
                (uint8_t)(dut_.out_data_o[lane / 4] >> (lane % 4 * 8));
            if (got != packet.data[(size_t)at])
                test_.fail("byte %d of %u is %02x, not %02x, lanes %u to %u",
                           at, packet.bytes, got, packet.data[(size_t)at],
                           packet.src_lane, packet.dst_lane);
        }
    }

    tb::Test &test_;
    std::unique_ptr<VerilatedContext> context_;
    Vfsh_align dut_;
    tb::Stall source_, sink_;
    unsigned taken_ = 0;
};

int main(int argc, char **argv)
{
    tb::Test test("tb_fsh_align", argc, argv);
    unsigned long long bytes = 0;
    Bench bench(test);

    for (int i = 0; i < 4000; i++) {
        Packet packet = random_packet(test);
        bench.run(packet, i % 2 == 0);
        bytes += packet.bytes;
    }
    return test.pass(bytes, "bytes");
}
