/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Single puts, gets and message round trips after pauses of random length, so
 * that the other side (a simulator, a sleeping rank) is met in every state
 * between busy and asleep: none may be lost to sleep. Run as:
 * pauses [transfers] [seed]
 */
#include <gasnet.h>

#include <time.h>

enum { H_REQUEST = 128, H_REPLY };

static gasnet_seginfo_t info[64];
static int answer;

static void request(gasnet_token_t token, int value)
{
    gasnet_AMReplyShort1(token, H_REPLY, value);
}

static void reply(gasnet_token_t token, int value)
{
    (void)token;
    answer = value;
}

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

/* One transfer to `peer`; is what comes back right? */
static int transfer(gasnet_node_t peer, long i, uint64_t value)
{
    uint64_t back = value;

    if (i % 3 == 0) {
        answer = -1;
        gasnet_AMRequestShort1(peer, H_REQUEST, (int)i);
        GASNET_BLOCKUNTIL(answer != -1);
        return answer == (int)i;
    }
    gasnet_put(peer, info[peer].addr, &value, sizeof value);
    if (i % 3 == 1) {
        back = 0;
        gasnet_get(&back, peer, info[peer].addr, sizeof back);
    }
    return back == value;
}

int main(int argc, char **argv)
{
    gasnet_handlerentry_t table[] = {{H_REQUEST, request}, {H_REPLY, reply}};
    gasnet_node_t me, peer;
    unsigned seed;
    long n, wrong = 0;

    gasnet_init(&argc, &argv);
    n = argc > 1 ? atol(argv[1]) : 2000;
    seed = argc > 2 ? (unsigned)atol(argv[2]) : (unsigned)time(NULL);
    if (n < 1) {
        fprintf(stderr, "pauses: transfers: %s is no number above 0\n",
                argv[1]);
        gasnet_exit(2);
    }
    if (gasnet_attach(table, 2, GASNET_PAGESIZE, 0) != GASNET_OK)
        gasnet_exit(2);
    me = gasnet_mynode();
    peer = (me + 1) % gasnet_nodes();
    gasnet_getSegmentInfo(info, 64);
    if (me == 0)
        printf("pauses: %ld transfers a rank, seed %u\n", n, seed);
    srand(seed + me);
    barrier();
    for (long i = 0; i < n; i++) {
        int length = rand() % 16;

        /* None, a moment, up to 2 ms: around every threshold of a sleeper. */
        if (length > 12)
            pause_ns(rand() % 2000000);
        else if (length > 4)
            pause_ns(1L << length);
        wrong += !transfer(peer, i, (uint64_t)i << 8 | me);
    }
    barrier();
    if (wrong)
        fprintf(stderr, "pauses: rank %u: %ld wrong values\n", me, wrong);
    else if (me == 0)
        printf("pauses: pass\n");
    gasnet_exit(wrong != 0);
    return 0;
}
