/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * C = A x B on a grid of nodes: parts of A travel around the rows of the grid,
 * parts of B around its columns, in both directions, and a node multiplies each part
 * that arrives with all it has of the other operand. What a node receives thus grows
 * with the square root of the number of nodes, not linearly as in pass-on.
 *
 * Nothing hides the transfer of the first parts if a node has only one of each. So
 * they are split along K: A is encoded and sent in pieces, the node's own product
 * encodes B meanwhile, and all products use halves of K: the first half of both
 * operands travels before the second half of either.
 */
#include "matmul_grid.h"

enum { CHUNK = 64 }; /* of K, in an encoded operand */
enum { LEFT, RIGHT, SIDES };

/* Events, for each operand. MADE: this node's mover may send. HERE: it may forward
 * what arrived from this side. FAR: arrived from this side, not from the neighbour.
 * OWN: from a neighbour, several events: see own_event. */
enum {
    MADE = CASE_START + 1,
    HERE = MADE + 2,
    FAR = HERE + 2 * SIDES,
    OWN = FAR + 2 * SIDES,
    OWNERS = 8
};

void matmul_grid_shape(gasnet_node_t nodes, uint32_t *rows, uint32_t *columns)
{
    *rows = 1;
    for (uint32_t r = 2; r * r <= nodes; ++r) {
        if (nodes % r == 0) {
            *rows = r;
        }
    }
    *columns = (uint32_t)nodes / *rows;
}

/* ---- layout ---- */

/* Nodes that an operand travels around, and this node's position among them. */
static uint32_t around(const struct matmul *x, int operand)
{
    return operand == MATMUL_A ? x->grid_columns : x->grid_rows;
}

static uint32_t my_place(const struct matmul *x, int operand)
{
    return operand == MATMUL_A ? x->me % x->grid_columns
                               : x->me / x->grid_columns;
}

static gasnet_node_t neighbour(const struct matmul *x, int operand, int side)
{
    uint32_t n = around(x, operand);
    uint32_t to = (my_place(x, operand) + (side == RIGHT ? 1 : n - 1)) % n;

    return operand == MATMUL_A ? x->me / x->grid_columns * x->grid_columns + to
                               : to * x->grid_columns + x->me % x->grid_columns;
}

uint32_t matmul_grid_share_of_b(const struct matmul *x)
{
    return my_place(x, MATMUL_A) * x->grid_rows + my_place(x, MATMUL_B);
}

static uint32_t block_columns(const struct matmul *x)
{
    return x->grid_rows * matmul_share(x);
}

void matmul_grid_lay_out(struct matmul *x, uint64_t *next)
{
    uint64_t bytes = matmul_parts(x) * matmul_part_bytes(x);

    matmul_grid_shape(x->nodes, &x->grid_rows, &x->grid_columns);
    x->panels_a = case_take(next, around(x, MATMUL_A) * bytes);
    x->panels = case_take(next, around(x, MATMUL_B) * bytes);
}

void matmul_grid_place(const struct matmul *x, uint64_t i, uint64_t *row,
                       uint64_t *column)
{
    uint64_t rows = (uint64_t)x->grid_columns * matmul_share(x);

    *row = my_place(x, MATMUL_B) * rows + i / block_columns(x);
    *column = my_place(x, MATMUL_A) * (uint64_t)block_columns(x) +
              i % block_columns(x);
}

/* ---- pieces of a part, along K ---- */

/* Where K is split, in eighths: pieces begin there, and the last ends at 8. With
 * several parts, or few values, nothing is split. */
enum { EIGHTHS = 8 };
struct cuts {
    uint32_t pieces, at[5];
};
static const struct cuts whole = {1, {0, 8}};
static const struct cuts halves = {2, {0, 4, 8}};

static const struct cuts *cut(const struct matmul *x, const struct cuts *cuts)
{
    return matmul_parts(x) > 1 || x->size < 4 * CHUNK ? &whole : cuts;
}

/* How A is encoded: a small piece first, since it is sent as soon as it is ready. */
static const struct cuts *encoded(const struct matmul *x)
{
    static const struct cuts early = {3, {0, 1, 4, 8}};
    static const struct cuts short_k = {3, {0, 2, 4, 8}};

    return cut(x, x->size < EIGHTHS * CHUNK ? &short_k : &early);
}

