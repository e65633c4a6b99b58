/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The compute core in software, without a queue: every check of a command, every
 * range, what is sent, and that a failed command leaves memory unchanged.
 */
#include <stdlib.h>
#include <string.h>

#include "compute/number/operand.h"
#include "check.h"
#include "compute/execute/execute.h"

enum { BYTES = 1 << 16 };

static unsigned char segment[BYTES], before[BYTES];

/* A command that passes, of each operation, and its variants. */
static void make(uint64_t *w, unsigned op)
{
    memset(w, 0, FSH_CCMD_WORDS * 8);
    fsh_ccmd_set_op(w, op);
    fsh_ccmd_set_check(w, FSH_CMD_CHECK);
    fsh_ccmd_set_art_count(w, 1);
    if (op == FSH_COP_NOP)
        return;
    fsh_ccmd_set_k(w, 32);
    if (op == FSH_COP_SEND)
        return;
    fsh_ccmd_set_m(w, 20);
    fsh_ccmd_set_n(w, 20);
    fsh_ccmd_set_ldx(w, 2);
    fsh_ccmd_set_ldw(w, op == FSH_COP_CONV ? 18 : 2);
    fsh_ccmd_set_ldc(w, op == FSH_COP_CONV ? 4 : 2);
    fsh_ccmd_set_tile_x(w, 2);
    fsh_ccmd_set_tile_w(w, 4);
    fsh_ccmd_set_c_addr(w, 512);
    fsh_ccmd_set_e_addr(w, 700);
    if (op != FSH_COP_CONV)
        return;
    fsh_ccmd_set_w_rows(w, 1);
    fsh_ccmd_set_kernel_h(w, 3);
    fsh_ccmd_set_kernel_w(w, 3);
    fsh_ccmd_set_stride(w, 1);
    fsh_ccmd_set_row_words(w, 1);
    fsh_ccmd_set_in_h(w, 2);
    fsh_ccmd_set_in_w(w, 2);
    fsh_ccmd_set_out_h(w, 3);
    fsh_ccmd_set_out_w(w, 4);
    fsh_ccmd_set_pad_h(w, 1);
    fsh_ccmd_set_pad_w(w, 1);
    fsh_ccmd_set_in_plane(w, 4);
    fsh_ccmd_set_out_plane(w, 12);
    fsh_ccmd_set_x_words(w, 4);
}

/* The fields that setters only add to. */
static void clear(uint64_t *w, unsigned bit, unsigned width)
{
    for (unsigned i = bit; i < bit + width; i++)
        w[i / 64] &= ~(UINT64_C(1) << i % 64);
}

static bool passes(const uint64_t *w, bool mover)
{
    return fsh_execute_check(w, mover) == FSH_STATUS_OK;
}

static void queues(void)
{
    uint64_t w[FSH_CCMD_WORDS];

    for (unsigned op = 0; op < 256; op++) {
        bool array = op == FSH_COP_NOP || op == FSH_COP_GEMM ||
                     op == FSH_COP_CONV || op == FSH_COP_ENCODE ||
                     op == FSH_COP_AXPY || op == FSH_COP_GATE ||
                     op == FSH_COP_SUM;

        make(w, op);
        CHECK(passes(w, false) == array, "op %u", op);
        CHECK(passes(w, true) == (op == FSH_COP_NOP || op == FSH_COP_SEND),
              "op %u", op);
        clear(w, 1016, 8);
        CHECK(!passes(w, false) && !passes(w, true));
    }
}

/* Each field, given as first bit and width, must not be zero. */
static void must_not_be_zero(unsigned op, const unsigned (*field)[2], size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t w[FSH_CCMD_WORDS];

        make(w, op);
        clear(w, field[i][0], field[i][1]);
        CHECK(!passes(w, op == FSH_COP_SEND), "op %u, field at %u", op,
              field[i][0]);
    }
}

