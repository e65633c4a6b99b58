/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The fabric: its owner's operations and queries. step.c advances time.
 */
#include "fabric.h"

#include <stdarg.h>
#include <stdio.h>

#include "crew.h"
#include "model.h"
#include "partition.h"

/* Of simulated time. */
#define EPOCH (UINT64_C(1) << 20)

void fsh_fabric_fail(struct fsh_fabric *fab, const char *fmt, ...)
{
    va_list args;

    if (fab->failed)
        return;
    va_start(args, fmt);
    vsnprintf(fab->error, sizeof fab->error, fmt, args);
    va_end(args);
    fab->failed = true;
}

void fsh_sim_node_fail(struct fsh_sim_node *node, const char *fmt, ...)
{
    va_list args;

    if (node->failed)
        return;
    va_start(args, fmt);
    vsnprintf(node->error, sizeof node->error, fmt, args);
    va_end(args);
    node->failed = true;
    node->failed_at = node->cycle;
}

static uint64_t scramble(uint64_t x)
{
    x = (x ^ (x >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94D049BB133111EB);
    return x ^ (x >> 31);
}

/* 32 streams, told from others by `which`: for 32 cycles each is free, held back
 * in 1/4 or 3/4 of the cycles, or shut. */
static uint32_t draw_stalls(const struct fsh_fabric *fab, uint64_t which,
                            uint64_t cycle)
{
    uint64_t key = scramble(fab->config.stall_seed + (which << 56));
    uint64_t mode = scramble(key ^ (cycle >> 5));
    uint64_t coin = scramble(key + cycle * UINT64_C(0x9E3779B97F4A7C15));
    uint32_t m0 = (uint32_t)mode, m1 = (uint32_t)(mode >> 32);
    uint32_t c0 = (uint32_t)coin, c1 = (uint32_t)(coin >> 32);

    return (m0 & ~m1 & c0 & c1) | (~m0 & m1 & (c0 | c1)) | (m0 & m1);
}

uint32_t fsh_stall_lanes(const struct fsh_fabric *fab,
                         const struct fsh_sim_node *node)
{
    return fab->config.stall
               ? draw_stalls(fab, FSH_MAX_NODES + node->index, node->cycle)
               : 0;
}

uint32_t fsh_stall_coll(const struct fsh_fabric *fab,
                        const struct fsh_sim_node *node)
{
    return fab->config.stall
               ? draw_stalls(fab, 2 * FSH_MAX_NODES + node->index, node->cycle)
               : 0;
}

uint32_t fsh_stall_bits(const struct fsh_fabric *fab,
                        const struct fsh_sim_node *node)
{
    uint32_t bits =
        fab->config.stall ? draw_stalls(fab, node->index, node->cycle) : 0;

    for (uint32_t p = 0; p < FSH_NODE_MASTERS; p++)
        if (node->master[p].hold > node->cycle)
            bits |= 0x1fu << (5 * p);
    return bits;
}

uint32_t fsh_link_extra(const struct fsh_fabric *fab,
                        const struct fsh_link *link, uint64_t cycle)
{
    uint64_t key = scramble(fab->config.stall_seed + link->sink * 2 +
                            link->port + UINT64_C(0x4C494E4B));

    return (uint32_t)(scramble(key ^ (cycle >> 6)) %
                      (fab->config.link_jitter + 1u));
}

/* --- the host's calls -------------------------------------------------- */

uint32_t fsh_fabric_host_room(const struct fsh_fabric *fab, uint32_t node)
{
    const struct fsh_host *host = &fab->node[node].host;

    return FSH_HOST_QUEUE - (host->tail - host->head);
}

bool fsh_fabric_host_write(struct fsh_fabric *fab, uint32_t node,
                           uint32_t offset, uint64_t data)
{
    if (fab->replaying || fsh_fabric_host_room(fab, node) == 0)
        return false;
    if (fab->recording)
        fsh_tape_event(fab->tape, FSH_TAPE_WRITE, fab->cycle, node, offset,
                       data);
    fsh_host_enter(fab, node, offset, data, false);
    fab->quiet = false;
    return true;
}

bool fsh_fabric_host_read(struct fsh_fabric *fab, uint32_t node,
                          uint32_t offset)
{
    if (fab->replaying || fab->node[node].host.read_busy ||
        fsh_fabric_host_room(fab, node) == 0)
        return false;
    if (fab->recording)
        fsh_tape_event(fab->tape, FSH_TAPE_READ, fab->cycle, node, offset, 0);
    fsh_host_enter(fab, node, offset, 0, true);
    fab->quiet = false;
    return true;
}

bool fsh_fabric_read_answer(const struct fsh_fabric *fab, uint32_t node,
                            uint64_t *data)
{
    if (!fab->node[node].host.answered)
        return false;
    *data = fab->node[node].host.read_data;
    return true;
}

bool fsh_fabric_read(struct fsh_fabric *fab, uint32_t node, uint32_t offset,
                     uint64_t max_cycles, uint64_t *data)
{
    uint64_t end = fab->cycle + max_cycles;

    if (!fsh_fabric_host_read(fab, node, offset))
        return false;
    while (!fsh_fabric_read_answer(fab, node, data))
        if (!fsh_fabric_step(fab) || fab->cycle > end)
            return fsh_fabric_read_answer(fab, node, data);
    return true;
}

void fsh_gate_enter(struct fsh_fabric *fab)
{
    fab->gate_pending = true;
    fab->gate_at = fab->cycle + fab->config.pcie_cycles;
    fab->gate_heard = false;
    for (uint32_t i = fab->first; i < fab->past; i++)
        fab->node[i].gate_pos = fab->node[i].host.tail;
}

void fsh_fabric_gate(struct fsh_fabric *fab)
{
    if (fab->replaying)
        return;
    if (fab->recording)
        fsh_tape_event(fab->tape, FSH_TAPE_GATE, fab->cycle, 0, 0, 0);
    fsh_gate_enter(fab);
    fab->quiet = false;
}

bool fsh_fabric_gate_heard(const struct fsh_fabric *fab)
{
    return fab->gate_heard;
}

bool fsh_fabric_called(struct fsh_fabric *fab)
{
    if (!fab->partitions || !fab->quiet ||
        !fsh_partitions_called(fab->partitions))
        return false;
    fab->quiet = false;
    return true;
}

void fsh_fabric_hosts(struct fsh_fabric *fab, uint64_t cycle)
{
    fab->hosts = cycle;
}

void fsh_fabric_tell(struct fsh_fabric *fab, uint32_t words)
{
    fab->told = words;
}

uint32_t fsh_fabric_agreed(const struct fsh_fabric *fab)
{
    return fab->agreed;
}

void fsh_fabric_again(struct fsh_fabric *fab)
{
    fab->quiet = false;
}

void fsh_fabric_part(struct fsh_fabric *fab)
{
    if (fab->partitions)
        fsh_partitions_part(fab->partitions);
}

bool fsh_fabric_parted(const struct fsh_fabric *fab)
{
    return fab->partitions && fsh_partitions_parted(fab->partitions);
}

/* The setup before an epoch takes as long as the hosts take: what follows begins at
 * a cycle whose low bits, which decide whose turn it is at a memory, are the same
 * each time. */
void fsh_epoch_enter(struct fsh_fabric *fab)
{
    fab->cycle = fab->window = (fab->cycle / EPOCH + 1) * EPOCH;
    fsh_forget_still(fab);
    for (uint32_t i = fab->first; i < fab->past; i++)
        fab->node[i].hash = 0;
    fab->waves_origin = fab->cycle;
    if (fab->partitions)
        fab->quiet = false;
}

uint64_t fsh_fabric_epoch(struct fsh_fabric *fab)
{
    if (fab->recording)
        fsh_tape_event(fab->tape, FSH_TAPE_EPOCH, fab->cycle, 0, 0, 0);
    fsh_epoch_enter(fab);
    return fab->cycle;
}

void fsh_fabric_dram_write(struct fsh_fabric *fab, uint32_t cycles)
{
    if (cycles < 1 || cycles > FSH_MAX_DELAY ||
        cycles == fab->config.dram_write_cycles)
        return;
    fab->config.dram_write_cycles = cycles;
    if (fab->recording)
        fsh_tape_dram_write(fab->tape, fab->cycle, cycles);
    for (uint32_t i = fab->first; i < fab->past; i++) {
        struct fsh_sim_node *node = &fab->node[i];

        for (uint32_t p = 0; p < FSH_LANES; p++)
            node->master[p].resp_cycles = cycles;
        for (uint32_t l = 0; node->core && l < FSH_COMPUTE_LANES; l++)
            node->core->lane[l].resp_cycles = cycles;
        for (uint32_t l = 0; l < FSH_COLL_LANES; l++)
            node->coll.lane[l].resp_cycles = cycles;
        node->dma.lane.resp_cycles = cycles;
    }
}

bool fsh_fabric_hold_link(struct fsh_fabric *fab, uint32_t node, uint32_t port,
                          uint32_t cycles)
{
    return fsh_link_hold(fab, &fab->node[node].rx[port], cycles);
}

static struct fsh_lane *engine_lane(struct fsh_sim_node *node, uint32_t lane)
{
    if (lane >= FSH_MEMORY_COLL && lane < FSH_MEMORY_DMA_CARD)
        return &node->coll.lane[lane - FSH_MEMORY_COLL];
    if (lane == FSH_MEMORY_DMA_CARD)
        return &node->dma.lane;
    return &node->core->lane[lane - FSH_MEMORY_CORE];
}

void fsh_fabric_hold_memory(struct fsh_fabric *fab, uint32_t node,
                            uint32_t lane, uint32_t cycles)
{
    struct fsh_sim_node *n = &fab->node[node];
    uint64_t end = fab->cycle + cycles;

    if (lane < FSH_NODE_MASTERS)
        n->master[lane].hold = end;
    else if (lane == FSH_MEMORY_DMA_HOST)
        n->dma.wide.hold = end;
    else
        engine_lane(n, lane)->hold = end;
    fab->stalling = true;
}

void fsh_fabric_spoil_memory(struct fsh_fabric *fab, uint32_t node,
                             uint32_t lane, uint64_t at, uint64_t bytes)
{
    struct fsh_sim_node *n = &fab->node[node];
    bool host = lane == FSH_NODE_HOST || lane == FSH_MEMORY_DMA_HOST;
    uint64_t from = n->master[host ? FSH_NODE_HOST : 0].base + at;

    if (lane < FSH_NODE_MASTERS) {
        n->master[lane].bad_from = from;
        n->master[lane].bad_to = from + bytes;
    } else if (lane == FSH_MEMORY_DMA_HOST) {
        n->dma.wide.bad_from = from;
        n->dma.wide.bad_to = from + bytes;
    } else {
        engine_lane(n, lane)->bad_from = from;
        engine_lane(n, lane)->bad_to = from + bytes;
    }
}

/* --- what to look at --------------------------------------------------- */

const char *fsh_fabric_error(const struct fsh_fabric *fab)
{
    return fab->failed ? fab->error : NULL;
}

uint64_t fsh_fabric_cycle(const struct fsh_fabric *fab)
{
    return fab->cycle;
}

uint64_t fsh_fabric_moved(const struct fsh_fabric *fab)
{
    return fab->moved;
}

/* A write is known for pcie_cycles before the host sees it, the answer to a read, too. */
uint64_t fsh_fabric_told(const struct fsh_fabric *fab)
{
    uint64_t told = fab->cycle + fab->config.pcie_cycles;

    for (uint32_t i = fab->first; i < fab->past; i++) {
        const struct fsh_host *host = &fab->node[i].host;
        uint64_t at = fsh_master_tells(&fab->node[i].master[FSH_NODE_HOST]);

        told = at < told ? at : told;
        if (host->answer_at != 0 && host->answer_at < told)
            told = host->answer_at;
    }
    return told + 1;
}

uint64_t fsh_fabric_evaluated(const struct fsh_fabric *fab)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < fab->config.threads; i++)
        sum += fab->part[i].evaluated;
    return sum;
}

