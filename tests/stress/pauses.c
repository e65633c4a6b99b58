/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Single puts and gets after pauses of random length, so that the other side
 * (a simulator, a sleeping rank) is met in every state between busy and asleep:
 * none may be lost to sleep. Run as: pauses [transfers] [seed]
 */
#include <gasnet.h>

#include <time.h>

static gasnet_seginfo_t info[64];

static void barrier(void)
{
    gasnet_barrier_notify(0, GASNET_BARRIERFLAG_ANONYMOUS);
    gasnet_barrier_wait(0, GASNET_BARRIERFLAG_ANONYMOUS);
}

static void pause_ns(long ns)
{
    struct timespec t = {0, ns};

    nanosleep(&t, NULL);
}

int main(int argc, char **argv)
{
    gasnet_node_t me, peer;
    unsigned seed;
    long n, wrong = 0;

    gasnet_init(&argc, &argv);
    n = argc > 1 ? atol(argv[1]) : 2000;
    seed = argc > 2 ? (unsigned)atol(argv[2]) : (unsigned)time(NULL);
    if (gasnet_attach(NULL, 0, GASNET_PAGESIZE, 0) != GASNET_OK)
        gasnet_exit(2);
    me = gasnet_mynode();
    peer = (me + 1) % gasnet_nodes();
    gasnet_getSegmentInfo(info, 64);
    if (me == 0)
        printf("pauses: %ld transfers a rank, seed %u\n", n, seed);
    srand(seed + me);
    barrier();
    for (long i = 0; i < n; i++) {
        uint64_t value = (uint64_t)i << 8 | me, back = 0;
        int length = rand() % 16;

        /* None, a moment, up to 2 ms: around every threshold of a sleeper. */
        if (length > 12)
            pause_ns(rand() % 2000000);
        else if (length > 4)
            pause_ns(1L << length);
        gasnet_put(peer, info[peer].addr, &value, sizeof value);
        if (i % 2)
            gasnet_get(&back, peer, info[peer].addr, sizeof back);
        else
            back = value;
        wrong += back != value;
    }
    barrier();
    if (wrong)
        fprintf(stderr, "pauses: rank %u: %ld wrong values\n", me, wrong);
    else if (me == 0)
        printf("pauses: pass\n");
    gasnet_exit(wrong != 0);
    return 0;
}
