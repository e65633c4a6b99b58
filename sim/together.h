// SPDX-License-Identifier: BSD-3-Clause
//
// A rising edge of clk_i for two cards, and of core_clk_i for those that want it, each
// function of the nodes for both in turn: together.cmake writes it. A node's code is
// twice the instruction cache and is fetched anew for each node; so, once for both.
#ifndef FSH_SIM_TOGETHER_H
#define FSH_SIM_TOGETHER_H

#include "Vfsh_card.h"

namespace fsh
{

// Both have been evaluated before.
void edge_of_two(Vfsh_card *one, bool core_one, Vfsh_card *two, bool core_two);

} // namespace fsh

#endif
