// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none
`include "fsh_assert.svh"

/// Moves the bytes of one packet from the lanes of their source to the lanes of
/// their destination. start_i (any cycle but one with out_valid_o) begins a
/// packet of beats_i destination beats; then source beats are taken and
/// destination beats given, one a cycle. What stays constant from start_i to
/// the last beat: shift_i, destination lane minus source lane; alone_i, the
/// destination lane is the lower one, so that the first source beat is taken
/// without a beat given; tail_i, the last destination beat needs no further
/// source beat. prime_i with start_i: the first source beat may be taken in that
/// very cycle if it is to be taken alone, so that no bubble follows.
/// Combinational from source to destination. Lanes outside the packet carry
/// leftovers. A packet without beats takes nothing. Reset: no packet.
module fsh_align (
    input  wire logic         clk_i,
    input  wire logic         rst_i,
    input  wire logic         start_i,
    input  wire logic         prime_i,
    input  wire logic   [3:0] shift_i,
    input  wire logic         alone_i,
    input  wire logic         tail_i,
    input  wire logic   [6:0] beats_i,
    input  wire logic         src_valid_i,
    output logic              src_ready_o,
    input  wire logic [127:0] src_data_i,
    output logic              out_valid_o,
    input  wire logic         out_ready_i,
    output logic      [127:0] out_data_o,
    output logic              out_last_o
);
  logic [6:0]   left_q;   // destination beats
  logic         alone_q;  // the first source beat is still to be taken
  // Rotated by up to seven bytes, in halves; by eight more exchanges the
  // halves. What is kept of the beat before, for the lanes below shift_i, is not yet
  // exchanged, and keep the same lanes of either half: so one merge serves both.
  logic [63:0]  hi, lo, hi1, lo1, hi2, lo2, hi4, lo4, hi_q, lo_q, keep, merged;
  logic         alone, prime, source, take;

  assign hi  = src_data_i[127:64];
  assign lo  = src_data_i[63:0];
  assign hi1 = shift_i[0] ? {hi[55:0], lo[63:56]} : hi;
  assign lo1 = shift_i[0] ? {lo[55:0], hi[63:56]} : lo;
  assign hi2 = shift_i[1] ? {hi1[47:0], lo1[63:48]} : hi1;
  assign lo2 = shift_i[1] ? {lo1[47:0], hi1[63:48]} : lo1;
  assign hi4 = shift_i[2] ? {hi2[31:0], lo2[63:32]} : hi2;
  assign lo4 = shift_i[2] ? {lo2[31:0], hi2[63:32]} : lo2;

  assign alone       = alone_i && beats_i != '0;
  assign prime       = start_i && prime_i && alone && src_valid_i;
  assign out_last_o  = left_q == 7'd1;
  assign source      = !(out_last_o && tail_i);  // this beat takes one of the source
  assign out_valid_o = left_q != '0 && !alone_q && (src_valid_i || !source);
  assign take        = (alone_q && src_valid_i) || (out_valid_o && out_ready_i && source);
  assign src_ready_o = prime || take;

  assign keep       = ~(64'hffff_ffff_ffff_ffff << {shift_i[2:0], 3'd0});
  assign merged     = (lo_q & keep) | (lo4 & ~keep);
  assign out_data_o = shift_i[3] ? {merged, hi_q} : {hi4, merged};

  always_ff @(posedge clk_i) begin
    if (prime || take) begin
      hi_q <= hi4;
      lo_q <= lo4;
    end
  end

  always_ff @(posedge clk_i) begin
    if (start_i) begin
      left_q  <= beats_i;
      alone_q <= alone && !prime;
    end else begin
      if (take) alone_q <= 1'b0;
      if (out_valid_o && out_ready_i) left_q <= left_q - 7'd1;
    end
    if (rst_i) begin
      left_q  <= '0;
      alone_q <= 1'b0;
    end
  end

  `FSH_ASSERT(assert_start, !start_i || left_q == '0)
endmodule

`default_nettype wire
