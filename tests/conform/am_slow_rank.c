/* SPDX-License-Identifier: BSD-3-Clause */
/* One rank computes and polls rarely. The others flood it and
 * each other. Everything arrives, and the traffic among the others
 * does not wait for the slow rank (they finish before it polls). */
#include <sched.h>

#include "conform.h"

enum { H_REQUEST = 128, H_REPLY, H_GO };

static int requests, replies, slow_replies, go;

static void request(gasnet_token_t token, void *buf, size_t n, int slow)
{
    conf_add(&requests, 1);
    OK(gasnet_AMReplyMedium1(token, H_REPLY, buf, n, slow));
}

static void reply(gasnet_token_t token, void *buf, size_t n, int slow)
{
    (void)token;
    CHECK_FILL(buf, n, 5);
    conf_add(slow ? &slow_replies : &replies, 1);
}

static void start(gasnet_token_t token)
{
    (void)token;
    conf_add(&go, 1);
}

static gasnet_handlerentry_t table[] = {
    {H_REQUEST, request}, {H_REPLY, reply}, {H_GO, start}};

int main(int argc, char **argv)
{
    unsigned char out[512]; /* the least that gasnet_AMMaxMedium can be */
    conf_start("am_slow_rank", &argc, &argv, table, CONF_COUNT(table), 4096);
    const gasnet_node_t slow = conf.n - 1;
    const int each = conf_iters(300, 40);
    const int few = 4; /* fits any conduit's buffers: does not block */
    conf_fill(out, sizeof out, 5);
    if (conf.me != slow) {
        for (int i = 0; i < few; i++) {
            OK(gasnet_AMRequestMedium1(slow, H_REQUEST, out, sizeof out, 1));
        }
        for (int i = 0; i < each; i++) {
            for (gasnet_node_t to = 0; to < slow; to++) {
                OK(gasnet_AMRequestMedium1(to, H_REQUEST, out, sizeof out, 0));
            }
        }
        CONF_WAIT(replies, each * (int)slow);
        OK(gasnet_AMRequestShort0(slow, H_GO));
        for (int i = 0; i < each; i++) {
            OK(gasnet_AMRequestMedium1(slow, H_REQUEST, out, sizeof out, 1));
        }
        CONF_WAIT(slow_replies, each + few);
    } else {
        while (conf_load(&go) < (int)slow) {
            for (volatile int spin = 0; spin < 20000; spin++) {}
            sched_yield();
            OK(gasnet_AMPoll()); /* one poll now and then */
        }
        CONF_WAIT(requests, (each + few) * (int)slow);
    }
    conf_pass();
}
