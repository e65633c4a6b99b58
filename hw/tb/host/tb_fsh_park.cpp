// SPDX-License-Identifier: BSD-3-Clause
// fsh_park between a window that offers commands, each with its rows behind it, and a
// core that takes them when it likes: each leaves once, as it came, in order among its
// like, and its rows before those of another. One that is not bulk is offered in the cycle
// in which it comes, whatever is parked, unless rows of what was parked are still to go;
// bulk as well if nothing is, and is parked in the next cycle if the core does not take
// it; arguments at once. No window waits with bulk while there is room. What is parked is
// offered two cycles later if nothing else is, arguments when no rows are under way. What
// it says to stand still does.
#include <deque>
#include <memory>
#include "command.h"
#include "stream.h"
#include "Vfsh_park_few.h"
#include "Vfsh_park_req.h"

static const unsigned CYCLES = 60000;
static const unsigned SHOWN = 2;  // cycles from parked to offered
static const unsigned SETTLE = 6; // cycles in which all comes to stand

// What is offered: path, bulk and loop, the command.
using Offer = std::array<uint64_t, 6>;

template <class Model> class Bench
{
  public:
    Bench(tb::Test &test, unsigned channel, unsigned depth)
        : test_(test), channel_(channel), depth_(depth),
          context_(test.context()), dut_(context_.get()), window_(test),
          core_(test), taker_(test), rows_(test)
    {
        dut_.win_valid_i = dut_.out_ready_i = dut_.win_rows_i = 0;
        dut_.row_valid_i = dut_.rows_ready_i = 0;
        dut_.stopped_i = 1; // still_o is said then
        tb::reset(test_, dut_);
    }

    ~Bench()
    {
        dut_.final();
    }

    void run()
    {
        for (unsigned i = 0; i < CYCLES; i++) {
            // A core that takes little, and one that takes nothing for long.
            if (i % 2000 == 0) {
                one_in_ = 1u << test_.below(6);
                shut_ = test_.below(4) == 0;
            }
            if (!valid_ && rows_.waiting.empty() && window_.willing())
                bring();
            cycle(!shut_ && test_.below(one_in_) == 0 && core_.willing());
        }
        shut_ = false;
        test_.until(
            "what is parked to leave", 20000,
            [this] {
                return parked_.empty() && !valid_ && due_rows_.empty() &&
                       rows_.waiting.empty();
            },
            [this] { cycle(core_.willing()); });
        if (full_ == 0 || tried_ == 0 || beside_ == 0)
            test_.fail("%u cycles in which it was full, %u offers in vain, %u "
                       "commands with rows beside parked ones",
                       full_, tried_, beside_);
    }

    unsigned long long left = 0;

  private:
    struct Parked {
        Offer offer;
        uint64_t since;
        bool apart;
        std::vector<Beat> rows;
    };

    void bring()
    {
        valid_ = true;
        fresh_ = true;
        command_ = Command();
        command_.reply = channel_;
        command_.opcode = test_.below(2) ? FSH_OP_PUT : FSH_OP_CLIENT;
        command_.category = test_.below(3);
        command_.bulk = test_.below(3) != 0;
        command_.ack = test_.below(2);
        command_.rspace = test_.below(2);
        command_.lspace = test_.below(command_.bulk ? 3 : 4);
        command_.ordered = !command_.bulk && test_.below(4) == 0;
        command_.dst = test_.below(FSH_MAX_NODES);
        command_.nargs = test_.below(FSH_MAX_ARGS + 1);
        if (command_.apart())
            command_.nargs = 1 + test_.below(FSH_MAX_ARGS);
        command_.tag = test_.below(FSH_NUM_TAGS);
        command_.length = (unsigned)test_.bits() & 0xffffff;
        command_.raddr = test_.bits() & 0xff'ffff'ffff;
        command_.laddr = test_.bits() & 0xff'ffff'ffff;
        command_.loop = test_.below(2);
        command_.path = Path::random(test_);
        unsigned rows = (command_.nargs + 3) / 4;
        if (command_.lspace == FSH_SPACE_INLINE)
            rows += test_.below(20);
        while (with_rows() && command_.rows.size() < rows)
            command_.rows.push_back({test_.bits(), test_.bits()});
    }

    bool with_rows() const
    {
        return command_.apart() || command_.lspace == FSH_SPACE_INLINE;
    }

    static Offer offer(const Command &c)
    {
        auto words = c.words();

        return {c.path.pack(), (uint64_t)(c.bulk << 1 | c.loop),
                words[0][0],   words[0][1],
                words[1][0],   words[1][1]};
    }

    // Fields that only the window reads are not kept.
    Offer parked() const
    {
        Command c = command_;

        c.check = c.entries = 0;
        c.bulk = !c.apart();
        return offer(c);
    }

    Offer seen() const
    {
        Offer o = {dut_.out_path_o,
                   (uint64_t)(dut_.out_bulk_o << 1 | dut_.out_loop_o)};

        for (unsigned i = 0; i < 8; i++)
            o[2 + i / 2] |= (uint64_t)dut_.out_o[i] << i % 2 * 32;
        return o;
    }

    void drive(bool ready)
    {
        auto words = command_.words();

        dut_.win_valid_i = valid_;
        dut_.win_path_i = (uint16_t)command_.path.pack();
        dut_.win_bulk_i = command_.bulk;
        dut_.win_loop_i = command_.loop;
        store(dut_.win_i, words[0], 0);
        store(dut_.win_i, words[1], 1);
        // The window gives rows until the last is taken.
        dut_.win_rows_i = !rows_.waiting.empty();
        dut_.row_valid_i = rows_.offer();
        store(dut_.row_i, dut_.row_valid_i ? rows_.front()
                                           : Beat{test_.bits(), test_.bits()});
        dut_.rows_ready_i = !due_rows_.empty() && taker_.willing();
        dut_.out_ready_i = ready;
        dut_.eval();
        // The core takes only what is offered.
        dut_.out_ready_i = ready && dut_.out_valid_o;
        dut_.eval();
    }

    void cycle(bool ready)
    {
        drive(ready);
        bool first = fresh_ && parked_.empty() && !command_.apart();
        bool blocked = with_rows() && !due_rows_.empty() && from_parked_;
        bool through = valid_ && (!command_.bulk || first) && !blocked;
        bool taken = dut_.out_valid_o && dut_.out_ready_i;
        if (dut_.empty_o != parked_.empty())
            test_.fail("empty is %d with %zu parked", dut_.empty_o,
                       parked_.size());
        bool gone = take_row();
        bool rows = !rows_.waiting.empty() || !due_rows_.empty();
        quiet_rows_ = rows ? 0 : quiet_rows_ + 1;
        look_still(taken || gone);
        if (through)
            look_through(taken);
        else
            look_parked(taken);
        if (dut_.row_valid_i && dut_.row_ready_o)
            rows_.taken();
        if (gone)
            due_rows_.pop_front();
        fresh_ = false;
        tb::edge(test_, dut_);
    }

    // Whether the core has taken a row, which is the next of its command.
    bool take_row()
    {
        if (!dut_.rows_ready_i || !dut_.rows_valid_o)
            return false;
        if (load(dut_.rows_o) != due_rows_.front())
            test_.fail("a row that is not next");
        return true;
    }

    // The core has taken a command with these rows.
    void due(const std::vector<Beat> &rows, bool parked)
    {
        if (rows.empty())
            return;
        if (!due_rows_.empty())
            test_.fail("rows before those of the last command");
        due_rows_.assign(rows.begin(), rows.end());
        from_parked_ = parked;
    }

    // The window has got rid of its command, and gives its rows.
    void end()
    {
        valid_ = false;
        rows_.waiting.assign(command_.rows.begin(), command_.rows.end());
    }

    void look_through(bool taken)
    {
        if (!dut_.out_valid_o || seen() != offer(command_))
            test_.fail("a command is not offered, bulk %d", command_.bulk);
        if (dut_.win_ready_o != taken)
            test_.fail("taken is %d, and the window hears %d", taken,
                       dut_.win_ready_o);
        tried_ += !taken && command_.bulk;
        if (!taken)
            return;
        beside_ += !command_.rows.empty() && !parked_.empty();
        if (with_rows())
            quiet_rows_ = 0;
        due(command_.rows, false);
        end();
        left++;
    }

    void look_parked(bool taken)
    {
        if (dut_.out_valid_o &&
            (parked_.empty() || seen() != parked_.front().offer))
            test_.fail("offered is not the first of %zu parked",
                       parked_.size());
        if (dut_.out_valid_o && parked_.front().apart && !due_rows_.empty())
            test_.fail("arguments beside the rows of others");
        if (!dut_.out_valid_o && !parked_.empty() &&
            (!parked_.front().apart || quiet_rows_ > 1) &&
            test_.cycle - parked_.front().since >= SHOWN)
            test_.fail("the first of %zu parked is not offered",
                       parked_.size());
        look_ready();
        if (taken) {
            due(parked_.front().rows, true);
            parked_.pop_front();
            left++;
        }
        if (valid_ && dut_.win_ready_o) {
            parked_.push_back(
                {parked(), test_.cycle, command_.apart(), command_.rows});
            end();
        }
    }

    // One more than are stored is offered.
    void look_ready()
    {
        size_t count = parked_.size();
        bool waits = valid_ && !dut_.win_ready_o;

        if (!valid_ || !command_.bulk) {
            if (valid_ && !waits)
                test_.fail("a command with rows leaves beside others");
            return;
        }
        bool full = count > depth_, nearly = count == depth_;
        if (command_.apart()) {
            size_t rows = from_parked_ ? due_rows_.size() : 0;
            for (const Parked &p : parked_)
                rows += p.rows.size();
            full = full || rows > 2 * depth_ - FSH_MAX_ARGS / 4 + 1;
            nearly = nearly || rows > 2 * depth_ - FSH_MAX_ARGS / 4;
        }
        if (waits ? !full && !nearly : full)
            test_.fail("ready is %d with %zu parked", dut_.win_ready_o, count);
        full_ += waits;
    }

    // Once it says so nothing changes before the core takes or the window brings.
    void look_still(bool taken)
    {
        Offer o = dut_.out_valid_o ? seen() : Offer{};
        bool same = idle_ && !fresh_;

        if (same && still_ &&
            (!dut_.still_o || dut_.out_valid_o != offers_ || o != offered_))
            test_.fail("what stands still changes");
        quiet_ = same ? quiet_ + 1 : 0;
        if (quiet_ >= SETTLE && !dut_.still_o)
            test_.fail("it never stands still");
        offers_ = dut_.out_valid_o;
        offered_ = o;
        still_ = dut_.still_o;
        idle_ = !taken && rows_.waiting.empty();
    }

    tb::Test &test_;
    unsigned channel_, depth_;
    std::unique_ptr<VerilatedContext> context_;
    Model dut_;
    tb::Stall window_, core_, taker_;
    tb::Feed<Beat> rows_;       // of the window's last command
    std::deque<Beat> due_rows_; // of the core's, which was parked, perhaps
    bool from_parked_ = false;
    unsigned quiet_rows_ = 0; // cycles without any
    unsigned one_in_ = 1;
    bool shut_ = false;
    Command command_; // in the window, if valid_; fresh_: in its first cycle
    bool valid_ = false, fresh_ = false;
    std::deque<Parked> parked_;
    unsigned full_ = 0, tried_ = 0, beside_ = 0;
    // Of the last cycle.
    bool offers_ = false, still_ = false,
         idle_ = false; // idle_: nothing was taken
    Offer offered_ = {};
    unsigned quiet_ = 0; // cycles
};

template <class Model>
static unsigned long long run(tb::Test &test, unsigned channel, unsigned depth)
{
    Bench<Model> bench(test, channel, depth);

    bench.run();
    return bench.left;
}

int main(int argc, char **argv)
{
    tb::Test test("tb_fsh_park", argc, argv);

    return test.pass(run<Vfsh_park_req>(test, 0, 64) +
                         run<Vfsh_park_few>(test, 1, 4),
                     "commands");
}
