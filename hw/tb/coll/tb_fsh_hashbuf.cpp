// SPDX-License-Identifier: BSD-3-Clause
// fsh_hashbuf against a map: random operations on a few keys and on many, until it is
// full and empty again; keys of real programs. The slot of a key never changes and nobody
// else has it; what is freed twice, or by an old generation, stays as it is. Both as it is
// by default and of the size of the paper (512 slots and a reserve). Prints how full it is
// when the table refuses a key, and when the reserve does, too.
#include <algorithm>
#include <map>
#include <vector>
#include "tb.h"
#include "Vfsh_hashbuf_small.h"
#include "Vfsh_hashbuf_paper.h"

namespace
{

enum Op { Look, Claim, Commit, Free };

struct Slot {
    bool used, whole;
    uint64_t key;
    unsigned gen;
};

template <class Model, unsigned buckets, unsigned reserves> class Bench
{
  public:
    static const unsigned table = buckets * 8, slots = table + reserves;

    explicit Bench(tb::Test &test)
        : test_(test), context_(test.context()), dut_(context_.get()),
          stall_(test), slot_(slots)
    {
        dut_.op_valid_i = 0;
        tb::reset(test_, dut_);
    }

    ~Bench()
    {
        dut_.final();
    }

    void look(uint64_t key)
    {
        issue(Look, key, false, 0, 0);
        auto it = of_.find(key);
        result(it != of_.end(), false);
        if (it != of_.end())
            same(it->second);
    }

    // True if the key has a slot.
    bool claim(uint64_t key, bool reserve)
    {
        issue(Claim, key, reserve, 0, 0);
        auto it = of_.find(key);
        if (it != of_.end()) {
            result(true, false);
            same(it->second);
            return true;
        }
        bool made = dut_.res_made_o;
        result(false, made);
        if (made)
            take(key, reserve);
        return made;
    }

    // Of a slot, with the generation it has or an older one.
    void change(Op op, unsigned slot, bool old)
    {
        Slot &s = slot_[slot];
        issue(op, 0, false, slot, s.gen - (unsigned)old);
        bool does = s.used && !old;
        if (dut_.kept_o != (does && op == Commit) ||
            dut_.gone_o != (does && op == Free && s.whole) ||
            dut_.stale_o != (!does && op == Commit))
            test_.fail("kept %d gone %d stale %d after operation %d",
                       dut_.kept_o, dut_.gone_o, dut_.stale_o, op);
        if (!does)
            return;
        if (op == Commit)
            s.whole = true;
        else {
            of_.erase(s.key);
            s.used = false;
            s.gen = (s.gen + 1) & 3;
        }
    }

    unsigned slot_of(uint64_t key)
    {
        return of_.at(key);
    }

    bool has(uint64_t key)
    {
        return of_.count(key) != 0;
    }

    size_t used()
    {
        return of_.size();
    }

    unsigned long long operations = 0;

  private:
    // One operation: cycles until it is taken, and those that it takes.
    void issue(Op op, uint64_t key, bool reserve, unsigned slot, unsigned gen)
    {
        while (!stall_.willing()) {
            quiet();
            tb::edge(test_, dut_);
        }
        dut_.op_valid_i = 1;
        dut_.op_i = op;
        dut_.op_key_i = key;
        dut_.op_reserve_i = reserve;
        dut_.op_slot_i = slot;
        dut_.op_gen_i = gen & 3;
        dut_.eval();
        if (!dut_.op_ready_o)
            test_.fail("not ready");
        tb::edge(test_, dut_);
        dut_.op_valid_i = 0;
        dut_.op_key_i = test_.bits() & ((1ull << 46) - 1);
        operations++;
        if (op == Commit || op == Free)
            return;
        if (dut_.kept_o || dut_.gone_o || dut_.stale_o)
            test_.fail("a look-up is counted");
        for (int i = 0; i < 4; i++) {
            quiet();
            tb::edge(test_, dut_);
        }
        if (!dut_.res_valid_o)
            test_.fail("no result after 4 cycles");
    }

    void quiet()
    {
        dut_.eval();
        if (dut_.res_valid_o)
            test_.fail("a result that nobody asked for");
    }

    void result(bool found, bool made)
    {
        if (dut_.res_found_o != found || dut_.res_made_o != made)
            test_.fail("found %d made %d, not %d %d", dut_.res_found_o,
                       dut_.res_made_o, found, made);
        answer_ = {dut_.res_slot_o, dut_.res_gen_o, dut_.res_whole_o != 0};
        tb::edge(test_, dut_);
        dut_.eval();
        if (dut_.used_o != of_.size()) // what was made counts in the next cycle
            test_.fail("%u slots used, not %zu", dut_.used_o, of_.size());
    }

    void same(unsigned slot)
    {
        const Slot &s = slot_[slot];
        if (answer_.slot != slot || answer_.gen != s.gen ||
            answer_.whole != s.whole)
            test_.fail("slot %u generation %u whole %d, not %u %u %d",
                       answer_.slot, answer_.gen, answer_.whole, slot, s.gen,
                       s.whole);
    }

    void take(uint64_t key, bool reserve)
    {
        Slot &s = slot_.at(answer_.slot);
        if (s.used)
            test_.fail("slot %u is in use", answer_.slot);
        if (answer_.slot >= table && !reserve)
            test_.fail("slot %u is of the reserve", answer_.slot);
        if (answer_.whole)
            test_.fail("slot %u is whole", answer_.slot);
        if (known_.count(answer_.slot) && answer_.gen != s.gen)
            test_.fail("generation %u, not %u", answer_.gen, s.gen);
        known_[answer_.slot] = true;
        s = {true, false, key, answer_.gen};
        of_[key] = answer_.slot;
    }

    struct Answer {
        unsigned slot, gen;
        bool whole;
    };

    tb::Test &test_;
    std::unique_ptr<VerilatedContext> context_;
    Model dut_;
    tb::Stall stall_;
    std::vector<Slot> slot_;
    std::map<uint64_t, unsigned> of_;
    std::map<unsigned, bool> known_;
    Answer answer_ = {};
};

// The key of a packet of a program.
uint64_t program_key(tb::Test &test, uint64_t jobs)
{
    uint64_t source = test.below(32), job = test.below((uint32_t)jobs);
    uint64_t vp = 3 + job % 4, seq = test.below(5), packet = test.below(32);

    return source << 40 | job << 32 | vp << 21 | seq << 13 | packet;
}

struct Filled {
    size_t table; // slots used when the table refuses a key
    size_t all;   // and when the reserve does, too
};

// Claims of new keys until they are refused; then of others until no slot is free.
template <class Bench> Filled fill(tb::Test &test, Bench &bench, uint64_t jobs)
{
    std::vector<uint64_t> keys;
    Filled used = {0, 0};

    for (bool reserve : {false, true}) {
        for (;;) {
            uint64_t key = program_key(test, jobs);
            if (bench.has(key))
                continue;
            if (!bench.claim(key, reserve))
                break;
            keys.push_back(key);
        }
        (reserve ? used.all : used.table) = bench.used();
    }
    for (int i = 0; bench.used() < bench.slots; i++) {
        uint64_t key = test.bits() >> 18;
        if (i == 100000)
            test.fail("no key finds the last slot");
        if (!bench.has(key) && bench.claim(key, true))
            keys.push_back(key);
    }
    if (bench.claim(1ull << 45, true))
        test.fail("more than all slots");
    for (uint64_t key : keys)
        bench.look(key);
    for (uint64_t key : keys)
        bench.change(Free, bench.slot_of(key), false);
    return used;
}

template <class Bench> void run(tb::Test &test, Bench &bench, int phases)
{
    const unsigned slots = bench.slots;

    for (int phase = 0; phase < phases; phase++) {
        uint64_t keys = 1 + test.below(4 * slots), base = test.bits() >> 18;
        uint32_t frees = test.below(5);
        bool real = test.below(2);
        for (unsigned i = 0; i < 30 * slots; i++) {
            uint64_t key = real ? program_key(test, 32)
                                : (base ^ test.below((uint32_t)keys));
            unsigned slot = test.below(slots);
            uint32_t what = test.below(8 + frees);
            if (what < 2)
                bench.look(key);
            else if (what < 7)
                bench.claim(key, test.below(4) == 0);
            else
                bench.change(what == 7 ? Commit : Free, slot,
                             test.below(8) == 0);
        }
    }
    for (unsigned i = 0; i < slots; i++)
        bench.change(Free, i, false);
    for (uint64_t jobs : {1, 8, 32}) {
        size_t least = slots, sum = 0, all = 0;
        for (int i = 0; i < 20; i++) {
            Filled used = fill(test, bench, jobs);
            least = std::min(least, used.table);
            sum += used.table;
            all += used.all;
        }
        std::printf("%2llu jobs: %zu of %u slots used when the table refuses "
                    "(least %zu); %zu of %u when the reserve does, too\n",
                    (unsigned long long)jobs, sum / 20, bench.table, least,
                    all / 20, slots);
    }
}

} // namespace

int main(int argc, char **argv)
{
    tb::Test test("tb_fsh_hashbuf", argc, argv);
    Bench<Vfsh_hashbuf_small, 8, 6> small(test);
    Bench<Vfsh_hashbuf_paper, 64, 48> paper(test);

    run(test, small, 60);
    run(test, paper, 10);
    return test.pass(small.operations + paper.operations, "operations");
}
