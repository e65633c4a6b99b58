/* SPDX-License-Identifier: BSD-3-Clause */
/* Waiting again on a handle that is already synced is harmless (clients do
 * it): it returns, it retires nothing else, however many operations came in
 * between, and live operations still complete with their data. */
#include "conform.h"

enum { LIVE = 8, OLD = 16 };

static uint32_t *cell(gasnet_node_t to, int i)
{
    return (uint32_t *)(void *)conf_addr(to) + conf.me * LIVE + i;
}

/* Four equal bytes, as memset leaves them. */
static uint32_t value(int turn, int i)
{
    return (uint32_t)((turn * LIVE + i) % 251) * 0x01010101u;
}

/* The value of an outstanding valget survives syncs of stale handles and what
 * is started after them. */
static void values_survive(gasnet_handle_t *old, gasnet_node_t to)
{
    gasnet_valget_handle_t h[LIVE];
    for (int i = 0; i < LIVE; i++) {
        gasnet_put_val(to, cell(to, i), 1000u + (unsigned)i, 4);
    }
    for (int i = 0; i < LIVE; i++) {
        h[i] = gasnet_get_nb_val(to, cell(to, i), 4);
        for (int k = 0; k < OLD; k++) {
            gasnet_wait_syncnb(old[k]);
        }
    }
    for (int i = 0; i < LIVE; i++) {
        CHECK_EQ(gasnet_wait_syncnb_valget(h[i]), 1000 + i);
    }
}

int main(int argc, char **argv)
{
    gasnet_handle_t old[OLD], live[LIVE];
    uint32_t words[LIVE];
    conf_init("rma_stale_handles", &argc, &argv);
    conf_attach(NULL, 0, (uintptr_t)conf.n * LIVE * 4);
    conf_barrier();
    const gasnet_node_t to = (conf.me + 1) % conf.n;
    for (int i = 0; i < OLD; i++) {
        old[i] = gasnet_memset_nb(to, cell(to, i % LIVE), 1, 4);
        gasnet_wait_syncnb(old[i]);
    }
    const int turns = conf_iters(2000, 40);
    for (int t = 0; t < turns; t++) {
        gasnet_handle_t copy[OLD];
        for (int i = 0; i < LIVE; i++) {
            uint32_t v = value(t, i);
            if (i % 2) {
                live[i] = gasnet_put_nb(to, cell(to, i), &v, 4);
            } else { /* a memset is never done at once */
                live[i] = gasnet_memset_nb(to, cell(to, i), (int)v, 4);
            }
        }
        gasnet_wait_syncnb(old[t % OLD]);
        OK(gasnet_try_syncnb(old[(t + 1) % OLD]));
        memcpy(copy, old, sizeof copy);
        gasnet_wait_syncnb_all(copy, OLD);
        old[t % OLD] = live[0]; /* stale from now on */
        gasnet_wait_syncnb_all(live, LIVE);
        for (int i = 0; i < LIVE; i++) {
            live[i] = gasnet_get_nb(&words[i], to, cell(to, i), 4);
        }
        gasnet_wait_syncnb(old[t % OLD]);
        for (int i = 0; i < LIVE; i++) {
            gasnet_wait_syncnb(live[i]);
            CHECK_EQ(words[i], value(t, i));
        }
    }
    values_survive(old, to);
    conf_pass();
}
