/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Programs of calls over hosts: for random and regular placements of ranks, every call
 * and root, they end with what the call specifies, also where a packet is granted only
 * within the receiver's window (gasnet/run.h), and what crosses from host to host is
 * counted: nothing goes twice.
 * usage: coll_two_level [seed]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpu.h"
#include "coll/program/program.h"
#include "gasnet/run.h"
#include "check.h"
#include "random.h"

#define MOST 48u     /* ranks */
#define PACKETS 256u /* of a rank */
#define PLACES 4u

typedef const struct fsh_program_algorithm *algorithm_t;

struct packet {
    uint32_t from, seq, n;
    uint64_t value[MOST];
};

static struct {
    struct fsh_program_shape shape;
    bool tree; /* operands are combined in that order */
    uint32_t hosts;
    uint16_t host[MOST];
    struct fsh_program *program[MOST];
    uint32_t at[MOST];
    uint64_t memory[MOST][PLACES][MOST];
    struct packet packet[MOST][PACKETS]; /* by receiver: have been sent */
    uint32_t packets[MOST];
    uint32_t messages, blocks; /* from host to host */
} run;

static uint64_t input(uint32_t rank, uint32_t block)
{
    if (run.shape.call == FSH_PROGRAM_ALLREDUCE)
        return UINT64_C(1) << rank;
    return (uint64_t)(rank + 1) << 32 | (block + 1);
}

