// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none

/// One FSHMEM node with two link ports: host interface, GASNet core, links.
/// See hw/rtl/README.md for the ports. All outputs are functions of registers.
/// Responses of the AXI slaves are taken as OKAY and in order; write responses
/// are always accepted, read data always has room.
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
    output logic                      m_host_bready_o,
    output logic                      m_host_arvalid_o,
    input  wire logic                 m_host_arready_i,
    output logic               [47:0] m_host_araddr_o,
    output logic                [7:0] m_host_arlen_o,
    output logic                [0:0] m_host_arid_o,
    input  wire logic                 m_host_rvalid_i,
    output logic                      m_host_rready_o,
    input  wire logic         [127:0] m_host_rdata_i,
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
    output logic          [PORTS-1:0] m_mem_bready_o,
    output logic          [PORTS-1:0] m_mem_arvalid_o,
    input  wire logic     [PORTS-1:0] m_mem_arready_i,
    output logic       [PORTS*40-1:0] m_mem_araddr_o,
    output logic        [PORTS*8-1:0] m_mem_arlen_o,
    input  wire logic     [PORTS-1:0] m_mem_rvalid_i,
    output logic          [PORTS-1:0] m_mem_rready_o,
    input  wire logic [PORTS*128-1:0] m_mem_rdata_i,
    input  wire logic     [PORTS-1:0] m_mem_rlast_i,
    // Links.
    output logic          [PORTS-1:0] link_tx_valid_o,
    output logic          [PORTS-1:0] link_tx_bound_o,
    output logic      [PORTS*128-1:0] link_tx_data_o,
    input  wire logic     [PORTS-1:0] link_rx_valid_i,
    input  wire logic     [PORTS-1:0] link_rx_bound_i,
    input  wire logic [PORTS*128-1:0] link_rx_data_i
);
  localparam int unsigned ENTRIES = 5;  // tracker, windows 0 and 1, sequencers 0 and 1

  // Configuration.
  logic        enable, hold;
  logic [7:0]  node, nodes;
  logic [10:0] packet;
  logic [1:0]  ports, dateline;
  logic [39:0] seg_base, seg_size, host_size, cpl_base, req_base, rep_base;
  logic [39:0] slot_hdr, slot_pay, status_addr;
  logic [47:0] host_base;
  logic        req_we, rep_we, req_tail_we, rep_tail_we, route_we, perf_clear, regs_busy;
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
      .req_we_o     (req_we),
      .rep_we_o     (rep_we),
      .req_tail_we_o(req_tail_we),
      .rep_tail_we_o(rep_tail_we),
      .route_we_o   (route_we),
      .write_word_o (write_word),
      .write_data_o (write_data),
      .perf_clear_o (perf_clear),
      .perf_word_o  (perf_word),
      .perf_data_i  (perf_data),
      .busy_o       (regs_busy)
  );

  // Submission windows.
  logic [1:0]          win_valid, win_ready, rows_valid, rows_ready, win_empty, win_waiting;
  logic [3:0]          win_mask;
  fsh_spec_pkg::cmd_t  win_req, win_rep;
  logic [255:0]        rows_data;
  logic [31:0]         req_head, rep_head;
  logic [ENTRIES-1:0]  entry_valid, entry_ready;
  fsh_spec_pkg::ring_t entry_track, entry_win0, entry_win1, entry_seq0, entry_seq1;
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
      .rows_valid_o (rows_valid[0]),
      .rows_ready_i (rows_ready[0]),
      .rows_data_o  (rows_data[127:0]),
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
      .rows_valid_o (rows_valid[1]),
      .rows_ready_i (rows_ready[1]),
      .rows_data_o  (rows_data[255:128]),
      .cpl_valid_o  (entry_valid[2]),
      .cpl_ready_i  (entry_ready[2]),
      .cpl_o        (entry_win1),
      .empty_o      (win_empty[1]),
      .waiting_o    (win_waiting[1])
  );

  // Scheduler.
  logic [1:0]         get_valid, get_ready, load_loop, load_stripe, rows_owner;
  fsh_spec_pkg::cmd_t get0, get1, load_req, load_rep;
  logic [7:0]         get_status;
  logic [3:0]         load_valid, load_ready, load_status;
  logic               stopped;

  assign stopped = hold || !enable;

  fsh_sched i_sched (
      .clk_i,
      .rst_i,
      .hold_i       (stopped),
      .node_i       (node),
      .packet_i     (packet),
      .ports_i      (ports),
      .route_we_i   (route_we),
      .route_waddr_i(write_word[5:0]),
      .route_wdata_i(route_data[41:40]),
      .win_valid_i  (win_valid),
      .win_ready_o  (win_ready),
      .win_mask_i   (win_mask),
      .win_req_i    (win_req),
      .win_rep_i    (win_rep),
      .get_valid_i  (get_valid),
      .get_ready_o  (get_ready),
      .get0_i       (get0),
      .get1_i       (get1),
      .get_status_i (get_status),
      .load_valid_o (load_valid),
      .load_ready_i (load_ready),
      .load_req_o   (load_req),
      .load_rep_o   (load_rep),
      .load_status_o(load_status),
      .load_loop_o  (load_loop),
      .load_stripe_o(load_stripe),
      .rows_owner_o (rows_owner)
  );

  // Completion unit and the way of its acks.
  logic [1:0]         evt_valid, evt_ready, release_budget, ack_route, ack_ready;
  fsh_spec_pkg::hdr_t evt0, evt1, ack;
  logic               ack_valid, ack_rx, ack_sent, tracker_busy;
  logic [1:0]         ack_port;

  fsh_tracker i_tracker (
      .clk_i,
      .rst_i,
      .node_i       (node),
      .evt_valid_i  (evt_valid),
      .evt_ready_o  (evt_ready),
      .evt0_i       (evt0),
      .evt1_i       (evt1),
      .ack_valid_o  (ack_valid),
      .ack_ready_i  (ack_sent),
      .ack_o        (ack),
      .ack_rx_o     (ack_rx),
      .release_o    (release_budget),
      .entry_valid_o(entry_valid[0]),
      .entry_ready_i(entry_ready[0]),
      .entry_ring_o (track_ring),
      .entry_o      (entry_track),
      .busy_o       (tracker_busy)
  );

  fsh_route #(.WIDTH(2)) i_ack_route (
      .clk_i,
      .we_i   (route_we),
      .waddr_i(write_word[5:0]),
      .wdata_i(route_data[41:40]),
      .raddr_i(ack.dst[5:0]),
      .rdata_o(ack_route)
  );
  assign ack_port = (ack_route & ports) == 2'b10 ? 2'b10 : 2'b01;
  assign ack_sent = |(ack_port & ack_ready);

  // Loop to this node: sequencer 0 to receiver 0.
  logic [1:0]   loop_ok, loop_valid, loop_ready, loop_sop;
  logic         loop_in_ready, loop_busy;
  logic [13:0]  loop_follow;
  logic [255:0] loop_data;

  // One set a port: sequencer, receiver, link.
  logic [1:0]   seq_busy, rx_busy, link_busy, stall;
  logic [1:0]   seq_pkt_valid, seq_pkt_loop, seq_pkt_ready, seq_sop, fwd_sop, seq_stall, tx_stall;
  logic [13:0]  seq_follow, take_beats;
  logic [255:0] seq_data;
  logic [3:0]   loop_take, link_ok, link_take, rows_take;
  logic [1:0]   others;
  logic [1:0]   host_arvalid, host_arready, host_rvalid;
  logic [95:0]  host_araddr;
  logic [15:0]  host_arlen;
  logic [1:0]   rx_awvalid, rx_awready, rx_wvalid, rx_wready, rx_wlast, rx_bvalid;
  logic [79:0]  rx_awaddr;
  logic [15:0]  rx_awlen;
  logic [255:0] rx_wdata;
  logic [31:0]  rx_wstrb;
  logic [1:0]   credit_valid, perf_req, perf_rep, perf_written, perf_refused;
  logic [127:0] credit, freed;
  logic [7:0]   vc_valid, vc_sop, vc_local, vc_ready_rx, vc_ready_fwd;
  logic [55:0]  vc_follow;
  logic [1023:0] vc_data;
  logic [21:0]  perf_bytes, perf_written_bytes;

  fsh_loop i_loop (
      .clk_i,
      .rst_i,
      .ok_o        (loop_ok),
      .take_i      (loop_take[1:0]),
      .take_beats_i(take_beats[6:0]),
      .valid_i     (seq_pkt_valid[0] && seq_pkt_loop[0]),
      .ready_o     (loop_in_ready),
      .follow_i    (seq_follow[6:0]),
      .data_i      (seq_data[127:0]),
      .valid_o     (loop_valid),
      .ready_i     (loop_ready),
      .sop_o       (loop_sop),
      .follow_o    (loop_follow),
      .data_o      (loop_data),
      .busy_o      (loop_busy)
  );

  assign rows_ready = {rows_owner[1] ? rows_take[3] : rows_take[1],
                       rows_owner[0] ? rows_take[2] : rows_take[0]};

  for (genvar p = 0; p < 2; p++) begin : gen_port
    localparam int unsigned Q = 1 - p;  // the other port, whose packets pass through
    logic               link_seq_ready, tx_busy, lrx_busy;
    logic [5:0]         q_valid, q_start, q_ready;
    logic [41:0]        q_follow;
    logic [767:0]       q_data;
    fsh_spec_pkg::ring_t cpl;
    fsh_spec_pkg::cmd_t  get_cmd;
    fsh_spec_pkg::hdr_t  evt;
    logic [1:0]          budget_return;

    fsh_seq i_seq (
        .clk_i,
        .rst_i,
        .node_i        (node),
        .packet_i      (packet),
        .seg_base_i    (seg_base),
        .host_base_i   (host_base),
        .load_valid_i  (load_valid[p*2+:2]),
        .load_ready_o  (load_ready[p*2+:2]),
        .load_req_i    (load_req),
        .load_rep_i    (load_rep),
        .load_status_i (load_status),
        .load_loop_i   (load_loop),
        .load_stripe_i (load_stripe),
        .load_second_i (p == 1 ? load_stripe : 2'b00),
        .rows_valid_i  (rows_valid & (p == 1 ? rows_owner : ~rows_owner)),
        .rows_ready_o  (rows_take[p*2+:2]),
        .rows_data_i   (rows_data),
        .link_ok_i     (link_ok[p*2+:2]),
        .loop_ok_i     (p == 0 ? loop_ok : 2'b00),
        .link_take_o   (link_take[p*2+:2]),
        .loop_take_o   (loop_take[p*2+:2]),
        .take_beats_o  (take_beats[p*7+:7]),
        .others_i      (others[p]),
        .pkt_valid_o   (seq_pkt_valid[p]),
        .pkt_loop_o    (seq_pkt_loop[p]),
        .pkt_ready_i   (seq_pkt_ready[p]),
        .pkt_follow_o  (seq_follow[p*7+:7]),
        .pkt_data_o    (seq_data[p*128+:128]),
        .mem_arvalid_o (m_mem_arvalid_o[p]),
        .mem_arready_i (m_mem_arready_i[p]),
        .mem_araddr_o  (m_mem_araddr_o[p*40+:40]),
        .mem_arlen_o   (m_mem_arlen_o[p*8+:8]),
        .mem_rvalid_i  (m_mem_rvalid_i[p]),
        .mem_rdata_i   (m_mem_rdata_i[p*128+:128]),
        .host_arvalid_o(host_arvalid[p]),
        .host_arready_i(host_arready[p]),
        .host_araddr_o (host_araddr[p*48+:48]),
        .host_arlen_o  (host_arlen[p*8+:8]),
        .host_rvalid_i (host_rvalid[p]),
        .host_rdata_i  (m_host_rdata_i),
        .cpl_valid_o   (entry_valid[3+p]),
        .cpl_ready_i   (entry_ready[3+p]),
        .cpl_o         (cpl),
        .stall_o       (seq_stall[p]),
        .busy_o        (seq_busy[p])
    );

    if (p == 0) assign entry_seq0 = cpl;
    else assign entry_seq1 = cpl;

    assign seq_pkt_ready[p] = seq_pkt_loop[p] ? loop_in_ready : link_seq_ready;

    fsh_link_tx i_tx (
        .clk_i,
        .rst_i,
        .dateline_i    (dateline[p]),
        .seq_ok_o      (link_ok[p*2+:2]),
        .seq_take_i    (link_take[p*2+:2]),
        .seq_beats_i   (take_beats[p*7+:7]),
        .seq_valid_i   (seq_pkt_valid[p] && !seq_pkt_loop[p]),
        .seq_ready_o   (link_seq_ready),
        .seq_follow_i  (seq_follow[p*7+:7]),
        .seq_data_i    (seq_data[p*128+:128]),
        .ack_valid_i   (ack_valid && ack_port[p]),
        .ack_ready_o   (ack_ready[p]),
        .ack_data_i    (ack),
        .fwd_valid_i   (vc_valid[Q*4+:4]),
        .fwd_start_i   (vc_sop[Q*4+:4] & ~vc_local[Q*4+:4]),
        .fwd_ready_o   (vc_ready_fwd[Q*4+:4]),
        .fwd_follow_i  (vc_follow[Q*28+:28]),
        .fwd_data_i    (vc_data[Q*512+:512]),
        .credit_valid_i(credit_valid[p]),
        .credit_i      (credit[p*64+:64]),
        .freed_i       (freed[p*64+:64]),
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
        .link_valid_i  (link_rx_valid_i[p]),
        .link_bound_i  (link_rx_bound_i[p]),
        .link_data_i   (link_rx_data_i[p*128+:128]),
        .credit_valid_o(credit_valid[p]),
        .credit_o      (credit[p*64+:64]),
        .freed_o       (freed[p*64+:64]),
        .valid_o       (vc_valid[p*4+:4]),
        .ready_i       (vc_ready_rx[p*4+:4] | vc_ready_fwd[p*4+:4]),
        .sop_o         (vc_sop[p*4+:4]),
        .local_o       (vc_local[p*4+:4]),
        .follow_o      (vc_follow[p*28+:28]),
        .data_o        (vc_data[p*512+:512]),
        .busy_o        (lrx_busy)
    );

    if (p == 0) begin : gen_loop
      assign q_valid    = {loop_valid, vc_valid[3:0]};
      assign q_start    = {loop_sop, vc_sop[3:0] & vc_local[3:0]};
      assign q_follow   = {loop_follow, vc_follow[27:0]};
      assign q_data     = {loop_data, vc_data[511:0]};
      assign loop_ready = q_ready[5:4];
    end else begin : gen_no_loop
      assign q_valid  = {2'b00, vc_valid[p*4+:4]};
      assign q_start  = {2'b00, vc_sop[p*4+:4] & vc_local[p*4+:4]};
      assign q_follow = {14'd0, vc_follow[p*28+:28]};
      assign q_data   = {256'd0, vc_data[p*512+:512]};
    end
    assign vc_ready_rx[p*4+:4] = q_ready[3:0];

    assign budget_return = {ack_valid && ack_sent && ack_rx == (p == 1), release_budget[p]};

    fsh_rx i_rx (
        .clk_i,
        .rst_i,
        .seg_base_i          (seg_base),
        .seg_size_i          (seg_size),
        .host_size_i         (host_size),
        .slot_hdr_i          (slot_hdr),
        .slot_pay_i          (slot_pay),
        .q_valid_i           (q_valid),
        .q_start_i           (q_start),
        .q_ready_o           (q_ready),
        .q_follow_i          (q_follow),
        .q_data_i            (q_data),
        .mem_awvalid_o       (m_mem_awvalid_o[p]),
        .mem_awready_i       (m_mem_awready_i[p]),
        .mem_awaddr_o        (m_mem_awaddr_o[p*40+:40]),
        .mem_awlen_o         (m_mem_awlen_o[p*8+:8]),
        .mem_wvalid_o        (m_mem_wvalid_o[p]),
        .mem_wready_i        (m_mem_wready_i[p]),
        .mem_wdata_o         (m_mem_wdata_o[p*128+:128]),
        .mem_wstrb_o         (m_mem_wstrb_o[p*16+:16]),
        .mem_wlast_o         (m_mem_wlast_o[p]),
        .mem_bvalid_i        (m_mem_bvalid_i[p]),
        .host_awvalid_o      (rx_awvalid[p]),
        .host_awready_i      (rx_awready[p]),
        .host_awaddr_o       (rx_awaddr[p*40+:40]),
        .host_awlen_o        (rx_awlen[p*8+:8]),
        .host_wvalid_o       (rx_wvalid[p]),
        .host_wready_i       (rx_wready[p]),
        .host_wdata_o        (rx_wdata[p*128+:128]),
        .host_wstrb_o        (rx_wstrb[p*16+:16]),
        .host_wlast_o        (rx_wlast[p]),
        .host_bvalid_i       (rx_bvalid[p]),
        .get_valid_o         (get_valid[p]),
        .get_ready_i         (get_ready[p]),
        .get_cmd_o           (get_cmd),
        .get_status_o        (get_status[p*4+:4]),
        .evt_valid_o         (evt_valid[p]),
        .evt_ready_i         (evt_ready[p]),
        .evt_hdr_o           (evt),
        .budget_return_i     (budget_return),
        .perf_req_o          (perf_req[p]),
        .perf_rep_o          (perf_rep[p]),
        .perf_bytes_o        (perf_bytes[p*11+:11]),
        .perf_written_o      (perf_written[p]),
        .perf_written_bytes_o(perf_written_bytes[p*11+:11]),
        .perf_refused_o      (perf_refused[p]),
        .busy_o              (rx_busy[p])
    );

    if (p == 0) assign get0 = get_cmd;
    else assign get1 = get_cmd;
    if (p == 0) assign evt0 = evt;
    else assign evt1 = evt;

    assign link_busy[p] = tx_busy || lrx_busy || link_rx_valid_i[p];
    assign stall[p]     = (seq_stall[p] || tx_stall[p]) && !link_tx_valid_o[p];
    assign m_mem_bready_o[p] = 1'b1;
    assign m_mem_rready_o[p] = 1'b1;
  end

  // Host memory.
  logic hostw_busy, hostr_busy, perf_entry;

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
      .entry_valid_i(entry_valid),
      .entry_ready_o(entry_ready),
      .entry_ring_i ({8'd0, track_ring}),
      .entry_i      ({entry_seq1, entry_seq0, entry_win1, entry_win0, entry_track}),
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
      .perf_entry_o (perf_entry),
      .busy_o       (hostw_busy)
  );

  fsh_hostr i_hostr (
      .clk_i,
      .rst_i,
      .seq_arvalid_i(host_arvalid),
      .seq_arready_o(host_arready),
      .seq_araddr_i (host_araddr),
      .seq_arlen_i  (host_arlen),
      .seq_rvalid_o (host_rvalid),
      .arvalid_o    (m_host_arvalid_o),
      .arready_i    (m_host_arready_i),
      .araddr_o     (m_host_araddr_o),
      .arlen_o      (m_host_arlen_o),
      .arid_o       (m_host_arid_o[0]),
      .rvalid_i     (m_host_rvalid_i),
      .rid_i        (m_host_rid_i[0]),
      .rlast_i      (m_host_rlast_i),
      .busy_o       (hostr_busy)
  );

  assign m_host_bready_o = 1'b1;
  assign m_host_rready_o = 1'b1;

  // Performance counters, in the order of PERF.
  localparam int unsigned EVENTS = fsh_spec_pkg::PERF_COUNT;
  logic [EVENTS*2-1:0]  step;
  logic [EVENTS*24-1:0] add;
  logic [1:0]           accept;
  logic                 perf_busy;

  assign accept = win_valid & win_ready;

  always_comb begin
    step = {
      {1'b0, perf_refused[0] || entry_valid[1]} + {1'b0, perf_refused[1] || entry_valid[2]},
      {1'b0, fwd_sop[0]} + {1'b0, fwd_sop[1]},
      {1'b0, stall[1]},
      {1'b0, stall[0]},
      {1'b0, link_tx_valid_o[1]},
      {1'b0, link_tx_valid_o[0]},
      {1'b0, perf_entry},
      {1'b0, perf_written[0]} + {1'b0, perf_written[1]},
      {1'b0, perf_rep[0]} + {1'b0, perf_rep[1]},
      {1'b0, perf_req[0]} + {1'b0, perf_req[1]},
      {1'b0, seq_sop[0]} + {1'b0, seq_sop[1]},
      {1'b0, accept[0]} + {1'b0, accept[1]}
    };
    add = '0;
    add[fsh_spec_pkg::PERF_ACCEPT*24+:24] =
        (accept[0] ? win_req.length : 24'd0) + (accept[1] ? win_rep.length : 24'd0);
    add[fsh_spec_pkg::PERF_REQ_HDR*24+:24] =
        {13'd0, perf_bytes[10:0] & {11{perf_req[0]}}} +
        {13'd0, perf_bytes[21:11] & {11{perf_req[1]}}};
    add[fsh_spec_pkg::PERF_REP_HDR*24+:24] =
        {13'd0, perf_bytes[10:0] & {11{perf_rep[0]}}} +
        {13'd0, perf_bytes[21:11] & {11{perf_rep[1]}}};
    add[fsh_spec_pkg::PERF_WRITTEN*24+:24] =
        {13'd0, perf_written_bytes[10:0] & {11{perf_written[0]}}} +
        {13'd0, perf_written_bytes[21:11] & {11{perf_written[1]}}};
  end

  fsh_perf #(
      .N(EVENTS)
  ) i_perf (
      .clk_i,
      .rst_i,
      .cycle_i,
      .clear_i(perf_clear),
      .step_i (step),
      .add_i  (add),
      .word_i (perf_word),
      .data_o (perf_data),
      .busy_o (perf_busy)
  );

  // Idle.
  logic win_busy;
  assign win_busy = |(~win_empty & ~(win_waiting & {2{stopped}}));

  always_ff @(posedge clk_i) begin
    idle_o <= !(rst_i || regs_busy || win_busy || tracker_busy || loop_busy || |get_valid ||
                |seq_busy || |rx_busy || |link_busy || hostw_busy || hostr_busy || perf_busy ||
                |entry_valid || s_axil_awvalid_i || s_axil_wvalid_i || s_axil_arvalid_i ||
                gate_i || |m_mem_bvalid_i || |m_mem_rvalid_i || m_host_rvalid_i ||
                m_host_bvalid_i);
  end
endmodule

`default_nettype wire
