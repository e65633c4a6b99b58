// SPDX-License-Identifier: BSD-3-Clause
// fsh_contexts against a list of the messages that it holds, with six ports: commands
// of all kinds while there is a context for them, credits and room that come and go. A
// command takes the lowest context, one that asks for order the last, which no long
// message gets. Of contexts whose next packet can leave the one goes first whose last one is
// longest ago; one that finds the room gone in the cycle after keeps its place. Ports of
// those that have room take turns: of a long message all before one has its second
// packet, of any other one for all packets. A port stalls for its credit and nothing
// else.
#include <algorithm>
#include <memory>
#include <numeric>
#include <vector>
#include "effect.h"
#include "Vfsh_contexts.h"

static const unsigned PORTS = 6, CONTEXTS = 8, N = 2 * CONTEXTS;
static const unsigned LANES = FSH_LANES;

struct Context {
    bool active, loop, bulk, memory, brief;
    unsigned ports, left, vcs, packets;
};

class Bench
{
  public:
    explicit Bench(tb::Test &test)
        : test_(test), context_(test.context()), dut_(context_.get()),
          pick_(test), loads_(test), order_(N)
    {
        std::iota(order_.begin(), order_.end(), 0u);
        dut_.load_i = dut_.take_i = dut_.more_i = dut_.free_i = 0;
        tb::reset(test_, dut_);
    }

    ~Bench()
    {
        dut_.final();
    }

    void cycle(unsigned chance)
    {
        // Each credit is there in so many of eight cycles.
        dut_.link_ok_i = 0;
        for (unsigned i = 0; i < 4 * PORTS; i++)
            dut_.link_ok_i |= (test_.below(8) < chance) << i;
        dut_.queue_ok_i = 0;
        for (unsigned i = 0; i < 4 * PORTS; i++)
            dut_.queue_ok_i |= (test_.below(8) < chance) << i;
        dut_.loop_ok_i = (uint8_t)test_.below(4);
        dut_.brief_room_i = (uint8_t)(test_.below(4) ? 3 : test_.below(4));
        dut_.memory_room_i = (uint8_t)(test_.below(4) ? 3 : test_.below(4));
        dut_.load_i = dut_.take_i = dut_.more_i = dut_.free_i = 0;
        dut_.load_memory_i =
            late_ < N ? at_[late_].memory : (uint8_t)test_.below(2);
        dut_.load_short_i =
            late_ < N ? at_[late_].brief : (uint8_t)test_.below(2);
        dut_.eval();
        look();
        if (state_ != Issue && loads_.willing())
            load();
        step();
        tb::edge(test_, dut_);
        commit();
        dut_.eval();
    }

    unsigned long long packets = 0;

  private:
    enum State { Pick, Prepare, Issue };

    bool credit(unsigned i, unsigned p) const
    {
        const Context &c = at_[i];
        unsigned reply = i / CONTEXTS;

        if (c.loop)
            return dut_.loop_ok_i >> reply & 1;
        if (memory_[i])
            return dut_.queue_ok_i >> (4 * p + 2 * reply + !short_[i]) & 1;
        return dut_.link_ok_i >> (4 * p + 2 * reply + (c.vcs >> p & 1)) & 1;
    }

    // Ports by which its next packet can leave.
    unsigned open(unsigned i) const
    {
        unsigned ports = 0;
        unsigned room = memory_[i] ? dut_.memory_room_i : dut_.brief_room_i;

        for (unsigned p = 0; p < PORTS; p++)
            if (credit(i, p) && room >> p % LANES & 1)
                ports |= 1u << p;
        return at_[i].active ? ports & at_[i].left : 0;
    }

    void look()
    {
        unsigned stall = 0, busy = 0, can = 0;

        for (unsigned i = 0; i < N; i++) {
            busy |= at_[i].active;
            can |= (open(i) != 0) << i;
            for (unsigned p = 0; p < PORTS; p++)
                if (at_[i].active && !at_[i].loop && !credit(i, p))
                    stall |= at_[i].left & 1u << p;
        }
        if (dut_.stall_o != stall || dut_.busy_o != busy ||
            dut_.want_o != (can != 0))
            test_.fail("stall %x, busy %u, want %u, not %x, %u, %u",
                       dut_.stall_o, dut_.busy_o, dut_.want_o, stall, busy,
                       can);
        if (dut_.want_o && dut_.next_index_o != first(can))
            test_.fail("context %u is next, not %u of %x", dut_.next_index_o,
                       first(can), can);
        if (dut_.free_req_o != free(0) || dut_.free_rep_o != free(1))
            test_.fail("free are %x and %x, not %x and %x", dut_.free_req_o,
                       dut_.free_rep_o, free(0), free(1));
    }

