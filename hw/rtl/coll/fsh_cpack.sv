// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none
`include "fsh_assert.svh"

/// Blocks of a packet to its lines of 64 bytes: four blocks' values a line, and behind them
/// a line of the codes, block 0 lowest. So no byte is shifted, a packet of n blocks has
/// 64 * ceil(n / 4) + n bytes, and 60 blocks have 1020. Behind the last block a line has
/// nothing in particular. A block a cycle, except that the first of a packet waits until
/// the codes of the one before have left; at most 60 (BLOCKS) in a packet. begin_o: the first
/// line of a packet is made, valid from the next cycle on. Behind a register: valid_o depends
/// on registers only, ready_o on ready_i too. busy_o: something is in it. Reset empties it.
module fsh_cpack #(
    parameter int unsigned BLOCKS = 60
) (
    input  wire logic         clk_i,
    input  wire logic         rst_i,
    input  wire logic         valid_i,
    output logic              ready_o,
    input  wire logic         last_i,
    input  wire logic   [7:0] code_i,
    input  wire logic [127:0] values_i,
    output logic              valid_o,
    input  wire logic         ready_i,
    output logic              begin_o,
    output logic              first_o,
    output logic              last_o,
    output logic      [511:0] line_o,
    output logic              busy_o
);
  logic         take, line_end, room, due_q, first_q;
  logic   [5:0] count_q;  // blocks of the packet
  logic [383:0] below_q;  // the line's, up to three
  logic [511:0] codes_q, line;

  assign room     = !valid_o || ready_i;
  assign line_end = last_i || count_q[1:0] == '1;
  assign ready_o  = !due_q && (room || !line_end);
  assign take     = valid_i && ready_o;
  assign begin_o  = take && line_end && first_q;
  assign busy_o   = valid_o || due_q || count_q != '0;

  always_comb begin
    line = {values_i, below_q};
    for (int unsigned i = 0; i < 3; i++)
      if (count_q[1:0] == 2'(i)) line[128*i+:128] = values_i;
  end

  always_ff @(posedge clk_i) begin
    if (take) begin
      codes_q[8*count_q+:8] <= code_i;
      for (int unsigned i = 0; i < 3; i++)
        if (count_q[1:0] == 2'(i)) below_q[128*i+:128] <= values_i;
    end
    if ((take && line_end) || (due_q && room)) begin
      line_o  <= due_q ? codes_q : line;
      first_o <= first_q;
      last_o  <= due_q;
    end
  end

  always_ff @(posedge clk_i) begin
    if (room) valid_o <= (take && line_end) || due_q;
    if (take) begin
      due_q   <= last_i;
      count_q <= last_i ? '0 : count_q + 1'b1;
      if (line_end) first_q <= 1'b0;
    end
    if (due_q && room) {due_q, first_q} <= 2'b01;
    if (rst_i) begin
      {valid_o, due_q} <= '0;
      first_q <= 1'b1;
      count_q <= '0;
    end
  end

  `FSH_ASSERT(a_blocks, !take || count_q < 6'(BLOCKS))
  `FSH_STABLE(valid_o, ready_i, line_o)
endmodule

`default_nettype wire
