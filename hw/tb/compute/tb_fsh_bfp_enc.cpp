// SPDX-License-Identifier: BSD-3-Clause
// fsh_bfp_enc against the rules of the format: ordinary blocks, all of one
// value, zeros and denormals, Inf and NaN, ties, values that round up to the
// next exponent, the largest exponent, values left out; random stalls. Latency
// and order are checked in every cycle.
#include <algorithm>
#include <deque>
#include "ref.h"
#include "Vfsh_bfp_enc.h"

struct Input {
    uint32_t x[16];
    uint32_t keep;
    uint8_t side;
};

// Rules, in double: exact up to the one rounding of nearbyint.
static ref::Block encode(const Input &in)
{
    ref::Block block = {0, {0}};
    uint32_t x[16];
    unsigned largest = 0;

    for (int i = 0; i < 16; i++) {
        x[i] = in.keep >> i & 1 ? in.x[i] : 0;
        largest = std::max(largest, x[i] >> 23 & 255);
    }
    block.exp = (uint8_t)largest;
    for (int again = 0; largest != 0 && again < 2; again++) {
        bool over = false;
        for (int i = 0; i < 16; i++) {
            uint32_t exponent = x[i] >> 23 & 255;
            double size = 0;
            if (largest == 255)
                size = exponent < 255 ? 0 : x[i] & 0x7fffff ? 127 : 64;
            else if (exponent != 0)
                size = std::nearbyint(std::ldexp(
                    std::fabs((double)ref::real(x[i])), 127 + 6 - block.exp));
            over |= size == 128;
            size = std::min(size, 127.0);
            bool negative = x[i] >> 31 && !(largest == 255 && size == 127);
            block.man[i] = (int8_t)(negative ? -size : size);
        }
        if (!over || block.exp == 254)
            break;
        block.exp++;
    }
    return block;
}

static void draw(tb::Test &test, Input &in)
{
    unsigned mood = test.below(8), base = 1 + test.below(254);

    for (auto &x : in.x) {
        if (mood < 3) { // exponents close together
            unsigned exponent = base - std::min(base - 1, test.below(12));
            x = (uint32_t)(test.bits() & 0x807fffff) | exponent << 23;
            if (test.below(4) == 0) // halves
                x &= 0xffff8000 << test.below(2);
            if (test.below(64) == 0) // nearly the next power of two
                x |= 0x007f0000;
        } else if (mood == 3) {
            x = test.below(8) ? (uint32_t)(test.bits() & 0x807fffff) : 0;
        } else {
            x = ref::value(test);
        }
        if (mood == 4 && (x >> 23 & 255) == 255) // finite
            x &= 0xbfffffff;
    }
    in.keep = test.below(2) ? 0xffff : (uint32_t)(test.bits() & 0xffff);
    in.side = (uint8_t)test.bits();
}

int main(int argc, char **argv)
{
    tb::Test test("tb_fsh_bfp_enc", argc, argv);
    auto context = test.context();
    Vfsh_bfp_enc dut(context.get());
    tb::Stall source(test), stall(test);
    std::deque<std::pair<bool, Input>> pipe(4); // newest in front
    unsigned long long blocks = 0;
    unsigned special = 0, next = 0, full = 0;

    dut.stall_i = 0;
    dut.valid_i = 0;
    tb::reset(test, dut);
    for (int cycle = 0; cycle < 300000; cycle++) {
        Input in;
        draw(test, in);
        dut.valid_i = source.willing();
        dut.stall_i = !stall.willing();
        std::memcpy(dut.x_i.m_storage, in.x, sizeof(in.x));
        dut.keep_i = (uint16_t)in.keep;
        dut.side_i = in.side;
        dut.eval();
        const auto &[valid, input] = pipe.back();
        if (dut.valid_o != valid)
            test.fail("valid is %d", dut.valid_o);
        if (valid) {
            ref::Block want = encode(input);
            const uint8_t *got = (const uint8_t *)dut.block_o.m_storage;
            for (int i = 0; i < 16; i++) {
                if (got[i] != (uint8_t)want.man[i])
                    test.fail("mantissa %d of %08x is %d, not %d (exponent %d)",
                              i, input.x[i], (int8_t)got[i], want.man[i],
                              want.exp);
            }
            if (got[16] != want.exp || dut.side_o != input.side)
                test.fail("exponent %d, not %d; side %02x, not %02x", got[16],
                          want.exp, dut.side_o, input.side);
            special += want.exp == 255;
            full += want.exp == 254;
            next += want.exp == 128;
        }
        if (!dut.stall_i) {
            blocks += valid;
            pipe.pop_back();
            pipe.push_front({dut.valid_i, in});
        }
        tb::edge(test, dut);
    }
    if (special == 0 || full == 0 || next == 0)
        test.fail("%u special, %u full, %u others", special, full, next);
    dut.final();
    return test.pass(blocks, "blocks");
}
