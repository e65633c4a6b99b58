// SPDX-License-Identifier: BSD-3-Clause
//
// A rising edge for two nodes, each function for both in turn: together.cmake
// writes it. A node's code is twice the instruction cache and is fetched anew for
// each node; so, once for both.
#ifndef FSH_SIM_TOGETHER_H
#define FSH_SIM_TOGETHER_H

#include "Vfsh_node.h"

namespace fsh
{

// Both have been evaluated before.
void edge_of_two(Vfsh_node *one, Vfsh_node *two);

} // namespace fsh

#endif
