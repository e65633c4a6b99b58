/* SPDX-License-Identifier: BSD-3-Clause */
/* A GASNet program as its users write them: handlers without a cast, plain int
 * arguments. Every rank floods every rank with Mediums and Shorts whose handlers
 * reply in kind; rank 0 is slow. */
#include <gasnet.h>
#include <stdio.h>
#include <unistd.h>

#define ROUNDS 60
enum { REQUEST = 201, REPLY, SHORT_REQUEST, SHORT_REPLY };
static char buf[4096];
static int requests, replies, wrong;

void request(gasnet_token_t token, void *data, size_t n, int round, int size)
{
    requests++;
    if (gasnet_mynode() == 0 && round % 20 == 0)
        usleep(1000);
    gasnet_AMReplyMedium2(token, REPLY, data, n, -round, size);
}

void reply(gasnet_token_t token, void *data, size_t n, int round, int size)
{
    (void)token, (void)data;
    replies++;
    wrong += round > 0 || n != (size_t)size;
}

void short_request(gasnet_token_t token, int round)
{
    requests++;
    gasnet_AMReplyShort1(token, SHORT_REPLY, -round);
}

void short_reply(gasnet_token_t token, int round)
{
    (void)token;
    replies++;
    wrong += round > 0;
}

static void send(gasnet_node_t node, int round, int most)
{
    int size = round % 3 ? 16 : most;

    if (round % 3 == 1)
        gasnet_AMRequestShort1(node, SHORT_REQUEST, round);
    else
        gasnet_AMRequestMedium2(node, REQUEST, buf, size, round, size);
}

int main(int argc, char **argv)
{
    gasnet_handlerentry_t table[] = {{REQUEST, request},
                                     {REPLY, reply},
                                     {SHORT_REQUEST, short_request},
                                     {SHORT_REPLY, short_reply}};
    unsigned node, all;
    int most;

    if (gasnet_init(&argc, &argv) != GASNET_OK ||
        gasnet_attach(table, 4, GASNET_PAGESIZE, 0) != GASNET_OK)
        return 1;
    all = ROUNDS * gasnet_nodes();
    most = gasnet_AMMaxMedium() < sizeof buf ? (int)gasnet_AMMaxMedium()
                                             : (int)sizeof buf;
    for (int i = 0; i < ROUNDS; i++)
        for (node = 0; node < gasnet_nodes(); node++)
            send(node, i, most);
    GASNET_BLOCKUNTIL(replies == (int)all);
    gasnet_barrier_notify(0, GASNET_BARRIERFLAG_ANONYMOUS);
    gasnet_barrier_wait(0, GASNET_BARRIERFLAG_ANONYMOUS);
    if (gasnet_mynode() == 0)
        printf("flood: %u requests, %d replies, %d wrong\n", requests, replies,
               wrong);
    gasnet_exit(0);
    return 0;
}