/* How an operand travels from a source; it is used in halves. Two pieces of a half
 * keep links busy while one is acknowledged. */
static const struct cuts *sent(const struct matmul *x, uint32_t source)
{
    static const struct cuts early = {4, {0, 1, 4, 6, 8}};
    static const struct cuts short_k = {4, {0, 2, 4, 6, 8}};

    if (source > 2) {
        return cut(x, &halves);
    }
    return cut(x, x->size < EIGHTHS * CHUNK ? &short_k : &early);
}

/* Of these, pieces that begin within a piece of another split. */
static uint32_t begins(const struct cuts *these, const struct cuts *in,
                       uint32_t piece)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < these->pieces; ++i) {
        count +=
            these->at[i] >= in->at[piece] && these->at[i] < in->at[piece + 1];
    }
    return count;
}

/* Value of K at an eighth; in between, whole chunks. */
static uint32_t eighth(const struct matmul *x, uint32_t at)
{
    return at < EIGHTHS ? x->size / CHUNK * at / EIGHTHS * CHUNK : x->size;
}

/* Index of a part of a position among those of all positions. */
static uint32_t index_of(const struct matmul *x, uint32_t place, uint32_t part)
{
    return place * matmul_parts(x) + part;
}

/* Address of an encoded part of an operand, from an eighth on. The first halves of
 * all parts are contiguous, followed by the second ones. */
static fshmem_offset_t part_at(const struct matmul *x, int operand,
                               uint32_t index, uint32_t at)
{
    uint32_t half = cut(x, &halves)->pieces > 1 ? eighth(x, 4) : x->size;
    uint32_t all = around(x, operand) * matmul_parts(x), k = eighth(x, at);
    uint32_t other = k < half ? half : x->size - half;
    fshmem_offset_t base = operand == MATMUL_A ? x->panels_a : x->panels;

    if (k >= half) {
        base += all * fshmem_encoded_size(MATMUL_PART, half);
        k -= half;
    }
    base += index * fshmem_encoded_size(MATMUL_PART, other);
    return base + (k > 0 ? fshmem_encoded_size(MATMUL_PART, k) : 0);
}

/* ---- arriving parts, in order of use ---- */

/* Source 0 is the node itself, then those at a distance of one, two ..., the left
 * one first. The last of an even number is the opposite node, whose parts come from
 * both sides, half from each. */
static uint32_t distance(uint32_t source)
{
    return (source + 1) / 2;
}

static uint32_t place_of(const struct matmul *x, int operand, uint32_t source)
{
    uint32_t n = around(x, operand), mine = my_place(x, operand);

    return (mine + (source % 2 ? n - distance(source) : distance(source))) % n;
}

/* Sources at a distance: from 2 * away - 1 on, one or two; up to this. */
static uint32_t sources_end(const struct matmul *x, int operand, uint32_t away)
{
    uint32_t end = 2 * away + 1;

    return end < around(x, operand) ? end : around(x, operand);
}

/* Second half of an operand of a source? Of parts, or of the eighths of one. */
static int half_of(const struct matmul *x, uint32_t part, uint32_t at)
{
    return 2 * (EIGHTHS * part + at) >= EIGHTHS * matmul_parts(x);
}

/* The side that it arrives from. */
static int side_of(const struct matmul *x, int operand, uint32_t source,
                   uint32_t part, uint32_t at)
{
    uint32_t n = around(x, operand);

    if (2 * distance(source) == n && n > 2) {
        return half_of(x, part, at);
    }
    return source % 2 ? LEFT : RIGHT;
}

/* Is it forwarded, away from that side? */
static int goes_on(const struct matmul *x, int operand, uint32_t source,
                   uint32_t part, uint32_t at)
{
    uint32_t n = around(x, operand), next = distance(source) + 1;

    if (2 * next == n) {
        return half_of(x, part, at) == side_of(x, operand, source, part, at);
    }
    return 2 * next < n;
}

/* A SEND signals the same event at both neighbours: nodes at distance two have
 * different numbers, all around the ring. */
