/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The builders of commands, without a job: what they refuse, and that what they
 * accept passes the core's checks, in pieces that cover the whole, within the limits
 * of tiles. Shapes are random, from a printed seed that may be given as the first
 * argument.
 */
#include <string.h>

#include "check.h"
#include "compute/execute/execute.h"
#include "compute/api/plan.h"
#include "number_model.h"

enum { ROUNDS = 20000 };

static fshmem_command_t command;

static const struct fsh_plan *plan(void)
{
    const struct fsh_plan *p = fsh_plan_of(&command);

    CHECK(p != NULL);
    return p;
}

/* Every piece passes the core's own check; the first waits, the last signals. */
static void check_pieces(void)
{
    const struct fsh_plan *p = plan();
    uint64_t w[FSH_CCMD_WORDS];

    CHECK(p->pieces > 0);
    for (uint32_t i = 0; i < p->pieces; i++) {
        fsh_plan_piece(p, i, w);
        CHECK(fsh_execute_check(w, p->mover) == FSH_STATUS_OK);
        CHECK(fsh_ccmd_await(w) == (i == 0 && p->await_count != 0));
        CHECK(fsh_ccmd_signal(w) ==
              (i + 1 == p->pieces && p->signal_nodes != 0));
        CHECK(!fsh_ccmd_complete(w));
    }
}

/* ---- what is refused ------------------------------------------------------ */

static const fshmem_gemm_t gemm = {
    .m = 100,
    .n = 100,
    .k = 100,
    .a = {FSHMEM_FP32_ROWS, 0, 112},
    .b = {FSHMEM_FP32_ROWS, 0, 112},
    .c = 65536,
    .ldc = 112,
    .flow = {.send_nodes = 3, .signal_nodes = 1}};

