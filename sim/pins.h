// SPDX-License-Identifier: BSD-3-Clause
//
// The pins of the Verilated card, from and to the structures of node_wrap.h
// (C++). Inline, for node_wrap.cpp needs them in every cycle. By the root of the model,
// which has the pins themselves: Vfsh_card has references, each of which is a load.
#ifndef FSH_SIM_PINS_H
#define FSH_SIM_PINS_H

#include <cstddef>
#include <cstring>

#include "Vfsh_card.h"
#include "Vfsh_card___024root.h"
#include "node_wrap.h"

#ifndef FSH_CARD_PORTS // link ports of the Verilated card
#define FSH_CARD_PORTS 2
#endif

namespace fsh
{

// Extract `width` <= 64 bits at `bit` of a wide pin.
inline uint64_t bits(const uint32_t *words, unsigned bit, unsigned width)
{
    unsigned word = bit / 32, shift = bit % 32;
    uint64_t low = words[word] >> shift;
    unsigned got = 32 - shift;
    while (got < width) {
        low |= static_cast<uint64_t>(words[++word]) << got;
        got += 32;
    }
    return width == 64 ? low : low & ((UINT64_C(1) << width) - 1);
}

inline void get128(uint64_t out[2], const uint32_t *words)
{
    std::memcpy(out, words, 16);
}

inline void set128(uint32_t *words, const uint64_t in[2])
{
    std::memcpy(words, in, 16);
}

inline void drive_axi(Vfsh_card___024root *top, const fsh_axi_in *axi)
{
    // All flags of a lane, a byte each, at once: a bit of each byte is a lane's.
    uint64_t flags = 0;
    for (unsigned p = 0; p < FSH_LANES; p++) {
        uint64_t of_lane;

        static_assert(offsetof(fsh_axi_in, rlast) == sizeof of_lane - 1,
                      "the flags of a lane are its first eight bytes");
        std::memcpy(&of_lane, &axi[p], sizeof of_lane);
        flags |= of_lane << p;
        if (axi[p].rvalid)
            set128(&top->m_mem_rdata_i[4 * p], axi[p].rdata);
    }
    unsigned char pins[sizeof flags];
    std::memcpy(pins, &flags, sizeof flags);
    top->m_mem_awready_i = pins[offsetof(fsh_axi_in, awready)];
    top->m_mem_wready_i = pins[offsetof(fsh_axi_in, wready)];
    top->m_mem_bvalid_i = pins[offsetof(fsh_axi_in, bvalid)];
    top->m_mem_berr_i = pins[offsetof(fsh_axi_in, berr)];
    top->m_mem_arready_i = pins[offsetof(fsh_axi_in, arready)];
    top->m_mem_rvalid_i = pins[offsetof(fsh_axi_in, rvalid)];
    top->m_mem_rerr_i = pins[offsetof(fsh_axi_in, rerr)];
    top->m_mem_rlast_i = pins[offsetof(fsh_axi_in, rlast)];

    const fsh_axi_in &host = axi[FSH_NODE_HOST];
    top->m_host_awready_i = host.awready;
    top->m_host_wready_i = host.wready;
    top->m_host_bvalid_i = host.bvalid;
    top->m_host_arready_i = host.arready;
    top->m_host_rvalid_i = host.rvalid;
    top->m_host_rlast_i = host.rlast;
    top->m_host_rid_i = host.rid;
    top->m_host_berr_i = host.berr;
    top->m_host_rerr_i = host.rerr;
    if (host.rvalid)
        set128(&top->m_host_rdata_i[0], host.rdata);
}

// Flags of lanes, as bit l of each.
struct lane_flags {
    unsigned awready, wready, bvalid, berr, arready, rvalid, rerr;
};

// Those of what lanes are given; and their data, into its pins.
inline lane_flags drive_lanes(const fsh_lane_in *lanes, unsigned count,
                              uint32_t *rdata)
{
    lane_flags f = {};
    for (unsigned l = 0; l < count; l++) {
        const fsh_lane_in &lane = lanes[l];
        f.awready |= static_cast<unsigned>(lane.awready) << l;
        f.wready |= static_cast<unsigned>(lane.wready) << l;
        f.bvalid |= static_cast<unsigned>(lane.bvalid) << l;
        f.berr |= static_cast<unsigned>(lane.berr) << l;
        f.arready |= static_cast<unsigned>(lane.arready) << l;
        f.rvalid |= static_cast<unsigned>(lane.rvalid) << l;
        f.rerr |= static_cast<unsigned>(lane.rerr) << l;
        if (lane.rvalid)
            std::memcpy(rdata + FSH_LANE_BYTES / 4 * l, lane.rdata,
                        FSH_LANE_BYTES);
    }
    return f;
}

// The flags' pins of an engine, in the order of lane_flags.
template <class... Pins>
inline void drive_flags(const lane_flags &f, Pins &...pins)
{
    const unsigned flags[] = {f.awready, f.wready, f.bvalid, f.berr,
                              f.arready, f.rvalid, f.rerr};
    static_assert(sizeof...(pins) == sizeof flags / sizeof flags[0],
                  "a pin for each flag");
    const unsigned *flag = flags;
    ((pins = static_cast<CData>(*flag++)), ...);
}

inline void drive_core(Vfsh_card___024root *top, const fsh_lane_in *lanes)
{
    drive_flags(drive_lanes(lanes, FSH_COMPUTE_LANES, &top->m_core_rdata_i[0]),
                top->m_core_awready_i, top->m_core_wready_i,
                top->m_core_bvalid_i, top->m_core_berr_i, top->m_core_arready_i,
                top->m_core_rvalid_i, top->m_core_rerr_i);
}

inline void drive_coll(Vfsh_card___024root *top, const fsh_lane_in *lanes)
{
    drive_flags(drive_lanes(lanes, FSH_COLL_LANES, &top->m_coll_rdata_i[0]),
                top->m_coll_awready_i, top->m_coll_wready_i,
                top->m_coll_bvalid_i, top->m_coll_berr_i, top->m_coll_arready_i,
                top->m_coll_rvalid_i, top->m_coll_rerr_i);
}

// Records of fsh_axi_pkg, data lowest: responses.
inline void drive_record(VlWide<17> &pins, const fsh_lane_in &lane)
{
    pins[16] = static_cast<unsigned>(lane.rerr) | lane.rvalid << 1 |
               lane.arready << 2 | lane.berr << 3 | lane.bvalid << 4 |
               lane.wready << 5 | lane.awready << 6;
    if (lane.rvalid)
        std::memcpy(&pins[0], lane.rdata, FSH_LANE_BYTES);
}

inline void drive_node(Vfsh_card___024root *top, const fsh_node_in &in)
{
    top->gate_i = in.gate;
    top->core_present_i = in.core_present;
    top->coll_present_i = in.coll_present;
    top->s_axil_awvalid_i = in.awvalid;
    top->s_axil_wvalid_i = in.wvalid;
    top->s_axil_arvalid_i = in.arvalid;
    top->s_axil_bready_i = 1;
    top->s_axil_rready_i = 1;
    if (in.awvalid)
        top->s_axil_awaddr_i = in.awaddr;
    if (in.wvalid)
        top->s_axil_wdata_i = in.wdata;
    if (in.arvalid)
        top->s_axil_araddr_i = in.araddr;
    unsigned valid = 0, bound = 0;
    for (unsigned p = 0; p < FSH_CARD_PORTS; p++) {
        if (!in.rx[p].valid)
            continue;
        valid |= 1u << p;
        bound |= static_cast<unsigned>(in.rx[p].bound) << p;
        set128(&top->link_rx_data_i[4 * p], in.rx[p].data);
    }
    top->link_rx_valid_i = static_cast<CData>(valid);
    top->link_rx_bound_i = static_cast<CData>(bound);
    drive_axi(top, in.axi);
}

// What the clocks that rise look at.
inline void drive(Vfsh_card *card, const fsh_node_in &in)
{
    Vfsh_card___024root *const top = card->rootp;

    top->rst_i = in.rst;
    top->cycle_i = in.cycle & ((UINT64_C(1) << 48) - 1);
    if (in.clk)
        drive_node(top, in);
    if (in.core_clk)
        drive_core(top, in.lane);
    if (in.coll_clk)
        drive_coll(top, in.coll);
    if (in.dma_clk) {
        drive_record(top->m_wide_rsp_i, in.wide);
        drive_record(top->m_line_rsp_i, in.line);
    }
}

// The flags of lane p, the first bytes of what it drives, are bit p of each byte.
inline void sample_mem(const Vfsh_card___024root *top, fsh_axi_out *axi,
                       unsigned p, uint64_t flags)
{
    flags = flags >> p & UINT64_C(0x010101010101);
    std::memcpy(axi, &flags, sizeof flags);
    if (axi->awvalid) {
        axi->awaddr = bits(&top->m_mem_awaddr_o[0], 40 * p, 40);
        axi->awlen = static_cast<uint8_t>(top->m_mem_awlen_o >> (8 * p));
    }
    if (axi->arvalid) {
        axi->araddr = bits(&top->m_mem_araddr_o[0], 40 * p, 40);
        axi->arlen = static_cast<uint8_t>(top->m_mem_arlen_o >> (8 * p));
    }
    if (axi->wvalid) {
        axi->wstrb = static_cast<uint16_t>(top->m_mem_wstrb_o >> (16 * p));
        get128(axi->wdata, &top->m_mem_wdata_o[4 * p]);
    }
}

inline void sample_mems(const Vfsh_card___024root *top, fsh_axi_out *axi)
{
    using axi_out = fsh_axi_out;
    uint64_t flags = 0;
    auto put = [&flags](size_t at, uint64_t pins) {
        flags |= pins << (8 * at);
    };

    static_assert(offsetof(axi_out, awlen) == sizeof flags - 1,
                  "the flags, and what is read with awvalid only");
    put(offsetof(axi_out, awvalid), top->m_mem_awvalid_o);
    put(offsetof(axi_out, wvalid), top->m_mem_wvalid_o);
    put(offsetof(axi_out, wlast), top->m_mem_wlast_o);
    put(offsetof(axi_out, bready), top->m_mem_bready_o);
    put(offsetof(axi_out, arvalid), top->m_mem_arvalid_o);
    put(offsetof(axi_out, rready), top->m_mem_rready_o);
    for (unsigned p = 0; p < FSH_LANES; p++)
        sample_mem(top, &axi[p], p, flags);
}

inline void sample_host(const Vfsh_card___024root *top, fsh_axi_out *axi)
{
    axi->awvalid = top->m_host_awvalid_o;
    axi->wvalid = top->m_host_wvalid_o;
    axi->bready = top->m_host_bready_o;
    axi->arvalid = top->m_host_arvalid_o;
    axi->rready = top->m_host_rready_o;
    if (axi->awvalid) {
        axi->awaddr = top->m_host_awaddr_o;
        axi->awlen = top->m_host_awlen_o;
    }
    if (axi->arvalid) {
        axi->araddr = top->m_host_araddr_o;
        axi->arlen = top->m_host_arlen_o;
        axi->arid = top->m_host_arid_o;
    }
    if (axi->wvalid) {
        axi->wstrb = top->m_host_wstrb_o;
        axi->wlast = top->m_host_wlast_o;
        get128(axi->wdata, &top->m_host_wdata_o[0]);
    }
}

// Address of a lane: 40 bits.
inline uint64_t lane_address(const uint32_t *words, unsigned lane)
{
    uint64_t value = 0;
    std::memcpy(&value, reinterpret_cast<const char *>(words) + 5 * lane, 5);
    return value;
}

// Pins that lanes drive.
struct lane_pins {
    unsigned awvalid, wvalid, arvalid; // bit l is of lane l
    const uint32_t *awaddr, *araddr, *wstrb, *wdata;
};

inline void sample_lanes(const lane_pins &pins, fsh_lane_out *lanes,
                         unsigned count)
{
    for (unsigned l = 0; l < count; l++) {
        fsh_lane_out &lane = lanes[l];
        lane.awvalid = (pins.awvalid >> l) & 1u;
        lane.wvalid = (pins.wvalid >> l) & 1u;
        lane.arvalid = (pins.arvalid >> l) & 1u;
        if (lane.awvalid)
            lane.awaddr = lane_address(pins.awaddr, l);
        if (lane.arvalid)
            lane.araddr = lane_address(pins.araddr, l);
        if (!lane.wvalid)
            continue;
        std::memcpy(&lane.wstrb, pins.wstrb + 2 * l, sizeof lane.wstrb);
        std::memcpy(lane.wdata, pins.wdata + FSH_LANE_BYTES / 4 * l,
                    FSH_LANE_BYTES);
    }
}

inline void sample_coll(const Vfsh_card___024root *top, fsh_node_out &out)
{
    out.coll_valid = top->fsh_pins__DOT__i_card__DOT__coll_valid;
    sample_lanes({top->m_coll_awvalid_o, top->m_coll_wvalid_o,
                  top->m_coll_arvalid_o, &top->m_coll_awaddr_o[0],
                  &top->m_coll_araddr_o[0], &top->m_coll_wstrb_o[0],
                  &top->m_coll_wdata_o[0]},
                 out.coll, FSH_COLL_LANES);
}

// Requests: data 512 bits, strobes 64, addresses, lengths, valid.
inline void sample_dma(const Vfsh_card___024root *top, fsh_node_out &out)
{
    const uint32_t *pins = &top->m_line_req_o[0];
    fsh_lane_out &line = out.line;
    line.awvalid = bits(pins, 658, 1);
    line.wvalid = bits(pins, 657, 1);
    line.arvalid = bits(pins, 656, 1);
    if (line.awvalid)
        line.awaddr = bits(pins, 616, 40);
    if (line.arvalid)
        line.araddr = bits(pins, 576, 40);
    if (line.wvalid) {
        line.wstrb = bits(pins, 512, 64);
        std::memcpy(line.wdata, pins, FSH_LANE_BYTES);
    }
    pins = &top->m_wide_req_o[0];
    fsh_wide_out &wide = out.wide;
    wide.awvalid = bits(pins, 691, 1);
    wide.wvalid = bits(pins, 690, 1);
    wide.arvalid = bits(pins, 688, 1);
    if (wide.awvalid) {
        wide.awaddr = bits(pins, 624, 48);
        wide.awlen = bits(pins, 680, 8);
    }
    if (wide.arvalid) {
        wide.araddr = bits(pins, 576, 48);
        wide.arlen = bits(pins, 672, 8);
    }
    if (wide.wvalid) {
        wide.wlast = bits(pins, 689, 1);
        wide.wstrb = bits(pins, 512, 64);
        std::memcpy(wide.wdata, pins, FSH_LANE_BYTES);
    }
    out.dma_valid = top->fsh_pins__DOT__i_card__DOT__dma_valid;
}

inline void sample_node(const Vfsh_card___024root *top, fsh_node_out &out)
{
    out.awready = top->s_axil_awready_o;
    out.wready = top->s_axil_wready_o;
    out.bvalid = top->s_axil_bvalid_o;
    out.arready = top->s_axil_arready_o;
    out.rvalid = top->s_axil_rvalid_o;
    out.rdata = top->s_axil_rdata_o;
    sample_mems(top, out.axi);
    for (unsigned p = 0; p < FSH_CARD_PORTS; p++) {
        out.tx[p].valid = (top->link_tx_valid_o >> p) & 1u;
        if (!out.tx[p].valid)
            continue;
        out.tx[p].bound = (top->link_tx_bound_o >> p) & 1u;
        get128(out.tx[p].data, &top->link_tx_data_o[4 * p]);
    }
    sample_host(top, &out.axi[FSH_NODE_HOST]);
}

// What the clocks that rose may have changed. Whether the core has something
// for the node is no pin but a wire of the card, public by model.vlt.
inline void sample(const Vfsh_card *card, const fsh_node_in &in,
                   fsh_node_out &out)
{
    const Vfsh_card___024root *const top = card->rootp;

    out.idle = top->idle_o;
    out.core_busy = top->core_clk_req_o;
    out.coll_busy = top->coll_clk_req_o;
    out.dma_busy = top->dma_clk_req_o;
    if (in.clk)
        sample_node(top, out);
    if (in.coll_clk)
        sample_coll(top, out);
    if (in.dma_clk)
        sample_dma(top, out);
    if (!in.core_clk)
        return;
    out.core_valid = top->fsh_pins__DOT__i_card__DOT__ccmd_valid |
                     top->fsh_pins__DOT__i_card__DOT__cperf_valid;
    out.run_room = top->fsh_pins__DOT__i_card__DOT__run_room;
    sample_lanes({top->m_core_awvalid_o, top->m_core_wvalid_o,
                  top->m_core_arvalid_o, &top->m_core_awaddr_o[0],
                  &top->m_core_araddr_o[0], &top->m_core_wstrb_o[0],
                  &top->m_core_wdata_o[0]},
                 out.lane, FSH_COMPUTE_LANES);
}

} // namespace fsh

#endif
