// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none

/// fsh_dispatch with one engine, the compute core, and its sink.
module tb_fsh_dispatch (
    input  wire logic                clk_i,
    input  wire logic                rst_i,
    input  wire logic                compute_present_i,
    input  wire logic          [1:0] get_valid_i,
    output logic               [1:0] get_ready_o,
    input  wire fsh_fn_pkg::get_t    get0_i,
    input  wire fsh_fn_pkg::get_t    get1_i,
    output logic               [1:0] get_valid_o,
    input  wire logic          [1:0] get_ready_i,
    output logic               [7:0] get_status_o,
    input  wire logic          [1:0] run_room_i,
    output logic                     run_valid_o,
    output logic                     run_queue_o,
    output logic               [7:0] run_count_o,
    output logic              [31:0] run_addr_o,
    output logic                     sig_valid_o,
    output logic               [5:0] sig_counter_o,
    output logic               [7:0] sig_inc_o,
    output logic                     entry_valid_o,
    input  wire logic                entry_ready_i,
    output fsh_spec_pkg::ring_t      entry_o,
    output logic                     perf_refused_o,
    output logic                     busy_o
);
  logic             msg_valid, msg_ready;
  logic [3:0]       msg_status;
  fsh_fn_pkg::msg_t msg;

  fsh_dispatch i_dispatch (
      .clk_i,
      .rst_i,
      .get_valid_i,
      .get_ready_o,
      .get0_i,
      .get1_i,
      .get_valid_o,
      .get_ready_i,
      .get_status_o,
      .msg_valid_o (msg_valid),
      .msg_ready_i (msg_ready),
      .msg_o       (msg),
      .msg_status_i(msg_status),
      .perf_refused_o
  );
  fsh_csink i_csink (
      .clk_i,
      .rst_i,
      .present_i   (compute_present_i),
      .msg_valid_i (msg_valid),
      .msg_ready_o (msg_ready),
      .msg_i       (msg),
      .msg_status_o(msg_status),
      .run_room_i,
      .run_valid_o,
      .run_queue_o,
      .run_count_o,
      .run_addr_o,
      .sig_valid_o,
      .sig_counter_o,
      .sig_inc_o,
      .entry_valid_o,
      .entry_ready_i,
      .entry_o,
      .busy_o
  );
endmodule

`default_nettype wire
