// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none

/// What the hash is compared with (tb_fsh_coll_pressure): in the place of fsh_hashbuf a
/// partition of the same slots, fixed, of BUCKETS jobs, those of the lowest bits of the VP in the
/// key. Each has WAYS slots for any claim, and its share of the reserve for those that may
/// use that. Ports, operations and cycles are those of fsh_hashbuf; not for synthesis.
module fsh_hashbuf #(
    parameter int unsigned BUCKETS = 32,
    parameter int unsigned WAYS = 2,
    parameter int unsigned RESERVE = 40,
    parameter int unsigned KEY = 41,
    localparam int unsigned SLOTS = BUCKETS * WAYS + RESERVE,
    localparam int unsigned SW = $clog2(SLOTS)
) (
    input  wire logic           clk_i,
    input  wire logic           rst_i,
    input  wire logic           op_valid_i,
    output logic                op_ready_o,
    input  wire logic     [1:0] op_i,  // fsh_coll_pkg::hash_e
    input  wire logic [KEY-1:0] op_key_i,
    input  wire logic           op_reserve_i,
    input  wire logic  [SW-1:0] op_slot_i,
    input  wire logic     [1:0] op_gen_i,
    output logic                res_valid_o,
    output logic                res_found_o,
    output logic                res_made_o,
    output logic                res_whole_o,
    output logic       [SW-1:0] res_slot_o,
    output logic          [1:0] res_gen_o,
    output logic       [SW-1:0] used_o,
    output logic                kept_o,
    output logic                gone_o,
    output logic                stale_o
);
  localparam int unsigned TABLE = BUCKETS * WAYS;
  localparam int unsigned HELD = RESERVE / BUCKETS;  // of the reserve, a job
  localparam int unsigned VP_AT = 16;  // in the key (fsh_coll_pkg::key_t)
  localparam int unsigned LAST = 5;    // cycles of a Look or a Claim

  logic           claim_q, reserve_q, now;
  logic     [2:0] cycle_q;
  logic [KEY-1:0] key_q;
  logic [KEY-1:0] keys_q[SLOTS];
  logic [SLOTS-1:0] used_q, whole_q;
  logic     [1:0] gen_q[SLOTS];
  int unsigned    job;

  assign job         = 32'(key_q[VP_AT+:$clog2(BUCKETS)]);
  assign op_ready_o  = cycle_q == '0;
  assign res_valid_o = cycle_q == 3'(LAST);
  assign res_whole_o = res_found_o && whole_q[res_slot_o];
  assign res_gen_o   = gen_q[res_slot_o];
  assign now = op_ready_o && op_valid_i && used_q[op_slot_i] && gen_q[op_slot_i] == op_gen_i;

  always_ff @(posedge clk_i) begin
    {kept_o, gone_o, stale_o} <= '0;
    used_o <= SW'($countones(used_q));
    if (op_ready_o) begin
      key_q     <= op_key_i;
      claim_q   <= op_i == fsh_coll_pkg::HASH_CLAIM;
      reserve_q <= op_reserve_i;
      if (op_valid_i && !op_i[1]) cycle_q <= 3'd1;
      if (now && op_i == fsh_coll_pkg::HASH_COMMIT) whole_q[op_slot_i] <= 1'b1;
      if (now && op_i == fsh_coll_pkg::HASH_FREE) begin
        used_q[op_slot_i] <= 1'b0;
        gen_q[op_slot_i]  <= op_gen_i + 2'd1;
      end
      kept_o  <= now && op_i == fsh_coll_pkg::HASH_COMMIT;
      stale_o <= !now && op_valid_i && op_i == fsh_coll_pkg::HASH_COMMIT;
      gone_o  <= now && op_i == fsh_coll_pkg::HASH_FREE && whole_q[op_slot_i];
    end else cycle_q <= res_valid_o ? '0 : cycle_q + 1'b1;
    if (cycle_q == 3'(LAST - 1)) begin
      // The last that fits counts: a slot for any claim before one of the reserve.
      {res_found_o, res_made_o} <= '0;
      for (int unsigned i = 0; i < WAYS + HELD; i++) begin
        automatic int unsigned s = i < HELD ? TABLE + job * HELD + i : job * WAYS + i - HELD;
        if (claim_q && !used_q[s] && (reserve_q || i >= HELD)) begin
          res_made_o <= 1'b1;
          res_slot_o <= SW'(s);
        end
      end
      for (int unsigned i = 0; i < WAYS + HELD; i++) begin
        automatic int unsigned s = i < HELD ? TABLE + job * HELD + i : job * WAYS + i - HELD;
        if (used_q[s] && keys_q[s] == key_q) begin
          res_found_o <= 1'b1;
          res_made_o  <= 1'b0;
          res_slot_o  <= SW'(s);
        end
      end
    end
    if (res_valid_o && res_made_o) begin
      keys_q[res_slot_o]  <= key_q;
      used_q[res_slot_o]  <= 1'b1;
      whole_q[res_slot_o] <= 1'b0;
    end
    if (rst_i) begin
      cycle_q <= '0;
      used_q  <= '0;
    end
  end
endmodule

`default_nettype wire
