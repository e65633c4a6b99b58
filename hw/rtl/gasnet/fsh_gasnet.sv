// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none

/// The GASNet core with its router: scheduler, sequencer, completion unit, tag table, loopback,
/// and one receiver per lane. Wiring, and registers of events (events_o, one cycle late); the
/// submodules' headers describe their functions. Requests come from fsh_sources, replies from
/// their window; requests to be served leave (get_*) and come back (served_*); payloads go to
/// device memory and to the host writer (rx_*), ring entries to the latter.
/// stopped_o: commands of the windows are not accepted; clear_o: nor those of any other source.
/// Reset: fsh_tracker clears its words; no event.
module fsh_gasnet #(
    parameter int unsigned PORTS = 2,
    parameter int unsigned ENGINES = fsh_spec_pkg::ENGINES,
    localparam int unsigned LANES = fsh_spec_pkg::LANES
) (
    input  wire logic                  clk_i,
    input  wire logic                  rst_i,
    input  wire logic           [47:0] cycle_i,
    input  wire fsh_node_pkg::cfg_t    cfg_i,
    input  wire fsh_node_pkg::route_t  route_i,
    // Requests of all sources, replies of the window.
    input  wire logic            [1:0] cmd_valid_i,
    output logic                 [1:0] cmd_ready_o,
    input  wire fsh_fn_pkg::path_t     cmd_req_path_i,
    input  wire fsh_fn_pkg::path_t     cmd_rep_path_i,
    input  wire logic            [1:0] cmd_bulk_i,
    input  wire logic            [1:0] cmd_loop_i,
    input  wire logic           [40:0] cmd_end_i,  // end of a window request's local range
    input  wire fsh_spec_pkg::cmd_t    cmd_req_i,
    input  wire fsh_spec_pkg::cmd_t    cmd_rep_i,
    output fsh_seq_pkg::free_t         req_free_o,
    input  wire logic            [1:0] rows_valid_i,
    output logic                 [1:0] rows_ready_o,
    input  wire logic          [127:0] rows_req_i,
    input  wire logic          [127:0] rows_rep_i,
    output logic                       stopped_o,
    output logic                       clear_o,
    // Completed PUTs of engines, by index.
    output logic         [ENGINES-1:0] done_valid_o,
    output logic [fsh_spec_pkg::TAG_W-1:0] done_tag_o,
    output logic                 [3:0] done_status_o,
    // Requests to be served, by lane.
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
    output logic                 [1:0] entry_ring_o,  // of the completion unit's
    output fsh_spec_pkg::ring_t        entry_track_o,
    output fsh_spec_pkg::ring_t        entry_seq0_o,
    output fsh_spec_pkg::ring_t        entry_seq1_o,
    // Writes of the receivers: to host memory, to device memory.
    output fsh_axi_pkg::mem_wr_req_t   rx_req_o,
    input  wire fsh_axi_pkg::mem_wr_rsp_t rx_rsp_i,
    output fsh_axi_pkg::mem_wr_req_t   mem_wr_req_o,
    input  wire fsh_axi_pkg::mem_wr_rsp_t mem_wr_rsp_i,
    output logic [LANES*fsh_fn_pkg::COLL_BEAT_W-1:0] coll_rx_o,  // coll_beat_t, see fsh_rx
    output logic     [LANES*128-1:0] coll_data_o,
    input  wire logic      [LANES-1:0] coll_room_i,
    // Reads of the sequencer.
    output fsh_axi_pkg::mem_rd_req_t   mem_rd_req_o,
    input  wire fsh_axi_pkg::mem_rd_rsp_t mem_rd_rsp_i,
    output fsh_axi_pkg::host_rd_req_t  host_rd_req_o,
    input  wire fsh_axi_pkg::host_rd_rsp_t host_rd_rsp_i,
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
  logic [3:0]         load_status;
  fsh_spec_pkg::cmd_t load;
  fsh_fn_pkg::path_t  load_path;
  fsh_seq_pkg::free_t rep_free;
  logic               load_valid, load_ready, load_loop, load_bulk;
  assign stopped_o = cfg_i.hold || !cfg_i.enable || clear_o;

  fsh_sched i_sched (
      .clk_i,
      .rst_i,
      .hold_i       (stopped_o),
      .cmd_valid_i,
      .cmd_ready_o,
      .cmd_req_path_i,
      .cmd_rep_path_i,
      .cmd_bulk_i,
      .cmd_loop_i,
      .cmd_req_i,
      .cmd_rep_i,
      .get_valid_i  (served_valid_i),
      .get_ready_o  (served_ready_o),
      .get0_i       (get0_o),
      .get1_i       (get1_o),
      .get_status_i (served_status_i),
      .free_i       (rep_free),
      .load_valid_o (load_valid),
      .load_ready_i (load_ready),
      .load_loop_o  (load_loop),
      .load_bulk_o  (load_bulk),
      .load_path_o  (load_path),
      .load_status_o(load_status),
      .load_o       (load)
  );

  // Sequencer.
  logic [PORTS*4-1:0]     link_ok, link_take, queue_ok;
  logic [PORTS-1:0]       others, seq_stall, stall;
  logic [1:0]             loop_ok, loop_take;
  logic [PORTS*2-1:0]     queue_take;
  logic [LANES-1:0]       pkt_valid, pkt_ready, link_ready, pkt_last, pkt_bad;
  logic [LANES*PORTS-1:0] queue_valid, pkt_port;
  logic [LANES*128-1:0]   pkt_data;
  logic [LANES*fsh_seq_pkg::BEAT_W-1:0] queue;
  logic [6:0]             take_beats;
  logic         seq_busy, router_busy;
  logic [39:0]  mem_araddr;
  logic [7:0]   mem_arlen;
  assign mem_rd_req_o.araddr = {LANES{mem_araddr}};
  assign mem_rd_req_o.arlen  = {LANES{mem_arlen}};

  fsh_seq #(
      .PORTS(PORTS)
  ) i_seq (
      .clk_i,
      .rst_i,
      .cycle_i,
      .node_i        (cfg_i.node[6:0]),
      .packet_i      (cfg_i.packet),
      .seg_base_i    (cfg_i.seg_base),
      .host_base_i   (cfg_i.host_base),
      .free_req_o    (req_free_o),
      .free_rep_o    (rep_free),
      .load_valid_i  (load_valid),
      .load_ready_o  (load_ready),
      .load_loop_i   (load_loop),
      .load_bulk_i   (load_bulk),
      .load_path_i   (load_path),
      .load_status_i (load_status),
      .load_i        (load),
      .rows_valid_i,
      .rows_ready_o,
      .rows_req_i,
      .rows_rep_i,
      .link_ok_i     (link_ok),
      .queue_ok_i    (queue_ok),
      .loop_ok_i     (loop_ok),
      .link_take_o   (link_take),
      .queue_take_o  (queue_take),
      .loop_take_o   (loop_take),
      .take_beats_o  (take_beats),
      .others_i      (others),
      .pkt_valid_o   (pkt_valid),
      .pkt_port_o    (pkt_port),
      .pkt_ready_i   (pkt_ready),
      .pkt_last_o    (pkt_last),
      .pkt_data_o    (pkt_data),
      .pkt_bad_o     (pkt_bad),
      .queue_valid_o (queue_valid),
      .queue_o       (queue),
      .mem_arvalid_o (mem_rd_req_o.arvalid),
      .mem_arready_i (mem_rd_rsp_i.arready),
      .mem_araddr_o  (mem_araddr),
      .mem_arlen_o   (mem_arlen),
      .mem_rvalid_i  (mem_rd_rsp_i.rvalid),
      .mem_rdata_i   (mem_rd_rsp_i.rdata),
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
  logic [PORTS-1:0]   ack_valid, ack_ready;
  logic [LANES-1:0]   evt_valid, evt_ready, acked, release_budget;
  fsh_fn_pkg::evt_t   evt0, evt1;
  fsh_spec_pkg::hdr_t ack;
  logic               tracker_busy, tag_end, tag_ready, tags_busy;
  logic [fsh_spec_pkg::TAG_W-1:0] tag_ended;

  fsh_tracker #(
      .PORTS(PORTS)
  ) i_tracker (
      .clk_i,
      .rst_i,
      .node_i       (cfg_i.node[6:0]),
      .evt_valid_i  (evt_valid),
      .evt_ready_o  (evt_ready),
      .evt0_i       (evt0),
      .evt1_i       (evt1),
      .ports_i      (cfg_i.ports[PORTS-1:0]),
      .route_i,
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

  // Loopback to this node: lane 0 of the sequencer to receiver 0.
  logic         loop_request, loop_valid, loop_ready, loop_last, loop_bad, loop_busy, to_loop;
  logic [LANES*2-1:0] rx_start /*verilator split_var*/;
  logic [127:0] loop_data;

  fsh_loop i_loop (
      .clk_i,
      .rst_i,
      .ok_o        (loop_ok),
      .take_i      (loop_take),
      .take_beats_i(take_beats),
      .valid_i     (pkt_valid[0] && to_loop),
      .data_i      (pkt_data[127:0]),
      .bad_i       (pkt_bad[0]),
      .start_i     (rx_start[1:0]),
      .request_o   (loop_request),
      .valid_o     (loop_valid),
      .ready_i     (loop_ready),
      .last_o      (loop_last),
      .data_o      (loop_data),
      .bad_o       (loop_bad),
      .busy_o      (loop_busy)
  );

  // The error flag goes to the loopback here, or through the queue of its port.
  logic unused_bad;
  assign unused_bad = &pkt_bad[LANES-1:1];
  assign to_loop   = pkt_port[PORTS-1:0] == '0;
  assign pkt_ready = link_ready | LANES'(to_loop);

  // Router.
  logic [PORTS-1:0]     here_request, here_valid, here_ready, here_last, here_bad;
  logic [PORTS*128-1:0] here_data;
  logic [PORTS-1:0]     seq_sop, fwd_sop, tx_stall;

  fsh_router #(
      .PORTS(PORTS)
  ) i_router (
      .clk_i,
      .rst_i,
      .cfg_i,
      .route_i,
      .ok_o          (link_ok),
      .take_i        (link_take),
      .bulk_ok_o     (queue_ok),
      .bulk_take_i   (queue_take),
      .take_beats_i  (take_beats),
      .seq_valid_i   (pkt_valid),
      .seq_port_i    (pkt_port),
      .seq_ready_o   (link_ready),
      .seq_last_i    (pkt_last),
      .seq_data_i    (pkt_data),
      .bulk_valid_i  (queue_valid),
      .bulk_i        (queue),
      .others_o      (others),
      .ack_valid_i   (ack_valid),
      .ack_ready_o   (ack_ready),
      .ack_i         (ack),
      .here_start_i  (rx_start),
      .here_request_o(here_request),
      .here_valid_o  (here_valid),
      .here_ready_i  (here_ready),
      .here_last_o   (here_last),
      .here_data_o   (here_data),
      .here_bad_o    (here_bad),
      .link_tx_valid_o,
      .link_tx_bound_o,
      .link_tx_data_o,
      .link_rx_valid_i,
      .link_rx_bound_i,
      .link_rx_data_i,
      .seq_sop_o     (seq_sop),
      .fwd_sop_o     (fwd_sop),
      .stall_o       (tx_stall),
      .busy_o        (router_busy)
  );

  // One receiver per lane: for the ports p with p % LANES equal to its number; receiver 0 also
  // for the loopback.
  logic [LANES-1:0]     rx_busy /*verilator split_var*/, dropped /*verilator split_var*/;
  logic [LANES-1:0]     rx_awvalid /*verilator split_var*/, rx_wvalid /*verilator split_var*/;
  logic [LANES-1:0]     rx_wlast /*verilator split_var*/;
  logic [LANES-1:0]     mem_awvalid /*verilator split_var*/, mem_wvalid /*verilator split_var*/;
  logic [LANES*40-1:0]  rx_awaddr /*verilator split_var*/;
  logic [LANES*8-1:0]   rx_awlen /*verilator split_var*/;
  logic [LANES*128-1:0] rx_wdata /*verilator split_var*/;
  logic [LANES*16-1:0]  rx_wstrb /*verilator split_var*/;
  logic [LANES-1:0]     perf_req /*verilator split_var*/, perf_rep /*verilator split_var*/;
  logic [LANES-1:0]     perf_written /*verilator split_var*/, perf_refused /*verilator split_var*/;
  logic [LANES*11-1:0]  perf_bytes /*verilator split_var*/;
  logic [LANES*11-1:0]  perf_written_bytes /*verilator split_var*/;

  for (genvar l = 0; l < LANES; l++) begin : gen_lane
    localparam int unsigned THERE = (PORTS + LANES - 1 - l) / LANES;
    localparam int unsigned LINKS = THERE == 0 ? 1 : THERE;
    localparam int unsigned STREAMS = LINKS + 32'(l == 0);
    logic [STREAMS-1:0]     request, valid, ready, last, bad;
    logic [STREAMS*128-1:0] data;
    logic [fsh_spec_pkg::TAG_W-1:0] tag_asked;
    fsh_fn_pkg::get_t       get;
    fsh_fn_pkg::evt_t       evt;
    logic                   aw_host, aw_valid, w_host, w_valid;

    if (THERE == 0) begin : gen_none
      logic unused;
      assign unused = ready[0];
      assign {request[0], valid[0], last[0], bad[0], data[127:0]} = '0;
    end
    for (genvar k = 0; k < THERE; k++) begin : gen_link
      assign request[k]         = here_request[k*LANES+l];
      assign valid[k]           = here_valid[k*LANES+l];
      assign here_ready[k*LANES+l] = ready[k];
      assign last[k]            = here_last[k*LANES+l];
      assign bad[k]             = here_bad[k*LANES+l];
      assign data[k*128+:128]   = here_data[(k*LANES+l)*128+:128];
    end
    if (l == 0) begin : gen_loop
      assign request[LINKS]         = loop_request;
      assign valid[LINKS]           = loop_valid;
      assign loop_ready             = ready[LINKS];
      assign last[LINKS]            = loop_last;
      assign bad[LINKS]             = loop_bad;
      assign data[LINKS*128+:128]   = loop_data;
    end

    fsh_rx #(
        .PORTS(PORTS),
        .LINKS(LINKS),
        .LOOP (l == 0)
    ) i_rx (
        .clk_i,
        .rst_i,
        .node_i         (cfg_i.node),
        .nodes_i        (cfg_i.nodes),
        .seg_base_i     (cfg_i.seg_base),
        .seg_size_i     (cfg_i.seg_size),
        .slot_hdr_i     (cfg_i.slot_hdr),
        .slot_pay_i     (cfg_i.slot_pay),
        .packet_i       (cfg_i.packet),
        .ports_i        (cfg_i.ports[PORTS-1:0]),
        .route_i,
        .start_o        (rx_start[l*2+:2]),
        .request_i      (request),
        .valid_i        (valid),
        .ready_o        (ready),
        .last_i         (last),
        .data_i         (data),
        .bad_i          (bad),
        .tag_busy_o     (tag_busy[l]),
        .tag_hold_i     (tag_busy[1-l]),
        .tag_re_o       (tag_re[l]),
        .tag_o          (tag_asked),
        .tag_i          (tag),
        .awvalid_o      (aw_valid),
        .awready_i      (aw_host ? rx_rsp_i.awready[l] : mem_wr_rsp_i.awready[l]),
        .awhost_o       (aw_host),
        .awaddr_o       (rx_awaddr[l*40+:40]),
        .awlen_o        (rx_awlen[l*8+:8]),
        .wvalid_o       (w_valid),
        .wready_i       (w_host ? rx_rsp_i.wready[l] : mem_wr_rsp_i.wready[l]),
        .whost_o        (w_host),
        .wdata_o        (rx_wdata[l*128+:128]),
        .wstrb_o        (rx_wstrb[l*16+:16]),
        .wlast_o        (rx_wlast[l]),
        .mem_bvalid_i   (mem_wr_rsp_i.bvalid[l]),
        .mem_berr_i     (mem_wr_rsp_i.berr[l]),
        .host_bvalid_i  (rx_rsp_i.bvalid[l]),
        .host_berr_i    (rx_rsp_i.berr[l]),
        .get_valid_o    (get_valid_o[l]),
        .get_ready_i    (get_ready_i[l]),
        .get_long_ok_i  (rep_free.bulk),
        .get_o          (get),
        .evt_valid_o    (evt_valid[l]),
        .evt_ready_i    (evt_ready[l]),
        .evt_o          (evt),
        .coll_room_i    (coll_room_i[l]),
        .coll_o         (coll_rx_o[l*fsh_fn_pkg::COLL_BEAT_W+:fsh_fn_pkg::COLL_BEAT_W]),
        .coll_data_o    (coll_data_o[l*128+:128]),
        .budget_return_i({acked[l], release_budget[l]}),
        .perf_req_o     (perf_req[l]),
        .perf_rep_o     (perf_rep[l]),
        .perf_bytes_o   (perf_bytes[l*11+:11]),
        .perf_written_o (perf_written[l]),
        .perf_written_bytes_o(perf_written_bytes[l*11+:11]),
        .perf_refused_o (perf_refused[l]),
        .dropped_o      (dropped[l]),
        .busy_o         (rx_busy[l])
    );

    assign rx_awvalid[l]  = aw_valid && aw_host;
    assign rx_wvalid[l]   = w_valid && w_host;
    assign mem_awvalid[l] = aw_valid && !aw_host;
    assign mem_wvalid[l]  = w_valid && !w_host;

    if (l == 0) begin : gen_first
      assign get0_o = get;
      assign tag0   = tag_asked;
      assign evt0   = evt;
    end else begin : gen_second
      assign get1_o = get;
      assign tag1   = tag_asked;
      assign evt1   = evt;
    end
  end

  // One payload bus for both memories; meaningful only when valid.
  always_comb begin
    rx_req_o             = 'x;
    mem_wr_req_o         = 'x;
    rx_req_o.awvalid     = rx_awvalid;
    rx_req_o.wvalid      = rx_wvalid;
    mem_wr_req_o.awvalid = mem_awvalid;
    mem_wr_req_o.wvalid  = mem_wvalid;
    if ((rx_awvalid | rx_wvalid) != '0) begin
      {rx_req_o.awaddr, rx_req_o.awlen} = {rx_awaddr, rx_awlen};
      rx_req_o.wdata = rx_wdata;
      rx_req_o.wstrb = rx_wstrb;
      rx_req_o.wlast = rx_wlast;
    end
    if (mem_awvalid != '0) {mem_wr_req_o.awaddr, mem_wr_req_o.awlen} = {rx_awaddr, rx_awlen};
    mem_wr_req_o.wdata = rx_wdata;
    mem_wr_req_o.wstrb = rx_wstrb;
    mem_wr_req_o.wlast = rx_wlast;
  end

  assign stall = (seq_stall | tx_stall) & ~link_tx_valid_o;

  always_ff @(posedge clk_i) begin
    events_o.req           <= perf_req;
    events_o.rep           <= perf_rep;
    if ((perf_req | perf_rep) != '0) events_o.bytes <= perf_bytes;
    events_o.written       <= perf_written;
    if (perf_written != '0) events_o.written_bytes <= perf_written_bytes;
    events_o.refused       <= perf_refused;
    events_o.sent          <= 6'(seq_sop);
    events_o.beat          <= 6'(link_tx_valid_o);
    events_o.stall         <= 6'(stall);
    events_o.forward       <= 6'(fwd_sop);
    if (rst_i) events_o <= '0;
  end

  assign dropped_o = dropped;
  assign busy_o = tracker_busy || tags_busy || loop_busy || seq_busy || rx_busy != '0 ||
                  router_busy;
endmodule

`default_nettype wire
