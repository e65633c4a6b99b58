/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the compiler learns the compute core from: products of FP32 and of
 * encoded operands, sent on as they come (ART), a convolution, and the encoding
 * of both forms of an operand. The array steps in most of the cycles, as it
 * does in the programs the simulator is for. Sizes are such that it takes about
 * a second although the core counts.
 */
#include <string.h>

#include "train.h"

/* Offsets in the segment; A, B, C and BIAS are FP32. */
enum { LISTS = 0, A = 1 << 20, B = 2 << 20, C = 3 << 20, BIAS = 4 << 20 };
enum { ENCODED_A = 5 << 20, ENCODED_B = 6 << 20 };
enum { SIZE = 128, DEPTH = 256, COMMAND = 128 };

typedef uint64_t ccmd_t[COMMAND / 8];

/* Numbers of both signs and of 16 exponents. */
static void fill(unsigned char *at, uint32_t values)
{
    uint32_t state = 1;

    for (uint32_t i = 0; i < values; i++) {
        uint32_t bits;

        state = state * 1664525u + 1013904223u;
        bits = 0x3c000000u ^ (state & 0x87800000u) ^ (state >> 3 & 0x7fffffu);
        memcpy(at + 4 * i, &bits, sizeof bits);
    }
}

static void begin(uint64_t *w, uint32_t op)
{
    memset(w, 0, COMMAND);
    fsh_ccmd_set_op(w, op);
    fsh_ccmd_set_check(w, FSH_CMD_CHECK);
    fsh_ccmd_set_complete(w, 1);
}

static void encode(uint64_t *w, uint32_t from, bool rows, uint32_t to)
{
    begin(w, FSH_COP_ENCODE);
    fsh_ccmd_set_emit(w, 1);
    fsh_ccmd_set_w_rows(w, rows);
    fsh_ccmd_set_w_addr(w, from / 64);
    fsh_ccmd_set_ldw(w, (rows ? DEPTH : SIZE) / 16);
    fsh_ccmd_set_e_addr(w, to / 64);
    fsh_ccmd_set_n(w, SIZE);
    fsh_ccmd_set_k(w, DEPTH);
    fsh_ccmd_set_tile_w(w, 8);
}

static void gemm(uint64_t *w, bool encoded, uint32_t n, uint32_t k)
{
    begin(w, FSH_COP_GEMM);
    fsh_ccmd_set_x_bfp(w, encoded);
    fsh_ccmd_set_w_bfp(w, encoded);
    fsh_ccmd_set_x_addr(w, (encoded ? ENCODED_A : A) / 64);
    fsh_ccmd_set_w_addr(w, (encoded ? ENCODED_B : B) / 64);
    fsh_ccmd_set_c_addr(w, C / 64);
    fsh_ccmd_set_b_addr(w, BIAS / 64);
    fsh_ccmd_set_ldx(w, DEPTH / 16);
    fsh_ccmd_set_ldw(w, SIZE / 16);
    fsh_ccmd_set_ldc(w, SIZE / 16);
    fsh_ccmd_set_m(w, SIZE);
    fsh_ccmd_set_n(w, n);
    fsh_ccmd_set_k(w, k);
    fsh_ccmd_set_tile_x(w, 16);
    fsh_ccmd_set_tile_w(w, 4);
}

static void send_on(uint64_t *w, uint32_t nodes)
{
    fsh_ccmd_set_art(w, 1);
    fsh_ccmd_set_art_count(w, 1024);
    fsh_ccmd_set_art_addr(w, C / 64);
    fsh_ccmd_set_art_mask(w, nodes);
}

