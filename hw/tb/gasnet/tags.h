// SPDX-License-Identifier: BSD-3-Clause
// The tag table as a receiver sees it, and the other receiver, which has it now
// and then. Of two that want it the one with the loop goes first: it says so in
// the cycle in which it reads.
#ifndef FSH_TB_TAGS_H
#define FSH_TB_TAGS_H

#include "receive.h"

class Tags
{
  public:
    Tags(tb::Test &test, bool loop) : test_(test), loop_(loop) {}

    void fill(unsigned nodes)
    {
        nodes_ = nodes;
        for (Tag &tag : table)
            tag = random();
    }

    // One tag ends, or is given for something else.
    void change()
    {
        table[test_.below(FSH_NUM_TAGS)] = random();
    }

    // The other receiver has it, or goes first.
    bool held() const
    {
        return other_ > 0 || wants_;
    }

    // The edge: what is read is there in the next cycle, until the next read.
    // busy: the other may not begin.
    void step(bool enable, unsigned tag, bool busy)
    {
        other_ -= other_ > 0;
        if (enable)
            give(table[tag]);
        if (!loop_ && !wants_)
            wants_ = other_ == 0 && test_.below(6) == 0;
        else if (!busy && other_ == 0 && (wants_ || test_.below(6) == 0))
            begin();
    }

    Tag table[FSH_NUM_TAGS] = {};
    uint32_t read[3] = {};

  private:
    void begin()
    {
        wants_ = false;
        other_ = 1 + test_.below(6);
        give(random());
    }

    Tag random()
    {
        Tag tag = {};

        tag.live = test_.below(4);
        tag.get = test_.below(2);
        tag.node = test_.below(nodes_);
        tag.host = test_.below(2);
        tag.addr = test_.bits() & 0xff'ffff;
        tag.limit = tag.addr + test_.below(test_.below(2) ? 100 : 10000);
        return tag;
    }

    // As fsh_fn_pkg::tag_t.
    void give(const Tag &tag)
    {
        unsigned __int128 w = tag.live;

        w = w << 1 | tag.get;
        w = w << 6 | tag.node;
        w = w << 1 | tag.host;
        w = w << 40 | tag.addr;
        w = w << 41 | tag.limit;
        for (unsigned i = 0; i < 3; i++)
            read[i] = (uint32_t)(w >> 32 * i);
    }

    tb::Test &test_;
    bool loop_; // the receiver, not the other, has it
    bool wants_ = false;
    unsigned nodes_ = 1, other_ = 0; // cycles for which the other has it
};

#endif
