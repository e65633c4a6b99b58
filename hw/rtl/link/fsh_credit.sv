// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none
`include "fsh_assert.svh"

/// Credit account of one virtual channel at the sender. Both sides count beats:
/// what was sent or reserved here, what the receiver has freed. The sequencer
/// reserves whole packets (take_i), at most one in three cycles, two cycles after it saw
/// ok_o; others count beat by beat what leaves their buffers (sent_i).
/// ok_o is a register and leaves room for everything that may be decided on it
/// before it shows: two packets of the sequencer, MAX beats each, and OTHERS beats of
/// the rest: for each source of packets the longest one, and some for single beats.
/// So whoever sees it may begin, and all have equal chances. few_o is the same for packets
/// of the sequencer of at most FEW beats, which find room where no other does; it is looked
/// at in the cycle before take_i, too.
/// Credits arriving late or twice do no harm: they are absolute.
module fsh_credit #(
    parameter int unsigned DEPTH = 512,
    parameter int unsigned MAX = 70,  // of a packet of the sequencer
    parameter int unsigned FEW = 10,
    parameter int unsigned OTHERS = 0
) (
    input  wire logic        clk_i,
    input  wire logic        rst_i,
    input  wire logic        credit_valid_i,
    input  wire logic [15:0] credit_i,
    input  wire logic        take_i,
    input  wire logic [6:0]  beats_i,
    input  wire logic  [1:0] sent_i,
    output logic             ok_o,
    output logic             few_o
);
  localparam int unsigned W = $clog2(DEPTH) + 1;  // counts modulo twice the depth

  logic [W-1:0] freed_q, used, used_q, in_flight;
  logic   [1:0] sent_q;  // known late in a cycle, counted in the next
  logic         ok_q, few_q;

  assign used      = used_q + W'(sent_q);
  assign in_flight = used - freed_q;
  assign ok_o      = ok_q;
  assign few_o     = few_q;

  always_ff @(posedge clk_i) begin
    if (credit_valid_i) freed_q <= credit_i[W-1:0];
    sent_q <= sent_i;
    if (take_i || sent_q != '0) used_q <= used + (take_i ? W'(beats_i) : '0);
    ok_q  <= in_flight <= W'(DEPTH - 2 * MAX - OTHERS);
    few_q <= in_flight <= W'(DEPTH - FEW - OTHERS);
    if (rst_i) begin
      freed_q <= '0;
      used_q  <= '0;
      sent_q  <= '0;
      ok_q    <= 1'b0;
      few_q   <= 1'b0;
    end
  end

  `FSH_ASSERT(assert_bound, in_flight <= W'(DEPTH))
`ifdef FORMAL
`include "fsh_credit_formal.svh"
`endif
endmodule

`default_nettype wire
