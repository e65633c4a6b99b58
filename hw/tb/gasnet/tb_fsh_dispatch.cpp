// SPDX-License-Identifier: BSD-3-Clause
// fsh_dispatch and fsh_csink against a list of what a COMPUTE message may ask: right
// ones and wrong ones, between GETs, at both receivers. Each is acted on once, in the
// order of its receiver, by a pulse, an entry, or not at all; who wants an answer
// gets one with the right status; what is neither acted on nor a GET is counted
// as refused. GETs pass in the same cycle; nothing waits but for the scheduler
// and, COMPLETE, for the host writer.
#include <algorithm>
#include <memory>
#include "get.h"
#include "stream.h"
#include "Vtb_fsh_dispatch.h"

static const unsigned PATIENCE = 2; // cycles until a message is dealt with
static const unsigned DRAIN = 3000;
static const unsigned ENOUGH = 500; // of each effect and each status

struct Message {
    bool compute, flag;
    unsigned dst;
    uint64_t args; // of a COMPUTE message, 64 bits
    Get rest;      // of a GET

    // As fsh_fn_pkg::get_t.
    Get pack() const
    {
        if (!compute)
            return {rest[0], rest[1], rest[2] & (GET_FLAG | GET_BULK)};
        uint64_t raddr = args & 0xff'ffff'ffff, laddr = args >> 40;
        uint64_t path = rest[1] >> 52;
        return {raddr << 24 | (rest[0] & 0xffffff),
                laddr | (rest[1] & 0x3f) << 40 | (uint64_t)dst << 46 |
                    path << 52,
                (uint64_t)(GET_SINK | flag * GET_FLAG)};
    }
};

// What is to be seen of one in the cycle after it is dealt with.
struct Act {
    int run = -1, signal = -1; // their fields, in one
    uint32_t addr = 0;
    bool entry = false, refused = false;
    unsigned status = FSH_STATUS_UNSUPPORTED;
    Beat line = {};
};

class Bench
{
  public:
    explicit Bench(tb::Test &test)
        : test_(test), context_(test.context()),
          dut_(context_.get()), feeds_{tb::Feed<Message>(test),
                                       tb::Feed<Message>(test)},
          scheduler_(test), entries_(test, "entry"), rooms_(test)
    {
    }

    ~Bench()
    {
        dut_.final();
    }

    void round(unsigned cycles, bool present)
    {
        dut_.compute_present_i = present;
        dut_.get_valid_i = 0;
        dut_.get_ready_i = 0;
        tb::reset(test_, dut_);
        for (unsigned i = 0; i < cycles; i++) {
            for (auto &feed : feeds_)
                if (feed.waiting.size() < 3)
                    feed.waiting.push_back(random_message());
            cycle();
        }
        for (unsigned i = 0; left(); i++) {
            if (i == DRAIN)
                test_.fail("messages that nobody deals with");
            cycle();
        }
        cycle();
        if (dut_.busy_o || !lines_.empty())
            test_.fail("busy, or %zu entries do not come", lines_.size());
    }

    // Each kind of effect and each status of an answer must have come up.
    void covered() const
    {
        static const unsigned statuses[] = {FSH_STATUS_OK, FSH_STATUS_BUSY,
                                            FSH_STATUS_UNSUPPORTED};

        if (seen_[0] < ENOUGH || seen_[1] < ENOUGH || seen_[2] < ENOUGH)
            test_.fail("%llu RUN, %llu SIGNAL, %llu COMPLETE", seen_[0],
                       seen_[1], seen_[2]);
        for (unsigned status : statuses)
            if (answers_[status] < ENOUGH)
                test_.fail("%llu answers with status %u", answers_[status],
                           status);
    }

    unsigned long long answered = 0;

