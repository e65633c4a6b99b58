// SPDX-License-Identifier: BSD-3-Clause
// Engines of 2 to 8 nodes, joined by a network that delays and reorders, run programs of
// src/coll/program: every call and algorithm, teams of some of the nodes, several at once,
// random data, random stalls. All memory must be what the same programs leave that are
// run step by step with src/coll/fold; what is written to host memory, too, is the same
// there. Then what must not run: malformed descriptors, a
// read error, a peer that does not send, packets that come twice; and what a level takes.
#include <algorithm>
#include <map>
#include "engine.h"
extern "C" {
#include "coll/fold/fold.h"
#include "coll/program/program.h"
}

namespace
{

using coll::Descriptor;
using coll::End;
using coll::Engine;
using coll::Line;
using coll::Note;
using coll::Packet;

const size_t memory_bytes = 1 << 20;
const unsigned packet_bytes = 1024, vp = 3;
const unsigned ops[] = {FSH_FOLD_SUM, FSH_FOLD_MIN, FSH_FOLD_MAX,
                        FSH_FOLD_AND, FSH_FOLD_OR,  FSH_FOLD_XOR};

struct Program {
    struct fsh_program *p;
    size_t src, dst, tmp; // in memory
    uint32_t list;        // line of the first descriptor
};

struct Job {
    unsigned number, type, op;
    struct fsh_program_shape shape;
    const struct fsh_program_algorithm *algorithm;
    std::vector<unsigned> nodes; // of its ranks
    bool eager, post;
    size_t block; // bytes
    std::vector<Program> ranks;

    size_t at(unsigned rank, const fsh_program_range &r) const
    {
        const Program &p = ranks[rank];
        bool own = r.first == rank && r.count == 1;
        size_t offset = r.first * block;
        switch (shape.call) { // one block alone stands first
        case FSH_PROGRAM_SCATTER:
        case FSH_PROGRAM_REDUCE_SCATTER:
            if (r.place == FSH_PROGRAM_DST && own)
                offset = 0;
            break;
        case FSH_PROGRAM_GATHER:
        case FSH_PROGRAM_ALLGATHER:
            if (r.place == FSH_PROGRAM_SRC && own)
                offset = 0;
            break;
        default:
            break;
        }
        return offset + (r.place == FSH_PROGRAM_SRC   ? p.src
                         : r.place == FSH_PROGRAM_DST ? p.dst
                                                      : p.tmp);
    }

    size_t bytes(const fsh_program_step &s) const
    {
        const fsh_program_range &r =
            s.local.place != FSH_PROGRAM_NONE ? s.local : s.store;
        return r.place == FSH_PROGRAM_NONE ? 0 : r.count * block;
    }

    // Packets that a rank gets.
    size_t packets(unsigned rank) const
    {
        size_t n = 0;
        for (uint32_t i = 0; i < ranks[rank].p->steps; i++) {
            const fsh_program_step &s = ranks[rank].p->step[i];
            n += s.sources * std::max<size_t>(1, (bytes(s) + packet_bytes - 1) /
                                                     packet_bytes);
        }
        return n;
    }
};

Line descriptor(const Job &job, unsigned rank, uint32_t i)
{
    const Program &p = job.ranks[rank];
    const fsh_program_step &s = p.p->step[i];
    Descriptor d;

    d.flag(coll::HEAD, i == 0);
    d.flag(coll::TAIL, i + 1 == p.p->steps);
    d.flag(coll::OWN, s.local.place != FSH_PROGRAM_NONE);
    d.flag(coll::REDUCE, s.reduce);
    d.flag(coll::STORE, s.store.place != FSH_PROGRAM_NONE);
    d.flag(coll::SEND, s.dest != FSH_PROGRAM_NOBODY);
    d.put(coll::JOB, 8, job.number);
    d.put(coll::VP, 11, vp);
    d.put(coll::SEQ, 8, s.seq);
    d.put(coll::COUNT, 5, s.sources);
    d.put(coll::KIND, 3, job.type);
    d.put(coll::OP, 4, job.op);
    d.flag(coll::EAGER, job.eager && s.dest != FSH_PROGRAM_NOBODY);
    d.put(coll::COOKIE, 11, job.number << 3 | rank);
    if (s.dest != FSH_PROGRAM_NOBODY)
        d.put(coll::DEST, 8, job.nodes[s.dest]);
    d.put(coll::DEST_VP, 11, vp);
    d.put(coll::DEST_SEQ, 8, s.dest_seq);
    d.put(coll::BYTES, 24, job.bytes(s));
    for (unsigned k = 0; k < s.sources; k++)
        d.put(coll::SOURCES + 8 * k, 8, job.nodes[s.source[k]]);
    if (s.local.place != FSH_PROGRAM_NONE)
        d.put(coll::OWN_ADDR, 32, job.at(rank, s.local) / 64);
    if (s.store.place != FSH_PROGRAM_NONE)
        d.put(coll::STORE_ADDR, 32, job.at(rank, s.store) / 64);
    if (s.store.place != FSH_PROGRAM_NONE && job.post) {
        d.flag(coll::POST, true);
        d.put(coll::POST_ADDR, 32, job.at(rank, s.store) / 64);
    }
    return d.line;
}

// The reference: steps in order, each when its packets are there.
class Reference
{
  public:
    Reference(const Job &job, std::vector<std::vector<uint8_t> *> memory)
        : job_(job), memory_(std::move(memory))
    {
    }

