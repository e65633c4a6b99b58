// SPDX-License-Identifier: BSD-3-Clause
// Commands for the compute core with random operands, and what the C model
// (src/compute/kernel, src/compute/number) makes of them: matrix products, convolutions, encodings.
#ifndef FSH_TB_COMPUTE_WORK_H
#define FSH_TB_COMPUTE_WORK_H

#include "compute_bed.h"
extern "C" {
#include "compute/number/operand.h"
#include "compute/kernel/kernels.h"
}

namespace work
{

using bed::Bed;
using bed::Command;

constexpr uint32_t SEGMENT = 16u << 20;
constexpr uint32_t COMMANDS = 0; // 4 KiB for lists
constexpr uint32_t DATA = 4096;
constexpr unsigned PEER = 1; // gets what is sent

// Hands out memory of the segment.
struct Space {
    uint32_t next = DATA;

    uint32_t take(size_t bytes)
    {
        uint32_t at = next;

        next += (uint32_t)((bytes + 63) / 64 * 64);
        if (next > SEGMENT)
            std::abort();
        return at;
    }
};

inline uint32_t up(uint32_t n, uint32_t to)
{
    return (n + to - 1) / to * to;
}

inline float number(tb::Test &test, bool wild)
{
    static const uint32_t special[] = {0x7f800000, 0xff800000, 0x7fc00001,
                                       0x00000001, 0x80000000, 0x7f7fffff,
                                       0x00800000, 0xff7fffff};
    uint32_t bits = (uint32_t)test.bits();
    float value;

    if (wild && test.below(200) == 0)
        bits = special[test.below(8)];
    else if (!wild || test.below(4))
        bits = (bits & 0x807fffff) | (120 + test.below(12)) << 23;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

// A size of 1 more often than chance has it.
inline uint32_t size(tb::Test &test, uint32_t most)
{
    return test.below(8) == 0 ? 1 : 1 + test.below(most);
}

// What a command writes.
struct Written {
    uint32_t at;
    std::vector<uint8_t> want;
};

class Work
{
  public:
    virtual ~Work() = default;
    // Take room, fill in the operands, ask the model.
    virtual void plan(tb::Test &test, Bed &b, Space &space, bool wild) = 0;
    virtual void set(uint64_t *w) const = 0;
    // What it is, and where byte `at` of part `part` of what it writes stands.
    virtual std::string form() const = 0;
    virtual std::string place(unsigned part, uint32_t at) const = 0;

    Command command(unsigned cookie) const
    {
        Command cmd;

        fsh_ccmd_set_complete(cmd.word, 1);
        fsh_ccmd_set_cookie(cmd.word, cookie);
        fsh_ccmd_set_check(cmd.word, FSH_CMD_CHECK);
        set(cmd.word);
        return cmd;
    }

    void check(tb::Test &test, const std::vector<uint8_t> &mem,
               const char *where) const
    {
        for (unsigned part = 0; part < written.size(); part++) {
            const Written &w = written[part];

            for (uint32_t i = 0; i < w.want.size(); i++)
                if (mem[w.at + i] != w.want[i])
                    test.fail("%s: %s%s: %02x instead of %02x", form().c_str(),
                              place(part, i).c_str(), where, mem[w.at + i],
                              w.want[i]);
        }
    }

    std::vector<Written> written;
    bool sent = false; // the last of `written` to node PEER
};

inline void await(Command &cmd, unsigned event, unsigned count)
{
    fsh_ccmd_set_await(cmd.word, 1);
    fsh_ccmd_set_await_event(cmd.word, event);
    fsh_ccmd_set_await_count(cmd.word, count);
}

inline void fill(tb::Test &test, Bed &b, uint32_t at, size_t count, bool wild)
{
    for (size_t i = 0; i < count; i++) {
        float value = number(test, wild);
        b.put(at + (uint32_t)(4 * i), &value, 4);
    }
}

inline float *floats(Bed &b, uint32_t at)
{
    return reinterpret_cast<float *>(&b.mem[at]);
}

inline std::vector<uint8_t> encoded(Bed &b, uint32_t from, uint32_t ld,
                                    bool columns, uint32_t rows, uint32_t k)
{
    std::vector<uint8_t> code(fsh_bfp_operand_size(rows, k));

    fsh_bfp_operand_encode(floats(b, from), ld, columns, rows, k, code.data(),
                           FSH_ISA_PORTABLE);
    return code;
}

inline uint32_t store(Bed &b, Space &space, const std::vector<uint8_t> &code)
{
    uint32_t at = space.take(code.size());

    b.put(at, code.data(), code.size());
    return at;
}

template <class... Args> std::string text(const char *format, Args... args)
{
    char line[200];

    std::snprintf(line, sizeof line, format, args...);
    return line;
}

struct Gemm : Work {
    uint32_t m, n, k, lda, ldb, ldc, tile_x, tile_w;
    bool x_bfp = false, x_cols = false, w_bfp = false, w_rows = false;
    bool accumulate = false, bias = false, relu = false, emit = false;
    uint32_t a, bmat, c, biases, e = 0;

    Gemm(uint32_t m_, uint32_t n_, uint32_t k_) : m(m_), n(n_), k(k_) {}

    void draw_form(tb::Test &test)
    {
        x_bfp = test.below(4) == 0;
        x_cols = !x_bfp && test.below(3) == 0;
        w_bfp = test.below(4) == 0;
        w_rows = test.below(2);
        accumulate = test.below(3) == 0;
        bias = test.below(3) == 0;
        relu = test.below(3) == 0;
        emit = !w_bfp && test.below(4) == 0;
        do {
            tile_x = x_bfp    ? 8 * (1 + test.below(2))
                     : x_cols ? 2 * (1 + test.below(8))
                              : 1 + test.below(16);
            tile_w =
                w_bfp || emit ? 4 * (1 + test.below(2)) : 1 + test.below(16);
        } while (tile_x * tile_w > 128);
    }

    void plan(tb::Test &test, Bed &b, Space &space, bool wild) override
    {
        lda = up(x_cols ? m : k, 16) + 16 * test.below(2);
        ldb = up(w_rows ? k : n, 16) + 16 * test.below(2);
        ldc = up(n, 16) + 16 * test.below(2);
        a = space.take(4 * (x_cols ? k : m) * lda);
        bmat = space.take(4 * (w_rows ? n : k) * ldb);
        c = space.take(4 * m * ldc);
        biases = space.take(4 * up(n, 64));
        fill(test, b, a, (x_cols ? k : m) * lda, wild);
        fill(test, b, bmat, (w_rows ? n : k) * ldb, wild);
        fill(test, b, c, m * ldc, wild);
        fill(test, b, biases, up(n, 64), wild);
        model(test, b);
        std::vector<uint8_t> code = encoded(b, bmat, ldb, !w_rows, n, k);
        if (emit) {
            e = space.take(code.size());
            written.push_back({e, code});
        }
        if (w_bfp)
            bmat = store(b, space, code);
        if (x_bfp)
            a = store(b, space, encoded(b, a, lda, false, m, k));
    }

    void model(tb::Test &test, Bed &b)
    {
        std::vector<uint8_t> want(&b.mem[c], &b.mem[c] + 4 * m * ldc);
        struct fsh_matmul op = {};

        op.m = m;
        op.n = n;
        op.k = k;
        op.a = {x_cols ? FSH_OPERAND_COLUMNS : FSH_OPERAND_ROWS, &b.mem[a],
                lda};
        op.b = {w_rows ? FSH_OPERAND_ROWS : FSH_OPERAND_COLUMNS, &b.mem[bmat],
                ldb};
        op.c = reinterpret_cast<float *>(want.data());
        op.ldc = ldc;
        op.finish.accumulate = accumulate;
        op.finish.bias = bias ? floats(b, biases) : nullptr;
        op.finish.relu = relu;
        if (fsh_matmul(&op, FSH_ISA_PORTABLE) != FSH_KERNEL_OK)
            test.fail("the model refuses");
        written.push_back({c, want});
    }

    void set(uint64_t *w) const override
    {
        fsh_ccmd_set_op(w, FSH_COP_GEMM);
        fsh_ccmd_set_accumulate(w, accumulate);
        fsh_ccmd_set_bias(w, bias);
        fsh_ccmd_set_relu(w, relu);
        fsh_ccmd_set_x_bfp(w, x_bfp);
        fsh_ccmd_set_x_cols(w, x_cols);
        fsh_ccmd_set_w_bfp(w, w_bfp);
        fsh_ccmd_set_w_rows(w, w_rows);
        fsh_ccmd_set_emit(w, emit);
        fsh_ccmd_set_x_addr(w, a / 64);
        fsh_ccmd_set_w_addr(w, bmat / 64);
        fsh_ccmd_set_c_addr(w, c / 64);
        fsh_ccmd_set_b_addr(w, biases / 64);
        fsh_ccmd_set_e_addr(w, e / 64);
        fsh_ccmd_set_ldx(w, lda / 16);
        fsh_ccmd_set_ldw(w, ldb / 16);
        fsh_ccmd_set_ldc(w, ldc / 16);
        fsh_ccmd_set_m(w, m);
        fsh_ccmd_set_n(w, n);
        fsh_ccmd_set_k(w, k);
        fsh_ccmd_set_tile_x(w, tile_x);
        fsh_ccmd_set_tile_w(w, tile_w);
    }

    std::string form() const override
    {
        return text("%u x %u x %u, tile %u x %u%s%s%s%s%s%s%s%s", m, n, k,
                    tile_x, tile_w, x_bfp ? ", X encoded" : "",
                    x_cols ? ", X columns" : "", w_bfp ? ", W encoded" : "",
                    w_rows ? ", W rows" : "", accumulate ? ", accumulate" : "",
                    bias ? ", bias" : "", relu ? ", ReLU" : "",
                    emit ? ", emit" : "");
    }

    std::string place(unsigned part, uint32_t at) const override
    {
        return part ? text("byte %u of the encoded operand", at)
                    : text("row %u, column %u, byte %u", at / 4 / ldc,
                           at / 4 % ldc, at % 4);
    }
};

struct Encode : Work {
    uint32_t rows, k, ld, tile_w, from, to;
    bool w_rows;

    Encode(uint32_t rows_, uint32_t k_) : rows(rows_), k(k_) {}

    void draw_form(tb::Test &test)
    {
        w_rows = test.below(2);
        tile_w = 4 * (1 + test.below(8));
        sent = test.below(3) == 0;
    }

    void plan(tb::Test &test, Bed &b, Space &space, bool wild) override
    {
        uint32_t lines = w_rows ? rows : k;

        ld = up(w_rows ? k : rows, 16) + 16 * test.below(2);
        from = space.take(4 * lines * ld);
        fill(test, b, from, lines * ld, wild);
        std::vector<uint8_t> code = encoded(b, from, ld, !w_rows, rows, k);
        to = space.take(code.size());
        written.push_back({to, code});
    }

    void set(uint64_t *w) const override
    {
        fsh_ccmd_set_op(w, FSH_COP_ENCODE);
        fsh_ccmd_set_emit(w, 1);
        fsh_ccmd_set_w_rows(w, w_rows);
        fsh_ccmd_set_w_addr(w, from / 64);
        fsh_ccmd_set_e_addr(w, to / 64);
        fsh_ccmd_set_ldw(w, ld / 16);
        fsh_ccmd_set_n(w, rows);
        fsh_ccmd_set_k(w, k);
        fsh_ccmd_set_tile_w(w, tile_w);
        if (sent) {
            fsh_ccmd_set_art(w, 1);
            fsh_ccmd_set_art_addr(w, to / 64);
            fsh_ccmd_set_art_count(w, 1024);
            fsh_ccmd_set_art_mask(w, 1u << PEER);
        }
    }

    std::string form() const override
    {
        return text("encode %u %s x %u, tile %u%s", rows,
                    w_rows ? "rows" : "columns", k, tile_w,
                    sent ? ", sent" : "");
    }

    std::string place(unsigned, uint32_t at) const override
    {
        return text("byte %u", at);
    }
};

struct Conv : Work {
    uint32_t channels, in_h, in_w, out, kh, kw, stride, pad, out_h, out_w;
    uint32_t tile_x, tile_w, row_words, x_words;
    bool bias, relu, accumulate;
    uint32_t in, kernels, c, biases;

    void draw(tb::Test &test)
    {
        do {
            channels = size(test, 60);
            out = size(test, 60);
            in_h = size(test, 20);
            in_w = size(test, test.below(2) ? 40 : 12);
            kh = 1 + test.below(5);
            kw = 1 + test.below(5);
            stride = 1 + test.below(test.below(2) ? 1 : 4);
            pad = test.below(4);
        } while (in_h + 2 * pad < kh || in_w + 2 * pad < kw);
        out_h = (uint32_t)fsh_conv_out(in_h, kh, stride, pad);
        out_w = (uint32_t)fsh_conv_out(in_w, kw, stride, pad);
        bias = test.below(2);
        relu = test.below(2);
        accumulate = test.below(3) == 0;
        row_words = up(up((out_w - 1) * stride + kw, stride) / stride, 8) / 8;
        do {
            tile_x = 1 + test.below(6);
            tile_w = 1 + test.below(6);
            x_words = ((tile_x - 1) * stride + kh) * stride * row_words;
        } while (tile_x * (up(out_w, 8) / 8) * tile_w > 128 || x_words > 512);
    }

    uint32_t blocks() const
    {
        return up(channels, 16) / 16;
    }

    uint32_t results() const
    {
        return up(out, 16) * out_h * out_w;
    }

    void plan(tb::Test &test, Bed &b, Space &space, bool wild) override
    {
        uint32_t pixels = blocks() * in_h * in_w;
        uint32_t taps = blocks() * kh * kw;

        in = space.take(64 * pixels);
        kernels = space.take(64 * out * taps);
        c = space.take(4 * results());
        biases = space.take(4 * up(out, 64));
        fill(test, b, in, 16 * pixels, wild);
        fill(test, b, kernels, 16 * out * taps, wild);
        fill(test, b, c, results(), wild);
        fill(test, b, biases, up(out, 64), wild);
        model(test, b);
    }

    void model(tb::Test &test, Bed &b)
    {
        std::vector<uint8_t> want(&b.mem[c], &b.mem[c] + 4 * results());
        struct fsh_conv op = {};

        op.in_channels = channels;
        op.in_h = in_h;
        op.in_w = in_w;
        op.out_channels = out;
        op.kernel_h = kh;
        op.kernel_w = kw;
        op.stride = stride;
        op.pad = pad;
        op.in = floats(b, in);
        op.kernels = {FSH_OPERAND_ROWS, &b.mem[kernels],
                      16 * blocks() * kh * kw};
        op.out = reinterpret_cast<float *>(want.data());
        op.finish.accumulate = accumulate;
        op.finish.bias = bias ? floats(b, biases) : nullptr;
        op.finish.relu = relu;
        if (fsh_conv(&op, FSH_ISA_PORTABLE) != FSH_KERNEL_OK)
            test.fail("the model refuses");
        written.push_back({c, want});
    }

    void set(uint64_t *w) const override
    {
        fsh_ccmd_set_op(w, FSH_COP_CONV);
        fsh_ccmd_set_accumulate(w, accumulate);
        fsh_ccmd_set_bias(w, bias);
        fsh_ccmd_set_relu(w, relu);
        fsh_ccmd_set_w_rows(w, 1);
        fsh_ccmd_set_x_addr(w, in / 64);
        fsh_ccmd_set_w_addr(w, kernels / 64);
        fsh_ccmd_set_c_addr(w, c / 64);
        fsh_ccmd_set_b_addr(w, biases / 64);
        fsh_ccmd_set_ldx(w, in_w);
        fsh_ccmd_set_ldw(w, blocks() * kh * kw);
        fsh_ccmd_set_ldc(w, out_w);
        fsh_ccmd_set_n(w, out);
        fsh_ccmd_set_k(w, blocks() * 16);
        fsh_ccmd_set_m(w, out_h);
        fsh_ccmd_set_tile_x(w, tile_x);
        fsh_ccmd_set_tile_w(w, tile_w);
        fsh_ccmd_set_kernel_h(w, kh);
        fsh_ccmd_set_kernel_w(w, kw);
        fsh_ccmd_set_stride(w, stride);
        fsh_ccmd_set_row_words(w, row_words);
        fsh_ccmd_set_x_words(w, x_words);
        fsh_ccmd_set_in_h(w, in_h);
        fsh_ccmd_set_in_w(w, in_w);
        fsh_ccmd_set_out_h(w, out_h);
        fsh_ccmd_set_out_w(w, out_w);
        fsh_ccmd_set_pad_h(w, pad);
        fsh_ccmd_set_pad_w(w, pad);
        fsh_ccmd_set_in_plane(w, in_h * in_w);
        fsh_ccmd_set_out_plane(w, out_h * out_w);
    }

    std::string form() const override
    {
        return text("%u channels %u x %u, %u kernels %u x %u, stride %u, pad "
                    "%u, tile %u x %u",
                    channels, in_h, in_w, out, kh, kw, stride, pad, tile_x,
                    tile_w);
    }

    std::string place(unsigned, uint32_t at) const override
    {
        return text("block %u, pixel %u, channel %u, byte %u",
                    at / 64 / (out_h * out_w), at / 64 % (out_h * out_w),
                    at / 4 % 16, at % 4);
    }
};

} // namespace work

#endif
