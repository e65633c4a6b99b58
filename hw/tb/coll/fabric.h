// SPDX-License-Identifier: BSD-3-Clause
// Engines joined by a network that delays and reorders, and jobs for them: programs of
// src/coll/program as sequences in their memories, and the same programs run step by step
// with src/coll/fold, which all memory is compared with.
#ifndef FSH_TB_COLL_FABRIC_H
#define FSH_TB_COLL_FABRIC_H

#include <algorithm>
#include <map>
#include "engine.h"
extern "C" {
#include "compute/number/block.h"
#include "coll/fold/fold.h"
#include "coll/program/program.h"
}

namespace coll
{

const size_t memory_bytes = 1 << 20;
const unsigned packet_bytes = 1024, vp = 3;
const unsigned coded_bytes = 3840; // FP32 in an encoded packet

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
    bool eager, post, bfp, again;
    size_t block; // bytes
    std::vector<Program> ranks;
    unsigned team = vp;
    int cookie = -1; // if not of number and rank

    // From block to block. Encoded, one may end anywhere.
    size_t pitch() const
    {
        return bfp ? (block + 63) / 64 * 64 : block;
    }

    size_t at(unsigned rank, const fsh_program_range &r) const
    {
        const Program &p = ranks[rank];
        bool own = r.first == rank && r.count == 1;
        size_t offset = r.first * pitch();
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
            size_t each = bfp ? coded_bytes : packet_bytes;
            n += s.sources * std::max<size_t>(1, (bytes(s) + each - 1) / each);
        }
        return n;
    }
};

// Does a step send what the one before it has made or sent, a packet at most?
inline bool sent_again(const Job &job, const Program &p, uint32_t i)
{
    const fsh_program_step &s = p.p->step[i];

    if (i == 0 || !job.again || job.bfp || s.sources != 0 ||
        s.dest == FSH_PROGRAM_NOBODY || s.store.place != FSH_PROGRAM_NONE ||
        job.bytes(s) == 0 || job.bytes(s) > packet_bytes)
        return false;
    const fsh_program_step &b = p.p->step[i - 1];
    const fsh_program_range &made =
        b.store.place == FSH_PROGRAM_NONE && b.sources == 0 ? b.local : b.store;
    return s.local.place == made.place && s.local.first == made.first &&
           s.local.count == made.count;
}

inline Line descriptor(const Job &job, unsigned rank, uint32_t i)
{
    const Program &p = job.ranks[rank];
    const fsh_program_step &s = p.p->step[i];
    Descriptor d;

    d.flag(HEAD, i == 0);
    d.flag(TAIL, i + 1 == p.p->steps);
    bool again = sent_again(job, p, i);
    d.flag(AGAIN, again);
    d.flag(OWN, s.local.place != FSH_PROGRAM_NONE && !again);
    d.flag(REDUCE, s.reduce);
    d.flag(BFP, job.bfp);
    d.flag(STORE, s.store.place != FSH_PROGRAM_NONE);
    d.flag(SEND, s.dest != FSH_PROGRAM_NOBODY);
    d.put(JOB, 8, job.number);
    d.put(VP, 11, job.team);
    d.put(SEQ, 8, s.seq);
    d.put(COUNT, 5, s.sources);
    d.put(KIND, 3, job.type);
    d.put(OP, 4, job.op);
    d.flag(EAGER, job.eager && s.dest != FSH_PROGRAM_NOBODY);
    d.put(COOKIE, 11, job.cookie < 0 ? job.number << 3 | rank : job.cookie);
    if (s.dest != FSH_PROGRAM_NOBODY)
        d.put(DEST, 8, job.nodes[s.dest]);
    d.put(DEST_VP, 11, job.team);
    d.put(DEST_SEQ, 8, s.dest_seq);
    d.put(BYTES, 24, job.bytes(s));
    for (unsigned k = 0; k < s.sources; k++)
        d.put(SOURCES + 8 * k, 8, job.nodes[s.source[k]]);
    if (s.local.place != FSH_PROGRAM_NONE && !again)
        d.put(OWN_ADDR, 32, job.at(rank, s.local) / 64);
    if (s.store.place != FSH_PROGRAM_NONE)
        d.put(STORE_ADDR, 32, job.at(rank, s.store) / 64);
    if (s.store.place != FSH_PROGRAM_NONE && job.post) {
        d.flag(POST, true);
        d.put(POST_ADDR, 32, job.at(rank, s.store) / 64);
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
        if (job_.bfp)
            travel(value);
        if (s.store.place != FSH_PROGRAM_NONE && bytes)
            std::memcpy(&(*memory_[rank])[job_.at(rank, s.store)], value.data(),
                        bytes);
        if (s.dest != FSH_PROGRAM_NOBODY)
            packet_[key(s.dest, rank, s.dest_seq)] = value;
        return true;
    }

    // There and back, encoded.
    static void travel(Value &value)
    {
        const struct fsh_bfp_format format = FSH_BFP_16_8_7;

        for (size_t at = 0; at < value.size(); at += 64) {
            size_t n = std::min<size_t>(64, value.size() - at);
            float x[16] = {};
            uint16_t fields[16];

            std::memcpy(x, &value[at], n);
            unsigned code = fsh_bfp_encode_block(&format, x, fields);
            for (int i = 0; i < 16; i++)
                x[i] = fsh_bfp_decode_value(&format, code, fields[i]);
            std::memcpy(&value[at], x, n);
        }
    }

    const Job &job_;
    std::vector<std::vector<uint8_t> *> memory_;
    std::map<uint64_t, Value> packet_;
};

