// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none

/// The collective engine's sink: fsh_dispatch offers it the COLLECTIVE messages. RUN goes to
/// the engine's queue of sequences, GRANT, ASK and CONSUMED to itself, a cycle later, TICK
/// becomes a pulse. Answers: RUN is OK, or BUSY without room. UNSUPPORTED: no engine here, no
/// such operation with an answer, or not from whom it may come. What has no answer and no
/// meaning is dropped. It takes a message in every cycle, but no ASK while the engine has many
/// to look up, which it does by itself. Ends of sequences become
/// entries of the completion ring. Reset: nothing queued.
module fsh_ccall (
    input  wire logic                clk_i,
    input  wire logic                rst_i,
    input  wire logic          [7:0] node_i,
    input  wire logic                present_i,
    input  wire logic                msg_valid_i,
    output logic                     msg_ready_o,
    /* verilator lint_off UNUSEDSIGNAL */
    input  wire fsh_fn_pkg::msg_t    msg_i,
    /* verilator lint_on UNUSEDSIGNAL */
    output logic               [3:0] msg_status_o,
    // The engine.
    output logic                     tick_o,
    output logic                     run_valid_o,
    input  wire logic                run_room_i,
    output logic              [31:0] run_addr_o,
    input  wire logic                ask_room_i,  // two more at least
    output logic                     note_valid_o,
    output fsh_coll_pkg::note_t      note_o,
    input  wire logic                end_valid_i,
    output logic                     end_ready_o,
    input  wire fsh_coll_pkg::end_t  end_i,
    // Completion ring.
    output logic                     entry_valid_o,
    input  wire logic                entry_ready_i,
    output fsh_spec_pkg::ring_t      entry_o,
    output logic                     busy_o
);
  /* verilator lint_off UNUSEDSIGNAL */
  fsh_spec_pkg::collrun_t run;
  fsh_spec_pkg::collkey_t key;
  /* verilator lint_on UNUSEDSIGNAL */
  logic                   is_note, is_tick;

  assign run         = msg_i.args;
  assign key         = msg_i.args;

  always_comb begin
    run_valid_o  = 1'b0;
    is_note      = 1'b0;
    is_tick      = 1'b0;
    msg_ready_o  = 1'b1;
    msg_status_o = 'x;
    if (msg_valid_i) begin
      msg_status_o = fsh_spec_pkg::STATUS_UNSUPPORTED;
      if (run.op == fsh_spec_pkg::COLLMSG_RUN && msg_i.ack && present_i) begin
        run_valid_o  = run_room_i;
        msg_status_o = run_room_i ? fsh_spec_pkg::STATUS_OK : fsh_spec_pkg::STATUS_BUSY;
      end
      if (run.op == fsh_spec_pkg::COLLMSG_TICK && msg_i.ack && present_i &&
          8'(msg_i.src) == node_i) begin
        is_tick      = 1'b1;
        msg_status_o = fsh_spec_pkg::STATUS_OK;
      end
      if ((key.op == fsh_spec_pkg::COLLMSG_GRANT || key.op == fsh_spec_pkg::COLLMSG_ASK ||
           key.op == fsh_spec_pkg::COLLMSG_CONSUMED) && !msg_i.ack && present_i) begin
        msg_ready_o  = key.op != fsh_spec_pkg::COLLMSG_ASK || ask_room_i;
        is_note      = msg_ready_o;
        msg_status_o = fsh_spec_pkg::STATUS_OK;
      end
    end
  end

  assign run_addr_o = run.addr;

  always_ff @(posedge clk_i) begin
    if (is_note) begin
      note_o.op         <= key.op;
      note_o.key.node   <= msg_i.src;
      note_o.key.job    <= key.job;
      note_o.key.vp     <= key.vp;
      note_o.key.seq    <= key.seq;
      note_o.key.number <= key.number;
    end
  end

  always_ff @(posedge clk_i) begin
    note_valid_o <= is_note;
    tick_o       <= is_tick;
    if (rst_i) {note_valid_o, tick_o} <= '0;
  end

  always_comb begin
    entry_o = 'x;
    if (end_valid_i) begin
      entry_o        = '0;
      entry_o.kind   = fsh_spec_pkg::CPL_TAGGED;
      entry_o.opcode = fsh_spec_pkg::OP_COLLECTIVE;
      entry_o.node   = node_i;
      entry_o.status = end_i.status;
      entry_o.tag    = end_i.cookie;
      entry_o.step   = end_i.step;
      entry_o.source = end_i.source;
    end
  end
  assign entry_valid_o = end_valid_i;
  assign end_ready_o   = entry_ready_i;
  assign busy_o        = note_valid_o || tick_o;
endmodule

`default_nettype wire
