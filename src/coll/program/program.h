/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Collectives as programs of triggered descriptors, one program per rank, in the form
 * of J. Xu et al., "Order-preserving triggering mechanism and data buffering method
 * for collective communication hardware offloading" (JNUDT 2025): a descriptor waits
 * for the packets of its sources, combines them in the order listed, stores the value
 * and sends it on. The executor (message-based engine, loads from peers' memory,
 * logic) changes no bit of a result, since the program fixes the grouping of
 * operands.
 *
 * An algorithm generates programs from a shape alone: call, number of ranks, root. It
 * divides its operands into blocks, whose sizes only the executor knows; so a program
 * serves any number of elements and can be cached. Pure functions; any thread.
 */
#ifndef FSH_COLL_PROGRAM_H
#define FSH_COLL_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum fsh_program_call {
    FSH_PROGRAM_BARRIER,
    FSH_PROGRAM_BROADCAST,
    FSH_PROGRAM_SCATTER,
    FSH_PROGRAM_GATHER,
    FSH_PROGRAM_ALLGATHER,
    FSH_PROGRAM_ALLTOALL,
    FSH_PROGRAM_REDUCE,
    FSH_PROGRAM_ALLREDUCE,
    FSH_PROGRAM_REDUCE_SCATTER,
    FSH_PROGRAM_SCAN,
    FSH_PROGRAM_CALLS
};

/* "broadcast" ... Static. */
const char *fsh_program_call_name(enum fsh_program_call call);

/* What determines a program. Ranks are those of the team, 0 to size - 1. */
struct fsh_program_shape {
    enum fsh_program_call call;
    uint32_t size;  /* 1 .. FSH_PROGRAM_MAX_RANKS */
    uint32_t root;  /* broadcast, scatter, gather, reduce; else 0 */
    bool exclusive; /* scan */
    /* enum fsh_program_rings, of the algorithm ring. */
    uint8_t rings;
    /* reduce and allreduce of a power of two ranks in the order TREE: bit l: ranks 2^l apart
     * are next to each other in a ring of the network, as those of rows, of columns. 0:
     * unknown. Decides who meets whom, not the order. */
    uint16_t sides;
};
#define FSH_PROGRAM_MAX_RANKS 1024u

/* Long blocks are halved: the first halves go round in the direction of rising ranks, the
 * second halves in the other. BOTH has the blocks 2b and 2b + 1 for block b. FORTH and
 * BACK have one block a rank, and serve calls that are not halved (FORTH) or executors
 * that run the directions as programs of their own. */
enum fsh_program_rings {
    FSH_PROGRAM_FORTH,
    FSH_PROGRAM_BACK,
    FSH_PROGRAM_BOTH
};

/* Where blocks are. SRC and DST: the buffers of the call; TMP: scratch memory of the
 * rank with room for every block. Block b of
 *   broadcast, reduce, allreduce, scan   is the b-th of `blocks` even parts: elements
 *                                        [n * b / blocks, n * (b + 1) / blocks)
 *   scatter, gather, allgather           is what rank b contributes or gets; the
 *                                        rank's own buffer (DST of scatter, SRC of
 *                                        the others) holds only block `rank`
 *   alltoall                             SRC: goes to rank b; DST: comes from rank b
 *   reduce_scatter                       is that of rank b; DST: only block `rank`
 * Of a halved program, blocks 2b and 2b + 1 are the halves of that. */
enum fsh_program_place {
    FSH_PROGRAM_NONE,
    FSH_PROGRAM_SRC,
    FSH_PROGRAM_DST,
    FSH_PROGRAM_TMP
};

/* Blocks first to first + count - 1. */
struct fsh_program_range {
    uint16_t place; /* enum fsh_program_place; NONE: the rest is 0 */
    uint16_t first;
    uint16_t count;
};

#define FSH_PROGRAM_SOURCES 16u
#define FSH_PROGRAM_NOBODY UINT16_MAX

/* A triggered descriptor. Its value is `local`, or the packet of its only source, or,
 * with `reduce`, `local` (if there is one) and the packets of the sources in turn, each
 * combined as the right operand. All have the same size, possibly 0 (barrier).
 *
 * The meaning of a program is that of executing its steps sequentially, each waiting
 * for its packets, with room for any packet. An executor may run them in any order, or
 * concurrently, if the results are the same. */
