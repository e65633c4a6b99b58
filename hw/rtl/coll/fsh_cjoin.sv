// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none
`include "fsh_assert.svh"

/// N streams into one, packet by packet (last_i), in turns, behind a register slice: latency 1, a
/// word a cycle. WORDS: each word is a packet, whatever last_i is. sel_o says with take_o, a pulse,
/// whose word was taken, for who has to know the order. Streams are held up while hold_i is high.
/// Reset empties it.
module fsh_cjoin #(
    parameter int unsigned N = 2,
    parameter int unsigned WIDTH = 8,
    parameter bit WORDS = 1'b0
) (
    input  wire logic               clk_i,
    input  wire logic               rst_i,
    input  wire logic               hold_i,
    input  wire logic       [N-1:0] valid_i,
    output logic            [N-1:0] ready_o,
    input  wire logic       [N-1:0] last_i,
    input  wire logic [N*WIDTH-1:0] data_i,
    output logic                    take_o,
    output logic            [N-1:0] sel_o,
    output logic                    valid_o,
    input  wire logic               ready_i,
    output logic        [WIDTH-1:0] data_o
);
  logic             valid, room, ready;
  logic [WIDTH-1:0] data;

  assign ready  = room && !hold_i;
  assign take_o = valid && ready;

  if (WORDS) begin : gen_words
    assign valid   = valid_i != '0;
    assign ready_o = sel_o & {N{ready}};
    /* verilator lint_off UNUSEDSIGNAL */
    logic unused;
    assign unused = ^last_i;
    /* verilator lint_on UNUSEDSIGNAL */

    fsh_arb #(
        .N(N)
    ) i_arb (
        .clk_i,
        .rst_i,
        .req_i (valid_i),
        .look_i(1'b1),
        .take_i(take_o),
        .gnt_o (sel_o)
    );
  end else begin : gen_packets
    fsh_pktarb #(
        .N(N)
    ) i_arb (
        .clk_i,
        .rst_i,
        .valid_i,
        .last_i,
        .ready_o,
        .sel_o,
        .valid_o(valid),
        .ready_i(ready),
        .sop_o  (),
        .last_o ()
    );
  end

  always_comb begin
    data = '0;
    for (int unsigned i = 0; i < N; i++) if (sel_o[i]) data |= data_i[i*WIDTH+:WIDTH];
  end

  fsh_skid #(
      .WIDTH(WIDTH)
  ) i_out (
      .clk_i,
      .rst_i,
      .valid_i(take_o),
      .ready_o(room),
      .data_i (data),
      .valid_o,
      .ready_i,
      .data_o
  );

  `FSH_ASSERT(a_one, !take_o || (sel_o != '0 && (sel_o & (sel_o - 1'b1)) == '0))
endmodule

`default_nettype wire
