/* SPDX-License-Identifier: BSD-3-Clause */
/* Between notify and wait a rank works: messages, puts, gets. The barrier does
 * not sync operations that are outstanding across it; their handles stay
 * valid. */
#include "conform.h"

enum { H_ASK = 128, H_ANSWER, CELL = 1024 };

static int answers;

static void ask(gasnet_token_t token, int v)
{
    OK(gasnet_AMReplyShort1(token, H_ANSWER, v + 1));
}

static void answer(gasnet_token_t token, int v)
{
    (void)token;
    CHECK_EQ(v, 42);
    conf_add(&answers, 1);
}

static gasnet_handlerentry_t table[] = {{H_ASK, ask}, {H_ANSWER, answer}};

static void lap(int i)
{
    unsigned char src[CELL], back[CELL];
    const gasnet_node_t to = (conf.me + (gasnet_node_t)i) % conf.n;
    const int before = conf_load(&answers);
    unsigned char *far = conf_addr(to) + (size_t)conf.me * 2 * CELL;
    conf_fill(src, CELL, (unsigned)i);
    gasnet_put(to, far + CELL, src, CELL);
    gasnet_handle_t across = gasnet_get_nb(back, to, far + CELL, CELL);
    gasnet_put_nbi_bulk(to, far, src, CELL);
    gasnet_barrier_notify(i, 0);
    OK(gasnet_AMRequestShort1(to, H_ASK, 41));
    CONF_WAIT(answers, before + 1);
    gasnet_put_nbi_val(to, far + 2 * CELL - 1, 0xee, 1);
    OK(gasnet_barrier_wait(i, 0));
    gasnet_wait_syncnb(across);
    CHECK_FILL(back, CELL - 1, (unsigned)i);
    gasnet_wait_syncnbi_puts();
    gasnet_get(back, to, far, CELL);
    CHECK_FILL(back, CELL, (unsigned)i);
    CHECK_EQ(gasnet_get_val(to, far + 2 * CELL - 1, 1), 0xee);
}

int main(int argc, char **argv)
{
    conf_init("barrier_split", &argc, &argv);
    conf_attach(table, CONF_COUNT(table), (uintptr_t)conf.n * 2 * CELL);
    conf_barrier();
    for (int i = 0; i < conf_iters(300, 5); i++) {
        lap(i);
    }
    conf_pass();
}
