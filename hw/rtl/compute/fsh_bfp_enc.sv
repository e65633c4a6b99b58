// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none
`include "fsh_assert.svh"

/// BLOCK FP32 values to one block of block floating point in the form of the
/// array: {exp, BLOCK mantissas of MAN+1 bits in two's complement}, value i of
/// x_i at [32*i+:32] to mantissa i. keep_i[i] = 0 makes value i zero first.
/// The largest exponent is shared, magnitudes are rounded to nearest even; if
/// one rounds up to 2^MAN, all are rounded again with the next exponent (at 254:
/// saturate). Denormals are zero. With Inf or NaN in it the exponent is 255: Inf
/// becomes +-2^(MAN-1), NaN 2^MAN-1, all others 0.
/// Latency 4 cycles, one block a cycle, in order; side_i travels along. stall_i
/// freezes the whole pipeline (inputs of that cycle are not taken). Reset
/// empties it; data registers have none.
module fsh_bfp_enc #(
    parameter int unsigned BLOCK = 16,
    parameter int unsigned MAN   = 7,
    parameter int unsigned SIDE  = 8,
    localparam int unsigned MW = BLOCK * (MAN + 1)
) (
    input  wire logic                clk_i,
    input  wire logic                rst_i,
    input  wire logic                stall_i,
    input  wire logic                valid_i,
    input  wire logic [32*BLOCK-1:0] x_i,
    input  wire logic [BLOCK-1:0]    keep_i,
    input  wire logic [SIDE-1:0]     side_i,
    output logic                     valid_o,
    output logic      [MW+7:0]       block_o,
    output logic      [SIDE-1:0]     side_o
);
  // Of a value matter sign, exponent, the MAN fraction bits after the hidden one
  // and whether there are ones behind them.
  localparam int unsigned VW = MAN + 10;
  localparam int unsigned SW = $clog2(MAN + 1);
  localparam int unsigned HALF = BLOCK / 2;

  function automatic logic [VW-1:0] reduce(input logic [31:0] value, input logic keep);
    reduce = !keep || value[30:23] == '0 ? '0 : {value[31:23-MAN], value[22-MAN:0] != '0};
  endfunction

  // The exponent that the value asks for: rounding up to 2^MAN takes the next
  // one. With 254 it stays, 255 is Inf and NaN.
  function automatic logic [7:0] wish(input logic [7:0] exp, input logic [MAN-1:0] frac);
    wish = exp + {7'd0, frac == '1 && exp[7:1] != '1 && exp != '0};
  endfunction

  function automatic logic [7:0] larger(input logic [7:0] a, input logic [7:0] b);
    larger = a < b ? b : a;
  endfunction

  // How far a value's exponent is below the block's, up to MAN; in front: whether the
  // value is less than half a unit.
  function automatic logic [SW:0] distance(input logic [7:0] own, input logic [7:0] exp);
    logic [7:0] below;
    below    = exp - own;
    distance = {below > 8'(MAN) || own == '0, below[SW-1:0]};
  endfunction

  // The value in units of the block, in two's complement.
  function automatic logic [MAN:0] mantissa(input logic special, input logic [VW-1:0] reduced,
                                            input logic none, input logic [SW-1:0] shift);
    logic [2*MAN:0] wide;  // magnitude, the bit that decides, what breaks ties
    logic [MAN:0]   mag;
    logic           up, sign;
    sign = reduced[VW-1];
    wide = {1'b1, reduced[MAN:1], {MAN{1'b0}}} >> shift;
    up   = wide[MAN] && (wide[MAN+1] || wide[MAN-1:0] != '0 || reduced[0]);
    mag  = {1'b0, wide[2*MAN:MAN+1]} + {{MAN{1'b0}}, up};
    if (mag[MAN]) mag = {1'b0, {MAN{1'b1}}};
    if (none) mag = '0;
    if (special) begin
      sign = sign && reduced[MAN:0] == '0;
      mag  = reduced[MAN:0] == '0 ? {2'b01, {MAN - 1{1'b0}}} : {1'b0, {MAN{1'b1}}};
      if (reduced[VW-2-:8] != '1) mag = '0;
    end
    mantissa = sign ? -mag : mag;
  endfunction

  logic                v1_q, v2_q, v3_q;
  logic [SIDE-1:0]     side1_q, side2_q, side3_q;
  logic [VW*BLOCK-1:0] val1_q, val2_q, val3_q;
  logic [8*HALF-1:0]   exp1_q;
  logic [8*HALF/4-1:0] exp2_q;
  logic [7:0]          exp3_q;
  logic [(SW+1)*BLOCK-1:0] dist3_q;

  // 1: what matters; the larger exponent of each pair.
  logic [VW*BLOCK-1:0] reduced;
  logic [8*BLOCK-1:0]  wished;

  always_comb begin
    reduced = 'x;
    wished  = 'x;
    if (valid_i) begin
      for (int i = 0; i < BLOCK; i++) begin
        reduced[VW*i+:VW] = reduce(x_i[32*i+:32], keep_i[i]);
        wished[8*i+:8]    = wish(reduced[VW*i+MAN+1+:8], reduced[VW*i+1+:MAN]);
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (valid_i && !stall_i) begin
      for (int i = 0; i < HALF; i++) begin
        exp1_q[8*i+:8] <= larger(wished[16*i+:8], wished[16*i+8+:8]);
      end
      val1_q  <= reduced;
      side1_q <= side_i;
    end
  end

  // 2: of each eight.
  always_ff @(posedge clk_i) begin
    if (v1_q && !stall_i) begin
      for (int i = 0; i < HALF / 4; i++) begin
        exp2_q[8*i+:8] <= larger(larger(exp1_q[32*i+:8], exp1_q[32*i+8+:8]),
                                 larger(exp1_q[32*i+16+:8], exp1_q[32*i+24+:8]));
      end
      val2_q  <= val1_q;
      side2_q <= side1_q;
    end
  end

  // 3: of all; how far each value is below it.
  always_ff @(posedge clk_i) begin
    if (v2_q && !stall_i) begin : stage3
      logic [7:0] exp;
      exp    = larger(exp2_q[7:0], exp2_q[15:8]);
      exp3_q <= exp;
      for (int i = 0; i < BLOCK; i++) begin
        dist3_q[(SW+1)*i+:SW+1] <= distance(val2_q[VW*i+MAN+1+:8], exp);
      end
      val3_q  <= val2_q;
      side3_q <= side2_q;
    end
  end

  // 4: the mantissas.
  always_ff @(posedge clk_i) begin
    if (v3_q && !stall_i) begin
      for (int i = 0; i < BLOCK; i++) begin
        block_o[(MAN+1)*i+:MAN+1] <= mantissa(exp3_q == '1, val3_q[VW*i+:VW],
                                              dist3_q[(SW+1)*i+SW], dist3_q[(SW+1)*i+:SW]);
      end
      block_o[MW+:8] <= exp3_q;
      side_o         <= side3_q;
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
  `FSH_ASSERT(a_special, !(valid_o && !stall_i) || block_o[MW+:8] != '0 || block_o == '0)
endmodule

`default_nettype wire
