// SPDX-License-Identifier: BSD-3-Clause
// fsh_cqueue (array and mover) and fsh_cevents against a model: random lists,
// right and wrong commands, waits and signals, failing reads, every handshake
// stalled at random.
//  - Each command comes out once, in order, as it stands in memory; a wrong one
//    as NOP with the status of what is wrong; parity alternates. The checks of
//    the core in software (src/compute/execute/check.c) say the same of every command.
//  - A command that waits comes when its counter is large enough, not before
//    and at once; counters lose nothing: exactly the signals needed are given.
//  - Lists are refused in time when the node sees room_o three cycles late.
//  - While busy_o is low the clock is withheld: nothing may get lost by it.
#include <algorithm>
#include <array>
#include <cstring>
#include <deque>
#include <vector>
#include "fsh_spec.h"
#include "tb.h"
#include "wild.h"
#include "Vfsh_cqueues.h"
extern "C" {
#include "compute/execute/execute.h"
}

using wild::put;

using Words = std::array<uint64_t, FSH_CCMD_WORDS>;

static const unsigned status_memory = FSH_STATUS_MEMORY;
static const uint64_t memory_end = 1 << 20; // in 64 bytes

struct Command {
    Words words;
    bool wrong, waits;
    unsigned fails; // of the read: bit 1 AXI, bit 0 out of range
};

struct List {
    uint32_t addr;
    unsigned count;
};

static const Words used = {
    FSH_CCMD_USED_W0,  FSH_CCMD_USED_W1,  FSH_CCMD_USED_W2,  FSH_CCMD_USED_W3,
    FSH_CCMD_USED_W4,  FSH_CCMD_USED_W5,  FSH_CCMD_USED_W6,  FSH_CCMD_USED_W7,
    FSH_CCMD_USED_W8,  FSH_CCMD_USED_W9,  FSH_CCMD_USED_W10, FSH_CCMD_USED_W11,
    FSH_CCMD_USED_W12, FSH_CCMD_USED_W13, FSH_CCMD_USED_W14, FSH_CCMD_USED_W15,
};

// The rules, written down once more.
static bool is_wrong_conv(const uint64_t *w)
{
    uint64_t stride = fsh_ccmd_stride(w), words = fsh_ccmd_row_words(w);
    // What the taps of a row, of the rows of a tile fall on.
    uint64_t pixels =
        fsh_ccmd_out_w(w) + (fsh_ccmd_kernel_w(w) - 1) / (stride | !stride);
    uint64_t rows = (fsh_ccmd_tile_x(w) - 1) * stride + fsh_ccmd_kernel_h(w);

    return fsh_ccmd_k(w) % 16 || fsh_ccmd_x_bfp(w) || fsh_ccmd_w_bfp(w) ||
           fsh_ccmd_emit(w) || fsh_ccmd_x_cols(w) || !fsh_ccmd_w_rows(w) ||
           !fsh_ccmd_kernel_h(w) || !fsh_ccmd_kernel_w(w) || !stride ||
           stride > 8 || !words || !fsh_ccmd_in_h(w) || !fsh_ccmd_in_w(w) ||
           !fsh_ccmd_out_h(w) || !fsh_ccmd_out_w(w) || 8 * words < pixels ||
           fsh_ccmd_x_words(w) < rows * stride * words ||
           fsh_ccmd_x_words(w) > 512;
}

static uint64_t lines(uint64_t values)
{
    return (values + 15) / 16;
}

static bool is_element(uint64_t op)
{
    return op == FSH_COP_AXPY || op == FSH_COP_GATE || op == FSH_COP_SUM;
}

