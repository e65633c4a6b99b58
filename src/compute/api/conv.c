/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The command of a convolution; see fshmem.h. What depends on the columns of a
 * piece is filled in by piece.c.
 */
#include "compute/api/plan.h"

#define FINISH (FSHMEM_ACCUMULATE | FSHMEM_BIAS | FSHMEM_RELU)
#define MAX_PIXELS 32767u
#define MAX_ROW ((1u << 20) - 1)

/* Sizes with what 0 stands for filled in. */
struct sizes {
    uint64_t out_h, out_w;
    uint64_t in_row, in_plane, out_row, out_plane; /* pixels */
    uint64_t blocks, out_blocks;                   /* of 16 channels */
};

/* Output rows of an input padded by `pad` on both sides, 0 if there are none. */
static uint64_t out_size(uint64_t in, int64_t pad, uint64_t kernel,
                         uint64_t stride)
{
    int64_t padded = (int64_t)in + 2 * pad - (int64_t)kernel;

    return padded < 0 ? 0 : (uint64_t)padded / stride + 1;
}

static struct sizes sizes_of(const fshmem_conv_t *c)
{
    struct sizes s = {
        .out_h = c->out_height,
        .out_w = c->out_width,
        .in_row = c->in_row != 0 ? c->in_row : c->in_width,
        .blocks = fsh_div_up(c->in_channels, FSH_LINE_VALUES),
        .out_blocks = fsh_div_up(c->out_channels, FSH_LINE_VALUES),
    };

    if (s.out_h == 0)
        s.out_h =
            out_size(c->in_height, c->pad_top, c->kernel_height, c->stride);
    if (s.out_w == 0)
        s.out_w =
            out_size(c->in_width, c->pad_left, c->kernel_width, c->stride);
    s.in_plane = c->in_plane != 0 ? c->in_plane : c->in_height * s.in_row;
    s.out_row = c->out_row != 0 ? c->out_row : s.out_w;
    s.out_plane = c->out_plane != 0 ? c->out_plane : s.out_h * s.out_row;
    return s;
}

static bool is_pixels(uint64_t n)
{
    return n >= 1 && n <= MAX_PIXELS;
}

static bool is_pad(int32_t pad)
{
    return pad >= -(int32_t)MAX_PIXELS && pad <= (int32_t)MAX_PIXELS;
}

static bool sizes_ok(const fshmem_conv_t *c, const struct sizes *s)
{
    return c->out_channels >= 1 && c->out_channels <= FSH_MAX_DIMENSION &&
           is_pixels(s->out_h) && is_pixels(s->out_w) &&
           s->in_row >= c->in_width && s->in_row <= MAX_ROW &&
           s->out_row >= s->out_w && s->out_row <= MAX_ROW &&
           s->in_plane >= c->in_width && s->in_plane <= UINT32_MAX &&
           s->out_plane >= s->out_w && s->out_plane <= UINT32_MAX &&
           s->blocks * c->kernel_height * c->kernel_width <= MAX_ROW;
}

/* Before anything is computed from them. */
static bool dimensions_ok(const fshmem_conv_t *c)
{
    return c->in_channels >= 1 &&
           c->in_channels <= FSH_MAX_DIMENSION - FSH_LINE_VALUES &&
           is_pixels(c->in_height) && is_pixels(c->in_width) &&
           c->kernel_height >= 1 && c->kernel_height <= 255 &&
           c->kernel_width >= 1 && c->kernel_width <= 255 && c->stride >= 1 &&
           c->stride <= 8 && is_pad(c->pad_top) && is_pad(c->pad_left);
}

/* Bytes from the first pixel of channel blocks to their end. */
static uint64_t extent(uint64_t planes, uint64_t plane, uint64_t rows,
                       uint64_t row, uint64_t columns)
{
    return ((planes - 1) * plane + (rows - 1) * row + columns) * FSH_LINE;
}

static fshmem_status_t use_memory(struct fsh_plan *plan, const fshmem_conv_t *c,
                                  const struct sizes *s)
{
    uint64_t k = s->blocks * c->kernel_height * c->kernel_width; /* lines */
    uint64_t out =
        extent(s->out_blocks, s->out_plane, s->out_h, s->out_row, s->out_w);
    uint32_t line;
    fshmem_status_t status = fsh_plan_use(
        plan, c->input,
        extent(s->blocks, s->in_plane, c->in_height, s->in_row, c->in_width),
        &line);

    if (status != FSHMEM_OK)
        return status;
    fsh_ccmd_set_x_addr(plan->ccmd, line);
    status =
        fsh_plan_use(plan, c->kernels, c->out_channels * k * FSH_LINE, &line);
    if (status != FSHMEM_OK)
        return status;
    fsh_ccmd_set_w_addr(plan->ccmd, line);
    fsh_ccmd_set_ldw(plan->ccmd, k);
    status = fsh_plan_use(plan, c->output, out, &plan->base);
    if (status == FSHMEM_OK)
        status = fsh_plan_sent(plan, out);
    if (status != FSHMEM_OK || !(c->flags & FSHMEM_BIAS))
        return status;
    status = fsh_plan_use(plan, c->bias, (uint64_t)c->out_channels * 4, &line);
    fsh_ccmd_set_bias(plan->ccmd, 1);
    fsh_ccmd_set_b_addr(plan->ccmd, status == FSHMEM_OK ? line : 0);
    return status;
}

