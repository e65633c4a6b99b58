// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none
`include "fsh_assert.svh"

/// Round-robin arbiter. gnt_o is one-hot among req_i, combinational from it, and zero without
/// requests; take_i (with a grant) moves the priority to the requester after the granted one. A
/// requester that keeps requesting is granted after at most N-1 takes of others. A grant that is
/// not taken may move when another request arrives: hold req_i or latch the choice where the
/// payload must be stable. Reset gives requester 0 the priority.
module fsh_arb #(
    parameter int unsigned N = 2
) (
    input  wire logic         clk_i,
    input  wire logic         rst_i,
    input  wire logic [N-1:0] req_i,
    input  wire logic         take_i,
    output logic      [N-1:0] gnt_o
);
  // Requesters after the last one served: they have priority over all others.
  logic [N-1:0] behind_q, first, front, lower, passed;

  assign first = req_i & behind_q;
  assign front = first != '0 ? first : req_i;
  assign gnt_o = front & ~lower;  // lowest set bit

  // Shifts rather than arithmetic: for few requesters a few LUTs, not a carry chain.
  always_comb begin
    lower  = '0;
    passed = '0;
    if (req_i != '0) begin
      for (int unsigned i = 1; i < N; i++) lower |= front << i;
    end
    if (take_i) begin
      for (int unsigned i = 1; i < N; i++) passed |= gnt_o << i;
    end
  end

  always_ff @(posedge clk_i) begin
    if (take_i && req_i != '0) behind_q <= passed;
    if (rst_i) behind_q <= '0;
  end

  `FSH_ASSERT(a_one_hot, (gnt_o & (gnt_o - 1'b1)) == '0)
  `FSH_ASSERT(a_requested, (gnt_o & ~req_i) == '0)
  `FSH_ASSERT(a_granted, req_i == '0 || gnt_o != '0)
`ifdef FORMAL
`include "fsh_arb_formal.svh"
`endif
endmodule

`default_nettype wire
