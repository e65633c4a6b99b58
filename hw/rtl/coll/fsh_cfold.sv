// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none
`include "fsh_assert.svh"

/// The reduction pipeline: lines of 64 bytes, out = a (op) b by element, with the bits of
/// src/coll/fold. A line of FP32 a cycle; of FP64 and of integers one in four cycles (16
/// bytes a cycle). In order; side_i travels along. FP32 lines follow each other without
/// a gap, as do those of FP64 and those of integers; a change waits until all before it
/// have left the arithmetic.
/// Latency: 11 cycles FP32, 14 FP64, 8 integers. ready_o, valid_o and out_o depend on
/// registers only. A reduction that there is not (fsh_coll_pkg::folds) gives nothing in
/// particular, in time. Reset empties it; data registers have none.
module fsh_cfold #(
    parameter int unsigned SIDE = 1,
    parameter bit FP64 = 1'b1  // 0: without; such lines give nothing in particular
) (
    input  wire logic            clk_i,
    input  wire logic            rst_i,
    input  wire logic            valid_i,
    output logic                 ready_o,
    input  wire logic      [2:0] type_i,
    input  wire logic      [3:0] op_i,
    input  wire logic    [511:0] a_i,
    input  wire logic    [511:0] b_i,
    input  wire logic [SIDE-1:0] side_i,
    output logic                 valid_o,
    input  wire logic            ready_i,
    output logic         [511:0] out_o,
    output logic      [SIDE-1:0] side_o,
    output logic                 busy_o
);
  typedef enum logic [1:0] {
    Single,
    Double,
    Integer
  } unit_e;

  logic            in_valid, in_ready, in_take;
  logic      [2:0] in_type;
  logic      [3:0] in_op;
  logic    [511:0] in_a, in_b;
  logic [SIDE-1:0] in_side;

  fsh_skid #(
      .WIDTH(SIDE + 7 + 1024)
  ) i_in (
      .clk_i,
      .rst_i,
      .valid_i,
      .ready_o,
      .data_i ({side_i, type_i, op_i, b_i, a_i}),
      .valid_o(in_valid),
      .ready_i(in_ready),
      .data_o ({in_side, in_type, in_op, in_b, in_a})
  );

  // The line that goes in: 16 bytes at a time but for FP32, the lowest first.
  logic         some_q, last, issue, single, stall, enter, leave;
  unit_e        unit_q, running_q;
  logic   [1:0] part_q;
  logic   [1:0] form_q;  // of integers: unsigned, 64 bits
  logic   [3:0] op_q, flight_q;  // lines inside the arithmetic, of unit running_q
  logic [511:0] a_q, b_q;

  assign single   = unit_q == Single;
  assign last     = single || part_q == '1;
  assign issue    = some_q && !stall && (flight_q == '0 || running_q == unit_q);
  assign enter    = issue && part_q == '0;
  assign in_ready = !some_q || (issue && last);
  assign in_take  = in_valid && in_ready;

  always_ff @(posedge clk_i) begin
    if (issue) begin
      a_q <= {128'd0, a_q[511:128]};
      b_q <= {128'd0, b_q[511:128]};
    end
    if (in_take) begin
      {form_q, op_q, a_q, b_q} <= {in_type[1:0], in_op, in_a, in_b};
      unit_q <= in_type == fsh_coll_pkg::TYPE_FLOAT ? Single :
                in_type == fsh_coll_pkg::TYPE_DOUBLE ? Double : Integer;
    end
    if (enter) running_q <= unit_q;
  end

  always_ff @(posedge clk_i) begin
    if (in_ready) some_q <= in_valid;
    if (issue) part_q <= last ? '0 : part_q + 1'b1;
    if (enter != leave) flight_q <= enter ? flight_q + 1'b1 : flight_q - 1'b1;
    if (rst_i) begin
      some_q   <= 1'b0;
      part_q   <= '0;
      flight_q <= '0;
    end
  end

  logic         single_valid, double_valid, integer_valid;
  logic [511:0] single_out;
  logic [127:0] double_out, integer_out;

  fsh_cfp #(
      .LANES(16),
      .EXP  (8),
      .MAN  (23)
  ) i_single (
      .clk_i,
      .rst_i,
      .stall_i(stall),
      .valid_i(issue && single),
      .sum_i  (op_q == fsh_coll_pkg::OP_SUM),
      .max_i  (op_q == fsh_coll_pkg::OP_MAX),
      .a_i    (a_q),
      .b_i    (b_q),
      .valid_o(single_valid),
      .out_o  (single_out)
  );

  if (FP64) begin : gen_double
    fsh_cfp #(
        .LANES(2),
        .EXP  (11),
        .MAN  (52)
    ) i_double (
        .clk_i,
        .rst_i,
        .stall_i(stall),
        .valid_i(issue && unit_q == Double),
        .sum_i  (op_q == fsh_coll_pkg::OP_SUM),
        .max_i  (op_q == fsh_coll_pkg::OP_MAX),
        .a_i    (a_q[127:0]),
        .b_i    (b_q[127:0]),
        .valid_o(double_valid),
        .out_o  (double_out)
    );
  end else begin : gen_no_double
    assign double_valid = 1'b0;
    assign double_out   = '0;
  end

  fsh_cint i_integer (
      .clk_i,
      .rst_i,
      .stall_i (stall),
      .valid_i (issue && (unit_q == Integer || (!FP64 && unit_q == Double))),
      .wide_i  (form_q[0]),
      .signed_i(!form_q[1]),
      .op_i    (op_q),
      .a_i     (a_q[127:0]),
      .b_i     (b_q[127:0]),
      .valid_o (integer_valid),
      .out_o   (integer_out)
  );

  // Out: a line together.
  logic         narrow_valid, whole, out_ready;
  logic   [1:0] got_q;
  logic [127:0] narrow;
  logic [383:0] below_q;

  assign narrow_valid = double_valid || integer_valid;
  assign narrow       = double_valid ? double_out : integer_out;
  assign whole        = single_valid || (narrow_valid && got_q == '1);
  assign stall        = whole && !out_ready;
  assign leave        = whole && out_ready;

  always_ff @(posedge clk_i) begin
    if (narrow_valid && !stall) below_q <= {narrow, below_q[383:128]};
  end

  always_ff @(posedge clk_i) begin
    if (narrow_valid && !stall) got_q <= got_q + 1'b1;
    if (rst_i) got_q <= '0;
  end

  fsh_skid #(
      .WIDTH(512)
  ) i_out (
      .clk_i,
      .rst_i,
      .valid_i(whole),
      .ready_o(out_ready),
      .data_i (single_valid ? single_out : {narrow, below_q}),
      .valid_o,
      .ready_i,
      .data_o (out_o)
  );

  // At most: the line that goes in, eight in the arithmetic, two that are out.
  logic side_room, side_valid;

  fsh_fifo #(
      .WIDTH(SIDE),
      .DEPTH(16)
  ) i_side (
      .clk_i,
      .rst_i,
      .valid_i(in_take),
      .ready_o(side_room),
      .data_i (in_side),
      .valid_o(side_valid),
      .ready_i(valid_o && ready_i),
      .data_o (side_o),
      .count_o()
  );

  assign busy_o = valid_i || in_valid || some_q || flight_q != '0 || valid_o;

  `FSH_ASSERT(a_side, (!in_take || side_room) && (!valid_o || side_valid))
  `FSH_ASSERT(a_units, 2'(single_valid) + 2'(double_valid) + 2'(integer_valid) <= 2'd1)
  `FSH_ASSERT(a_flight, !(leave && flight_q == '0) && flight_q <= 4'd9)
  `FSH_STABLE(valid_o, ready_i, out_o)
endmodule

`default_nettype wire