static void set_shape(struct fsh_plan *plan, const fshmem_conv_t *c,
                      const struct sizes *s)
{
    uint64_t *w = plan->ccmd;

    fsh_ccmd_set_w_rows(w, 1);
    fsh_ccmd_set_accumulate(w, (c->flags & FSHMEM_ACCUMULATE) != 0);
    fsh_ccmd_set_relu(w, (c->flags & FSHMEM_RELU) != 0);
    fsh_ccmd_set_n(w, c->out_channels);
    fsh_ccmd_set_k(w, s->blocks * FSH_LINE_VALUES);
    fsh_ccmd_set_ldx(w, s->in_row);
    fsh_ccmd_set_ldc(w, s->out_row);
    fsh_ccmd_set_kernel_h(w, c->kernel_height);
    fsh_ccmd_set_kernel_w(w, c->kernel_width);
    fsh_ccmd_set_stride(w, c->stride);
    fsh_ccmd_set_in_h(w, c->in_height);
    fsh_ccmd_set_in_w(w, c->in_width);
    fsh_ccmd_set_out_h(w, s->out_h);
    fsh_ccmd_set_pad_h(w, (uint16_t)c->pad_top);
    fsh_ccmd_set_in_plane(w, s->in_plane);
    fsh_ccmd_set_out_plane(w, s->out_plane);
    plan->pad_w = c->pad_left;
    plan->total = (uint32_t)s->out_w;
}

/* Cut the columns into pieces for which tiles fit, the narrow last one too. */
static bool set_pieces(struct fsh_plan *plan, const fshmem_conv_t *c,
                       const struct sizes *s)
{
    struct fsh_tile_conv shape = {(uint32_t)s->out_h, (uint32_t)s->out_w,
                                  c->out_channels,    c->kernel_height,
                                  c->kernel_width,    c->stride};
    struct fsh_tile_choice tile = {c->tile_rows,
                                   c->tile_channels / FSH_LINE_VALUES};

    plan->piece = fsh_tile_columns(&shape);
    if (plan->piece == 0 || tile.x > UINT8_MAX || tile.w > UINT8_MAX)
        return false;
    plan->pieces = fsh_div_up(s->out_w, plan->piece);
    plan->tile_x = (uint8_t)tile.x;
    plan->tile_w = (uint8_t)tile.w;
    if (plan->pieces > 1)
        shape.out_w = plan->piece;
    /* The last piece begins farthest to the right. */
    int64_t pad = plan->pad_w - (int64_t)(plan->pieces - 1) * plan->piece *
                                    (int64_t)c->stride;
    return pad >= INT16_MIN && fsh_tile_conv(&shape, &tile);
}

static fshmem_status_t plan_conv(struct fsh_plan *plan, const fshmem_conv_t *c)
{
    struct sizes s;
    fshmem_status_t status;

    if (c->flags & ~FINISH)
        return FSHMEM_ERR_ARGUMENT;
    if (!dimensions_ok(c) || c->tile_channels % FSH_LINE_VALUES != 0)
        return FSHMEM_ERR_SHAPE;
    s = sizes_of(c);
    if (!sizes_ok(c, &s))
        return FSHMEM_ERR_SHAPE;
    status = fsh_plan_begin(plan, FSH_COP_CONV, false, &c->flow);
    if (status == FSHMEM_OK)
        status = use_memory(plan, c, &s);
    if (status != FSHMEM_OK)
        return status;
    set_shape(plan, c, &s);
    return set_pieces(plan, c, &s) ? FSHMEM_OK : FSHMEM_ERR_SHAPE;
}

fshmem_status_t fshmem_command_conv(const fshmem_conv_t *conv,
                                    fshmem_command_t *command)
{
    struct fsh_plan plan;
    fshmem_status_t status;

    if (conv == NULL || command == NULL)
        return FSHMEM_ERR_ARGUMENT;
    status = plan_conv(&plan, conv);
    if (status == FSHMEM_OK)
        fsh_plan_end(&plan, command);
    return status;
}
