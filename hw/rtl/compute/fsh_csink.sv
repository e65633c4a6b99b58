// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none
`include "fsh_assert.svh"

/// The compute core's sink: fsh_dispatch offers it the COMPUTE messages. RUN and SIGNAL
/// become pulses for the compute core, COMPLETE an entry of the completion ring.
/// Answers: RUN is OK, or BUSY without room in its queue. UNSUPPORTED: no compute core
/// here, or no such operation with an answer. What has no answer and no meaning is
/// dropped. Takes a message in every cycle, but no COMPLETE while the entry of the one
/// before waits for the host writer. Pulses: registers, at most one a cycle, so a room
/// that counts four RUNs may be seen up to three cycles late. Reset: no pulse, no entry.
module fsh_csink (
    input  wire logic                clk_i,
    input  wire logic                rst_i,
    input  wire logic                present_i,  // a compute core is there
    input  wire logic                msg_valid_i,
    output logic                     msg_ready_o,
    input  wire fsh_fn_pkg::msg_t    msg_i,
    output logic               [3:0] msg_status_o,
    // The compute core; by queue: room for four more RUNs at least.
    input  wire logic          [1:0] run_room_i,
    output logic                     run_valid_o,
    output logic                     run_queue_o,
    output logic               [7:0] run_count_o,
    output logic              [31:0] run_addr_o,
    output logic                     sig_valid_o,
    output logic               [5:0] sig_counter_o,
    output logic               [7:0] sig_inc_o,
    // Completion ring.
    output logic                     entry_valid_o,
    input  wire logic                entry_ready_i,
    output fsh_spec_pkg::ring_t      entry_o,
    output logic                     busy_o
);
  fsh_spec_pkg::crun_t      run;
  fsh_spec_pkg::csignal_t   sig;
  fsh_spec_pkg::ccomplete_t cpl;
  logic                     is_run, is_sig, is_cpl, run_q, sig_q, cpl_q;
  logic [31:0]              addr_q;
  logic [8:0]               value_q;
  logic [$bits({cpl.status, msg_i.src, cpl.cookie})-1:0] entry_q;

  assign run = msg_i.args;
  assign sig = msg_i.args;
  assign cpl = msg_i.args;

  // What becomes of it.
  always_comb begin
    is_run       = 1'b0;
    is_sig       = 1'b0;
    is_cpl       = 1'b0;
    msg_ready_o  = 1'b1;
    msg_status_o = 'x;
    if (msg_valid_i) begin
      msg_status_o = fsh_spec_pkg::STATUS_UNSUPPORTED;
      if (run.op == fsh_spec_pkg::CMSG_RUN && msg_i.ack && run.count != '0 && present_i) begin
        is_run       = run.mover ? run_room_i[1] : run_room_i[0];
        msg_status_o = is_run ? fsh_spec_pkg::STATUS_OK : fsh_spec_pkg::STATUS_BUSY;
      end
      if (sig.op == fsh_spec_pkg::CMSG_SIGNAL && present_i) begin
        is_sig       = 1'b1;
        msg_status_o = fsh_spec_pkg::STATUS_OK;
      end
      if (cpl.op == fsh_spec_pkg::CMSG_COMPLETE && !msg_i.ack) begin
        is_cpl       = !cpl_q;
        msg_ready_o  = !cpl_q;
        msg_status_o = fsh_spec_pkg::STATUS_OK;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    run_q <= is_run;
    sig_q <= is_sig;
    if (entry_ready_i) cpl_q <= 1'b0;
    if (is_cpl) cpl_q <= 1'b1;
    if (rst_i) begin
      run_q <= 1'b0;
      sig_q <= 1'b0;
      cpl_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (msg_valid_i) begin
      value_q <= {run.mover, run.count};  // [5:0] of a SIGNAL its counter
      addr_q  <= run.addr;                // [7:0] of a SIGNAL its increment
    end
    if (is_cpl) entry_q <= {cpl.status, msg_i.src, cpl.cookie};
  end

  assign run_valid_o   = run_q;
  assign run_queue_o   = value_q[8];
  assign run_count_o   = value_q[7:0];
  assign run_addr_o    = addr_q;
  assign sig_valid_o   = sig_q;
  assign sig_counter_o = value_q[5:0];
  assign sig_inc_o     = addr_q[7:0];

  always_comb begin
    entry_o = '0;
    if (cpl_q) begin
      entry_o.kind   = fsh_spec_pkg::CPL_TAGGED;
      entry_o.opcode = fsh_spec_pkg::OP_COMPUTE;
      {entry_o.status, entry_o.node[fsh_spec_pkg::NODE_W-1:0], entry_o.tag} = entry_q;
    end
  end
  assign entry_valid_o = cpl_q;
  assign busy_o        = run_q || sig_q || cpl_q;

  `FSH_STABLE(entry_valid_o, entry_ready_i, entry_o)
endmodule

`default_nettype wire