struct fsh_program_step {
    struct fsh_program_range local;
    struct fsh_program_range store; /* where it is stored; NONE: nowhere */
    uint16_t sources;               /* CPCount */
    uint16_t source[FSH_PROGRAM_SOURCES]; /* ranks, in fold order */
    uint16_t seq;      /* SeqID of the packets that trigger it */
    uint16_t dest;     /* rank the value is sent to, or NOBODY */
    uint16_t dest_seq; /* SeqID there */
    bool reduce;
    /* With one source: `local` is the right operand, for functions that do not
     * commute. */
    bool right;
};

/* A packet is identified by its source and its SeqID: no two steps of a program wait
 * for the same one. */
struct fsh_program {
    uint32_t blocks;
    bool halved; /* 2b and 2b + 1 are the halves of block b */
    uint32_t steps;
    uint32_t room;        /* allocated steps */
    const uint16_t *host; /* while it is built; fsh_program_make_over */
    struct fsh_program_step *step;
};

/* How operands of a reduction are grouped, the same in every algorithm with that order
 * (docs/02_reference/collectives.md). */
enum fsh_program_order {
    FSH_PROGRAM_ANY, /* nothing is combined */
    FSH_PROGRAM_TREE,
    FSH_PROGRAM_RING,
    FSH_PROGRAM_PREFIX /* scan: TREE of the lower ranks, as far as it goes */
};

struct fsh_program_algorithm {
    const char *name; /* "binomial" ... */
    unsigned id;      /* FSHMEM_COLL_* of fshmem_coll.h */
    uint32_t calls;   /* bit c: supports call c of enum fsh_program_call */
    enum fsh_program_order order;
    bool alone;        /* each range of its programs is one block */
    const char *about; /* one line, for `fshinfo coll` */
    /* Number of blocks for a shape; the same on all ranks. */
    uint32_t (*blocks)(const struct fsh_program_shape *shape);
    /* Appends the steps of a rank (fsh_program_add); blocks is set. */
    void (*build)(struct fsh_program *program,
                  const struct fsh_program_shape *shape, uint32_t rank);
};

/* All algorithms, NULL-terminated; lookup by id and by name, NULL if there is
 * none. */
extern const struct fsh_program_algorithm *const fsh_program_algorithms[];
/* Not in the list, since it cannot be selected: reductions and scans by functions that
 * may not commute, with ranks from left to right. Message-based engine only. */
extern const struct fsh_program_algorithm fsh_program_ordered;
/* Likewise: all-reduce for idempotent operations (barrier ids), with the rounds of a
 * barrier. */
extern const struct fsh_program_algorithm fsh_program_idempotent;
/* Likewise: short broadcasts by engines of cards, whose neighbours are near. */
extern const struct fsh_program_algorithm fsh_program_spread;
/* Likewise: all-reduces of a few packets. */
extern const struct fsh_program_algorithm fsh_program_quarters;
/* Likewise, for teams over hosts (fsh_program_make_over): what combines nothing, and
 * all-reduce for idempotent operations; the second for long broadcasts. */
extern const struct fsh_program_algorithm fsh_program_two_level;
extern const struct fsh_program_algorithm fsh_program_two_level_long;
/* All-reduce where fsh_program_are_subtrees. */
extern const struct fsh_program_algorithm fsh_program_two_level_tree;
/* Whether the ranks of each host form a subtree of the order TREE: adjacent ones, 2^k on
 * each of 2^m hosts. host as in fsh_program_make_over. */
bool fsh_program_are_subtrees(const uint16_t *host, uint32_t size);
const struct fsh_program_algorithm *fsh_program_find(unsigned id);
const struct fsh_program_algorithm *fsh_program_named(const char *name);

/* What blocks are of: `count` elements of a vector that is split, or of each block. */
struct fsh_program_operand {
    enum fsh_program_call call;
    uint32_t blocks; /* of the program */
    bool halved;
    size_t elem, count;
};

/* Is one vector split evenly into blocks? */
bool fsh_program_splits(enum fsh_program_call call);
/* Bytes of the first half of a block: whole lines of 64 bytes, so whole elements and whole
 * encoded blocks. */
size_t fsh_program_half(size_t bytes);
/* Bytes before block b in contiguous blocks. */
size_t fsh_program_before(const struct fsh_program_operand *operand,
                          uint32_t b);

/* Whether it supports this call. */
static inline bool fsh_program_does(const struct fsh_program_algorithm *a,
                                    enum fsh_program_call call)
{
    return (a->calls >> call & 1) != 0;
}