/* Commutative, and not associative unless any order will do. */
static uint64_t combine(uint64_t a, uint64_t b)
{
    uint64_t sum = a + b;

    if (!run.tree)
        return a | b;
    sum = (sum ^ sum >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
    return sum ^ sum >> 32;
}

/* Of 2^k ranks. */
static uint64_t tree_of(uint32_t first, uint32_t count)
{
    if (count == 1)
        return input(first, 0);
    return combine(tree_of(first, count / 2),
                   tree_of(first + count / 2, count / 2));
}

/* ---- execution, step by step ---- */

/* NULL: it has not been sent. */
static struct packet *packet_of(uint32_t to, uint32_t from, uint32_t seq)
{
    for (uint32_t i = 0; i < run.packets[to]; i++)
        if (run.packet[to][i].from == from && run.packet[to][i].seq == seq)
            return &run.packet[to][i];
    return NULL;
}

static void send(uint32_t to, uint32_t from, uint32_t seq, uint32_t n,
                 const uint64_t *value)
{
    struct packet *p = &run.packet[to][run.packets[to]++];

    CHECK(run.packets[to] <= PACKETS);
    *p = (struct packet){.from = from, .seq = seq, .n = n};
    memcpy(p->value, value, n * sizeof *value);
    if (run.host[from] != run.host[to]) {
        run.messages++;
        run.blocks += n;
    }
}

/* Whether the receiver has come near enough to grant it. */
static bool is_granted(uint32_t to, uint32_t from, uint32_t seq)
{
    const struct fsh_program *p = run.program[to];

    for (uint32_t i = run.at[to];
         i < p->steps && i < run.at[to] + FSH_RUN_WINDOW; i++)
        for (unsigned k = 0; k < p->step[i].sources; k++)
            if (p->step[i].source[k] == from && p->step[i].seq == seq)
                return true;
    return false;
}

/* Its value; false: a packet is missing. */
static bool evaluate(uint32_t rank, const struct fsh_program_step *s,
                     uint32_t n, uint64_t *value)
{
    const uint64_t *local = run.memory[rank][s->local.place] + s->local.first;

    if (s->local.count != 0)
        memcpy(value, local, n * sizeof *value);
    for (unsigned k = 0; k < s->sources; k++)
        if (packet_of(rank, s->source[k], s->seq) == NULL)
            return false;
    for (unsigned k = 0; k < s->sources; k++) {
        const struct packet *p = packet_of(rank, s->source[k], s->seq);

        CHECK(p->n == n, "%u blocks, %u awaited", p->n, n);
        for (uint32_t b = 0; b < n; b++)
            value[b] = s->reduce ? combine(value[b], p->value[b]) : p->value[b];
    }
    return true;
}

static bool step(uint32_t rank)
{
    const struct fsh_program *p = run.program[rank];
    const struct fsh_program_step *s = &p->step[run.at[rank]];
    uint64_t value[MOST] = {0};
    uint32_t n;

    if (run.at[rank] == p->steps)
        return false;
    n = s->local.count != 0 ? s->local.count : s->store.count;
    CHECK(n != 0 && s->local.first + s->local.count <= p->blocks &&
          s->store.first + s->store.count <= p->blocks);
    if (!evaluate(rank, s, n, value))
        return false;
    if (s->dest != FSH_PROGRAM_NOBODY) {
        if (!is_granted(s->dest, rank, s->dest_seq))
            return false;
        CHECK(packet_of(s->dest, rank, s->dest_seq) == NULL,
              "packet %u to %u twice", s->dest_seq, s->dest);
        send(s->dest, rank, s->dest_seq, n, value);
    }
    if (s->store.count != 0) {
        CHECK(s->store.place != FSH_PROGRAM_SRC);
        memcpy(run.memory[rank][s->store.place] + s->store.first, value,
               n * sizeof value[0]);
    }
    run.at[rank]++;
    return true;
}

static void execute(algorithm_t a)
{
    const uint32_t n = run.shape.size;
    bool moved = true;

    memset(run.memory, 0, sizeof run.memory);
    memset(run.packets, 0, sizeof run.packets);
    run.messages = run.blocks = 0;
    for (uint32_t r = 0; r < n; r++) {
        run.at[r] = 0;
        run.program[r] = fsh_program_make_over(a, &run.shape, run.host, r);
        CHECK(run.program[r] != NULL);
        for (uint32_t b = 0; b < n; b++)
            run.memory[r][FSH_PROGRAM_SRC][b] = input(r, b);
    }
    while (moved) {
        moved = false;
        for (uint32_t r = 0; r < n; r++)
            moved |= step(r);
    }
    for (uint32_t r = 0; r < n; r++)
        CHECK(run.at[r] == run.program[r]->steps, "%s: rank %u is stuck",
              fsh_program_call_name(run.shape.call), r);
}

/* ---- what they promise ---- */

static void check_block(uint32_t rank, uint32_t b, uint64_t value)
{
    CHECK(run.memory[rank][FSH_PROGRAM_DST][b] == value,
          "%s of %u ranks, root %u: block %u of rank %u",
          fsh_program_call_name(run.shape.call), run.shape.size, run.shape.root,
          b, rank);
}

static void check_results(void)
{
    const uint32_t n = run.shape.size, root = run.shape.root;

    for (uint32_t r = 0; r < n; r++)
        switch (run.shape.call) {
        case FSH_PROGRAM_BROADCAST:
            check_block(r, 0, input(root, 0));
            break;
        case FSH_PROGRAM_SCATTER:
            check_block(r, r, input(root, r));
            break;
        case FSH_PROGRAM_ALLREDUCE:
            check_block(r, 0,
                        run.tree ? tree_of(0, n) : (UINT64_C(1) << n) - 1);
            break;
        default:
            for (uint32_t b = 0; b < n; b++)
                if (run.shape.call == FSH_PROGRAM_ALLGATHER || r == root)
                    check_block(r, b, input(b, b));
        }
}

/* Blocks that have to leave their host, and are counted once for each other one. */
static uint32_t least_blocks(void)
{
    const uint32_t n = run.shape.size;
    uint32_t away = 0, rounds = 0;

    for (uint32_t r = 0; r < n; r++)
        away += run.host[r] != run.host[run.shape.root];
    while (1u << rounds < run.hosts)
        rounds++;
    switch (run.shape.call) {
    case FSH_PROGRAM_BROADCAST:
        return run.hosts - 1;
    case FSH_PROGRAM_ALLREDUCE:
        return run.hosts * rounds;
    case FSH_PROGRAM_ALLGATHER:
        return n * (run.hosts - 1);
    default:
        return away;
    }
}

static void check_call(algorithm_t a, enum fsh_program_call call, uint32_t root)
{
    run.shape.call = call;
    run.shape.root = root;
    execute(a);
    check_results();
    CHECK(run.blocks == least_blocks(), "%s of %u: %u blocks go, not %u",
          fsh_program_call_name(call), run.shape.size, run.blocks,
          least_blocks());
    CHECK(run.messages <= run.blocks);
    for (uint32_t r = 0; r < run.shape.size; r++)
        fsh_program_free(run.program[r]);
}

static void check_placement(void)
{
    bool seen[MOST] = {false};

    run.hosts = 0;
    for (uint32_t r = 0; r < run.shape.size; r++) {
        run.hosts += !seen[run.host[r]];
        seen[run.host[r]] = true;
    }
    for (unsigned c = 0; c < FSH_PROGRAM_CALLS; c++) {
        enum fsh_program_call call = (enum fsh_program_call)c;
        bool rooted = call == FSH_PROGRAM_BROADCAST ||
                      call == FSH_PROGRAM_SCATTER || call == FSH_PROGRAM_GATHER;

        if (!fsh_program_does(&fsh_program_two_level, call))
            continue;
        for (uint32_t root = 0; root < (rooted ? run.shape.size : 1); root++) {
            check_call(&fsh_program_two_level, call, root);
            if (call == FSH_PROGRAM_BROADCAST)
                check_call(&fsh_program_two_level_long, call, root);
        }
    }
}

/* Which placements are subtrees, and that the order is kept there. */
static void check_subtrees(void)
{
    static const uint16_t bad[][8] = {{0, 0, 0, 0, 1, 1, 2, 2},
                                      {0, 1, 1, 1, 1, 2, 2, 2},
                                      {0, 0, 1, 1, 0, 0, 1, 1},
                                      {0, 1, 0, 1, 0, 1, 0, 1}};
    static const uint16_t three[6] = {0, 0, 1, 1, 2, 2};

    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        CHECK(!fsh_program_are_subtrees(bad[i], 8), "placement %zu", i);
    CHECK(!fsh_program_are_subtrees(three, 6));
    run.tree = true;
    for (uint32_t n = 2; n <= 32; n *= 2)
        for (run.hosts = 1; run.hosts <= n; run.hosts *= 2) {
            run.shape.size = n;
            for (uint32_t r = 0; r < n; r++)
                run.host[r] = (uint16_t)(9 - r * run.hosts / n % 2 +
                                         r * run.hosts / n / 2 * 10);
            CHECK(fsh_program_are_subtrees(run.host, n));
            if (run.hosts > 1)
                check_call(&fsh_program_two_level_tree, FSH_PROGRAM_ALLREDUCE,
                           0);
        }
    run.tree = false;
}

/* Adjacent blocks go in one message. */
static void check_runs(void)
{
    run.shape.size = 12;
    for (uint32_t r = 0; r < 12; r++)
        run.host[r] = (uint16_t)(r / 4);
    run.hosts = 3;
    check_call(&fsh_program_two_level, FSH_PROGRAM_GATHER, 5);
    CHECK(run.messages == 2);
    check_call(&fsh_program_two_level, FSH_PROGRAM_ALLGATHER, 0);
    CHECK(run.messages == 6);
}

/* What is chosen can do the call. */
static void check_choice(void)
{
    for (unsigned c = 0; c < FSH_PROGRAM_CALLS; c++)
        for (size_t bytes = 0; bytes < (size_t)1 << 26; bytes = 2 * bytes + 1) {
            struct fsh_program_shape s = {.call = (enum fsh_program_call)c,
                                          .size = 6};
            algorithm_t over = fsh_program_choose_over(&s, bytes, false);
            algorithm_t trees = fsh_program_choose_over(&s, bytes, true);
            algorithm_t flat = fsh_program_choose(&s, bytes);

            CHECK(fsh_program_does(over, s.call));
            CHECK(fsh_program_does(trees, s.call));
            /* The order of a reduction depends on no host. */
            if (c > FSH_PROGRAM_ALLTOALL)
                CHECK(over == flat && trees->order == flat->order);
        }
}

int main(int argc, char **argv)
{
    uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 0) : fsh_time_ns() | 1;
    uint64_t random = seed;

    printf("seed %llu\n", (unsigned long long)seed);
    check_choice();
    check_runs();
    check_subtrees();
    for (uint32_t n = 2; n <= 13; n++)
        for (uint32_t hosts = 1; hosts <= n; hosts++)
            for (unsigned cyclic = 0; cyclic < 3; cyclic++) {
                run.shape.size = n;
                for (uint32_t r = 0; r < n; r++)
                    run.host[r] =
                        (uint16_t)(cyclic == 0 ? r * hosts / n
                                   : cyclic == 1
                                       ? r % hosts
                                       : random_next(&random) % hosts);
                check_placement();
            }
    /* More hosts, and more runs of a host, than an executor looks at. */
    run.shape.size = MOST;
    for (uint32_t hosts = 2; hosts <= MOST; hosts += 23) {
        for (uint32_t r = 0; r < MOST; r++)
            run.host[r] = (uint16_t)(r % hosts);
        for (unsigned c = 0; c < FSH_PROGRAM_CALLS; c++)
            if (fsh_program_does(&fsh_program_two_level,
                                 (enum fsh_program_call)c)) {
                run.hosts = hosts;
                check_call(&fsh_program_two_level, (enum fsh_program_call)c, 0);
            }
    }
    return 0;
}
