/* SPDX-License-Identifier: BSD-3-Clause */
/* One Long request and one Long reply of the largest size the limits allow
 * (at most 64 MiB). */
#include "conform.h"

enum { H_REQUEST = 128, H_REPLY = 129 };

static int answers;
static size_t request_max, reply_max;

static void request(gasnet_token_t token, void *buf, size_t n, int key)
{
    CHECK_EQ(n, request_max);
    CHECK_FILL(buf, n, (unsigned)key);
    OK(gasnet_AMReplyLong1(token, H_REPLY, buf, reply_max, conf_addr(0), key));
}

static void reply(gasnet_token_t token, void *buf, size_t n, int key)
{
    (void)token;
    CHECK_EQ(n, reply_max);
    CHECK_FILL(buf, n, (unsigned)key);
    conf_add(&answers, 1);
}

static gasnet_handlerentry_t table[] = {{H_REQUEST, request}, {H_REPLY, reply}};

int main(int argc, char **argv)
{
    const size_t cap = (size_t)64 << 20;
    conf_init("am_long_max", &argc, &argv);
    request_max = gasnet_AMMaxLongRequest();
    reply_max = gasnet_AMMaxLongReply();
    request_max = request_max < cap ? request_max : cap;
    reply_max = reply_max < request_max ? reply_max : request_max;
    conf_attach(table, CONF_COUNT(table), request_max);
    conf_barrier();
    if (conf.me == 0) {
        unsigned char *out = (unsigned char *)malloc(request_max);
        CHECK(out != NULL, "malloc of %zu", request_max);
        conf_fill(out, request_max, 77);
        OK(gasnet_AMRequestLong1(conf.n - 1, H_REQUEST, out, request_max,
                                 conf_addr(conf.n - 1), 77));
        memset(out, 0, request_max);
        CONF_WAIT(answers, 1);
    }
    conf_pass();
}
