/* SPDX-License-Identifier: BSD-3-Clause */
/* Mode PAR: a thread sends a request to its own rank and then waits for another
 * thread without a GASNet call; that thread waits for the effect of the handler, in
 * a loop of puts, gets or empty syncs, or in GASNET_BLOCKUNTIL. */
#include "conform_threads.h"

enum { H_FLAG = 128, WAYS = 4 };

static int flag, rounds;
static pthread_barrier_t gate;

static void raise_flag(gasnet_token_t token)
{
    (void)token;
    conf_add(&flag, 1);
}

static gasnet_handlerentry_t table[] = {{H_FLAG, raise_flag}};

static void wait_for(int want, int how)
{
    const gasnet_node_t peer = (conf.me + 1) % conf.n;
    unsigned char *there = conf_addr(peer) + how * 8, here[8] = {0};

    switch (how) {
    case 0:
        while (conf_load(&flag) < want) {
            gasnet_put(peer, there, here, sizeof here);
        }
        break;
    case 1:
        while (conf_load(&flag) < want) {
            gasnet_wait_syncnb(gasnet_get_nb(here, peer, there, sizeof here));
        }
        break;
    case 2:
        while (conf_load(&flag) < want) {
            gasnet_wait_syncnb(GASNET_INVALID_HANDLE);
        }
        break;
    default:
        CONF_WAIT(flag, want);
    }
}

static void *waiter(void *arg)
{
    for (int i = 1; i <= rounds; i++) {
        pthread_barrier_wait(&gate);
        wait_for(i, i % WAYS);
        pthread_barrier_wait(&gate);
    }
    return arg;
}

int main(int argc, char **argv)
{
    struct conf_crew crew;

    conf_start("threads_loopback", &argc, &argv, table, CONF_COUNT(table),
               4096);
    rounds = conf_iters(200, 5);
    CHECK_EQ(pthread_barrier_init(&gate, NULL, 2), 0);
    conf_crew_start(&crew, 1, waiter);
    for (int i = 0; i < rounds; i++) {
        pthread_barrier_wait(&gate);
        OK(gasnet_AMRequestShort0(conf.me, H_FLAG));
        pthread_barrier_wait(&gate); /* of the client: it calls nothing */
    }
    conf_crew_join(&crew);
    conf_barrier();
    conf_pass();
}
