// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none

/// The functions of fsh_fp_pkg at ports, for tb_fsh_fp_fn.
module fsh_fp_fn (
    input  wire logic [7:0]  byte_i,
    input  wire logic [31:0] value_i,
    output logic      [7:0]  load_o,
    output logic      [7:0]  store_o,
    output logic      [31:0] relu_o
);
  assign load_o  = fsh_fp_pkg::man_load(byte_i);
  assign store_o = fsh_fp_pkg::man_store(load_o);
  assign relu_o  = fsh_fp_pkg::relu(value_i);
endmodule

`default_nettype wire
