// SPDX-License-Identifier: BSD-3-Clause
// The codec of the engine's packets, fsh_cencode to fsh_cpack to packet memory to
// fsh_cunpack, against src/compute/number: what is decoded for memory, every byte of the
// packet, what its receiver decodes. Packets of any length with every exponent, subnormals,
// zeros, Inf and NaN, values that round up to the next exponent, and anything behind the
// last value; packets that are not encoded between them; random stalls; and the cycles that
// a packet takes without any.
#include <algorithm>
#include <array>
#include <cstring>
#include <vector>
extern "C" {
#include "compute/number/block.h"
}
#include "stream.h"
#include "Vfsh_cencode.h"
#include "Vfsh_cpack.h"
#include "Vfsh_cunpack.h"

namespace
{

using Line = std::array<uint32_t, 16>;

const struct fsh_bfp_format format = FSH_BFP_16_8_7;
const unsigned most_blocks = 60, slot_lines = 16, slots = 70;

struct Packet {
    unsigned values;            // in the last line as well
    std::vector<Line> in, wire; // wire: as the reference has it
    std::vector<Line> decoded;
    std::vector<uint8_t> codes;
};

uint32_t bits_of(float value)
{
    uint32_t bits;

    std::memcpy(&bits, &value, 4);
    return (bits & 0x7fffffff) > 0x7f800000 ? 0x7fc00000 : bits;
}

uint32_t draw(tb::Test &test, unsigned mood, unsigned base)
{
    uint32_t sign = (uint32_t)(test.bits() & 0x80000000);
    unsigned below = test.below(12);

    switch (mood) {
    case 0: // exponents close together
    case 1: // half units, ties
    case 2: // nearly the next power of two
    {
        uint32_t x = sign | (base - std::min(base, below)) << 23 |
                     (uint32_t)(test.bits() & 0x7fffff);
        if (mood == 1)
            x &= 0xffff8000 << test.below(2);
        return mood == 2 ? x | 0x007f0000 : x;
    }
    case 3: // zeros and subnormals
        return sign | (uint32_t)(test.bits() & (test.below(2) ? 0 : 0x7fffff));
    case 4: // some Inf, some NaN
        if (test.below(8) == 0)
            return sign | 0x7f800000 | (test.below(2) ? 0 : 1 + test.below(99));
        return sign | base << 23;
    default:
        return (uint32_t)test.bits();
    }
}

void reference(Packet &p)
{
    size_t blocks = p.in.size(), data = (blocks + 3) / 4;

    p.wire.assign(data + 1, Line{});
    for (size_t b = 0; b < blocks; b++) {
        float x[16] = {};
        uint16_t values[16];
        Line line;
        uint8_t *at = (uint8_t *)p.wire[b / 4].data() + b % 4 * 16;

        std::memcpy(x, p.in[b].data(),
                    std::min(64u, 4 * (p.values - 16 * (unsigned)b)));
        unsigned code = fsh_bfp_encode_block(&format, x, values);
        for (int i = 0; i < 16; i++) {
            at[i] = (uint8_t)values[i];
            line[i] = bits_of(fsh_bfp_decode_value(&format, code, values[i]));
        }
        ((uint8_t *)p.wire[data].data())[b] = (uint8_t)code;
        p.codes.push_back((uint8_t)code);
        p.decoded.push_back(line);
    }
}

Packet random_packet(tb::Test &test, unsigned values)
{
    Packet p;

    p.values = values;
    for (unsigned b = 0; b < (values + 15) / 16; b++) {
        unsigned mood = test.below(6), base = test.below(256);
        Line line;
        for (auto &x : line)
            x = draw(test, mood, base);
        p.in.push_back(line);
    }
    reference(p);
    return p;
}

class Codec
{
  public:
    explicit Codec(tb::Test &test)
        : test_(test), context_(test.context()), enc_(context_.get()),
          pack_(context_.get()), unpack_(context_.get()), source_(test),
          sink_(test), memory_(test), taker_(test)
    {
        enc_.valid_i = enc_.stall_i = 0;
        pack_.valid_i = pack_.ready_i = 0;
        unpack_.start_i = unpack_.wants_i = unpack_.take_i = 0;
        tb::reset(test, enc_);
        tb::reset(test, pack_);
        tb::reset(test, unpack_);
    }

