// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none

/// Edge of the array: the blocks of two rows of W to lanes w1 * 2^SPACE + w0 and
/// their sum, as fsh_dot wants them. Of w_i, all rows, it takes rows ROW and
/// ROW+1. The first comes with v_i[0] of its step, the other a cycle later with
/// v_i[1]; outputs are registers, written in the cycle of v_i[2]. No reset.
module fsh_pack #(
    parameter int unsigned ROWS  = 16,
    parameter int unsigned ROW   = 0,
    parameter int unsigned BLOCK = 16,
    parameter int unsigned MAN   = 7,
    localparam int unsigned BW = BLOCK * (MAN + 1) + 8,
    localparam int unsigned SUM = 3 * MAN + 2 + 2 * $clog2(BLOCK)
) (
    input  wire logic                clk_i,
    input  wire logic [2:0]          v_i,
    input  wire logic [ROWS*BW-1:0]  w_i,
    output logic      [BLOCK*32-1:0] lane_o,
    output logic      [SUM-1:0]      sum_o,
    output logic      [15:0]         exp_o
);
  localparam int unsigned W = MAN + 1;
  localparam int unsigned SPACE = 2 * MAN + $clog2(BLOCK) + 1;

  // Sign extended to 32 bits.
  function automatic logic [31:0] lane(input logic [W-1:0] w1, input logic [W-1:0] w0);
    lane = {{32 - W{w1[W-1]}}, w1} << SPACE;
    lane = lane + {{32 - W{w0[W-1]}}, w0};
  endfunction

  logic [BW-1:0] early_q, row0_q, row1_q;

  always_ff @(posedge clk_i) begin
    if (v_i[0]) early_q <= w_i[ROW*BW+:BW];
    if (v_i[1]) begin
      row0_q <= early_q;
      row1_q <= w_i[(ROW+1)*BW+:BW];
    end
  end

  always_ff @(posedge clk_i) begin
    if (v_i[2]) begin : stage3
      logic [31:0]    now;
      logic [SUM-1:0] sum;
      sum = '0;
      for (int i = 0; i < BLOCK; i++) begin
        now               = lane(row1_q[W*i+:W], row0_q[W*i+:W]);
        sum               = sum + now[SUM-1:0];
        lane_o[32*i+:32] <= now;
      end
      sum_o <= sum;
      exp_o <= {row1_q[BW-1-:8], row0_q[BW-1-:8]};
    end
  end
endmodule

`default_nettype wire
