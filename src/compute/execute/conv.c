/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * CONV in software. The kernel takes an image that is whole and padded alike on
 * all sides; a command may take any part of an image, padded as it likes. So
 * the input is gathered with zeros where the command sees none, which is what a
 * tap outside the image is; and the output goes through a copy if it has gaps.
 */
#include <stdlib.h>
#include <string.h>

#include "compute/kernel/kernels.h"
#include "compute/execute/execute.h"

/* The dimensions of a command, with their signs. */
struct shape {
    int64_t in_h, in_w, out_h, out_w, kernel_h, kernel_w, stride, pad_h, pad_w;
    uint64_t blocks, out_blocks; /* of channels */
    uint64_t x_addr, ldx, in_plane, c_addr, ldc, out_plane;
};

static struct shape shape_of(const uint64_t *c)
{
    return (struct shape){
        .in_h = (int64_t)fsh_ccmd_in_h(c),
        .in_w = (int64_t)fsh_ccmd_in_w(c),
        .out_h = (int64_t)fsh_ccmd_out_h(c),
        .out_w = (int64_t)fsh_ccmd_out_w(c),
        .kernel_h = (int64_t)fsh_ccmd_kernel_h(c),
        .kernel_w = (int64_t)fsh_ccmd_kernel_w(c),
        .stride = (int64_t)fsh_ccmd_stride(c),
        .pad_h = (int16_t)fsh_ccmd_pad_h(c),
        .pad_w = (int16_t)fsh_ccmd_pad_w(c),
        .blocks = fsh_ccmd_k(c) / FSH_COMPUTE_LINE_VALUES,
        .out_blocks = fsh_execute_lines(fsh_ccmd_n(c)),
        .x_addr = fsh_ccmd_x_addr(c),
        .ldx = fsh_ccmd_ldx(c),
        .in_plane = fsh_ccmd_in_plane(c),
        .c_addr = fsh_ccmd_c_addr(c),
        .ldc = fsh_ccmd_ldc(c),
        .out_plane = fsh_ccmd_out_plane(c),
    };
}

/* The line a plane begins at: addresses wrap as those of the core do, so a
 * distance may lead back. */
static uint64_t plane_at(uint64_t at, uint64_t plane, uint64_t distance)
{
    return (uint32_t)(at + plane * distance);
}

static bool planes_inside(uint64_t at, uint64_t planes, uint64_t distance,
                          uint64_t rows, uint64_t ld, uint64_t lines,
                          size_t bytes)
{
    for (uint64_t i = 0; i < planes; i++)
        if (!fsh_execute_inside(plane_at(at, i, distance), rows, ld, lines,
                                bytes))
            return false;
    return true;
}

/* The rows and columns of the input that taps fall on: [from, to). */
struct span {
    int64_t from, to;
};

static struct span touched(int64_t in, int64_t out, int64_t kernel,
                           int64_t stride, int64_t pad)
{
    struct span s = {-pad, (out - 1) * stride + kernel - pad};

    s.from = s.from < 0 ? 0 : s.from;
    s.to = s.to > in ? in : s.to;
    return s;
}

/* The columns of the input that the core loads: of whole words. */
static struct span loaded(const uint64_t *c, const struct shape *s)
{
    int64_t columns =
        (int64_t)(fsh_ccmd_row_words(c) * FSH_COMPUTE_COLUMNS) * s->stride;

    return touched(s->in_w, 1, columns, s->stride, s->pad_w);
}

static bool inside(const uint64_t *c, const struct shape *s, size_t bytes)
{
    struct span y =
        touched(s->in_h, s->out_h, s->kernel_h, s->stride, s->pad_h);
    struct span x = loaded(c, s);
    uint64_t lines = s->blocks * (uint64_t)(s->kernel_h * s->kernel_w);

    if (y.from < y.to && x.from < x.to &&
        !planes_inside(s->x_addr + (uint64_t)y.from * s->ldx + (uint64_t)x.from,
                       s->blocks, s->in_plane, (uint64_t)(y.to - y.from),
                       s->ldx, (uint64_t)(x.to - x.from), bytes))
        return false;
    return planes_inside(s->c_addr, s->out_blocks, s->out_plane,
                         (uint64_t)s->out_h, s->ldc, (uint64_t)s->out_w,
                         bytes) &&
           fsh_execute_inside(fsh_ccmd_w_addr(c), fsh_ccmd_n(c),
                              fsh_ccmd_ldw(c), lines, bytes) &&
           (!fsh_ccmd_bias(c) ||
            fsh_execute_inside(fsh_ccmd_b_addr(c), 1, 0, s->out_blocks, bytes));
}

/* The input as the taps see it: padding 0, nothing around. */
static unsigned char *gather(const struct shape *s,
                             const unsigned char *segment, int64_t rows,
                             int64_t columns)
{
    unsigned char *copy =
        calloc(s->blocks * (size_t)(rows * columns), FSH_COMPUTE_LINE);
    struct span x =
        touched(s->in_w, s->out_w, s->kernel_w, s->stride, s->pad_w);

    for (uint64_t cb = 0; copy != NULL && cb < s->blocks; cb++)
        for (int64_t y = 0; y < rows; y++) {
            int64_t from = y - s->pad_h;

            if (from < 0 || from >= s->in_h || x.from >= x.to)
                continue;
            memcpy(copy + (((int64_t)cb * rows + y) * columns + x.from +
                           s->pad_w) *
                              (int64_t)FSH_COMPUTE_LINE,
                   segment + plane_at(s->x_addr + (uint64_t)from * s->ldx +
                                          (uint64_t)x.from,
                                      cb, s->in_plane) *
                                 FSH_COMPUTE_LINE,
                   (size_t)(x.to - x.from) * FSH_COMPUTE_LINE);
        }
    return copy;
}

