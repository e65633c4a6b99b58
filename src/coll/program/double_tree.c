/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two binary trees over all ranks but the root, each for half of the bytes, in which
 * no rank is an inner node of both: every rank sends what it gets once, and the depth
 * is logarithmic (P. Sanders, J. Speck, J. L. Traff, "Two-tree algorithms for full
 * bandwidth broadcast, reduction and scan", Parallel Computing 35, 2009).
 */
#include "coll/program/algorithms.h"
#include "coll/program/build.h"

/* The first tree has nodes 1 .. n in order: even ones are inner nodes. In the second, a
 * node takes a place of the other parity: mirrored if n is even, else the next one (n,
 * a leaf, takes the place of leaf 1). */
static uint32_t place_of(uint32_t node, unsigned tree, uint32_t n)
{
    if (tree == 0)
        return node;
    return n % 2 == 0 ? n + 1 - node : node % n + 1;
}

static uint32_t node_at(uint32_t place, unsigned tree, uint32_t n)
{
    if (tree == 0)
        return place;
    return n % 2 == 0 ? n + 1 - place : (place + n - 2) % n + 1;
}

static uint32_t lowest(uint32_t place)
{
    return place & -place;
}

/* 0: the root of the call. */
static uint32_t parent_of(uint32_t place, uint32_t n)
{
    uint32_t bit = lowest(place), up = (place & ~bit) | bit << 1;

    return up <= n ? up : place & ~bit;
}

/* The left (0) or right child, or 0. */
static uint32_t child_of(uint32_t place, unsigned right, uint32_t n)
{
    uint32_t bit = lowest(place) >> 1;

    if (!right)
        return bit == 0 ? 0 : place - bit;
    while (bit != 0 && place + bit > n)
        bit >>= 1;
    return bit == 0 ? 0 : place + bit;
}

static uint32_t top_of(uint32_t n)
{
    uint32_t top = 1;

    while (top * 2 <= n)
        top *= 2;
    return top;
}

static void from_root(struct fsh_program *p, const struct fsh_program_shape *s)
{
    uint32_t n = s->size - 1;

    for (unsigned tree = 0; tree < 2; tree++) {
        step_t *made = fsh_step_local(p, fsh_blocks(FSH_PROGRAM_SRC, tree, 1));
        range_t dst = fsh_blocks(FSH_PROGRAM_DST, tree, 1);

        made->store = dst;
        if (n != 0)
            fsh_step_send(p, made, dst,
                          fsh_to_rank(s, node_at(top_of(n), tree, n)), tree);
    }
}

static void build(struct fsh_program *p, const struct fsh_program_shape *s,
                  uint32_t rank)
{
    uint32_t w = fsh_from_root(s, rank), n = s->size - 1;

    if (w == 0) {
        from_root(p, s);
        return;
    }
    for (unsigned tree = 0; tree < 2; tree++) {
        range_t dst = fsh_blocks(FSH_PROGRAM_DST, tree, 1);
        uint32_t place = place_of(w, tree, n);
        uint32_t up = place == top_of(n) ? 0 : parent_of(place, n);
        step_t *made = fsh_step_receive(
            p, fsh_to_rank(s, up == 0 ? 0 : node_at(up, tree, n)), tree, dst);

        for (unsigned right = 0; right < 2; right++) {
            uint32_t child = child_of(place, right, n);

            if (child == 0)
                continue;
            fsh_step_send(p, made, dst, fsh_to_rank(s, node_at(child, tree, n)),
                          tree);
            made = NULL;
        }
    }
}

static uint32_t blocks(const struct fsh_program_shape *s)
{
    (void)s;
    return 2;
}

const struct fsh_program_algorithm fsh_algorithm_double_tree = {
    .name = "double_tree",
    .id = 2,
    .calls = 1u << FSH_PROGRAM_BROADCAST,
    .order = FSH_PROGRAM_ANY,
    .about = "two binary trees, half of the bytes each: long messages",
    .blocks = blocks,
    .build = build};
