// SPDX-License-Identifier: BSD-3-Clause
// fsh_cout, fsh_cwrite and fsh_art together, against a model of the array's
// drain port, of memory, and of the node: random commands (GEMM, CONV, ENCODE,
// SEND, NOP; ragged, accumulate, bias, ReLU), every handshake stalled at random.
//  - Memory bit for bit, every value written as often as the commands say.
//  - The reads of C and bias, the PUTs, the SIGNALs and COMPLETEs are exactly
//    those of the model, each stream in order.
//  - No PUT before its bytes are written, no SIGNAL or COMPLETE before all is
//    written and acknowledged; COMPLETE has the status of what failed.
//  - While busy_o is low the clock is withheld: nothing may get lost by it.
//  - A PUT does not wait for what comes after it.
//  - Without stalls, a tile of 128 x 128 at one quad a cycle.
#include "results.h"
#include "results_memory.h"
#include "Vtb_fsh_results.h"

using results::Answer;
using results::Command;
using results::Delay;
using results::Lane;
using results::Write;

static const unsigned drain_cycles = 4; // parameter DRAIN

struct Mode {
    bool stalls, errors, sleep;
    unsigned latency; // of memory, at least
    unsigned gap;     // between two tiles, at least
};

class Bench
{
  public:
    Bench(tb::Test &test, results::Plan &plan, Mode mode)
        : test_(test), plan_(plan), mode_(mode), context_(test.context()),
          dut_(context_.get()), memory_(plan.key)
    {
        for (int i = 0; i < 16; i++)
            stalls_.push_back(tb::Stall(test));
        for (auto &c : plan_.commands)
            queue_[c->mover].push_back(c.get());
        for (auto &[addr, list] : plan_.owners)
            owners_[addr] = list;
        dut_.node_i = (uint8_t)plan.node.node;
        dut_.seg_base_i = plan.node.seg_base;
        dut_.seg_size_i = plan.node.seg_size;
        dut_.tile_valid_i = dut_.rsp_valid_i = dut_.rd_valid_i = 0;
        dut_.m_bvalid_i = dut_.exp_valid_i = dut_.emt_valid_i = 0;
        dut_.cfg_valid_i = dut_.ack_valid_i = 0;
        tb::reset(test_, dut_);
    }

    ~Bench()
    {
        dut_.final();
    }

    void run()
    {
        uint64_t quiet = test_.cycle;

        while (!over()) {
            cycle();
            if (moved_)
                quiet = test_.cycle;
            if (test_.cycle - quiet > 20000)
                test_.fail("nothing moves");
        }
        for (int i = 0; i < 200; i++)
            cycle();
        finish();
    }

    uint64_t tile_taken = 0, last_write = 0, put_delay = 0, slept = 0;

  private:
    bool willing(int what)
    {
        return !mode_.stalls || stalls_[(size_t)what].willing();
    }

    bool over()
    {
        for (auto &c : plan_.commands)
            if (!c->over)
                return false;
        for (Lane &lane : lanes_)
            if (lane.open)
                return false;
        return true;
    }

    uint64_t soon()
    {
        return test_.cycle + mode_.latency +
               (mode_.stalls ? test_.below(test_.below(8) ? 30 : 300) : 0);
    }

    void cycle()
    {
        moved_ = false;
        drive_configurations();
        drive_tile();
        drive_array();
        drive_memory();
        drive_operand();
        drive_node();
        dut_.eval();
        if (!dut_.busy_o && mode_.sleep) {
            asleep();
            test_.cycle++;
            slept++;
            return;
        }
        look_configurations();
        look_tile();
        look_array();
        look_reads();
        look_writes();
        look_operand();
        look_node();
        tb::edge(test_, dut_);
        withdraw();
        look_open();
    }

    // What was taken at the edge.
    void withdraw()
    {
        dut_.cfg_valid_i &= (uint8_t)~taken_cfg_;
        dut_.tile_valid_i &= !taken_tile_;
        dut_.exp_valid_i &= !taken_exp_;
        dut_.emt_valid_i &= !taken_emt_;
        taken_cfg_ = 0;
        taken_tile_ = taken_exp_ = taken_emt_ = false;
    }