    void run(tb::Test &test)
    {
        std::vector<uint32_t> next(job_.ranks.size());
        for (bool moved = true; moved;) {
            moved = false;
            for (unsigned r = 0; r < next.size(); r++)
                while (next[r] < job_.ranks[r].p->steps && step(r, next[r])) {
                    next[r]++;
                    moved = true;
                }
        }
        for (unsigned r = 0; r < next.size(); r++)
            if (next[r] != job_.ranks[r].p->steps)
                test.fail("the program itself does not end");
    }

  private:
    using Value = std::vector<uint8_t>;

    static uint64_t key(unsigned to, unsigned from, unsigned seq)
    {
        return (uint64_t)to << 40 | (uint64_t)from << 20 | seq;
    }

    bool step(unsigned rank, uint32_t i)
    {
        const fsh_program_step &s = job_.ranks[rank].p->step[i];
        size_t bytes = job_.bytes(s);
        Value value(bytes);
        bool some = s.local.place != FSH_PROGRAM_NONE;

        for (unsigned k = 0; k < s.sources; k++)
            if (!packet_.count(key(rank, s.source[k], s.seq)))
                return false;
        if (some && bytes)
            std::memcpy(value.data(), &(*memory_[rank])[job_.at(rank, s.local)],
                        bytes);
        for (unsigned k = 0; k < s.sources; k++, some = true) {
            Value &in = packet_[key(rank, s.source[k], s.seq)];
            if (s.reduce && some && bytes)
                fsh_fold_function(job_.type, job_.op, FSH_ISA_PORTABLE)(
                    value.data(), value.data(), in.data(),
                    bytes / fsh_fold_size(job_.type, job_.op));
            else
                value = in;
        }
        if (s.store.place != FSH_PROGRAM_NONE && bytes)
            std::memcpy(&(*memory_[rank])[job_.at(rank, s.store)], value.data(),
                        bytes);
        if (s.dest != FSH_PROGRAM_NOBODY)
            packet_[key(s.dest, rank, s.dest_seq)] = value;
        return true;
    }

    const Job &job_;
    std::vector<std::vector<uint8_t> *> memory_;
    std::map<uint64_t, Value> packet_;
};

class Fabric
{
  public:
    Fabric(tb::Test &test, unsigned nodes) : test_(test)
    {
        for (unsigned n = 0; n < nodes; n++) {
            engines_.push_back(std::make_unique<Engine>(test, n, memory_bytes));
            used_.push_back(0);
        }
    }

    ~Fabric()
    {
        for (Job &job : jobs_)
            for (Program &p : job.ranks)
                fsh_program_free(p.p);
    }

    // A job of some of the nodes, unless it would send more than there is room for.
    bool add(const Job &made)
    {
        Job job = made;
        std::vector<size_t> load = load_;
        load.resize(engines_.size());
        for (unsigned r = 0; r < job.shape.size; r++)
            job.ranks.push_back(
                {fsh_program_make(job.algorithm, &job.shape, r), 0, 0, 0, 0});
        bool fits = true;
        for (unsigned r = 0; r < job.shape.size; r++)
            fits &= (load[job.nodes[r]] += job.packets(r)) <= 48;
        if (!fits) {
            for (Program &p : job.ranks)
                fsh_program_free(p.p);
            return false;
        }
        load_ = load;
        place(job);
        jobs_.push_back(job);
        return true;
    }

