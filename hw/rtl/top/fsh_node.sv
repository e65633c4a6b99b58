// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none

/// One FSHMEM node with 1 to 6 link ports: host interface, GASNet core, router, and for
/// each engine (fsh_spec_pkg::ENGINES; the compute core is entry 0) an entry in the
/// vectors of request sources (ccmd, ack), sinks (msg) and entries for the host. See
/// hw/rtl/README.md for the ports. All outputs are functions of registers.
/// Responses of the AXI slaves come in order; write responses are always accepted, read
/// data always has room. err: the response is an error, with each beat of a read.
/// idle_o: no state changes until an input does (a command held by the start
/// gate counts as idle). Free-running state does not exist; time is cycle_i.
module fsh_node #(
    parameter int unsigned PORTS = 2,
    parameter int unsigned ENGINES = fsh_spec_pkg::ENGINES,
    parameter int unsigned ECMD_W = fsh_spec_pkg::ECMD_W,
    parameter int unsigned RING_W = fsh_spec_pkg::RING_W,
    parameter int unsigned TAG_W = fsh_spec_pkg::TAG_W
) (
    input  wire logic                 clk_i,
    input  wire logic                 rst_i,
    input  wire logic          [47:0] cycle_i,
    input  wire logic                 gate_i,
    output logic                      idle_o,
    // Registers and windows.
    input  wire fsh_axi_pkg::lite_req_t axil_req_i,
    output fsh_axi_pkg::lite_rsp_t    axil_rsp_o,
    // Host memory; device memory, a master a lane.
    output fsh_axi_pkg::host_wr_req_t host_wr_req_o,
    input  wire fsh_axi_pkg::host_wr_rsp_t host_wr_rsp_i,
    output fsh_axi_pkg::host_rd_req_t host_rd_req_o,
    input  wire fsh_axi_pkg::host_rd_rsp_t host_rd_rsp_i,
    output fsh_axi_pkg::mem_wr_req_t  mem_wr_req_o,
    input  wire fsh_axi_pkg::mem_wr_rsp_t mem_wr_rsp_i,
    output fsh_axi_pkg::mem_rd_req_t  mem_rd_req_o,
    input  wire fsh_axi_pkg::mem_rd_rsp_t mem_rd_rsp_i,
    // The DMA engine, on a clock of its own, clk_i or gated as those of engines are: host memory,
    // device memory; it has something for the node.
    input  wire logic                 dma_clk_i,
    output logic                      dma_clk_req_o,
    output logic                      dma_valid_o,
    output fsh_axi_pkg::wide_req_t    wide_req_o,
    input  wire fsh_axi_pkg::line_rsp_t wide_rsp_i,
    output fsh_axi_pkg::line_req_t    line_req_o,
    input  wire fsh_axi_pkg::line_rsp_t line_rsp_i,
    // Links.
    output logic          [PORTS-1:0] link_tx_valid_o,
    output logic          [PORTS-1:0] link_tx_bound_o,
    output logic      [PORTS*128-1:0] link_tx_data_o,
    input  wire logic     [PORTS-1:0] link_rx_valid_i,
    input  wire logic     [PORTS-1:0] link_rx_bound_i,
    input  wire logic [PORTS*128-1:0] link_rx_data_i,
    output logic                [7:0] node_o,
    output logic               [39:0] seg_base_o,
    output logic               [39:0] seg_size_o,
    output logic               [39:0] host_size_o,
    // Engines: whether one is there; its sink, commands, acks, entries.
    input  wire logic   [ENGINES-1:0] eng_present_i,
    input  wire logic   [ENGINES-1:0] eng_busy_i,
    output logic        [ENGINES-1:0] msg_valid_o,
    input  wire logic   [ENGINES-1:0] msg_ready_i,
    output fsh_fn_pkg::msg_t          msg_o,
    input  wire logic [ENGINES*4-1:0] msg_status_i,
    input  wire logic   [ENGINES-1:0] ccmd_valid_i,
    output logic        [ENGINES-1:0] ccmd_ready_o,
    input  wire logic [ENGINES*ECMD_W-1:0] ccmd_i,  // ecmd_t
    output logic        [ENGINES-1:0] ack_valid_o,
    output logic  [ENGINES*TAG_W-1:0] ack_tag_o,
    output logic      [ENGINES*4-1:0] ack_status_o,
    input  wire logic   [ENGINES-1:0] entry_valid_i,
    output logic        [ENGINES-1:0] entry_ready_o,
    input  wire logic [ENGINES*RING_W-1:0] entry_i,  // ring_t
    // What the collective engine writes to host memory; its packets, beat by beat while there
    // is room, by lane.
    input  wire fsh_axi_pkg::post_req_t post_req_i,
    output fsh_axi_pkg::post_rsp_t    post_rsp_o,
    output logic [2*fsh_fn_pkg::COLL_BEAT_W-1:0] coll_rx_o,  // coll_beat_t
    output logic              [255:0] coll_data_o,
    input  wire logic           [1:0] coll_room_i,
    // Counters of the compute core.
    output logic        [ENGINES-1:0] cperf_clear_o,
    output logic        [ENGINES-1:0] cperf_read_o,
    output logic                [3:0] cperf_word_o,
    input  wire logic   [ENGINES-1:0] cperf_valid_i,
    input  wire logic [ENGINES*48-1:0] cperf_data_i
);
  fsh_node_pkg::cfg_t    cfg;
  fsh_node_pkg::route_t  route;
  fsh_node_pkg::events_t events;
  logic [1:0]            dropped, refused;
  logic                  host_busy, gasnet_busy, stopped, clear;

  assign node_o     = cfg.node;
  assign seg_base_o = cfg.seg_base;
  assign seg_size_o = cfg.seg_size;
  assign host_size_o = cfg.host_size;

  // Commands of the windows, entries for the rings, writes of the receivers.
  logic [1:0]          win_valid, win_ready, win_bulk, win_loop, rows_valid, rows_ready;
  fsh_fn_pkg::path_t   win_req_path, win_rep_path;
  logic [40:0]         win_end;
  fsh_spec_pkg::cmd_t  win_req, win_rep;
  logic [127:0]        rows_req, rows_rep;
  logic [2:0]          entry_valid, entry_ready;
  logic [1:0]          entry_ring;
  fsh_spec_pkg::ring_t entry_track, entry_seq0, entry_seq1;
  fsh_axi_pkg::mem_wr_req_t rx_req;
  fsh_axi_pkg::mem_wr_rsp_t rx_rsp;
  logic [1:0]          move_valid, move_room;
  logic                dma_ready, dma_idle;
  fsh_dma_pkg::move_t  move;
  fsh_spec_pkg::ring_t dma_entry;

  fsh_host #(
      .PORTS(PORTS)
  ) i_host (
      .clk_i,
      .rst_i,
      .cycle_i,
      .gate_i,
      .eng_present_i,
      .axil_req_i,
      .axil_rsp_o,
      .cfg_o          (cfg),
      .route_o        (route),
      .win_valid_o    (win_valid),
      .win_ready_i    (win_ready),
      .win_req_path_o (win_req_path),
      .win_rep_path_o (win_rep_path),
      .win_bulk_o     (win_bulk),
      .win_loop_o     (win_loop),
      .win_end_o      (win_end),
      .win_req_o      (win_req),
      .win_rep_o      (win_rep),
      .rows_valid_o   (rows_valid),
      .rows_ready_i   (rows_ready),
      .rows_req_o     (rows_req),
      .rows_rep_o     (rows_rep),
      .stopped_i      (stopped),
      .dma_valid_o    (move_valid),
      .dma_room_i     (move_room),
      .dma_move_o     (move),
      .entry_valid_i  ({dma_valid_o, entry_valid_i, entry_valid}),
      .entry_ready_o  ({dma_ready, entry_ready_o, entry_ready}),
      .entry_ring_i   (entry_ring),
      .entry_track_i  (entry_track),
      .entry_seq0_i   (entry_seq0),
      .entry_seq1_i   (entry_seq1),
      .entry_eng_i    ({dma_entry, entry_i}),
      .rx_req_i       (rx_req),
      .rx_rsp_o       (rx_rsp),
      .post_req_i,
      .post_rsp_o,
      .host_req_o     (host_wr_req_o),
      .host_rsp_i     (host_wr_rsp_i),
      .events_i       (events),
      .refused_i      (refused),
      .dropped_i      (dropped),
      .cperf_clear_o,
      .cperf_read_o,
      .cperf_word_o,
      .cperf_valid_i,
      .cperf_data_i,
      .busy_o         (host_busy)
  );

  // Moves between the DMA window and the segment.
  fsh_dma i_dma (
      .clk_i        (dma_clk_i),
      .rst_i,
      .node_i       (cfg.node),
      .host_base_i  (cfg.host_base),
      .host_size_i  (cfg.host_size),
      .seg_base_i   (cfg.seg_base),
      .seg_size_i   (cfg.seg_size),
      .move_valid_i (move_valid),
      .move_room_o  (move_room),
      .move_i       (move),
      .entry_valid_o(dma_valid_o),
      .entry_ready_i(dma_ready),
      .entry_o      (dma_entry),
      .wide_req_o,
      .wide_rsp_i,
      .line_req_o,
      .line_rsp_i,
      .idle_o       (dma_idle)
  );
  assign dma_clk_req_o = !dma_idle || move_valid != '0;

  // Messages to engines.
  logic [1:0]       get_valid, get_ready, served_valid, served_ready;
  fsh_fn_pkg::get_t get0, get1;
  logic [7:0]       served_status;

  fsh_dispatch i_dispatch (
      .clk_i,
      .rst_i,
      .get_valid_i   (get_valid),
      .get_ready_o   (get_ready),
      .get0_i        (get0),
      .get1_i        (get1),
      .get_valid_o   (served_valid),
      .get_ready_i   (served_ready),
      .get_status_o  (served_status),
      .msg_valid_o,
      .msg_ready_i,
      .msg_o,
      .msg_status_i,
      .perf_refused_o(refused[1])
  );

  // Commands of engines.
  logic [ENGINES-1:0]        req_valid, req_ready, req_bulk, req_loop;
  logic [ENGINES-1:0]        done_valid, ccmd_refused, ccmd_busy;
  logic [ENGINES*fsh_fn_pkg::PATH_W-1:0] req_path;
  logic [ENGINES*ECMD_W-1:0] req;
  logic [TAG_W-1:0]          done_tag;
  logic [3:0]                done_status;

  for (genvar k = 0; k < ENGINES; k++) begin : gen_engine
    fsh_ccmd #(
        .PORTS (PORTS),
        .ENGINE(k)
    ) i_ccmd (
        .clk_i,
        .rst_i,
        .node_i        (cfg.node),
        .nodes_i       (cfg.nodes),
        .packet_i      (cfg.packet),
        .ports_i       (cfg.ports[PORTS-1:0]),
        .seg_size_i    (cfg.seg_size),
        .route_i       (route),
        .ccmd_valid_i  (ccmd_valid_i[k]),
        .ccmd_ready_o  (ccmd_ready_o[k]),
        .ccmd_i        (ccmd_i[k*ECMD_W+:ECMD_W]),
        .ack_valid_o   (ack_valid_o[k]),
        .ack_tag_o     (ack_tag_o[k*TAG_W+:TAG_W]),
        .ack_status_o  (ack_status_o[k*4+:4]),
        .done_valid_i  (done_valid[k]),
        .done_tag_i    (done_tag),
        .done_status_i (done_status),
        .req_valid_o   (req_valid[k]),
        .req_ready_i   (req_ready[k]),
        .req_path_o    (req_path[k*fsh_fn_pkg::PATH_W+:fsh_fn_pkg::PATH_W]),
        .req_bulk_o    (req_bulk[k]),
        .req_loop_o    (req_loop[k]),
        .req_o         (req[k*ECMD_W+:ECMD_W]),
        .perf_refused_o(ccmd_refused[k]),
        .busy_o        (ccmd_busy[k])
    );
  end
  assign refused[0] = |ccmd_refused;

  // Requests: of the window and of engines.
  fsh_seq_pkg::free_t free;
  logic [1:0]         cmd_ready;
  logic               want, bulk, loop;
  fsh_fn_pkg::path_t  path;
  fsh_spec_pkg::cmd_t cmd;

  fsh_sources i_sources (
      .clk_i,
      .rst_i,
      .hold_i      (stopped),
      .clear_i     (clear),
      .win_valid_i (win_valid[0]),
      .win_ready_o (win_ready[0]),
      .win_path_i  (win_req_path),
      .win_bulk_i  (win_bulk[0]),
      .win_loop_i  (win_loop[0]),
      .win_i       (win_req),
      .eng_valid_i (req_valid),
      .eng_ready_o (req_ready),
      .eng_path_i  (req_path),
      .eng_bulk_i  (req_bulk),
      .eng_loop_i  (req_loop),
      .eng_i       (req),
      .free_i      (free),
      .req_valid_o (want),
      .req_ready_i (cmd_ready[0]),
      .req_path_o  (path),
      .req_bulk_o  (bulk),
      .req_loop_o  (loop),
      .req_o       (cmd)
  );
  assign win_ready[1] = cmd_ready[1];

  fsh_gasnet #(
      .PORTS(PORTS)
  ) i_gasnet (
      .clk_i,
      .rst_i,
      .cycle_i,
      .cfg_i            (cfg),
      .route_i          (route),
      .cmd_valid_i      ({win_valid[1], want}),
      .cmd_ready_o      (cmd_ready),
      .cmd_req_path_i   (path),
      .cmd_rep_path_i   (win_rep_path),
      .cmd_bulk_i       ({win_bulk[1], bulk}),
      .cmd_loop_i       ({win_loop[1], loop}),
      .cmd_end_i        (win_end),
      .cmd_req_i        (cmd),
      .cmd_rep_i        (win_rep),
      .req_free_o       (free),
      .rows_valid_i     (rows_valid),
      .rows_ready_o     (rows_ready),
      .rows_req_i       (rows_req),
      .rows_rep_i       (rows_rep),
      .stopped_o        (stopped),
      .clear_o          (clear),
      .done_valid_o     (done_valid),
      .done_tag_o       (done_tag),
      .done_status_o    (done_status),
      .get_valid_o      (get_valid),
      .get_ready_i      (get_ready),
      .get0_o           (get0),
      .get1_o           (get1),
      .served_valid_i   (served_valid),
      .served_ready_o   (served_ready),
      .served_status_i  (served_status),
      .entry_valid_o    (entry_valid),
      .entry_ready_i    (entry_ready),
      .entry_ring_o     (entry_ring),
      .entry_track_o    (entry_track),
      .entry_seq0_o     (entry_seq0),
      .entry_seq1_o     (entry_seq1),
      .rx_req_o         (rx_req),
      .rx_rsp_i         (rx_rsp),
      .coll_rx_o,
      .coll_data_o,
      .coll_room_i,
      .mem_wr_req_o,
      .mem_wr_rsp_i,
      .mem_rd_req_o,
      .mem_rd_rsp_i,
      .host_rd_req_o,
      .host_rd_rsp_i,
      .link_tx_valid_o,
      .link_tx_bound_o,
      .link_tx_data_o,
      .link_rx_valid_i,
      .link_rx_bound_i,
      .link_rx_data_i,
      .events_o         (events),
      .dropped_o        (dropped),
      .busy_o           (gasnet_busy)
  );

  always_ff @(posedge clk_i) begin
    // Busy links are busy routers: said apart, since a simulator then looks no further.
    idle_o <= 1'b0;
    if (link_tx_valid_o == '0 && link_rx_valid_i == '0)
      idle_o <= !(rst_i || host_busy || gasnet_busy || |get_valid || |eng_busy_i || |ccmd_busy ||
                  axil_req_i.awvalid || axil_req_i.wvalid || axil_req_i.arvalid ||
                  gate_i || |mem_wr_rsp_i.bvalid || |mem_rd_rsp_i.rvalid ||
                  host_rd_rsp_i.rvalid || host_wr_rsp_i.bvalid);
  end
endmodule

`default_nettype wire