    // What hands something over must not sleep.
    void asleep()
    {
        bool taken = (dut_.cfg_valid_i & dut_.cfg_ready_o) ||
                     (dut_.tile_valid_i && dut_.tile_ready_o) ||
                     dut_.rd_valid_o || dut_.rsp_valid_i || dut_.rd_valid_i ||
                     dut_.m_bvalid_i || dut_.ack_valid_i ||
                     (dut_.m_awvalid_o & dut_.m_awready_i) ||
                     (dut_.m_wvalid_o & dut_.m_wready_i) ||
                     (dut_.exp_valid_i && dut_.exp_ready_o) ||
                     (dut_.emt_valid_i && dut_.emt_ready_o) ||
                     (dut_.ccmd_valid_o && dut_.ccmd_ready_i) ||
                     (dut_.req_valid_o && dut_.req_ready_i);
        if (taken)
            test_.fail("busy_o is low while something is handed over");
    }

    // Commands.
    void drive_configurations()
    {
        for (int c = 0; c < 2; c++) {
            if (queue_[c].empty())
                dut_.cfg_valid_i &= (uint8_t) ~(1 << c);
            else if (!(dut_.cfg_valid_i >> c & 1) && willing(c))
                offer(c, *queue_[c].front());
        }
    }

    void offer(int context, Command &c)
    {
        uint32_t *words =
            context ? dut_.cfg_mover_i.data() : dut_.cfg_array_i.data();

        for (int w = 0; w < FSH_CCMD_WORDS; w++) {
            words[2 * w] = (uint32_t)c.words[w];
            words[2 * w + 1] = (uint32_t)(c.words[w] >> 32);
        }
        dut_.cfg_valid_i |= (uint8_t)(1 << context);
        set(dut_.cfg_parity_i, context, 1, c.parity);
        set(dut_.cfg_status_i, context, 4, c.status);
    }

    template <class T> void set(T &port, int index, int width, unsigned value)
    {
        unsigned mask = ((1u << width) - 1) << index * width;
        port = (T)((port & ~mask) | value << index * width);
    }

    void look_configurations()
    {
        for (int c = 0; c < 2; c++) {
            if (!(dut_.cfg_valid_i & dut_.cfg_ready_o & 1 << c))
                continue;
            Command *command = queue_[c].front();
            queue_[c].pop_front();
            command->started = true;
            slots_[2 * c + (int)command->parity] = command;
            taken_cfg_ |= (uint8_t)(1 << c);
            if (command->emitted.size())
                emitting_.push_back(command);
            opening_ |= 1u << (2 * c + (int)command->parity);
            moved_ = true;
        }
    }

    // A command is over when its slot is closed.
    void look_open()
    {
        for (unsigned s = 0; s < 4; s++) {
            bool open = dut_.open_o >> s & 1;
            if (opening_ >> s & 1) {
                if (!open)
                    test_.fail("slot %u did not open", s);
                opening_ &= ~(1u << s);
            } else if (slots_[s] && !open) {
                Command &c = *slots_[s];
                check_over(c);
                c.over = true;
                slots_[s] = nullptr;
            } else if (!slots_[s] && open) {
                test_.fail("slot %u opens by itself", s);
            }
        }
    }

    void check_over(Command &c)
    {
        if (c.tiles_left || c.beats_left || c.puts_left || c.unacked)
            test_.fail("command %u ends with %u tiles, %u beats, %u PUTs, "
                       "%u acks missing",
                       c.id, c.tiles_left, c.beats_left, c.puts_left,
                       c.unacked);
    }

