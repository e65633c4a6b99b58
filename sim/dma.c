/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The DMA engine of a node: its ports to device memory (lane.c) and, through PCIe, to
 * the host's DMA window, and clock gating like that of the collective engine.
 *
 * The wide port to the host shares the bytes a cycle of PCIe with the node's other one.
 * Here packets have headers: a write and an answer to a read one for each 256 bytes, and
 * a request for a read one the other way, FSH_SIM_PCIE_HEADER bytes each. In order per
 * direction. Timing as in axi.c: a read's first line is valid read_cycles after its
 * address was accepted, then one a cycle while there are bytes; data is stored when it
 * is taken, since what tells the host of it comes later; the response follows resp_cycles
 * after the last line. A rate of 32 bytes a cycle stands for PCIe Gen3 x8.
 */
#include "model.h"

enum { STALL_AW = 1, STALL_W = 2, STALL_B = 4, STALL_AR = 8, STALL_R = 16 };
#define PACKET_LINES (FSH_SIM_PCIE_PAYLOAD / FSH_LANE_BYTES)

void fsh_sim_dma_init(struct fsh_fabric *fab, struct fsh_sim_node *node)
{
    const struct fsh_master *host = &node->master[FSH_NODE_HOST];

    node->dma.wide = (struct fsh_wide){
        .out = &node->io.out.wide,
        .in = &node->io.in.wide,
        .mem = host->mem,
        .base = host->base,
        .size = host->size,
        .read_cycles = host->read_cycles,
        .resp_cycles = host->resp_cycles,
        .to_host = &node->to_host_pool,
        .to_device = &node->to_device_pool,
    };
    node->to_host_pool.carry = node->to_device_pool.carry =
        FSH_LANE_BYTES + FSH_SIM_PCIE_HEADER - 1;
    fsh_lane_init(fab, node, &node->dma.lane, FSH_COMPUTE_LANES + 1,
                  &node->io.out.line, &node->io.in.line);
}

/* A burst of so many lines stays inside the window and as many aligned lines. */
static bool take_burst(struct fsh_sim_node *node, const struct fsh_wide *w,
                       const char *what, uint64_t addr, uint32_t len,
                       struct fsh_burst *burst)
{
    uint64_t bytes = (len + 1u) * FSH_LANE_BYTES;

    burst->addr = addr;
    burst->beats = len + 1u;
    if (addr % FSH_LANE_BYTES == 0 && (addr & 4095) + bytes <= 4096 &&
        addr >= w->base && addr - w->base <= w->size &&
        bytes <= w->size - (addr - w->base))
        return true;
    fsh_sim_node_fail(node,
                      "node %u: DMA engine: %s of %u lines at 0x%llx is not "
                      "aligned, crosses 4 KiB or lies outside 0x%llx..0x%llx "
                      "(cycle %llu)",
                      node->index, what, len + 1u, (unsigned long long)addr,
                      (unsigned long long)w->base,
                      (unsigned long long)(w->base + w->size),
                      (unsigned long long)node->cycle);
    return false;
}

/* The first line of a packet has its header before it. */
static uint32_t bytes_of(uint32_t line)
{
    return FSH_LANE_BYTES +
           (line % PACKET_LINES == 0 ? FSH_SIM_PCIE_HEADER : 0);
}

static bool spoilt(const struct fsh_wide *w, uint64_t addr)
{
    return fsh_spoilt(w->bad_from, w->bad_to, addr, FSH_LANE_BYTES);
}

static void take_line(struct fsh_sim_node *node, struct fsh_wide *w)
{
    const struct fsh_wide_out *out = w->out;
    const struct fsh_burst *burst = &w->write[w->write_head % FSH_BURSTS];
    uint64_t addr = burst->addr + (uint64_t)w->write_line * FSH_LANE_BYTES;
    bool last = ++w->write_line == burst->beats;

    if (last != (out->wlast != 0))
        fsh_sim_node_fail(node,
                          "node %u: DMA engine: last line of a write of %u "
                          "marked at line %u (cycle %llu)",
                          node->index, burst->beats, w->write_line,
                          (unsigned long long)node->cycle);
    fsh_store_line(node, w->mem + (addr - w->base), addr, out->wdata,
                   out->wstrb);
    w->stored += (unsigned)__builtin_popcountll(out->wstrb);
    w->write_bad |= spoilt(w, addr);
    if (last) {
        w->resp_bad[w->resp_tail % FSH_BURSTS] = w->write_bad;
        w->write_bad = false;
        w->resp[w->resp_tail++ % FSH_BURSTS] = node->cycle + w->resp_cycles;
        w->write_line = 0;
        w->write_head++;
    }
}

