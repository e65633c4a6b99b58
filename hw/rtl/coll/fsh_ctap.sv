// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none
`include "fsh_assert.svh"

/// Packets of the collective engine as a receiver has them (fsh_rx), beat by beat, to lines
/// of 64 bytes. A packet is offered when all of it is here and as it should be: header, bytes, no
/// error (bad, with the last beat). All else is dropped: drop_o, a pulse. room_o, a register:
/// beats may come, up to two more after it falls; it rises again as packets leave, which the
/// engine takes in bounded time.
/// Lines are made on the way in, so they leave one a cycle, in order, while the other receivers'
/// wait; a packet without payload is a line, of nothing. The first is offered in the cycle after
/// the last beat. head_*: one begins, and more of its beats come than a look-up of its key takes;
/// wires. Reset empties it.
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
    output logic                    head_valid_o,
    output fsh_coll_pkg::key_t      head_key_o,
    output logic                    drop_o,
    output logic                    busy_o
);
  localparam int unsigned LW = $clog2(fsh_spec_pkg::MAX_PACKET / 64);
  localparam int unsigned DEPTH = 32;  // lines: a packet, and what comes while it leaves
  localparam int unsigned PACKETS = 16;

  /* verilator lint_off UNUSEDSIGNAL */
  fsh_spec_pkg::hdr_t hdr, head;
  fsh_spec_pkg::colladdr_t addr, came, place;
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

  // Beats to lines: the first three of a line wait for the fourth, or the last of the packet.
  logic   [1:0] n_q;
  logic [383:0] below_q;
  logic [511:0] made;
  logic         fills;

  assign fills = push_i && (last_i || (!sop_i && n_q == 2'd3));

  always_comb begin
    for (int unsigned i = 0; i < 3; i++)
      made[i*128+:128] = n_q > 2'(i) ? below_q[i*128+:128] : data_i;
    made[511:384] = data_i;
  end

  always_ff @(posedge clk_i) begin
    if (push_i) {left_q, well_q} <= {left, well};
    for (int unsigned i = 0; i < 3; i++)
      if (push_i && n_q == 2'(i)) below_q[i*128+:128] <= data_i;
    if (push_i) n_q <= sop_i || fills ? '0 : n_q + 1'b1;
    if (rst_i) n_q <= '0;
  end

  // Lines, headers, and what is known at the end of a packet.
  logic         line_valid, line_pop, line_last, known, good, told, room, head_room, told_room;
  logic [511:0] data;
  logic   [5:0] count;
  logic   [4:0] packets;

  fsh_fifo #(
      .WIDTH(513),
      .DEPTH(DEPTH)
  ) i_lines (
      .clk_i,
      .rst_i,
      .valid_i(fills),
      .ready_o(room),
      .data_i ({last_i, made}),
      .valid_o(line_valid),
      .ready_i(line_pop),
      .data_o ({line_last, data}),
      .count_o(count)
  );

  fsh_fifo #(
      .WIDTH(128),
      .DEPTH(PACKETS)
  ) i_heads (
      .clk_i,
      .rst_i,
      .valid_i(push_i && sop_i),
      .ready_o(head_room),
      .data_i (hdr),
      .valid_o(),
      .ready_i(told),
      .data_o (head),
      .count_o(packets)
  );

  fsh_fifo #(
      .WIDTH(1),
      .DEPTH(PACKETS)
  ) i_known (
      .clk_i,
      .rst_i,
      .valid_i(ends),
      .ready_o(told_room),
      .data_i (well && left == '0 && !bad_i),
      .valid_o(known),
      .ready_i(told),
      .data_o (good),
      .count_o()
  );

  logic full, first_q;

  assign full = count >= 6'(DEPTH - 6) || packets >= 5'(PACKETS - 5);

  always_ff @(posedge clk_i) room_o <= !rst_i && !full;

  assign valid_o  = line_valid && known && good;
  assign line_pop = known && (ready_i || !good);
  assign told     = line_valid && line_pop && line_last;
  assign drop_o   = told && !good;
  assign last_o   = line_last;
  assign place    = {18'd0, head.tag[5:0], head.addr};
  assign came     = {18'd0, hdr.tag[5:0], hdr.addr};

  always_ff @(posedge clk_i) begin
    if (line_valid && line_pop) first_q <= line_last;
    if (rst_i) first_q <= 1'b1;
  end

  always_comb begin
    line_o.first      = first_q;
    line_o.last       = last_o;
    line_o.whole      = 12'(place.offset) + 12'(head.bytes) == 12'(head.total[LW+6:0]);
    line_o.eager      = place.eager;
    line_o.key.node   = head.src[fsh_spec_pkg::NODE_W-1:0];
    line_o.key.job    = place.job;
    line_o.key.vp     = place.vp;
    line_o.key.seq    = place.seq;
    line_o.key.number = {place.high, place.low};
    line_o.line       = place.offset[LW+5:6];
    line_o.bytes      = head.total[LW+6:0];
    line_o.data       = data;
  end

  // Its end is far, so it is worth while to look for its slot.
  assign head_valid_o = push_i && sop_i && hdr.bytes >= 11'd128;
  assign head_key_o   = {hdr.src[fsh_spec_pkg::NODE_W-1:0], came.job, came.vp, came.seq,
                         came.high, came.low};

  assign busy_o = line_valid || room_o == full;

  `FSH_ASSERT(a_room, !push_i || (room && head_room && told_room))
endmodule

`default_nettype wire
