/* SPDX-License-Identifier: BSD-3-Clause */
/* Requests of a rank to itself, of all categories and sizes, with a reply: each
 * handler runs once, on an aligned payload of its own that it may write to, and
 * handlers do not nest, except the reply handler. With the argument "now" the
 * handlers must have run when the request returns, and the reply's when the
 * reply does: conduits that need no device for it guarantee that. */
#include "conform.h"

enum { H_SHORT = 128, H_MEDIUM, H_LONG, H_REPLY, H_MEDIUM_REPLY, H_LONG_REPLY };

static int now, running, requests, replies;
static unsigned char *source, *reply_source;
static size_t most;

static void expect(const int *counter, int n)
{
    if (now) {
        CHECK_EQ(conf_load(counter), n);
    } else {
        GASNET_BLOCKUNTIL(conf_load(counter) >= n);
    }
}

static void enter(gasnet_token_t token, int depth)
{
    gasnet_node_t from = conf.n;

    OK(gasnet_AMGetMsgSource(token, &from));
    CHECK_EQ(from, conf.me);
    CHECK_EQ(running, depth);
    running++;
}

/* It may not run at once where its message goes through a device. */
static void enter_reply(gasnet_token_t token)
{
    CHECK(!now || running == 1, "%d handlers run", running);
    enter(token, running);
}

static void replied(int before)
{
    if (now) {
        CHECK_EQ(conf_load(&replies), before + 1);
    }
    running--;
    conf_add(&requests, 1);
}

static void short_request(gasnet_token_t token, int a, int b)
{
    const int before = conf_load(&replies);

    enter(token, 0);
    OK(gasnet_AMReplyShort2(token, H_REPLY, a, b));
    replied(before);
}

static void on_reply(gasnet_token_t token, int a, int b)
{
    enter_reply(token);
    CHECK_EQ(b, -a);
    running--;
    conf_add(&replies, 1);
}

/* Overwrite the payload, which is nobody else's. */
static void check_payload(void *buf, size_t n, unsigned key,
                          const unsigned char *from)
{
    CHECK((uintptr_t)buf % 8 == 0 && buf != from, "at %p", buf);
    CHECK_FILL(buf, n, key);
    memset(buf, 0xee, n);
}

static void medium_request(gasnet_token_t token, void *buf, size_t n, int key)
{
    const int before = conf_load(&replies);

    enter(token, 0);
    check_payload(buf, n, (unsigned)key, source);
    conf_fill(reply_source, n, (unsigned)key + 1);
    conf_fill(buf, n, (unsigned)key);
    OK(gasnet_AMReplyMedium1(token, H_MEDIUM_REPLY, reply_source, n, key + 1));
    CHECK_FILL(reply_source, n, (unsigned)key + 1);
    CHECK_FILL(buf, n, (unsigned)key);
    replied(before);
}

static void medium_reply(gasnet_token_t token, void *buf, size_t n, int key)
{
    enter_reply(token);
    check_payload(buf, n, (unsigned)key, reply_source);
    running--;
    conf_add(&replies, 1);
}

static void long_request(gasnet_token_t token, void *buf, size_t n, int key)
{
    const int before = conf_load(&replies);

    enter(token, 0);
    CHECK(buf == conf_addr(conf.me) + 3, "at %p", buf);
    CHECK_FILL(buf, n, (unsigned)key);
    OK(gasnet_AMReplyLong1(token, H_LONG_REPLY, buf, n,
                           conf_addr(conf.me) + most + 16, key));
    replied(before);
}

static void long_reply(gasnet_token_t token, void *buf, size_t n, int key)
{
    enter_reply(token);
    CHECK(buf == conf_addr(conf.me) + most + 16, "at %p", buf);
    CHECK_FILL(buf, n, (unsigned)key);
    running--;
    conf_add(&replies, 1);
}

static gasnet_handlerentry_t table[] = {
    {H_SHORT, short_request},       {H_MEDIUM, medium_request},
    {H_LONG, long_request},         {H_REPLY, on_reply},
    {H_MEDIUM_REPLY, medium_reply}, {H_LONG_REPLY, long_reply}};

static void size(size_t n, int key)
{
    const int before = conf_load(&requests), answers = conf_load(&replies);
    unsigned char *seg = conf_addr(conf.me);

    conf_fill(source, n, (unsigned)key);
    OK(gasnet_AMRequestShort2(conf.me, H_SHORT, key, -key));
    expect(&requests, before + 1);
    OK(gasnet_AMRequestMedium1(conf.me, H_MEDIUM, source, n, key));
    CHECK_FILL(source, n, (unsigned)key);
    expect(&requests, before + 2);
    OK(gasnet_AMRequestLong1(conf.me, H_LONG, source, n, seg + 3, key));
    expect(&requests, before + 3);
    expect(&replies, answers + 3);
    /* In place. */
    conf_fill(seg + 3, n, (unsigned)key + 5);
    OK(gasnet_AMRequestLong1(conf.me, H_LONG, seg + 3, n, seg + 3, key + 5));
    expect(&requests, before + 4);
    OK(gasnet_AMRequestLongAsync1(conf.me, H_LONG, seg + 3, n, seg + 3,
                                  key + 5));
    expect(&requests, before + 5);
    expect(&replies, answers + 5);
    CHECK_FILL(seg + most + 16, n, (unsigned)key + 5);
}

int main(int argc, char **argv)
{
    static const size_t sizes[] = {0, 1, 8, 31, 32, 33, 511, 512, 513, 4096};

    for (int i = 1; i < argc; i++) {
        now |= strcmp(argv[i], "now") == 0;
    }
    conf_init("am_loopback", &argc, &argv);
    most = gasnet_AMMaxMedium();
    conf_attach(table, CONF_COUNT(table), 2 * (most + 16));
    source = (unsigned char *)malloc(most);
    reply_source = (unsigned char *)malloc(most);
    CHECK(source && reply_source, "malloc");
    conf_barrier();
    const int rounds = conf_iters(50, 2);
    for (int i = 0; i < rounds; i++) {
        for (int s = 0; s < CONF_COUNT(sizes); s++) {
            if (sizes[s] <= most) {
                size(sizes[s], i + s);
            }
        }
        if (i % 10 == 0) {
            size(most, i);
        }
    }
    conf_barrier();
    conf_pass();
}