static void sizes(void)
{
    static const unsigned gemm[][2] = {
        {384, 24}, {408, 24}, {448, 24}, {640, 8}, {648, 8}};
    static const unsigned conv[][2] = {
        {408, 24}, {448, 24}, {640, 8}, {648, 8},  {656, 8},
        {664, 8},  {672, 8},  {680, 8}, {704, 16}, {720, 16},
        {736, 16}, {752, 16}, {13, 1},  {864, 10}};
    static const unsigned encode[][2] = {{408, 24}, {448, 24}, {648, 8}};
    static const unsigned send[][2] = {{448, 24}, {472, 24}};
    static const unsigned element[][2] = {{384, 24}, {408, 24}};

    must_not_be_zero(FSH_COP_GEMM, gemm, 5);
    must_not_be_zero(FSH_COP_CONV, conv, 14);
    must_not_be_zero(FSH_COP_ENCODE, encode, 3);
    must_not_be_zero(FSH_COP_SEND, send, 2);
    must_not_be_zero(FSH_COP_AXPY, element, 2);
    must_not_be_zero(FSH_COP_GATE, element, 2);
    must_not_be_zero(FSH_COP_SUM, element, 2);
}

static void flags(void)
{
    uint64_t w[FSH_CCMD_WORDS];

    make(w, FSH_COP_GEMM);
    fsh_ccmd_set_tile_w(w, 2); /* 6 */
    CHECK(passes(w, false));
    fsh_ccmd_set_emit(w, 1);
    CHECK(!passes(w, false));
    make(w, FSH_COP_GEMM);
    clear(w, 640, 8);
    fsh_ccmd_set_tile_x(w, 32); /* by 4: all accumulators */
    CHECK(passes(w, false));
    fsh_ccmd_set_tile_x(w, 1);
    CHECK(!passes(w, false));
    make(w, FSH_COP_CONV);
    fsh_ccmd_set_out_w(w, 128); /* 132: 17 groups in a row */
    CHECK(!passes(w, false));
    make(w, FSH_COP_CONV);
    fsh_ccmd_set_x_bfp(w, 1);
    CHECK(!passes(w, false));
    make(w, FSH_COP_CONV);
    fsh_ccmd_set_k(w, 1); /* no whole channel block */
    CHECK(!passes(w, false));
    make(w, FSH_COP_CONV);
    fsh_ccmd_set_stride(w, 8); /* 9 */
    CHECK(!passes(w, false));
    make(w, FSH_COP_NOP);
    w[14] = UINT64_C(1) << 32;
    CHECK(!passes(w, false));
    make(w, FSH_COP_NOP);
    CHECK(!fsh_execute_waits(w));
    fsh_ccmd_set_await(w, 1);
    CHECK(!passes(w, false) && !fsh_execute_waits(w));
    fsh_ccmd_set_await_count(w, 1);
    CHECK(passes(w, false) && fsh_execute_waits(w));
    make(w, FSH_COP_GEMM);
    fsh_ccmd_set_art(w, 1);
    CHECK(passes(w, false));
    clear(w, 472, 24);
    CHECK(!passes(w, false));
}

/* A GEMM of an operand that is encoded already does not emit it; units of an
 * encoded operand are not cut. */
static void forms(void)
{
    uint64_t w[FSH_CCMD_WORDS];

    make(w, FSH_COP_GEMM);
    fsh_ccmd_set_w_bfp(w, 1);
    CHECK(passes(w, false));
    fsh_ccmd_set_emit(w, 1);
    CHECK(!passes(w, false));
    make(w, FSH_COP_GEMM);
    fsh_ccmd_set_x_bfp(w, 1);
    CHECK(!passes(w, false));
    clear(w, 640, 8);
    fsh_ccmd_set_tile_x(w, 4);
    CHECK(!passes(w, false));
    clear(w, 640, 8);
    fsh_ccmd_set_tile_x(w, 8);
    CHECK(passes(w, false));
    make(w, FSH_COP_GEMM);
    fsh_ccmd_set_x_cols(w, 1);
    CHECK(passes(w, false));
    fsh_ccmd_set_tile_x(w, 1); /* 3: half a line */
    CHECK(!passes(w, false));
    make(w, FSH_COP_GEMM);
    fsh_ccmd_set_tile_x(w, 8);
    clear(w, 640, 2);
    fsh_ccmd_set_x_cols(w, 1);
    fsh_ccmd_set_x_bfp(w, 1);
    CHECK(!passes(w, false));
    make(w, FSH_COP_CONV);
    fsh_ccmd_set_x_cols(w, 1);
    CHECK(!passes(w, false));
    make(w, FSH_COP_ENCODE);
    fsh_ccmd_set_emit(w, 1);
    CHECK(passes(w, false));
    fsh_ccmd_set_w_bfp(w, 1);
    CHECK(!passes(w, false));
    make(w, FSH_COP_CONV);
    fsh_ccmd_set_w_bfp(w, 1);
    CHECK(!passes(w, false));
    make(w, FSH_COP_CONV);
    fsh_ccmd_set_emit(w, 1);
    CHECK(!passes(w, false));
}

