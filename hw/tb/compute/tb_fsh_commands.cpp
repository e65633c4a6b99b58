// SPDX-License-Identifier: BSD-3-Clause
// Commands that no client should give, to the compute core and to the core in
// software (src/compute/execute): each ends, and both say the same of it. What is changed
// without moving an operand is also done, bit for bit; now and then comes a right
// one. First those that once hung a queue or wrote over operands.
// Arguments: seed, commands.
#include <algorithm>
#include <memory>
#include "wild.h"
#include "element.h"
extern "C" {
#include "compute/execute/execute.h"
}

namespace
{

using bed::Bed;
using bed::Command;
using work::Conv;
using work::Encode;
using work::Gemm;
using work::Space;
using work::Work;

using Item = std::unique_ptr<Work>;

constexpr size_t BYTES = 2u << 20;
constexpr uint64_t COST = 30000; // cycles of a command, or so

Item any(tb::Test &test)
{
    uint32_t kind = test.below(5);

    if (kind == 4) {
        auto e = std::make_unique<work::Element>(work::size(test, 20),
                                                 work::size(test, 300));
        e->draw_form(test);
        return e;
    }
    if (kind == 0) {
        auto e = std::make_unique<Encode>(work::size(test, 100),
                                          work::size(test, 80));
        e->draw_form(test);
        return e;
    }
    if (kind == 1) {
        auto g = std::make_unique<Gemm>(
            work::size(test, 60), work::size(test, 60), work::size(test, 80));
        g->draw_form(test);
        return g;
    }
    auto v = std::make_unique<Conv>();
    v->draw(test);
    return v;
}

uint64_t groups(uint64_t n, uint64_t of)
{
    return of == 0 ? 0 : (n + of - 1) / of;
}

// Cycles, roughly and rather more: steps, loads, messages. Saturates.
uint64_t cost(const uint64_t *w)
{
    bool conv = fsh_ccmd_op(w) == FSH_COP_CONV;
    bool encode = fsh_ccmd_op(w) == FSH_COP_ENCODE;
    bool element = fsh_execute_is_element(fsh_ccmd_op(w));
    uint64_t tile_x = fsh_ccmd_tile_x(w), tile_w = fsh_ccmd_tile_w(w);
    uint64_t m = conv ? fsh_ccmd_out_h(w) : groups(fsh_ccmd_m(w), 8);
    uint64_t n = groups(fsh_ccmd_n(w), 16), k = groups(fsh_ccmd_k(w), 64) * 4;
    uint64_t taps = conv ? fsh_ccmd_kernel_h(w) * fsh_ccmd_kernel_w(w) : 1;
    uint64_t tiles = groups(n, tile_w) * (encode ? 1 : groups(m, tile_x));
    uint64_t chunk = 160 + 4 * tile_w + (encode ? 0 : 2 * tile_x);
    double all = (double)tiles * (double)(k * taps) * (double)chunk;

    if (element) // by 256 columns
        all = (double)fsh_ccmd_m(w) * (double)groups(fsh_ccmd_n(w), 256) * 80;
    if (conv) // a tile's input
        all += (double)(tiles * k / 4) * 2 * (double)fsh_ccmd_x_words(w);
    if (fsh_ccmd_art(w)) {
        double values = 16.0 * (double)n *
                        (encode ? 16.0 * (double)k
                         : conv ? (double)(m * fsh_ccmd_out_w(w))
                                : 8.0 * (double)m);
        all += values / (double)(fsh_ccmd_art_count(w) | 1) *
               __builtin_popcountll(fsh_ccmd_art_mask(w)) * 10;
        all += 50.0 * (double)(n * 8 * m);
    }
    return all > 1e15 ? (uint64_t)1e15 : (uint64_t)all;
}

// Does it read and write what the command it was made of did, or less? What is
// encoded has the size that it was encoded with: beyond K it need not be zero.
bool stays(const uint64_t *w, const uint64_t *was)
{
    static const char *const same[] = {
        "x_bfp",  "x_cols", "w_bfp",  "w_rows",   "emit",
        "x_addr", "w_addr", "c_addr", "b_addr",   "e_addr",
        "ldx",    "ldw",    "ldc",    "in_plane", "out_plane"};
    static const char *const less[] = {"m",        "n",        "k",
                                       "kernel_h", "kernel_w", "in_h",
                                       "in_w",     "out_h",    "out_w"};
    bool encoded = fsh_ccmd_x_bfp(w) || fsh_ccmd_w_bfp(w);

    for (const wild::Field &f : wild::fields) {
        auto is = [&f](const char *name) { return !std::strcmp(f.name, name); };

        if (std::any_of(std::begin(same), std::end(same), is) &&
            f.get(w) != f.get(was))
            return false;
        if (std::any_of(std::begin(less), std::end(less), is) &&
            (encoded ? f.get(w) != f.get(was) : f.get(w) > f.get(was)))
            return false;
    }
    return true;
}

class Bench
{
  public:
    explicit Bench(tb::Test &test) : test_(test), b_(test, BYTES, test.below(2))
    {
        b_.latency = 1 + test.below(60);
        b_.put_cycles = 5;
        b_.anywhere = true;
    }

    // A right command, and that it is done.
    Command plan(Item &item, bool wild)
    {
        Space space;

        item->plan(test_, b_, space, wild);
        return item->command(0);
    }

    void right(void)
    {
        Item item = any(test_);
        Command cmd = plan(item, false);

        run(cmd, 0, FSH_STATUS_OK);
        item->check(test_, b_.mem, ", after another");
    }