/* 3 x 3 over 32 channels of 32 x 16 pixels. */
static void conv(uint64_t *w)
{
    enum { WIDTH = 32, HEIGHT = 16, CHANNELS = 32, KERNEL = 3, ROWS = 4 };
    enum { ROW_WORDS = (WIDTH - 1 + KERNEL + 7) / 8 };

    begin(w, FSH_COP_CONV);
    fsh_ccmd_set_w_rows(w, 1);
    fsh_ccmd_set_relu(w, 1);
    fsh_ccmd_set_bias(w, 1);
    fsh_ccmd_set_x_addr(w, A / 64);
    fsh_ccmd_set_w_addr(w, B / 64);
    fsh_ccmd_set_c_addr(w, C / 64);
    fsh_ccmd_set_b_addr(w, BIAS / 64);
    fsh_ccmd_set_ldx(w, WIDTH);
    fsh_ccmd_set_ldw(w, CHANNELS / 16 * KERNEL * KERNEL);
    fsh_ccmd_set_ldc(w, WIDTH);
    fsh_ccmd_set_m(w, HEIGHT);
    fsh_ccmd_set_n(w, CHANNELS);
    fsh_ccmd_set_k(w, CHANNELS);
    fsh_ccmd_set_tile_x(w, ROWS);
    fsh_ccmd_set_tile_w(w, CHANNELS / 16);
    fsh_ccmd_set_kernel_h(w, KERNEL);
    fsh_ccmd_set_kernel_w(w, KERNEL);
    fsh_ccmd_set_stride(w, 1);
    fsh_ccmd_set_row_words(w, ROW_WORDS);
    fsh_ccmd_set_x_words(w, (ROWS - 1 + KERNEL) * ROW_WORDS);
    fsh_ccmd_set_in_h(w, HEIGHT);
    fsh_ccmd_set_in_w(w, WIDTH);
    fsh_ccmd_set_out_h(w, HEIGHT);
    fsh_ccmd_set_out_w(w, WIDTH);
    fsh_ccmd_set_pad_h(w, KERNEL / 2);
    fsh_ccmd_set_pad_w(w, KERNEL / 2);
    fsh_ccmd_set_in_plane(w, WIDTH * HEIGHT);
    fsh_ccmd_set_out_plane(w, WIDTH * HEIGHT);
}

/* Give node 0 a list for its array queue, and wait for its answer and for the
 * completion of every command. */
static bool run(struct fsh_bed *bed, ccmd_t *list, uint32_t count)
{
    struct fsh_bed_command cmd;
    uint64_t two = 0, entry[2];
    uint32_t args[2];

    memcpy(fsh_fabric_dram(bed->fab, 0) + LISTS, list, count * COMMAND);
    fsh_crun_set_op(&two, FSH_CMSG_RUN);
    fsh_crun_set_count(&two, count);
    fsh_crun_set_addr(&two, LISTS / 64);
    memcpy(args, &two, sizeof args);
    fsh_bed_command(&cmd, FSH_OP_COMPUTE, FSH_CAT_SHORT, 0, 1);
    fsh_bed_attach(&cmd, args, 2, NULL, 0);
    if (!fsh_bed_submit(bed, 0, &cmd))
        return false;
    for (uint32_t i = 0; i <= count; i++)
        if (!fsh_bed_await(bed, 0, FSH_BED_RING_CPL, FSH_TRAIN_LIMIT, entry) ||
            fsh_ring_status(entry) != FSH_STATUS_OK)
            return false;
    return true;
}

bool fsh_train_compute(struct fsh_bed *bed)
{
    unsigned char *mem = fsh_fabric_dram(bed->fab, 0);
    ccmd_t list[4];

    fill(mem + A, SIZE * DEPTH);
    fill(mem + B, SIZE * DEPTH);
    fill(mem + C, SIZE * SIZE);
    fill(mem + BIAS, SIZE);
    encode(list[0], A, true, ENCODED_A);
    encode(list[1], B, false, ENCODED_B);
    if (!run(bed, list, 2))
        return false;
    gemm(list[0], false, SIZE, DEPTH);
    send_on(list[0], 2);
    gemm(list[1], true, SIZE, DEPTH);
    conv(list[2]);
    gemm(list[3], false, SIZE - 9, DEPTH / 4 - 9); /* ragged */
    fsh_ccmd_set_accumulate(list[3], 1);
    return run(bed, list, 4);
}
