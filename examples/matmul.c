/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * C = A x B on all nodes, see matmul.h.
 *
 * partial (two nodes, Fig. 6(a) of the FSHMEM paper): a node has half of the
 * columns of A and half of the rows of B, and ends with half of the columns of
 * C, in slabs of 128 columns. It first computes its partial sums of the other
 * node's half, which ART puts into the other's C as they are produced, then
 * those of its own half, added to the sums that have arrived.
 *
 * pass-on (any number): a node has some rows of A and columns of B, and ends
 * with its rows of C. B moves in parts of 64 columns. The owner encodes a part
 * while it multiplies with it, and ART sends it to both neighbours. The mover
 * queues forward it around the ring in both directions, half of the ring each.
 * Parts are used in order of arrival: own, neighbours', those further away.
 */
#include "matmul.h"

#include <string.h>

#include "matmul_grid.h"

enum {
    SLAB = 128, /* partial: contiguous columns of C */
    PART = MATMUL_PART,
    PIECE = 1 << 25,   /* partial: products per command, about */
    TAIL = 16,         /* rows of the last command */
    GRID_NODES = 12,   /* from which auto uses the grid */
    CHECKED = 256,     /* largest size that is checked completely */
    SAMPLES = 1 << 12, /* elements a node checks of larger ones, about */
};

/* Events. ARRIVED counts pieces (partial). OWN: a part arrived from its owner;
 * several events, see owner_event. PASSED: a forwarded part arrived from the left,
 * or (one more) from the right. MOVER: it may be forwarded, likewise. */
enum { ARRIVED = CASE_START + 1, OWN = ARRIVED, PASSED = 32, MOVER = 34 };

enum matmul_algorithm matmul_algorithm(const char *name)
{
    for (int i = MATMUL_PARTIAL; i <= MATMUL_GRID; ++i) {
        if (strcmp(name, matmul_name((enum matmul_algorithm)i)) == 0) {
            return (enum matmul_algorithm)i;
        }
    }
    return MATMUL_AUTO;
}

const char *matmul_name(enum matmul_algorithm algorithm)
{
    static const char *const names[] = {"auto", "partial", "pass-on", "grid"};

    return names[algorithm];
}

/* Partial sums of 256 columns take longer to send than to compute. On many nodes
 * the same is true of what pass-on receives. */
static enum matmul_algorithm choose(const struct matmul_options *options)
{
    uint32_t rows, columns;

    if (options->algorithm != MATMUL_AUTO) {
        return options->algorithm;
    }
    matmul_grid_shape(gasnet_nodes(), &rows, &columns);
    if (gasnet_nodes() >= GRID_NODES && rows > 1) {
        return MATMUL_GRID;
    }
    return gasnet_nodes() == 2 && options->size >= 512 ? MATMUL_PARTIAL
                                                       : MATMUL_PASS_ON;
}

void matmul_refuse(const struct matmul_options *options)
{
    unsigned nodes = (unsigned)gasnet_nodes(), step = 16 * nodes;

    if (options->algorithm == MATMUL_PARTIAL && nodes != 2) {
        case_refuse("--algorithm partial: for 2 ranks, not %u; take pass-on "
                    "or auto",
                    nodes);
    }
    if (options->size % step != 0) {
        case_refuse("--size %u: %u ranks need a multiple of %u; take %u",
                    (unsigned)options->size, nodes, step,
                    (unsigned)(options->size + step - 1) / step * step);
    }
}

/* ---- layout of the segments ---- */

uint32_t matmul_share(const struct matmul *x)
{
    return x->size / (uint32_t)x->nodes;
}

uint32_t matmul_parts(const struct matmul *x)
{
    return (matmul_share(x) + PART - 1) / PART;
}

/* Columns of a part, and its encoded size in bytes. */
uint32_t matmul_part_columns(const struct matmul *x, uint32_t part)
{
    uint32_t left = matmul_share(x) - part * PART;

    return left < PART ? left : PART;
}

uint64_t matmul_part_bytes(const struct matmul *x)
{
    return fshmem_encoded_size(PART, x->size);
}

static fshmem_offset_t part_at(const struct matmul *x, gasnet_node_t owner,
                               uint32_t part)
{
    return x->panels +
           (owner * (uint64_t)matmul_parts(x) + part) * matmul_part_bytes(x);
}

