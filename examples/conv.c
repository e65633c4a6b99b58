/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A convolution on all nodes, see conv.h.
 *
 * The rows of all channel blocks of the output (16 kernels each) form a sequence,
 * split into equal ranges, one a node. A node computes its range in pieces, a
 * command each. ART puts their results to the neighbours in the ring while they
 * are computed; from there the mover queues forward them around the ring in both
 * directions, started by events. The opposite node gets half of a piece from either
 * side. (Put to all nodes at once, a byte would travel 1 + 2 + 3 ... links instead of
 * one link per receiving node.) The hosts do nothing in between.
 */
#include "conv.h"

#include <string.h>

/* Groups of 8 pixels of a piece's results, at most. On several nodes few, since a
 * piece is forwarded only when it is complete, and nothing hides the transfer of
 * the last one; but not so few that its operands take longer to load than to
 * multiply. On one node: what the array holds at a time. */
enum { PIECE_GROUPS = 24, ALONE_GROUPS = 128 };

#define MOST_SIGNALS 65535u /* that a command can wait for */

/* Rows of one channel block of the output. */
struct piece {
    uint64_t block, row, rows;
};

struct conv_options conv_paper(uint32_t size)
{
    uint32_t kernels = size == 7 ? 128 : size == 5 ? 192 : 256;

    return (struct conv_options){.kernels = kernels,
                                 .size = size == 7 || size == 5 ? size : 3,
                                 .channels = kernels,
                                 .map = 64,
                                 .seed = 1};
}

void conv_refuse(const struct conv_options *o)
{
    unsigned nodes = (unsigned)gasnet_nodes();
    uint64_t rows = conv_blocks(o->kernels) * o->map / nodes + 1;

    if (nodes > CONV_MAX_NODES) {
        case_refuse("%u ranks; at most %u, which is how many events a core has "
                    "for them: start fewer",
                    nodes, CONV_MAX_NODES);
    }
    /* Two signals a piece, and a piece may be a row. */
    if (nodes > 1 && 2 * rows > MOST_SIGNALS) {
        case_refuse(
            "--kernels %u --map %u: %llu rows of 16 channels a rank, of "
            "which a command can wait for %u; start more ranks, or take "
            "fewer kernels or a smaller map",
            (unsigned)o->kernels, (unsigned)o->map, (unsigned long long)rows,
            MOST_SIGNALS / 2);
    }
}

double conv_macs(const struct conv_options *o)
{
    return (double)o->kernels * o->map * o->map * o->channels * o->size *
           o->size;
}

/* ---- layout of the segments ---- */

static uint64_t map_bytes(const struct conv_options *o, uint64_t channels)
{
    return conv_blocks(channels) * o->map * o->map * 64;
}

/* Channel blocks of which a node has kernels: the first, and how many. */
static uint64_t first_block(const struct conv_options *o, gasnet_node_t nodes,
                            gasnet_node_t node)
{
    return conv_begin(o, nodes, node) / o->map;
}

static uint64_t own_blocks(const struct conv_options *o, gasnet_node_t nodes,
                           gasnet_node_t node)
{
    uint64_t end = conv_begin(o, nodes, node + 1);

    return (end + o->map - 1) / o->map - first_block(o, nodes, node);
}

static uint64_t lay_out(struct conv *x, const struct conv_options *options)
{
    uint64_t next = 0, most = 0;

    memset(x, 0, sizeof *x);
    x->options = *options;
    x->me = gasnet_mynode();
    x->nodes = gasnet_nodes();
    for (gasnet_node_t node = 0; node < x->nodes; ++node) {
        uint64_t own = own_blocks(options, x->nodes, node);

        most = own > most ? own : most;
    }
    x->input = case_take(&next, map_bytes(options, options->channels));
    x->output = case_take(&next, map_bytes(options, options->kernels));
    x->kernels = case_take(&next, most * 16 * conv_taps(options) * 64);
    return next;
}

uint64_t conv_bytes(const struct conv_options *options)
{
    struct conv x;

    return lay_out(&x, options);
}