  private:
    Message random_message()
    {
        Message m = {};
        Beat args = {};
        uint64_t *w = args.data();

        m.rest = {test_.bits(), test_.bits(), test_.bits()};
        m.compute = test_.below(4);
        m.flag = test_.below(2);
        m.dst = test_.below(FSH_MAX_NODES);
        switch (test_.below(3)) {
        case 0:
            fsh_crun_set_op(w, FSH_CMSG_RUN);
            fsh_crun_set_count(w, test_.below(8) ? test_.below(256) : 0);
            fsh_crun_set_mover(w, test_.below(2));
            fsh_crun_set_addr(w, test_.bits());
            break;
        case 1:
            fsh_csignal_set_op(w, FSH_CMSG_SIGNAL);
            fsh_csignal_set_counter(w, test_.below(FSH_NUM_EVENTS));
            fsh_csignal_set_increment(w, test_.below(256));
            break;
        default:
            fsh_ccomplete_set_op(w, FSH_CMSG_COMPLETE);
            fsh_ccomplete_set_cookie(w, test_.below(2048));
            fsh_ccomplete_set_status(w, test_.below(16));
        }
        if (test_.below(10) == 0) // no such operation
            w[0] = (w[0] & ~15ull) | (FSH_CMSG_COUNT + test_.below(13));
        m.args = w[0];
        return m;
    }

    // The model.
    Act act(const Message &m, unsigned room) const
    {
        const uint64_t *w = &m.args;
        unsigned op = (unsigned)fsh_crun_op(w);
        bool here = dut_.compute_present_i;
        Act a;

        if (op == FSH_CMSG_RUN && m.flag && here && fsh_crun_count(w)) {
            a.status = FSH_STATUS_BUSY;
            if (room >> fsh_crun_mover(w) & 1) {
                a.status = FSH_STATUS_OK;
                a.run = (int)(fsh_crun_mover(w) << 8 | fsh_crun_count(w));
                a.addr = (uint32_t)fsh_crun_addr(w);
            }
        } else if (op == FSH_CMSG_SIGNAL && here) {
            a.status = FSH_STATUS_OK;
            a.signal =
                (int)(fsh_csignal_counter(w) << 8 | fsh_csignal_increment(w));
        } else if (op == FSH_CMSG_COMPLETE && !m.flag) {
            a.entry = true;
            fsh_ring_set_kind(a.line.data(), FSH_CPL_TAGGED);
            fsh_ring_set_opcode(a.line.data(), FSH_OP_COMPUTE);
            fsh_ring_set_status(a.line.data(), fsh_ccomplete_status(w));
            fsh_ring_set_node(a.line.data(), m.dst);
            fsh_ring_set_tag(a.line.data(), fsh_ccomplete_cookie(w));
        }
        a.refused = a.run < 0 && a.signal < 0 && !a.entry;
        return a;
    }

    void cycle()
    {
        unsigned room = dut_.run_room_i; // in the last cycle

        drive();
        answers(room);
        schedule();
        pulses();
        Beat line = load(dut_.entry_o);
        if (entries_.take(dut_.entry_valid_o, line)) {
            if (lines_.empty() || lines_.front() != line)
                test_.fail("an entry %016llx that is not next",
                           (unsigned long long)line[0]);
            lines_.pop_front();
        }
        was_refused_ = dut_.perf_refused_o;
        pops();
        tb::edge(test_, dut_);
    }

    void drive()
    {
        dut_.get_valid_i = 0;
        dut_.get_ready_i = 0;
        for (unsigned p = 0; p < 2; p++) {
            bool offers = feeds_[p].offer();
            Get get = {test_.bits(), test_.bits(), test_.below(8)};
            if (offers)
                get = feeds_[p].front().pack();
            dut_.get_valid_i |= (uint8_t)(offers << p);
            store_get(p ? dut_.get1_i : dut_.get0_i, get);
        }
        dut_.run_room_i =
            (uint8_t)((rooms_.willing() ? 1 : 0) | (test_.below(2) ? 2 : 0));
        dut_.entry_ready_i = entries_.ready();
        dut_.eval();
    }

    // Answers that are offered since this cycle: their messages were dealt
    // with in the last.
    void answers(unsigned room)
    {
        for (unsigned p = 0; p < 2; p++) {
            bool offered = dut_.get_valid_o >> p & 1;
            bool in = dut_.get_valid_i >> p & 1;
            if (!in) {
                if (offered)
                    test_.fail("an answer to nothing");
                continue;
            }
            const Message &m = feeds_[p].front();
            unsigned status = dut_.get_status_o >> 4 * p & 15;
            if (!m.compute && (!offered || status != FSH_STATUS_OK))
                test_.fail("a GET does not pass, or with status %u", status);
            if (!m.compute)
                continue;
            if (offered && !told_[p]) {
                if (!m.flag || taken_)
                    test_.fail("an answer that nobody wants, or two acts");
                taken_ = true;
                now_ = act(m, room);
                told_[p] = true;
                status_[p] = now_.status;
            }
            if (told_[p] && (!offered || status != status_[p]))
                test_.fail("an answer is withdrawn, or %u, not %u", status,
                           status_[p]);
        }
    }