    // The one whose last packet that had room is longest ago.
    unsigned first(unsigned can) const
    {
        unsigned i = 0;

        while (!(can >> order_[i] & 1))
            i++;
        return order_[i];
    }

    // Ordered, bulk, brief.
    unsigned free(unsigned reply) const
    {
        const Context *c = at_ + reply * CONTEXTS;
        bool last = !c[CONTEXTS - 1].active, others = false;

        for (unsigned i = 0; i + 1 < CONTEXTS; i++)
            others |= !c[i].active;
        return last << 2 | others << 1 | (others || last);
    }

    void load()
    {
        unsigned reply = test_.below(2), kind = test_.below(3);
        if (!(free(reply) >> kind & 1))
            return;
        Context c = {true,
                     test_.below(6) == 0,
                     kind == 1,
                     kind == 1 || test_.below(3) == 0,
                     kind != 1 && test_.below(2),
                     0,
                     0,
                     0,
                     1};
        c.ports = 1 + test_.below((1u << PORTS) - 1);
        if (kind == 2)
            c.ports &= 0 - c.ports;
        if (c.loop)
            c.ports = 1;
        c.left = c.ports;
        c.vcs = test_.below(1u << PORTS);
        c.packets = c.bulk ? 2 + test_.below(20) : 1 + test_.below(3);
        unsigned i = reply * CONTEXTS + (kind == 2 ? CONTEXTS - 1 : 0);
        while (at_[i].active)
            i++;
        dut_.load_i = 1;
        dut_.load_reply_i = reply;
        dut_.load_ordered_i = kind == 2;
        dut_.load_loop_i = c.loop;
        dut_.load_bulk_i = c.bulk;
        dut_.load_ports_i = (uint8_t)c.ports;
        dut_.load_vcs_i = (uint8_t)c.vcs;
        dut_.eval();
        if (dut_.load_index_o != i)
            test_.fail("a command takes context %u, not %u", dut_.load_index_o,
                       i);
        loaded_ = c;
        to_ = i;
    }

    // What the sequencer does.
    void step()
    {
        Context &c = at_[now_];

        if (state_ == Pick) {
            dut_.take_i = dut_.want_o && pick_.willing();
            picked_ = dut_.next_index_o;
            next_ = dut_.take_i ? Prepare : Pick;
        } else if (state_ == Prepare) {
            unsigned ports = open(now_);
            if (dut_.ok_o != (ports != 0))
                test_.fail("ok is %u with ports %x", dut_.ok_o, ports);
            if (ports)
                port_ = 1u << turn_.next(ports);
            if (ports && dut_.port_o != port_)
                test_.fail("port %x, not %x of %x", dut_.port_o, port_, ports);
            if (ports)
                passes_ = now_;
            next_ = ports ? Issue : Pick;
        } else {
            (c.packets > 1 ? dut_.more_i : dut_.free_i) = 1;
            dut_.port_q_i = (uint8_t)port_;
            dut_.ports_i = (uint8_t)c.ports;
            next_ = Pick;
        }
        dut_.eval();
    }

    void commit()
    {
        if (dut_.take_i)
            now_ = picked_;
        if (passes_ < N) {
            order_.erase(std::find(order_.begin(), order_.end(), passes_));
            order_.push_back(passes_);
        }
        passes_ = N;
        if (state_ == Issue)
            issued(at_[now_]);
        state_ = next_;
        if (late_ < N) {
            memory_[late_] = at_[late_].memory;
            short_[late_] = at_[late_].brief;
        }
        late_ = N;
        if (dut_.load_i) {
            at_[to_] = loaded_;
            late_ = to_;
        }
    }

    void issued(Context &c)
    {
        packets++;
        if (--c.packets == 0)
            c.active = false;
        c.left = c.bulk ? c.left & ~port_ : port_;
        if (c.left == 0)
            c.left = c.ports;
    }

    tb::Test &test_;
    std::unique_ptr<VerilatedContext> context_;
    Vfsh_contexts dut_;
    tb::Stall pick_, loads_;
    Context at_[N] = {}, loaded_ = {};
    bool memory_[N] = {}, short_[N] = {}; // known a cycle after the load,
    unsigned late_ = N;                   // of this context
    State state_ = Pick, next_ = Pick;
    unsigned now_ = 0, picked_ = 0, to_ = 0, port_ = 0;
    std::vector<unsigned> order_; // of turns
    unsigned passes_ = N;         // goes to its end, from the next cycle on
    Turn turn_;
};

int main(int argc, char **argv)
{
    tb::Test test("tb_fsh_contexts", argc, argv);
    Bench bench(test);

    for (unsigned i = 0; i < 300000; i++)
        bench.cycle(i / 1000 % 8 + 1);
    return test.pass(bench.packets, "packets");
}
