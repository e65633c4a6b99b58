/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ring: every rank sends only to its neighbours, a block per round, so that all links
 * carry the same load and no byte crosses a link more often than necessary.
 * All-reduce is reduce-scatter, then all-gather. Block b is summed from rank b + 1
 * around to rank b, or, in the other direction, from rank b - 1 (the order RING). For long
 * messages; many rounds.
 */
#include "coll/program/algorithms.h"
#include "coll/program/build.h"

typedef struct fsh_program_shape shape_t;

/* A rank's place in one direction. */
struct lane {
    struct fsh_program *p;
    uint32_t size, rank;
    bool back;
    uint32_t seq;  /* the first */
    uint32_t made; /* step with the last block, to be sent on; see NOTHING */
};
#define NOTHING UINT32_MAX

/* The rank n places before this one. */
static uint32_t before(const struct lane *l, uint32_t n)
{
    n %= l->size;
    return (l->rank + (l->back ? n : l->size - n)) % l->size;
}

static uint32_t next(const struct lane *l)
{
    return before(l, l->size - 1);
}

/* The block of a rank, or the half that goes in this direction. */
static range_t block(const struct lane *l, enum fsh_program_place place,
                     uint32_t rank)
{
    return fsh_blocks(place, l->p->halved ? 2 * rank + l->back : rank, 1);
}

static void send(const struct lane *l, range_t blocks, uint32_t seq)
{
    fsh_step_send(l->p, l->made == NOTHING ? NULL : &l->p->step[l->made],
                  blocks, next(l), l->seq + seq);
}

/* Rounds 0 to size - 2 of a reduction; the last one makes this rank's block. */
static void reduce(struct lane *l, uint32_t round)
{
    uint32_t b = before(l, 2 + round);
    range_t sum = {0};

    if (round == 0)
        send(l, block(l, FSH_PROGRAM_SRC, before(l, 1)), 0);
    if (b == l->rank)
        sum = block(l, FSH_PROGRAM_DST, b);
    fsh_step_fold(l->p, block(l, FSH_PROGRAM_SRC, b), before(l, 1),
                  l->seq + round, sum);
    l->made = l->p->steps - 1;
    if (b != l->rank)
        send(l, sum, round + 1);
}

/* Rounds 0 to size - 2 that bring every rank's block to all, from SeqID `seq` on. */
static void gather(struct lane *l, uint32_t round, uint32_t seq)
{
    send(l, block(l, FSH_PROGRAM_DST, before(l, round)), seq + round);
    fsh_step_receive(l->p, before(l, 1), l->seq + seq + round,
                     block(l, FSH_PROGRAM_DST, before(l, round + 1)));
    l->made = l->p->steps - 1;
}

/* What is not summed is there from the beginning. */
static void start(struct lane *l)
{
    fsh_step_local(l->p, block(l, FSH_PROGRAM_SRC, l->rank))->store =
        block(l, FSH_PROGRAM_DST, l->rank);
    l->made = l->p->steps - 1;
}

/* The directions take turns, so that both go on at the same time. */
static void build(struct fsh_program *p, const shape_t *s, uint32_t rank)
{
    bool sums = s->call != FSH_PROGRAM_ALLGATHER && s->size > 1;
    uint32_t lanes = p->halved ? 2 : 1, rounds = s->size - 1, all = rounds;
    struct lane lane[2];

    for (uint32_t i = 0; i < lanes; i++) {
        lane[i] = (struct lane){.p = p,
                                .size = s->size,
                                .rank = rank,
                                .back = s->rings == FSH_PROGRAM_BACK || i == 1,
                                .seq = 2 * rounds * i,
                                .made = NOTHING};
        if (!sums)
            start(&lane[i]);
    }
    if (sums && s->call == FSH_PROGRAM_ALLREDUCE)
        all = 2 * rounds;
    for (uint32_t round = 0; round < all; round++)
        for (uint32_t i = 0; i < lanes; i++)
            if (sums && round < rounds)
                reduce(&lane[i], round);
            else
                gather(&lane[i], sums ? round - rounds : round,
                       sums ? rounds : 0);
}

static uint32_t blocks(const shape_t *s)
{
    return s->rings == FSH_PROGRAM_BOTH ? 2 * s->size : s->size;
}

const struct fsh_program_algorithm fsh_algorithm_ring = {
    .name = "ring",
    .id = 8,
    .calls = 1u << FSH_PROGRAM_ALLREDUCE | 1u << FSH_PROGRAM_ALLGATHER |
             1u << FSH_PROGRAM_REDUCE_SCATTER,
    .order = FSH_PROGRAM_RING,
    .about = "ring: long messages",
    .alone = true,
    .blocks = blocks,
    .build = build};
