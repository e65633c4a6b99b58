// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none

/// What stands behind one link port: the link's two halves and the receiver. Packets
/// for this node go to the receiver, with those of the loop back (LOOP); what passes
/// through goes to the other port (fwd_*), as what comes from there does (from_*).
/// Wires only; latencies and rules are those of fsh_link_tx, fsh_link_rx and fsh_rx.
/// What the receiver writes goes to device memory (m_*) or to the host writer (rx_*).
module fsh_port #(
    parameter bit LOOP = 1'b1
) (
    input  wire logic                 clk_i,
    input  wire logic                 rst_i,
    input  wire fsh_node_pkg::cfg_t   cfg_i,
    input  wire fsh_node_pkg::route_t route_i,
    input  wire logic                 dateline_i,  // of this port and of the other one
    input  wire logic                 line_i,
    // Sequencer, acks.
    output logic                [1:0] seq_ok_o,
    input  wire logic           [1:0] seq_take_i,
    input  wire logic           [6:0] seq_beats_i,
    input  wire logic                 seq_valid_i,
    input  wire logic                 seq_loop_i,
    output logic                      seq_ready_o,
    input  wire logic                 seq_last_i,
    input  wire logic         [127:0] seq_data_i,
    input  wire logic                 seq_bad_i,
    input  wire logic                 ack_valid_i,
    output logic                      ack_ready_o,
    input  wire fsh_spec_pkg::hdr_t   ack_i,
    output logic                      others_o,
    // From the other port, and to it.
    output logic                [3:0] from_ok_o,
    input  wire logic           [3:0] from_freed_i,
    input  wire logic                 from_valid_i,
    output logic                      from_ready_o,
    input  wire logic                 from_last_i,
    input  wire logic         [127:0] from_data_i,
    input  wire logic                 from_bad_i,
    input  wire logic           [3:0] fwd_start_i,
    output logic                [3:0] fwd_freed_o,
    output logic                      fwd_valid_o,
    input  wire logic                 fwd_ready_i,
    output logic                      fwd_last_o,
    output logic              [127:0] fwd_data_o,
    output logic                      fwd_bad_o,
    // Loop.
    output logic                [1:0] loop_start_o,
    input  wire logic                 loop_request_i,
    input  wire logic                 loop_valid_i,
    output logic                      loop_ready_o,
    input  wire logic                 loop_last_i,
    input  wire logic         [127:0] loop_data_i,
    input  wire logic                 loop_bad_i,
    // The tag table.
    output logic                      tag_busy_o,
    input  wire logic                 tag_hold_i,
    output logic                      tag_re_o,
    output logic [fsh_spec_pkg::TAG_W-1:0] tag_o,
    input  wire fsh_fn_pkg::tag_t     tag_i,
    // Writes to device memory.
    output logic                      m_awvalid_o,
    input  wire logic                 m_awready_i,
    output logic                      m_wvalid_o,
    input  wire logic                 m_wready_i,
    input  wire logic                 m_bvalid_i,
    input  wire logic                 m_berr_i,
    // Writes to host memory; address and data of both.
    output logic                      rx_awvalid_o,
    input  wire logic                 rx_awready_i,
    output logic               [39:0] rx_awaddr_o,
    output logic                [7:0] rx_awlen_o,
    output logic                      rx_wvalid_o,
    input  wire logic                 rx_wready_i,
    output logic              [127:0] rx_wdata_o,
    output logic               [15:0] rx_wstrb_o,
    output logic                      rx_wlast_o,
    input  wire logic                 rx_bvalid_i,
    input  wire logic                 rx_berr_i,
    // Served requests, packets written, requests done with.
    output logic                      get_valid_o,
    input  wire logic                 get_ready_i,
    output fsh_fn_pkg::get_t          get_o,
    output logic                      evt_valid_o,
    input  wire logic                 evt_ready_i,
    output fsh_fn_pkg::evt_t          evt_o,
    input  wire logic           [1:0] budget_return_i,
    // Link.
    output logic                      link_tx_valid_o,
    output logic                      link_tx_bound_o,
    output logic              [127:0] link_tx_data_o,
    input  wire logic                 link_rx_valid_i,
    input  wire logic                 link_rx_bound_i,
    input  wire logic         [127:0] link_rx_data_i,
    // Events for the counters.
    output logic                      seq_sop_o,
    output logic                      fwd_sop_o,
    output logic                      stall_o,
    output logic                      perf_req_o,
    output logic                      perf_rep_o,
    output logic               [10:0] perf_bytes_o,
    output logic                      perf_written_o,
    output logic               [10:0] perf_written_bytes_o,
    output logic                      perf_refused_o,
    output logic                      dropped_o,
    output logic                      link_busy_o,
    output logic                      rx_busy_o
);
  logic         link_ready, tx_busy, lrx_busy, credit_valid, here_request, here_valid;
  logic         here_last, here_bad, aw_host, aw_valid, w_host, w_valid;
  logic [63:0]  credit, freed;
  logic [1:0]   start, rx_ready;
  logic [127:0] here_data;

  assign seq_ready_o  = link_ready || seq_loop_i;
  assign link_busy_o  = tx_busy || lrx_busy;
  assign loop_start_o = start;
  assign loop_ready_o = rx_ready[1];

  fsh_link_tx i_tx (
      .clk_i,
      .rst_i,
      .dateline_i,
      .seq_ok_o,
      .seq_take_i,
      .seq_beats_i,
      .seq_valid_i   (seq_valid_i && !seq_loop_i),
      .seq_ready_o   (link_ready),
      .seq_last_i,
      .seq_data_i,
      .seq_bad_i,
      .ack_valid_i,
      .ack_ready_o,
      .ack_data_i    (ack_i),
      .fwd_ok_o      (from_ok_o),
      .fwd_freed_i   (from_freed_i),
      .fwd_valid_i   (from_valid_i),
      .fwd_ready_o   (from_ready_o),
      .fwd_last_i    (from_last_i),
      .fwd_data_i    (from_data_i),
      .fwd_bad_i     (from_bad_i),
      .credit_valid_i(credit_valid),
      .credit_i      (credit),
      .freed_i       (freed),
      .link_valid_o  (link_tx_valid_o),
      .link_bound_o  (link_tx_bound_o),
      .link_data_o   (link_tx_data_o),
      .others_o,
      .seq_sop_o,
      .fwd_sop_o,
      .stall_o,
      .busy_o        (tx_busy)
  );

  fsh_link_rx i_lrx (
      .clk_i,
      .rst_i,
      .node_i        (cfg_i.node),
      .line_i,
      .link_valid_i  (link_rx_valid_i),
      .link_bound_i  (link_rx_bound_i),
      .link_data_i   (link_rx_data_i),
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
      .fwd_start_i,
      .fwd_freed_o,
      .fwd_valid_o,
      .fwd_ready_i,
      .fwd_last_o,
      .fwd_data_o,
      .fwd_bad_o,
      .busy_o        (lrx_busy)
  );

  fsh_rx #(
      .LOOP(LOOP)
  ) i_rx (
      .clk_i,
      .rst_i,
      .node_i       (cfg_i.node),
      .nodes_i      (cfg_i.nodes),
      .seg_base_i   (cfg_i.seg_base),
      .seg_size_i   (cfg_i.seg_size),
      .slot_hdr_i   (cfg_i.slot_hdr),
      .slot_pay_i   (cfg_i.slot_pay),
      .ports_i      (cfg_i.ports),
      .route_we_i   (route_i.we),
      .route_waddr_i(route_i.node),
      .route_wdata_i(route_i.ports),
      .start_o      (start),
      .request_i    ({LOOP && loop_request_i, here_request}),
      .valid_i      ({LOOP && loop_valid_i, here_valid}),
      .ready_o      (rx_ready),
      .last_i       ({loop_last_i, here_last}),
      .link_data_i  (here_data),
      .loop_data_i,
      .bad_i        ({loop_bad_i, here_bad}),
      .tag_busy_o,
      .tag_hold_i,
      .tag_re_o,
      .tag_o,
      .tag_i,
      .awvalid_o    (aw_valid),
      .awready_i    (aw_host ? rx_awready_i : m_awready_i),
      .awhost_o     (aw_host),
      .awaddr_o     (rx_awaddr_o),
      .awlen_o      (rx_awlen_o),
      .wvalid_o     (w_valid),
      .wready_i     (w_host ? rx_wready_i : m_wready_i),
      .whost_o      (w_host),
      .wdata_o      (rx_wdata_o),
      .wstrb_o      (rx_wstrb_o),
      .wlast_o      (rx_wlast_o),
      .mem_bvalid_i (m_bvalid_i),
      .mem_berr_i   (m_berr_i),
      .host_bvalid_i(rx_bvalid_i),
      .host_berr_i  (rx_berr_i),
      .get_valid_o,
      .get_ready_i,
      .get_o,
      .evt_valid_o,
      .evt_ready_i,
      .evt_o,
      .budget_return_i,
      .perf_req_o,
      .perf_rep_o,
      .perf_bytes_o,
      .perf_written_o,
      .perf_written_bytes_o,
      .perf_refused_o,
      .dropped_o,
      .busy_o       (rx_busy_o)
  );

  assign rx_awvalid_o = aw_valid && aw_host;
  assign rx_wvalid_o  = w_valid && w_host;
  assign m_awvalid_o  = aw_valid && !aw_host;
  assign m_wvalid_o   = w_valid && !w_host;
endmodule

`default_nettype wire