/* Do so many words for a row, and for a tile, pass? The tile has 2 rows of
 * out_w pixels; the kernel is 3 by kernel_w. */
static bool words(uint64_t out_w, uint64_t kernel_w, uint64_t stride,
                  uint64_t row_words, uint64_t x_words)
{
    uint64_t w[FSH_CCMD_WORDS];

    make(w, FSH_COP_CONV);
    fsh_ccmd_set_ldw(w, 0xfffff);
    fsh_ccmd_set_ldc(w, 0xfffff);
    clear(w, 664, 24);
    clear(w, 752, 16);
    clear(w, 864, 10);
    fsh_ccmd_set_out_w(w, out_w);
    fsh_ccmd_set_kernel_w(w, kernel_w);
    fsh_ccmd_set_stride(w, stride);
    fsh_ccmd_set_row_words(w, row_words);
    fsh_ccmd_set_x_words(w, x_words);
    return passes(w, false);
}

/* What a convolution claims of the operand buffer: enough, and no more than
 * there is. */
static void operand_words(void)
{
    CHECK(words(4, 3, 1, 1, 4) && !words(4, 3, 1, 1, 3));
    CHECK(words(4, 3, 1, 1, 512) && !words(4, 3, 1, 1, 513));
    /* Taps fall on 4 + 2, on 4 + 4, on 4 + 5 pixels. */
    CHECK(words(4, 5, 1, 1, 4) && !words(4, 6, 1, 1, 4));
    CHECK(words(4, 6, 1, 2, 8) && !words(4, 6, 1, 2, 7));
    /* Stride 2: 5 rows of two phases; seven taps fall on 3 more pixels. */
    CHECK(words(4, 7, 2, 1, 10) && !words(4, 7, 2, 1, 9));
    CHECK(words(4, 10, 2, 1, 10) && !words(4, 11, 2, 1, 10));
    /* 64 * 8 words at most, so with 65 no number of words will do. */
    CHECK(words(64, 3, 1, 128, 512) && !words(64, 3, 1, 129, 512));
    CHECK(!words(64, 3, 1, 129, 1023) && !words(64, 3, 1, 255, 0));
    CHECK(!words(128, 255, 8, 255, 1023));
    /* The largest stride: 11 rows of eight phases. */
    CHECK(words(4, 3, 8, 1, 88) && !words(4, 3, 8, 1, 87));
    CHECK(!words(4, 3, 9, 1, 512));
}

/* A command of `op` with `rows` rows in the field at `bit` and the distance of
 * its rows, at `field`, one line less than a row, or so many as a row. */
static bool near(unsigned op, unsigned bit, unsigned width, uint64_t rows,
                 unsigned field, uint64_t distance, bool w_rows)
{
    uint64_t w[FSH_CCMD_WORDS];

    make(w, op);
    fsh_ccmd_set_w_rows(w, w_rows);
    clear(w, bit, width);
    clear(w, field, 20);
    w[bit / 64] |= rows << bit % 64;
    w[field / 64] |= distance << field % 64;
    return passes(w, false);
}

