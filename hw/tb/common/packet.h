// SPDX-License-Identifier: BSD-3-Clause
// Packets as the testbenches of the GASNet core have them: beats on wide ports,
// lengths by the header, and a stream of beats that offers packet after packet.
#ifndef FSH_TB_PACKET_H
#define FSH_TB_PACKET_H

#include <array>
#include <deque>
#include <vector>
#include "fsh_spec.h"
#include "tb.h"

using Beat = std::array<uint64_t, 2>;
using Packet = std::vector<Beat>;

// The virtual channel of a header: {reply, vc}.
static inline unsigned channel(const Beat &header)
{
    return (unsigned)(fsh_hdr_reply(header.data()) << 1 |
                      fsh_hdr_vc(header.data()));
}

// Beats of the longest packet: header, arguments, payload off its lane.
static const unsigned LONGEST =
    1 + FSH_MAX_ARGS / 4 + FSH_MAX_PACKET / FSH_BEAT_BYTES + 1;

// Beats of a packet, by its header.
static inline unsigned length(const Beat &header)
{
    const uint64_t *w = header.data();
    uint64_t args = fsh_hdr_first(w) ? (fsh_hdr_nargs(w) + 3) / 4 : 0;
    uint64_t bytes = fsh_hdr_bytes(w);
    uint64_t lane = fsh_hdr_addr(w) % FSH_BEAT_BYTES;

    return (unsigned)(1 + args + (bytes ? (lane + bytes + 15) / 16 : 0));
}

// The port may be of several beats.
template <class Wide> static Beat load(const Wide &from, unsigned at = 0)
{
    return {from[4 * at] | (uint64_t)from[4 * at + 1] << 32,
            from[4 * at + 2] | (uint64_t)from[4 * at + 3] << 32};
}

template <class Wide>
static void store(Wide &to, const Beat &beat, unsigned at = 0)
{
    for (unsigned i = 0; i < 4; i++)
        to[4 * at + i] = (uint32_t)(beat[i / 2] >> (i % 2 * 32));
}

// A stream of beats: offered until taken, with gaps before any beat.
class Source
{
  public:
    explicit Source(tb::Test &test) : test_(test), pace_(test) {}

    // Puts the next beat in front if none is. True if one is offered.
    bool offer()
    {
        if (!valid && !waiting.empty() && (hurry || pace_.willing()))
            valid = true;
        return valid;
    }

    const Beat &beat() const
    {
        return waiting.front()[at_];
    }

    bool first() const
    {
        return at_ == 0;
    }

    bool last() const
    {
        return at_ + 1 == waiting.front().size();
    }

    void taken()
    {
        valid = false;
        if (last()) {
            waiting.pop_front();
            at_ = 0;
        } else {
            at_++;
        }
    }

    bool hurry = false; // no gaps
    bool valid = false;
    std::deque<Packet> waiting;

  protected:
    tb::Test &test_;
    tb::Stall pace_;

  private:
    size_t at_ = 0;
};

#endif