    // It ends with what the core in software says of it.
    void compare(const Command &cmd, const Command &was)
    {
        std::vector<uint8_t> want = b_.mem;
        bool kept = stays(cmd.word, was.word);
        unsigned status = fsh_execute_check(cmd.word, false);

        std::memcpy(&want[work::COMMANDS], cmd.word, sizeof cmd.word);
        refused += status != FSH_STATUS_OK;
        if (status == FSH_STATUS_OK) {
            status = fsh_execute(cmd.word, want.data(), want.size());
            if (status == FSH_STATUS_BAD_COMMAND)
                test_.fail("the core in software takes and refuses: %s",
                           wild::text(cmd.word).c_str());
            done += status == FSH_STATUS_OK;
        }
        // Between two tiles there may be a row that no tap falls on: not read.
        if (status == FSH_STATUS_LOCAL_RANGE &&
            fsh_ccmd_op(cmd.word) == FSH_COP_CONV &&
            fsh_ccmd_stride(cmd.word) > fsh_ccmd_kernel_h(cmd.word))
            status = ANY;
        run(cmd, status == FSH_STATUS_BAD_COMMAND ? 0 : cost(cmd.word), status);
        if (status != FSH_STATUS_OK && status != FSH_STATUS_BAD_COMMAND)
            return;
        if ((kept || status == FSH_STATUS_BAD_COMMAND) && want != b_.mem)
            test_.fail("memory differs: %s; made of %s",
                       wild::text(cmd.word).c_str(),
                       wild::text(was.word).c_str());
        compared += kept && status == FSH_STATUS_OK;
    }

    // It must be refused, at once.
    void refuse(const char *what, const Command &cmd)
    {
        if (fsh_execute_check(cmd.word, false) != FSH_STATUS_BAD_COMMAND)
            test_.fail("the core in software takes %s", what);
        run(cmd, 0, FSH_STATUS_BAD_COMMAND);
    }

    unsigned refused = 0, done = 0, compared = 0;

  private:
    static constexpr unsigned ANY = 16;

    void run(const Command &cmd, uint64_t about, unsigned status)
    {
        uint64_t from = test_.cycle, limit = 20 * about + 100000;

        b_.put(work::COMMANDS, cmd.word, sizeof cmd.word);
        b_.complete.clear();
        b_.puts.clear();
        b_.run(work::COMMANDS, 1, 0);
        while (b_.complete.empty()) {
            b_.step();
            if (test_.cycle - from > limit)
                test_.fail("no end after %llu cycles: %s",
                           (unsigned long long)limit,
                           wild::text(cmd.word).c_str());
        }
        b_.rest(20000);
        if (status != ANY && b_.complete[0][2] != status)
            test_.fail("status %u, the core in software says %u: %s",
                       b_.complete[0][2], status, wild::text(cmd.word).c_str());
    }

    tb::Test &test_;
    Bed b_;
};

// What once hung the queue, or wrote over operands, command by command.
void known(tb::Test &test)
{
    Bench b(test);
    Conv conv;
    Item encode = std::make_unique<Encode>(64, 64);
    Item product = std::make_unique<Gemm>(20, 20, 20);
    auto change = [](Command cmd, void (*set)(uint64_t *, uint64_t),
                     uint64_t value) {
        wild::put(cmd.word, set, value);
        return cmd;
    };

    do {
        conv.draw(test);
    } while (conv.tile_x < 2 || conv.x_words < 2 || conv.kw < 2 ||
             conv.out_h < 2);
    Item item = std::make_unique<Conv>(conv);
    Command cmd = b.plan(item, false);
    b.refuse("more words than there are",
             change(cmd, fsh_ccmd_set_x_words, 513));
    b.refuse("as many words as a field holds",
             change(cmd, fsh_ccmd_set_x_words, 1023));
    b.refuse("a word too few for a tile",
             change(cmd, fsh_ccmd_set_x_words, conv.x_words - 1));
    b.refuse("too few words for a row",
             change(cmd, fsh_ccmd_set_kernel_w, 255));
    b.refuse("a convolution that emits", change(cmd, fsh_ccmd_set_emit, 1));
    b.right();
    static_cast<Encode &>(*encode).draw_form(test);
    cmd = b.plan(encode, false);
    b.refuse("to encode what is", change(cmd, fsh_ccmd_set_w_bfp, 1));
    b.compare(change(cmd, fsh_ccmd_set_emit, 0), cmd);
    b.right();
    Gemm &g = static_cast<Gemm &>(*product);
    g.w_bfp = g.x_bfp = true;
    g.tile_x = 8;
    g.tile_w = 4;
    cmd = b.plan(product, false);
    b.refuse("to emit what is encoded", change(cmd, fsh_ccmd_set_emit, 1));
    b.refuse("an encoded operand cut", change(cmd, fsh_ccmd_set_tile_x, 3));
    b.right();
}

} // namespace

int main(int argc, char **argv)
{
    tb::Test test("tb_fsh_commands", argc, argv);
    unsigned commands = argc > 2 ? (unsigned)std::atoi(argv[2]) : 400;
    unsigned count = 0, refused = 0, done = 0, compared = 0;

    known(test);
    while (count < commands) {
        Bench b(test);

        for (unsigned i = 0; i < 20; i++) {
            Item item = any(test);
            Command was = b.plan(item, test.below(2)), cmd = was;
            do {
                cmd = was;
                for (unsigned n = 1 + test.below(test.below(2) ? 1 : 5); n; n--)
                    wild::change(test, cmd.word);
            } while (fsh_execute_check(cmd.word, false) == FSH_STATUS_OK &&
                     cost(cmd.word) > COST);
            b.compare(cmd, was);
            if (i % 4 == 3)
                b.right();
            count++;
        }
        refused += b.refused;
        done += b.done;
        compared += b.compared;
    }
    std::printf("tb_fsh_commands: %u refused, %u done, %u of them compared\n",
                refused, done, compared);
    return test.pass(count, "commands");
}
