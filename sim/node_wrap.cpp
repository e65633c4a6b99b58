// SPDX-License-Identifier: BSD-3-Clause
//
// The Verilated card behind node_wrap.h: life, clock edges, failures.
#include "node_wrap.h"

#include <cassert>
#include <cstdio>
#include <memory>

#include <sys/mman.h>
#include <unistd.h>

#include "Vfsh_card__Syms.h"
#include "pins.h"
#include "probe.h"
#include "state_card.h"
#include "wrap.h"

namespace
{

// Of the thread that evaluates.
thread_local char error_text[512];
thread_local bool failed;

void fail(const char *what, const char *file, int line, const char *hier)
{
    if (failed)
        return;
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

namespace
{

// The large memories, by Verilator's names; one that goes by another name is
// compared like everything else, which costs time only.
FSH_MEMORY(here_words, __PVT__i_here__DOT__i_words__DOT__mem)
FSH_MEMORY(here_ring, __PVT__i_here__DOT__i_ring__DOT__mem)
#define TRANSIT(c, name) \
    __PVT__gen_class__BRA__##c##__KET____DOT__i_fwd__DOT__i_buf__DOT__##name
FSH_MEMORY(short_words, TRANSIT(0, i_words__DOT__mem))
FSH_MEMORY(short_ring, TRANSIT(0, i_ring__DOT__mem))
FSH_MEMORY(long_words, TRANSIT(1, i_words__DOT__mem))
FSH_MEMORY(long_ring, TRANSIT(1, i_ring__DOT__mem))
#undef TRANSIT
FSH_MEMORY(bulk_words, __PVT__i_bulk__DOT__i_buf__DOT__i_words__DOT__mem)
FSH_MEMORY(bulk_ring, __PVT__i_bulk__DOT__i_buf__DOT__i_ring__DOT__mem)
FSH_MEMORY(
    loop,
    fsh_pins__DOT__i_card__DOT__i_node__DOT__i_gasnet__DOT__i_loop__DOT__i_buf__DOT__i_ram__DOT__mem)
FSH_MEMORY(
    tracker,
    fsh_pins__DOT__i_card__DOT__i_node__DOT__i_gasnet__DOT__i_tracker__DOT__i_ram__DOT__mem)
#define READ(name) \
    fsh_pins__DOT__i_card__DOT__i_node__DOT__i_gasnet__DOT__i_seq__DOT__i_read__DOT__##name##__DOT__gen_block__DOT__i_ram__DOT__mem
FSH_MEMORY(read_mem0, READ(i_mem0))
FSH_MEMORY(read_mem1, READ(i_mem1))
FSH_MEMORY(read_host, READ(i_host))
#undef READ
// fsh_link_rx, fsh_link_tx of a port.
#define LINK(port, name) \
    TOP__fsh_pins__DOT__i_card__DOT__i_node__DOT__i_gasnet__DOT__i_router__DOT__gen_port__BRA__##port##__KET____DOT__##name
// fsh_rx of a lane.
#define LANE_RX(lane) \
    TOP__fsh_pins__DOT__i_card__DOT__i_node__DOT__i_gasnet__DOT__gen_lane__BRA__##lane##__KET____DOT__i_rx
#define PARK(name) \
    fsh_pins__DOT__i_card__DOT__i_node__DOT__i_host__DOT__i_park_##name##__DOT__gen_block__DOT__i_ram__DOT__mem
FSH_MEMORY(park_req, PARK(req__DOT__i_fifo))
FSH_MEMORY(park_rep, PARK(rep__DOT__i_fifo))
FSH_MEMORY(rows_req, PARK(req__DOT__i_rows))
FSH_MEMORY(rows_rep, PARK(rep__DOT__i_rows))
#undef PARK
FSH_MEMORY(window0, __PVT__gen_half__BRA__0__KET____DOT__i_ram__DOT__mem)
FSH_MEMORY(window1, __PVT__gen_half__BRA__1__KET____DOT__i_ram__DOT__mem)
// Of the collective engine's edge: packets that go.
#define EDGE(name) fsh_pins__DOT__i_card__DOT__i_cedge__DOT__##name##__DOT__i_ram__DOT__mem
FSH_MEMORY(bank0, EDGE(i_cserve__DOT__gen_bank__BRA__0__KET__))
FSH_MEMORY(bank1, EDGE(i_cserve__DOT__gen_bank__BRA__1__KET__))
FSH_MEMORY(bank2, EDGE(i_cserve__DOT__gen_bank__BRA__2__KET__))
FSH_MEMORY(bank3, EDGE(i_cserve__DOT__gen_bank__BRA__3__KET__))
#undef EDGE

// No memory, but not in every model either.
#define INPUT(name) FSH_MEMORY(name##_q, fsh_pins__DOT__##name##_q)
INPUT(m_core_awready)
INPUT(m_core_wready)
INPUT(m_core_bvalid)
INPUT(m_core_berr)
INPUT(m_core_arready)
INPUT(m_core_rvalid)
INPUT(m_core_rdata)
INPUT(m_core_rerr)
INPUT(m_coll_awready)
INPUT(m_coll_wready)
INPUT(m_coll_bvalid)
INPUT(m_coll_berr)
INPUT(m_coll_arready)
INPUT(m_coll_rvalid)
INPUT(m_coll_rdata)
INPUT(m_coll_rerr)
INPUT(m_wide_rsp)
INPUT(m_line_rsp)
#undef INPUT
FSH_MEMORY(core_idle, fsh_pins__DOT__i_card__DOT__core_idle)
FSH_MEMORY(core_req, fsh_pins__DOT__i_card__DOT__core_req)
FSH_MEMORY(core_rsp, fsh_pins__DOT__i_card__DOT__core_rsp)
FSH_MEMORY(coll_idle, fsh_pins__DOT__i_card__DOT__coll_idle)
FSH_MEMORY(coll_out, fsh_pins__DOT__i_card__DOT__coll_out)
FSH_MEMORY(coll_req, fsh_pins__DOT__i_card__DOT__coll_req)
FSH_MEMORY(dma_idle, fsh_pins__DOT__i_card__DOT__i_node__DOT__dma_idle)
FSH_MEMORY(dma_room, fsh_pins__DOT__i_card__DOT__i_node__DOT__move_room)

template <typename Rx> void leave_out_rx(fsh::still *still, Rx &rx)
{
    still->leave_out(here_words<Rx>::of(rx));
    still->leave_out(here_ring<Rx>::of(rx));
    still->leave_out(short_words<Rx>::of(rx));
    still->leave_out(short_ring<Rx>::of(rx));
    still->leave_out(long_words<Rx>::of(rx));
    still->leave_out(long_ring<Rx>::of(rx));
}

template <typename Tx> void leave_out_tx(fsh::still *still, Tx &tx)
{
    still->leave_out(bulk_words<Tx>::of(tx));
    still->leave_out(bulk_ring<Tx>::of(tx));
}

template <typename Submit>
void leave_out_window(fsh::still *still, Submit &submit)
{
    still->leave_out(window0<Submit>::of(submit));
    still->leave_out(window1<Submit>::of(submit));
}

template <typename T> fsh::span all_of(T &object)
{
    return {reinterpret_cast<unsigned char *>(&object), sizeof object};
}

// The state of the engines, and what in the card follows from it alone. Verilator has
// the instances in the order of their names: i_collective with all that is in it,
// i_compute, then those in i_node, of which the first are the DMA engine and the receiver
// of lane 0.
void leave_out_engines(fsh::still *still, Vfsh_card__Syms *syms)
{
    unsigned char *coll = all_of(syms->TOP__fsh_pins__DOT__i_card__DOT__i_collective).at;
    unsigned char *core = all_of(syms->TOP__fsh_pins__DOT__i_card__DOT__i_compute).at;
    unsigned char *node = all_of(syms->LANE_RX(0)).at;
    Vfsh_card___024root &root = syms->TOP;
    assert(coll < core && core < node);
    still->leave_out({coll, static_cast<size_t>(node - coll)});
#define PIN(name) still->leave_out(all_of(root.name))
#define INPUT(name)  \
    PIN(name##_i);   \
    still->leave_out(name##_q<Vfsh_card___024root>::of(root))
    PIN(m_core_awvalid_o);
    INPUT(m_core_awready);
    PIN(m_core_awaddr_o);
    PIN(m_core_wvalid_o);
    INPUT(m_core_wready);
    PIN(m_core_wdata_o);
    PIN(m_core_wstrb_o);
    INPUT(m_core_bvalid);
    INPUT(m_core_berr);
    PIN(m_core_arvalid_o);
    INPUT(m_core_arready);
    PIN(m_core_araddr_o);
    INPUT(m_core_rvalid);
    INPUT(m_core_rdata);
    INPUT(m_core_rerr);
    PIN(core_clk_req_o);
    PIN(m_coll_awvalid_o);
    INPUT(m_coll_awready);
    PIN(m_coll_awaddr_o);
    PIN(m_coll_wvalid_o);
    INPUT(m_coll_wready);
    PIN(m_coll_wdata_o);
    PIN(m_coll_wstrb_o);
    INPUT(m_coll_bvalid);
    INPUT(m_coll_berr);
    PIN(m_coll_arvalid_o);
    INPUT(m_coll_arready);
    PIN(m_coll_araddr_o);
    INPUT(m_coll_rvalid);
    INPUT(m_coll_rdata);
    INPUT(m_coll_rerr);
    PIN(coll_clk_req_o);
    PIN(m_wide_req_o);
    INPUT(m_wide_rsp);
    PIN(m_line_req_o);
    INPUT(m_line_rsp);
    PIN(dma_clk_req_o);
#undef INPUT
#undef PIN
    still->leave_out(core_idle<Vfsh_card___024root>::of(root));
    still->leave_out(core_req<Vfsh_card___024root>::of(root));
    still->leave_out(core_rsp<Vfsh_card___024root>::of(root));
    still->leave_out(coll_idle<Vfsh_card___024root>::of(root));
    still->leave_out(coll_out<Vfsh_card___024root>::of(root));
    still->leave_out(coll_req<Vfsh_card___024root>::of(root));
    still->leave_out(dma_idle<Vfsh_card___024root>::of(root));
    still->leave_out(dma_room<Vfsh_card___024root>::of(root));
}

// Gives whole pages that hold nothing but zeros back: they take memory again when
// something is written there. Of a node whose engines are never used that is most of
// them; of any, buffers that do not fill.
void release_zeros(fsh::span state)
{
    static const unsigned char zeros[4096] = {};
    const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    uintptr_t at = reinterpret_cast<uintptr_t>(state.at);
    uintptr_t end = (at + state.bytes) / page * page;

    for (at = (at + page - 1) / page * page; at < end; at += page) {
        unsigned char *first = reinterpret_cast<unsigned char *>(at);
        size_t same = 0;
        while (same < page && std::memcmp(first + same, zeros, 4096) == 0)
            same += 4096;
        if (same >= page)
            madvise(first, page, MADV_DONTNEED);
    }
}

fsh::still *make_still(Vfsh_card *top)
{
    using Root = Vfsh_card___024root;
    Vfsh_card__Syms *syms = top->rootp->vlSymsp;
    Root &root = syms->TOP;
    fsh::still *still = new fsh::still(syms, sizeof *syms);
    still->leave_out(loop<Root>::of(root));
    still->leave_out(tracker<Root>::of(root));
    still->leave_out(read_mem0<Root>::of(root));
    still->leave_out(read_mem1<Root>::of(root));
    still->leave_out(read_host<Root>::of(root));
#define LEAVE_OUT(p)                          \
    leave_out_rx(still, syms->LINK(p, i_rx)); \
    leave_out_tx(still, syms->LINK(p, i_tx));
    FOR_PORTS(LEAVE_OUT)
#undef LEAVE_OUT
    leave_out_window(
        still,
        syms->TOP__fsh_pins__DOT__i_card__DOT__i_node__DOT__i_host__DOT__i_submit_req);
    leave_out_window(
        still,
        syms->TOP__fsh_pins__DOT__i_card__DOT__i_node__DOT__i_host__DOT__i_submit_rep);
    still->leave_out(park_req<Root>::of(root));
    still->leave_out(park_rep<Root>::of(root));
    still->leave_out(rows_req<Root>::of(root));
    still->leave_out(rows_rep<Root>::of(root));
    still->leave_out(bank0<Root>::of(root));
    still->leave_out(bank1<Root>::of(root));
    still->leave_out(bank2<Root>::of(root));
    still->leave_out(bank3<Root>::of(root));
    leave_out_engines(still, syms);
    return still;
}

} // namespace

uint32_t fsh_node_ports(void)
{
    return FSH_CARD_PORTS;
}

struct fsh_node *fsh_node_create(struct fsh_node_io *io, uint32_t index,
                                 uint64_t seed, struct fsh_node_waves *waves)
{
    fsh_node *node = new fsh_node;
    node->io = io;
    node->context = fsh::make_context(seed, index, waves);
    char name[16];
    std::snprintf(name, sizeof name, "node%u", index);
    node->top = new Vfsh_card(node->context.get(), name);
    node->clocks = {};
    node->shown = false;
    node->evaluated = false;
    if (waves)
        fsh::add_to(waves, node->top);
    // The first evaluation sees no edge, whatever the clocks were.
    node->top->eval();
    node->still.reset(make_still(node->top));
    release_zeros(all_of(*node->top->rootp->vlSymsp));
    return node;
}

void fsh_node_destroy(struct fsh_node *node)
{
    if (!node)
        return;
    fsh::destroy(node->top);
    delete node;
}

static void settle(fsh_node *node)
{
    if (node->clocks.core.unsettled)
        fsh::settle_core(node->top);
    if (node->clocks.coll.unsettled)
        fsh::settle_coll(node->top);
    if (node->clocks.dma.unsettled)
        fsh::settle_dma(node->top);
    node->clocks.core.unsettled = node->clocks.coll.unsettled =
        node->clocks.dma.unsettled = false;
}

// Evaluates the whole card, with an edge of the clocks that are to rise.
static void edge_of_all(fsh_node *node)
{
    const fsh_node_in &in = node->io->in;
    settle(node);
    fsh::edge(node->top, in.clk, in.core_clk, in.coll_clk, in.dma_clk);
    node->evaluated = true;
}

static void choose_clocks(fsh_node *node)
{
    node->clocks.core.rises = node->io->in.core_clk;
    node->clocks.coll.rises = node->io->in.coll_clk;
    node->clocks.dma.rises = node->io->in.dma_clk;
}

// May it pass an edge by edge_of_one and _two?
static bool together(const fsh_node *node)
{
    return node->evaluated && !node->shown && node->io->in.clk;
}

void fsh_node_show(struct fsh_node *node, bool shown)
{
    if (shown)
        settle(node);
    node->shown = shown;
}

void fsh_node_drive(struct fsh_node *node)
{
    if (!node->shown)
        return;
    const fsh_node_in &in = node->io->in;
    fsh::drive(node->top, in);
    if (in.clk)
        node->top->clk_i = 0;
    if (in.core_clk)
        node->top->core_clk_i = 0;
    if (in.coll_clk)
        node->top->coll_clk_i = 0;
    if (in.dma_clk)
        node->top->dma_clk_i = 0;
    fsh::take_pins(node->top);
}

void fsh_node_eval(struct fsh_node *node)
{
    const fsh_node_in &in = node->io->in;
    fsh::drive(node->top, in);
    node->context->time(in.cycle); // for messages
    if (together(node)) {
        choose_clocks(node);
        fsh::edge_of_one(node->top, node->clocks);
    } else {
        edge_of_all(node);
    }
    fsh::sample(node->top, in, node->io->out);
}

void fsh_node_eval_two(struct fsh_node *one, struct fsh_node *two)
{
    if (!together(one) || !together(two)) {
        fsh_node_eval(one);
        fsh_node_eval(two);
        return;
    }
    const fsh_node_in &in = one->io->in, &in2 = two->io->in;
    fsh::drive(one->top, in);
    fsh::drive(two->top, in2);
    one->context->time(in.cycle);
    two->context->time(in2.cycle);
    choose_clocks(one);
    choose_clocks(two);
    fsh::edge_of_two(one->top, one->clocks, two->top, two->clocks);
    fsh::sample(one->top, in, one->io->out);
    fsh::sample(two->top, in2, two->io->out);
}

size_t fsh_node_compared(const struct fsh_node *node)
{
    return node->still->bytes();
}

void fsh_node_mark(struct fsh_node *node)
{
    node->still->mark();
}

bool fsh_node_unchanged(struct fsh_node *node)
{
    return node->still->unchanged(node->io->in.cycle);
}

unsigned fsh_node_probe(const struct fsh_node *node,
                        struct fsh_probe_seen *seen, struct fsh_probe *probe)
{
    const Vfsh_card__Syms &syms = *node->top->rootp->vlSymsp;
    if (fsh::is_as_seen(syms, *seen))
        return 0;
    return fsh::probe_again(syms, *seen, *probe);
}

void fsh_node_probe_core(const struct fsh_node *node,
                         struct fsh_probe_core *probe)
{
    Vfsh_card__Syms &syms = *node->top->rootp->vlSymsp;
    std::memset(probe, 0, sizeof *probe);
    fsh::probe_core(syms.TOP__fsh_pins__DOT__i_card__DOT__i_compute, *probe);
}

void fsh_node_state(const struct fsh_node *node, struct fsh_state_node *state,
                    fsh_state_packet_fn packet, void *arg)
{
    *state = fsh_state_node();
    fsh::reader reader(*state, packet, arg);
    fsh::read_card(reader, *node->top->rootp->vlSymsp);
}

uint32_t fsh_node_counted(const struct fsh_node *node, uint32_t initiator,
                          uint32_t tag)
{
    return fsh::read_count(node->top->rootp->vlSymsp->TOP, initiator, tag);
}

const char *fsh_node_error(void)
{
    return failed ? error_text : nullptr;
}

void fsh_node_error_clear(void)
{
    failed = false;
}
