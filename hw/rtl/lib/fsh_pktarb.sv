// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none
`include "fsh_assert.svh"

/// Round-robin arbiter of N packet streams: a packet whose first beat has been taken is not
/// interrupted. valid_i and last_i belong to the beat that each stream offers; sel_o (one-hot) is
/// the select of the user's multiplexer. Combinational; no bubble between packets. A first beat
/// may be withdrawn before it is taken. Reset: between packets.
module fsh_pktarb #(
    parameter int unsigned N = 2
) (
    input  wire logic         clk_i,
    input  wire logic         rst_i,
    input  wire logic [N-1:0] valid_i,
    input  wire logic [N-1:0] last_i,
    output logic      [N-1:0] ready_o,
    output logic      [N-1:0] sel_o,
    output logic              valid_o,
    input  wire logic         ready_i,
    output logic              sop_o,
    output logic              last_o
);
  logic         locked_q, fire;
  logic [N-1:0] sel_q, gnt;

  assign sel_o   = locked_q ? sel_q : gnt;
  assign valid_o = locked_q ? |(sel_q & valid_i) : |valid_i;  // does not wait for the arbiter
  assign sop_o   = !locked_q;
  assign last_o  = |(sel_o & last_i);
  assign ready_o = sel_o & {N{ready_i}};
  assign fire    = valid_o && ready_i;

  fsh_arb #(
      .N(N)
  ) i_arb (
      .clk_i,
      .rst_i,
      .req_i (valid_i),
      .look_i(!locked_q),
      .take_i(fire && !locked_q),
      .gnt_o (gnt)
  );

  always_ff @(posedge clk_i) begin
    if (fire) begin
      locked_q <= !last_o;
      sel_q    <= sel_o;
    end
    if (rst_i) locked_q <= 1'b0;
  end

  `FSH_ASSERT(assert_select, (sel_o & (sel_o - 1'b1)) == '0)
endmodule

`default_nettype wire