static void fill(const struct conv *x)
{
    const struct conv_options *o = &x->options;
    uint64_t first = first_block(o, x->nodes, x->me) * 16;
    uint64_t end = first + own_blocks(o, x->nodes, x->me) * 16;
    float *to = case_at(x->input);

    for (uint64_t i = 0; i < map_bytes(o, o->channels) / 64; ++i, to += 16) {
        conv_values(o, CONV_INPUT, i, to);
    }
    end = end < o->kernels ? end : o->kernels;
    to = case_at(x->kernels);
    for (uint64_t i = first * conv_taps(o); i < end * conv_taps(o); ++i) {
        conv_values(o, CONV_KERNELS, i, to);
        to += 16;
    }
    /* NaN, so that unwritten values are detected. */
    memset(case_at(x->output), 0xff, map_bytes(o, o->kernels));
}

/* ---- pieces ---- */

/* Rows of the next piece with so many left; the last two are equal. */
static uint64_t piece_rows(const struct conv *x, uint64_t left)
{
    uint64_t groups = (x->options.map + 7) / 8;
    uint64_t rows = (x->nodes > 1 ? PIECE_GROUPS : ALONE_GROUPS) / groups;

    rows = rows > 0 ? rows : 1;
    if (left <= rows) {
        return left;
    }
    return left < 2 * rows ? (left + 1) / 2 : rows;
}

/* The piece of a node's range that begins at *at in the sequence, which advances.
 * 0: the range is over. */
static int next_piece(const struct conv *x, gasnet_node_t node, uint64_t *at,
                      struct piece *p)
{
    uint64_t left = conv_begin(&x->options, x->nodes, node + 1) - *at;
    uint64_t map = x->options.map, below;

    if (left == 0) {
        return 0;
    }
    p->block = *at / map;
    p->row = *at % map;
    below = map - p->row;
    p->rows = piece_rows(x, left < below ? left : below);
    *at += p->rows;
    return 1;
}

static fshmem_offset_t piece_at(const struct conv *x, const struct piece *p)
{
    uint64_t map = x->options.map;

    return x->output + (p->block * map + p->row) * map * 64;
}

/* ---- commands ---- */

static unsigned event_of(gasnet_node_t origin)
{
    return CASE_START + 1 + (unsigned)origin;
}

/* So many nodes forward in the ring, or back. */
static gasnet_node_t beside(const struct conv *x, int back,
                            gasnet_node_t distance)
{
    return (x->me + (back ? x->nodes - distance : distance)) % x->nodes;
}

static void add_nop(struct conv *x, int mover, unsigned event, uint32_t count)
{
    fshmem_flow_t flow = {.await_event = event, .await_count = count};

    case_fine("NOP",
              fshmem_command_nop(mover, &flow, case_command(&x->commands)));
}

static void add_conv(struct conv *x, const struct piece *p)
{
    const struct conv_options *o = &x->options;
    uint64_t block = p->block - first_block(o, x->nodes, x->me);
    uint32_t left = o->kernels - 16 * (uint32_t)p->block;
    fshmem_nodes_t to =
        FSHMEM_NODE(beside(x, 0, 1)) | FSHMEM_NODE(beside(x, 1, 1));
    fshmem_conv_t v = {.in_channels = o->channels,
                       .in_height = o->map,
                       .in_width = o->map,
                       .out_channels = left < 16 ? left : 16,
                       .kernel_height = o->size,
                       .kernel_width = o->size,
                       .stride = 1,
                       .out_height = (uint32_t)p->rows,
                       .out_width = o->map,
                       .input = x->input};

    v.pad_left = (int32_t)(o->size - 1) / 2;
    v.pad_top = v.pad_left - (int32_t)p->row;
    v.kernels = x->kernels + block * 16 * conv_taps(o) * 64;
    v.output = v.flow.send_offset = piece_at(x, p);
    v.flow.await_event = CASE_START;
    v.flow.await_count = x->commands.count == 0;
    v.flow.send_nodes = v.flow.signal_nodes = to & ~FSHMEM_NODE(x->me);
    v.flow.signal_event = event_of(x->me);
    case_fine("CONV", fshmem_command_conv(&v, case_command(&x->commands)));
}

static void add_own(struct conv *x)
{
    uint64_t at = conv_begin(&x->options, x->nodes, x->me);
    struct piece p;

    while (next_piece(x, x->me, &at, &p)) {
        add_conv(x, &p);
    }
    if (x->commands.count == 0) {
        add_nop(x, 0, CASE_START, 1);
    }
}

