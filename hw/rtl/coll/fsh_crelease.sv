// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none
`include "fsh_assert.svh"

/// What follows a packet that has been used, beside the control: its slot is freed, and the
/// sender of an eager one is told (CONSUMED) that the next may go. Packets come from the data
/// path (read_*, which goes first) and from the control (drop_*: of no line, or not to be
/// used). One at a time, behind a register; ready outputs depend on registers and
/// read_valid_i only. Reset: none.
module fsh_crelease #(
    parameter int unsigned SLOTS = 70,
    localparam int unsigned SW = $clog2(SLOTS)
) (
    input  wire logic                 clk_i,
    input  wire logic                 rst_i,
    input  wire logic                 read_valid_i,
    output logic                      read_ready_o,
    input  wire fsh_coll_pkg::spent_t read_i,
    input  wire logic                 drop_valid_i,
    output logic                      drop_ready_o,
    input  wire fsh_coll_pkg::spent_t drop_i,
    output logic                      free_valid_o,
    input  wire logic                 free_ready_i,
    output logic             [SW-1:0] free_slot_o,
    output logic                [1:0] free_gen_o,
    output logic                      tell_valid_o,
    input  wire logic                 tell_ready_i,
    output fsh_coll_pkg::note_t       tell_o,
    output logic                      busy_o
);
  /* verilator lint_off UNUSEDSIGNAL */
  fsh_coll_pkg::spent_t spent_q;
  /* verilator lint_on UNUSEDSIGNAL */
  logic                 idle;

  assign idle         = !free_valid_o && !tell_valid_o;
  assign read_ready_o = idle;
  assign drop_ready_o = idle && !read_valid_i;
  assign busy_o       = !idle;
  assign free_slot_o  = spent_q.slot[SW-1:0];
  assign free_gen_o   = spent_q.gen;
  assign tell_o       = {fsh_spec_pkg::COLLMSG_CONSUMED, spent_q.key};

  always_ff @(posedge clk_i) if (idle) spent_q <= read_valid_i ? read_i : drop_i;

  always_ff @(posedge clk_i) begin
    if (idle) free_valid_o <= read_valid_i || drop_valid_i;
    else if (free_ready_i) free_valid_o <= 1'b0;
    if (free_valid_o && free_ready_i) tell_valid_o <= spent_q.eager;
    else if (tell_ready_i) tell_valid_o <= 1'b0;
    if (rst_i) {free_valid_o, tell_valid_o} <= '0;
  end

  `FSH_STABLE(free_valid_o, free_ready_i, free_slot_o)
  `FSH_STABLE(tell_valid_o, tell_ready_i, tell_o)
endmodule

`default_nettype wire
