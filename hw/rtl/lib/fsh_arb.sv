// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none
`include "fsh_assert.svh"

/// Round-robin arbiter. gnt_o is one-hot among req_i, combinational from it,
/// zero when nothing is requested; take_i (with a grant) moves the priority to
/// the requester after the granted one. A requester that keeps asking is
/// granted after at most N-1 takes of others. A grant that is not taken may
/// move when another request arrives: hold req_i or latch the choice where the
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
  // Requesters behind the last one served: they come first. All others after.
  logic [N-1:0] behind_q, behind_d, first_gnt, any_gnt;
  logic         first_seen, any_seen, passed;

  // Loops, not arithmetic: a few requesters are a few LUTs, not a carry chain.
  always_comb begin
    first_seen = 1'b0;
    any_seen   = 1'b0;
    for (int unsigned i = 0; i < N; i++) begin
      first_gnt[i] = req_i[i] && behind_q[i] && !first_seen;
      any_gnt[i]   = req_i[i] && !any_seen;
      first_seen   = first_seen || (req_i[i] && behind_q[i]);
      any_seen     = any_seen || req_i[i];
    end
    gnt_o  = first_seen ? first_gnt : any_gnt;
    passed = 1'b0;
    for (int unsigned i = 0; i < N; i++) begin
      behind_d[i] = passed;
      passed      = passed || gnt_o[i];
    end
  end

  always_ff @(posedge clk_i) begin
    if (take_i && passed) behind_q <= behind_d;
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
