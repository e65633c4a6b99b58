/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * See peer.h. A figure takes half a second at most, since a library that does
 * not expect more ranks than processors may take milliseconds for a step.
 */
#include "peer.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

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
