// SPDX-License-Identifier: BSD-3-Clause
// How nodes are reached (fsh_fn_pkg::path_t), and the route table of a block.
#ifndef FSH_TB_PATH_H
#define FSH_TB_PATH_H

#include <array>
#include "fsh_spec.h"
#include "tb.h"

// Bit p belongs to port p: whether it leads there, and the vc on its link.
struct Path {
    unsigned vcs = 0, ports = 0;

    // What is left of it where only some ports exist, or are in use.
    Path of(unsigned exist, unsigned use) const
    {
        return {vcs & exist, ports & exist & use};
    }

    unsigned pack() const
    {
        return vcs << FSH_MAX_PORTS | ports;
    }

    unsigned lowest() const
    {
        return ports & (0 - ports);
    }

    static Path random(tb::Test &test)
    {
        const unsigned all = (1u << FSH_MAX_PORTS) - 1;
        unsigned vcs = (unsigned)test.bits() & all;

        // One port as often as several; none now and then.
        if (test.below(2))
            return {vcs, 1u << test.below(FSH_MAX_PORTS)};
        return {vcs, (unsigned)test.bits() & all};
    }
};

using Routes = std::array<Path, FSH_MAX_NODES>;

static inline Routes random_routes(tb::Test &test)
{
    Routes routes;

    for (Path &path : routes)
        path = Path::random(test);
    return routes;
}

// As fsh_node_pkg::route_t.
static inline uint32_t route_word(unsigned node, const Path &path)
{
    return (1u << 6 | node) << 2 * FSH_MAX_PORTS | path.pack();
}

template <class Model>
void write_routes(tb::Test &test, Model &dut, const Routes &routes)
{
    for (unsigned i = 0; i < FSH_MAX_NODES; i++) {
        dut.route_i = route_word(i, routes[i]);
        dut.eval();
        tb::edge(test, dut);
    }
    dut.route_i = 0;
    dut.eval();
}

#endif
