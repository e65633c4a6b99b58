// SPDX-License-Identifier: BSD-3-Clause
// What is around a node in the engines testbench: its device memory behind two AXI
// masters, the memory of its host, and the two links to the other node. Random stalls
// and delays.
#ifndef FSH_TB_MEMORIES_H
#define FSH_TB_MEMORIES_H

#include <cstring>
#include <deque>
#include <vector>
#include "tb.h"
#include "Vtb_fsh_engines.h"

using Node = Vtb_fsh_engines;

// `width` <= 64 bits at `bit` of a wide pin.
template <class Wide>
static uint64_t slice(const Wide &w, unsigned bit, unsigned width)
{
    uint64_t value = 0;

    for (unsigned i = 0; i < width; i++)
        value |= (uint64_t)(w[(bit + i) / 32] >> (bit + i) % 32 & 1) << i;
    return value;
}

// A slave that takes writes: bursts of 16-byte beats, answered in order.
class Writes
{
  public:
    Writes(tb::Test &test, std::vector<uint8_t> &memory)
        : test_(test), memory_(memory)
    {
    }

    void address(uint64_t addr, unsigned beats)
    {
        for (unsigned i = 0; i < beats; i++)
            where_.push_back(addr + 16 * i);
        ends_.push_back(beats);
    }

    void beat(const uint32_t *data, unsigned strobe)
    {
        beats_.emplace_back();
        std::memcpy(beats_.back().data, data, 16);
        beats_.back().strobe = strobe;
    }

    // One cycle: true if a burst is answered in it.
    bool step()
    {
        if (!where_.empty() && !beats_.empty()) {
            uint64_t at = where_.front();
            const Beat &b = beats_.front();
            if (at % 16 || at + 16 > memory_.size())
                test_.fail("a write to %llx", (unsigned long long)at);
            for (unsigned i = 0; i < 16; i++)
                if (b.strobe >> i & 1)
                    memory_[at + i] = b.data[i];
            where_.pop_front();
            beats_.pop_front();
            written_++;
        }
        if (ends_.empty() || written_ < ends_.front() || test_.below(4) == 0)
            return false;
        written_ -= ends_.front();
        ends_.pop_front();
        return true;
    }

  private:
    struct Beat {
        uint8_t data[16];
        unsigned strobe;
    };
    tb::Test &test_;
    std::vector<uint8_t> &memory_;
    std::deque<uint64_t> where_;
    std::deque<Beat> beats_;
    std::deque<unsigned> ends_;
    unsigned written_ = 0;
};

// One that answers reads.
class Reads
{
  public:
    explicit Reads(tb::Test &test) : test_(test) {}

    void address(uint64_t addr, unsigned beats)
    {
        for (unsigned i = 0; i < beats; i++)
            beats_.push_back({addr + 16 * i, i + 1 == beats});
    }

    // One cycle: the address of the beat that is answered, and whether it is the last
    // of its burst.
    bool step(uint64_t *addr, bool *last)
    {
        if (beats_.empty() || test_.below(4) == 0)
            return false;
        *addr = beats_.front().first;
        *last = beats_.front().second;
        beats_.pop_front();
        return true;
    }

  private:
    tb::Test &test_;
    std::deque<std::pair<uint64_t, bool>> beats_;
};

// A link, one way.
class Line
{
  public:
    struct Word {
        bool valid, bound;
        uint32_t data[4];
    };

    explicit Line(unsigned delay) : words_(delay) {}

    Word pass(const Word &in)
    {
        Word out = words_.front();

        words_.pop_front();
        words_.push_back(in);
        return out;
    }

  private:
    std::deque<Word> words_;
};

// A node with its memories.
struct Card {
    static const size_t SEGMENT = 1u << 20, HOST = 1u << 20;

    Card(tb::Test &test, VerilatedContext *context, unsigned number)
        : node(context), segment(SEGMENT), host(HOST), number(number),
          test_(test), host_writes_(test, host), writes_{Writes(test, segment),
                                                         Writes(test, segment)},
          reads_{Reads(test), Reads(test)}
    {
    }

    // Memory for the coming edge; the outputs are those before it.
    void memories()
    {
        host_side();
        node.m_mem_bvalid_i = node.m_mem_rvalid_i = node.m_mem_rlast_i = 0;
        for (unsigned p = 0; p < 2; p++)
            device_side(p);
        node.m_mem_awready_i = (uint8_t)test_.below(4);
        node.m_mem_wready_i = (uint8_t)test_.below(4);
        node.m_mem_arready_i = (uint8_t)test_.below(4);
        node.m_host_awready_i = (uint8_t)test_.below(2);
        node.m_host_wready_i = (uint8_t)test_.below(2);
        note();
    }

    Node node;
    std::vector<uint8_t> segment, host;
    const unsigned number;

  private:
    void host_side()
    {
        if (node.m_host_arvalid_o)
            test_.fail("node %u reads host memory", number);
        node.m_host_bvalid_i = host_writes_.step();
    }

    void device_side(unsigned p)
    {
        uint64_t addr;
        bool last;

        if (writes_[p].step())
            node.m_mem_bvalid_i |= (uint8_t)(1 << p);
        if (!reads_[p].step(&addr, &last))
            return;
        if (addr % 16 || addr + 16 > SEGMENT)
            test_.fail("node %u reads %llx", number, (unsigned long long)addr);
        node.m_mem_rvalid_i |= (uint8_t)(1 << p);
        node.m_mem_rlast_i |= (uint8_t)(last << p);
        std::memcpy(&node.m_mem_rdata_i[4 * p], &segment[addr], 16);
    }

    // What the node hands over at the coming edge.
    void note()
    {
        for (unsigned p = 0; p < 2; p++) {
            if (node.m_mem_awvalid_o & node.m_mem_awready_i & 1 << p)
                writes_[p].address(slice(node.m_mem_awaddr_o, 40 * p, 40),
                                   (node.m_mem_awlen_o >> 8 * p & 255) + 1);
            if (node.m_mem_wvalid_o & node.m_mem_wready_i & 1 << p)
                writes_[p].beat(&node.m_mem_wdata_o[4 * p],
                                node.m_mem_wstrb_o >> 16 * p & 0xffff);
            if (node.m_mem_arvalid_o & node.m_mem_arready_i & 1 << p)
                reads_[p].address(slice(node.m_mem_araddr_o, 40 * p, 40),
                                  (node.m_mem_arlen_o >> 8 * p & 255) + 1);
        }
        if (node.m_host_awvalid_o & node.m_host_awready_i)
            host_writes_.address(node.m_host_awaddr_o,
                                 node.m_host_awlen_o + 1u);
        if (node.m_host_wvalid_o & node.m_host_wready_i)
            host_writes_.beat(&node.m_host_wdata_o[0], node.m_host_wstrb_o);
        if (node.toy_write_o)
            std::memcpy(&segment[node.toy_addr_o], &node.toy_data_o, 8);
    }

    tb::Test &test_;
    Writes host_writes_, writes_[2];
    Reads reads_[2];
};

#endif
