// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none
`include "fsh_assert.svh"

/// Counters of the compute core (CPERF of the specification), 48 bits each. Events
/// are pulses; compute_i, load_i, full_i and transfer_i are levels of which at most
/// one is up. Everything passes one register with the number of its cycle, which is
/// thus the event's own. A cycle is counted by the distance from the last edge, one
/// in hardware: a simulator may leave out edges while nothing changes, which can
/// only be cycles of transfer.
/// A read (word_i: CPERF) is answered three cycles later by a pulse: what happened up
/// to its cycle. A clear takes along what happens in its own cycle.
/// busy_o: a read is under way; counting itself keeps nothing awake.
module fsh_ccount (
    input  wire logic        clk_i,
    input  wire logic        rst_i,
    input  wire logic [47:0] cycle_i,
    input  wire logic        start_i,
    input  wire logic        end_i,
    input  wire logic        signal_i,
    input  wire logic        compute_i,
    input  wire logic        load_i,
    input  wire logic        full_i,
    input  wire logic        transfer_i,
    input  wire logic        sent_i,
    input  wire logic [23:0] sent_bytes_i,
    input  wire logic        clear_i,
    input  wire logic        read_i,
    input  wire logic  [3:0] word_i,
    output logic             valid_o,
    output logic      [47:0] data_o,
    output logic             busy_o
);
  logic [47:0] cycle_q, passed_q, first_q, last_end_q, last_signal_q;
  logic [47:0] commands_q, compute_q, load_q, full_q, transfer_q, sent_q, data;
  logic [23:0] bytes_q;
  logic        clear_q, start_q, end_q, signal_q, is_sent_q;
  logic        is_compute_q, is_load_q, is_full_q, is_transfer_q;
  logic        read_q, read2_q;
  logic  [3:0] word_q;

  always_ff @(posedge clk_i) begin
    cycle_q  <= cycle_i;
    passed_q <= cycle_i - cycle_q;
    clear_q  <= clear_i || rst_i;
    {start_q, end_q, signal_q, is_sent_q}               <= {start_i, end_i, signal_i, sent_i};
    {is_compute_q, is_load_q, is_full_q, is_transfer_q} <= {compute_i, load_i, full_i, transfer_i};
    if (sent_i) bytes_q <= sent_bytes_i;
  end

  always_ff @(posedge clk_i) begin
    if (start_q && first_q == '0) first_q <= cycle_q;
    if (end_q) begin
      last_end_q <= cycle_q;
      commands_q <= commands_q + 48'd1;
    end
    if (signal_q) last_signal_q <= cycle_q;
    if (is_compute_q) compute_q <= compute_q + passed_q;
    if (is_load_q) load_q <= load_q + passed_q;
    if (is_full_q) full_q <= full_q + passed_q;
    if (is_transfer_q) transfer_q <= transfer_q + passed_q;
    if (is_sent_q) sent_q <= sent_q + {24'd0, bytes_q};
    if (clear_q) begin
      first_q       <= '0;
      last_end_q    <= '0;
      last_signal_q <= '0;
      commands_q    <= '0;
      compute_q     <= '0;
      load_q        <= '0;
      full_q        <= '0;
      transfer_q    <= '0;
      sent_q        <= '0;
    end
  end

  always_comb begin
    unique case (word_q)
      fsh_spec_pkg::CPERF_FIRST_START: data = first_q;
      fsh_spec_pkg::CPERF_LAST_END: data = last_end_q;
      fsh_spec_pkg::CPERF_LAST_SIGNAL: data = last_signal_q;
      fsh_spec_pkg::CPERF_COMMANDS: data = commands_q;
      fsh_spec_pkg::CPERF_COMPUTE: data = compute_q;
      fsh_spec_pkg::CPERF_LOAD: data = load_q;
      fsh_spec_pkg::CPERF_FULL: data = full_q;
      fsh_spec_pkg::CPERF_TRANSFER: data = transfer_q;
      fsh_spec_pkg::CPERF_SENT_BYTES: data = sent_q;
      default: data = '0;
    endcase
  end

  always_ff @(posedge clk_i) begin
    if (read_i) word_q <= word_i;
    if (read2_q) data_o <= data;
    read_q  <= read_i && !rst_i;
    read2_q <= read_q && !rst_i;
    valid_o <= read2_q && !rst_i;
  end

  assign busy_o = clear_i || read_i || read_q || read2_q || valid_o;

  `FSH_ASSERT(assert_one, {2'd0, compute_i} + {2'd0, load_i} + {2'd0, full_i} +
                          {2'd0, transfer_i} <= 3'd1)
  `FSH_ASSERT(assert_awake, !(is_compute_q || is_load_q || is_full_q) || passed_q == 48'd1)
endmodule

`default_nettype wire
