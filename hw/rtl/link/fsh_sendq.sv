// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none
`include "fsh_assert.svh"

/// Packets of the sequencer whose payload comes from a memory (bulk), waiting for one link
/// port: a queue for each virtual channel {reply, vc}, all in one block RAM (fsh_voqbuf).
/// So the sequencer needs no credit of the link, and neither its lanes nor its other
/// packets wait for this port; and what passes through the node finds the credits that its
/// share of the link gives it. ok_o: room for a packet, by channel {reply}: each may take
/// half, so that requests cannot keep replies out; take_i reserves it. Beats are always
/// taken.
/// start_i: the link has credit for a packet of this virtual channel, and nothing goes
/// before it. A packet is offered at the earliest two cycles after its header came; but
/// while others want the port (others_i) only when all of it is there, so that a slow
/// memory does not hold the link. Round robin by packet. some_o: packets wait, by virtual
/// channel; freed_o: a beat has left for the output register, a cycle late.
/// Reset empties the queues.
module fsh_sendq (
    input  wire logic         clk_i,
    input  wire logic         rst_i,
    output logic        [1:0] ok_o,
    input  wire logic   [1:0] take_i,
    input  wire logic   [6:0] take_beats_i,
    input  wire logic         valid_i,
    input  wire fsh_seq_pkg::beat_t beat_i,
    input  wire logic   [3:0] start_i,
    input  wire logic         others_i,
    output logic        [3:0] some_o,
    output logic        [3:0] freed_o,
    output logic              valid_o,
    input  wire logic         ready_i,
    output logic              last_o,
    output logic      [127:0] data_o,
    output logic              bad_o,
    output logic              busy_o
);
  localparam int unsigned BEATS = 1024;
  localparam int unsigned SPARE = 4;  // words that fsh_voqbuf keeps, one a queue

  fsh_spec_pkg::hdr_t hdr;
  logic [1:0] queue, queue_q, choice;
  logic [3:0] can, gnt, whole, ends_q, begins;
  logic       begun, sop_q;

  assign hdr   = beat_i.data;
  assign queue = sop_q ? {hdr.reply, hdr.vc} : queue_q;

  always_ff @(posedge clk_i) begin
    if (valid_i) begin
      sop_q   <= beat_i.last;
      queue_q <= queue;
    end
    if (rst_i) sop_q <= 1'b1;
  end

  // Packets that are there to their last beat, a cycle late, less those begun: -1 while the
  // one that is being sent is still being written.
  always_ff @(posedge clk_i) begin
    ends_q <= 4'(valid_i && beat_i.last) << queue;
    if (rst_i) ends_q <= '0;
  end
  assign begins = gnt & {4{begun}};

  for (genvar v = 0; v < 4; v++) begin : gen_whole
    logic [9:0] whole_q;

    always_ff @(posedge clk_i) begin
      if (ends_q[v] != begins[v]) whole_q <= ends_q[v] ? whole_q + 10'd1 : whole_q - 10'd1;
      if (rst_i) whole_q <= '0;
    end
    assign whole[v] = !whole_q[9] && whole_q != '0;
  end

  assign can = some_o & start_i & (others_i ? whole : '1);

  fsh_arb #(
      .N(4)
  ) i_arb (
      .clk_i,
      .rst_i,
      .req_i (can),
      .take_i(begun),
      .gnt_o (gnt)
  );
  assign choice = {gnt[3] | gnt[2], gnt[3] | gnt[1]};

  fsh_voqbuf #(
      .OUTPUTS(1),
      .VCS    (4),
      .BEATS  (BEATS),
      .WIDTH  (129)
  ) i_buf (
      .clk_i,
      .rst_i,
      .valid_i,
      .queue_i (queue),
      .follow_i(beat_i.follow),
      .data_i  ({beat_i.bad, beat_i.data}),
      .some_o,
      .choose_i(can != '0),
      .choice_i(choice),
      .begun_o (begun),
      .freed_o,
      .valid_o,
      .ready_i,
      .last_o,
      .queue_o (),
      .data_o  ({bad_o, data_o}),
      .busy_o
  );

  for (genvar c = 0; c < 2; c++) begin : gen_channel
    logic [15:0] freed_q;

    always_ff @(posedge clk_i) begin
      if (freed_o[2*c+:2] != '0) freed_q <= freed_q + 16'd1;
      if (rst_i) freed_q <= '0;
    end

    fsh_credit #(
        .DEPTH (BEATS / 2),
        .OTHERS(SPARE)
    ) i_credit (
        .clk_i,
        .rst_i,
        .credit_valid_i(1'b1),
        .credit_i      (freed_q),
        .take_i        (take_i[c]),
        .beats_i       (take_beats_i),
        .sent_i        ('0),
        .ok_o          (ok_o[c])
    );
  end
endmodule

`default_nettype wire
