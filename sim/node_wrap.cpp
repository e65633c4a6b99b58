// SPDX-License-Identifier: BSD-3-Clause
//
// The Verilated node behind node_wrap.h. Copies pins, nothing else.
#include "node_wrap.h"

#include <cstdio>
#include <cstring>
#include <memory>

#include "Vfsh_node.h"
#include "Vfsh_node___024root.h"
#include "Vfsh_node__Syms.h"
#include "still.h"
#include "together.h"
#include "wrap.h"

namespace {

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

char error_text[512];
bool failed;

void fail(const char *what, const char *file, int line, const char *hier)
{
    if (failed) return;
    std::snprintf(error_text, sizeof error_text, "%s at %s:%d in %s", what,
                  file && *file ? file : "?", line,
                  hier && *hier ? hier : "the node");
    failed = true;
}

} // namespace

// Verilator's ways to stop, as compiled with VL_USER_STOP, _FATAL, _FINISH.
void vl_stop(const char *file, int line, const char *hier) VL_MT_UNSAFE
{
    fail("assertion or $stop", file, line, hier);
}
void vl_fatal(const char *file, int line, const char *hier,
              const char *msg) VL_MT_UNSAFE
{
    fail(msg && *msg ? msg : "$fatal", file, line, hier);
}
void vl_finish(const char *file, int line, const char *hier) VL_MT_UNSAFE
{
    fail("$finish", file, line, hier);
}

struct fsh_node {
    fsh_node_io *io;
    std::shared_ptr<VerilatedContext> context;
    Vfsh_node *top;
    std::unique_ptr<fsh::still> still;
};

