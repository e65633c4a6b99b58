// SPDX-License-Identifier: BSD-3-Clause
// A master and a memory for fsh_check_read, which keep to the rules and break one.
#ifndef FSH_TB_READS_H
#define FSH_TB_READS_H

#include <deque>
#include <memory>
#include "Vfsh_check_read.h"
#include "broken.h"

class Reads
{
  public:
    static constexpr uint64_t BASE = 0x12345000, SIZE = 0x3000;
    static constexpr unsigned MAX = 512, LONGEST = 65;

    explicit Reads(tb::Test &test)
        : test_(test), context_(test.context()),
          dut_(std::make_unique<Vfsh_check_read>(context_.get()))
    {
        dut_->base_i = BASE;
        dut_->size_i = SIZE;
        dut_->arvalid_i = dut_->rvalid_i = 0;
        tb::reset(test_, *dut_);
    }

    ~Reads()
    {
        dut_->final();
    }

    void ar(uint64_t addr, unsigned beats, unsigned id = 0, bool taken = true)
    {
        dut_->arvalid_i = 1;
        dut_->arready_i = taken;
        dut_->araddr_i = addr;
        dut_->arlen_i = (uint8_t)(beats - 1);
        dut_->arid_i = id & 1;
        cycle();
    }

    void r(unsigned id = 0)
    {
        dut_->rvalid_i = 1;
        dut_->rid_i = id & 1;
        cycle();
    }

    void nothing()
    {
        cycle();
    }

    unsigned long long legal(unsigned cycles)
    {
        struct Burst {
            unsigned beats, id;
        } offered = {0, 0};
        std::deque<Burst> open;
        unsigned long long bursts = 0;
        unsigned beats = 0;
        uint64_t addr = 0;

        for (unsigned i = 0; i < cycles; i++) {
            bool answer = beats != 0 && test_.below(3);

            if (offered.beats == 0 && test_.below(8) == 0) {
                offered = {1 + test_.below(LONGEST), test_.below(2)};
                addr = BASE + test_.below(257 - offered.beats) * 16 +
                       4096 * test_.below(3);
                if (beats + offered.beats > MAX)
                    offered.beats = 0;
            }
            bool ready = offered.beats != 0 && test_.below(2);
            dut_->arvalid_i = offered.beats != 0;
            dut_->arready_i = ready;
            dut_->araddr_i = addr;
            dut_->arlen_i = (uint8_t)(offered.beats - 1);
            dut_->arid_i = offered.id & 1;
            dut_->rvalid_i = answer;
            dut_->rid_i = answer && open.front().id;
            cycle();
            if (answer) {
                beats--;
                if (--open.front().beats == 0)
                    open.pop_front();
            }
            if (ready) {
                open.push_back(offered);
                beats += offered.beats;
                offered.beats = 0;
                bursts++;
            }
        }
        return bursts;
    }

  private:
    void cycle()
    {
        dut_->eval();
        tb::edge(test_, *dut_);
        dut_->arvalid_i = dut_->rvalid_i = 0;
    }

    tb::Test &test_;
    std::unique_ptr<VerilatedContext> context_;
    std::unique_ptr<Vfsh_check_read> dut_;
};

static const struct {
    const char *rule, *what;
    void (*act)(Reads &bus);
} broken_reads[] = {
    {"stable", "an address withdrawn",
     [](Reads &x) { x.ar(x.BASE, 1, 0, false), x.nothing(); }},
    {"stable", "another address",
     [](Reads &x) { x.ar(x.BASE, 1, 0, false), x.ar(x.BASE + 16, 1); }},
    {"stable", "another length",
     [](Reads &x) { x.ar(x.BASE, 1, 0, false), x.ar(x.BASE, 2); }},
    {"stable", "another identifier",
     [](Reads &x) { x.ar(x.BASE, 1, 0, false), x.ar(x.BASE, 1, 1); }},
    {"ar_page", "a burst over 4 KiB",
     [](Reads &x) { x.ar(x.BASE + 0xff0, 2); }},
    {"ar_length", "66 beats", [](Reads &x) { x.ar(x.BASE, 66); }},
    {"ar_aligned", "a beat that is not whole",
     [](Reads &x) { x.ar(x.BASE + 8, 1); }},
    {"ar_memory", "an address before the memory",
     [](Reads &x) { x.ar(x.BASE - 16, 1); }},
    {"ar_memory", "an address behind it",
     [](Reads &x) { x.ar(x.BASE + x.SIZE, 1); }},
    {"r_asked", "an answer to nothing", [](Reads &x) { x.r(); }},
    {"r_asked", "a beat too many",
     [](Reads &x) { x.ar(x.BASE, 2), x.r(), x.r(), x.r(); }},
    {"r_id", "another burst's identifier",
     [](Reads &x) { x.ar(x.BASE, 2, 0), x.ar(x.BASE, 1, 1), x.r(0), x.r(1); }},
    {"ar_many", "too many beats",
     [](Reads &x) {
         for (unsigned i = 0; i <= x.MAX / 64; i++)
             x.ar(x.BASE, 64);
         x.nothing();
     }},
};

static unsigned long long reads(tb::Test &test)
{
    unsigned long long count = 0;

    for (unsigned i = 0; i < 4; i++) {
        Reads bus(test);
        count += bus.legal(5000);
    }
    for (const auto &broken : broken_reads) {
        tb::breaks(test, broken.rule, broken.what, [&] {
            Reads bus(test);
            for (unsigned i = test.below(2000); i != 0; i--)
                bus.ar(bus.BASE, 1, i), bus.r(i);
            broken.act(bus);
        });
        count++;
    }
    return count;
}

#endif
