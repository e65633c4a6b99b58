// SPDX-License-Identifier: BSD-3-Clause
// fsh_skid against a queue of two: order, no path from one side to the other
// within a cycle, one word a cycle when neither side stalls.
#include <deque>
#include "tb.h"
#include "Vfsh_skid.h"

static unsigned long long words(tb::Test &test)
{
    auto context = test.context();
    Vfsh_skid skid(context.get());
    tb::Stall source(test), sink(test);
    std::deque<uint32_t> model;
    unsigned long long taken = 0;

    tb::reset(test, skid);
    for (int i = 0; i < 20000; i++) {
        skid.valid_i = source.willing();
        skid.ready_i = sink.willing();
        skid.data_i = (uint32_t)test.bits();
        skid.eval();
        bool ready = skid.ready_o, valid = skid.valid_o;
        if (ready != (model.size() < 2) || valid != !model.empty())
            test.fail("ready %d, valid %d with %zu inside", ready, valid,
                      model.size());
        if (valid && skid.data_o != model.front())
            test.fail("data %08x, not %08x", skid.data_o, model.front());
        skid.ready_i = !skid.ready_i;
        skid.valid_i = !skid.valid_i;
        skid.eval();
        if (skid.ready_o != ready || skid.valid_o != valid)
            test.fail("an input reaches an output within the cycle");
        skid.ready_i = !skid.ready_i;
        skid.valid_i = !skid.valid_i;
        if (valid && skid.ready_i) {
            model.pop_front();
            taken++;
        }
        if (ready && skid.valid_i)
            model.push_back(skid.data_i);
        skid.eval();
        tb::edge(test, skid);
    }
    skid.final();
    return taken;
}

// Several times: each starts from other values of the registers, which reset is
// to clear.
int main(int argc, char **argv)
{
    tb::Test test("tb_fsh_skid", argc, argv);
    unsigned long long taken = 0;

    for (int round = 0; round < 10; round++)
        taken += words(test);
    return test.pass(taken, "words");
}
