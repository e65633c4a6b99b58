// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none

/// An exact dot product (sign, magnitude) and the exponents of its blocks to
/// FP32: at least 2^128 is Inf, below 2^-126 is +0; a block with exponent 255
/// (first) makes NaN, one with exponent 0 makes +0. Exponents come a cycle
/// before the magnitude. Latency 2 cycles from the magnitude, one a cycle;
/// v_i[s] says that stage s works, 0 is that of the exponents. No reset.
module fsh_term #(
    parameter int unsigned BLOCK = 16,
    parameter int unsigned MAN   = 7,
    localparam int unsigned MAG = 2 * MAN + $clog2(BLOCK)
) (
    input  wire logic           clk_i,
    input  wire logic [2:0]     v_i,
    input  wire logic [7:0]     x_exp_i,
    input  wire logic [7:0]     w_exp_i,
    input  wire logic           sign_i,
    input  wire logic [MAG-1:0] mag_i,
    output logic      [31:0]    term_o
);
  // The top bit of the normalized magnitude stands for 2^(MAG-1 - zeros in front).
  localparam logic [10:0] OFFSET = 11'(254 + 2 * (MAN - 1) - 127 - (MAG - 1));

  // Far below zero if one of the blocks is zero.
  logic [10:0] exp1_q, exp2_q;
  logic        nan1_q, nan2_q;

  always_ff @(posedge clk_i) begin
    if (v_i[0]) begin
      exp1_q <= x_exp_i == '0 || w_exp_i == '0 ? 11'h600
                                               : {3'd0, x_exp_i} + {3'd0, w_exp_i} - OFFSET;
      nan1_q <= x_exp_i == '1 || w_exp_i == '1;
    end
  end

  logic [MAG-1:0] man2_q;
  logic [4:0]  lead2_q;
  logic        sign2_q;

  always_ff @(posedge clk_i) begin
    if (v_i[1]) begin : stage1
      logic [MAG-1:0] man;
      logic [4:0]     lead;  // zeros in front: each step looks at what the last one left
      man = mag_i;
      for (int s = 4; s >= 0; s--) begin
        lead[s] = man >> (MAG - (1 << s)) == '0;
        man     = lead[s] ? man << (1 << s) : man;
      end
      man2_q  <= man;
      lead2_q <= lead;
      sign2_q <= sign_i;
      exp2_q  <= exp1_q;
      nan2_q  <= nan1_q;
    end
  end

  always_ff @(posedge clk_i) begin
    if (v_i[2]) begin : stage2
      logic [10:0] exp;
      logic [30:0] all;
      exp = exp2_q - {6'd0, lead2_q};
      all = {exp[7:0], man2_q[MAG-2:0], {24 - MAG{1'b0}}};
      if (exp >= 11'd255) all = fsh_fp_pkg::F32_INF;
      term_o <= {sign2_q, all};
      if (!man2_q[MAG-1] || exp[10] || exp == '0) term_o <= '0;
      if (nan2_q) term_o <= fsh_fp_pkg::F32_NAN;
    end
  end
endmodule

`default_nettype wire
