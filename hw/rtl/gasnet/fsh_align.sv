// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none
`include "fsh_assert.svh"

/// Moves the bytes of a packet from their source lanes to their destination lanes. start_i (any
/// cycle but one with out_valid_o) begins a packet of beats_i destination beats; then one source
/// beat is taken and one destination beat produced per cycle.
/// Constant from start_i to the last beat: shift_i, destination lane minus source lane; alone_i,
/// the destination lane is the lower one, so that the first source beat is taken without
/// producing a beat; tail_i, the last destination beat needs no further source beat. prime_i:
/// start_i will be set in this cycle if there is a source beat; a beat that is to be taken alone
/// may then be taken in this very cycle, which avoids a bubble.
/// src_ready_o does not depend on src_valid_i. want_o does not depend on out_ready_i either: the
/// next destination beat consumes a source beat. alone_o: a beat is to be taken alone. load_i (with
/// start_i, or later): from the next cycle on beats are shifted by shift_i; with pass_i they pass
/// unshifted, for beats that are not payload. In the middle of a packet others may pass so while
/// neither alone_o nor out_ready_i is set; then load_i restores the shift.
/// Combinational from source to destination. Lanes outside the packet are undefined. A packet
/// without beats takes nothing. Reset: no packet.
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
    output logic              alone_o,
    input  wire logic [127:0] src_data_i,
    output logic              out_valid_o,
    input  wire logic         out_ready_i,
    output logic      [127:0] out_data_o,
    output logic              out_last_o
);
  logic [6:0]   left_q;   // destination beats left
  logic         alone_q;  // the first source beat has yet to be taken
  // The previous beat and this one side by side, from which sixteen bytes are cut starting at
  // byte 16 - shift: 1 + 6 * sixes + 2 * twos + one. Each stage keeps only the bytes that later
  // stages can need; a 3:1 multiplexer takes no more logic than a 2:1. Its selects are registers,
  // without gating.
  logic [63:0]  src_hi, src_lo, hi_q, lo1, hi1, lo2, hi2;
  logic [63:8]  lo_q;
  logic [39:0]  top1;
  logic [7:0]   top2;
  logic         one_q;
  logic [1:0]   sixes, twos, sixes_q, twos_q;
  logic         alone, prime, source, take;

  always_comb begin
    unique case (shift_i[3:1])
      3'd0: {sixes, twos} = 4'b10_01;
      3'd1: {sixes, twos} = 4'b10_00;
      3'd2: {sixes, twos} = 4'b01_10;
      3'd3: {sixes, twos} = 4'b01_01;
      3'd4: {sixes, twos} = 4'b01_00;
      3'd5: {sixes, twos} = 4'b00_10;
      3'd6: {sixes, twos} = 4'b00_01;
      default: {sixes, twos} = 4'b00_00;
    endcase
  end

  always_ff @(posedge clk_i) begin
    if (load_i) begin
      sixes_q <= sixes;
      twos_q  <= twos;
      one_q   <= !shift_i[0];
      if (pass_i) begin  // from byte 16
        sixes_q <= 2'b10;
        twos_q  <= 2'b01;
        one_q   <= 1'b1;
      end
    end
  end

  assign {src_hi, src_lo} = src_data_i;

  assign lo1  = sixes_q[1] ? {src_lo[39:0], hi_q[63:40]} :
                sixes_q[0] ? {hi_q[55:0], lo_q[63:56]} : {hi_q[7:0], lo_q[63:8]};
  assign hi1  = sixes_q[1] ? {src_hi[39:0], src_lo[63:40]} :
                sixes_q[0] ? {src_lo[55:0], hi_q[63:56]} : {src_lo[7:0], hi_q[63:8]};
  // With a shift of twelve or more the upper two of the last five bytes are unused.
  assign top1 = sixes_q[1] ? {src_hi[31:16], src_hi[63:40]} :
                sixes_q[0] ? {src_hi[31:0], src_lo[63:56]} : src_lo[47:8];
  assign lo2  = twos_q[1] ? {hi1[31:0], lo1[63:32]} : twos_q[0] ? {hi1[15:0], lo1[63:16]} : lo1;
  assign hi2  = twos_q[1] ? {top1[31:0], hi1[63:32]} :
                twos_q[0] ? {top1[15:0], hi1[63:16]} : hi1;
  assign top2 = twos_q[1] ? top1[39:32] : twos_q[0] ? top1[23:16] : top1[7:0];

  assign out_data_o = one_q ? {top2, hi2, lo2[63:8]} : {hi2, lo2};

  assign alone       = alone_i && beats_i != '0;
  assign prime       = prime_i && alone && src_valid_i;
  assign out_last_o  = left_q == 7'd1;
  assign source      = !(out_last_o && tail_i);  // this beat consumes a source beat
  assign out_valid_o = left_q != '0 && !alone_q && (src_valid_i || !source);
  assign take        = (alone_q && src_valid_i) || (out_valid_o && out_ready_i && source);
  assign src_ready_o = (prime_i && alone) || alone_q ||
                       (left_q != '0 && out_ready_i && source);
  assign want_o      = left_q != '0 && source;
  assign alone_o     = alone_q;

  always_ff @(posedge clk_i) begin
    if (prime || take) begin
      hi_q <= src_hi;
      lo_q <= src_lo[63:8];
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