static uint64_t lay_out(struct matmul *x, const struct matmul_options *options)
{
    uint64_t next = 0, bytes;

    memset(x, 0, sizeof *x);
    x->size = options->size;
    x->seed = options->seed;
    x->algorithm = choose(options);
    x->me = gasnet_mynode();
    x->nodes = gasnet_nodes();
    bytes = (uint64_t)x->size * matmul_share(x) * sizeof(float);
    x->a = case_take(&next, bytes);
    x->b = case_take(&next, bytes);
    x->c = case_take(&next, bytes);
    if (x->algorithm == MATMUL_PARTIAL) {
        x->outbox = case_take(&next, bytes);
    } else if (x->algorithm == MATMUL_GRID) {
        matmul_grid_lay_out(x, &next);
    } else {
        x->panels =
            case_take(&next, x->nodes * matmul_parts(x) * matmul_part_bytes(x));
    }
    return next;
}

uint64_t matmul_bytes(const struct matmul_options *options)
{
    struct matmul x;

    return lay_out(&x, options);
}

/* Element of A and of B. */
static float number(const struct matmul *x, uint32_t operand, uint64_t row,
                    uint64_t column)
{
    return case_number(x->seed, operand, row * x->size + column);
}

/* Some rows of an operand; some of its columns, row by row; or column by column. */
enum stored { ROWS, COLUMNS, BY_COLUMN };

/* Fill in this node's share of an operand: so many rows or columns of all. */
static void fill(const struct matmul *x, uint32_t operand, enum stored stored,
                 uint64_t which, fshmem_offset_t at)
{
    uint64_t lines = stored == COLUMNS ? x->size : matmul_share(x);
    uint64_t length = stored == COLUMNS ? matmul_share(x) : x->size;
    uint64_t first = which * matmul_share(x);
    float *to = case_at(at);

    for (uint64_t i = 0; i < lines; ++i) {
        for (uint64_t j = 0; j < length; ++j) {
            *to++ = stored == ROWS      ? number(x, operand, first + i, j)
                    : stored == COLUMNS ? number(x, operand, i, first + j)
                                        : number(x, operand, j, first + i);
        }
    }
}

/* ---- commands ---- */

void matmul_add(struct matmul *x, const fshmem_gemm_t *gemm)
{
    case_fine("GEMM", fshmem_command_gemm(gemm, case_command(&x->commands)));
}

/* ---- partial ---- */

/* Columns of a slab of a node's half of C; each slab is a separate matrix. */
static uint32_t slab_columns(const struct matmul *x, uint32_t slab)
{
    uint32_t left = matmul_share(x) - slab * SLAB;

    return left < SLAB ? left : SLAB;
}

/* Some rows of a slab of a node's half: sent to it if it is the other node, else
 * added to the sums that arrive in so many pieces. */
static void add_piece(struct matmul *x, gasnet_node_t whose, uint32_t slab,
                      uint32_t row, uint32_t rows, uint32_t arrivals)
{
    uint32_t columns = slab_columns(x, slab);
    uint64_t at = ((uint64_t)slab * SLAB * x->size + row * columns) * 4;
    fshmem_gemm_t g = {
        .m = rows, .n = columns, .k = matmul_share(x), .ldc = columns};

    g.a = (fshmem_operand_t){FSHMEM_FP32_ROWS,
                             x->a + (uint64_t)row * matmul_share(x) * 4,
                             matmul_share(x)};
    g.b = (fshmem_operand_t){
        FSHMEM_FP32_ROWS, x->b + (whose * matmul_share(x) + slab * SLAB) * 4u,
        x->size};
    g.flow.await_event = ARRIVED;
    g.flow.await_count = arrivals;
    if (whose == x->me) {
        g.c = x->c + at;
        g.flags = FSHMEM_ACCUMULATE;
    } else {
        g.c = x->outbox + at;
        g.flow.await_event = CASE_START;
        g.flow.await_count = slab == 0 && row == 0;
        g.flow.send_nodes = g.flow.signal_nodes = FSHMEM_NODE(whose);
        g.flow.send_offset = x->c + at;
        g.flow.send_count = 4096;
        g.flow.signal_event = ARRIVED;
    }
    matmul_add(x, &g);
}

/* Both halves in the same pieces, so that each has arrived when it is added
 * to. The last rows are a separate, small command, since nothing hides the
 * transfer of its results. */
static void add_half(struct matmul *x, gasnet_node_t whose)
{
    const uint32_t tail = 2 * TAIL;
    uint32_t most = PIECE / (SLAB * matmul_share(x)) / SLAB * SLAB, rows;

    most = most ? most : SLAB;
    for (uint32_t slab = 0; slab * SLAB < matmul_share(x); ++slab) {
        for (uint32_t row = 0; row < x->size; row += rows) {
            uint32_t left = x->size - row;

            rows = left < most ? left : most;
            if (whose == x->me && (slab + 1) * SLAB >= matmul_share(x) &&
                rows == left && left > tail) {
                add_piece(x, whose, slab, row, left - tail, 1);
                add_piece(x, whose, slab, row + left - tail, tail, 0);
            } else {
                add_piece(x, whose, slab, row, rows, 1);
            }
        }
    }
}

