// SPDX-License-Identifier: BSD-3-Clause
// Engines of 2 to 8 nodes, joined by a network that delays and reorders, run programs of
// src/coll/program: every call and algorithm, teams of some of the nodes, several at once,
// random data, random stalls. All memory must be what the same programs leave that are
// run step by step with src/coll/fold; what is written to host memory, too, is the same
// there. Then what must not run: malformed descriptors, a read error, a peer that does not
// send, packets that come twice or too late; steps of many packets of several jobs at once;
// and what a level takes.
#include <algorithm>
#include <array>

#include "fabric.h"

namespace
{

using namespace coll;

const unsigned ops[] = {FSH_FOLD_SUM, FSH_FOLD_MIN, FSH_FOLD_MAX,
                        FSH_FOLD_AND, FSH_FOLD_OR,  FSH_FOLD_XOR};

// An encoded all-reduce, with blocks that end anywhere.
void encode(tb::Test &test, Job &job)
{
    job.bfp = true;
    job.type = FSH_FOLD_FLOAT;
    job.op = FSH_FOLD_SUM;
    job.shape.call = FSH_PROGRAM_ALLREDUCE;
    job.shape.root = 0;
    job.shape.exclusive = false;
    job.algorithm = fsh_program_named("ring");
    job.block = 4 * test.below(test.below(2) ? 40 : 2300);
}

// Random: a call, an algorithm that does it, a team, a size.
Job random_job(tb::Test &test, unsigned number, unsigned nodes)
{
    Job job = {};
    unsigned count = 0;

    job.number = number;
    job.eager = test.below(2);
    job.post = test.below(2);
    job.again = test.below(2);
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
    if (job.shape.size > 1 && test.below(3) == 0)
        encode(test, job);
    return job;
}

// Cycles from the first command to the last end, without stalls or network; nodes start
// `apart` cycles after each other.
uint64_t pace(tb::Test &test, enum fsh_program_call call, const char *algorithm,
              unsigned nodes, size_t block, unsigned type, unsigned jobs = 1,
              bool bfp = false, unsigned apart = 0)
{
    Fabric fabric(test, nodes, SIZE_MAX);
    Job job = {};

    job.type = type;
    job.bfp = bfp;
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
    fabric.run(true, 0, apart);
    std::printf("%u %s by %s, %u nodes, blocks of %zu bytes: %llu cycles\n",
                jobs, fsh_program_call_name(call), algorithm, nodes, block,
                (unsigned long long)fabric.took);
    return fabric.took;
}

// Cycles a packet, where each rank of a ring gets and sends one at a time: the difference
// that eight more a step make. Nodes that start in the same cycle stay in step, which is
// the best case; `most` holds for others, too.
void keeps_up(tb::Test &test, const char *what, enum fsh_program_call call,
              unsigned type, uint64_t most, bool bfp = false)
{
    const unsigned nodes = 4;
    unsigned steps = (nodes - 1) * (call == FSH_PROGRAM_ALLREDUCE ? 2 : 1);
    size_t bytes = 8 * (bfp ? coded_bytes : packet_bytes);

    for (unsigned apart = 0; apart < 4; apart++) {
        uint64_t few =
            pace(test, call, "ring", nodes, bytes, type, 1, bfp, apart);
        uint64_t many =
            pace(test, call, "ring", nodes, 2 * bytes, type, 1, bfp, apart);
        uint64_t each = (many - few) / (8 * steps);
        std::printf("%s, %u apart: %llu cycles a packet\n", what, apart,
                    (unsigned long long)each);
        if (each > most)
            test.fail("%s: %llu cycles a packet", what,
                      (unsigned long long)each);
    }
}

// One engine alone: what it says of a descriptor, or of packets.
class Alone
{
  public:
    explicit Alone(tb::Test &test) : engine(test, 0, memory_bytes), test_(test)
    {
        plain.flag(HEAD, true);
        plain.flag(TAIL, true);
        plain.flag(OWN, true);
        plain.flag(STORE, true);
        plain.put(BYTES, 24, 64);
        plain.put(COOKIE, 11, 77);
        plain.put(JOB, 8, 3);
        plain.put(VP, 11, vp);
        plain.put(SEQ, 8, 9);
        plain.put(OWN_ADDR, 32, 100);
        plain.put(STORE_ADDR, 32, 200);
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

    void ticks(int n)
    {
        while (n-- > 0) {
            engine.tick = true;
            cycles(1);
            engine.tick = false;
            cycles(500);
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
        {"not a head", HEAD, 1, 0},
        {"17 sources", COUNT, 5, 17},
        {"local operand and a packet, not combined", COUNT, 5, 1},
        {"given and local", GIVEN, 1, 1},
        {"AND of FP32", REDUCE, 1, 1},
        {"more than 8192 packets", BYTES, 24, (1 << 23) + 1},
        {"no value", OWN, 1, 0},
        {"again, with an operand", AGAIN, 1, 1},
        {"a reserved bit", OP + 4, 1, 1},
        {"another", BYTES + 24 + 135, 1, 1},
    };

    alone.expect("well formed", alone.run(alone.plain), OK);
    for (auto &w : wrong) {
        Descriptor d = alone.plain;
        d.put(KIND, 3, FSH_FOLD_FLOAT);
        d.put(OP, 4, FSH_FOLD_AND);
        d.put(w.at, w.width, w.value);
        alone.expect(w.what, alone.run(d), BAD_COMMAND);
    }
    Descriptor far = alone.plain;
    far.flag(OWN, false);
    far.put(COUNT, 5, 1);
    far.put(SOURCES, 8, 64);
    Descriptor coded = alone.plain;
    coded.flag(BFP, true);
    alone.expect("integers, encoded", alone.run(coded), BAD_COMMAND);
    coded.put(KIND, 3, FSH_FOLD_FLOAT);
    coded.put(OP, 4, FSH_FOLD_MAX);
    Descriptor again = alone.plain;
    again.flag(OWN, false);
    again.flag(STORE, false);
    again.flag(AGAIN, true);
    alone.expect("again, but first", alone.run(again), BAD_COMMAND);
    alone.expect("the largest, encoded", alone.run(coded), BAD_COMMAND);
    alone.expect("no such node", alone.run(far), BAD_COMMAND);
    alone.engine.broken_read = 100;
    alone.expect("operand cannot be read", alone.run(alone.plain), MEMORY);
    alone.engine.broken_read = 0;
    End end = alone.run(alone.plain);
    if (end.status != MEMORY)
        test.fail("descriptor cannot be read: status %u", end.status);
    // Descriptors are read together; one that cannot be is an error of its own step only.
    alone.engine.broken_read = 1;
    alone.expect("the line behind cannot be read", alone.run(alone.plain), OK);
    Descriptor first = alone.plain, last = alone.plain;
    first.flag(TAIL, false);
    last.flag(HEAD, false);
    alone.set(1, last);
    end = alone.run(first);
    if (end.status != MEMORY)
        test.fail("second descriptor cannot be read: status %u", end.status);
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
    d.flag(REDUCE, true);
    d.flag(SEND, true);
    d.flag(EAGER, true);
    d.put(DEST, 8, 5);
    d.put(DEST_VP, 11, vp);
    d.put(KIND, 3, FSH_FOLD_FLOAT);
    d.put(COUNT, 5, 1);
    d.put(SOURCES, 8, 6);
    alone.engine.receive(packet);
    alone.engine.broken_read = 100;
    alone.expect("operand to be combined", alone.run(d), MEMORY);
    alone.cycles(100);
    if (!alone.engine.sent.empty() || alone.engine.used() != 0)
        test.fail("%zu packets sent, %u kept", alone.engine.sent.size(),
                  alone.engine.used());
    d.flag(REDUCE, false);
    d.put(COUNT, 5, 0);
    d.put(BYTES, 24, 3 * packet_bytes);
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

    d.flag(OWN, false);
    d.flag(GIVEN, true);
    d.put(BYTES, 24, 8);
    d.put(SOURCES, 64, value);
    alone.engine.memory[200 * 64 + 8] = 0x5a;
    alone.expect("given", alone.run(d), OK);
    if (std::memcmp(&alone.engine.memory[200 * 64], &value, 8) != 0 ||
        alone.engine.memory[200 * 64 + 8] != 0x5a)
        test.fail("the value given is not what is stored");
    d.flag(STORE, false);
    d.flag(POST, true);
    d.put(POST_ADDR, 32, 300);
    alone.engine.memory[200 * 64] ^= 1;
    alone.expect("given, to host memory", alone.run(d), OK);
    if (std::memcmp(&alone.engine.host[300 * 64], &value, 8) != 0 ||
        alone.engine.memory[200 * 64] == (uint8_t)value)
        test.fail("it is not in host memory, or not there alone");
}

Packet make_packet(unsigned from, unsigned seq, unsigned team, bool eager,
                   unsigned job = 3)
{
    Packet p = {from, 0, 0, 64, {Line{}}};

    fsh_colladdr_set_job(&p.addr, job);
    fsh_colladdr_set_vp(&p.addr, team);
    fsh_colladdr_set_seq(&p.addr, seq);
    fsh_colladdr_set_eager(&p.addr, eager);
    return p;
}

void settle(tb::Test &test, Alone &alone)
{
    test.until(
        "nothing to do", 20000, [&] { return alone.engine.idle(); },
        [&] { alone.cycles(1); });
}

// Of a step's packets that go eagerly the second leaves when the first is given back, without
// a grant.
void given_back(tb::Test &test)
{
    Alone alone(test);
    Engine &engine = alone.engine;
    Descriptor d = alone.plain;

    d.flag(STORE, false);
    d.flag(SEND, true);
    d.flag(EAGER, true);
    d.put(DEST, 8, 5);
    d.put(DEST_VP, 11, vp);
    d.put(BYTES, 24, 2 * packet_bytes);
    alone.set(0, d);
    engine.start(0);
    settle(test, alone);
    if (engine.sent.size() != 1)
        test.fail("%zu packets sent eagerly", engine.sent.size());
    engine.hear(
        {5, 0, FSH_COLLMSG_CONSUMED, key_of(engine.sent.front().addr)});
    alone.expect("both sent", alone.end(), OK);
    settle(test, alone);
    if (engine.sent.size() != 2)
        test.fail("%zu packets sent", engine.sent.size());
}

// A source that never sends, while another sequence runs past; the packet that comes
// twice; what comes too late.
void missing(tb::Test &test)
{
    Alone alone(test);
    Descriptor d = alone.plain, other = alone.plain;
    Packet packet = make_packet(6, 9, vp, true);

    d.flag(OWN, false);
    d.put(COUNT, 5, 1);
    d.put(SOURCES, 8, 6);
    alone.set(0, d);
    alone.set(1, other);
    alone.engine.start(0);
    alone.cycles(500);
    alone.engine.start(1);
    alone.expect("not behind one that waits", alone.end(), OK);
    alone.ticks(2);
    if (!alone.engine.ends.empty())
        test.fail("given up too early");
    alone.ticks(1);
    End end = alone.end();
    alone.expect("nobody sends", end, TIMEOUT);
    if (end.source != 6 || end.step != 9)
        test.fail("waited for node %u step %u", end.source, end.step);
    alone.engine.receive(packet);
    alone.cycles(3000);
    if (alone.engine.fates[STALE] != 1 || alone.engine.used() != 0)
        test.fail("too late: %u packets dropped, %u kept", alone.engine.bad(),
                  alone.engine.used());
    alone.engine.start(0);
    settle(test, alone);
    alone.engine.receive(packet);
    alone.expect("the same job again", alone.end(), OK);
    alone.cycles(500); // CONSUMED has left
    d.put(JOB, 8, 4);
    packet = make_packet(6, 9, vp, true, 4);
    alone.engine.receive(packet);
    alone.engine.receive(packet);
    alone.cycles(3000);
    if (alone.engine.fates[TWICE] != 1 || alone.engine.bad() != 2 ||
        alone.engine.used() != 1)
        test.fail("%u packets dropped, %u kept", alone.engine.bad(),
                  alone.engine.used());
    alone.expect("it is there", alone.run(d), OK);
    alone.cycles(500); // CONSUMED has left
    packet.bytes = 32;
    alone.engine.receive(packet);
    alone.expect("too short", alone.run(d), BAD_LENGTH);
    if (alone.engine.used() != 0)
        test.fail("its slot is not free");
}

// Forged packets: each is counted once, for its reason, and changes nothing else.
class Forger
{
  public:
    explicit Forger(tb::Test &test) : alone(test), test_(test) {}

    void send(const char *what, Fate fate, const Packet &p)
    {
        alone.engine.receive(p);
        alone.cycles(300);
        expect(what, fate);
    }

    void expect(const char *what, Fate fate)
    {
        before_[fate]++;
        for (int i = 0; i < FATES; i++)
            if (alone.engine.fates[i] != before_[i])
                test_.fail("%s: fate %d is counted %u times, not %u", what, i,
                           alone.engine.fates[i], before_[i]);
    }

    Alone alone;

  private:
    tb::Test &test_;
    std::array<unsigned, FATES> before_ = {};
};

void forged(tb::Test &test)
{
    Forger forger(test);
    Engine &engine = forger.alone.engine;
    Packet later = make_packet(6, 9, vp, true);
    unsigned kept = 1;

    later.at = 4;
    forger.send("of no job", UNCLAIMED, make_packet(6, 9, vp, false));
    forger.send("a later piece of none", UNENTITLED, later);
    forger.send("eager", KEPT, make_packet(6, 20, vp, true));
    forger.send("the same again", TWICE, make_packet(6, 20, vp, true));
    forger.send("the same, not eager", TWICE, make_packet(6, 20, vp, false));
    forger.send("a second of its team", UNENTITLED,
                make_packet(6, 21, vp, true));
    forger.send("of a team that has none", UNENTITLED,
                make_packet(6, 21, 100, true));
    if (engine.used() != kept)
        test.fail("%u slots in use, not %u", engine.used(), kept);
    // One of each sender and team, until there is no slot.
    for (unsigned i = 0; engine.fates[FULL] == 0; i++) {
        if (i == 192)
            test.fail("the buffer is never full");
        engine.receive(make_packet(i % 64, 30, i / 64, true));
        forger.alone.cycles(60);
    }
    if (engine.fates[FULL] != 1 || engine.fates[KEPT] != engine.used() ||
        engine.used() < FSH_COLL_SLOTS)
        test.fail("full with %u packets in %u slots", engine.fates[KEPT],
                  engine.used());
}

// A packet whose sequence gives up while it comes.
void forsaken(tb::Test &test)
{
    Forger forger(test);
    Alone &alone = forger.alone;
    Descriptor d = alone.plain;
    Packet packet = make_packet(6, 9, vp, false);

    d.flag(OWN, false);
    d.put(COUNT, 5, 1);
    d.put(SOURCES, 8, 6);
    // Longer than what a sequence may begin with before all of it is here.
    packet.lines.resize(5, Line{});
    packet.bytes = 320;
    alone.set(0, d);
    alone.engine.start(0);
    alone.cycles(300);
    alone.ticks(2);
    alone.engine.hold = true;
    alone.engine.receive(packet);
    alone.cycles(100);
    alone.ticks(1);
    alone.expect("half of it came", alone.end(), TIMEOUT);
    alone.engine.hold = false;
    alone.cycles(100);
    forger.expect("given up while it came", STALE);
    forger.send("once more", UNCLAIMED, packet);
    if (alone.engine.used() != 0)
        test.fail("its slot is not free");
}

// Sequences that end with an error, again and again: what they had claimed, and what came for
// them, is gone when the end is told. A packet of another team stays throughout.
void abandoned(tb::Test &test)
{
    const char *const whats[] = {"nobody sends", "too short", "unreadable",
                                 "no descriptor"};
    const unsigned statuses[] = {TIMEOUT, BAD_LENGTH, MEMORY, BAD_COMMAND};
    Alone alone(test);
    Engine &engine = alone.engine;
    unsigned back = 0;

    engine.receive(make_packet(9, 30, 1, true));
    settle(test, alone);
    for (unsigned round = 1; round <= 32; round++) {
        unsigned kind = test.below(4), packets = kind == 3 ? 1 : 12;
        Descriptor d = alone.plain;
        d.put(JOB, 8, round);
        Descriptor bad = d;
        d.flag(TAIL, false);
        d.flag(OWN, kind == 2);
        d.flag(REDUCE, kind == 2);
        d.put(KIND, 3, FSH_FOLD_FLOAT);
        d.put(BYTES, 24, packets * packet_bytes);
        d.put(COUNT, 5, 1);
        d.put(SOURCES, 8, 6);
        bad.flag(HEAD, false);
        bad.put(VP, 11, 1); // of the other team
        bad.put(COUNT, 5, 17);
        alone.set(0, d);
        alone.set(1, bad);
        engine.broken_read = kind == 2 ? 100 : UINT32_MAX;
        engine.receive(make_packet(6, 40, vp, true, round));
        settle(test, alone);
        engine.start(0);
        settle(test, alone);
        if (kind != 2 && engine.used() != 2 + packets)
            test.fail("%u slots are claimed", engine.used() - 2);
        for (unsigned i = packets; i-- > (kind == 0);) {
            Packet p = make_packet(6, 9, vp, false, round);
            fsh_colladdr_set_high(&p.addr, i >> 5);
            fsh_colladdr_set_low(&p.addr, i & 31);
            if (i && test.below(2))
                continue;
            if (kind != 1 || i) {
                p.bytes = packet_bytes;
                p.lines.resize(packet_bytes / 64);
            }
            engine.receive(p);
        }
        if (kind == 0) {
            settle(test, alone);
            alone.ticks(3);
        }
        alone.expect(whats[kind], alone.end(), statuses[kind]);
        settle(test, alone);
        for (; !engine.told.empty(); engine.told.pop_front())
            back += engine.told.front().op == FSH_COLLMSG_CONSUMED;
        if (engine.used() != 1 ||
            engine.fates[KEPT] != engine.fates[GONE] + 1 || back != round)
            test.fail("%s: %u slots in use, %u packets came, %u left, %u eager "
                      "ones of %u given back",
                      whats[kind], engine.used(), engine.fates[KEPT],
                      engine.fates[GONE], back, round);
    }
    Descriptor d = alone.plain;
    d.flag(OWN, false);
    d.put(VP, 11, 1);
    d.put(SEQ, 8, 30);
    d.put(COUNT, 5, 1);
    d.put(SOURCES, 8, 9);
    alone.expect("the other team", alone.run(d), OK);
}

// Eager packets of jobs that are given up: whenever they come, while they are awaited, swept or
// long after, in a piece or in two, none stays, and each sender is told once that it may send
// the next. Calls go on in between, whose packets come before they begin.
class Late
{
  public:
    explicit Late(tb::Test &test) : alone_(test), test_(test) {}

    void run(unsigned calls)
    {
        for (unsigned job = 0; job < calls; job++) {
            if (job % 24 == 4)
                give_up(job);
            else
                call(job);
            if (job % 24 >= 5 && job % 24 < 21 && test_.below(2))
                late(job, job - job % 24 + 4);
            if (engine_.used() != 0 ||
                engine_.fates[KEPT] != engine_.fates[GONE] || back_ != sent_)
                test_.fail("job %u: %u slots in use, %u packets came, %u left, "
                           "%u of %u are given back",
                           job, engine_.used(), engine_.fates[KEPT],
                           engine_.fates[GONE], back_, sent_);
        }
        if (engine_.bad() != engine_.fates[STALE] || engine_.bad() == 0)
            test_.fail("%u packets are dropped, %u as late", engine_.bad(),
                       engine_.fates[STALE]);
    }

  private:
    Packet packet(unsigned from, unsigned seq, unsigned job)
    {
        Packet p = make_packet(from, seq, vp, true, job % 256);

        p.bytes = 64 * lines_;
        p.lines.resize(lines_);
        sent_++;
        return p;
    }

    // Cycles, so that a piece may come at any of them.
    void send(const Packet &p)
    {
        Packet rest = p;
        unsigned first = test_.below(lines_);

        alone_.cycles(test_.below(150));
        if (first != 0) {
            Packet part = p;
            part.lines.resize(first);
            part.piece = true;
            engine_.receive(part);
            alone_.cycles(test_.below(150));
            rest.at = first;
            rest.lines.resize(lines_ - first);
        }
        engine_.receive(rest);
    }

    Descriptor step(unsigned job)
    {
        Descriptor d = alone_.plain;

        lines_ = 1 + test_.below(test_.below(2) ? 3 : 16);
        d.put(JOB, 8, job % 256);
        d.flag(REDUCE, true);
        d.put(BYTES, 24, 64 * lines_);
        d.put(COUNT, 5, 1);
        d.put(SOURCES, 8, 6);
        return d;
    }

    void call(unsigned job)
    {
        Descriptor d = step(job);

        send(packet(6, 9, job));
        settle(test_, alone_);
        alone_.expect("a call", alone_.run(d), OK);
        finish();
    }

    // Node 63 never sends; others when it is found out.
    void give_up(unsigned job)
    {
        Descriptor d = step(job);
        unsigned first = test_.below(3);

        d.put(COUNT, 5, 2);
        d.put(SOURCES + 8, 8, 63);
        alone_.set(0, d);
        engine_.start(0);
        settle(test_, alone_);
        for (unsigned t = 0; t < 3; t++) {
            engine_.tick = true;
            alone_.cycles(1);
            engine_.tick = false;
            if (t < 2)
                settle(test_, alone_);
        }
        for (unsigned i = 0; i < 3; i++) {
            unsigned k = (i + first) % 3;
            send(packet(6 + k, k ? 50 : 9, job));
        }
        for (unsigned t = 0; engine_.ends.empty(); t++) {
            if (t == 4)
                test_.fail("job %u does not end", job);
            alone_.ticks(1);
        }
        alone_.expect("given up", alone_.end(), TIMEOUT);
        finish();
    }

    void late(unsigned job, unsigned gone)
    {
        if (job == gone)
            return;
        send(packet(6 + test_.below(4), 9 + test_.below(4), gone));
        finish();
    }

    void finish()
    {
        settle(test_, alone_);
        for (; !engine_.told.empty(); engine_.told.pop_front())
            back_ += engine_.told.front().op == FSH_COLLMSG_CONSUMED;
    }

    Alone alone_;
    Engine &engine_ = alone_.engine;
    tb::Test &test_;
    unsigned lines_ = 1, sent_ = 0, back_ = 0;
};

// Steps of an engine alone: descriptor i of a list, which gets `packets` of node 6 and sends
// them to node 5.
Descriptor pass(const Alone &alone, unsigned i, unsigned packets)
{
    Descriptor d = alone.plain;

    d.flag(HEAD, i == 0);
    d.flag(TAIL, false);
    d.flag(OWN, false);
    d.flag(STORE, false);
    d.flag(SEND, true);
    d.put(COUNT, 5, 1);
    d.put(SOURCES, 8, 6);
    d.put(DEST, 8, 5);
    d.put(DEST_VP, 11, vp);
    d.put(SEQ, 8, 9 + i);
    d.put(DEST_SEQ, 8, 9 + i);
    d.put(BYTES, 24, packets * packet_bytes);
    return d;
}

// A look ahead that begins behind the last packet of a step, all of whose writes are done,
// is at the step behind it, not at the one after that.
void between_steps(tb::Test &test)
{
    Alone alone(test);
    Engine &engine = alone.engine;
    Packet first = make_packet(6, 9, vp, false), last = first;

    for (unsigned i = 0; i < 3; i++) {
        Descriptor d = pass(alone, i, 2);
        d.flag(TAIL, i == 2);
        alone.set(i, d);
    }
    // So many that a step's packets are not claimed when it begins.
    for (unsigned i = 0; i < FSH_COLL_SLOTS / 2 + 4; i++)
        engine.receive(make_packet(i, 30, 0, true));
    first.bytes = last.bytes = packet_bytes;
    first.lines.resize(packet_bytes / 64);
    last.lines.resize(packet_bytes / 64);
    fsh_colladdr_set_low(&last.addr, 1);
    fsh_colladdr_set_eager(&last.addr, 1);
    engine.receive(last);
    settle(test, alone);
    engine.start(0);
    settle(test, alone);
    engine.hear({5, 0, FSH_COLLMSG_GRANT, key_of(last.addr)});
    settle(test, alone);
    engine.receive(first);
    settle(test, alone);
    if (engine.sent.size() != 2)
        test.fail("%zu packets sent", engine.sent.size());
    for (const Note &n : engine.told)
        if (n.op == FSH_COLLMSG_GRANT && (n.key >> 8 & 255) > 10)
            test.fail("step %u is claimed before the one in front of it",
                      (unsigned)(n.key >> 8 & 255));
}

// A look ahead claims a step of up to eight packets, and others while there are no more than
// four in each.
void window(tb::Test &test)
{
    const unsigned claims[] = {0, 8, 8, 9, 8, 5, 6, 7, 8};

    for (unsigned packets = 1; packets <= 8; packets++) {
        Alone alone(test);

        for (unsigned i = 0; i < 12; i++) {
            Descriptor d = pass(alone, i, packets);
            d.flag(OWN, i == 0);
            if (i == 0)
                d.put(COUNT, 5, 0);
            alone.set(i, d);
        }
        alone.engine.start(0);
        settle(test, alone);
        if (alone.engine.used() != claims[packets])
            test.fail("%u slots claimed, not %u, with %u packets a step",
                      alone.engine.used(), claims[packets], packets);
    }
}

// Steps of many packets, of as many jobs as there are slots for the packets of two steps of
// each; half of the nodes start them in the opposite order. The whole of any two would not fit.
void many_packets(tb::Test &test, bool hurry)
{
    const char *const algorithms[] = {"ring", "rabenseifner", "doubling"};
    const unsigned nodes = 8, jobs = 4;
    Fabric fabric(test, nodes, SIZE_MAX);
    Job job = {};

    job.type = FSH_FOLD_FLOAT;
    job.shape.call = FSH_PROGRAM_ALLREDUCE;
    job.shape.size = nodes;
    for (unsigned n = 0; n < nodes; n++)
        job.nodes.push_back(n);
    for (; job.number < jobs; job.number++) {
        const char *name = algorithms[test.below(3)];
        job.algorithm = fsh_program_named(name);
        // Eight packets in the longest step.
        job.block = 8 * packet_bytes;
        if (std::strcmp(name, "rabenseifner") == 0)
            job.block = 2 * packet_bytes;
        if (!fabric.add(job))
            test.fail("no room");
    }
    fabric.run(hurry, 1 + test.below(3));
}

// Rings of 8 nodes in both directions, `pairs` sequences of each, which links with latency
// bound, or, encoded, what units and memory take: how much of what links carry, in per cent.
unsigned links_busy(tb::Test &test, unsigned packets, unsigned pairs, bool bfp)
{
    const unsigned nodes = 8;
    Fabric fabric(test, nodes, SIZE_MAX, 4 * memory_bytes);
    Job job = {};

    job.type = FSH_FOLD_FLOAT;
    job.bfp = bfp;
    job.shape.call = FSH_PROGRAM_ALLREDUCE;
    job.shape.size = nodes;
    job.algorithm = fsh_program_named("ring");
    job.block = packets * (bfp ? coded_bytes : packet_bytes);
    job.eager = true;
    for (unsigned n = 0; n < nodes; n++)
        job.nodes.push_back(n);
    for (; job.number < 2 * pairs; job.number++) {
        job.shape.rings = job.number % 2 ? FSH_PROGRAM_BACK : FSH_PROGRAM_FORTH;
        if (!fabric.add(job))
            test.fail("no room");
    }
    fabric.links = true;
    fabric.run(true);
    unsigned least = pairs * 2 * (nodes - 1) * packets * Fabric::link_packet;
    unsigned is = (unsigned)(100ull * least / fabric.took);
    std::printf("rings on links%s, %u packets: %llu cycles, %u %% of what they "
                "carry\n",
                bfp ? ", encoded" : "", packets,
                (unsigned long long)fabric.took, is);
    return is;
}

// Which sequence goes first depends on the registers' first values, and costs some per cent:
// the median of three fabrics is held to a bound, and each to a lower one.
void keeps_links_busy(tb::Test &test, unsigned packets, unsigned pairs,
                      bool bfp, unsigned median, unsigned least)
{
    std::array<unsigned, 3> is;

    for (unsigned &one : is)
        one = links_busy(test, packets, pairs, bfp);
    std::sort(is.begin(), is.end());
    if (is[1] < median || is[0] < least)
        test.fail("links are idle");
}

// What a call takes with the latencies of a card, by so many jobs at once.
uint64_t on_links(tb::Test &test, enum fsh_program_call call,
                  const struct fsh_program_algorithm *algorithm, size_t block,
                  unsigned jobs, bool again)
{
    const unsigned nodes = 8;
    Fabric fabric(test, nodes, SIZE_MAX);
    Job job = {};

    job.type = FSH_FOLD_DOUBLE;
    job.shape.call = call;
    job.shape.size = nodes;
    job.algorithm = algorithm;
    job.block = block;
    job.eager = true;
    job.again = again;
    for (unsigned n = 0; n < nodes; n++)
        job.nodes.push_back(n);
    for (; job.number < jobs; job.number++)
        if (!fabric.add(job))
            test.fail("no room");
    fabric.links = true;
    fabric.run(true);
    std::printf("%u %s by %s on links: %llu cycles\n", jobs,
                fsh_program_call_name(call), algorithm->name,
                (unsigned long long)fabric.took);
    return fabric.took;
}

// Grants of later steps are kept, so nobody asks for them; a packet is sent again at once.
void short_calls(tb::Test &test)
{
    const struct fsh_program_algorithm *doubling =
        fsh_program_named("doubling");

    if (on_links(test, FSH_PROGRAM_ALLREDUCE, doubling, 2048, 2, false) > 1400)
        test.fail("senders wait for grants");
    if (on_links(test, FSH_PROGRAM_BROADCAST, &fsh_program_spread, 256, 1,
                 true) +
            50 >
        on_links(test, FSH_PROGRAM_BROADCAST, &fsh_program_spread, 256, 1,
                 false))
        test.fail("a packet is read before it is sent again");
}

} // namespace

int main(int argc, char **argv)
{
    tb::Test test("tb_fsh_coll", argc, argv);
    unsigned long long jobs = 0, posted = 0, encoded = 0;
    int rounds = argc > 2 ? std::atoi(argv[2]) : 60;

    malformed(test);
    unreadable(test);
    given(test);
    given_back(test);
    missing(test);
    forged(test);
    forsaken(test);
    abandoned(test);
    Late(test).run(480);
    between_steps(test);
    window(test);
    for (int round = 0; round < rounds; round++) {
        unsigned nodes = 2 + test.below(7);
        Fabric fabric(test, nodes);
        for (unsigned j = 0, n = 1 + test.below(6); j < n; j++)
            fabric.add(random_job(test, j, nodes));
        fabric.run(false);
        jobs += fabric.jobs();
        posted += fabric.posted;
        encoded += fabric.encoded();
    }
    for (int round = 0; round < (rounds + 9) / 10; round++)
        many_packets(test, round % 2 == 0);
    if (posted == 0)
        test.fail("nothing was written to host memory");
    if (encoded == 0)
        test.fail("no job was encoded");
    uint64_t level = (pace(test, FSH_PROGRAM_BARRIER, "dissemination", 8, 0,
                           FSH_FOLD_FLOAT) -
                      pace(test, FSH_PROGRAM_BARRIER, "dissemination", 2, 0,
                           FSH_FOLD_FLOAT)) /
                     2;
    if (level > 30)
        test.fail("a level of a barrier takes %llu cycles",
                  (unsigned long long)level);
    keeps_links_busy(test, 8, 2, false, 95, 89);
    // Two units with one master of memory would take 120 cycles for a packet each.
    keeps_links_busy(test, 8, 1, true, 84, 80);
    // A link brings a packet of 1 KiB in 66 cycles, header and all.
    keeps_up(test, "combined, FP32", FSH_PROGRAM_REDUCE_SCATTER, FSH_FOLD_FLOAT,
             40);
    keeps_up(test, "passed on", FSH_PROGRAM_ALLGATHER, FSH_FOLD_FLOAT, 40);
    keeps_up(test, "combined, FP64", FSH_PROGRAM_REDUCE_SCATTER,
             FSH_FOLD_DOUBLE, 72);
    // An encoded one takes the link as long, but has four times the values. Lines follow each
    // other, but claims in pulses are not hidden (a step has 16 packets here): this is what it
    // takes, not what it should.
    keeps_up(test, "encoded", FSH_PROGRAM_ALLREDUCE, FSH_FOLD_FLOAT, 74, true);
    short_calls(test);
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
