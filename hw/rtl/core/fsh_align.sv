// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none
`include "fsh_assert.svh"

/// Moves the bytes of one packet from the lanes of their source to the lanes of
/// their destination. load_i (any cycle but one with out_valid_o) announces a
/// packet: lanes, source beats, destination beats. Then source beats are taken
/// and destination beats given, one a cycle. If the destination lane is the
/// lower one, the first source beat is taken without a beat given; prime_i may
/// be set in the cycle of load_i to take it there, so that no bubble follows.
/// Combinational from source to destination. Lanes outside the packet carry
/// leftovers. A packet without beats takes nothing, even if source beats of the
/// next one wait. Reset: no packet.
module fsh_align (
    input  wire logic         clk_i,
    input  wire logic         rst_i,
    input  wire logic         load_i,
    input  wire logic         prime_i,
    input  wire logic [3:0]   src_lane_i,
    input  wire logic [3:0]   dst_lane_i,
    input  wire logic [6:0]   src_beats_i,
    input  wire logic [6:0]   dst_beats_i,
    input  wire logic         src_valid_i,
    output logic              src_ready_o,
    input  wire logic [127:0] src_data_i,
    output logic              out_valid_o,
    input  wire logic         out_ready_i,
    output logic      [127:0] out_data_o,
    output logic              out_last_o
);
  logic [3:0]   shift, shift_q;
  logic [6:0]   in_left_q, out_left_q;
  logic         owed_q;  // the first source beat is still to be taken alone
  logic [127:0] turn1, turn2, turn4, turned, prev_q;  // rotated by whole bytes
  logic         prime, take;

  // Of the announced packet in its load cycle, of the current one after it.
  assign shift = load_i ? dst_lane_i - src_lane_i : shift_q;
  assign turn1 = shift[0] ? {src_data_i[119:0], src_data_i[127:120]} : src_data_i;
  assign turn2 = shift[1] ? {turn1[111:0], turn1[127:112]} : turn1;
  assign turn4 = shift[2] ? {turn2[95:0], turn2[127:96]} : turn2;
  assign turned = shift[3] ? {turn4[63:0], turn4[127:64]} : turn4;

  assign prime       = load_i && prime_i && dst_lane_i < src_lane_i && dst_beats_i != '0 &&
                       src_valid_i;
  assign out_valid_o = out_left_q != '0 && !owed_q && (in_left_q == '0 || src_valid_i);
  assign out_last_o  = out_left_q == 7'd1;
  assign take        = (owed_q && src_valid_i) ||
                       (out_valid_o && out_ready_i && in_left_q != '0);
  assign src_ready_o = prime || take;

  always_comb begin
    for (int unsigned i = 0; i < 16; i++) begin
      out_data_o[i*8+:8] = i < {28'd0, shift_q} ? prev_q[i*8+:8] : turned[i*8+:8];
    end
  end

  always_ff @(posedge clk_i) begin
    if (prime || take) prev_q <= turned;
    if (load_i) shift_q <= shift;
  end

  always_ff @(posedge clk_i) begin
    if (load_i) begin
      in_left_q  <= src_beats_i - {6'd0, prime};
      out_left_q <= dst_beats_i;
      owed_q     <= dst_lane_i < src_lane_i && dst_beats_i != '0 && !prime;
    end else begin
      if (take) in_left_q <= in_left_q - 7'd1;
      if (take && owed_q) owed_q <= 1'b0;
      if (out_valid_o && out_ready_i) out_left_q <= out_left_q - 7'd1;
    end
    if (rst_i) begin
      in_left_q  <= '0;
      out_left_q <= '0;
      owed_q     <= 1'b0;
    end
  end

  `FSH_ASSERT(assert_load, !load_i || (out_left_q == '0 && !owed_q))
  `FSH_ASSERT(assert_drained, out_left_q != '0 || in_left_q == '0)
endmodule

`default_nettype wire
