// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none
`include "fsh_assert.svh"

/// Allocator of one output for what passes through: says which input may begin a packet
/// for it (one-hot), and of which class, round robin by packet. Short packets go first, but
/// after WEIGHT of them in a row while long ones wait one of those; inputs that are free go
/// first, but after WEIGHT packets in a row while one that is busy has something the turn
/// waits for that. short_i, long_i: an input has such a packet whose channel has credit;
/// busy_i: it is reading one for another output; inside_i: it has more to read of one for
/// this output; started_i: it begins one, a long one if started_long_i. The turn is a
/// register, given in advance, so that the next packet begins in the cycle after the last
/// beat of the one before is read; a single beat is followed by another packet after two
/// cycles. One input needs no turn. Reset: no turn.
module fsh_alloc #(
    parameter int unsigned N = 3,
    parameter int unsigned WEIGHT = 8  // packets, a power of two
) (
    input  wire logic         clk_i,
    input  wire logic         rst_i,
    input  wire logic [N-1:0] short_i,
    input  wire logic [N-1:0] long_i,
    input  wire logic [N-1:0] busy_i,
    input  wire logic [N-1:0] inside_i,
    input  wire logic [N-1:0] started_i,
    input  wire logic         started_long_i,
    output logic      [N-1:0] start_short_o,
    output logic      [N-1:0] start_long_o
);
  if (N == 1) begin : gen_one
    logic unused;
    assign unused = &{clk_i, rst_i, short_i, long_i, busy_i, inside_i, started_i, started_long_i};
    assign start_short_o = 1'b1;
    assign start_long_o  = 1'b1;
  end else begin : gen_turn
    localparam int unsigned TURN_W = $clog2(WEIGHT) + 1;
    logic [N-1:0]      gnt, turn_q, from, want, turn;
    logic [TURN_W-1:0] shorts_q;  // short ones in a row while long ones waited
    logic [TURN_W-1:0] frees_q;  // packets of free inputs in a row while a busy one waited
    logic              begun_q, started, any_free, any_busy, busy, any_short, any_long, forced;
    logic              busy_q, forced_q, long_q;

    assign started   = started_i != '0;
    assign any_free  = ((short_i | long_i) & ~busy_i) != '0;
    assign any_busy  = ((short_i | long_i) & busy_i) != '0;
    assign busy      = any_busy && (!any_free || frees_q[TURN_W-1]);
    assign from      = busy ? busy_i : ~busy_i;
    assign any_short = (short_i & from) != '0;
    assign any_long  = (long_i & from) != '0;
    assign forced    = shorts_q[TURN_W-1] && any_long;
    assign want      = any_short && !forced ? short_i & from : long_i & from;

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
      if (!started) begin
        turn_q   <= gnt;
        busy_q   <= busy;
        forced_q <= forced;
        long_q   <= forced || !any_short;
      end else begin
        shorts_q <= started_long_i || long_i == '0 ? '0 : shorts_q + TURN_W'(!shorts_q[TURN_W-1]);
        frees_q  <= busy_q || !any_busy ? '0 : frees_q + TURN_W'(!frees_q[TURN_W-1]);
      end
      begun_q <= started;
      if (rst_i) begin
        turn_q   <= '0;
        shorts_q <= '0;
        frees_q  <= '0;
        begun_q  <= 1'b0;
        busy_q   <= 1'b0;
        forced_q <= 1'b0;
        long_q   <= 1'b0;
      end
    end

    assign turn          = turn_q & {N{!begun_q && inside_i == '0}};
    assign start_short_o = turn & {N{!forced_q}};
    assign start_long_o  = turn & {N{long_q}};

    `FSH_ASSERT(assert_one, (started_i & (started_i - 1'b1)) == '0)
    `FSH_ASSERT(assert_turn, (started_i & ~(started_long_i ? start_long_o : start_short_o)) == '0)
    `FSH_ASSERT(assert_inside, (inside_i & (inside_i - 1'b1)) == '0)
  end
endmodule

`default_nettype wire
