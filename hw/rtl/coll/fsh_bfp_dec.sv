// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none

/// One block of block floating point to BLOCK FP32 values, exactly: the opposite of
/// fsh_bfp_enc, as src/compute/number/block.h defines it. code_i: exponent, of FP32 for a
/// magnitude of 1.x; value i at [8*i+:8]: sign, magnitude of 7 bits. A value below 2^-126 is
/// +0. With code 255 a magnitude of 64 is Inf, any other NaN.
/// The exponents that values of the block can have are made once, for all. With some_i low
/// nothing is decoded. Combinational.
module fsh_bfp_dec #(
    parameter int unsigned BLOCK = 16
) (
    input  wire logic                  some_i,
    input  wire logic            [7:0] code_i,
    input  wire logic    [8*BLOCK-1:0] values_i,
    output logic        [32*BLOCK-1:0] x_o
);
  localparam int unsigned MAN = 7;

  // By the position of the leading one: exponent, 0 if it is none of FP32.
  logic [8*MAN-1:0] exps;
  logic             special;

  assign special = code_i == '1;

  always_comb begin
    exps = '0;
    for (int unsigned k = 0; k < MAN; k++) begin
      exps[8*k+:8] = code_i > 8'(MAN - 1 - k) ? code_i - 8'(MAN - 1 - k) : '0;
    end
  end

  function automatic logic [31:0] decoded(input logic [7:0] value, input logic [8*MAN-1:0] all,
                                          input logic odd);
    logic [7:0]     exp;
    logic [MAN-2:0] frac;
    exp  = '0;
    frac = '0;
    for (int unsigned k = 0; k < MAN; k++) begin
      if (value[k]) begin
        exp  = all[8*k+:8];
        frac = value[MAN-2:0] << (MAN - 1 - k);
      end
    end
    decoded = exp == '0 ? '0 : {value[MAN], exp, frac, {24 - MAN{1'b0}}};
    if (odd) begin
      decoded = value[MAN-1:0] == {1'b1, {MAN - 1{1'b0}}} ? {value[MAN], 8'hff, 23'd0} :
                                                            32'h7fc00000;
    end
  endfunction

  always_comb begin
    x_o = 'x;
    if (some_i) begin
      for (int unsigned i = 0; i < BLOCK; i++) begin
        x_o[32*i+:32] = decoded(values_i[8*i+:8], exps, special);
      end
    end
  end
endmodule

`default_nettype wire