static uint32_t own_event(const struct matmul *x, int operand, uint32_t place)
{
    uint32_t n = around(x, operand), numbers = 3;

    while (n > 2 && n % numbers - 1u < 2) {
        ++numbers;
    }
    return OWN + OWNERS * (uint32_t)operand + place % numbers;
}

/* ---- products ---- */

static void tell_mover(const struct matmul *x, uint32_t event,
                       fshmem_flow_t *flow)
{
    flow->signal_nodes = FSHMEM_NODE(x->me);
    flow->signal_event = event;
}

/* Contiguous parts of an operand: the first one's index, rows or columns in all. */
struct run {
    uint32_t index, lines;
};

static struct run one_part(const struct matmul *x, int operand, uint32_t source,
                           uint32_t part)
{
    return (struct run){index_of(x, place_of(x, operand, source), part),
                        matmul_part_columns(x, part)};
}

/* The next run from an index on, of parts that arrived from some sources; false:
 * none. A padded part is a run by itself. */
static int next_run(const struct matmul *x, int operand, uint32_t end_source,
                    uint32_t from, struct run *run)
{
    uint64_t have = 0;
    uint32_t all = around(x, operand) * matmul_parts(x), end;

    for (uint32_t s = 0; s < end_source; ++s) {
        have |= UINT64_C(1) << place_of(x, operand, s);
    }
    while (from < all && !(have >> from / matmul_parts(x) & 1)) {
        ++from;
    }
    if (from == all) {
        return 0;
    }
    end = from + 1;
    if (matmul_share(x) % MATMUL_PART == 0) {
        while (end < all && have >> end / matmul_parts(x) & 1) {
            ++end;
        }
    }
    *run = (struct run){from, matmul_part_columns(x, from % matmul_parts(x))};
    run->lines *= end - from;
    return 1;
}

static uint64_t line_of(const struct matmul *x, uint32_t index)
{
    return index / matmul_parts(x) * (uint64_t)matmul_share(x) +
           index % matmul_parts(x) * MATMUL_PART;
}

/* A product of some of A and some of B, encoded, along a piece of K; accumulated
 * onto that of the previous piece. */
static fshmem_gemm_t product(const struct matmul *x, const struct run *run,
                             const struct cuts *cuts, uint32_t piece)
{
    uint32_t at = cuts->at[piece];
    fshmem_gemm_t g = {.m = run[MATMUL_A].lines,
                       .n = run[MATMUL_B].lines,
                       .k = eighth(x, cuts->at[piece + 1]) - eighth(x, at),
                       .ldc = block_columns(x),
                       .flags = piece > 0 ? FSHMEM_ACCUMULATE : 0};

    g.a = (fshmem_operand_t){FSHMEM_BFP,
                             part_at(x, MATMUL_A, run[MATMUL_A].index, at), 0};
    g.b = (fshmem_operand_t){FSHMEM_BFP,
                             part_at(x, MATMUL_B, run[MATMUL_B].index, at), 0};
    g.c = x->c + (line_of(x, run[MATMUL_A].index) * g.ldc +
                  line_of(x, run[MATMUL_B].index)) *
                     sizeof(float);
    return g;
}

static void encode_a(struct matmul *x, uint32_t part, uint32_t piece)
{
    const struct cuts *cuts = encoded(x);
    uint32_t k = eighth(x, cuts->at[piece]);
    struct run own = one_part(x, MATMUL_A, 0, part);
    fshmem_encode_t e = {.rows = own.lines,
                         .k = eighth(x, cuts->at[piece + 1]) - k,
                         .to =
                             part_at(x, MATMUL_A, own.index, cuts->at[piece])};

    e.from = (fshmem_operand_t){
        FSHMEM_FP32_ROWS,
        x->a + ((uint64_t)part * MATMUL_PART * x->size + k) * sizeof(float),
        x->size};
    e.flow.await_event = CASE_START;
    e.flow.await_count = part == 0 && piece == 0;
    tell_mover(x, MADE + MATMUL_A, &e.flow);
    case_fine("ENCODE", fshmem_command_encode(&e, case_command(&x->commands)));
}

