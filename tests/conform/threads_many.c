/* SPDX-License-Identifier: BSD-3-Clause */
/* Mode PAR: 256 threads alive at once, each with a message and an explicit
 * operation of its own. Small stacks; one rank's worth at a time. */
#include "conform_threads.h"

enum { THREADS = 256, H_ASK = 128, H_ANSWER };

static int answered[THREADS];
static int alive;

static void ask(gasnet_token_t token, int thread)
{
    OK(gasnet_AMReplyShort1(token, H_ANSWER, thread));
}

static void answer(gasnet_token_t token, int thread)
{
    (void)token;
    conf_add(&answered[thread], 1);
}

static gasnet_handlerentry_t table[] = {{H_ASK, ask}, {H_ANSWER, answer}};

static void *work(void *arg)
{
    const int t = (int)(intptr_t)arg;
    const gasnet_node_t to = (conf.me + (gasnet_node_t)t) % conf.n;
    uint32_t *cell = (uint32_t *)(void *)conf_addr(to) + conf.me * THREADS + t;
    uint32_t v = (uint32_t)t + 1, back = 0;
    OK(gasnet_AMRequestShort1(to, H_ASK, t));
    gasnet_handle_t h = gasnet_put_nb(to, cell, &v, 4);
    conf_add(&alive, 1);
    GASNET_BLOCKUNTIL(conf_load(&alive) == THREADS);
    gasnet_wait_syncnb(h);
    gasnet_get(&back, to, cell, 4);
    CHECK_EQ(back, v);
    CONF_WAIT(answered[t], 1);
    return NULL;
}

int main(int argc, char **argv)
{
    static pthread_t thread[THREADS];
    pthread_attr_t attr;
    conf_init("threads_many", &argc, &argv);
    conf_attach(table, CONF_COUNT(table), (uintptr_t)conf.n * THREADS * 4);
    conf_barrier();
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, 128 << 10);
    for (gasnet_node_t turn = 0; turn < conf.n; turn++) {
        for (int t = 0; turn == conf.me && t < THREADS; t++) {
            CHECK_EQ(
                pthread_create(&thread[t], &attr, work, (void *)(intptr_t)t),
                0);
        }
        for (int t = 0; turn == conf.me && t < THREADS; t++) {
            CHECK_EQ(pthread_join(thread[t], NULL), 0);
        }
        conf_barrier();
    }
    conf_pass();
}
