// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none
`include "fsh_assert.svh"

/// Choice of the next packet among queues of two classes, N of each, here called short and long
/// (of packets, or of messages): round robin within a class, the short ones first, but after
/// WEIGHT of them in a row while others wait one of those. gnt_o: one-hot, {long, short};
/// take_i: it begins. Combinational but for the turns; anything while nobody looks (look_i is low).
/// A queue that keeps asking is chosen after at most (N-1) * (WEIGHT+1) + WEIGHT others.
module fsh_pick #(
    parameter int unsigned N = 4,
    parameter int unsigned WEIGHT = 8  // packets, a power of two
) (
    input  wire logic           clk_i,
    input  wire logic           rst_i,
    input  wire logic   [N-1:0] short_i,
    input  wire logic   [N-1:0] long_i,
    input  wire logic           look_i,
    input  wire logic           take_i,
    output logic      [2*N-1:0] gnt_o
);
  localparam int unsigned TURN_W = $clog2(WEIGHT) + 1;
  logic [N-1:0]      short_gnt, long_gnt;
  logic [TURN_W-1:0] row_q;  // short ones in a row while long ones waited
  logic              long;

  always_comb begin
    long = 'x;
    if (look_i) long = long_i != '0 && (short_i == '0 || row_q[TURN_W-1]);
  end
  always_comb begin
    gnt_o = 'x;
    if (look_i) gnt_o = {long_gnt & {N{long}}, short_gnt & {N{!long}}};
  end

  fsh_arb #(
      .N(N)
  ) i_short (
      .clk_i,
      .rst_i,
      .req_i (short_i),
      .look_i(look_i && !long),
      .take_i(take_i && !long),
      .gnt_o (short_gnt)
  );
  fsh_arb #(
      .N(N)
  ) i_long (
      .clk_i,
      .rst_i,
      .req_i (long_i),
      .look_i(look_i && long),
      .take_i(take_i && long),
      .gnt_o (long_gnt)
  );

  always_ff @(posedge clk_i) begin
    if (take_i) row_q <= long || long_i == '0 ? '0 : row_q + TURN_W'(!row_q[TURN_W-1]);
    if (rst_i) row_q <= '0;
  end

  `FSH_ASSERT(assert_one, !look_i || (gnt_o & (gnt_o - 1'b1)) == '0)
  `FSH_ASSERT(assert_asked, !look_i || (gnt_o & ~{long_i, short_i}) == '0)
endmodule

`default_nettype wire