/* Between the output in the segment and a copy without gaps. */
static void move_output(const struct shape *s, unsigned char *segment,
                        unsigned char *copy, bool out)
{
    size_t row = (size_t)s->out_w * FSH_COMPUTE_LINE;

    for (uint64_t ob = 0; ob < s->out_blocks; ob++)
        for (uint64_t y = 0; y < (uint64_t)s->out_h; y++) {
            unsigned char *there =
                segment + plane_at(s->c_addr + y * s->ldc, ob, s->out_plane) *
                              FSH_COMPUTE_LINE;
            unsigned char *here = copy + (ob * (uint64_t)s->out_h + y) * row;

            memcpy(out ? there : here, out ? here : there, row);
        }
}

/* A kernel whose rows are no longer than what stands in them: as it is;
 * otherwise the rows have gaps, which an operand may. */
static struct fsh_conv operation(const uint64_t *c, const struct shape *s,
                                 unsigned char *segment)
{
    unsigned char *bias = segment + fsh_ccmd_b_addr(c) * FSH_COMPUTE_LINE;
    uint64_t values = fsh_ccmd_k(c) * (uint64_t)(s->kernel_h * s->kernel_w);

    return (struct fsh_conv){
        .in_channels = fsh_ccmd_k(c),
        .in_h = (size_t)s->in_h,
        .in_w = (size_t)s->in_w,
        .out_channels = fsh_ccmd_n(c),
        .kernel_h = (size_t)s->kernel_h,
        .kernel_w = (size_t)s->kernel_w,
        .stride = (size_t)s->stride,
        .pad = (size_t)(s->pad_h < 0 ? 0 : s->pad_h),
        .in = (const void *)(segment + s->x_addr * FSH_COMPUTE_LINE),
        .kernels = {.form = FSH_OPERAND_ROWS,
                    .data = segment + fsh_ccmd_w_addr(c) * FSH_COMPUTE_LINE,
                    .ld = fsh_execute_distance(fsh_ccmd_ldw(c), fsh_ccmd_n(c),
                                               values)},
        .out = (void *)(segment + s->c_addr * FSH_COMPUTE_LINE),
        .finish = {.accumulate = fsh_ccmd_accumulate(c),
                   .bias = fsh_ccmd_bias(c) ? (const void *)bias : NULL,
                   .relu = fsh_ccmd_relu(c)},
    };
}

/* Can the kernel read the input where it is? It may read all of the image, also what
 * no tap falls on, which need not be in the segment. */
static bool is_plain_input(const struct shape *s, size_t bytes)
{
    return planes_inside(s->x_addr, s->blocks, s->in_plane, (uint64_t)s->in_h,
                         s->ldx, (uint64_t)s->in_w, bytes) &&
           s->pad_h >= 0 && s->pad_h == s->pad_w &&
           s->ldx == (uint64_t)s->in_w &&
           (s->blocks == 1 || s->in_plane == (uint64_t)(s->in_h * s->in_w)) &&
           fsh_conv_out((size_t)s->in_h, (size_t)s->kernel_h, (size_t)s->stride,
                        (size_t)s->pad_h) == (size_t)s->out_h &&
           fsh_conv_out((size_t)s->in_w, (size_t)s->kernel_w, (size_t)s->stride,
                        (size_t)s->pad_w) == (size_t)s->out_w;
}

/* Can it write the output where it is? */
static bool is_plain_output(const struct shape *s)
{
    return (s->ldc == (uint64_t)s->out_w || s->out_h == 1) &&
           (s->out_blocks == 1 ||
            s->out_plane == (uint64_t)(s->out_h * s->out_w));
}

static enum fsh_kernel_status run(const struct shape *s, struct fsh_conv *op,
                                  unsigned char *segment, size_t bytes)
{
    unsigned char *in = NULL, *out = NULL;
    enum fsh_kernel_status status = FSH_KERNEL_NO_MEMORY;
    int64_t rows = (s->out_h - 1) * s->stride + s->kernel_h;
    int64_t columns = (s->out_w - 1) * s->stride + s->kernel_w;

    if (!is_plain_input(s, bytes)) {
        in = gather(s, segment, rows, columns);
        if (in == NULL)
            goto done;
        op->in = (const void *)in;
        op->in_h = (size_t)rows;
        op->in_w = (size_t)columns;
        op->pad = 0;
    }
    if (!is_plain_output(s)) {
        out = malloc(s->out_blocks * (size_t)(s->out_h * s->out_w) *
                     FSH_COMPUTE_LINE);
        if (out == NULL)
            goto done;
        move_output(s, segment, out, false);
        op->out = (void *)out;
    }
    status = fsh_conv(op, FSH_ISA_BEST);
    if (out != NULL && status == FSH_KERNEL_OK)
        move_output(s, segment, out, true);
done:
    free(in);
    free(out);
    return status;
}

unsigned fsh_execute_conv(const uint64_t *c, unsigned char *segment,
                          size_t bytes)
{
    struct shape s = shape_of(c);
    struct fsh_conv op = operation(c, &s, segment);

    if (!inside(c, &s, bytes))
        return FSH_STATUS_LOCAL_RANGE;
    return fsh_execute_status(run(&s, &op, segment, bytes));
}
