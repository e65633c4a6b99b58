// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none
`include "fsh_assert.svh"

/// Packets of the collective engine as a receiver has them (fsh_rx), beat by beat, to lines
/// of 64 bytes. A packet is offered when all of
/// it is here and as it should be: header, bytes, no error (bad, with the last beat).
/// All else is dropped: drop_o, a pulse. room_o, a register: beats may come, up to two more
/// after it falls; it rises again as packets leave, which the engine takes in bounded time.
/// Four beats a line, in order; five cycles from the last beat (at the receiver) to the
/// first line. ready_i may depend on valid_o. Reset empties it.
module fsh_ctap (
    input  wire logic               clk_i,
    input  wire logic               rst_i,
    input  wire logic               push_i,
    input  wire logic               sop_i,
    input  wire logic               last_i,
    input  wire logic               bad_i,
    input  wire logic       [127:0] data_i,
    output logic                    room_o,
    output logic                    valid_o,
    input  wire logic               ready_i,
    output logic                    last_o,
    output fsh_coll_pkg::line_t     line_o,
    output logic                    drop_o,
    output logic                    busy_o
);
  localparam int unsigned LW = $clog2(fsh_spec_pkg::MAX_PACKET / 64);
  localparam int unsigned DEPTH = 128;  // beats: a packet, and what comes while it leaves
  localparam int unsigned PACKETS = 16;

  /* verilator lint_off UNUSEDSIGNAL */
  fsh_spec_pkg::hdr_t hdr;
  fsh_spec_pkg::colladdr_t addr;
  /* verilator lint_on UNUSEDSIGNAL */

  // Is it as its header says? So many beats are to come.
  logic       ends, well, well_q;
  logic [6:0] left, left_q;

  assign hdr  = data_i;
  assign addr = {24'd0, hdr.addr};
  assign left = sop_i ? fsh_fn_pkg::pay_beats(4'd0, hdr.bytes) : left_q - 7'd1;
  assign well = sop_i ? hdr.nargs == '0 && addr.offset[5:0] == '0 &&
                        {1'b0, addr.offset} + hdr.bytes <= 11'(fsh_spec_pkg::MAX_PACKET) &&
                        hdr.total <= 24'(fsh_spec_pkg::MAX_PACKET) :
                        well_q;
  assign ends = push_i && last_i;

  always_ff @(posedge clk_i) begin
    if (push_i) {left_q, well_q} <= {left, well};
  end

  logic         beat_valid, beat_pop, beat_last, known, good, told, room, told_room;
  logic [127:0] beat;
  logic   [7:0] count;
  logic   [4:0] packets;

  fsh_fifo #(
      .WIDTH(129),
      .DEPTH(DEPTH)
  ) i_beats (
      .clk_i,
      .rst_i,
      .valid_i(push_i),
      .ready_o(room),
      .data_i ({last_i, data_i}),
      .valid_o(beat_valid),
      .ready_i(beat_pop),
      .data_o ({beat_last, beat}),
      .count_o(count)
  );

  fsh_fifo #(
      .WIDTH(1),
      .DEPTH(PACKETS)
  ) i_packets (
      .clk_i,
      .rst_i,
      .valid_i(ends),
      .ready_o(told_room),
      .data_i (well && left == '0 && !bad_i),
      .valid_o(known),
      .ready_i(told),
      .data_o (good),
      .count_o(packets)
  );

  always_ff @(posedge clk_i)
    room_o <= !rst_i && count < 8'(DEPTH - 5) && packets < 5'(PACKETS - 5);

  // To lines.
  typedef enum logic [1:0] {
    Head,
    Lines,
    Skip
  } state_e;

  state_e             state_q;
  /* verilator lint_off UNUSEDSIGNAL */
  fsh_spec_pkg::hdr_t out, head_q;
  fsh_spec_pkg::colladdr_t place;
  /* verilator lint_on UNUSEDSIGNAL */
  logic         [1:0] n_q;
  logic       [383:0] below_q;
  logic               empty_q, takes;
  logic               first_q;
  logic       [511:0] data;

  assign out      = beat;
  assign place    = {18'd0, head_q.tag[5:0], head_q.addr};
  assign valid_o  = state_q == Lines && (empty_q || (beat_valid && (n_q == 2'd3 || beat_last)));
  assign last_o   = empty_q || beat_last;
  assign takes    = state_q == Lines && !empty_q && beat_valid && !(n_q == 2'd3 || beat_last);
  assign beat_pop = beat_valid && (state_q == Head ? known : state_q == Skip || takes ||
                                   (valid_o && ready_i && !empty_q));
  assign told     = state_q == Skip ? beat_pop && beat_last :
                    state_q == Lines ? valid_o && ready_i && last_o :
                    beat_pop && !good && beat_last;
  assign drop_o   = told && (state_q == Skip || state_q == Head);

  always_comb begin
    for (int unsigned i = 0; i < 3; i++)
      data[i*128+:128] = n_q > 2'(i) ? below_q[i*128+:128] : beat;
    data[511:384] = beat;
  end

  always_ff @(posedge clk_i) begin
    if (state_q == Head && beat_pop) head_q <= out;
    for (int unsigned i = 0; i < 3; i++)
      if (takes && n_q == 2'(i)) below_q[i*128+:128] <= beat;
  end

  always_ff @(posedge clk_i) begin
    unique case (state_q)
      Head: begin
        n_q     <= '0;
        first_q <= 1'b1;
        empty_q <= beat_last;
        if (beat_pop) state_q <= good ? Lines : beat_last ? Head : Skip;
      end
      Lines: begin
        if (takes) n_q <= n_q + 1'b1;
        if (valid_o && ready_i) begin
          n_q     <= '0;
          first_q <= 1'b0;
          if (last_o) state_q <= Head;
        end
      end
      default: if (beat_pop && beat_last) state_q <= Head;
    endcase
    if (rst_i) state_q <= Head;
  end

  always_comb begin
    line_o.first      = first_q;
    line_o.last       = last_o;
    line_o.whole      = 12'(place.offset) + 12'(head_q.bytes) == 12'(head_q.total[LW+6:0]);
    line_o.eager      = place.eager;
    line_o.key.node   = head_q.src[fsh_spec_pkg::NODE_W-1:0];
    line_o.key.job    = place.job;
    line_o.key.vp     = place.vp;
    line_o.key.seq    = place.seq;
    line_o.key.number = {place.high, place.low};
    line_o.line       = place.offset[LW+5:6];
    line_o.bytes      = head_q.total[LW+6:0];
    line_o.data       = data;
  end

  assign busy_o = beat_valid || count != '0 || state_q != Head ||
                        room_o != (count < 8'(DEPTH - 5) && packets < 5'(PACKETS - 5));

  `FSH_ASSERT(a_room, !push_i || (room && (!ends || told_room)))
endmodule

`default_nettype wire
