// SPDX-License-Identifier: BSD-3-Clause
//
// See sim_play.h. What is forced on a wire reaches those who look at it with the next
// edge of the clock of who drives it else: as from a register of the other.
#include "sim_play.h"

#include <cstring>
#include <map>

#include "Vfsh_card___024root.h"
#include "wrap.h"

namespace
{

struct player {
    uint32_t index;
    fsh_port_in out;
    bool busy;
};
std::map<fsh_node *, player> players;

#define WIRE(name) root.fsh_pins__DOT__i_card__DOT__##name
#define FORCE(name) root.fsh_pins__DOT__i_card__DOT__##name##__VforceVal

fsh_port_out driven_by_node(const Vfsh_card___024root &root)
{
    fsh_port_out port{};
    port.run_valid = WIRE(run_valid);
    port.run_mover = WIRE(run_queue);
    port.run_count = WIRE(run_count);
    port.run_addr = WIRE(run_addr);
    port.sig_valid = WIRE(sig_valid);
    port.sig_counter = WIRE(sig_counter);
    port.sig_inc = WIRE(sig_inc);
    port.ack_valid = WIRE(ack_valid);
    port.ack_tag = WIRE(ack_tag);
    port.ack_status = WIRE(ack_status);
    port.ccmd_ready = WIRE(ccmd_ready);
    return port;
}

// From now on the core hears nothing, and the node what is played. Not before the
// first evaluation, which sets all initial values.
void take_over(Vfsh_card___024root &root)
{
#define QUIET(name)                             \
    root.fsh_pins__DOT__i_card__DOT__##name##__VforceEn = 1; \
    FORCE(name) = 0;
    QUIET(run_valid)
    QUIET(sig_valid)
    QUIET(ack_valid)
    QUIET(cperf_clear)
    QUIET(cperf_read)
    QUIET(cperf_valid)
    QUIET(ccmd_valid)
    QUIET(run_room)
#undef QUIET
    root.fsh_pins__DOT__i_card__DOT__run_room__VforceEn = 3;
    for (unsigned i = 0; i < 4; i++)
        root.fsh_pins__DOT__i_card__DOT__ccmd__VforceEn[i] = ~0u;
}

void play(Vfsh_card___024root &root, const fsh_port_in &port)
{
    FORCE(run_room) = port.run_room;
    FORCE(ccmd_valid) = port.ccmd_valid;
    uint64_t command[FSH_ECMD_WORDS] = {};
    fsh_ecmd_set_kind(command, port.kind);
    fsh_ecmd_set_dst(command, port.dst);
    fsh_ecmd_set_tag(command, port.tag);
    fsh_ecmd_set_laddr(command, port.laddr);
    fsh_ecmd_set_raddr(command, port.raddr);
    fsh_ecmd_set_length(command, port.length);
    std::memcpy(&FORCE(ccmd)[0], command, sizeof command);
}

void before(fsh_node *node)
{
    player &p = players[node];
    Vfsh_card___024root &root = *node->top->rootp;
    if (node->io->in.rst)
        take_over(root);
    if (!node->io->in.core_clk)
        return;
    fsh_port_out in = driven_by_node(root);
    fsh_port_in was = p.out;
    p.busy = sim_play_edge(p.index, &in, &p.out);
    play(root, p.out);
    // A core at rest needs its clock for the wires it drives only.
    if (!node->io->in.rst && std::memcmp(&was, &p.out, sizeof was) == 0)
        node->io->in.core_clk = 0;
}

void after(fsh_node *node)
{
    const player &p = players[node];
    fsh_node_out &out = node->io->out;
    fsh_port_out port = driven_by_node(*node->top->rootp);
    out.core_valid = p.out.ccmd_valid;
    out.run_room = p.out.run_room;
    out.core_busy = p.busy || p.out.ccmd_valid || port.run_valid ||
                    port.sig_valid || port.ack_valid;
}

} // namespace

extern "C" {

fsh_node *__real_fsh_node_create(fsh_node_io *, uint32_t, uint64_t,
                                 fsh_node_waves *);
void __real_fsh_node_destroy(fsh_node *);
void __real_fsh_node_eval(fsh_node *);
void __real_fsh_node_eval_two(fsh_node *, fsh_node *);

fsh_node *__wrap_fsh_node_create(fsh_node_io *io, uint32_t index, uint64_t seed,
                                 fsh_node_waves *waves)
{
    fsh_node *node = __real_fsh_node_create(io, index, seed, waves);
    players[node] = player{index, {}, true};
    sim_play_begin(index, io);
    return node;
}

void __wrap_fsh_node_destroy(fsh_node *node)
{
    players.erase(node);
    __real_fsh_node_destroy(node);
}

void __wrap_fsh_node_eval(fsh_node *node)
{
    before(node);
    __real_fsh_node_eval(node);
    after(node);
}

void __wrap_fsh_node_eval_two(fsh_node *one, fsh_node *two)
{
    before(one);
    before(two);
    __real_fsh_node_eval_two(one, two);
    after(one);
    after(two);
}
}
