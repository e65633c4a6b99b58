// SPDX-License-Identifier: BSD-3-Clause
// The tag table as a receiver sees it, and the other receiver, which has it now
// and then.
#ifndef FSH_TB_TAGS_H
#define FSH_TB_TAGS_H

#include "receive.h"

class Tags
{
  public:
    explicit Tags(tb::Test &test) : test_(test) {}

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

    // The other receiver has it.
    bool held() const
    {
        return other_ > 0;
    }

    // The edge: what is read is there in the next cycle, until the next read.
    // busy: the other may not begin.
    void step(bool enable, unsigned tag, bool busy)
    {
        other_ -= other_ > 0;
        if (enable)
            give(table[tag]);
        if (busy || other_ > 0 || test_.below(6))
            return;
        other_ = 1 + test_.below(6);
        give(random());
    }

    Tag table[FSH_NUM_TAGS] = {};
    uint32_t read[3] = {};

  private:
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
    unsigned nodes_ = 1, other_ = 0; // cycles for which the other has it
};

#endif
