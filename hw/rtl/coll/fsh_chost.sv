// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none

/// Lines of the collective engine to the writer of host memory: each a burst of four beats.
/// A line stands with its engine until its last beat is taken (ready_o, with it). Valid
/// signals depend on registers only. Reset: no line begun.
module fsh_chost (
    input  wire logic           clk_i,
    input  wire logic           rst_i,
    input  wire logic           valid_i,
    output logic                ready_o,
    input  wire logic    [31:0] addr_i,  // a line of the DMA window
    input  wire logic   [511:0] data_i,
    output fsh_axi_pkg::post_req_t req_o,
    input  wire fsh_axi_pkg::post_rsp_t rsp_i
);
  logic       begun_q;
  logic [1:0] beat_q;

  always_comb begin
    req_o         = 'x;
    req_o.awvalid = 1'b0;
    req_o.wvalid  = 1'b0;
    if (valid_i) begin
      req_o.awvalid = !begun_q;
      req_o.wvalid  = begun_q;
      req_o.wlast   = beat_q == '1;
      req_o.awaddr  = {2'd0, addr_i, 6'd0};
      req_o.wdata   = data_i[beat_q*128+:128];
    end
  end
  assign ready_o = begun_q && rsp_i.wready && beat_q == '1;

  always_ff @(posedge clk_i) begin
    if (begun_q && rsp_i.wready) beat_q <= beat_q + 1'b1;
    if (ready_o) begun_q <= 1'b0;
    else if (valid_i && rsp_i.awready) begun_q <= 1'b1;
    if (rst_i) {begun_q, beat_q} <= '0;
  end
endmodule

`default_nettype wire
