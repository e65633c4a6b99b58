// SPDX-License-Identifier: BSD-3-Clause
// The compute core of the simulator's fsh_card as a device under test: its pins by
// the names of fsh_compute. Those toward the node are wires of the card, taken over
// (hw/tb/sim/port.vlt); the node itself is idle.
#ifndef FSH_TB_COMPUTE_CORE_DUT_H
#define FSH_TB_COMPUTE_CORE_DUT_H

#include "Vfsh_card.h"
#include "Vfsh_card___024root.h"
#include "pins.h"

class CoreDut
{
    Vfsh_card top_;
    Vfsh_card___024root &root_ = *top_.rootp;

  public:
#define PIN(type, name, pin) type &name = top_.pin;
#define IN(type, name, wire) \
    type &name = root_.fsh_pins__DOT__i_card__DOT__##wire##__VforceVal;
#define OUT(type, name, wire) \
    const type &name = root_.fsh_pins__DOT__i_card__DOT__##wire;
    PIN(CData, clk_i, core_clk_i)
    PIN(CData, rst_i, rst_i)
    PIN(QData, cycle_i, cycle_i)
    OUT(CData, idle_o, core_idle)
    IN(CData, node_i, node)
    IN(QData, seg_base_i, seg_base)
    IN(QData, seg_size_i, seg_size)
    IN(CData, run_valid_i, run_valid)
    IN(CData, run_queue_i, run_queue)
    IN(CData, run_count_i, run_count)
    IN(IData, run_addr_i, run_addr)
    OUT(CData, run_room_o, run_room)
    IN(CData, sig_valid_i, sig_valid)
    IN(CData, sig_event_i, sig_counter)
    IN(CData, sig_inc_i, sig_inc)
    IN(CData, ack_valid_i, ack_valid)
    IN(CData, ack_tag_i, ack_tag)
    IN(CData, ack_status_i, ack_status)
    OUT(CData, ccmd_valid_o, ccmd_valid)
    IN(CData, ccmd_ready_i, ccmd_ready)
    OUT(VlWide<4>, ccmd_o, ccmd)
    IN(CData, cperf_clear_i, cperf_clear)
    IN(CData, cperf_read_i, cperf_read)
    IN(CData, cperf_word_i, cperf_word)
    OUT(CData, cperf_valid_o, cperf_valid)
    OUT(QData, cperf_data_o, cperf_data)
    PIN(CData, m_awvalid_o, m_core_awvalid_o)
    PIN(CData, m_awready_i, m_core_awready_i)
    PIN(VlWide<5>, m_awaddr_o, m_core_awaddr_o)
    PIN(CData, m_wvalid_o, m_core_wvalid_o)
    PIN(CData, m_wready_i, m_core_wready_i)
    PIN(VlWide<64>, m_wdata_o, m_core_wdata_o)
    PIN(VlWide<8>, m_wstrb_o, m_core_wstrb_o)
    PIN(CData, m_bvalid_i, m_core_bvalid_i)
    PIN(CData, m_berr_i, m_core_berr_i)
    PIN(CData, m_arvalid_o, m_core_arvalid_o)
    PIN(CData, m_arready_i, m_core_arready_i)
    PIN(VlWide<5>, m_araddr_o, m_core_araddr_o)
    PIN(CData, m_rvalid_i, m_core_rvalid_i)
    PIN(VlWide<64>, m_rdata_i, m_core_rdata_i)
    PIN(CData, m_rerr_i, m_core_rerr_i)
#undef PIN
#undef IN
#undef OUT

    // The node is reset, and the wires are taken over: its first evaluation would
    // let go of them.
    explicit CoreDut(VerilatedContext *context) : top_(context)
    {
        fsh_node_in quiet{};
        quiet.clk = quiet.core_clk = quiet.coll_clk = quiet.dma_clk =
            quiet.core_present = quiet.rst = 1;
        fsh::drive(&top_, quiet);
        top_.clk_i = top_.core_clk_i = top_.coll_clk_i = top_.dma_clk_i = 0;
        take_pins();
        take_over();
        // The clocks of the other engines rise in reset only: they stay idle.
        for (int i = 0; i < 3; i++) {
            top_.coll_clk_i = top_.dma_clk_i = 1;
            settle();
            top_.coll_clk_i = top_.dma_clk_i = 0;
        }
    }

    // What is driven to the core arrives with an edge of the node, as from it.
    void settle()
    {
        top_.clk_i = 1;
        top_.eval();
        top_.clk_i = 0;
        top_.eval();
    }

    // The pins of the card are registers.
    void eval()
    {
        CData clk = clk_i;
        clk_i = was_;
        take_pins();
        clk_i = was_ = clk;
        top_.eval();
    }

    void final()
    {
        top_.final();
    }

  private:
    CData was_ = 0; // clk_i at the last evaluation

    void take_pins()
    {
        top_.pins_clk_i = 0;
        top_.eval();
        top_.pins_clk_i = 1;
        top_.eval();
    }

    void take_over()
    {
#define FORCE(wire, bits) \
    root_.fsh_pins__DOT__i_card__DOT__##wire##__VforceEn = bits;
        FORCE(node, 0xff)
        FORCE(seg_base, (UINT64_C(1) << 40) - 1)
        FORCE(seg_size, (UINT64_C(1) << 40) - 1)
        FORCE(run_valid, 1)
        FORCE(run_queue, 1)
        FORCE(run_count, 0xff)
        FORCE(run_addr, ~0u)
        FORCE(sig_valid, 1)
        FORCE(sig_counter, 0x3f)
        FORCE(sig_inc, 0xff)
        FORCE(ack_valid, 1)
        FORCE(ack_tag, 0x3f)
        FORCE(ack_status, 0xf)
        FORCE(ccmd_ready, 1)
        FORCE(cperf_clear, 1)
        FORCE(cperf_read, 1)
        FORCE(cperf_word, 0xf)
#undef FORCE
    }
};

#endif
