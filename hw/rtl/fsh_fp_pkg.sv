// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none

/// What modules of the compute core share: FP32 numbers, ReLU, forms of a mantissa,
/// cycles of the array. FP32 here: denormals are zero, zero results are +0, one NaN.
package fsh_fp_pkg;
  localparam logic [31:0] F32_NAN = 32'h7fc0_0000;
  localparam logic [30:0] F32_INF = 31'h7f80_0000;

  /// fsh_array: cycles between two steps of one accumulator, at least; from the last
  /// step of a bank to its first read, at least, besides ROWS + COLS; from a read to
  /// its data.
  localparam int unsigned ARRAY_LOOP = 6;
  localparam int unsigned ARRAY_SETTLE = 8;
  localparam int unsigned ARRAY_DRAIN = 4;

  /// Maximum with zero. The one NaN is positive and stays.
  function automatic logic [31:0] relu(input logic [31:0] value);
    relu = value[31] ? '0 : value;
  endfunction

  /// A number above zero; denormals are zero, a NaN is above nothing.
  function automatic logic above_zero(input logic [31:0] value);
    above_zero = !value[31] && value[30:23] != '0 && value[30:0] <= F32_INF;
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
