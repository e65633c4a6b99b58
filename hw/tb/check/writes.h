// SPDX-License-Identifier: BSD-3-Clause
// A master and a memory for fsh_check_write, which keep to the rules and break one.
#ifndef FSH_TB_WRITES_H
#define FSH_TB_WRITES_H

#include <deque>
#include <memory>
#include "Vfsh_check_write.h"
#include "broken.h"

class Writes
{
  public:
    static constexpr uint64_t BASE = 0x12345000, SIZE = 0x3000;
    static constexpr unsigned MAX = 32, LONGEST = 65;

    explicit Writes(tb::Test &test)
        : test_(test), context_(test.context()),
          dut_(std::make_unique<Vfsh_check_write>(context_.get()))
    {
        dut_->base_i = BASE;
        dut_->size_i = SIZE;
        dut_->awvalid_i = dut_->wvalid_i = dut_->bvalid_i = 0;
        tb::reset(test_, *dut_);
    }

    ~Writes()
    {
        dut_->final();
    }

    // One cycle in which an address is offered, taken or not.
    void aw(uint64_t addr, unsigned beats, bool taken = true)
    {
        dut_->awvalid_i = 1;
        dut_->awready_i = taken;
        dut_->awaddr_i = addr;
        dut_->awlen_i = (uint8_t)(beats - 1);
        cycle();
    }

    void w(bool last, uint32_t data = 1, unsigned strb = 0xffff,
           bool taken = true)
    {
        dut_->wvalid_i = 1;
        dut_->wready_i = taken;
        dut_->wlast_i = last;
        dut_->wdata_i[3] = data;
        dut_->wstrb_i = (uint16_t)strb;
        cycle();
    }

    void b()
    {
        dut_->bvalid_i = dut_->bready_i = 1;
        cycle();
    }

    void nothing()
    {
        cycle();
    }

    void burst(unsigned beats)
    {
        aw(BASE, beats);
        for (unsigned i = 1; i <= beats; i++)
            w(i == beats);
    }

    // Bursts of all lengths and places, data before and behind its address.
    unsigned long long legal(unsigned cycles)
    {
        std::deque<unsigned> data, early; // lengths; early: without an address
        unsigned long long bursts = 0;
        unsigned answers = 0, open = 0, beat = 0, place = 0, beats = 0;
        bool address = false, word = false;

        for (unsigned i = 0; i < cycles; i++) {
            if (!address && test_.below(2) && open < MAX) {
                beats =
                    early.empty() ? 1 + test_.below(LONGEST) : early.front();
                place = test_.below(257 - beats) * 16 + 4096 * test_.below(3);
                address = true;
            }
            if (!word && test_.below(8) && (!data.empty() || !address) &&
                early.size() < MAX / 2) {
                if (data.empty() && beat == 0 && early.empty() &&
                    test_.below(2) == 0) {
                    early_beats_ = 1 + test_.below(8);
                    early_now_ = true;
                }
                word = !data.empty() || early_now_;
            }
            bool aw_ready = address && test_.below(2);
            bool w_ready = word && test_.below(4);
            unsigned length = early_now_     ? early_beats_
                              : data.empty() ? 0
                                             : data.front();
            bool last = word && beat + 1 == length;
            bool answer = answers != 0 && test_.below(4) == 0;

            // A burst that began without address gets it only when it is whole.
            aw_ready = aw_ready && !(early_now_ && early.empty());
            if (address && early_now_ && early.empty())
                address = false;
            dut_->awvalid_i = address;
            dut_->awready_i = aw_ready;
            dut_->awaddr_i = BASE + place;
            dut_->awlen_i = (uint8_t)(beats - 1);
            dut_->wvalid_i = word;
            dut_->wready_i = w_ready;
            dut_->wlast_i = last;
            dut_->bvalid_i = answer;
            dut_->bready_i = 1;
            cycle();
            if (answer) {
                answers--;
                open--;
            }
            if (aw_ready) {
                address = false;
                open++;
                bursts++;
                if (early.empty()) {
                    data.push_back(beats);
                } else {
                    early.pop_front();
                    answers++;
                }
            }
            if (w_ready) {
                word = false;
                beat = last ? 0 : beat + 1;
                if (last && early_now_) {
                    early.push_back(early_beats_);
                    early_now_ = false;
                } else if (last) {
                    data.pop_front();
                    answers++;
                }
            }
        }
        return bursts;
    }

