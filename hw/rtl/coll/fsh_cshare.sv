// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none
`include "fsh_assert.svh"

/// N that share a way to memory: their words in turns, behind a register slice. Memory
/// answers in order; owner_o tells with answer_i, a pulse, whose word is answered. Up to 64
/// are under way. Reset: none.
module fsh_cshare #(
    parameter int unsigned N = 2,
    parameter int unsigned WIDTH = 32
) (
    input  wire logic               clk_i,
    input  wire logic               rst_i,
    input  wire logic       [N-1:0] valid_i,
    output logic            [N-1:0] ready_o,
    input  wire logic [N*WIDTH-1:0] data_i,
    output logic                    valid_o,
    input  wire logic               ready_i,
    output logic        [WIDTH-1:0] data_o,
    input  wire logic               answer_i,
    output logic            [N-1:0] owner_o
);
  logic         take, room, known;
  logic [N-1:0] sel;

  fsh_cjoin #(
      .N    (N),
      .WIDTH(WIDTH)
  ) i_join (
      .clk_i,
      .rst_i,
      .hold_i(!room),
      .valid_i,
      .ready_o,
      .last_i('1),
      .data_i,
      .take_o(take),
      .sel_o (sel),
      .valid_o,
      .ready_i,
      .data_o
  );

  fsh_fifo #(
      .WIDTH(N),
      .DEPTH(64)
  ) i_owner (
      .clk_i,
      .rst_i,
      .valid_i(take),
      .ready_o(room),
      .data_i (sel),
      .valid_o(known),
      .ready_i(answer_i),
      .data_o (owner_o),
      .count_o()
  );

  `FSH_ASSERT(a_answer, !answer_i || known)
endmodule

`default_nettype wire
