// SPDX-License-Identifier: BSD-3-Clause
// A compute core by itself: memory behind its four masters, the node's side of
// the compute port, commands and the C model (src/compute/kernel) beside it.
#ifndef FSH_TB_COMPUTE_BED_H
#define FSH_TB_COMPUTE_BED_H

#include <array>
#include <cstring>
#include <deque>
#include <map>
#include <vector>
#include "core_dut.h"
#include "tb.h"
#include "base/fsh_spec.h"

namespace bed
{

constexpr uint64_t SEG_BASE = 0x10000;
constexpr unsigned LANES = 4;
constexpr unsigned HOLD = 64; // cycles

struct Command {
    uint64_t word[16] = {};

    uint32_t bytes() const
    {
        return sizeof word;
    }
};

// A PUT that the core asked for.
struct Put {
    unsigned dst, tag;
    uint64_t laddr, raddr;
    uint32_t length;
    std::vector<uint8_t> data; // when it was asked for
};

class Bed
{
  public:
    Bed(tb::Test &test, size_t bytes, bool stalls)
        : test_(test), context_(test.context()), dut_(context_.get()),
          mem(bytes), rest_mode(test.below(2) ? Rest::Sleep : Rest::Watch),
          stalls_(stalls)
    {
        for (unsigned i = 0; i < 3 * LANES; i++)
            stall_.emplace_back(test);
        for (unsigned i = 0; i < 2; i++)
            port_stall_.emplace_back(test);
        clear();
        dut_.node_i = 0;
        dut_.seg_base_i = SEG_BASE;
        dut_.seg_size_i = bytes;
        dut_.settle();
        tb::reset(test_, dut_);
        dut_.settle();
    }

    ~Bed()
    {
        dut_.final();
    }

    // A list of commands stands at `at` (bytes); give it to a queue.
    void run(uint32_t at, unsigned count, unsigned queue)
    {
        dut_.run_valid_i = 1;
        dut_.run_queue_i = queue & 1;
        dut_.run_count_i = (uint8_t)count;
        dut_.run_addr_i = at / 64;
        step();
        dut_.run_valid_i = 0;
    }

    void signal(unsigned event, unsigned increment)
    {
        dut_.sig_valid_i = 1;
        dut_.sig_event_i = event & 63;
        dut_.sig_inc_i = (uint8_t)increment;
        step();
        dut_.sig_valid_i = 0;
    }

    // Until so many COMPLETE messages came in all; the cycle of the last.
    uint64_t wait(size_t count, uint64_t limit)
    {
        uint64_t from = test_.cycle;

        while (complete.size() < count) {
            step();
            if (test_.cycle - from > limit)
                test_.fail("%zu of %zu commands complete after %llu cycles",
                           complete.size(), count, (unsigned long long)limit);
        }
        return test_.cycle;
    }

    // A counter of the core, FSH_CPERF_.
    uint64_t counter(unsigned word)
    {
        dut_.cperf_read_i = 1;
        dut_.cperf_word_i = word & 15;
        step();
        dut_.cperf_read_i = 0;
        for (unsigned i = 0; !dut_.cperf_valid_o; i++) {
            if (i > 4)
                test_.fail("counter %u: no answer", word);
            step();
        }
        return dut_.cperf_data_o;
    }

    void clear_counters()
    {
        dut_.cperf_clear_i = 1;
        step();
        dut_.cperf_clear_i = 0;
    }

    // Until the core is at rest, and all answers are given.
    void rest(uint64_t limit)
    {
        uint64_t from = test_.cycle;

        while (!quiet()) {
            step();
            if (test_.cycle - from > limit)
                test_.fail("not at rest after %llu cycles",
                           (unsigned long long)limit);
        }
        hold();
    }

    // One cycle: inputs, what they agree on with the outputs, the edge. A core at
    // rest is, in one test, looked at whether it stays so; in another it is not
    // clocked, as the simulator does.
    void step()
    {
        if (rest_mode == Rest::Watch && quiet() && !told() &&
            test_.below(4) == 0)
            hold();
        drive();
        if (rest_mode == Rest::Sleep && quiet() && !told()) {
            test_.cycle++;
            slept++;
            return;
        }
        dut_.settle();
        for (unsigned l = 0; l < LANES; l++)
            lane(l);
        if (dut_.ccmd_valid_o && dut_.ccmd_ready_i)
            take();
        tb::edge(test_, dut_);
    }

