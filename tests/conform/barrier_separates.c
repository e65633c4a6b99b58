/* SPDX-License-Identifier: BSD-3-Clause */
/* Puts of every rank before a barrier are visible to every rank after it:
 * anonymous, named (any 32-bit id), blocking. */
#include "conform.h"

static uint32_t *word(gasnet_node_t at, gasnet_node_t from)
{
    return (uint32_t *)(void *)conf_addr(at) + from;
}

static void pass_barrier(int lap)
{
    static const int ids[] = {0, 1, -1, (int)0xcafef00d, INT32_MAX, INT32_MIN};
    const int id = ids[lap % CONF_COUNT(ids)];
    switch (lap % 3) {
    case 0:
        gasnet_barrier_notify((int)conf.me, GASNET_BARRIERFLAG_ANONYMOUS);
        OK(gasnet_barrier_wait((int)conf.me, GASNET_BARRIERFLAG_ANONYMOUS));
        break;
    case 1:
        gasnet_barrier_notify(id, 0);
        OK(gasnet_barrier_wait(id, 0));
        break;
    default:
        OK(gasnet_barrier(id, 0));
        break;
    }
}

int main(int argc, char **argv)
{
    conf_start("barrier_separates", &argc, &argv, NULL, 0, 4096);
    memset(conf_addr(conf.me), 0, 4096);
    conf_barrier();
    const int laps = conf_iters(500, 12);
    for (int lap = 1; lap <= laps; lap++) {
        for (gasnet_node_t to = 0; to < conf.n; to++) {
            gasnet_put_val(to, word(to, conf.me), (unsigned)lap, 4);
        }
        pass_barrier(lap);
        for (gasnet_node_t from = 0; from < conf.n; from++) {
            const uint32_t v = *(volatile uint32_t *)word(conf.me, from);
            CHECK(v == (uint32_t)lap || v == (uint32_t)lap + 1,
                  "lap %d: rank %u is at %u", lap, (unsigned)from, v);
        }
    }
    conf_pass();
}