// Rows overlap, or there are too many of them.
static bool is_wrong_shape(const uint64_t *w)
{
    uint64_t m = fsh_ccmd_m(w), n = fsh_ccmd_n(w), k = fsh_ccmd_k(w);
    uint64_t op = fsh_ccmd_op(w), most = 0xffffc0;
    uint64_t row = fsh_ccmd_w_rows(w) ? lines(k) : lines(n);

    if (op == FSH_COP_CONV)
        row *= fsh_ccmd_kernel_h(w) * fsh_ccmd_kernel_w(w);
    bool sum = op == FSH_COP_SUM;

    if (is_element(op))
        return m == 0 || n == 0 || m > most || n > most ||
               (m > 1 && (fsh_ccmd_ldx(w) < lines(n) ||
                          (!sum && (fsh_ccmd_ldw(w) < lines(n) ||
                                    fsh_ccmd_ldc(w) < lines(n)))));
    if (n > most || k > most || (op == FSH_COP_GEMM && m > most))
        return true;
    if (!fsh_ccmd_w_bfp(w) && (fsh_ccmd_w_rows(w) ? n : k) > 1 &&
        fsh_ccmd_ldw(w) < row)
        return true;
    if (op == FSH_COP_CONV)
        return fsh_ccmd_out_h(w) > 1 && fsh_ccmd_ldc(w) < fsh_ccmd_out_w(w);
    if (op != FSH_COP_GEMM)
        return false;
    if (fsh_ccmd_x_cols(w) && k > 1 && fsh_ccmd_ldx(w) < lines(m))
        return true;
    return m > 1 && (fsh_ccmd_ldc(w) < lines(n) ||
                     (!fsh_ccmd_x_bfp(w) && !fsh_ccmd_x_cols(w) &&
                      fsh_ccmd_ldx(w) < lines(k)));
}

static bool is_wrong(const uint64_t *w, bool mover)
{
    uint64_t op = fsh_ccmd_op(w);
    bool gemm = op == FSH_COP_GEMM, conv = op == FSH_COP_CONV;
    bool encode = op == FSH_COP_ENCODE, send = op == FSH_COP_SEND;
    bool emit = encode || (gemm && fsh_ccmd_emit(w));
    bool units = emit || (gemm && fsh_ccmd_w_bfp(w));
    uint64_t groups =
        fsh_ccmd_tile_x(w) * (conv ? (fsh_ccmd_out_w(w) + 7) / 8 : 1);

    for (unsigned i = 0; i < FSH_CCMD_WORDS; i++)
        if (w[i] & ~used[i])
            return true;
    if (fsh_ccmd_check(w) != FSH_CMD_CHECK)
        return true;
    if (mover ? op != FSH_COP_NOP && !send
              : op > FSH_COP_ENCODE && !is_element(op))
        return true;
    if (fsh_ccmd_await(w) && fsh_ccmd_await_count(w) == 0)
        return true;
    if ((send || (fsh_ccmd_art(w) && op != FSH_COP_NOP)) &&
        fsh_ccmd_art_count(w) == 0)
        return true;
    if (op != FSH_COP_NOP && !is_element(op) && fsh_ccmd_k(w) == 0)
        return true;
    if ((gemm && fsh_ccmd_m(w) == 0) ||
        ((gemm || conv || encode) &&
         (fsh_ccmd_n(w) == 0 || fsh_ccmd_tile_w(w) == 0)))
        return true;
    if ((gemm || conv) && (groups == 0 || groups * fsh_ccmd_tile_w(w) > 128))
        return true;
    if ((units && fsh_ccmd_tile_w(w) % 4) || (emit && fsh_ccmd_w_bfp(w)) ||
        (gemm && fsh_ccmd_x_bfp(w) && fsh_ccmd_tile_x(w) % 8) ||
        (gemm && fsh_ccmd_x_cols(w) &&
         (fsh_ccmd_x_bfp(w) || fsh_ccmd_tile_x(w) % 2)))
        return true;
    return (conv && is_wrong_conv(w)) ||
           ((gemm || conv || encode || is_element(op)) && is_wrong_shape(w));
}

