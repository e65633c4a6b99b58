// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none

/// One value of a block of block floating point to FP32 (fsh_bfp_dec). exps_i: by the position of
/// the leading one the exponent, 0 if it is none of FP32; live_i: where it is one, and odd_i is
/// low. odd_i: a magnitude of 64 is Inf, any other NaN. A module of its own since values come later
/// than what is made of the code. With some_i low nothing is decoded. Combinational.
module fsh_bfp_value (
    input  wire logic        some_i,
    input  wire logic        odd_i,
    input  wire logic  [6:0] live_i,
    input  wire logic [55:0] exps_i,
    input  wire logic  [7:0] value_i,
    output logic      [31:0] x_o
);
  // Of seven bits that of the leading one: two levels of logic.
  function automatic logic pick(input logic [6:0] man, input logic [6:0] bits);
    logic high, middle, low;
    high   = man[6] ? bits[6] : bits[5];
    middle = man[4] ? bits[4] : bits[3];
    low    = man[2] ? bits[2] : man[1] ? bits[1] : man[0] && bits[0];
    pick   = man[6:5] != '0 ? high : man[4:3] != '0 ? middle : low;
  endfunction

  logic  [6:0] man, bits;
  logic [11:0] below;
  logic        inf;

  always_comb begin
    man   = value_i[6:0];
    below = {man[5:0], 6'd0};
    bits  = '0;
    inf   = man == 7'd64;
    x_o   = 'x;
    if (some_i) begin
      x_o     = '0;
      x_o[31] = value_i[7] && (odd_i ? inf : pick(man, live_i));
      for (int unsigned j = 0; j < 8; j++) begin
        for (int unsigned k = 0; k < 7; k++) bits[k] = exps_i[8*k+j];
        x_o[23+j] = odd_i || pick(man, bits);
      end
      // What is behind the leading one.
      for (int unsigned j = 0; j < 6; j++) begin
        for (int unsigned k = 0; k < 7; k++)
          bits[k] = live_i[k] && below[j+k];
        x_o[17+j] = pick(man, bits);
      end
      if (odd_i && !inf) x_o[22] = 1'b1;
    end
  end
endmodule

`default_nettype wire