    ~Codec()
    {
        enc_.final();
        pack_.final();
        unpack_.final();
    }

    // Encodes packets, one right behind the other. Returns the cycles.
    uint64_t encode(const std::vector<Packet> &packets)
    {
        size_t in = 0, line = 0, got = 0, block = 0, out = 0, part = 0;
        uint64_t from = test_.cycle;

        test_.until(
            "packets encoded", 200 + 2000 * packets.size(),
            [&] { return out == packets.size(); },
            [&] {
                bool offered = in < packets.size() && will(source_);
                enc_.valid_i = offered;
                if (offered) {
                    const Packet &p = packets[in];
                    unsigned left = p.values - 16 * (unsigned)line;
                    enc_.keep_i = left < 16 ? (1u << left) - 1 : 0xffff;
                    enc_.side_i = line + 1 == p.in.size();
                    for (int i = 0; i < 16; i++)
                        enc_.line_i[i] = p.in[line][i];
                }
                pack_.ready_i = will(sink_);
                pack_.valid_i = enc_.valid_o;
                pack_.last_i = enc_.side_o;
                pack_.code_i = enc_.code_o;
                for (int i = 0; i < 4; i++)
                    pack_.values_i[i] = enc_.values_o[i];
                pack_.eval();
                enc_.stall_i = enc_.valid_o && !pack_.ready_o;
                enc_.eval();
                if (enc_.valid_o && !enc_.stall_i) {
                    const Packet &p = packets[got];
                    if (enc_.code_o != p.codes[block])
                        test_.fail("block %zu has code %u, not %u", block,
                                   enc_.code_o, p.codes[block]);
                    same("kept", p, block, enc_.line_o.m_storage,
                         p.decoded[block]);
                    if (enc_.side_o != (block + 1 == p.in.size()))
                        test_.fail("block %zu: last is %d", block, enc_.side_o);
                    block = enc_.side_o ? 0 : block + 1;
                    got += enc_.side_o;
                }
                if (pack_.valid_o && pack_.ready_i) {
                    check_line(packets[out], part);
                    part = pack_.last_o ? 0 : part + 1;
                    out += pack_.last_o;
                }
                if (offered && !enc_.stall_i &&
                    ++line == packets[in].in.size()) {
                    line = 0;
                    in++;
                }
                tick(pack_);
                tb::edge(test_, enc_);
            });
        enc_.valid_i = 0;
        if (pack_.busy_o)
            test_.fail("something is left in fsh_cpack");
        return test_.cycle - from;
    }

    // Decodes a packet, or reads its lines as they are. Returns the cycles.
    uint64_t decode(const Packet &p, bool coded)
    {
        const std::vector<Line> &want = coded ? p.decoded : p.wire;
        unsigned slot = test_.below(slots), ask = 0, at = 0, granted = 0;
        bool some = false, fresh = false;
        uint64_t from = test_.cycle;

        unpack_.start_i = 1;
        unpack_.coded_i = coded;
        unpack_.slot_i = slot;
        unpack_.lines_i = want.size();
        unpack_.wants_i = unpack_.take_i = 0;
        tb::edge(test_, unpack_);
        unpack_.start_i = 0;
        test_.until(
            "a packet read", 20000, [&] { return at == want.size(); },
            [&] {
                // What is not the answer to a read is anything.
                if (!fresh)
                    for (auto &x : unpack_.prd_data_i.m_storage)
                        x = (uint32_t)test_.bits();
                unpack_.take_i = some && will(taker_);
                unpack_.wants_i =
                    ask < want.size() && (!some || unpack_.take_i);
                unpack_.ask_i = ask;
                unpack_.line_i = at % 4;
                unpack_.prd_ready_i = will(memory_);
                unpack_.eval();
                if (unpack_.take_i) {
                    same("received", p, at, unpack_.line_o.m_storage, want[at]);
                    at++;
                }
                bool read = unpack_.read_o;
                fresh = unpack_.prd_valid_o && unpack_.prd_ready_i;
                unsigned addr = unpack_.prd_addr_o;
                tb::edge(test_, unpack_);
                if (fresh) {
                    if (addr / slot_lines != slot ||
                        addr % slot_lines >= p.wire.size())
                        test_.fail("reads line %u of slot %u",
                                   addr % slot_lines, addr / slot_lines);
                    granted++;
                    for (int i = 0; i < 16; i++)
                        unpack_.prd_data_i[i] = p.wire[addr % slot_lines][i];
                }
                some = read || (some && !unpack_.take_i);
                ask += read;
            });
        unpack_.take_i = unpack_.wants_i = 0;
        if (granted != p.wire.size())
            test_.fail("%u reads of %zu lines", granted, p.wire.size());
        return test_.cycle - from;
    }

