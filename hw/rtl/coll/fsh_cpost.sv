// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none
`include "fsh_assert.svh"

/// What the collective engine sends: packets stand in one of PLACES (fsh_cserve) until the
/// sequencer has read them, like any payload: addresses from 2^39 on are those places. So a
/// packet is whole before its command is given (ecmd, PACKET), and the sequencer never waits
/// for the engine; but that of one of up to SHORT bytes is given with its first line, and it is
/// not read before the last (fills_o). put_o: its line goes to put_at_o, {place, line}; ends_o:
/// the beat with which a place has been read; freed_i: it has been, ack_*: its packet was refused;
/// so it is free. tell_*: messages for other engines; they and packets leave in order of their
/// coming. Reset: no place in use.
module fsh_cpost #(
    localparam int unsigned SLOTS = fsh_coll_pkg::PLACES,
    localparam int unsigned SW = fsh_coll_pkg::PLACE_W,
    localparam int unsigned LW = fsh_coll_pkg::PLINE_W,
    localparam int unsigned BW = fsh_coll_pkg::PBEAT_W
) (
    input  wire logic               clk_i,
    input  wire logic               rst_i,
    input  wire logic        [39:0] seg_base_i,
    // The engine.
    input  wire logic               tx_valid_i,
    output logic                    tx_ready_o,
    input  wire logic               tx_last_i,
    input  wire logic         [7:0] tx_dest_i,
    /* verilator lint_off UNUSEDSIGNAL */
    input  wire fsh_spec_pkg::colladdr_t tx_addr_i,
    /* verilator lint_on UNUSEDSIGNAL */
    input  wire logic      [LW+6:0] tx_bytes_i,
    input  wire logic               tell_valid_i,
    output logic                    tell_ready_o,
    input  wire fsh_coll_pkg::note_t tell_i,
    // The places.
    output logic                    put_o,
    output logic        [SW+LW-1:0] put_at_o,
    output logic                    fills_o,
    output logic     [SLOTS*BW-1:0] ends_o,
    input  wire logic   [SLOTS-1:0] freed_i,
    // The node's commands.
    output logic                    ccmd_valid_o,
    input  wire logic               ccmd_ready_i,
    output fsh_spec_pkg::ecmd_t     ccmd_o,
    input  wire logic               ack_valid_i,
    input  wire logic      [SW-1:0] ack_slot_i
);
  // A packet to its place; its last beat is the one with which that is read.
  logic [SLOTS-1:0]    used_q;
  logic [SLOTS*BW-1:0] ends_q;
  logic [SW-1:0]       slot_q, refused;
  logic [LW-1:0]       line_q;
  logic [39:0]         base_q;
  logic                some, take, last, begins, short, tells, cmd_room, told;
  fsh_spec_pkg::ecmd_t packet, message, cmd;
  /* verilator lint_off UNUSEDSIGNAL */
  fsh_spec_pkg::collkey_t key;
  /* verilator lint_on UNUSEDSIGNAL */

  // Of a refused packet some bits of its address are told; a place is how far that is from the
  // first one.
  assign refused = ack_slot_i - base_q[LW+6+:SW];

  assign some         = tx_bytes_i != '0;
  assign short        = tx_bytes_i <= (LW + 7)'(fsh_coll_pkg::SHORT);
  assign tells        = short ? line_q == '0 : tx_last_i;  // its command is given
  assign tx_ready_o   = (cmd_room || !tells) && !(some && used_q[slot_q] && line_q == '0);
  assign take         = tx_valid_i && tx_ready_o;
  assign begins       = take && line_q == '0;
  assign last         = take && tx_last_i;
  assign tell_ready_o = cmd_room && !(tx_valid_i && tells);
  assign told         = tell_valid_i && tell_ready_o;
  assign put_o        = take && some;
  assign put_at_o     = {slot_q, line_q};
  assign ends_o       = ends_q;

  always_ff @(posedge clk_i) begin
    base_q <= {1'b1, 39'd0} - seg_base_i;
    if (take) line_q <= tx_last_i ? '0 : line_q + 1'b1;
    if (last && some) slot_q <= slot_q == SW'(SLOTS - 1) ? '0 : slot_q + 1'b1;
    if (begins && some)
      ends_q[slot_q*BW+:BW] <= BW'(fsh_fn_pkg::pay_beats(4'd0, tx_bytes_i) - 7'd1);
    if (take) fills_o <= short && !tx_last_i;
    for (int unsigned i = 0; i < SLOTS; i++) begin
      if (freed_i[i] || (ack_valid_i && refused == SW'(i))) used_q[i] <= 1'b0;
      if (begins && some && slot_q == SW'(i)) used_q[i] <= 1'b1;
    end
    if (rst_i) begin
      fills_o <= 1'b0;
      line_q <= '0;
      slot_q <= '0;
      used_q <= '0;
    end
  end

  always_comb begin
    packet        = '0;
    packet.kind   = fsh_spec_pkg::EKIND_PACKET;
    packet.dst    = tx_dest_i;
    packet.length = 24'(tx_bytes_i);
    packet.laddr  = base_q + (40'(slot_q) << (LW + 6));
    packet.raddr  = tx_addr_i[39:0];
    packet.tag    = tx_addr_i[45:40];
    key           = '0;
    key.op        = tell_i.op;
    key.job       = tell_i.key.job;
    key.vp        = tell_i.key.vp;
    key.seq       = tell_i.key.seq;
    key.number    = tell_i.key.number;
    message       = '0;
    message.kind  = fsh_spec_pkg::EKIND_MESSAGE;
    message.dst   = 8'(tell_i.key.node);
    message.laddr = key[39:0];
    cmd           = take && tells ? packet : message;
  end

  fsh_fifo #(
      .WIDTH($bits(cmd)),
      .DEPTH(4)
  ) i_cmd (
      .clk_i,
      .rst_i,
      .valid_i((take && tells) || told),
      .ready_o(cmd_room),
      .data_i (cmd),
      .valid_o(ccmd_valid_o),
      .ready_i(ccmd_ready_i),
      .data_o (ccmd_o),
      .count_o()
  );
endmodule

`default_nettype wire