class Bench
{
  public:
    Bench(tb::Test &test, bool stalls, bool sleep)
        : test_(test), stalls_(stalls), sleep_(sleep), context_(test.context()),
          dut_(context_.get())
    {
        for (int i = 0; i < 8; i++)
            stall_.push_back(tb::Stall(test));
        dut_.run_valid_i = dut_.rsp_valid_i = dut_.sig_valid_i = 0;
        dut_.cmd_ready_i = dut_.req_ready_i = 0;
        tb::reset(test_, dut_);
    }

    ~Bench()
    {
        dut_.final();
    }

    void run(unsigned lists)
    {
        uint64_t quiet = test_.cycle;

        for (unsigned i = 0; i < lists; i++)
            make_list(test_.below(3) == 0);
        while (!runs_[0].empty() || !runs_[1].empty() || !expect_[0].empty() ||
               !expect_[1].empty()) {
            cycle();
            if (moved_)
                quiet = test_.cycle;
            if (test_.cycle - quiet > 5000)
                test_.fail("nothing moves");
        }
        for (int i = 0; i < 100; i++)
            cycle();
        if (dut_.busy_o)
            test_.fail("busy_o at the end");
    }

    unsigned long long commands = 0, wrong = 0, waited = 0, slept = 0, held = 0;
    unsigned long long convs = 0; // that are right

  private:
    bool willing(int what)
    {
        return !stalls_ || stall_[(size_t)what].willing();
    }

    // Lists and commands.
    void make_list(unsigned queue)
    {
        List list = {next_, 1 + test_.below(test_.below(4) ? 3 : 12)};

        if (test_.below(30) == 0)
            list.addr = (uint32_t)memory_end - test_.below(2 * list.count);
        else
            next_ += 2 * list.count + test_.below(4);
        for (unsigned i = 0; i < list.count; i++)
            make_command(queue, list.addr + 2 * i);
        runs_[queue].push_back(list);
    }

    void make_command(unsigned queue, uint32_t addr)
    {
        Command c = {};
        uint64_t *w = c.words.data();

        right(w, queue);
        if (test_.below(3) == 0)
            spoil(w);
        if (test_.below(3) == 0)
            for (unsigned n = 1 + test_.below(6); n > 0; n--)
                wild::change(test_, w);
        if (test_.below(60) == 0)
            c.fails |= 2;
        if (addr + 1 >= memory_end)
            c.fails |= 1;
        c.wrong = is_wrong(w, queue);
        if (c.wrong != (fsh_execute_check(w, queue) == FSH_STATUS_BAD_COMMAND))
            test_.fail("the core in software %s, against the rules: %s",
                       c.wrong ? "takes" : "refuses", wild::text(w).c_str());
        c.waits = !c.fails && fsh_ccmd_await(w) && fsh_ccmd_await_count(w) &&
                  fsh_ccmd_check(w) == FSH_CMD_CHECK &&
                  !(fsh_ccmd_await_count(w) > 1000);
        if (c.waits)
            needed_[fsh_ccmd_await_event(w)] += fsh_ccmd_await_count(w);
        expect_[queue].push_back(c);
        fetch_[queue].push_back({addr, c});
    }