    bool hurry = false;

  private:
    bool will(tb::Stall &stall)
    {
        bool willing = stall.willing();
        return hurry || willing;
    }

    template <class Model> void tick(Model &model)
    {
        model.clk_i = 1;
        model.eval();
        model.clk_i = 0;
        model.eval();
    }

    void same(const char *what, const Packet &p, size_t line,
              const uint32_t *got, const Line &want)
    {
        for (int i = 0; i < 16; i++)
            if (got[i] != want[i])
                test_.fail("%s: value %d of line %zu is %08x, not %08x (of %u)",
                           what, i, line, got[i], want[i], p.values);
    }

    void check_line(const Packet &p, size_t part)
    {
        size_t blocks = p.in.size(), bytes = 64;

        if (pack_.first_o != (part == 0) ||
            pack_.last_o != (part + 1 == p.wire.size()))
            test_.fail("line %zu of %zu: first %d, last %d", part,
                       p.wire.size(), pack_.first_o, pack_.last_o);
        if (part + 2 == p.wire.size() && blocks % 4 != 0)
            bytes = blocks % 4 * 16;
        else if (part + 1 == p.wire.size())
            bytes = blocks;
        if (std::memcmp(pack_.line_o.m_storage, p.wire[part].data(), bytes))
            test_.fail("line %zu of a packet of %zu blocks", part, blocks);
    }

    tb::Test &test_;
    std::unique_ptr<VerilatedContext> context_;
    Vfsh_cencode enc_;
    Vfsh_cpack pack_;
    Vfsh_cunpack unpack_;
    tb::Stall source_, sink_, memory_, taker_;
};

void every_length(tb::Test &test, Codec &codec, std::array<bool, 256> &seen)
{
    for (unsigned values = 1; values <= 16 * most_blocks;
         values += 1 + test.below(3)) {
        std::vector<Packet> packets;
        packets.push_back(random_packet(test, values));
        packets.push_back(
            random_packet(test, 1 + test.below(16 * most_blocks)));
        codec.encode(packets);
        for (const Packet &p : packets) {
            codec.decode(p, true);
            if (test.below(4) == 0)
                codec.decode(p, false);
            for (uint8_t code : p.codes)
                seen[code] = true;
        }
    }
}

// A link brings 16 bytes a cycle: whole packets, encoded and decoded, take less.
void keeps_up(tb::Test &test, Codec &codec)
{
    std::vector<Packet> packets;

    codec.hurry = true;
    for (int i = 0; i < 20; i++)
        packets.push_back(random_packet(test, 16 * most_blocks));
    uint64_t encode = codec.encode(packets) / packets.size();
    uint64_t decode = codec.decode(packets[0], true);
    std::printf("a packet of 60 blocks: %llu cycles encoded, %llu decoded\n",
                (unsigned long long)encode, (unsigned long long)decode);
    if (encode > 63 || decode > 63)
        test.fail("slower than the link");
    codec.hurry = false;
}

} // namespace

int main(int argc, char **argv)
{
    tb::Test test("tb_fsh_cwire", argc, argv);
    Codec codec(test);
    std::array<bool, 256> seen = {};
    unsigned long long rounds = 0;

    for (; rounds < 6; rounds++)
        every_length(test, codec, seen);
    keeps_up(test, codec);
    for (unsigned code = 0; code < 256; code++)
        if (!seen[code])
            test.fail("no block has code %u", code);
    return test.pass(rounds, "rounds of every length");
}
