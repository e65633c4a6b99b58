/* SPDX-License-Identifier: BSD-3-Clause */
/* The buffer of a Medium handler: aligned for any type, unchanged by a reply
 * sent from it, writable by the handler, and independent of
 * the sender's source. */
#include "conform.h"

enum { H_REQUEST = 128, H_REPLY = 129 };

static int answers;

static void request(gasnet_token_t token, void *buf, size_t n, int key)
{
    unsigned char *p = (unsigned char *)buf;
    CHECK((uintptr_t)buf % 8 == 0, "request buffer %p of %zu bytes", buf, n);
    CHECK_FILL(buf, n, (unsigned)key);
    OK(gasnet_AMReplyMedium1(token, H_REPLY, buf, n, key));
    CHECK_FILL(buf, n, (unsigned)key);
    memset(p, 0xee, n);
    CHECK_BYTES(p, n, 0xee);
}

static void reply(gasnet_token_t token, void *buf, size_t n, int key)
{
    (void)token;
    CHECK((uintptr_t)buf % 8 == 0, "reply buffer %p of %zu bytes", buf, n);
    CHECK_FILL(buf, n, (unsigned)key);
    memset(buf, 0xdd, n);
    conf_add(&answers, 1);
}

static gasnet_handlerentry_t table[] = {{H_REQUEST, request}, {H_REPLY, reply}};

int main(int argc, char **argv)
{
    enum { DEPTH = 8 };
    conf_start("am_medium_buffer", &argc, &argv, table, CONF_COUNT(table),
               4096);
    const size_t max = gasnet_AMMaxMedium();
    struct conf_rng rng = conf_rng(conf.me);
    unsigned char *out = (unsigned char *)malloc(max * DEPTH);
    CHECK(out != NULL, "malloc");
    const int rounds = conf_iters(40, 3);
    int sent = 0;
    for (int r = 0; r < rounds; r++) {
        size_t n[DEPTH];
        for (int d = 0; d < DEPTH; d++) {
            gasnet_node_t to = (gasnet_node_t)conf_below(&rng, conf.n);
            n[d] = d == 0 ? max : conf_length(&rng, max);
            conf_fill(out + (size_t)d * max, n[d], (unsigned)(sent + d));
            OK(gasnet_AMRequestMedium1(to, H_REQUEST, out + (size_t)d * max,
                                       n[d], sent + d));
        }
        for (int d = 0; d < DEPTH; d++) {
            CHECK_FILL(out + (size_t)d * max, n[d], (unsigned)(sent + d));
        }
        sent += DEPTH;
        CONF_WAIT(answers, sent);
    }
    conf_pass();
}
