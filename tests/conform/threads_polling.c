/* SPDX-License-Identifier: BSD-3-Clause */
/* Mode PAR: one thread only polls, the others wait in BLOCKUNTIL or
 * send; a handler that the polling thread runs ends the others' waits; a flag
 * set by a thread does, too; notify and wait may be on different threads. */
#include "conform_threads.h"

enum { H_ASK = 128, H_ANSWER, WAITERS = 3 };

static int answers[WAITERS];
static int stop, laps, flag;

static void ask(gasnet_token_t token, int thread)
{
    OK(gasnet_AMReplyShort1(token, H_ANSWER, thread));
}

static void answer(gasnet_token_t token, int thread)
{
    (void)token;
    conf_add(&answers[thread], 1);
}

static gasnet_handlerentry_t table[] = {{H_ASK, ask}, {H_ANSWER, answer}};

static void *poll(void *arg)
{
    (void)arg;
    while (conf_load(&stop) == 0) {
        OK(gasnet_AMPoll());
        usleep(50);
    }
    return NULL;
}

static void *wait_for_answers(void *arg)
{
    const int t = (int)(intptr_t)arg;
    for (int i = 1; i <= laps; i++) {
        OK(gasnet_AMRequestShort1((gasnet_node_t)(i + t) % conf.n, H_ASK, t));
        CONF_WAIT(answers[t], i);
    }
    return NULL;
}

static void *set_flag(void *arg)
{
    (void)arg;
    usleep(1000);
    conf_add(&flag, 1);
    return NULL;
}

static void *notify(void *arg)
{
    (void)arg;
    gasnet_barrier_notify(5, 0);
    return NULL;
}

int main(int argc, char **argv)
{
    struct conf_crew poller, waiters, other;
    conf_start("threads_polling", &argc, &argv, table, CONF_COUNT(table), 4096);
    laps = conf_iters(500, 10);
    conf_crew_start(&poller, 1, poll);
    conf_crew_start(&waiters, WAITERS, wait_for_answers);
    conf_crew_join(&waiters);
    conf_crew_start(&other, 1, set_flag);
    GASNET_BLOCKUNTIL(conf_load(&flag) == 1);
    conf_crew_join(&other);
    conf_crew_start(&other, 1, notify);
    conf_crew_join(&other);
    OK(gasnet_barrier_wait(5, 0));
    conf_barrier();
    conf_add(&stop, 1);
    conf_crew_join(&poller);
    conf_pass();
}
