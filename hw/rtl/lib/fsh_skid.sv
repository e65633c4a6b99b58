// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none
`include "fsh_assert.svh"

/// Register slice: cuts every combinational path, latency 1, one word per cycle. Two words of
/// storage, in order. Reset empties it; words have no reset.
module fsh_skid #(
    parameter int unsigned WIDTH = 8
) (
    input  wire logic             clk_i,
    input  wire logic             rst_i,
    input  wire logic             valid_i,
    output logic                  ready_o,
    input  wire logic [WIDTH-1:0] data_i,
    output logic                  valid_o,
    input  wire logic             ready_i,
    output logic      [WIDTH-1:0] data_o
);
  logic             out_valid_q, spare_valid_q, load;
  logic [WIDTH-1:0] out_q, spare_q;

  assign ready_o = !spare_valid_q;
  assign valid_o = out_valid_q;
  assign data_o  = out_q;
  assign load    = ready_i || !out_valid_q;

  // The spare register takes the word that ready_o had accepted when the output stalled.
  always_ff @(posedge clk_i) begin
    if (valid_i && !load && !spare_valid_q) spare_q <= data_i;
    if (load && spare_valid_q) out_q <= spare_q;
    else if (load && valid_i) out_q <= data_i;
  end

  always_ff @(posedge clk_i) begin
    if (load) begin
      out_valid_q   <= spare_valid_q || valid_i;
      spare_valid_q <= 1'b0;
    end else if (valid_i) begin
      spare_valid_q <= 1'b1;
    end
    if (rst_i) begin
      out_valid_q   <= 1'b0;
      spare_valid_q <= 1'b0;
    end
  end

  `FSH_ASSERT(a_spare, out_valid_q || !spare_valid_q)
  `FSH_STABLE(valid_o, ready_i, data_o)
`ifdef FORMAL
`include "fsh_skid_formal.svh"
`endif
endmodule

`default_nettype wire
