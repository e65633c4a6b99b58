/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Shared by the algorithms: ranges, common kinds of steps, and the tree for
 * reductions in the order TREE. Private to src/coll/program.
 */
#ifndef FSH_COLL_BUILD_H
#define FSH_COLL_BUILD_H

#include "base/assertion.h"
#include "coll/program/program.h"

typedef struct fsh_program_step step_t;
typedef struct fsh_program_range range_t;

/* Constructs a range. */
static inline range_t fsh_blocks(enum fsh_program_place place, uint32_t first,
                                 uint32_t count)
{
    return (range_t){(uint16_t)place, (uint16_t)first, (uint16_t)count};
}

/* A step without sources: its value is blocks of this rank. */
step_t *fsh_step_local(struct fsh_program *p, range_t local);
/* Receives packet `seq` of a rank and stores it. */
step_t *fsh_step_receive(struct fsh_program *p, uint32_t source, uint32_t seq,
                         range_t store);
/* Combines `local` with packet `seq` of a rank and stores the result. */
step_t *fsh_step_fold(struct fsh_program *p, range_t local, uint32_t source,
                      uint32_t seq, range_t store);
/* Sends `blocks` as packet `seq`: in the step that produced them, if that does not send
 * yet (may be NULL), else in a new step. */
void fsh_step_send(struct fsh_program *p, step_t *made, range_t blocks,
                   uint32_t dest, uint32_t seq);

/* ---- the order TREE -------------------------------------------------------- */

/* Of `size` ranks, 2^levels remain after the first of each of the `extra` pairs has
 * contributed its operand: ranks 2v and 2v + 1 form one virtual rank v < extra, and
 * every rank from 2 * extra on is one by itself. Which of the two represents it changes
 * no bit: rank 2v, or the root. Nor does it which of the ranks below a sum add it to the other
 * sums: where ranks are known to be in rings (`sides`), virtual ranks 2^l apart are the ranks
 * at places i and 2^(l+1) - 1 - i of a ring, instead of i and i + 2^l, so they meet over fewer
 * links: in a ring of 8 over 5 on the longest way, instead of 7. */
struct fsh_tree {
    uint32_t size;
    uint32_t extra;
    uint32_t levels;
    uint32_t root;
    uint32_t sides; /* 0: a virtual rank is a rank */
};

/* The tree of a call. */
struct fsh_tree fsh_tree_of(const struct fsh_program_shape *shape);
/* The virtual rank of a rank; the rank that represents a virtual one. */
uint32_t fsh_tree_virtual(const struct fsh_tree *t, uint32_t rank);
uint32_t fsh_tree_stands(const struct fsh_tree *t, uint32_t v);
/* The other rank of a pair, or FSH_PROGRAM_NOBODY. */
uint32_t fsh_tree_pair(const struct fsh_tree *t, uint32_t rank);
/* Blocks of virtual ranks [v, v + count), with one block per rank. */
range_t fsh_tree_blocks(const struct fsh_tree *t, enum fsh_program_place place,
                        uint32_t v, uint32_t count);

/* ---- trees of any size, for data that is not combined ----------------------- */

/* Rank number relative to the root. */
static inline uint32_t fsh_from_root(const struct fsh_program_shape *s,
                                     uint32_t rank)
{
    return (rank + s->size - s->root) % s->size;
}
static inline uint32_t fsh_to_rank(const struct fsh_program_shape *s,
                                   uint32_t relative)
{
    return (relative + s->root) % s->size;
}
/* Binomial: the parent of relative rank w is w without its lowest set bit; its subtree
 * is fsh_binomial_below ranks from w on, itself included. */
static inline uint32_t fsh_binomial_parent(uint32_t w)
{
    return w & (w - 1);
}
uint32_t fsh_binomial_below(uint32_t w, uint32_t size);
/* Distance of the largest child, a power of two; the other children are at the smaller
 * powers; 0: none. */
uint32_t fsh_binomial_most(uint32_t w, uint32_t size);

/* blocks() of algorithms: one; one per rank; one per virtual rank. */
uint32_t fsh_blocks_one(const struct fsh_program_shape *shape);
uint32_t fsh_blocks_size(const struct fsh_program_shape *shape);
uint32_t fsh_blocks_virtual(const struct fsh_program_shape *shape);

#endif
