// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none
`include "fsh_assert.svh"

/// Arithmetic of fsh_cout: 64 adders for the 64 values of a quad. arrive_i comes
/// with the data of the array (first half of a read) or after it (second half).
/// A quad passes once, adding C, the bias or +0, or (two_i) twice, first adding
/// C, then the bias: it comes back PASS cycles later, which is odd, so that
/// quads of two passes that arrive on even cycles only never meet. No
/// back-pressure. Latency from arrival: 5 cycles, two passes 10.
/// Values of fsh_celem (el_*) pass once, added to el_b_i, to +0, or to the sum that
/// leaves the adders as they enter, ADD cycles after its own values did; out of the
/// last pass if el_last_i. They and those of the array never meet.
/// Keeps the bias of two tiles, written beat by beat. Reset: empty.
module fsh_cout_math (
    input  wire logic          clk_i,
    input  wire logic          rst_i,
    input  wire logic          bias_we_i,
    input  wire logic    [7:0] bias_waddr_i,
    input  wire logic  [511:0] bias_wdata_i,
    input  wire logic          arrive_i,
    input  wire logic          second_i,
    input  wire logic          two_i,
    input  wire logic          add_c_i,
    input  wire logic          add_b_i,
    input  wire logic    [7:0] bias_at_i,
    input  wire logic [4095:0] data_i,
    // C, a quad in front: taken the cycle after the arrival.
    input  wire logic          c_valid_i,
    output logic               c_ready_o,
    input  wire logic [2047:0] c_data_i,
    input  wire logic          el_valid_i,
    input  wire logic          el_add_i,
    input  wire logic          el_loop_i,
    input  wire logic          el_last_i,
    input  wire logic [2047:0] el_a_i,
    input  wire logic [2047:0] el_b_i,
    output logic               valid_o,
    output logic      [2047:0] data_o,
    output logic               busy_o
);
  localparam int unsigned ADD = 4;  // latency of fsh_fp_add
  localparam int unsigned PASS = ADD + 1;

  // What goes along with a quad: of the first pass, of the second.
  typedef struct packed {
    logic       two;
    logic       add_b;
    logic [7:0] bias_at;
  } side_t;
  localparam int unsigned SIDE = 10;

  logic [2047:0]           first_q, upper_q, again_q, sum, a, b;
  logic [511:0]            bias;
  logic                    enter_q, second_pass_q, add_c_q, add_b_q;
  logic [PASS-1:0]         in_pass_q;  // a quad entered its only or first pass, by age
  logic [PASS*SIDE-1:0]    side_q;
  logic [ADD-1:0]          final_q;    // on its last pass
  side_t                   back;
  logic                    again, adder_valid, adder_done;
  logic                    el_q, el_add_q, el_loop_q, el_last_q;

  assign back  = side_q[(PASS-1)*SIDE+:SIDE];
  assign again = in_pass_q[PASS-1] && back.two;  // enters its second pass at the next edge

  always_ff @(posedge clk_i) begin
    if (arrive_i) begin
      first_q <= second_i ? upper_q : data_i[2047:0];
      if (!second_i) upper_q <= data_i[4095:2048];
    end else if (el_valid_i) begin
      first_q <= el_a_i;
    end
    if (again) again_q <= sum;
    else if (el_valid_i && el_add_i) again_q <= el_b_i;
  end

  fsh_ram #(
      .WIDTH(512),
      .DEPTH(256)
  ) i_bias (
      .clk_i,
      .we_i   (bias_we_i),
      .waddr_i(bias_waddr_i),
      .wdata_i(bias_wdata_i),
      .re_i   (again ? back.add_b : arrive_i && add_b_i && !two_i),
      .raddr_i(again ? back.bias_at : bias_at_i),
      .rdata_o(bias)
  );

  always_ff @(posedge clk_i) begin
    enter_q       <= arrive_i;
    second_pass_q <= again;
    add_c_q       <= arrive_i && add_c_i;
    add_b_q       <= again ? back.add_b : arrive_i && add_b_i && !two_i;
    in_pass_q     <= {in_pass_q[PASS-2:0], arrive_i};
    final_q       <= {final_q[ADD-2:0], (enter_q && !side_q[SIDE-1]) || second_pass_q ||
                      (el_q && el_last_q)};
    el_q          <= el_valid_i;
    el_add_q      <= el_valid_i && el_add_i;
    el_loop_q     <= el_valid_i && el_loop_i;
    el_last_q     <= el_last_i;
    if (rst_i) begin
      el_q          <= 1'b0;
      enter_q       <= 1'b0;
      second_pass_q <= 1'b0;
      add_c_q       <= 1'b0;
      in_pass_q     <= '0;
      final_q       <= '0;
    end
  end

  always_ff @(posedge clk_i) begin
    side_q <= {side_q[(PASS-1)*SIDE-1:0], two_i, add_b_i, bias_at_i};
  end

  assign adder_valid = enter_q || second_pass_q || el_q;
  assign c_ready_o   = enter_q && add_c_q;

  always_comb begin
    a = 'x;
    b = 'x;
    if (adder_valid) begin
      a = second_pass_q ? again_q : first_q;
      b = c_ready_o ? c_data_i : add_b_q ? {4{bias}} : el_add_q ? again_q :
          el_loop_q ? sum : '0;
    end
  end

  fsh_fp_add #(
      .LANES(64)
  ) i_add (
      .clk_i,
      .rst_i,
      .stall_i(1'b0),
      .valid_i(adder_valid),
      .a_i    (a),
      .b_i    (b),
      .side_i (1'b0),
      .valid_o(adder_done),
      .sum_o  (sum),
      .side_o ()
  );

  assign valid_o = final_q[ADD-1];
  assign data_o  = sum;
  assign busy_o  = enter_q || second_pass_q || in_pass_q != '0 || final_q != '0 || el_q;

  `FSH_ASSERT(a_meet, !(enter_q && second_pass_q) && !(el_q && (enter_q || second_pass_q)))
  `FSH_ASSERT(a_latency, !valid_o || adder_done)
  `FSH_ASSERT(a_c, !c_ready_o || c_valid_i)
endmodule

`default_nettype wire
