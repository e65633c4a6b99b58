// SPDX-License-Identifier: BSD-3-Clause
//
// The inside of a card for node_wrap.cpp and what tests add to it (C++). Only
// rising edges of its clocks. One VerilatedContext per model; while waves
// are written all models share one, as Verilator demands of what goes to one
// file.
#ifndef FSH_SIM_WRAP_H
#define FSH_SIM_WRAP_H

#include <cstdint>
#include <cstdio>
#include <memory>
#include <type_traits>

#include "Vfsh_card.h"
#include "node_wrap.h"
#include "still.h"
#include "together.h"
#include "verilated.h"

struct fsh_node {
    fsh_node_io *io;
    std::shared_ptr<VerilatedContext> context;
    Vfsh_card *top;
    fsh::clocks clocks; // .rises: set for each edge
    bool shown, evaluated;
    std::unique_ptr<fsh::still> still;
};

namespace fsh
{

// Where Verilator keeps what the clocks were at the last evaluation, by its own
// names; nowhere if it does not.
template <typename Root, typename = void> struct last_clocks {
    static bool forget_pins(Root *)
    {
        return false;
    }
    static bool forget(Root *, bool, bool, bool, bool)
    {
        return false;
    }
};
template <typename Root>
struct last_clocks<Root,
                   std::void_t<decltype(Root::__Vtrigrprev__TOP__core_clk_i)>> {
    static bool forget_pins(Root *root)
    {
        root->__Vtrigrprev__TOP__pins_clk_i = 0;
        return true;
    }
    static bool forget(Root *root, bool clk, bool core_clk, bool coll_clk,
                       bool dma_clk)
    {
        if (clk)
            root->__Vtrigrprev__TOP__clk_i = 0;
        if (core_clk)
            root->__Vtrigrprev__TOP__core_clk_i = 0;
        if (coll_clk)
            root->__Vtrigrprev__TOP__coll_clk_i = 0;
        if (dma_clk)
            root->__Vtrigrprev__TOP__dma_clk_i = 0;
        return true;
    }
};

// Takes the values of the pins over. Forgetting that a clock was high is the same as an
// evaluation with the clock low, at no cost.
template <typename Top> inline void take_pins(Top *top)
{
    using Root = std::remove_pointer_t<decltype(top->rootp)>;
    if (!last_clocks<Root>::forget_pins(top->rootp)) {
        top->pins_clk_i = 0;
        top->eval();
    }
    top->pins_clk_i = 1;
    top->eval();
}

// Passes a rising edge, with the pins as they are now.
template <typename Top>
inline void edge(Top *top, bool clk, bool core_clk, bool coll_clk, bool dma_clk)
{
    using Root = std::remove_pointer_t<decltype(top->rootp)>;
    take_pins(top);
    if (!last_clocks<Root>::forget(top->rootp, clk, core_clk, coll_clk,
                                   dma_clk)) {
        top->clk_i = top->clk_i && !clk;
        top->core_clk_i = top->core_clk_i && !core_clk;
        top->coll_clk_i = top->coll_clk_i && !coll_clk;
        top->dma_clk_i = top->dma_clk_i && !dma_clk;
        top->eval();
    }
    top->clk_i = top->clk_i || clk;
    top->core_clk_i = top->core_clk_i || core_clk;
    top->coll_clk_i = top->coll_clk_i || coll_clk;
    top->dma_clk_i = top->dma_clk_i || dma_clk;
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

// The context that models with waves share; and the signals of a model go into its
// waves (node_waves.cpp).
std::shared_ptr<VerilatedContext> context_of(fsh_node_waves *waves);
void add_to(fsh_node_waves *waves, Vfsh_card *top);

// The context of model `index`; registers without reset start at
// values drawn from the seed, with 0 at zero.
inline std::shared_ptr<VerilatedContext> make_context(uint64_t seed,
                                                      uint64_t index,
                                                      fsh_node_waves *waves)
{
    std::shared_ptr<VerilatedContext> context =
        waves ? context_of(waves) : new_context();
    // Verilator wants a positive 31-bit seed; spread neighbours apart.
    uint64_t mix = (seed + 1) * UINT64_C(0x9E3779B97F4A7C15) +
                   (index + 1) * UINT64_C(0xBF58476D1CE4E5B9);
    mix ^= mix >> 31;
    context->randSeed(static_cast<int>(mix % 0x7ffffffe) + 1);
    context->randReset(seed != 0 ? 2 : 0);
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
