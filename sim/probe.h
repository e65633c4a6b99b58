// SPDX-License-Identifier: BSD-3-Clause
//
// Registers inside the Verilated card, for fsh_node_probe of node_wrap.h (C++): those
// that model.vlt makes public, and what they mean in the RTL. Not inputs of modules, which
// Verilator replaces by what drives them and never writes. Traces that are the same with
// any --seed tell.
#ifndef FSH_SIM_PROBE_H
#define FSH_SIM_PROBE_H

#include <algorithm>
#include <cstring>

#include "Vfsh_card__Syms.h"
#include "node_wrap.h"
#include "still.h"

namespace fsh
{

#define LINK_TX(port) \
    TOP__fsh_card__DOT__i_node__DOT__i_gasnet__DOT__gen_port__BRA__##port##__KET____DOT__i_port__DOT__i_tx
#define SEQ_SEND(port) \
    TOP__fsh_card__DOT__i_node__DOT__i_gasnet__DOT__i_seq__DOT__i_send##port
#define SEQ(name) fsh_card__DOT__i_node__DOT__i_gasnet__DOT__i_seq__DOT__##name
#define LOOP_OK(channel) \
    fsh_card__DOT__i_node__DOT__i_gasnet__DOT__i_loop__DOT__gen_channel__BRA__##channel##__KET____DOT__i_credit__DOT__ok_q
#define CREDIT(channel, name) \
    gen_credit__BRA__##channel##__KET____DOT__i_credit__DOT__##name

inline uint16_t in_flight(unsigned used, unsigned freed)
{
    return static_cast<uint16_t>((used - freed) % (2 * FSH_VC_BEATS));
}

template <typename Tx> inline void probe_credits(const Tx &tx, uint16_t *out)
{
#define IN_FLIGHT(v) in_flight(tx.CREDIT(v, used_q), tx.CREDIT(v, freed_q))
    out[0] = std::max(IN_FLIGHT(0), IN_FLIGHT(1));
    out[1] = std::max(IN_FLIGHT(2), IN_FLIGHT(3));
#undef IN_FLIGHT
}

template <typename Tx> inline uint64_t pack_credits(const Tx &tx)
{
#define PACKED(v)                                                             \
    (static_cast<uint64_t>(                                                   \
         static_cast<uint16_t>(tx.CREDIT(v, used_q) - tx.CREDIT(v, freed_q))) \
     << 16 * v)
    return PACKED(0) | PACKED(1) | PACKED(2) | PACKED(3);
#undef PACKED
}

// fsh_seq_send: Header, Args, Payload.
template <typename Send>
inline uint8_t send_phase(const Send &send, bool any, bool blocked)
{
    if (blocked)
        return FSH_PROBE_BLOCKED;
    if (send.state_q == 0)
        return any ? FSH_PROBE_HEADER : FSH_PROBE_SILENT;
    return send.state_q == 1 ? FSH_PROBE_ARGUMENTS : FSH_PROBE_PAYLOAD;
}

// AR_DEPTH, DESC_ROOM of fsh_seq.
inline bool no_read(const Vfsh_card___024root &root)
{
    return root.SEQ(i_read__DOT__i_ar__DOT__count_q) > 4 - 2;
}

inline bool port_behind(const Vfsh_card___024root &root, unsigned port)
{
    return (port ? root.SEQ(i_desc1__DOT__count_q)
                 : root.SEQ(i_desc0__DOT__count_q)) > 32 - 4;
}

// What keeps a context of fsh_seq that goes to this port from its next packet.
inline uint8_t message_phase(const Vfsh_card___024root &root, unsigned port,
                             bool credit)
{
    if (!credit)
        return FSH_PROBE_NO_CREDIT;
    if (!(root.SEQ(mem_room) >> port & 1) || !root.SEQ(host_room) ||
        no_read(root))
        return FSH_PROBE_NO_BUFFER;
    return port_behind(root, port) ? FSH_PROBE_PORT_BEHIND : FSH_PROBE_GOES;
}

template <typename Message>
inline void probe_message(const Vfsh_card__Syms &syms, unsigned context,
                          Message &out)
{
    const Vfsh_card___024root &root = syms.TOP;
    bool reply = context / 2;
    unsigned port = (context ^ root.SEQ(other_q) >> context) & 1;
    const auto &tx = port ? syms.LINK_TX(1) : syms.LINK_TX(0);
    uint64_t fixed = root.SEQ(fixed_mem)[context]; // fixed_t of fsh_seq
    bool credit = tx.seq_ok_o >> reply & 1;

    if (!(root.SEQ(active_q) >> context & 1))
        return;
    if (root.SEQ(loop_q) >> context & 1)
        credit = reply ? root.LOOP_OK(1) : root.LOOP_OK(0);
    out.phase = message_phase(root, port, credit);
    out.bytes = fixed & 0xffffff;
    out.peer = fixed >> 35 & 0x3f;
    out.opcode = fixed >> 48 & 0xff;
}

inline void probe_node(const Vfsh_card__Syms &syms, fsh_probe &out)
{
    const Vfsh_card___024root &root = syms.TOP;
    const auto &send0 = syms.SEQ_SEND(0);
    const auto &send1 = syms.SEQ_SEND(1);

    for (unsigned c = 0; c < 4; c++)
        probe_message(syms, c, out.message[c / 2][c % 2]);
    out.send[0] = send_phase(send0, root.SEQ(i_desc0__DOT__some_q),
                             send0.i_out__DOT__spare_valid_q);
    out.send[1] = send_phase(send1, root.SEQ(i_desc1__DOT__some_q),
                             send1.i_out__DOT__spare_valid_q);
    probe_credits(syms.LINK_TX(0), out.reserved[0]);
    probe_credits(syms.LINK_TX(1), out.reserved[1]);
}

// All registers that message_phase looks at, without those of idle contexts.
inline unsigned pack_phases(const Vfsh_card___024root &root,
                            const Vfsh_card__Syms &syms, unsigned active)
{
    unsigned contexts =
        (root.SEQ(other_q) & active) << 4 | (root.SEQ(loop_q) & active);
    unsigned credits = syms.LINK_TX(0).seq_ok_o |
                       syms.LINK_TX(1).seq_ok_o << 2 | root.LOOP_OK(0) << 4 |
                       root.LOOP_OK(1) << 5;
    unsigned room = root.SEQ(mem_room) | root.SEQ(host_room) << 2 |
                    no_read(root) << 3 | port_behind(root, 0) << 4 |
                    port_behind(root, 1) << 5;
    return contexts | credits << 8 | room << 16;
}

// Most evaluations change none of what probe_node looks at: it is compared as words.
inline bool has_changed(const Vfsh_card__Syms &syms, fsh_probe_seen &seen)
{
    const Vfsh_card___024root &root = syms.TOP;
    const auto &send0 = syms.SEQ_SEND(0);
    const auto &send1 = syms.SEQ_SEND(1);
    uint64_t reserved0 = pack_credits(syms.LINK_TX(0));
    uint64_t reserved1 = pack_credits(syms.LINK_TX(1));
    unsigned active = root.SEQ(active_q);
    uint64_t state = active | send0.state_q << 4 | send1.state_q << 6 |
                     send0.i_out__DOT__spare_valid_q << 8 |
                     send1.i_out__DOT__spare_valid_q << 9 |
                     root.SEQ(i_desc0__DOT__some_q) << 10 |
                     root.SEQ(i_desc1__DOT__some_q) << 11;
    uint64_t differs = 0;

    if (active != 0) {
        state |= static_cast<uint64_t>(pack_phases(root, syms, active)) << 16;
        for (unsigned c = 0; c < 4; c++) {
            uint64_t fixed = root.SEQ(fixed_mem)[c];
            differs |= active >> c & 1 ? seen.message[c] ^ fixed : 0;
            seen.message[c] = fixed;
        }
    }
    differs |= (state ^ seen.state) | (reserved0 ^ seen.reserved[0]) |
               (reserved1 ^ seen.reserved[1]);
    seen.state = state;
    seen.reserved[0] = reserved0;
    seen.reserved[1] = reserved1;
    return differs != 0;
}

// The first word of a command, in which all is that is shown.
template <typename Command> inline uint64_t first_word(const Command &command)
{
    return command[0] | static_cast<uint64_t>(command[1]) << 32;
}

template <typename Command> inline uint8_t op_of(const Command &command)
{
    uint64_t word = first_word(command);
    return static_cast<uint8_t>(fsh_ccmd_op(&word));
}

// fsh_cqueue: Idle, Ask, Answer, Check, Tiles, Judge, Await, Offer.
inline uint8_t queue_phase(unsigned state)
{
    static const uint8_t phases[8] = {
        FSH_PROBE_EMPTY, FSH_PROBE_FETCH, FSH_PROBE_FETCH, FSH_PROBE_CHECK,
        FSH_PROBE_CHECK, FSH_PROBE_CHECK, FSH_PROBE_AWAIT, FSH_PROBE_OFFER};
    return phases[state % 8];
}

// fsh_cstep: Idle, Setup, Tile, Await, Run, Tail, Hand.
inline uint8_t array_phase(unsigned state)
{
    static const uint8_t phases[8] = {FSH_PROBE_IDLE,       FSH_PROBE_BEGINS,
                                      FSH_PROBE_HANDS_OVER, FSH_PROBE_OPERANDS,
                                      FSH_PROBE_MULTIPLIES, FSH_PROBE_ADDS,
                                      FSH_PROBE_HANDS_OVER, FSH_PROBE_IDLE};
    return phases[state % 8];
}

// The memory of fsh_cqueue's lists, {count, address}; where Verilator has it under
// another name a list counts as one command.
FSH_MEMORY(array_lists,
           __PVT__i_array_queue__DOT__i_lists__DOT__gen_distributed__DOT__mem)
FSH_MEMORY(mover_lists,
           __PVT__i_mover_queue__DOT__i_lists__DOT__gen_distributed__DOT__mem)

// What is in the queue of lists, by its registers: its memory, the first and how many.
struct lists {
    span memory;
    unsigned first, count;
};

inline uint16_t commands_in(const lists &in)
{
    unsigned sum = 0;
    for (unsigned i = 0; i < in.count; i++) {
        uint64_t list = UINT64_C(1) << 32;
        if (in.memory.bytes != 0)
            std::memcpy(&list, in.memory.at + (in.first + i) % 16 * 8,
                        sizeof list);
        sum += list >> 32 & 0xff;
    }
    return static_cast<uint16_t>(sum);
}

// Of a core, a class of Verilator.
#define QUEUE(name, reg) core.i_##name##_queue__DOT__##reg
#define LISTS(name)                                                      \
    {                                                                    \
        name##_lists<Core>::of(core), QUEUE(name, i_lists__DOT__rptr_q), \
            QUEUE(name, i_lists__DOT__count_q)                           \
    }
template <typename Core>
inline void probe_queues(Core &core, fsh_probe_core &out)
{
    uint64_t array = first_word(QUEUE(array, cmd_q));
    uint64_t mover = first_word(QUEUE(mover, cmd_q));
    out.queue[0].phase = queue_phase(QUEUE(array, state_q));
    out.queue[1].phase = queue_phase(QUEUE(mover, state_q));
    out.queue[0].event = static_cast<uint8_t>(fsh_ccmd_await_event(&array));
    out.queue[1].event = static_cast<uint8_t>(fsh_ccmd_await_event(&mover));
    out.queue[0].commands = QUEUE(array, left_q) + commands_in(LISTS(array));
    out.queue[1].commands = QUEUE(mover, left_q) + commands_in(LISTS(mover));
}
#undef QUEUE
#undef LISTS

template <typename Core> inline void probe_core(Core &core, fsh_probe_core &out)
{
    probe_queues(core, out);
    if (core.i_load__DOT__state_q != 0)
        out.load_op = op_of(core.i_load__DOT__cmd_q);
    out.array = array_phase(core.i_step__DOT__state_q);
    out.array_op = op_of(core.i_step__DOT__cmd_q);
    out.results = core.i_out__DOT__i_walk__DOT__state_q != 0;
    out.open[0] = (core.i_art__DOT__open_o & 3) != 0;
    out.open[1] = (core.i_art__DOT__open_o & 12) != 0;
}

#undef LINK_TX
#undef SEQ_SEND
#undef SEQ
#undef LOOP_OK
#undef CREDIT

} // namespace fsh

#endif
