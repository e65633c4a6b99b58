/* SPDX-License-Identifier: BSD-3-Clause */
/* Chains of requests and replies: each step's number is computed from the one
 * before, so a lost, doubled or damaged message breaks the chain. Progress is
 * made by AMPoll alone. */
#include "conform.h"

enum { H_STEP = 128, H_BACK = 129 };

static uint32_t chain;
static int steps;

static uint32_t mix(uint32_t v)
{
    return v * 2654435761u + 12345u;
}

static void step(gasnet_token_t token, int v)
{
    OK(gasnet_AMReplyShort1(token, H_BACK,
                            (gasnet_handlerarg_t)mix((uint32_t)v)));
}

static void back(gasnet_token_t token, int v)
{
    (void)token;
    chain = (uint32_t)v;
    conf_add(&steps, 1);
}

static gasnet_handlerentry_t table[] = {{H_STEP, step}, {H_BACK, back}};

int main(int argc, char **argv)
{
    conf_start("am_ping_pong", &argc, &argv, table, CONF_COUNT(table), 4096);
    const gasnet_node_t peer = (conf.me + 1) % conf.n;
    const int length = conf_iters(1000, 30);
    uint32_t want = chain = conf.me + 1;
    for (int i = 0; i < length; i++) {
        OK(gasnet_AMRequestShort1(peer, H_STEP, (gasnet_handlerarg_t)chain));
        want = mix(want);
        while (conf_load(&steps) <= i) {
            OK(gasnet_AMPoll());
        }
        CHECK_EQ(chain, want);
    }
    conf_pass();
}
