/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Programs of two ranks whose critical path is known.
 *   known ping N     N round trips of a Short
 *   known spend NS   rank 0 computes for NS ns, then both meet in a barrier
 *   known get BYTES  rank 0 gets BYTES of rank 1 into its own segment
 */
#include <stdlib.h>
#include <string.h>

#include <fshmem.h>
#include <gasnet.h>

enum { PING = 200, PONG };

static volatile int pings, pongs;

static void ping(gasnet_token_t token)
{
    pings++;
    gasnet_AMReplyShort0(token, PONG);
}

static void pong(gasnet_token_t token)
{
    (void)token;
    pongs++;
}

static void meet(void)
{
    gasnet_barrier_notify(0, GASNET_BARRIERFLAG_ANONYMOUS);
    gasnet_barrier_wait(0, GASNET_BARRIERFLAG_ANONYMOUS);
}

int main(int argc, char **argv)
{
    gasnet_handlerentry_t table[] = {{PING, (void (*)())ping},
                                     {PONG, (void (*)())pong}};
    gasnet_seginfo_t seg[2];
    int n;

    if (gasnet_init(&argc, &argv) != GASNET_OK ||
        gasnet_attach(table, 2, 64 * GASNET_PAGESIZE, 0) != GASNET_OK ||
        argc < 3 || gasnet_nodes() != 2)
        return 2;
    gasnet_getSegmentInfo(seg, 2);
    n = atoi(argv[2]);
    if (strcmp(argv[1], "ping") == 0 && gasnet_mynode() == 0) {
        for (int i = 1; i <= n; i++) {
            gasnet_AMRequestShort0(1, PING);
            GASNET_BLOCKUNTIL(pongs == i);
        }
    } else if (strcmp(argv[1], "ping") == 0) {
        GASNET_BLOCKUNTIL(pings == n);
    } else if (strcmp(argv[1], "spend") == 0 && gasnet_mynode() == 0) {
        fshmem_spend((uint64_t)n);
    } else if (strcmp(argv[1], "get") == 0 && gasnet_mynode() == 0) {
        gasnet_get_bulk(seg[0].addr, 1, seg[1].addr, (size_t)n);
    }
    meet();
    return 0;
}
