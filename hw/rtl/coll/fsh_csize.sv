// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none

/// How much of a step is in hand: bytes and lines of its packet packet_i, with next_i of the
/// one after it (of the last one what is left, behind it none), and whether it is the last
/// packet, the last source. A fetch is a line;
/// what goes nowhere (some_i) has none, an empty packet that goes somewhere has one.
/// Registers, taken with size_i.
module fsh_csize #(
    parameter int unsigned LINES = 16,
    localparam int unsigned LW = $clog2(LINES),
    localparam int unsigned PW = LW + 6,
    localparam int unsigned NW = 25 - PW
) (
    input  wire logic          clk_i,
    input  wire logic          size_i,
    input  wire logic          fetch_i,
    input  wire logic          next_i,
    input  wire logic          out_i,
    input  wire logic          some_i,
    input  wire logic   [23:0] total_i,
    input  wire logic    [4:0] count_i,
    input  wire logic [NW-1:0] packet_i,
    input  wire logic    [4:0] source_i,
    output logic               last_packet_o,
    output logic               last_source_o,
    output logic        [PW:0] bytes_o,
    output logic        [LW:0] lines_o
);
  logic [NW-1:0] whole, at;
  logic          partial, full;

  assign whole   = NW'(total_i >> PW);
  assign partial = total_i[PW-1:0] != '0;
  assign at      = packet_i + NW'(next_i);
  assign full    = at < whole;

  always_ff @(posedge clk_i) begin
    if (size_i) begin
      last_packet_o <= !full || (at + 1'b1 == whole && !partial);
      last_source_o <= source_i + 5'd1 >= count_i;
      bytes_o       <= full ? (PW + 1)'(1 << PW) : {1'b0, total_i[PW-1:0]};
      lines_o       <= full ? (LW + 1)'(LINES) :
                       {1'b0, total_i[PW-1:6]} + (LW + 1)'(total_i[5:0] != '0);
      if (at > whole) lines_o <= '0;
      if (fetch_i) lines_o <= (LW + 1)'(1);
      if (out_i && !some_i) lines_o <= '0;
      if (out_i && some_i && total_i == '0) lines_o <= (LW + 1)'(1);
    end
  end
endmodule

`default_nettype wire
