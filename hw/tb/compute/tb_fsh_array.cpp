// SPDX-License-Identifier: BSD-3-Clause
// fsh_array against a sum over its steps: tiles of random depth in both banks,
// each drained while the next one is computed in the other bank; random gaps
// between steps and between reads, accumulators in any order that LOOP allows,
// ordinary, overflowing, vanishing and special operands.
// Second argument: so many cycles without steps, then with nothing but steps, are
// timed.
#include <chrono>
#include <deque>
#include <vector>
#include "ref.h"
#include "Vfsh_array.h"

static const unsigned rows = 16, cols = 8, accs = 128;
static const unsigned loop = 6, settle = 32, latency = 4;

struct Blocks {
    ref::Block x[cols], w[rows];
};

class Bench
{
  public:
    explicit Bench(tb::Test &test)
        : test_(test), context_(test.context()), dut_(context_.get()),
          acc_(2 * accs * rows * cols, ref::nan_bits), last_(accs)
    {
        past_.resize(rows);
        dut_.step_valid_i = 0;
        dut_.rd_valid_i = 0;
        tb::reset(test_, dut_);
    }

    ~Bench()
    {
        dut_.final();
    }

    // `depth` steps on each of `used` accumulators, while `reads` of the other
    // bank are due (0: none). Returns when both are done.
    void tile(unsigned bank, unsigned used, unsigned depth, unsigned reads)
    {
        std::vector<unsigned> left(used, depth);
        tb::Stall steps(test_), drains(test_);
        unsigned mood = test_.below(4), todo = used * depth, read = 0;
        bool all = test_.below(2); // no gaps at all

        while (todo != 0 || read != reads) {
            int index = -1;
            if (todo != 0 && (all || steps.willing()))
                index = pick(left);
            if (index >= 0) {
                todo--;
                step(bank, (unsigned)index, left[(unsigned)index]-- == depth,
                     mood);
            }
            bool settled = test_.cycle >= settled_[!bank];
            if (read != reads && settled && (all || drains.willing()))
                drain(!bank, read++);
            edge();
        }
    }

    void finish(unsigned bank, unsigned reads)
    {
        tile(!bank, 0, 0, reads);
        while (!due_.empty())
            edge();
    }

    double speed(unsigned long cycles, bool busy)
    {
        std::vector<Blocks> some(64);
        for (auto &blocks : some)
            random(blocks, 0);
        auto start = std::chrono::steady_clock::now();
        for (unsigned long i = 0; i < cycles; i++) {
            Blocks &now = some[i % 64];
            dut_.step_valid_i = busy;
            dut_.step_first_i = i % 1024 < 64;
            dut_.step_bank_i = i / 1024 % 2;
            dut_.step_index_i = i % 64;
            for (unsigned c = 0; busy && c < cols; c++)
                put(dut_.x_i.m_storage, c, now.x[c]);
            for (unsigned r = 0; busy && r < rows; r++)
                put(dut_.w_i.m_storage, r, now.w[r]);
            dut_.clk_i = 1;
            dut_.eval();
            dut_.clk_i = 0;
            dut_.eval();
        }
        std::chrono::duration<double> took =
            std::chrono::steady_clock::now() - start;
        return (double)cycles / took.count();
    }

    unsigned long long checked = 0;

  private:
    struct Due {
        uint64_t cycle;
        std::vector<uint32_t> data;
    };

    // An accumulator with steps left, not used in the last loop cycles.
    int pick(const std::vector<unsigned> &left)
    {
        unsigned start = test_.below((unsigned)left.size());

        for (unsigned i = 0; i < left.size(); i++) {
            unsigned index = (start + i) % (unsigned)left.size();
            bool recent = false;
            for (auto &used : recent_)
                recent |=
                    used.first == index && test_.cycle - used.second < loop;
            if (left[index] != 0 && !recent)
                return (int)index;
        }
        return -1;
    }

    void random(Blocks &blocks, unsigned mood)
    {
        for (auto &block : blocks.x)
            ref::draw(test_, block, mood);
        for (auto &block : blocks.w)
            ref::draw(test_, block, mood);
    }

