// SPDX-License-Identifier: BSD-3-Clause
// What every block testbench shares: seed, random numbers, stalls, clock.
//
// A testbench is one program: exit 0 and "<name>: ok" if the block did what its
// reference model did in every cycle. The seed is printed first; a number as
// the first argument repeats a run. Registers start with random values. An
// assertion of the RTL that fails ends the program with its file and line.
#ifndef FSH_TB_H
#define FSH_TB_H

#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include "verilated.h"

namespace tb
{

class Test
{
  public:
    Test(const char *name, int argc, char **argv) : name_(name)
    {
        seed_ = argc > 1 ? std::strtoull(argv[1], nullptr, 0)
                         : std::random_device{}();
        engine_.seed(seed_);
        std::printf("%s: seed %llu\n", name_, (unsigned long long)seed_);
        std::fflush(stdout);
    }

    // Uniform in 0..bound-1.
    uint32_t below(uint32_t bound)
    {
        return (uint32_t)(engine_() % bound);
    }

    uint64_t bits()
    {
        return engine_();
    }

    [[noreturn]] __attribute__((format(printf, 2, 3))) void fail(
        const char *format, ...)
    {
        va_list args;
        va_start(args, format);
        std::printf("%s: FAIL at cycle %llu: ", name_,
                    (unsigned long long)cycle);
        std::vprintf(format, args);
        std::printf(" (seed %llu)\n", (unsigned long long)seed_);
        va_end(args);
        std::exit(1);
    }

    int pass(unsigned long long count, const char *what)
    {
        if (count == 0)
            fail("nothing was tested");
        std::printf("%s: ok (%llu %s, %llu cycles)\n", name_, count, what,
                    (unsigned long long)cycle);
        return 0;
    }

    // Repeats step() until done() holds; if it does not within so many
    // cycles, the bench fails and says what it waited for.
    template <class Done, class Step>
    void until(const char *what, uint64_t limit, Done done, Step step)
    {
        for (uint64_t from = cycle; !done(); step())
            if (cycle - from >= limit)
                fail("%s: not within %llu cycles", what,
                     (unsigned long long)limit);
    }

    // A context whose registers start with random values of this seed.
    std::unique_ptr<VerilatedContext> context()
    {
        auto made = std::make_unique<VerilatedContext>();
        made->randReset(2);
        made->randSeed((int)(bits() & 0x7fffffff));
        return made;
    }

    uint64_t cycle = 0;

  private:
    const char *name_;
    uint64_t seed_;
    std::mt19937_64 engine_;
};

// Says cycle by cycle whether a handshake is willing: stretches of always,
// never (short), rarely, half of the time, mostly.
class Stall
{
  public:
    explicit Stall(Test &test) : test_(test) {}

    bool willing()
    {
        if (left_ == 0) {
            static const uint32_t chances[] = {0, 1, 4, 7, 8};
            chance_ = chances[test_.below(5)];
            left_ = chance_ == 0 ? 1 + test_.below(60) : 1 + test_.below(400);
        }
        left_--;
        return test_.below(8) < chance_;
    }

  private:
    Test &test_;
    uint32_t left_ = 0;
    uint32_t chance_ = 8;
};

// The edge: call eval() with the new inputs and look at the outputs first.
template <class Model> void edge(Test &test, Model &model)
{
    model.clk_i = 1;
    model.eval();
    model.clk_i = 0;
    model.eval();
    test.cycle++;
}

template <class Model> void reset(Test &test, Model &model)
{
    model.clk_i = 0;
    model.rst_i = 1;
    model.eval();
    for (int i = 0; i < 3; i++)
        edge(test, model);
    model.rst_i = 0;
    model.eval();
}

} // namespace tb

#endif