    // Runs the jobs; true if memory is as it must be.
    void run(bool hurry)
    {
        std::vector<std::vector<uint8_t>> want;
        for (auto &e : engines_) {
            e->hurry = hurry;
            want.push_back(e->memory);
        }
        for (Job &job : jobs_) {
            std::vector<std::vector<uint8_t> *> memory;
            for (unsigned node : job.nodes)
                memory.push_back(&want[node]);
            Reference(job, memory).run(test_);
        }
        size_t ends = 0;
        for (Job &job : jobs_)
            for (unsigned r = 0; r < job.ranks.size(); r++) {
                if (job.ranks[r].p->steps == 0)
                    continue;
                waiting_.push_back({job.nodes[r], job.ranks[r].list,
                                    hurry ? 0 : test_.below(300)});
                ends++;
            }
        size_t got = 0;
        hurry_ = hurry;
        test_.until(
            "the ends of all sequences", 400000, [&] { return got == ends; },
            [&] {
                cycle();
                for (auto &e : engines_)
                    for (; !e->ends.empty(); e->ends.pop_front(), got++)
                        check(e->ends.front());
            });
        took = test_.cycle - started_;
        compare(want);
    }

    void cycle()
    {
        for (size_t i = 0; i < waiting_.size();) {
            if (waiting_[i].wait-- > 0) {
                i++;
                continue;
            }
            engines_[waiting_[i].node]->start(waiting_[i].list);
            waiting_.erase(waiting_.begin() + (long)i);
        }
        for (auto &e : engines_) {
            e->cycle();
            for (; !e->sent.empty(); e->sent.pop_front())
                flying_.push_back({e->sent.front(), delay()});
            for (; !e->told.empty(); e->told.pop_front())
                notes_.push_back({e->told.front(), delay()});
        }
        for (size_t i = 0; i < notes_.size();) {
            if (notes_[i].wait-- > 0) {
                i++;
                continue;
            }
            engines_.at(notes_[i].note.dest)->hear(notes_[i].note);
            notes_.erase(notes_.begin() + (long)i);
        }
        for (size_t i = 0; i < flying_.size();) {
            if (flying_[i].wait-- > 0) {
                i++;
                continue;
            }
            Packet &p = flying_[i].packet;
            if (p.dest >= engines_.size())
                test_.fail("a packet for node %u", p.dest);
            engines_[p.dest]->receive(p);
            flying_.erase(flying_.begin() + (long)i);
        }
        test_.cycle++;
    }

    uint64_t took = 0;
    size_t posted = 0; // bytes
    size_t jobs() const
    {
        return jobs_.size();
    }

  private:
    struct Waiting {
        unsigned node;
        uint32_t list;
        int64_t wait;
        Waiting(unsigned n, uint32_t l, int64_t w) : node(n), list(l), wait(w)
        {
        }
    };
    struct Flying {
        Packet packet;
        int64_t wait;
        Flying(const Packet &p, int64_t w) : packet(p), wait(w) {}
    };

    struct Told {
        Note note;
        int64_t wait;
        Told(const Note &n, int64_t w) : note(n), wait(w) {}
    };

    unsigned delay()
    {
        return hurry_ ? 0 : test_.below(test_.below(8) ? 100 : 3000);
    }

    size_t allocate(unsigned node, size_t bytes)
    {
        size_t at = used_[node];
        used_[node] += (bytes + 127) / 64 * 64;
        if (used_[node] > memory_bytes)
            test_.fail("the bench has no memory left");
        return at;
    }

    void place(Job &job)
    {
        for (unsigned r = 0; r < job.ranks.size(); r++) {
            Program &p = job.ranks[r];
            unsigned node = job.nodes[r];
            size_t all = p.p->blocks * job.block;
            auto &memory = engines_[node]->memory;
            p.src = allocate(node, all);
            p.dst = allocate(node, all);
            p.tmp = allocate(node, all);
            for (size_t i = 0; i < all; i += 4) {
                uint32_t bits = number();
                std::memcpy(&memory[p.src + i], &bits, 4);
            }
            p.list = (uint32_t)(allocate(node, p.p->steps * 64) / 64);
        }
        for (unsigned r = 0; r < job.ranks.size(); r++)
            for (uint32_t i = 0; i < job.ranks[r].p->steps; i++) {
                Line line = descriptor(job, r, i);
                std::memcpy(&engines_[job.nodes[r]]
                                 ->memory[(job.ranks[r].list + i) * 64],
                            line.data(), 64);
            }
    }

