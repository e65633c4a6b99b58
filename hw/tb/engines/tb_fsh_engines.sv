// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none
// verilator lint_off PINCONNECTEMPTY

/// A node with two engines: that of the compute core has its sink, without a core, and the
/// commands of the testbench (core_*); the other is the toy engine. The collective engine
/// is not there.
module tb_fsh_engines (
    input  wire logic          clk_i,
    input  wire logic          rst_i,
    input  wire logic   [47:0] cycle_i,
    output logic               idle_o,
    input  wire logic          s_axil_wvalid_i,  // address and data
    input  wire logic   [14:0] s_axil_awaddr_i,
    input  wire logic   [63:0] s_axil_wdata_i,
    // Host memory: written only.
    output logic               m_host_awvalid_o,
    input  wire logic          m_host_awready_i,
    output logic        [47:0] m_host_awaddr_o,
    output logic         [7:0] m_host_awlen_o,
    output logic               m_host_wvalid_o,
    input  wire logic          m_host_wready_i,
    output logic       [127:0] m_host_wdata_o,
    output logic        [15:0] m_host_wstrb_o,
    output logic               m_host_wlast_o,
    input  wire logic          m_host_bvalid_i,
    output logic               m_host_arvalid_o,
    // Device memory.
    output logic         [1:0] m_mem_awvalid_o,
    input  wire logic    [1:0] m_mem_awready_i,
    output logic        [79:0] m_mem_awaddr_o,
    output logic        [15:0] m_mem_awlen_o,
    output logic         [1:0] m_mem_wvalid_o,
    input  wire logic    [1:0] m_mem_wready_i,
    output logic       [255:0] m_mem_wdata_o,
    output logic        [31:0] m_mem_wstrb_o,
    output logic         [1:0] m_mem_wlast_o,
    input  wire logic    [1:0] m_mem_bvalid_i,
    output logic         [1:0] m_mem_arvalid_o,
    input  wire logic    [1:0] m_mem_arready_i,
    output logic        [79:0] m_mem_araddr_o,
    output logic        [15:0] m_mem_arlen_o,
    input  wire logic    [1:0] m_mem_rvalid_i,
    input  wire logic  [255:0] m_mem_rdata_i,
    output logic         [1:0] link_tx_valid_o,
    output logic         [1:0] link_tx_bound_o,
    output logic       [255:0] link_tx_data_o,
    input  wire logic    [1:0] link_rx_valid_i,
    input  wire logic    [1:0] link_rx_bound_i,
    input  wire logic  [255:0] link_rx_data_i,
    // Commands of engine 0.
    input  wire logic          core_valid_i,
    output logic               core_ready_o,
    input  wire logic  [127:0] core_cmd_i,
    output logic               core_ack_o,
    output logic [fsh_spec_pkg::TAG_W-1:0] core_tag_o,
    output logic         [3:0] core_status_o,
    // The toy's line.
    output logic               toy_write_o,
    output logic        [39:0] toy_addr_o,
    output logic        [63:0] toy_data_o
);
  localparam int unsigned CORE = fsh_spec_pkg::ENGINE_COMPUTE;
  localparam int unsigned TOY = fsh_spec_pkg::ENGINE_TOY;
  localparam int unsigned COLL = fsh_spec_pkg::ENGINE_COLLECTIVE;
  localparam int unsigned ENGINES = fsh_spec_pkg::ENGINES;
  localparam int unsigned TAG_W = fsh_spec_pkg::TAG_W;

  logic [ENGINES-1:0]      busy, msg_ready, msg_valid, ccmd_valid, ccmd_ready, ack_valid;
  logic [ENGINES-1:0]      entry_valid, entry_ready;
  logic [ENGINES*4-1:0]    msg_status, ack_status;
  logic [ENGINES*TAG_W-1:0] ack_tag;
  fsh_spec_pkg::ecmd_t     toy_cmd;
  fsh_spec_pkg::ring_t     core_entry, toy_entry;
  logic [ENGINES*128-1:0]  ccmd, entry;
  fsh_fn_pkg::msg_t        msg;

  // The pins as records.
  fsh_axi_pkg::lite_req_t    axil_req;
  fsh_axi_pkg::host_wr_req_t host_wr_req;
  fsh_axi_pkg::host_wr_rsp_t host_wr_rsp;
  fsh_axi_pkg::host_rd_req_t host_rd_req;
  fsh_axi_pkg::mem_wr_req_t  mem_wr_req;
  fsh_axi_pkg::mem_wr_rsp_t  mem_wr_rsp;
  fsh_axi_pkg::mem_rd_req_t  mem_rd_req;
  fsh_axi_pkg::mem_rd_rsp_t  mem_rd_rsp;

  assign axil_req.awvalid = s_axil_wvalid_i;
  assign axil_req.wvalid  = s_axil_wvalid_i;
  assign axil_req.bready  = 1'b1;
  assign axil_req.arvalid = 1'b0;
  assign axil_req.rready  = 1'b1;
  assign axil_req.awaddr  = s_axil_awaddr_i;
  assign axil_req.araddr  = '0;
  assign axil_req.wdata   = s_axil_wdata_i;

  assign m_host_awvalid_o = host_wr_req.awvalid;
  assign m_host_wvalid_o  = host_wr_req.wvalid;
  assign m_host_wlast_o   = host_wr_req.wlast;
  assign m_host_awlen_o   = host_wr_req.awlen;
  assign m_host_awaddr_o  = host_wr_req.awaddr;
  assign m_host_wstrb_o   = host_wr_req.wstrb;
  assign m_host_wdata_o   = host_wr_req.wdata;

  assign host_wr_rsp.awready = m_host_awready_i;
  assign host_wr_rsp.wready  = m_host_wready_i;
  assign host_wr_rsp.bvalid  = m_host_bvalid_i;
  assign host_wr_rsp.berr    = 1'b0;

  assign m_mem_awvalid_o = mem_wr_req.awvalid;
  assign m_mem_wvalid_o  = mem_wr_req.wvalid;
  assign m_mem_wlast_o   = mem_wr_req.wlast;
  assign m_mem_awlen_o   = mem_wr_req.awlen;
  assign m_mem_awaddr_o  = mem_wr_req.awaddr;
  assign m_mem_wstrb_o   = mem_wr_req.wstrb;
  assign m_mem_wdata_o   = mem_wr_req.wdata;

  assign mem_wr_rsp.awready = m_mem_awready_i;
  assign mem_wr_rsp.wready  = m_mem_wready_i;
  assign mem_wr_rsp.bvalid  = m_mem_bvalid_i;
  assign mem_wr_rsp.berr    = '0;

  assign m_mem_arvalid_o = mem_rd_req.arvalid;
  assign m_mem_arlen_o   = mem_rd_req.arlen;
  assign m_mem_araddr_o  = mem_rd_req.araddr;

  assign mem_rd_rsp.arready = m_mem_arready_i;
  assign mem_rd_rsp.rvalid  = m_mem_rvalid_i;
  assign mem_rd_rsp.rerr    = '0;
  assign mem_rd_rsp.rdata   = m_mem_rdata_i;
  assign m_host_arvalid_o = host_rd_req.arvalid;

  fsh_node i_node (
      .clk_i,
      .rst_i,
      .cycle_i,
      .gate_i          (1'b0),
      .idle_o,
      .axil_req_i      (axil_req),
      .axil_rsp_o      (),
      .host_wr_req_o   (host_wr_req),
      .host_wr_rsp_i   (host_wr_rsp),
      .host_rd_req_o   (host_rd_req),
      .host_rd_rsp_i   ('0),
      .mem_wr_req_o    (mem_wr_req),
      .mem_wr_rsp_i    (mem_wr_rsp),
      .mem_rd_req_o    (mem_rd_req),
      .mem_rd_rsp_i    (mem_rd_rsp),
      .dma_clk_i       (clk_i),
      .dma_clk_req_o   (),
      .dma_valid_o     (),
      .wide_req_o      (),
      .wide_rsp_i      ('0),
      .line_req_o      (),
      .line_rsp_i      ('0),
      .link_tx_valid_o,
      .link_tx_bound_o,
      .link_tx_data_o,
      .link_rx_valid_i,
      .link_rx_bound_i,
      .link_rx_data_i,
      .node_o          (),
      .seg_base_o      (),
      .seg_size_o      (),
      .host_size_o     (),
      .eng_present_i   (ENGINES'(1) << TOY),
      .eng_busy_i      (busy),
      .msg_ready_i     (msg_ready),
      .msg_valid_o     (msg_valid),
      .msg_o           (msg),
      .msg_status_i    (msg_status),
      .ccmd_valid_i    (ccmd_valid),
      .ccmd_ready_o    (ccmd_ready),
      .ccmd_i          (ccmd),
      .ack_valid_o     (ack_valid),
      .ack_tag_o       (ack_tag),
      .ack_status_o    (ack_status),
      .entry_valid_i   (entry_valid),
      .entry_ready_o   (entry_ready),
      .entry_i         (entry),
      .post_req_i      ('0),
      .post_rsp_o      (),
      .coll_rx_o       (),
      .coll_room_i     ('1),
      .cperf_clear_o   (),
      .cperf_read_o    (),
      .cperf_word_o    (),
      .cperf_valid_i   ('0),
      .cperf_data_i    ('0)
  );

  always_comb begin
    ccmd                 = '0;
    entry                = '0;
    ccmd[CORE*128+:128]  = core_cmd_i;
    ccmd[TOY*128+:128]   = toy_cmd;
    entry[CORE*128+:128] = core_entry;
    entry[TOY*128+:128]  = toy_entry;
  end

  assign {busy[COLL], ccmd_valid[COLL], entry_valid[COLL]} = '0;
  assign msg_ready[COLL]        = 1'b1;
  assign msg_status[COLL*4+:4]  = fsh_spec_pkg::STATUS_UNSUPPORTED;

  assign ccmd_valid[CORE] = core_valid_i;
  assign core_ready_o     = ccmd_ready[CORE];
  assign core_ack_o       = ack_valid[CORE];
  assign core_tag_o       = ack_tag[CORE*TAG_W+:TAG_W];
  assign core_status_o    = ack_status[CORE*4+:4];

  fsh_csink i_csink (
      .clk_i,
      .rst_i,
      .present_i    (1'b0),
      .msg_ready_o  (msg_ready[CORE]),
      .msg_valid_i  (msg_valid[CORE]),
      .msg_i        (msg),
      .msg_status_o (msg_status[CORE*4+:4]),
      .run_room_i   (2'b11),
      .run_valid_o  (),
      .run_queue_o  (),
      .run_count_o  (),
      .run_addr_o   (),
      .sig_valid_o  (),
      .sig_counter_o(),
      .sig_inc_o    (),
      .entry_valid_o(entry_valid[CORE]),
      .entry_ready_i(entry_ready[CORE]),
      .entry_o      (core_entry),
      .busy_o       (busy[CORE])
  );

  fsh_toy i_toy (
      .clk_i,
      .rst_i,
      .msg_ready_o  (msg_ready[TOY]),
      .msg_valid_i  (msg_valid[TOY]),
      .msg_i        (msg),
      .msg_status_o (msg_status[TOY*4+:4]),
      .ccmd_valid_o (ccmd_valid[TOY]),
      .ccmd_ready_i (ccmd_ready[TOY]),
      .ccmd_o       (toy_cmd),
      .ack_valid_i  (ack_valid[TOY]),
      .ack_tag_i    (ack_tag[TOY*TAG_W+:TAG_W]),
      .ack_status_i (ack_status[TOY*4+:4]),
      .entry_valid_o(entry_valid[TOY]),
      .entry_ready_i(entry_ready[TOY]),
      .entry_o      (toy_entry),
      .write_o      (toy_write_o),
      .addr_o       (toy_addr_o),
      .data_o       (toy_data_o),
      .busy_o       (busy[TOY])
  );
endmodule

`default_nettype wire