    // The scheduler takes one, or none, of what is offered.
    void schedule()
    {
        unsigned offered = dut_.get_valid_o;
        unsigned one = offered & (1u << test_.below(2));

        if (!one)
            one = offered & (0 - offered);
        dut_.get_ready_i = scheduler_.willing() ? (uint8_t)one : 0;
        dut_.eval();
    }

    // What is to be seen of the message dealt with in the last cycle.
    void pulses()
    {
        int run = -1, signal = -1;

        if (dut_.run_valid_o)
            run = dut_.run_queue_o << 8 | dut_.run_count_o;
        if (dut_.sig_valid_o)
            signal = dut_.sig_counter_o << 8 | dut_.sig_inc_o;
        if (run != now_.run || signal != now_.signal ||
            (run >= 0 && dut_.run_addr_o != now_.addr))
            test_.fail("run %d, signal %d, not %d, %d", run, signal, now_.run,
                       now_.signal);
        if (was_refused_ != (taken_ && now_.refused))
            test_.fail("refused is %d, not %d", was_refused_, now_.refused);
        if (now_.entry) {
            if (!lines_.empty())
                test_.fail("two entries at once");
            lines_.push_back(now_.line);
        }
        if ((run >= 0 || signal >= 0 || !lines_.empty()) && !dut_.busy_o)
            test_.fail("not busy");
        seen_[0] += run >= 0;
        seen_[1] += signal >= 0;
        seen_[2] += now_.entry;
        taken_ = false;
        now_ = Act();
    }

    void pops()
    {
        for (unsigned p = 0; p < 2; p++) {
            if (!(dut_.get_valid_i >> p & 1))
                continue;
            const Message &m = feeds_[p].front();
            bool popped = dut_.get_ready_o >> p & 1;
            if ((!m.compute || m.flag) && popped != (dut_.get_ready_i >> p & 1))
                test_.fail("a GET or an answer leaves, not taken");
            bool entry = (m.args & 15) == FSH_CMSG_COMPLETE;
            bool waits = m.compute && !told_[p] && !popped && !entry;
            waited_[p] = waits ? waited_[p] + 1 : 0;
            if (waited_[p] > PATIENCE)
                test_.fail("a message waits for nothing");
            if (!popped)
                continue;
            if (m.compute && !m.flag) {
                if (taken_)
                    test_.fail("two dealt with at once");
                taken_ = true;
                now_ = act(m, dut_.run_room_i);
            }
            if (m.compute && m.flag) {
                answered++;
                answers_[status_[p]]++;
            }
            told_[p] = false;
            feeds_[p].taken();
        }
    }

    bool left() const
    {
        return !feeds_[0].waiting.empty() || !feeds_[1].waiting.empty() ||
               !lines_.empty() || taken_;
    }

    tb::Test &test_;
    std::unique_ptr<VerilatedContext> context_;
    Vtb_fsh_dispatch dut_;
    tb::Feed<Message> feeds_[2];
    tb::Stall scheduler_;
    tb::Sink<Beat> entries_;
    tb::Stall rooms_;
    Act now_;            // of the message dealt with in the last cycle,
    bool taken_ = false; // if there was one
    bool told_[2] = {}, was_refused_ = false;
    unsigned status_[2] = {}, waited_[2] = {};
    std::deque<Beat> lines_;
    unsigned long long seen_[3] = {};     // RUN, SIGNAL, COMPLETE acted on
    unsigned long long answers_[16] = {}; // by status
};

int main(int argc, char **argv)
{
    tb::Test test("tb_fsh_dispatch", argc, argv);
    Bench bench(test);

    for (unsigned i = 0; i < 6; i++)
        bench.round(60000, i % 3 != 2);
    bench.covered();
    return test.pass(bench.answered, "answers");
}
