/* SPDX-License-Identifier: BSD-3-Clause */
/* A mismatch anywhere is reported everywhere, by the flag or by two different
 * ids, and the barrier after it works again. */
#include "conform.h"

static int barrier(int id, int flags)
{
    gasnet_barrier_notify(id, flags);
    return gasnet_barrier_wait(id, flags);
}

int main(int argc, char **argv)
{
    conf_start("barrier_mismatch", &argc, &argv, NULL, 0, 4096);
    for (int lap = 0; lap < conf_iters(30, 1); lap++) {
        for (gasnet_node_t odd = 0; odd < conf.n; odd++) {
            const int mine = conf.me == odd;
            CHECK_EQ(barrier(7, mine ? GASNET_BARRIERFLAG_MISMATCH : 0),
                     GASNET_ERR_BARRIER_MISMATCH);
            OK(barrier(7, 0));
            CHECK_EQ(barrier(0, mine ? GASNET_BARRIERFLAG_MISMATCH
                                     : GASNET_BARRIERFLAG_ANONYMOUS),
                     GASNET_ERR_BARRIER_MISMATCH);
            conf_barrier();
            if (conf.n > 1) {
                CHECK_EQ(barrier(mine ? 8 : 7, 0), GASNET_ERR_BARRIER_MISMATCH);
                OK(barrier(8, 0));
                CHECK_EQ(barrier((int)conf.me, 0), GASNET_ERR_BARRIER_MISMATCH);
            }
            conf_barrier();
        }
    }
    conf_pass();
}
