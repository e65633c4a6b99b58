// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none

/// Which port's context takes one command: of those that reach the target and
/// are free the preferred one; the lowest that reaches it if order is asked for
/// (so the command waits for that one). Combinational.
module fsh_pick (
    input  wire logic       loop_i,     // the target is this node
    input  wire logic       ordered_i,
    input  wire logic [1:0] mask_i,     // ports that reach the target
    input  wire logic [1:0] free_i,     // ports whose context is free
    input  wire logic       prefer_i,   // port to try first
    output logic            ok_o,
    output logic            port_o
);
  logic [1:0] fit;

  always_comb begin
    fit = mask_i;
    if (ordered_i && mask_i[0]) fit = 2'b01;
    if (loop_i) fit = 2'b01;
    fit = fit & free_i;
  end

  assign ok_o   = fit != '0;
  assign port_o = fit[1] && (prefer_i || !fit[0]);
endmodule

`default_nettype wire
