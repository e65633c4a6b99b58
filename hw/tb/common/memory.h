// SPDX-License-Identifier: BSD-3-Clause
// A memory at the other end of a block's write or read bus: what it takes and
// when it answers is random, in order; an answer may be an error.
#ifndef FSH_TB_MEMORY_H
#define FSH_TB_MEMORY_H

#include <deque>
#include <vector>
#include "packet.h"

namespace tb
{

// In order, each due some time after it came.
template <class Item> class Delay
{
  public:
    void push(const Item &item, uint64_t due)
    {
        last_ = due > last_ + 1 ? due : last_ + 1;
        items_.push_back({item, last_});
    }

    bool due(uint64_t now) const
    {
        return !items_.empty() && items_.front().second <= now;
    }

    Item &front()
    {
        return items_.front().first;
    }

    void pop()
    {
        items_.pop_front();
    }

    bool empty() const
    {
        return items_.empty();
    }

    size_t size() const
    {
        return items_.size();
    }

  private:
    std::deque<std::pair<Item, uint64_t>> items_;
    uint64_t last_ = 0;
};

struct Burst {
    uint64_t addr;
    unsigned beats;
    bool error; // its answer
    std::vector<Beat> data;
    std::vector<unsigned> strobes;
};

// len: beats but one, as on the bus.
static inline void check_burst(Test &test, uint64_t addr, unsigned len)
{
    if (addr % FSH_BEAT_BYTES)
        test.fail("a burst at %llx", (unsigned long long)addr);
    if ((addr + len * FSH_BEAT_BYTES) >> 12 != addr >> 12)
        test.fail("a burst of %u beats at %llx crosses 4 KiB", len + 1,
                  (unsigned long long)addr);
}

// Takes bursts; of each, once it is whole, `done` tells, and then `answers`.
class WriteMemory
{
  public:
    WriteMemory(Test &test, unsigned slowest)
        : test_(test), slowest_(slowest), addresses_(test), beats_(test)
    {
    }

    // Each to be asked once a cycle, before the block is evaluated.
    bool address_ready()
    {
        return hurry || addresses_.willing();
    }

    bool data_ready()
    {
        return hurry || beats_.willing();
    }

    void address(uint64_t addr, unsigned len)
    {
        check_burst(test_, addr, len);
        bool error = errors && test_.below(errors) == 0;
        open_.push_back({addr, len + 1, error, {}, {}});
        match();
    }

    void data(const Beat &beat, unsigned strobes, bool last)
    {
        waiting_.push_back({beat, strobes, last});
        match();
    }

    bool empty() const
    {
        return open_.empty() && waiting_.empty() && answers.empty();
    }

    void clear()
    {
        open_.clear();
        waiting_.clear();
        done.clear();
        answers = {};
    }

    bool hurry = false;  // always ready
    unsigned errors = 0; // one of so many answers is an error
    std::deque<Burst> done;
    Delay<Burst> answers;

  private:
    struct Data {
        Beat beat;
        unsigned strobes;
        bool last;
    };

    // Data belongs to addresses in their order; either may be there first.
    void match()
    {
        while (!open_.empty() && !waiting_.empty()) {
            Burst &burst = open_.front();
            const Data &data = waiting_.front();
            burst.data.push_back(data.beat);
            burst.strobes.push_back(data.strobes);
            bool whole = burst.data.size() == burst.beats;
            if (data.last != whole)
                test_.fail("last is %d on beat %zu of %u of a burst", data.last,
                           burst.data.size(), burst.beats);
            waiting_.pop_front();
            if (!whole)
                continue;
            done.push_back(burst);
            answers.push(burst, test_.cycle + 1 + test_.below(slowest_));
            open_.pop_front();
        }
    }

    Test &test_;
    unsigned slowest_;
    Stall addresses_, beats_;
    std::deque<Burst> open_;
    std::deque<Data> waiting_;
};

// Answers reads, beat by beat, in order. What is at an address its user knows.
class ReadMemory
{
  public:
    struct Asked {
        uint64_t addr;
        unsigned id;
    };

    ReadMemory(Test &test) : test_(test), addresses_(test), beats_(test) {}

    // Each to be asked once a cycle, before the block is evaluated.
    bool address_ready()
    {
        return hurry || addresses_.willing();
    }

    // True if a beat is given in this cycle: that of front(), then pop().
    bool offer()
    {
        return asked_.due(test_.cycle) && (hurry || beats_.willing());
    }

    void address(uint64_t addr, unsigned len, unsigned id)
    {
        check_burst(test_, addr, len);
        uint64_t due = test_.cycle + slowest;
        if (!hurry)
            due = test_.cycle + 1 + test_.below(slowest);
        for (unsigned i = 0; i <= len; i++)
            asked_.push({addr + i * FSH_BEAT_BYTES, id}, due);
        beats += len + 1;
    }

    Asked &front()
    {
        return asked_.front();
    }

    void pop()
    {
        asked_.pop();
    }

    void clear()
    {
        asked_ = {};
        beats = 0;
    }

    bool hurry = false;     // always ready, no gaps, the same delay always
    unsigned slowest = 100; // cycles from address to data
    unsigned long long beats = 0;

  private:
    Test &test_;
    Stall addresses_, beats_;
    Delay<Asked> asked_;
};

} // namespace tb

#endif
