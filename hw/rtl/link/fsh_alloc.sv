// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none
`include "fsh_assert.svh"

/// Allocator of one output for what passes through: says which input may begin a packet
/// for it (one-hot), round robin by packet. req_i: an input has a packet whose channel has
/// credit; busy_i: it is reading one for another output; inside_i: it has more to read of
/// one for this output; started_i: it begins one. The turn is a register, given in
/// advance, so that the next packet begins in the cycle after the last beat of the one
/// before is read; a single beat is followed by another packet after two cycles. An input
/// that keeps asking and is free begins after at most N-1 packets of others. One input
/// needs no turn. Reset: no turn.
module fsh_alloc #(
    parameter int unsigned N = 3
) (
    input  wire logic         clk_i,
    input  wire logic         rst_i,
    input  wire logic [N-1:0] req_i,
    input  wire logic [N-1:0] busy_i,
    input  wire logic [N-1:0] inside_i,
    input  wire logic [N-1:0] started_i,
    output logic      [N-1:0] start_o
);
  if (N == 1) begin : gen_one
    logic unused;
    assign unused  = &{clk_i, rst_i, req_i, busy_i, inside_i, started_i};
    assign start_o = 1'b1;
  end else begin : gen_turn
    logic [N-1:0] gnt, turn_q, want;
    logic         begun_q, started;

    assign started = started_i != '0;
    assign want    = req_i & ~busy_i;

    // While a packet begins, the priority moves on; the turn follows a cycle later.
    fsh_arb #(
        .N(N)
    ) i_arb (
        .clk_i,
        .rst_i,
        .req_i (started ? started_i : want),
        .take_i(started),
        .gnt_o (gnt)
    );

    always_ff @(posedge clk_i) begin
      if (!started) turn_q <= gnt;
      begun_q <= started;
      if (rst_i) begin
        turn_q  <= '0;
        begun_q <= 1'b0;
      end
    end

    assign start_o = turn_q & {N{!begun_q && inside_i == '0}};

    `FSH_ASSERT(assert_one, (started_i & (started_i - 1'b1)) == '0)
    `FSH_ASSERT(assert_turn, (started_i & ~start_o) == '0)
    `FSH_ASSERT(assert_inside, (inside_i & (inside_i - 1'b1)) == '0)
  end
endmodule

`default_nettype wire