namespace {

// The large memories, by Verilator's names; one that goes by another name is
// compared like everything else, which costs time only.
FSH_MEMORY(here, __PVT__i_here__DOT__i_ram__DOT__mem)
FSH_MEMORY(forward, __PVT__i_fwd__DOT__i_ram__DOT__mem)
FSH_MEMORY(loop, fsh_node__DOT__i_gasnet__DOT__i_loop__DOT__i_buf__DOT__i_ram__DOT__mem)
FSH_MEMORY(tracker, fsh_node__DOT__i_gasnet__DOT__i_tracker__DOT__i_ram__DOT__mem)
#define READ(name) \
    fsh_node__DOT__i_gasnet__DOT__i_seq__DOT__i_read__DOT__##name##__DOT__gen_block__DOT__i_ram__DOT__mem
FSH_MEMORY(read_mem0, READ(i_mem0))
FSH_MEMORY(read_mem1, READ(i_mem1))
FSH_MEMORY(read_host, READ(i_host))
#undef READ
FSH_MEMORY(window0, __PVT__gen_half__BRA__0__KET____DOT__i_ram__DOT__mem)
FSH_MEMORY(window1, __PVT__gen_half__BRA__1__KET____DOT__i_ram__DOT__mem)

template <typename Rx> void leave_out_rx(fsh::still *still, Rx &rx)
{
    still->leave_out(here<Rx>::of(rx));
    still->leave_out(forward<Rx>::of(rx));
}

template <typename Submit>
void leave_out_window(fsh::still *still, Submit &submit)
{
    still->leave_out(window0<Submit>::of(submit));
    still->leave_out(window1<Submit>::of(submit));
}

fsh::still *make_still(Vfsh_node *top)
{
    using Root = Vfsh_node___024root;
    Vfsh_node__Syms *syms = top->rootp->vlSymsp;
    Root &root = syms->TOP;
    fsh::still *still = new fsh::still(syms, sizeof *syms);
    still->leave_out(loop<Root>::of(root));
    still->leave_out(tracker<Root>::of(root));
    still->leave_out(read_mem0<Root>::of(root));
    still->leave_out(read_mem1<Root>::of(root));
    still->leave_out(read_host<Root>::of(root));
    leave_out_rx(
        still,
        syms->TOP__fsh_node__DOT__i_gasnet__DOT__gen_port__BRA__0__KET____DOT__i_port__DOT__i_lrx);
    leave_out_rx(
        still,
        syms->TOP__fsh_node__DOT__i_gasnet__DOT__gen_port__BRA__1__KET____DOT__i_port__DOT__i_lrx);
    leave_out_window(still, syms->TOP__fsh_node__DOT__i_host__DOT__i_submit_req);
    leave_out_window(still, syms->TOP__fsh_node__DOT__i_host__DOT__i_submit_rep);
    return still;
}

inline void drive_axi(fsh_node *node)
{
    Vfsh_node *top = node->top;
    const fsh_axi_in *axi = node->io->in.axi;
    unsigned awready = 0, wready = 0, bvalid = 0, arready = 0, rvalid = 0;
    unsigned rlast = 0, berr = 0, rerr = 0;
    for (unsigned p = 0; p < FSH_NODE_PORTS; p++) {
        awready |= static_cast<unsigned>(axi[p].awready) << p;
        wready |= static_cast<unsigned>(axi[p].wready) << p;
        bvalid |= static_cast<unsigned>(axi[p].bvalid) << p;
        arready |= static_cast<unsigned>(axi[p].arready) << p;
        rvalid |= static_cast<unsigned>(axi[p].rvalid) << p;
        rlast |= static_cast<unsigned>(axi[p].rlast) << p;
        berr |= static_cast<unsigned>(axi[p].berr) << p;
        rerr |= static_cast<unsigned>(axi[p].rerr) << p;
        if (axi[p].rvalid)
            set128(&top->m_mem_rdata_i[4 * p], axi[p].rdata);
    }
    top->m_mem_awready_i = static_cast<CData>(awready);
    top->m_mem_wready_i = static_cast<CData>(wready);
    top->m_mem_bvalid_i = static_cast<CData>(bvalid);
    top->m_mem_arready_i = static_cast<CData>(arready);
    top->m_mem_rvalid_i = static_cast<CData>(rvalid);
    top->m_mem_rlast_i = static_cast<CData>(rlast);
    top->m_mem_berr_i = static_cast<CData>(berr);
    top->m_mem_rerr_i = static_cast<CData>(rerr);

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
    if (host.rvalid) set128(&top->m_host_rdata_i[0], host.rdata);
}

inline void drive_port(Vfsh_node *top, const fsh_port_in &port)
{
    top->compute_present_i = port.present;
    top->run_room_i = port.run_room;
    top->cperf_valid_i = port.cperf_valid;
    if (port.cperf_valid) top->cperf_data_i = port.cperf_data;
    top->ccmd_valid_i = port.ccmd_valid;
    if (!port.ccmd_valid) return;
    uint64_t command[FSH_ECMD_WORDS] = {};
    fsh_ecmd_set_kind(command, port.kind);
    fsh_ecmd_set_dst(command, port.dst);
    fsh_ecmd_set_tag(command, port.tag);
    fsh_ecmd_set_laddr(command, port.laddr);
    fsh_ecmd_set_raddr(command, port.raddr);
    fsh_ecmd_set_length(command, port.length);
    std::memcpy(&top->ccmd_i[0], command, sizeof command);
}

inline void drive(fsh_node *node)
{
    Vfsh_node *top = node->top;
    const fsh_node_in &in = node->io->in;
    top->rst_i = in.rst;
    top->gate_i = in.gate;
    top->cycle_i = in.cycle & ((UINT64_C(1) << 48) - 1);
    top->s_axil_awvalid_i = in.awvalid;
    top->s_axil_wvalid_i = in.wvalid;
    top->s_axil_arvalid_i = in.arvalid;
    top->s_axil_bready_i = 1;
    top->s_axil_rready_i = 1;
    if (in.awvalid) top->s_axil_awaddr_i = in.awaddr;
    if (in.wvalid) top->s_axil_wdata_i = in.wdata;
    if (in.arvalid) top->s_axil_araddr_i = in.araddr;
    unsigned valid = 0, bound = 0;
    for (unsigned p = 0; p < FSH_NODE_PORTS; p++) {
        if (!in.rx[p].valid) continue;
        valid |= 1u << p;
        bound |= static_cast<unsigned>(in.rx[p].bound) << p;
        set128(&top->link_rx_data_i[4 * p], in.rx[p].data);
    }
    top->link_rx_valid_i = static_cast<CData>(valid);
    top->link_rx_bound_i = static_cast<CData>(bound);
    drive_axi(node);
    drive_port(top, in.port);
}

inline void sample_mem(const Vfsh_node *top, fsh_axi_out *axi, unsigned p)
{
    axi->awvalid = (top->m_mem_awvalid_o >> p) & 1u;
    axi->wvalid = (top->m_mem_wvalid_o >> p) & 1u;
    axi->bready = (top->m_mem_bready_o >> p) & 1u;
    axi->arvalid = (top->m_mem_arvalid_o >> p) & 1u;
    axi->rready = (top->m_mem_rready_o >> p) & 1u;
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
        axi->wlast = (top->m_mem_wlast_o >> p) & 1u;
        get128(axi->wdata, &top->m_mem_wdata_o[4 * p]);
    }
}

inline void sample_host(const Vfsh_node *top, fsh_axi_out *axi)
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

