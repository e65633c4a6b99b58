// SPDX-License-Identifier: BSD-3-Clause
//
// What the wrappers of Verilated models share (C++). A model has one clock,
// clk_i, and only rising edges. One VerilatedContext per model; while waves are
// written all models share one, as Verilator demands of what goes to one file.
#ifndef FSH_SIM_WRAP_H
#define FSH_SIM_WRAP_H

#include <cstdint>
#include <cstdio>
#include <memory>
#include <type_traits>

#include "node_wrap.h"
#include "verilated.h"
#include "verilated_fst_c.h"

struct fsh_node_waves {
    std::shared_ptr<VerilatedContext> context;
    VerilatedFstC file;
};

namespace fsh
{

// Forgetting that the clock was high is the same as an evaluation with the
// clock low, at no cost. The name is Verilator's own; where it is absent, the
// evaluation is done.
template <typename Top, typename Root, typename = void> struct clock_low {
    static void pass(Top *top)
    {
        top->clk_i = 0;
        top->eval();
        top->clk_i = 1;
    }
};
template <typename Top, typename Root>
struct clock_low<Top, Root,
                 std::void_t<decltype(Root::__Vtrigrprev__TOP__clk_i)>> {
    static void pass(Top *top)
    {
        static_cast<Root *>(top->rootp)->__Vtrigrprev__TOP__clk_i = 0;
        top->clk_i = 1;
    }
};

// Passes a rising edge.
template <typename Top> inline void edge(Top *top)
{
    clock_low<Top, std::remove_pointer_t<decltype(top->rootp)>>::pass(top);
    top->eval();
}

// A context whose models are evaluated by the thread that asks. Verilator would
// start a thread less than there are processors for each, which do nothing here
// but count against the limit on processes, and throw where that is reached.
inline std::shared_ptr<VerilatedContext> new_context()
{
    std::shared_ptr<VerilatedContext> context =
        std::make_shared<VerilatedContext>();
    context->threads(1);
    return context;
}

// The context of model `index` of its kind; registers without reset start at
// values drawn from the seed.
inline std::shared_ptr<VerilatedContext> make_context(uint64_t seed,
                                                      uint64_t index,
                                                      fsh_node_waves *waves)
{
    std::shared_ptr<VerilatedContext> context =
        waves ? waves->context : new_context();
    // Verilator wants a positive 31-bit seed; spread neighbours apart.
    uint64_t mix = (seed + 1) * UINT64_C(0x9E3779B97F4A7C15) +
                   (index + 1) * UINT64_C(0xBF58476D1CE4E5B9);
    mix ^= mix >> 31;
    context->randSeed(static_cast<int>(mix % 0x7ffffffe) + 1);
    context->randReset(2);
    return context;
}

// A model's destructor goes by the thread's context, which is that of whatever
// was evaluated last and may be gone.
template <typename Top> inline void destroy(Top *top)
{
    top->final();
    Verilated::threadContextp(top->contextp());
    delete top;
}

} // namespace fsh

#endif
