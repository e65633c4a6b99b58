// SPDX-License-Identifier: BSD-3-Clause
//
// A rising edge of clk_i for one or two cards, and of core_clk_i for those
// whose core wants it: together.cmake writes it, from the calls that
// Verilator's eval makes. For cards that have been evaluated before, and not
// while waves are written: combinational logic of a core is not evaluated while
// its clock rests. Nothing else depends on it, since the outputs of fsh_compute
// are functions of registers.
#ifndef FSH_SIM_TOGETHER_H
#define FSH_SIM_TOGETHER_H

#include "Vfsh_card.h"

namespace fsh
{

struct core_clock {
    bool rises; // with the edge of clk_i to be passed
    // Its inputs may have changed since its combinational logic was evaluated.
    bool unsettled;
};

void edge_of_one(Vfsh_card *card, core_clock &core);

// Each function of the node for both in turn, so that its code, twice the size
// of the instruction cache, is fetched once for both.
void edge_of_two(Vfsh_card *one, core_clock &core_one, Vfsh_card *two,
                 core_clock &core_two);

// Evaluates the combinational logic of a core that is unsettled, but for what
// follows from pins: that is part of every edge of its clock.
void settle_core(Vfsh_card *card);

} // namespace fsh

#endif
