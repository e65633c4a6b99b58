// SPDX-License-Identifier: BSD-3-Clause
// What goes through the host writer: bursts of receivers, entries of rings, and
// the rings as the host has them.
#ifndef FSH_TB_RINGS_H
#define FSH_TB_RINGS_H

#include "memory.h"
#include "stream.h"

struct Data {
    Beat beat;
    unsigned strobes;
    bool last;
};

struct Entry {
    unsigned ring;
    Beat beat;
};

struct Receiver {
    explicit Receiver(tb::Test &test) : addresses(test), datas(test) {}

    tb::Feed<tb::Burst> addresses;
    tb::Feed<Data> datas;
    std::deque<tb::Burst> expected; // on the bus
    unsigned passed = 0;            // by the other one, while it waits
};

struct Ring {
    uint64_t base = 0;
    std::deque<Beat> expected;
    uint64_t kept = 0, read = 0, taken = 0, taken_before = 0;
    bool asleep = false;
    std::vector<Beat> memory;
};

// An entry's sources leave these two to the block.
inline void leave_out(Beat &beat)
{
    beat[0] &= ~1ull;
    Beat cycle = {};
    fsh_ring_set_cycle(cycle.data(), 0xffff'ffff'ffff);
    beat[0] &= ~cycle[0];
    beat[1] &= ~cycle[1];
}

// Of a port that is wider than a word.
template <class Wide> void set_bit(Wide &to, unsigned at, uint64_t value)
{
    to[at / 32] &= ~(1u << at % 32);
    to[at / 32] |= (uint32_t)value << at % 32;
}

#endif
