/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The compute port under load: hosts and compute cores (sim_compute_fake.h) of two
 * to four nodes send each other RUNs, SIGNALs, completions, PUTs and GETs at random,
 * valid and invalid, over both ports and in loopback, under random stalls and with
 * queues that are often full. Everything that arrives must have been sent, once,
 * with its words and its status; everything sent must arrive; finally the nodes are
 * idle and the counters correct.
 * Arguments: seeds; none runs a fixed list. Environment: SIM_WAVES=FILE.fst.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim_storm.h"

#define LIMIT 200000u

static void open_bed(uint64_t seed)
{
    struct fsh_bed_options options = {.ports = 3, .seg_size = SEGMENT};
    struct fsh_fabric_config config;
    char err[512];

    storm.rng = seed;
    storm.nodes = 2 + storm_below(NODES - 1);
    storm.packet = options.packet = FSH_MIN_PACKET << storm_below(4);
    fsh_fabric_defaults(&config);
    config.nodes = storm.nodes;
    config.topology =
        fsh_bed_topology(storm_below(3) ? "ring" : "line", storm.nodes);
    config.compute = true;
    config.link_cycles = 1 + storm_below(60);
    config.dram_cycles = 1 + storm_below(60);
    config.pcie_cycles = 1 + storm_below(100);
    config.jump = storm_below(2);
    config.seed = seed;
    config.stall = storm_below(4) != 0;
    config.stall_seed = seed;
    config.link_jitter = storm_below(2) * storm_below(50);
    config.dram_bytes = 2 * SEGMENT;
    config.waves = getenv("SIM_WAVES");
    CHECK(fsh_bed_open(&storm.bed, &config, &options, err, sizeof err), "%s",
          err);
    for (uint32_t n = 0; n < storm.nodes; n++) {
        core[n].capacity[0] = 4 + storm_below(4);
        core[n].capacity[1] = storm_below(20);
        core[n].pace = storm_below(3) ? 1 + storm_below(30) : 1;
        storm.left_host[n] = PER_NODE;
        storm.left_core[n] = 3 * PER_NODE;
        ref_fill(&storm.rng, fsh_fabric_dram(storm.bed.fab, n) + FROM,
                 FROM_BYTES);
        core_wake(&storm.bed, n);
    }
    printf("seed %llu: %u nodes, %s, packets of %u%s", (unsigned long long)seed,
           storm.nodes, config.topology->name, storm.packet,
           config.stall ? ", stalls" : "");
    fflush(stdout);
}

static bool busy(void)
{
    for (uint32_t n = 0; n < storm.nodes; n++)
        if (storm.left_host[n] || storm.left_core[n])
            return true;
    return false;
}

static void take_entries(void)
{
    uint64_t entry[2];

    for (uint32_t n = 0; n < storm.nodes; n++)
        while (fsh_bed_take(&storm.bed, n, FSH_BED_RING_CPL, entry))
            storm_take_entry(n, entry);
}

static void counter_is(uint32_t node, uint32_t event, uint64_t want)
{
    struct fsh_bed_perf perf;

    CHECK(fsh_bed_perf(&storm.bed, node, event, &perf), "counter");
    CHECK(perf.count == want, "node %u: counter %u is %llu, not %llu", node,
          event, (unsigned long long)perf.count, (unsigned long long)want);
}

/* All that was sent has come. */
static void check_end(void)
{
    for (uint32_t i = 0; i < storm.runs; i++)
        CHECK(!storm.run[i].live &&
                  storm.run[i].delivered == storm.run[i].taken,
              "RUN %u of %u to %u: answered %s, %s", i, storm.run[i].from,
              storm.run[i].dst, storm.run[i].taken ? "OK" : "BUSY",
              storm.run[i].delivered ? "delivered" : "not delivered");
    for (uint32_t n = 0; n < storm.nodes; n++) {
        CHECK(!core[n].overrun, "node %u: RUN without room", n);
        CHECK(memcmp(storm.signals_sent[n], storm.signals_got[n],
                     sizeof *storm.signals_sent) == 0,
              "node %u: signals", n);
        for (uint32_t tag = 0; tag < FSH_NUM_TAGS; tag++)
            CHECK(!storm.put[n][tag].live &&
                      (tag >= FSH_HOST_TAGS || !storm.message[n][tag].live),
                  "node %u: tag %u never came back", n, tag);
        for (uint32_t i = 0; i < COOKIES; i++)
            CHECK(!storm.complete[n][i].live, "node %u: completion %u", n, i);
        counter_is(n, FSH_PERF_ACCEPT, storm.accepted[n]);
        counter_is(n, FSH_PERF_COMPLETE, storm.entries[n]);
        counter_is(n, FSH_PERF_REFUSED, storm.refused[n]);
    }
}

static void run_seed(uint64_t seed)
{
    uint64_t last;

    memset(&storm, 0, sizeof storm);
    open_bed(seed);
    last = fsh_fabric_cycle(storm.bed.fab) + 4 * LIMIT;
    while (busy()) {
        for (uint32_t n = 0; n < storm.nodes; n++) {
            storm_core_turn(n);
            if (storm_below(8) == 0)
                storm_host_turn(n);
        }
        fsh_fabric_step(storm.bed.fab);
        CHECK(!fsh_fabric_error(storm.bed.fab), "%s",
              fsh_fabric_error(storm.bed.fab));
        CHECK(fsh_fabric_cycle(storm.bed.fab) < last, "no end");
        take_entries();
    }
    for (uint32_t n = 0; n < storm.nodes; n++)
        storm_core_turn(n);
    CHECK(fsh_fabric_run(storm.bed.fab, LIMIT),
          "the nodes do not become idle: %s",
          fsh_fabric_error(storm.bed.fab) ? fsh_fabric_error(storm.bed.fab)
                                          : "no error");
    take_entries();
    check_end();
    printf(": cycle %llu: %u OK, %u busy, %u completions, %u PUTs of cores\n",
           (unsigned long long)fsh_fabric_cycle(storm.bed.fab), storm.came_ok,
           storm.came_busy, storm.came_complete, storm.came_acks);
    CHECK(fsh_bed_close(&storm.bed), "close");
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        run_seed(strtoull(argv[i], NULL, 0));
    for (uint64_t seed = 1; argc == 1 && seed <= 10; seed++)
        run_seed(seed);
    puts("sim_compute_storm: ok");
    return 0;
}
