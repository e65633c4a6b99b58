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

// fsh_voqbuf: for each queue a list of words {last, next, data}, from the one to be read
// to the one to be written.
struct voqbuf {
    rows words, head, tail;
    unsigned data, address;          // bits of data, and of an address
    span head_used, tail_used, read; // read: the word last read
    span first;                      // where its packet had its header
    bool any;                        // there is one,
    unsigned queue;                  // of this queue

    unsigned beats() const
    {
        return 1u << address;
    }
    bool last(unsigned at) const
    {
        return words.bits(at, data + address, 1) != 0;
    }
    unsigned next(unsigned at) const
    {
        return static_cast<unsigned>(words.bits(at, data, address));
    }
    void header(unsigned at, uint64_t hdr[2]) const
    {
        hdr[0] = words.bits(at, 0, 64);
        hdr[1] = words.bits(at, 64, 64);
    }
    bool leaves(unsigned q) const // a packet of this queue is being read
    {
        return any && queue == q && !reader::bits(read, data + address, 1);
    }
    unsigned front(unsigned q) const
    {
        if (any && queue == q)
            return static_cast<unsigned>(reader::bits(read, data, address));
        return reader::bits(head_used, q, 1)
                   ? static_cast<unsigned>(head.bits(q, 0, address))
                   : q;
    }
    unsigned end(unsigned q) const
    {
        return reader::bits(tail_used, q, 1)
                   ? static_cast<unsigned>(tail.bits(q, 0, address))
                   : q;
    }
};

// The packet of which the beats from `at` on are left: the header, and those that are
// there. Of one that is being read the word of the header is free, and may be another's by
// now: then it is not known, and zeros.
inline unsigned read_packet(const voqbuf &b, unsigned &at, unsigned end,
                            fsh_state_packet &packet)
{
    unsigned beats = 0, first = at;
    bool last = false;

    if (packet.leaves)
        first = static_cast<unsigned>(reader::bits(b.first, 0, b.address));
    b.header(first, packet.hdr);
    for (; at != end && !last && beats < b.beats(); beats++) {
        last = b.last(at);
        at = b.next(at);
    }
    if (packet.leaves && follow_of(packet.hdr) < beats)
        packet.hdr[0] = packet.hdr[1] = 0;
    return beats;
}

// The packets of a queue, in order; what they are in `packet` but for the header.
inline fsh_state_queue read_queue(reader &r, const voqbuf &b, unsigned q,
                                  fsh_state_packet packet)
{
    fsh_state_queue sum = {0, 0};
    unsigned at = b.front(q), end = b.end(q);

    packet.leaves = b.leaves(q);
    while ((packet.leaves || at != end) && sum.beats < b.beats()) {
        packet.position = sum.packets++;
        packet.beats = static_cast<uint16_t>(read_packet(b, at, end, packet));
        sum.beats = static_cast<uint16_t>(sum.beats + packet.beats);
        r.packet(packet);
        packet.leaves = 0;
    }
    return sum;
}

inline fsh_state_queue operator+(fsh_state_queue a, fsh_state_queue b)
{
    return {static_cast<uint16_t>(a.packets + b.packets),
            static_cast<uint16_t>(a.beats + b.beats)};
}

