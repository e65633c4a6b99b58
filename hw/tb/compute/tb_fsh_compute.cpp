// SPDX-License-Identifier: BSD-3-Clause
// The compute core against the C model: lists of random products, convolutions,
// encodings and element-wise commands of every form, with random stalls, bit for bit, and nothing else
// in memory touched; a core at rest stays so. And how long the paper's sizes take
// when nothing stalls.
#include <algorithm>
#include <functional>
#include <memory>
#include "element.h"

namespace
{

using bed::Bed;
using bed::Command;
using work::Conv;
using work::Encode;
using work::Gemm;
using work::Space;
using work::Work;

constexpr unsigned EVENT = 7;

using Item = std::unique_ptr<Work>;
using Draw = std::function<Item(tb::Test &)>;

Item product(tb::Test &test, uint32_t m, uint32_t n, uint32_t k)
{
    auto g = std::make_unique<Gemm>(m, n, k);

    g->draw_form(test);
    return g;
}

Item any_product(tb::Test &test)
{
    uint32_t m = work::size(test, test.below(3) ? 40 : 200);
    uint32_t n = work::size(test, test.below(3) ? 40 : 200);

    return product(test, m, n, work::size(test, test.below(3) ? 60 : 300));
}

Item any_encode(tb::Test &test)
{
    uint32_t rows = work::size(test, test.below(3) ? 80 : 300);
    auto e = std::make_unique<Encode>(rows, work::size(test, 200));

    e->draw_form(test);
    return e;
}

Item any_element(tb::Test &test)
{
    uint32_t n = work::size(test, test.below(3) ? 80 : 900);
    auto e = std::make_unique<work::Element>(work::size(test, 20), n);

    e->draw_form(test);
    return e;
}

Item any_conv(tb::Test &test)
{
    auto v = std::make_unique<Conv>();

    v->draw(test);
    return v;
}

// What an encoding leaves behind in the core is seen by what comes after it.
Item any_mixed(tb::Test &test)
{
    uint32_t kind = test.below(8);

    return kind < 2   ? any_encode(test)
           : kind < 4 ? any_product(test)
           : kind < 6 ? any_element(test)
                      : any_conv(test);
}

// What the commands sent is at the peer, and nobody else sent anything.
void check_sent(tb::Test &test, Bed &b, const std::vector<Item> &items)
{
    size_t want = 0, sent = 0;

    b.remote[work::PEER].resize(b.mem.size());
    for (const Item &item : items)
        if (item->sent) {
            item->check(test, b.remote[work::PEER], ", at the peer");
            want += item->written.back().want.size();
        }
    for (const bed::Put &put : b.puts)
        sent += put.length;
    if (sent != want)
        test.fail("%zu bytes sent instead of %zu", sent, want);
}

// Memory is as before, but for what the commands are to write.
void check_memory(tb::Test &test, Bed &b, std::vector<uint8_t> before,
                  const std::vector<Item> &items)
{
    for (const Item &item : items) {
        item->check(test, b.mem, "");
        for (const work::Written &w : item->written)
            std::copy(w.want.begin(), w.want.end(), before.begin() + w.at);
    }
    if (before != b.mem)
        test.fail(
            "byte %zu of the segment is written, and nobody's",
            (size_t)(std::mismatch(before.begin(), before.end(), b.mem.begin())
                         .first -
                     before.begin()));
}

// Lists of what `draw` gives, all commands of a list in flight at once.
unsigned lists(tb::Test &test, unsigned rounds, bool stalls, const Draw &draw)
{
    unsigned done = 0;

    for (unsigned round = 0; round < rounds; round++) {
        Bed b(test, work::SEGMENT, stalls);
        Space space;
        unsigned count = 1 + test.below(5);
        bool waits = test.below(2);
        std::vector<Item> items;

        b.latency = 1 + test.below(100);
        for (unsigned i = 0; i < count; i++) {
            items.push_back(draw(test));
            items[i]->plan(test, b, space, test.below(2));
            Command cmd = items[i]->command(i);
            if (i == 0 && waits)
                work::await(cmd, EVENT, 2);
            b.put(work::COMMANDS + i * 128, cmd.word, sizeof cmd.word);
        }
        std::vector<uint8_t> before = b.mem;
        b.run(work::COMMANDS, count, 0);
        if (waits) {
            b.rest(10000);
            b.signal(EVENT, 1);
            b.rest(10000);
            b.signal(EVENT, 1);
        }
        b.wait(count, 3000000);
        b.rest(10000);
        for (unsigned i = 0; i < count; i++)
            if (b.complete[i][1] != i || b.complete[i][2] != 0)
                test.fail("completion %u: cookie %u, status %u", i,
                          b.complete[i][1], b.complete[i][2]);
        check_sent(test, b, items);
        check_memory(test, b, std::move(before), items);
        done += count;
    }
    return done;
}

// One row, one column, one value of K, in all combinations.
unsigned edges(tb::Test &test)
{
    unsigned next = 0;

    return lists(test, 8, true, [&next](tb::Test &t) {
        unsigned i = next++;

        return product(t, i & 1 ? 1 : 20, i & 2 ? 1 : 20, i & 4 ? 1 : 20);
    });
}

// Cycles of a square product, nothing stalls.
void speed(tb::Test &test, uint32_t size, uint32_t tile_x, uint32_t tile_w)
{
    Bed b(test, work::SEGMENT, false);
    Space space;
    Gemm g(size, size, size);

    g.tile_x = tile_x;
    g.tile_w = tile_w;
    g.plan(test, b, space, false);
    Command cmd = g.command(7);
    b.put(work::COMMANDS, cmd.word, sizeof cmd.word);
    uint64_t from = test.cycle;
    b.run(work::COMMANDS, 1, 0);
    uint64_t cycles = b.wait(1, 100000000) - from;
    g.check(test, b.mem, "");
    std::array<unsigned long long, FSH_CPERF_COUNT> counters;
    for (unsigned i = 0; i < counters.size(); i++)
        counters[i] = b.counter(i);
    std::printf("  %u: %llu cycles, %.2f %% of 2048 MAC a cycle; %llu steps, "
                "%llu without operands, %llu without bank, %llu ending\n",
                size, (unsigned long long)cycles,
                100.0 * size * size * size / 2048 / (double)cycles,
                counters[FSH_CPERF_COMPUTE], counters[FSH_CPERF_LOAD],
                counters[FSH_CPERF_FULL], counters[FSH_CPERF_TRANSFER]);
}

// The same of an element-wise command of m x n values.
void element_speed(tb::Test &test, fsh_element_kind kind, uint32_t m,
                   uint32_t n)
{
    static const char *const names[] = {"axpy", "gate", "sum"};
    Bed b(test, work::SEGMENT, false);
    Space space;
    work::Element e(m, n);

    e.kind = kind;
    e.over = 0;
    e.scale = 0xbd4ccccd;
    e.plan(test, b, space, false);
    Command cmd = e.command(7);
    b.put(work::COMMANDS, cmd.word, sizeof cmd.word);
    uint64_t from = test.cycle;
    b.run(work::COMMANDS, 1, 0);
    uint64_t cycles = b.wait(1, 100000000) - from;
    e.check(test, b.mem, "");
    std::printf("  %s of %u x %u: %llu cycles, %.1f values a cycle\n",
                names[kind], m, n, (unsigned long long)cycles,
                (double)m * n / (double)cycles);
}

// A product that waits for an event and one that sends its results; the counters
// while the second waits for acknowledgements, after a clear then, and at the end.
std::vector<uint64_t> count(tb::Test &test, bool sleeps)
{
    Bed b(test, work::SEGMENT, false);
    Space space;
    Gemm g[2] = {{40, 75, 100}, {70, 75, 100}};
    uint64_t steps = 0, from = test.cycle, busy = 0;
    std::vector<uint64_t> seen;

    b.rest_mode = sleeps ? Bed::Rest::Sleep : Bed::Rest::Clock;
    b.put_cycles = 2000;
    for (uint32_t i = 0; i < 2; i++) {
        g[i].tile_x = 4;
        g[i].tile_w = 2;
        g[i].plan(test, b, space, false);
        steps += work::up(g[i].m, 8) / 8 * work::up(g[i].n, 16) / 16 *
                 work::up(g[i].k, 16) / 16;
        Command cmd = g[i].command(i);
        fsh_ccmd_set_await(cmd.word, i == 0);
        fsh_ccmd_set_await_event(cmd.word, 5);
        fsh_ccmd_set_await_count(cmd.word, 1);
        fsh_ccmd_set_art(cmd.word, i);
        fsh_ccmd_set_art_mask(cmd.word, 6);
        fsh_ccmd_set_art_addr(cmd.word, g[i].c / 64);
        fsh_ccmd_set_art_count(cmd.word, 4096);
        b.put(work::COMMANDS + 128 * i, cmd.word, sizeof cmd.word);
    }
    b.run(work::COMMANDS, 2, 0);
    while (test.cycle < from + 500)
        b.step();
    for (unsigned i = 0; i < FSH_CPERF_COUNT; i++)
        if (b.counter(i) != 0)
            test.fail("counter %u before anything began", i);
    uint64_t at = test.cycle;
    b.signal(5, 1);
    b.wait(1, 20000);
    while (b.puts.empty())
        b.step();
    uint32_t sent = 0;
    for (unsigned i = 0; i < 1500; i++)
        b.step();
    for (unsigned i = 0; i < FSH_CPERF_COUNT; i++) {
        seen.push_back(b.counter(i) - (i < FSH_CPERF_COMMANDS ? from : 0));
        if (i >= FSH_CPERF_COMPUTE && i <= FSH_CPERF_TRANSFER)
            busy += seen.back();
    }
    for (const bed::Put &put : b.puts)
        sent += put.length;
    if (seen[FSH_CPERF_COMPUTE] != steps || seen[FSH_CPERF_COMMANDS] != 1 ||
        seen[FSH_CPERF_LAST_SIGNAL] != at - from ||
        seen[FSH_CPERF_SENT_BYTES] != sent)
        test.fail("%u steps, signal at %u, %u bytes were to be counted",
                  (unsigned)steps, (unsigned)(at - from), sent);
    // Every cycle from the beginning on is counted once, until each was read.
    busy += seen[FSH_CPERF_FIRST_START];
    if (busy + 60 < test.cycle - from || busy > test.cycle - from)
        test.fail("%u cycles of %u", (unsigned)busy,
                  (unsigned)(test.cycle - from));
    for (unsigned i = 0; i < 100; i++)
        b.step();
    b.clear_counters();
    for (unsigned i = 0; i < 50; i++)
        b.step();
    seen.push_back(b.counter(FSH_CPERF_TRANSFER));
    if (seen.back() != 51) // that of the read as well
        test.fail("%u cycles after a clear", (unsigned)seen.back());
    b.wait(2, 200000);
    for (unsigned i = 0; i < FSH_CPERF_COUNT; i++)
        seen.push_back(b.counter(i) - (i == FSH_CPERF_LAST_END ? from : 0));
    if (sleeps && b.slept < 1000)
        test.fail("the core slept %u cycles", (unsigned)b.slept);
    return seen;
}

// A core that is not clocked while it is idle counts the same.
void counters(tb::Test &test)
{
    std::vector<uint64_t> awake = count(test, false),
                          asleep = count(test, true);

    for (size_t i = 0; i < awake.size(); i++)
        if (awake[i] != asleep[i])
            test.fail("counter %u: %llu, %llu if it sleeps", (unsigned)i,
                      (unsigned long long)awake[i],
                      (unsigned long long)asleep[i]);
}

} // namespace

int main(int argc, char **argv)
{
    tb::Test test("tb_fsh_compute", argc, argv);
    unsigned done = 0;

    // seed, size, tile: only how long that takes.
    if (argc > 4) {
        speed(test, (uint32_t)std::atoi(argv[2]), (uint32_t)std::atoi(argv[3]),
              (uint32_t)std::atoi(argv[4]));
        return 0;
    }
    for (bool stalls : {false, true}) {
        done += lists(test, 6, stalls, any_product);
        done += lists(test, 8, stalls, any_conv);
        done += lists(test, 10, stalls, any_element);
        done += lists(test, 8, stalls, any_mixed);
    }
    done += edges(test);
    counters(test);
    speed(test, 256, 16, 8);
    element_speed(test, FSH_ELEMENT_AXPY, 1, 65536);
    element_speed(test, FSH_ELEMENT_GATE, 1, 65536);
    element_speed(test, FSH_ELEMENT_SUM, 256, 256);
    return test.pass(done, "commands");
}