inline void sample_port(const Vfsh_node *top, fsh_port_out *port)
{
    port->node = top->node_o;
    port->seg_base = top->seg_base_o;
    port->seg_size = top->seg_size_o;
    port->ccmd_ready = top->ccmd_ready_o;
    port->run_valid = top->run_valid_o;
    port->sig_valid = top->sig_valid_o;
    port->ack_valid = top->ack_valid_o;
    port->cperf_clear = top->cperf_clear_o;
    port->cperf_read = top->cperf_read_o;
    if (port->run_valid) {
        port->run_mover = top->run_queue_o;
        port->run_count = top->run_count_o;
        port->run_addr = top->run_addr_o;
    }
    if (port->sig_valid) {
        port->sig_counter = top->sig_counter_o;
        port->sig_inc = top->sig_inc_o;
    }
    if (port->ack_valid) {
        port->ack_tag = top->ack_tag_o;
        port->ack_status = top->ack_status_o;
    }
    if (port->cperf_read) port->cperf_word = top->cperf_word_o;
}

inline void sample(fsh_node *node)
{
    const Vfsh_node *top = node->top;
    fsh_node_out &out = node->io->out;
    out.idle = top->idle_o;
    out.awready = top->s_axil_awready_o;
    out.wready = top->s_axil_wready_o;
    out.bvalid = top->s_axil_bvalid_o;
    out.arready = top->s_axil_arready_o;
    out.rvalid = top->s_axil_rvalid_o;
    out.rdata = top->s_axil_rdata_o;
    for (unsigned p = 0; p < FSH_NODE_PORTS; p++) {
        sample_mem(top, &out.axi[p], p);
        out.tx[p].valid = (top->link_tx_valid_o >> p) & 1u;
        if (!out.tx[p].valid) continue;
        out.tx[p].bound = (top->link_tx_bound_o >> p) & 1u;
        get128(out.tx[p].data, &top->link_tx_data_o[4 * p]);
    }
    sample_host(top, &out.axi[FSH_NODE_HOST]);
    sample_port(top, &out.port);
}

} // namespace

struct fsh_node_waves *fsh_node_waves_open(const char *path)
{
    fsh_node_waves *waves = new fsh_node_waves;
    waves->context = fsh::new_context();
    waves->context->traceEverOn(true);
    waves->context->timeunit(-9);
    waves->context->timeprecision(-9);
    waves->file.set_time_unit("1ns");
    waves->file.set_time_resolution("1ns");
    // The file is opened by the first dump, when the nodes are known; find
    // out now whether it can be written.
    FILE *probe = std::fopen(path, "wb");
    if (!probe) {
        delete waves;
        return nullptr;
    }
    std::fclose(probe);
    waves->context->dumpfile(path);
    return waves;
}

void fsh_node_waves_dump(struct fsh_node_waves *waves, uint64_t ns)
{
    if (!waves->file.isOpen())
        waves->file.open(waves->context->dumpfile().c_str());
    waves->file.dump(ns);
}

void fsh_node_waves_close(struct fsh_node_waves *waves)
{
    waves->file.close();
    delete waves;
}

struct fsh_node *fsh_node_create(struct fsh_node_io *io, uint32_t index,
                                 uint64_t seed, struct fsh_node_waves *waves)
{
    fsh_node *node = new fsh_node;
    node->io = io;
    node->context = fsh::make_context(seed, index, waves);
    char name[16];
    std::snprintf(name, sizeof name, "node%u", index);
    node->top = new Vfsh_node(node->context.get(), name);
    if (waves) node->top->trace(&waves->file, 99);
    node->still.reset(make_still(node->top));
    return node;
}

void fsh_node_destroy(struct fsh_node *node)
{
    if (!node) return;
    fsh::destroy(node->top);
    delete node;
}

void fsh_node_drive(struct fsh_node *node)
{
    drive(node);
    node->top->clk_i = 0;
    node->top->eval();
}

void fsh_node_eval(struct fsh_node *node)
{
    drive(node);
    node->context->time(node->io->in.cycle); // for messages
    fsh::edge(node->top);
    sample(node);
}

void fsh_node_eval_two(struct fsh_node *one, struct fsh_node *two)
{
    drive(one);
    drive(two);
    one->context->time(one->io->in.cycle);
    two->context->time(two->io->in.cycle);
    fsh::edge_of_two(one->top, two->top);
    sample(one);
    sample(two);
}

void fsh_node_mark(struct fsh_node *node)
{
    node->still->mark();
}

bool fsh_node_unchanged(struct fsh_node *node)
{
    return node->still->unchanged(node->io->in.cycle);
}

const char *fsh_node_error(void)
{
    return failed ? error_text : nullptr;
}

void fsh_node_error_clear(void)
{
    failed = false;
}