/* The description with one field changed is refused, and *command untouched. */
#define REFUSE(type, build, base, field, value, want)                \
    do {                                                             \
        fshmem_##type##_t d_ = base;                                 \
        fshmem_command_t c_;                                         \
        memset(&c_, 0x5a, sizeof c_);                                \
        d_.field = value;                                            \
        CHECK(build(&d_, &c_) == (want), #field " = " #value ": %s", \
              fshmem_status_string(build(&d_, &c_)));                \
        for (size_t i_ = 0; i_ < sizeof c_; i_++)                    \
            CHECK(((unsigned char *)&c_)[i_] == 0x5a, #field);       \
    } while (0)
#define GEMM(field, value, want) \
    REFUSE(gemm, fshmem_command_gemm, gemm, field, value, want)

static void refuse_gemm(void)
{
    CHECK(fshmem_command_gemm(&gemm, &command) == FSHMEM_OK);
    check_pieces();
    GEMM(m, 0, FSHMEM_ERR_SHAPE);
    GEMM(n, 0, FSHMEM_ERR_SHAPE);
    GEMM(k, 0, FSHMEM_ERR_SHAPE);
    GEMM(m, 1u << 24, FSHMEM_ERR_SHAPE);
    GEMM(n, UINT64_MAX, FSHMEM_ERR_SHAPE);
    GEMM(a.ld, 96, FSHMEM_ERR_SHAPE);
    GEMM(b.ld, 96, FSHMEM_ERR_SHAPE);
    GEMM(ldc, 96, FSHMEM_ERR_SHAPE);
    GEMM(a.ld, 1u << 24, FSHMEM_ERR_SHAPE);
    GEMM(a.ld, 100, FSHMEM_ERR_ALIGNMENT);
    GEMM(b.ld, 120, FSHMEM_ERR_ALIGNMENT);
    GEMM(ldc, 101, FSHMEM_ERR_ALIGNMENT);
    GEMM(a.offset, 4, FSHMEM_ERR_ALIGNMENT);
    GEMM(b.offset, 32, FSHMEM_ERR_ALIGNMENT);
    GEMM(c, 65, FSHMEM_ERR_ALIGNMENT);
    GEMM(flow.send_offset, 16, FSHMEM_ERR_ALIGNMENT);
    GEMM(a.offset, UINT64_C(1) << 38, FSHMEM_ERR_RANGE);
    GEMM(c, (UINT64_C(1) << 38) - 64, FSHMEM_ERR_RANGE);
    GEMM(flow.send_offset, (UINT64_C(1) << 38) - 64, FSHMEM_ERR_RANGE);
    GEMM(flow.send_offset, UINT64_MAX - 63, FSHMEM_ERR_RANGE);
    GEMM(a.format, FSHMEM_BFP_COLUMNS, FSHMEM_ERR_ENCODED);
    GEMM(b.format, FSHMEM_BFP_COLUMNS, FSHMEM_ERR_ENCODED);
    GEMM(a.format, (fshmem_format_t)4, FSHMEM_ERR_ARGUMENT);
    GEMM(b.format, (fshmem_format_t)7, FSHMEM_ERR_ARGUMENT);
    GEMM(flags, 16, FSHMEM_ERR_ARGUMENT);
    GEMM(flow.await_event, 64, FSHMEM_ERR_ARGUMENT);
    GEMM(flow.await_count, 65536, FSHMEM_ERR_ARGUMENT);
    GEMM(flow.signal_event, 64, FSHMEM_ERR_ARGUMENT);
    GEMM(flow.send_count, 1u << 24, FSHMEM_ERR_SHAPE);
    GEMM(tile_rows, 12, FSHMEM_ERR_SHAPE);
    GEMM(tile_columns, 24, FSHMEM_ERR_SHAPE);
    GEMM(tile_rows, 152, FSHMEM_ERR_SHAPE);
    CHECK(fshmem_command_gemm(NULL, &command) == FSHMEM_ERR_ARGUMENT);
    CHECK(fshmem_command_gemm(&gemm, NULL) == FSHMEM_ERR_ARGUMENT);
}

static void refuse_gemm_forms(void)
{
    fshmem_gemm_t g = gemm;

    g.flags = FSHMEM_EMIT;
    g.b.format = FSHMEM_BFP; /* is encoded already */
    CHECK(fshmem_command_gemm(&g, &command) == FSHMEM_ERR_ARGUMENT);
    g.b.format = FSHMEM_FP32_ROWS;
    g.emit = 63;
    CHECK(fshmem_command_gemm(&g, &command) == FSHMEM_ERR_ALIGNMENT);
    g.emit = 64;
    g.tile_columns = 16; /* units of an operand have 64 rows */
    CHECK(fshmem_command_gemm(&g, &command) == FSHMEM_ERR_SHAPE);
    g.tile_columns = 64;
    CHECK(fshmem_command_gemm(&g, &command) == FSHMEM_OK);
    CHECK(plan()->remote_end == fshmem_encoded_size(100, 100));
    check_pieces();
    g = gemm;
    g.a.format = FSHMEM_FP32_COLUMNS; /* a line has 16 of its rows */
    CHECK(fshmem_command_gemm(&g, &command) == FSHMEM_OK);
    CHECK(fsh_ccmd_x_cols(plan()->ccmd) && fsh_ccmd_tile_x(plan()->ccmd) == 14);
    check_pieces();
    g.tile_rows = 24;
    CHECK(fshmem_command_gemm(&g, &command) == FSHMEM_ERR_SHAPE);
    g.tile_rows = 32;
    CHECK(fshmem_command_gemm(&g, &command) == FSHMEM_OK);
    g = gemm;
    g.flags = FSHMEM_BIAS;
    g.bias = 8;
    CHECK(fshmem_command_gemm(&g, &command) == FSHMEM_ERR_ALIGNMENT);
    g = gemm;
    g.a.format = FSHMEM_BFP; /* no leading dimension */
    g.a.ld = 0;
    CHECK(fshmem_command_gemm(&g, &command) == FSHMEM_OK);
    check_pieces();
    g.a.offset = 1;
    CHECK(fshmem_command_gemm(&g, &command) == FSHMEM_ERR_ALIGNMENT);
    CHECK(plan()->local_end == 65536 + (99 * 112 + 100) * 4);
}

static const fshmem_conv_t conv = {.in_channels = 20,
                                   .in_height = 12,
                                   .in_width = 14,
                                   .out_channels = 40,
                                   .kernel_height = 3,
                                   .kernel_width = 5,
                                   .stride = 2,
                                   .pad_top = 1,
                                   .pad_left = 2};
#define CONV(field, value, want) \
    REFUSE(conv, fshmem_command_conv, conv, field, value, want)

static void refuse_conv(void)
{
    CHECK(fshmem_command_conv(&conv, &command) == FSHMEM_OK);
    CHECK(plan()->pieces == 1 && plan()->total == 7);
    check_pieces();
    CONV(in_channels, 0, FSHMEM_ERR_SHAPE);
    CONV(in_height, 0, FSHMEM_ERR_SHAPE);
    CONV(in_width, 0, FSHMEM_ERR_SHAPE);
    CONV(in_width, 32768, FSHMEM_ERR_SHAPE);
    CONV(out_channels, 0, FSHMEM_ERR_SHAPE);
    CONV(out_channels, 1u << 24, FSHMEM_ERR_SHAPE);
    CONV(kernel_height, 0, FSHMEM_ERR_SHAPE);
    CONV(kernel_width, 256, FSHMEM_ERR_SHAPE);
    CONV(kernel_height, 15, FSHMEM_ERR_SHAPE); /* larger than the image */
    CONV(stride, 0, FSHMEM_ERR_SHAPE);
    CONV(stride, 9, FSHMEM_ERR_SHAPE);
    CONV(pad_top, INT32_MIN, FSHMEM_ERR_SHAPE);
    CONV(pad_left, INT32_MAX, FSHMEM_ERR_SHAPE);
    CONV(in_row, 13, FSHMEM_ERR_SHAPE);
    CONV(out_row, 6, FSHMEM_ERR_SHAPE);
    CONV(in_row, 1u << 20, FSHMEM_ERR_SHAPE);
    CONV(in_plane, UINT64_C(1) << 32, FSHMEM_ERR_SHAPE);
    CONV(out_height, 40000, FSHMEM_ERR_SHAPE);
    CONV(input, 1, FSHMEM_ERR_ALIGNMENT);
    CONV(kernels, 2, FSHMEM_ERR_ALIGNMENT);
    CONV(output, 4, FSHMEM_ERR_ALIGNMENT);
    CONV(output, (UINT64_C(1) << 38) - 64, FSHMEM_ERR_RANGE);
    CONV(flags, FSHMEM_EMIT, FSHMEM_ERR_ARGUMENT);
    CONV(tile_channels, 8, FSHMEM_ERR_SHAPE);
    CONV(tile_rows, 65, FSHMEM_ERR_SHAPE);
    CONV(tile_channels, 2064, FSHMEM_ERR_SHAPE);
    CONV(flow.await_event, 64, FSHMEM_ERR_ARGUMENT);
    CHECK(fshmem_command_conv(NULL, &command) == FSHMEM_ERR_ARGUMENT);
}

/* Rows without gaps are one, but those that are summed; a single row may be any
 * distance from the next. */
static void elements(void)
{
    const fshmem_element_t e = {.m = 10,
                                .n = 48,
                                .scale = 2,
                                .x = 64,
                                .ldx = 48,
                                .w = 4096,
                                .ldw = 48,
                                .c = 8192,
                                .ldc = 48,
                                .flow = {.send_nodes = 1}};
    fshmem_element_t other = e;

#define ELEMENT(field, value, want)                              \
    REFUSE(element, fshmem_command_axpy, e, field, value, want); \
    REFUSE(element, fshmem_command_gate, e, field, value, want)
    ELEMENT(m, 0, FSHMEM_ERR_SHAPE);
    ELEMENT(n, 1u << 24, FSHMEM_ERR_SHAPE);
    ELEMENT(ldx, 32, FSHMEM_ERR_SHAPE);
    ELEMENT(ldw, 40, FSHMEM_ERR_ALIGNMENT);
    ELEMENT(ldc, 0, FSHMEM_ERR_SHAPE);
    ELEMENT(x, 4, FSHMEM_ERR_ALIGNMENT);
    ELEMENT(w, UINT64_C(1) << 38, FSHMEM_ERR_RANGE);
    ELEMENT(flow.signal_event, 64, FSHMEM_ERR_ARGUMENT);
#undef ELEMENT
    REFUSE(element, fshmem_command_sum, e, ldx, 32, FSHMEM_ERR_SHAPE);
    REFUSE(element, fshmem_command_sum, e, c, 32, FSHMEM_ERR_ALIGNMENT);
    CHECK(fshmem_command_axpy(NULL, &command) == FSHMEM_ERR_ARGUMENT);
    CHECK(fshmem_command_axpy(&e, &command) == FSHMEM_OK);
    CHECK(fsh_ccmd_m(plan()->ccmd) == 1 && fsh_ccmd_n(plan()->ccmd) == 480);
    CHECK(fsh_ccmd_scale(plan()->ccmd) == 0x40000000);
    CHECK(plan()->local_end == 8192 + 480 * 4 && plan()->remote_end == 1920);
    check_pieces();
    other.ldw = 64;
    CHECK(fshmem_command_gate(&other, &command) == FSHMEM_OK);
    CHECK(fsh_ccmd_m(plan()->ccmd) == 10 && fsh_ccmd_ldw(plan()->ccmd) == 4);
    check_pieces();
    other.m = 1;
    other.ldx = other.ldw = other.ldc = 0;
    CHECK(fshmem_command_gate(&other, &command) == FSHMEM_OK);
    check_pieces();
    CHECK(fshmem_command_sum(&e, &command) == FSHMEM_OK);
    CHECK(fsh_ccmd_m(plan()->ccmd) == 10 && plan()->remote_end == 48 * 4);
    CHECK(plan()->local_end == 8192 + 48 * 4);
    check_pieces();
}

static void refuse_others(void)
{
    const fshmem_encode_t e = {
        .rows = 10, .k = 10, .from = {FSHMEM_FP32_ROWS, 0, 16}};
    const fshmem_send_t s = {.from = 64, .bytes = 4, .flow = {.send_nodes = 1}};
    const fshmem_gemv_t v = {.m = 10, .k = 10, .a = {FSHMEM_FP32_ROWS, 0, 16}};
    fshmem_flow_t flow = {.send_nodes = 1};

    REFUSE(encode, fshmem_command_encode, e, rows, 0, FSHMEM_ERR_SHAPE);
    REFUSE(encode, fshmem_command_encode, e, k, 1u << 24, FSHMEM_ERR_SHAPE);
    REFUSE(encode, fshmem_command_encode, e, from.format, FSHMEM_BFP,
           FSHMEM_ERR_ARGUMENT);
    REFUSE(encode, fshmem_command_encode, e, from.ld, 0, FSHMEM_ERR_SHAPE);
    REFUSE(encode, fshmem_command_encode, e, to, 100, FSHMEM_ERR_ALIGNMENT);
    REFUSE(send, fshmem_command_send, s, bytes, 0, FSHMEM_ERR_SHAPE);
    REFUSE(send, fshmem_command_send, s, bytes, 6, FSHMEM_ERR_ALIGNMENT);
    REFUSE(send, fshmem_command_send, s, from, 4, FSHMEM_ERR_ALIGNMENT);
    REFUSE(send, fshmem_command_send, s, bytes, UINT64_C(1) << 38,
           FSHMEM_ERR_RANGE);
    REFUSE(send, fshmem_command_send, s, flow.send_nodes, 0,
           FSHMEM_ERR_ARGUMENT);
    REFUSE(gemv, fshmem_command_gemv, v, m, 0, FSHMEM_ERR_SHAPE);
    REFUSE(gemv, fshmem_command_gemv, v, x, 2, FSHMEM_ERR_ALIGNMENT);
    REFUSE(gemv, fshmem_command_gemv, v, flags, FSHMEM_EMIT,
           FSHMEM_ERR_ARGUMENT);
    CHECK(fshmem_command_nop(0, &flow, &command) == FSHMEM_ERR_ARGUMENT);
    flow.send_nodes = 0;
    CHECK(fshmem_command_nop(2, &flow, &command) == FSHMEM_ERR_ARGUMENT);
    CHECK(fshmem_command_nop(0, NULL, &command) == FSHMEM_ERR_ARGUMENT);
    CHECK(fshmem_command_nop(1, &flow, &command) == FSHMEM_OK);
    check_pieces();
    CHECK(fshmem_encoded_size(0, 1) == 0);
    CHECK(fshmem_encoded_size(1, 1u << 24) == 0);
    CHECK(fshmem_encoded_size(65, 64) == 2 * 4352);
}

/* ---- random shapes -------------------------------------------------------- */

static fshmem_flow_t some_flow(void)
{
    fshmem_flow_t f = {.await_event = model_below(64),
                       .await_count = model_below(3),
                       .send_nodes = model_below(3),
                       .send_offset = 64 * (uint64_t)model_below(1000),
                       .send_count = model_below(2000),
                       .signal_event = model_below(64),
                       .signal_nodes = model_below(3)};

    return f;
}

static void random_gemm(void)
{
    fshmem_gemm_t g = {.m = 1 + model_below(1 << model_below(14)),
                       .n = 1 + model_below(1 << model_below(14)),
                       .k = 1 + model_below(1 << model_below(14)),
                       .flags = model_below(8),
                       .flow = some_flow()};

    g.a.format = (fshmem_format_t)model_below(3);
    g.b.format = (fshmem_format_t)model_below(3);
    g.a.ld = g.b.ld = g.ldc = 1 << 14;
    if (g.b.format != FSHMEM_BFP && model_below(2))
        g.flags |= FSHMEM_EMIT;
    CHECK(fshmem_command_gemm(&g, &command) == FSHMEM_OK);
    CHECK(plan()->pieces == 1);
    check_pieces();
}

/* Columns of all pieces are those of the whole, from left to right, and each
 * tile's input fits. */
static void check_columns(const fshmem_conv_t *c)
{
    const struct fsh_plan *p = plan();
    uint64_t w[FSH_CCMD_WORDS], column = 0;

    for (uint32_t i = 0; i < p->pieces; i++) {
        fsh_plan_piece(p, i, w);
        CHECK(fsh_ccmd_c_addr(w) == c->output / 64 + column);
        CHECK((int16_t)fsh_ccmd_pad_w(w) ==
              c->pad_left - (int64_t)column * c->stride);
        if (fsh_ccmd_art(w))
            CHECK(fsh_ccmd_art_addr(w) == c->flow.send_offset / 64 + column);
        uint64_t rows = (fsh_ccmd_tile_x(w) - 1) * c->stride + c->kernel_height;
        CHECK(fsh_ccmd_x_words(w) == rows * c->stride * fsh_ccmd_row_words(w));
        CHECK(fsh_ccmd_x_words(w) <= FSH_X_WORDS);
        uint64_t reach = (fsh_ccmd_out_w(w) - 1) * c->stride + c->kernel_width;
        CHECK(fsh_ccmd_row_words(w) * 8 * c->stride >= reach);
        column += fsh_ccmd_out_w(w);
    }
    CHECK(column == p->total);
}

static void random_conv(void)
{
    fshmem_conv_t c = {.in_channels = 1 + model_below(300),
                       .in_height = 1 + model_below(1 << model_below(12)),
                       .in_width = 1 + model_below(1 << model_below(15)),
                       .out_channels = 1 + model_below(1 << model_below(10)),
                       .kernel_height = 1 + model_below(1 << model_below(6)),
                       .kernel_width = 1 + model_below(1 << model_below(6)),
                       .stride = 1 + model_below(8),
                       .pad_top = (int32_t)model_below(20) - 5,
                       .pad_left = (int32_t)model_below(20) - 5,
                       .output = 64 * (uint64_t)model_below(1000),
                       .flags = model_below(8),
                       .flow = some_flow()};
    fshmem_status_t status = fshmem_command_conv(&c, &command);
    struct fsh_tile_conv least = {
        1, 1, 1, c.kernel_height, c.kernel_width, c.stride};

    if (status == FSHMEM_OK) {
        check_pieces();
        check_columns(&c);
        return;
    }
    /* Only for want of room for one column, or of an output. */
    CHECK(status == FSHMEM_ERR_SHAPE);
    CHECK(fsh_tile_x_words(&least, 1) * 8 > FSH_X_WORDS ||
              (int64_t)c.in_height + 2 * c.pad_top < c.kernel_height ||
              (int64_t)c.in_width + 2 * c.pad_left < c.kernel_width,
          "kernel %u x %u stride %u image %u x %u", c.kernel_height,
          c.kernel_width, c.stride, c.in_height, c.in_width);
}

static void random_send(void)
{
    fshmem_send_t s = {.from = 64 * (uint64_t)model_below(1000),
                       .bytes = 4 * (1 + (uint64_t)model_below(1u << 27)),
                       .flow = some_flow()};
    uint64_t w[FSH_CCMD_WORDS], values = 0;

    s.flow.send_nodes |= 1;
    CHECK(fshmem_command_send(&s, &command) == FSHMEM_OK);
    check_pieces();
    for (uint32_t i = 0; i < plan()->pieces; i++) {
        fsh_plan_piece(plan(), i, w);
        CHECK(fsh_ccmd_x_addr(w) == s.from / 64 + values / 16);
        CHECK(fsh_ccmd_art_addr(w) == s.flow.send_offset / 64 + values / 16);
        values += fsh_ccmd_k(w);
    }
    CHECK(values * 4 == s.bytes);
}

/* The shapes of the paper: nothing but whole tiles. */
static void paper(void)
{
    static const uint32_t kernels[3][2] = {{3, 256}, {5, 192}, {7, 128}};
    uint64_t w[FSH_CCMD_WORDS];

    for (unsigned i = 0; i < 3; i++) {
        fshmem_conv_t c = {.in_channels = kernels[i][1],
                           .in_height = 64,
                           .in_width = 64,
                           .out_channels = kernels[i][1],
                           .kernel_height = kernels[i][0],
                           .kernel_width = kernels[i][0],
                           .stride = 1};

        c.pad_top = c.pad_left = (int32_t)kernels[i][0] / 2;
        CHECK(fshmem_command_conv(&c, &command) == FSHMEM_OK);
        CHECK(plan()->pieces == 1);
        fsh_plan_piece(plan(), 0, w);
        printf("conv %u: tile %u rows x %u channels, %u words\n", kernels[i][0],
               (unsigned)fsh_ccmd_tile_x(w), 16 * (unsigned)fsh_ccmd_tile_w(w),
               (unsigned)fsh_ccmd_x_words(w));
        CHECK(fsh_ccmd_tile_x(w) * fsh_ccmd_tile_w(w) * 8 == FSH_ACCUMULATORS);
        CHECK(fsh_ccmd_x_words(w) <= FSH_X_WORDS / 2);
    }
}

static void texts(void)
{
    static const fshmem_status_t all[] = {
        FSHMEM_OK,           FSHMEM_ERR_CALL,      FSHMEM_ERR_ARGUMENT,
        FSHMEM_ERR_SHAPE,    FSHMEM_ERR_ALIGNMENT, FSHMEM_ERR_RANGE,
        FSHMEM_ERR_NODE,     FSHMEM_ERR_BUSY,      FSHMEM_ERR_NO_MEMORY,
        FSHMEM_ERR_COMMAND,  FSHMEM_ERR_ENCODED,   FSHMEM_ERR_ABSENT,
        FSHMEM_ERR_RECEIVER, FSHMEM_ERR_LOST,      FSHMEM_ERR_DEVICE};
    const char *unknown = fshmem_status_string((fshmem_status_t)99);

    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        CHECK(strcmp(fshmem_status_string(all[i]), unknown) != 0);
}

int main(int argc, char **argv)
{
    model_seed(argc, argv);
    refuse_gemm();
    refuse_gemm_forms();
    refuse_conv();
    elements();
    refuse_others();
    for (unsigned i = 0; i < ROUNDS; i++) {
        random_gemm();
        random_conv();
        random_send();
    }
    paper();
    texts();
    return 0;
}