    // Numbers of like size, for most sums to round, and any bits.
    uint32_t number()
    {
        uint32_t bits = (uint32_t)test_.bits();
        return test_.below(8) ? (bits & 0x80ffffff) | 0x3f000000 : bits;
    }

    void check(const End &end)
    {
        if (end.status != 0)
            test_.fail("job %u rank %u ends with status %u (step %u)",
                       end.cookie >> 3, end.cookie & 7, end.status, end.step);
    }

    void compare(const std::vector<std::vector<uint8_t>> &want)
    {
        for (unsigned n = 0; n < engines_.size(); n++) {
            Engine &e = *engines_[n];
            if (e.bad || e.used())
                test_.fail("node %u: %u packets dropped, %u left", n, e.bad,
                           e.used());
            for (size_t i = 0; i < memory_bytes; i++) {
                if (e.memory[i] != want[n][i])
                    where(n, i, e.memory[i], want[n][i]);
                if (e.posted[i] && e.host[i] != want[n][i])
                    where(n, i, e.host[i], want[n][i]);
                posted += e.posted[i];
            }
        }
    }

    void where(unsigned node, size_t at, unsigned is, unsigned want)
    {
        for (const Job &job : jobs_)
            for (unsigned r = 0; r < job.ranks.size(); r++)
                if (job.nodes[r] == node && at >= job.ranks[r].src &&
                    at < job.ranks[r].list * 64)
                    test_.fail("%s by %s of %u, type %u op %u, rank %u: byte "
                               "%zu (src %zu dst %zu tmp %zu) is %02x, not "
                               "%02x",
                               fsh_program_call_name(job.shape.call),
                               job.algorithm->name, job.shape.size, job.type,
                               job.op, r, at, job.ranks[r].src,
                               job.ranks[r].dst, job.ranks[r].tmp, is, want);
        test_.fail("node %u byte %zu is %02x, not %02x", node, at, is, want);
    }

