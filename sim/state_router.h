// SPDX-License-Identifier: BSD-3-Clause
//
// What the router of a node holds, for fsh_node_state: the one place where a dump
// names signals of hw/rtl/link. By port: packets in its receive buffers and in its send
// queues, credits at its sender, and what it has freed; and the loop.
#ifndef FSH_SIM_STATE_ROUTER_H
#define FSH_SIM_STATE_ROUTER_H

#include "state_read.h"

namespace fsh
{

// fsh_vcbuf: queues of DEPTH beats in one memory, a word {follow, data}.
struct vcbuf {
    rows words;
    unsigned queues, depth, follow_bit;
    span written, read;   // pointers, 16 bits each
    unsigned left, queue; // of the packet that leaves, and its queue

    unsigned pointer(span s, unsigned q) const
    {
        return static_cast<unsigned>(reader::bits(s, q * 16, 16)) % (2 * depth);
    }
    uint64_t word(unsigned q, unsigned at, size_t bit, unsigned width) const
    {
        return words.bits(q * depth + at % depth, bit, width);
    }
    void header(unsigned q, unsigned at, uint64_t hdr[2]) const
    {
        hdr[0] = word(q, at, 0, 64);
        hdr[1] = word(q, at, 64, 64);
    }
    unsigned follow(unsigned q, unsigned at) const
    {
        return static_cast<unsigned>(word(q, at, follow_bit, 7));
    }
};

// Beats behind a header, by what it says (fsh_fn_pkg::hdr_follow).
inline unsigned follow_of(const uint64_t *hdr)
{
    unsigned bytes = static_cast<unsigned>(fsh_hdr_bytes(hdr));
    unsigned args = fsh_hdr_first(hdr) ? (fsh_hdr_nargs(hdr) + 3) / 4 : 0;
    unsigned lane = fsh_hdr_addr(hdr) % 16;
    return args + (bytes ? (lane + bytes + 15) / 16 : 0);
}

// The packet of which `left` beats are still to be read, the first at `at`: its header
// has been, and is still in memory. Zeros if it is not found.
inline void find_header(const vcbuf &b, unsigned q, unsigned at,
                        uint64_t hdr[2])
{
    constexpr unsigned longest = 70;
    for (unsigned back = 1; back < longest; back++) {
        unsigned there = at + 2 * b.depth - back;
        b.header(q, there, hdr);
        if (follow_of(hdr) == b.left + back - 1 &&
            b.follow(q, there) == follow_of(hdr))
            return;
    }
    hdr[0] = hdr[1] = 0;
}

// The packets of a queue, in order; what they are in `packet` but for the header.
inline fsh_state_queue read_queue(reader &r, const vcbuf &b, unsigned q,
                                  fsh_state_packet packet)
{
    fsh_state_queue sum = {0, 0};
    unsigned at = b.pointer(b.read, q), end = b.pointer(b.written, q);
    unsigned there = (end - at + 2 * b.depth) % (2 * b.depth);

    sum.beats = static_cast<uint16_t>(there);
    packet.position = 0;
    if (b.left && b.queue == q) {
        find_header(b, q, at, packet.hdr);
        packet.leaves = 1;
        packet.beats = static_cast<uint16_t>(b.left < there ? b.left : there);
        r.packet(packet);
        sum.packets = packet.position = 1;
        at += packet.beats;
        there -= packet.beats;
    }
    packet.leaves = 0;
    while (there > 0) {
        unsigned beats = b.follow(q, at) + 1;
        b.header(q, at, packet.hdr);
        packet.beats = static_cast<uint16_t>(beats < there ? beats : there);
        r.packet(packet);
        sum.packets++;
        packet.position++;
        at += packet.beats;
        there -= packet.beats;
    }
    return sum;
}

#define BUFFER(tag, in)                       \
    FSH_STATE(tag##_mem, in(i_ram__DOT__mem)) \
    FSH_STATE(tag##_written, in(wptr_q))      \
    FSH_STATE(tag##_read, in(rptr_q))         \
    FSH_STATE(tag##_left, in(left))           \
    FSH_STATE(tag##_queue, in(queue_q))
#define LOOP(name) \
    fsh_card__DOT__i_node__DOT__i_gasnet__DOT__i_loop__DOT__##name
#define IN_HERE(name) i_here__DOT__##name
#define IN_FWD(name) i_fwd__DOT__##name
#define IN_LOOP(name) LOOP(i_buf__DOT__##name)
BUFFER(here_buf, IN_HERE)
BUFFER(fwd_buf, IN_FWD)
BUFFER(loop_buf, IN_LOOP)
#undef IN_HERE
#undef IN_FWD
#undef IN_LOOP
#undef BUFFER
#define BUFFER(tag, object, queues, depth, follow)                           \
    vcbuf                                                                    \
    {                                                                        \
        {SPAN(tag##_mem, object), (queues) * (depth)}, (queues), (depth),    \
            (follow), SPAN(tag##_written, object), SPAN(tag##_read, object), \
            static_cast<unsigned>(VALUE(tag##_left, object)),                \
            static_cast<unsigned>(VALUE(tag##_queue, object))                \
    }

FSH_STATE(rx_freed, freed_o)
FSH_STATE(rx_in_valid, in_valid_q)
FSH_STATE(rx_in_bound, in_bound_q)
FSH_STATE(rx_in_data, in_data_q)
FSH_STATE(rx_remain, i_parse__DOT__remain_q)

// Beats of a packet that are still to come, behind the beat in the input register.
template <typename Rx> unsigned read_arriving(reader &r, Rx &rx)
{
    unsigned remain = static_cast<unsigned>(VALUE(rx_remain, rx));
    bool beat = VALUE(rx_in_valid, rx) && !VALUE(rx_in_bound, rx);
    span data = SPAN(rx_in_data, rx);
    uint64_t hdr[2] = {reader::bits(data, 0, 64), reader::bits(data, 64, 64)};

    if (!beat)
        return remain;
    return remain ? remain - 1 : follow_of(hdr);
}

template <typename Rx> void read_link_rx(reader &r, Rx &rx, unsigned port)
{
    constexpr unsigned outs = FSH_CARD_PORTS - 1;
    fsh_state_port &out = r.state.port[port];
    // A beat of 128 bits, bad, and of what passes through the vc it came on.
    vcbuf here = BUFFER(here_buf, rx, 4, FSH_VC_BEATS, 129);
    vcbuf fwd = BUFFER(fwd_buf, rx, 4 * outs, 2 * FSH_VC_BEATS, 130);
    span freed = SPAN(rx_freed, rx);
    fsh_state_packet packet = {};

    out.arriving = static_cast<uint8_t>(read_arriving(r, rx));
    packet.port = static_cast<uint8_t>(port);
    for (unsigned v = 0; v < FSH_STATE_VCS; v++) {
        packet.vc = static_cast<uint8_t>(v);
        packet.place = FSH_STATE_HERE;
        out.here[v] = read_queue(r, here, v, packet);
        out.freed[v] = static_cast<uint16_t>(reader::bits(freed, v * 16, 16));
        packet.place = FSH_STATE_TRANSIT;
        for (unsigned o = 0; o < outs; o++) {
            unsigned to = o < port ? o : o + 1;
            packet.out = static_cast<uint8_t>(to);
            out.transit[to][v] = read_queue(r, fwd, 4 * o + v, packet);
        }
    }
}

// fsh_voqbuf of fsh_sendq: a list of words {last, next, bad, beat} for each queue, from the
// one to be read to the one to be written.
struct sendq {
    static constexpr unsigned WORDS = 1024, NEXT_BIT = 129, LAST_BIT = 139;
    rows words, head, tail;
    span head_used, tail_used, read; // read: the word last read
    bool any;                        // there is one,
    unsigned queue;                  // of this queue

    unsigned next(unsigned at) const
    {
        return static_cast<unsigned>(words.bits(at, NEXT_BIT, 10));
    }
    unsigned first(unsigned q) const
    {
        if (any && queue == q)
            return static_cast<unsigned>(reader::bits(read, NEXT_BIT, 10));
        return reader::bits(head_used, q, 1)
                   ? static_cast<unsigned>(head.bits(q, 0, 10))
                   : q;
    }
};

#define SENDQ(tag, name) FSH_STATE(sendq_##tag, i_bulk__DOT__i_buf__DOT__##name)
SENDQ(words, i_words__DOT__mem)
SENDQ(read, __Vcellout__i_words__rdata_o)
SENDQ(head, head)
SENDQ(tail, tail)
SENDQ(head_used, head_used_q)
SENDQ(tail_used, tail_used_q)
SENDQ(any, any_q)
SENDQ(queue, r_queue_q)
#undef SENDQ

// Of the packet that is leaving the header is gone: its beats are counted only.
inline fsh_state_queue read_sendq(reader &r, const sendq &b, unsigned q,
                                  fsh_state_packet packet)
{
    fsh_state_queue sum = {0, 0};
    bool inside =
        b.any && b.queue == q && !reader::bits(b.read, sendq::LAST_BIT, 1);

    packet.position = 0;
    if (!reader::bits(b.tail_used, q, 1))
        return sum;
    unsigned end = static_cast<unsigned>(b.tail.bits(q, 0, 10));
    unsigned at = b.first(q);
    sum.packets = inside;
    packet.beats = 0;
    while (at != end && sum.beats < sendq::WORDS) {
        bool last = b.words.bits(at, sendq::LAST_BIT, 1);
        sum.beats++;
        if (!inside && packet.beats++ == 0) {
            packet.hdr[0] = b.words.bits(at, 0, 64);
            packet.hdr[1] = b.words.bits(at, 64, 64);
        }
        at = b.next(at);
        if (!last && at != end)
            continue;
        if (!inside) {
            r.packet(packet);
            packet.position = ++sum.packets;
            packet.beats = 0;
        }
        inside = false;
    }
    return sum;
}

template <typename Tx> void read_sendqs(reader &r, Tx &tx, unsigned port)
{
    sendq b = {{SPAN(sendq_words, tx), sendq::WORDS},
               {SPAN(sendq_head, tx), FSH_STATE_VCS},
               {SPAN(sendq_tail, tx), FSH_STATE_VCS},
               SPAN(sendq_head_used, tx),
               SPAN(sendq_tail_used, tx),
               SPAN(sendq_read, tx),
               VALUE(sendq_any, tx) != 0,
               static_cast<unsigned>(VALUE(sendq_queue, tx))};
    fsh_state_packet packet = {};

    packet.place = FSH_STATE_SENDQ;
    packet.port = static_cast<uint8_t>(port);
    for (unsigned v = 0; v < FSH_STATE_VCS; v++) {
        packet.vc = static_cast<uint8_t>(v);
        r.state.port[port].sendq[v] = read_sendq(r, b, v, packet);
    }
}

#define CREDIT(v, name) \
    gen_credit__BRA__##v##__KET____DOT__i_credit__DOT__##name
template <typename Tx> void read_link_tx(reader &r, Tx &tx, unsigned port)
{
#define ONE(v)                                        \
    r.state.port[port].credit[v] = {                  \
        static_cast<uint16_t>(tx.CREDIT(v, used_q)),  \
        static_cast<uint16_t>(tx.CREDIT(v, freed_q)), \
        tx.CREDIT(v, ok_q) != 0};
    ONE(0)
    ONE(1)
    ONE(2)
    ONE(3)
#undef ONE
    read_sendqs(r, tx, port);
}
#undef CREDIT

FSH_STATE(loop_ok0, LOOP(gen_channel__BRA__0__KET____DOT__i_credit__DOT__ok_q))
FSH_STATE(loop_ok1, LOOP(gen_channel__BRA__1__KET____DOT__i_credit__DOT__ok_q))
#undef LOOP

template <typename Root> void read_loop(reader &r, Root &root)
{
    vcbuf loop = BUFFER(loop_buf, root, 2, FSH_VC_BEATS, 129);
    fsh_state_packet packet = {};

    packet.place = FSH_STATE_LOOP;
    r.state.loop_ok[0] = VALUE(loop_ok0, root) != 0;
    r.state.loop_ok[1] = VALUE(loop_ok1, root) != 0;
    for (unsigned c = 0; c < 2; c++) {
        packet.vc = static_cast<uint8_t>(2 * c);
        r.state.loop[c] = read_queue(r, loop, c, packet);
    }
}
#undef BUFFER

inline void read_router(reader &r, Vfsh_card__Syms &syms)
{
#define ROUTER(p, half) \
    syms.TOP__fsh_card__DOT__i_node__DOT__i_gasnet__DOT__i_router__DOT__gen_port__BRA__##p##__KET____DOT__##half
#define PORT(p)                          \
    read_link_rx(r, ROUTER(p, i_rx), p); \
    read_link_tx(r, ROUTER(p, i_tx), p);
    FOR_PORTS(PORT)
#undef PORT
#undef ROUTER
    read_loop(r, syms.TOP);
}

} // namespace fsh

#endif
