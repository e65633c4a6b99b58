// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none

/// Arithmetic that the modules of the compute core share: numbers, normalizing
/// shifts, conversions. FP32 here: denormals are zero, zero results are +0, one NaN.
package fsh_fp_pkg;
  localparam logic [31:0] Nan = 32'h7fc0_0000;
  localparam logic [30:0] Inf = 31'h7f80_0000;

  /// Moves the leading one to the top bit: {zeros in front of it, shifted}.
  /// Halving steps: each looks at what the one before left. Zero gives zero.
  function automatic logic [32:0] norm28(input logic [27:0] value);
    logic [27:0] v;
    logic [4:0]  n;
    v    = value;
    n[4] = v[27:12] == '0;
    if (n[4]) v = {v[11:0], 16'd0};
    n[3] = v[27:20] == '0;
    if (n[3]) v = {v[19:0], 8'd0};
    n[2] = v[27:24] == '0;
    if (n[2]) v = {v[23:0], 4'd0};
    n[1] = v[27:26] == '0;
    if (n[1]) v = {v[25:0], 2'd0};
    n[0] = !v[27];
    if (n[0]) v = {v[26:0], 1'b0};
    norm28 = {n, v};
  endfunction

  /// Maximum with zero; a NaN stays one.
  function automatic logic [31:0] relu(input logic [31:0] value);
    relu = value[31] && !(value[30:23] == '1 && value[22:0] != '0) ? '0 : value;
  endfunction

  /// A mantissa byte: sign and magnitude (memory) to two's complement (array).
  function automatic logic [7:0] man_load(input logic [7:0] value);
    man_load = value[7] ? -{1'b0, value[6:0]} : value;
  endfunction

  /// And back; -128 does not occur.
  function automatic logic [7:0] man_store(input logic [7:0] value);
    man_store = value[7] ? {1'b1, -value[6:0]} : value;
  endfunction
endpackage

`default_nettype wire
