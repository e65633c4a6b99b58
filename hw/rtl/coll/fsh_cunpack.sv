// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none
`include "fsh_assert.svh"

/// The packet of a slot, read from the packet memory in lines: as it is, or, with coded_i of
/// start_i, decoded, a block of fsh_cpack a line. Its codes are read first, then every
/// fourth line asks the memory. wants_i, when line ask_i may be read: read_o, when it is;
/// from the next cycle on line_o is that line, number line_i, until take_i. The memory has
/// others to read for (prd_ready_i) and gives a line the cycle after. prd_valid_o depends on
/// wants_i and registers only. Latency 1, and one of a coded packet for its codes. State is
/// start_i's to set, not the reset's.
module fsh_cunpack #(
    parameter int unsigned LINES = 16,  // of a slot
    parameter int unsigned SLOTS = 70,
    localparam int unsigned LW = $clog2(LINES),
    localparam int unsigned SW = $clog2(SLOTS)
) (
    input  wire logic             clk_i,
    input  wire logic             rst_i,
    input  wire logic             start_i,
    input  wire logic             coded_i,
    input  wire logic    [SW-1:0] slot_i,
    input  wire logic    [LW+2:0] lines_i,  // decoded
    input  wire logic             wants_i,
    input  wire logic    [LW+1:0] ask_i,
    output logic                  read_o,
    input  wire logic             take_i,
    input  wire logic       [1:0] line_i,
    output logic                  prd_valid_o,
    input  wire logic             prd_ready_i,
    output logic      [SW+LW-1:0] prd_addr_o,
    input  wire logic     [511:0] prd_data_i,
    output logic          [511:0] line_o
);
  logic          coded_q, codes_q, granted, fresh_q, fresh_codes_q;
  logic [SW-1:0] slot_q;
  logic [LW-1:0] behind_q;  // the line of codes
  logic  [511:0] kept_q, shift_q, packet, decoded;
  logic  [127:0] values;

  assign prd_valid_o = wants_i && (!coded_q || codes_q || ask_i[1:0] == '0);
  assign granted     = prd_valid_o && prd_ready_i;
  assign read_o      = wants_i && !codes_q && (granted || !prd_valid_o);
  assign prd_addr_o  = {slot_q, codes_q ? behind_q : coded_q ? ask_i[LW+1:2] : ask_i[LW-1:0]};

  // A line that is not taken at once is kept, a coded one for four.
  assign packet = fresh_q ? prd_data_i : kept_q;
  assign values = packet[128*line_i+:128];
  assign line_o = coded_q ? decoded : packet;

  fsh_bfp_dec i_dec (
      .some_i  (coded_q),
      .code_i  (shift_q[7:0]),
      .values_i(values),
      .x_o     (decoded)
  );

  always_ff @(posedge clk_i) begin
    fresh_q       <= granted && !codes_q;
    fresh_codes_q <= granted && codes_q;
    if (fresh_q) kept_q <= prd_data_i;
    if (granted) codes_q <= 1'b0;
    if (fresh_codes_q) shift_q <= prd_data_i;
    else if (take_i && coded_q) shift_q <= {8'd0, shift_q[511:8]};
    if (start_i) begin
      coded_q  <= coded_i;
      codes_q  <= coded_i;
      slot_q   <= slot_i;
      behind_q <= LW'((lines_i + (LW + 3)'(3)) >> 2);
    end
  end

  `FSH_ASSERT(a_room, !start_i || !coded_i || lines_i <= (LW + 3)'(4 * LINES - 4))
endmodule

`default_nettype wire