class Fabric
{
  public:
    // room: for packets that a node gets; memory: bytes of each.
    Fabric(tb::Test &test, unsigned nodes, size_t room = 48,
           size_t memory = memory_bytes)
        : test_(test), room_(room), memory_(memory)
    {
        for (unsigned n = 0; n < nodes; n++) {
            engines_.push_back(std::make_unique<Engine>(test, n, memory));
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
            fits &= (load[job.nodes[r]] += job.packets(r)) <= room_;
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

    // Runs the jobs; memory must be as it is after the programs. Nodes with a bit of
    // `opposite` are told of the last job first, others of the first; in a hurry each node
    // `apart` cycles after the one before it.
    void run(bool hurry, unsigned opposite = 0, unsigned apart = 0)
    {
        auto want = prepare(hurry);
        size_t ends = 0;
        for (Job &job : jobs_)
            for (unsigned r = 0; r < job.ranks.size(); r++) {
                if (job.ranks[r].p->steps == 0)
                    continue;
                unsigned wait = hurry      ? apart * job.nodes[r]
                                : opposite ? 0
                                           : test_.below(300);
                waiting_.push_back({job.nodes[r], job.ranks[r].list, wait});
                if (opposite & job.nodes[r])
                    std::rotate(waiting_.begin(), waiting_.end() - 1,
                                waiting_.end());
                ends++;
            }
        size_t got = 0;
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
                flying_.push_back({e->sent.front(), way(e->sent.front())});
            for (; !e->told.empty(); e->told.pop_front())
                notes_.push_back({e->told.front(), links ? note_way : delay()});
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
    // As in a card: packets stand in places until they are read, two of a link ahead of it,
    // occupy the link to their destination one after the other, and come later; so do
    // messages and what memory is asked for.
    static const unsigned link_packet = 66, packet_way = 50, note_way = 80;
    static const unsigned memory_way = 45,
                          places = 16; // PLACES of fsh_coll_pkg
    bool links = false;
    size_t jobs() const
    {
        return jobs_.size();
    }

    size_t encoded() const
    {
        size_t n = 0;
        for (const Job &job : jobs_)
            n += job.bfp && job.block != 0;
        return n;
    }

  protected:
    // Memory as it is after the programs.
    std::vector<std::vector<uint8_t>> prepare(bool hurry)
    {
        std::vector<std::vector<uint8_t>> want;

        hurry_ = hurry;
        for (auto &e : engines_) {
            e->hurry = hurry;
            e->read_way = links ? memory_way : 0;
            e->places = links ? places : UINT_MAX;
            want.push_back(e->memory);
        }
        for (Job &job : jobs_) {
            std::vector<std::vector<uint8_t> *> memory;
            for (unsigned node : job.nodes)
                memory.push_back(&want[node]);
            Reference(job, memory).run(test_);
        }
        return want;
    }

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

    struct Link {
        uint64_t read = 0, before = 0,
                 last = 0; // ends: of a read, of the last two packets
    };

    int64_t way(const Packet &p)
    {
        const unsigned command = 12, beats = 64, head = 8;

        if (!links)
            return delay();
        Link &l = link_[(uint64_t)p.source << 32 | p.dest];
        uint64_t now = test_.cycle;
        uint64_t read = std::max(now + command, l.read);
        if (l.before > beats)
            read = std::max(read, l.before - beats + head);
        l.read = read + beats;
        l.before = l.last;
        l.last = std::max(read + head, l.last) + link_packet;
        engines_[p.source]->in_place.push_back(l.read);
        return (int64_t)(l.last + packet_way - now);
    }

    unsigned delay()
    {
        return hurry_ ? 0 : test_.below(test_.below(8) ? 100 : 3000);
    }

    size_t allocate(unsigned node, size_t bytes)
    {
        size_t at = used_[node];
        used_[node] += (bytes + 127) / 64 * 64;
        if (used_[node] > memory_)
            test_.fail("the bench has no memory left");
        return at;
    }

    void place(Job &job)
    {
        for (unsigned r = 0; r < job.ranks.size(); r++) {
            Program &p = job.ranks[r];
            unsigned node = job.nodes[r];
            size_t all = p.p->blocks * job.pitch();
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
            if (e.bad() || e.used())
                test_.fail("node %u: %u packets dropped, %u left", n, e.bad(),
                           e.used());
            if (e.fates[coll::KEPT] != e.fates[coll::GONE])
                test_.fail("node %u: %u packets were whole, %u have left", n,
                           e.fates[coll::KEPT], e.fates[coll::GONE]);
            for (size_t i = 0; i < memory_; i++) {
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
    size_t room_, memory_;
    std::vector<std::unique_ptr<Engine>> engines_;
    std::vector<size_t> used_, load_;
    std::vector<Job> jobs_;
    std::vector<Waiting> waiting_;
    std::vector<Flying> flying_;
    std::vector<Told> notes_;
    std::map<uint64_t, Link> link_; // by source and destination
    uint64_t started_ = test_.cycle;
    bool hurry_ = false;
};

} // namespace coll

#endif
