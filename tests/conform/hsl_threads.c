/* SPDX-License-Identifier: BSD-3-Clause */
/* Mutual exclusion: threads and handlers change one counter without atomics under one
 * lock, by lock and by trylock, while messages keep coming. */
#include <sched.h>

#include "conform_threads.h"

enum { H_ADD = 128, THREADS = 4 };

static gasnet_hsl_t lock = GASNET_HSL_INITIALIZER;
static int sum, inside; /* guarded by lock */
static int handled;
static int each, sends;

static void bump(void)
{
    CHECK_EQ(inside, 0);
    inside = 1;
    sum = sum + 1;
    inside = 0;
}

static void add(gasnet_token_t token)
{
    (void)token;
    gasnet_hsl_lock(&lock);
    bump();
    gasnet_hsl_unlock(&lock);
    conf_add(&handled, 1);
}

static gasnet_handlerentry_t table[] = {{H_ADD, add}};

static void *work(void *arg)
{
    const int me = (int)(intptr_t)arg;
    for (int i = 0; i < each; i++) {
        if ((i + me) % 2) {
            gasnet_hsl_lock(&lock);
        } else {
            int r;
            while ((r = gasnet_hsl_trylock(&lock)) != GASNET_OK) {
                CHECK_EQ(r, GASNET_ERR_NOT_READY);
                sched_yield();
            }
        }
        bump();
        if (i % 64 == 0) {
            sched_yield(); /* be caught holding it */
        }
        gasnet_hsl_unlock(&lock);
        if (i < sends) {
            OK(gasnet_AMRequestShort0((gasnet_node_t)i % conf.n, H_ADD));
        }
    }
    return NULL;
}

static void *must_be_refused(void *arg)
{
    (void)arg;
    CHECK_EQ(gasnet_hsl_trylock(&lock), GASNET_ERR_NOT_READY);
    return NULL;
}

static void *must_succeed(void *arg)
{
    (void)arg;
    OK(gasnet_hsl_trylock(&lock));
    gasnet_hsl_unlock(&lock);
    return NULL;
}

int main(int argc, char **argv)
{
    struct conf_crew crew;
    conf_start("hsl_threads", &argc, &argv, table, CONF_COUNT(table), 4096);
    each = conf_iters(5000, 100);
    sends = conf_iters(400, 40) / (int)conf.n * (int)conf.n;
    sends = sends < each ? sends : each / (int)conf.n * (int)conf.n;
    gasnet_hsl_lock(&lock);
    conf_crew_start(&crew, 1, must_be_refused);
    conf_crew_join(&crew);
    gasnet_hsl_unlock(&lock);
    conf_crew_start(&crew, 1, must_succeed);
    conf_crew_join(&crew);
    conf_crew_start(&crew, THREADS, work);
    conf_crew_join(&crew);
    CONF_WAIT(handled, THREADS * sends);
    CHECK_EQ(sum, THREADS * (each + sends));
    conf_pass();
}