    void right(uint64_t *w, bool mover)
    {
        static const uint64_t ops[] = {
            FSH_COP_NOP,  FSH_COP_GEMM, FSH_COP_GEMM,
            FSH_COP_CONV, FSH_COP_CONV, FSH_COP_ENCODE,
            FSH_COP_AXPY, FSH_COP_GATE, FSH_COP_SUM};
        uint64_t op = mover ? (test_.below(4) ? FSH_COP_SEND : FSH_COP_NOP)
                            : ops[test_.below(9)];
        bool conv = op == FSH_COP_CONV;

        put(w, fsh_ccmd_set_check, FSH_CMD_CHECK);
        put(w, fsh_ccmd_set_op, op);
        for (unsigned at = 8; at < 19; at++)
            if (at != 15 && test_.below(2))
                w[0] |= 1ull << at;
        if (conv) {
            w[0] &= ~(1ull << 11 | 1ull << 12 | 1ull << 14);
            put(w, fsh_ccmd_set_w_rows, 1);
        }
        if (test_.below(3) == 0) {
            put(w, fsh_ccmd_set_await, 1);
            put(w, fsh_ccmd_set_await_event, test_.below(4) * 21);
            put(w, fsh_ccmd_set_await_count,
                1 + test_.below(test_.below(8) ? 4 : 600));
        }
        w[1] = test_.bits() & 0x7ffffull;
        for (unsigned i = 2; i < 5; i++)
            w[i] = test_.bits();
        w[5] = test_.bits() & 0x0fffffffffffffffull;
        put(w, fsh_ccmd_set_m, dimension());
        put(w, fsh_ccmd_set_n, dimension());
        put(w, fsh_ccmd_set_k,
            conv ? 16 * (1 + test_.below(2000)) : dimension());
        put(w, fsh_ccmd_set_art_count, 1 + test_.below(0xffffff));
        put(w, fsh_ccmd_set_art_mask, test_.bits());
        put(w, fsh_ccmd_set_signal_mask, test_.bits());
        sizes(w, conv);
        if (op == FSH_COP_GEMM && !fsh_ccmd_x_bfp(w) &&
            fsh_ccmd_tile_x(w) % 2 == 0 && test_.below(2))
            put(w, fsh_ccmd_set_x_cols, 1);
        distances(w, conv);
    }

    uint64_t dimension()
    {
        switch (test_.below(8)) {
        case 0:
            return 1;
        case 1:
            return 0xffffc0 - test_.below(20);
        default:
            return 1 + test_.below(1u << (4 + test_.below(20)));
        }
    }

    // Just as far apart as rows must be, or further; of a single one anything.
    void distances(uint64_t *w, bool conv)
    {
        uint64_t m = fsh_ccmd_m(w), n = fsh_ccmd_n(w), k = fsh_ccmd_k(w);
        bool rows = fsh_ccmd_w_rows(w);
        uint64_t taps = conv ? fsh_ccmd_kernel_h(w) * fsh_ccmd_kernel_w(w) : 1;

        if (is_element(fsh_ccmd_op(w))) {
            for (auto set :
                 {fsh_ccmd_set_ldx, fsh_ccmd_set_ldw, fsh_ccmd_set_ldc})
                distance(w, set, m, lines(n));
            return;
        }
        if (fsh_ccmd_x_cols(w))
            distance(w, fsh_ccmd_set_ldx, k, lines(m));
        else
            distance(w, fsh_ccmd_set_ldx, m, lines(k));
        distance(w, fsh_ccmd_set_ldc, conv ? fsh_ccmd_out_h(w) : m,
                 conv ? fsh_ccmd_out_w(w) : lines(n));
        distance(w, fsh_ccmd_set_ldw, rows ? n : k,
                 rows ? lines(k) * taps : lines(n));
    }

    void distance(uint64_t *w, void (*set)(uint64_t *, uint64_t), uint64_t rows,
                  uint64_t least)
    {
        uint64_t more = std::min<uint64_t>(least + test_.below(1000), 0xfffff);

        put(w, set,
            rows == 1        ? test_.below(0xfffff)
            : test_.below(2) ? least
                             : std::max(least, more));
    }