    // Tiles, by turns in the two banks.
    void drive_tile()
    {
        if (dut_.tile_valid_i || plan_.tiles.empty())
            return;
        const results::Tile &t = plan_.tiles.front();
        Command &c = *t.command;
        if (!c.started || offered_ - drained_ >= 2 || !willing(2))
            return;
        if (test_.cycle < next_tile_)
            return;
        next_tile_ = test_.cycle + mode_.gap;
        unsigned bank = offered_ & 1;
        banks_[bank] = t;
        full_[bank] = true;
        offered_++;
        dut_.tile_valid_i = 1;
        dut_.first_i = t.first;
        dut_.last_i = t.last;
        dut_.parity_i = (uint8_t)c.parity;
        dut_.bank_i = (uint8_t)bank;
        dut_.conv_i = c.conv;
        dut_.accumulate_i = c.accumulate;
        dut_.bias_i = c.bias;
        dut_.relu_i = c.relu;
        dut_.x_groups_i = (uint8_t)t.x_groups;
        dut_.w_groups_i = (uint8_t)t.w_groups;
        dut_.row_i = t.row;
        dut_.w_group_i = t.w_group;
        dut_.c_addr_i = c.c_addr;
        dut_.b_addr_i = c.b_addr;
        dut_.out_plane_i = c.out_plane;
        dut_.ldc_i = c.ldc;
        dut_.m_i = c.m;
        dut_.n_i = c.n;
        dut_.out_w_i = (uint16_t)c.out_w;
    }

    void look_tile()
    {
        if (dut_.tile_done_o) {
            unsigned bank = drained_++ & 1;
            if (!full_[bank])
                test_.fail("bank %u is done twice", bank);
            full_[bank] = false;
            banks_[bank].command->tiles_left--;
            moved_ = true;
        }
        if (dut_.tile_valid_i && dut_.tile_ready_o) {
            plan_.tiles.pop_front();
            taken_tile_ = true;
            tile_taken = test_.cycle;
        }
    }

    void drive_array()
    {
        bool out = pipe_valid_ >> (drain_cycles - 1) & 1;

        dut_.rd_valid_i = out;
        if (out) {
            for (unsigned i = 0; i < 128; i++)
                dut_.rd_data_i[i] = pipe_.front()[i];
            pipe_.pop_front();
        }
    }

    void look_array()
    {
        pipe_valid_ = pipe_valid_ << 1 | dut_.rd_valid_o;
        if (!dut_.rd_valid_o)
            return;
        const results::Tile &t = banks_[dut_.rd_bank_o];
        if (!full_[dut_.rd_bank_o])
            test_.fail("bank %u is read after tile_done_o", dut_.rd_bank_o);
        std::array<uint32_t, 128> data;
        for (unsigned c = 0; c < 8; c++)
            for (unsigned r = 0; r < 16; r++)
                data[c * 16 + r] = plan_.value(t, dut_.rd_index_o, c, r);
        pipe_.push_back(data);
    }

    // Reads.
    void look_reads()
    {
        if (!dut_.req_valid_o || !dut_.req_ready_i)
            return;
        if (plan_.reads.empty())
            test_.fail("a read of %u too many", dut_.req_addr_o);
        Answer a = {plan_.reads.front(), {}, 0};
        plan_.reads.pop_front();
        bool lone = a.read.mask == 1;
        if (dut_.req_addr_o != a.read.addr || dut_.req_mask_o != a.read.mask ||
            (!lone && dut_.req_stride_o != a.read.stride))
            test_.fail("read of %u + %u, lanes %x, not of %u + %u, %x",
                       dut_.req_addr_o, dut_.req_stride_o, dut_.req_mask_o,
                       a.read.addr, a.read.stride, a.read.mask);
        for (unsigned l = 0; l < 4; l++)
            if (a.read.mask >> l & 1)
                load(a, l);
        answers_.push(a, soon());
        moved_ = true;
    }

    void load(Answer &a, unsigned lane)
    {
        uint32_t addr = a.read.addr + lane * a.read.stride;

        if ((uint64_t)addr * 64 >= plan_.node.seg_size) {
            a.error |= 1;
            addr = 0;
        }
        if (mode_.errors && test_.below(200) == 0) {
            a.error |= 2;
            a.read.command->errors.insert(status_memory);
        }
        a.data[lane] = memory_.at(addr);
    }

