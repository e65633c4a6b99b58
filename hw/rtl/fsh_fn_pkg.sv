// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none

/// Functions that several blocks of the core share. Widths are those of the
/// packet header (fsh_spec_pkg).
package fsh_fn_pkg;
  /// Beats that `bytes` of payload take when the first stands in byte `lane`.
  function automatic logic [6:0] pay_beats(input logic [3:0] lane, input logic [10:0] bytes);
    logic [11:0] sum;
    sum = {8'd0, lane} + {1'b0, bytes} + 12'd15;
    pay_beats = (bytes == '0) ? 7'd0 : sum[10:4];
  endfunction

  /// Beats that `nargs` arguments take, four a beat.
  function automatic logic [2:0] arg_beats(input logic [4:0] nargs);
    logic [5:0] sum;
    sum = {1'b0, nargs} + 6'd3;
    arg_beats = sum[4:2];
  endfunction
endpackage

`default_nettype wire
