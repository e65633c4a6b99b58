/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A message whose packets take several paths is one message: a Long's handler runs once,
 * when all bytes have arrived, however different the latencies of the paths; and
 * completed puts are visible before later messages. Each rank sends to each; meanwhile
 * it streams puts to the next one, so that some paths are slower than others. The
 * destination of a message holds the bytes of the previous one, so a handler that runs
 * early sees those.
 * usage: whole_message ROUNDS [--seed S]
 */
#include "../conform/conform.h"

enum { H_LONG = 128, H_BACK, H_AFTER, H_ANSWER };
enum { SLOT = 80 << 10, MOST = 64 << 10, STREAM = 32 << 10 };

static int longs, backs, afters, answers;

/* Slots of a rank by source: Longs, answers with payload, puts; where streams go. */
static unsigned char *slot(gasnet_node_t rank, unsigned which, gasnet_node_t by)
{
    return conf_addr(rank) + ((size_t)which * conf.n + by) * SLOT;
}

static unsigned char *stream_at(gasnet_node_t rank, unsigned which)
{
    return slot(rank, 3, 0) + (size_t)which * STREAM;
}

static void on_long(gasnet_token_t token, void *data, size_t bytes, int key)
{
    gasnet_node_t from;

    OK(gasnet_AMGetMsgSource(token, &from));
    CHECK_FILL(data, bytes, (unsigned)key);
    conf_add(&longs, 1);
    OK(gasnet_AMReplyLong1(token, H_BACK, data, bytes, slot(from, 1, conf.me),
                           key));
}

static void on_back(gasnet_token_t token, void *data, size_t bytes, int key)
{
    (void)token;
    CHECK_FILL(data, bytes, (unsigned)key);
    conf_add(&backs, 1);
}

static void on_after(gasnet_token_t token, int bytes, int key)
{
    gasnet_node_t from;

    OK(gasnet_AMGetMsgSource(token, &from));
    CHECK_FILL(slot(conf.me, 2, from), (size_t)bytes, (unsigned)key);
    conf_add(&afters, 1);
    OK(gasnet_AMReplyShort0(token, H_ANSWER));
}

static void on_answer(gasnet_token_t token)
{
    (void)token;
    conf_add(&answers, 1);
}

static void stream(void)
{
    gasnet_node_t next = (conf.me + 1) % conf.n;

    gasnet_put_nbi_bulk(next, stream_at(next, 0), stream_at(conf.me, 1),
                        STREAM);
}

/* Payloads that are not whole packets at either end. */
static void send_to(gasnet_node_t to, struct conf_rng *rng)
{
    static unsigned char *text;
    size_t bytes = MOST / 2 + conf_below(rng, MOST / 2);
    int key = (int)(conf_next(rng) % 65521), sent = conf_load(&backs),
        told = conf_load(&answers);
    gasnet_handle_t put;

    text = text ? text : (unsigned char *)malloc(MOST);
    CHECK(text != NULL, "malloc");
    conf_fill(text, bytes, (unsigned)key);
    stream();
    OK(gasnet_AMRequestLong1(to, H_LONG, text, bytes, slot(to, 0, conf.me),
                             key));
    CONF_WAIT(backs, sent + 1);
    stream();
    put = gasnet_put_nb_bulk(to, slot(to, 2, conf.me), text, bytes);
    gasnet_wait_syncnb(put);
    OK(gasnet_AMRequestShort2(to, H_AFTER, (int)bytes, key));
    CONF_WAIT(answers, told + 1);
    memset(text, 0, bytes);
    gasnet_get_bulk(text, to, slot(to, 2, conf.me), bytes);
    CHECK_FILL(text, bytes, (unsigned)key);
}

int main(int argc, char **argv)
{
    gasnet_handlerentry_t table[] = {{H_LONG, on_long},
                                     {H_BACK, on_back},
                                     {H_AFTER, on_after},
                                     {H_ANSWER, on_answer}};
    struct conf_rng rng;
    int rounds;

    conf_init("whole_message", &argc, &argv);
    rounds = argc > 1 ? atoi(argv[1]) : 1;
    conf_attach(table, CONF_COUNT(table),
                3 * (size_t)conf.n * SLOT + 2 * STREAM);
    rng = conf_rng(conf.me);
    conf_barrier();
    for (int round = 0; round < rounds; round++)
        for (gasnet_node_t i = 0; i < conf.n; i++)
            send_to((conf.me + 1 + i) % conf.n, &rng);
    gasnet_wait_syncnbi_puts();
    conf_barrier();
    CHECK_EQ(longs, rounds * (int)conf.n);
    CHECK_EQ(afters, rounds * (int)conf.n);
    conf_pass();
}
