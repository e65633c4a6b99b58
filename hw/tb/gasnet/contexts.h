// SPDX-License-Identifier: BSD-3-Clause
// The four contexts {channel, port} of a sequencer: what each has loaded, and
// which ports must say that they stall for it.
#ifndef FSH_TB_CONTEXTS_H
#define FSH_TB_CONTEXTS_H

#include "command.h"

class Contexts
{
  public:
    explicit Contexts(tb::Test &test) : test_(test) {}

    void load(const Command &c)
    {
        now_[c.reply << 1 | c.port] = c;
    }

    // A port stalls if a packet for it lacks its credit. Which port the next
    // packet of a message over both takes is not followed: if neither has a
    // credit, one of them stalls. link_ok: by {port, channel}.
    void check(unsigned free, unsigned link_ok, unsigned stall) const
    {
        unsigned must = 0, may = 0;

        for (unsigned at = 0; at < 4; at++) {
            if (free >> at & 1 || now_[at].loop)
                continue;
            unsigned lacks = ~(link_ok >> at / 2) & 1;
            lacks |= (~(link_ok >> (2 + at / 2)) & 1) << 1;
            if (!now_[at].stripe)
                must |= lacks & 1u << at % 2;
            else
                may |= lacks;
            if (now_[at].stripe && lacks == 3 && !stall)
                test_.fail("no port stalls, and neither has a credit");
        }
        if ((must & ~stall) || (stall & ~(must | may)))
            test_.fail("ports %u stall, where %u must and %u may", stall, must,
                       may);
    }

  private:
    tb::Test &test_;
    Command now_[4];
};

#endif
