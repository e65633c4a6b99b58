// SPDX-License-Identifier: BSD-3-Clause
// fsh_arb against a search from the requester after the last one served, and
// the fairness that follows: with all asking, all are served equally often. Where nobody
// looks the turn stays.
#include <vector>
#include "tb.h"
#include "Vfsh_arb_n1.h"
#include "Vfsh_arb_n4.h"
#include "Vfsh_arb_n6.h"

template <class Model>
static unsigned long long run(tb::Test &test, unsigned n, int cycles)
{
    auto context = test.context();
    Model arb(context.get());
    tb::Stall take(test);
    unsigned next = 0;
    unsigned long long taken = 0;
    std::vector<int> served(n);

    tb::reset(test, arb);
    for (int i = 0; i < cycles; i++) {
        bool all = i >= cycles / 2;
        uint32_t mask = (1u << n) - 1;
        arb.req_i = all ? mask : (uint32_t)(test.bits() & test.bits()) & mask;
        arb.look_i = all || (test.bits() & 3) != 0;
        arb.take_i = arb.look_i && (all || take.willing());
        arb.eval();
        if (!arb.look_i) {
            tb::edge(test, arb);
            continue;
        }
        uint32_t expected = 0;
        for (unsigned k = 0; k < n && !expected; k++)
            expected = arb.req_i & (1u << ((next + k) % n));
        if (arb.gnt_o != expected)
            test.fail("of %u: request %x, grant %x, not %x", n, arb.req_i,
                      arb.gnt_o, expected);
        if (arb.take_i && expected) {
            unsigned who = (unsigned)__builtin_ctz(expected);
            next = (who + 1) % n;
            served[who] += all;
            taken++;
        }
        tb::edge(test, arb);
    }
    for (unsigned k = 0; k < n; k++)
        if (served[k] < cycles / 2 / (int)n)
            test.fail("requester %u of %u was served %d times", k, n,
                      served[k]);
    arb.final();
    return taken;
}

int main(int argc, char **argv)
{
    tb::Test test("tb_fsh_arb", argc, argv);
    unsigned long long taken = 0;

    taken += run<Vfsh_arb_n1>(test, 1, 2000);
    taken += run<Vfsh_arb_n4>(test, 4, 100000);
    taken += run<Vfsh_arb_n6>(test, 6, 100000);
    return test.pass(taken, "grants");
}
