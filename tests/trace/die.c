/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * die N: rank 1 puts N times to rank 0, and is then killed. die 0: all ranks put and
 * send messages until they are killed.
 */
#include <signal.h>
#include <stdlib.h>

#include <gasnet.h>

enum { PING = 200, PONG };

static void ping(gasnet_token_t token)
{
    gasnet_AMReplyShort0(token, PONG);
}

static volatile unsigned pongs;

static void pong(gasnet_token_t token)
{
    (void)token;
    pongs++;
}

static void put(unsigned node, unsigned n)
{
    gasnet_seginfo_t *seg = calloc(gasnet_nodes(), sizeof *seg);
    char data[8] = {0};

    if (seg == NULL)
        abort();
    gasnet_getSegmentInfo(seg, (int)gasnet_nodes());
    for (unsigned i = 0; i < n; i++)
        gasnet_put_bulk(node, seg[node].addr, data, sizeof data);
    free(seg);
}

int main(int argc, char **argv)
{
    gasnet_handlerentry_t table[] = {{PING, (void (*)())ping},
                                     {PONG, (void (*)())pong}};
    unsigned n;

    if (gasnet_init(&argc, &argv) != GASNET_OK ||
        gasnet_attach(table, 2, GASNET_PAGESIZE, 0) != GASNET_OK || argc < 2)
        return 2;
    n = (unsigned)atoi(argv[1]);
    if (n != 0) {
        if (gasnet_mynode() == 1) {
            put(0, n);
            raise(SIGKILL);
        }
        GASNET_BLOCKUNTIL(pongs > 0);
    }
    for (unsigned sent = 1;; sent++) {
        unsigned next = (gasnet_mynode() + 1) % gasnet_nodes();

        put(next, 10);
        gasnet_AMRequestShort0(next, PING);
        GASNET_BLOCKUNTIL(pongs == sent);
    }
}