static void build_partial(struct matmul *x)
{
    add_half(x, 1 - x->me);
    add_half(x, x->me);
}

/* ---- pass-on ---- */

/* Left is 0, right is 1, for where parts come from. */
static gasnet_node_t at_distance(const struct matmul *x, int side,
                                 uint32_t distance)
{
    return (x->me + (side ? distance : x->nodes - distance)) % x->nodes;
}

/* Does a part arrive from this side over this distance? Parts of the opposite
 * node come from both sides in turn, even ones from the left. */
static int comes(const struct matmul *x, int side, uint32_t distance,
                 uint32_t part)
{
    if (2 * distance == x->nodes) {
        return (int)(part % 2) == side;
    }
    return 2 * distance < x->nodes;
}

/* A GEMM signals the same event at all receivers: a number that differs between
 * a node and its two neighbours, all around the ring. */
static uint32_t owner_event(const struct matmul *x, gasnet_node_t owner)
{
    uint32_t numbers = x->nodes < 3 ? 2 : 3;

    while (x->nodes > 2 && x->nodes % numbers - 1u < 2) {
        ++numbers;
    }
    return OWN + owner % numbers;
}

/* The product of this node's rows of A with a part of B, encoded. */
static fshmem_gemm_t with_part(const struct matmul *x, gasnet_node_t owner,
                               uint32_t part)
{
    uint64_t column = owner * (uint64_t)matmul_share(x) + part * PART;
    fshmem_gemm_t g = {.m = matmul_share(x),
                       .n = matmul_part_columns(x, part),
                       .k = x->size,
                       .c = x->c + column * 4,
                       .ldc = x->size};

    g.a = (fshmem_operand_t){FSHMEM_FP32_ROWS, x->a, x->size};
    g.b = (fshmem_operand_t){FSHMEM_BFP, part_at(x, owner, part), 0};
    return g;
}

/* The last rows of the last product are a separate, small command,
 * since nothing hides the writing of its results. It is loaded while the
 * previous one computes, which must be long enough for that. */
static void add_product(struct matmul *x, fshmem_gemm_t *g)
{
    if (++x->products == matmul_parts(x) * x->nodes && g->m >= 8 * TAIL) {
        g->m -= TAIL;
        matmul_add(x, g);
        g->a.offset += g->m * x->size * 4;
        g->c += g->m * x->size * 4;
        g->m = TAIL;
        g->flow.await_count = 0;
    }
    matmul_add(x, g);
}

static void add_own(struct matmul *x, uint32_t part)
{
    fshmem_gemm_t g = with_part(x, x->me, part);

    g.b = (fshmem_operand_t){FSHMEM_FP32_ROWS, x->b + part * PART * 4u,
                             matmul_share(x)};
    g.flow.await_event = CASE_START;
    g.flow.await_count = part == 0;
    if (x->nodes > 1) {
        g.flags = FSHMEM_EMIT;
        g.emit = g.flow.send_offset = part_at(x, x->me, part);
        g.flow.send_nodes = FSHMEM_NODE(at_distance(x, 0, 1)) |
                            FSHMEM_NODE(at_distance(x, 1, 1));
        g.flow.signal_nodes = g.flow.send_nodes;
        if (x->nodes > 3) { /* this node's mover signals the next ones */
            g.flow.signal_nodes |= FSHMEM_NODE(x->me);
        }
        g.flow.signal_event = owner_event(x, x->me);
    }
    add_product(x, &g);
}

static void add_others(struct matmul *x, uint32_t distance, uint32_t part)
{
    for (int side = 0; side < 2; ++side) {
        gasnet_node_t owner = at_distance(x, side, distance);
        fshmem_gemm_t g = with_part(x, owner, part);

        g.flow.await_event =
            distance == 1 ? owner_event(x, owner) : PASSED + (uint32_t)side;
        g.flow.await_count = 1;
        if (comes(x, side, distance, part)) {
            add_product(x, &g);
        }
    }
}

/* Forward what arrived from a side over a distance. */
static void add_send(struct matmul *x, int side, uint32_t distance,
                     uint32_t part)
{
    gasnet_node_t next = at_distance(x, !side, 1);
    fshmem_offset_t at = part_at(x, at_distance(x, side, distance), part);
    fshmem_send_t s = {.from = at, .bytes = matmul_part_bytes(x)};

    s.flow.await_event = MOVER + (uint32_t)side;
    s.flow.await_count = 1;
    s.flow.send_nodes = s.flow.signal_nodes = FSHMEM_NODE(next);
    s.flow.send_offset = at;
    s.flow.send_count = (uint32_t)(s.bytes / 4); /* one PUT: see add_moves */
    s.flow.signal_event = PASSED + (uint32_t)side;
    case_fine("SEND", fshmem_command_send(&s, case_command(&x->commands)));
}

