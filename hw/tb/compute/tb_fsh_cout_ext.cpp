// SPDX-License-Identifier: BSD-3-Clause
// fsh_cout_ext: the extents of each group, in order, and for each that is offered, on each
// lane, whether what was handed over before it is written. What is issued and done goes on
// while an extent waits, by any number of beats, of which 8 bits are told.
#include <deque>

#include "tb.h"
#include "Vfsh_cout_ext.h"

namespace
{

constexpr unsigned LANES = 4;
constexpr unsigned MOST_OPEN = 64; // beats of a lane that are not written, fsh_cwrite

struct Group {
    bool last, parity;
    unsigned rows;
    uint32_t stride, bytes, addr;
};

uint64_t field(const uint32_t *words, unsigned bit, unsigned width)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < width; i++)
        value |= (uint64_t)(words[(bit + i) / 32] >> (bit + i) % 32 & 1) << i;
    return value;
}

void set_field(uint32_t *words, unsigned bit, unsigned width, uint64_t value)
{
    for (unsigned i = 0; i < width; i++) {
        uint32_t mask = UINT32_C(1) << (bit + i) % 32;
        uint32_t &word = words[(bit + i) / 32];
        word = value >> i & 1 ? word | mask : word & ~mask;
    }
}

class Bench
{
  public:
    explicit Bench(tb::Test &test)
        : test_(test), context_(test.context()), dut_(context_.get()),
          ready_(test)
    {
        dut_.group_valid_i = 0;
        dut_.mark_i = 0;
        dut_.ext_ready_i = 0;
        tell();
        tb::reset(test_, dut_);
    }

    ~Bench()
    {
        dut_.final();
    }

    void step()
    {
        bool hold = hold_ > 0;
        if (hold)
            hold_--;
        else if (test_.below(2000) == 0)
            hold_ = 500 + test_.below(2000);
        offer_group();
        dut_.ext_ready_i = !hold && ready_.willing();
        mark();
        tell();
        dut_.eval();
        check();
        bool taken = dut_.group_valid_i && dut_.group_ready_o;
        bool next = all_marked() &&
                    (left_ == 0 || (left_ == 1 && dut_.ext_ready_i));
        if (dut_.ext_valid_o && dut_.ext_ready_i) {
            left_--;
            row_++;
            extents++;
        }
        if (next)
            take();
        for (unsigned l = 0; l < LANES; l++)
            marks_[l] += dut_.mark_i >> l & 1;
        if (taken) {
            waiting_.push_back(offered_);
            have_ = false;
        }
        tb::edge(test_, dut_);
        write();
    }

    uint64_t extents = 0;

  private:
    void offer_group()
    {
        if (!have_ && test_.below(4) == 0) {
            offered_ = {test_.below(2) != 0, test_.below(2) != 0,
                        1 + test_.below(8),  test_.below(1 << 20),
                        test_.below(1 << 14), (uint32_t)test_.bits()};
            have_ = true;
        }
        dut_.group_valid_i = have_;
        set_field(dut_.group_i.data(), 71, 1, offered_.last);
        set_field(dut_.group_i.data(), 70, 1, offered_.parity);
        set_field(dut_.group_i.data(), 66, 4, offered_.rows);
        set_field(dut_.group_i.data(), 46, 20, offered_.stride);
        set_field(dut_.group_i.data(), 32, 14, offered_.bytes);
        set_field(dut_.group_i.data(), 0, 32, offered_.addr);
    }

    // A lane has handed over its last beat of a group that is there.
    void mark()
    {
        dut_.mark_i = 0;
        for (unsigned l = 0; l < LANES; l++)
            if (marks_[l] < waiting_.size() && test_.below(4) == 0)
                dut_.mark_i |= 1u << l;
    }

    bool all_marked() const
    {
        for (unsigned l = 0; l < LANES; l++)
            if (marks_[l] == 0)
                return false;
        return true;
    }

    void take()
    {
        group_ = waiting_.front();
        waiting_.pop_front();
        left_ = group_.rows;
        row_ = 0;
        for (unsigned l = 0; l < LANES; l++) {
            marks_[l]--;
            before_[l] = issued_[l];
        }
    }

    void tell()
    {
        uint32_t issued = 0, done = 0;
        for (unsigned l = 0; l < LANES; l++) {
            issued |= (uint32_t)(issued_[l] & 0xff) << 8 * l;
            done |= (uint32_t)(done_[l] & 0xff) << 8 * l;
        }
        dut_.issued_i = issued;
        dut_.done_i = done;
    }

    // Beats of any groups go on.
    void write()
    {
        for (unsigned l = 0; l < LANES; l++) {
            if (done_[l] < issued_[l] && test_.below(2))
                done_[l]++;
            if (issued_[l] - done_[l] < MOST_OPEN && test_.below(2))
                issued_[l]++;
        }
    }

    void check()
    {
        const uint32_t *ext = dut_.ext_o.data();

        if (dut_.ext_valid_o != (left_ != 0))
            test_.fail("extent offered: %u, of %u", dut_.ext_valid_o, left_);
        if (left_ == 0)
            return;
        uint64_t addr =
            (uint64_t)(uint32_t)(group_.addr + row_ * group_.stride) << 6;
        if (field(ext, 0, 38) != addr || field(ext, 38, 24) != group_.bytes ||
            field(ext, 94, 1) != group_.parity ||
            field(ext, 95, 1) != (group_.last && left_ == 1))
            test_.fail("extent %u of %u is another", row_, group_.rows);
        for (unsigned l = 0; l < LANES; l++) {
            uint8_t passed = (uint8_t)(done_[l] - field(ext, 62 + 8 * l, 8));
            if ((passed < 128) != (done_[l] >= before_[l]))
                test_.fail("lane %u: written %llu of %llu, told otherwise", l,
                           (unsigned long long)done_[l],
                           (unsigned long long)before_[l]);
        }
    }

    tb::Test &test_;
    std::unique_ptr<VerilatedContext> context_;
    Vfsh_cout_ext dut_;
    tb::Stall ready_;
    std::deque<Group> waiting_;
    Group offered_ = {}, group_ = {};
    bool have_ = false;
    unsigned hold_ = 0, left_ = 0, row_ = 0;
    size_t marks_[LANES] = {};
    uint64_t issued_[LANES] = {}, done_[LANES] = {}, before_[LANES] = {};
};

} // namespace

int main(int argc, char **argv)
{
    tb::Test test("tb_fsh_cout_ext", argc, argv);
    Bench bench(test);

    for (unsigned i = 0; i < 200000; i++)
        bench.step();
    return test.pass(bench.extents, "extents");
}
