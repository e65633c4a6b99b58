/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The compute core in software, without a queue: every check of a command,
 * every range, what is sent, and that a command that fails leaves memory as it
 * was.
 */
#include <stdlib.h>
#include <string.h>

#include "bfp/operand.h"
#include "check.h"
#include "core/core.h"

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
}

/* The fields that setters only add to. */
static void clear(uint64_t *w, unsigned bit, unsigned width)
{
    for (unsigned i = bit; i < bit + width; i++)
        w[i / 64] &= ~(UINT64_C(1) << i % 64);
}

static bool passes(const uint64_t *w, bool mover)
{
    return fsh_core_check(w, mover) == FSH_STATUS_OK;
}

static void queues(void)
{
    uint64_t w[FSH_CCMD_WORDS];

    for (unsigned op = 0; op < 256; op++) {
        bool array = op == FSH_COP_NOP || op == FSH_COP_GEMM ||
                     op == FSH_COP_CONV || op == FSH_COP_ENCODE;

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
        {736, 16}, {752, 16}, {13, 1}};
    static const unsigned encode[][2] = {{408, 24}, {448, 24}, {648, 8}};
    static const unsigned send[][2] = {{448, 24}, {472, 24}};

    must_not_be_zero(FSH_COP_GEMM, gemm, 5);
    must_not_be_zero(FSH_COP_CONV, conv, 13);
    must_not_be_zero(FSH_COP_ENCODE, encode, 3);
    must_not_be_zero(FSH_COP_SEND, send, 2);
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
    fsh_ccmd_set_tile_x(w, 0x20); /* 34 * 4 */
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
    w[14] = 1;
    CHECK(!passes(w, false));
    make(w, FSH_COP_NOP);
    CHECK(!fsh_core_waits(w));
    fsh_ccmd_set_await(w, 1);
    CHECK(!passes(w, false) && !fsh_core_waits(w));
    fsh_ccmd_set_await_count(w, 1);
    CHECK(passes(w, false) && fsh_core_waits(w));
    make(w, FSH_COP_GEMM);
    fsh_ccmd_set_art(w, 1);
    CHECK(passes(w, false));
    clear(w, 472, 24);
    CHECK(!passes(w, false));
}

/* ---- execution ------------------------------------------------------------ */

static unsigned run(const uint64_t *w, size_t bytes)
{
    return fsh_core_execute(w, segment, bytes);
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

/* Lines of the input that no tap falls on may be outside. */
static void unread_rows(void)
{
    uint64_t w[FSH_CCMD_WORDS];

    make(w, FSH_COP_CONV);
    clear(w, 704, 16);
    fsh_ccmd_set_in_h(w, 60000);
    clear(w, 800, 32);
    CHECK(least(w) == (512 + 24) * 64);
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

    fsh_core_sent(w, on_range, &r);
    CHECK(r.count == 0 || r.first == fsh_core_sent_base(w));
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
    make(w, FSH_COP_NOP);
    fsh_ccmd_set_art(w, 1);
    CHECK(sent(w).count == 0);
}

int main(void)
{
    queues();
    sizes();
    flags();
    ranges();
    unread_rows();
    transfers();
    return 0;
}