/* A product of own parts; the first part of A encodes those of B. */
static void own_product(struct matmul *x, uint32_t part_a, uint32_t part_b,
                        uint32_t half)
{
    const struct cuts *cuts = cut(x, &halves);
    struct run run[2] = {one_part(x, MATMUL_A, 0, part_a),
                         one_part(x, MATMUL_B, 0, part_b)};
    fshmem_gemm_t g = product(x, run, cuts, half);

    if (part_a == 0) {
        g.emit = g.b.offset;
        g.b = (fshmem_operand_t){FSHMEM_FP32_COLUMNS,
                                 x->b +
                                     ((uint64_t)part_b * MATMUL_PART * x->size +
                                      eighth(x, cuts->at[half])) *
                                         sizeof(float),
                                 x->size};
        g.flags |= FSHMEM_EMIT;
        tell_mover(x, MADE + MATMUL_B, &g.flow);
    }
    matmul_add(x, &g);
}

static void add_own(struct matmul *x)
{
    const struct cuts *cuts = cut(x, &halves), *pieces = encoded(x);

    for (uint32_t a = 0; a < matmul_parts(x); ++a) {
        uint32_t piece = 0;

        for (uint32_t h = 0; h < cuts->pieces; ++h) {
            for (; pieces->at[piece] < cuts->at[h + 1]; ++piece) {
                encode_a(x, a, piece);
            }
            for (uint32_t b = 0; b < matmul_parts(x); ++b) {
                own_product(x, a, b, h);
            }
        }
    }
}

/* A command waits for a piece of a part of a source, and signals the mover if the
 * piece is to be forwarded. */
static void await(const struct matmul *x, int operand, uint32_t source,
                  uint32_t part, uint32_t piece, fshmem_flow_t *flow)
{
    const struct cuts *cuts = cut(x, &halves);
    uint32_t at = cuts->at[piece];
    uint32_t side =
        2 * (uint32_t)operand + (uint32_t)side_of(x, operand, source, part, at);

    flow->await_count = begins(sent(x, source), cuts, piece);
    flow->await_event =
        distance(source) > 1
            ? FAR + side
            : own_event(x, operand, place_of(x, operand, source));
    if (goes_on(x, operand, source, part, at)) {
        tell_mover(x, HERE + side, flow);
    }
}

/* With one or more parts of the other operand: half of a part from each source at
 * a distance, in turn, since they arrive at the same time. */
static void add_piece(struct matmul *x, int operand, uint32_t away,
                      uint32_t part, const struct run *other, uint32_t half,
                      int comes)
{
    struct run run[2];

    run[!operand] = *other;
    for (uint32_t s = 2 * away - 1; s < sources_end(x, operand, away); ++s) {
        run[operand] = one_part(x, operand, s, part);
        fshmem_gemm_t g = product(x, run, cut(x, &halves), half);

        /* Nothing hides the writing of the last tile. */
        if (operand == MATMUL_B && s + 1 == around(x, operand)) {
            g.tile_rows = MATMUL_PART;
        }

        if (comes) {
            await(x, operand, s, part, half, &g.flow);
        }
        matmul_add(x, &g);
    }
}

/* Half of a part of the sources at a distance, with all of the other operand that
 * has arrived from `known` ones. */
static void add_part(struct matmul *x, int operand, uint32_t away,
                     uint32_t part, uint32_t half, uint32_t known)
{
    uint32_t from = 0;
    struct run run;

    while (next_run(x, !operand, known, from, &run)) {
        add_piece(x, operand, away, part, &run, half, from == 0);
        from = run.index + (run.lines + MATMUL_PART - 1) / MATMUL_PART;
    }
}

/* The first half of both operands, then the second: half of both neighbours' parts
 * gives eight half products to do, all of one operand only four. */
static void add_products(struct matmul *x)
{
    uint32_t known = 1, most = around(x, MATMUL_B);

    for (uint32_t away = 1; 2 * away <= x->grid_columns; ++away) {
        for (uint32_t h = 0; h < cut(x, &halves)->pieces; ++h) {
            for (uint32_t p = 0; p < matmul_parts(x); ++p) {
                add_part(x, MATMUL_A, away, p, h, known < most ? known : most);
            }
            for (uint32_t p = 0; 2 * away - 1 < most && p < matmul_parts(x);
                 ++p) {
                add_part(x, MATMUL_B, away, p, h,
                         sources_end(x, MATMUL_A, away));
            }
        }
        known = sources_end(x, MATMUL_A, away);
    }
}

