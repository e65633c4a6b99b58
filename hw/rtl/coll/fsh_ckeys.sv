// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none

/// The keys of the packet buffer (fsh_hashbuf), and who asks for them, one at a time: the packet in
/// hand first (rx_look_i, with rx_claims_i it gets a slot; rx_commit_i: it is whole), then in turns
/// units (of each what frees a slot first), their rows, who answers ASKs, and packets that are
/// coming (fsh_cpeek). req_i, keys_i: units, rows, ASKs; freed_o: of which unit a slot is freed;
/// looked_o, a register: whose look-up began a cycle ago, so a request that is no Free stays until
/// the cycle after it was taken. owner_o: whose the result is, mine_o: of the packet in hand;
/// key_o: that of the operation. only_i: a look-up that does not claim; spare_i: of the reserve,
/// too. hit_o: the slot of rx_key_i is known at once, not whole, and the packet may be kept
/// (rx_any_i, or open_i of the lane whose key in peek_keys_o it is). slot_o, gen_o: of the result,
/// or of that.
module fsh_ckeys #(
    parameter int unsigned UNITS = 2,
    parameter int unsigned LANES = 2,
    parameter int unsigned BUCKETS = 8,
    parameter int unsigned WAYS = 8,
    parameter int unsigned RESERVE = 16,
    localparam int unsigned KEY_W = fsh_coll_pkg::KEY_W,
    localparam int unsigned SLOTS = BUCKETS * WAYS + RESERVE,
    localparam int unsigned SW = $clog2(SLOTS),
    localparam int unsigned REQS = 2 * UNITS + 1
) (
    input  wire logic                   clk_i,
    input  wire logic                   rst_i,
    input  wire logic       [LANES-1:0] head_valid_i,
    input  wire logic [LANES*KEY_W-1:0] head_keys_i,
    input  wire logic                   rx_look_i,
    input  wire logic                   rx_claims_i,
    input  wire logic                   rx_any_i,
    input  wire logic       [LANES-1:0] open_i,
    input  wire logic                   rx_commit_i,
    input  wire logic       [KEY_W-1:0] rx_key_i,
    input  wire logic          [SW-1:0] rx_slot_i,
    input  wire logic             [1:0] rx_gen_i,
    input  wire logic        [REQS-1:0] req_i,
    input  wire logic  [REQS*KEY_W-1:0] keys_i,
    input  wire logic       [UNITS-1:0] only_i,
    input  wire logic     [2*UNITS-1:0] spare_i,
    input  wire logic       [UNITS-1:0] free_valid_i,
    input  wire logic    [UNITS*SW-1:0] free_slots_i,
    input  wire logic     [UNITS*2-1:0] free_gens_i,
    output logic                        ready_o,
    output logic            [UNITS-1:0] freed_o,
    output logic             [REQS-1:0] looked_o,
    output logic             [REQS-1:0] owner_o,
    output logic                        mine_o,  // of the packet in hand
    output logic            [KEY_W-1:0] key_o,
    output logic                        res_valid_o,
    output logic                        res_found_o,
    output logic                        res_made_o,
    output logic                        res_whole_o,
    output logic               [SW-1:0] res_slot_o,
    output logic                  [1:0] res_gen_o,
    output logic      [LANES*KEY_W-1:0] peek_keys_o,
    output logic                        hit_o,
    output logic               [SW-1:0] slot_o,
    output logic                  [1:0] gen_o,
    output logic               [SW-1:0] used_o,
    output logic                        kept_o,
    output logic                        gone_o,
    output logic                        stale_o,
    output logic                        busy_o
);
  logic   [REQS:0] req, gnt;
  logic            takes, valid, peeks, peek_q, frees, rx_op, known;
  logic [KEY_W-1:0] look_key, peek_key, key;
  logic   [SW-1:0] free_slot, slot, hit_slot;
  logic      [1:0] free_gen, what, hit_gen;

  assign req     = {peeks, req_i};
  assign rx_op   = rx_look_i || rx_commit_i;
  assign hit_o   = rx_look_i && known;
  assign slot_o  = rx_look_i ? hit_slot : res_slot_o;
  assign gen_o   = rx_look_i ? hit_gen : res_gen_o;
  assign takes   = req != '0 && ready_o && !rx_op;
  assign valid   = rx_op ? !hit_o : req != '0;
  assign freed_o = takes ? free_valid_i & gnt[UNITS-1:0] : '0;
  assign frees   = (free_valid_i & gnt[UNITS-1:0]) != '0;

  fsh_arb #(
      .N(REQS + 1)
  ) i_arb (
      .clk_i,
      .rst_i,
      .req_i (req),
      .look_i(1'b1),
      .take_i(takes),
      .gnt_o (gnt)
  );

  always_comb begin
    look_key  = gnt[REQS] ? peek_key : '0;
    free_slot = '0;
    free_gen  = '0;
    for (int unsigned r = 0; r < REQS; r++) if (gnt[r]) look_key |= keys_i[r*KEY_W+:KEY_W];
    for (int unsigned u = 0; u < UNITS; u++)
      if (gnt[u]) begin
        free_slot |= free_slots_i[u*SW+:SW];
        free_gen  |= free_gens_i[u*2+:2];
      end
    what = (gnt & {2'b11, UNITS'(0), only_i}) != '0 ? fsh_coll_pkg::HASH_LOOK :
                                                      fsh_coll_pkg::HASH_CLAIM;
    if (frees) what = fsh_coll_pkg::HASH_FREE;
    if (rx_op) what = rx_commit_i ? fsh_coll_pkg::HASH_COMMIT :
                      rx_claims_i ? fsh_coll_pkg::HASH_CLAIM : fsh_coll_pkg::HASH_LOOK;
  end
  assign key  = rx_op ? rx_key_i : look_key;
  assign slot = rx_op ? rx_slot_i : free_slot;

  always_ff @(posedge clk_i) begin
    looked_o <= takes && !frees && !rst_i ? gnt[REQS-1:0] : '0;
    if (valid && ready_o) begin
      owner_o <= rx_op ? '0 : gnt[REQS-1:0];
      peek_q  <= !rx_op && gnt[REQS];
      key_o   <= key;
    end
  end
  assign mine_o = owner_o == '0 && !peek_q;

  fsh_hashbuf #(
      .BUCKETS(BUCKETS),
      .WAYS   (WAYS),
      .RESERVE(RESERVE),
      .KEY    (KEY_W)
  ) i_keys (
      .clk_i,
      .rst_i,
      .op_valid_i  (valid),
      .op_ready_o  (ready_o),
      .op_i        (what),
      .op_key_i    (key),
      .op_reserve_i(rx_op || (spare_i & gnt[2*UNITS-1:0]) != '0),
      .op_slot_i   (slot),
      .op_gen_i    (rx_op ? rx_gen_i : free_gen),
      .res_valid_o,
      .res_found_o,
      .res_made_o,
      .res_whole_o,
      .res_slot_o,
      .res_gen_o,
      .used_o,
      .kept_o,
      .gone_o,
      .stale_o
  );

  fsh_cpeek #(
      .LANES  (LANES),
      .SLOTS  (SLOTS),
      .TOUCHES(UNITS + 1)
  ) i_peek (
      .clk_i,
      .rst_i,
      .head_valid_i,
      .head_keys_i,
      .look_valid_o   (peeks),
      .look_ready_i   (takes && gnt[REQS]),
      .look_key_o     (peek_key),
      .look_done_i    (res_valid_o && peek_q),
      .look_hit_i     (res_found_o && !res_whole_o),
      .look_slot_i    (res_slot_o),
      .look_gen_i     (res_gen_o),
      .touched_i      ({rx_commit_i && ready_o, freed_o}),
      .touched_slots_i({rx_slot_i, free_slots_i}),
      .rx_seen_i      (rx_look_i),
      .rx_key_i,
      .rx_any_i,
      .open_i,
      .keys_o         (peek_keys_o),
      .hit_o          (known),
      .slot_o         (hit_slot),
      .gen_o          (hit_gen),
      .busy_o
  );
endmodule

`default_nettype wire