    void sizes(uint64_t *w, bool conv)
    {
        unsigned out_w = 1 + test_.below(test_.below(3) ? 60 : 1024);
        unsigned groups = conv ? (out_w + 7) / 8 : 1;
        unsigned room = 128 / groups;
        unsigned tile_w = 1 + test_.below(room);
        bool wide = room >= 8 && test_.below(2);

        if (test_.below(2) && room >= 4)
            tile_w = 4 * (1 + test_.below(room / (wide ? 8 : 4)));
        if (wide)
            tile_w = std::min(tile_w, room / 8);
        else
            put(w, fsh_ccmd_set_x_bfp, 0);
        if (tile_w % 4)
            w[0] &= ~(1ull << 12 | 1ull << 14);
        if (test_.below(2))
            put(w, fsh_ccmd_set_w_bfp, 0);
        else
            put(w, fsh_ccmd_set_emit, 0);
        if (fsh_ccmd_op(w) == FSH_COP_ENCODE) {
            put(w, fsh_ccmd_set_w_bfp, 0);
            tile_w = 4;
        }
        unsigned rows = room / tile_w;
        unsigned tile_x = test_.below(2) ? rows : 1 + test_.below(rows);
        if (wide)
            tile_x = 8 * (1 + test_.below(rows / 8));
        put(w, fsh_ccmd_set_tile_w, tile_w);
        put(w, fsh_ccmd_set_tile_x, tile_x);
        put(w, fsh_ccmd_set_in_h, 1 + test_.below(0xffff));
        put(w, fsh_ccmd_set_in_w, 1 + test_.below(0xffff));
        put(w, fsh_ccmd_set_out_h, 1 + test_.below(0xffff));
        put(w, fsh_ccmd_set_out_w, out_w);
        kernel(w, tile_x, out_w);
    }

    // As large as fits in the operand buffer, or less.
    void kernel(uint64_t *w, unsigned tile_x, unsigned out_w)
    {
        unsigned h, width, stride, row_words, x_words, tries = 0;

        do {
            tries++;
            h = 1 + test_.below(tries < 20 ? 255 : 3);
            width = 1 + test_.below(tries < 20 ? 255 : 3);
            stride = 1 + test_.below(tries < 40 ? 8 : 1);
            row_words = (out_w + (width - 1) / stride + 7) / 8;
            x_words = ((tile_x - 1) * stride + h) * stride * row_words;
        } while (tries < 60 && (x_words > 512 || row_words > 255));
        put(w, fsh_ccmd_set_kernel_h, h);
        put(w, fsh_ccmd_set_kernel_w, width);
        put(w, fsh_ccmd_set_stride, stride);
        put(w, fsh_ccmd_set_row_words, row_words);
        put(w, fsh_ccmd_set_x_words,
            test_.below(4) ? x_words : x_words + test_.below(300));
    }

