/* SPDX-License-Identifier: BSD-3-Clause */
/* Counters of the nodes at the end of a job, for reports. */
#include "fabric.h"
#include "serve.h"
#include "serve_state.h"

#define LONG_ENOUGH 100000u /* cycles; a read takes some hundreds */
#define EVENT_BYTES 32u

static bool count_node(struct fsh_fabric *fab, uint32_t node,
                       struct fsh_sim_counts *counts)
{
    bool ok = true;

    for (uint32_t e = 0; ok && e < FSH_PERF_COUNT; e++)
        for (uint32_t i = 0; ok && i < 4; i++)
            ok = fsh_fabric_read(fab, node,
                                 FSH_REG_PERF + e * EVENT_BYTES + 8 * i,
                                 LONG_ENOUGH, &counts->event[e][i]);
    for (uint32_t i = 0; ok && i < FSH_CPERF_COUNT; i++)
        ok = fsh_fabric_read(fab, node, FSH_REG_COMPUTE_PERF + 8 * i,
                             LONG_ENOUGH, &counts->compute[i]);
    for (uint32_t i = 0; ok && i < FSH_COLLPERF_COUNT; i++)
        ok = fsh_fabric_read(fab, node, FSH_REG_COLL_PERF + 8 * i, LONG_ENOUGH,
                             &counts->coll[i]);
    counts->dram_bytes = fsh_fabric_dram_moved(fab, node);
    return ok;
}

void fsh_serve_count(struct fsh_serve *serve, struct fsh_fabric *fab)
{
    struct fsh_sim_fabric *shared = serve->shared;
    uint32_t n = serve->first;

    if (!atomic_load(&shared->counts_wanted))
        return;
    while (n < serve->past && count_node(fab, n, &shared->counts[n]))
        n++;
    /* Release: the counts. Partner: the launcher, which has waited for the end of
     * this process besides. */
    atomic_fetch_add_explicit(&shared->counted, n - serve->first,
                              memory_order_release);
}
