// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none

/// One end of a link for tb_fsh_link: the sending and the receiving side of a
/// port, joined as the node joins them.
module tb_fsh_link_end (
    input  wire logic         clk_i,
    input  wire logic         rst_i,
    input  wire logic [7:0]   node_i,
    input  wire logic         dateline_i,
    output logic      [1:0]   seq_ok_o,
    input  wire logic [1:0]   seq_take_i,
    input  wire logic [6:0]   seq_beats_i,
    input  wire logic         seq_valid_i,
    output logic              seq_ready_o,
    input  wire logic [6:0]   seq_follow_i,
    input  wire logic [127:0] seq_data_i,
    input  wire logic         ack_valid_i,
    output logic              ack_ready_o,
    input  wire logic [127:0] ack_data_i,
    input  wire logic [3:0]   fwd_valid_i,
    input  wire logic [3:0]   fwd_start_i,
    output logic      [3:0]   fwd_ready_o,
    input  wire logic [27:0]  fwd_follow_i,
    input  wire logic [511:0] fwd_data_i,
    output logic              link_valid_o,
    output logic              link_bound_o,
    output logic      [127:0] link_data_o,
    input  wire logic         link_valid_i,
    input  wire logic         link_bound_i,
    input  wire logic [127:0] link_data_i,
    output logic      [3:0]   valid_o,
    input  wire logic [3:0]   ready_i,
    output logic      [3:0]   sop_o,
    output logic      [3:0]   local_o,
    output logic      [27:0]  follow_o,
    output logic      [511:0] data_o,
    output logic              busy_o
);
  logic        credit_valid, tx_busy, rx_busy;
  logic [63:0] credit, freed;

  fsh_link_tx i_tx (
      .clk_i,
      .rst_i,
      .dateline_i,
      .seq_ok_o,
      .seq_take_i,
      .seq_beats_i,
      .seq_valid_i,
      .seq_ready_o,
      .seq_follow_i,
      .seq_data_i,
      .ack_valid_i,
      .ack_ready_o,
      .ack_data_i,
      .fwd_valid_i,
      .fwd_start_i,
      .fwd_ready_o,
      .fwd_follow_i,
      .fwd_data_i,
      .credit_valid_i(credit_valid),
      .credit_i      (credit),
      .freed_i       (freed),
      .link_valid_o,
      .link_bound_o,
      .link_data_o,
      .others_o      (),
      .seq_sop_o     (),
      .fwd_sop_o     (),
      .stall_o       (),
      .busy_o        (tx_busy)
  );

  fsh_link_rx i_rx (
      .clk_i,
      .rst_i,
      .node_i,
      .link_valid_i,
      .link_bound_i,
      .link_data_i,
      .credit_valid_o(credit_valid),
      .credit_o      (credit),
      .freed_o       (freed),
      .valid_o,
      .ready_i,
      .sop_o,
      .local_o,
      .follow_o,
      .data_o,
      .busy_o        (rx_busy)
  );

  assign busy_o = tx_busy || rx_busy;
endmodule

`default_nettype wire
