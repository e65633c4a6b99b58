// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none
`include "fsh_assert.svh"

/// Least-recently-served arbiter for grants whose outcome is known later. gnt_o is one-hot among
/// req_i, combinational from it, and zero without requests: the requester ahead of all others.
/// pass_i (one-hot or zero) moves a requester behind all others; one that was granted but could
/// not proceed keeps its place.
/// A requester that keeps requesting is granted after each other has proceeded at most once,
/// whichever others request in which cycles: two that wait for the same resource get it
/// alternately, which a rotating priority does not guarantee if it points elsewhere each time the
/// resource is free. If the outcome is known in the cycle of the grant use fsh_arb. Reset orders
/// the requesters by number.
module fsh_turn #(
    parameter int unsigned N = 2
) (
    input  wire logic         clk_i,
    input  wire logic         rst_i,
    input  wire logic [N-1:0] req_i,
    input  wire logic [N-1:0] pass_i,
    output logic      [N-1:0] gnt_o
);
  // Bit i * N + j, i < j: i is ahead of j. The other bits are zero.
  logic [N*N-1:0] ahead_q, higher;
  logic [N-1:0]   blocked, behind;  // a lower-numbered requester is ahead; a higher-numbered one

  for (genvar i = 0; i < N; i++) begin : gen_row
    localparam logic [N-1:0] HIGHER = ~((N'(2) << i) - N'(1));

    assign higher[i*N+:N] = HIGHER;

    always_ff @(posedge clk_i) begin
      if (pass_i != '0) ahead_q[i*N+:N] <= pass_i[i] ? '0 : (ahead_q[i*N+:N] | pass_i) & HIGHER;
      if (rst_i) ahead_q[i*N+:N] <= HIGHER;
    end
  end

  always_comb begin
    blocked = '0;
    behind  = '0;
    if (req_i != '0) begin
      for (int unsigned i = 0; i < N; i++) begin
        if (req_i[i]) blocked |= ahead_q[i*N+:N];
        behind[i] = (req_i & ~ahead_q[i*N+:N] & higher[i*N+:N]) != '0;
      end
    end
  end
  assign gnt_o = req_i & ~blocked & ~behind;

  `FSH_ASSERT(a_one_hot, (gnt_o & (gnt_o - 1'b1)) == '0)
  `FSH_ASSERT(a_granted, req_i == '0 || (gnt_o & req_i) != '0)
  `FSH_ASSERT(a_pass, (pass_i & (pass_i - 1'b1)) == '0)
`ifdef FORMAL
`include "fsh_turn_formal.svh"
`endif
endmodule

`default_nettype wire
