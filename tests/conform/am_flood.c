/* SPDX-License-Identifier: BSD-3-Clause */
/* No deadlock: all ranks flood all ranks with Mediums whose handlers reply with
 * Mediums, without waiting for anything, until every buffer is full. */
#include "conform.h"

enum { H_REQUEST = 128, H_REPLY = 129 };

static int requests, replies;

static void request(gasnet_token_t token, void *buf, size_t n, int key)
{
    CHECK_FILL(buf, n, (unsigned)key);
    conf_add(&requests, 1);
    OK(gasnet_AMReplyMedium1(token, H_REPLY, buf, n, key));
}

static void reply(gasnet_token_t token, void *buf, size_t n, int key)
{
    (void)token;
    CHECK_FILL(buf, n, (unsigned)key);
    conf_add(&replies, 1);
}

static gasnet_handlerentry_t table[] = {{H_REQUEST, request}, {H_REPLY, reply}};

int main(int argc, char **argv)
{
    conf_start("am_flood", &argc, &argv, table, CONF_COUNT(table), 4096);
    struct conf_rng rng = conf_rng(conf.me);
    const size_t max = gasnet_AMMaxMedium();
    unsigned char *out = (unsigned char *)malloc(max);
    CHECK(out != NULL, "malloc");
    const int each = conf_iters(150, 40);
    for (int i = 0; i < each; i++) {
        for (gasnet_node_t k = 0; k < conf.n; k++) {
            const size_t n = i % 8 == 0 ? max : conf_length(&rng, max);
            const int key = (int)conf_below(&rng, 1000);
            conf_fill(out, n, (unsigned)key);
            OK(gasnet_AMRequestMedium1((conf.me + k) % conf.n, H_REQUEST, out,
                                       n, key));
        }
    }
    CONF_WAIT(replies, each * (int)conf.n);
    CONF_WAIT(requests, each * (int)conf.n);
    conf_pass();
}
