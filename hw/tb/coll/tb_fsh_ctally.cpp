// SPDX-License-Identifier: BSD-3-Clause
// fsh_ctally against counters of this program: packets that come, stay and leave, and all that
// are dropped, at random, with edges left out as a simulator may; reads and clears among
// them. The sum of the level over a time is what its definition says.
#include <array>
#include "base/fsh_spec.h"
#include "tb.h"
#include "Vfsh_ctally.h"

namespace
{

// Bits of fate_t of fsh_coll_pkg.
enum Fate { UNCLAIMED, TWICE, UNENTITLED, FULL, STALE, GONE, KEPT };
const unsigned counter_of[] = {FSH_COLLPERF_UNCLAIMED, FSH_COLLPERF_DUPLICATE,
                               FSH_COLLPERF_EAGER, FSH_COLLPERF_FULL,
                               FSH_COLLPERF_STALE};
const uint64_t mask48 = (1ull << 48) - 1;

class Bench
{
  public:
    explicit Bench(tb::Test &test)
        : test_(test), context_(test.context()), dut_(context_.get())
    {
        quiet();
        tb::reset(test_, dut_);
    }

    ~Bench()
    {
        dut_.final();
    }

    // A cycle in which something may happen.
    void step()
    {
        unsigned fate = 1u << test_.below(5);
        if (test_.below(3) == 0) {
            fate = level < 80 && (level == 0 || test_.below(2)) ? 1u << KEPT
                                                                : 1u << GONE;
        } else if (test_.below(3) == 0) {
            fate = 0;
        }
        dut_.fate_i = fate;
        dut_.malformed_i = test_.below(8) ? 0 : test_.below(4);
        want[FSH_COLLPERF_MALFORMED] += __builtin_popcount(dut_.malformed_i);
        for (unsigned i = 0; i <= STALE; i++)
            want[counter_of[i]] += fate >> i & 1;
        want[FSH_COLLPERF_KEPT] += fate >> KEPT & 1;
        dut_.clear_i = test_.below(200) == 0;
        if (dut_.clear_i) {
            want = {};
            peak = level;
        }
        level += (fate >> KEPT & 1) - (fate >> GONE & 1);
        peak = std::max(peak, level);
        edge();
        quiet();
    }

    // Cycles in which nothing happens, with or without edges.
    void rest()
    {
        unsigned cycles = test_.below(100);
        if (test_.below(2)) {
            integral += (uint64_t)cycles * level;
            time += cycles;
            return;
        }
        while (cycles-- > 0)
            edge();
    }

    uint64_t read(unsigned word)
    {
        dut_.read_i = 1;
        dut_.word_i = word;
        edge();
        dut_.read_i = 0;
        dut_.word_i = test_.below(16);
        edge();
        dut_.eval();
        if (!dut_.valid_o)
            test_.fail("no answer");
        uint64_t value = dut_.data_o;
        edge();
        dut_.eval();
        if (dut_.valid_o)
            test_.fail("an answer that lasts");
        return value;
    }

    void check(unsigned word, uint64_t value)
    {
        uint64_t is = read(word);
        if (is != value)
            test_.fail("counter %u is %llu, not %llu", word,
                       (unsigned long long)is, (unsigned long long)value);
    }

    void check()
    {
        for (unsigned i = 0; i < FSH_COLLPERF_LEVEL; i++)
            check(i, want[i]);
        check(FSH_COLLPERF_LEVEL, level);
        check(FSH_COLLPERF_PEAK, peak);
        check(FSH_COLLPERF_COUNT, 0); // there is none
        uint64_t sum = read(FSH_COLLPERF_SUM);
        if (((sum + level * time) & mask48) != (integral & mask48))
            test_.fail("sum %llu at level %u",
                       (unsigned long long)sum, level);
    }

    std::array<uint64_t, 16> want = {};
    unsigned level = 0, peak = 0;
    uint64_t time = test_start, integral = 0; // of the level

  private:
    static const uint64_t test_start = (1ull << 48) - 5000; // it wraps

    void quiet()
    {
        dut_.fate_i = 0;
        dut_.malformed_i = 0;
        dut_.clear_i = 0;
        dut_.read_i = 0;
    }

    // What happens in a cycle counts from that cycle on.
    void edge()
    {
        dut_.cycle_i = time & mask48;
        tb::edge(test_, dut_);
        integral += level;
        time++;
    }

    tb::Test &test_;
    std::unique_ptr<VerilatedContext> context_;
    Vfsh_ctally dut_;
};

} // namespace

int main(int argc, char **argv)
{
    tb::Test test("tb_fsh_ctally", argc, argv);
    Bench bench(test);
    unsigned long long checks = 0;

    for (int i = 0; i < 20000; i++) {
        if (test.below(4))
            bench.step();
        else
            bench.rest();
        if (test.below(50) == 0) {
            bench.check();
            checks++;
        }
    }
    return test.pass(checks, "checks");
}
