// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none
`include "fsh_assert.svh"

/// What a sequence leaves in the packet buffer when it ends with an error: slots claimed for
/// later packets, and packets that came for it. Before its end is told (end_valid_o, behind
/// end_valid_i of the control, end_bad_i: with an error), slot after slot is read, two cycles
/// each; where the key is of the sequence's job and VP it is looked up, as it stands (look_*,
/// look_only: nothing is claimed), and the slot is freed (drop_*, by fsh_crelease, which also
/// gives back eager packets). The control does neither meanwhile. Job and VP are those of the
/// first thing a sequence did (mark_i: context context_i, key_i): a descriptor that is no
/// descriptor names none. made_i: a slot is claimed for a key, by whomever. Packets that come
/// later find no claim; eager ones are refused (fsh_clate), which is told before the first slot
/// is read: gone_* with team_o, {job, VP}. begin_o, a pulse: the sequence of team_o has begun.
/// Reset: nobody has done anything.
module fsh_csweep #(
    parameter int unsigned CONTEXTS = 4,
    parameter int unsigned SLOTS = 80,
    localparam int unsigned CW = $clog2(CONTEXTS),
    localparam int unsigned SW = $clog2(SLOTS)
) (
    input  wire logic                 clk_i,
    input  wire logic                 rst_i,
    /* verilator lint_off UNUSEDSIGNAL */
    input  wire fsh_coll_pkg::made_t  made_i,
    input  wire fsh_coll_pkg::key_t   key_i,
    input  wire fsh_coll_pkg::look_t  look_i,
    /* verilator lint_on UNUSEDSIGNAL */
    input  wire logic                 mark_i,
    input  wire logic        [CW-1:0] context_i,
    input  wire logic                 end_valid_i,
    input  wire logic                 end_bad_i,
    output logic                      end_valid_o,
    input  wire logic                 end_ready_i,
    output logic                      begin_o,
    output logic                      gone_valid_o,
    input  wire logic                 gone_ready_i,
    output logic [fsh_coll_pkg::TEAM_W-1:0] team_o,
    output logic                      sweeps_o,  // look_* and drop_* are its own
    output logic                      look_valid_o,
    input  wire logic                 look_ready_i,
    output fsh_coll_pkg::key_t        look_key_o,
    input  wire logic                 look_done_i,
    output logic                      drop_valid_o,
    input  wire logic                 drop_ready_i,
    output fsh_coll_pkg::spent_t      drop_o
);
  localparam int unsigned TEAM_W = fsh_coll_pkg::TEAM_W;

  typedef enum logic [2:0] {
    Idle,
    Refuse,
    Read,
    Compare,
    Look,
    Answer,
    Drop,
    Over
  } state_e;

  state_e              state_q;
  logic [CONTEXTS-1:0] marked_q;
  logic [TEAM_W-1:0]   teams_q[CONTEXTS];
  logic [SW-1:0]       slot_q;
  logic                next, last;
  fsh_coll_pkg::key_t  key_q;
  fsh_coll_pkg::spent_t spent_q;
  (* ram_style = "distributed" *) fsh_coll_pkg::key_t keys_mem[SLOTS];

  assign sweeps_o     = state_q != Idle && state_q != Over;
  assign end_valid_o  = end_valid_i && (!end_bad_i || !marked_q[context_i] || state_q == Over);
  assign gone_valid_o = state_q == Refuse;
  assign look_valid_o = state_q == Look;
  assign look_key_o   = key_q;
  assign drop_valid_o = state_q == Drop;
  assign drop_o       = spent_q;
  assign last         = 32'(slot_q) == SLOTS - 1;

  // This slot is done.
  always_comb begin
    unique case (state_q)
      Compare: next = {key_q.job, key_q.vp} != teams_q[context_i];
      Answer:  next = look_done_i && !look_i.found;
      Drop:    next = drop_ready_i;
      default: next = 1'b0;
    endcase
  end

  // No sequence begins while one is swept.
  always_ff @(posedge clk_i) begin
    team_o  <= state_q == Idle && mark_i ? {key_i.job, key_i.vp} : teams_q[context_i];
    begin_o <= mark_i && !marked_q[context_i] && !rst_i;
  end

  always_ff @(posedge clk_i) begin
    if (made_i.valid) keys_mem[made_i.slot[SW-1:0]] <= made_i.key;
    if (state_q == Read) key_q <= keys_mem[slot_q];
    if (state_q == Answer)
      spent_q <= {look_i.slot, look_i.gen, look_i.whole && look_i.eager, key_q};
    for (int unsigned c = 0; c < CONTEXTS; c++) begin
      if (context_i == CW'(c)) begin
        if (mark_i && !marked_q[c]) teams_q[c] <= {key_i.job, key_i.vp};
        if (mark_i) marked_q[c] <= 1'b1;
        if (end_valid_o && end_ready_i) marked_q[c] <= 1'b0;
      end
    end
    if (rst_i) marked_q <= '0;
  end

  always_ff @(posedge clk_i) begin
    unique case (state_q)
      Idle: begin
        slot_q <= '0;
        if (end_valid_i && !end_valid_o) state_q <= Refuse;
      end
      Refuse:  if (gone_ready_i) state_q <= Read;
      Read:    state_q <= Compare;
      Compare: state_q <= Look;
      Look:    if (look_ready_i) state_q <= Answer;
      Answer:  if (look_done_i) state_q <= Drop;
      Over:    if (end_ready_i) state_q <= Idle;
      default: ;
    endcase
    if (next) begin
      slot_q  <= slot_q + 1'b1;
      state_q <= last ? Over : Read;
    end
    if (rst_i) state_q <= Idle;
  end

  `FSH_STABLE(gone_valid_o, gone_ready_i, team_o)
  `FSH_STABLE(look_valid_o, look_ready_i, look_key_o)
  `FSH_STABLE(drop_valid_o, drop_ready_i, drop_o)
  `FSH_ASSERT(a_end, state_q == Idle || end_valid_i)
endmodule

`default_nettype wire
