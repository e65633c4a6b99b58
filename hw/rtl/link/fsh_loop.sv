// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none
`include "fsh_assert.svh"

/// The way from this node to itself: packets of sequencer 0 queue for receiver
/// 0, requests and replies apart, under the same credit rule as a link, so that
/// nothing issued can be stuck behind the other channel. Two cycles, one beat a
/// cycle; beats are always taken.
module fsh_loop (
    input  wire logic         clk_i,
    input  wire logic         rst_i,
    output logic        [1:0] ok_o,
    input  wire logic   [1:0] take_i,
    input  wire logic   [6:0] take_beats_i,
    input  wire logic         valid_i,
    input  wire logic [127:0] data_i,
    input  wire logic         bad_i,
    input  wire logic   [1:0] start_i,
    output logic              request_o,  // a request starts
    output logic              valid_o,
    input  wire logic         ready_i,
    output logic              last_o,
    output logic      [127:0] data_o,
    output logic              bad_o,
    output logic              busy_o
);
  localparam int unsigned DEPTH = fsh_spec_pkg::LOOP_BEATS;

  logic [6:0] follow;
  logic       reply;
  logic [1:0] started, freed;

  fsh_parse i_parse (
      .clk_i,
      .rst_i,
      .node_i    ('0),
      .stuck_i   (1'b0),
      .valid_i,
      .data_i,
      .sop_o     (),
      .here_o    (),
      .reply_o   (reply),
      .vc_o      (),
      .follow_o  (follow)
  );

  fsh_vcbuf #(
      .Q    (2),
      .DEPTH(DEPTH),
      .WIDTH($bits({bad_i, data_i}))
  ) i_buf (
      .clk_i,
      .rst_i,
      .valid_i,
      .queue_i  (reply),
      .follow_i (follow),
      .data_i   ({bad_i, data_i}),
      .some_o   (),
      .start_i,
      .started_o(started),
      .freed_o  (freed),
      .inside_o (),
      .queue_o  (),
      .valid_o,
      .ready_i,
      .last_o,
      .data_o   ({bad_o, data_o}),
      .busy_o
  );

  for (genvar c = 0; c < 2; c++) begin : gen_channel
    logic [15:0] freed_q;

    always_ff @(posedge clk_i) begin
      if (freed[c]) freed_q <= freed_q + 16'd1;
      if (rst_i) freed_q <= '0;
    end

    fsh_credit #(
        .DEPTH(DEPTH)
    ) i_credit (
        .clk_i,
        .rst_i,
        .credit_valid_i(1'b1),
        .credit_i      (freed_q),
        .take_i        (take_i[c]),
        .beats_i       (take_beats_i),
        .sent_i        ('0),
        .ok_o          (ok_o[c]),
        .few_o         ()
    );
  end

  assign request_o = started[0];
endmodule

`default_nettype wire
