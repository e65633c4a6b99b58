// SPDX-License-Identifier: BSD-3-Clause
//
// The Verilated compute core behind compute_wrap.h. Copies pins, nothing else.
#include "compute_wrap.h"

#include <cstdio>
#include <cstring>
#include <memory>

#include "Vfsh_compute.h"
#include "Vfsh_compute___024root.h"
#include "wrap.h"

struct fsh_compute {
    fsh_compute_io *io;
    std::shared_ptr<VerilatedContext> context;
    Vfsh_compute *top;
};

namespace {

constexpr unsigned lane_words = FSH_LANE_BYTES / 4;

void drive_port(Vfsh_compute *top, const fsh_port_out &port)
{
    top->node_i = port.node;
    top->seg_base_i = port.seg_base;
    top->seg_size_i = port.seg_size;
    top->ccmd_ready_i = port.ccmd_ready;
    top->run_valid_i = port.run_valid;
    top->sig_valid_i = port.sig_valid;
    top->ack_valid_i = port.ack_valid;
    top->cperf_clear_i = port.cperf_clear;
    top->cperf_read_i = port.cperf_read;
    if (port.run_valid) {
        top->run_queue_i = port.run_mover;
        top->run_count_i = port.run_count;
        top->run_addr_i = port.run_addr;
    }
    if (port.sig_valid) {
        top->sig_event_i = port.sig_counter;
        top->sig_inc_i = port.sig_inc;
    }
    if (port.ack_valid) {
        top->ack_tag_i = port.ack_tag;
        top->ack_status_i = port.ack_status;
    }
    if (port.cperf_read) top->cperf_word_i = port.cperf_word;
}

void drive(fsh_compute *core)
{
    Vfsh_compute *top = core->top;
    const fsh_compute_in &in = core->io->in;
    unsigned awready = 0, wready = 0, bvalid = 0, berr = 0;
    unsigned arready = 0, rvalid = 0, rerr = 0;
    top->rst_i = in.rst;
    top->cycle_i = in.cycle & ((UINT64_C(1) << 48) - 1);
    drive_port(top, in.port);
    for (unsigned l = 0; l < FSH_COMPUTE_LANES; l++) {
        const fsh_lane_in &lane = in.lane[l];
        awready |= static_cast<unsigned>(lane.awready) << l;
        wready |= static_cast<unsigned>(lane.wready) << l;
        bvalid |= static_cast<unsigned>(lane.bvalid) << l;
        berr |= static_cast<unsigned>(lane.berr) << l;
        arready |= static_cast<unsigned>(lane.arready) << l;
        rvalid |= static_cast<unsigned>(lane.rvalid) << l;
        rerr |= static_cast<unsigned>(lane.rerr) << l;
        if (lane.rvalid)
            std::memcpy(&top->m_rdata_i[lane_words * l], lane.rdata,
                        FSH_LANE_BYTES);
    }
    top->m_awready_i = static_cast<CData>(awready);
    top->m_wready_i = static_cast<CData>(wready);
    top->m_bvalid_i = static_cast<CData>(bvalid);
    top->m_berr_i = static_cast<CData>(berr);
    top->m_arready_i = static_cast<CData>(arready);
    top->m_rvalid_i = static_cast<CData>(rvalid);
    top->m_rerr_i = static_cast<CData>(rerr);
}

// Address of a lane: 40 bits.
uint64_t address(const uint32_t *words, unsigned lane)
{
    uint64_t value = 0;
    std::memcpy(&value, reinterpret_cast<const char *>(words) + 5 * lane, 5);
    return value;
}

void sample_lane(const Vfsh_compute *top, fsh_lane_out *lane, unsigned l)
{
    lane->awvalid = (top->m_awvalid_o >> l) & 1u;
    lane->wvalid = (top->m_wvalid_o >> l) & 1u;
    lane->arvalid = (top->m_arvalid_o >> l) & 1u;
    if (lane->awvalid) lane->awaddr = address(&top->m_awaddr_o[0], l);
    if (lane->arvalid) lane->araddr = address(&top->m_araddr_o[0], l);
    if (lane->wvalid) {
        std::memcpy(&lane->wstrb, &top->m_wstrb_o[2 * l], sizeof lane->wstrb);
        std::memcpy(lane->wdata, &top->m_wdata_o[lane_words * l],
                    FSH_LANE_BYTES);
    }
}

void sample(fsh_compute *core)
{
    const Vfsh_compute *top = core->top;
    fsh_compute_out &out = core->io->out;
    out.idle = top->idle_o;
    out.port.run_room = top->run_room_o;
    out.port.cperf_valid = top->cperf_valid_o;
    if (out.port.cperf_valid) out.port.cperf_data = top->cperf_data_o;
    out.port.ccmd_valid = top->ccmd_valid_o;
    if (out.port.ccmd_valid) {
        uint64_t command[FSH_ECMD_WORDS];
        std::memcpy(command, &top->ccmd_o[0], sizeof command);
        out.port.length = static_cast<uint32_t>(fsh_ecmd_length(command));
        out.port.raddr = fsh_ecmd_raddr(command);
        out.port.laddr = fsh_ecmd_laddr(command);
        out.port.tag = static_cast<uint8_t>(fsh_ecmd_tag(command));
        out.port.dst = static_cast<uint8_t>(fsh_ecmd_dst(command));
        out.port.kind = static_cast<uint8_t>(fsh_ecmd_kind(command));
    }
    for (unsigned l = 0; l < FSH_COMPUTE_LANES; l++)
        sample_lane(top, &out.lane[l], l);
}

} // namespace

struct fsh_compute *fsh_compute_create(struct fsh_compute_io *io,
                                       uint32_t index, uint64_t seed,
                                       struct fsh_node_waves *waves)
{
    fsh_compute *core = new fsh_compute;
    core->io = io;
    // Numbers behind those of the nodes.
    core->context = fsh::make_context(seed, FSH_MAX_NODES + index, waves);
    char name[16];
    std::snprintf(name, sizeof name, "core%u", index);
    core->top = new Vfsh_compute(core->context.get(), name);
    if (waves) core->top->trace(&waves->file, 99);
    return core;
}

void fsh_compute_destroy(struct fsh_compute *core)
{
    if (!core) return;
    fsh::destroy(core->top);
    delete core;
}

void fsh_compute_drive(struct fsh_compute *core)
{
    drive(core);
    core->top->clk_i = 0;
    core->top->eval();
}

void fsh_compute_eval(struct fsh_compute *core)
{
    drive(core);
    core->context->time(core->io->in.cycle); // for messages
    fsh::edge(core->top);
    sample(core);
}
