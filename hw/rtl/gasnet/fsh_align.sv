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
/// source beat. prime_i: if there is a source beat, start_i is set, and that beat may be
/// taken in this very cycle if it is to be taken alone, so that no bubble follows.
/// src_ready_o does not depend on src_valid_i. want_o: nor on out_ready_i; the beat to be
/// given takes one of the source.
/// load_i (with start_i, or later): from the next cycle on beats are shifted by shift_i;
/// with pass_i they go out as they came, for those that are no payload.
/// Combinational from source to destination. Lanes outside the packet carry
/// leftovers. A packet without beats takes nothing. Reset: no packet.
module fsh_align (
    input  wire logic         clk_i,
    input  wire logic         rst_i,
    input  wire logic         start_i,
    input  wire logic         prime_i,
    input  wire logic         load_i,
    input  wire logic         pass_i,
    input  wire logic   [3:0] shift_i,
    input  wire logic         alone_i,
    input  wire logic         tail_i,
    input  wire logic   [6:0] beats_i,
    input  wire logic         src_valid_i,
    output logic              src_ready_o,
    output logic              want_o,
    input  wire logic [127:0] src_data_i,
    output logic              out_valid_o,
    input  wire logic         out_ready_i,
    output logic      [127:0] out_data_o,
    output logic              out_last_o
);
  logic [6:0]   left_q;   // destination beats
  logic         alone_q;  // the first source beat is still to be taken
  // Beats are kept as they came. First the lanes that stem from the beat before, then the
  // rotation: by none to two, by none to two times three (a choice of three takes no more
  // logic than one of two), by eight. Its selects are registers, which nothing gates.
  logic [63:0]  hi, lo, hi1, lo1, hi3, lo3, hi_q, lo_q;
  logic [63:0]  part, keep_hi_q, keep_lo_q;
  logic         eight_q;
  logic [1:0]   ones, threes, ones_q, threes_q;
  logic         alone, prime, source, take;

  always_comb begin
    unique case (shift_i[2:0])
      3'd0: {threes, ones} = 4'b00_00;
      3'd1: {threes, ones} = 4'b00_01;
      3'd2: {threes, ones} = 4'b00_10;
      3'd3: {threes, ones} = 4'b01_00;
      3'd4: {threes, ones} = 4'b01_01;
      3'd5: {threes, ones} = 4'b01_10;
      3'd6: {threes, ones} = 4'b10_00;
      default: {threes, ones} = 4'b10_01;
    endcase
  end
  assign part = ~(64'hffff_ffff_ffff_ffff >> {shift_i[2:0], 3'd0});

  always_ff @(posedge clk_i) begin
    if (load_i) begin
      keep_hi_q <= part | {64{shift_i[3]}};
      keep_lo_q <= part & {64{shift_i[3]}};
      eight_q   <= shift_i[3];
      threes_q  <= threes;
      ones_q    <= ones;
      if (pass_i) begin
        keep_hi_q <= '0;
        keep_lo_q <= '0;
        eight_q   <= 1'b0;
        threes_q  <= '0;
        ones_q    <= '0;
      end
    end
  end

  assign hi  = (hi_q & keep_hi_q) | (src_data_i[127:64] & ~keep_hi_q);
  assign lo  = (lo_q & keep_lo_q) | (src_data_i[63:0] & ~keep_lo_q);
  assign hi1 = ones_q[1] ? {hi[47:0], lo[63:48]} : ones_q[0] ? {hi[55:0], lo[63:56]} : hi;
  assign lo1 = ones_q[1] ? {lo[47:0], hi[63:48]} : ones_q[0] ? {lo[55:0], hi[63:56]} : lo;
  assign hi3 = threes_q[1] ? {hi1[15:0], lo1[63:16]} :
               threes_q[0] ? {hi1[39:0], lo1[63:40]} : hi1;
  assign lo3 = threes_q[1] ? {lo1[15:0], hi1[63:16]} :
               threes_q[0] ? {lo1[39:0], hi1[63:40]} : lo1;

  assign out_data_o = eight_q ? {lo3, hi3} : {hi3, lo3};

  assign alone       = alone_i && beats_i != '0;
  assign prime       = prime_i && alone && src_valid_i;
  assign out_last_o  = left_q == 7'd1;
  assign source      = !(out_last_o && tail_i);  // this beat takes one of the source
  assign out_valid_o = left_q != '0 && !alone_q && (src_valid_i || !source);
  assign take        = (alone_q && src_valid_i) || (out_valid_o && out_ready_i && source);
  assign src_ready_o = (prime_i && alone) || alone_q ||
                       (left_q != '0 && out_ready_i && source);
  assign want_o      = left_q != '0 && source;

  always_ff @(posedge clk_i) begin
    if (prime || take) begin
      hi_q <= src_data_i[127:64];
      lo_q <= src_data_i[63:0];
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
  `FSH_ASSERT(assert_prime, !prime || start_i)
endmodule

`default_nettype wire