    // Says it is at rest, and asks for nothing.
    bool quiet()
    {
        return dut_.idle_o && !dut_.ccmd_valid_o && !dut_.m_arvalid_o &&
               !dut_.m_awvalid_o && !dut_.m_wvalid_o;
    }

    // Something comes in.
    bool told() const
    {
        return dut_.run_valid_i || dut_.sig_valid_i || dut_.ack_valid_i ||
               dut_.cperf_clear_i || dut_.cperf_read_i || dut_.m_rvalid_i ||
               dut_.m_bvalid_i;
    }

    // As long as its inputs rest, nothing changes.
    void hold()
    {
        clear();
        dut_.settle();
        const std::vector<uint8_t> before = outputs();
        for (unsigned i = 0; i < HOLD; i++) {
            tb::edge(test_, dut_);
            if (outputs() != before)
                test_.fail("an output changes %u cycles after the core was at "
                           "rest",
                           i + 1);
        }
    }

    void put(uint32_t at, const void *data, size_t bytes)
    {
        std::memcpy(&mem[at], data, bytes);
    }

    tb::Test &test_;

  private:
    std::unique_ptr<VerilatedContext> context_;

  public:
    CoreDut dut_;
    std::vector<uint8_t> mem; // the segment
    std::map<unsigned, std::vector<uint8_t>> remote;
    std::deque<Put> puts;
    std::vector<std::array<unsigned, 3>> complete; // node, cookie, status
    unsigned latency = 40; // of reads and write responses
    unsigned put_cycles = 100;
    unsigned put_status = 0;
    bool anywhere = false; // PUTs beyond the segment are taken, and not done
    // What is done with a core at rest: it is clocked, watched whether it stays
    // at rest, or not clocked, as by the simulator.
    enum class Rest { Clock, Watch, Sleep } rest_mode;
    uint64_t slept = 0;

  private:
    template <class T>
    static void append(std::vector<uint8_t> &to, const T &value)
    {
        const uint8_t *at = reinterpret_cast<const uint8_t *>(&value);

        to.insert(to.end(), at, at + sizeof value);
    }

    std::vector<uint8_t> outputs()
    {
        std::vector<uint8_t> all;

        append(all, dut_.idle_o);
        append(all, dut_.run_room_o);
        append(all, dut_.ccmd_valid_o);
        append(all, dut_.ccmd_o);
        append(all, dut_.m_arvalid_o);
        append(all, dut_.m_araddr_o);
        append(all, dut_.m_awvalid_o);
        append(all, dut_.m_awaddr_o);
        append(all, dut_.m_wvalid_o);
        append(all, dut_.m_wdata_o);
        append(all, dut_.m_wstrb_o);
        return all;
    }

    void clear()
    {
        dut_.run_valid_i = 0;
        dut_.sig_valid_i = 0;
        dut_.ack_valid_i = 0;
        dut_.cperf_clear_i = dut_.cperf_read_i = 0;
        dut_.ccmd_ready_i = 0;
        dut_.m_awready_i = dut_.m_wready_i = dut_.m_arready_i = 0;
        dut_.m_bvalid_i = dut_.m_rvalid_i = 0;
        dut_.m_berr_i = dut_.m_rerr_i = 0;
    }

    template <class T> static void bit(T &bits, unsigned at, bool value)
    {
        bits = (T)((bits & ~(T)(1u << at)) | (T)((T)value << at));
    }

    uint64_t address(const WData *words, unsigned l) const
    {
        uint64_t value = 0;

        for (unsigned i = 0; i < 40; i++)
            value |=
                (uint64_t)(words[(l * 40 + i) / 32] >> ((l * 40 + i) % 32) & 1)
                << i;
        return value;
    }

    bool willing(unsigned i)
    {
        return !stalls_ || stall_[i].willing();
    }

    uint8_t *at(uint64_t addr)
    {
        if (addr % 64 || addr < SEG_BASE || addr - SEG_BASE + 64 > mem.size())
            test_.fail("address 0x%llx", (unsigned long long)addr);
        return &mem[addr - SEG_BASE];
    }

