// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none
`include "fsh_assert.svh"

/// Packets of the sequencer whose payload comes from a memory (bulk), waiting for one link
/// port: a queue for each class and virtual channel {long, reply, vc}, all in one block RAM
/// (fsh_voqbuf); packets of less than LONG_BYTES of payload go before the others (fsh_pick).
/// So the sequencer needs no credit of the link, and neither its lanes nor its other
/// packets wait for this port; and what passes through the node finds the credits that its
/// share of the link gives it. ok_o: room for a packet, by channel and class {reply, long}:
/// each channel may take half, so that requests cannot keep replies out, and the last of it
/// is for short ones; take_i ({reply}) reserves it. Beats are always taken.
/// start_short_i, start_long_i: the link has credit for a packet of this virtual channel,
/// and nothing goes before one of this class. A packet is offered at the earliest two
/// cycles after its header came; but while others want the port (others_i) only when half
/// of the beats behind that are there: a memory of half the rate of the link does not hold it, and
/// fewer packets of others go meanwhile. If the first STEADY of them came without a gap, these are
/// enough, as the rest will come as fast. Round robin by packet.
/// some_o: packets wait, by queue; long_o: the one that is offered is long.
/// Reset empties the queues.
module fsh_sendq (
    input  wire logic         clk_i,
    input  wire logic         rst_i,
    output logic        [3:0] ok_o,
    input  wire logic   [1:0] take_i,
    input  wire logic   [6:0] take_beats_i,
    input  wire logic         valid_i,
    input  wire fsh_seq_pkg::beat_t beat_i,
    input  wire logic   [3:0] start_short_i,
    input  wire logic   [3:0] start_long_i,
    input  wire logic         others_i,
    output logic        [7:0] some_o,
    output logic              valid_o,
    input  wire logic         ready_i,
    output logic              long_o,
    output logic              last_o,
    output logic      [127:0] data_o,
    output logic              bad_o,
    output logic              busy_o
);
  localparam int unsigned BEATS = 1024;
  localparam int unsigned SPARE = 8;  // words that fsh_voqbuf keeps, one a queue
  localparam logic [2:0] STEADY = 3'd6;  // more than a burst of DRAM, of 64 bytes
  localparam logic [2:0] ENOUGH = 3'd7;

  logic [2:0] choice;
  logic [7:0] some, can, gnt, there_q, begins;
  logic [79:0] ready_q;  // by queue
  logic [6:0] left, left_q, half;  // beats of a packet that follow
  logic [5:0] half_q;
  logic       inside_q, enough;
  logic [2:0] row_q;  // beats of the packet, as long as there was no gap, or ENOUGH
  logic [3:0] freed;
  logic       begun, more;  // one begins; more of one is to be read
  logic [1:0] unused;

  // Packets of which enough is there, a cycle late, less those begun: -1 while that is not so of
  // the one that is being sent.
  assign left   = inside_q ? left_q : beat_i.follow;
  assign half   = inside_q ? {1'b0, half_q} : beat_i.follow >> 1;
  assign enough = inside_q ? row_q != ENOUGH && (left == half || row_q == STEADY) : left == half;

  always_ff @(posedge clk_i) begin
    there_q <= '0;
    if (valid_i) begin
      if (enough) there_q <= 8'd1 << beat_i.qid;
      inside_q <= !beat_i.last;
      left_q   <= left - 7'd1;
      half_q   <= half[5:0];
      if (!inside_q) row_q <= 3'd1;
      else if (enough) row_q <= ENOUGH;
      else if (row_q != '0 && row_q != ENOUGH) row_q <= row_q + 3'd1;
    end else if (row_q != ENOUGH) begin
      row_q <= '0;
    end
    if (rst_i) begin
      inside_q <= 1'b0;
      there_q  <= '0;
    end
  end
  assign begins = gnt & {8{begun}};

  function automatic logic [79:0] counted(input logic [79:0] counts, input logic [7:0] more_of,
                                          input logic [7:0] less_of);
    counted = counts;
    for (int unsigned i = 0; i < 8; i++)
      if (more_of[i] != less_of[i])
        counted[i*10+:10] = more_of[i] ? counts[i*10+:10] + 10'd1 : counts[i*10+:10] - 10'd1;
  endfunction

  always_ff @(posedge clk_i) begin
    if (there_q != begins) ready_q <= counted(ready_q, there_q, begins);
    if (rst_i) ready_q <= '0;
  end

  // Inside a packet nobody looks at what could begin.
  always_comb begin
    can = 'x;
    if (!more) begin
      can = some & {start_long_i, start_short_i};
      if (others_i)
        for (int unsigned i = 0; i < 8; i++)
          if (ready_q[i*10+9] || ready_q[i*10+:9] == '0) can[i] = 1'b0;
    end
  end

  fsh_pick #(
      .N(4)
  ) i_pick (
      .clk_i,
      .rst_i,
      .short_i(can[3:0]),
      .long_i (can[7:4]),
      .look_i (!more),
      .take_i (begun),
      .gnt_o  (gnt)
  );

  always_comb begin
    choice = 'x;
    if (!more) begin
      choice = '0;
      for (int unsigned i = 0; i < 8; i++) if (gnt[i]) choice |= 3'(i);
    end
  end
  assign some_o = some;

  fsh_voqbuf #(
      .OUTPUTS(1),
      .CLASSES(2),
      .VCS    (4),
      .BEATS  (BEATS),
      .WIDTH  (129)
  ) i_buf (
      .clk_i,
      .rst_i,
      .valid_i,
      .queue_i (beat_i.qid),
      .follow_i(beat_i.follow),
      .data_i  ({beat_i.bad, beat_i.data}),
      .some_o  (some),
      .choose_i(can != '0),
      .choice_i(choice),
      .begun_o (begun),
      .inside_o(more),
      .read_o  (),
      .freed_o (freed),
      .valid_o,
      .ready_i,
      .last_o,
      .queue_o ({long_o, unused}),
      .data_o  ({bad_o, data_o}),
      .busy_o
  );

  for (genvar c = 0; c < 2; c++) begin : gen_channel
    logic [15:0] freed_q;

    always_ff @(posedge clk_i) begin
      if (freed[2*c+:2] != '0) freed_q <= freed_q + 16'd1;
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
        .ok_o          (ok_o[2*c+1]),
        .few_o         (ok_o[2*c])
    );
  end
endmodule

`default_nettype wire