/* Rows of FP32 do not overlap, where there are several. */
static void distances(void)
{
    static const struct {
        unsigned op, bit, width, field;
        uint64_t least;
        bool w_rows;
    } row[] = {
        {FSH_COP_GEMM, 384, 24, 320, 2, false}, /* X: m rows of k */
        {FSH_COP_GEMM, 384, 24, 340, 2, false}, /* W: k rows of n */
        {FSH_COP_GEMM, 408, 24, 340, 2, true},  /* W: n rows of k */
        {FSH_COP_GEMM, 384, 24, 360, 2, false}, /* results: m rows of n */
        {FSH_COP_ENCODE, 408, 24, 340, 2, true},
        {FSH_COP_AXPY, 384, 24, 320, 2, false}, /* m rows of n, all three */
        {FSH_COP_AXPY, 384, 24, 340, 2, false},
        {FSH_COP_AXPY, 384, 24, 360, 2, false},
        {FSH_COP_GATE, 384, 24, 340, 2, false},
        {FSH_COP_SUM, 384, 24, 320, 2, false},
        {FSH_COP_CONV, 408, 24, 340, 18, true}, /* n kernels of 2 x 9 */
        {FSH_COP_CONV, 736, 16, 360, 4, true},  /* out_h rows of out_w */
    };

    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        bool single = i != 1; /* there its k stays */

        CHECK(near(row[i].op, row[i].bit, row[i].width, 20, row[i].field,
                   row[i].least, row[i].w_rows),
              "%zu", i);
        CHECK(!near(row[i].op, row[i].bit, row[i].width, 20, row[i].field,
                    row[i].least - 1, row[i].w_rows),
              "%zu", i);
        CHECK(near(row[i].op, row[i].bit, row[i].width, 1, row[i].field, 0,
                   row[i].w_rows) == single,
              "%zu", i);
    }
}

/* Rounded up to whole units the largest still have 24 bits. */
static void dimensions(void)
{
    static const unsigned bit[] = {384, 408, 448};

    for (unsigned i = 0; i < 3; i++)
        for (unsigned less = 0; less < 2; less++) {
            uint64_t w[FSH_CCMD_WORDS];

            make(w, FSH_COP_GEMM);
            clear(w, bit[i], 24);
            clear(w, 320, 60);
            w[bit[i] / 64] |= (UINT64_C(0xffffc1) - less) << bit[i] % 64;
            fsh_ccmd_set_ldx(w, 0xfffff);
            fsh_ccmd_set_ldw(w, 0xfffff);
            fsh_ccmd_set_ldc(w, 0xfffff);
            CHECK(passes(w, false) == less, "field at %u", bit[i]);
        }
}

/* ---- execution ------------------------------------------------------------ */

static unsigned run(const uint64_t *w, size_t bytes)
{
    return fsh_execute(w, segment, bytes);
}

/* The smallest segment that the command takes; with a line less it fails and
 * writes nothing. */
static size_t least(const uint64_t *w)
{
    for (size_t bytes = 0; bytes <= BYTES; bytes += 64) {
        memcpy(before, segment, BYTES);
        if (run(w, bytes) == FSH_STATUS_OK)
            return bytes;
        CHECK(run(w, bytes) == FSH_STATUS_LOCAL_RANGE);
        CHECK(memcmp(before, segment, BYTES) == 0);
    }
    CHECK(false, "takes more than there is");
    return 0;
}

static void ranges(void)
{
    uint64_t w[FSH_CCMD_WORDS];

    make(w, FSH_COP_GEMM); /* 20 rows of 2 lines of results at line 512 */
    CHECK(least(w) == (512 + 40) * 64);
    fsh_ccmd_set_emit(w, 1);
    CHECK(least(w) == (700 + 68) * 64);
    fsh_ccmd_set_bias(w, 1);
    fsh_ccmd_set_b_addr(w, 900);
    CHECK(least(w) == (900 + 2) * 64);
    fsh_ccmd_set_x_addr(w, 950);
    CHECK(least(w) == (950 + 40) * 64);
    make(w, FSH_COP_GEMM);
    fsh_ccmd_set_w_bfp(w, 1);
    fsh_ccmd_set_w_addr(w, 800);
    CHECK(least(w) == (800 + 68) * 64);
    make(w, FSH_COP_ENCODE);
    CHECK(least(w) == (700 + 68) * 64);
    make(w, FSH_COP_SEND);
    fsh_ccmd_set_x_addr(w, 10);
    CHECK(least(w) == 12 * 64);
    make(w, FSH_COP_CONV); /* two planes of 3 x 4 pixels */
    CHECK(least(w) == (512 + 24) * 64);
    fsh_ccmd_set_w_addr(w, 600); /* 20 rows of 2 x 9 lines */
    CHECK(least(w) == (600 + 20 * 18) * 64);
}

