// SPDX-License-Identifier: BSD-3-Clause
//
// A rising edge of clk_i for one or two cards, and of core_clk_i for those whose core
// wants it: together.cmake writes it, from the calls that Verilator's eval makes.
// For cards that have been evaluated before, and not while waves are written: what
// follows in the core from its inputs is left out as long as its clock rests.
#ifndef FSH_SIM_TOGETHER_H
#define FSH_SIM_TOGETHER_H

#include "Vfsh_card.h"

namespace fsh
{

struct core_clock {
    bool rises;
    bool
        unsettled; // its combinational logic does not follow from the inputs yet
};

void edge_of_one(Vfsh_card *card, core_clock &core);

// Each function of the node for both in turn: its code is twice the instruction cache
// and is fetched anew for each node; so, once for both.
void edge_of_two(Vfsh_card *one, core_clock &core_one, Vfsh_card *two,
                 core_clock &core_two);

// Evaluates the combinational logic of a core that is unsettled.
void settle_core(Vfsh_card *card);

} // namespace fsh

#endif
