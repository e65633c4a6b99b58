// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none

/// The command queues of the compute core, 0 array and 1 mover (vectors by queue), and
/// the event counters that their commands wait for: wiring.
module fsh_cqueues (
    input  wire logic          clk_i,
    input  wire logic          rst_i,
    input  wire logic    [1:0] run_valid_i,
    input  wire logic    [7:0] run_count_i,
    input  wire logic   [31:0] run_addr_i,
    output logic         [1:0] room_o,
    output logic         [1:0] req_valid_o,
    input  wire logic    [1:0] req_ready_i,
    output logic        [63:0] req_addr_o,
    output logic        [39:0] req_stride_o,
    output logic         [7:0] req_mask_o,
    input  wire logic    [1:0] rsp_valid_i,
    input  wire logic [1023:0] rsp_data_i,
    input  wire logic    [1:0] rsp_err_i,
    input  wire logic          sig_valid_i,
    input  wire logic    [5:0] sig_event_i,
    input  wire logic    [7:0] sig_inc_i,
    output logic         [1:0] wait_valid_o,
    output logic        [11:0] wait_event_o,
    output logic        [31:0] wait_count_o,
    output logic         [1:0] cmd_valid_o,
    input  wire logic    [1:0] cmd_ready_i,
    output logic      [2047:0] cmd_o,
    output logic         [1:0] cmd_parity_o,
    output logic         [7:0] cmd_status_o,
    output logic               busy_o
);
  logic [1:0] grant, queue_busy;
  logic       events_busy;

  for (genvar q = 0; q < 2; q++) begin : gen_queue
    fsh_cout_pkg::read_t read;
    fsh_spec_pkg::ccmd_t command;

    assign {req_addr_o[q*32+:32], req_stride_o[q*20+:20], req_mask_o[q*4+:4]} = read;
    assign cmd_o[q*1024+:1024] = command;

    fsh_cqueue #(
        .MOVER(q == 1)
    ) i_queue (
        .clk_i,
        .rst_i,
        .run_valid_i (run_valid_i[q]),
        .run_count_i,
        .run_addr_i,
        .room_o      (room_o[q]),
        .req_valid_o (req_valid_o[q]),
        .req_ready_i (req_ready_i[q]),
        .req_o       (read),
        .rsp_valid_i (rsp_valid_i[q]),
        .rsp_data_i,
        .rsp_err_i,
        .wait_valid_o(wait_valid_o[q]),
        .wait_event_o(wait_event_o[q*6+:6]),
        .wait_count_o(wait_count_o[q*16+:16]),
        .wait_grant_i(grant[q]),
        .cmd_valid_o (cmd_valid_o[q]),
        .cmd_ready_i (cmd_ready_i[q]),
        .cmd_o       (command),
        .cmd_parity_o(cmd_parity_o[q]),
        .cmd_status_o(cmd_status_o[q*4+:4]),
        .busy_o      (queue_busy[q])
    );
  end

  fsh_cevents i_events (
      .clk_i,
      .rst_i,
      .sig_valid_i,
      .sig_event_i,
      .sig_inc_i,
      .wait_valid_i(wait_valid_o),
      .wait_event_i(wait_event_o),
      .wait_count_i(wait_count_o),
      .wait_grant_o(grant),
      .busy_o      (events_busy)
  );

  assign busy_o = queue_busy != '0 || events_busy;
endmodule

`default_nettype wire