  private:
    void cycle()
    {
        dut_->eval();
        tb::edge(test_, *dut_);
        dut_->awvalid_i = dut_->wvalid_i = dut_->bvalid_i = 0;
    }

    tb::Test &test_;
    std::unique_ptr<VerilatedContext> context_;
    std::unique_ptr<Vfsh_check_write> dut_;
    unsigned early_beats_ = 0;
    bool early_now_ = false;
};

static const struct {
    const char *rule, *what;
    void (*act)(Writes &bus);
} broken_writes[] = {
    {"stable", "an address withdrawn",
     [](Writes &x) { x.aw(x.BASE, 1, false), x.nothing(); }},
    {"stable", "another address",
     [](Writes &x) { x.aw(x.BASE, 1, false), x.aw(x.BASE + 16, 1); }},
    {"stable", "another length",
     [](Writes &x) { x.aw(x.BASE, 1, false), x.aw(x.BASE, 2); }},
    {"stable", "data withdrawn",
     [](Writes &x) { x.aw(x.BASE, 1), x.w(1, 1, 1, false), x.nothing(); }},
    {"stable", "other data",
     [](Writes &x) { x.aw(x.BASE, 1), x.w(1, 1, 1, false), x.w(1, 2, 1); }},
    {"stable", "other strobes",
     [](Writes &x) { x.aw(x.BASE, 1), x.w(1, 1, 1, false), x.w(1, 1, 3); }},
    {"stable", "another end",
     [](Writes &x) { x.aw(x.BASE, 2), x.w(0, 1, 1, false), x.w(1, 1, 1); }},
    {"aw_page", "a burst over 4 KiB",
     [](Writes &x) { x.aw(x.BASE + 0xff0, 2); }},
    {"aw_length", "66 beats", [](Writes &x) { x.aw(x.BASE, 66); }},
    {"aw_aligned", "a beat that is not whole",
     [](Writes &x) { x.aw(x.BASE + 8, 1); }},
    {"aw_memory", "an address before the memory",
     [](Writes &x) { x.aw(x.BASE - 16, 1); }},
    {"aw_memory", "an address behind it",
     [](Writes &x) { x.aw(x.BASE + x.SIZE, 1); }},
    {"w_last", "an end too early", [](Writes &x) { x.aw(x.BASE, 2), x.w(1); }},
    {"w_last", "an end too late",
     [](Writes &x) { x.aw(x.BASE, 2), x.w(0), x.w(0); }},
    {"w_last", "the wrong end in the cycle of its address",
     [](Writes &x) { x.burst(3), x.aw(x.BASE, 3), x.w(0), x.w(1); }},
    {"w_longer", "data without an end",
     [](Writes &x) {
         for (unsigned i = 0; i <= x.LONGEST; i++)
             x.w(0);
     }},
    {"aw_shorter", "an address that fits no data",
     [](Writes &x) { x.w(0), x.w(0), x.w(1), x.aw(x.BASE, 2); }},
    {"b_asked", "an answer to nothing", [](Writes &x) { x.b(); }},
    {"b_asked", "an answer before the last beat",
     [](Writes &x) { x.aw(x.BASE, 2), x.w(0), x.b(); }},
    {"b_asked", "an answer before the address",
     [](Writes &x) { x.w(1), x.b(); }},
    {"b_asked", "a second answer", [](Writes &x) { x.burst(2), x.b(), x.b(); }},
    {"aw_many", "too many bursts",
     [](Writes &x) {
         for (unsigned i = 0; i <= x.MAX; i++)
             x.burst(1);
         x.nothing();
     }},
    {"w_many", "too much data ahead",
     [](Writes &x) {
         for (unsigned i = 0; i <= x.MAX; i++)
             x.w(1);
         x.nothing();
     }},
};

static unsigned long long writes(tb::Test &test)
{
    unsigned long long count = 0;

    for (unsigned i = 0; i < 4; i++) {
        Writes bus(test);
        count += bus.legal(5000);
    }
    for (const auto &broken : broken_writes) {
        tb::breaks(test, broken.rule, broken.what, [&] {
            Writes bus(test);
            for (unsigned i = test.below(100); i != 0; i--)
                bus.burst(1 + test.below(5)), bus.b();
            broken.act(bus);
        });
        count++;
    }
    return count;
}

#endif
