// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none
`include "fsh_assert.svh"

/// Merges N packet streams, packet by packet, round robin. An input offers the
/// first beat of a packet with start_i and, beside it, the number of beats that
/// follow; once taken, the packet is not interrupted. Combinational from inputs
/// to output, so a register belongs behind it; no bubble between packets.
/// start_i may be withdrawn (no credit); a beat offered in the middle of a
/// packet of another consumer must come without start_i. Reset: idle.
module fsh_pktmux #(
    parameter int unsigned N = 2
) (
    input  wire logic             clk_i,
    input  wire logic             rst_i,
    input  wire logic [N-1:0]     valid_i,
    input  wire logic [N-1:0]     start_i,
    input  wire logic [N*7-1:0]   follow_i,
    input  wire logic [N*128-1:0] data_i,
    output logic      [N-1:0]     ready_o,
    output logic                  valid_o,
    input  wire logic             ready_i,
    output logic                  sop_o,
    output logic                  last_o,
    output logic      [127:0]     data_o,
    output logic      [6:0]       follow_o,
    output logic      [N-1:0]     sel_o,
    output logic                  busy_o
);
  logic         locked_q;
  logic [N-1:0] sel_q, gnt, req;
  logic [6:0]   remain_q;
  logic         fire;

  assign req     = valid_i & start_i & {N{!locked_q}};
  assign sel_o   = locked_q ? sel_q : gnt;
  assign valid_o = locked_q ? |(sel_q & valid_i) : |req;  // does not wait for the arbiter
  assign sop_o   = !locked_q;
  assign last_o  = locked_q ? remain_q == 7'd1 : follow_o == '0;
  assign fire    = valid_o && ready_i;
  assign ready_o = sel_o & {N{ready_i}};
  assign busy_o  = locked_q;

  fsh_arb #(
      .N(N)
  ) i_arb (
      .clk_i,
      .rst_i,
      .req_i (req),
      .take_i(fire && !locked_q),
      .gnt_o (gnt)
  );

  always_comb begin
    data_o   = '0;
    follow_o = '0;
    for (int unsigned i = 0; i < N; i++) begin
      data_o   |= data_i[i*128+:128] & {128{sel_o[i]}};
      follow_o |= follow_i[i*7+:7] & {7{sel_o[i]}};
    end
  end

  always_ff @(posedge clk_i) begin
    if (fire) begin
      remain_q <= locked_q ? remain_q - 7'd1 : follow_o;
      locked_q <= !last_o;
      sel_q    <= sel_o;
    end
    if (rst_i) locked_q <= 1'b0;
  end

  `FSH_ASSERT(assert_select, (sel_o & (sel_o - 1'b1)) == '0)
  `FSH_ASSERT(assert_remain, !locked_q || remain_q != '0)
endmodule

`default_nettype wire
