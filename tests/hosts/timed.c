/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Scripted traffic in simulated time: timed <seed>. Every rank puts, gets, asks by messages
 * and meets the others as the seed says, and notes what time it is after each step; rank 0
 * says what all have noted, "rank <r>: <digest> at <ns>", the same wherever the ranks are.
 */
#include <fshmem.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ASK = 201, ANSWER, STEPS = 60, MOST = 6000, AREA = 1 << 16 };

static volatile unsigned answers;

static void on_ask(gasnet_token_t token, gasnet_handlerarg_t value)
{
    gasnet_AMReplyShort1(token, ANSWER, value);
}

static void on_answer(gasnet_token_t token, gasnet_handlerarg_t value)
{
    (void)token;
    (void)value;
    answers++;
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

static void meet(void)
{
    gasnet_barrier_notify(0, GASNET_BARRIERFLAG_ANONYMOUS);
    if (gasnet_barrier_wait(0, GASNET_BARRIERFLAG_ANONYMOUS) != GASNET_OK)
        exit(2);
}

static void step(uint64_t dice, const gasnet_seginfo_t *segments,
                 unsigned char *own)
{
    gasnet_node_t to = (gasnet_node_t)(dice >> 32) % gasnet_nodes();
    char *there = (char *)segments[to].addr + AREA * gasnet_mynode();
    size_t bytes = 1 + (dice >> 8) % MOST;
    unsigned before = answers;

    switch (dice & 3) {
    case 0:
        gasnet_put(to, there, own, bytes);
        break;
    case 1:
        gasnet_get(own, to, there, bytes);
        break;
    case 2:
        gasnet_AMRequestShort1(to, ASK, (gasnet_handlerarg_t)bytes);
        GASNET_BLOCKUNTIL(answers != before);
        break;
    default:
        fshmem_spend(bytes);
    }
}

/* What each has noted lies behind the areas, at rank 0. */
struct noted {
    uint64_t digest, ns;
};

int main(int argc, char **argv)
{
    gasnet_handlerentry_t table[] = {{ASK, (void (*)())on_ask},
                                     {ANSWER, (void (*)())on_answer}};
    static unsigned char own[MOST + 1];
    gasnet_seginfo_t segments[64];
    struct noted mine = {.digest = 1}, *all;
    uint64_t dice;

    if (gasnet_init(&argc, &argv) != GASNET_OK || argc != 2 ||
        gasnet_attach(table, 2, (uintptr_t)AREA * 65, 0) != GASNET_OK ||
        gasnet_getSegmentInfo(segments, 64) != GASNET_OK)
        return 1;
    dice = mix(strtoull(argv[1], NULL, 10), gasnet_mynode());
    meet();
    for (unsigned i = 0; i < STEPS; i++) {
        dice = mix(dice, i);
        step(dice, segments, own);
        mine.digest = mix(mine.digest, fshmem_time());
        if (i % 20 == 19)
            meet();
    }
    mine.ns = fshmem_time();
    all = (struct noted *)(void *)((char *)segments[0].addr + AREA * 64);
    gasnet_put(0, &all[gasnet_mynode()], &mine, sizeof mine);
    meet();
    for (gasnet_node_t r = 0; gasnet_mynode() == 0 && r < gasnet_nodes(); r++)
        printf("rank %u: %016" PRIx64 " at %" PRIu64 "\n", (unsigned)r,
               all[r].digest, all[r].ns);
    return 0;
}
