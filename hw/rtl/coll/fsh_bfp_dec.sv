// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none

/// One block of block floating point to BLOCK FP32 values, exactly: the opposite of
/// fsh_bfp_enc, as src/compute/number/block.h defines it. code_i: exponent, of FP32 for a
/// magnitude of 1.x; value i at [8*i+:8]: sign, magnitude of 7 bits. A value below 2^-126 is
/// +0. With code 255 a magnitude of 64 is Inf, any other NaN.
/// The exponents that values of the block can have are made once, for all (fsh_bfp_value has one
/// value). With some_i low nothing is decoded. Combinational.
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
  logic   [MAN-1:0] live;
  logic             special;

  assign special = code_i == '1;

  always_comb begin
    exps = '0;
    for (int unsigned k = 0; k < MAN; k++) begin
      live[k] = code_i > 8'(MAN - 1 - k) && !special;
      if (code_i > 8'(MAN - 1 - k)) exps[8*k+:8] = code_i - 8'(MAN - 1 - k);
    end
  end

  for (genvar i = 0; i < BLOCK; i++) begin : gen_value
    fsh_bfp_value i_value (
        .some_i,
        .odd_i  (special),
        .live_i (live),
        .exps_i (exps),
        .value_i(values_i[8*i+:8]),
        .x_o    (x_o[32*i+:32])
    );
  end
endmodule

`default_nettype wire
