// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none

/// One copy of the route table (a word a node): written through the registers,
/// read combinationally. Distributed RAM; contents undefined until written.
module fsh_route #(
    parameter int unsigned WIDTH = 2
) (
    input  wire logic             clk_i,
    input  wire logic             we_i,
    input  wire logic [fsh_spec_pkg::NODE_W-1:0] waddr_i,
    input  wire logic [WIDTH-1:0] wdata_i,
    input  wire logic [fsh_spec_pkg::NODE_W-1:0] raddr_i,
    output logic      [WIDTH-1:0] rdata_o
);
  (* ram_style = "distributed" *) logic [WIDTH-1:0] mem[fsh_spec_pkg::MAX_NODES];

  always_ff @(posedge clk_i) begin
    if (we_i) mem[waddr_i] <= wdata_i;
  end

  assign rdata_o = mem[raddr_i];
endmodule

`default_nettype wire
