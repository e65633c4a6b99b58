// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none

/// The packet memory of the collective engine: lines of all slots, one written and one read a
/// cycle. Units read in turns: rd_gnt_o names the one whose line is rd_data_o in the next
/// cycle. Reset: turns only.
module fsh_cslots #(
    parameter int unsigned UNITS = 2,
    parameter int unsigned LINES = 16,  // of a slot
    parameter int unsigned SLOTS = 80,
    localparam int unsigned AW = $clog2(SLOTS) + $clog2(LINES)
) (
    input  wire logic                clk_i,
    input  wire logic                rst_i,
    input  wire logic                we_i,
    input  wire logic       [AW-1:0] waddr_i,
    input  wire logic        [511:0] wdata_i,
    input  wire logic    [UNITS-1:0] rd_req_i,
    output logic         [UNITS-1:0] rd_gnt_o,
    input  wire logic [UNITS*AW-1:0] rd_addrs_i,
    output logic             [511:0] rd_data_o
);
  logic [AW-1:0] addr;

  fsh_arb #(
      .N(UNITS)
  ) i_arb (
      .clk_i,
      .rst_i,
      .req_i (rd_req_i),
      .look_i(1'b1),
      .take_i(1'b1),
      .gnt_o (rd_gnt_o)
  );

  always_comb begin
    addr = '0;
    for (int unsigned u = 0; u < UNITS; u++) if (rd_gnt_o[u]) addr |= rd_addrs_i[u*AW+:AW];
  end

  fsh_ram #(
      .WIDTH(512),
      .DEPTH(SLOTS * LINES)
  ) i_lines (
      .clk_i,
      .we_i,
      .waddr_i,
      .wdata_i,
      .re_i   (rd_gnt_o != '0),
      .raddr_i(addr),
      .rdata_o(rd_data_o)
  );
endmodule

`default_nettype wire