    tb::Test &test_;
    std::vector<std::unique_ptr<Engine>> engines_;
    std::vector<size_t> used_, load_;
    std::vector<Job> jobs_;
    std::vector<Waiting> waiting_;
    std::vector<Flying> flying_;
    std::vector<Told> notes_;
    uint64_t started_ = test_.cycle;
    bool hurry_ = false;
};

// Random: a call, an algorithm that does it, a team, a size.
Job random_job(tb::Test &test, unsigned number, unsigned nodes)
{
    Job job = {};
    unsigned count = 0;

    job.number = number;
    job.eager = test.below(2);
    job.post = test.below(2);
    do {
        job.type = test.below(FSH_FOLD_TYPES);
        job.op = ops[test.below(6)];
    } while (fsh_fold_size(job.type, job.op) == 0);
    job.shape.call = (enum fsh_program_call)test.below(FSH_PROGRAM_CALLS);
    job.shape.size = 1 + test.below(nodes);
    std::vector<unsigned> all;
    for (unsigned n = 0; n < nodes; n++)
        all.push_back(n);
    for (unsigned i = 0; i < job.shape.size; i++) {
        std::swap(all[i], all[i + test.below(nodes - i)]);
        job.nodes.push_back(all[i]);
    }
    switch (job.shape.call) {
    case FSH_PROGRAM_BROADCAST:
    case FSH_PROGRAM_SCATTER:
    case FSH_PROGRAM_GATHER:
    case FSH_PROGRAM_REDUCE:
        job.shape.root = test.below(job.shape.size);
        break;
    case FSH_PROGRAM_SCAN:
        job.shape.exclusive = test.below(2);
        break;
    default:
        break;
    }
    while (fsh_program_algorithms[count] != NULL)
        count++;
    do
        job.algorithm = fsh_program_algorithms[test.below(count)];
    while (!fsh_program_does(job.algorithm, job.shape.call));
    uint32_t blocks = job.algorithm->blocks(&job.shape);
    size_t size = fsh_fold_size(job.type, job.op);
    switch (test.below(3)) {
    case 0:
        job.block = 64 * (1 + test.below(3));
        break;
    case 1:
        job.block = 64 * test.below(40);
        break;
    default: // any length, where blocks need not be aligned
        job.block =
            blocks == 1 ? size * test.below((uint32_t)(3000 / size)) : 64;
        break;
    }
    return job;
}

// Cycles from the first command to the last end, without stalls or network.
uint64_t pace(tb::Test &test, enum fsh_program_call call, const char *algorithm,
              unsigned nodes, size_t block, unsigned type, unsigned jobs = 1)
{
    Fabric fabric(test, nodes);
    Job job = {};

    job.type = type;
    job.shape.call = call;
    job.shape.size = nodes;
    job.algorithm = fsh_program_named(algorithm);
    job.block = block;
    job.eager = true;
    for (unsigned n = 0; n < nodes; n++)
        job.nodes.push_back(n);
    for (; job.number < jobs; job.number++)
        if (!fabric.add(job))
            test.fail("no room");
    fabric.run(true);
    std::printf("%u %s by %s, %u nodes, blocks of %zu bytes: %llu cycles\n",
                jobs, fsh_program_call_name(call), algorithm, nodes, block,
                (unsigned long long)fabric.took);
    return fabric.took;
}

// Cycles a packet, where each rank of a ring gets and sends one at a time: the difference
// that eight more a step make.
void keeps_up(tb::Test &test, const char *what, enum fsh_program_call call,
              unsigned nodes, unsigned type, uint64_t most)
{
    uint64_t few = pace(test, call, "ring", nodes, 8 * packet_bytes, type);
    uint64_t many = pace(test, call, "ring", nodes, 16 * packet_bytes, type);
    uint64_t each = (many - few) / (8 * (nodes - 1));

    std::printf("%s: %llu cycles a packet\n", what, (unsigned long long)each);
    if (each > most)
        test.fail("%s: %llu cycles a packet", what, (unsigned long long)each);
}

// One engine alone: what it says of a descriptor, or of packets.
class Alone
{
  public:
    explicit Alone(tb::Test &test) : engine(test, 0, memory_bytes), test_(test)
    {
        plain.flag(coll::HEAD, true);
        plain.flag(coll::TAIL, true);
        plain.flag(coll::OWN, true);
        plain.flag(coll::STORE, true);
        plain.put(coll::BYTES, 24, 64);
        plain.put(coll::COOKIE, 11, 77);
        plain.put(coll::JOB, 8, 3);
        plain.put(coll::VP, 11, vp);
        plain.put(coll::SEQ, 8, 9);
        plain.put(coll::OWN_ADDR, 32, 100);
        plain.put(coll::STORE_ADDR, 32, 200);
    }

    End run(const Descriptor &d)
    {
        set(0, d);
        engine.start(0);
        return end();
    }

    void set(uint32_t line, const Descriptor &d)
    {
        std::memcpy(&engine.memory[line * 64], d.line.data(), 64);
    }

    End end()
    {
        test_.until(
            "the end", 20000, [&] { return !engine.ends.empty(); },
            [&] {
                engine.cycle();
                test_.cycle++;
            });
        End end = engine.ends.front();
        engine.ends.pop_front();
        return end;
    }

    void cycles(int n)
    {
        while (n-- > 0) {
            engine.cycle();
            test_.cycle++;
        }
    }

    void expect(const char *what, const End &end, unsigned status)
    {
        if (end.status != status || end.cookie != 77)
            test_.fail("%s: status %u cookie %u, not %u", what, end.status,
                       end.cookie, status);
    }

    Engine engine;
    Descriptor plain;

