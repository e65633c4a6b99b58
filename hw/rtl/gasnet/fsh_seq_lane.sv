// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none
`include "fsh_assert.svh"

/// One lane of the sequencer: its packet descriptors (fsh_seq_queue), one queue for packets
/// without payload or with payload from a command's rows (brief), another for packets whose
/// payload comes from a memory (bulk), and the sender behind both (fsh_seq_send).
/// brief_room_o, bulk_room_o: a further packet may be described, that is, all before it have
/// been; in addition there is room for MARKS marks. Reset empties the queues.
module fsh_seq_lane #(
    parameter int unsigned PORTS = 2,
    parameter int unsigned MARKS = 8
) (
    input  wire logic                clk_i,
    input  wire logic                rst_i,
    input  wire logic         [47:0] cycle_i,
    input  wire logic                brief_push_i,
    input  wire logic                bulk_push_i,
    input  wire logic                to_bulk_i,
    input  wire fsh_seq_pkg::desc_t  desc_i,
    output logic                     brief_room_o,
    output logic                     bulk_room_o,
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
  localparam int unsigned BULK = 24;
  localparam int unsigned BRIEF = 32 - BULK;

  logic [4:0]          bulk_count;
  logic [3:0]          brief_count;
  fsh_seq_pkg::desc_t  front;
  fsh_seq_pkg::ahead_t ahead;
  logic                bulk_valid, brief_valid, brief_plain, bulk_pop, brief_pop, brief;

  fsh_seq_queue #(
      .PORTS(PORTS),
      .BULK (BULK)
  ) i_queue (
      .clk_i,
      .rst_i,
      .brief_push_i,
      .bulk_push_i,
      .to_bulk_i,
      .desc_i,
      .brief_count_o(brief_count),
      .bulk_count_o (bulk_count),
      .brief_valid_o(brief_valid),
      .brief_plain_o(brief_plain),
      .brief_pop_i  (brief_pop),
      .bulk_valid_o (bulk_valid),
      .bulk_pop_i   (bulk_pop),
      .ahead_o      (ahead),
      .brief_i      (brief),
      .desc_o       (front)
  );

  // A packet takes one word of one queue, or up to two of the other.
  assign brief_room_o = brief_count <= 4'(BRIEF - 2);
  assign bulk_room_o  = bulk_count <= 5'(BULK - 1 - MARKS);

  fsh_seq_send #(
      .PORTS(PORTS)
  ) i_send (
      .clk_i,
      .rst_i,
      .cycle_i,
      .brief_valid_i(brief_valid),
      .brief_plain_i(brief_plain),
      .brief_ready_o(brief_pop),
      .bulk_valid_i (bulk_valid),
      .bulk_alone_i (bulk_count == 5'd1),
      .bulk_fresh_i (bulk_push_i && !bulk_valid && !desc_i.host && !desc_i.mark),
      .bulk_ahead_i (ahead),
      .bulk_ready_o (bulk_pop),
      .brief_o      (brief),
      .desc_i       (front),
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
endmodule

`default_nettype wire
