// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none
`include "fsh_assert.svh"

/// Which slot of a packet memory holds the packet of a key. Keys stand in BUCKETS buckets
/// of WAYS each; a hash names two of them for a key, and a RESERVE is compared at once:
/// two reads an operation at most. Slots are numbered by where their key stands: way w of
/// bucket b is WAYS * b + w, the reserve comes behind. One operation at a time:
///   Look    found: the key has a slot, with res_whole_o if its packet is whole
///   Claim   found as for Look; else made: the key has a free slot now (of the bucket with
///           more room, of the reserve if both are full and op_reserve_i), not whole; else none
///   Commit  the packet in op_slot_i is whole
///   Free    op_slot_i is free
/// Commit and Free need the generation that the slot's claim gave; with another one, or
/// of a slot that is free, they do nothing. Look and Claim: four cycles until the result,
/// a pulse; then the next. Commit and Free: one cycle, no result. Claims may be of any
/// key, also again and again: those that find no room change nothing. BUCKETS is a power
/// of two of at least 2, WAYS a power of two. used_o: slots that are not free, two cycles after
/// the cause. kept_o, gone_o, stale_o: pulses in the cycle after a Commit, after a Free of a slot
/// with a whole packet, after a Commit that did nothing.
/// Reset frees all slots; keys and generations have none.
module fsh_hashbuf #(
    parameter int unsigned BUCKETS = 8,
    parameter int unsigned WAYS = 8,
    parameter int unsigned RESERVE = 6,
    parameter int unsigned KEY = 46,
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
  localparam int unsigned BW = $clog2(BUCKETS);
  localparam int unsigned TABLE = BUCKETS * WAYS;

  typedef enum logic [2:0] {
    Idle,
    First,
    Second,
    Decide,
    Place,
    Result
  } state_e;

  state_e             state_q;
  logic               claim_q, reserve_q, made_q;
  logic     [KEY-1:0] key_q;
  logic      [BW-1:0] one, two, one_q, two_q;
  logic   [SLOTS-1:0] used_q, whole_q;
  logic [2*SLOTS-1:0] gen_q;

  function automatic logic [BW-1:0] hash(input logic [KEY-1:0] key, input logic again);
    hash = '0;
    for (int i = 0; i < KEY; i++) begin
      if (again) hash[(i+i/BW)%BW] = hash[(i+i/BW)%BW] ^ key[i];
      else hash[i%BW] = hash[i%BW] ^ key[i];
    end
  endfunction

  assign op_ready_o = state_q == Idle;
  assign one        = hash(key_q, 1'b0);
  assign two        = one ^ (hash(key_q, 1'b1) | BW'(1));  // never the same

  // Keys, a RAM a way.
  logic      [BW-1:0] raddr, bucket;
  logic               re, take_two;
  logic    [WAYS-1:0] we, free, same, free1_q, same1_q;
`ifdef FORMAL
  logic [TABLE*KEY-1:0] f_keys;
`endif

  assign re     = state_q == First || state_q == Second;
  assign raddr  = state_q == First ? one : two_q;
  assign bucket = state_q == Second ? one_q : two_q;

  for (genvar w = 0; w < WAYS; w++) begin : gen_way
    logic [KEY-1:0] key;

    fsh_ram #(
        .WIDTH(KEY),
        .DEPTH(BUCKETS),
        .LUT  (BUCKETS <= 64)
    ) i_keys (
        .clk_i,
        .we_i   (we[w]),
        .waddr_i(take_two ? two_q : one_q),
        .wdata_i(key_q),
        .re_i   (re),
        .raddr_i(raddr),
        .rdata_o(key)
`ifdef FORMAL
        ,
        .f_words_o(f_keys[w*BUCKETS*KEY+:BUCKETS*KEY])
