// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none

/// One FSHMEM node with two link ports: host interface, GASNet core, links, and a
/// port for a compute core. See hw/rtl/README.md for the ports. All outputs are
/// functions of registers.
/// Responses of the AXI slaves come in order; write responses are always accepted, read
/// data always has room. err: the response is an error, with each beat of a read.
/// idle_o: no state changes until an input does (a command held by the start
/// gate counts as idle). Free-running state does not exist; time is cycle_i.
module fsh_node #(
    parameter int unsigned PORTS = 2  // only 2 is supported by the scheduler
) (
    input  wire logic                 clk_i,
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
    // Device memory, a master a port.
    output logic          [PORTS-1:0] m_mem_awvalid_o,
    input  wire logic     [PORTS-1:0] m_mem_awready_i,
    output logic       [PORTS*40-1:0] m_mem_awaddr_o,
    output logic        [PORTS*8-1:0] m_mem_awlen_o,
    output logic          [PORTS-1:0] m_mem_wvalid_o,
    input  wire logic     [PORTS-1:0] m_mem_wready_i,
    output logic      [PORTS*128-1:0] m_mem_wdata_o,
    output logic       [PORTS*16-1:0] m_mem_wstrb_o,
    output logic          [PORTS-1:0] m_mem_wlast_o,
    input  wire logic     [PORTS-1:0] m_mem_bvalid_i,
    input  wire logic     [PORTS-1:0] m_mem_berr_i,
    output logic          [PORTS-1:0] m_mem_bready_o,
    output logic          [PORTS-1:0] m_mem_arvalid_o,
    input  wire logic     [PORTS-1:0] m_mem_arready_i,
    output logic       [PORTS*40-1:0] m_mem_araddr_o,
    output logic        [PORTS*8-1:0] m_mem_arlen_o,
    input  wire logic     [PORTS-1:0] m_mem_rvalid_i,
    output logic          [PORTS-1:0] m_mem_rready_o,
    input  wire logic [PORTS*128-1:0] m_mem_rdata_i,
    input  wire logic     [PORTS-1:0] m_mem_rerr_i,
    input  wire logic     [PORTS-1:0] m_mem_rlast_i,
    // Links.
    output logic          [PORTS-1:0] link_tx_valid_o,
    output logic          [PORTS-1:0] link_tx_bound_o,
    output logic      [PORTS*128-1:0] link_tx_data_o,
    input  wire logic     [PORTS-1:0] link_rx_valid_i,
    input  wire logic     [PORTS-1:0] link_rx_bound_i,
    input  wire logic [PORTS*128-1:0] link_rx_data_i,
    // Compute core.
    input  wire logic                 compute_present_i,
    output logic                [7:0] node_o,
    output logic               [39:0] seg_base_o,
    output logic               [39:0] seg_size_o,
    input  wire logic           [1:0] run_room_i,
    output logic                      run_valid_o,
    output logic                      run_queue_o,
    output logic                [7:0] run_count_o,
    output logic               [31:0] run_addr_o,
    output logic                      sig_valid_o,
    output logic                [5:0] sig_counter_o,
    output logic                [7:0] sig_inc_o,
    output logic                      ack_valid_o,
    output logic                [3:0] ack_tag_o,
    output logic                [3:0] ack_status_o,
    input  wire logic                 ccmd_valid_i,
    output logic                      ccmd_ready_o,
    input  wire fsh_fn_pkg::ccmd_t    ccmd_i,
    output logic                      cperf_clear_o,
    output logic                      cperf_read_o,
    output logic                [3:0] cperf_word_o,
    input  wire logic                 cperf_valid_i,
    input  wire logic          [47:0] cperf_data_i
);
  // Tracker, windows 0 and 1, sequencers 0 and 1, messages of compute cores.
  localparam int unsigned ENTRIES = 6;

  // Configuration.
  logic        enable, hold;
  logic [7:0]  node, nodes;
  logic [10:0] packet;
  logic [1:0]  ports, dateline;
  logic [39:0] seg_base, seg_size, host_size, cpl_base, req_base, rep_base;
  logic [39:0] slot_hdr, slot_pay, status_addr;
  logic [1:0]  rx_dropped /*verilator split_var*/;
  logic [3*$clog2(2*fsh_spec_pkg::RING_ENTRIES)-1:0] taken;  // of each ring
  logic        entry_lost;
  logic [47:0] host_base;
  logic        perf_read, req_we, rep_we, req_tail_we, rep_tail_we, route_we, perf_clear, regs_busy;
  logic [8:0]  write_word;
  logic [63:0] write_data, perf_data;
  logic [5:0]  perf_word;

  fsh_regs #(
      .PORTS(PORTS)
  ) i_regs (
      .clk_i,
      .rst_i,
      .cycle_i,
      .gate_i,
      .compute_present_i,
      .awaddr_i     (s_axil_awaddr_i),
      .awvalid_i    (s_axil_awvalid_i),
      .awready_o    (s_axil_awready_o),
      .wdata_i      (s_axil_wdata_i),
      .wvalid_i     (s_axil_wvalid_i),
      .wready_o     (s_axil_wready_o),
      .bvalid_o     (s_axil_bvalid_o),
      .bready_i     (s_axil_bready_i),
      .araddr_i     (s_axil_araddr_i),
      .arvalid_i    (s_axil_arvalid_i),
      .arready_o    (s_axil_arready_o),
      .rvalid_o     (s_axil_rvalid_o),
      .rready_i     (s_axil_rready_i),
      .rdata_o      (s_axil_rdata_o),
      .enable_o     (enable),
      .hold_o       (hold),
      .node_o       (node),
      .nodes_o      (nodes),
      .packet_o     (packet),
      .ports_o      (ports),
      .dateline_o   (dateline),
      .seg_base_o   (seg_base),
      .seg_size_o   (seg_size),
      .host_base_o  (host_base),
      .host_size_o  (host_size),
      .cpl_base_o   (cpl_base),
      .req_base_o   (req_base),
      .rep_base_o   (rep_base),
      .slot_hdr_o   (slot_hdr),
      .slot_pay_o   (slot_pay),
      .status_addr_o(status_addr),
      .taken_o      (taken),
      .dropped_i    (rx_dropped),
      .lost_i       (entry_lost),
      .req_we_o     (req_we),
      .rep_we_o     (rep_we),
      .req_tail_we_o(req_tail_we),
      .rep_tail_we_o(rep_tail_we),
      .route_we_o   (route_we),
      .write_word_o (write_word),
      .write_data_o (write_data),
      .perf_clear_o (perf_clear),
      .perf_read_o  (perf_read),
      .perf_word_o  (perf_word),
      .perf_data_i  (perf_data),
      .cperf_clear_o,
      .cperf_read_o,
      .cperf_word_o,
      .cperf_valid_i,
      .cperf_data_i,
      .busy_o       (regs_busy)
  );

  assign node_o     = node;
  assign seg_base_o = seg_base;
  assign seg_size_o = seg_size;

  // Submission windows.
  logic [1:0]          win_valid, win_ready, rows_valid, rows_ready, win_empty, win_waiting;
  logic [3:0]          win_mask;
  logic [1:0]          win_spread, win_loop;
  logic [40:0]         win_end;
  fsh_spec_pkg::cmd_t  win_req, win_rep;
  logic [127:0]        rows_req, rows_rep;
  logic [31:0]         req_head, rep_head;
  logic [ENTRIES-1:0]  entry_valid, entry_ready;
  fsh_spec_pkg::ring_t entry_track, entry_win0, entry_win1, entry_seq0, entry_seq1, entry_compute;
  logic [1:0]          track_ring;
  logic [41:0]         route_data;

  assign route_data = {write_data[57:56], write_data[39:0]};

  fsh_submit #(
      .REPLY(1'b0)
  ) i_submit_req (
      .clk_i,
      .rst_i,
      .node_i       (node),
      .nodes_i      (nodes),
      .packet_i     (packet),
      .ports_i      (ports),
      .seg_size_i   (seg_size),
      .host_size_i  (host_size),
      .route_we_i   (route_we),
      .route_waddr_i(write_word[5:0]),
      .route_wdata_i(route_data),
      .we_i         (req_we),
      .waddr_i      (write_word),
      .wdata_i      (write_data),
      .tail_we_i    (req_tail_we),
      .head_o       (req_head),
      .cmd_valid_o  (win_valid[0]),
      .cmd_ready_i  (win_ready[0]),
      .cmd_o        (win_req),
      .cmd_mask_o   (win_mask[1:0]),
      .cmd_spread_o (win_spread[0]),
      .cmd_loop_o   (win_loop[0]),
      .cmd_end_o    (win_end),
      .rows_valid_o (rows_valid[0]),
      .rows_ready_i (rows_ready[0]),
      .rows_data_o  (rows_req),
      .cpl_valid_o  (entry_valid[1]),
      .cpl_ready_i  (entry_ready[1]),
      .cpl_o        (entry_win0),
      .empty_o      (win_empty[0]),
      .waiting_o    (win_waiting[0])
  );

  fsh_submit #(
      .REPLY(1'b1)
  ) i_submit_rep (
      .clk_i,
      .rst_i,
      .node_i       (node),
      .nodes_i      (nodes),
      .packet_i     (packet),
      .ports_i      (ports),
      .seg_size_i   (seg_size),
      .host_size_i  (host_size),
      .route_we_i   (route_we),
      .route_waddr_i(write_word[5:0]),
      .route_wdata_i(route_data),
      .we_i         (rep_we),
      .waddr_i      (write_word),
      .wdata_i      (write_data),
      .tail_we_i    (rep_tail_we),
      .head_o       (rep_head),
      .cmd_valid_o  (win_valid[1]),
      .cmd_ready_i  (win_ready[1]),
      .cmd_o        (win_rep),
      .cmd_mask_o   (win_mask[3:2]),
      .cmd_spread_o (win_spread[1]),
      .cmd_loop_o   (win_loop[1]),
      .cmd_end_o    (),
      .rows_valid_o (rows_valid[1]),
      .rows_ready_i (rows_ready[1]),
      .rows_data_o  (rows_rep),
      .cpl_valid_o  (entry_valid[2]),
      .cpl_ready_i  (entry_ready[2]),
      .cpl_o        (entry_win1),
      .empty_o      (win_empty[1]),
      .waiting_o    (win_waiting[1])
  );

  // Messages to the compute core.
  logic [1:0]       get_valid, get_ready, served_valid, served_ready;
  fsh_fn_pkg::get_t get0, get1;
  logic [7:0]       served_status;
  logic             msg_refused, dispatch_busy;

  fsh_dispatch i_dispatch (
      .clk_i,
      .rst_i,
      .compute_present_i,
      .get_valid_i   (get_valid),
      .get_ready_o   (get_ready),
      .get0_i        (get0),
      .get1_i        (get1),
      .get_valid_o   (served_valid),
      .get_ready_i   (served_ready),
      .get_status_o  (served_status),
      .run_room_i,
      .run_valid_o,
      .run_queue_o,
      .run_count_o,
      .run_addr_o,
      .sig_valid_o,
      .sig_counter_o,
      .sig_inc_o,
      .entry_valid_o (entry_valid[5]),
      .entry_ready_i (entry_ready[5]),
      .entry_o       (entry_compute),
      .perf_refused_o(msg_refused),
      .busy_o        (dispatch_busy)
  );

  // Commands of the compute core.
  logic               req_valid, req_ready, req_gnt, req_spread, req_loop;
  logic               done_valid, ccmd_refused, ccmd_busy;
  logic [1:0]         req_mask;
  logic [3:0]         done_tag, done_status;
  fsh_spec_pkg::cmd_t req;

  fsh_ccmd i_ccmd (
      .clk_i,
      .rst_i,
      .node_i        (node),
      .nodes_i       (nodes),
      .packet_i      (packet),
      .ports_i       (ports),
      .seg_size_i    (seg_size),
      .route_we_i    (route_we),
      .route_waddr_i (write_word[5:0]),
      .route_wdata_i (route_data[41:40]),
      .ccmd_valid_i,
      .ccmd_ready_o,
      .ccmd_i,
      .ack_valid_o,
      .ack_tag_o,
      .ack_status_o,
      .done_valid_i  (done_valid),
      .done_tag_i    (done_tag),
      .done_status_i (done_status),
      .req_valid_o   (req_valid),
      .req_ready_i   (req_ready),
      .req_gnt_i     (req_gnt),
      .req_mask_o    (req_mask),
      .req_spread_o  (req_spread),
      .req_loop_o    (req_loop),
      .win_i         (win_req),
      .req_o         (req),
      .perf_refused_o(ccmd_refused),
      .busy_o        (ccmd_busy)
  );

  // Scheduler.
  logic [1:0]         rows_port;
  logic [3:0]         context_free, load_status;
  fsh_spec_pkg::cmd_t load;
  logic               load_valid, load_ready, load_port, load_loop, load_stripe;
  logic               stopped, tags_clear;

  assign stopped = hold || !enable || tags_clear;

  fsh_sched i_sched (
      .clk_i,
      .rst_i,
      .hold_i       (stopped),
      .win_valid_i  (win_valid),
      .win_ready_o  (win_ready),
      .win_mask_i   (win_mask),
      .win_spread_i (win_spread),
      .win_loop_i   (win_loop),
      .win_ordered_i({win_rep.ordered, win_req.ordered}),
      .win_req_i    (req),
      .win_rep_i    (win_rep),
      .get_valid_i  (served_valid),
      .get_ready_o  (served_ready),
      .get0_i       (get0),
      .get1_i       (get1),
      .get_status_i (served_status),
      .core_valid_i (req_valid),
      .core_ready_o (req_ready),
      .core_gnt_o   (req_gnt),
      .core_mask_i  (req_mask),
      .core_spread_i(req_spread),
      .core_loop_i  (req_loop),
      .free_i       (context_free),
      .load_valid_o (load_valid),
      .load_ready_i (load_ready),
      .load_port_o  (load_port),
      .load_loop_o  (load_loop),
      .load_stripe_o(load_stripe),
      .load_status_o(load_status),
      .load_o       (load),
      .rows_port_o  (rows_port)
  );

  // Sequencer.
  logic [3:0]   link_ok, link_take;
  logic [1:0]   loop_ok, loop_take, others, pkt_valid, pkt_loop, pkt_ready, pkt_last, seq_stall;
  logic [6:0]   take_beats;
  logic [127:0] pkt0_data, pkt1_data;
  logic [1:0]   pkt_bad;
  logic [39:0]  mem_araddr;
  logic [7:0]   mem_arlen;
  logic         seq_busy;

  fsh_seq i_seq (
      .clk_i,
      .rst_i,
      .node_i        (node),
      .packet_i      (packet),
      .seg_base_i    (seg_base),
      .host_base_i   (host_base),
      .free_o        (context_free),
      .load_valid_i  (load_valid),
      .load_ready_o  (load_ready),
      .load_port_i   (load_port),
      .load_loop_i   (load_loop),
      .load_stripe_i (load_stripe),
      .load_status_i (load_status),
      .load_i        (load),
      .rows_valid_i  (rows_valid),
      .rows_port_i   (rows_port),
      .rows_ready_o  (rows_ready),
      .rows_req_i    (rows_req),
      .rows_rep_i    (rows_rep),
      .link_ok_i     (link_ok),
      .loop_ok_i     (loop_ok),
      .link_take_o   (link_take),
      .loop_take_o   (loop_take),
      .take_beats_o  (take_beats),
      .others_i      (others),
      .pkt_valid_o   (pkt_valid),
      .pkt_loop_o    (pkt_loop),
      .pkt_ready_i   (pkt_ready),
      .pkt_last_o    (pkt_last),
      .pkt0_data_o   (pkt0_data),
      .pkt1_data_o   (pkt1_data),
      .pkt_bad_o     (pkt_bad),
      .mem_arvalid_o (m_mem_arvalid_o),
      .mem_arready_i (m_mem_arready_i),
      .mem_araddr_o  (mem_araddr),
      .mem_arlen_o   (mem_arlen),
      .mem_rvalid_i  (m_mem_rvalid_i),
      .mem_rdata0_i  (m_mem_rdata_i[127:0]),
      .mem_rdata1_i  (m_mem_rdata_i[255:128]),
      .mem_rerr_i    (m_mem_rerr_i),
      .host_arvalid_o(m_host_arvalid_o),
      .host_arready_i(m_host_arready_i),
      .host_araddr_o (m_host_araddr_o),
      .host_arlen_o  (m_host_arlen_o),
      .host_arid_o   (m_host_arid_o[0]),
      .host_rvalid_i (m_host_rvalid_i),
      .host_rdata_i  (m_host_rdata_i),
      .host_rid_i    (m_host_rid_i[0]),
      .host_rerr_i   (m_host_rerr_i),
      .cpl_valid_o   (entry_valid[4:3]),
      .cpl_ready_i   (entry_ready[4:3]),
      .cpl0_o        (entry_seq0),
      .cpl1_o        (entry_seq1),
      .stall_o       (seq_stall),
      .busy_o        (seq_busy)
  );

  assign m_mem_araddr_o = {PORTS{mem_araddr}};
  assign m_mem_arlen_o  = {PORTS{mem_arlen}};

  // Completion unit.
  logic [1:0]         evt_valid, evt_ready, ack_valid, ack_ready, acked, release_budget;
  fsh_fn_pkg::evt_t   evt0, evt1;
  fsh_spec_pkg::hdr_t ack;
  logic               tracker_busy, tag_end, tag_ready, tags_busy;
  logic [5:0]         tag_ended;

  fsh_tracker i_tracker (
      .clk_i,
      .rst_i,
      .node_i       (node),
      .evt_valid_i  (evt_valid),
      .evt_ready_o  (evt_ready),
      .evt0_i       (evt0),
      .evt1_i       (evt1),
      .ports_i      (ports),
      .route_we_i   (route_we),
      .route_waddr_i(write_word[5:0]),
      .route_wdata_i(route_data[41:40]),
      .ack_valid_o  (ack_valid),
      .ack_ready_i  (ack_ready),
      .ack_o        (ack),
      .acked_o      (acked),
      .release_o    (release_budget),
      .entry_valid_o(entry_valid[0]),
      .entry_ready_i(entry_ready[0]),
      .entry_ring_o (track_ring),
      .entry_o      (entry_track),
      .tag_valid_o  (tag_end),
      .tag_o        (tag_ended),
      .tag_ready_i  (tag_ready),
      .clear_o      (tags_clear),
      .core_valid_o (done_valid),
      .core_tag_o   (done_tag),
      .core_status_o(done_status),
      .busy_o       (tracker_busy)
  );

  logic [1:0]       tag_busy /*verilator split_var*/, tag_re /*verilator split_var*/;
  logic [5:0]       tag0, tag1;
  fsh_fn_pkg::tag_t tag;

  fsh_tags i_tags (
      .clk_i,
      .rst_i,
      .valid_i    (win_ready[0] || req_ready),
      .cmd_i      (req),
      .limit_i    (win_end),
      .end_valid_i(tag_end),
      .end_tag_i  (tag_ended),
      .end_ready_o(tag_ready),
      .re_i       (tag_re),
      .tag0_i     (tag0),
      .tag1_i     (tag1),
      .tag_o      (tag),
      .busy_o     (tags_busy)
  );

  // Loop to this node: sequencer's port 0 to receiver 0.
  logic         loop_request, loop_valid, loop_ready, loop_last, loop_bad, loop_busy, rx_berr;
  logic [1:0]   rx0_start;
  logic [127:0] loop_data;

  fsh_loop i_loop (
      .clk_i,
      .rst_i,
      .ok_o        (loop_ok),
      .take_i      (loop_take),
      .take_beats_i(take_beats),
      .valid_i     (pkt_valid[0] && pkt_loop[0]),
      .data_i      (pkt0_data),
      .bad_i       (pkt_bad[0]),
      .start_i     (rx0_start),
      .request_o   (loop_request),
      .valid_o     (loop_valid),
      .ready_i     (loop_ready),
      .last_o      (loop_last),
      .data_o      (loop_data),
      .bad_o       (loop_bad),
      .busy_o      (loop_busy)
  );

  // One set a port: receiver, link. A packet that passes through leaves by the
  // other port.
  logic [1:0]   rx_busy /*verilator split_var*/, link_busy /*verilator split_var*/;
  logic [1:0]   stall /*verilator split_var*/;
  logic [1:0]   seq_sop /*verilator split_var*/, fwd_sop /*verilator split_var*/;
  logic [1:0]   tx_stall /*verilator split_var*/;
  logic [1:0]   rx_awvalid /*verilator split_var*/, rx_awready /*verilator split_var*/;
  logic [1:0]   rx_wvalid /*verilator split_var*/, rx_wready /*verilator split_var*/;
  logic [1:0]   rx_wlast /*verilator split_var*/;
  logic [1:0]   rx_bvalid /*verilator split_var*/;
  logic [79:0]  rx_awaddr /*verilator split_var*/;
  logic [15:0]  rx_awlen /*verilator split_var*/;
  logic [255:0] rx_wdata /*verilator split_var*/;
  logic [31:0]  rx_wstrb /*verilator split_var*/;
  logic [1:0]   perf_req /*verilator split_var*/, perf_rep /*verilator split_var*/;
  logic [1:0]   perf_written /*verilator split_var*/;
  logic [1:0]   perf_refused /*verilator split_var*/;
  logic [1:0]   fwd_valid /*verilator split_var*/, fwd_ready /*verilator split_var*/;
  logic [1:0]   fwd_last /*verilator split_var*/, fwd_bad /*verilator split_var*/;
  logic [7:0]   fwd_ok /*verilator split_var*/;
  logic [7:0]   fwd_freed /*verilator split_var*/;
  logic [127:0] fwd0_data, fwd1_data;
  logic [21:0]  perf_bytes /*verilator split_var*/;
  logic [21:0]  perf_written_bytes /*verilator split_var*/;

  for (genvar p = 0; p < 2; p++) begin : gen_port
    localparam int unsigned Q = 1 - p;
    logic               link_ready, tx_busy, lrx_busy, credit_valid, here_request, here_valid;
    logic               here_last, here_bad, aw_host, aw_valid, w_host, w_valid;
    logic [63:0]        credit, freed;
    logic [1:0]         start, rx_ready;
    logic [127:0]       here_data, fwd_data;
    logic [5:0]         tag_asked;
    fsh_fn_pkg::get_t   get;
    fsh_fn_pkg::evt_t   evt;

    assign pkt_ready[p] = link_ready || pkt_loop[p];

    fsh_link_tx i_tx (
        .clk_i,
        .rst_i,
        .dateline_i    (dateline[p]),
        .seq_ok_o      (link_ok[p*2+:2]),
        .seq_take_i    (link_take[p*2+:2]),
        .seq_beats_i   (take_beats),
        .seq_valid_i   (pkt_valid[p] && !pkt_loop[p]),
        .seq_ready_o   (link_ready),
        .seq_last_i    (pkt_last[p]),
        .seq_data_i    (p == 0 ? pkt0_data : pkt1_data),
        .seq_bad_i     (pkt_bad[p]),
        .ack_valid_i   (ack_valid[p]),
        .ack_ready_o   (ack_ready[p]),
        .ack_data_i    (ack),
        .fwd_ok_o      (fwd_ok[Q*4+:4]),
        .fwd_freed_i   (fwd_freed[Q*4+:4]),
        .fwd_valid_i   (fwd_valid[Q]),
        .fwd_ready_o   (fwd_ready[Q]),
        .fwd_last_i    (fwd_last[Q]),
        .fwd_data_i    (p == 0 ? fwd1_data : fwd0_data),
        .fwd_bad_i     (fwd_bad[Q]),
        .credit_valid_i(credit_valid),
        .credit_i      (credit),
        .freed_i       (freed),
        .link_valid_o  (link_tx_valid_o[p]),
        .link_bound_o  (link_tx_bound_o[p]),
        .link_data_o   (link_tx_data_o[p*128+:128]),
        .others_o      (others[p]),
        .seq_sop_o     (seq_sop[p]),
        .fwd_sop_o     (fwd_sop[p]),
        .stall_o       (tx_stall[p]),
        .busy_o        (tx_busy)
    );

    fsh_link_rx i_lrx (
        .clk_i,
        .rst_i,
        .node_i        (node),
        .line_i        (dateline[Q]),
        .link_valid_i  (link_rx_valid_i[p]),
        .link_bound_i  (link_rx_bound_i[p]),
        .link_data_i   (link_rx_data_i[p*128+:128]),
        .credit_valid_o(credit_valid),
        .credit_o      (credit),
        .freed_o       (freed),
        .here_start_i  (start),
        .here_request_o(here_request),
        .here_valid_o  (here_valid),
        .here_ready_i  (rx_ready[0]),
        .here_last_o   (here_last),
        .here_data_o   (here_data),
        .here_bad_o    (here_bad),
        .fwd_start_i   (fwd_ok[p*4+:4]),
        .fwd_freed_o   (fwd_freed[p*4+:4]),
        .fwd_valid_o   (fwd_valid[p]),
        .fwd_ready_i   (fwd_ready[p]),
        .fwd_last_o    (fwd_last[p]),
        .fwd_data_o    (fwd_data),
        .fwd_bad_o     (fwd_bad[p]),
        .busy_o        (lrx_busy)
    );

    fsh_rx #(
        .LOOP(p == 0)
    ) i_rx (
        .clk_i,
        .rst_i,
        .node_i         (node),
        .nodes_i        (nodes),
        .seg_base_i     (seg_base),
        .seg_size_i     (seg_size),
        .slot_hdr_i     (slot_hdr),
        .slot_pay_i     (slot_pay),
        .ports_i        (ports),
        .route_we_i     (route_we),
        .route_waddr_i  (write_word[5:0]),
        .route_wdata_i  (route_data[41:40]),
        .start_o        (start),
        .request_i      ({p == 0 && loop_request, here_request}),
        .valid_i        ({p == 0 && loop_valid, here_valid}),
        .ready_o        (rx_ready),
        .last_i         ({loop_last, here_last}),
        .link_data_i    (here_data),
        .loop_data_i    (loop_data),
        .bad_i          ({loop_bad, here_bad}),
        .tag_busy_o     (tag_busy[p]),
        .tag_hold_i     (tag_busy[Q]),
        .tag_re_o       (tag_re[p]),
        .tag_o          (tag_asked),
        .tag_i          (tag),
        .awvalid_o      (aw_valid),
        .awready_i      (aw_host ? rx_awready[p] : m_mem_awready_i[p]),
        .awhost_o       (aw_host),
        .awaddr_o       (rx_awaddr[p*40+:40]),
        .awlen_o        (rx_awlen[p*8+:8]),
        .wvalid_o       (w_valid),
        .wready_i       (w_host ? rx_wready[p] : m_mem_wready_i[p]),
        .whost_o        (w_host),
        .wdata_o        (rx_wdata[p*128+:128]),
        .wstrb_o        (rx_wstrb[p*16+:16]),
        .wlast_o        (rx_wlast[p]),
        .mem_bvalid_i   (m_mem_bvalid_i[p]),
        .mem_berr_i     (m_mem_berr_i[p]),
        .host_bvalid_i  (rx_bvalid[p]),
        .host_berr_i    (rx_berr),
        .get_valid_o    (get_valid[p]),
        .get_ready_i    (get_ready[p]),
        .get_o          (get),
        .evt_valid_o    (evt_valid[p]),
        .evt_ready_i    (evt_ready[p]),
        .evt_o          (evt),
        .budget_return_i({acked[p], release_budget[p]}),
        .perf_req_o     (perf_req[p]),
        .perf_rep_o     (perf_rep[p]),
        .perf_bytes_o   (perf_bytes[p*11+:11]),
        .perf_written_o (perf_written[p]),
        .perf_written_bytes_o(perf_written_bytes[p*11+:11]),
        .perf_refused_o (perf_refused[p]),
        .dropped_o      (rx_dropped[p]),
        .busy_o         (rx_busy[p])
    );

    assign rx_awvalid[p]      = aw_valid && aw_host;
    assign rx_wvalid[p]       = w_valid && w_host;
    assign m_mem_awvalid_o[p] = aw_valid && !aw_host;
    assign m_mem_wvalid_o[p]  = w_valid && !w_host;

    if (p == 0) begin : gen_first
      assign rx0_start  = start;
      assign loop_ready = rx_ready[1];
      assign fwd0_data  = fwd_data;
      assign get0       = get;
      assign tag0       = tag_asked;
      assign evt0       = evt;
    end else begin : gen_second
      assign fwd1_data = fwd_data;
      assign get1      = get;
      assign tag1      = tag_asked;
      assign evt1      = evt;
    end

    assign link_busy[p] = tx_busy || lrx_busy;
    assign stall[p]     = (seq_stall[p] || tx_stall[p]) && !link_tx_valid_o[p];
  end

  assign m_mem_bready_o = '1;
  assign m_mem_rready_o = '1;
  assign m_mem_awaddr_o = rx_awaddr;
  assign m_mem_awlen_o  = rx_awlen;
  assign m_mem_wdata_o  = rx_wdata;
  assign m_mem_wstrb_o  = rx_wstrb;
  assign m_mem_wlast_o  = rx_wlast;

  // Host memory.
  logic hostw_busy, perf_entry;

  fsh_hostw #(
      .ENTRIES(ENTRIES)
  ) i_hostw (
      .clk_i,
      .rst_i,
      .enable_i     (enable),
      .cycle_i,
      .host_base_i  (host_base),
      .cpl_base_i   (cpl_base),
      .req_base_i   (req_base),
      .rep_base_i   (rep_base),
      .status_addr_i(status_addr),
      .taken_i      (taken),
      .req_head_i   (req_head),
      .rep_head_i   (rep_head),
      .rx_awvalid_i (rx_awvalid),
      .rx_awready_o (rx_awready),
      .rx_awaddr_i  (rx_awaddr),
      .rx_awlen_i   (rx_awlen),
      .rx_wvalid_i  (rx_wvalid),
      .rx_wready_o  (rx_wready),
      .rx_wdata_i   (rx_wdata),
      .rx_wstrb_i   (rx_wstrb),
      .rx_wlast_i   (rx_wlast),
      .rx_bvalid_o  (rx_bvalid),
      .rx_berr_o    (rx_berr),
      .entry_valid_i(entry_valid),
      .entry_ready_o(entry_ready),
      .entry_ring_i ({10'd0, track_ring}),
      .entry_i      ({entry_compute, entry_seq1, entry_seq0, entry_win1, entry_win0, entry_track}),
      .awvalid_o    (m_host_awvalid_o),
      .awready_i    (m_host_awready_i),
      .awaddr_o     (m_host_awaddr_o),
      .awlen_o      (m_host_awlen_o),
      .wvalid_o     (m_host_wvalid_o),
      .wready_i     (m_host_wready_i),
      .wdata_o      (m_host_wdata_o),
      .wstrb_o      (m_host_wstrb_o),
      .wlast_o      (m_host_wlast_o),
      .bvalid_i     (m_host_bvalid_i),
      .berr_i       (m_host_berr_i),
      .perf_entry_o (perf_entry),
      .lost_o       (entry_lost),
      .busy_o       (hostw_busy)
  );

  assign {m_host_bready_o, m_host_rready_o} = 2'b11;

  // Performance counters.
  logic [fsh_spec_pkg::PERF_COUNT*2-1:0] step;
  logic [127:0]                          add;
  logic                                  perf_busy, late;

  fsh_events i_events (
      .clk_i,
      .rst_i,
      .accept_i       (win_valid & win_ready),
      .accept0_bytes_i(win_req.length),
      .accept1_bytes_i(win_rep.length),
      .sent_i         (seq_sop),
      .req_i          (perf_req),
      .rep_i          (perf_rep),
      .bytes_i        (perf_bytes),
      .written_i      (perf_written),
      .written_bytes_i(perf_written_bytes),
      .entry_i        (perf_entry),
      .beat_i         (link_tx_valid_o),
      .stall_i        (stall),
      .forward_i      (fwd_sop),
      .refused_i      ({perf_refused, |(entry_valid[2:1] & entry_ready[2:1]),  // one a cycle
                        msg_refused, ccmd_refused}),
      .step_o         (step),
      .add_o          (add),
      .busy_o         (late)
  );

  fsh_perf i_perf (
      .clk_i,
      .rst_i,
      .cycle_i,
      .clear_i(perf_clear),
      .step_i (step),
      .add_i  (add),
      .read_i (perf_read),
      .word_i (perf_word),
      .data_o (perf_data),
      .busy_o (perf_busy)
  );

  // Idle.
  logic win_busy;
  assign win_busy = |(~win_empty & ~(win_waiting & {2{stopped}}));
  always_ff @(posedge clk_i) begin
    idle_o <= !(rst_i || regs_busy || win_busy || tracker_busy || tags_busy || loop_busy ||
                |get_valid || dispatch_busy || ccmd_busy || seq_busy || |rx_busy || |link_busy ||
                |link_rx_valid_i || hostw_busy || perf_busy || late || |entry_valid ||
                s_axil_awvalid_i || s_axil_wvalid_i || s_axil_arvalid_i ||
                gate_i || |m_mem_bvalid_i || |m_mem_rvalid_i || m_host_rvalid_i ||
                m_host_bvalid_i);
  end
endmodule

`default_nettype wire
