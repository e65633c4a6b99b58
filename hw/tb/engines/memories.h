// SPDX-License-Identifier: BSD-3-Clause
// What is around a node in the engines testbench: its device memory behind two AXI
// masters, the memory of its host, and the two links to the other node. Random stalls
// and delays.
#ifndef FSH_TB_MEMORIES_H
#define FSH_TB_MEMORIES_H

#include <cstring>
#include <deque>
#include <vector>
#include "memory.h"
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
    static const unsigned SLOWEST = 8; // cycles to an answer

    Card(tb::Test &test, VerilatedContext *context, unsigned number)
        : node(context), segment(SEGMENT), host(HOST), number(number),
          test_(test), host_writes_(test, SLOWEST),
          writes_{{test, SLOWEST}, {test, SLOWEST}}, reads_{test, test}
    {
        for (tb::ReadMemory &r : reads_)
            r.slowest = SLOWEST;
    }

    // Memory for the coming edge; the outputs are those before it.
    void memories()
    {
        if (node.m_host_arvalid_o)
            test_.fail("node %u reads host memory", number);
        node.m_host_bvalid_i = answered(host_writes_);
        node.m_host_awready_i = host_writes_.address_ready();
        node.m_host_wready_i = host_writes_.data_ready();
        node.m_mem_bvalid_i = node.m_mem_rvalid_i = 0;
        node.m_mem_awready_i = node.m_mem_wready_i = node.m_mem_arready_i = 0;
        for (unsigned p = 0; p < 2; p++)
            device_side(p);
        note();
    }

    Node node;
    std::vector<uint8_t> segment, host;
    const unsigned number;

  private:
    bool answered(tb::WriteMemory &memory)
    {
        if (!memory.answers.due(test_.cycle))
            return false;
        memory.answers.pop();
        return true;
    }

    void device_side(unsigned p)
    {
        auto bit = [p](bool b) { return (uint8_t)(b << p); };

        node.m_mem_bvalid_i |= bit(answered(writes_[p]));
        node.m_mem_awready_i |= bit(writes_[p].address_ready());
        node.m_mem_wready_i |= bit(writes_[p].data_ready());
        node.m_mem_arready_i |= bit(reads_[p].address_ready());
        if (!reads_[p].offer())
            return;
        uint64_t addr = reads_[p].front().addr;
        reads_[p].pop();
        if (addr + FSH_BEAT_BYTES > SEGMENT)
            test_.fail("node %u reads %llx", number, (unsigned long long)addr);
        node.m_mem_rvalid_i |= bit(true);
        std::memcpy(&node.m_mem_rdata_i[4 * p], &segment[addr], FSH_BEAT_BYTES);
    }

    // What the node hands over at the coming edge.
    void note()
    {
        for (unsigned p = 0; p < 2; p++) {
            if (node.m_mem_awvalid_o & node.m_mem_awready_i & 1 << p)
                writes_[p].address(slice(node.m_mem_awaddr_o, 40 * p, 40),
                                   node.m_mem_awlen_o >> 8 * p & 255);
            if (node.m_mem_wvalid_o & node.m_mem_wready_i & 1 << p)
                writes_[p].data(load(&node.m_mem_wdata_o[4 * p]),
                                node.m_mem_wstrb_o >> 16 * p & 0xffff,
                                node.m_mem_wlast_o >> p & 1);
            if (node.m_mem_arvalid_o & node.m_mem_arready_i & 1 << p)
                reads_[p].address(slice(node.m_mem_araddr_o, 40 * p, 40),
                                  node.m_mem_arlen_o >> 8 * p & 255, 0);
            store(writes_[p], segment);
        }
        if (node.m_host_awvalid_o & node.m_host_awready_i)
            host_writes_.address(node.m_host_awaddr_o, node.m_host_awlen_o);
        if (node.m_host_wvalid_o & node.m_host_wready_i)
            host_writes_.data(load(&node.m_host_wdata_o[0]),
                              node.m_host_wstrb_o, node.m_host_wlast_o);
        store(host_writes_, host);
        if (node.toy_write_o)
            std::memcpy(&segment[node.toy_addr_o], &node.toy_data_o, 8);
    }

    // The bursts that are whole.
    void store(tb::WriteMemory &from, std::vector<uint8_t> &to)
    {
        for (const tb::Burst &burst : from.done) {
            if (burst.addr + burst.beats * FSH_BEAT_BYTES > to.size())
                test_.fail("node %u writes %u beats to %llx", number,
                           burst.beats, (unsigned long long)burst.addr);
            for (unsigned i = 0; i < burst.beats * FSH_BEAT_BYTES; i++)
                if (burst.strobes[i / FSH_BEAT_BYTES] >> i % FSH_BEAT_BYTES & 1)
                    to[burst.addr + i] =
                        (uint8_t)(burst.data[i / FSH_BEAT_BYTES][i / 8 % 2] >>
                                  i % 8 * 8);
        }
        from.done.clear();
    }

    tb::Test &test_;
    tb::WriteMemory host_writes_, writes_[2];
    tb::ReadMemory reads_[2];
};

#endif