/* Results stand where the command says, made of operands where it says. */
static void results(void)
{
    enum { M = 3, N = 20, K = 18, X = 10, W = 20, B = 60, C = 70, E = 90 };
    uint64_t w[FSH_CCMD_WORDS];
    float *at = (void *)segment, want[M * 2 * 16] = {0};
    unsigned char code[FSH_BFP_UNIT_BYTES];
    struct fsh_matmul op = {.m = M, .n = N, .k = K, .c = want, .ldc = 32};

    memset(segment, 0, BYTES);
    for (unsigned i = X * 16; i < C * 16; i++)
        at[i] = (float)((int)(i * 37 % 23) - 11);
    make(w, FSH_COP_GEMM);
    clear(w, 384, 48);
    clear(w, 448, 24);
    clear(w, 192, 32);
    clear(w, 256, 32);
    fsh_ccmd_set_m(w, M);
    fsh_ccmd_set_n(w, N);
    fsh_ccmd_set_k(w, K);
    fsh_ccmd_set_x_addr(w, X);
    fsh_ccmd_set_w_addr(w, W);
    fsh_ccmd_set_b_addr(w, B);
    fsh_ccmd_set_c_addr(w, C);
    fsh_ccmd_set_e_addr(w, E);
    fsh_ccmd_set_bias(w, 1);
    fsh_ccmd_set_emit(w, 1);
    op.a = (struct fsh_operand){FSH_OPERAND_ROWS, segment + X * 64, 32};
    op.b = (struct fsh_operand){FSH_OPERAND_COLUMNS, segment + W * 64, 32};
    op.finish.bias = at + B * 16;
    CHECK(fsh_matmul(&op, FSH_ISA_PORTABLE) == FSH_KERNEL_OK);
    fsh_bfp_operand_encode(at + W * 16, 32, true, N, K, code, FSH_ISA_PORTABLE);
    CHECK(run(w, BYTES) == FSH_STATUS_OK);
    for (unsigned i = 0; i < M; i++)
        CHECK(memcmp(at + (C + 2 * i) * 16, want + 32 * i, N * 4) == 0);
    CHECK(memcmp(segment + E * 64, code, sizeof code) == 0);
    /* ENCODE alone gives the same. */
    make(w, FSH_COP_ENCODE);
    clear(w, 408, 24);
    clear(w, 448, 24);
    fsh_ccmd_set_n(w, N);
    fsh_ccmd_set_k(w, K);
    fsh_ccmd_set_w_addr(w, W);
    CHECK(run(w, BYTES) == FSH_STATUS_OK);
    CHECK(memcmp(segment + 700 * 64, code, sizeof code) == 0);
    memset(segment, 0, BYTES);
}

/* Lines of the input that the core does not load may be outside; it loads whole
 * words of a row. */
static void unread_rows(void)
{
    uint64_t w[FSH_CCMD_WORDS];

    make(w, FSH_COP_CONV);
    clear(w, 704, 16);
    fsh_ccmd_set_in_h(w, 60000);
    clear(w, 800, 32);
    CHECK(least(w) == (512 + 24) * 64);
    make(w, FSH_COP_CONV); /* 8 columns of 2 rows of planes, 1 of padding */
    clear(w, 720, 16);
    fsh_ccmd_set_in_w(w, 60000);
    clear(w, 320, 20);
    fsh_ccmd_set_ldx(w, 100);
    fsh_ccmd_set_x_addr(w, 500);
    CHECK(least(w) == (500 + 4 + 100 + 7) * 64);
}

