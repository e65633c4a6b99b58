// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none
`include "fsh_assert.svh"

/// What a unit sends, on its way to fsh_cjoin, which has a packet from its first line to its
/// last. Lines of an encoded packet (coded_i, of all its lines) are made one in four cycles, so
/// they are kept until START of them or the last are there: then they follow each other, and the
/// join is free for the other units meanwhile. Other packets pass in the same cycle, behind what
/// is kept. DEPTH lines, in order. valid_o depends on registers and valid_i only, ready_o on
/// ready_i too. some_o: lines are kept. Reset: none.
module fsh_clines #(
    parameter int unsigned WIDTH = 8,
    parameter int unsigned DEPTH = 32,
    parameter int unsigned START = 12
) (
    input  wire logic             clk_i,
    input  wire logic             rst_i,
    input  wire logic             valid_i,
    output logic                  ready_o,
    input  wire logic             coded_i,
    input  wire logic             last_i,
    input  wire logic [WIDTH-1:0] data_i,
    output logic                  valid_o,
    input  wire logic             ready_i,
    output logic                  last_o,
    output logic      [WIDTH-1:0] data_o,
    output logic                  some_o
);
  localparam int unsigned CW = $clog2(DEPTH + 1);
  logic             room, push, pop, passes, kept_last, goes_q;
  logic    [CW-1:0] count, lasts_q;  // lines, last ones of packets
  logic [WIDTH-1:0] kept;

  assign passes  = !coded_i && !some_o;
  assign push    = valid_i && coded_i && room;
  assign pop     = some_o && goes_q && ready_i;
  assign valid_o = passes ? valid_i : some_o && goes_q;
  assign ready_o = coded_i ? room : ready_i && !some_o;
  assign last_o  = passes ? last_i : kept_last;
  assign data_o  = passes ? data_i : kept;

  fsh_fifo #(
      .WIDTH(WIDTH + 1),
      .DEPTH(DEPTH)
  ) i_lines (
      .clk_i,
      .rst_i,
      .valid_i(push),
      .ready_o(room),
      .data_i ({last_i, data_i}),
      .valid_o(some_o),
      .ready_i(pop),
      .data_o ({kept_last, kept}),
      .count_o(count)
  );

  // A packet that has begun goes on as its lines come.
  always_ff @(posedge clk_i) begin
    if ((push && last_i) != (pop && kept_last))
      lasts_q <= push && last_i ? lasts_q + 1'b1 : lasts_q - 1'b1;
    goes_q <= goes_q ? !(pop && kept_last) || lasts_q > CW'(1) :
              lasts_q != '0 || count >= CW'(START);
    if (rst_i) begin
      lasts_q <= '0;
      goes_q  <= 1'b0;
    end
  end

  `FSH_ASSERT(a_lasts, lasts_q <= count)
  `FSH_STABLE(valid_o, ready_i, data_o)
endmodule

`default_nettype wire