    void step(unsigned bank, unsigned index, bool first, unsigned mood)
    {
        Blocks &now = past_.front();

        random(now, mood);
        if (!first &&
            test_.below(4) == 0) { // takes off what the last one added
            now = last_[index];
            for (auto &block : now.x)
                for (auto &man : block.man)
                    man = (int8_t)-man;
        }
        last_[index] = now;
        dut_.step_valid_i = 1;
        dut_.step_first_i = first;
        dut_.step_bank_i = (uint8_t)bank;
        dut_.step_index_i = (uint8_t)index;
        recent_.push_back({index, test_.cycle});
        if (recent_.size() > loop)
            recent_.pop_front();
        settled_[bank] = test_.cycle + settle;
        uint32_t *acc = &acc_[(bank * accs + index) * rows * cols];
        for (unsigned c = 0; c < cols; c++) {
            for (unsigned r = 0; r < rows; r++, acc++)
                *acc = ref::add(first ? 0 : *acc, ref::dot(now.x[c], now.w[r]));
        }
    }

    void drain(unsigned bank, unsigned index)
    {
        uint32_t *acc = &acc_[(bank * accs + index) * rows * cols];

        dut_.rd_valid_i = 1;
        dut_.rd_bank_i = (uint8_t)bank;
        dut_.rd_index_i = (uint8_t)index;
        due_.push_back({test_.cycle + latency,
                        std::vector<uint32_t>(acc, acc + rows * cols)});
    }

    static void put(uint32_t *words, unsigned position, const ref::Block &block)
    {
        uint8_t *bytes = (uint8_t *)words + 17 * position;

        std::memcpy(bytes, block.man, 16);
        bytes[16] = block.exp;
    }

    void edge()
    {
        for (unsigned c = 0; c < cols; c++)
            put(dut_.x_i.m_storage, c, past_.front().x[c]);
        for (unsigned r = 0; r < rows; r++)
            put(dut_.w_i.m_storage, r, past_[r].w[r]);
        dut_.eval();
        bool now = !due_.empty() && due_.front().cycle == test_.cycle;
        if (dut_.rd_valid_o != now)
            test_.fail("rd_valid is %d", dut_.rd_valid_o);
        if (now) {
            compare(due_.front().data);
            due_.pop_front();
        }
        tb::edge(test_, dut_);
        dut_.step_valid_i = 0;
        dut_.rd_valid_i = 0;
        past_.pop_back();
        past_.emplace_front();
        random(past_.front(), 3); // nobody may look at it
    }

    void compare(const std::vector<uint32_t> &want)
    {
        for (unsigned i = 0; i < rows * cols; i++) {
            if (dut_.rd_data_o[i] != want[i])
                test_.fail("PE (%u,%u) gives %08x, not %08x", i % rows,
                           i / rows, dut_.rd_data_o[i], want[i]);
        }
        checked += rows * cols;
    }

    tb::Test &test_;
    std::unique_ptr<VerilatedContext> context_;
    Vfsh_array dut_;
    std::vector<uint32_t> acc_; // [bank][index][column][row]
    std::vector<Blocks> last_;  // of each accumulator
    std::deque<Blocks> past_;   // operands of this cycle and those before
    std::deque<std::pair<unsigned, uint64_t>> recent_;
    std::deque<Due> due_;
    uint64_t settled_[2] = {0, 0};
};

int main(int argc, char **argv)
{
    tb::Test test("tb_fsh_array", argc, argv);
    Bench bench(test);

    if (argc > 2) {
        unsigned long cycles = std::strtoul(argv[2], nullptr, 0);
        double idle = bench.speed(cycles, false);
        std::printf("idle %.0f, busy %.0f cycles/s\n", idle,
                    bench.speed(cycles, argc == 3));
        return 0;
    }
    unsigned before = 0;
    for (unsigned i = 0; i < 60; i++) {
        unsigned used = test.below(4) ? 1 + test.below(accs) : accs;
        bench.tile(i % 2, used, 1 + test.below(12), before);
        before = used;
    }
    bench.finish(1, before);
    return test.pass(bench.checked, "sums");
}
