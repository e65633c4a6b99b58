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
  logic [127:0] turn1, turn2, turn4, turned, prev_q;  // rotated by whole bytes
  logic         alone, prime, source, take;

  assign turn1  = shift_i[0] ? {src_data_i[119:0], src_data_i[127:120]} : src_data_i;
  assign turn2  = shift_i[1] ? {turn1[111:0], turn1[127:112]} : turn1;
  assign turn4  = shift_i[2] ? {turn2[95:0], turn2[127:96]} : turn2;
  assign turned = shift_i[3] ? {turn4[63:0], turn4[127:64]} : turn4;

  assign alone       = alone_i && beats_i != '0;
  assign prime       = start_i && prime_i && alone && src_valid_i;
  assign out_last_o  = left_q == 7'd1;
  assign source      = !(out_last_o && tail_i);  // this beat takes one of the source
  assign out_valid_o = left_q != '0 && !alone_q && (src_valid_i || !source);
  assign take        = (alone_q && src_valid_i) || (out_valid_o && out_ready_i && source);
  assign src_ready_o = prime || take;

  always_comb begin
    for (int unsigned i = 0; i < 16; i++) begin
      out_data_o[i*8+:8] = i < {28'd0, shift_i} ? prev_q[i*8+:8] : turned[i*8+:8];
    end
  end

  always_ff @(posedge clk_i) begin
    if (prime || take) prev_q <= turned;
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