    // One field, mostly to what it must not be.
    void spoil(uint64_t *w)
    {
        unsigned at = test_.below(64 * FSH_CCMD_WORDS);

        switch (test_.below(34)) {
        case 0:
            put(w, fsh_ccmd_set_check, test_.below(256));
            break;
        case 1:
            put(w, fsh_ccmd_set_op, test_.below(8));
            break;
        case 2:
            put(w, fsh_ccmd_set_m, 0);
            break;
        case 3:
            put(w, fsh_ccmd_set_n, 0);
            break;
        case 4:
            put(w, fsh_ccmd_set_k, test_.below(2));
            break;
        case 5:
            put(w, fsh_ccmd_set_tile_x, 0);
            break;
        case 6:
            put(w, fsh_ccmd_set_tile_w, 0);
            break;
        case 7:
            put(w, fsh_ccmd_set_tile_x, fsh_ccmd_tile_x(w) + 1);
            break;
        case 8:
            put(w, fsh_ccmd_set_tile_w, fsh_ccmd_tile_w(w) + 1);
            break;
        case 9:
            put(w, fsh_ccmd_set_stride, test_.below(2) * 9);
            break;
        case 10:
            put(w, fsh_ccmd_set_kernel_h, 0);
            break;
        case 11:
            put(w, fsh_ccmd_set_kernel_w, 0);
            break;
        case 12:
            put(w, fsh_ccmd_set_row_words, 0);
            break;
        case 13:
            put(w, fsh_ccmd_set_in_h, 0);
            break;
        case 14:
            put(w, fsh_ccmd_set_in_w, 0);
            break;
        case 15:
            put(w, fsh_ccmd_set_out_h, 0);
            break;
        case 16:
            put(w, fsh_ccmd_set_out_w, test_.below(2) * 1025);
            break;
        case 17:
            put(w, fsh_ccmd_set_await_count, 0);
            break;
        case 18:
            put(w, fsh_ccmd_set_art_count, 0);
            break;
        case 19:
            put(w, fsh_ccmd_set_x_bfp, 1);
            break;
        case 20:
            put(w, fsh_ccmd_set_w_rows, 0);
            break;
        case 21:
            put(w, fsh_ccmd_set_emit, 1);
            break;
        case 22:
            put(w, fsh_ccmd_set_out_w, 0xffff - test_.below(16));
            break;
        case 23:
            put(w, fsh_ccmd_set_tile_x, 255);
            break;
        case 24:
            put(w, fsh_ccmd_set_tile_x, 64);
            put(w, fsh_ccmd_set_tile_w, 4);
            break;
        case 25:
            put(w, fsh_ccmd_set_x_words, fsh_ccmd_x_words(w) - 1);
            break;
        case 26:
            put(w, fsh_ccmd_set_x_words, 512 + test_.below(2));
            break;
        case 27:
            put(w, fsh_ccmd_set_row_words, fsh_ccmd_row_words(w) - 1);
            break;
        case 28:
            put(w, fsh_ccmd_set_kernel_w, fsh_ccmd_kernel_w(w) + 8);
            break;
        case 29:
            put(w, fsh_ccmd_set_ldw, fsh_ccmd_ldw(w) - 1);
            break;
        case 30:
            put(w, fsh_ccmd_set_ldc, fsh_ccmd_ldc(w) - 1);
            break;
        case 31:
            put(w, fsh_ccmd_set_ldx, fsh_ccmd_ldx(w) - 1);
            break;
        case 32: // all that is used, and noise
            for (unsigned i = 0; i < FSH_CCMD_WORDS; i++)
                w[i] = i == 0    ? (w[0] & ~0x7800ull) | (test_.bits() & 0x7800)
                       : i == 15 ? w[15]
                                 : test_.bits() & used[i];
            break;
        default:
            if (!(used[at / 64] >> at % 64 & 1))
                w[at / 64] |= 1ull << at % 64;
            break;
        }
    }

    void cycle()
    {
        moved_ = false;
        drive_runs();
        drive_memory();
        drive_signals();
        dut_.cmd_ready_i = (uint8_t)(willing(4) | willing(5) << 1);
        dut_.eval();
        rooms_ = rooms_ << 2 | dut_.room_o;
        if (!dut_.busy_o && sleep_) {
            if ((dut_.cmd_valid_o & dut_.cmd_ready_i) ||
                (dut_.req_valid_o & dut_.req_ready_i) || dut_.run_valid_i ||
                dut_.rsp_valid_i || dut_.sig_valid_i)
                test_.fail("busy_o is low while something is handed over");
            look_waits();
            test_.cycle++;
            slept++;
            return;
        }
        look_waits();
        for (unsigned q = 0; q < 2; q++) {
            look_request(q);
            look_command(q);
        }
        if (dut_.sig_valid_i)
            there_[dut_.sig_event_i] += dut_.sig_inc_i;
        tb::edge(test_, dut_);
    }

    // A list goes when room_o of three cycles ago says so.
    void drive_runs()
    {
        unsigned q = test_.below(2);

        dut_.run_valid_i = 0;
        if (runs_[q].empty() || !willing(0))
            return;
        if (!(rooms_ >> (4 + q) & 1)) {
            held++;
            return;
        }
        List list = runs_[q].front();
        runs_[q].pop_front();
        dut_.run_valid_i = (uint8_t)(1 << q);
        dut_.run_count_i = (uint8_t)list.count;
        dut_.run_addr_i = list.addr;
        moved_ = true;
    }

