// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none

/// The host side of the node: registers, submission windows with their parking queues, the writer
/// to host memory with the rings, performance counters. Wiring only, except the positions of the
/// ring entries and a register before the counters; the submodules' headers describe their
/// functions.
/// Commands of the windows are offered by channel (request, reply); ring entries come from the
/// completion unit, the sequencers, the engines and the DMA engine. busy_o ignores commands that
/// wait while stopped_i. Reset: that of the submodules; no event counted.
module fsh_host #(
    parameter int unsigned PORTS = 2,
    parameter int unsigned ENGINES = fsh_spec_pkg::ENGINES
) (
    input  wire logic                  clk_i,
    input  wire logic                  rst_i,
    input  wire logic           [47:0] cycle_i,
    input  wire logic                  gate_i,
    input  wire logic    [ENGINES-1:0] eng_present_i,
    // Registers and windows.
    input  wire fsh_axi_pkg::lite_req_t axil_req_i,
    output fsh_axi_pkg::lite_rsp_t     axil_rsp_o,
    output fsh_node_pkg::cfg_t         cfg_o,
    output fsh_node_pkg::route_t       route_o,
    // Windows.
    output logic                 [1:0] win_valid_o,
    input  wire logic            [1:0] win_ready_i,
    output fsh_fn_pkg::path_t          win_req_path_o,
    output fsh_fn_pkg::path_t          win_rep_path_o,
    output logic                 [1:0] win_bulk_o,
    output logic                 [1:0] win_loop_o,
    output logic                [40:0] win_end_o,  // end of the request's local range
    output fsh_spec_pkg::cmd_t         win_req_o,
    output fsh_spec_pkg::cmd_t         win_rep_o,
    output logic                 [1:0] rows_valid_o,
    input  wire logic            [1:0] rows_ready_i,
    output logic               [127:0] rows_req_o,
    output logic               [127:0] rows_rep_o,
    input  wire logic                  stopped_i,
    // The DMA engine.
    output logic                 [1:0] dma_valid_o,
    input  wire logic            [1:0] dma_room_i,
    output fsh_dma_pkg::move_t         dma_move_o,
    // Entries: completion unit, sequencers 0 and 1, engines, the DMA engine.
    input  wire logic    [ENGINES+3:0] entry_valid_i,
    output logic         [ENGINES+3:0] entry_ready_o,
    input  wire logic            [1:0] entry_ring_i,  // of the completion unit's
    input  wire fsh_spec_pkg::ring_t   entry_track_i,
    input  wire fsh_spec_pkg::ring_t   entry_seq0_i,
    input  wire fsh_spec_pkg::ring_t   entry_seq1_i,
    input  wire logic [(ENGINES+1)*fsh_spec_pkg::RING_W-1:0] entry_eng_i,  // ring_t
    // Receivers.
    input  wire fsh_axi_pkg::mem_wr_req_t rx_req_i,
    output fsh_axi_pkg::mem_wr_rsp_t   rx_rsp_o,
    // The collective engine.
    input  wire fsh_axi_pkg::post_req_t post_req_i,
    output fsh_axi_pkg::post_rsp_t     post_rsp_o,
    // Host memory, write side.
    output fsh_axi_pkg::host_wr_req_t  host_req_o,
    input  wire fsh_axi_pkg::host_wr_rsp_t host_rsp_i,
    // Counters: the GASNet core's events of the last cycle; refused commands and messages of
    // engines in this cycle.
    input  wire fsh_node_pkg::events_t events_i,
    input  wire logic            [1:0] refused_i,
    input  wire logic            [1:0] dropped_i,
    output logic         [ENGINES-1:0] cperf_clear_o,
    output logic         [ENGINES-1:0] cperf_read_o,
    output logic                 [3:0] cperf_word_o,
    input  wire logic    [ENGINES-1:0] cperf_valid_i,
    input  wire logic [ENGINES*48-1:0] cperf_data_i,
    output logic                       busy_o
);
  // Completion unit, windows 0 and 1, sequencers 0 and 1, engines, the DMA engine.
  localparam int unsigned ENTRIES = 6 + ENGINES;

  logic [39:0] cpl_base, req_base, rep_base, status_addr;
  logic [3*$clog2(2*fsh_spec_pkg::RING_ENTRIES)-1:0] taken;  // of each ring
  logic        entry_lost, perf_read, req_we, rep_we, req_tail_we, rep_tail_we, perf_clear;
  logic        regs_busy, route_we;
  logic [8:0]  write_word;
  logic [63:0] write_data, perf_data;
  logic [6:0]  perf_word;

  logic        awready, wready, bvalid, arready, rvalid;
  logic [63:0] rdata;
  assign axil_rsp_o = {awready, wready, bvalid, arready, rvalid, rdata};

  fsh_regs #(
      .PORTS(PORTS)
  ) i_regs (
      .clk_i,
      .rst_i,
      .cycle_i,
      .gate_i,
      .eng_present_i,
      .awaddr_i     (axil_req_i.awaddr),
      .awvalid_i    (axil_req_i.awvalid),
      .awready_o    (awready),
      .wdata_i      (axil_req_i.wdata),
      .wvalid_i     (axil_req_i.wvalid),
      .wready_o     (wready),
      .bvalid_o     (bvalid),
      .bready_i     (axil_req_i.bready),
      .araddr_i     (axil_req_i.araddr),
      .arvalid_i    (axil_req_i.arvalid),
      .arready_o    (arready),
      .rvalid_o     (rvalid),
      .rready_i     (axil_req_i.rready),
      .rdata_o      (rdata),
      .cfg_o,
      .cpl_base_o   (cpl_base),
      .req_base_o   (req_base),
      .rep_base_o   (rep_base),
      .status_addr_o(status_addr),
      .taken_o      (taken),
      .dropped_i    (dropped_i),
      .lost_i       (entry_lost),
      .req_we_o     (req_we),
      .rep_we_o     (rep_we),
      .req_tail_we_o(req_tail_we),
      .rep_tail_we_o(rep_tail_we),
      .route_we_o   (route_we),
      .write_word_o (write_word),
      .write_data_o (write_data),
      .dma_valid_o,
      .dma_room_i,
      .dma_move_o,
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

  always_comb begin
    route_o    = 'x;
    route_o.we = route_we;
    if (route_we) begin
      route_o.node  = write_word[fsh_spec_pkg::NODE_W-1:0];
      route_o.vcs   = write_data[53:48];
      route_o.ports = write_data[61:56];
    end
  end

  // Submission windows, each with its parking queue.
  logic [1:0]          win_empty /*verilator split_var*/, win_waiting /*verilator split_var*/;
  logic [1:0]          cmd_valid /*verilator split_var*/, cmd_ready /*verilator split_var*/;
  logic [1:0]          cmd_bulk /*verilator split_var*/, cmd_loop /*verilator split_var*/;
  logic [1:0]          park_empty /*verilator split_var*/, park_still /*verilator split_var*/;
  fsh_fn_pkg::path_t   req_path, rep_path;
  fsh_spec_pkg::cmd_t  req, rep;
  logic [1:0]          win_rows /*verilator split_var*/, row_valid /*verilator split_var*/;
  logic [1:0]          row_ready /*verilator split_var*/;
  logic [127:0]        req_row, rep_row;
  logic [31:0]         req_head, rep_head;
  logic [ENTRIES-1:0]  entry_valid, entry_ready;
  fsh_spec_pkg::ring_t entry_win0, entry_win1;
  // Of both windows.
  logic [1:0]          win_refused /*verilator split_var*/;
  logic [1:0]          out_valid /*verilator split_var*/, out_bulk /*verilator split_var*/;
  logic [1:0]          out_loop /*verilator split_var*/, out_rows /*verilator split_var*/;

  assign win_valid_o  = out_valid;
  assign win_bulk_o   = out_bulk;
  assign win_loop_o   = out_loop;
  assign rows_valid_o = out_rows;

  assign entry_valid = {entry_valid_i[ENGINES+3:1], win_refused, entry_valid_i[0]};
  assign entry_ready_o  = {entry_ready[ENTRIES-1:3], entry_ready[0]};

  fsh_submit #(
      .PORTS(PORTS),
      .REPLY(1'b0)
  ) i_submit_req (
      .clk_i,
      .rst_i,
      .node_i       (cfg_o.node),
      .nodes_i      (cfg_o.nodes),
      .packet_i     (cfg_o.packet),
      .ports_i      (cfg_o.ports[PORTS-1:0]),
      .seg_size_i   (cfg_o.seg_size),
      .host_size_i  (cfg_o.host_size),
      .route_i      (route_o),
      .we_i         (req_we),
      .waddr_i      (write_word),
      .wdata_i      (write_data),
      .tail_we_i    (req_tail_we),
      .head_o       (req_head),
      .cmd_valid_o  (cmd_valid[0]),
      .cmd_ready_i  (cmd_ready[0]),
      .cmd_o        (req),
      .cmd_path_o   (req_path),
      .cmd_bulk_o   (cmd_bulk[0]),
      .cmd_loop_o   (cmd_loop[0]),
      .cmd_end_o    (win_end_o),
      .rows_o       (win_rows[0]),
      .rows_valid_o (row_valid[0]),
      .rows_ready_i (row_ready[0]),
      .rows_data_o  (req_row),
      .cpl_valid_o  (win_refused[0]),
      .cpl_ready_i  (entry_ready[1]),
      .cpl_o        (entry_win0),
      .empty_o      (win_empty[0]),
      .waiting_o    (win_waiting[0])
  );

  fsh_park #(
      .REPLY(1'b0)
  ) i_park_req (
      .clk_i,
      .rst_i,
      .win_valid_i(cmd_valid[0]),
      .win_ready_o(cmd_ready[0]),
      .win_path_i (req_path),
      .win_bulk_i (cmd_bulk[0]),
      .win_loop_i (cmd_loop[0]),
      .win_i      (req),
      .win_rows_i (win_rows[0]),
      .row_valid_i(row_valid[0]),
      .row_ready_o(row_ready[0]),
      .row_i      (req_row),
      .out_valid_o(out_valid[0]),
      .out_ready_i(win_ready_i[0]),
      .out_path_o (win_req_path_o),
      .out_bulk_o (out_bulk[0]),
      .out_loop_o (out_loop[0]),
      .out_o      (win_req_o),
      .rows_valid_o(out_rows[0]),
      .rows_ready_i(rows_ready_i[0]),
      .rows_o     (rows_req_o),
      .stopped_i,
      .empty_o    (park_empty[0]),
      .still_o    (park_still[0])
  );

  fsh_submit #(
      .PORTS(PORTS),
      .REPLY(1'b1)
  ) i_submit_rep (
      .clk_i,
      .rst_i,
      .node_i       (cfg_o.node),
      .nodes_i      (cfg_o.nodes),
      .packet_i     (cfg_o.packet),
      .ports_i      (cfg_o.ports[PORTS-1:0]),
      .seg_size_i   (cfg_o.seg_size),
      .host_size_i  (cfg_o.host_size),
      .route_i      (route_o),
      .we_i         (rep_we),
      .waddr_i      (write_word),
      .wdata_i      (write_data),
      .tail_we_i    (rep_tail_we),
      .head_o       (rep_head),
      .cmd_valid_o  (cmd_valid[1]),
      .cmd_ready_i  (cmd_ready[1]),
      .cmd_o        (rep),
      .cmd_path_o   (rep_path),
      .cmd_bulk_o   (cmd_bulk[1]),
      .cmd_loop_o   (cmd_loop[1]),
      .cmd_end_o    (),
      .rows_o       (win_rows[1]),
      .rows_valid_o (row_valid[1]),
      .rows_ready_i (row_ready[1]),
      .rows_data_o  (rep_row),
      .cpl_valid_o  (win_refused[1]),
      .cpl_ready_i  (entry_ready[2]),
      .cpl_o        (entry_win1),
      .empty_o      (win_empty[1]),
      .waiting_o    (win_waiting[1])
  );

  fsh_park #(
      .REPLY(1'b1)
  ) i_park_rep (
      .clk_i,
      .rst_i,
      .win_valid_i(cmd_valid[1]),
      .win_ready_o(cmd_ready[1]),
      .win_path_i (rep_path),
      .win_bulk_i (cmd_bulk[1]),
      .win_loop_i (cmd_loop[1]),
      .win_i      (rep),
      .win_rows_i (win_rows[1]),
      .row_valid_i(row_valid[1]),
      .row_ready_o(row_ready[1]),
      .row_i      (rep_row),
      .out_valid_o(out_valid[1]),
      .out_ready_i(win_ready_i[1]),
      .out_path_o (win_rep_path_o),
      .out_bulk_o (out_bulk[1]),
      .out_loop_o (out_loop[1]),
      .out_o      (win_rep_o),
      .rows_valid_o(out_rows[1]),
      .rows_ready_i(rows_ready_i[1]),
      .rows_o     (rows_rep_o),
      .stopped_i,
      .empty_o    (park_empty[1]),
      .still_o    (park_still[1])
  );

  // Host memory. Entry signals are used only when an entry is valid.
  logic hostw_busy, perf_entry, rx_berr;
  /* verilator lint_off UNUSEDSIGNAL */
  logic posted;  // unused
  /* verilator lint_on UNUSEDSIGNAL */
  logic [ENTRIES*fsh_spec_pkg::RING_W-1:0] entries;

  always_comb begin
    entries = 'x;
    if (entry_valid != '0)
      entries = {entry_eng_i, entry_seq1_i, entry_seq0_i, entry_win1, entry_win0, entry_track_i};
  end

  logic         aw_valid, w_valid, w_last;
  logic [47:0]  aw_addr;
  logic [7:0]   aw_len;
  logic [127:0] w_data;
  logic [15:0]  w_strb;
  logic [1:0]   rx_awready, rx_wready, rx_bvalid;
  logic         post_awready, post_wready;

  assign host_req_o = {aw_valid, w_valid, w_last, aw_len, w_strb, aw_addr, w_data};
  assign rx_rsp_o   = {rx_awready, rx_wready, rx_bvalid, {2{rx_berr}}};
  assign post_rsp_o = {post_awready, post_wready};

  fsh_hostw #(
      .ENTRIES(ENTRIES)
  ) i_hostw (
      .clk_i,
      .rst_i,
      .enable_i     (cfg_o.enable),
      .cycle_i,
      .host_base_i  (cfg_o.host_base),
      .cpl_base_i   (cpl_base),
      .req_base_i   (req_base),
      .rep_base_i   (rep_base),
      .status_addr_i(status_addr),
      .taken_i      (taken),
      .req_head_i   (req_head),
      .rep_head_i   (rep_head),
      .rx_awvalid_i ({post_req_i.awvalid, rx_req_i.awvalid}),
      .rx_awready_o ({post_awready, rx_awready}),
      .rx_awaddr_i  ({post_req_i.awaddr, rx_req_i.awaddr}),
      .rx_awlen_i   ({8'd3, rx_req_i.awlen}),
      .rx_wvalid_i  ({post_req_i.wvalid, rx_req_i.wvalid}),
      .rx_wready_o  ({post_wready, rx_wready}),
      .rx_wdata_i   ({post_req_i.wdata, rx_req_i.wdata}),
      .rx_wstrb_i   ({16'hffff, rx_req_i.wstrb}),
      .rx_wlast_i   ({post_req_i.wlast, rx_req_i.wlast}),
      .rx_bvalid_o  ({posted, rx_bvalid}),
      .rx_berr_o    (rx_berr),
      .entry_valid_i(entry_valid),
      .entry_ready_o(entry_ready),
      .entry_ring_i ((ENTRIES*2)'(entry_ring_i)),
      .entry_i      (entries),
      .awvalid_o    (aw_valid),
      .awready_i    (host_rsp_i.awready),
      .awaddr_o     (aw_addr),
      .awlen_o      (aw_len),
      .wvalid_o     (w_valid),
      .wready_i     (host_rsp_i.wready),
      .wdata_o      (w_data),
      .wstrb_o      (w_strb),
      .wlast_o      (w_last),
      .bvalid_i     (host_rsp_i.bvalid),
      .berr_i       (host_rsp_i.berr),
      .perf_entry_o (perf_entry),
      .lost_o       (entry_lost),
      .busy_o       (hostw_busy)
  );

  // Performance counters.
  logic [fsh_spec_pkg::PERF_COUNT*3-1:0] step;
  logic [127:0]                          add;
  logic                                  perf_busy;

  logic        entry_q;
  logic [1:0]  accept_q;
  logic [2:0]  refused_q;
  logic [47:0] accept_bytes_q;

  // Of a command in two parts the second one, with the arguments, is counted. Refused commands of
  // the windows are entries, of which one per cycle is accepted.
  logic [1:0]  whole;
  assign whole = {win_rep_o.nargs == '0 || win_rep_o.lspace[1],
                  win_req_o.nargs == '0 || win_req_o.lspace[1]};

  always_ff @(posedge clk_i) begin
    accept_q  <= win_valid_o & win_ready_i & whole;
    entry_q   <= perf_entry;
    refused_q <= {|(entry_valid[2:1] & entry_ready[2:1]), refused_i};
    if (win_ready_i != '0) accept_bytes_q <= {win_rep_o.length, win_req_o.length};
    if (rst_i) begin
      accept_q  <= '0;
      entry_q   <= 1'b0;
      refused_q <= '0;
    end
  end

  fsh_events #(
      .PORTS(PORTS)
  ) i_events (
      .accept_i      (accept_q),
      .accept_bytes_i(accept_bytes_q),
      .entry_i       (entry_q),
      .refused_i     (refused_q),
      .gasnet_i      (events_i),
      .step_o        (step),
      .add_o         (add)
  );

  fsh_perf #(
      .PORTS(PORTS)
  ) i_perf (
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

  logic req_busy, rep_busy;
  assign req_busy = !(win_empty[0] && park_empty[0]) &&
                    !((win_empty[0] || win_waiting[0]) && park_still[0] && stopped_i);
  assign rep_busy = !(win_empty[1] && park_empty[1]) &&
                    !((win_empty[1] || win_waiting[1]) && park_still[1] && stopped_i);
  assign busy_o   = regs_busy || req_busy || rep_busy || hostw_busy || perf_busy ||
                    |entry_valid;
endmodule

`default_nettype wire
