/* SPDX-License-Identifier: BSD-3-Clause */
/* gasnet_barrier_try returns NOT_READY while a rank has not notified, makes
 * progress by itself, and ends the barrier once all have. The late rank
 * notifies only after the others have reported NOT_READY to it. */
#include "conform.h"

enum { H_REFUSED = 128 };

static int refusals;

static void refused(gasnet_token_t token)
{
    (void)token;
    conf_add(&refusals, 1);
}

static gasnet_handlerentry_t table[] = {{H_REFUSED, refused}};

static void lap(int i, gasnet_node_t late)
{
    int r;
    if (conf.me == late) {
        GASNET_BLOCKUNTIL(conf_load(&refusals) == (int)conf.n - 1);
        conf_add(&refusals, -((int)conf.n - 1));
        gasnet_barrier_notify(i, 0);
    } else {
        gasnet_barrier_notify(i, 0);
        CHECK_EQ(gasnet_barrier_try(i, 0), GASNET_ERR_NOT_READY);
        CHECK_EQ(gasnet_barrier_try(i, 0), GASNET_ERR_NOT_READY);
        OK(gasnet_AMRequestShort0(late, H_REFUSED));
    }
    while ((r = gasnet_barrier_try(i, 0)) != GASNET_OK) {
        CHECK_EQ(r, GASNET_ERR_NOT_READY);
    }
}

int main(int argc, char **argv)
{
    conf_start("barrier_try", &argc, &argv, table, CONF_COUNT(table), 4096);
    for (int i = 0; i < conf_iters(20, 3); i++) {
        for (gasnet_node_t late = 0; late < conf.n; late++) {
            lap(i, late);
        }
    }
    conf_pass();
}
