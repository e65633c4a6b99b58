/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the fabric of a recorded run does with the hosts' writes, without hosts. For
 * tests/stress/test_sum.py, which reads each line: "post NODE CYCLE OFFSET", a
 * register write of a host, and "dma NODE CYCLE [RING-SOURCE]...", a write of a
 * device to its host's memory, visible there from that cycle on, and the ring
 * entries that it completes. "epoch CYCLE" ends the time before simulated time.
 * usage: unit_sim_legs RECORDING
 */
#include <inttypes.h>
#include <stdio.h>

#include "conduit/fpga/dma.h"
#include "fabric.h"
#include "model.h"

static struct fsh_fabric *fabric;

static const struct {
    const char *name;
    uint32_t at;
} ring[] = {{"request", FSH_DMA_REQ},
            {"reply", FSH_DMA_REP},
            {"completion", FSH_DMA_CPL}};
static uint32_t taken[FSH_MAX_NODES][3];

/* Entries that are new. An entry's phase is that of its lap. */
static void print_entries(uint32_t node)
{
    for (unsigned r = 0; r < 3; r++) {
        uint32_t *had = &taken[node][r];

        for (;;) {
            const uint64_t *entry =
                (const void *)(fsh_fabric_dma(fabric, node) + ring[r].at +
                               *had % FSH_RING_ENTRIES * FSH_RING_ENTRY_BYTES);

            if (fsh_ring_phase(entry) != ((*had / FSH_RING_ENTRIES & 1) ^ 1))
                break;
            ++*had;
            printf(" %s-%u", ring[r].name, (unsigned)fsh_ring_node(entry));
        }
    }
}

static void on_dma(void *arg, uint32_t node, uint64_t offset)
{
    (void)arg;
    (void)offset;
    printf("dma %" PRIu32 " %" PRIu64, node, fsh_fabric_cycle(fabric) + 1);
    print_entries(node);
    putchar('\n');
}

/* The records of sim/record.c. */
struct record {
    uint8_t kind, node;
    uint16_t zero;
    uint32_t offset;
    uint64_t cycle, data;
};

static int print_posts(const char *path)
{
    struct record r;
    FILE *in = fopen(path, "rb");

    if (in == NULL)
        return 1;
    while (fread(&r, sizeof r, 1, in) == 1) {
        if (r.kind == FSH_TAPE_WRITE)
            printf("post %u %" PRIu64 " %" PRIu32 "\n", r.node, r.cycle,
                   r.offset);
        else if (r.kind == FSH_TAPE_EPOCH)
            printf("epoch %" PRIu64 "\n", r.cycle);
    }
    return fclose(in);
}

int main(int argc, char **argv)
{
    struct fsh_fabric_config config;
    char err[256] = "";
    bool ok;

    fsh_fabric_defaults(&config);
    if (argc < 2) {
        puts("no recording: nothing to do");
        return 77;
    }
    config.replay = argv[1];
    config.events.dma_written = on_dma;
    fabric = fsh_fabric_create(&config, err, sizeof err);
    if (fabric == NULL || print_posts(argv[1]) != 0) {
        fprintf(stderr, "%s: %s\n", argv[1], err);
        return 1;
    }
    while (fsh_fabric_step(fabric))
        continue;
    ok = fsh_fabric_error(fabric) == NULL;
    return fsh_fabric_destroy(fabric) && ok ? 0 : 1;
}