    void drive_memory()
    {
        dut_.req_ready_i = willing(3);
        dut_.rsp_valid_i = answers_.due(test_.cycle) && willing(4);
        if (dut_.rsp_valid_i) {
            Answer &a = answers_.front();
            for (int l = 0; l < 4; l++)
                for (int i = 0; i < 16; i++)
                    dut_.rsp_data_i[l * 16 + i] = a.data[l][(size_t)i];
            dut_.rsp_err_i = (uint8_t)a.error;
            answers_.pop();
        }
        dut_.m_awready_i = dut_.m_wready_i = dut_.m_bvalid_i = 0;
        for (int l = 0; l < 4; l++) {
            dut_.m_awready_i |= (uint8_t)(willing(5 + l) << l);
            dut_.m_wready_i |= (uint8_t)(willing(5 + l) << l);
            set(dut_.m_berr_i, l, 1, 0);
            if (lanes_[l].writes.due(test_.cycle))
                respond(l);
        }
    }

    // Now it stands in memory.
    void respond(int l)
    {
        Write &w = lanes_[l].writes.front();
        auto owner = owners_.find(w.addr);

        if (owner == owners_.end() || owner->second.empty())
            test_.fail("a write to %u too many", w.addr);
        Command &c = *owner->second.front();
        owner->second.pop_front();
        c.beats_left--;
        for (unsigned i = 0; i < 16; i++)
            if (w.strobes >> i & 1) {
                memory_.at(w.addr)[i] = w.data[i];
                memory_.times(w.addr)[i]++;
            }
        if (mode_.errors && test_.below(300) == 0) {
            set(dut_.m_berr_i, l, 1, 1);
            c.errors.insert(status_memory);
        }
        dut_.m_bvalid_i |= (uint8_t)(1 << l);
        last_write = written_[w.addr] = test_.cycle;
        lanes_[l].writes.pop();
        lanes_[l].open--;
        moved_ = true;
    }

    void look_writes()
    {
        for (int l = 0; l < 4; l++) {
            Lane &lane = lanes_[l];
            if (dut_.m_awvalid_o & dut_.m_awready_i & 1 << l)
                take_address(lane, l);
            if (dut_.m_wvalid_o & dut_.m_wready_i & 1 << l)
                take_data(lane, l);
            if (lane.addrs.size() > 1 || lane.datas.size() > 1)
                test_.fail("AW and W of lane %d are two apart", l);
            if (lane.addrs.empty() || lane.datas.empty())
                continue;
            Write w = lane.datas.front();
            w.addr = lane.addrs.front();
            lane.addrs.pop_front();
            lane.datas.pop_front();
            lane.writes.push(w, soon());
            if (++lane.open > 64)
                test_.fail("more than 64 writes of lane %d", l);
        }
    }

    void take_address(Lane &lane, int l)
    {
        uint64_t addr = 0;

        for (int bit = 0; bit < 40; bit++)
            addr |= (uint64_t)(dut_.m_awaddr_o[(l * 40 + bit) / 32] >>
                                   (l * 40 + bit) % 32 &
                               1)
                    << bit;
        addr -= plan_.node.seg_base;
        if (addr % 64 || addr >= plan_.node.seg_size)
            test_.fail("write to %llx", (unsigned long long)addr);
        lane.addrs.push_back((uint32_t)(addr / 64));
    }

    void take_data(Lane &lane, int l)
    {
        Write w = {};

        for (int i = 0; i < 16; i++) {
            unsigned four = dut_.m_wstrb_o[l * 2 + i / 8] >> i % 8 * 4 & 15;
            if (four != 0 && four != 15)
                test_.fail("half a value is written");
            w.strobes |= (four & 1) << i;
            w.data[(size_t)i] = dut_.m_wdata_o[l * 16 + i];
        }
        lane.datas.push_back(w);
    }

