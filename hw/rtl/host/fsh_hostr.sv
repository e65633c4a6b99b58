// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none
`include "fsh_assert.svh"

/// Merges the host reads of the two sequencers, burst by burst, round robin;
/// the identifier tells whose data comes back. One register on the way out.
module fsh_hostr (
    input  wire logic         clk_i,
    input  wire logic         rst_i,
    input  wire logic   [1:0] seq_arvalid_i,
    output logic        [1:0] seq_arready_o,
    input  wire logic  [95:0] seq_araddr_i,
    input  wire logic  [15:0] seq_arlen_i,
    output logic        [1:0] seq_rvalid_o,
    output logic              arvalid_o,
    input  wire logic         arready_i,
    output logic       [47:0] araddr_o,
    output logic        [7:0] arlen_o,
    output logic              arid_o,
    input  wire logic         rvalid_i,
    input  wire logic         rid_i,
    input  wire logic         rlast_i,
    output logic              busy_o
);
  logic [1:0] gnt;
  logic       room, push, done;
  logic [7:0] open_q;

  fsh_arb #(
      .N(2)
  ) i_arb (
      .clk_i,
      .rst_i,
      .req_i (seq_arvalid_i),
      .take_i(push),
      .gnt_o (gnt)
  );

  assign push          = |seq_arvalid_i && room && !open_q[7];
  assign done          = rvalid_i && rlast_i;
  assign seq_arready_o = gnt & {2{push}};
  assign seq_rvalid_o  = {rid_i, !rid_i} & {2{rvalid_i}};

  fsh_fifo #(.WIDTH(57), .DEPTH(4)) i_ar (
      .clk_i,
      .rst_i,
      .valid_i(push),
      .ready_o(room),
      .data_i (gnt[1] ? {1'b1, seq_arlen_i[15:8], seq_araddr_i[95:48]} :
                        {1'b0, seq_arlen_i[7:0], seq_araddr_i[47:0]}),
      .valid_o(arvalid_o),
      .ready_i(arready_i),
      .data_o ({arid_o, arlen_o, araddr_o}),
      .count_o()
  );

  always_ff @(posedge clk_i) begin
    open_q <= open_q + {7'd0, push} - {7'd0, done};
    if (rst_i) open_q <= '0;
  end

  assign busy_o = open_q != '0;

  `FSH_ASSERT(assert_open, !done || open_q != '0)
endmodule

`default_nettype wire