    void look_request(unsigned q)
    {
        if (!(dut_.req_valid_o & dut_.req_ready_i & 1 << q))
            return;
        uint32_t addr = (uint32_t)(dut_.req_addr_o >> (32 * q));
        if (asked_[q])
            test_.fail("queue %u asks twice", q);
        if (fetch_[q].empty() || fetch_[q].front().first != addr)
            test_.fail("queue %u asks for %u", q, addr);
        if ((dut_.req_stride_o >> (20 * q) & 0xfffff) != 1 ||
            (dut_.req_mask_o >> (4 * q) & 15) != 3)
            test_.fail("queue %u does not ask for two beats", q);
        asked_[q] = true;
        due_[q] = test_.cycle + 1 + (stalls_ ? test_.below(60) : 20);
        moved_ = true;
    }

    void drive_memory()
    {
        dut_.req_ready_i = (uint8_t)(willing(1) | willing(2) << 1);
        dut_.rsp_valid_i = 0;
        dut_.rsp_err_i = 0;
        unsigned q = test_.below(2);
        if (!asked_[q] || due_[q] > test_.cycle)
            return;
        Command &c = fetch_[q].front().second;
        for (unsigned i = 0; i < FSH_CCMD_WORDS; i++) {
            dut_.rsp_data_i[2 * i] = (uint32_t)c.words[i];
            dut_.rsp_data_i[2 * i + 1] = (uint32_t)(c.words[i] >> 32);
        }
        dut_.rsp_err_i = (uint8_t)c.fails;
        dut_.rsp_valid_i = (uint8_t)(1 << q);
        asked_[q] = false;
        fetch_[q].pop_front();
        moved_ = true;
    }

    // Some command waits for more of this event.
    bool missed(unsigned e)
    {
        for (unsigned q = 0; q < 2; q++)
            if ((dut_.wait_valid_o >> q & 1) &&
                (dut_.wait_event_o >> (6 * q) & 63) == e &&
                there_[e] < (dut_.wait_count_o >> (16 * q) & 0xffff))
                return true;
        return false;
    }

    // Signals: never more in all than the commands take off, mostly not many
    // more than are waited for.
    void drive_signals()
    {
        static const uint64_t limits[] = {0, 0, 2, 10, 100000};
        unsigned e = test_.below(4) * 21;

        dut_.sig_valid_i = 0;
        if (test_.below(200) == 0)
            ahead_ = limits[test_.below(5)];
        if (!willing(3) || !needed_[e] || (there_[e] >= ahead_ && !missed(e)))
            return;
        uint64_t inc = 1 + test_.below(test_.below(8) ? 2 : 255);
        inc = std::min(inc, needed_[e]);
        needed_[e] -= inc;
        dut_.sig_valid_i = 1;
        dut_.sig_event_i = (uint8_t)e;
        dut_.sig_inc_i = (uint8_t)inc;
        moved_ = true;
    }

    // What could start and does not.
    void look_waits()
    {
        for (unsigned q = 0; q < 2; q++) {
            unsigned e = dut_.wait_event_o >> (6 * q) & 63;
            unsigned n = dut_.wait_count_o >> (16 * q) & 0xffff;
            bool other = (dut_.wait_valid_o >> (1 - q) & 1) &&
                         (dut_.wait_event_o >> (6 * (1 - q)) & 63) == e;
            bool late =
                (dut_.wait_valid_o >> q & 1) && there_[e] >= n && !other;
            ready_for_[q] = late ? ready_for_[q] + 1 : 0;
            if (ready_for_[q] > 9)
                test_.fail("queue %u waits for %u of event %u, there are %llu",
                           q, n, e, (unsigned long long)there_[e]);
        }
    }

    void look_command(unsigned q)
    {
        if (!(dut_.cmd_valid_o >> q & 1)) {
            seen_[q] = false;
            return;
        }
        if (expect_[q].empty())
            test_.fail("queue %u: a command too many", q);
        const Command &c = expect_[q].front();
        if (!seen_[q] && c.waits)
            take_off(c);
        seen_[q] = true;
        if (!(dut_.cmd_ready_i >> q & 1))
            return;
        compare(q, c);
        commands++;
        wrong += c.wrong;
        convs += !c.wrong && fsh_ccmd_op(c.words.data()) == FSH_COP_CONV;
        expect_[q].pop_front();
        seen_[q] = false;
        parity_[q] = !parity_[q];
        moved_ = true;
    }