/* The algorithm for a call; bytes: of the vector (broadcast, reduce, allreduce, scan),
 * or of a block. The order of a reduction depends only on shape and bytes. */
const struct fsh_program_algorithm *fsh_program_choose(
    const struct fsh_program_shape *shape, size_t bytes);

/* The same for a team over hosts of which some have several ranks, and blocks of one
 * size; subtrees: fsh_program_are_subtrees. The order of a reduction is that of
 * fsh_program_choose. */
const struct fsh_program_algorithm *fsh_program_choose_over(
    const struct fsh_program_shape *shape, size_t bytes, bool subtrees);

/* The rings of a call by this algorithm, the same on all ranks: enum fsh_program_rings.
 * bytes: as for fsh_program_choose; elem: of an element; encoded: packets are. */
uint8_t fsh_program_rings(const struct fsh_program_algorithm *a,
                          const struct fsh_program_shape *shape, size_t bytes,
                          size_t elem, bool encoded);

/* Near ranks: those that are a power of two before or behind, and those that meet in the rings
 * of the network; 12 at most of 64. Engines of cards take packets from them unasked
 * (FSH_COLL_EAGER), in an eager team: they are all that a rank has to do with in doubling,
 * halving, dissemination and trees. */
bool fsh_program_near(uint32_t size, uint32_t sides, uint32_t a, uint32_t b);
/* Whether ranks meet as the rings of the network suggest (shape.sides), which not more than
 * FSH_PROGRAM_TURNS do, and whether two that do are a and b. */
#define FSH_PROGRAM_TURNS 32u
bool fsh_program_turns(const struct fsh_program_shape *shape);
bool fsh_program_meet(uint32_t size, uint32_t sides, uint32_t a, uint32_t b);

/* Generates the program of a rank; the caller frees it. NULL: out of memory. */
struct fsh_program *fsh_program_make(const struct fsh_program_algorithm *a,
                                     const struct fsh_program_shape *shape,
                                     uint32_t rank);
/* The same where ranks are on several hosts: the number of each rank's, below
 * FSH_PROGRAM_MAX_RANKS; read during the call only. */
struct fsh_program *fsh_program_make_over(const struct fsh_program_algorithm *a,
                                          const struct fsh_program_shape *shape,
                                          const uint16_t *host, uint32_t rank);
void fsh_program_free(struct fsh_program *program);

/* For algorithms: adds a step, all zero except dest, which is NOBODY. Valid until the
 * next call. If out of memory, the failure is recorded for fsh_program_make and the
 * steps are lost. */
struct fsh_program_step *fsh_program_add(struct fsh_program *program);

/* ---- recipes: how a result is computed (recipe.c) ---- */

/* How a rank's DST is computed from the SRC of all ranks, found by running the programs
 * of all ranks symbolically. Piece p describes blocks [first, first + count) of DST by
 * `words` words from `at` on, in postfix order: a leaf pushes the piece's number of
 * blocks of a rank's SRC, from the leaf's block on; FSH_RECIPE_FOLD combines the top
 * two, the lower one as the left operand. A piece without reduction is a single leaf.
 * Pieces are disjoint and in block order; blocks that are not written are in none. */
struct fsh_recipe_piece {
    uint16_t first;
    uint16_t count;
    uint32_t at;
    uint32_t words;
};

#define FSH_RECIPE_FOLD UINT32_MAX

/* Encodes a leaf. */
static inline uint32_t fsh_recipe_leaf(uint32_t rank, uint32_t block)
{
    return rank << 16 | block;
}
/* Its rank. */
static inline uint32_t fsh_recipe_rank(uint32_t word)
{
    return word >> 16;
}
/* Its first block. */
static inline uint32_t fsh_recipe_block(uint32_t word)
{
    return word & 0xffff;
}

struct fsh_recipe {
    uint32_t blocks; /* of the program */
    bool halved;     /* as in the program */
    uint32_t depth;  /* maximum operands on the stack */
    uint32_t pieces;
    struct fsh_recipe_piece *piece;
    uint32_t *word;
};

/* Generates the recipe of a rank; the caller frees it. NULL: out of memory. */
struct fsh_recipe *fsh_recipe_make(const struct fsh_program_algorithm *a,
                                   const struct fsh_program_shape *shape,
                                   uint32_t rank);
void fsh_recipe_free(struct fsh_recipe *recipe);

#endif
