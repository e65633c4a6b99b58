// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none

/// Dot products of one block of X with a block of W for each of two processing
/// elements, exact, as sign and magnitude. A multiplier (27x18 bits in a DSP
/// block) makes two products: its lane of W holds a mantissa of either, w1 *
/// 2^SPACE + w0, and so do the sums. X comes with its sign bits inverted, which
/// makes it the number without sign x + 2^MAN; w_sum_i, the sum of the lanes,
/// takes that off again. A lane has LANE bits at a stride of 32.
/// Latency 2 cycles, one a cycle; v_i[s] says that stage s works. No reset.
module fsh_dot #(
    parameter int unsigned BLOCK = 16,
    parameter int unsigned MAN   = 7,
    localparam int unsigned SPACE = 2 * MAN + $clog2(BLOCK) + 1,
    localparam int unsigned LANE = SPACE + MAN + 1,
    localparam int unsigned SUM = LANE + $clog2(BLOCK)
) (
    input  wire logic                       clk_i,
    input  wire logic [1:0]                 v_i,
    input  wire logic [BLOCK*(MAN+1)-1:0]   x_i,
    input  wire logic [BLOCK*32-1:0]        w_i,
    input  wire logic [SUM-1:0]             w_sum_i,
    output logic      [1:0]                 sign_o,
    output logic      [SPACE-2:0]           mag0_o,
    output logic      [SPACE-2:0]           mag1_o
);
  localparam int unsigned W = MAN + 1;

  // 1: the products, two by two, as chained DSP blocks add them.
  logic [SUM-1:0]      w_sum_q;
  logic [32*BLOCK-1:0] pair_q;

  always_ff @(posedge clk_i) begin
    if (v_i[0]) begin : stage1
      logic signed [63:0] w0, x0, w1, x1;
      for (int i = 0; i < BLOCK; i += 2) begin
        w0 = $signed({{64 - LANE{w_i[32*i+LANE-1]}}, w_i[32*i+:LANE]});
        x0 = $signed({{64 - W{1'b0}}, x_i[W*i+:W]});
        w1 = $signed({{64 - LANE{w_i[32*i+32+LANE-1]}}, w_i[32*i+32+:LANE]});
        x1 = $signed({{64 - W{1'b0}}, x_i[W*i+W+:W]});
        pair_q[32*i+:64] <= w0 * x0 + w1 * x1;
      end
      w_sum_q <= w_sum_i;
    end
  end

  // 2: their sum, of which 2*SPACE bits count: the dot product of element 0 in
  // the lower half, below zero it has taken one from that of element 1.
  always_ff @(posedge clk_i) begin
    if (v_i[1]) begin : stage2
      logic [63:0]      sum;
      logic [SPACE-1:0] upper, lower;
      sum = '0;
      for (int i = 0; i < BLOCK; i += 2) sum = sum + pair_q[32*i+:64];
      sum    = sum - {{64 - MAN - SUM{w_sum_q[SUM-1]}}, w_sum_q, {MAN{1'b0}}};
      lower  = sum[SPACE-1:0];
      upper  = sum[SPACE+:SPACE];
      sign_o <= {upper[SPACE-1], lower[SPACE-1]};
      mag0_o <= (lower[SPACE-2:0] ^ {SPACE - 1{lower[SPACE-1]}}) +
                {{SPACE - 2{1'b0}}, lower[SPACE-1]};
      mag1_o <= (upper[SPACE-2:0] ^ {SPACE - 1{upper[SPACE-1]}}) +
                {{SPACE - 2{1'b0}}, upper[SPACE-1] != lower[SPACE-1]};
    end
  end
endmodule

`default_nettype wire
