// SPDX-License-Identifier: BSD-3-Clause
// fsh_served against a list of the GETs that it holds: of two lengths, given whenever there
// is room, taken by a scheduler that has a context for long ones now and then. Each comes
// out once, those of a length no longer than a packet in the order in which they came, and
// all in order while there are contexts for long ones; without, what is short stands in
// front after as many cycles as there are GETs.
#include <deque>
#include <memory>
#include "get.h"
#include "Vfsh_served.h"

static const unsigned DEPTH = 32, PACKET = 1024;

struct Held {
    uint64_t id; // in its raddr
    bool is_long;
};

class Bench
{
  public:
    explicit Bench(tb::Test &test)
        : test_(test), context_(test.context()), dut_(context_.get()),
          gives_(test), takes_(test)
    {
        dut_.node_i = 3;
        dut_.packet_i = PACKET;
        dut_.ports_i = 3;
        dut_.valid_i = dut_.get_ready_i = dut_.sink_i = 0;
        dut_.route_i = 0;
        dut_.long_ok_i = 1;
        tb::reset(test_, dut_);
    }

    ~Bench()
    {
        dut_.final();
    }

    void cycle()
    {
        // Contexts for long ones come and go; for a while there is always one.
        if (test_.below(32) == 0)
            dut_.long_ok_i = test_.cycle / 4096 % 4 == 0 || test_.below(3) == 0;
        give();
        dut_.get_ready_i = 0;
        dut_.eval();
        Get front = load_get(dut_.get_o);
        bool is_long = front[2] & GET_BULK;
        bool may = dut_.get_valid_o && (!is_long || dut_.long_ok_i);
        late_ = may || !any_short() ? 0 : late_ + 1;
        // A cycle of each in front, those in which others come, two to get there.
        if (late_ > 2 * (DEPTH + 2))
            test_.fail("nothing short is in front after %u cycles", late_);
        if (dut_.get_valid_o && held_.empty())
            test_.fail("a GET that was not given");
        rotated_ |= !dut_.long_ok_i;
        dut_.get_ready_i = may && takes_.willing();
        dut_.eval();
        if (dut_.get_ready_i)
            taken(front, is_long);
        tb::edge(test_, dut_);
        dut_.eval();
    }

    unsigned long long short_first = 0; // past long ones

  private:
    bool any_short() const
    {
        for (const Held &h : held_)
            if (!h.is_long)
                return true;
        return false;
    }

    void give()
    {
        Beat header = {}, arg = {};

        dut_.valid_i = held_.size() < DEPTH && gives_.willing();
        if (!dut_.valid_i)
            return;
        bool is_long = test_.below(2);
        uint64_t total = is_long ? PACKET + 1 + test_.below(100000)
                                 : test_.below(PACKET + 1);
        fsh_hdr_set_total(header.data(), total);
        fsh_hdr_set_src(header.data(), test_.below(8));
        fsh_getarg_set_addr(arg.data(), next_);
        store(dut_.hdr_i, header);
        store(dut_.arg_i, arg);
        held_.push_back({next_++, is_long});
    }

    void taken(const Get &get, bool is_long)
    {
        uint64_t id = get[0] >> 24 & ((UINT64_C(1) << 40) - 1);
        bool passed = false;

        for (size_t i = 0; i < held_.size(); i++) {
            if (held_[i].id != id) {
                if (held_[i].is_long == is_long && !is_long)
                    test_.fail("%llu before %llu, both short",
                               (unsigned long long)id,
                               (unsigned long long)held_[i].id);
                passed |= held_[i].is_long && !is_long;
                continue;
            }
            if (held_[i].is_long != is_long)
                test_.fail("%llu has changed its kind", (unsigned long long)id);
            if (i != 0 && !rotated_)
                test_.fail("%llu is not the first", (unsigned long long)id);
            held_.erase(held_.begin() + (long)i);
            rotated_ &= !held_.empty();
            short_first += passed;
            return;
        }
        test_.fail("%llu is not there", (unsigned long long)id);
    }

    tb::Test &test_;
    std::unique_ptr<VerilatedContext> context_;
    Vfsh_served dut_;
    tb::Stall gives_, takes_;
    std::deque<Held> held_;
    uint64_t next_ = 1;
    unsigned late_ = 0;
    bool rotated_ = false; // the order may have changed since it was empty
};

int main(int argc, char **argv)
{
    tb::Test test("tb_fsh_served", argc, argv);
    Bench bench(test);

    for (unsigned i = 0; i < 400000; i++)
        bench.cycle();
    return test.pass(bench.short_first, "GETs that passed longer ones");
}
