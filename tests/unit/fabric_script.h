/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A node for tests of a fabric without the RTL: it sends, reads and writes at random, and
 * its state at the end is a digest of all that it has seen, and when. A test may let it
 * fail. Included by one file of a test.
 */
#ifndef UNIT_FABRIC_SCRIPT_H
#define UNIT_FABRIC_SCRIPT_H

#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "device/sim/sim_shm.h"
#include "fabric.h"
#include "node_wrap.h"

enum { NODES = 13, DRAM = 1 << 16, DMA = 1 << 14 };

extern _Thread_local const char *sim_bare_error;

struct burst { /* of a master */
    bool ar, aw, w;
    uint32_t beats, reads; /* to be written; asked for */
    uint64_t addr;
};

struct fsh_node {
    struct fsh_node_io *io;
    uint32_t index;
    uint32_t busy;  /* cycles to go on by itself ... */
    uint32_t storm; /* ... and to send in each */
    uint64_t state; /* of all that it has seen, and when */
    struct burst burst[FSH_NODE_MASTERS];
};

static uint64_t final_state[NODES];
static uint64_t gate_cycle[NODES]; /* in which its gate opened */
static struct {
    uint64_t cycle; /* 0: none */
    bool assertion;
} fault[NODES];

static struct fsh_fabric_config usual(void)
{
    struct fsh_fabric_config config;

    fsh_fabric_defaults(&config);
    config.nodes = NODES;
    config.dram_bytes = DRAM;
    config.dma_bytes = DMA;
    return config;
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0x9E3779B97F4A7C15);
    return hash ^ (hash >> 29);
}

static uint32_t draw(struct fsh_node *node, uint32_t below)
{
    node->state = mix(node->state, below);
    return (uint32_t)(node->state >> 33) % below;
}

struct fsh_node *fsh_node_create(struct fsh_node_io *io, uint32_t index,
                                 uint64_t seed, struct fsh_node_waves *waves)
{
    struct fsh_node *node = calloc(1, sizeof *node);

    (void)waves;
    CHECK(node != NULL);
    node->io = io;
    node->index = index;
    node->state = mix(seed, index);
    return node;
}

void fsh_node_destroy(struct fsh_node *node)
{
    if (!node)
        return;
    final_state[node->index] = node->state;
    free(node);
}

static void see(struct fsh_node *node)
{
    const struct fsh_node_in *in = &node->io->in;
    uint64_t seen = node->state;
    bool any = in->gate || (in->awvalid && node->io->out.awready);

    if (in->gate)
        gate_cycle[node->index] = in->cycle;
    if (any)
        seen = mix(seen, in->wdata + in->awaddr + in->gate);
    for (uint32_t p = 0; p < FSH_NODE_PORTS; p++)
        if (in->rx[p].valid) {
            any = true;
            seen = mix(seen, in->rx[p].data[0] + p);
        }
    for (uint32_t m = 0; m < FSH_NODE_MASTERS; m++)
        if (in->axi[m].rvalid || in->axi[m].bvalid) {
            any = true;
            seen =
                mix(seen, in->axi[m].bvalid + 2u * in->axi[m].rvalid + 4 * m);
            seen = mix(seen, in->axi[m].rvalid ? in->axi[m].rdata[1] : 0);
        }
    if (!any)
        return;
    node->state = mix(seen, in->cycle);
    if (node->busy < 200)
        node->busy += in->awvalid ? 60 : draw(node, 3);
    if (in->awvalid)
        node->storm = 48;
}

/* Bursts of up to four beats, one at a time. */
static void drive_master(struct fsh_node *node, uint32_t m)
{
    const struct fsh_axi_in *in = &node->io->in.axi[m];
    struct fsh_axi_out *out = &node->io->out.axi[m];
    struct burst *b = &node->burst[m];
    bool host = m == FSH_NODE_HOST;

    b->ar = b->ar && !in->arready;
    b->aw = b->aw && !in->awready;
    b->reads -= in->rvalid;
    if (b->w && in->wready) {
        b->w = --b->beats > 0;
        out->wdata[0] = draw(node, 1u << 30);
    }
    if (node->busy > 0 && !b->ar && !b->aw && !b->w && b->reads == 0 &&
        draw(node, 12) == 0) {
        b->beats = 1 + draw(node, 4);
        b->addr = (host ? FSH_SIM_DMA_BUS : FSH_SIM_DRAM_BASE) +
                  64 * draw(node, (uint32_t)((host ? DMA : DRAM) / 64));
        b->ar = draw(node, 2) == 0;
        b->aw = b->w = !b->ar;
        b->reads = b->ar ? b->beats : 0;
        out->wdata[0] = out->wdata[1] = node->state;
        out->awlen = out->arlen = (uint8_t)(b->beats - 1);
        out->awaddr = out->araddr = b->addr;
        out->wstrb = 0xffff;
    }
    out->arvalid = b->ar;
    out->awvalid = b->aw;
    out->wvalid = b->w;
    out->wlast = b->w && b->beats == 1;
    out->bready = out->rready = 1;
}

static void break_down(struct fsh_node *node)
{
    static const char what[] = "assertion";

    if (fault[node->index].assertion)
        sim_bare_error = what;
    else {
        node->io->out.axi[0].awvalid = 1;
        node->io->out.axi[0].awaddr = 0; /* no memory is there */
    }
}

void fsh_node_eval(struct fsh_node *node)
{
    const struct fsh_node_in *in = &node->io->in;
    struct fsh_node_out *out = &node->io->out;

    if (in->rst) {
        memset(out, 0, sizeof *out);
        out->idle = out->awready = out->wready = out->arready = 1;
        return;
    }
    see(node);
    out->bvalid = in->awvalid && out->awready;
    out->rvalid = in->arvalid && out->arready;
    out->rdata = node->state;
    for (uint32_t m = 0; m < FSH_NODE_MASTERS; m++)
        drive_master(node, m);
    for (uint32_t p = 0; p < FSH_NODE_PORTS; p++) {
        out->tx[p].valid =
            node->busy > 0 && (node->storm > 0 || draw(node, 8) == 0);
        out->tx[p].bound = 0;
        out->tx[p].data[0] = out->tx[p].data[1] = node->state;
    }
    node->busy -= node->busy > 0;
    node->storm -= node->storm > 0;
    out->idle = node->busy == 0;
    if (fault[node->index].cycle != 0 && in->cycle >= fault[node->index].cycle)
        break_down(node);
}

#endif
