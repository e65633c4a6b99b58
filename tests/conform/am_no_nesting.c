/* SPDX-License-Identifier: BSD-3-Clause */
/* Handlers of one thread do not nest, with one exception: a reply handler may
 * run inside the AMReply call of a request handler. None runs from a signal,
 * that is while the program is outside GASNet. */
#include "conform.h"

enum { H_REQUEST = 128, H_REPLY, H_DONE };

static int in_request, in_reply, in_reply_call, outside;
static int requests, replies, done;

static void request(gasnet_token_t token, int last)
{
    CHECK_EQ(outside, 0);
    CHECK_EQ(in_request, 0);
    CHECK_EQ(in_reply, 0);
    in_request = 1;
    in_reply_call = 1;
    OK(gasnet_AMReplyShort1(token, H_REPLY, last));
    in_reply_call = 0;
    in_request = 0;
    conf_add(&requests, 1);
}

static void reply(gasnet_token_t token, int last)
{
    (void)token;
    (void)last;
    CHECK_EQ(outside, 0);
    CHECK_EQ(in_reply, 0);
    CHECK(!in_request || in_reply_call, "reply handler inside a handler");
    in_reply = 1;
    conf_add(&replies, 1);
    in_reply = 0;
}

static void finished(gasnet_token_t token)
{
    (void)token;
    conf_add(&done, 1);
}

static gasnet_handlerentry_t table[] = {
    {H_REQUEST, request}, {H_REPLY, reply}, {H_DONE, finished}};

int main(int argc, char **argv)
{
    conf_start("am_no_nesting", &argc, &argv, table, CONF_COUNT(table), 4096);
    const int each = conf_iters(1000, 40);
    for (int i = 0; i < each; i++) {
        for (gasnet_node_t k = 0; k < conf.n; k++) {
            OK(gasnet_AMRequestShort1((conf.me + k) % conf.n, H_REQUEST, i));
        }
        __atomic_store_n(&outside, 1, __ATOMIC_SEQ_CST);
        for (volatile int spin = 0; spin < 1000; spin++) {}
        __atomic_store_n(&outside, 0, __ATOMIC_SEQ_CST);
    }
    CONF_WAIT(replies, each * (int)conf.n);
    CONF_WAIT(requests, each * (int)conf.n);
    for (gasnet_node_t to = 0; to < conf.n; to++) {
        OK(gasnet_AMRequestShort0(to, H_DONE));
    }
    CONF_WAIT(done, (int)conf.n);
    conf_pass();
}
