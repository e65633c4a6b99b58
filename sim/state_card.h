// SPDX-License-Identifier: BSD-3-Clause
//
// What a card holds besides its router, for fsh_node_state: windows, sequencer,
// receivers, completion unit, tags, rings. Layouts are those of hw/rtl; of packed
// structures the last field is the lowest.
#ifndef FSH_SIM_STATE_CARD_H
#define FSH_SIM_STATE_CARD_H

#include "probe.h"
#include "state_router.h"

namespace fsh
{

#define NODE(name) fsh_pins__DOT__i_card__DOT__i_node__DOT__##name
#define CARD(name) TOP__fsh_pins__DOT__i_card__DOT__i_node__DOT__##name
#define GASNET(name) NODE(i_gasnet__DOT__##name)
#define SEQ(name) GASNET(i_seq__DOT__##name)
#define LANE_SEQ(l, name) \
    SEQ(gen_lane__BRA__##l##__KET____DOT__i_lane__DOT__##name)

// ---- FIFOs: fsh_fifo, of distributed memory, or block RAM with a register ----

#define QUEUE(tag, in)                                  \
    FSH_STATE(tag##_mem, in(gen_distributed__DOT__mem)) \
    FSH_STATE(tag##_first, in(rptr_q))                  \
    FSH_STATE(tag##_count, in(count_q))
#define BLOCK_QUEUE(tag, in)                                  \
    FSH_STATE(tag##_mem, in(gen_block__DOT__i_ram__DOT__mem)) \
    FSH_STATE(tag##_valid, in(gen_block__DOT__valid_q))       \
    FSH_STATE(tag##_first, in(rptr_q))                        \
    FSH_STATE(tag##_count, in(count_q))

// A ring of `size` rows from `base` on.
struct fifo {
    rows words;
    unsigned base, size, first, count;

    uint64_t bits(unsigned i, size_t bit, unsigned width) const
    {
        return words.bits(base + (first + i) % size, bit, width);
    }
};
#define RING(mem, object, base, size, front, number)     \
    fifo                                                 \
    {                                                    \
        {SPAN(mem, object), 32}, base, size,             \
            static_cast<unsigned>(VALUE(front, object)), \
            static_cast<unsigned>(VALUE(number, object)) \
    }
#define FIFO(tag, object, depth)                               \
    fifo                                                       \
    {                                                          \
        {SPAN(tag##_mem, object), depth}, 0, depth,            \
            static_cast<unsigned>(VALUE(tag##_first, object)), \
            static_cast<unsigned>(VALUE(tag##_count, object))  \
    }
// What is in the register was read from the row before.
inline fifo with_register(fifo f, uint64_t valid)
{
    f.first += f.size - (valid ? 1 : 0);
    f.count += valid ? 1 : 0;
    return f;
}

// ---- submission windows: fsh_submit, fsh_park ----

FSH_STATE(window_head, head_q)
FSH_STATE(window_tail, tail_q)
FSH_STATE(window_phase, state_q)
FSH_STATE(window_command, cmd_q)

template <typename Submit>
void read_window(reader &r, Submit &submit, fsh_state_submit &out)
{
    span cmd = SPAN(window_command, submit);
    out.head = static_cast<uint32_t>(VALUE(window_head, submit));
    out.tail = static_cast<uint32_t>(VALUE(window_tail, submit));
    out.phase = static_cast<uint8_t>(VALUE(window_phase, submit));
    for (unsigned w = 0; w < 4; w++)
        out.cmd[w] = reader::bits(cmd, 64 * w, 64);
}

#define IN(name) NODE(i_host__DOT__i_park_req__DOT__i_fifo__DOT__##name)
BLOCK_QUEUE(park_req, IN)
#undef IN
#define IN(name) NODE(i_host__DOT__i_park_rep__DOT__i_fifo__DOT__##name)
BLOCK_QUEUE(park_rep, IN)
#undef IN

// parked_t: length 24, laddr 40, raddr 40, lspace 2, tag 6, nargs 5, dst 6, rspace, ack,
// category 2, opcode 8 ...
inline void read_parked(const fifo &f, fsh_state_submit &out)
{
    out.parked = static_cast<uint8_t>(f.count);
    for (unsigned i = 0; i < f.count && i < FSH_STATE_PARKED; i++) {
        out.park[i].length = static_cast<uint32_t>(f.bits(i, 0, 24));
        out.park[i].tag = static_cast<uint8_t>(f.bits(i, 106, 6));
        out.park[i].dst = static_cast<uint8_t>(f.bits(i, 117, 6));
        out.park[i].opcode = static_cast<uint8_t>(f.bits(i, 127, 8));
    }
}

inline void read_parks(reader &r, Vfsh_card___024root &root)
{
    constexpr unsigned depth = FSH_STATE_PARKED - 1;
    read_parked(
        with_register(FIFO(park_req, root, depth), VALUE(park_req_valid, root)),
        r.state.window[0]);
    read_parked(
        with_register(FIFO(park_rep, root, depth), VALUE(park_rep_valid, root)),
        r.state.window[1]);
}

// ---- sequencer: fsh_seq, fsh_contexts ----

FSH_STATE(seq_fixed, SEQ(fixed_mem))
FSH_STATE(seq_moving, SEQ(moving_mem))
FSH_STATE(seq_vcs, SEQ(i_contexts__DOT__vcs_q))
FSH_STATE(seq_reads0, SEQ(i_read__DOT__gen_used__BRA__0__KET____DOT__used_q))
FSH_STATE(seq_reads1, SEQ(i_read__DOT__gen_used__BRA__1__KET____DOT__used_q))
// Data of device memory: what is there, the register included.
#define DATA(l)                                                    \
    FSH_STATE(data##l, SEQ(i_read__DOT__i_mem##l##__DOT__count_q)) \
    FSH_STATE(data_valid##l,                                       \
              SEQ(i_read__DOT__i_mem##l##__DOT__gen_block__DOT__valid_q))
DATA(0)
DATA(1)
#undef DATA
#define DESCRIPTORS(l)                                                 \
    FSH_STATE(desc##l, LANE_SEQ(l, i_queue__DOT__mem))                 \
    FSH_STATE(bulk_first##l, LANE_SEQ(l, i_queue__DOT__bulk_rptr_q))   \
    FSH_STATE(bulk_count##l, LANE_SEQ(l, i_queue__DOT__bulk_count_q))  \
    FSH_STATE(brief_first##l, LANE_SEQ(l, i_queue__DOT__brief_rptr_q)) \
    FSH_STATE(brief_count##l, LANE_SEQ(l, i_queue__DOT__brief_count_q))
DESCRIPTORS(0)
DESCRIPTORS(1)
#undef DESCRIPTORS

// fixed_t: ports and vcs, length 24, tag 6, nargs 5, dst 6, lspace 2, rspace 2, ack 1,
// category 2, opcode 8, loop 1, status 4; moving_t: left 24, laddr 40, raddr 40 ...
// Arguments apart from their payload count as a message without any.
inline void read_context(const rows &fixed, const rows &moving, unsigned c,
                         fsh_state_context &out)
{
    constexpr unsigned at = 2 * FSH_CARD_PORTS;
    bool apart = fixed.bits(c, at + 41, 2) == FSH_SPACE_COLLECTIVE;
    out.length = apart ? 0 : static_cast<uint32_t>(fixed.bits(c, at, 24));
    out.tag = static_cast<uint8_t>(fixed.bits(c, at + 24, 6));
    out.dst = static_cast<uint8_t>(fixed.bits(c, at + 35, 6));
    out.opcode = static_cast<uint8_t>(fixed.bits(c, at + 48, 8));
    out.loop = fixed.bits(c, at + 56, 1) != 0;
    out.left = static_cast<uint32_t>(moving.bits(c, 0, 24));
    out.raddr = moving.bits(c, 64, 40);
}

inline void read_contexts(reader &r, const Vfsh_card__Syms &syms,
                          const fsh_probe &probe)
{
    auto &root = const_cast<Vfsh_card___024root &>(syms.TOP);
    rows fixed = {SPAN(seq_fixed, root), 2 * SEQ_CONTEXTS};
    rows moving = {SPAN(seq_moving, root), 2 * SEQ_CONTEXTS};
    span vcs = SPAN(seq_vcs, root);
    for (unsigned c = 0; c < 2 * SEQ_CONTEXTS; c++) {
        unsigned channel = c / SEQ_CONTEXTS, i = c % SEQ_CONTEXTS;
        fsh_state_context &out = r.state.context[channel][i];
        if (probe.message[channel][i].phase == FSH_PROBE_FREE)
            continue;
        read_context(fixed, moving, c, out);
        out.phase = probe.message[channel][i].phase;
        out.ports = static_cast<uint8_t>(left_of(root, c));
        out.vcs = static_cast<uint8_t>(
            reader::bits(vcs, c * FSH_CARD_PORTS, FSH_CARD_PORTS));
    }
}

// desc_t as fsh_seq_queue keeps it: word 128, tail, alone, shift 4, beats 7, args 3,
// half, notify, mark, get, raw, ports. Rows 0 to 23 are bulk, the rest brief.
inline uint8_t read_descriptors(reader &r, const fifo &f, unsigned lane)
{
    fsh_state_packet packet = {};
    packet.place = FSH_STATE_LANE;
    packet.port = static_cast<uint8_t>(lane);
    for (unsigned i = 0; i < f.count; i++) {
        bool mark = f.bits(i, 146, 1), raw = f.bits(i, 148, 1);
        unsigned ports = static_cast<unsigned>(f.bits(i, 149, FSH_CARD_PORTS));
        if (mark || raw)
            continue;
        packet.hdr[0] = f.bits(i, 0, 64);
        packet.hdr[1] = f.bits(i, 64, 64);
        packet.out =
            static_cast<uint8_t>(ports ? __builtin_ctz(ports) : FSH_NODE_PORTS);
        r.packet(packet);
        packet.position++;
    }
    return static_cast<uint8_t>(packet.position);
}

inline void read_lanes(reader &r, Vfsh_card___024root &root,
                       const fsh_probe &probe)
{
    fsh_state_lane *lane = r.state.lane;
    constexpr unsigned no_reads = 135; // MEM_UNUSED of fsh_seq_read
#define LANE(l)                                                            \
    lane[l].bulk = read_descriptors(                                       \
        r, RING(desc##l, root, 0, 24, bulk_first##l, bulk_count##l), l);   \
    lane[l].brief = read_descriptors(                                      \
        r, RING(desc##l, root, 24, 8, brief_first##l, brief_count##l), l); \
    lane[l].reads =                                                        \
        static_cast<uint16_t>(VALUE(seq_reads##l, root) - no_reads);       \
    lane[l].data = static_cast<uint16_t>(VALUE(data##l, root) +            \
                                         VALUE(data_valid##l, root));      \
    lane[l].send = probe.send[l];
    LANE(0) LANE(1)
#undef LANE
}

// ---- receivers: fsh_rx, fsh_pend, fsh_served ----

FSH_STATE(rx_budget, budget_q)
FSH_STATE(rx_holds, s1_valid_q)
#define IN(name) i_pend__DOT__i_fifo__DOT__##name
BLOCK_QUEUE(pend, IN)
#undef IN
#define IN(name) i_served__DOT__i_fifo__DOT__##name
BLOCK_QUEUE(served, IN)
#undef IN

// evt_t: total in units 17, bytes 11, tag 6, src 6, opcode 8, status 4, ack, reply, multi,
// units 4;
// then writes that it waits for: of device memory, two bits of host memory.
inline void read_pending(reader &r, const fifo &f, unsigned lane, unsigned node)
{
    fsh_state_packet packet = {};
    packet.place = FSH_STATE_PENDING;
    packet.port = static_cast<uint8_t>(lane);
    for (unsigned i = 0; i < f.count; i++) {
        packet.hdr[0] = packet.hdr[1] = 0;
        fsh_hdr_set_total(packet.hdr, f.bits(i, 0, 17) * FSH_MIN_PACKET);
        fsh_hdr_set_bytes(packet.hdr, f.bits(i, 17, 11));
        fsh_hdr_set_tag(packet.hdr, f.bits(i, 28, 6));
        fsh_hdr_set_src(packet.hdr, f.bits(i, 34, 6));
        fsh_hdr_set_opcode(packet.hdr, f.bits(i, 40, 8));
        fsh_hdr_set_reply(packet.hdr, f.bits(i, 53, 1));
        fsh_hdr_set_dst(packet.hdr, node);
        packet.out = f.bits(i, 59, 1)   ? FSH_STATE_MEMORY
                     : f.bits(i, 60, 2) ? FSH_STATE_HOST
                                        : 0;
        packet.position = static_cast<uint16_t>(i);
        r.packet(packet);
    }
}

// get_t as fsh_served keeps it: length 24, raddr 40, laddr 40, tag 6, dst 6, flag ...
// {sink, bulk} follow flag.
inline void read_served(reader &r, const fifo &f, unsigned lane, unsigned node)
{
    fsh_state_packet packet = {};
    packet.place = FSH_STATE_SERVED;
    packet.port = static_cast<uint8_t>(lane);
    for (unsigned i = 0; i < f.count; i++) {
        bool core = f.bits(i, 118, 1);
        packet.hdr[0] = packet.hdr[1] = 0;
        fsh_hdr_set_total(packet.hdr, f.bits(i, 0, 24));
        fsh_hdr_set_addr(packet.hdr, f.bits(i, 64, 40));
        fsh_hdr_set_tag(packet.hdr, f.bits(i, 104, 6));
        fsh_hdr_set_src(packet.hdr, f.bits(i, 110, 6));
        fsh_hdr_set_opcode(packet.hdr, core ? FSH_OP_COMPUTE : FSH_OP_GET);
        fsh_hdr_set_dst(packet.hdr, node);
        packet.position = static_cast<uint16_t>(i);
        r.packet(packet);
    }
}

template <typename Rx>
void read_receiver(reader &r, Rx &rx, unsigned lane, unsigned node)
{
    fifo pending = with_register(FIFO(pend, rx, 32), VALUE(pend_valid, rx));
    fifo gets = with_register(FIFO(served, rx, 32), VALUE(served_valid, rx));
    fsh_state_lane &out = r.state.lane[lane];
    out.budget = static_cast<uint8_t>(VALUE(rx_budget, rx));
    out.holds = VALUE(rx_holds, rx) != 0;
    out.pending = static_cast<uint8_t>(pending.count);
    out.served = static_cast<uint8_t>(gets.count);
    read_pending(r, pending, lane, node);
    read_served(r, gets, lane, node);
}

// ---- completion unit: fsh_tracker; tags: fsh_tags ----

#define IN(name) GASNET(i_tracker__DOT__i_ack__DOT__##name)
QUEUE(acks, IN)
#undef IN
FSH_STATE(ack_valid, GASNET(i_tracker__DOT__ack_valid_q))
FSH_STATE(ack_node, GASNET(i_tracker__DOT__dst_q))
FSH_STATE(ack_tag, GASNET(i_tracker__DOT__tag_q))
FSH_STATE(counts_mem, GASNET(i_tracker__DOT__i_ram__DOT__mem))
FSH_STATE(tags_mem, GASNET(i_tags__DOT__i_ram__DOT__mem))
FSH_STATE(tracker_state, GASNET(i_tracker__DOT__state_q))

inline void give_ack(reader &r, fsh_state_packet packet, uint64_t dst,
                     uint64_t tag, unsigned node)
{
    fsh_hdr_set_opcode(packet.hdr, FSH_OP_PUT_ACK);
    fsh_hdr_set_reply(packet.hdr, 1);
    fsh_hdr_set_dst(packet.hdr, dst);
    fsh_hdr_set_src(packet.hdr, node);
    fsh_hdr_set_tag(packet.hdr, tag);
    r.packet(packet);
}

// In the queue: status 4, tag 6, dst 6, receiver.
inline void read_acks(reader &r, Vfsh_card___024root &root, unsigned node)
{
    fifo f = FIFO(acks, root, 64);
    fsh_state_packet packet = {};
    uint8_t ports = static_cast<uint8_t>(VALUE(ack_valid, root));
    packet.place = FSH_STATE_ACK;
    packet.port = static_cast<uint8_t>(ports ? __builtin_ctz(ports) : 0);
    r.state.ack_ports = ports;
    r.state.acks = static_cast<uint8_t>(f.count + (ports != 0));
    if (ports)
        give_ack(r, packet, VALUE(ack_node, root), VALUE(ack_tag, root), node);
    for (unsigned i = 0; i < f.count; i++) {
        packet.position = static_cast<uint16_t>(i + (ports != 0));
        give_ack(r, packet, f.bits(i, 10, 6), f.bits(i, 4, 6), node);
    }
}

// tag_t: limit 41, addr 40, host 1, node 6, get, live. After reset fsh_tracker clears
// them: until then the RAM holds anything.
inline void read_tags(reader &r, Vfsh_card___024root &root)
{
    constexpr uint64_t clears = 0;
    if (VALUE(tracker_state, root) == clears)
        return;
    rows tags = {SPAN(tags_mem, root), FSH_NUM_TAGS};
    for (unsigned t = 0; t < FSH_NUM_TAGS; t++) {
        r.state.tag[t].node = static_cast<uint8_t>(tags.bits(t, 82, 6));
        r.state.tag[t].get = tags.bits(t, 88, 1) != 0;
        r.state.tag[t].live = tags.bits(t, 89, 1) != 0;
    }
}

// ---- host: fsh_hostw, registers ----

FSH_STATE(node_config, NODE(cfg))
FSH_STATE(ring_cpl, NODE(i_host__DOT__i_hostw__DOT__index_cpl_q))
FSH_STATE(ring_req, NODE(i_host__DOT__i_hostw__DOT__index_req_q))
FSH_STATE(ring_rep, NODE(i_host__DOT__i_hostw__DOT__index_rep_q))
FSH_STATE(ring_taken, NODE(i_host__DOT__taken))

// cfg_t: addresses 248, ports 6, packet 11, nodes 8, node 8, hold, enable.
inline unsigned read_host(reader &r, Vfsh_card___024root &root)
{
    constexpr unsigned width = 14; // of a count modulo two laps
    static_assert(2 * FSH_RING_ENTRIES == 1u << width, "a ring");
    span cfg = SPAN(node_config, root), taken = SPAN(ring_taken, root);
    r.state.ring[0].written = static_cast<uint16_t>(VALUE(ring_cpl, root));
    r.state.ring[1].written = static_cast<uint16_t>(VALUE(ring_req, root));
    r.state.ring[2].written = static_cast<uint16_t>(VALUE(ring_rep, root));
    for (unsigned i = 0; i < 3; i++)
        r.state.ring[i].taken =
            static_cast<uint16_t>(reader::bits(taken, i * width, width));
    r.state.gate_shut = reader::bits(cfg, 281, 1) != 0;
    r.state.enabled = reader::bits(cfg, 282, 1) != 0;
    return static_cast<unsigned>(reader::bits(cfg, 273, 8));
}

// ---- DMA engine: fsh_dma_way, fsh_dma_read, fsh_dma_write ----

#define MOVES_TO(name) i_to__DOT__i_moves__DOT__##name
#define MOVES_FROM(name) i_from__DOT__i_moves__DOT__##name
#define JOBS_TO(name) i_to__DOT__i_jobs__DOT__##name
#define JOBS_FROM(name) i_from__DOT__i_jobs__DOT__##name
QUEUE(moves_to, MOVES_TO)
QUEUE(moves_from, MOVES_FROM)
QUEUE(jobs_to, JOBS_TO)
QUEUE(jobs_from, JOBS_FROM)
#undef MOVES_TO
#undef MOVES_FROM
#undef JOBS_TO
#undef JOBS_FROM
#define WAY(way)                                                    \
    FSH_STATE(asks_##way, i_##way##__DOT__i_read__DOT__state_q)     \
    FSH_STATE(asked_##way, i_##way##__DOT__i_read__DOT__job_q)      \
    FSH_STATE(writes_##way, i_##way##__DOT__i_write__DOT__state_q)  \
    FSH_STATE(written_##way, i_##way##__DOT__i_write__DOT__job_q)   \
    FSH_STATE(unread_##way, i_##way##__DOT__i_write__DOT__fetch_q)  \
    FSH_STATE(unwritten_##way, i_##way##__DOT__i_write__DOT__out_q) \
    FSH_STATE(unanswered_##way, i_##way##__DOT__i_write__DOT__owed_q)
WAY(to)
WAY(from)
#undef WAY
FSH_STATE(dma_entry, entry_valid_o)

// States of fsh_dma_read (a move is a job from JOB's end on) and fsh_dma_write.
enum { ASKS_SUM = 1, ASKS_JOB = 2 };
enum { WRITES_IDLE, WRITES_PREPARE, WRITES_MOVE, WRITES_END };
// job_t: to 40, from 6, length 24, status 4, tag; move_t: host 40, card 40, length 24, tag.
constexpr unsigned job_tag = 74, move_tag = 104, tag_bits = 6;

inline void add_move(fsh_state_way &way, uint64_t tag)
{
    if (way.moves < FSH_STATE_MOVES)
        way.tag[way.moves++] = static_cast<uint8_t>(tag);
}

inline void add_moves(fsh_state_way &way, const fifo &f, unsigned tag)
{
    for (unsigned i = 0; i < f.count; i++)
        add_move(way, f.bits(i, tag, tag_bits));
}

template <typename Dma> void read_dma(reader &r, Dma &dma)
{
#define WAY(name, way)                                                         \
    do {                                                                       \
        uint64_t asks = VALUE(asks_##name, dma);                               \
        uint64_t writes = VALUE(writes_##name, dma);                           \
        if (writes != WRITES_IDLE)                                             \
            add_move(way, reader::bits(SPAN(written_##name, dma), job_tag,     \
                                       tag_bits));                             \
        add_moves(way, FIFO(jobs_##name, dma, 4), job_tag);                    \
        if (asks == ASKS_SUM || asks == ASKS_JOB)                              \
            add_move(way, reader::bits(SPAN(asked_##name, dma), job_tag,       \
                                       tag_bits));                             \
        add_moves(way, FIFO(moves_##name, dma, FSH_NUM_TAGS), move_tag);       \
        (way).begun = writes >= WRITES_MOVE;                                   \
        (way).ends = writes == WRITES_END;                                     \
        (way).unread = static_cast<uint32_t>(VALUE(unread_##name, dma));       \
        (way).unwritten = static_cast<uint32_t>(VALUE(unwritten_##name, dma)); \
        (way).unanswered =                                                     \
            static_cast<uint32_t>(VALUE(unanswered_##name, dma));              \
    } while (0)
    WAY(to, r.state.way[0]);
    WAY(from, r.state.way[1]);
#undef WAY
    r.state.dma_entry = VALUE(dma_entry, dma) != 0;
}

// ---- all ----

inline void read_card(reader &r, Vfsh_card__Syms &syms)
{
    fsh_probe probe = {};
    probe_node(syms, probe);
    unsigned node = read_host(r, syms.TOP);
    read_window(r, syms.CARD(i_host__DOT__i_submit_req), r.state.window[0]);
    read_window(r, syms.CARD(i_host__DOT__i_submit_rep), r.state.window[1]);
    read_parks(r, syms.TOP);
    read_contexts(r, syms, probe);
    read_lanes(r, syms.TOP, probe);
    read_router(r, syms);
#define RECEIVER(l) \
    syms.CARD(i_gasnet__DOT__gen_lane__BRA__##l##__KET____DOT__i_rx)
    read_receiver(r, RECEIVER(0), 0, node);
    read_receiver(r, RECEIVER(1), 1, node);
#undef RECEIVER
    read_acks(r, syms.TOP, node);
    read_tags(r, syms.TOP);
    probe_core(syms.TOP__fsh_pins__DOT__i_card__DOT__i_compute, r.state.core);
    read_dma(r, syms.CARD(i_dma));
}

// What fsh_tracker has counted: {status 3, units 17} in the word {0, initiator, tag}; of
// none the units are -3.
inline uint32_t read_count(Vfsh_card___024root &root, unsigned initiator,
                           unsigned tag)
{
    constexpr size_t words =
        FSH_MAX_NODES * (FSH_NUM_TAGS + 2 * FSH_SLOTS_PER_PEER);
    rows counts = {counts_mem<Vfsh_card___024root>::of(root), words};
    uint64_t word = counts.bits(initiator * FSH_NUM_TAGS + tag, 0, 17);
    uint64_t units = (word + 3) % (1u << 17);
    return static_cast<uint32_t>(units * FSH_MIN_PACKET);
}

#undef FIFO
#undef QUEUE
#undef BLOCK_QUEUE
#undef LANE_SEQ
#undef SEQ
#undef GASNET
#undef CARD
#undef NODE
#undef SPAN
#undef VALUE

} // namespace fsh

#endif
