// SPDX-License-Identifier: BSD-3-Clause
//
// Registers inside the Verilated card, for fsh_node_probe of node_wrap.h (C++): those
// that model.vlt makes public, and what they mean in the RTL. Not inputs of modules, which
// Verilator replaces by what drives them and never writes. Traces that are the same with
// any --seed tell.
#ifndef FSH_SIM_PROBE_H
#define FSH_SIM_PROBE_H

#include <cstring>

#include "Vfsh_card__Syms.h"
#include "node_wrap.h"
#include "still.h"

namespace fsh
{

#define LINK_TX(port) \
    TOP__fsh_pins__DOT__i_card__DOT__i_node__DOT__i_gasnet__DOT__i_router__DOT__gen_port__BRA__##port##__KET____DOT__i_tx
#define SEQ_LANE(lane, name) \
    SEQ(gen_lane__BRA__##lane##__KET____DOT__i_lane__DOT__##name)
#define SEQ_SEND(lane) \
    TOP__fsh_pins__DOT__i_card__DOT__i_node__DOT__i_gasnet__DOT__i_seq__DOT__gen_lane__BRA__##lane##__KET____DOT__i_lane__DOT__i_send
#define SEQ(name) \
    fsh_pins__DOT__i_card__DOT__i_node__DOT__i_gasnet__DOT__i_seq__DOT__##name
#define CONTEXTS(name) SEQ(i_contexts__DOT__##name)
#define LOOP_OK(channel) \
    fsh_pins__DOT__i_card__DOT__i_node__DOT__i_gasnet__DOT__i_loop__DOT__gen_channel__BRA__##channel##__KET____DOT__i_credit__DOT__ok_q
#define QUEUE_OK(channel) \
    i_bulk__DOT__gen_channel__BRA__##channel##__KET____DOT__i_credit__DOT__ok_q
#define CREDITS(name) i_credits__DOT__##name

// Beats of a virtual channel that fsh_credits counts.
template <typename Tx> inline unsigned reserved_of(const Tx &tx, unsigned vc)
{
    constexpr unsigned bits = 12; // of a count
    return static_cast<unsigned>((tx.CREDITS(used_q) >> bits * vc) -
                                 (tx.CREDITS(freed_q) >> bits * vc)) %
           (1u << bits);
}

template <typename Tx> inline void probe_credits(const Tx &tx, uint16_t *out)
{
    for (unsigned reply = 0; reply < 2; reply++)
        out[reply] = static_cast<uint16_t>(reserved_of(tx, 2 * reply) +
                                           reserved_of(tx, 2 * reply + 1));
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

// What the links say of credits, {reply, vc}, and above that their queues of room,
// {reply}, as fsh_seq sees them.
template <typename Tx> inline unsigned credits_of(const Tx &tx)
{
    return tx.CREDITS(short_q) | tx.QUEUE_OK(0) << 4 | tx.QUEUE_OK(1) << 5;
}

#if FSH_CARD_PORTS == 2
#define FOR_PORTS(what) what(0) what(1)
#elif FSH_CARD_PORTS == 6
#define FOR_PORTS(what) what(0) what(1) what(2) what(3) what(4) what(5)
#endif

inline unsigned credits(const Vfsh_card__Syms &syms, unsigned port)
{
#define ONE(p)     \
    if (port == p) \
        return credits_of(syms.LINK_TX(p));
    FOR_PORTS(ONE)
#undef ONE
    return 0;
}

inline void probe_reserved(const Vfsh_card__Syms &syms, fsh_probe &out)
{
#define RESERVED(p) probe_credits(syms.LINK_TX(p), out.reserved[p]);
    FOR_PORTS(RESERVED)
#undef RESERVED
}

// Of a value of Verilator, a word or an array of 32-bit words, 64 bits from `bit` on.
template <typename Value>
inline uint64_t word_of(const Value &value, unsigned bit)
{
    if constexpr (sizeof value <= 8) {
        return static_cast<uint64_t>(value) >> bit;
    } else {
        uint64_t low = value.at(bit / 32), next = 0, last = 0;
        if (bit / 32 + 1 < sizeof value / 4)
            next = value.at(bit / 32 + 1);
        if (bit / 32 + 2 < sizeof value / 4)
            last = value.at(bit / 32 + 2);
        uint64_t both = low | next << 32;
        unsigned shift = bit % 32;
        return shift ? both >> shift | last << (64 - shift) : both;
    }
}

// Contexts of fsh_seq, each channel.
constexpr unsigned SEQ_CONTEXTS = FSH_CARD_PORTS > 2 ? 8 : 4;
static_assert(SEQ_CONTEXTS <= FSH_PROBE_CONTEXTS, "a look has room for all");

// Ports that the next packet of a context may take.
inline unsigned left_of(const Vfsh_card___024root &root, unsigned context)
{
    unsigned ports = 0;
    for (unsigned p = 0; p < FSH_CARD_PORTS; p++)
        ports |=
            (word_of(root.CONTEXTS(left_q), p * 2 * SEQ_CONTEXTS + context) & 1)
            << p;
    return ports;
}

// What of a lane keeps a context of fsh_seq from its next packet, with payload from a
// memory or without.
inline uint8_t lane_phase(const Vfsh_card___024root &root, unsigned lane,
                          bool memory)
{
    constexpr unsigned reads = 4 - 2; // AR_DEPTH of fsh_seq_read
    // brief_room_o and bulk_room_o of fsh_seq_lane
    constexpr unsigned bulk = 24 - 1 - 2 * (SEQ_CONTEXTS - 1), brief = 8 - 2;
    unsigned bulk_count = lane ? root.SEQ_LANE(1, i_queue__DOT__bulk_count_q)
                               : root.SEQ_LANE(0, i_queue__DOT__bulk_count_q);
    unsigned brief_count = lane ? root.SEQ_LANE(1, i_queue__DOT__brief_count_q)
                                : root.SEQ_LANE(0, i_queue__DOT__brief_count_q);
    if (!memory)
        return brief_count > brief ? FSH_PROBE_PORT_BEHIND : FSH_PROBE_GOES;
    if (!(root.SEQ(mem_room) >> lane & 1) || !root.SEQ(host_room) ||
        root.SEQ(i_read__DOT__i_ar__DOT__count_q) > reads)
        return FSH_PROBE_NO_BUFFER;
    return bulk_count > bulk ? FSH_PROBE_PORT_BEHIND : FSH_PROBE_GOES;
}

// Of the ports that the next packet may take the first that lets it.
inline uint8_t message_phase(const Vfsh_card__Syms &syms, unsigned context,
                             uint64_t fixed)
{
    const Vfsh_card___024root &root = syms.TOP;
    unsigned reply = context / SEQ_CONTEXTS;
    uint8_t phase = FSH_PROBE_NO_CREDIT;
    for (unsigned p = 0; p < FSH_CARD_PORTS; p++) {
        if (!(left_of(root, context) >> p & 1))
            continue;
        unsigned vc = fixed >> (FSH_CARD_PORTS + p) & 1;
        bool memory = root.CONTEXTS(memory_q) >> context & 1;
        bool credit =
            credits(syms, p) >> (memory ? 4 + reply : 2 * reply + vc) & 1;
        if (root.CONTEXTS(loop_q) >> context & 1)
            credit = reply ? root.LOOP_OK(1) : root.LOOP_OK(0);
        if (credit) {
            phase = lane_phase(root, p % FSH_LANES, memory);
            if (phase == FSH_PROBE_GOES)
                break;
        }
    }
    return phase;
}

template <typename Message>
inline void probe_message(const Vfsh_card__Syms &syms, unsigned context,
                          Message &out)
{
    const Vfsh_card___024root &root = syms.TOP;
    // fixed_t of fsh_seq, of which the ports are the last.
    const uint64_t low = word_of(root.SEQ(fixed_mem)[context], 0);
    const uint64_t fixed =
        word_of(root.SEQ(fixed_mem)[context], 2 * FSH_CARD_PORTS);

    if (!(root.CONTEXTS(active_q) >> context & 1))
        return;
    out.phase = message_phase(syms, context, low);
    // Arguments apart from their payload count as a message without any.
    out.bytes =
        (fixed >> 41 & 3) == FSH_SPACE_COLLECTIVE ? 0 : fixed & 0xffffff;
    out.peer = fixed >> 35 & 0x3f;
    out.opcode = fixed >> 48 & 0xff;
}

// Of the contexts in use, and those that were.
inline void probe_messages(const Vfsh_card__Syms &syms, fsh_probe &out)
{
    unsigned active = syms.TOP.CONTEXTS(active_q);

    for (unsigned channel = 0; channel < 2; channel++) {
        unsigned now =
            active >> channel * SEQ_CONTEXTS & ((1u << SEQ_CONTEXTS) - 1);

        for (unsigned i = 0; (now | out.active[channel]) >> i != 0; i++) {
            if (!((now | out.active[channel]) >> i & 1))
                continue;
            // What is between its members, too.
            std::memset(&out.message[channel][i], 0,
                        sizeof out.message[channel][i]);
            probe_message(syms, channel * SEQ_CONTEXTS + i,
                          out.message[channel][i]);
        }
        out.active[channel] = static_cast<uint8_t>(now);
    }
}

inline void probe_senders(const Vfsh_card__Syms &syms, fsh_probe &out)
{
    const Vfsh_card___024root &root = syms.TOP;
    const auto &send0 = syms.SEQ_SEND(0);
    const auto &send1 = syms.SEQ_SEND(1);

#define ANY(lane)                                     \
    (root.SEQ_LANE(lane, i_queue__DOT__bulk_some_q) | \
     root.SEQ_LANE(lane, i_queue__DOT__brief_some_q))
    out.send[0] = send_phase(send0, ANY(0), send0.i_out__DOT__spare_valid_q);
    out.send[1] = send_phase(send1, ANY(1), send1.i_out__DOT__spare_valid_q);
#undef ANY
}

inline void probe_node(const Vfsh_card__Syms &syms, fsh_probe &out)
{
    probe_messages(syms, out);
    probe_senders(syms, out);
    probe_reserved(syms, out);
}

// Most evaluations change none of what probe_node looks at. Registers are compared as
// they stand in memory, in few instructions: each cache line of code that is executed
// between two evaluations has to come back for the next (a node's code is larger than
// the cache), which costs more than what it does.
constexpr unsigned SENDERS = 10; // bits of packed_state; above: active contexts
inline uint64_t packed_state(const Vfsh_card__Syms &syms)
{
    const Vfsh_card___024root &root = syms.TOP;
    const auto &send0 = syms.SEQ_SEND(0);
    const auto &send1 = syms.SEQ_SEND(1);
    uint64_t active = root.CONTEXTS(active_q);

    return send0.state_q | send1.state_q << 2 |
           send0.i_out__DOT__spare_valid_q << 4 |
           send1.i_out__DOT__spare_valid_q << 5 |
           root.SEQ_LANE(0, i_queue__DOT__bulk_some_q) << 6 |
           root.SEQ_LANE(0, i_queue__DOT__brief_some_q) << 7 |
           root.SEQ_LANE(1, i_queue__DOT__bulk_some_q) << 8 |
           root.SEQ_LANE(1, i_queue__DOT__brief_some_q) << 9 |
           active << SENDERS;
}

// All registers that message_phase looks at, mixed.
inline uint64_t mix_phases(const Vfsh_card__Syms &syms)
{
    const Vfsh_card___024root &root = syms.TOP;
    uint64_t mix = root.CONTEXTS(loop_q) | root.CONTEXTS(memory_q) << 16;
    uint64_t room =
        root.LOOP_OK(0) | root.LOOP_OK(1) << 1 | root.SEQ(mem_room) << 2 |
        root.SEQ(host_room) << 4 | lane_phase(root, 0, true) << 5 |
        lane_phase(root, 1, true) << 8 | lane_phase(root, 0, false) << 11 |
        lane_phase(root, 1, false) << 14;
    mix |= room << 32;
    for (unsigned p = 0; p < FSH_CARD_PORTS; p++)
        mix = mix * UINT64_C(0x9e3779b97f4a7c15) + credits(syms, p);
    return mix;
}

// Of contexts that stay in use: has what they wait for changed, or the message?
inline bool messages_differ(const Vfsh_card__Syms &syms, fsh_probe_seen &seen,
                            unsigned active)
{
    const Vfsh_card___024root &root = syms.TOP;
    uint64_t phases = mix_phases(syms);
    uint64_t differs = phases ^ seen.phases;

    seen.phases = phases;
    for (; active != 0; active &= active - 1) {
        unsigned c = static_cast<unsigned>(__builtin_ctz(active));
        uint64_t fixed = word_of(root.SEQ(fixed_mem)[c], 2 * FSH_CARD_PORTS) ^
                         static_cast<uint64_t>(left_of(root, c)) << 58;
        differs |= seen.message[c] ^ fixed;
        seen.message[c] = fixed;
    }
    return differs != 0;
}

inline bool is_as_seen(const Vfsh_card__Syms &syms, const fsh_probe_seen &seen)
{
    uint64_t state = packed_state(syms);
    uint64_t differs = (state ^ seen.state) | state >> SENDERS;
#define CREDITS_DIFFER(p)                                      \
    differs |= syms.LINK_TX(p).CREDITS(used_q) ^ seen.used[p]; \
    differs |= syms.LINK_TX(p).CREDITS(freed_q) ^ seen.freed[p];
    FOR_PORTS(CREDITS_DIFFER)
#undef CREDITS_DIFFER
    return differs == 0;
}

// What is not as seen, or in use: of it what has changed, to `out`.
[[gnu::noinline]] inline unsigned probe_again(const Vfsh_card__Syms &syms,
                                              fsh_probe_seen &seen,
                                              fsh_probe &out)
{
    uint64_t state = packed_state(syms), differs = state ^ seen.state;
    unsigned active = static_cast<unsigned>(state >> SENDERS), changed = 0;

    seen.state = state;
    if ((active != 0 && messages_differ(syms, seen, active)) ||
        differs >> SENDERS != 0) {
        changed |= FSH_PROBE_MESSAGES;
        probe_messages(syms, out);
    }
    if (differs % (1u << SENDERS) != 0) {
        changed |= FSH_PROBE_SENDERS;
        probe_senders(syms, out);
    }
#define CREDITS_AGAIN(p)                                     \
    if (syms.LINK_TX(p).CREDITS(used_q) != seen.used[p] ||   \
        syms.LINK_TX(p).CREDITS(freed_q) != seen.freed[p]) { \
        seen.used[p] = syms.LINK_TX(p).CREDITS(used_q);      \
        seen.freed[p] = syms.LINK_TX(p).CREDITS(freed_q);    \
        probe_credits(syms.LINK_TX(p), out.reserved[p]);     \
        changed |= FSH_PROBE_RESERVED << p;                  \
    }
    FOR_PORTS(CREDITS_AGAIN)
#undef CREDITS_AGAIN
    return changed;
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
FSH_MEMORY(
    array_lists,
    __PVT__i_queues__DOT__gen_queue__BRA__0__KET____DOT__i_queue__DOT__i_lists__DOT__gen_distributed__DOT__mem)
FSH_MEMORY(
    mover_lists,
    __PVT__i_queues__DOT__gen_queue__BRA__1__KET____DOT__i_queue__DOT__i_lists__DOT__gen_distributed__DOT__mem)

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
#define QUEUE(n, reg) \
    core.i_queues__DOT__gen_queue__BRA__##n##__KET____DOT__i_queue__DOT__##reg
#define LISTS(n, name)                                                \
    {                                                                 \
        name##_lists<Core>::of(core), QUEUE(n, i_lists__DOT__rptr_q), \
            QUEUE(n, i_lists__DOT__count_q)                           \
    }
template <typename Core>
inline void probe_queues(Core &core, fsh_probe_core &out)
{
    uint64_t array = first_word(QUEUE(0, cmd_q));
    uint64_t mover = first_word(QUEUE(1, cmd_q));
    out.queue[0].phase = queue_phase(QUEUE(0, state_q));
    out.queue[1].phase = queue_phase(QUEUE(1, state_q));
    out.queue[0].event = static_cast<uint8_t>(fsh_ccmd_await_event(&array));
    out.queue[1].event = static_cast<uint8_t>(fsh_ccmd_await_event(&mover));
    out.queue[0].commands = QUEUE(0, left_q) + commands_in(LISTS(0, array));
    out.queue[1].commands = QUEUE(1, left_q) + commands_in(LISTS(1, mover));
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
#undef CREDITS

} // namespace fsh

#endif