    // The encoded operand: beats of an extent, then the extent.
    void drive_operand()
    {
        if (emt_wait_ && --emt_wait_ == 0 && emitting_.size()) {
            Command &c = *emitting_.front();
            const results::Extent &e = c.emitted[extent_];
            dut_.emt_valid_i = 1;
            dut_.emt_last_i = extent_ + 1 == c.emitted.size();
            dut_.emt_parity_i = (uint8_t)c.parity;
            dut_.emt_issued_i = dut_.issued_o;
            dut_.emt_addr_i = e.addr;
            dut_.emt_bytes_i = (uint32_t)e.bytes;
        }
        if (dut_.exp_valid_i || dut_.emt_valid_i || emt_wait_ ||
            emitting_.empty() || !willing(9))
            return;
        Command &c = *emitting_.front();
        uint32_t addr = (uint32_t)(c.emitted[extent_].addr / 64) + beat_;
        dut_.exp_valid_i = 1;
        dut_.exp_cmd_i = (uint8_t)c.parity;
        dut_.exp_addr_i = addr;
        for (unsigned i = 0; i < 16; i++)
            dut_.exp_data_i[i] =
                (uint32_t)results::mix(plan_.key ^ (addr * 16ull + i));
    }

    void look_operand()
    {
        if (dut_.exp_valid_i && dut_.exp_ready_o) {
            Command &c = *emitting_.front();
            taken_exp_ = true;
            if (++beat_ * 64 == c.emitted[extent_].bytes)
                emt_wait_ = 1;
        }
        if (dut_.emt_valid_i && dut_.emt_ready_o) {
            taken_emt_ = true;
            beat_ = 0;
            if (++extent_ == emitting_.front()->emitted.size()) {
                extent_ = 0;
                emitting_.pop_front();
            }
        }
    }

    // The node.
    void drive_node()
    {
        dut_.ccmd_ready_i = willing(10);
        dut_.ack_valid_i = 0;
        if (flying_.empty() || !willing(11))
            return;
        size_t at = test_.below((uint32_t)flying_.size());
        Flight f = flying_[at];
        if (f.due > test_.cycle)
            return;
        flying_.erase(flying_.begin() + (long)at);
        dut_.ack_valid_i = 1;
        dut_.ack_tag_i = (uint8_t)f.tag;
        dut_.ack_status_i = (uint8_t)f.status;
        tags_ &= ~(1u << f.tag);
        f.command->unacked--;
    }

    void look_node()
    {
        if (!dut_.ccmd_valid_o || !dut_.ccmd_ready_i)
            return;
        moved_ = true;
        if (dut_.ccmd_kind_o == FSH_EKIND_PUT)
            look_put();
        else
            look_message();
    }

    void look_put()
    {
        for (auto &stream : plan_.puts) {
            if (stream.empty())
                continue;
            results::Put &p = stream.front();
            if (p.dst != dut_.ccmd_dst_o || p.laddr != dut_.ccmd_laddr_o ||
                p.raddr != dut_.ccmd_raddr_o || p.length != dut_.ccmd_length_o)
                continue;
            if (!p.command->started)
                test_.fail("PUT of command %u, not yet known", p.command->id);
            check_written(p);
            if (mode_.gap)
                measure(p);
            fly(p);
            stream.pop_front();
            return;
        }
        test_.fail("unexpected PUT to node %u from %llx to %llx, %u bytes",
                   dut_.ccmd_dst_o, (unsigned long long)dut_.ccmd_laddr_o,
                   (unsigned long long)dut_.ccmd_raddr_o, dut_.ccmd_length_o);
    }

    void check_written(const results::Put &p)
    {
        uint64_t addr = p.laddr;

        for (uint32_t times : *p.times) {
            if (memory_.times((uint32_t)(addr / 64))[addr / 4 % 16] < times)
                test_.fail("PUT of command %u before %llx is written",
                           p.command->id, (unsigned long long)addr);
            addr += 4;
        }
    }

