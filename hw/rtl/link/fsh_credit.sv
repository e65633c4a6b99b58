// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none
`include "fsh_assert.svh"

/// Credit account of one virtual channel at the sender. Both sides count beats
/// modulo 2^16: what was reserved here, what the receiver has freed. Reservers
/// a (the sequencer, up to MAX beats a cycle) and b (packets that start at the
/// port: one of MAX beats and an ack in two cycles) see a registered ok_o that
/// leaves room for what both may take in this cycle and the one before, so
/// whoever sees it may reserve at once and both have equal chances.
/// Credits arriving late or twice do no harm: they are absolute.
module fsh_credit #(
    parameter int unsigned DEPTH = 512,
    parameter int unsigned MAX = 70
) (
    input  wire logic        clk_i,
    input  wire logic        rst_i,
    input  wire logic        credit_valid_i,
    input  wire logic [15:0] credit_i,
    input  wire logic        a_valid_i,
    input  wire logic [6:0]  a_beats_i,
    input  wire logic        b_valid_i,
    input  wire logic [6:0]  b_beats_i,
    output logic             ok_o
);
  logic [15:0] freed_q, used_q, in_flight;
  logic        ok_q;

  assign in_flight = used_q - freed_q;
  assign ok_o      = ok_q;

  always_ff @(posedge clk_i) begin
    if (credit_valid_i) freed_q <= credit_i;
    used_q <= used_q + (a_valid_i ? {9'd0, a_beats_i} : 16'd0) +
              (b_valid_i ? {9'd0, b_beats_i} : 16'd0);
    ok_q <= in_flight <= 16'(DEPTH - 3 * MAX - 2);
    if (rst_i) begin
      freed_q <= '0;
      used_q  <= '0;
      ok_q    <= 1'b0;
    end
  end

  `FSH_ASSERT(assert_bound, in_flight <= 16'(DEPTH))
  `FSH_ASSERT(assert_polite, ok_q || !(a_valid_i || b_valid_i))
endmodule

`default_nettype wire
