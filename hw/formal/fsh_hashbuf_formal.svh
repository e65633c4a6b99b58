// SPDX-License-Identifier: BSD-3-Clause
// Proof of fsh_hashbuf, included in the module. Any operations in any order: any one key
// has the slot that its last Claim gave it until that is freed, and no other (no loss, no
// alias); nobody else gets that slot; it is whole exactly since its Commit; a Claim finds
// no room only if there is none.

  (* anyconst *) logic [KEY-1:0] f_key;
  logic          f_some, f_whole;  // it has a slot, since its last Claim
  logic          f_leaves;         // that is free when the Free taken a cycle ago is carried out
  logic [SW-1:0] f_slot;
  logic    [1:0] f_gen;
  logic          f_mine, f_named, f_late, f_room;
  logic [BW-1:0] f_one, f_two;

  initial assume (rst_i);

  assign f_mine  = key_q == f_key;
  assign f_named = f_some && state_q == Idle && op_valid_i && op_slot_i == f_slot &&
                   op_gen_i == f_gen;
  assign f_late  = late_q && at_q == f_slot && agen_q == f_gen;
  assign f_one   = hash(f_key, 1'b0);
  assign f_two   = f_one ^ (hash(f_key, 1'b1) | BW'(1));

  always_comb begin
    f_room = 1'b0;
    for (int w = 0; w < WAYS; w++)
      if (!used_q[32'(f_one)*WAYS+w] || !used_q[32'(f_two)*WAYS+w]) f_room = 1'b1;
    for (int i = 0; i < RESERVE; i++) if (reserve_q && !used_q[TABLE+i]) f_room = 1'b1;
  end

  always @(posedge clk_i) begin
    if (res_valid_o && f_mine && res_made_o) begin
      f_some  <= 1'b1;
      f_whole <= 1'b0;
      f_slot  <= res_slot_o;
      f_gen   <= res_gen_o;
    end
    if (f_named && op_i == fsh_coll_pkg::HASH_COMMIT) f_whole <= 1'b1;
    if (f_named && op_i == fsh_coll_pkg::HASH_FREE) f_some <= 1'b0;
    f_leaves <= f_named && op_i == fsh_coll_pkg::HASH_FREE && !rst_i;
    if (rst_i) f_some <= 1'b0;
  end

  // The result that anyone sees.
  `FSH_ASSERT(f_found, !res_valid_o || !f_mine || res_found_o == f_some)
  `FSH_ASSERT(f_where, !res_valid_o || !f_mine || !f_some ||
              (res_slot_o == f_slot && res_gen_o == f_gen && res_whole_o == f_whole))
  `FSH_ASSERT(f_own, !res_valid_o || f_mine || !(res_found_o || res_made_o) || !f_some ||
              res_slot_o != f_slot)
  `FSH_ASSERT(f_made, !res_valid_o || !f_mine || !res_made_o ||
              (claim_q && !f_some && 32'(res_slot_o) < SLOTS && f_seen[res_slot_o]))
  `FSH_ASSERT(f_fresh, !res_valid_o || !res_made_o || !used_q[res_slot_o])
  `FSH_ASSERT(f_refused, !res_valid_o || !f_mine || !claim_q || f_some || res_made_o || !f_room)
  `FSH_ASSERT(f_kept_back, !res_valid_o || !res_made_o || reserve_q || 32'(res_slot_o) < TABLE)

  // The key stands in its slot alone, which is one that a look-up sees.
  logic [SLOTS-1:0] f_here, f_seen;

  for (genvar b = 0; b < BUCKETS; b++) begin : gen_f_bucket
    for (genvar w = 0; w < WAYS; w++) begin : gen_f_way
      assign f_here[b*WAYS+w] = used_q[b*WAYS+w] &&
                                f_keys[(w*BUCKETS+b)*KEY+:KEY] == f_key;
      assign f_seen[b*WAYS+w] = BW'(b) == f_one || BW'(b) == f_two;
    end
  end
  for (genvar i = 0; i < RESERVE; i++) begin : gen_f_reserve
    assign f_here[TABLE+i] = used_q[TABLE+i] && keys_r_q[i*KEY+:KEY] == f_key;
    assign f_seen[TABLE+i] = 1'b1;
  end

  `FSH_ASSERT(f_alone, f_here == (f_some || f_leaves ? SLOTS'(1) << f_slot : '0))
  `FSH_ASSERT(f_reach, !(f_some || f_leaves) || (f_seen[f_slot] && 32'(f_slot) < SLOTS))
  `FSH_ASSERT(f_same_gen, !(f_some || f_leaves) || gen_q[2*f_slot+:2] == f_gen)
  `FSH_ASSERT(f_same_whole, !f_some || whole_q[f_slot] == f_whole ||
              (f_whole && f_late && !frees_q))
  `FSH_ASSERT(f_then, !late_q || state_q == Idle)
  `FSH_ASSERT(f_left, f_leaves ? f_late && frees_q && !f_some : !(f_some && f_late && frees_q))
  `FSH_ASSERT(f_state, state_q <= Result)
  `FSH_ASSERT(f_hashed, state_q == Idle || state_q == First || !f_mine ||
              (one_q == f_one && two_q == f_two))
