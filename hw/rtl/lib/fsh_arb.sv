// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none
`include "fsh_assert.svh"

/// Round-robin arbiter. gnt_o is one-hot among req_i, combinational from it, and zero without
/// requests; take_i (with a grant) moves the priority to the requester after the granted one. A
/// requester that keeps requesting is granted after at most N-1 takes of others. A grant that is
/// not taken may move when another request arrives: hold req_i or latch the choice where the
/// payload must be stable. While nobody looks at gnt_o (look_i is low) it is anything, which costs
/// a simulator nothing, and nothing may be taken. Reset gives requester 0 the priority.
module fsh_arb #(
    parameter int unsigned N = 2
) (
    input  wire logic         clk_i,
    input  wire logic         rst_i,
    input  wire logic [N-1:0] req_i,
    input  wire logic         look_i,
    input  wire logic         take_i,
    output logic      [N-1:0] gnt_o
);
  // Requesters after the last one served: they have priority over all others.
  logic [N-1:0] behind_q;

  // Shifts rather than arithmetic: for few requesters a few LUTs, not a carry chain.
  function automatic logic [N-1:0] above(input logic [N-1:0] bits);
    above = '0;
    for (int unsigned shift = 1; shift < N; shift++) above |= bits << shift;
  endfunction

  function automatic logic [N-1:0] choose(input logic [N-1:0] req, input logic [N-1:0] behind);
    logic [N-1:0] first, front, lower;
    first = req & behind;
    front = first != '0 ? first : req;
    lower = '0;
    if (req != '0) lower = above(front);
    choose = front & ~lower;  // lowest set bit
  endfunction

  always_comb begin
    gnt_o = 'x;
    if (look_i) gnt_o = choose(req_i, behind_q);
  end

  always_ff @(posedge clk_i) begin
    if (take_i) begin
      if (req_i != '0) behind_q <= above(gnt_o);
    end
    if (rst_i) behind_q <= '0;
  end

  `FSH_ASSERT(a_one_hot, !look_i || (gnt_o & (gnt_o - 1'b1)) == '0)
  `FSH_ASSERT(a_requested, !look_i || (gnt_o & ~req_i) == '0)
  `FSH_ASSERT(a_granted, !look_i || req_i == '0 || gnt_o != '0)
  `FSH_ASSERT(a_looked, look_i || !take_i || req_i == '0)
`ifdef FORMAL
`include "fsh_arb_formal.svh"
`endif
endmodule

`default_nettype wire
