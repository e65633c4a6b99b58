/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What two ranks of one host, 0 and 1, take for short operations, whatever the conduit and the
 * other ranks, which wait in a barrier: pair [BLOCKS]. Prints "pair TEST NS" for each test, the
 * median of blocks of OPERATIONS, and "pair memory KIB". Payloads are not read. Wall clock. The
 * two have a processor each of those allowed: where the scheduler moves them, floods differ
 * more from job to job than between conduits.
 */
#include <gasnet.h>

#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { PING = 200, PONG, FLOOD, OPERATIONS = 2000, BLOCKS = 50 };

static volatile unsigned pongs, floods;
static void *there;
static uint64_t value;

static void on_ping(gasnet_token_t token)
{
    gasnet_AMReplyShort0(token, PONG);
}

static void on_pong(gasnet_token_t token)
{
    (void)token;
    pongs++;
}

static void on_flood(gasnet_token_t token, gasnet_handlerarg_t last)
{
    if (last)
        gasnet_AMReplyShort0(token, PONG);
    floods++;
}

static void round_trip(unsigned i)
{
    unsigned before = pongs;

    (void)i;
    gasnet_AMRequestShort0(1, PING);
    GASNET_BLOCKUNTIL(pongs != before);
}

static void put(unsigned i)
{
    (void)i;
    gasnet_put(1, there, &value, 8);
}

static void get(unsigned i)
{
    (void)i;
    gasnet_get(&value, 1, there, 8);
}

/* Memory of its own that this rank has touched, the library's and its libraries' included. */
static void tell_memory(void)
{
    FILE *file = fopen("/proc/self/status", "r");
    char line[128];
    unsigned long kib;

    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        if (sscanf(line, "RssAnon: %lu", &kib) == 1)
            printf("pair memory %lu\n", kib);
    if (file != NULL)
        fclose(file);
}

/* Acknowledged once a block. */
static void flood(unsigned i)
{
    unsigned before = pongs;

    gasnet_AMRequestShort1(1, FLOOD, i == OPERATIONS - 1);
    if (i == OPERATIONS - 1)
        GASNET_BLOCKUNTIL(pongs != before);
}

static double now_ns(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec * 1e9 + (double)ts.tv_nsec;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static void measure(const char *name, void (*operation)(unsigned),
                    unsigned blocks)
{
    double *ns = malloc(blocks * sizeof *ns);

    if (ns == NULL)
        gasnet_exit(1);
    for (unsigned block = 0; block <= blocks; block++) {
        double start = now_ns();

        for (unsigned i = 0; i < OPERATIONS; i++)
            operation(i);
        if (block > 0) /* the first one is to warm up */
            ns[block - 1] = (now_ns() - start) / OPERATIONS;
    }
    qsort(ns, blocks, sizeof *ns, compare);
    printf("pair %s %.2f\n", name, ns[blocks / 2]);
    fflush(stdout);
    free(ns);
}

static void meet(void)
{
    gasnet_barrier_notify(0, GASNET_BARRIERFLAG_ANONYMOUS);
    gasnet_barrier_wait(0, GASNET_BARRIERFLAG_ANONYMOUS);
}

static void take_processor(unsigned number)
{
    cpu_set_t allowed, mine;

    CPU_ZERO(&mine);
    if (sched_getaffinity(0, sizeof allowed, &allowed))
        return;
    for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &allowed) && number-- == 0)
            CPU_SET(cpu, &mine);
    if (CPU_COUNT(&mine) && sched_setaffinity(0, sizeof mine, &mine))
        perror("pair: sched_setaffinity");
}

int main(int argc, char **argv)
{
    gasnet_handlerentry_t table[] = {{PING, (void (*)())on_ping},
                                     {PONG, (void (*)())on_pong},
                                     {FLOOD, (void (*)())on_flood}};
    gasnet_seginfo_t *segments;
    unsigned blocks = BLOCKS;

    gasnet_init(&argc, &argv);
    if (argc > 1)
        blocks = (unsigned)strtoul(argv[1], NULL, 10);
    gasnet_attach(table, 3, GASNET_PAGESIZE, 0);
    segments = calloc(gasnet_nodes(), sizeof *segments);
    if (gasnet_nodes() < 2 || blocks < 1 || segments == NULL) {
        fprintf(stderr, "pair: needs two ranks, and at least one block\n");
        gasnet_exit(2);
    }
    gasnet_getSegmentInfo(segments, (int)gasnet_nodes());
    there = segments[1].addr;
    if (gasnet_mynode() < 2)
        take_processor(gasnet_mynode());
    meet();
    if (gasnet_mynode() == 0) {
        measure("am_rtt", round_trip, blocks);
        measure("put_8", put, blocks);
        measure("get_8", get, blocks);
        measure("flood", flood, blocks);
        tell_memory();
    }
    meet();
    gasnet_exit(0);
    return 0;
}