    void lane(unsigned l)
    {
        uint64_t now = test_.cycle;

        if (dut_.m_arready_i >> l & 1 && dut_.m_arvalid_o >> l & 1)
            reads_[l].push_back({now + latency, address(dut_.m_araddr_o, l)});
        if (dut_.m_awready_i >> l & 1 && dut_.m_awvalid_o >> l & 1)
            aws_[l].push_back(address(dut_.m_awaddr_o, l));
        if (dut_.m_wready_i >> l & 1 && dut_.m_wvalid_o >> l & 1) {
            Beat beat;
            std::memcpy(beat.data, &dut_.m_wdata_o[l * 16], 64);
            beat.strb = (uint64_t)dut_.m_wstrb_o[l * 2 + 1] << 32 |
                        dut_.m_wstrb_o[l * 2];
            ws_[l].push_back(beat);
        }
        while (!aws_[l].empty() && !ws_[l].empty()) {
            uint8_t *to = at(aws_[l].front());
            for (unsigned i = 0; i < 64; i++)
                if (ws_[l].front().strb >> i & 1)
                    to[i] = ws_[l].front().data[i];
            aws_[l].pop_front();
            ws_[l].pop_front();
            answers_[l].push_back(now + latency);
        }
    }

    // Inputs of this cycle.
    void drive()
    {
        uint64_t now = test_.cycle;

        dut_.cycle_i = now;
        for (unsigned l = 0; l < LANES; l++) {
            bool r =
                !reads_[l].empty() && reads_[l].front().at <= now && willing(l);
            bool b = !answers_[l].empty() && answers_[l].front() <= now;

            bit(dut_.m_rvalid_i, l, r);
            if (r) {
                std::memcpy(&dut_.m_rdata_i[l * 16], at(reads_[l].front().addr),
                            64);
                reads_[l].pop_front();
            }
            bit(dut_.m_bvalid_i, l, b);
            if (b)
                answers_[l].pop_front();
            bit(dut_.m_arready_i, l, willing(l) && reads_[l].size() < 200);
            bit(dut_.m_awready_i, l, willing(LANES + l));
            bit(dut_.m_wready_i, l, willing(2 * LANES + l));
        }
        dut_.ack_valid_i = 0;
        if (!acks_.empty() && acks_.front().at <= now) {
            dut_.ack_valid_i = 1;
            dut_.ack_tag_i = acks_.front().tag & 15;
            dut_.ack_status_i = put_status & 15;
            acks_.pop_front();
        }
        dut_.ccmd_ready_i = !stalls_ || port_stall_[0].willing();
    }

    void take()
    {
        uint64_t w[FSH_ECMD_WORDS];
        Put put;

        std::memcpy(w, &dut_.ccmd_o[0], sizeof w);
        put.length = (uint32_t)fsh_ecmd_length(w);
        put.raddr = fsh_ecmd_raddr(w);
        put.laddr = fsh_ecmd_laddr(w);
        put.tag = (unsigned)fsh_ecmd_tag(w);
        put.dst = (unsigned)fsh_ecmd_dst(w);
        if (fsh_ecmd_kind(w) == FSH_EKIND_MESSAGE) {
            take_message(put);
        } else if (fsh_ecmd_kind(w) != FSH_EKIND_PUT) {
            test_.fail("a command of kind %u", (unsigned)fsh_ecmd_kind(w));
        } else {
            std::vector<uint8_t> &to = remote[put.dst];
            to.resize(mem.size());
            bool inside = put.laddr + put.length <= mem.size() &&
                          put.raddr + put.length <= mem.size();
            if (!inside && !anywhere)
                test_.fail("PUT of %u bytes", put.length);
            if (inside)
                std::memcpy(&to[put.raddr], &mem[put.laddr], put.length);
            acks_.push_back({test_.cycle + put_cycles, put.tag});
            puts.push_back(put);
        }
    }

    // No command here asks for a signal (tb_fsh_results has those), so the core
    // sends nothing but COMPLETE.
    void take_message(const Put &put)
    {
        const uint64_t *w = &put.laddr;

        if (put.raddr || put.length || fsh_ccomplete_op(w) != FSH_CMSG_COMPLETE)
            test_.fail("a message to node %u with argument %llx", put.dst,
                       (unsigned long long)put.laddr);
        complete.push_back({put.dst, (unsigned)fsh_ccomplete_cookie(w),
                            (unsigned)fsh_ccomplete_status(w)});
    }

    struct Read {
        uint64_t at, addr;
    };
    struct Ack {
        uint64_t at;
        unsigned tag;
    };
    struct Beat {
        uint8_t data[64];
        uint64_t strb;
    };
    bool stalls_;
    std::vector<tb::Stall> stall_, port_stall_;
    std::deque<Read> reads_[LANES];
    std::deque<uint64_t> aws_[LANES], answers_[LANES];
    std::deque<Beat> ws_[LANES];
    std::deque<Ack> acks_;
};

} // namespace bed

#endif
