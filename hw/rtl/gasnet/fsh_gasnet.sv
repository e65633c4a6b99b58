// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none

/// The GASNet core with its links: scheduler, sequencer, completion unit, tag table,
/// loop, and what stands behind each port. Wires, and registers of what happened
/// (events_o, a cycle late): what each does says its own header. Requests come from
/// fsh_sources, replies from their window; requests to be served go out (get_*) and
/// come back (served_*); payloads go to device memory and to the host writer (rx_*),
/// entries of the host's rings to the latter. stopped_o: no command of a window is
/// taken; clear_o: none of any source. Reset: fsh_tracker clears its words, no event.
module fsh_gasnet #(
    parameter int unsigned PORTS = 2,
    parameter int unsigned ENGINES = fsh_spec_pkg::ENGINES
) (
    input  wire logic                  clk_i,
    input  wire logic                  rst_i,
    input  wire fsh_node_pkg::cfg_t    cfg_i,
    input  wire fsh_node_pkg::route_t  route_i,
    // Requests of whatever source, replies of the window.
    input  wire logic            [1:0] cmd_valid_i,
    output logic                 [1:0] cmd_ready_o,
    input  wire logic            [3:0] cmd_mask_i,
    input  wire logic            [1:0] cmd_spread_i,
    input  wire logic            [1:0] cmd_loop_i,
    input  wire logic           [40:0] cmd_end_i,  // of a window's request
    input  wire fsh_spec_pkg::cmd_t    cmd_req_i,
    input  wire fsh_spec_pkg::cmd_t    cmd_rep_i,
    output logic                 [1:0] req_free_o,
    output logic                       req_prefer_o,
    input  wire logic                  req_port_i,
    input  wire logic                  req_rows_i,
    input  wire logic            [1:0] rows_valid_i,
    output logic                 [1:0] rows_ready_o,
    input  wire logic          [127:0] rows_req_i,
    input  wire logic          [127:0] rows_rep_i,
    output logic                       stopped_o,
    output logic                       clear_o,
    // PUTs of engines that are done, by index.
    output logic         [ENGINES-1:0] done_valid_o,
    output logic [fsh_spec_pkg::TAG_W-1:0] done_tag_o,
    output logic                 [3:0] done_status_o,
    // Requests to be served, by port.
    output logic                 [1:0] get_valid_o,
    input  wire logic            [1:0] get_ready_i,
    output fsh_fn_pkg::get_t           get0_o,
    output fsh_fn_pkg::get_t           get1_o,
    input  wire logic            [1:0] served_valid_i,
    output logic                 [1:0] served_ready_o,
    input  wire logic            [7:0] served_status_i,
    // Entries: completion unit, sequencers 0 and 1.
    output logic                 [2:0] entry_valid_o,
    input  wire logic            [2:0] entry_ready_i,
    output logic                 [1:0] entry_ring_o,  // of the first
    output fsh_spec_pkg::ring_t        entry_track_o,
    output fsh_spec_pkg::ring_t        entry_seq0_o,
    output fsh_spec_pkg::ring_t        entry_seq1_o,
    // What the receivers write: to host memory, to device memory.
    output fsh_axi_pkg::mem_wr_req_t   rx_req_o,
    input  wire fsh_axi_pkg::mem_wr_rsp_t rx_rsp_i,
    output fsh_axi_pkg::mem_wr_req_t   mem_wr_req_o,
    input  wire fsh_axi_pkg::mem_wr_rsp_t mem_wr_rsp_i,
    // What the sequencer reads.
    output fsh_axi_pkg::mem_rd_req_t   mem_rd_req_o,
    input  wire fsh_axi_pkg::mem_rd_rsp_t mem_rd_rsp_i,
    output fsh_axi_pkg::host_rd_req_t  host_rd_req_o,
    input  wire fsh_axi_pkg::host_rd_rsp_t host_rd_rsp_i,
    // Links.
    output logic           [PORTS-1:0] link_tx_valid_o,
    output logic           [PORTS-1:0] link_tx_bound_o,
    output logic       [PORTS*128-1:0] link_tx_data_o,
    input  wire logic      [PORTS-1:0] link_rx_valid_i,
    input  wire logic      [PORTS-1:0] link_rx_bound_i,
    input  wire logic  [PORTS*128-1:0] link_rx_data_i,
    output fsh_node_pkg::events_t      events_o,
    output logic                 [1:0] dropped_o,
    output logic                       busy_o
);
  // Scheduler.
  logic [1:0]         rows_port;
  logic [3:0]         context_free, load_status;
  fsh_spec_pkg::cmd_t load;
  logic               load_valid, load_ready, load_port, load_loop, load_stripe;

  assign stopped_o = cfg_i.hold || !cfg_i.enable || clear_o;

  fsh_sched i_sched (
      .clk_i,
      .rst_i,
      .hold_i       (stopped_o),
      .cmd_valid_i,
      .cmd_ready_o,
      .cmd_mask_i,
      .cmd_spread_i,
      .cmd_loop_i,
      .cmd_req_i,
      .cmd_rep_i,
      .req_port_i,
      .req_rows_i,
      .req_prefer_o,
      .get_valid_i  (served_valid_i),
      .get_ready_o  (served_ready_o),
      .get0_i       (get0_o),
      .get1_i       (get1_o),
      .get_status_i (served_status_i),
      .free_i       (context_free[3:2]),
      .load_valid_o (load_valid),
      .load_ready_i (load_ready),
      .load_port_o  (load_port),
      .load_loop_o  (load_loop),
      .load_stripe_o(load_stripe),
      .load_status_o(load_status),
      .load_o       (load),
      .rows_port_o  (rows_port)
  );
  assign req_free_o = context_free[1:0];

  // Sequencer.
  logic [3:0]   link_ok, link_take;
  logic [1:0]   loop_ok, loop_take, others, pkt_valid, pkt_loop, pkt_ready, pkt_last, seq_stall;
  logic [6:0]   take_beats;
  logic [127:0] pkt0_data, pkt1_data;
  logic [1:0]   pkt_bad;
  logic         seq_busy;
  logic [39:0]  mem_araddr;
  logic [7:0]   mem_arlen;

  assign mem_rd_req_o.araddr = {PORTS{mem_araddr}};
  assign mem_rd_req_o.arlen  = {PORTS{mem_arlen}};

  fsh_seq i_seq (
      .clk_i,
      .rst_i,
      .node_i        (cfg_i.node),
      .packet_i      (cfg_i.packet),
      .seg_base_i    (cfg_i.seg_base),
      .host_base_i   (cfg_i.host_base),
      .free_o        (context_free),
      .load_valid_i  (load_valid),
      .load_ready_o  (load_ready),
      .load_port_i   (load_port),
      .load_loop_i   (load_loop),
      .load_stripe_i (load_stripe),
      .load_status_i (load_status),
      .load_i        (load),
      .rows_valid_i,
      .rows_port_i   (rows_port),
      .rows_ready_o,
      .rows_req_i,
      .rows_rep_i,
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
      .mem_arvalid_o (mem_rd_req_o.arvalid),
      .mem_arready_i (mem_rd_rsp_i.arready),
      .mem_araddr_o  (mem_araddr),
      .mem_arlen_o   (mem_arlen),
      .mem_rvalid_i  (mem_rd_rsp_i.rvalid),
      .mem_rdata0_i  (mem_rd_rsp_i.rdata[127:0]),
      .mem_rdata1_i  (mem_rd_rsp_i.rdata[255:128]),
      .mem_rerr_i    (mem_rd_rsp_i.rerr),
      .host_arvalid_o(host_rd_req_o.arvalid),
      .host_arready_i(host_rd_rsp_i.arready),
      .host_araddr_o (host_rd_req_o.araddr),
      .host_arlen_o  (host_rd_req_o.arlen),
      .host_arid_o   (host_rd_req_o.arid),
      .host_rvalid_i (host_rd_rsp_i.rvalid),
      .host_rdata_i  (host_rd_rsp_i.rdata),
      .host_rid_i    (host_rd_rsp_i.rid),
      .host_rerr_i   (host_rd_rsp_i.rerr),
      .cpl_valid_o   (entry_valid_o[2:1]),
      .cpl_ready_i   (entry_ready_i[2:1]),
      .cpl0_o        (entry_seq0_o),
      .cpl1_o        (entry_seq1_o),
      .stall_o       (seq_stall),
      .busy_o        (seq_busy)
  );

  // Completion unit.
  logic [1:0]         evt_valid, evt_ready, ack_valid, ack_ready, acked, release_budget;
  fsh_fn_pkg::evt_t   evt0, evt1;
  fsh_spec_pkg::hdr_t ack;
  logic               tracker_busy, tag_end, tag_ready, tags_busy;
  logic [fsh_spec_pkg::TAG_W-1:0] tag_ended;

  fsh_tracker i_tracker (
      .clk_i,
      .rst_i,
      .node_i       (cfg_i.node),
      .evt_valid_i  (evt_valid),
      .evt_ready_o  (evt_ready),
      .evt0_i       (evt0),
      .evt1_i       (evt1),
      .ports_i      (cfg_i.ports),
      .route_we_i   (route_i.we),
      .route_waddr_i(route_i.node),
      .route_wdata_i(route_i.ports),
      .ack_valid_o  (ack_valid),
      .ack_ready_i  (ack_ready),
      .ack_o        (ack),
      .acked_o      (acked),
      .release_o    (release_budget),
      .entry_valid_o(entry_valid_o[0]),
      .entry_ready_i(entry_ready_i[0]),
      .entry_ring_o,
      .entry_o      (entry_track_o),
      .tag_valid_o  (tag_end),
      .tag_o        (tag_ended),
      .tag_ready_i  (tag_ready),
      .clear_o      (clear_o),
      .done_valid_o,
      .done_tag_o,
      .done_status_o,
      .busy_o       (tracker_busy)
  );

  logic [1:0]       tag_busy /*verilator split_var*/, tag_re /*verilator split_var*/;
  logic [fsh_spec_pkg::TAG_W-1:0] tag0, tag1;
  fsh_fn_pkg::tag_t tag;

  fsh_tags i_tags (
      .clk_i,
      .rst_i,
      .valid_i    (cmd_ready_o[0]),
      .cmd_i      (cmd_req_i),
      .limit_i    (cmd_end_i),
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
  logic         loop_request, loop_valid, loop_ready, loop_last, loop_bad, loop_busy;
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
  logic [1:0]   seq_sop /*verilator split_var*/, fwd_sop /*verilator split_var*/;
  logic [1:0]   tx_stall /*verilator split_var*/, dropped /*verilator split_var*/;
  logic [1:0]   rx_awvalid /*verilator split_var*/, rx_wvalid /*verilator split_var*/;
  logic [1:0]   rx_wlast /*verilator split_var*/;
  logic [1:0]   mem_awvalid /*verilator split_var*/, mem_wvalid /*verilator split_var*/;
  logic [79:0]  rx_awaddr /*verilator split_var*/;
  logic [15:0]  rx_awlen /*verilator split_var*/;
  logic [255:0] rx_wdata /*verilator split_var*/;
  logic [31:0]  rx_wstrb /*verilator split_var*/;
  logic [1:0]   perf_req /*verilator split_var*/, perf_rep /*verilator split_var*/;
  logic [1:0]   perf_written /*verilator split_var*/;
  logic [1:0]   perf_refused /*verilator split_var*/;
  logic [21:0]  perf_bytes /*verilator split_var*/;
  logic [21:0]  perf_written_bytes /*verilator split_var*/;
  logic [1:0]   fwd_valid /*verilator split_var*/, fwd_ready /*verilator split_var*/;
  logic [1:0]   fwd_last /*verilator split_var*/, fwd_bad /*verilator split_var*/;
  logic [7:0]   fwd_ok /*verilator split_var*/;
  logic [7:0]   fwd_freed /*verilator split_var*/;
  logic [127:0] fwd0_data, fwd1_data;

  for (genvar p = 0; p < PORTS; p++) begin : gen_port
    localparam int unsigned Q = 1 - p;
    logic [1:0]       start;
    logic             looped;
    logic [127:0]     fwd_data;
    logic [fsh_spec_pkg::TAG_W-1:0] tag_asked;
    fsh_fn_pkg::get_t get;
    fsh_fn_pkg::evt_t evt;

    fsh_port #(
        .LOOP(p == 0)
    ) i_port (
        .clk_i,
        .rst_i,
        .cfg_i,
        .route_i,
        .dateline_i     (cfg_i.dateline[p]),
        .line_i         (cfg_i.dateline[Q]),
        .seq_ok_o       (link_ok[p*2+:2]),
        .seq_take_i     (link_take[p*2+:2]),
        .seq_beats_i    (take_beats),
        .seq_valid_i    (pkt_valid[p]),
        .seq_loop_i     (pkt_loop[p]),
        .seq_ready_o    (pkt_ready[p]),
        .seq_last_i     (pkt_last[p]),
        .seq_data_i     (p == 0 ? pkt0_data : pkt1_data),
        .seq_bad_i      (pkt_bad[p]),
        .ack_valid_i    (ack_valid[p]),
        .ack_ready_o    (ack_ready[p]),
        .ack_i          (ack),
        .others_o       (others[p]),
        .from_ok_o      (fwd_ok[Q*4+:4]),
        .from_freed_i   (fwd_freed[Q*4+:4]),
        .from_valid_i   (fwd_valid[Q]),
        .from_ready_o   (fwd_ready[Q]),
        .from_last_i    (fwd_last[Q]),
        .from_data_i    (p == 0 ? fwd1_data : fwd0_data),
        .from_bad_i     (fwd_bad[Q]),
        .fwd_start_i    (fwd_ok[p*4+:4]),
        .fwd_freed_o    (fwd_freed[p*4+:4]),
        .fwd_valid_o    (fwd_valid[p]),
        .fwd_ready_i    (fwd_ready[p]),
        .fwd_last_o     (fwd_last[p]),
        .fwd_data_o     (fwd_data),
        .fwd_bad_o      (fwd_bad[p]),
        .loop_start_o   (start),
        .loop_request_i (loop_request),
        .loop_valid_i   (loop_valid),
        .loop_ready_o   (looped),
        .loop_last_i    (loop_last),
        .loop_data_i    (loop_data),
        .loop_bad_i     (loop_bad),
        .tag_busy_o     (tag_busy[p]),
        .tag_hold_i     (tag_busy[Q]),
        .tag_re_o       (tag_re[p]),
        .tag_o          (tag_asked),
        .tag_i          (tag),
        .m_awvalid_o    (mem_awvalid[p]),
        .m_awready_i    (mem_wr_rsp_i.awready[p]),
        .m_wvalid_o     (mem_wvalid[p]),
        .m_wready_i     (mem_wr_rsp_i.wready[p]),
        .m_bvalid_i     (mem_wr_rsp_i.bvalid[p]),
        .m_berr_i       (mem_wr_rsp_i.berr[p]),
        .rx_awvalid_o   (rx_awvalid[p]),
        .rx_awready_i   (rx_rsp_i.awready[p]),
        .rx_awaddr_o    (rx_awaddr[p*40+:40]),
        .rx_awlen_o     (rx_awlen[p*8+:8]),
        .rx_wvalid_o    (rx_wvalid[p]),
        .rx_wready_i    (rx_rsp_i.wready[p]),
        .rx_wdata_o     (rx_wdata[p*128+:128]),
        .rx_wstrb_o     (rx_wstrb[p*16+:16]),
        .rx_wlast_o     (rx_wlast[p]),
        .rx_bvalid_i    (rx_rsp_i.bvalid[p]),
        .rx_berr_i      (rx_rsp_i.berr[p]),
        .get_valid_o    (get_valid_o[p]),
        .get_ready_i    (get_ready_i[p]),
        .get_o          (get),
        .evt_valid_o    (evt_valid[p]),
        .evt_ready_i    (evt_ready[p]),
        .evt_o          (evt),
        .budget_return_i({acked[p], release_budget[p]}),
        .link_tx_valid_o(link_tx_valid_o[p]),
        .link_tx_bound_o(link_tx_bound_o[p]),
        .link_tx_data_o (link_tx_data_o[p*128+:128]),
        .link_rx_valid_i(link_rx_valid_i[p]),
        .link_rx_bound_i(link_rx_bound_i[p]),
        .link_rx_data_i (link_rx_data_i[p*128+:128]),
        .seq_sop_o      (seq_sop[p]),
        .fwd_sop_o      (fwd_sop[p]),
        .stall_o        (tx_stall[p]),
        .perf_req_o     (perf_req[p]),
        .perf_rep_o     (perf_rep[p]),
        .perf_bytes_o   (perf_bytes[p*11+:11]),
        .perf_written_o (perf_written[p]),
        .perf_written_bytes_o(perf_written_bytes[p*11+:11]),
        .perf_refused_o (perf_refused[p]),
        .dropped_o      (dropped[p]),
        .link_busy_o    (link_busy[p]),
        .rx_busy_o      (rx_busy[p])
    );

    if (p == 0) begin : gen_first
      assign rx0_start  = start;
      assign loop_ready = looped;
      assign fwd0_data  = fwd_data;
      assign get0_o     = get;
      assign tag0       = tag_asked;
      assign evt0       = evt;
    end else begin : gen_second
      assign fwd1_data = fwd_data;
      assign get1_o    = get;
      assign tag1      = tag_asked;
      assign evt1      = evt;
    end
  end

  // One payload, for the one memory or the other.
  assign rx_req_o.awvalid     = rx_awvalid;
  assign rx_req_o.awaddr      = rx_awaddr;
  assign rx_req_o.awlen       = rx_awlen;
  assign rx_req_o.wvalid      = rx_wvalid;
  assign rx_req_o.wdata       = rx_wdata;
  assign rx_req_o.wstrb       = rx_wstrb;
  assign rx_req_o.wlast       = rx_wlast;
  assign mem_wr_req_o.awvalid = mem_awvalid;
  assign mem_wr_req_o.awaddr  = rx_awaddr;
  assign mem_wr_req_o.awlen   = rx_awlen;
  assign mem_wr_req_o.wvalid  = mem_wvalid;
  assign mem_wr_req_o.wdata   = rx_wdata;
  assign mem_wr_req_o.wstrb   = rx_wstrb;
  assign mem_wr_req_o.wlast   = rx_wlast;

  always_ff @(posedge clk_i) begin
    events_o.sent          <= seq_sop;
    events_o.req           <= perf_req;
    events_o.rep           <= perf_rep;
    events_o.bytes         <= perf_bytes;
    events_o.written       <= perf_written;
    events_o.written_bytes <= perf_written_bytes;
    events_o.refused       <= perf_refused;
    events_o.beat          <= link_tx_valid_o;
    events_o.stall         <= (seq_stall | tx_stall) & ~link_tx_valid_o;
    events_o.forward       <= fwd_sop;
    if (rst_i) events_o <= '0;
  end

  assign dropped_o = dropped;

  assign busy_o = tracker_busy || tags_busy || loop_busy || seq_busy || |rx_busy || |link_busy;
endmodule

`default_nettype wire
