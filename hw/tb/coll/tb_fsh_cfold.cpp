// SPDX-License-Identifier: BSD-3-Clause
// fsh_cfold against src/coll/fold, bit by bit: every type and operation that it has, lines
// of hard numbers (every kind of pair of floating-point numbers, neighbours, signs) in runs
// of random length, random stalls. Then without stalls: a line of FP32 a cycle, any other
// in four.
#include <array>
#include <cstring>
#include "stream.h"
#include "Vfsh_cfold.h"
extern "C" {
#include "coll/fold/fold.h"
}

namespace
{

struct Line {
    unsigned type, op;
    uint8_t side;
    std::array<uint32_t, 16> a, b;
};

struct Out {
    std::array<uint32_t, 16> data;
    uint8_t side;
    bool operator!=(const Out &o) const
    {
        return data != o.data || side != o.side;
    }
};

// Operations of the logic.
const unsigned ops[] = {FSH_FOLD_SUM, FSH_FOLD_MIN, FSH_FOLD_MAX,
                        FSH_FOLD_AND, FSH_FOLD_OR,  FSH_FOLD_XOR};

// A number of a kind that matters; width 32 or 64, of it `man` bits of mantissa.
uint64_t value(tb::Test &test, unsigned width, unsigned man)
{
    unsigned exps = width - 1 - man;
    uint64_t top = (1ull << exps) - 1, bits = test.bits();
    uint64_t frac = bits & ((1ull << man) - 1), sign = bits >> 63;
    uint64_t exp = test.bits() & top;

    switch (test.below(10)) {
    case 0:
        exp = 0; // subnormals, zeros
        break;
    case 1:
        exp = top; // Inf, NaN
        break;
    case 2:
        exp = test.below(4);
        break;
    case 3:
        exp = top - 1 - test.below(3);
        break;
    case 4:
    case 5:
        exp = top / 2 + test.below(man + 6);
        break;
    default:
        break;
    }
    switch (test.below(8)) {
    case 0:
        frac = 0;
        break;
    case 1:
        frac = (1ull << man) - 1;
        break;
    case 2:
        frac = 1ull << test.below(man);
        break;
    case 3:
        frac &= ~0ull << test.below(man);
        break;
    default:
        break;
    }
    return (sign << exps | exp) << man | frac;
}

// The other operand: often near the first one, which cancels.
uint64_t other(tb::Test &test, unsigned width, unsigned man, uint64_t a)
{
    uint64_t sign = 1ull << (width - 1), far = test.below(4);

    switch (test.below(6)) {
    case 0:
        return a ^ (test.bits() & sign);
    case 1:
        return (a + far) ^ (test.bits() & sign);
    case 2:
        return ((a - far) ^ (test.bits() & sign));
    case 3: // some exponents apart
        return (a + ((uint64_t)test.below(4) << man)) ^ (test.bits() & sign);
    default:
        return value(test, width, man);
    }
}

bool is_wide(unsigned type)
{
    return type == FSH_FOLD_INT64 || type == FSH_FOLD_UINT64 ||
           type == FSH_FOLD_DOUBLE;
}

Line make(tb::Test &test, unsigned type, unsigned op)
{
    Line line = {type, op, (uint8_t)test.below(2), {}, {}};
    unsigned width = is_wide(type) ? 64 : 32, man = is_wide(type) ? 52 : 23;

    for (unsigned i = 0; i < 16; i += width / 32) {
        uint64_t a = value(test, width, man), b = other(test, width, man, a);
        if (test.below(2))
            std::swap(a, b);
        std::memcpy(&line.a[i], &a, width / 8);
        std::memcpy(&line.b[i], &b, width / 8);
    }
    return line;
}

class Bench
{
  public:
    explicit Bench(tb::Test &test)
        : test_(test), context_(test.context()), dut_(context_.get()),
          feed_(test), sink_(test, "out")
    {
        dut_.valid_i = 0;
        dut_.ready_i = 0;
        tb::reset(test_, dut_);
    }

    ~Bench()
    {
        dut_.final();
    }