/* ---- the mover ---- */

/* Send a piece of a part of a source to some nodes, and signal them. */
static void add_send(struct matmul *x, int operand, uint32_t source,
                     uint32_t part, const struct cuts *cuts, uint32_t piece,
                     const fshmem_flow_t *flow)
{
    uint32_t index = one_part(x, operand, source, part).index;
    uint32_t k = eighth(x, cuts->at[piece + 1]) - eighth(x, cuts->at[piece]);
    fshmem_send_t s = {.from = part_at(x, operand, index, cuts->at[piece]),
                       .bytes = fshmem_encoded_size(MATMUL_PART, k),
                       .flow = *flow};

    s.flow.signal_nodes = s.flow.send_nodes;
    s.flow.send_offset = s.from;
    s.flow.send_count = (uint32_t)(s.bytes / 4); /* one PUT to each */
    case_fine("SEND", fshmem_command_send(&s, case_command(&x->commands)));
}

/* The mover executes two commands at a time, and what it sends concurrently
 * arrives concurrently: commands after this one must wait for those before. */
static void add_barrier(struct matmul *x)
{
    static const fshmem_flow_t nothing;

    case_fine("NOP",
              fshmem_command_nop(1, &nothing, case_command(&x->commands)));
}

/* Send half of the own parts to both neighbours. */
static void send_own(struct matmul *x, int operand, uint32_t half)
{
    const struct cuts *cuts = sent(x, 0), *parts = cut(x, &halves);
    const struct cuts *made =
        operand == MATMUL_A ? encoded(x) : cut(x, &halves);
    uint32_t pieces = cuts->pieces / parts->pieces;

    if (around(x, operand) == 1) {
        return;
    }
    for (uint32_t i = 0; i < matmul_parts(x) * pieces; ++i) {
        uint32_t part = i / pieces, piece = half * pieces + i % pieces;
        fshmem_flow_t flow = {.await_event = MADE + (uint32_t)operand,
                              .await_count = begins(made, cuts, piece)};

        flow.send_nodes = FSHMEM_NODE(neighbour(x, operand, LEFT)) |
                          FSHMEM_NODE(neighbour(x, operand, RIGHT));
        flow.signal_event = own_event(x, operand, my_place(x, operand));
        if (operand == MATMUL_B && pieces == 1 && i > 0) {
            add_barrier(x);
        }
        add_send(x, operand, 0, part, cuts, piece, &flow);
    }
}

/* Forward what arrived from this distance, alternating directions to keep both busy. */
static void pass_on(struct matmul *x, int operand, uint32_t away)
{
    const struct cuts *cuts = cut(x, &halves);
    uint32_t end = sources_end(x, operand, away);

    for (uint32_t i = 0; i < matmul_parts(x) * cuts->pieces; ++i) {
        uint32_t part = i / cuts->pieces, piece = i % cuts->pieces;

        for (uint32_t s = 2 * away - 1; s < end; ++s) {
            int side = side_of(x, operand, s, part, cuts->at[piece]);
            uint32_t at = 2 * (uint32_t)operand + (uint32_t)side;
            fshmem_flow_t flow = {.await_event = HERE + at,
                                  .await_count = 1,
                                  .send_nodes =
                                      FSHMEM_NODE(neighbour(x, operand, !side)),
                                  .signal_event = FAR + at};

            if (goes_on(x, operand, s, part, cuts->at[piece])) {
                add_send(x, operand, s, part, cuts, piece, &flow);
            }
        }
    }
}

void matmul_grid_build(struct matmul *x)
{
    add_own(x);
    add_products(x);
    for (uint32_t h = 0; h < cut(x, &halves)->pieces; ++h) {
        for (int operand = MATMUL_A; operand <= MATMUL_B; ++operand) {
            send_own(x, operand, h);
            add_barrier(x);
        }
    }
    for (uint32_t away = 1; 2 * away <= x->grid_columns; ++away) {
        pass_on(x, MATMUL_A, away);
        pass_on(x, MATMUL_B, away);
    }
}
