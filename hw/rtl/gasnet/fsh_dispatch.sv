// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none
`include "fsh_assert.svh"

/// Between the receivers' queues of served requests and the scheduler: lets GETs
/// pass and deals with COMPUTE messages, one a cycle, round robin. RUN and SIGNAL
/// become pulses for the compute core, COMPLETE an entry in the completion ring.
/// A message that wants no answer is then gone; of one that does the answer is
/// offered to the scheduler from the next cycle on, with its status: RUN is OK,
/// or BUSY without room in its queue. UNSUPPORTED: no compute core here, or no such
/// operation with an answer. What has no answer and no meaning is dropped.
/// GETs: combinational. Pulses: registers, at most one a cycle, so a room that
/// counts four RUNs may be seen up to three cycles late. Nothing waits here but
/// for the scheduler's reply contexts and, COMPLETE, for the host writer.
module fsh_dispatch (
    input  wire logic                clk_i,
    input  wire logic                rst_i,
    input  wire logic                compute_present_i,
    // Queues of the receivers.
    input  wire logic          [1:0] get_valid_i,
    output logic               [1:0] get_ready_o,
    input  wire fsh_fn_pkg::get_t    get0_i,
    input  wire fsh_fn_pkg::get_t    get1_i,
    // The scheduler.
    output logic               [1:0] get_valid_o,
    input  wire logic          [1:0] get_ready_i,
    output logic               [7:0] get_status_o,
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
    output logic                     perf_refused_o,
    output logic                     busy_o
);
  // told: the message in front is dealt with, its answer waits for the scheduler.
  logic [1:0]               compute, open, complete, gnt, told_q, done;
  logic                     take, ack;
  logic [63:0]              args;
  logic [7:0]               src;
  fsh_spec_pkg::crun_t      run;
  fsh_spec_pkg::csignal_t   sig;
  fsh_spec_pkg::ccomplete_t cpl;
  logic                     is_run, is_sig, is_cpl;
  logic [3:0]               status;
  logic [7:0]               status_q;
  logic [31:0]              addr_q;
  logic [8:0]               value_q;
  logic                     run_q, sig_q, cpl_q;
  logic [22:0]              entry_q;

  assign compute  = {get1_i.compute, get0_i.compute};
  assign complete = {get1_i.raddr[3:0] == fsh_spec_pkg::CMSG_COMPLETE,
                     get0_i.raddr[3:0] == fsh_spec_pkg::CMSG_COMPLETE};
  assign open     = get_valid_i & compute & ~told_q & ~(complete & {2{cpl_q}});
  assign take     = open != '0;

  fsh_arb #(
      .N(2)
  ) i_arb (
      .clk_i,
      .rst_i,
      .req_i (open),
      .take_i(take),
      .gnt_o (gnt)
  );

  // The message.
  always_comb begin
    args = 'x;
    ack  = 'x;
    src  = 'x;
    if (take) begin
      args = gnt[1] ? {get1_i.laddr[23:0], get1_i.raddr} : {get0_i.laddr[23:0], get0_i.raddr};
      ack  = gnt[1] ? get1_i.flag : get0_i.flag;
      src  = {2'b00, gnt[1] ? get1_i.dst : get0_i.dst};
    end
  end

  assign run = args;
  assign sig = args;
  assign cpl = args;

  // What becomes of it.
  always_comb begin
    is_run = 1'b0;
    is_sig = 1'b0;
    is_cpl = 1'b0;
    status = 'x;
    if (take) begin
      status = fsh_spec_pkg::STATUS_UNSUPPORTED;
      if (run.op == fsh_spec_pkg::CMSG_RUN && ack && run.count != '0 && compute_present_i) begin
        is_run = run.mover ? run_room_i[1] : run_room_i[0];
        status = is_run ? fsh_spec_pkg::STATUS_OK : fsh_spec_pkg::STATUS_BUSY;
      end
      if (sig.op == fsh_spec_pkg::CMSG_SIGNAL && compute_present_i) begin
        is_sig = 1'b1;
        status = fsh_spec_pkg::STATUS_OK;
      end
      is_cpl = cpl.op == fsh_spec_pkg::CMSG_COMPLETE && !ack;
    end
  end

  assign done         = gnt & {2{take && !ack}};
  assign get_valid_o  = get_valid_i & (~compute | told_q);
  assign get_ready_o  = get_ready_i | done;
  // A GET that would not be served never came here.
  assign get_status_o = status_q & {{4{get1_i.compute}}, {4{get0_i.compute}}};

  always_ff @(posedge clk_i) begin
    run_q <= is_run;
    sig_q <= is_sig;
    if (entry_ready_i) cpl_q <= 1'b0;
    if (is_cpl) cpl_q <= 1'b1;
    told_q <= (told_q | (gnt & {2{take && ack}})) & ~get_ready_i;
    if (rst_i) begin
      run_q  <= 1'b0;
      sig_q  <= 1'b0;
      cpl_q  <= 1'b0;
      told_q <= '0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (take) begin
      value_q <= {run.mover, run.count};  // [5:0] of a SIGNAL its counter
      addr_q  <= run.addr;                // [7:0] of a SIGNAL its increment
      if (gnt[0]) status_q[3:0] <= status;
      if (gnt[1]) status_q[7:4] <= status;
    end
    if (is_cpl) entry_q <= {cpl.status, src, cpl.cookie};
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
      {entry_o.status, entry_o.node, entry_o.tag} = entry_q;
    end
  end
  assign entry_valid_o  = cpl_q;
  assign perf_refused_o = take && !(is_run || is_sig || is_cpl);
  assign busy_o         = run_q || sig_q || cpl_q;

  `FSH_ASSERT(assert_told, (told_q & ~(get_valid_i & compute)) == '0)
  `FSH_ASSERT(assert_pop, (get_ready_o & ~get_valid_i) == '0)
  `FSH_ASSERT(assert_once, (get_ready_i & done) == '0)
endmodule

`default_nettype wire
