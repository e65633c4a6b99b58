// SPDX-License-Identifier: BSD-3-Clause
// fsh_fp_mul against the host's FP64 multiplication, which is exact, rounded as if
// exponents had no end: every kind of pair (ties, overflow, underflow and what rounds
// up out of it, zeros, denormals, Inf, NaN); stages that stand still at random. The
// scale changes when nothing of the last one is inside.
#include <deque>
#include "ref.h"
#include "Vfsh_fp_mul.h"

int main(int argc, char **argv)
{
    tb::Test test("tb_fsh_fp_mul", argc, argv);
    auto context = test.context();
    Vfsh_fp_mul dut(context.get());
    tb::Stall stall(test);
    std::deque<uint32_t> pipe; // newest in front
    unsigned long long products = 0;

    for (int cycle = 0; cycle < 4000000; cycle++) {
        if (cycle % 64 == 0) {
            dut.scale_i = ref::value(test);
            pipe.clear();
        }
        dut.step_i = stall.willing();
        dut.x_i = ref::value(test);
        // A pair whose product lies about 2^-126, now and then.
        if (test.below(4) == 0) {
            int apart =
                127 - (int)(dut.scale_i >> 23 & 255) + (int)test.below(3);
            if (apart > 0 && apart < 255)
                dut.x_i = (dut.x_i & 0x807fffff) | (uint32_t)apart << 23;
        }
        dut.eval();
        if (pipe.size() == 4) {
            uint32_t want = ref::mul(pipe.back(), dut.scale_i);
            if (dut.product_o != want)
                test.fail("%08x * %08x is %08x, not %08x", pipe.back(),
                          dut.scale_i, dut.product_o, want);
            products++;
        }
        if (dut.step_i) {
            if (pipe.size() == 4)
                pipe.pop_back();
            pipe.push_front(dut.x_i);
        }
        tb::edge(test, dut);
    }
    dut.final();
    return test.pass(products, "products");
}
