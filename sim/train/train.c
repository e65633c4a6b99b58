/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The load the compiler learns from: run once during the build with node and
 * compute core compiled for profiling. Two nodes: PUTs both ways over both ports
 * for most of the time, then GETs, messages to the host and loopback; then the
 * load of the compute core.
 */
#include <stdio.h>

#include "train.h"

enum { TAGS = 24, BULK = 128 << 10, SMALL = 1000 };

static bool await(struct fsh_bed *bed, uint32_t node, enum fsh_bed_ring ring,
                  unsigned count)
{
    uint64_t entry[2];

    while (count-- > 0)
        if (!fsh_bed_await(bed, node, ring, FSH_TRAIN_LIMIT, entry))
            return false;
    return true;
}

static bool transfer(struct fsh_bed *bed, bool get, uint32_t distance,
                     uint32_t bytes)
{
    struct fsh_bed_command cmd;

    for (uint32_t n = 0; n < bed->nodes; n++)
        for (uint32_t tag = 0; tag < TAGS; tag++) {
            uint32_t peer = (n + distance) % bed->nodes;
            uint64_t from = (uint64_t)tag * BULK, to = from + TAGS * BULK + tag;

            if (get)
                fsh_bed_get(&cmd, peer, tag, to, from, bytes);
            else
                fsh_bed_put(&cmd, peer, tag, from, to, bytes);
            if (!fsh_bed_submit(bed, n, &cmd))
                return false;
        }
    for (uint32_t n = 0; n < bed->nodes; n++)
        if (!await(bed, n, FSH_BED_RING_CPL, TAGS))
            return false;
    return true;
}

/* Mediums with arguments, their payload inline. */
static bool messages(struct fsh_bed *bed)
{
    static const uint32_t args[FSH_MAX_ARGS] = {1, 2, 3, 4, 5};
    static const char payload[200];
    struct fsh_bed_command cmd;

    for (uint32_t slot = 0; slot < FSH_SLOTS_PER_PEER; slot++)
        for (uint32_t n = 0; n < bed->nodes; n++) {
            fsh_bed_command(&cmd, FSH_OP_CLIENT, FSH_CAT_MEDIUM,
                            (n + 1) % bed->nodes, slot);
            fsh_bed_attach(&cmd, args, 5, payload, sizeof payload);
            if (!fsh_bed_submit(bed, n, &cmd) ||
                !await(bed, (n + 1) % bed->nodes, FSH_BED_RING_REQ, 1))
                return false;
        }
    return true;
}

int main(void)
{
    struct fsh_bed bed;
    struct fsh_fabric_config config;
    struct fsh_bed_options options = {.packet = 1024, .ports = 3};
    char err[256];

    fsh_fabric_defaults(&config);
    config.nodes = 2;
    config.dram_bytes = 16u << 20;
    config.compute = true;
    if (!fsh_bed_open(&bed, &config, &options, err, sizeof err)) {
        fprintf(stderr, "fshsim-train: %s\n", err);
        return 1;
    }
    if (!transfer(&bed, false, 1, BULK) || !transfer(&bed, true, 1, SMALL) ||
        !transfer(&bed, false, 0, SMALL) || !messages(&bed) ||
        !fsh_train_compute(&bed)) {
        fprintf(stderr, "fshsim-train: the load did not end\n");
        return 1;
    }
    return fsh_bed_close(&bed) ? 0 : 1;
}
