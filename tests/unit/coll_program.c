/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Programs of collectives, for every algorithm, call, root and size: they terminate,
 * each packet is awaited once, and their results are what the call specifies, with
 * operands grouped as the order prescribes. Operands are combined by a function that
 * is commutative but not associative; the orders are implemented independently from
 * docs/02_reference/collectives.md.
 */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "coll/program/program.h"

typedef const struct fsh_program_algorithm *algorithm_t;

/* Input block b of a rank; combined: any mix of the sum. */
static uint64_t input(uint32_t rank, uint32_t block)
{
    return (uint64_t)(rank + 1) << 32 | (block + 1);
}

static uint64_t combine(uint64_t a, uint64_t b)
{
    uint64_t sum = a + b;

    sum = (sum ^ sum >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
    return sum ^ sum >> 32;
}

/* ---- the orders ---- */

/* Ranks [first, first + count) of virtual ranks, count a power of two. */
static uint64_t tree_of(uint32_t extra, uint32_t first, uint32_t count,
                        uint32_t block)
{
    if (count > 1)
        return combine(tree_of(extra, first, count / 2, block),
                       tree_of(extra, first + count / 2, count / 2, block));
    if (first >= extra)
        return input(first + extra, block);
    return combine(input(2 * first, block), input(2 * first + 1, block));
}

static uint64_t tree(uint32_t size, uint32_t block)
{
    uint32_t half = 1;

    while (half * 2 <= size)
        half *= 2;
    return tree_of(size - half, 0, half, block);
}

/* Of the rank's block, which is in blocks or halves; halves go round forth and back. */
static uint64_t ring(const struct fsh_program_shape *s, uint32_t block)
{
    bool both = s->rings == FSH_PROGRAM_BOTH;
    bool back = both ? block % 2 != 0 : s->rings == FSH_PROGRAM_BACK;
    uint32_t rank = both ? block / 2 : block, one = back ? s->size - 1 : 1;
    uint64_t sum = input((rank + one) % s->size, block);

    for (uint32_t i = 2; i <= s->size; i++)
        sum = combine(sum, input((rank + i * one) % s->size, block));
    return sum;
}

/* Ranks up to `rank`, as far as 2^level ranks reach. */
static uint64_t prefix(uint32_t rank, uint32_t level)
{
    uint32_t d;

    if (level == 0)
        return input(rank, 0);
    d = 1u << (level - 1);
    if (rank < d)
        return prefix(rank, level - 1);
    return combine(prefix(rank - d, level - 1), prefix(rank, level - 1));
}

/* ---- what a call promises ---- */

/* Is block b of DST of `rank` written, and with what? */
static bool promised(algorithm_t a, const struct fsh_program_shape *s,
                     uint32_t rank, uint32_t b, uint64_t *value)
{
    bool at_root = rank == s->root;
    uint32_t owner = s->rings == FSH_PROGRAM_BOTH ? b / 2 : b;

    switch (s->call) {
    case FSH_PROGRAM_BROADCAST:
        *value = input(s->root, b);
        return true;
    case FSH_PROGRAM_SCATTER:
        *value = input(s->root, b);
        return b == rank;
    case FSH_PROGRAM_GATHER:
        *value = input(b, b);
        return at_root;
    case FSH_PROGRAM_ALLGATHER:
        *value = input(owner, b);
        return true;
    case FSH_PROGRAM_ALLTOALL:
        *value = input(b, rank);
        return true;
    case FSH_PROGRAM_SCAN:
        *value =
            s->exclusive && rank == 0 ? 0 : prefix(rank - s->exclusive, 11);
        return !s->exclusive || rank != 0;
    default:
        *value = a->order == FSH_PROGRAM_RING ? ring(s, b) : tree(s->size, b);
        return s->call == FSH_PROGRAM_ALLREDUCE ||
               (s->call == FSH_PROGRAM_REDUCE ? at_root : owner == rank);
    }
}

/* ---- looking at recipes ---- */

static uint64_t evaluate(const struct fsh_recipe *r,
                         const struct fsh_recipe_piece *p, uint32_t i)
{
    uint64_t stack[64];
    uint32_t depth = 0;

    for (uint32_t w = 0; w < p->words; w++) {
        uint32_t word = r->word[p->at + w];

        if (word == FSH_RECIPE_FOLD) {
            CHECK(depth >= 2);
            depth--;
            stack[depth - 1] = combine(stack[depth - 1], stack[depth]);
        } else {
            CHECK(depth < r->depth && depth < 64);
            stack[depth++] =
                input(fsh_recipe_rank(word), fsh_recipe_block(word) + i);
        }
    }
    CHECK(depth == 1);
    return stack[0];
}

static void check_recipe(algorithm_t a, const struct fsh_program_shape *s,
                         uint32_t rank)
{
    struct fsh_recipe *r = fsh_recipe_make(a, s, rank);
    uint32_t piece = 0;

    CHECK(r != NULL, "%s %s, %u ranks, root %u: stuck", a->name,
          fsh_program_call_name(s->call), s->size, s->root);
    CHECK(r->halved == (s->rings == FSH_PROGRAM_BOTH) &&
          r->blocks == a->blocks(s));
    for (uint32_t b = 0; b < r->blocks; b++) {
        const struct fsh_recipe_piece *p = &r->piece[piece];
        uint64_t value;
        bool written = piece < r->pieces && p->first <= b;

        CHECK(written == promised(a, s, rank, b, &value),
              "%s %s, rank %u of %u, root %u: block %u", a->name,
              fsh_program_call_name(s->call), rank, s->size, s->root, b);
        if (!written)
            continue;
        CHECK(evaluate(r, p, b - p->first) == value,
              "%s %s, rank %u of %u, root %u: block %u is wrong", a->name,
              fsh_program_call_name(s->call), rank, s->size, s->root, b);
        if (b + 1u == (uint32_t)p->first + p->count)
            piece++;
    }
    CHECK(piece == r->pieces);
    fsh_recipe_free(r);
}

/* ---- looking at programs ---- */

static bool waits_for(const struct fsh_program *p, uint32_t source,
                      uint32_t seq, uint32_t bytes)
{
    uint32_t found = 0;

    for (uint32_t i = 0; i < p->steps; i++) {
        const struct fsh_program_step *s = &p->step[i];

        for (unsigned k = 0; k < s->sources; k++)
            if (s->source[k] == source && s->seq == seq) {
                found++;
                CHECK(s->local.count == 0 || s->local.count == bytes);
                CHECK(s->store.count == 0 || s->store.count == bytes);
            }
    }
    return found == 1;
}

static uint32_t blocks_of(const struct fsh_program_step *s)
{
    return s->local.count != 0 ? s->local.count : s->store.count;
}

static void check_step(const struct fsh_program *p, uint32_t size,
                       const struct fsh_program_step *s)
{
    CHECK(s->sources <= FSH_PROGRAM_SOURCES);
    CHECK(s->dest == FSH_PROGRAM_NOBODY || s->dest < size);
    CHECK(s->store.place != FSH_PROGRAM_SRC);
    CHECK(s->local.first + s->local.count <= p->blocks);
    CHECK(s->store.first + s->store.count <= p->blocks);
    CHECK(blocks_of(s) != 0);
    CHECK(s->reduce ? s->sources != 0
                    : s->sources == 0 || (s->sources == 1 &&
                                          s->local.place == FSH_PROGRAM_NONE));
}

/* Each packet is waited for, once, and there are no others. */
static void check_programs(algorithm_t a, const struct fsh_program_shape *s)
{
    struct fsh_program **p = calloc(s->size, sizeof(struct fsh_program *));
    size_t sent = 0, awaited = 0;

    CHECK(p != NULL);
    for (uint32_t r = 0; r < s->size; r++)
        CHECK((p[r] = fsh_program_make(a, s, r)) != NULL);
    for (uint32_t r = 0; r < s->size; r++) {
        for (uint32_t i = 0; i < p[r]->steps; i++) {
            const struct fsh_program_step *step = &p[r]->step[i];

            check_step(p[r], s->size, step);
            awaited += step->sources;
            if (step->dest == FSH_PROGRAM_NOBODY)
                continue;
            sent++;
            CHECK(waits_for(p[step->dest], r, step->dest_seq, blocks_of(step)),
                  "%s %s of %u ranks, root %u: packet %u of %u to %u", a->name,
                  fsh_program_call_name(s->call), s->size, s->root,
                  step->dest_seq, r, step->dest);
        }
    }
    CHECK(sent == awaited);
    for (uint32_t r = 0; r < s->size; r++)
        fsh_program_free(p[r]);
    free(p);
}

/* ---- barriers ---- */

#define MOST 32u /* ranks */
#define SEQS 16u /* of a barrier */

/* What ranks know when they have come so far: who has begun. */
struct heard {
    uint32_t knows[MOST];
    uint32_t at[MOST];
    bool sent[MOST][MOST][SEQS]; /* to, from, SeqID */
    uint32_t said[MOST][MOST][SEQS];
};

static bool step_barrier(struct heard *h, const struct fsh_program *p,
                         uint32_t r)
{
    const struct fsh_program_step *s = &p->step[h->at[r]];

    if (h->at[r] == p->steps)
        return false;
    for (unsigned k = 0; k < s->sources; k++)
        if (!h->sent[r][s->source[k]][s->seq])
            return false;
    for (unsigned k = 0; k < s->sources; k++)
        h->knows[r] |= h->said[r][s->source[k]][s->seq];
    if (s->dest != FSH_PROGRAM_NOBODY) {
        h->sent[s->dest][r][s->dest_seq] = true;
        h->said[s->dest][r][s->dest_seq] = h->knows[r];
    }
    h->at[r]++;
    return true;
}

/* No rank is through before all have begun. */
static void check_barrier(algorithm_t a, uint32_t size)
{
    const struct fsh_program_shape shape = {.call = FSH_PROGRAM_BARRIER,
                                            .size = size};
    struct fsh_program *p[MOST];
    static struct heard h;
    bool moved = true;

    check_programs(a, &shape);
    h = (struct heard){0};
    for (uint32_t r = 0; r < size; r++) {
        CHECK((p[r] = fsh_program_make(a, &shape, r)) != NULL);
        h.knows[r] = 1u << r;
    }
    while (moved) {
        moved = false;
        for (uint32_t r = 0; r < size; r++)
            moved |= step_barrier(&h, p[r], r);
    }
    for (uint32_t r = 0; r < size; r++) {
        CHECK(h.at[r] == p[r]->steps, "%s barrier of %u: rank %u is stuck",
              a->name, size, r);
        CHECK(h.knows[r] == (uint32_t)((UINT64_C(1) << size) - 1),
              "%s barrier of %u: rank %u waits for %#x only", a->name, size, r,
              h.knows[r]);
        fsh_program_free(p[r]);
    }
}

static void check_sides(algorithm_t a, enum fsh_program_call call,
                        uint32_t size, uint32_t sides)
{
    bool rooted = call == FSH_PROGRAM_BROADCAST ||
                  call == FSH_PROGRAM_SCATTER || call == FSH_PROGRAM_GATHER ||
                  call == FSH_PROGRAM_REDUCE;

    bool ring = strcmp(a->name, "ring") == 0;

    for (uint32_t root = 0; root < (rooted ? size : 1); root++)
        for (uint8_t i = 0;
             i <= (ring ? FSH_PROGRAM_BOTH : call == FSH_PROGRAM_SCAN); i++) {
            struct fsh_program_shape s = {.call = call,
                                          .size = size,
                                          .root = root,
                                          .exclusive = !ring && i != 0,
                                          .rings = ring ? i : 0,
                                          .sides = (uint16_t)sides};

            check_programs(a, &s);
            for (uint32_t r = 0; r < size; r++)
                check_recipe(a, &s, r);
        }
}

/* Also where the network has one ring, rows of 2, of 4. */
static void check_call(algorithm_t a, enum fsh_program_call call, uint32_t size)
{
    static const uint32_t sides[] = {1, 3, 5};

    check_sides(a, call, size, 0);
    for (size_t i = 0;
         (a->order == FSH_PROGRAM_TREE || a == &fsh_program_spread) && i < 3;
         i++)
        check_sides(a, call, size, sides[i]);
}

static void check_size(uint32_t size)
{
    for (size_t i = 0; fsh_program_algorithms[i] != NULL; i++) {
        algorithm_t a = fsh_program_algorithms[i];

        CHECK(fsh_program_find(a->id) == a && fsh_program_named(a->name) == a);
        if (fsh_program_does(a, FSH_PROGRAM_BARRIER))
            check_barrier(a, size);
        for (unsigned c = FSH_PROGRAM_BROADCAST; c < FSH_PROGRAM_CALLS; c++)
            if (fsh_program_does(a, (enum fsh_program_call)c))
                check_call(a, (enum fsh_program_call)c, size);
    }
    check_call(&fsh_program_spread, FSH_PROGRAM_BROADCAST, size);
    check_call(&fsh_program_quarters, FSH_PROGRAM_ALLREDUCE, size);
}

/* Links between two of 32 nodes, torus:4x8. */
static uint32_t links(uint32_t a, uint32_t b)
{
    uint32_t x = (b - a) % 4, y = (b / 4 - a / 4) % 8;

    return (x < 4 - x ? x : 4 - x) + (y < 8 - y ? y : 8 - y);
}

/* When the packet of a rank comes, in units of what sending it again takes: 6 to pass it on, 4 a
 * link; over how many links from the root, in how many rounds. */
static uint32_t comes_at(const struct fsh_program_shape *s, uint32_t rank,
                         uint32_t *way, uint32_t *rounds)
{
    uint32_t at = 0;

    *way = *rounds = 0;
    while (rank != s->root) {
        struct fsh_program *p = fsh_program_make(&fsh_program_spread, s, rank);
        uint32_t from = p->step[0].source[0], i = 0;

        fsh_program_free(p);
        CHECK(fsh_program_near(s->size, s->sides, from, rank));
        p = fsh_program_make(&fsh_program_spread, s, from);
        while (p->step[i].dest != rank)
            CHECK(++i < p->steps);
        fsh_program_free(p);
        at += i + 6 + 4 * links(from, rank);
        *way += links(from, rank);
        ++*rounds;
        rank = from;
    }
    return at;
}

/* Few rounds reach all. */
static void check_spread(uint32_t size, uint32_t root)
{
    const struct fsh_program_shape s = {
        .call = FSH_PROGRAM_BROADCAST, .size = size, .root = root};
    uint32_t levels = 0, way, rounds;

    while (1u << levels < size)
        levels++;
    for (uint32_t r = 0; r < size; r++) {
        comes_at(&s, r, &way, &rounds);
        CHECK(rounds <= (levels + 2) / 2, "rank %u of %u: %u rounds", r, size,
              rounds);
    }
}

/* Where the network is known, on ways that are hardly longer than the straight ones, and nobody
 * gets it much later than the farthest rank can, 6 links away. */
static void check_spread_near(uint32_t root)
{
    const struct fsh_program_shape s = {
        .call = FSH_PROGRAM_BROADCAST, .size = 32, .root = root, .sides = 5};

    for (uint32_t r = 0; r < 32; r++) {
        uint32_t way, rounds, at = comes_at(&s, r, &way, &rounds);

        CHECK(way <= links(root, r) + 2 && rounds <= 4 && at <= 38,
              "rank %u: at %u, %u links, %u rounds", r, at, way, rounds);
    }
}

/* Links of the longest way of an all-reduce there. */
static uint32_t longest(algorithm_t a, uint32_t sides)
{
    const struct fsh_program_shape s = {
        .call = FSH_PROGRAM_ALLREDUCE, .size = 32, .sides = (uint16_t)sides};
    struct fsh_program *p[32];
    uint32_t at[32] = {0}, next[32], most = 0;

    for (uint32_t r = 0; r < 32; r++)
        CHECK((p[r] = fsh_program_make(a, &s, r)) != NULL);
    for (uint32_t i = 0; i < p[0]->steps; i++) {
        memcpy(next, at, sizeof at);
        for (uint32_t r = 0; r < 32; r++)
            if (p[r]->step[i].sources != 0) {
                uint32_t from = p[r]->step[i].source[0];

                if (at[from] + links(from, r) > next[r])
                    next[r] = at[from] + links(from, r);
            }
        memcpy(at, next, sizeof at);
    }
    for (uint32_t r = 0; r < 32; r++) {
        most = at[r] > most ? at[r] : most;
        fsh_program_free(p[r]);
    }
    return most;
}

/* Ranks that meet in the rings of a torus are nearer to each other. */
static void check_turns(void)
{
    algorithm_t doubling = fsh_program_named("doubling");

    CHECK(longest(doubling, 0) == 10 && longest(doubling, 5) == 7);
    CHECK(longest(&fsh_program_quarters, 0) == 13 &&
          longest(&fsh_program_quarters, 5) == 9);
    CHECK(fsh_program_meet(32, 5, 0, 3) && fsh_program_meet(32, 5, 4, 8) &&
          !fsh_program_meet(32, 5, 0, 2) && !fsh_program_meet(32, 0, 0, 3) &&
          !fsh_program_meet(24, 5, 0, 3) && !fsh_program_meet(64, 5, 0, 3));
}

/* What is chosen can do the call, at every size of a message. */
static void check_choice(uint32_t size)
{
    for (unsigned c = 0; c < FSH_PROGRAM_CALLS; c++)
        for (size_t bytes = 0; bytes < (size_t)1 << 26; bytes = 2 * bytes + 1) {
            struct fsh_program_shape s = {.call = (enum fsh_program_call)c,
                                          .size = size};

            CHECK(fsh_program_does(fsh_program_choose(&s, bytes), s.call));
        }
}

/* Blocks lie behind each other, halves in lines. */
static void check_halves(size_t elem, size_t count, uint32_t ranks,
                         enum fsh_program_call call)
{
    struct fsh_program_operand whole = {call, ranks, false, elem, count};
    struct fsh_program_operand halves = {call, 2 * ranks, true, elem, count};

    for (uint32_t b = 0; b < ranks; b++) {
        size_t from = fsh_program_before(&whole, b);
        size_t half = fsh_program_before(&halves, 2 * b + 1) - from;
        size_t all = fsh_program_before(&whole, b + 1) - from;

        CHECK(fsh_program_before(&halves, 2 * b) == from &&
              fsh_program_before(&halves, 2 * b + 2) == from + all);
        CHECK(half <= all && (half % 64 == 0 || half == all) &&
                  2 * half >= all && (half < 64 || 2 * (half - 64) < all),
              "%zu of %zu", half, all);
    }
}

/* Rings in both directions are of long blocks, of what halves can be divided into. */
static void check_rings(void)
{
    const struct fsh_program_algorithm *ring = fsh_program_named("ring");
    struct fsh_program_shape s = {.call = FSH_PROGRAM_ALLREDUCE, .size = 5};

    CHECK(fsh_program_rings(ring, &s, 5 * 2048, 4, false) == FSH_PROGRAM_BOTH);
    CHECK(fsh_program_rings(ring, &s, 5 * 2048 - 4, 4, false) ==
          FSH_PROGRAM_FORTH);
    CHECK(fsh_program_rings(ring, &s, 5 * 2400, 12, false) ==
          FSH_PROGRAM_FORTH);
    CHECK(fsh_program_rings(ring, &s, 5 * 8192, 4, true) == FSH_PROGRAM_BOTH);
    CHECK(fsh_program_rings(ring, &s, 5 * 8192 - 4, 4, true) ==
          FSH_PROGRAM_FORTH);
    CHECK(fsh_program_rings(fsh_program_named("doubling"), &s, 1 << 20, 4,
                            false) == FSH_PROGRAM_FORTH);
    s.call = FSH_PROGRAM_REDUCE_SCATTER;
    CHECK(fsh_program_rings(ring, &s, 2048, 4, false) == FSH_PROGRAM_BOTH);
    s.size = 2;
    CHECK(fsh_program_rings(ring, &s, 1 << 20, 4, false) == FSH_PROGRAM_FORTH);
    for (uint32_t ranks = 1; ranks < 9; ranks++)
        for (size_t count = 0; count < 700; count += 13) {
            check_halves(4, count, ranks, FSH_PROGRAM_ALLREDUCE);
            check_halves(16, count, ranks, FSH_PROGRAM_REDUCE_SCATTER);
            check_halves(1, count, ranks, FSH_PROGRAM_ALLGATHER);
        }
}

int main(void)
{
    check_rings();
    check_turns();
    for (uint32_t size = 1; size <= 17; size++) {
        check_size(size);
        check_spread(size, size / 3);
        check_choice(size);
    }
    check_spread(32, 0);
    check_spread(64, 9);
    check_spread_near(0);
    check_spread_near(13);
    check_size(31);
    return 0;
}
