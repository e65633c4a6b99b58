// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none
`include "fsh_assert.svh"

/// Reads of one direction of the DMA engine: checks each move against both memories, hands it
/// over as a job, and asks for its lines of 64 bytes in bursts of up to BEATS, which stay
/// inside BEATS aligned lines. No more lines are under way or waiting in the buffer behind it
/// than it has (DEPTH); pop_i tells of each that has left it. A refused move asks for nothing.
/// One cycle between moves of three more; a register before the pins. Reset: none under way.
module fsh_dma_read #(
    parameter int unsigned BEATS = 64,
    parameter int unsigned DEPTH = 256,
    parameter logic [3:0] FROM_STATUS = fsh_spec_pkg::STATUS_LOCAL_RANGE,
    parameter logic [3:0] TO_STATUS = fsh_spec_pkg::STATUS_REMOTE_RANGE
) (
    input  wire logic         clk_i,
    input  wire logic         rst_i,
    input  wire logic  [47:0] base_i,
    input  wire logic  [39:0] from_size_i,
    input  wire logic  [39:0] to_size_i,
    input  wire logic         move_valid_i,
    output logic              move_ready_o,
    input  wire logic  [fsh_spec_pkg::TAG_W-1:0] move_tag_i,
    input  wire logic  [23:0] move_length_i,
    input  wire logic  [39:0] move_from_i,
    input  wire logic  [39:0] move_to_i,
    output logic              job_valid_o,
    input  wire logic         job_ready_i,
    output fsh_dma_pkg::job_t job_o,
    output logic              arvalid_o,
    input  wire logic         arready_i,
    output logic       [47:0] araddr_o,
    output logic        [7:0] arlen_o,
    input  wire logic         pop_i,
    output logic              busy_o
);
  localparam int unsigned RW = $clog2(DEPTH + 1);
  localparam logic [6:0] MOST = 7'(BEATS);

  typedef enum logic [1:0] {
    IDLE,
    SUM,
    JOB,
    ASK
  } state_t;
  state_t state_q;

  fsh_dma_pkg::job_t job_q;
  logic [39:0]   from_q;
  logic [40:0]   from_end_q, to_end_q;
  logic [18:0]   lines_q, left_q;
  logic [33:0]   line_q;
  logic [RW-1:0] room_q;
  logic [6:0]    beats, taken;
  logic          ask;
  logic [3:0]    status;
  /* verilator lint_off UNUSEDSIGNAL */
  logic [24:0]   span;
  /* verilator lint_on UNUSEDSIGNAL */

  assign move_ready_o = state_q == IDLE;
  assign job_valid_o  = state_q == JOB;
  assign span         = 25'(from_q[5:0]) + 25'(job_q.length) + 25'd63;

  always_comb begin
    status = fsh_spec_pkg::STATUS_OK;
    if (to_end_q > {1'b0, to_size_i}) status = TO_STATUS;
    if (from_end_q > {1'b0, from_size_i}) status = FROM_STATUS;
    job_o        = job_q;
    job_o.status = status;
  end

  // The next burst: up to the end of its aligned lines, or of the move.
  if (BEATS == 1) begin : gen_single
    assign beats = 7'd1;
  end else begin : gen_burst
    logic [6:0] most;
    assign most  = MOST - 7'(line_q[$clog2(BEATS)-1:0]);
    assign beats = left_q < 19'(most) ? left_q[6:0] : most;
  end
  assign ask   = state_q == ASK && left_q != '0 && room_q >= RW'(BEATS) &&
                 (!arvalid_o || arready_i);
  assign taken = ask ? beats : '0;

  always_ff @(posedge clk_i) begin
    if (move_ready_o) begin
      from_q       <= move_from_i;
      job_q        <= 'x;
      job_q.tag    <= move_tag_i;
      job_q.length <= move_length_i;
      job_q.from   <= move_from_i[5:0];
      job_q.to     <= move_to_i;
    end
    if (state_q == SUM) begin
      from_end_q <= {1'b0, from_q} + 41'(job_q.length);
      to_end_q   <= {1'b0, job_q.to} + 41'(job_q.length);
      lines_q    <= job_q.length == '0 ? '0 : span[24:6];
    end
    if (state_q == JOB) begin
      line_q <= from_q[39:6];
      left_q <= status == fsh_spec_pkg::STATUS_OK ? lines_q : '0;
    end
    if (ask) begin
      line_q   <= line_q + 34'(beats);
      left_q   <= left_q - 19'(beats);
      araddr_o <= base_i + {8'd0, line_q, 6'd0};
      arlen_o  <= 8'(beats) - 8'd1;
    end
  end

  always_ff @(posedge clk_i) begin
    case (state_q)
      IDLE: if (move_valid_i) state_q <= SUM;
      SUM: state_q <= JOB;
      JOB: if (job_ready_i) state_q <= ASK;
      default: if (left_q == '0) state_q <= IDLE;
    endcase
    if (ask || arready_i) arvalid_o <= ask;
    room_q <= room_q - RW'(taken) + RW'(pop_i);
    if (rst_i) begin
      state_q   <= IDLE;
      arvalid_o <= 1'b0;
      room_q    <= RW'(DEPTH);
    end
  end

  assign busy_o = state_q != IDLE || arvalid_o || room_q != RW'(DEPTH);

  `FSH_ASSERT(a_room, room_q <= RW'(DEPTH))
  `FSH_STABLE(arvalid_o, arready_i, araddr_o)
endmodule

`default_nettype wire
