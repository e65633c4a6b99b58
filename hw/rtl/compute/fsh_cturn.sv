// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none

/// Turns columns into rows: four quads are sixteen rows k of sixteen 32-bit
/// values each (quad b has rows 4b to 4b+3); after the last the columns leave,
/// four a cycle, column 4 * col_o + l at [512 * l +: 512] with row k in word k.
/// Two buffers: one fills while the other empties, a quad in and four columns
/// out a cycle. meta_i of the last quad stays with the columns.
module fsh_cturn #(
    parameter int unsigned META = 8
) (
    input  wire logic            clk_i,
    input  wire logic            rst_i,
    input  wire logic            valid_i,
    output logic                 ready_o,
    input  wire logic      [1:0] b_i,
    input  wire logic   [2047:0] data_i,
    input  wire logic [META-1:0] meta_i,
    // Always taken.
    output logic                 valid_o,
    output logic           [1:0] col_o,
    output logic                 last_o,
    output logic        [2047:0] data_o,
    output logic      [META-1:0] meta_o,
    output logic                 busy_o
);
  logic [1:0]      full_q, col_q;
  logic            fill_q, drain_q, take;
  logic            part_q;  // some quads of four are there
  logic [META-1:0] meta0_q, meta1_q;

  assign ready_o = !full_q[fill_q];
  assign take    = valid_i && ready_o;
  assign valid_o = full_q[drain_q];
  assign col_o   = col_q;
  assign last_o  = col_q == 2'd3;
  assign meta_o  = drain_q ? meta1_q : meta0_q;
  assign busy_o  = full_q != '0 || part_q;

  always_ff @(posedge clk_i) begin
    if (take) begin
      part_q <= b_i != 2'd3;
      if (b_i == 2'd3) begin
        full_q[fill_q] <= 1'b1;
        fill_q         <= !fill_q;
        if (fill_q) meta1_q <= meta_i;
        else meta0_q <= meta_i;
      end
    end
    if (valid_o) begin
      col_q <= col_q + 2'd1;
      if (last_o) begin
        full_q[drain_q] <= 1'b0;
        drain_q         <= !drain_q;
      end
    end
    if (rst_i) begin
      full_q  <= '0;
      fill_q  <= 1'b0;
      drain_q <= 1'b0;
      col_q   <= '0;
      part_q <= 1'b0;
    end
  end

  // Row 4b + l of either buffer, and its part of the columns.
  for (genvar b = 0; b < 4; b++) begin : gen_quad
    for (genvar l = 0; l < 4; l++) begin : gen_row
      logic [511:0] row0_q, row1_q;
      logic [127:0] four;  // values of columns 4 * col_q to 4 * col_q + 3

      always_ff @(posedge clk_i) begin
        if (take && b_i == 2'(b)) begin
          if (fill_q) row1_q <= data_i[l*512+:512];
          else row0_q <= data_i[l*512+:512];
        end
      end

      always_comb begin
        four = 'x;
        if (valid_o) begin
          unique case ({drain_q, col_q})
            3'd0: four = row0_q[127:0];
            3'd1: four = row0_q[255:128];
            3'd2: four = row0_q[383:256];
            3'd3: four = row0_q[511:384];
            3'd4: four = row1_q[127:0];
            3'd5: four = row1_q[255:128];
            3'd6: four = row1_q[383:256];
            default: four = row1_q[511:384];
          endcase
        end
      end

      assign data_o[0*512+(4*b+l)*32+:32] = four[31:0];
      assign data_o[1*512+(4*b+l)*32+:32] = four[63:32];
      assign data_o[2*512+(4*b+l)*32+:32] = four[95:64];
      assign data_o[3*512+(4*b+l)*32+:32] = four[127:96];
    end
  end
endmodule

`default_nettype wire
