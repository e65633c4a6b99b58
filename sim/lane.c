/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Device memory behind one 512-bit AXI4 master (lane) of an engine: every
 * burst is one beat, in order per direction, with as many outstanding as there
 * are slots. It shares its node's pool of bytes with the masters of the link
 * ports. A beat outside the memory returns an error, reads zero and writes
 * nothing: the engines check their addresses, so only tests place them there. One that a
 * test has spoilt returns an error, too (fsh_fabric_spoil_memory).
 *
 * Timing as in axi.c: read data read_cycles after the address, a response
 * resp_cycles after the data, one of each per cycle.
 */
#include <string.h>

#include "model.h"

enum { STALL_AW = 1, STALL_W = 2, STALL_B = 4, STALL_AR = 8, STALL_R = 16 };

static void aligned(struct fsh_sim_node *node, const struct fsh_lane *lane,
                    const char *what, uint64_t addr)
{
    if (addr % FSH_LANE_BYTES == 0)
        return;
    fsh_sim_node_fail(node,
                      "node %u: compute core lane %u: %s at 0x%llx is not "
                      "aligned (cycle %llu)",
                      node->index, lane->index, what, (unsigned long long)addr,
                      (unsigned long long)node->cycle);
}

static bool inside(const struct fsh_lane *lane, uint64_t addr)
{
    return addr >= lane->base && lane->size >= FSH_LANE_BYTES &&
           addr - lane->base <= lane->size - FSH_LANE_BYTES;
}

static void judge(const struct fsh_lane *lane, struct fsh_lane_slot *slot)
{
    slot->outside = !inside(lane, slot->addr);
    slot->err = slot->outside || fsh_spoilt(lane->bad_from, lane->bad_to,
                                            slot->addr, FSH_LANE_BYTES);
}

void fsh_store_line(struct fsh_sim_node *node, unsigned char *to, uint64_t addr,
                    const uint64_t data[FSH_LANE_WORDS], uint64_t strobes)
{
    uint64_t hash = fsh_mix(
        node->hash, (node->cycle ^ (uint64_t)node->index << 56) + strobes);

    hash = fsh_mix(hash, addr);
    for (unsigned i = 0; i < FSH_LANE_WORDS; i++) {
        uint32_t strb = (uint32_t)(strobes >> (8 * i)) & 0xff;

        if (strb == 0)
            continue;
        fsh_store_word(to + 8 * i, data[i], strb);
        hash = fsh_mix(hash, data[i]);
    }
    node->hash = hash;
}

static void write_step(struct fsh_sim_node *node, struct fsh_lane *lane,
                       uint32_t stall)
{
    const struct fsh_lane_out *out = lane->out;
    struct fsh_lane_in *in = lane->in;
    uint32_t held = lane->write_tail - lane->resp_head;

    in->awready = !(stall & STALL_AW) && held < FSH_LANE_SLOTS;
    if (out->awvalid && in->awready) {
        aligned(node, lane, "write", out->awaddr);
        lane->write[lane->write_tail++ % FSH_LANE_SLOTS].addr = out->awaddr;
    }
    in->wready = out->wvalid && lane->write_head != lane->write_tail &&
                 !(stall & STALL_W) &&
                 fsh_pool_take(lane->pool, node->cycle, FSH_LANE_BYTES);
    if (in->wready) {
        struct fsh_lane_slot *slot =
            &lane->write[lane->write_head++ % FSH_LANE_SLOTS];

        judge(lane, slot);
        slot->at = node->cycle + lane->resp_cycles;
        if (!slot->outside) {
            fsh_store_line(node, lane->mem + (slot->addr - lane->base),
                           slot->addr, out->wdata, out->wstrb);
            lane->stored += (unsigned)__builtin_popcountll(out->wstrb);
        }
    }
    /* Slots from resp_head to write_head wait for their response. */
    in->bvalid = 0;
    if (lane->resp_head != lane->write_head && !(stall & STALL_B)) {
        const struct fsh_lane_slot *slot =
            &lane->write[lane->resp_head % FSH_LANE_SLOTS];

        in->bvalid = slot->at <= node->cycle;
        in->berr = slot->err;
        lane->resp_head += in->bvalid;
    }
}

