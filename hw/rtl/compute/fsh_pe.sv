// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none
`include "fsh_assert.svh"

/// Two processing elements of a column, element 1 below element 0: one step a
/// cycle multiplies a block of X with a block of W each and adds the dot product
/// to accumulator step_index_i of bank step_bank_i (or to zero: step_first_i).
/// For the form of X and W see fsh_dot. W and the step are offered to the right
/// (_o) one cycle later, X down two cycles later. A step at the inputs in cycle t
/// is written in cycle t+9; a step from t+6 on may use its accumulator again.
/// Drain: rd_data_o (element 1 in the upper half) holds an accumulator of the
/// bank that no step uses, two cycles after rd_valid_i. No back-pressure. Reset
/// forgets the steps under way; operands and accumulators have none.
module fsh_pe #(
    parameter int unsigned BLOCK = 16,
    parameter int unsigned MAN   = 7,
    parameter int unsigned ACCS  = 128,
    localparam int unsigned MW = BLOCK * (MAN + 1),
    localparam int unsigned SUM = 3 * MAN + 2 + 2 * $clog2(BLOCK),
    localparam int unsigned AW = $clog2(ACCS)
) (
    input  wire logic                clk_i,
    input  wire logic                rst_i,
    input  wire logic                step_valid_i /*verilator public_flat_rd*/,
    input  wire logic                step_first_i /*verilator public_flat_rd*/,
    input  wire logic                step_bank_i /*verilator public_flat_rd*/,
    input  wire logic [AW-1:0]       step_index_i /*verilator public_flat_rd*/,
    input  wire logic [MW-1:0]       x_man_i /*verilator public_flat_rd*/,
    input  wire logic [7:0]          x_exp_i /*verilator public_flat_rd*/,
    input  wire logic [BLOCK*32-1:0] w_lane_i /*verilator public_flat_rd*/,
    input  wire logic [SUM-1:0]      w_sum_i /*verilator public_flat_rd*/,
    input  wire logic [15:0]         w_exp_i /*verilator public_flat_rd*/,
    output logic                     step_valid_o,
    output logic                     step_first_o,
    output logic                     step_bank_o,
    output logic      [AW-1:0]       step_index_o,
    output logic      [MW-1:0]       x_man_o,
    output logic      [7:0]          x_exp_o,
    output logic      [BLOCK*32-1:0] w_lane_o,
    output logic      [SUM-1:0]      w_sum_o,
    output logic      [15:0]         w_exp_o,
    input  wire logic                rd_valid_i /*verilator public_flat_rd*/,
    input  wire logic                rd_bank_i /*verilator public_flat_rd*/,
    input  wire logic [AW-1:0]       rd_index_i /*verilator public_flat_rd*/,
    output logic      [63:0]         rd_data_o
);
  /*verilator no_inline_module*/

  // The step of stage s, s = 1: operands registered, 5: dot products in FP32.
  localparam int unsigned CW = AW + 2;
  logic          v1_q, v2_q, v3_q, v4_q, v5_q;
  logic [CW-1:0] c1_q, c2_q, c3_q, c4_q, c5_q;
  logic [MW-1:0] x_man_q;
  logic [7:0]    x_exp_q;
  logic [1:0]    sign;
  logic [63:0]   term;

  assign step_valid_o = v1_q;
  assign {step_first_o, step_bank_o, step_index_o} = c1_q;

  always_ff @(posedge clk_i) begin
    v1_q <= step_valid_i;
    v2_q <= v1_q;
    v3_q <= v2_q;
    v4_q <= v3_q;
    v5_q <= v4_q;
    if (rst_i) begin
      v1_q <= 1'b0;
      v2_q <= 1'b0;
      v3_q <= 1'b0;
      v4_q <= 1'b0;
      v5_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (step_valid_i) begin
      c1_q     <= {step_first_i, step_bank_i, step_index_i};
      x_man_q  <= x_man_i;
      x_exp_q  <= x_exp_i;
      w_lane_o <= w_lane_i;
      w_sum_o  <= w_sum_i;
      w_exp_o  <= w_exp_i;
    end
    if (v1_q) begin
      x_man_o <= x_man_q;
      x_exp_o <= x_exp_q;
    end
    c2_q <= c1_q;
    c3_q <= c2_q;
    c4_q <= c3_q;
    c5_q <= c4_q;
  end

  logic [2*MAN+$clog2(BLOCK)-1:0] mag0, mag1;

  fsh_dot #(
      .BLOCK(BLOCK),
      .MAN(MAN)
  ) i_dot (
      .clk_i,
      .v_i({v2_q, v1_q}),
      .x_i(x_man_q),
      .w_i(w_lane_o),
      .w_sum_i(w_sum_o),
      .sign_o(sign),
      .mag0_o(mag0),
      .mag1_o(mag1)
  );

  // The exponents wait for their dot product.
  logic [7:0]  x_exp2_q;
  logic [15:0] w_exp2_q;

  always_ff @(posedge clk_i) begin
    if (v1_q) begin
      x_exp2_q <= x_exp_q;
      w_exp2_q <= w_exp_o;
    end
  end

  for (genvar e = 0; e < 2; e++) begin : gen_term
    fsh_term #(
        .BLOCK(BLOCK),
        .MAN(MAN)
    ) i_term (
        .clk_i,
        .v_i({v4_q, v3_q, v2_q}),
        .x_exp_i(x_exp2_q),
        .w_exp_i(w_exp2_q[8*e+:8]),
        .sign_i(sign[e]),
        .mag_i(e == 0 ? mag0 : mag1),
        .term_o(term[32*e+:32])
    );
  end

  // Two banks, a RAM each: one gives to the adder what the other gives out.
  logic          write, rd_valid_q, rd_bank_q;
  logic [AW:0]   where;
  logic [63:0]   acc0, acc1, old, sum;
  logic          step_re, re0, re1;

  assign step_re = v4_q && !c4_q[CW-1];
  assign re0     = (step_re && !c4_q[AW]) || (rd_valid_i && !rd_bank_i);
  assign re1     = (step_re && c4_q[AW]) || (rd_valid_i && rd_bank_i);

  fsh_ram #(
      .WIDTH(64),
      .DEPTH(ACCS)
  ) i_bank0 (
      .clk_i,
      .we_i(write && !where[AW]),
      .waddr_i(where[AW-1:0]),
      .wdata_i(sum),
      .re_i(re0),
      .raddr_i(rd_valid_i && !rd_bank_i ? rd_index_i : c4_q[AW-1:0]),
      .rdata_o(acc0)
  );

  fsh_ram #(
      .WIDTH(64),
      .DEPTH(ACCS)
  ) i_bank1 (
      .clk_i,
      .we_i(write && where[AW]),
      .waddr_i(where[AW-1:0]),
      .wdata_i(sum),
      .re_i(re1),
      .raddr_i(rd_valid_i && rd_bank_i ? rd_index_i : c4_q[AW-1:0]),
      .rdata_o(acc1)
  );

  assign old = c5_q[CW-1] ? '0 : c5_q[AW] ? acc1 : acc0;

  fsh_fp_add #(
      .LANES(2),
      .SIDE(AW + 1)
  ) i_add (
      .clk_i,
      .rst_i,
      .stall_i(1'b0),
      .valid_i(v5_q),
      .a_i(old),
      .b_i(term),
      .side_i(c5_q[AW:0]),
      .valid_o(write),
      .sum_o(sum),
      .side_o(where)
  );

  always_ff @(posedge clk_i) begin
    rd_valid_q <= rd_valid_i;
    rd_bank_q  <= rd_bank_i;
    if (rd_valid_q) rd_data_o <= rd_bank_q ? acc1 : acc0;
  end

  `FSH_ASSERT(a_banks, !(step_re && rd_valid_i && c4_q[AW] == rd_bank_i))
  `FSH_ASSERT(a_settled, !(write && rd_valid_i && where[AW] == rd_bank_i))
endmodule

`default_nettype wire
