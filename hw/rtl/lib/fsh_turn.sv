// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none
`include "fsh_assert.svh"

/// Round-robin choice whose outcome is known later. gnt_o is one-hot among req_i,
/// combinational from it, zero when nothing is requested: the first one from the one
/// whose turn it is. pass_i (one-hot, or zero) gives the turn to the one behind that; who
/// was granted and could not go keeps it. Who keeps asking is granted after at most N-1
/// others have gone. For outcomes known in the cycle of the grant: fsh_arb. Reset gives
/// the turn to requester 0.
module fsh_turn #(
    parameter int unsigned N = 2
) (
    input  wire logic         clk_i,
    input  wire logic         rst_i,
    input  wire logic [N-1:0] req_i,
    input  wire logic [N-1:0] pass_i,
    output logic      [N-1:0] gnt_o
);
  // Requesters from the one whose turn it is: they come first. All others after.
  logic [N-1:0] behind_q, first, front, lower, passed;

  assign first = req_i & behind_q;
  assign front = first != '0 ? first : req_i;
  assign gnt_o = front & ~lower;  // its lowest bit

  always_comb begin
    lower  = '0;
    passed = '0;
    if (req_i != '0) begin
      for (int unsigned i = 1; i < N; i++) lower |= front << i;
    end
    for (int unsigned i = 1; i < N; i++) passed |= pass_i << i;
  end

  always_ff @(posedge clk_i) begin
    if (pass_i != '0) behind_q <= passed;
    if (rst_i) behind_q <= '0;
  end

  `FSH_ASSERT(a_one_hot, (gnt_o & (gnt_o - 1'b1)) == '0)
  `FSH_ASSERT(a_granted, req_i == '0 || (gnt_o & req_i) != '0)
  `FSH_ASSERT(a_pass, (pass_i & (pass_i - 1'b1)) == '0)
`ifdef FORMAL
`include "fsh_turn_formal.svh"
`endif
endmodule

`default_nettype wire
