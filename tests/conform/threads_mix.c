/* SPDX-License-Identifier: BSD-3-Clause */
/* Mode PAR: several threads per rank, each doing random puts, gets, value
 * transfers and active messages (with replies that carry the data back) on
 * its own cells at every rank, compared with a shadow copy; sizes around the limits. */
#include "conform_threads.h"

enum { THREADS = 4, CELL = 8192 };
enum { H_ECHO = 128, H_BACK, H_STORE, H_STORED };

/* What the thread waits for; replies name it by number. */
static struct waiter {
    int arrived;
    int sent;
    unsigned key;
} waiter[THREADS];
static int laps;

static unsigned char *cell(gasnet_node_t at, gasnet_node_t owner, int thread)
{
    return conf_addr(at) + ((size_t)owner * THREADS + (size_t)thread) * CELL;
}

static void echo(gasnet_token_t token, void *buf, size_t n, int thread, int key)
{
    CHECK_FILL(buf, n, (unsigned)key);
    OK(gasnet_AMReplyMedium2(token, H_BACK, buf, n, thread, key));
}

static void back(gasnet_token_t token, void *buf, size_t n, int thread, int key)
{
    (void)token;
    CHECK_FILL(buf, n, (unsigned)key);
    conf_add(&waiter[thread].arrived, 1);
}

static void store(gasnet_token_t token, void *buf, size_t n, int thread,
                  int key)
{
    gasnet_node_t from;
    OK(gasnet_AMGetMsgSource(token, &from));
    CHECK(buf == cell(conf.me, from, thread), "stored at %p", buf);
    CHECK_FILL(buf, n, (unsigned)key);
    OK(gasnet_AMReplyShort1(token, H_STORED, thread));
}

static void stored(gasnet_token_t token, int thread)
{
    (void)token;
    conf_add(&waiter[thread].arrived, 1);
}

static gasnet_handlerentry_t table[] = {
    {H_ECHO, echo}, {H_BACK, back}, {H_STORE, store}, {H_STORED, stored}};

static void messages(int t, struct conf_rng *rng, gasnet_node_t to,
                     unsigned char *buf)
{
    struct waiter *w = &waiter[t];
    const size_t medium = gasnet_AMMaxMedium();
    const size_t room = medium < CELL ? medium : CELL;
    size_t n = conf_length(rng, room);
    const int key = (int)conf_below(rng, 5000);
    if (conf_below(rng, 8) == 0) {
        n = room - conf_below(rng, 2);
    }
    conf_fill(buf, n, (unsigned)key);
    if (conf_below(rng, 2)) {
        OK(gasnet_AMRequestMedium2(to, H_ECHO, buf, n, t, key));
    } else {
        OK(gasnet_AMRequestLong2(to, H_STORE, buf, n, cell(to, conf.me, t), t,
                                 key));
    }
    w->sent++;
    CONF_WAIT(w->arrived, w->sent);
}

static void transfers(int t, struct conf_rng *rng, gasnet_node_t to,
                      unsigned char *buf)
{
    unsigned char *got = buf + CELL;
    const size_t n = conf_length(rng, CELL - 16);
    unsigned char *far = cell(to, conf.me, t) + conf_below(rng, 16);
    const unsigned key = (unsigned)conf_below(rng, 5000);
    conf_fill(buf, n, key);
    switch (conf_below(rng, 4)) {
    case 0:
        gasnet_put(to, far, buf, n);
        break;
    case 1:
        gasnet_wait_syncnb(gasnet_put_nb_bulk(to, far, buf, n));
        break;
    case 2:
        gasnet_put_nbi(to, far, buf, n);
        gasnet_wait_syncnbi_puts();
        break;
    default:
        gasnet_begin_nbi_accessregion();
        gasnet_put_nbi_bulk(to, far, buf, n);
        gasnet_wait_syncnb(gasnet_end_nbi_accessregion());
    }
    memset(got, 0, n);
    switch (conf_below(rng, 3)) {
    case 0:
        gasnet_get(got, to, far, n);
        break;
    case 1:
        gasnet_wait_syncnb(gasnet_get_nb(got, to, far, n));
        break;
    default:
        gasnet_get_nbi_bulk(got, to, far, n);
        gasnet_wait_syncnbi_gets();
    }
    CHECK_FILL(got, n, key);
    if (n >= 8) {
        gasnet_put_val(to, far, key, 8);
        CHECK_EQ(gasnet_get_val(to, far, 8), key);
    }
}

static void *work(void *arg)
{
    const int t = (int)(intptr_t)arg;
    struct conf_rng rng = conf_rng(conf.me * 1000u + (unsigned)t);
    unsigned char *buf = (unsigned char *)malloc(2 * CELL);
    CHECK(buf != NULL, "malloc");
    for (int i = 0; i < laps; i++) {
        const gasnet_node_t to = (gasnet_node_t)conf_below(&rng, conf.n);
        if (conf_below(&rng, 2)) {
            messages(t, &rng, to, buf);
        } else {
            transfers(t, &rng, to, buf);
        }
    }
    free(buf);
    return NULL;
}

int main(int argc, char **argv)
{
    struct conf_crew crew;
    conf_init("threads_mix", &argc, &argv);
    conf_attach(table, CONF_COUNT(table), (uintptr_t)conf.n * THREADS * CELL);
    conf_barrier();
    laps = conf_iters(500, 10);
    conf_crew_start(&crew, THREADS, work);
    conf_crew_join(&crew);
    conf_pass();
}
