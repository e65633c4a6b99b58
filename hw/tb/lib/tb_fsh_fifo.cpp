// SPDX-License-Identifier: BSD-3-Clause
// fsh_fifo against a queue: order, fill level, handshake, latency (one cycle,
// with block RAM two), throughput of one word a cycle, reset in mid-flow. Both
// kinds of storage.
#include <deque>
#include "tb.h"
#include "Vfsh_fifo_d2.h"
#include "Vfsh_fifo_d16.h"
#include "Vfsh_fifo_d128.h"

template <class Model>
static unsigned long long run(tb::Test &test, size_t depth, bool block,
                              int cycles)
{
    auto context = test.context();
    Model fifo(context.get());
    tb::Stall source(test), sink(test);
    std::deque<uint32_t> model; // with block RAM the head may be offered
    bool offered = false;
    unsigned long long taken = 0;

    tb::reset(test, fifo);
    for (int i = 0; i < cycles; i++) {
        fifo.rst_i = test.below(5000) == 0;
        fifo.valid_i = source.willing();
        fifo.ready_i = sink.willing();
        fifo.data_i = (uint32_t)test.bits();
        fifo.eval();
        size_t stored = model.size() - (block && offered);
        bool valid = block ? offered : !model.empty();
        if (fifo.ready_o != (stored < depth) || fifo.valid_o != valid ||
            fifo.count_o != stored)
            test.fail("depth %zu: ready %d, valid %d, count %d with %zu stored",
                      depth, fifo.ready_o, fifo.valid_o, fifo.count_o, stored);
        if (fifo.valid_o && fifo.data_o != model.front())
            test.fail("depth %zu: data %08x, not %08x", depth, fifo.data_o,
                      model.front());
        bool push = fifo.valid_i && fifo.ready_o;
        bool pop = fifo.valid_o && fifo.ready_i;
        // The register takes the next word stored when it is free.
        offered = stored != 0 || (offered && !pop);
        if (pop) {
            model.pop_front();
            taken++;
        }
        if (push)
            model.push_back(fifo.data_i);
        if (fifo.rst_i) {
            model.clear();
            offered = false;
        }
        tb::edge(test, fifo);
    }
    fifo.final();
    return taken;
}

int main(int argc, char **argv)
{
    tb::Test test("tb_fsh_fifo", argc, argv);
    unsigned long long taken = 0;

    taken += run<Vfsh_fifo_d2>(test, 2, false, 100000);
    taken += run<Vfsh_fifo_d16>(test, 16, false, 200000);
    taken += run<Vfsh_fifo_d128>(test, 128, true, 200000);
    return test.pass(taken, "words");
}