/* How nodes at this distance from its origin forward a piece: 0 not at
 * all, 1 whole, 2 half of it. */
static unsigned parts(const struct conv *x, gasnet_node_t distance)
{
    gasnet_node_t twice = 2 * (distance + 1);

    return twice < x->nodes ? 1 : twice == x->nodes ? 2 : 0;
}

/* Pixels of a piece from *begin to *end are forwarded. If split, the first half goes
 * forward, the second back; that of a single pixel is empty. */
static void cut(const struct conv *x, const struct piece *p, int half, int back,
                uint64_t *begin, uint64_t *end)
{
    uint64_t pixels = p->rows * x->options.map, middle = pixels - pixels / 2;

    *begin = half && back ? middle : 0;
    *end = half && !back ? middle : pixels;
}

/* Forward a piece that arrived over this distance. */
static void add_pass(struct conv *x, const struct piece *p, int back,
                     gasnet_node_t distance)
{
    unsigned event = event_of(beside(x, !back, distance));
    gasnet_node_t to = beside(x, back, 1);
    fshmem_send_t s = {.flow = {.await_event = event, .await_count = 1}};
    uint64_t begin, end;

    cut(x, p, parts(x, distance) == 2, back, &begin, &end);
    if (begin == end) {
        add_nop(x, 1, event, 1);
        return;
    }
    s.from = s.flow.send_offset = piece_at(x, p) + begin * 64;
    s.bytes = (end - begin) * 64;
    s.flow.send_nodes = s.flow.signal_nodes = FSHMEM_NODE(to);
    s.flow.signal_event = event;
    /* One message, so that the next command's, in the other direction, is
     * sent at the same time. */
    s.flow.send_count = (uint32_t)(s.bytes / 4);
    case_fine("SEND", fshmem_command_send(&s, case_command(&x->commands)));
}

/* Forward in order of arrival: for each piece of all nodes first what comes from
 * the neighbours. */
static void add_passes(struct conv *x)
{
    uint64_t at[CONV_MAX_NODES];
    unsigned found = 1;
    struct piece p;

    for (gasnet_node_t node = 0; node < x->nodes; ++node) {
        at[node] = conv_begin(&x->options, x->nodes, node);
    }
    while (found != 0) {
        found = 0;
        for (gasnet_node_t d = 1; parts(x, d) != 0; ++d) {
            for (int back = 0; back < 2; ++back) {
                gasnet_node_t from = beside(x, !back, d);

                if (next_piece(x, from, &at[from], &p)) {
                    add_pass(x, &p, back, d);
                    ++found;
                }
            }
        }
    }
}

/* Wait for arrivals that are not forwarded. */
static void add_waits(struct conv *x)
{
    for (gasnet_node_t d = 1; d < x->nodes; ++d) {
        gasnet_node_t from = beside(x, 1, d);
        uint64_t at = conv_begin(&x->options, x->nodes, from);
        int halves = x->nodes > 2 && 2 * d == x->nodes;
        uint32_t count = 0;
        struct piece p;

        if (parts(x, 2 * d < x->nodes ? d : x->nodes - d) != 0) {
            continue;
        }
        while (next_piece(x, from, &at, &p)) {
            count += halves && p.rows * x->options.map > 1 ? 2 : 1;
        }
        if (count != 0) {
            add_nop(x, 1, event_of(from), count);
        }
    }
}

/* ---- interface ---- */

void conv_prepare(struct conv *x, const struct conv_options *options)
{
    (void)lay_out(x, options);
    fill(x);
    add_own(x);
    add_passes(x);
    add_waits(x);
    case_fine("submission",
              fshmem_submit_nb(x->me, x->commands.at, x->commands.count, 0,
                               &x->handle, &x->result));
}

unsigned conv_starts(const struct conv *x)
{
    (void)x;
    return 1; /* the first command of the array queue */
}

void conv_wait(struct conv *x)
{
    gasnet_wait_syncnb(x->handle);
    case_fine("convolution", x->result);
}

void conv_free(struct conv *x)
{
    case_commands_free(&x->commands);
}