`endif
    );
    assign free[w] = !used_q[(32'(bucket)*WAYS)|w];
    assign same[w] = !free[w] && key == key_q;
  end

  // The reserve.
  logic         [RESERVE-1:0] free_r, free_r_q, same_r_q, we_r;
  logic     [RESERVE*KEY-1:0] keys_r_q;

  assign free_r = ~used_q[SLOTS-1:TABLE];

  always_ff @(posedge clk_i) begin
    if (state_q == First) begin
      one_q <= one;
      two_q <= two;
    end
    if (state_q == Second) begin
      free1_q  <= free;
      same1_q  <= same;
      free_r_q <= free_r;
      for (int i = 0; i < RESERVE; i++)
        same_r_q[i] <= !free_r[i] && keys_r_q[i*KEY+:KEY] == key_q;
    end
    for (int i = 0; i < RESERVE; i++) if (we_r[i]) keys_r_q[i*KEY+:KEY] <= key_q;
  end

  // The second bucket, which is seen in Decide, has more room: keys that go there keep both from
  // being full early.
  logic emptier;

  always_comb begin : rooms
    logic [$clog2(WAYS+1)-1:0] room1, room2;
    room1 = '0;
    room2 = '0;
    for (int w = 0; w < WAYS; w++) begin
      room1 = room1 + $clog2(WAYS + 1)'(free1_q[w]);
      room2 = room2 + $clog2(WAYS + 1)'(free[w]);
    end
    emptier = room2 > room1;
  end

  // What becomes of it: where the key stands, or a place that is free.
  logic               found, claims, full;
  logic    [WAYS-1:0] ways1, ways2, ways1_q, ways2_q;
  logic [RESERVE-1:0] ways_r, ways_r_q;
  logic      [SW-1:0] slot;

  always_comb begin
    found  = {same1_q, same, same_r_q} != '0;
    claims = claim_q && !found;
    full   = {free1_q, free} == '0;
    ways1  = claims && !emptier ? free1_q & (~free1_q + 1'b1) : '0;
    ways2  = claims && emptier ? free & (~free + 1'b1) : '0;
    ways_r = claims && full ? free_r_q & (~free_r_q + 1'b1) : '0;
  end

  always_ff @(posedge clk_i) begin
    if (state_q == Decide) begin
      ways1_q     <= found ? same1_q : ways1;
      ways2_q     <= found ? same : ways2;
      ways_r_q    <= found ? same_r_q : ways_r;
      res_found_o <= found;
      res_made_o  <= claims && (!full || (reserve_q && free_r_q != '0));
    end
    if (state_q == Place) begin
      res_slot_o  <= slot;
      res_whole_o <= res_found_o && whole_q[slot];
      res_gen_o   <= gen_q[2*slot+:2];
    end
  end

  always_comb begin
    slot     = '0;
    take_two = ways2_q != '0;
    for (int w = 0; w < WAYS; w++) begin
      if (ways1_q[w]) slot |= SW'(32'(one_q) * WAYS) | SW'(w);
      if (ways2_q[w]) slot |= SW'(32'(two_q) * WAYS) | SW'(w);
    end
    for (int i = 0; i < RESERVE; i++) if (ways_r_q[i]) slot |= SW'(TABLE + i);
    we   = '0;
    we_r = '0;
    if (state_q == Place && res_made_o) begin
      we   = ways1_q | ways2_q;
      we_r = ways_r_q;
    end
  end

  // A Commit or a Free is carried out in the cycle after it was taken, if its slot is as its user
  // believes: before a look-up that follows it reads what is in use, which is two cycles later.
  logic               late_q, frees_q, now, commit, release_;
  logic      [SW-1:0] at_q;
  logic         [1:0] agen_q;
  logic [(1<<SW)-1:0] used_all;  // numbers that no slot has are not in use

  always_ff @(posedge clk_i) begin
    late_q  <= state_q == Idle && op_valid_i && op_i[1] && !rst_i;
    frees_q <= op_i == fsh_coll_pkg::HASH_FREE;
    at_q    <= op_slot_i;
    agen_q  <= op_gen_i;
  end

  assign used_all = (1 << SW)'(used_q);
  assign now      = late_q && used_all[at_q] && gen_q[2*at_q+:2] == agen_q;
  assign commit   = now && !frees_q;
  assign release_ = now && frees_q;
  assign kept_o   = commit;
  assign gone_o   = release_ && whole_q[at_q];
  assign stale_o  = late_q && !frees_q && !now;

  always_ff @(posedge clk_i) begin
    unique case (state_q)
      Idle: begin
        if (op_valid_i && !op_i[1]) state_q <= First;
        claim_q   <= op_i == fsh_coll_pkg::HASH_CLAIM;
        reserve_q <= op_reserve_i;
        key_q     <= op_key_i;
      end
      First:   state_q <= Second;
      Second:  state_q <= Decide;
      Decide:  state_q <= Place;
      Place:   state_q <= Result;
      default: state_q <= Idle;
    endcase
    if (res_valid_o && res_made_o) begin
      used_q[res_slot_o]  <= 1'b1;
      whole_q[res_slot_o] <= 1'b0;
      used_o              <= used_o + 1'b1;
    end
    if (commit) whole_q[at_q] <= 1'b1;
    if (release_) begin
      used_q[at_q]     <= 1'b0;
      gen_q[2*at_q+:2] <= agen_q + 2'd1;
    end
    made_q <= res_valid_o && res_made_o;
    used_o <= used_o + SW'(made_q) - SW'(release_);
    if (rst_i) begin
      state_q <= Idle;
      used_q  <= '0;
      used_o  <= '0;
      made_q  <= 1'b0;
    end
  end

  assign res_valid_o = state_q == Result;

`ifdef FORMAL
`include "fsh_hashbuf_formal.svh"
`else
  `FSH_ASSERT(a_slot, !res_valid_o || 32'(res_slot_o) < SLOTS)
  `FSH_ASSERT(a_one_place, state_q != Place || ({ways1_q, ways2_q, ways_r_q} &
              ({ways1_q, ways2_q, ways_r_q} - 1'b1)) == '0)
`endif
endmodule

`default_nettype wire
