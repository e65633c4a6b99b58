/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Link utilisation, measured on a rank: the beats this node has sent on each port,
 * from its counters, divided by the cycles of the measurement; see fabric_node.h.
 */
#include "fabric_node.h"

#include "boot/boot.h"

static uint64_t begun;
static double mine[FSH_MAX_PORTS];

static uint64_t beats_of_port(unsigned port)
{
    return fsh_fpga_reg_read(FSH_REG_PERF + (FSH_PERF_TX_BEAT0 + port) * 32 +
                             16);
}

void fabric_links_begin(void)
{
    begun = fabric_now();
    fsh_fpga_perf_clear();
}

void fabric_links_end(void)
{
    for (unsigned p = 0; p < fabric_topology()->ports; ++p) {
        /* Traffic continues; the clearing write and the read have equal latency. */
        fabric_traffic_step(fabric_now());
        double cycles = (double)(fabric_now() - begun);
        mine[p] = (double)beats_of_port(p) / cycles;
    }
}

void fabric_links_end_at(uint64_t cycles)
{
    for (unsigned p = 0; p < fabric_topology()->ports; ++p) {
        mine[p] = (double)beats_of_port(p) / (double)cycles;
    }
}

void fabric_links_tell(void)
{
    const struct fsh_topology *t = fabric_topology();
    double all[FSH_MAX_NODES][FSH_MAX_PORTS];

    fsh_boot_exchange(mine, sizeof(mine), all);
    for (unsigned i = 0; i < fabric_nodes && fabric_me == 0; ++i) {
        for (unsigned p = 0; p < t->ports; ++p) {
            if (fsh_topology_plugged(t, i, p)) {
                printf(FABRIC_LINK " %u %u %u %.6f\n", i, p,
                       (unsigned)t->peer[i][p].node, all[i][p]);
            }
        }
    }
    fflush(stdout);
}