uint64_t fsh_fabric_computed(const struct fsh_fabric *fab)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < fab->config.threads; i++)
        sum += fab->part[i].computed;
    return sum;
}

void fsh_fabric_stats(const struct fsh_fabric *fab,
                      struct fsh_fabric_stats *stats)
{
    *stats = (struct fsh_fabric_stats){
        .threads = fab->crew ? fsh_crew_members(fab->crew) : 1,
        .quanta = fab->quanta,
        .shared = fab->shared,
        .node_bytes = fab->node_bytes,
    };
    for (uint32_t i = 0; i < stats->threads; i++)
        stats->evaluated[i] = fab->part[i].evaluated;
}

uint64_t fsh_fabric_dram_moved(const struct fsh_fabric *fab, uint32_t node)
{
    return fab->node[node].dram_pool.taken;
}

uint64_t fsh_fabric_dma_stored(const struct fsh_fabric *fab, uint32_t node)
{
    const struct fsh_sim_dma *dma = &fab->node[node].dma;

    return dma->lane.stored + dma->wide.stored;
}

const struct fsh_topology *fsh_fabric_topology(const struct fsh_fabric *fab)
{
    return &fab->topology;
}

uint32_t fsh_fabric_nodes(const struct fsh_fabric *fab)
{
    return fab->config.nodes;
}

uint32_t fsh_fabric_first(const struct fsh_fabric *fab)
{
    return fab->first;
}

uint32_t fsh_fabric_past(const struct fsh_fabric *fab)
{
    return fab->past;
}

unsigned char *fsh_fabric_dram(struct fsh_fabric *fab, uint32_t node)
{
    return fab->node[node].master[0].mem;
}

unsigned char *fsh_fabric_dma(struct fsh_fabric *fab, uint32_t node)
{
    return fab->node[node].master[FSH_NODE_HOST].mem;
}

uint64_t fsh_fabric_dram_base(const struct fsh_fabric *fab)
{
    return fab->node[fab->first].master[0].base;
}

uint64_t fsh_fabric_dma_bus(const struct fsh_fabric *fab)
{
    return fab->node[fab->first].master[FSH_NODE_HOST].base;
}

uint64_t fsh_fabric_hash(const struct fsh_fabric *fab)
{
    uint64_t hash = 0;

    for (uint32_t i = fab->first; i < fab->past; i++)
        hash += fsh_mix(i, fab->node[i].hash);
    return hash;
}

bool fsh_fabric_replay_over(const struct fsh_fabric *fab)
{
    return fab->over;
}
