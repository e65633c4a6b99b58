/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A job that communicates for so many seconds: steady <seconds> [variable ...]. Every rank puts
 * a word to the next one and meets the others, over and over; says "up", with the
 * variables' values, and "steady". For the tests beside it, which cut cables meanwhile.
 */
#include <gasnet.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void meet(int value)
{
    gasnet_barrier_notify(value, 0);
    if (gasnet_barrier_wait(value, 0) != GASNET_OK)
        exit(2);
}

int main(int argc, char **argv)
{
    double end;
    const char *value;
    unsigned round = 0;
    gasnet_seginfo_t *segments;
    gasnet_node_t me, n, next;
    unsigned *word;

    if (gasnet_init(&argc, &argv) != GASNET_OK ||
        gasnet_attach(NULL, 0, GASNET_PAGESIZE, 0) != GASNET_OK)
        return 1;
    me = gasnet_mynode();
    n = gasnet_nodes();
    next = (me + 1) % n;
    segments = malloc(n * sizeof *segments);
    if (segments == NULL ||
        gasnet_getSegmentInfo(segments, (int)n) != GASNET_OK)
        return 1;
    word = segments[me].addr;
    meet(0);
    printf("up %u of %u\n", (unsigned)me, (unsigned)n);
    for (int i = 2; i < argc; i++) {
        value = gasnet_getenv(argv[i]);
        if (value != NULL)
            printf("value %u: %s\n", (unsigned)me, value);
    }
    fflush(stdout);
    end = now() + (argc > 1 ? atof(argv[1]) : 1);
    do {
        round++;
        gasnet_put_val(next, segments[next].addr, round, sizeof *word);
        meet((int)round);
        if (*word != round) {
            fprintf(stderr, "rank %u: %u in round %u\n", (unsigned)me, *word,
                    round);
            return 3;
        }
        /* Rank 0 says when it is enough. */
        meet((int)round);
        if (me == 0 && now() > end)
            for (gasnet_node_t r = 0; r < n; r++)
                gasnet_put_val(r, (unsigned *)segments[r].addr + 1, 1,
                               sizeof *word);
        meet((int)round);
    } while (word[1] == 0);
    printf("steady %u of %u\n", (unsigned)me, (unsigned)n);
    fflush(stdout);
    meet(0);
    gasnet_exit(0);
    return 0;
}
