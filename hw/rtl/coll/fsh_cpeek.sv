// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none

/// Looks up the keys of packets while they are coming, so that those for which a slot is claimed
/// need no look-up when they are whole. By lane: a packet begins (head_*), and its key is looked up
/// when nobody else asks (look_*; look_hit_i: it has a slot, and is not whole); hit_o: rx_key_i
/// was, and its slot slot_o of generation gen_o is still so, and it may be kept: any (rx_any_i), or
/// one of the lane's key keys_o (open_i). touched_i: one of touched_slots_i
/// becomes whole or free (which of them may be known late). One that is offered (rx_seen_i:
/// rx_key_i) is not looked up any more. Wires from rx_key_i. busy_o: one is to be looked up. Reset:
/// none is known.
module fsh_cpeek #(
    parameter int unsigned LANES = 2,
    parameter int unsigned SLOTS = 80,
    parameter int unsigned TOUCHES = 3,
    localparam int unsigned KEY_W = fsh_coll_pkg::KEY_W,
    localparam int unsigned SW = $clog2(SLOTS)
) (
    input  wire logic                   clk_i,
    input  wire logic                   rst_i,
    input  wire logic       [LANES-1:0] head_valid_i,
    input  wire logic [LANES*KEY_W-1:0] head_keys_i,
    output logic                        look_valid_o,
    input  wire logic                   look_ready_i,
    output logic            [KEY_W-1:0] look_key_o,
    input  wire logic                   look_done_i,
    input  wire logic                   look_hit_i,
    input  wire logic          [SW-1:0] look_slot_i,
    input  wire logic             [1:0] look_gen_i,
    input  wire logic     [TOUCHES-1:0] touched_i,
    input  wire logic  [TOUCHES*SW-1:0] touched_slots_i,
    input  wire logic                   rx_seen_i,
    input  wire logic       [KEY_W-1:0] rx_key_i,
    input  wire logic                   rx_any_i,
    input  wire logic       [LANES-1:0] open_i,
    output logic      [LANES*KEY_W-1:0] keys_o,
    output logic                        hit_o,
    output logic               [SW-1:0] slot_o,
    output logic                  [1:0] gen_o,
    output logic                        busy_o
);
  logic       [LANES-1:0] wants_q, asks_q, there_q, same, asks;
  logic    [LANES*SW-1:0] slots_q;
  logic     [LANES*2-1:0] gens_q;
  logic                   waits_q;

  assign look_valid_o = wants_q != '0 && !waits_q;
  assign asks         = wants_q & (~wants_q + 1'b1);
  assign hit_o        = (same & there_q & (open_i | {LANES{rx_any_i}})) != '0;
  assign busy_o       = wants_q != '0 || waits_q;

  always_comb begin
    look_key_o = '0;
    slot_o     = '0;
    gen_o      = '0;
    for (int unsigned l = 0; l < LANES; l++) begin
      if (asks[l]) look_key_o |= keys_o[l*KEY_W+:KEY_W];
      if (same[l] && there_q[l]) slot_o |= slots_q[l*SW+:SW];
      if (same[l] && there_q[l]) gen_o |= gens_q[l*2+:2];
    end
  end

  always_ff @(posedge clk_i) begin
    if (look_valid_o && look_ready_i) waits_q <= 1'b1;
    else if (look_done_i) waits_q <= 1'b0;
    if (rst_i) waits_q <= 1'b0;
  end

  for (genvar l = 0; l < LANES; l++) begin : gen_lane
    assign same[l] = keys_o[l*KEY_W+:KEY_W] == rx_key_i;

    always_ff @(posedge clk_i) begin
      if (head_valid_i[l]) keys_o[l*KEY_W+:KEY_W] <= head_keys_i[l*KEY_W+:KEY_W];
      if (look_done_i && asks_q[l]) begin
        slots_q[l*SW+:SW] <= look_slot_i;
        gens_q[l*2+:2]    <= look_gen_i;
        there_q[l]        <= look_hit_i;
        asks_q[l]         <= 1'b0;
      end
      for (int unsigned t = 0; t < TOUCHES; t++)
        if (touched_i[t] && slots_q[l*SW+:SW] == touched_slots_i[t*SW+:SW]) there_q[l] <= 1'b0;
      if (look_valid_o && look_ready_i && asks[l]) {wants_q[l], asks_q[l]} <= 2'b01;
      if (rx_seen_i && same[l]) {wants_q[l], asks_q[l]} <= '0;
      if (head_valid_i[l]) {wants_q[l], asks_q[l], there_q[l]} <= 3'b100;
      if (rst_i) {wants_q[l], asks_q[l], there_q[l]} <= '0;
    end
  end
endmodule

`default_nettype wire
