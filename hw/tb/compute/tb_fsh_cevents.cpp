// SPDX-License-Identifier: BSD-3-Clause
// fsh_cevents beyond what a command can wait for at once: what pends is counted
// to the unit past 2^16, and at EVENT_FULL a counter stands still, from where it
// counts on as soon as some is taken off. As conduit smp (tests/unit/smp_compute_queue.c,
// events_many). Waiters and signals at random: tb_fsh_queues.
#include "fsh_spec.h"
#include "tb.h"
#include "Vfsh_cevents.h"

class Bench
{
  public:
    explicit Bench(tb::Test &test)
        : test_(test), context_(test.context()), dut_(context_.get())
    {
        dut_.sig_valid_i = dut_.wait_valid_i = 0;
        tb::reset(test_, dut_);
    }

    ~Bench()
    {
        dut_.final();
    }

    void add(unsigned event, uint64_t count)
    {
        while (count > 0) {
            unsigned inc = count < 255 ? (unsigned)count : 255;

            dut_.sig_valid_i = 1;
            dut_.sig_event_i = event;
            dut_.sig_inc_i = inc;
            tb::edge(test_, dut_);
            count -= inc;
            signals++;
        }
        dut_.sig_valid_i = 0;
    }

    // A waiter is granted so many, or after 20 cycles not.
    bool take(unsigned event, unsigned count)
    {
        unsigned who = test_.below(2);
        bool granted = false;

        dut_.wait_valid_i = 1u << who;
        dut_.wait_event_i = event << 6 * who;
        dut_.wait_count_i = count << 16 * who;
        for (int i = 0; i < 20 && !granted; i++) {
            tb::edge(test_, dut_);
            granted = dut_.wait_grant_o >> who & 1;
        }
        // Lowered in the cycle after the pulse, for one at least.
        dut_.wait_valid_i = 0;
        for (int i = 0; i < 4; i++)
            tb::edge(test_, dut_);
        return granted;
    }

    void expect(unsigned event, unsigned count, bool granted)
    {
        if (take(event, count) != granted)
            test_.fail("event %u: %u are %s", event, count,
                       granted ? "not granted" : "granted");
    }

    // Take off all of so many, and find no more.
    void drain(unsigned event, uint64_t count)
    {
        for (; count > 65535; count -= 65535)
            expect(event, 65535, true);
        if (count > 0)
            expect(event, (unsigned)count, true);
        expect(event, 1, false);
    }

    unsigned long long signals = 0;

  private:
    tb::Test &test_;
    std::unique_ptr<VerilatedContext> context_;
    Vfsh_cevents dut_;
};

int main(int argc, char **argv)
{
    tb::Test test("tb_fsh_cevents", argc, argv);
    Bench bench(test);

    bench.add(5, 65536);
    bench.drain(5, 65536);
    bench.add(5, 200000);
    bench.add(6, 3);
    bench.drain(5, 200000);
    bench.drain(6, 3);

    // Up to the end: 2^31 / 255 signals, and the ones that do not count.
    bench.add(7, FSH_EVENT_FULL - 1);
    bench.add(7, 255); // the last that counts
    bench.add(7, 255 * 3);
    bench.expect(7, 255, true);
    bench.add(7, 1); // of FULL - 1 to FULL
    bench.add(7, 1);
    bench.drain(7, FSH_EVENT_FULL);
    return test.pass(bench.signals, "signals");
}
