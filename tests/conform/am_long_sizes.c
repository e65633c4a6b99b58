/* SPDX-License-Identifier: BSD-3-Clause */
/* Long and LongAsync payloads around packet sizes, pages and the limits, at
 * any alignment of source and destination: the payload is in place when the
 * handler runs, and no adjacent byte is written. */
#include "conform.h"

enum { H_REQUEST = 128, H_REPLY = 129 };
enum { GUARD = 64, AREA_MAX = 1 << 17, REPLY_MAX = 32768 };
enum { ZONE = AREA_MAX + 2 * GUARD + 4096 };

static int answers;
static unsigned char *outbox;

/* Zones for the three that may write here: self, left, right; behind them one
 * each for their replies, which are cut to REPLY_MAX. */
static size_t zone(int which)
{
    return (size_t)which * ZONE;
}

static size_t reply_zone(int which)
{
    return (size_t)3 * ZONE + (size_t)which * (REPLY_MAX + 2 * GUARD + 4096);
}

static void check_guards(const unsigned char *p, size_t n)
{
    CHECK_BYTES(p - GUARD, GUARD, 0xa5);
    CHECK_BYTES(p + n, GUARD, 0xa5);
}

static void request(gasnet_token_t token, void *buf, size_t n, int size,
                    int key, int which, int offset)
{
    unsigned char *p = (unsigned char *)buf;
    gasnet_node_t from;
    OK(gasnet_AMGetMsgSource(token, &from));
    CHECK_EQ(n, size);
    CHECK(p == conf_addr(conf.me) + zone(which) + GUARD + offset,
          "handler got %p", buf);
    CHECK_FILL(p, n, (unsigned)key);
    check_guards(p, n);
    /* Clean up before the reply: it may bring the next Long at once. */
    const size_t back = n < REPLY_MAX ? n : REPLY_MAX;
    unsigned char *copy = conf_addr(conf.me) + reply_zone(3) + offset % 16;
    memcpy(copy, p, back);
    memset(p, 0xa5, n);
    OK(gasnet_AMReplyLong3(token, H_REPLY, copy, back,
                           conf_addr(from) + reply_zone(which) + GUARD + offset,
                           (int)back, key, which));
}

static void reply(gasnet_token_t token, void *buf, size_t n, int size, int key,
                  int which)
{
    unsigned char *p = (unsigned char *)buf;
    (void)token;
    (void)which;
    CHECK_EQ(n, size);
    CHECK_FILL(p, n, (unsigned)key);
    check_guards(p, n);
    memset(p, 0xa5, n);
    conf_add(&answers, 1);
}

static gasnet_handlerentry_t table[] = {{H_REQUEST, request}, {H_REPLY, reply}};

static void echo(int which, gasnet_node_t to, size_t n, size_t src, int offset)
{
    static int turn;
    const int before = conf_load(&answers);
    const int key = (int)(n % 1000) + offset + (int)conf.me;
    if (n > gasnet_AMMaxLongRequest() || n > AREA_MAX) {
        return;
    }
    conf_fill(outbox + src, n, (unsigned)key);
    unsigned char *dst = conf_addr(to) + zone(which) + GUARD + offset;
    if (turn++ % 2) {
        OK(gasnet_AMRequestLongAsync4(to, H_REQUEST, outbox + src, n, dst,
                                      (int)n, key, which, offset));
    } else {
        OK(gasnet_AMRequestLong4(to, H_REQUEST, outbox + src, n, dst, (int)n,
                                 key, which, offset));
    }
    CONF_WAIT(answers, before + 1);
}

static void sweep(int which, gasnet_node_t to)
{
    static const size_t edges[] = {64,   128,  256,  480,   512,   1024,
                                   2048, 4096, 8192, 16384, 65536, 100000};
    for (size_t n = 0; n <= 18; n++) {
        echo(which, to, n, (n * 5) % 16, (int)((n * 3) % 16));
    }
    for (int e = 0; e < CONF_COUNT(edges); e++) {
        echo(which, to, edges[e] - 1, 0, e % 16);
        echo(which, to, edges[e], 0, 0);
        echo(which, to, edges[e] + 1, (size_t)(e % 16), 0);
        echo(which, to, edges[e], (size_t)(7 * e % 16), 11 * e % 16);
    }
    for (int a = 0; a < 16; a++) { /* all alignments of one size */
        echo(which, to, 1000, (size_t)(a * 7 % 16), 4096 - GUARD - 8 + a);
    }
}

int main(int argc, char **argv)
{
    conf_start("am_long_sizes", &argc, &argv, table, CONF_COUNT(table),
               reply_zone(4));
    outbox = (unsigned char *)malloc(AREA_MAX + 64);
    CHECK(outbox != NULL, "malloc");
    memset(conf_addr(conf.me), 0xa5, reply_zone(3));
    conf_barrier();
    sweep(0, conf.me);
    if (conf.n > 1) {
        sweep(1, (conf.me + 1) % conf.n);
    }
    if (conf.n > 2) {
        sweep(2, (conf.me + conf.n - 1) % conf.n);
    }
    conf_pass();
}
