// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none
`include "fsh_assert.svh"

/// FP32 adder, LANES sums at once: round to nearest even; denormal inputs are
/// zero, results below 2^-126 and zeros are +0, every NaN is 7fc00000. Latency 4
/// cycles, LANES sums a cycle, in order; side_i travels along. No back-pressure
/// but stall_i, which freezes the whole pipeline (inputs of that cycle are not
/// taken). Reset empties it; data registers have none.
module fsh_fp_add #(
    parameter int unsigned LANES = 1,
    parameter int unsigned SIDE  = 1
) (
    input  wire logic                clk_i,
    input  wire logic                rst_i,
    input  wire logic                stall_i,
    input  wire logic                valid_i,
    input  wire logic [32*LANES-1:0] a_i,
    input  wire logic [32*LANES-1:0] b_i,
    input  wire logic [SIDE-1:0]     side_i,
    output logic                     valid_o,
    output logic      [32*LANES-1:0] sum_o,
    output logic      [SIDE-1:0]     side_o
);
  logic            v1_q, v2_q, v3_q;
  logic [SIDE-1:0] side1_q, side2_q, side3_q;

  for (genvar l = 0; l < LANES; l++) begin : gen_lane
    logic [31:0] a, b, sum_q;

    assign a = a_i[32*l+:32];
    assign b = b_i[32*l+:32];
    assign sum_o[32*l+:32] = sum_q;

    // 1: the larger magnitude in front; the smaller one as a significand.
    logic        sub1_q, nan1_q;
    logic [31:0] big1_q;
    logic [23:0] man1_q;
    logic [4:0]  apart1_q;

    always_ff @(posedge clk_i) begin
      if (valid_i && !stall_i) begin : stage1
        logic [31:0] big;
        logic [22:0] small_;
        logic [7:0]  apart;
        logic        swap, zero, nan, inf;
        swap     = a[30:0] < b[30:0];
        // Looked at before the exchange, which comes late.
        zero     = swap ? a[30:23] == '0 : b[30:23] == '0;
        nan      = a[30:0] > fsh_fp_pkg::F32_INF || b[30:0] > fsh_fp_pkg::F32_INF;
        inf      = a[30:0] == fsh_fp_pkg::F32_INF && b[30:0] == fsh_fp_pkg::F32_INF;
        big      = swap ? b : a;
        small_   = swap ? a[22:0] : b[22:0];
        // Not big - small: its XOR would be shared with that of the comparison, a loop.
        apart    = swap ? b[30:23] - a[30:23] : a[30:23] - b[30:23];
        big1_q   <= big;
        man1_q   <= zero ? '0 : {1'b1, small_};
        apart1_q <= apart[7:5] != '0 ? '1 : apart[4:0];
        sub1_q   <= a[31] != b[31];
        nan1_q   <= nan || (inf && a[31] != b[31]);
      end
    end

    // 2: aligned to the larger one with guard, round and sticky bits, added.
    logic        sign2_q, nan2_q;
    logic [7:0]  exp2_q;
    logic [27:0] sum2_q;

    always_ff @(posedge clk_i) begin
      if (v1_q && !stall_i) begin : stage2
        logic [31:0] wide;
        logic [27:0] kept, big, part;
        wide    = {5'd0, man1_q, 3'd0};
        kept    = 28'(wide >> apart1_q);
        big     = {2'b01, big1_q[22:0], 3'd0};  // also if it is zero: stage 4 sees that
        part    = {kept[27:1], kept[0] || (wide & ~(32'hffff_ffff << apart1_q)) != '0};
        sum2_q  <= sub1_q ? big - part : big + part;
        exp2_q  <= big1_q[30:23];
        sign2_q <= big1_q[31];
        nan2_q  <= nan1_q;
      end
    end

    // 3: normalized; the exponent is that of bit 27.
    logic        sign3_q, nan3_q;
    logic [8:0]  exp3_q;
    logic [27:0] man3_q;

    always_ff @(posedge clk_i) begin
      if (v2_q && !stall_i) begin : stage3
        logic [27:0] man;
        logic [4:0]  lead;  // zeros in front: each step looks at what the last one left
        man = sum2_q;
        for (int s = 4; s >= 0; s--) begin
          lead[s] = man >> (28 - (1 << s)) == '0;
          man     = lead[s] ? man << (1 << s) : man;
        end
        man3_q  <= man;
        exp3_q  <= exp2_q == '1 ? {1'b0, exp2_q} : {1'b0, exp2_q} + 9'd1 - {4'd0, lead};
        sign3_q <= sign2_q;
        nan3_q  <= nan2_q;
      end
    end

    // 4: rounded, packed. What is below 2^-126 is exact, so rounding comes after.
    always_ff @(posedge clk_i) begin
      if (v3_q && !stall_i) begin : stage4
        logic [31:0] all;
        all = {1'b0, exp3_q[7:0], man3_q[26:4]} +
              {31'd0, man3_q[3] && (man3_q[4] || man3_q[2:0] != '0)};
        if (all[31] || all[30:23] == '1) all[30:0] = fsh_fp_pkg::F32_INF;
        all[31] = sign3_q;
        if (!man3_q[27] || exp3_q[8] || exp3_q[7:0] == '0) all = '0;
        sum_q <= nan3_q ? fsh_fp_pkg::F32_NAN : all;
      end
    end

    `FSH_ASSERT(a_normal, !v3_q || man3_q[27] || man3_q == '0)
    `FSH_ASSERT(a_result, !valid_o || sum_q[30:23] != '0 || sum_q == '0)
  end

  always_ff @(posedge clk_i) begin
    if (!stall_i) begin
      if (valid_i) side1_q <= side_i;
      if (v1_q) side2_q <= side1_q;
      if (v2_q) side3_q <= side2_q;
      if (v3_q) side_o <= side3_q;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!stall_i) begin
      v1_q    <= valid_i;
      v2_q    <= v1_q;
      v3_q    <= v2_q;
      valid_o <= v3_q;
    end
    if (rst_i) begin
      v1_q    <= 1'b0;
      v2_q    <= 1'b0;
      v3_q    <= 1'b0;
      valid_o <= 1'b0;
    end
  end
endmodule

`default_nettype wire
