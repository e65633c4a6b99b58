/* SPDX-License-Identifier: BSD-3-Clause */
/* Medium payloads of every size around every limit, from sources of any
 * alignment, echoed by a Medium reply. */
#include "conform.h"

enum { H_REQUEST = 128, H_REPLY = 129 };

static int answers;
static unsigned char *outbox;

static void request(gasnet_token_t token, void *buf, size_t n, int size,
                    int key)
{
    CHECK_EQ(n, size);
    CHECK_FILL(buf, n, (unsigned)key);
    OK(gasnet_AMReplyMedium2(token, H_REPLY, buf, n, size, key));
}

static void reply(gasnet_token_t token, void *buf, size_t n, int size, int key)
{
    (void)token;
    CHECK_EQ(n, size);
    CHECK_FILL(buf, n, (unsigned)key);
    conf_add(&answers, 1);
}

static gasnet_handlerentry_t table[] = {{H_REQUEST, request}, {H_REPLY, reply}};

static void echo(gasnet_node_t to, size_t n, size_t offset)
{
    const int before = conf_load(&answers);
    const unsigned key = (unsigned)(n + offset + conf.me);
    if (n > gasnet_AMMaxMedium()) {
        return;
    }
    conf_fill(outbox + offset, n, key);
    OK(gasnet_AMRequestMedium2(to, H_REQUEST, outbox + offset, n, (int)n,
                               (int)key));
    CONF_WAIT(answers, before + 1);
}

int main(int argc, char **argv)
{
    static const size_t edges[] = {0,   32,  48,  64,   128,  256, 416,
                                   448, 480, 512, 1024, 2048, 4096};
    conf_start("am_medium_sizes", &argc, &argv, table, CONF_COUNT(table), 4096);
    const size_t max = gasnet_AMMaxMedium();
    outbox = (unsigned char *)malloc(max + 64);
    CHECK(outbox != NULL, "malloc of %zu", max + 64);
    const gasnet_node_t targets[] = {conf.me, (conf.me + 1) % conf.n,
                                     (conf.me + conf.n - 1) % conf.n};
    const int ntargets = conf.n < 3 ? (int)conf.n : 3;
    for (int t = 0; t < ntargets; t++) {
        for (size_t n = 0; n <= 20; n++) {
            echo(targets[t], n, n % 17);
        }
        for (int e = 1; e < CONF_COUNT(edges); e++) {
            echo(targets[t], edges[e] - 1, 1);
            echo(targets[t], edges[e], 0);
            echo(targets[t], edges[e] + 1, 3);
        }
        echo(targets[t], max - 1, 5);
        echo(targets[t], max, 0);
        echo(targets[t], max, 1);
    }
    conf_pass();
}
