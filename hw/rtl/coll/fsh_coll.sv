// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none
`include "fsh_assert.svh"

/// The collective engine: UNITS units (fsh_cunit), each with a way to memory of its own (mrd_*,
/// mwr_*), which share network, completions and the packet memory with its fsh_hashbuf; and
/// what takes packets into that. A sequence belongs to the unit that takes it (fsh_cshare). Packets
/// arrive as lines of 64 bytes, one packet after the other, rx_first_i and rx_last_i around each;
/// they are always taken in bounded time. A packet may come in pieces, in order: rx_line_i is the
/// first line of the piece, and with rx_whole_i it is the last one. What a unit has not claimed is
/// kept if it comes eagerly, one of each peer and eager team, and there is room; all else that has
/// no slot, or is there already, is dropped; what comes eagerly for a job that this node has given
/// up is, too, and its sender may send the next. head_*: by lane, one begins to come that will be
/// offered, or not. Lines of one of up to SHORT bytes are offered one a cycle: who waits for it
/// goes on at the first. fate_o: what becomes of packets, for the counters, pulses after it.
/// note_*: messages of other engines; each is taken in a cycle, ASKs while there is room for four
/// more (ask_room_o, a register). tell_*: those for other engines. Everything else: fsh_cunit.
/// used_o: slots in use.
module fsh_coll #(
    parameter int unsigned UNITS = 2,
    parameter int unsigned CONTEXTS = 4,  // of a unit
    parameter int unsigned LINES = 16,  // of a packet, of 64 bytes
    parameter int unsigned BUCKETS = 8,
    parameter int unsigned WAYS = 8,
    parameter int unsigned RESERVE = 16,  // contexts of all units, COLL_EAGER
    parameter bit FP64 = 1'b1,
    localparam int unsigned LANES = fsh_spec_pkg::LANES,
    localparam int unsigned SLOTS = BUCKETS * WAYS + RESERVE,
    localparam int unsigned LW = $clog2(LINES),
    localparam int unsigned SW = $clog2(SLOTS)
) (
    input  wire logic           clk_i,
    input  wire logic           rst_i,
    input  wire logic           tick_i,
    input  wire logic           run_valid_i,
    output logic                run_ready_o,
    input  wire logic    [31:0] run_addr_i,
    output logic                end_valid_o,
    input  wire logic           end_ready_i,
    output fsh_coll_pkg::end_t  end_o,
    input  wire logic [LANES-1:0] head_valid_i,
    input  wire logic [LANES*fsh_coll_pkg::KEY_W-1:0] head_keys_i,
    input  wire logic           rx_valid_i,
    output logic                rx_ready_o,
    input  wire logic           rx_first_i,
    input  wire logic           rx_last_i,
    input  wire logic           rx_whole_i,
    input  wire logic           rx_eager_i,
    input  wire fsh_coll_pkg::key_t rx_key_i,
    input  wire logic  [LW-1:0] rx_line_i,
    input  wire logic  [LW+6:0] rx_bytes_i,  // of the packet
    input  wire logic   [511:0] rx_data_i,
    output fsh_coll_pkg::fate_t fate_o,
    input  wire logic           note_valid_i,
    input  wire fsh_coll_pkg::note_t note_i,
    output logic                ask_room_o,
    output logic                tell_valid_o,
    input  wire logic           tell_ready_i,
    output fsh_coll_pkg::note_t tell_o,
    output logic    [UNITS-1:0] mrd_valid_o,
    input  wire logic [UNITS-1:0] mrd_ready_i,
    output logic [UNITS*32-1:0] mrd_addr_o,
    input  wire logic [UNITS-1:0] mrd_rvalid_i,
    input  wire logic [UNITS*512-1:0] mrd_data_i,
    input  wire logic [UNITS-1:0] mrd_err_i,
    output logic    [UNITS-1:0] mwr_valid_o,
    input  wire logic [UNITS-1:0] mwr_ready_i,
    output logic    [UNITS-1:0] mwr_post_o,  // to host memory
    output logic [UNITS*32-1:0] mwr_addr_o,
    output logic [UNITS*512-1:0] mwr_data_o,
    output logic [UNITS*64-1:0] mwr_strb_o,
    input  wire logic [UNITS-1:0] mwr_done_i,
    input  wire logic [UNITS-1:0] mwr_err_i,
    output logic                tx_valid_o,
    input  wire logic           tx_ready_i,
    output logic                tx_first_o,
    output logic                tx_last_o,
    output logic          [7:0] tx_dest_o,
    output fsh_spec_pkg::colladdr_t tx_addr_o,
    output logic       [LW+6:0] tx_bytes_o,
    output logic        [511:0] tx_data_o,
    output logic       [SW-1:0] used_o,
    output logic                busy_o
);
  localparam int unsigned KEY_W = fsh_coll_pkg::KEY_W;
  localparam int unsigned NOTE_W = fsh_coll_pkg::NOTE_W;
  localparam int unsigned EAGER_W = fsh_coll_pkg::EAGER_W;
  typedef enum logic [2:0] {
    Claim,
    Answer,
    Write,
    Commit,
    Drop
  } state_e;

  state_e        state_q;
  logic [SW-1:0] slot_q;
  logic    [1:0] gen_q;
  logic          piece_q;  // the last one of its packet
  fsh_coll_pkg::key_t key_q;
  logic [LW-1:0] line_q;
  logic          rx_claims, claims_q, taken, judged, accepted, refused, whole, crowded;
  logic    [3:0] refused_q;  // why, as in fate_t
  logic          twice;  // there is an eager packet of its peer and team already
  logic          eager_q, late, late_q, lost, lost_q, spoilt_q;  // its job was given up here

  // Units; what is a field a unit is a slice of a vector.
  logic             [UNITS-1:0] run_ready, run_gnt, unit_busy, free_valid, freed;
  logic             [UNITS-1:0] prd_req, prd_gnt, look_only;
  logic             [2*UNITS:0] keys_req, looked, owner_q;  // who asks, rows, units
  logic [(2*UNITS+1)*KEY_W-1:0] look_keys;
  logic           [2*UNITS-1:0] look_spare;  // units, rows
  logic          [UNITS*SW-1:0] free_slots;
  logic           [UNITS*2-1:0] free_gens;
  logic     [UNITS*(SW+LW)-1:0] prd_addrs;

  logic            op_ready, mine, hit, enters, enters_q, peeking, comes, fresh_q;
  logic            res_valid, res_found, res_made, res_whole, kept, gone, stale;
  logic   [SW-1:0] res_slot, in_slot;
  logic      [1:0] res_gen, in_gen;
  logic   [LW+6:0] bytes_q;
  logic [LANES-1:0] peek_open;  // an eager packet of a lane's key may be kept
  logic [LANES*KEY_W-1:0] peek_keys;
  fsh_coll_pkg::key_t last_key_q;  // of the operation under way

  fsh_ckeys #(
      .UNITS  (UNITS),
      .LANES  (LANES),
      .BUCKETS(BUCKETS),
      .WAYS   (WAYS),
      .RESERVE(RESERVE)
  ) i_keys (
      .clk_i,
      .rst_i,
      .head_valid_i,
      .head_keys_i,
      .rx_look_i   (state_q == Claim && rx_valid_i),
      .rx_claims_i (rx_claims),
      .rx_any_i    (!rx_eager_i || rx_line_i != '0),
      .open_i      (peek_open),
      .peek_keys_o (peek_keys),
      .rx_commit_i (state_q == Commit && !spoilt_q),
      .rx_key_i,
      .rx_slot_i   (slot_q),
      .rx_gen_i    (gen_q),
      .req_i       (keys_req),
      .keys_i      (look_keys),
      .only_i      (look_only),
      .spare_i     (look_spare),
      .free_valid_i(free_valid),
      .free_slots_i(free_slots),
      .free_gens_i (free_gens),
      .ready_o     (op_ready),
      .freed_o     (freed),
      .looked_o    (looked),
      .owner_o     (owner_q),
      .mine_o      (mine),
      .key_o       (last_key_q),
      .res_valid_o (res_valid),
      .res_found_o (res_found),
      .res_made_o  (res_made),
      .res_whole_o (res_whole),
      .res_slot_o  (res_slot),
      .res_gen_o   (res_gen),
      .hit_o       (hit),
      .slot_o      (in_slot),
      .gen_o       (in_gen),
      .used_o,
      .kept_o      (kept),
      .gone_o      (gone),
      .stale_o     (stale),
      .busy_o      (peeking)
  );

  // Eager packets, and those who ask.
  logic        [UNITS-1:0] may_req, may_gnt;
  logic [UNITS*EAGER_W-1:0] may_indices;
  logic                    holds, may_free, ask_tell, ask_told, ask_busy;
  logic        [UNITS-1:0] begins, gone_valid;
  logic [UNITS*fsh_coll_pkg::TEAM_W-1:0] teams;
  logic                    gone_ready, rx_late, held_late, back_tell, back_told;
  fsh_coll_pkg::note_t     back;
  fsh_coll_pkg::note_t     answer;

  // A piece that is not the first of its packet finds the slot of that, or none.
  assign rx_claims = rx_eager_i && fsh_coll_pkg::eager_vp(rx_key_i.vp) && !twice && !late &&
                     rx_line_i == '0;
  // Whole or not when its job is given up, it is freed then; so none becomes whole behind that,
  // but for the cycle after, when nothing has been looked up yet.
  assign late      = rx_late && rx_eager_i;
  always_ff @(posedge clk_i) spoilt_q <= held_late && eager_q;

  fsh_ceager #(.UNITS(UNITS), .LANES(LANES)) i_eager (
      .clk_i,
      .rst_i,
      .may_valid_i (may_req),
      .may_ready_o (may_gnt),
      .may_index_i (may_indices),
      .may_free_o  (may_free),
      .back_valid_i(note_valid_i && note_i.op == fsh_spec_pkg::COLLMSG_CONSUMED),
      .back_key_i  (note_i.key),
      .rx_key_i,
      .rx_twice_o  (twice),
      .rx_holds_i  (holds),
      .told_valid_i(tell_valid_o && tell_ready_i &&
                    tell_o.op == fsh_spec_pkg::COLLMSG_CONSUMED),
      .told_key_i  (tell_o.key),
      .peek_keys_i (peek_keys),
      .peek_open_o (peek_open),
      .calm_i      ((state_q == Write && !fresh_q) || state_q == Drop ||
                    (state_q == Claim && !rx_valid_i)),
      .gone_valid_i(gone_valid),
      .gone_ready_o(gone_ready),
      .begin_i     (begins),
      .teams_i     (teams),
      .rx_late_o   (rx_late),
      .lost_i      (lost_q || (stale && eager_q && fsh_coll_pkg::eager_vp(key_q.vp))),
      .lost_key_i  (key_q),
      .lost_late_o (held_late),
      .tell_valid_o(back_tell),
      .tell_ready_i(back_told),
      .tell_o      (back)
  );

  fsh_cask #(.SLOTS(SLOTS)) i_ask (
      .clk_i,
      .rst_i,
      .ask_valid_i (note_valid_i && note_i.op == fsh_spec_pkg::COLLMSG_ASK),
      .ask_key_i   (note_i.key),
      .room_o      (ask_room_o),
      .look_valid_o(keys_req[2*UNITS]),
      .look_ready_i(looked[2*UNITS]),
      .look_key_o  (look_keys[2*UNITS*KEY_W+:KEY_W]),
      .look_done_i (res_valid && owner_q[2*UNITS]),
      .look_hit_i  (res_found && !res_whole),
      .look_slot_i (res_slot),
      .made_valid_i(res_valid && res_made),
      .made_slot_i (res_slot),
      .made_key_i  (last_key_q),
      .tell_valid_o(ask_tell),
      .tell_ready_i(ask_told),
      .tell_o      (answer),
      .busy_o      (ask_busy)
  );

  // A packet: its slot, its lines, and then it is whole.
  assign accepted   = res_made || (res_found && !res_whole && (!rx_eager_i || rx_line_i != '0 ||
                                                               claims_q));
  assign judged     = state_q == Answer && res_valid && mine;
  assign enters     = (judged && accepted) || hit;
  // Of one that is known at once: open_i. The other's key has stood here for cycles.
  assign holds      = hit ? rx_eager_i && rx_line_i == '0 : judged && accepted && claims_q;
  assign refused    = judged && !accepted && !rst_i;
  assign lost       = !rst_i && (state_q == Commit ? spoilt_q : late && refused &&
                                 !res_whole && !(twice && rx_line_i == '0));
  // All of a short one is here before anyone can have read that far. If its job was given up the
  // cycle before, nobody waits for it, and it is spoilt like others.
  assign comes      = enters && rx_whole_i && rx_bytes_i <= (LW + 7)'(fsh_coll_pkg::SHORT);
  assign whole      = comes || (state_q == Commit && op_ready && !spoilt_q);
  assign taken      = rx_valid_i && rx_ready_o;
  assign rx_ready_o = state_q == Write || state_q == Drop;
  always_ff @(posedge clk_i) begin
    refused_q <= refused ? {!res_found && claims_q, !res_whole && rx_eager_i && !claims_q &&
                            !lost, res_whole, !res_found && !rx_eager_i} : '0;
    late_q    <= lost;
    lost_q    <= lost && (state_q == Commit || rx_whole_i);
    enters_q  <= enters;
    claims_q  <= rx_claims;
  end
  assign crowded = used_o >= SW'(BUCKETS * WAYS / 2);
  assign fate_o = {kept, gone, stale || late_q, refused_q};

  always_ff @(posedge clk_i) begin
    unique case (state_q)
      Claim: if (rx_valid_i && (hit || op_ready)) state_q <= hit ? Write : Answer;
      Answer:  if (judged) state_q <= accepted ? Write : Drop;
      Write: begin
        if (taken) begin
          line_q <= line_q + 1'b1;
          if (rx_last_i) state_q <= piece_q ? Commit : Claim;
        end
      end
      Commit:  if (op_ready || spoilt_q) state_q <= Claim;
      default: if (taken && rx_last_i) state_q <= Claim;
    endcase
    if ((state_q == Claim && rx_valid_i) || state_q == Answer) begin
      line_q  <= rx_line_i;
      piece_q <= rx_whole_i;
      key_q   <= rx_key_i;
      eager_q <= rx_eager_i;
      bytes_q <= rx_bytes_i;
      fresh_q <= comes;
      {slot_q, gen_q} <= {in_slot, in_gen};
    end else if (whole) fresh_q <= 1'b1;
    for (int unsigned u = 0; u < UNITS; u++)
      if (freed[u] && free_slots[u*SW+:SW] == slot_q) fresh_q <= 1'b0;
    if (rst_i) {state_q, fresh_q} <= {Claim, 1'b0};
  end

  // How long each is, and whether it came eagerly: told of whole ones only.
  (* ram_style = "distributed" *) logic [LW+7:0] bytes_mem[SLOTS];

  always_ff @(posedge clk_i) if (enters_q) bytes_mem[slot_q] <= {eager_q, bytes_q};

  logic     [511:0] prd_data;
  fsh_cslots #(
      .UNITS(UNITS),
      .LINES(LINES),
      .SLOTS(SLOTS)
  ) i_slots (
      .clk_i,
      .rst_i,
      .we_i      (taken && state_q == Write),
      .waddr_i   ({slot_q, line_q}),
      .wdata_i   (rx_data_i),
      .rd_req_i  (prd_req),
      .rd_gnt_o  (prd_gnt),
      .rd_addrs_i(prd_addrs),
      .rd_data_o (prd_data)
  );

  localparam int unsigned SEND = 2 + 8 + 64 + LW + 7 + 512;
  localparam int unsigned END = fsh_coll_pkg::END_W;
  logic       [3*UNITS-1:0] tell_valid, tell_ready;
  logic  [3*UNITS*NOTE_W-1:0] tells;
  logic            [LW+7:0] there;
  fsh_coll_pkg::look_t      look;
  fsh_coll_pkg::fresh_t     fresh;
  logic         [UNITS-1:0] end_valid, end_ready, tx_valid, tx_ready, tx_last;
  logic     [UNITS*END-1:0] ends;
  logic    [UNITS*SEND-1:0] txs;

  fsh_cshare #(.UNITS(UNITS), .CONTEXTS(CONTEXTS)) i_share (
      .clk_i,
      .rst_i,
      .ready_i(run_ready),
      .take_i (run_valid_i),
      .ended_i(end_valid & end_ready),
      .gnt_o  (run_gnt)
  );
  assign run_ready_o = run_gnt != '0;  // if not, though one is ready, the one that is to is busy
  for (genvar u = 0; u < UNITS; u++) begin : gen_unit
    fsh_cunit #(
        .CONTEXTS(CONTEXTS),
        .LINES   (LINES),
        .SLOTS   (SLOTS),
        .FP64    (FP64)
    ) i_unit (
        .clk_i,
        .rst_i,
        .tick_i,
        .run_valid_i (run_valid_i && run_gnt[u]),
        .run_ready_o (run_ready[u]),
        .run_addr_i,
        .end_valid_o (end_valid[u]),
        .end_ready_i (end_ready[u]),
        .end_o       (ends[u*END+:END]),
        .whole_valid_i(whole),
        .whole_key_i (state_q == Commit ? key_q : rx_key_i),
        .fresh_i     (fresh),
        .freed_i     (freed != '0),
        .crowded_i   (crowded),
        .look_valid_o(keys_req[u]),
        .look_ready_i(looked[u]),
        .look_key_o  (look_keys[u*KEY_W+:KEY_W]),
        .look_done_i (res_valid && owner_q[u]),
        .look_spare_o(look_spare[u]),
        .look_only_o (look_only[u]),
        .look_i      (look),
        .made_i      ({res_valid && res_made, 16'(res_slot), last_key_q}),
        .row_valid_o (keys_req[UNITS+u]),
        .row_ready_i (looked[UNITS+u]),
        .row_key_o   (look_keys[(UNITS+u)*KEY_W+:KEY_W]),
        .row_spare_o (look_spare[UNITS+u]),
        .row_done_i  (res_valid && owner_q[UNITS+u]),
        .grant_valid_o(tell_valid[2*UNITS+u]),
        .grant_ready_i(tell_ready[2*UNITS+u]),
        .grant_o     (tells[(2*UNITS+u)*NOTE_W+:NOTE_W]),
        .free_valid_o(free_valid[u]),
        .free_ready_i(freed[u]),
        .free_slot_o (free_slots[u*SW+:SW]),
        .free_gen_o  (free_gens[u*2+:2]),
        .may_valid_o (may_req[u]),
        .may_ready_i (may_gnt[u]),
        .may_index_o (may_indices[u*EAGER_W+:EAGER_W]),
        .may_free_i  (may_free),
        .begin_o     (begins[u]),
        .gone_valid_o(gone_valid[u]),
        .gone_ready_i(gone_ready),
        .team_o      (teams[u*fsh_coll_pkg::TEAM_W+:fsh_coll_pkg::TEAM_W]),
        .tell_valid_o(tell_valid[u]),
        .tell_ready_i(tell_ready[u]),
        .tell_o      (tells[u*NOTE_W+:NOTE_W]),
        .back_valid_o(tell_valid[UNITS+u]),
        .back_ready_i(tell_ready[UNITS+u]),
        .back_o      (tells[(UNITS+u)*NOTE_W+:NOTE_W]),
        .note_valid_i,
        .note_i,
        .prd_valid_o (prd_req[u]),
        .prd_ready_i (prd_gnt[u]),
        .prd_addr_o  (prd_addrs[u*(SW+LW)+:SW+LW]),
        .prd_data_i  (prd_data),
        .mrd_valid_o (mrd_valid_o[u]),
        .mrd_ready_i (mrd_ready_i[u]),
        .mrd_addr_o  (mrd_addr_o[u*32+:32]),
        .mrd_rvalid_i(mrd_rvalid_i[u]),
        .mrd_data_i  (mrd_data_i[u*512+:512]),
        .mrd_err_i   (mrd_err_i[u]),
        .mwr_valid_o (mwr_valid_o[u]),
        .mwr_ready_i (mwr_ready_i[u]),
        .mwr_post_o  (mwr_post_o[u]),
        .mwr_addr_o  (mwr_addr_o[u*32+:32]),
        .mwr_data_o  (mwr_data_o[u*512+:512]),
        .mwr_strb_o  (mwr_strb_o[u*64+:64]),
        .mwr_done_i  (mwr_done_i[u]),
        .mwr_err_i   (mwr_err_i[u]),
        .tx_valid_o  (tx_valid[u]),
        .tx_ready_i  (tx_ready[u]),
        .tx_first_o  (txs[u*SEND+SEND-1]),
        .tx_last_o   (tx_last[u]),
        .tx_dest_o   (txs[u*SEND+SEND-10+:8]),
        .tx_addr_o   (txs[u*SEND+SEND-74+:64]),
        .tx_bytes_o  (txs[u*SEND+512+:LW+7]),
        .tx_data_o   (txs[u*SEND+:512]),
        .busy_o      (unit_busy[u])
    );
    assign txs[u*SEND+SEND-2] = tx_last[u];
  end

  fsh_cjoin #(
      .N    (UNITS),
      .WIDTH(END)
  ) i_end (
      .clk_i,
      .rst_i,
      .hold_i (1'b0),
      .valid_i(end_valid),
      .ready_o(end_ready),
      .last_i ('1),
      .data_i (ends),
      .take_o (),
      .sel_o  (),
      .valid_o(end_valid_o),
      .ready_i(end_ready_i),
      .data_o (end_o)
  );

  assign fresh = {fresh_q, key_q, 3'b101, eager_q, 16'(slot_q), gen_q, 16'(bytes_q)};
  assign there = bytes_mem[res_slot];
  assign look  = {res_found, res_made, res_whole, there[LW+7], 16'(res_slot), res_gen,
                  16'(there[LW+6:0])};
  fsh_cjoin #(
      .N    (3 * UNITS + 2),
      .WIDTH(NOTE_W),
      .WORDS(1'b1)
  ) i_tell (
      .clk_i,
      .rst_i,
      .hold_i (1'b0),
      .valid_i({back_tell, ask_tell, tell_valid}),
      .ready_o({back_told, ask_told, tell_ready}),
      .last_i ('1),
      .data_i ({back, answer, tells}),
      .take_o (),
      .sel_o  (),
      .valid_o(tell_valid_o),
      .ready_i(tell_ready_i),
      .data_o (tell_o)
  );

  fsh_cjoin #(
      .N    (UNITS),
      .WIDTH(SEND)
  ) i_send (
      .clk_i,
      .rst_i,
      .hold_i (1'b0),
      .valid_i(tx_valid),
      .ready_o(tx_ready),
      .last_i (tx_last),
      .data_i (txs),
      .take_o (),
      .sel_o  (),
      .valid_o(tx_valid_o),
      .ready_i(tx_ready_i),
      .data_o ({tx_first_o, tx_last_o, tx_dest_o, tx_addr_o, tx_bytes_o, tx_data_o})
  );

  assign busy_o = unit_busy != '0 || rx_valid_i || state_q != Claim ||
                  (run_valid_i && run_ready != '0) || note_valid_i || tell_valid_o || tx_valid_o ||
                  end_valid_o || (mrd_valid_o | mwr_valid_o | mrd_rvalid_i) != '0 || ask_busy ||
                  back_tell || fate_o != '0 || peeking;

  `FSH_ASSERT(a_late, !(judged && accepted && late && rx_line_i == '0))
  `FSH_ASSERT(a_brief, !(state_q == Write && fresh_q) || rx_valid_i)
  `FSH_ASSERT(a_first, !(rx_valid_i && state_q == Claim) || rx_first_i)
endmodule

`default_nettype wire
