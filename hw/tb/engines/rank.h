// SPDX-License-Identifier: BSD-3-Clause
// A node of the engines testbench and what its host and engine 0 have under way.
#ifndef FSH_TB_RANK_H
#define FSH_TB_RANK_H

#include <map>
#include <set>
#include "fsh_spec.h"
#include "memories.h"

// In the DMA window of its host.
static const unsigned RING = 0x40000, STATUS = 0x10000;

struct Operation {
    enum { None, Put, Toy, Compute, Refused } kind = None;
    unsigned dst = 0, bytes = 0, add = 0;
};

// A TOY message; onward: sent by a toy.
struct Message {
    unsigned src, dst, next;
    unsigned add; // tells it from others
    bool pass = false, counted = false, onward = false;
};

class Rank
{
  public:
    Rank(tb::Test &test, VerilatedContext *context, unsigned number)
        : card(test, context, number), test_(test)
    {
    }

    Card card;
    std::deque<std::pair<unsigned, uint64_t>> writes; // of registers
    Operation op[FSH_HOST_TAGS];
    unsigned core_bytes[FSH_COMPUTE_TAGS] = {}, core_dst[FSH_COMPUTE_TAGS] = {};
    unsigned busy = 0, core_busy = 0, started = 0, tail = 0, taken = 0;
    uint64_t count = 0; // of its toy
    // The message that made the count that ends in these bits.
    std::map<unsigned, const Message *> at;
    std::set<unsigned> cookies; // of COMPLETEs to come

    // Writes all registers, as a library does at attach.
    void program()
    {
        auto set = [&](unsigned reg, uint64_t value) {
            writes.push_back({reg, value});
        };
        set(FSH_REG_NODE, card.number | 2u << 8);
        set(FSH_REG_PACKET, FSH_MIN_PACKET);
        set(FSH_REG_PORTS, 3);
        set(FSH_REG_SEG_BASE, 0);
        set(FSH_REG_SEG_SIZE, Card::SEGMENT);
        set(FSH_REG_HOST_BASE, 0);
        set(FSH_REG_HOST_SIZE, Card::HOST);
        set(FSH_REG_CPL_BASE, RING);
        set(FSH_REG_REQ_BASE, RING + 0x20000);
        set(FSH_REG_REP_BASE, RING + 0x40000);
        set(FSH_REG_SLOT_HDR_BASE, 0);
        set(FSH_REG_SLOT_PAY_BASE, 0);
        set(FSH_REG_STATUS_ADDR, STATUS);
        // By either port; no packet passes through a node, so one vc does.
        for (unsigned to = 0; to < 2; to++)
            set(FSH_REG_ROUTE + 8 * to, Card::SEGMENT | UINT64_C(3) << 56);
        set(FSH_REG_CONTROL, 1);
    }

    void submit(const uint64_t *word, unsigned words)
    {
        unsigned at_entry =
            FSH_REG_REQ_WINDOW + tail++ % FSH_WINDOW_ENTRIES * FSH_ENTRY_BYTES;

        for (unsigned i = 0; i < words; i++)
            writes.push_back({at_entry + 8 * i, word[i]});
        writes.push_back({FSH_REG_REQ_TAIL, tail});
    }

    void fill(unsigned at_byte, unsigned bytes)
    {
        for (unsigned i = 0; i < bytes; i++)
            card.segment[at_byte + i] = (uint8_t)test_.bits();
    }

  private:
    tb::Test &test_;
};

#endif
