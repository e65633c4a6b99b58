// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none

/// Lines of 16 FP32 values to blocks for the wire (src/coll/wire), with the encoder of the
/// compute core: code_o and a byte a value, sign and magnitude; line_o: what a receiver
/// decodes from that. keep_i[i] = 0 makes value i zero first: the padding of a packet.
/// Latency 5 cycles, a line a cycle, in order; side_i travels along. stall_i freezes the
/// whole pipeline (inputs of that cycle are not taken). Reset empties it.
module fsh_cencode #(
    parameter int unsigned SIDE = 8
) (
    input  wire logic            clk_i,
    input  wire logic            rst_i,
    input  wire logic            stall_i,
    input  wire logic            valid_i,
    input  wire logic    [511:0] line_i,
    input  wire logic     [15:0] keep_i,
    input  wire logic [SIDE-1:0] side_i,
    output logic                 valid_o,
    output logic           [7:0] code_o,
    output logic         [127:0] values_o,
    output logic         [511:0] line_o,
    output logic      [SIDE-1:0] side_o
);
  logic            valid;
  logic    [135:0] block;
  logic    [127:0] values;
  logic    [511:0] decoded;
  logic [SIDE-1:0] side;

  fsh_bfp_enc #(
      .SIDE(SIDE)
  ) i_enc (
      .clk_i,
      .rst_i,
      .stall_i,
      .valid_i,
      .x_i    (line_i),
      .keep_i,
      .side_i,
      .valid_o(valid),
      .block_o(block),
      .side_o (side)
  );

  // The array's two's complement; -128 does not occur.
  always_comb begin
    for (int unsigned i = 0; i < 16; i++) begin
      values[8*i+:8] = {block[8*i+7],
                        block[8*i+7] ? 7'd0 - block[8*i+:7] : block[8*i+:7]};
    end
  end

  fsh_bfp_dec i_dec (
      .some_i  (valid),
      .code_i  (block[135:128]),
      .values_i(values),
      .x_o     (decoded)
  );

  always_ff @(posedge clk_i) begin
    if (valid && !stall_i) begin
      code_o   <= block[135:128];
      values_o <= values;
      line_o   <= decoded;
      side_o   <= side;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!stall_i) valid_o <= valid;
    if (rst_i) valid_o <= 1'b0;
  end
endmodule

`default_nettype wire