    // From the last of its bytes written.
    void measure(const results::Put &p)
    {
        uint64_t last = 0;

        for (uint64_t a = p.laddr / 64; a * 64 < p.laddr + p.length; a++)
            last = std::max(last, written_[(uint32_t)a]);
        put_delay = std::max(put_delay, test_.cycle - last);
    }

    struct Flight {
        Command *command;
        unsigned tag, status;
        uint64_t due;
    };

    void fly(const results::Put &p)
    {
        Flight f = {p.command, dut_.ccmd_tag_o, FSH_STATUS_OK, soon()};

        if (tags_ >> f.tag & 1)
            test_.fail("tag %u is given twice", f.tag);
        tags_ |= 1u << f.tag;
        if (p.laddr + p.length > plan_.node.seg_size)
            f.status = FSH_STATUS_LOCAL_RANGE;
        else if (mode_.errors && test_.below(60) == 0)
            f.status = FSH_STATUS_REMOTE_RANGE;
        if (f.status)
            p.command->errors.insert(f.status);
        flying_.push_back(f);
        p.command->puts_left--;
        p.command->unacked++;
        puts++;
    }

    void look_message()
    {
        for (auto &expected : plan_.messages_) {
            if (expected.empty())
                continue;
            results::Message &m = expected.front();
            Command &c = *m.command;
            uint64_t laddr = dut_.ccmd_laddr_o;
            if (m.complete)
                laddr &= 0xffffffffull;
            if (dut_.ccmd_kind_o != FSH_EKIND_MESSAGE ||
                m.dst != dut_.ccmd_dst_o || m.laddr != laddr || !c.started)
                continue;
            check_over(c);
            if (m.complete)
                check_status(c, (unsigned)(dut_.ccmd_laddr_o >> 32));
            expected.pop_front();
            return;
        }
        test_.fail("unexpected message %u to node %u: %llx", dut_.ccmd_kind_o,
                   dut_.ccmd_dst_o, (unsigned long long)dut_.ccmd_laddr_o);
    }

    void check_status(Command &c, unsigned status)
    {
        bool right = c.status           ? status == c.status
                     : c.errors.empty() ? status == FSH_STATUS_OK
                                        : c.errors.count(status) > 0;
        if (!right)
            test_.fail("command %u completes with status %u (%u, %zu errors)",
                       c.id, status, c.status, c.errors.size());
        completions++;
        failures += status != FSH_STATUS_OK;
    }

    void finish()
    {
        if (dut_.busy_o)
            test_.fail("busy_o at the end");
        for (auto &stream : plan_.puts)
            if (!stream.empty())
                test_.fail("%zu PUTs are missing", stream.size());
        for (auto &messages : plan_.messages_)
            if (!messages.empty())
                test_.fail("%zu messages are missing", messages.size());
        if (!plan_.reads.empty())
            test_.fail("%zu reads are missing", plan_.reads.size());
        for (auto &[addr, times] : plan_.expect.written())
            for (unsigned i = 0; i < 16; i++)
                check(addr, i, times[i]);
    }

    void check(uint32_t addr, unsigned i, uint32_t times)
    {
        uint32_t got = memory_.at(addr)[i], want = plan_.expect.at(addr)[i];

        if (memory_.times(addr)[i] != times)
            test_.fail("value %u of %u is written %u times, not %u", i, addr,
                       memory_.times(addr)[i], times);
        if (got != want)
            test_.fail("value %u of %u is %08x, not %08x", i, addr, got, want);
    }

  public:
    unsigned long long puts = 0, completions = 0, failures = 0;

  private:
    static constexpr unsigned status_memory = FSH_STATUS_MEMORY;

