// SPDX-License-Identifier: BSD-3-Clause
// fsh_submit, of both channels, against a host that fills its window in any
// order and rings, and a list of what a command must not be: good commands and
// such with fields around their limits. Each is offered as it was written, with
// its route, and then its rows, or refused with the first of the reasons there
// are; one with arguments and payload from a memory in two parts, the payload first; in order, none twice, none left; the head counts what is consumed. A
// command that claims more than was submitted takes no later one with it.
// Without stalls six cycles a command.
#include <memory>
#include "stream.h"
#include "window.h"
#include "Vfsh_submit_req.h"
#include "Vfsh_submit_rep.h"

static const unsigned WINDOW = FSH_WINDOW_ENTRIES;
static const unsigned DRAIN = 5000;
static const unsigned LIMIT = 400000; // cycles of a round
static const unsigned ENOUGH = 50;    // batches

// What is offered, or what a refusal says.
using Offer = std::array<uint64_t, 7>;

template <class Model, unsigned PORTS> class Bench
{
  public:
    Bench(tb::Test &test, unsigned channel)
        : test_(test), channel_(channel), context_(test.context()),
          dut_(context_.get()), judge_(config_, channel),
          writer_(test, config_, channel), pace_(test),
          offers_(test, "command"), rows_(test, "row"),
          refusals_(test, "refusal")
    {
    }

    ~Bench()
    {
        dut_.final();
    }

    void round(unsigned commands)
    {
        begin(false);
        test_.until(
            "commands to be consumed", LIMIT,
            [&] { return commands == 0 && head_ == tail_; },
            [&] {
                if (commands > 0 && pace_.willing())
                    commands -= submit(writer_.random());
                held_ = held_ && commands > 0;
                cycle();
            });
        drain();
    }

    // Commands without rows.
    void pace()
    {
        begin(true);
        for (unsigned i = 0; i < 10; i++) {
            Command c;
            c.opcode = FSH_OP_CLIENT;
            c.reply = channel_;
            c.dst = config_.node;
            if (!submit(writer_.written(c)))
                test_.fail("no room in the window");
        }
        uint64_t start = test_.cycle;
        drain();
        if (test_.cycle - start > 6 * 10 + 12)
            test_.fail("%u cycles for 10 commands",
                       (unsigned)(test_.cycle - start));
    }

    unsigned long long batches = 0; // of three commands or more, one bell
    unsigned long long offered = 0, refused[FSH_STATUS_COUNT] = {};

  private:
    void begin(bool hurry)
    {
        place();
        dut_.we_i = dut_.tail_we_i = dut_.route_i = 0;
        offers_.hurry = rows_.hurry = refusals_.hurry = hurry;
        head_ = tail_ = due_head_ = rung_ = parts_ = 0;
        held_ = false;
        unrung_ = 0;
        hurry_ = hurry;
        tb::reset(test_, dut_);
        for (unsigned i = 0; i < FSH_MAX_NODES; i++) {
            dut_.route_i = route_word(i, config_.routes[i]);
            dut_.wdata_i = config_.sizes[i]; // of the same write
            dut_.eval();
            tb::edge(test_, dut_);
        }
        dut_.route_i = 0;
    }

    void place()
    {
        config_.nodes = 1 + test_.below(FSH_MAX_NODES);
        config_.node = test_.below(config_.nodes);
        config_.packet = FSH_MIN_PACKET << test_.below(4);
        config_.exist = (1u << PORTS) - 1;
        config_.ports = (unsigned)test_.bits() & config_.exist;
        config_.routes = random_routes(test_);
        config_.seg_size = test_.bits() & 0xff'ffff'ffff;
        config_.host_size = 1 + test_.below(0x7fffffff);
        for (uint64_t &size : config_.sizes)
            size = test_.bits() & 0xff'ffff'ffff;
        dut_.node_i = (uint8_t)config_.node;
        dut_.nodes_i = (uint8_t)config_.nodes;
        dut_.packet_i = (uint16_t)config_.packet;
        dut_.ports_i = (uint8_t)config_.ports;
        dut_.seg_size_i = config_.seg_size;
        dut_.host_size_i = config_.host_size;
    }

    // Writes and rings, or leaves the bell to a later one; whether there was
    // room.
    bool submit(const Written &w)
    {
        bool room = tail_ + w.entries - head_ <= WINDOW;

        if (!room)
            held_ = false;
        if (!room || (stopped_ && head_ != tail_))
            return false;
        std::vector<unsigned> order;
        for (unsigned i = 0; i < w.entries * 8; i++)
            order.push_back(i);
        for (size_t i = order.size() - 1; i > 0; i--)
            std::swap(order[i], order[test_.below((uint32_t)i + 1)]);
        for (unsigned word : order) {
            while (!hurry_ && !pace_.willing())
                cycle();
            dut_.we_i = 1;
            dut_.waddr_i =
                (uint16_t)((tail_ % WINDOW * 8 + word) % (WINDOW * 8));
            dut_.wdata_i = w.rows[word / 2][word % 2];
            if (hurry_)
                tb::edge(test_, dut_); // before the bell, so nothing is taken
            else
                cycle();
            dut_.we_i = 0;
        }
        tail_ += w.entries;
        stopped_ = w.cut;
        waiting_.push_back(w);
        unrung_++;
        // What is submitted behind one that is cut would be taken for its rest.
        held_ = !hurry_ && !w.cut && test_.below(4) != 0;
        return true;
    }

    void cycle()
    {
        held_ = held_ && test_.below(256);
        // While an entry is written the bus is taken.
        dut_.tail_we_i = unrung_ && !held_ && !dut_.we_i &&
                         (!hurry_ || waiting_.size() == 10);
        if (dut_.tail_we_i) {
            dut_.wdata_i = rung_ = tail_;
            batches += unrung_ > 2;
            unrung_ = 0;
        } else if (!dut_.we_i) {
            dut_.wdata_i = test_.bits();
        }
        dut_.cmd_ready_i = offers_.ready();
        dut_.rows_ready_i = rows_.ready();
        dut_.cpl_ready_i = refusals_.ready();
        dut_.eval();
        look();
        tb::edge(test_, dut_);
        dut_.tail_we_i = 0;
        dut_.eval();
        heads();
    }

    void look()
    {
        if (dut_.waiting_o != dut_.cmd_valid_o ||
            (dut_.waiting_o && (dut_.empty_o || !due_rows_.empty())))
            test_.fail("waiting is %d, a command is offered: %d, %zu rows to "
                       "come",
                       dut_.waiting_o, dut_.cmd_valid_o, due_rows_.size());
        if (!due_rows_.empty() && !dut_.rows_o)
            test_.fail("%zu rows to come, and it gives none", due_rows_.size());
        Offer refusal = {load(dut_.cpl_o)[0], load(dut_.cpl_o)[1]};
        if (refusals_.take(dut_.cpl_valid_o, refusal))
            refuse(refusal);
        Beat row = load(dut_.rows_data_o);
        if (rows_.take(dut_.rows_valid_o, row)) {
            if (due_rows_.empty() || due_rows_.front() != row)
                test_.fail("a row that is not next");
            due_rows_.pop_front();
        }
        if (offers_.take(dut_.cmd_valid_o, offer()))
            accept(offer());
    }

    Offer offer() const
    {
        Offer o = {dut_.cmd_path_o,
                   (uint64_t)(dut_.cmd_bulk_o << 1 | dut_.cmd_loop_o),
                   dut_.cmd_end_o};

        for (unsigned i = 0; i < 8; i++)
            o[3 + i / 2] |= (uint64_t)dut_.cmd_o[i] << i % 2 * 32;
        return o;
    }

    // The command in front, which must be one that is, or is not, refused.
    Written next(bool refuse, unsigned &status)
    {
        if (waiting_.empty() || parts_ || !due_rows_.empty())
            test_.fail("a command before the rows of the last, or none");
        Written w = waiting_.front();
        waiting_.pop_front();
        status = judge_.status(w);
        if ((status != FSH_STATUS_OK) != refuse)
            test_.fail("opcode %u is %s, with status %u", w.command.opcode,
                       refuse ? "refused" : "offered", status);
        due_head_ += w.entries;
        return w;
    }

    void accept(const Offer &seen)
    {
        if (parts_ == 0)
            begin_parts();
        check(seen, part_);
        if (--parts_ == 0)
            due_rows_.swap(rows_to_come_);
        part_.lspace = FSH_SPACE_COLLECTIVE;
        if (part_.opcode >= FSH_OP_LIBRARY)
            part_.ack = 0; // of the source, which the first part reads
        offered++;
    }

    void begin_parts()
    {
        unsigned status;
        Written w = next(false, status);
        unsigned rows = Judge::rows(w.command);

        part_ = w.command;
        rows_to_come_.assign(w.rows.begin() + 2, w.rows.begin() + 2 + rows);
        if (Judge::message(part_))
            part_.ack = 1; // answered always
        parts_ = part_.headless() && part_.length ? 2 : 1;
        if (part_.nargs && part_.length == 0)
            part_.lspace = FSH_SPACE_COLLECTIVE;
    }

    void check(const Offer &seen, const Command &c)
    {
        auto words = c.words();
        Offer due = {judge_.path(c).pack(),
                     (uint64_t)(judge_.bulk(c) << 1 | (c.dst == config_.node)),
                     c.laddr + c.length,
                     words[0][0],
                     words[0][1],
                     words[1][0],
                     words[1][1]};
        for (unsigned i = 0; i < due.size(); i++)
            if (seen[i] != due[i])
                test_.fail("a command is offered as another: %016llx, not "
                           "%016llx at %u",
                           (unsigned long long)seen[i],
                           (unsigned long long)due[i], i);
    }

    void refuse(const Offer &seen)
    {
        unsigned status;
        Written w = next(true, status);
        const Command &c = w.command;
        auto entry = [&](unsigned as) {
            Beat e = {};
            fsh_ring_set_kind(e.data(), FSH_CPL_REFUSED);
            fsh_ring_set_reply(e.data(), c.reply);
            fsh_ring_set_status(e.data(), as);
            fsh_ring_set_opcode(e.data(), c.opcode);
            fsh_ring_set_node(e.data(), c.dst);
            fsh_ring_set_tag(e.data(), c.tag);
            return e;
        };
        Beat due = entry(status);
        if (seen[0] != due[0] || seen[1] != due[1])
            test_.fail("opcode %u is refused with %016llx, not %016llx",
                       c.opcode, (unsigned long long)seen[0],
                       (unsigned long long)due[0]);
        refused[status]++;
    }

    // What is consumed: what was acted on, once its rows are taken.
    void heads()
    {
        uint32_t head = dut_.head_o;

        if (head != head_ &&
            (head != due_head_ || parts_ || !due_rows_.empty()))
            test_.fail("%u entries consumed of %u acted on, %zu rows to come",
                       head, due_head_, due_rows_.size());
        head_ = head;
        if (dut_.empty_o && head_ != rung_)
            test_.fail("empty with %u entries", rung_ - head_);
    }

    void drain()
    {
        for (unsigned i = 0; !waiting_.empty() || head_ != tail_; i++) {
            if (i == DRAIN)
                test_.fail("%zu commands and %zu rows do not leave",
                           waiting_.size(), due_rows_.size());
            cycle();
        }
        if (!dut_.empty_o)
            test_.fail("not empty");
    }

    tb::Test &test_;
    unsigned channel_;
    std::unique_ptr<VerilatedContext> context_;
    Model dut_;
    Config config_ = {};
    Judge judge_;
    Writer writer_;
    tb::Stall pace_;
    tb::Sink<Offer> offers_;
    tb::Sink<Beat> rows_;
    tb::Sink<Offer> refusals_;
    bool hurry_ = false, stopped_ = false;
    bool held_ = false;   // the bell, for a command to come
    unsigned unrung_ = 0; // commands that no bell covers
    uint32_t head_ = 0, tail_ = 0, due_head_ = 0, rung_ = 0;
    std::deque<Written> waiting_;
    unsigned parts_ = 0; // of a command, to come, and the next of them
    Command part_;
    std::deque<Beat> due_rows_, rows_to_come_; // rows: behind the last part
};

template <class Bench>
static unsigned long long run(tb::Test &test, unsigned channel)
{
    Bench bench(test, channel);

    for (unsigned i = 0; i < 12; i++)
        bench.round(400);
    bench.pace();
    if (bench.batches < ENOUGH)
        test.fail("%llu bells for three commands or more", bench.batches);
    for (unsigned status = FSH_STATUS_BAD_COMMAND;
         status <= FSH_STATUS_UNSUPPORTED; status++)
        if (bench.refused[status] == 0)
            test.fail("nothing was refused with status %u", status);
    return bench.offered;
}

int main(int argc, char **argv)
{
    tb::Test test("tb_fsh_submit", argc, argv);

    return test.pass(run<Bench<Vfsh_submit_req, 2>>(test, 0) +
                         run<Bench<Vfsh_submit_rep, 6>>(test, 1),
                     "commands");
}
