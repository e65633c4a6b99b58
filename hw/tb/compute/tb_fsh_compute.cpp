// SPDX-License-Identifier: BSD-3-Clause
// The compute core against the C model: random matrix products and convolutions
// of every form, with random stalls, bit for bit; and how long the paper's
// sizes take when nothing stalls.
#include <algorithm>
#include "compute_bed.h"
extern "C" {
#include "bfp/operand.h"
#include "compute/kernels.h"
}

namespace
{

using bed::Bed;
using bed::Command;

constexpr uint32_t SEGMENT = 16u << 20;
constexpr uint32_t COMMANDS = 0; // 4 KiB for lists
constexpr uint32_t DATA = 4096;

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

uint32_t up(uint32_t n, uint32_t to)
{
    return (n + to - 1) / to * to;
}

float number(tb::Test &test, bool wild)
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

void fill(tb::Test &test, Bed &b, uint32_t at, size_t count, bool wild)
{
    for (size_t i = 0; i < count; i++) {
        float value = number(test, wild);
        b.put(at + (uint32_t)(4 * i), &value, 4);
    }
}

struct Gemm {
    uint32_t m, n, k, lda, ldb, ldc, tile_x, tile_w;
    bool x_bfp, w_bfp, w_rows, accumulate, bias, relu, emit;
    uint32_t a, bmat, c, biases, e;
    std::vector<uint8_t> want, code;
};

bool same(Bed &b, uint32_t at, const std::vector<uint8_t> &want, uint32_t *bad)
{
    for (uint32_t i = 0; i < want.size(); i++)
        if (b.mem[at + i] != want[i]) {
            *bad = i;
            return false;
        }
    return true;
}

void plan(tb::Test &test, Bed &b, Space &space, Gemm &g, bool wild)
{
    g.lda = up(g.k, 16) + 16 * test.below(2);
    g.ldb = up(g.w_rows ? g.k : g.n, 16) + 16 * test.below(2);
    g.ldc = up(g.n, 16) + 16 * test.below(2);
    g.a = space.take(4 * g.m * g.lda);
    g.bmat = space.take(4 * (g.w_rows ? g.n : g.k) * g.ldb);
    g.c = space.take(4 * g.m * g.ldc);
    g.biases = space.take(4 * up(g.n, 64));
    fill(test, b, g.a, g.m * g.lda, wild);
    fill(test, b, g.bmat, (g.w_rows ? g.n : g.k) * g.ldb, wild);
    fill(test, b, g.c, g.m * g.ldc, wild);
    fill(test, b, g.biases, up(g.n, 64), wild);

    // What is to come.
    struct fsh_matmul op = {};
    op.m = g.m;
    op.n = g.n;
    op.k = g.k;
    op.a = {FSH_OPERAND_ROWS, &b.mem[g.a], g.lda};
    op.b = {g.w_rows ? FSH_OPERAND_ROWS : FSH_OPERAND_COLUMNS, &b.mem[g.bmat],
            g.ldb};
    g.want.assign(&b.mem[g.c], &b.mem[g.c] + 4 * g.m * g.ldc);
    op.c = reinterpret_cast<float *>(g.want.data());
    op.ldc = g.ldc;
    op.finish.accumulate = g.accumulate;
    op.finish.bias =
        g.bias ? reinterpret_cast<float *>(&b.mem[g.biases]) : nullptr;
    op.finish.relu = g.relu;
    if (fsh_matmul(&op, FSH_ISA_PORTABLE) != FSH_KERNEL_OK)
        test.fail("the model refuses");

    g.code.resize(fsh_bfp_operand_size(g.n, g.k));
    fsh_bfp_operand_encode(reinterpret_cast<float *>(&b.mem[g.bmat]), g.ldb,
                           !g.w_rows, g.n, g.k, g.code.data(),
                           FSH_ISA_PORTABLE);
    if (g.emit)
        g.e = space.take(g.code.size());
    if (g.w_bfp) {
        g.bmat = space.take(g.code.size());
        b.put(g.bmat, g.code.data(), g.code.size());
    }
    if (g.x_bfp) {
        std::vector<uint8_t> code(fsh_bfp_operand_size(g.m, g.k));
        fsh_bfp_operand_encode(reinterpret_cast<float *>(&b.mem[g.a]), g.lda,
                               false, g.m, g.k, code.data(), FSH_ISA_PORTABLE);
        g.a = space.take(code.size());
        b.put(g.a, code.data(), code.size());
    }
}

Command command(const Gemm &g, unsigned cookie)
{
    Command cmd;
    uint64_t *w = cmd.word;

    fsh_ccmd_set_op(w, FSH_COP_GEMM);
    fsh_ccmd_set_accumulate(w, g.accumulate);
    fsh_ccmd_set_bias(w, g.bias);
    fsh_ccmd_set_relu(w, g.relu);
    fsh_ccmd_set_x_bfp(w, g.x_bfp);
    fsh_ccmd_set_w_bfp(w, g.w_bfp);
    fsh_ccmd_set_w_rows(w, g.w_rows);
    fsh_ccmd_set_emit(w, g.emit);
    fsh_ccmd_set_complete(w, 1);
    fsh_ccmd_set_cookie(w, cookie);
    fsh_ccmd_set_x_addr(w, g.a / 64);
    fsh_ccmd_set_w_addr(w, g.bmat / 64);
    fsh_ccmd_set_c_addr(w, g.c / 64);
    fsh_ccmd_set_b_addr(w, g.biases / 64);
    fsh_ccmd_set_e_addr(w, g.e / 64);
    fsh_ccmd_set_ldx(w, g.lda / 16);
    fsh_ccmd_set_ldw(w, g.ldb / 16);
    fsh_ccmd_set_ldc(w, g.ldc / 16);
    fsh_ccmd_set_m(w, g.m);
    fsh_ccmd_set_n(w, g.n);
    fsh_ccmd_set_k(w, g.k);
    fsh_ccmd_set_tile_x(w, g.tile_x);
    fsh_ccmd_set_tile_w(w, g.tile_w);
    fsh_ccmd_set_check(w, FSH_CMD_CHECK);
    return cmd;
}

const char *form(const Gemm &g)
{
    static char text[160];

    std::snprintf(text, sizeof text,
                  "%u x %u x %u, tile %u x %u%s%s%s%s%s%s%s", g.m, g.n, g.k,
                  g.tile_x, g.tile_w, g.x_bfp ? ", X encoded" : "",
                  g.w_bfp ? ", W encoded" : "", g.w_rows ? ", W rows" : "",
                  g.accumulate ? ", accumulate" : "", g.bias ? ", bias" : "",
                  g.relu ? ", ReLU" : "", g.emit ? ", emit" : "");
    return text;
}

void check(tb::Test &test, Bed &b, const Gemm &g)
{
    uint32_t bad;

    if (!same(b, g.c, g.want, &bad))
        test.fail("%s: row %u, column %u: %08x instead of %08x", form(g),
                  bad / 4 / g.ldc, bad / 4 % g.ldc,
                  *reinterpret_cast<uint32_t *>(&b.mem[g.c + bad / 4 * 4]),
                  *reinterpret_cast<const uint32_t *>(&g.want[bad / 4 * 4]));
    if (g.emit && !same(b, g.e, g.code, &bad))
        test.fail("%s: byte %u of the encoded operand: %02x instead of %02x",
                  form(g), bad, b.mem[g.e + bad], g.code[bad]);
}

Gemm shape(tb::Test &test)
{
    Gemm g = {};

    g.m = 1 + test.below(test.below(3) ? 40 : 200);
    g.n = 1 + test.below(test.below(3) ? 40 : 200);
    g.k = 1 + test.below(test.below(3) ? 60 : 300);
    g.x_bfp = test.below(4) == 0;
    g.w_bfp = test.below(4) == 0;
    g.w_rows = test.below(2);
    g.accumulate = test.below(3) == 0;
    g.bias = test.below(3) == 0;
    g.relu = test.below(3) == 0;
    g.emit = !g.w_bfp && test.below(4) == 0;
    do {
        g.tile_x = g.x_bfp ? 8 * (1 + test.below(2)) : 1 + test.below(16);
        g.tile_w = g.w_bfp || g.emit ? 4 * (1 + test.below(2))
                                     : 1 + test.below(16);
    } while (g.tile_x * g.tile_w > 128);
    return g;
}

// Lists of random products, all in flight at once.
unsigned randoms(tb::Test &test, unsigned rounds, bool stalls)
{
    unsigned done = 0;

    for (unsigned round = 0; round < rounds; round++) {
        Bed b(test, SEGMENT, stalls);
        Space space;
        unsigned count = 1 + test.below(5);
        std::vector<Gemm> work;

        b.latency = 1 + test.below(100);
        for (unsigned i = 0; i < count; i++) {
            work.push_back(shape(test));
            plan(test, b, space, work.back(), test.below(2));
            Command cmd = command(work.back(), i);
            b.put(COMMANDS + i * 128, cmd.word, sizeof cmd.word);
        }
        b.run(COMMANDS, count, 0);
        b.wait(count, 3000000);
        for (unsigned i = 0; i < count; i++) {
            if (b.complete[i][1] != i || b.complete[i][2] != 0)
                test.fail("completion %u: cookie %u, status %u", i,
                          b.complete[i][1], b.complete[i][2]);
            check(test, b, work[i]);
            done++;
        }
    }
    return done;
}

struct Conv {
    uint32_t channels, in_h, in_w, out, kh, kw, stride, pad, out_h, out_w;
    uint32_t tile_x, tile_w, row_words, x_words;
    bool bias, relu, accumulate;
    uint32_t in, kernels, c, biases;
    std::vector<uint8_t> want;
};

void plan(tb::Test &test, Bed &b, Space &space, Conv &v, bool wild)
{
    uint32_t cb = up(v.channels, 16) / 16, ob = up(v.out, 16) / 16;
    uint32_t k = cb * v.kh * v.kw * 16;
    std::vector<float> zero(16);

    v.out_h = (uint32_t)fsh_conv_out(v.in_h, v.kh, v.stride, v.pad);
    v.out_w = (uint32_t)fsh_conv_out(v.in_w, v.kw, v.stride, v.pad);
    v.in = space.take(64 * cb * v.in_h * v.in_w);
    v.kernels = space.take(4 * v.out * k);
    v.c = space.take(64 * ob * v.out_h * v.out_w);
    v.biases = space.take(4 * up(v.out, 64));
    fill(test, b, v.in, 16 * cb * v.in_h * v.in_w, wild);
    fill(test, b, v.kernels, v.out * k, wild);
    fill(test, b, v.c, 16 * ob * v.out_h * v.out_w, wild);
    fill(test, b, v.biases, up(v.out, 64), wild);

    struct fsh_conv op = {};
    op.in_channels = v.channels;
    op.in_h = v.in_h;
    op.in_w = v.in_w;
    op.out_channels = v.out;
    op.kernel_h = v.kh;
    op.kernel_w = v.kw;
    op.stride = v.stride;
    op.pad = v.pad;
    op.in = reinterpret_cast<float *>(&b.mem[v.in]);
    op.kernels = {FSH_OPERAND_ROWS, &b.mem[v.kernels], k};
    v.want.assign(&b.mem[v.c], &b.mem[v.c] + 64 * ob * v.out_h * v.out_w);
    op.out = reinterpret_cast<float *>(v.want.data());
    op.finish.accumulate = v.accumulate;
    op.finish.bias =
        v.bias ? reinterpret_cast<float *>(&b.mem[v.biases]) : nullptr;
    op.finish.relu = v.relu;
    if (fsh_conv(&op, FSH_ISA_PORTABLE) != FSH_KERNEL_OK)
        test.fail("the model refuses");

    v.row_words = up((v.out_w - 1) * v.stride + v.kw, v.stride) / v.stride;
    v.row_words = up(v.row_words, 8) / 8;
    v.x_words =
        ((v.tile_x - 1) * v.stride + v.kh) * v.stride * v.row_words;
}

Command command(const Conv &v, unsigned cookie)
{
    Command cmd;
    uint64_t *w = cmd.word;
    uint32_t cb = up(v.channels, 16) / 16;

    fsh_ccmd_set_op(w, FSH_COP_CONV);
    fsh_ccmd_set_accumulate(w, v.accumulate);
    fsh_ccmd_set_bias(w, v.bias);
    fsh_ccmd_set_relu(w, v.relu);
    fsh_ccmd_set_w_rows(w, 1);
    fsh_ccmd_set_complete(w, 1);
    fsh_ccmd_set_cookie(w, cookie);
    fsh_ccmd_set_x_addr(w, v.in / 64);
    fsh_ccmd_set_w_addr(w, v.kernels / 64);
    fsh_ccmd_set_c_addr(w, v.c / 64);
    fsh_ccmd_set_b_addr(w, v.biases / 64);
    fsh_ccmd_set_ldx(w, v.in_w);
    fsh_ccmd_set_ldw(w, cb * v.kh * v.kw);
    fsh_ccmd_set_ldc(w, v.out_w);
    fsh_ccmd_set_n(w, v.out);
    fsh_ccmd_set_k(w, cb * 16);
    fsh_ccmd_set_m(w, v.out_h);
    fsh_ccmd_set_tile_x(w, v.tile_x);
    fsh_ccmd_set_tile_w(w, v.tile_w);
    fsh_ccmd_set_kernel_h(w, v.kh);
    fsh_ccmd_set_kernel_w(w, v.kw);
    fsh_ccmd_set_stride(w, v.stride);
    fsh_ccmd_set_row_words(w, v.row_words);
    fsh_ccmd_set_x_words(w, v.x_words);
    fsh_ccmd_set_in_h(w, v.in_h);
    fsh_ccmd_set_in_w(w, v.in_w);
    fsh_ccmd_set_out_h(w, v.out_h);
    fsh_ccmd_set_out_w(w, v.out_w);
    fsh_ccmd_set_pad_h(w, v.pad);
    fsh_ccmd_set_pad_w(w, v.pad);
    fsh_ccmd_set_in_plane(w, v.in_h * v.in_w);
    fsh_ccmd_set_out_plane(w, v.out_h * v.out_w);
    fsh_ccmd_set_check(w, FSH_CMD_CHECK);
    return cmd;
}

Conv image(tb::Test &test)
{
    Conv v = {};

    do {
        v.channels = 1 + test.below(60);
        v.out = 1 + test.below(60);
        v.in_h = 1 + test.below(20);
        v.in_w = 1 + test.below(test.below(2) ? 40 : 12);
        v.kh = 1 + test.below(5);
        v.kw = 1 + test.below(5);
        v.stride = 1 + test.below(test.below(2) ? 1 : 4);
        v.pad = test.below(4);
    } while (v.in_h + 2 * v.pad < v.kh || v.in_w + 2 * v.pad < v.kw);
    v.bias = test.below(2);
    v.relu = test.below(2);
    v.accumulate = test.below(3) == 0;
    for (;;) {
        uint32_t ow = (uint32_t)fsh_conv_out(v.in_w, v.kw, v.stride, v.pad);
        uint32_t rw = up(up((ow - 1) * v.stride + v.kw, v.stride) / v.stride, 8) / 8;

        v.tile_x = 1 + test.below(6);
        v.tile_w = 1 + test.below(6);
        if (v.tile_x * (up(ow, 8) / 8) * v.tile_w <= 128 &&
            ((v.tile_x - 1) * v.stride + v.kh) * v.stride * rw <= 512)
            return v;
    }
}

unsigned convolutions(tb::Test &test, unsigned rounds, bool stalls)
{
    unsigned done = 0;

    for (unsigned round = 0; round < rounds; round++) {
        Bed b(test, SEGMENT, stalls);
        Space space;
        unsigned count = 1 + test.below(4);
        std::vector<Conv> work;

        b.latency = 1 + test.below(100);
        for (unsigned i = 0; i < count; i++) {
            work.push_back(image(test));
            plan(test, b, space, work.back(), test.below(2));
            Command cmd = command(work.back(), i);
            b.put(COMMANDS + i * 128, cmd.word, sizeof cmd.word);
        }
        b.run(COMMANDS, count, 0);
        b.wait(count, 3000000);
        for (unsigned i = 0; i < count; i++) {
            const Conv &v = work[i];
            uint32_t bad;

            if (b.complete[i][1] != i || b.complete[i][2] != 0)
                test.fail("completion %u: cookie %u, status %u", i,
                          b.complete[i][1], b.complete[i][2]);
            if (!same(b, v.c, v.want, &bad))
                test.fail(
                    "%u channels %u x %u, %u kernels %u x %u, stride %u, pad "
                    "%u, tile %u x %u: block %u, pixel %u, channel %u: %08x "
                    "instead of %08x",
                    v.channels, v.in_h, v.in_w, v.out, v.kh, v.kw, v.stride,
                    v.pad, v.tile_x, v.tile_w, bad / 64 / (v.out_h * v.out_w),
                    bad / 64 % (v.out_h * v.out_w), bad / 4 % 16,
                    *reinterpret_cast<uint32_t *>(&b.mem[v.c + bad / 4 * 4]),
                    *reinterpret_cast<const uint32_t *>(&v.want[bad / 4 * 4]));
            done++;
        }
    }
    return done;
}

// Cycles of a square product, nothing stalls.
void speed(tb::Test &test, uint32_t size, uint32_t tile_x, uint32_t tile_w)
{
    Bed b(test, SEGMENT, false);
    Space space;
    Gemm g = {};

    g.m = g.n = g.k = size;
    g.tile_x = tile_x;
    g.tile_w = tile_w;
    plan(test, b, space, g, false);
    Command cmd = command(g, 7);
    b.put(COMMANDS, cmd.word, sizeof cmd.word);
    uint64_t from = test.cycle;
    b.run(COMMANDS, 1, 0);
    uint64_t cycles = b.wait(1, 100000000) - from;
    check(test, b, g);
    std::printf("  %u: %llu cycles, %.2f %% of 2048 MAC a cycle; %llu steps, "
                "%llu without operands, %llu without bank, %llu ending\n",
                size, (unsigned long long)cycles,
                100.0 * size * size * size / 2048 / (double)cycles,
                (unsigned long long)b.counted[0],
                (unsigned long long)b.counted[1],
                (unsigned long long)b.counted[2],
                (unsigned long long)b.counted[3]);
}

} // namespace

int main(int argc, char **argv)
{
    tb::Test test("tb_fsh_compute", argc, argv);

    // seed, size, tile: only how long that takes.
    if (argc > 4) {
        speed(test, (uint32_t)std::atoi(argv[2]), (uint32_t)std::atoi(argv[3]),
              (uint32_t)std::atoi(argv[4]));
        return 0;
    }
    unsigned done = randoms(test, 6, false);

    done += randoms(test, 6, true);
    done += convolutions(test, 8, false);
    done += convolutions(test, 8, true);
    speed(test, 256, 16, 8);
    return test.pass(done, "products");
}