  private:
    tb::Test &test_;
};

const unsigned OK = 0, BAD_COMMAND = 1, BAD_LENGTH = 3, MEMORY = 8, TIMEOUT = 9;

void malformed(tb::Test &test)
{
    Alone alone(test);
    struct {
        const char *what;
        unsigned at, width;
        uint64_t value;
    } wrong[] = {
        {"not a head", coll::HEAD, 1, 0},
        {"17 sources", coll::COUNT, 5, 17},
        {"local operand and a packet, not combined", coll::COUNT, 5, 1},
        {"given and local", coll::GIVEN, 1, 1},
        {"AND of FP32", coll::REDUCE, 1, 1},
        {"more than 8192 packets", coll::BYTES, 24, (1 << 23) + 1},
        {"no value", coll::OWN, 1, 0},
        {"a reserved bit", coll::OP + 4, 1, 1},
        {"another", coll::BYTES + 24 + 135, 1, 1},
    };

    alone.expect("well formed", alone.run(alone.plain), OK);
    for (auto &w : wrong) {
        Descriptor d = alone.plain;
        d.put(coll::KIND, 3, FSH_FOLD_FLOAT);
        d.put(coll::OP, 4, FSH_FOLD_AND);
        d.put(w.at, w.width, w.value);
        alone.expect(w.what, alone.run(d), BAD_COMMAND);
    }
    Descriptor far = alone.plain;
    far.flag(coll::OWN, false);
    far.put(coll::COUNT, 5, 1);
    far.put(coll::SOURCES, 8, 64);
    alone.expect("no such node", alone.run(far), BAD_COMMAND);
    alone.engine.broken_read = 100;
    alone.expect("operand cannot be read", alone.run(alone.plain), MEMORY);
    alone.engine.broken_read = 0;
    End end = alone.run(alone.plain);
    if (end.status != MEMORY)
        test.fail("descriptor cannot be read: status %u", end.status);
    alone.engine.broken_read = UINT32_MAX;
    alone.expect("after all that", alone.run(alone.plain), OK);
}

// An operand that cannot be read is neither combined nor sent, and what came for it is gone.
void unreadable(tb::Test &test)
{
    Alone alone(test);
    Descriptor d = alone.plain;
    Packet packet = {6, 0, 0, 64, {Line{}}};

    fsh_colladdr_set_job(&packet.addr, 3);
    fsh_colladdr_set_vp(&packet.addr, vp);
    fsh_colladdr_set_seq(&packet.addr, 9);
    fsh_colladdr_set_eager(&packet.addr, 1);
    d.flag(coll::REDUCE, true);
    d.flag(coll::SEND, true);
    d.flag(coll::EAGER, true);
    d.put(coll::DEST, 8, 5);
    d.put(coll::DEST_VP, 11, vp);
    d.put(coll::KIND, 3, FSH_FOLD_FLOAT);
    d.put(coll::COUNT, 5, 1);
    d.put(coll::SOURCES, 8, 6);
    alone.engine.receive(packet);
    alone.engine.broken_read = 100;
    alone.expect("operand to be combined", alone.run(d), MEMORY);
    alone.cycles(100);
    if (!alone.engine.sent.empty() || alone.engine.used() != 0)
        test.fail("%zu packets sent, %u kept", alone.engine.sent.size(),
                  alone.engine.used());
    d.flag(coll::REDUCE, false);
    d.put(coll::COUNT, 5, 0);
    d.put(coll::BYTES, 24, 3 * packet_bytes);
    alone.engine.broken_read = 100 + packet_bytes / 64;
    alone.expect("operand to be sent", alone.run(d), MEMORY);
    alone.cycles(100);
    if (alone.engine.sent.size() > 1)
        test.fail("%zu packets sent", alone.engine.sent.size());
}

// A value that stands in the descriptor.
void given(tb::Test &test)
{
    Alone alone(test);
    Descriptor d = alone.plain;
    uint64_t value = test.bits();

    d.flag(coll::OWN, false);
    d.flag(coll::GIVEN, true);
    d.put(coll::BYTES, 24, 8);
    d.put(coll::SOURCES, 64, value);
    alone.engine.memory[200 * 64 + 8] = 0x5a;
    alone.expect("given", alone.run(d), OK);
    if (std::memcmp(&alone.engine.memory[200 * 64], &value, 8) != 0 ||
        alone.engine.memory[200 * 64 + 8] != 0x5a)
        test.fail("the value given is not what is stored");
    d.flag(coll::STORE, false);
    d.flag(coll::POST, true);
    d.put(coll::POST_ADDR, 32, 300);
    alone.engine.memory[200 * 64] ^= 1;
    alone.expect("given, to host memory", alone.run(d), OK);
    if (std::memcmp(&alone.engine.host[300 * 64], &value, 8) != 0 ||
        alone.engine.memory[200 * 64] == (uint8_t)value)
        test.fail("it is not in host memory, or not there alone");
}

// A source that never sends, while another sequence runs past; the packet that comes
// twice; what comes too late.
void missing(tb::Test &test)
{
    Alone alone(test);
    Descriptor d = alone.plain, other = alone.plain;
    Packet packet = {6, 0, 0, 64, {Line{}}};

    fsh_colladdr_set_job(&packet.addr, 3);
    fsh_colladdr_set_vp(&packet.addr, vp);
    fsh_colladdr_set_seq(&packet.addr, 9);
    fsh_colladdr_set_eager(&packet.addr, 1);
    d.flag(coll::OWN, false);
    d.put(coll::COUNT, 5, 1);
    d.put(coll::SOURCES, 8, 6);
    alone.set(0, d);
    alone.set(1, other);
    alone.engine.start(0);
    alone.cycles(500);
    alone.engine.start(1);
    alone.expect("not behind one that waits", alone.end(), OK);
    for (int i = 0; i < 2; i++) {
        alone.engine.tick = true;
        alone.cycles(1);
        alone.engine.tick = false;
        alone.cycles(500);
    }
    if (!alone.engine.ends.empty())
        test.fail("given up too early");
    alone.engine.tick = true;
    alone.cycles(1);
    alone.engine.tick = false;
    End end = alone.end();
    alone.expect("nobody sends", end, TIMEOUT);
    if (end.source != 6 || end.step != 9)
        test.fail("waited for node %u step %u", end.source, end.step);
    alone.engine.receive(packet);
    alone.engine.receive(packet);
    alone.cycles(3000);
    if (alone.engine.bad != 1 || alone.engine.used() != 1)
        test.fail("%u packets dropped, %u kept", alone.engine.bad,
                  alone.engine.used());
    alone.expect("it is there", alone.run(d), OK);
    alone.cycles(500); // CONSUMED has left
    packet.bytes = 32;
    alone.engine.receive(packet);
    alone.expect("too short", alone.run(d), BAD_LENGTH);
    if (alone.engine.used() != 0)
        test.fail("its slot is not free");
}

} // namespace