    void push(const Line &line)
    {
        Out want = {{}, line.side};
        size_t size = fsh_fold_size(line.type, line.op);

        fsh_fold_function(line.type, line.op, FSH_ISA_PORTABLE)(
            want.data.data(), line.a.data(), line.b.data(), 64 / size);
        feed_.waiting.push_back(line);
        want_.push_back({line, want});
    }

    void cycle()
    {
        bool offer = feed_.offer();
        dut_.valid_i = offer;
        if (offer) {
            const Line &line = feed_.front();
            dut_.type_i = line.type;
            dut_.op_i = line.op;
            dut_.side_i = line.side;
            for (int i = 0; i < 16; i++) {
                dut_.a_i[i] = line.a[i];
                dut_.b_i[i] = line.b[i];
            }
        }
        dut_.ready_i = sink_.ready();
        dut_.eval();
        Out out = {{}, dut_.side_o};
        for (int i = 0; i < 16; i++)
            out.data[i] = dut_.out_o[i];
        bool taken = offer && dut_.ready_o;
        if (sink_.take(dut_.valid_o, out))
            check(out);
        tb::edge(test_, dut_);
        if (taken)
            feed_.taken();
    }

    void drain()
    {
        test_.until(
            "the last line", 100000, [&] { return want_.empty(); },
            [&] { cycle(); });
    }

    // Cycles that so many lines of a kind take without stalls.
    void pace(unsigned type, unsigned op, uint64_t each)
    {
        const uint64_t lines = 400;
        uint64_t from, took, first;

        drain();
        feed_.hurry = sink_.hurry = true;
        for (uint64_t i = 0; i < lines; i++)
            push(make(test_, type, op));
        from = test_.cycle;
        test_.until(
            "the first line", 100, [&] { return want_.size() < lines; },
            [&] { cycle(); });
        first = test_.cycle - from - 1;
        drain();
        took = test_.cycle - from;
        if (took != first + 1 + each * (lines - 1))
            test_.fail("type %u op %u: %llu lines in %llu cycles", type, op,
                       (unsigned long long)lines, (unsigned long long)took);
        std::printf("type %u op %u: latency %llu, %llu cycles a line\n", type,
                    op, (unsigned long long)first, (unsigned long long)each);
        feed_.hurry = sink_.hurry = false;
    }

    unsigned long long lines = 0;

  private:
    struct Want {
        Line line;
        Out out;
    };

    void check(const Out &out)
    {
        if (want_.empty())
            test_.fail("a line that nobody gave");
        const Want &want = want_.front();
        for (int i = 0; i < 16; i++)
            if (out.data[i] != want.out.data[i])
                test_.fail("type %u op %u word %d: %08x, %08x is %08x, "
                           "not %08x (words before: %08x, %08x)",
                           want.line.type, want.line.op, i, want.line.a[i],
                           want.line.b[i], out.data[i], want.out.data[i],
                           want.line.a[i ^ 1], want.line.b[i ^ 1]);
        if (out.side != want.out.side)
            test_.fail("side is %d", out.side);
        want_.pop_front();
        lines++;
    }

    tb::Test &test_;
    std::unique_ptr<VerilatedContext> context_;
    Vfsh_cfold dut_;
    tb::Feed<Line> feed_;
    tb::Sink<Out> sink_;
    std::deque<Want> want_;
};

} // namespace

int main(int argc, char **argv)
{
    tb::Test test("tb_fsh_cfold", argc, argv);
    Bench bench(test);

    for (int run = 0; run < 3000; run++) {
        unsigned type = test.below(FSH_FOLD_TYPES), op = ops[test.below(6)];
        if (fsh_fold_size(type, op) == 0)
            continue;
        for (uint32_t n = 1 + test.below(40); n > 0; n--)
            bench.push(make(test, type, op));
        if (test.below(4) == 0)
            bench.drain();
    }
    bench.drain();
    bench.pace(FSH_FOLD_FLOAT, FSH_FOLD_SUM, 1);
    bench.pace(FSH_FOLD_FLOAT, FSH_FOLD_MAX, 1);
    bench.pace(FSH_FOLD_DOUBLE, FSH_FOLD_SUM, 4);
    bench.pace(FSH_FOLD_INT64, FSH_FOLD_MIN, 4);
    return test.pass(bench.lines, "lines");
}
