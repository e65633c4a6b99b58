// SPDX-License-Identifier: BSD-3-Clause
// fsh_fp_add against the host's FP32 addition: every kind of pair (cancellation,
// ties, overflow, underflow, zeros, denormals, Inf, NaN), every distance of the
// exponents; random stalls. Latency and order are checked in every cycle.
#include <deque>
#include "ref.h"
#include "Vfsh_fp_add.h"

int main(int argc, char **argv)
{
    tb::Test test("tb_fsh_fp_add", argc, argv);
    auto context = test.context();
    Vfsh_fp_add dut(context.get());
    tb::Stall source(test), stall(test);
    struct Pair {
        bool valid;
        uint32_t a, b;
        uint8_t side;
    };
    std::deque<Pair> pipe(4); // newest in front
    unsigned long long sums = 0;

    dut.stall_i = 0;
    dut.valid_i = 0;
    tb::reset(test, dut);
    for (int cycle = 0; cycle < 4000000; cycle++) {
        Pair in = {source.willing(), ref::value(test), ref::value(test),
                   (uint8_t)(test.below(2))};
        dut.stall_i = cycle % 4 == 0 && !stall.willing();
        dut.valid_i = in.valid;
        dut.a_i = in.a;
        dut.b_i = in.b;
        dut.side_i = in.side;
        dut.eval();
        const Pair &out = pipe.back();
        if (dut.valid_o != out.valid)
            test.fail("valid is %d", dut.valid_o);
        if (out.valid) {
            uint32_t want = ref::add(out.a, out.b);
            if (dut.sum_o != want || dut.side_o != out.side)
                test.fail("%08x + %08x is %08x, not %08x; side %d", out.a,
                          out.b, dut.sum_o, want, dut.side_o);
        }
        if (!dut.stall_i) {
            sums += out.valid;
            pipe.pop_back();
            pipe.push_front(in);
        }
        tb::edge(test, dut);
    }
    dut.final();
    return test.pass(sums, "sums");
}
