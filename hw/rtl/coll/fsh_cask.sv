// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none
`include "fsh_assert.svh"

/// Answers those who ask whether they may send (ASK): each question is looked up among the
/// keys (look_*); if a slot is claimed for it, and its packet is not there, a GRANT is told,
/// of the last of up to AHEAD packets of the step that are claimed one behind the other.
/// Else nothing: who claims it will tell. Questions wait for nothing but the look-up: what
/// is to be told stands in a queue in which each slot is once at most. room_o, a register:
/// four more questions at least. made_*: a slot is claimed for a key. Reset empties it.
module fsh_cask #(
    parameter int unsigned SLOTS = 80,
    parameter int unsigned AHEAD = 16,  // a power of two
    localparam int unsigned SW = $clog2(SLOTS)
) (
    input  wire logic                clk_i,
    input  wire logic                rst_i,
    input  wire logic                ask_valid_i,
    input  wire fsh_coll_pkg::key_t  ask_key_i,
    output logic                     room_o,
    output logic                     look_valid_o,
    input  wire logic                look_ready_i,
    output fsh_coll_pkg::key_t       look_key_o,
    input  wire logic                look_done_i,
    input  wire logic                look_hit_i,   // claimed, and not whole
    input  wire logic       [SW-1:0] look_slot_i,
    input  wire logic                made_valid_i,
    input  wire logic       [SW-1:0] made_slot_i,
    input  wire fsh_coll_pkg::key_t  made_key_i,
    output logic                     tell_valid_o,
    input  wire logic                tell_ready_i,
    output fsh_coll_pkg::note_t      tell_o,
    output logic                     busy_o
);
  localparam int unsigned KEY_W = fsh_coll_pkg::KEY_W;
  localparam int unsigned DEPTH = 16;
  logic             some, waits_q, owe, owe_room, owed, ask_room, over;
  logic [$clog2(AHEAD)-1:0] off_q;
  logic    [SW-1:0] last_q, owe_slot;  // that was found
  fsh_coll_pkg::key_t asked;
  logic       [4:0] count;
  logic    [SW-1:0] slot;
  logic [SLOTS-1:0] owed_q;
  (* ram_style = "distributed" *) logic [KEY_W-1:0] keys_mem[SLOTS];

  fsh_fifo #(
      .WIDTH(KEY_W),
      .DEPTH(DEPTH)
  ) i_asks (
      .clk_i,
      .rst_i,
      .valid_i(ask_valid_i),
      .ready_o(ask_room),
      .data_i (ask_key_i),
      .valid_o(some),
      .ready_i(over),
      .data_o (asked),
      .count_o(count)
  );

  always_comb begin
    look_key_o        = asked;
    look_key_o.number = asked.number + 8'(off_q);
  end

  assign look_valid_o = some && !waits_q;
  assign over         = look_done_i && (!look_hit_i || off_q == '1);
  assign owe_slot     = look_hit_i ? look_slot_i : last_q;
  assign owe          = over && (look_hit_i || off_q != '0) && !owed_q[owe_slot];
  assign owed         = tell_valid_o && tell_ready_i;

  always_ff @(posedge clk_i) begin
    room_o <= !rst_i && count <= 5'(DEPTH - 6);
    if (look_valid_o && look_ready_i) waits_q <= 1'b1;
    else if (look_done_i) waits_q <= 1'b0;
    if (look_done_i) off_q <= over ? '0 : off_q + 1'b1;
    if (look_done_i) last_q <= look_slot_i;
    if (owed) owed_q[slot] <= 1'b0;
    if (owe) owed_q[owe_slot] <= 1'b1;
    if (made_valid_i) keys_mem[made_slot_i] <= made_key_i;
    if (rst_i) begin
      waits_q <= 1'b0;
      off_q   <= '0;
      owed_q  <= '0;
    end
  end

  fsh_fifo #(
      .WIDTH(SW),
      .DEPTH(1 << SW),
      .BLOCK(1'b0)
  ) i_owed (
      .clk_i,
      .rst_i,
      .valid_i(owe),
      .ready_o(owe_room),
      .data_i (owe_slot),
      .valid_o(tell_valid_o),
      .ready_i(tell_ready_i),
      .data_o (slot),
      .count_o()
  );

  assign tell_o.op  = fsh_spec_pkg::COLLMSG_GRANT;
  assign tell_o.key = keys_mem[slot];
  assign busy_o     = some || waits_q || tell_valid_o || room_o != (count <= 5'(DEPTH - 6));

  `FSH_ASSERT(a_room, (!ask_valid_i || ask_room) && (!owe || owe_room))
endmodule

`default_nettype wire
