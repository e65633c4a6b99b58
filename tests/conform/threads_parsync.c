/* SPDX-License-Identifier: BSD-3-Clause */
/* Mode PARSYNC: several threads use GASNet, one at a time, serialised by the
 * client's own lock; handles are not passed between threads, implicit
 * operations belong to the thread. */
#include "conform_threads.h"

#if !GASNET_PARSYNC
#error "this program is for mode PARSYNC"
#endif

enum { H_ASK = 128, H_ANSWER, THREADS = 4 };

static pthread_mutex_t client_lock = PTHREAD_MUTEX_INITIALIZER;
static int answers, laps;

static void ask(gasnet_token_t token, int v)
{
    OK(gasnet_AMReplyShort1(token, H_ANSWER, v));
}

static void answer(gasnet_token_t token, int v)
{
    (void)token;
    CHECK_EQ(v, -9);
    conf_add(&answers, 1);
}

static gasnet_handlerentry_t table[] = {{H_ASK, ask}, {H_ANSWER, answer}};

static void *work(void *arg)
{
    const int t = (int)(intptr_t)arg;
    for (int i = 0; i < laps; i++) {
        const gasnet_node_t to = (gasnet_node_t)(i + t) % conf.n;
        uint32_t *cell =
            (uint32_t *)(void *)conf_addr(to) + conf.me * THREADS + t;
        uint32_t v = (uint32_t)(i * THREADS + t), back = 0;
        pthread_mutex_lock(&client_lock);
        const int before = conf_load(&answers);
        OK(gasnet_AMRequestShort1(to, H_ASK, -9));
        gasnet_put_nbi(to, cell, &v, 4);
        pthread_mutex_unlock(&client_lock);
        pthread_mutex_lock(&client_lock);
        gasnet_wait_syncnbi_puts();
        gasnet_wait_syncnb(gasnet_get_nb(&back, to, cell, 4));
        CHECK_EQ(back, v);
        GASNET_BLOCKUNTIL(conf_load(&answers) > before);
        pthread_mutex_unlock(&client_lock);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    struct conf_crew crew;
    conf_start("threads_parsync", &argc, &argv, table, CONF_COUNT(table), 4096);
    laps = conf_iters(500, 8);
    conf_crew_start(&crew, THREADS, work);
    conf_crew_join(&crew);
    CONF_WAIT(answers, laps * THREADS);
    conf_pass();
}
