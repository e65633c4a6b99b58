// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none
`include "fsh_assert.svh"

/// One lane of the sequencer: its packet descriptors, in one queue those of packets
/// without payload or with that of a command's rows (brief), in another those whose
/// payload comes from a memory (bulk), and the sender behind both (fsh_seq_send). room_o:
/// a further packet may be described, seen up to two cycles late; beyond that there is room
/// for MARKS marks. Reset empties the queues.
module fsh_seq_lane #(
    parameter int unsigned PORTS = 2,
    parameter int unsigned MARKS = 8
) (
    input  wire logic                clk_i,
    input  wire logic                rst_i,
    input  wire logic                brief_push_i,
    input  wire logic                bulk_push_i,
    input  wire fsh_seq_pkg::desc_t  desc_i,
    output logic                     room_o,
    input  wire logic                mem_valid_i,
    input  wire logic        [127:0] mem_data_i,
    input  wire logic                mem_err_i,
    output logic                     mem_ready_o,
    input  wire logic                host_valid_i,
    input  wire logic        [127:0] host_data_i,
    input  wire logic                host_err_i,
    output logic                     host_ready_o,
    input  wire logic          [1:0] rows_valid_i,
    input  wire logic        [127:0] rows_req_i,
    input  wire logic        [127:0] rows_rep_i,
    output logic               [1:0] rows_ready_o,
    input  wire logic    [PORTS-1:0] others_i,
    output logic                     pkt_valid_o,
    output logic         [PORTS-1:0] pkt_port_o,
    input  wire logic                pkt_ready_i,
    output logic                     pkt_last_o,
    output logic             [127:0] pkt_data_o,
    output logic                pkt_bad_o,
    output logic    [PORTS-1:0] queue_valid_o,
    output fsh_seq_pkg::beat_t       queue_o,
    output logic                cpl_valid_o,
    input  wire logic                cpl_ready_i,
    output fsh_spec_pkg::ring_t      cpl_o,
    output logic                     busy_o
);
  localparam int unsigned BULK = 32;
  localparam int unsigned BRIEF = 16;

  logic [5:0]         bulk_count;
  logic [4:0]         brief_count;
  fsh_seq_pkg::desc_t bulk, brief;
  logic               bulk_room, brief_room, bulk_valid, brief_valid, bulk_pop, brief_pop;

  fsh_fifo #(
      .WIDTH($bits(desc_i)),
      .DEPTH(BULK)
  ) i_bulk (
      .clk_i,
      .rst_i,
      .valid_i(bulk_push_i),
      .ready_o(bulk_room),
      .data_i (desc_i),
      .valid_o(bulk_valid),
      .ready_i(bulk_pop),
      .data_o (bulk),
      .count_o(bulk_count)
  );
  fsh_fifo #(
      .WIDTH($bits(desc_i)),
      .DEPTH(BRIEF)
  ) i_brief (
      .clk_i,
      .rst_i,
      .valid_i(brief_push_i),
      .ready_o(brief_room),
      .data_i (desc_i),
      .valid_o(brief_valid),
      .ready_i(brief_pop),
      .data_o (brief),
      .count_o(brief_count)
  );

  // A packet takes up to two words of the one, and one of the other.
  assign room_o = bulk_count <= 6'(BULK - 4 - MARKS) && brief_count <= 5'(BRIEF - 6);

  fsh_seq_send #(
      .PORTS(PORTS)
  ) i_send (
      .clk_i,
      .rst_i,
      .brief_valid_i(brief_valid),
      .brief_i      (brief),
      .brief_ready_o(brief_pop),
      .bulk_valid_i (bulk_valid),
      .bulk_alone_i (bulk_count == 6'd1),
      .bulk_i       (bulk),
      .bulk_ready_o (bulk_pop),
      .mem_valid_i,
      .mem_data_i,
      .mem_err_i,
      .mem_ready_o,
      .host_valid_i,
      .host_data_i,
      .host_err_i,
      .host_ready_o,
      .rows_valid_i,
      .rows_req_i,
      .rows_rep_i,
      .rows_ready_o,
      .others_i,
      .pkt_valid_o,
      .pkt_port_o,
      .pkt_ready_i,
      .pkt_last_o,
      .pkt_data_o,
      .pkt_bad_o,
      .queue_valid_o,
      .queue_o,
      .cpl_valid_o,
      .cpl_ready_i,
      .cpl_o,
      .busy_o
  );

  `FSH_ASSERT(assert_bulk_room, !bulk_push_i || bulk_room)
  `FSH_ASSERT(assert_brief_room, !brief_push_i || brief_room)
endmodule

`default_nettype wire
