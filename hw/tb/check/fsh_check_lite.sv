// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none
`include "fsh_assert.svh"

/// Rules of AXI4-Lite for one port of registers, both sides of it: what is offered stays
/// until it is taken; nothing is answered twice, or before it was asked for; one read at a
/// time is not answered, and MAX writes.
/// Looks on; nothing follows it. Reset forgets everything.
module fsh_check_lite #(
    parameter int unsigned ADDR_W = 15,
    parameter int unsigned DATA_W = 64,
    parameter int unsigned MAX    = 4
) (
    input wire logic              clk_i,
    input wire logic              rst_i,
    input wire logic              awvalid_i,
    input wire logic              awready_i,
    input wire logic [ADDR_W-1:0] awaddr_i,
    input wire logic              wvalid_i,
    input wire logic              wready_i,
    input wire logic [DATA_W-1:0] wdata_i,
    input wire logic              bvalid_i,
    input wire logic              bready_i,
    input wire logic              arvalid_i,
    input wire logic              arready_i,
    input wire logic [ADDR_W-1:0] araddr_i,
    input wire logic              rvalid_i,
    input wire logic              rready_i,
    input wire logic [DATA_W-1:0] rdata_i
);
  /*verilator no_inline_module*/  // messages name the instance
  localparam int unsigned W = $clog2(MAX + 1) + 1;

  logic [W-1:0] addresses_q, words_q, reads_q;  // taken, and not answered
  logic         aw_take, w_take, b_take, ar_take, r_take;

  assign aw_take = awvalid_i && awready_i;
  assign w_take  = wvalid_i && wready_i;
  assign b_take  = bvalid_i && bready_i;
  assign ar_take = arvalid_i && arready_i;
  assign r_take  = rvalid_i && rready_i;

  always_ff @(posedge clk_i) begin
    if (aw_take != b_take) addresses_q <= aw_take ? addresses_q + 1'b1 : addresses_q - 1'b1;
    if (w_take != b_take) words_q <= w_take ? words_q + 1'b1 : words_q - 1'b1;
    if (ar_take != r_take) reads_q <= ar_take ? reads_q + 1'b1 : reads_q - 1'b1;
    if (rst_i) {addresses_q, words_q, reads_q} <= '0;
  end

  `FSH_STABLE(awvalid_i, awready_i, awaddr_i)
  `FSH_STABLE(wvalid_i, wready_i, wdata_i)
  `FSH_STABLE(bvalid_i, bready_i, 1'b0)
  `FSH_STABLE(arvalid_i, arready_i, araddr_i)
  `FSH_STABLE(rvalid_i, rready_i, rdata_i)
  `FSH_ASSERT(b_asked, !bvalid_i || (addresses_q != '0 && words_q != '0))
  `FSH_ASSERT(r_asked, !rvalid_i || reads_q != '0)
  `FSH_ASSERT(aw_many, addresses_q <= W'(MAX))
  `FSH_ASSERT(w_many, words_q <= W'(MAX))
  `FSH_ASSERT(ar_many, reads_q <= W'(1))
endmodule

`default_nettype wire
