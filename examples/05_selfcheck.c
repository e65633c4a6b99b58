/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Teaches: put, get and active messages in all sizes, with several operations in
 * flight. Also checks an installation. For every size class: put to the right
 * neighbour, get back, AM ping-pong with replies (Short, Medium, Long), and a ring
 * exchange with both neighbours. Every byte is compared; prints the number of
 * verified operations.
 *   05_selfcheck [LARGEST]      largest transfer in bytes, default 256 KiB
 */
#include <gasnet.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHORT_PING 200
#define SHORT_PONG 201
#define MEDIUM_PING 202
#define MEDIUM_PONG 203
#define LONG_PING 204
#define LONG_PONG 205
#define TALLY 206

static gasnet_node_t me, ranks, right, left;
static size_t largest = 256 << 10;
static unsigned char *source, *sink; /* private memory */
static gasnet_seginfo_t *segment;
static unsigned long verified;
static volatile unsigned long tallied; /* rank 0: sum over the ranks */
static volatile unsigned tallies;
static volatile int replies;

static void fail(const char *what, size_t bytes, size_t at)
{
    fprintf(stderr, "rank %u: %s of %zu bytes: byte %zu is wrong\n",
            (unsigned)me, what, bytes, at);
    gasnet_exit(1);
}

static unsigned char pattern(gasnet_node_t rank, size_t round, size_t i)
{
    return (unsigned char)((rank + 1) * 131u + round * 31u + i * 7u + (i >> 8));
}

static void fill(unsigned char *at, gasnet_node_t rank, size_t round, size_t n)
{
    for (size_t i = 0; i < n; ++i) {
        at[i] = pattern(rank, round, i);
    }
}

static void check(const char *what, const unsigned char *at, gasnet_node_t rank,
                  size_t round, size_t n)
{
    for (size_t i = 0; i < n; ++i) {
        if (at[i] != pattern(rank, round, i)) {
            fail(what, n, i);
        }
    }
    ++verified;
}

static void barrier(void)
{
    gasnet_barrier_notify(0, GASNET_BARRIERFLAG_ANONYMOUS);
    gasnet_barrier_wait(0, GASNET_BARRIERFLAG_ANONYMOUS);
}

/* Areas of a segment, each with room for the largest transfer and one byte to
 * make it unaligned. */
static unsigned char *area(gasnet_node_t rank, unsigned which)
{
    return (unsigned char *)segment[rank].addr + which * (largest + 64);
}

/* ---- handlers: request handlers check and reply, reply handlers check */

static void short_ping(gasnet_token_t token, gasnet_handlerarg_t a)
{
    gasnet_AMReplyShort2(token, SHORT_PONG, a, ~a);
}

static void short_pong(gasnet_token_t token, gasnet_handlerarg_t a,
                       gasnet_handlerarg_t b)
{
    (void)token;
    if (b != ~a) {
        fail("Short reply", 0, 0);
    }
    ++replies;
}

static void medium_ping(gasnet_token_t token, void *buf, size_t n,
                        gasnet_handlerarg_t round)
{
    gasnet_node_t from;
    gasnet_AMGetMsgSource(token, &from);
    check("Medium request", buf, from, (size_t)round, n);
    gasnet_AMReplyMedium1(token, MEDIUM_PONG, buf, n, round);
}

static void medium_pong(gasnet_token_t token, void *buf, size_t n,
                        gasnet_handlerarg_t round)
{
    (void)token;
    check("Medium reply", buf, me, (size_t)round, n);
    ++replies;
}

static void long_ping(gasnet_token_t token, void *buf, size_t n,
                      gasnet_handlerarg_t round)
{
    gasnet_node_t from;
    gasnet_AMGetMsgSource(token, &from);
    check("Long request", buf, from, (size_t)round, n);
    gasnet_AMReplyLong1(token, LONG_PONG, buf, n, area(from, 2), round);
}

static void long_pong(gasnet_token_t token, void *buf, size_t n,
                      gasnet_handlerarg_t round)
{
    (void)token;
    check("Long reply", buf, me, (size_t)round, n);
    ++replies;
}

static void tally(gasnet_token_t token, gasnet_handlerarg_t count)
{
    (void)token;
    tallied += (unsigned long)count;
    ++tallies;
}

/* ---- one size class */

