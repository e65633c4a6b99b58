// SPDX-License-Identifier: BSD-3-Clause
// What is on its way between tb_fsh_results's device and its memory: reads to
// answer, and the write channels of a lane.
#ifndef FSH_TB_RESULTS_MEMORY_H
#define FSH_TB_RESULTS_MEMORY_H

#include <deque>
#include "memory.h"
#include "results.h"

namespace results
{

using tb::Delay;

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
