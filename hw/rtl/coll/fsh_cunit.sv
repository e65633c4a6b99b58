// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none

/// A unit of the collective engine: runs sequences of triggered descriptors
/// (fsh_spec_pkg::colldesc_t; docs/03_developer/collective-engine.md), CONTEXTS at once,
/// over one data path. A sequence is a list in memory, from run_addr_i on; it ends with its
/// tail, or with an error, and that is told once (end_o). The items of a step (fetch, local
/// operand, source after source, way out) are done packet by packet, of each context in
/// order; between items of one context those of others run, in turns. An item that cannot
/// run, for its packet is not there or may not go, is left until it can; it holds up nobody.
/// Where a packet is awaited its slot is claimed, and its sender is told so (GRANT); a
/// packet goes when that has been told, or eagerly (may_*: one that the peer has room for
/// without asking, CONSUMED gives it back), and who has neither asks (ASK, once), and
/// claims what the rest of its sequence awaits, as far as there is room: so two that send
/// to each other first do not wait for ever.
/// A step starts when all that the one before stored is written.
/// tick_i: pulses, far apart; what is not there at three of them ends its sequence
/// (STATUS_TIMEOUT), as does a packet of another length (STATUS_BAD_LENGTH).
/// Malformed descriptors: STATUS_BAD_COMMAND, nothing is done for them. What a sequence that
/// ends so has in the buffer is freed (fsh_csweep). Wires; control: fsh_csteps, data path:
/// fsh_cdata. Valid signals depend on registers only.
module fsh_cunit #(
    parameter int unsigned CONTEXTS = 4,
    parameter int unsigned LINES = 16,
    parameter int unsigned SLOTS = 70,
    parameter bit FP64 = 1'b1,
    localparam int unsigned CW = $clog2(CONTEXTS),
    localparam int unsigned LW = $clog2(LINES),
    localparam int unsigned SW = $clog2(SLOTS)
) (
    input  wire logic             clk_i,
    input  wire logic             rst_i,
    input  wire logic             tick_i,
    input  wire logic             run_valid_i,
    output logic                  run_ready_o,
    input  wire logic      [31:0] run_addr_i,
    output logic                  end_valid_o,
    input  wire logic             end_ready_i,
    output fsh_coll_pkg::end_t    end_o,
    // Packets that have come: one is whole, a slot is free; a look-up claims.
    input  wire logic             whole_valid_i,
    input  wire fsh_coll_pkg::key_t whole_key_i,
    // What a look-up of the latest one would find.
    input  wire fsh_coll_pkg::fresh_t fresh_i,
    input  wire logic             freed_i,
    input  wire logic             crowded_i,  // no slots for what is not awaited yet
    output logic                  look_valid_o,  // or something is to be freed, which goes first
    input  wire logic             look_ready_i,
    output fsh_coll_pkg::key_t    look_key_o,
    output logic                  look_spare_o,  // of the reserve, too
    output logic                  look_only_o,   // it does not claim
    input  wire logic             look_done_i,
    input  wire fsh_coll_pkg::look_t look_i,
    input  wire fsh_coll_pkg::made_t made_i,
    // The same for claims of steps that are looked at (fsh_crow), which tell, too.
    output logic                  row_valid_o,
    input  wire logic             row_ready_i,
    output fsh_coll_pkg::key_t    row_key_o,
    output logic                  row_spare_o,
    input  wire logic             row_done_i,
    output logic                  grant_valid_o,
    input  wire logic             grant_ready_i,
    output fsh_coll_pkg::note_t   grant_o,
    output logic                  free_valid_o,
    input  wire logic             free_ready_i,
    output logic         [SW-1:0] free_slot_o,
    output logic            [1:0] free_gen_o,
    // Whether a packet may go eagerly: if so, it does.
    output logic                  may_valid_o,
    input  wire logic             may_ready_i,
    output logic [fsh_coll_pkg::EAGER_W-1:0] may_index_o,
    input  wire logic             may_free_i,
    // Sequences that begin, and jobs given up (fsh_csweep).
    output logic                  begin_o,
    output logic                  gone_valid_o,
    input  wire logic             gone_ready_i,
    output logic [fsh_coll_pkg::TEAM_W-1:0] team_o,
    // Messages between engines: GRANT and ASK, CONSUMED.
    output logic                  tell_valid_o,
    input  wire logic             tell_ready_i,
    output fsh_coll_pkg::note_t   tell_o,
    output logic                  back_valid_o,
    input  wire logic             back_ready_i,
    output fsh_coll_pkg::note_t   back_o,
    input  wire logic             note_valid_i,
    input  wire fsh_coll_pkg::note_t note_i,
    output logic                  prd_valid_o,
    input  wire logic             prd_ready_i,
    output logic      [SW+LW-1:0] prd_addr_o,
    input  wire logic     [511:0] prd_data_i,
    // Memory, in lines.
    output logic                  mrd_valid_o,
    input  wire logic             mrd_ready_i,
    output logic           [31:0] mrd_addr_o,
    input  wire logic             mrd_rvalid_i,
    input  wire logic     [511:0] mrd_data_i,
    input  wire logic             mrd_err_i,
    output logic                  mwr_valid_o,
    input  wire logic             mwr_ready_i,
    output logic                  mwr_post_o,  // to host memory
    output logic           [31:0] mwr_addr_o,
    output logic          [511:0] mwr_data_o,
    output logic           [63:0] mwr_strb_o,
    input  wire logic             mwr_done_i,
    input  wire logic             mwr_err_i,
    // Packets that go: what stands beside the lines is the same for all of a packet.
    output logic                  tx_valid_o,
    input  wire logic             tx_ready_i,
    output logic                  tx_first_o,
    output logic                  tx_last_o,
    output logic            [7:0] tx_dest_o,
    output fsh_spec_pkg::colladdr_t tx_addr_o,
    output logic         [LW+6:0] tx_bytes_o,
    output logic          [511:0] tx_data_o,
    output logic                  busy_o
);
  logic                move_valid, steps_busy, data_busy, release_busy;
  logic                spent_valid, spent_ready, drop_valid, drop_ready;
  logic                sweeps, step_end, step_drop, sweep_drop, whole_q, forsaken;
  fsh_coll_pkg::row_t  row;
  fsh_coll_pkg::rowed_t rowed;
  fsh_coll_pkg::key_t  step_key, sweep_key;
  logic                asks, asked, answers, known_q, told_q;  // look-ups of the control
  fsh_coll_pkg::look_t known_look_q, answer;
  fsh_coll_pkg::spent_t spent, drop, swept;
  logic [CONTEXTS-1:0] settled, wrong;
  fsh_coll_pkg::move_t move;
  fsh_coll_pkg::path_t path;

  // Lines on their way out.
  localparam int unsigned SEND = 1 + 8 + 64 + LW + 7 + 512;
  logic                    made_valid, made_ready, made_coded, made_first, made_last, keeps;
  logic              [7:0] made_dest;
  fsh_spec_pkg::colladdr_t made_addr;
  logic           [LW+6:0] made_bytes;
  logic            [511:0] made_data;

  assign busy_o = steps_busy || data_busy || release_busy || keeps;

  fsh_csteps #(
      .CONTEXTS(CONTEXTS),
      .LINES   (LINES),
      .SLOTS   (SLOTS),
      .FP64    (FP64)
  ) i_steps (
      .clk_i,
      .rst_i,
      .tick_i,
      .run_valid_i,
      .run_ready_o,
      .run_addr_i,
      .end_valid_o (step_end),
      .end_ready_i (end_ready_i && end_valid_o),
      .end_o,
      .whole_valid_i,
      .whole_key_i,
      .freed_i,
      .crowded_i,
      .look_valid_o(asks),
      .look_ready_i(asked),
      .look_key_o  (step_key),
      .look_spare_o,
      .look_done_i (answers),
      .look_i      (answer),
      .drop_valid_o(step_drop),
      .drop_ready_i(drop_ready || forsaken),
      .drop_o      (drop),
      .may_valid_o,
      .may_ready_i,
      .may_index_o,
      .may_free_i,
      .tell_valid_o,
      .tell_ready_i,
      .tell_o,
      .row_o       (row),
      .rowed_i     (rowed),
      .note_valid_i,
      .note_i,
      .busy_o      (steps_busy),
      .move_valid_o(move_valid),
      .move_o      (move),
      .path_i      (path),
      .settled_i   (settled),
      .wrong_i     (wrong),
      .line_err_i  (mrd_err_i),
      .line_i      (mrd_data_i),
      .written_i   (mwr_done_i)
  );

  fsh_crow #(
      .LINES(LINES)
  ) i_row (
      .clk_i,
      .rst_i,
      .row_i       (row),
      .key_i       (step_key),
      .spare_i     (look_spare_o),
      .look_valid_o(row_valid_o),
      .look_ready_i(row_ready_i),
      .look_key_o  (row_key_o),
      .look_spare_o(row_spare_o),
      .look_done_i (row_done_i),
      .look_made_i (look_i.made),
      .look_found_i(look_i.found),
      .tell_valid_o(grant_valid_o),
      .tell_ready_i(grant_ready_i),
      .tell_o      (grant_o),
      .rowed_o     (rowed)
  );

  // In its turn only: while the control has an end to tell.
  assign look_key_o = sweeps ? sweep_key : step_key;
  // A slot whose packet did not come is left to the sweep, behind which none comes.
  assign forsaken   = step_drop && !whole_q;
  assign drop_valid = (step_drop && whole_q) || sweep_drop;
  always_ff @(posedge clk_i) if (answers) whole_q <= answer.whole;

  // A packet that has just come needs no look-up: known a cycle before it is asked for. One that
  // began is told a cycle later (look_ready_i), and goes on.
  assign look_valid_o = (asks && !known_q) || look_only_o || free_valid_o;
  assign asked        = known_q || look_ready_i;
  assign answers      = told_q || look_done_i;
  assign answer       = told_q ? known_look_q : look_i;

  always_ff @(posedge clk_i) begin
    known_q <= fresh_i.valid && fresh_i.key == step_key && !rst_i;
    told_q  <= asks && known_q && !look_ready_i && !rst_i;
    if (!(asks && known_q)) known_look_q <= fresh_i.look;
  end

  fsh_csweep #(
      .CONTEXTS(CONTEXTS),
      .SLOTS   (SLOTS)
  ) i_sweep (
      .clk_i,
      .rst_i,
      .made_i,
      .key_i       (step_key),
      .look_i,
      .mark_i      ((asks && asked) || row.start ||
                    (move_valid && path.ready && move.what != fsh_coll_pkg::MOVE_FETCH)),
      .context_i   (move.context_[CW-1:0]),
      .end_valid_i (step_end),
      .end_bad_i   (end_o.status != fsh_spec_pkg::STATUS_OK),
      .end_valid_o,
      .end_ready_i,
      .begin_o,
      .gone_valid_o,
      .gone_ready_i,
      .team_o,
      .sweeps_o    (sweeps),
      .look_valid_o(look_only_o),
      .look_ready_i,
      .look_key_o  (sweep_key),
      .look_done_i,
      .drop_valid_o(sweep_drop),
      .drop_ready_i(drop_ready),
      .drop_o      (swept)
  );

  fsh_crelease #(
      .SLOTS(SLOTS)
  ) i_release (
      .clk_i,
      .rst_i,
      .read_valid_i(spent_valid),
      .read_ready_o(spent_ready),
      .read_i      (spent),
      .drop_valid_i(drop_valid),
      .drop_ready_o(drop_ready),
      .drop_i      (sweeps ? swept : drop),
      .free_valid_o,
      .free_ready_i,
      .free_slot_o,
      .free_gen_o,
      .tell_valid_o(back_valid_o),
      .tell_ready_i(back_ready_i),
      .tell_o      (back_o),
      .busy_o      (release_busy)
  );

  fsh_cdata #(
      .CONTEXTS(CONTEXTS),
      .LINES   (LINES),
      .SLOTS   (SLOTS),
      .FP64    (FP64)
  ) i_data (
      .clk_i,
      .rst_i,
      .valid_i  (move_valid),
      .move_i   (move),
      .path_o   (path),
      .settled_o(settled),
      .failed_o (wrong),
      .busy_o   (data_busy),
      .spent_valid_o(spent_valid),
      .spent_ready_i(spent_ready),
      .spent_o  (spent),
      .prd_valid_o,
      .prd_ready_i,
      .prd_addr_o,
      .prd_data_i,
      .mrd_valid_o,
      .mrd_ready_i,
      .mrd_addr_o,
      .mrd_rvalid_i,
      .mrd_data_i,
      .mrd_err_i,
      .mwr_valid_o,
      .mwr_ready_i,
      .mwr_post_o,
      .mwr_addr_o,
      .mwr_data_o,
      .mwr_strb_o,
      .mwr_done_i,
      .mwr_err_i,
      .tx_valid_o(made_valid),
      .tx_ready_i(made_ready),
      .tx_coded_o(made_coded),
      .tx_first_o(made_first),
      .tx_last_o (made_last),
      .tx_dest_o (made_dest),
      .tx_addr_o (made_addr),
      .tx_bytes_o(made_bytes),
      .tx_data_o (made_data)
  );

  fsh_clines #(
      .WIDTH(SEND)
  ) i_lines_out (
      .clk_i,
      .rst_i,
      .valid_i(made_valid),
      .ready_o(made_ready),
      .coded_i(made_coded),
      .last_i (made_last),
      .data_i ({made_first, made_dest, made_addr, made_bytes, made_data}),
      .valid_o(tx_valid_o),
      .ready_i(tx_ready_i),
      .last_o (tx_last_o),
      .data_o ({tx_first_o, tx_dest_o, tx_addr_o, tx_bytes_o, tx_data_o}),
      .some_o (keeps)
  );
endmodule

`default_nettype wire
