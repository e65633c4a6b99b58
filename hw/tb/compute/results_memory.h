// SPDX-License-Identifier: BSD-3-Clause
// What is on its way between tb_fsh_results's device and its memory: reads to
// answer, and the write channels of a lane.
#ifndef FSH_TB_RESULTS_MEMORY_H
#define FSH_TB_RESULTS_MEMORY_H

#include <algorithm>
#include <deque>
#include <utility>

#include "results.h"

namespace results
{

// In order, each due some time after it came.
template <class Item> class Delay
{
  public:
    void push(const Item &item, uint64_t due)
    {
        last_ = std::max(last_ + 1, due);
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

  private:
    std::deque<std::pair<Item, uint64_t>> items_;
    uint64_t last_ = 0;
};

struct Answer {
    Read read;
    Beat data[4];
    unsigned error;
};

struct Write {
    uint32_t addr;
    Beat data;
    unsigned strobes;
};

struct Lane {
    std::deque<uint32_t> addrs;
    std::deque<Write> datas;
    Delay<Write> writes;
    unsigned open = 0;
};

} // namespace results

#endif