    tb::Test &test_;
    results::Plan &plan_;
    Mode mode_;
    std::unique_ptr<VerilatedContext> context_;
    Vtb_fsh_results dut_;
    results::Memory memory_;
    std::vector<tb::Stall> stalls_;
    std::deque<Command *> queue_[2], emitting_;
    Command *slots_[4] = {};
    unsigned opening_ = 0;
    std::unordered_map<uint32_t, std::deque<Command *>> owners_;
    results::Tile banks_[2] = {};
    bool full_[2] = {false, false};
    unsigned offered_ = 0, drained_ = 0;
    std::deque<std::array<uint32_t, 128>> pipe_;
    unsigned pipe_valid_ = 0;
    Delay<Answer> answers_;
    Lane lanes_[4];
    size_t extent_ = 0;
    uint32_t beat_ = 0;
    uint64_t next_tile_ = 0;
    std::unordered_map<uint32_t, uint64_t> written_;
    unsigned emt_wait_ = 0;
    std::vector<Flight> flying_;
    unsigned tags_ = 0;
    uint8_t taken_cfg_ = 0;
    bool taken_tile_ = false, taken_exp_ = false, taken_emt_ = false;
    bool moved_ = false;
};

// Cycles from the tile to its last beat given to memory: quads + a constant.
static void speed(tb::Test &test, bool conv, bool accumulate, bool bias,
                  unsigned m, unsigned n, unsigned quads, unsigned most)
{
    results::Plan plan(test, {0, 1, 1 << 20, 1 << 24});

    plan.make_one(conv, accumulate, bias, m, n);
    Bench bench(test, plan, {false, false, false, 0, 0});
    bench.run();
    unsigned cycles = (unsigned)(bench.last_write - bench.tile_taken);
    std::printf("tb_fsh_results: %s%s%s %ux%u: %u quads in %u cycles\n",
                conv ? "CONV" : "GEMM", accumulate ? " onto C" : "",
                bias ? " bias" : "", m, n, quads, cycles);
    if (cycles > quads + most)
        test.fail("%u quads take %u cycles", quads, cycles);
}

// A PUT leaves when its bytes are written, not when the next tile comes: two
// rows of 64 values each, tiles of eight rows far apart.
static void prompt(tb::Test &test)
{
    results::Plan plan(test, {0, 2, 1 << 20, 1 << 24});

    plan.make_one(false, false, false, 32, 64, 128);
    Bench bench(test, plan, {false, false, false, 0, 400});
    bench.run();
    std::printf("tb_fsh_results: PUTs leave at most %u cycles after their "
                "bytes are written\n",
                (unsigned)bench.put_delay);
    if (bench.puts != 16 || bench.put_delay > 40)
        test.fail("%llu PUTs", bench.puts);
}

int main(int argc, char **argv)
{
    tb::Test test("tb_fsh_results", argc, argv);
    unsigned long long puts = 0, completions = 0, failures = 0, slept = 0;

    speed(test, false, false, false, 128, 128, 256, 24);
    speed(test, false, false, true, 128, 128, 256, 32);
    speed(test, false, true, false, 128, 128, 256, 32);
    speed(test, false, true, true, 128, 128, 512, 40);
    speed(test, false, false, false, 1, 2048, 128, 24);
    speed(test, true, false, true, 1024, 16, 256, 32);
    prompt(test);
    for (int round = 0; round < 8; round++) {
        uint64_t size = (uint64_t)64 * (150000 + test.below(1000));
        uint64_t base = (uint64_t)64 * test.below(1 << 20);
        unsigned nodes = round == 1 ? 64 : 1 + test.below(8);
        bool errors = round % 2 == 1;
        results::Plan plan(test, {test.below(nodes), nodes, base, size});
        plan.make(150, errors, round % 4 < 2 ? 40 : 100);
        Bench bench(test, plan,
                    {round != 4, errors, round % 3 != 0, test.below(40), 0});
        bench.run();
        puts += bench.puts;
        completions += bench.completions;
        failures += bench.failures;
        slept += bench.slept;
    }
    std::printf("tb_fsh_results: %llu PUTs, %llu completions, %llu of them "
                "with an error, %llu cycles asleep\n",
                puts, completions, failures, slept);
    return test.pass(puts, "PUTs");
}
