// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none
`include "fsh_assert.svh"

/// One direction of the DMA engine: its moves, in order, their reads, a buffer of DEPTH lines,
/// their writes. Reads of the next move go on while one is written. Two ports, of which a
/// direction uses the reads of one and the writes of the other. move_room_o: for another move;
/// there are as many as tags, so that a host that uses each tag once always finds room.
/// Reset: none.
module fsh_dma_way #(
    parameter int unsigned RD_BEATS = 64,
    parameter int unsigned WR_BEATS = 1,
    parameter int unsigned DEPTH = 256,
    parameter bit TO_CARD = 1'b1
) (
    input  wire logic         clk_i,
    input  wire logic         rst_i,
    input  wire logic  [47:0] from_base_i,
    input  wire logic  [39:0] from_size_i,
    input  wire logic  [47:0] to_base_i,
    input  wire logic  [39:0] to_size_i,
    input  wire logic         move_valid_i,
    output logic              move_room_o,
    input  wire fsh_dma_pkg::move_t move_i,
    output logic              arvalid_o,
    input  wire logic         arready_i,
    output logic       [47:0] araddr_o,
    output logic        [7:0] arlen_o,
    input  wire logic         rvalid_i,
    input  wire logic [511:0] rdata_i,
    input  wire logic         rerr_i,
    output logic              awvalid_o,
    input  wire logic         awready_i,
    output logic       [47:0] awaddr_o,
    output logic        [7:0] awlen_o,
    output logic              wvalid_o,
    input  wire logic         wready_i,
    output logic      [511:0] wdata_o,
    output logic       [63:0] wstrb_o,
    output logic              wlast_o,
    input  wire logic         bvalid_i,
    input  wire logic         berr_i,
    output logic              end_valid_o,
    input  wire logic         end_ready_i,
    output logic [fsh_spec_pkg::TAG_W-1:0] end_tag_o,
    output logic        [3:0] end_status_o,
    output logic              busy_o
);
  fsh_dma_pkg::move_t move;
  fsh_dma_pkg::job_t  job, next;
  logic move_valid, move_ready, job_valid, job_ready, next_valid, next_ready;
  logic line_valid, line_ready, line_err, read_busy, write_busy;
  logic [511:0] line;
  /* verilator lint_off UNUSEDSIGNAL */
  logic line_room;  // by the reads' account
  /* verilator lint_on UNUSEDSIGNAL */

  fsh_fifo #(
      .WIDTH($bits(move_i)),
      .DEPTH(fsh_spec_pkg::NUM_TAGS)
  ) i_moves (
      .clk_i,
      .rst_i,
      .valid_i(move_valid_i),
      .ready_o(move_room_o),
      .data_i (move_i),
      .valid_o(move_valid),
      .ready_i(move_ready),
      .data_o (move),
      .count_o()
  );

  fsh_dma_read #(
      .BEATS(RD_BEATS),
      .DEPTH(DEPTH),
      .FROM_STATUS(TO_CARD ? fsh_spec_pkg::STATUS_LOCAL_RANGE : fsh_spec_pkg::STATUS_REMOTE_RANGE),
      .TO_STATUS(TO_CARD ? fsh_spec_pkg::STATUS_REMOTE_RANGE : fsh_spec_pkg::STATUS_LOCAL_RANGE)
  ) i_read (
      .clk_i,
      .rst_i,
      .base_i       (from_base_i),
      .from_size_i,
      .to_size_i,
      .move_valid_i (move_valid),
      .move_ready_o (move_ready),
      .move_tag_i   (move.tag),
      .move_length_i(move.length),
      .move_from_i  (TO_CARD ? move.host : move.card),
      .move_to_i    (TO_CARD ? move.card : move.host),
      .job_valid_o  (job_valid),
      .job_ready_i  (job_ready),
      .job_o        (job),
      .arvalid_o,
      .arready_i,
      .araddr_o,
      .arlen_o,
      .pop_i        (line_valid && line_ready),
      .busy_o       (read_busy)
  );

  fsh_fifo #(
      .WIDTH($bits(job)),
      .DEPTH(4)
  ) i_jobs (
      .clk_i,
      .rst_i,
      .valid_i(job_valid),
      .ready_o(job_ready),
      .data_i (job),
      .valid_o(next_valid),
      .ready_i(next_ready),
      .data_o (next),
      .count_o()
  );

  fsh_fifo #(
      .WIDTH(513),
      .DEPTH(DEPTH),
      .BLOCK(1'b1)
  ) i_lines (
      .clk_i,
      .rst_i,
      .valid_i(rvalid_i),
      .ready_o(line_room),
      .data_i ({rerr_i, rdata_i}),
      .valid_o(line_valid),
      .ready_i(line_ready),
      .data_o ({line_err, line}),
      .count_o()
  );

  fsh_dma_write #(
      .BEATS(WR_BEATS)
  ) i_write (
      .clk_i,
      .rst_i,
      .base_i      (to_base_i),
      .job_valid_i (next_valid),
      .job_ready_o (next_ready),
      .job_i       (next),
      .line_valid_i(line_valid),
      .line_ready_o(line_ready),
      .line_i      (line),
      .line_err_i  (line_err),
      .awvalid_o,
      .awready_i,
      .awaddr_o,
      .awlen_o,
      .wvalid_o,
      .wready_i,
      .wdata_o,
      .wstrb_o,
      .wlast_o,
      .bvalid_i,
      .berr_i,
      .end_valid_o,
      .end_ready_i,
      .end_tag_o,
      .end_status_o,
      .busy_o      (write_busy)
  );

  assign busy_o = move_valid || read_busy || next_valid || write_busy;

  `FSH_ASSERT(a_room, !rvalid_i || line_room)
endmodule

`default_nettype wire
