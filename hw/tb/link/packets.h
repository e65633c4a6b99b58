// SPDX-License-Identifier: BSD-3-Clause
// Packets of the link testbench, and the three kinds of user that send them:
// each gives a beat a cycle as the block it stands for would, and decides on
// credit when that block would.
#ifndef FSH_TB_PACKETS_H
#define FSH_TB_PACKETS_H

#include "packet.h"

// Beats of the longest packet without payload from a memory: header, arguments, 480 bytes.
static const unsigned BRIEF = 36;

// Class of a packet: short ones go first.
static inline bool is_long(const Beat &header)
{
    return fsh_hdr_bytes(header.data()) >= FSH_LONG_BYTES;
}

// Its queue {long, reply, vc}.
static inline unsigned queue_of(const Beat &header)
{
    return 4 * is_long(header) + channel(header);
}

// Its queue behind a link: long packets of small messages have their own.
static inline unsigned arrival_of(const Beat &header)
{
    bool small = fsh_hdr_total(header.data()) < FSH_BULK_BYTES;

    return queue_of(header) + 4 * (is_long(header) && small);
}

// A packet to `dst`: any length from the header alone to the longest there is.
static inline Packet random_packet(tb::Test &test, unsigned vc, unsigned dst,
                                   bool alone)
{
    Beat header = {};
    uint64_t *w = header.data();
    unsigned lane = test.below(16);
    unsigned nargs = test.below(2) ? test.below(FSH_MAX_ARGS + 1) : 0;
    unsigned bytes = test.below(3) ? test.below(100) : test.below(1025);

    if (test.below(8) == 0) { // the longest
        lane = 15;
        nargs = FSH_MAX_ARGS;
        bytes = FSH_MAX_PACKET;
    }
    if (alone)
        nargs = bytes = 0;
    fsh_hdr_set_opcode(w, test.below(256));
    fsh_hdr_set_first(w, test.below(2));
    fsh_hdr_set_tag(w, test.below(FSH_NUM_TAGS));
    fsh_hdr_set_total(
        w, test.below(test.below(2) ? FSH_BULK_BYTES : FSH_MAX_MESSAGE));
    fsh_hdr_set_reply(w, vc >> 1);
    fsh_hdr_set_vc(w, vc & 1);
    fsh_hdr_set_dst(w, dst);
    fsh_hdr_set_src(w, test.below(FSH_MAX_NODES));
    // The last hops more often than they would come.
    fsh_hdr_set_hops(w, test.below(4) ? test.below(FSH_MAX_HOPS + 1)
                                      : FSH_MAX_HOPS - test.below(2));
    fsh_hdr_set_nargs(w, nargs);
    fsh_hdr_set_bytes(w, bytes);
    fsh_hdr_set_addr(w, (test.bits() & 0xffffff0) | lane);

    Packet packet(1, header);
    while (packet.size() < length(header))
        packet.push_back({test.bits(), test.bits()});
    return packet;
}

// Bits of a wide port.
template <class Wide>
static void put(Wide &to, unsigned at, unsigned bits, uint64_t value)
{
    for (unsigned i = at; i < at + bits; i++, value >>= 1)
        to[i / 32] = (to[i / 32] & ~(1u << i % 32)) | (uint32_t)(value & 1)
                                                          << i % 32;
}

// The header of a packet that passes through: one hop more, the vc of its next link.
static inline Beat next_header(const Beat &header, unsigned vc)
{
    Beat ones = {}, hops = {}, next = header;

    fsh_hdr_set_vc(ones.data(), 1);
    fsh_hdr_set_hops(ones.data(), FSH_MAX_HOPS);
    fsh_hdr_set_vc(hops.data(), vc);
    fsh_hdr_set_hops(hops.data(), fsh_hdr_hops(header.data()) + 1);
    for (unsigned i = 0; i < 2; i++)
        next[i] = (header[i] & ~ones[i]) | hops[i];
    return next;
}

// Packets of the sequencer: decided on credit, reserved two cycles later, the
// next decided after that; they leave in this order.
class Sequencer : public Source
{
  public:
    explicit Sequencer(tb::Test &test) : Source(test) {}

    // The packet reserved in this cycle, if any. ok: by virtual channel.
    const Packet *step(unsigned ok, unsigned dst, bool willing)
    {
        if (state_ == 0) {
            unsigned vc = test_.below(4);
            for (unsigned i = 0; i < 3 && !(ok >> vc & 1); i++)
                vc = (vc + 1) % 4;
            if (!willing || !(ok >> vc & 1) || waiting.size() > 8)
                return nullptr;
            do
                next_ = random_packet(test_, vc, dst, false);
            while (next_.size() > BRIEF);
        }
        if (++state_ < 3)
            return nullptr;
        state_ = 0;
        waiting.push_back(next_);
        return &waiting.back();
    }

    bool deciding() const
    {
        return state_ != 0;
    }

  private:
    Packet next_;
    unsigned state_ = 0;
};

// Packets that pass through: queues by virtual channel, of which one begins
// when its channel has credit, in the cycle before it is offered.
class Passing
{
  public:
    explicit Passing(tb::Test &test) : test_(test), pace_(test) {}

    // Says whether a packet begins to be read in this cycle.
    bool step(unsigned ok, bool ready)
    {
        valid = valid && !ready;
        if (valid || !(hurry || pace_.willing()))
            return false;
        if (at_ == 0) {
            unsigned from = test_.below(4);
            for (unsigned i = 0; i < 4; i++) {
                vc_ = (from + i) % 4;
                if (!queue[vc_].empty() && (ok >> vc_ & 1))
                    break;
                if (i == 3)
                    return false;
            }
        }
        Packet &packet = queue[vc_].front();
        beat = packet[at_];
        first = at_ == 0;
        if (first)
            lengthy = is_long(beat);
        last = ++at_ == packet.size();
        if (last) {
            queue[vc_].pop_front();
            at_ = 0;
        }
        valid = true;
        return first;
    }

    bool empty() const
    {
        for (const auto &q : queue)
            if (!q.empty())
                return false;
        return !valid;
    }

    std::deque<Packet> queue[4];
    bool hurry = false; // no gaps
    bool valid = false, first = false, last = false;
    bool lengthy = false; // the packet of this beat
    Beat beat;

  private:
    tb::Test &test_;
    tb::Stall pace_;
    unsigned vc_ = 0;
    size_t at_ = 0;
};

#endif