static void put_and_get(size_t n, size_t round)
{
    size_t skew = round & 7; /* unaligned as often as not */
    fill(source, me, round, n);
    gasnet_put_bulk(right, area(right, 0) + skew, source, n);
    memset(sink, 0, n);
    gasnet_get_bulk(sink, right, area(right, 0) + skew, n);
    check("get after put", sink, me, round, n);
    barrier();
    check("put from the left", area(me, 0) + skew, left, round, n);
    barrier();
}

/* Ring exchange: put own data to both neighbours at once, with handles. */
static void ring_exchange(size_t n, size_t round)
{
    unsigned char *own = area(me, 3);
    fill(own, me, round, n);
    gasnet_handle_t h[2];
    h[0] = gasnet_put_nb_bulk(right, area(right, 4), own, n);
    h[1] = gasnet_put_nb_bulk(left, area(left, 5), own, n);
    gasnet_wait_syncnb_all(h, 2);
    barrier();
    check("ring, from the left", area(me, 4), left, round, n);
    check("ring, from the right", area(me, 5), right, round, n);
    barrier();
}

static void ping_pong(size_t n, size_t round)
{
    int r = (int)round;
    fill(source, me, round, n);
    replies = 0;
    gasnet_AMRequestShort1(right, SHORT_PING, (gasnet_handlerarg_t)n);
    GASNET_BLOCKUNTIL(replies == 1);
    ++verified;
    if (n <= gasnet_AMMaxMedium()) {
        gasnet_AMRequestMedium1(right, MEDIUM_PING, source, n, r);
        GASNET_BLOCKUNTIL(replies == 2);
    }
    if (n <= gasnet_AMMaxLongRequest() && n <= gasnet_AMMaxLongReply()) {
        int before = replies;
        gasnet_AMRequestLong1(right, LONG_PING, source, n, area(right, 1), r);
        GASNET_BLOCKUNTIL(replies == before + 1);
    }
    barrier();
}

static void run(void)
{
    size_t round = 0;
    for (size_t n = 0; n <= largest; n = n ? 2 * n : 1) {
        size_t sizes[] = {n, n > 2 ? n - 1 : n};
        for (unsigned i = 0; i < (n > 2 ? 2 : 1); ++i, ++round) {
            put_and_get(sizes[i], round);
            ping_pong(sizes[i], round);
            ring_exchange(sizes[i], round);
        }
        if (me == 0 && (n == 0 || n >= 1024)) {
            printf("  up to %7zu bytes: correct\n", n);
            fflush(stdout);
        }
    }
}

static void report(void)
{
    gasnet_AMRequestShort1(0, TALLY, (gasnet_handlerarg_t)verified);
    if (me == 0) {
        GASNET_BLOCKUNTIL(tallies == ranks);
        printf("Self-check passed: %lu operations verified on %u ranks\n",
               tallied, (unsigned)ranks);
        fflush(stdout);
    }
    barrier();
}

int main(int argc, char **argv)
{
    gasnet_handlerentry_t handlers[] = {
        {SHORT_PING, (void (*)())short_ping},
        {SHORT_PONG, (void (*)())short_pong},
        {MEDIUM_PING, (void (*)())medium_ping},
        {MEDIUM_PONG, (void (*)())medium_pong},
        {LONG_PING, (void (*)())long_ping},
        {LONG_PONG, (void (*)())long_pong},
        {TALLY, (void (*)())tally},
    };
    if (gasnet_init(&argc, &argv) != GASNET_OK) {
        fprintf(stderr, "05_selfcheck: cannot join the job\n");
        return 1;
    }
    if (argc > 1) {
        largest = strtoul(argv[1], NULL, 0);
    }
    size_t page = GASNET_PAGESIZE;
    size_t bytes = (6 * (largest + 64) + page - 1) / page * page;
    if (gasnet_attach(handlers, 7, bytes, 0) != GASNET_OK) {
        fprintf(stderr, "05_selfcheck: cannot attach %zu bytes\n", bytes);
        gasnet_exit(1);
    }
    me = gasnet_mynode();
    ranks = gasnet_nodes();
    right = (me + 1) % ranks;
    left = (me + ranks - 1) % ranks;
    segment = malloc(ranks * sizeof(*segment));
    source = malloc(largest + 1);
    sink = malloc(largest + 1);
    if (!segment || !source || !sink ||
        gasnet_getSegmentInfo(segment, (int)ranks) != GASNET_OK) {
        fprintf(stderr, "05_selfcheck: out of memory\n");
        gasnet_exit(1);
    }
    barrier();
    run();
    report();
    free(segment);
    free(source);
    free(sink);
    gasnet_exit(0);
    return 0;
}
