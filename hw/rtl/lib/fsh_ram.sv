// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none

/// Simple dual-port RAM in the form that every tool maps to block RAM. Latency 1 (rdata_o is a
/// register, held while re_i is low), one write and one read per cycle. A read of the address
/// written in the same cycle returns an undefined value. No reset: contents and rdata_o are kept.
module fsh_ram #(
    parameter int unsigned WIDTH = 128,
    parameter int unsigned DEPTH = 512,
    parameter bit LUT = 1'b0  // distributed RAM
) (
    input  wire logic                     clk_i,
    input  wire logic                     we_i,
    input  wire logic [$clog2(DEPTH)-1:0] waddr_i,
    input  wire logic [WIDTH-1:0]         wdata_i,
    input  wire logic                     re_i,
    input  wire logic [$clog2(DEPTH)-1:0] raddr_i,
    output logic      [WIDTH-1:0]         rdata_o
`ifdef FORMAL
    ,
    output logic      [WIDTH*DEPTH-1:0]   f_words_o
`endif
);
  (* ram_style = LUT ? "distributed" : "block" *) logic [WIDTH-1:0] mem[DEPTH];

  always_ff @(posedge clk_i) begin
    if (we_i) mem[waddr_i] <= wdata_i;
  end

  always_ff @(posedge clk_i) begin
    if (re_i) rdata_o <= mem[raddr_i];
  end

`ifdef FORMAL
  // For invariants of the module that owns the RAM.
  for (genvar i = 0; i < DEPTH; i++) assign f_words_o[i*WIDTH+:WIDTH] = mem[i];
`endif
endmodule

`default_nettype wire