#define BUFFER(tag, in)                                       \
    FSH_STATE(tag##_words, in(i_words__DOT__mem))             \
    FSH_STATE(tag##_lastly, in(__Vcellout__i_words__rdata_o)) \
    FSH_STATE(tag##_head, in(head))                           \
    FSH_STATE(tag##_tail, in(tail))                           \
    FSH_STATE(tag##_head_used, in(head_used_q))               \
    FSH_STATE(tag##_tail_used, in(tail_used_q))               \
    FSH_STATE(tag##_first, in(first_q))                       \
    FSH_STATE(tag##_any, in(any_q))                           \
    FSH_STATE(tag##_queue, in(r_queue_q))
#define IN_HERE(name) i_here__DOT__##name
#define IN_FWD(c, name) \
    gen_class__BRA__##c##__KET____DOT__i_fwd__DOT__i_buf__DOT__##name
#define IN_SHORT(name) IN_FWD(0, name)
#define IN_LONG(name) IN_FWD(1, name)
#define IN_BULK(name) i_bulk__DOT__i_buf__DOT__##name
BUFFER(here_buf, IN_HERE)
BUFFER(short_buf, IN_SHORT)
BUFFER(long_buf, IN_LONG)
BUFFER(bulk_buf, IN_BULK)
#undef IN_HERE
#undef IN_FWD
#undef IN_SHORT
#undef IN_LONG
#undef IN_BULK
#undef BUFFER
#define BUFFER(tag, object, queues, address, data)                        \
    voqbuf                                                                \
    {                                                                     \
        {SPAN(tag##_words, object), 1u << (address)},                     \
            {SPAN(tag##_head, object), (queues)},                         \
            {SPAN(tag##_tail, object), (queues)}, (data), (address),      \
            SPAN(tag##_head_used, object), SPAN(tag##_tail_used, object), \
            SPAN(tag##_lastly, object), SPAN(tag##_first, object),        \
            VALUE(tag##_any, object) != 0,                                \
            static_cast<unsigned>(VALUE(tag##_queue, object))             \
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
    // Queues {rank, vc} of what is for here, {output, vc} and {output, small, vc} of short and
    // long packets that pass through. A beat of 128 bits, bad, and of the latter the vc it came on.
    voqbuf here = BUFFER(here_buf, rx, 12, 11, 129);
    voqbuf shorts = BUFFER(short_buf, rx, 4 * outs, 11, 130);
    voqbuf longs = BUFFER(long_buf, rx, 8 * outs, 11, 130);
    span freed = SPAN(rx_freed, rx);
    fsh_state_packet packet = {};

    out.arriving = static_cast<uint8_t>(read_arriving(r, rx));
    packet.port = static_cast<uint8_t>(port);
    for (unsigned v = 0; v < FSH_STATE_VCS; v++) {
        packet.vc = static_cast<uint8_t>(v);
        packet.place = FSH_STATE_HERE;
        out.here[v] = read_queue(r, here, v, packet) +
                      read_queue(r, here, 8 + v, packet) +
                      read_queue(r, here, 4 + v, packet);
        out.freed[v] = static_cast<uint16_t>(reader::bits(freed, v * 16, 16));
        packet.place = FSH_STATE_TRANSIT;
        for (unsigned o = 0; o < outs; o++) {
            unsigned to = o < port ? o : o + 1;
            packet.out = static_cast<uint8_t>(to);
            out.transit[to][v] = read_queue(r, shorts, 4 * o + v, packet) +
                                 read_queue(r, longs, 8 * o + 4 + v, packet) +
                                 read_queue(r, longs, 8 * o + v, packet);
        }
    }
}

template <typename Tx> void read_sendqs(reader &r, Tx &tx, unsigned port)
{
    voqbuf b = BUFFER(bulk_buf, tx, 2 * FSH_STATE_VCS, 10, 129);
    fsh_state_packet packet = {};

    packet.place = FSH_STATE_SENDQ;
    packet.port = static_cast<uint8_t>(port);
    for (unsigned v = 0; v < FSH_STATE_VCS; v++) {
        packet.vc = static_cast<uint8_t>(v);
        r.state.port[port].sendq[v] =
            read_queue(r, b, v, packet) + read_queue(r, b, 4 + v, packet);
    }
}

// Of a register of fsh_credits the part of a virtual channel.
inline uint16_t account(uint64_t all, unsigned v)
{
    return static_cast<uint16_t>((all >> FSH_STATE_COUNT_BITS * v) %
                                 (1u << FSH_STATE_COUNT_BITS));
}

template <typename Tx> void read_link_tx(reader &r, Tx &tx, unsigned port)
{
    for (unsigned v = 0; v < FSH_STATE_VCS; v++)
        r.state.port[port].credit[v] = {account(tx.i_credits__DOT__used_q, v),
                                        account(tx.i_credits__DOT__freed_q, v),
                                        (tx.i_credits__DOT__long_q >> v & 1) !=
                                            0};
    read_sendqs(r, tx, port);
}

#define LOOP(name) \
    fsh_pins__DOT__i_card__DOT__i_node__DOT__i_gasnet__DOT__i_loop__DOT__##name
FSH_STATE(loop_mem, LOOP(i_buf__DOT__i_ram__DOT__mem))
FSH_STATE(loop_written, LOOP(i_buf__DOT__wptr_q))
FSH_STATE(loop_read, LOOP(i_buf__DOT__rptr_q))
FSH_STATE(loop_left, LOOP(i_buf__DOT__left))
FSH_STATE(loop_queue, LOOP(i_buf__DOT__queue_q))
FSH_STATE(loop_ok0, LOOP(gen_channel__BRA__0__KET____DOT__i_credit__DOT__ok_q))
FSH_STATE(loop_ok1, LOOP(gen_channel__BRA__1__KET____DOT__i_credit__DOT__ok_q))
#undef LOOP

template <typename Root> void read_loop(reader &r, Root &root)
{
    vcbuf loop = {{SPAN(loop_mem, root), 2 * FSH_LOOP_BEATS},
                  2,
                  FSH_LOOP_BEATS,
                  129,
                  SPAN(loop_written, root),
                  SPAN(loop_read, root),
                  static_cast<unsigned>(VALUE(loop_left, root)),
                  static_cast<unsigned>(VALUE(loop_queue, root))};
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
    syms.TOP__fsh_pins__DOT__i_card__DOT__i_node__DOT__i_gasnet__DOT__i_router__DOT__gen_port__BRA__##p##__KET____DOT__##half
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
