/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Chooses the algorithm of a call. What determines the order of a reduction is the
 * same for every executor: team size and bytes. Within an order the thresholds below
 * only affect speed.
 */
#include "base/assertion.h"
#include "coll/program/algorithms.h"

#define RING_FROM ((size_t)128 << 10) /* bytes of the whole vector */
#define HALVING_FROM 2048u
/* All-reduces up to here double: with 4 to 32 ranks the levels that halving has more cost
 * more than the bytes that it spares. */
#define DOUBLING_TO 8192u
#define LONG_BROADCAST ((size_t)32 << 10)
#define LONG_BLOCK 4096u
/* Bytes of a rank's block from which the ring runs in both directions: with less, each
 * would send packets that are not full. */
#define BOTH_FROM 2048u
#define ENCODED_BOTH_FROM 8192u /* the same, if packets are encoded */

typedef const struct fsh_program_algorithm *choice_t;

static bool is_ring(const struct fsh_program_shape *s, size_t bytes)
{
    return s->size > 2 && bytes >= RING_FROM;
}

static choice_t for_reduction(const struct fsh_program_shape *s, size_t bytes)
{
    switch (s->call) {
    case FSH_PROGRAM_REDUCE:
        return bytes < HALVING_FROM ? &fsh_algorithm_binomial
                                    : &fsh_algorithm_halving;
    case FSH_PROGRAM_REDUCE_SCATTER:
        return is_ring(s, bytes * s->size) ? &fsh_algorithm_ring
                                           : &fsh_algorithm_halving;
    case FSH_PROGRAM_SCAN:
        return &fsh_algorithm_doubling;
    default:
        if (bytes <= DOUBLING_TO)
            return &fsh_algorithm_doubling;
        /* With two ranks both orders are the same sum. */
        return s->size == 2 || is_ring(s, bytes) ? &fsh_algorithm_ring
                                                 : &fsh_algorithm_rabenseifner;
    }
}

static choice_t for_broadcast(const struct fsh_program_shape *s, size_t bytes)
{
    if (bytes < LONG_BROADCAST || s->size <= 2)
        return &fsh_algorithm_binomial;
    return s->size <= 4 ? &fsh_algorithm_chain : &fsh_algorithm_double_tree;
}

/* Doubling takes two more rounds if the number of ranks is not a power of
 * two. */
static choice_t for_allgather(const struct fsh_program_shape *s, size_t bytes)
{
    if (bytes >= LONG_BLOCK)
        return &fsh_algorithm_ring;
    return (s->size & (s->size - 1)) == 0 ? &fsh_algorithm_doubling
                                          : &fsh_algorithm_bruck;
}

/* With two ranks both directions lead to the same neighbour. Halves are whole
 * elements. */
uint8_t fsh_program_rings(choice_t a, const struct fsh_program_shape *s,
                          size_t bytes, size_t elem, bool encoded)
{
    size_t block = fsh_program_splits(s->call) ? bytes / s->size : bytes;
    size_t from = encoded ? ENCODED_BOTH_FROM : BOTH_FROM;

    return a == &fsh_algorithm_ring && s->size > 2 && block >= from &&
                   64 % elem == 0
               ? FSH_PROGRAM_BOTH
               : FSH_PROGRAM_FORTH;
}

choice_t fsh_program_choose(const struct fsh_program_shape *s, size_t bytes)
{
    switch (s->call) {
    case FSH_PROGRAM_BARRIER:
        return &fsh_algorithm_dissemination;
    case FSH_PROGRAM_BROADCAST:
        return for_broadcast(s, bytes);
    case FSH_PROGRAM_SCATTER:
    case FSH_PROGRAM_GATHER:
        return bytes < LONG_BLOCK ? &fsh_algorithm_binomial
                                  : &fsh_algorithm_linear;
    case FSH_PROGRAM_ALLGATHER:
        return for_allgather(s, bytes);
    case FSH_PROGRAM_ALLTOALL:
        return &fsh_algorithm_pairwise;
    default:
        return for_reduction(s, bytes);
    }
}

/* Longer reductions in the order TREE cross from host to host as seldom as they can. */
choice_t fsh_program_choose_over(const struct fsh_program_shape *s,
                                 size_t bytes, bool subtrees)
{
    switch (s->call) {
    case FSH_PROGRAM_BROADCAST:
        return bytes < LONG_BROADCAST ? &fsh_program_two_level
                                      : &fsh_program_two_level_long;
    case FSH_PROGRAM_SCATTER:
    case FSH_PROGRAM_GATHER:
    case FSH_PROGRAM_ALLGATHER:
        if (bytes < LONG_BLOCK)
            return &fsh_program_two_level;
        break;
    case FSH_PROGRAM_ALLREDUCE:
        if (subtrees && bytes <= DOUBLING_TO)
            return bytes < HALVING_FROM ? &fsh_program_two_level_tree
                                        : &fsh_algorithm_rabenseifner;
        break;
    default:
        break;
    }
    return fsh_program_choose(s, bytes);
}
