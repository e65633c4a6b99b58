/* SPDX-License-Identifier: BSD-3-Clause */
/* A transfer longer than any internal limit (a little over 9 MiB,
 * unaligned) is split and reassembled by the library: put, get, and nbi with a Medium
 * exchange overtaking it. */
#include "conform.h"

enum { H_PING = 128, H_PONG, SIZE = (9 << 20) + 4321 };

static int pongs;

static void ping(gasnet_token_t token)
{
    OK(gasnet_AMReplyShort0(token, H_PONG));
}

static void pong(gasnet_token_t token)
{
    (void)token;
    conf_add(&pongs, 1);
}

static gasnet_handlerentry_t table[] = {{H_PING, ping}, {H_PONG, pong}};

int main(int argc, char **argv)
{
    conf_start("rma_large", &argc, &argv, table, CONF_COUNT(table), SIZE + 64);
    const gasnet_node_t to = conf.n - 1;
    if (conf.me == 0) {
        unsigned char *buf = (unsigned char *)malloc(SIZE);
        CHECK(buf != NULL, "malloc");
        conf_fill(buf, SIZE, 5);
        gasnet_put_nbi_bulk(to, conf_addr(to) + 13, buf, SIZE);
        OK(gasnet_AMRequestShort0(to, H_PING));
        CONF_WAIT(pongs, 1);
        gasnet_wait_syncnbi_all();
        memset(buf, 0, SIZE);
        gasnet_get_bulk(buf, to, conf_addr(to) + 13, SIZE);
        CHECK_FILL(buf, SIZE, 5);
    }
    conf_barrier();
    if (conf.me == to) {
        CHECK_FILL(conf_addr(to) + 13, SIZE, 5);
    }
    conf_pass();
}
