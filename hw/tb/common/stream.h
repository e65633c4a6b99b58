// SPDX-License-Identifier: BSD-3-Clause
// Both ends of a valid/ready handshake, as testbenches drive and watch them.
#ifndef FSH_TB_STREAM_H
#define FSH_TB_STREAM_H

#include <deque>
#include "tb.h"

namespace tb
{

// Items to offer, one after the other: each from a random cycle on until it is
// taken.
template <class Item> class Feed
{
  public:
    explicit Feed(Test &test) : pace_(test) {}

    // To be asked once a cycle, before the block is evaluated.
    bool offer()
    {
        if (!waiting.empty() && (hurry || pace_.willing()))
            valid_ = true;
        return valid_;
    }

    const Item &front() const
    {
        return waiting.front();
    }

    void taken()
    {
        waiting.pop_front();
        valid_ = false;
    }

    // After a reset of the block.
    void clear()
    {
        waiting.clear();
        valid_ = false;
    }

    bool hurry = false; // no gaps
    std::deque<Item> waiting;

  private:
    Stall pace_;
    bool valid_ = false;
};

// The other end: whether it is ready, and that what a block offers stays, the
// same, until it is taken.
template <class Value> class Sink
{
  public:
    Sink(Test &test, const char *name) : test_(test), name_(name), pace_(test)
    {
    }

    // To be asked once a cycle, before the block is evaluated.
    bool ready()
    {
        ready_ = !shut && (hurry || pace_.willing());
        return ready_;
    }

    // True if the value is taken in this cycle.
    bool take(bool valid, const Value &value)
    {
        if (offered_ && (!valid || value != value_))
            test_.fail("%s: what is offered is withdrawn or changes", name_);
        value_ = value;
        offered_ = valid && !ready_;
        return valid && ready_;
    }

    // After a reset of the block.
    void clear()
    {
        offered_ = false;
    }

    bool hurry = false; // always ready
    bool shut = false;  // never

  private:
    Test &test_;
    const char *name_;
    Stall pace_;
    bool ready_ = false, offered_ = false;
    Value value_ = {};
};

} // namespace tb

#endif
