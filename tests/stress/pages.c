/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A segment of so many KiB (first argument), which the next rank writes whole, the
 * first to touch it, and its owner reads; or ranks that wait for test_pages.py to
 * look at their memory (second argument: pause).
 */
#include <gasnet.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static gasnet_node_t me, n;
static gasnet_seginfo_t seg[64];

static void barrier(void)
{
    gasnet_barrier_notify(0, GASNET_BARRIERFLAG_ANONYMOUS);
    gasnet_barrier_wait(0, GASNET_BARRIERFLAG_ANONYMOUS);
}

static void write_next(void)
{
    static char piece[65536];
    gasnet_node_t next = (gasnet_node_t)((me + 1) % n);

    memset(piece, (int)me + 1, sizeof piece);
    for (size_t at = 0; at + sizeof piece <= seg[next].size; at += sizeof piece)
        gasnet_put(next, (char *)seg[next].addr + at, piece, sizeof piece);
}

static bool is_written(void)
{
    const char *own = seg[me].addr;
    char want = (char)((me + n - 1) % n + 1);

    for (size_t at = 0; at < seg[me].size; at++)
        if (own[at] != want)
            return false;
    return true;
}

int main(int argc, char **argv)
{
    long kb = argc > 1 ? atol(argv[1]) : 64;

    if (gasnet_init(&argc, &argv) != GASNET_OK ||
        gasnet_attach(NULL, 0, (uintptr_t)kb * 1024, 0) != GASNET_OK)
        return 92;
    me = gasnet_mynode();
    n = gasnet_nodes();
    gasnet_getSegmentInfo(seg, 64);
    barrier();
    if (argc > 2) {
        printf("up %u\n", (unsigned)me);
        fflush(stdout);
        pause();
    }
    write_next();
    barrier();
    printf("rank %u %s\n", (unsigned)me, is_written() ? "ok" : "WRONG");
    barrier();
    return 0;
}