/* Mover commands for parts at this distance: forward them, then signal the next
 * mover if it has to forward them, too. SENDs of both sides come first, one PUT
 * each, so that both ports are busy. Own parts were sent with their product.
 */
static void add_moves(struct matmul *x, uint32_t distance, uint32_t part)
{
    fshmem_flow_t tell = {.await_event = owner_event(x, x->me),
                          .await_count = distance == 0};

    for (int side = 0; side < 2; ++side) {
        if (distance > 0 && comes(x, side, distance + 1, part)) {
            add_send(x, side, distance, part);
        }
    }
    for (int side = 0; side < 2; ++side) {
        if (comes(x, side, distance + 2, part)) {
            tell.signal_event = MOVER + (uint32_t)side;
            tell.signal_nodes = FSHMEM_NODE(at_distance(x, !side, 1));
            case_fine("NOP",
                      fshmem_command_nop(1, &tell, case_command(&x->commands)));
            tell.await_count = 0;
        }
    }
}

static void build_pass_on(struct matmul *x)
{
    for (uint32_t part = 0; part < matmul_parts(x); ++part) {
        add_own(x, part);
    }
    for (uint32_t distance = 1; 2 * distance <= x->nodes; ++distance) {
        for (uint32_t part = 0; part < matmul_parts(x); ++part) {
            add_others(x, distance, part);
        }
    }
    for (uint32_t distance = 0; 2 * distance + 2 <= x->nodes; ++distance) {
        for (uint32_t part = 0; part < matmul_parts(x); ++part) {
            add_moves(x, distance, part);
        }
    }
}

/* ---- prepare, wait, check ---- */

void matmul_prepare(struct matmul *x, const struct matmul_options *options)
{
    matmul_refuse(options);
    (void)lay_out(x, options);
    switch (x->algorithm) {
    case MATMUL_PARTIAL:
        fill(x, MATMUL_A, COLUMNS, x->me, x->a);
        fill(x, MATMUL_B, ROWS, x->me, x->b);
        build_partial(x);
        break;
    case MATMUL_GRID:
        fill(x, MATMUL_A, ROWS, x->me, x->a);
        fill(x, MATMUL_B, BY_COLUMN, matmul_grid_share_of_b(x), x->b);
        matmul_grid_build(x);
        break;
    default:
        fill(x, MATMUL_A, ROWS, x->me, x->a);
        fill(x, MATMUL_B, COLUMNS, x->me, x->b);
        build_pass_on(x);
        break;
    }
    case_fine("submit",
              fshmem_submit_nb(x->me, x->commands.at, x->commands.count, 0,
                               &x->handle, &x->result));
}

unsigned matmul_starts(const struct matmul *x)
{
    (void)x;
    return 1;
}

void matmul_wait(struct matmul *x)
{
    gasnet_wait_syncnb(x->handle);
    case_fine("matrix product", x->result);
}

static double exact(const struct matmul *x, uint64_t row, uint64_t column)
{
    double sum = 0;

    for (uint64_t k = 0; k < x->size; ++k) {
        sum += (double)number(x, MATMUL_A, row, k) *
               (double)number(x, MATMUL_B, k, column);
    }
    return sum;
}

/* Row and column in C of value i of this node's part, in order of memory. */
static void place(const struct matmul *x, uint64_t i, uint64_t *row,
                  uint64_t *column)
{
    uint64_t first = x->me * (uint64_t)matmul_share(x);

    if (x->algorithm == MATMUL_PARTIAL) {
        uint64_t slab = i / (SLAB * (uint64_t)x->size);
        uint64_t columns = slab_columns(x, (uint32_t)slab);

        i -= slab * SLAB * x->size;
        *row = i / columns;
        *column = first + slab * SLAB + i % columns;
    } else if (x->algorithm == MATMUL_GRID) {
        matmul_grid_place(x, i, row, column);
    } else {
        *row = first + i / x->size;
        *column = i % x->size;
    }
}

void matmul_check(const struct matmul *x, struct case_check *check)
{
    uint64_t values = (uint64_t)x->size * matmul_share(x), row, column;
    uint64_t step = x->size <= CHECKED ? 1 : values / SAMPLES | 1;
    const float *c = case_at(x->c);

    *check = case_expect(x->size);
    for (uint64_t i = 0; i < values; ++i) {
        place(x, i, &row, &column);
        case_hash(check, row * x->size + column, c[i]);
        if (i % step == 0) {
            case_compare(check, (double)c[i], exact(x, row, column));
        }
    }
}

void matmul_free(struct matmul *x)
{
    case_commands_free(&x->commands);
}
