// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none

/// fsh_card for the simulator: its inputs are registers, on a clock of their own that rises
/// before the others do in each cycle. What follows from inputs alone or with registers is then
/// computed at that edge and not once more at that of clk_i (together.cmake), after which
/// nobody looks at it. Data and addresses are loaded with their valid. core_present_i and
/// coll_present_i are constant.
module fsh_pins #(
    parameter int unsigned PORTS = 2,
    localparam int unsigned LANES = fsh_spec_pkg::LANES
) (
    input  wire logic                 pins_clk_i,
    input  wire logic                 clk_i,
    input  wire logic                 core_clk_i,
    output logic                      core_clk_req_o,
    input  wire logic                 core_present_i,
    input  wire logic                 coll_clk_i,
    output logic                      coll_clk_req_o,
    input  wire logic                 coll_present_i,
    input  wire logic                 dma_clk_i,
    output logic                      dma_clk_req_o,
    input  wire logic                 rst_i,
    input  wire logic          [47:0] cycle_i,
    input  wire logic                 gate_i,
    output logic                      idle_o,
    // Registers and windows.
    input  wire logic                 s_axil_awvalid_i,
    output logic                      s_axil_awready_o,
    input  wire logic          [14:0] s_axil_awaddr_i,
    input  wire logic                 s_axil_wvalid_i,
    output logic                      s_axil_wready_o,
    input  wire logic          [63:0] s_axil_wdata_i,
    output logic                      s_axil_bvalid_o,
    input  wire logic                 s_axil_bready_i,
    input  wire logic                 s_axil_arvalid_i,
    output logic                      s_axil_arready_o,
    input  wire logic          [14:0] s_axil_araddr_i,
    output logic                      s_axil_rvalid_o,
    input  wire logic                 s_axil_rready_i,
    output logic               [63:0] s_axil_rdata_o,
    // Host memory.
    output logic                      m_host_awvalid_o,
    input  wire logic                 m_host_awready_i,
    output logic               [47:0] m_host_awaddr_o,
    output logic                [7:0] m_host_awlen_o,
    output logic                      m_host_wvalid_o,
    input  wire logic                 m_host_wready_i,
    output logic              [127:0] m_host_wdata_o,
    output logic               [15:0] m_host_wstrb_o,
    output logic                      m_host_wlast_o,
    input  wire logic                 m_host_bvalid_i,
    input  wire logic                 m_host_berr_i,
    output logic                      m_host_bready_o,
    output logic                      m_host_arvalid_o,
    input  wire logic                 m_host_arready_i,
    output logic               [47:0] m_host_araddr_o,
    output logic                [7:0] m_host_arlen_o,
    output logic                [0:0] m_host_arid_o,
    input  wire logic                 m_host_rvalid_i,
    output logic                      m_host_rready_o,
    input  wire logic         [127:0] m_host_rdata_i,
    input  wire logic                 m_host_rerr_i,
    input  wire logic           [0:0] m_host_rid_i,
    input  wire logic                 m_host_rlast_i,
    // Device memory, a master a lane of the GASNet core.
    output logic          [LANES-1:0] m_mem_awvalid_o,
    input  wire logic     [LANES-1:0] m_mem_awready_i,
    output logic       [LANES*40-1:0] m_mem_awaddr_o,
    output logic        [LANES*8-1:0] m_mem_awlen_o,
    output logic          [LANES-1:0] m_mem_wvalid_o,
    input  wire logic     [LANES-1:0] m_mem_wready_i,
    output logic      [LANES*128-1:0] m_mem_wdata_o,
    output logic       [LANES*16-1:0] m_mem_wstrb_o,
    output logic          [LANES-1:0] m_mem_wlast_o,
    input  wire logic     [LANES-1:0] m_mem_bvalid_i,
    input  wire logic     [LANES-1:0] m_mem_berr_i,
    output logic          [LANES-1:0] m_mem_bready_o,
    output logic          [LANES-1:0] m_mem_arvalid_o,
    input  wire logic     [LANES-1:0] m_mem_arready_i,
    output logic       [LANES*40-1:0] m_mem_araddr_o,
    output logic        [LANES*8-1:0] m_mem_arlen_o,
    input  wire logic     [LANES-1:0] m_mem_rvalid_i,
    output logic          [LANES-1:0] m_mem_rready_o,
    input  wire logic [LANES*128-1:0] m_mem_rdata_i,
    input  wire logic     [LANES-1:0] m_mem_rerr_i,
    input  wire logic     [LANES-1:0] m_mem_rlast_i,
    // Links.
    output logic          [PORTS-1:0] link_tx_valid_o,
    output logic          [PORTS-1:0] link_tx_bound_o,
    output logic      [PORTS*128-1:0] link_tx_data_o,
    input  wire logic     [PORTS-1:0] link_rx_valid_i,
    input  wire logic     [PORTS-1:0] link_rx_bound_i,
    input  wire logic [PORTS*128-1:0] link_rx_data_i,
    // Device memory, the lanes of the compute core.
    output logic                [3:0] m_core_awvalid_o,
    input  wire logic           [3:0] m_core_awready_i,
    output logic              [159:0] m_core_awaddr_o,
    output logic                [3:0] m_core_wvalid_o,
    input  wire logic           [3:0] m_core_wready_i,
    output logic             [2047:0] m_core_wdata_o,
    output logic              [255:0] m_core_wstrb_o,
    input  wire logic           [3:0] m_core_bvalid_i,
    input  wire logic           [3:0] m_core_berr_i,
    output logic                [3:0] m_core_arvalid_o,
    input  wire logic           [3:0] m_core_arready_i,
    output logic              [159:0] m_core_araddr_o,
    input  wire logic           [3:0] m_core_rvalid_i,
    input  wire logic        [2047:0] m_core_rdata_i,
    input  wire logic           [3:0] m_core_rerr_i,
    // Host memory and device memory, the DMA engine.
    output fsh_axi_pkg::wide_req_t    m_wide_req_o,
    input  wire fsh_axi_pkg::line_rsp_t m_wide_rsp_i,
    output fsh_axi_pkg::line_req_t    m_line_req_o,
    input  wire fsh_axi_pkg::line_rsp_t m_line_rsp_i,
    // Device memory, the units of the collective engine.
    output logic                [1:0] m_coll_awvalid_o,
    input  wire logic           [1:0] m_coll_awready_i,
    output logic               [79:0] m_coll_awaddr_o,
    output logic                [1:0] m_coll_wvalid_o,
    input  wire logic           [1:0] m_coll_wready_i,
    output logic             [1023:0] m_coll_wdata_o,
    output logic              [127:0] m_coll_wstrb_o,
    input  wire logic           [1:0] m_coll_bvalid_i,
    input  wire logic           [1:0] m_coll_berr_i,
    output logic                [1:0] m_coll_arvalid_o,
    input  wire logic           [1:0] m_coll_arready_i,
    output logic               [79:0] m_coll_araddr_o,
    input  wire logic           [1:0] m_coll_rvalid_i,
    input  wire logic        [1023:0] m_coll_rdata_i,
    input  wire logic           [1:0] m_coll_rerr_i
);
  logic                   core_present_q;
  logic                   coll_present_q;
  logic                   rst_q;
  logic            [47:0] cycle_q;
  logic                   gate_q;
  logic                   s_axil_awvalid_q;
  logic            [14:0] s_axil_awaddr_q;
  logic                   s_axil_wvalid_q;
  logic            [63:0] s_axil_wdata_q;
  logic                   s_axil_bready_q;
  logic                   s_axil_arvalid_q;
  logic            [14:0] s_axil_araddr_q;
  logic                   s_axil_rready_q;
  logic                   m_host_awready_q;
  logic                   m_host_wready_q;
  logic                   m_host_bvalid_q;
  logic                   m_host_berr_q;
  logic                   m_host_arready_q;
  logic                   m_host_rvalid_q;
  logic           [127:0] m_host_rdata_q;
  logic                   m_host_rerr_q;
  logic             [0:0] m_host_rid_q;
  logic                   m_host_rlast_q;
  logic       [LANES-1:0] m_mem_awready_q;
  logic       [LANES-1:0] m_mem_wready_q;
  logic       [LANES-1:0] m_mem_bvalid_q;
  logic       [LANES-1:0] m_mem_berr_q;
  logic       [LANES-1:0] m_mem_arready_q;
  logic       [LANES-1:0] m_mem_rvalid_q;
  logic   [LANES*128-1:0] m_mem_rdata_q;
  logic       [LANES-1:0] m_mem_rerr_q;
  logic       [LANES-1:0] m_mem_rlast_q;
  logic       [PORTS-1:0] link_rx_valid_q;
  logic       [PORTS-1:0] link_rx_bound_q;
  logic   [PORTS*128-1:0] link_rx_data_q;
  logic             [3:0] m_core_awready_q;
  logic             [3:0] m_core_wready_q;
  logic             [3:0] m_core_bvalid_q;
  logic             [3:0] m_core_berr_q;
  logic             [3:0] m_core_arready_q;
  logic             [3:0] m_core_rvalid_q;
  logic          [2047:0] m_core_rdata_q;
  logic             [3:0] m_core_rerr_q;
  fsh_axi_pkg::line_rsp_t m_wide_rsp_q;
  fsh_axi_pkg::line_rsp_t m_line_rsp_q;
  logic             [1:0] m_coll_awready_q;
  logic             [1:0] m_coll_wready_q;
  logic             [1:0] m_coll_bvalid_q;
  logic             [1:0] m_coll_berr_q;
  logic             [1:0] m_coll_arready_q;
  logic             [1:0] m_coll_rvalid_q;
  logic          [1023:0] m_coll_rdata_q;
  logic             [1:0] m_coll_rerr_q;

  always_ff @(posedge pins_clk_i) begin
    core_present_q   <= core_present_i;
    coll_present_q   <= coll_present_i;
    rst_q            <= rst_i;
    cycle_q          <= cycle_i;
    gate_q           <= gate_i;
    s_axil_awvalid_q <= s_axil_awvalid_i;
    if (s_axil_awvalid_i) s_axil_awaddr_q <= s_axil_awaddr_i;
    s_axil_wvalid_q  <= s_axil_wvalid_i;
    if (s_axil_wvalid_i) s_axil_wdata_q <= s_axil_wdata_i;
    s_axil_bready_q  <= s_axil_bready_i;
    s_axil_arvalid_q <= s_axil_arvalid_i;
    if (s_axil_arvalid_i) s_axil_araddr_q <= s_axil_araddr_i;
    s_axil_rready_q  <= s_axil_rready_i;
    m_host_awready_q <= m_host_awready_i;
    m_host_wready_q  <= m_host_wready_i;
    m_host_bvalid_q  <= m_host_bvalid_i;
    m_host_berr_q    <= m_host_berr_i;
    m_host_arready_q <= m_host_arready_i;
    m_host_rvalid_q  <= m_host_rvalid_i;
    if (m_host_rvalid_i) m_host_rdata_q <= m_host_rdata_i;
    m_host_rerr_q    <= m_host_rerr_i;
    m_host_rid_q     <= m_host_rid_i;
    m_host_rlast_q   <= m_host_rlast_i;
    m_mem_awready_q  <= m_mem_awready_i;
    m_mem_wready_q   <= m_mem_wready_i;
    m_mem_bvalid_q   <= m_mem_bvalid_i;
    m_mem_berr_q     <= m_mem_berr_i;
    m_mem_arready_q  <= m_mem_arready_i;
    m_mem_rvalid_q   <= m_mem_rvalid_i;
    if (|m_mem_rvalid_i) m_mem_rdata_q <= m_mem_rdata_i;
    m_mem_rerr_q     <= m_mem_rerr_i;
    m_mem_rlast_q    <= m_mem_rlast_i;
    link_rx_valid_q  <= link_rx_valid_i;
    link_rx_bound_q  <= link_rx_bound_i;
    if (|link_rx_valid_i) link_rx_data_q <= link_rx_data_i;
    m_core_awready_q <= m_core_awready_i;
    m_core_wready_q  <= m_core_wready_i;
    m_core_bvalid_q  <= m_core_bvalid_i;
    m_core_berr_q    <= m_core_berr_i;
    m_core_arready_q <= m_core_arready_i;
    m_core_rvalid_q  <= m_core_rvalid_i;
    if (|m_core_rvalid_i) m_core_rdata_q <= m_core_rdata_i;
    m_core_rerr_q    <= m_core_rerr_i;
    m_wide_rsp_q.awready <= m_wide_rsp_i.awready;
    m_wide_rsp_q.wready  <= m_wide_rsp_i.wready;
    m_wide_rsp_q.bvalid  <= m_wide_rsp_i.bvalid;
    m_wide_rsp_q.berr    <= m_wide_rsp_i.berr;
    m_wide_rsp_q.arready <= m_wide_rsp_i.arready;
    m_wide_rsp_q.rvalid  <= m_wide_rsp_i.rvalid;
    m_wide_rsp_q.rerr    <= m_wide_rsp_i.rerr;
    if (m_wide_rsp_i.rvalid) m_wide_rsp_q.rdata <= m_wide_rsp_i.rdata;
    m_line_rsp_q.awready <= m_line_rsp_i.awready;
    m_line_rsp_q.wready  <= m_line_rsp_i.wready;
    m_line_rsp_q.bvalid  <= m_line_rsp_i.bvalid;
    m_line_rsp_q.berr    <= m_line_rsp_i.berr;
    m_line_rsp_q.arready <= m_line_rsp_i.arready;
    m_line_rsp_q.rvalid  <= m_line_rsp_i.rvalid;
    m_line_rsp_q.rerr    <= m_line_rsp_i.rerr;
    if (m_line_rsp_i.rvalid) m_line_rsp_q.rdata <= m_line_rsp_i.rdata;
    m_coll_awready_q <= m_coll_awready_i;
    m_coll_wready_q  <= m_coll_wready_i;
    m_coll_bvalid_q  <= m_coll_bvalid_i;
    m_coll_berr_q    <= m_coll_berr_i;
    m_coll_arready_q <= m_coll_arready_i;
    m_coll_rvalid_q  <= m_coll_rvalid_i;
    if (|m_coll_rvalid_i) m_coll_rdata_q <= m_coll_rdata_i;
    m_coll_rerr_q    <= m_coll_rerr_i;
  end

  fsh_card #(
      .PORTS(PORTS)
  ) i_card (
      .clk_i,
      .core_clk_i,
      .core_clk_req_o,
      .core_present_i  (core_present_q),
      .coll_clk_i,
      .coll_clk_req_o,
      .coll_present_i  (coll_present_q),
      .dma_clk_i,
      .dma_clk_req_o,
      .rst_i           (rst_q),
      .cycle_i         (cycle_q),
      .gate_i          (gate_q),
      .idle_o,
      .s_axil_awvalid_i(s_axil_awvalid_q),
      .s_axil_awready_o,
      .s_axil_awaddr_i (s_axil_awaddr_q),
      .s_axil_wvalid_i (s_axil_wvalid_q),
      .s_axil_wready_o,
      .s_axil_wdata_i  (s_axil_wdata_q),
      .s_axil_bvalid_o,
      .s_axil_bready_i (s_axil_bready_q),
      .s_axil_arvalid_i(s_axil_arvalid_q),
      .s_axil_arready_o,
      .s_axil_araddr_i (s_axil_araddr_q),
      .s_axil_rvalid_o,
      .s_axil_rready_i (s_axil_rready_q),
      .s_axil_rdata_o,
      .m_host_awvalid_o,
      .m_host_awready_i(m_host_awready_q),
      .m_host_awaddr_o,
      .m_host_awlen_o,
      .m_host_wvalid_o,
      .m_host_wready_i (m_host_wready_q),
      .m_host_wdata_o,
      .m_host_wstrb_o,
      .m_host_wlast_o,
      .m_host_bvalid_i (m_host_bvalid_q),
      .m_host_berr_i   (m_host_berr_q),
      .m_host_bready_o,
      .m_host_arvalid_o,
      .m_host_arready_i(m_host_arready_q),
      .m_host_araddr_o,
      .m_host_arlen_o,
      .m_host_arid_o,
      .m_host_rvalid_i (m_host_rvalid_q),
      .m_host_rready_o,
      .m_host_rdata_i  (m_host_rdata_q),
      .m_host_rerr_i   (m_host_rerr_q),
      .m_host_rid_i    (m_host_rid_q),
      .m_host_rlast_i  (m_host_rlast_q),
      .m_mem_awvalid_o,
      .m_mem_awready_i (m_mem_awready_q),
      .m_mem_awaddr_o,
      .m_mem_awlen_o,
      .m_mem_wvalid_o,
      .m_mem_wready_i  (m_mem_wready_q),
      .m_mem_wdata_o,
      .m_mem_wstrb_o,
      .m_mem_wlast_o,
      .m_mem_bvalid_i  (m_mem_bvalid_q),
      .m_mem_berr_i    (m_mem_berr_q),
      .m_mem_bready_o,
      .m_mem_arvalid_o,
      .m_mem_arready_i (m_mem_arready_q),
      .m_mem_araddr_o,
      .m_mem_arlen_o,
      .m_mem_rvalid_i  (m_mem_rvalid_q),
      .m_mem_rready_o,
      .m_mem_rdata_i   (m_mem_rdata_q),
      .m_mem_rerr_i    (m_mem_rerr_q),
      .m_mem_rlast_i   (m_mem_rlast_q),
      .link_tx_valid_o,
      .link_tx_bound_o,
      .link_tx_data_o,
      .link_rx_valid_i (link_rx_valid_q),
      .link_rx_bound_i (link_rx_bound_q),
      .link_rx_data_i  (link_rx_data_q),
      .m_core_awvalid_o,
      .m_core_awready_i(m_core_awready_q),
      .m_core_awaddr_o,
      .m_core_wvalid_o,
      .m_core_wready_i (m_core_wready_q),
      .m_core_wdata_o,
      .m_core_wstrb_o,
      .m_core_bvalid_i (m_core_bvalid_q),
      .m_core_berr_i   (m_core_berr_q),
      .m_core_arvalid_o,
      .m_core_arready_i(m_core_arready_q),
      .m_core_araddr_o,
      .m_core_rvalid_i (m_core_rvalid_q),
      .m_core_rdata_i  (m_core_rdata_q),
      .m_core_rerr_i   (m_core_rerr_q),
      .m_wide_req_o,
      .m_wide_rsp_i    (m_wide_rsp_q),
      .m_line_req_o,
      .m_line_rsp_i    (m_line_rsp_q),
      .m_coll_awvalid_o,
      .m_coll_awready_i(m_coll_awready_q),
      .m_coll_awaddr_o,
      .m_coll_wvalid_o,
      .m_coll_wready_i (m_coll_wready_q),
      .m_coll_wdata_o,
      .m_coll_wstrb_o,
      .m_coll_bvalid_i (m_coll_bvalid_q),
      .m_coll_berr_i   (m_coll_berr_q),
      .m_coll_arvalid_o,
      .m_coll_arready_i(m_coll_arready_q),
      .m_coll_araddr_o,
      .m_coll_rvalid_i (m_coll_rvalid_q),
      .m_coll_rdata_i  (m_coll_rdata_q),
      .m_coll_rerr_i   (m_coll_rerr_q)
  );
endmodule

`default_nettype wire
