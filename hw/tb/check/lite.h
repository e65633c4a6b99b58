// SPDX-License-Identifier: BSD-3-Clause
// A host and registers for fsh_check_lite, which keep to the rules and break one.
#ifndef FSH_TB_LITE_H
#define FSH_TB_LITE_H

#include <memory>
#include "Vfsh_check_lite.h"
#include "broken.h"

class Lite
{
  public:
    static constexpr unsigned MAX = 4;

    explicit Lite(tb::Test &test)
        : test_(test), context_(test.context()),
          dut_(std::make_unique<Vfsh_check_lite>(context_.get()))
    {
        silence();
        tb::reset(test_, *dut_);
    }

    ~Lite()
    {
        dut_->final();
    }

    // Each offers in this cycle; `taken`: the other side is ready.
    void aw(unsigned addr, bool taken = true)
    {
        dut_->awvalid_i = 1;
        dut_->awready_i = taken;
        dut_->awaddr_i = (uint16_t)addr;
        cycle();
    }

    void w(uint64_t data, bool taken = true)
    {
        dut_->wvalid_i = 1;
        dut_->wready_i = taken;
        dut_->wdata_i = data;
        cycle();
    }

    void b(bool taken = true)
    {
        dut_->bvalid_i = 1;
        dut_->bready_i = taken;
        cycle();
    }

    void ar(unsigned addr, bool taken = true)
    {
        dut_->arvalid_i = 1;
        dut_->arready_i = taken;
        dut_->araddr_i = (uint16_t)addr;
        cycle();
    }

    void r(uint64_t data, bool taken = true)
    {
        dut_->rvalid_i = 1;
        dut_->rready_i = taken;
        dut_->rdata_i = data;
        cycle();
    }

    void nothing()
    {
        cycle();
    }

    // Writes and reads one after the other, address or data first, with stalls.
    unsigned long long legal(unsigned count)
    {
        for (unsigned i = 0; i < count; i++) {
            unsigned at = test_.below(0x8000);
            uint64_t data = test_.bits();
            bool first = test_.below(2) != 0;

            stalled(
                [&](bool taken) { first ? aw(at, taken) : w(data, taken); });
            stalled(
                [&](bool taken) { first ? w(data, taken) : aw(at, taken); });
            stalled([&](bool taken) { b(taken); });
            stalled([&](bool taken) { ar(at, taken); });
            stalled([&](bool taken) { r(data, taken); });
        }
        return count;
    }

  private:
    template <class Offer> void stalled(Offer offer)
    {
        while (test_.below(2))
            nothing();
        for (unsigned n = test_.below(3); n != 0; n--)
            offer(false);
        offer(true);
    }

    void cycle()
    {
        dut_->eval();
        tb::edge(test_, *dut_);
        silence();
    }

    void silence()
    {
        dut_->awvalid_i = dut_->wvalid_i = dut_->bvalid_i = 0;
        dut_->arvalid_i = dut_->rvalid_i = 0;
    }

    tb::Test &test_;
    std::unique_ptr<VerilatedContext> context_;
    std::unique_ptr<Vfsh_check_lite> dut_;
};

static const struct {
    const char *rule, *what;
    void (*act)(Lite &bus);
} broken_lite[] = {
    {"stable", "an address withdrawn",
     [](Lite &x) { x.aw(8, false), x.nothing(); }},
    {"stable", "another address", [](Lite &x) { x.aw(8, false), x.aw(16); }},
    {"stable", "data withdrawn", [](Lite &x) { x.w(1, false), x.nothing(); }},
    {"stable", "other data", [](Lite &x) { x.w(1, false), x.w(2); }},
    {"stable", "an answer withdrawn",
     [](Lite &x) { x.aw(8), x.w(1), x.b(false), x.nothing(); }},
    {"stable", "an address of a read withdrawn",
     [](Lite &x) { x.ar(8, false), x.nothing(); }},
    {"stable", "another address of a read",
     [](Lite &x) { x.ar(8, false), x.ar(16); }},
    {"stable", "a word withdrawn",
     [](Lite &x) { x.ar(8), x.r(1, false), x.nothing(); }},
    {"stable", "another word", [](Lite &x) { x.ar(8), x.r(1, false), x.r(2); }},
    {"b_asked", "an answer to nothing", [](Lite &x) { x.b(); }},
    {"b_asked", "an answer to an address alone",
     [](Lite &x) { x.aw(8), x.b(); }},
    {"b_asked", "an answer to data alone", [](Lite &x) { x.w(1), x.b(); }},
    {"b_asked", "a second answer",
     [](Lite &x) { x.aw(8), x.w(1), x.b(), x.b(); }},
    {"r_asked", "a word nobody asked for", [](Lite &x) { x.r(1); }},
    {"r_asked", "a second word", [](Lite &x) { x.ar(8), x.r(1), x.r(1); }},
    {"aw_many", "addresses that nobody answers",
     [](Lite &x) {
         for (unsigned i = 0; i <= x.MAX; i++)
             x.aw(8), x.w(1);
         x.nothing();
     }},
    {"w_many", "data that nobody answers",
     [](Lite &x) {
         for (unsigned i = 0; i <= x.MAX; i++)
             x.w(1);
         x.nothing();
     }},
    {"ar_many", "a second read beside the first",
     [](Lite &x) { x.ar(8), x.ar(8), x.nothing(); }},
};

static unsigned long long lite(tb::Test &test)
{
    unsigned long long count = 0;

    for (unsigned i = 0; i < 4; i++) {
        Lite bus(test);
        count += bus.legal(1000);
    }
    for (const auto &broken : broken_lite) {
        tb::breaks(test, broken.rule, broken.what, [&] {
            Lite bus(test);
            bus.legal(test.below(20));
            broken.act(bus);
        });
        count++;
    }
    return count;
}

#endif