void fsh_load_line(struct fsh_fabric *fab, struct fsh_sim_node *node,
                   const unsigned char *from, uint64_t data[FSH_LANE_WORDS])
{
    if (fab->replaying) {
        for (unsigned i = 0; i < FSH_LANE_WORDS; i += 2)
            fsh_tape_need(fab->tape, node, data + i);
        return;
    }
    for (unsigned i = 0; i < FSH_LANE_WORDS; i++)
        data[i] = __atomic_load_n(
            (const uint64_t *)(const void *)(from + 8 * i), __ATOMIC_RELAXED);
    for (unsigned i = 0; fab->recording && i < FSH_LANE_WORDS; i += 2)
        fsh_tape_data(fab->tape, node->index, data + i);
}

static void fetch(struct fsh_fabric *fab, struct fsh_sim_node *node,
                  struct fsh_lane *lane)
{
    const struct fsh_lane_slot *slot =
        &lane->read[lane->read_head % FSH_LANE_SLOTS];
    struct fsh_lane_in *in = lane->in;

    in->rerr = slot->err;
    if (slot->outside) {
        memset(in->rdata, 0, sizeof in->rdata);
        return;
    }
    fsh_load_line(fab, node, lane->mem + (slot->addr - lane->base), in->rdata);
    for (unsigned i = 0; slot->err && i < FSH_LANE_WORDS; i++)
        in->rdata[i] = ~in->rdata[i];
}

static void read_step(struct fsh_fabric *fab, struct fsh_sim_node *node,
                      struct fsh_lane *lane, uint32_t stall)
{
    const struct fsh_lane_out *out = lane->out;
    struct fsh_lane_in *in = lane->in;

    in->arready = !(stall & STALL_AR) &&
                  lane->read_tail - lane->read_head < FSH_LANE_SLOTS;
    if (out->arvalid && in->arready) {
        struct fsh_lane_slot *slot =
            &lane->read[lane->read_tail++ % FSH_LANE_SLOTS];

        aligned(node, lane, "read", out->araddr);
        slot->addr = out->araddr;
        judge(lane, slot);
        slot->at = node->cycle + lane->read_cycles;
    }
    in->rvalid =
        lane->read_head != lane->read_tail && !(stall & STALL_R) &&
        lane->read[lane->read_head % FSH_LANE_SLOTS].at <= node->cycle &&
        fsh_pool_take(lane->pool, node->cycle, FSH_LANE_BYTES);
    if (in->rvalid) {
        fetch(fab, node, lane);
        lane->read_head++;
    }
}

void fsh_lane_init(struct fsh_fabric *fab, struct fsh_sim_node *node,
                   struct fsh_lane *lane, uint32_t l,
                   const struct fsh_lane_out *out, struct fsh_lane_in *in)
{
    const struct fsh_master *memory = &node->master[0];

    *lane = (struct fsh_lane){
        .out = out,
        .in = in,
        .mem = memory->mem,
        .base = memory->base,
        .size = memory->size,
        .read_cycles = fab->config.dram_cycles,
        .resp_cycles = fab->config.dram_write_cycles,
        .pool = &node->dram_pool,
        .index = l,
    };
}

bool fsh_lane_step(struct fsh_fabric *fab, struct fsh_sim_node *node,
                   struct fsh_lane *lane, uint32_t stall)
{
    const struct fsh_lane_out *out = lane->out;

    stall = lane->hold > node->cycle ? 0x1f : stall >> (5 * lane->index);
    if (!(out->awvalid | out->wvalid | out->arvalid) &&
        lane->read_head == lane->read_tail &&
        lane->resp_head == lane->write_tail) {
        lane->in->bvalid = lane->in->rvalid = 0;
        return false; /* nobody looks at ready */
    }
    /* Turns, so that a narrow pool starves neither side. */
    if (node->cycle & 8) {
        write_step(node, lane, stall);
        read_step(fab, node, lane, stall);
    } else {
        read_step(fab, node, lane, stall);
        write_step(node, lane, stall);
    }
    return out->awvalid || out->wvalid || out->arvalid || lane->in->bvalid ||
           lane->in->rvalid;
}

uint64_t fsh_lane_due(const struct fsh_lane *lane)
{
    uint64_t due = FSH_NEVER;

    if (lane->resp_head != lane->write_head)
        due = lane->write[lane->resp_head % FSH_LANE_SLOTS].at;
    if (lane->read_head != lane->read_tail &&
        lane->read[lane->read_head % FSH_LANE_SLOTS].at < due)
        due = lane->read[lane->read_head % FSH_LANE_SLOTS].at;
    return due;
}