static void write_step(struct fsh_sim_node *node, struct fsh_wide *w,
                       uint32_t stall)
{
    const struct fsh_wide_out *out = w->out;
    struct fsh_lane_in *in = w->in;
    uint32_t held = w->write_tail - w->write_head + w->resp_tail - w->resp_head;

    in->awready = !(stall & STALL_AW) && held < FSH_BURSTS;
    if (out->awvalid && in->awready &&
        take_burst(node, w, "write", out->awaddr, out->awlen,
                   &w->write[w->write_tail % FSH_BURSTS]))
        w->write_tail++;
    in->wready =
        out->wvalid && w->write_head != w->write_tail && !(stall & STALL_W) &&
        fsh_pool_take(w->to_host, node->cycle, bytes_of(w->write_line));
    if (in->wready)
        take_line(node, w);
    in->bvalid = w->resp_head != w->resp_tail &&
                 w->resp[w->resp_head % FSH_BURSTS] <= node->cycle &&
                 !(stall & STALL_B);
    in->berr = w->resp_bad[w->resp_head % FSH_BURSTS];
    w->resp_head += in->bvalid;
}

static void fetch(struct fsh_fabric *fab, struct fsh_sim_node *node,
                  struct fsh_wide *w)
{
    const struct fsh_burst *first = &w->read[w->read_head % FSH_BURSTS];
    uint64_t addr = first->addr + (uint64_t)w->read_line * FSH_LANE_BYTES;
    struct fsh_lane_in *in = w->in;

    fsh_load_line(fab, node, w->mem + (addr - w->base), in->rdata);
    in->rerr = spoilt(w, addr);
    for (unsigned i = 0; in->rerr && i < FSH_LANE_WORDS; i++)
        in->rdata[i] = ~in->rdata[i];
    if (++w->read_line == first->beats) {
        w->read_line = 0;
        w->read_head++;
    }
}

static void read_step(struct fsh_fabric *fab, struct fsh_sim_node *node,
                      struct fsh_wide *w, uint32_t stall)
{
    const struct fsh_wide_out *out = w->out;
    const struct fsh_burst *first = &w->read[w->read_head % FSH_BURSTS];
    struct fsh_lane_in *in = w->in;

    in->arready = out->arvalid && !(stall & STALL_AR) &&
                  w->read_tail - w->read_head < FSH_BURSTS &&
                  fsh_pool_take(w->to_host, node->cycle, FSH_SIM_PCIE_HEADER);
    if (in->arready) {
        struct fsh_burst *burst = &w->read[w->read_tail % FSH_BURSTS];

        if (take_burst(node, w, "read", out->araddr, out->arlen, burst)) {
            burst->at = node->cycle + w->read_cycles;
            w->read_tail++;
        }
    }
    in->rvalid =
        w->read_head != w->read_tail && first->at <= node->cycle &&
        !(stall & STALL_R) &&
        fsh_pool_take(w->to_device, node->cycle, bytes_of(w->read_line));
    if (in->rvalid)
        fetch(fab, node, w);
}

static bool wide_step(struct fsh_fabric *fab, struct fsh_sim_node *node,
                      struct fsh_wide *w, uint32_t stall)
{
    /* Turns at the way to the host, which requests of reads need as well. */
    if (node->cycle & 2) {
        write_step(node, w, stall);
        read_step(fab, node, w, stall);
    } else {
        read_step(fab, node, w, stall);
        write_step(node, w, stall);
    }
    return w->out->awvalid || w->out->wvalid || w->out->arvalid ||
           w->in->bvalid || w->in->rvalid;
}

uint64_t fsh_sim_dma_due(const struct fsh_sim_dma *dma)
{
    const struct fsh_wide *w = &dma->wide;
    uint64_t due = fsh_lane_due(&dma->lane);

    if (w->resp_head != w->resp_tail &&
        w->resp[w->resp_head % FSH_BURSTS] < due)
        due = w->resp[w->resp_head % FSH_BURSTS];
    if (w->read_head != w->read_tail &&
        w->read[w->read_head % FSH_BURSTS].at < due)
        due = w->read[w->read_head % FSH_BURSTS].at;
    return due;
}

bool fsh_sim_dma_work(struct fsh_fabric *fab, struct fsh_sim_node *node)
{
    struct fsh_sim_dma *dma = &node->dma;
    bool active = node->io.out.dma_busy;
    uint32_t stall = 0, wide = 0;

    if (fab->stalling) {
        stall = fsh_stall_lanes(fab, node);
        wide = dma->wide.hold > node->cycle
                   ? 0x1f
                   : fsh_stall_bits(fab, node) >> FSH_STALL_WIDE;
    }
    active |= fsh_lane_step(fab, node, &dma->lane, stall);
    active |= wide_step(fab, node, &dma->wide, wide);
    dma->evaluate = active || !fab->config.jump;
    dma->rests = !dma->evaluate && fsh_sim_dma_due(dma) == FSH_NEVER;
    return active;
}