struct ranges {
    uint64_t first, bytes, end;
    unsigned count;
};

static void on_range(void *arg, uint64_t offset, uint64_t bytes)
{
    struct ranges *r = arg;

    if (r->count++ == 0)
        r->first = offset;
    r->bytes += bytes;
    r->end = offset + bytes;
}

static struct ranges sent(const uint64_t *w)
{
    struct ranges r = {0};

    fsh_execute_sent(w, on_range, &r);
    CHECK(r.count == 0 || r.first == fsh_execute_sent_base(w));
    return r;
}

static void transfers(void)
{
    uint64_t w[FSH_CCMD_WORDS];

    make(w, FSH_COP_GEMM);
    CHECK(sent(w).count == 0);
    fsh_ccmd_set_art(w, 1);
    CHECK(sent(w).count == 20 && sent(w).bytes == 20 * 80);
    CHECK(sent(w).end == 512 * 64 + 19 * 128 + 80);
    fsh_ccmd_set_n(w, 32 ^ 20); /* 20 | 52: whole rows of 52 values */
    clear(w, 360, 20);
    fsh_ccmd_set_ldc(w, 4);
    CHECK(sent(w).count == 20);
    fsh_ccmd_set_emit(w, 1);
    CHECK(sent(w).count == 1 && sent(w).first == 700 * 64);
    make(w, FSH_COP_ENCODE);
    fsh_ccmd_set_art(w, 1);
    CHECK(sent(w).count == 1 && sent(w).bytes == FSH_BFP_UNIT_BYTES);
    make(w, FSH_COP_SEND);
    CHECK(sent(w).count == 1 && sent(w).bytes == 128);
    make(w, FSH_COP_CONV);
    fsh_ccmd_set_art(w, 1);
    CHECK(sent(w).count == 2 && sent(w).bytes == 24 * 64);
    CHECK(sent(w).end == (512 + 24) * 64);
    make(w, FSH_COP_NOP);
    fsh_ccmd_set_art(w, 1);
    CHECK(sent(w).count == 0);
}

/* All taps fall on the padding: where the image is does not matter, and nothing of it
 * is read. */
static void image_untouched(void)
{
    uint64_t w[FSH_CCMD_WORDS] = {0};

    fsh_ccmd_set_op(w, FSH_COP_CONV);
    fsh_ccmd_set_w_rows(w, 1);
    fsh_ccmd_set_k(w, 16);
    fsh_ccmd_set_n(w, 16);
    fsh_ccmd_set_ldx(w, 1);
    fsh_ccmd_set_ldw(w, 1);
    fsh_ccmd_set_ldc(w, 1);
    fsh_ccmd_set_x_addr(w, UINT32_MAX);
    fsh_ccmd_set_c_addr(w, 512);
    fsh_ccmd_set_kernel_h(w, 1);
    fsh_ccmd_set_kernel_w(w, 1);
    fsh_ccmd_set_stride(w, 15);
    fsh_ccmd_set_row_words(w, 1);
    fsh_ccmd_set_in_h(w, 1);
    fsh_ccmd_set_in_w(w, 1);
    fsh_ccmd_set_out_h(w, 1);
    fsh_ccmd_set_out_w(w, 1);
    fsh_ccmd_set_pad_h(w, 7);
    fsh_ccmd_set_pad_w(w, 7);
    memset(segment, 0x3f, sizeof segment);
    CHECK(fsh_execute(w, segment, BYTES) == FSH_STATUS_OK);
    for (unsigned i = 0; i < FSH_COMPUTE_LINE; i++)
        CHECK(segment[512 * FSH_COMPUTE_LINE + i] == 0, "byte %u", i);
}

int main(void)
{
    queues();
    sizes();
    flags();
    forms();
    operand_words();
    distances();
    dimensions();
    ranges();
    results();
    unread_rows();
    image_untouched();
    transfers();
    return 0;
}
