// SPDX-License-Identifier: BSD-3-Clause
//
// A rising edge of pins_clk_i and then of clk_i for one or two cards, and of the clocks of
// those engines that want it: together.cmake writes it, from the calls that
// Verilator's eval makes. For cards that have been evaluated before, and not
// while waves are written: what follows from pins is not evaluated after the edge of clk_i,
// and combinational logic of an engine not while its clock rests. Nothing else depends on
// it, since the outputs of engines are functions of registers.
#ifndef FSH_SIM_TOGETHER_H
#define FSH_SIM_TOGETHER_H

#include "Vfsh_card.h"

namespace fsh
{

struct engine_clock {
    bool rises; // with the edge of clk_i to be passed
    // Its inputs may have changed since its combinational logic was evaluated.
    bool unsettled;
};

struct clocks {
    engine_clock core, coll, dma;
    bool any; // of them rises; set by the functions below
};

void edge_of_one(Vfsh_card *card, clocks &of_card);

// Each part of the node for both in turn, so that its code, several times the size
// of the instruction cache, is fetched once for both.
void edge_of_two(Vfsh_card *one, clocks &of_one, Vfsh_card *two,
                 clocks &of_two);

// Evaluates the combinational logic of an engine that is unsettled, but for what
// follows from pins: that is part of every edge of its clock.
void settle_core(Vfsh_card *card);
void settle_coll(Vfsh_card *card);
void settle_dma(Vfsh_card *card);

} // namespace fsh

#endif