    void take_off(const Command &c)
    {
        uint64_t e = fsh_ccmd_await_event(c.words.data());
        uint64_t n = fsh_ccmd_await_count(c.words.data());

        if (there_[e] < n)
            test_.fail("command starts at %llu of event %llu, waits for %llu",
                       (unsigned long long)there_[e], (unsigned long long)e,
                       (unsigned long long)n);
        there_[e] -= n;
        waited++;
    }

    void compare(unsigned q, const Command &c)
    {
        Words want = c.words, got;
        uint64_t *w = want.data();
        unsigned status = c.fails & 1 ? FSH_STATUS_LOCAL_RANGE
                          : c.fails   ? status_memory
                          : c.wrong   ? FSH_STATUS_BAD_COMMAND
                                      : FSH_STATUS_OK;

        for (unsigned i = 0; i < FSH_CCMD_WORDS; i++)
            got[i] = dut_.cmd_o[q * 32 + 2 * i] |
                     (uint64_t)dut_.cmd_o[q * 32 + 2 * i + 1] << 32;
        if (status) {
            put(w, fsh_ccmd_set_op, FSH_COP_NOP);
            put(w, fsh_ccmd_set_art, 0);
            put(w, fsh_ccmd_set_emit, 0);
            put(w, fsh_ccmd_set_await, c.waits);
        }
        if (c.fails) {
            put(w, fsh_ccmd_set_signal, 0);
            put(w, fsh_ccmd_set_complete, 0);
        }
        if ((dut_.cmd_status_o >> (4 * q) & 15) != status)
            test_.fail("queue %u: status %u, not %u", q,
                       dut_.cmd_status_o >> (4 * q) & 15, status);
        if ((dut_.cmd_parity_o >> q & 1) != parity_[q])
            test_.fail("queue %u: wrong parity", q);
        for (unsigned i = 0; i < FSH_CCMD_WORDS; i++)
            if (got[i] != want[i])
                test_.fail("queue %u: word %u is %016llx, not %016llx", q, i,
                           (unsigned long long)got[i],
                           (unsigned long long)want[i]);
    }

    tb::Test &test_;
    bool stalls_, sleep_;
    std::unique_ptr<VerilatedContext> context_;
    Vfsh_cqueues dut_;
    std::vector<tb::Stall> stall_;
    uint32_t next_ = 100;
    std::deque<List> runs_[2];
    std::deque<Command> expect_[2];
    std::deque<std::pair<uint32_t, Command>> fetch_[2];
    uint64_t needed_[64] = {}, there_[64] = {}, due_[2] = {};
    bool asked_[2] = {false, false}, seen_[2] = {false, false};
    bool parity_[2] = {false, false}, moved_ = false;
    uint64_t ahead_ = 0;
    unsigned ready_for_[2] = {0, 0}, rooms_ = ~0u;
};

int main(int argc, char **argv)
{
    tb::Test test("tb_fsh_queues", argc, argv);
    unsigned long long commands = 0, wrong = 0, waited = 0, slept = 0, held = 0;
    unsigned long long convs = 0;

    for (int round = 0; round < 8; round++) {
        Bench bench(test, round != 2, round % 2);
        bench.run(400);
        commands += bench.commands;
        wrong += bench.wrong;
        waited += bench.waited;
        slept += bench.slept;
        held += bench.held;
        convs += bench.convs;
    }
    if (convs < 200)
        test.fail("%llu convolutions were right", convs);
    if (!held)
        test.fail("no queue was ever full");
    std::printf("tb_fsh_queues: %llu wrong, %llu waited, %llu cycles asleep\n",
                wrong, waited, slept);
    return test.pass(commands, "commands");
}
