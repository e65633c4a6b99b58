// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none
`include "fsh_assert.svh"

/// The way from this node to itself: packets of sequencer 0 queue for receiver
/// 0, requests and replies apart, under the same credit rule as a link, so that
/// nothing issued can be stuck behind the other channel. One cycle, one beat a
/// cycle.
module fsh_loop (
    input  wire logic         clk_i,
    input  wire logic         rst_i,
    output logic        [1:0] ok_o,
    input  wire logic   [1:0] take_i,
    input  wire logic   [6:0] take_beats_i,
    input  wire logic         valid_i,
    output logic              ready_o,
    input  wire logic   [6:0] follow_i,
    input  wire logic [127:0] data_i,
    output logic        [1:0] valid_o,
    input  wire logic   [1:0] ready_i,
    output logic        [1:0] sop_o,
    output logic       [13:0] follow_o,
    output logic      [255:0] data_o,
    output logic              busy_o
);
  localparam int unsigned DEPTH = fsh_spec_pkg::VC_BEATS;

  fsh_spec_pkg::hdr_t hdr;
  logic [6:0]         remain_q;
  logic               is_sop, channel, channel_q;
  logic [1:0]         room;

  assign hdr     = data_i;
  assign is_sop  = remain_q == '0;
  assign channel = is_sop ? hdr.reply : channel_q;
  assign ready_o = 1'b1;

  always_ff @(posedge clk_i) begin
    if (valid_i) begin
      remain_q  <= is_sop ? follow_i : remain_q - 7'd1;
      channel_q <= channel;
    end
    if (rst_i) remain_q <= '0;
  end

  for (genvar c = 0; c < 2; c++) begin : gen_channel
    logic [15:0] freed_q;
    logic        push;

    assign push = valid_i && channel == (c == 1);

    fsh_fifo #(
        .WIDTH(136),
        .DEPTH(DEPTH)
    ) i_fifo (
        .clk_i,
        .rst_i,
        .valid_i(push),
        .ready_o(room[c]),
        .data_i ({is_sop, follow_i, data_i}),
        .valid_o(valid_o[c]),
        .ready_i(ready_i[c]),
        .data_o ({sop_o[c], follow_o[c*7+:7], data_o[c*128+:128]}),
        .count_o()
    );

    always_ff @(posedge clk_i) begin
      if (valid_o[c] && ready_i[c]) freed_q <= freed_q + 16'd1;
      if (rst_i) freed_q <= '0;
    end

    fsh_credit #(
        .DEPTH(DEPTH)
    ) i_credit (
        .clk_i,
        .rst_i,
        .credit_valid_i(1'b1),
        .credit_i      (freed_q),
        .a_valid_i     (take_i[c]),
        .a_beats_i     (take_beats_i),
        .b_valid_i     (1'b0),
        .b_beats_i     ('0),
        .ok_o          (ok_o[c])
    );

    `FSH_ASSERT(assert_room, !push || room[c])
  end

  assign busy_o = |valid_o;
endmodule

`default_nettype wire