int main(int argc, char **argv)
{
    tb::Test test("tb_fsh_coll", argc, argv);
    unsigned long long jobs = 0, posted = 0;
    int rounds = argc > 2 ? std::atoi(argv[2]) : 60;

    malformed(test);
    unreadable(test);
    given(test);
    missing(test);
    for (int round = 0; round < rounds; round++) {
        unsigned nodes = 2 + test.below(7);
        Fabric fabric(test, nodes);
        for (unsigned j = 0, n = 1 + test.below(6); j < n; j++)
            fabric.add(random_job(test, j, nodes));
        fabric.run(false);
        jobs += fabric.jobs();
        posted += fabric.posted;
    }
    if (posted == 0)
        test.fail("nothing was written to host memory");
    uint64_t level = (pace(test, FSH_PROGRAM_BARRIER, "dissemination", 8, 0,
                           FSH_FOLD_FLOAT) -
                      pace(test, FSH_PROGRAM_BARRIER, "dissemination", 2, 0,
                           FSH_FOLD_FLOAT)) /
                     2;
    if (level > 30)
        test.fail("a level of a barrier takes %llu cycles",
                  (unsigned long long)level);
    // A link brings a packet of 1 KiB in 66 cycles, header and all.
    keeps_up(test, "combined, FP32", FSH_PROGRAM_REDUCE_SCATTER, 4,
             FSH_FOLD_FLOAT, 66);
    keeps_up(test, "passed on", FSH_PROGRAM_ALLGATHER, 4, FSH_FOLD_FLOAT, 66);
    keeps_up(test, "combined, FP64", FSH_PROGRAM_REDUCE_SCATTER, 4,
             FSH_FOLD_DOUBLE, 100);
    pace(test, FSH_PROGRAM_ALLREDUCE, "doubling", 2, 64, FSH_FOLD_FLOAT);
    pace(test, FSH_PROGRAM_ALLREDUCE, "doubling", 8, 64, FSH_FOLD_FLOAT);
    pace(test, FSH_PROGRAM_ALLREDUCE, "doubling", 2, 8192, FSH_FOLD_FLOAT);
    pace(test, FSH_PROGRAM_ALLREDUCE, "doubling", 2, 16384, FSH_FOLD_FLOAT);
    pace(test, FSH_PROGRAM_ALLREDUCE, "doubling", 2, 8192, FSH_FOLD_DOUBLE);
    pace(test, FSH_PROGRAM_ALLREDUCE, "doubling", 2, 16384, FSH_FOLD_DOUBLE);
    pace(test, FSH_PROGRAM_ALLREDUCE, "doubling", 2, 8192, FSH_FOLD_FLOAT, 2);
    pace(test, FSH_PROGRAM_ALLREDUCE, "doubling", 2, 16384, FSH_FOLD_FLOAT, 2);
    return test.pass(jobs, "collectives");
}
