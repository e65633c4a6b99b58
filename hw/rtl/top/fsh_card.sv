// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none

/// What a card holds for one node: fsh_node with its engines. Wires, and a register; see
/// both for their ports. The masters of the compute core are m_core_*, lane l in
/// slice l: 512-bit AXI4 without identifiers, bursts of one beat.
/// core_clk_i is clk_i, for the compute core alone: tied to it, or gated. It may miss
/// an edge of clk_i if core_clk_req_o is low and no response is there (bvalid, rvalid
/// of m_core_*): the core is at rest then. core_present_i is constant; if it is low,
/// the node answers as one without a compute core.
/// idle_o: nothing in the node changes until an input does; the core may be at work.
module fsh_card #(
    parameter int unsigned PORTS = 2,
    localparam int unsigned LANES = fsh_spec_pkg::LANES
) (
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
  logic        node_idle, core_idle, run_valid, run_queue, sig_valid, ack_valid;
  logic        ccmd_valid, ccmd_ready, cperf_clear, cperf_read, cperf_valid;
  logic [7:0]  node, run_count, sig_inc;
  logic [39:0] seg_base, seg_size, host_size;
  logic [1:0]  run_room;
  logic [31:0] run_addr;
  logic [5:0]  sig_counter;
  logic [3:0]  ack_status, cperf_word;
  logic [fsh_spec_pkg::TAG_W-1:0] ack_tag;
  logic [47:0] cperf_data, coll_perf_data;
  fsh_spec_pkg::ecmd_t ccmd;
  logic                sink_busy, msg_ready, msg_valid, entry_valid, entry_ready;
  logic [3:0]          msg_status;
  fsh_fn_pkg::msg_t    msg;
  fsh_spec_pkg::ring_t entry;

  // The collective engine: its edge, on the clock of the node, and itself.
  logic                    coll_busy, coll_idle, coll_msg_valid, coll_msg_ready;
  logic                    coll_ccmd_valid, coll_ccmd_ready, coll_ack_valid;
  logic                    coll_entry_valid, coll_entry_ready;
  logic              [1:0] coll_room;
  logic              [3:0] coll_msg_status;
  logic [2*fsh_fn_pkg::COLL_BEAT_W-1:0] coll_rx;
  logic            [255:0] coll_rx_data, coll_data;
  logic              [1:0] coll_rx_valid, coll_mine, coll_sop, coll_last, coll_bad;
  logic                    coll_tick, coll_run_valid, coll_run_room, coll_ask_room;
  logic                    coll_note_valid, coll_put, coll_fills, coll_end_ready, coll_post_ready;
  logic                    coll_req_edge, coll_call, coll_wakes, coll_valid, dma_valid;
  logic                    coll_perf_clear, coll_perf_read, coll_perf_valid;
  logic             [31:0] coll_run_addr;
  fsh_coll_pkg::note_t     coll_note;
  logic [fsh_coll_pkg::PLACE_W+fsh_coll_pkg::PLINE_W-1:0] coll_put_at;
  logic [fsh_coll_pkg::PLACES*fsh_coll_pkg::PBEAT_W-1:0] coll_ends;
  logic [fsh_coll_pkg::PLACES-1:0] coll_freed;
  /* verilator lint_off UNUSEDSIGNAL */
  logic              [3:0] coll_ack_status;
  logic [fsh_spec_pkg::TAG_W-1:0] coll_ack_tag;
  /* verilator lint_on UNUSEDSIGNAL */
  fsh_spec_pkg::ecmd_t     coll_ccmd;
  fsh_spec_pkg::ring_t     coll_entry;
  fsh_coll_pkg::out_t      coll_out;
  fsh_axi_pkg::pair_req_t  coll_req;
  fsh_axi_pkg::post_req_t  post_req;
  fsh_axi_pkg::post_rsp_t  post_rsp;
  fsh_axi_pkg::mem_rd_req_t seq_rd_req;
  fsh_axi_pkg::mem_rd_rsp_t seq_rd_rsp;

  // The engine is reset a cycle later than the rest, so that the request for its clock follows from
  // registers alone; and from power-up on, so that it never runs before.
  logic coll_rst_q = 1'b1;

  always_ff @(posedge clk_i) coll_rst_q <= rst_i;

  // For whoever gates clocks: the engine has something for the node, or for who waits there.
  assign coll_valid     = coll_wakes || coll_msg_valid;
  assign coll_call      = coll_req_edge || coll_perf_clear || coll_perf_read;
  assign coll_clk_req_o = coll_call || !coll_idle || coll_rst_q;
  assign idle_o         = node_idle && !ccmd_valid && !cperf_valid && !coll_valid && !dma_valid;
  assign core_clk_req_o = !core_idle || ccmd_valid || run_valid || sig_valid || ack_valid ||
                          cperf_clear || cperf_read;

  // The pins as records.
  fsh_axi_pkg::lite_req_t    axil_req;
  fsh_axi_pkg::lite_rsp_t    axil_rsp;
  fsh_axi_pkg::host_wr_req_t host_wr_req;
  fsh_axi_pkg::host_wr_rsp_t host_wr_rsp;
  fsh_axi_pkg::host_rd_req_t host_rd_req;
  fsh_axi_pkg::host_rd_rsp_t host_rd_rsp;
  fsh_axi_pkg::mem_wr_req_t  mem_wr_req;
  fsh_axi_pkg::mem_wr_rsp_t  mem_wr_rsp;
  fsh_axi_pkg::mem_rd_req_t  mem_rd_req;
  fsh_axi_pkg::mem_rd_rsp_t  mem_rd_rsp;
  fsh_axi_pkg::lane_req_t    core_req;
  fsh_axi_pkg::lane_rsp_t    core_rsp;

  // In one piece each, in the order of their fields: field by field a simulator reads and writes
  // words again and again.
  assign axil_req = {s_axil_awvalid_i, s_axil_wvalid_i, s_axil_bready_i, s_axil_arvalid_i,
                     s_axil_rready_i, s_axil_awaddr_i, s_axil_araddr_i, s_axil_wdata_i};

  assign s_axil_awready_o = axil_rsp.awready;
  assign s_axil_wready_o  = axil_rsp.wready;
  assign s_axil_bvalid_o  = axil_rsp.bvalid;
  assign s_axil_arready_o = axil_rsp.arready;
  assign s_axil_rvalid_o  = axil_rsp.rvalid;
  assign s_axil_rdata_o   = axil_rsp.rdata;

  assign m_host_awvalid_o = host_wr_req.awvalid;
  assign m_host_awaddr_o  = host_wr_req.awaddr;
  assign m_host_awlen_o   = host_wr_req.awlen;
  assign m_host_wvalid_o  = host_wr_req.wvalid;
  assign m_host_wdata_o   = host_wr_req.wdata;
  assign m_host_wstrb_o   = host_wr_req.wstrb;
  assign m_host_wlast_o   = host_wr_req.wlast;

  assign host_wr_rsp = {m_host_awready_i, m_host_wready_i, m_host_bvalid_i, m_host_berr_i};

  assign m_host_arvalid_o = host_rd_req.arvalid;
  assign m_host_araddr_o  = host_rd_req.araddr;
  assign m_host_arlen_o   = host_rd_req.arlen;
  assign m_host_arid_o    = host_rd_req.arid;

  assign host_rd_rsp = {m_host_arready_i, m_host_rvalid_i, m_host_rid_i, m_host_rerr_i,
                        m_host_rdata_i};

  assign m_mem_awvalid_o = mem_wr_req.awvalid;
  assign m_mem_awaddr_o  = mem_wr_req.awaddr;
  assign m_mem_awlen_o   = mem_wr_req.awlen;
  assign m_mem_wvalid_o  = mem_wr_req.wvalid;
  assign m_mem_wdata_o   = mem_wr_req.wdata;
  assign m_mem_wstrb_o   = mem_wr_req.wstrb;
  assign m_mem_wlast_o   = mem_wr_req.wlast;

  assign mem_wr_rsp = {m_mem_awready_i, m_mem_wready_i, m_mem_bvalid_i, m_mem_berr_i};

  assign m_mem_arvalid_o = mem_rd_req.arvalid;
  assign m_mem_araddr_o  = mem_rd_req.araddr;
  assign m_mem_arlen_o   = mem_rd_req.arlen;

  assign mem_rd_rsp = {m_mem_arready_i, m_mem_rvalid_i, m_mem_rerr_i, m_mem_rdata_i};

  assign m_core_awvalid_o = core_req.awvalid;
  assign m_core_awaddr_o  = core_req.awaddr;
  assign m_core_wvalid_o  = core_req.wvalid;
  assign m_core_wdata_o   = core_req.wdata;
  assign m_core_wstrb_o   = core_req.wstrb;
  assign m_core_arvalid_o = core_req.arvalid;
  assign m_core_araddr_o  = core_req.araddr;

  assign core_rsp = {m_core_awready_i, m_core_wready_i, m_core_bvalid_i, m_core_berr_i,
                     m_core_arready_i, m_core_rvalid_i, m_core_rerr_i};

  assign {m_coll_awvalid_o, m_coll_wvalid_o, m_coll_arvalid_o, m_coll_awaddr_o, m_coll_araddr_o,
          m_coll_wstrb_o, m_coll_wdata_o} = coll_req;

  assign {m_host_bready_o, m_host_rready_o} = '1;
  assign {m_mem_bready_o, m_mem_rready_o}   = '1;

  fsh_node #(
      .PORTS(PORTS)
  ) i_node (
      .clk_i,
      .rst_i,
      .cycle_i,
      .gate_i,
      .idle_o           (node_idle),
      .axil_req_i       (axil_req),
      .axil_rsp_o       (axil_rsp),
      .host_wr_req_o    (host_wr_req),
      .host_wr_rsp_i    (host_wr_rsp),
      .host_rd_req_o    (host_rd_req),
      .host_rd_rsp_i    (host_rd_rsp),
      .mem_wr_req_o     (mem_wr_req),
      .mem_wr_rsp_i     (mem_wr_rsp),
      .mem_rd_req_o     (seq_rd_req),
      .mem_rd_rsp_i     (seq_rd_rsp),
      .dma_clk_i,
      .dma_clk_req_o,
      .dma_valid_o      (dma_valid),
      .wide_req_o       (m_wide_req_o),
      .wide_rsp_i       (m_wide_rsp_i),
      .line_req_o       (m_line_req_o),
      .line_rsp_i       (m_line_rsp_i),
      .link_tx_valid_o,
      .link_tx_bound_o,
      .link_tx_data_o,
      .link_rx_valid_i,
      .link_rx_bound_i,
      .link_rx_data_i,
      .node_o           (node),
      .seg_base_o       (seg_base),
      .seg_size_o       (seg_size),
      .host_size_o      (host_size),
      .eng_present_i    ({coll_present_i, core_present_i}),
      .eng_busy_i       ({coll_busy, sink_busy}),
      .msg_ready_i      ({coll_msg_ready, msg_ready}),
      .msg_valid_o      ({coll_msg_valid, msg_valid}),
      .msg_o            (msg),
      .msg_status_i     ({coll_msg_status, msg_status}),
      .ccmd_valid_i     ({coll_ccmd_valid, ccmd_valid}),
      .ccmd_ready_o     ({coll_ccmd_ready, ccmd_ready}),
      .ccmd_i           ({coll_ccmd, ccmd}),
      .ack_valid_o      ({coll_ack_valid, ack_valid}),
      .ack_tag_o        ({coll_ack_tag, ack_tag}),
      .ack_status_o     ({coll_ack_status, ack_status}),
      .entry_valid_i    ({coll_entry_valid, entry_valid}),
      .entry_ready_o    ({coll_entry_ready, entry_ready}),
      .entry_i          ({coll_entry, entry}),
      .post_req_i       (post_req),
      .post_rsp_o       (post_rsp),
      .coll_rx_o        (coll_rx),
      .coll_data_o      (coll_rx_data),
      .coll_room_i      (coll_room),
      .cperf_clear_o    ({coll_perf_clear, cperf_clear}),
      .cperf_read_o     ({coll_perf_read, cperf_read}),
      .cperf_word_o     (cperf_word),
      .cperf_valid_i    ({coll_perf_valid, cperf_valid}),
      .cperf_data_i     ({coll_perf_data, cperf_data})
  );

  fsh_csink i_csink (
      .clk_i,
      .rst_i,
      .present_i    (core_present_i),
      .msg_ready_o  (msg_ready),
      .msg_valid_i  (msg_valid),
      .msg_i        (msg),
      .msg_status_o (msg_status),
      .run_room_i   (run_room),
      .run_valid_o  (run_valid),
      .run_queue_o  (run_queue),
      .run_count_o  (run_count),
      .run_addr_o   (run_addr),
      .sig_valid_o  (sig_valid),
      .sig_counter_o(sig_counter),
      .sig_inc_o    (sig_inc),
      .entry_valid_o(entry_valid),
      .entry_ready_i(entry_ready),
      .entry_o      (entry),
      .busy_o       (sink_busy)
  );

  fsh_compute i_compute (
      .clk_i        (core_clk_i),
      .rst_i,
      .cycle_i,
      .idle_o       (core_idle),
      .node_i       (node),
      .seg_base_i   (seg_base),
      .seg_size_i   (seg_size),
      .run_valid_i  (run_valid),
      .run_queue_i  (run_queue),
      .run_count_i  (run_count),
      .run_addr_i   (run_addr),
      .run_room_o   (run_room),
      .sig_valid_i  (sig_valid),
      .sig_event_i  (sig_counter),
      .sig_inc_i    (sig_inc),
      .ack_valid_i  (ack_valid),
      .ack_tag_i    (ack_tag[3:0]),
      .ack_status_i (ack_status),
      .ccmd_valid_o (ccmd_valid),
      .ccmd_ready_i (ccmd_ready),
      .ccmd_o       (ccmd),
      .cperf_clear_i(cperf_clear),
      .cperf_read_i (cperf_read),
      .cperf_word_i (cperf_word),
      .cperf_valid_o(cperf_valid),
      .cperf_data_o (cperf_data),
      .mem_req_o    (core_req),
      .mem_rsp_i    (core_rsp),
      .mem_rdata_i  (m_core_rdata_i)
  );

  fsh_cedge i_cedge (
      .clk_i,
      .rst_i,
      .node_i       (node),
      .present_i    (coll_present_i),
      .msg_valid_i  (coll_msg_valid),
      .msg_ready_o  (coll_msg_ready),
      .msg_i        (msg),
      .msg_status_o (coll_msg_status),
      .entry_valid_o(coll_entry_valid),
      .entry_ready_i(coll_entry_ready),
      .entry_o      (coll_entry),
      .ack_valid_i  (coll_ack_valid),
      .rd_req_i     (seq_rd_req),
      .rd_rsp_o     (seq_rd_rsp),
      .mem_req_o    (mem_rd_req),
      .mem_rsp_i    (mem_rd_rsp),
      .post_data_i  (coll_out.post_unit ? coll_req.wdata[1023:512] : coll_req.wdata[511:0]),
      .post_req_o   (post_req),
      .post_rsp_i   (post_rsp),
      .rx_i         (coll_rx),
      .rx_data_i    (coll_rx_data),
      .rx_valid_o   (coll_rx_valid),
      .mine_o       (coll_mine),
      .sop_o        (coll_sop),
      .last_o       (coll_last),
      .bad_o        (coll_bad),
      .data_o       (coll_data),
      .tick_o       (coll_tick),
      .run_valid_o  (coll_run_valid),
      .run_room_i   (coll_run_room),
      .run_addr_o   (coll_run_addr),
      .ask_room_i   (coll_ask_room),
      .note_valid_o (coll_note_valid),
      .note_o       (coll_note),
      .put_i        (coll_put),
      .put_at_i     (coll_put_at),
      .fills_i      (coll_fills),
      .ends_i       (coll_ends),
      .freed_o      (coll_freed),
      .end_ready_o  (coll_end_ready),
      .post_ready_o (coll_post_ready),
      .out_i        (coll_out),
      .clk_req_o    (coll_req_edge),
      .busy_o       (coll_busy)
  );

  fsh_cengine i_collective (
      .clk_i       (coll_clk_i),
      .rst_i       (coll_rst_q),
      .cycle_i,
      .call_i      (coll_call),
      .present_i   (coll_present_i),
      .seg_base_i  (seg_base),
      .seg_size_i  (seg_size),
      .host_size_i (host_size),
      .tick_i      (coll_tick),
      .run_valid_i (coll_run_valid),
      .run_room_o  (coll_run_room),
      .run_addr_i  (coll_run_addr),
      .ask_room_o  (coll_ask_room),
      .note_valid_i(coll_note_valid),
      .note_i      (coll_note),
      .rx_valid_i  (coll_rx_valid),
      .mine_i      (coll_mine),
      .sop_i       (coll_sop),
      .last_i      (coll_last),
      .bad_i       (coll_bad),
      .data_i      (coll_data),
      .room_o      (coll_room),
      .put_o       (coll_put),
      .put_at_o    (coll_put_at),
      .fills_o     (coll_fills),
      .ends_o      (coll_ends),
      .freed_i     (coll_freed),
      .ccmd_valid_o(coll_ccmd_valid),
      .ccmd_ready_i(coll_ccmd_ready),
      .ccmd_o      (coll_ccmd),
      .ack_valid_i (coll_ack_valid),
      .ack_slot_i  (coll_ack_tag[fsh_coll_pkg::PLACE_W-1:0]),
      .end_ready_i (coll_end_ready),
      .post_ready_i(coll_post_ready),
      .out_o       (coll_out),
      .mem_req_o   (coll_req),
      .mem_rsp_i   ({m_coll_awready_i, m_coll_wready_i, m_coll_bvalid_i, m_coll_berr_i,
                     m_coll_arready_i, m_coll_rvalid_i, m_coll_rerr_i}),
      .mem_rdata_i (m_coll_rdata_i),
      .perf_clear_i(coll_perf_clear),
      .perf_read_i (coll_perf_read),
      .perf_word_i (cperf_word),
      .perf_valid_o(coll_perf_valid),
      .perf_data_o (coll_perf_data),
      .wakes_o     (coll_wakes),
      .idle_o      (coll_idle)
  );
endmodule

`default_nettype wire
