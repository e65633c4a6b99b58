// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none
`include "fsh_assert.svh"

/// Makes the extents of fsh_cout: a group of them leaves, one a cycle, when every
/// lane has handed over its last beat of the group (mark_i, a pulse a lane). What
/// is issued is sampled then; on a lane that has done it, what is done takes its place
/// while the extent waits, since counts are modulo 256. Groups in order. Reset: none.
module fsh_cout_ext #(
    parameter int unsigned DEPTH = 64  // groups whose beats are on the way
) (
    input  wire logic                clk_i,
    input  wire logic                rst_i,
    input  wire logic                group_valid_i,
    output logic                     group_ready_o,
    input  fsh_cout_pkg::group_t     group_i,
    input  wire logic          [3:0] mark_i,
    input  wire logic         [31:0] issued_i,
    input  wire logic         [31:0] done_i,
    output logic                     ext_valid_o,
    input  wire logic                ext_ready_i,
    output fsh_cout_pkg::ext_t       ext_o,
    output logic                     busy_o
);
  localparam int unsigned WIDTH = 72;
  localparam int unsigned CW = $clog2(DEPTH + 2);

  fsh_cout_pkg::group_t group;
  logic                 group_valid, take;
  logic [3:0]           passed;
  logic                 last_q, parity_q;
  logic [3:0]           left_q;  // rows; 0: no group
  logic [19:0]          stride_q;
  logic [13:0]          bytes_q;
  logic [31:0]          addr_q, issued_q;

  fsh_fifo #(
      .WIDTH(WIDTH),
      .DEPTH(DEPTH)
  ) i_groups (
      .clk_i,
      .rst_i,
      .valid_i(group_valid_i),
      .ready_o(group_ready_o),
      .data_i (group_i),
      .valid_o(group_valid),
      .ready_i(take),
      .data_o (group),
      .count_o()
  );

  for (genvar l = 0; l < 4; l++) begin : gen_lane
    logic [CW-1:0] marks_q;

    assign passed[l] = marks_q != '0;

    always_ff @(posedge clk_i) begin
      if (mark_i[l] != take) marks_q <= mark_i[l] ? marks_q + 1'b1 : marks_q - 1'b1;
      if (rst_i) marks_q <= '0;
    end

    `FSH_ASSERT(a_marks, marks_q <= CW'(DEPTH))
  end

  assign take = passed == '1 && (left_q == '0 || (left_q == 4'd1 && ext_ready_i));

  always_ff @(posedge clk_i) begin
    if (take) begin
      {last_q, parity_q, left_q, stride_q, bytes_q, addr_q} <= group;
      issued_q <= issued_i;
    end else begin
      for (int unsigned l = 0; l < 4; l++)
        if (done_i[l*8+:8] - issued_q[l*8+:8] < 8'd128) issued_q[l*8+:8] <= done_i[l*8+:8];
    end
    if (!take && left_q != '0 && ext_ready_i) begin
      left_q <= left_q - 4'd1;
      addr_q <= addr_q + {12'd0, stride_q};
    end
    if (rst_i) left_q <= '0;
  end

  assign ext_valid_o = left_q != '0;
  always_comb begin
    ext_o.last   = last_q && left_q == 4'd1;
    ext_o.parity = parity_q;
    ext_o.issued = issued_q;
    ext_o.bytes  = {10'd0, bytes_q};
    ext_o.addr   = {addr_q, 6'd0};
  end

  assign busy_o = group_valid || left_q != '0;

  `FSH_ASSERT(a_group, !take || group_valid)
  `FSH_STABLE(ext_valid_o, ext_ready_i, {ext_o.last, ext_o.parity, ext_o.bytes, ext_o.addr})
endmodule

`default_nettype wire
