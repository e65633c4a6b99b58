// SPDX-License-Identifier: BSD-3-Clause
// fsh_voqbuf against queues of packets: which queues have one, what is offered and
// when, which channel has a beat freed, in every cycle. Random packets and gaps on
// credit, whose sum is all of the space; a reader that stalls, chooses by no rule
// (also queues that have nothing) or stands until the buffer is full to the last
// beat; resets in mid-flow. Several shapes.
#include <algorithm>
#include <deque>
#include <vector>
#include "tb.h"
#include "Vfsh_voqbuf_q2.h"
#include "Vfsh_voqbuf_q24.h"
#include "Vfsh_voqbuf_q48.h"

static const unsigned LONGEST = 70; // beats of a packet

struct Shape {
    unsigned queues, channels, beats;
};

struct Packet {
    std::vector<uint32_t> beats; // that have come
    unsigned length = 0;
};

template <class Model> class Bench
{
  public:
    Bench(tb::Test &test, Shape shape)
        : test_(test), context_(test.context()), buf_(context_.get()),
          write_(test), read_(test), choose_(test), shape_(shape),
          room_(shape.beats - shape.queues), queue_(shape.queues)
    {
        buf_.valid_i = buf_.ready_i = buf_.choose_i = 0;
        buf_.queue_i = buf_.follow_i = buf_.choice_i = 0;
        tb::reset(test_, buf_);
    }

    ~Bench()
    {
        buf_.final();
    }

    // Rounds: load of some kind, then everything is read.
    void run(unsigned rounds)
    {
        for (unsigned r = 0; r < rounds; r++) {
            unsigned cycles = 500 + test_.below(4 * shape_.beats);
            kind();
            for (unsigned i = 0; i < cycles; i++)
                cycle(true, true);
            if (r % 4 == 1)
                fill();
            if (r % 8 == 5) {
                reset();
                continue;
            }
            // What is being written still has to come, in the worst case through one
            // free word, a beat in three cycles.
            hurry_ = true;
            test_.until(
                "all is read", 2 * shape_.beats + 4 * LONGEST,
                [&] { return stored_ == 0 && !left_ && !buf_.busy_o; },
                [&] { cycle(left_ != 0, true); });
        }
    }

    unsigned long long packets = 0;
    unsigned fullest = 0;

  private:
    // Long or short packets, few or many queues, for the next round.
    void kind()
    {
        static const unsigned most[] = {1, 2, 5, 20, LONGEST};
        longest_ = most[test_.below(5)];
        hot_ = test_.below(3) ? shape_.queues : 1 + test_.below(2);
        from_ = test_.below(shape_.queues);
        hurry_ = test_.below(3) == 0;
    }

    // Nobody reads until the last beat of space is taken: whatever is
    // outstanding must fit.
    void fill()
    {
        test_.until(
            "the buffer is full", 40 * shape_.beats,
            [&] { return used_ == room_; }, [&] { cycle(true, false); });
        for (unsigned i = 0; i < 20; i++)
            cycle(true, false);
    }

    void reset()
    {
        buf_.valid_i = 0;
        tb::reset(test_, buf_);
        for (auto &q : queue_)
            q.clear();
        stored_ = used_ = left_ = 0;
        offered_ = open_ = false;
        freed_ = 0;
    }

    // The beat that comes in this cycle, if any.
    bool offer(bool willing)
    {
        if (used_ == room_ || !willing || !(hurry_ || write_.willing()))
            return false;
        if (left_ == 0) {
            to_ = (from_ + test_.below(hot_)) % shape_.queues;
            buf_.queue_i = (uint8_t)to_;
            buf_.follow_i = (uint8_t)test_.below(longest_);
        } else { // nobody looks
            buf_.queue_i = (uint8_t)test_.below(shape_.queues);
            buf_.follow_i = (uint8_t)test_.below(128);
        }
        return true;
    }

    void cycle(bool writing, bool reading)
    {
        bool valid = offer(writing);
        uint32_t data = (uint32_t)test_.bits();

        buf_.valid_i = valid;
        buf_.data_i = data;
        buf_.ready_i = reading && (hurry_ || read_.willing());
        unsigned choice = test_.below(shape_.queues);
        for (unsigned i = 0; hurry_ && i < shape_.queues; i++)
            if (queue_[choice].empty())
                choice = (choice + 1) % shape_.queues;
        buf_.choose_i = reading && (hurry_ || choose_.willing()) &&
                        !queue_[choice].empty();
        buf_.choice_i = (uint8_t)choice;
        buf_.eval();
        check();
        // What the edge does: what is there is read, what comes is stored.
        bool slot = !offered_ || buf_.ready_i, was = false, began = false;
        if (slot && open_) {
            was = at_ < now_.beats.size();
        } else if (slot && buf_.choose_i) {
            was = began = true;
        }
        if (buf_.begun_o != began)
            test_.fail("queue %u, %zu packets: begun %d", choice,
                       queue_[choice].size(), buf_.begun_o);
        used_ -= freed_ != 0; // said in this cycle, a credit in the next
        freed_ = 0;
        if (began) {
            now_ = queue_[choice].front();
            queue_[choice].pop_front();
            reading_ = choice;
            chasing_ = left_ && to_ == choice && queue_[choice].empty();
            at_ = 0;
        }
        if (was) {
            stored_--;
            at_++;
            open_ = at_ < now_.length;
            freed_ = 1u << (reading_ % shape_.channels);
            packets += !open_;
        }
        if (slot)
            offered_ = was;
        if (valid)
            store(data);
        tb::edge(test_, buf_);
    }

    void store(uint32_t data)
    {
        bool head = left_ == 0;

        if (head) {
            Packet packet;
            packet.length = buf_.follow_i + 1u;
            left_ = packet.length;
            queue_[to_].push_back(packet);
            chasing_ = false;
        }
        (chasing_ ? now_ : queue_[to_].back()).beats.push_back(data);
        left_--;
        used_++;
        stored_++;
        fullest = std::max(fullest, used_);
    }

    void check()
    {
        uint64_t some = 0;

        for (unsigned i = 0; i < shape_.queues; i++)
            some |= (uint64_t)!queue_[i].empty() << i;
        if (buf_.some_o != some)
            test_.fail("queues with packets: %llx, not %llx",
                       (unsigned long long)buf_.some_o,
                       (unsigned long long)some);
        if (buf_.freed_o != freed_)
            test_.fail("freed %x, not %x", buf_.freed_o, freed_);
        if (buf_.valid_o != offered_)
            test_.fail("offered: %d, with %u beats stored", buf_.valid_o,
                       stored_);
        if (buf_.busy_o != (offered_ || open_ || some != 0))
            test_.fail("busy is %d", buf_.busy_o);
        if (!offered_)
            return;
        if (buf_.data_o != now_.beats[at_ - 1] || buf_.queue_o != reading_ ||
            buf_.last_o != !open_)
            test_.fail("beat %u of %u of queue %u: %08x, not %08x; of %u, "
                       "last %d",
                       at_ - 1, now_.length, reading_, buf_.data_o,
                       now_.beats[at_ - 1], buf_.queue_o, buf_.last_o);
    }

    tb::Test &test_;
    std::unique_ptr<VerilatedContext> context_;
    Model buf_;
    tb::Stall write_, read_, choose_;
    Shape shape_;
    unsigned room_;
    std::vector<std::deque<Packet>> queue_; // not begun
    // The packet that comes: beats missing, its queue, whether it is read.
    unsigned left_ = 0, to_ = 0;
    bool chasing_ = false;
    // The packet read last.
    Packet now_;
    unsigned at_ = 0, reading_ = 0;
    bool open_ = false, offered_ = false;
    // Beats in the buffer; those that the sender has no credit back for.
    unsigned stored_ = 0, used_ = 0, freed_ = 0;
    // Of the round.
    unsigned longest_ = 1, hot_ = 1, from_ = 0;
    bool hurry_ = false;
};

template <class Model>
static unsigned long long run(tb::Test &test, Shape shape, unsigned rounds)
{
    Bench<Model> bench(test, shape);

    bench.run(rounds);
    if (bench.fullest != shape.beats - shape.queues)
        test.fail("%u queues: never full, %u beats", shape.queues,
                  bench.fullest);
    return bench.packets;
}

int main(int argc, char **argv)
{
    tb::Test test("tb_fsh_voqbuf", argc, argv);
    unsigned long long packets = 0;

    packets += run<Vfsh_voqbuf_q2>(test, {2, 2, 8}, 1000);
    packets += run<Vfsh_voqbuf_q48>(test, {48, 4, 128}, 400);
    packets += run<Vfsh_voqbuf_q24>(test, {24, 4, 2048}, 60);
    return test.pass(packets, "packets");
}
