/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * See peer.h. A figure takes half a second at most, since a library that does
 * not handle oversubscription may take milliseconds for a step.
 */
#define _GNU_SOURCE
#include "peer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../tools/fshperf/gate.h"

#define BATCH_US 100.0
#define BATCHES 11
#define LIMIT_US 500000.0
#define MAX_COUNT (1L << 22)

static double now(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec * 1e6 + (double)ts.tv_nsec / 1e3;
}

static double batch(const struct peer *peer, size_t bytes, peer_loop_fn loop,
                    long n)
{
    peer->barrier();
    double start = now();
    loop(n, bytes);
    double us = now() - start;
    peer->barrier();
    return us;
}

/* In steps, since the first calls may take much longer than the others. */
static long calibrate(const struct peer *peer, size_t bytes, peer_loop_fn loop)
{
    long n = 1, more = 1;

    batch(peer, bytes, loop, n);
    while (more > 0 && n < MAX_COUNT) {
        double us = batch(peer, bytes, loop, n);
        double factor = 1.1 * BATCH_US / (us + 0.01);

        more = us > 0.75 * BATCH_US ? 0 : 1;
        if (more) {
            more = (long)((double)n * (factor > 8 ? 8 : factor)) + 1;
        }
        more = peer->share(more);
        n = more > 0 ? more : n;
    }
    return n;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

void peer_measure(const struct peer *peer, const char *name, size_t bytes,
                  peer_loop_fn loop)
{
    double us[BATCHES], end = now() + LIMIT_US;
    long n = calibrate(peer, bytes, loop);
    int done = 0;

    do {
        us[done++] = batch(peer, bytes, loop, n) / (double)n;
    } while (peer->share(done < BATCHES && (done < 3 || now() < end)));
    if (peer->rank == 0) {
        qsort(us, (size_t)done, sizeof us[0], by_value);
        printf("peer-row %s %d %zu %.4f\n", name, peer->ranks, bytes,
               us[done / 2]);
        fflush(stdout);
    }
}

/* ---- collectives ---- */

/* As in tools/fshperf/coll_node.c. */
#define WARM_UP 3
#define ROUNDS 20
#define OFTEN 200
#define FEW_BYTES ((size_t)64 << 10)

static void fill(const struct peer_buffers *b, int rank, int round)
{
    size_t words = b->bytes / sizeof(double);

    memset(b->dst, 0x5a, (size_t)b->dst_blocks * b->bytes);
    for (int i = 0; i < b->src_blocks; ++i) {
        for (size_t w = 0; w < words; ++w) {
            b->src[(size_t)i * words + w] =
                (unsigned)(rank * 37 + i * 11 + round) + (unsigned)(w % 512);
        }
    }
}

static int by_time(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

/* Number of rounds, the same on all ranks, from the time of the warm-up. */
static int rounds_of(const struct peer *peer, const struct peer_buffers *b,
                     int crowded, double us)
{
    int blocks = b->src_blocks > b->dst_blocks ? b->src_blocks : b->dst_blocks;
    double most = LIMIT_US * WARM_UP / us;

    if (!crowded && (size_t)blocks * b->bytes <= FEW_BYTES) {
        return OFTEN;
    }
    return (int)peer->share(most > ROUNDS ? ROUNDS : most < 3 ? 3 : (long)most);
}

void peer_time(const struct peer_collectives *all, const char *name,
               const struct peer_buffers *b,
               void (*call)(const struct peer_buffers *buffers))
{
    static unsigned passes;
    const struct peer *peer = all->peer;
    int crowded = peer->ranks > sysconf(_SC_NPROCESSORS_ONLN);
    int rounds = 0;
    uint64_t taken[WARM_UP + OFTEN];
    double start = now();

    for (int i = 0; i < WARM_UP + rounds; ++i) {
        fill(b, peer->rank, i);
        peer->barrier();
        uint64_t at =
            gate_pass(all->gate, (unsigned)peer->ranks, crowded, &passes);
        call(b);
        taken[i] = gate_now() - at;
        if (i == WARM_UP - 1) {
            rounds = rounds_of(peer, b, crowded, now() - start);
        }
    }
    all->latest(taken, WARM_UP + rounds);
    if (peer->rank == 0) {
        qsort(taken + WARM_UP, (size_t)rounds, sizeof taken[0], by_time);
        printf("peer-row %s %d %zu %.4f\n", name, peer->ranks, b->bytes,
               (double)taken[WARM_UP + rounds / 2] / 1e3);
        fflush(stdout);
    }
}
